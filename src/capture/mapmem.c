/* SPDX-License-Identifier: BSD-2-Clause */
/* mapmem.c - see mapmem.h. */
#include "config.h"

#include "capture/mapmem.h"

#include "base/cleanup.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>

/*
 * kernel/bpf/hashtab.c: struct htab_elem in front of a key, struct bucket; all items of a
 * preallocated hash are there from the start.
 */
#define HASH_ITEM_HEAD 48u
#define HASH_BUCKET 16u
#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

static uint64_t mapmem_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

uint64_t mapmem_laid_out(const struct bpf_map_info *m)
{
	const uint64_t n = m->max_entries;

	switch (m->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
		return m->map_flags & BPF_F_NO_PREALLOC
			       ? 0
			       : n * (HASH_ITEM_HEAD + mapmem_round_up(m->key_size,
								       8) + mapmem_round_up(m->value_size, 8)) +
					 power_of_two(n) * HASH_BUCKET;
	case BPF_MAP_TYPE_STACK:
		return (n + 1) * m->value_size;
	case BPF_MAP_TYPE_TASK_STORAGE:
		return 0;
	default:
		return mapmem_round_up(n * mapmem_round_up(m->value_size, 8), m->map_flags & BPF_F_MMAPABLE ? PAGE : 8);
	}
}

uint64_t mapmem_charged(int fd)
{
	char path[sizeof("/proc/self/fdinfo/") + 3 * sizeof(fd)], line[256];
	uint64_t bytes = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	AUTO_FILE FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	return bytes;
}

uint64_t mapmem(int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	uint64_t least, bytes;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	least = mapmem_laid_out(&info);
	bytes = mapmem_charged(fd);
	return bytes > least ? bytes : least;
}
