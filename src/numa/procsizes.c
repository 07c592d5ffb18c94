/* SPDX-License-Identifier: BSD-2-Clause */
/* procsizes.c - reads the lines that the kernel writes: "VmRSS:     1234 kB". */
#include "config.h"

#include "numa/procsizes.h"

#include "numa/areas.h"
#include "system/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#define STATUS_BYTES 8192u
#define KB 1024u

static void sizes_set(struct memory_sizes *to, unsigned int size, uint64_t kb)
{
	to->bytes[size] = kb * KB;
	to->known |= 1u << size;
}

bool memory_sizes_parse(const char *text, struct memory_sizes *ret)
{
	static const struct {
		const char *name;
		unsigned int size;
	} fields[] = {
		{ "\nRssAnon:", SIZE_ANON }, { "\nRssFile:", SIZE_FILE }, { "\nRssShmem:", SIZE_SHARED },
		{ "\nVmSwap:", SIZE_SWAPPED }, { "\nVmPTE:", SIZE_TABLES }, { "\nVmHWM:", SIZE_PEAK },
		{ "\nVmSize:", SIZE_ADDRESSES },
	};

	*ret = (struct memory_sizes){ 0 };
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *at = strstr(text, fields[i].name);
		uint64_t kb;

		if (at && sscanf(at + strlen(fields[i].name), " %" SCNu64 " kB", &kb) == 1 && kb < UINT64_MAX / KB)
			sizes_set(ret, fields[i].size, kb);
	}
	return ret->known;
}

bool memory_sizes_read(int dir, struct memory_sizes *ret)
{
	char text[STATUS_BYTES];

	return proc_read_start(dir, "status", text, sizeof(text)) && memory_sizes_parse(text, ret);
}

void memory_sizes_line(struct memory_sizes *to, unsigned int *kind, char *line, size_t len)
{
	static const char rss[] = "Rss:";
	struct maps_line m;
	uint64_t kb = 0;
	size_t at = strlen(rss);

	if (len > at && !memcmp(line, rss, at)) {
		while (at < len && line[at] == ' ')
			at++;
		for (; at < len && line[at] >= '0' && line[at] <= '9' && kb < UINT64_MAX / KB / 10 - 1; at++)
			kb = kb * 10 + (uint64_t)(line[at] - '0');
		to->bytes[SIZE_MAPPINGS + *kind] += kb * KB;
		return;
	}
	/* Names of fields begin with capitals, addresses do not. */
	if (len && line[0] >= 'A' && line[0] <= 'Z')
		return;
	*kind = maps_parse(line, len, &m) ? areas_kind_named(&m) : MAPPING_UNKNOWN;
}

struct sizes_reading {
	struct memory_sizes *to;
	unsigned int kind;
};

static void sizes_each(void *ctx, char *line, size_t len)
{
	struct sizes_reading *r = ctx;

	memory_sizes_line(r->to, &r->kind, line, len);
}

bool memory_sizes_read_mappings(int dir, struct memory_sizes *ret)
{
	struct memory_sizes got = *ret;
	struct sizes_reading r = { .to = &got, .kind = MAPPING_UNKNOWN };

	memset(&got.bytes[SIZE_MAPPINGS], 0, sizeof(got.bytes) - sizeof(got.bytes[0]) * SIZE_MAPPINGS);
	if (proc_read_lines(dir, "smaps", sizes_each, &r) <= 0)
		return false;
	got.known |= ((1u << MAPPING_NR) - 1) << SIZE_MAPPINGS;
	*ret = got;
	return true;
}
