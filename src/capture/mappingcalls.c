/* SPDX-License-Identifier: BSD-2-Clause */
/* mappingcalls.c - reads the number of each, which a perf event is opened with. */
#include "config.h"

#include "capture/mappingcalls.h"

#include "base/text.h"
#include "system/sysfile.h"

#include <limits.h>

uint32_t mapping_calls_find(const char *tracefs, struct capture_trace ret[MAPPING_CALLS])
{
	static const char *const names[MAPPING_CALLS] = { "sys_exit_mmap", "sys_exit_munmap", "sys_exit_mremap",
							  "sys_exit_brk", "sys_exit_madvise" };
	char path[PATH_MAX];
	uint32_t n = 0;
	uint64_t id;

	for (uint32_t i = 0; i < MAPPING_CALLS; i++) {
		text_format(path, sizeof(path), "%s/events/syscalls/%s/id", tracefs, names[i]);
		if (!sysfile_u64(path, &id))
			continue;
		ret[n] = (struct capture_trace){ .how = CAPTURE_TRACE_FORMATTED, .id = id };
		text_format(ret[n++].name, sizeof(ret->name), "syscalls:%s", names[i]);
	}
	return n;
}

uint32_t mapping_calls_find_usual(struct capture_trace ret[MAPPING_CALLS])
{
	const uint32_t n = mapping_calls_find("/sys/kernel/tracing", ret);

	return n ? n : mapping_calls_find("/sys/kernel/debug/tracing", ret);
}
