/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sizes.c - makes the maps of a capture as for a machine of CPUS CPUs and THREADS threads, and
 * prints what the kernel says of each:
 *
 *	sizes pids|all CPUS THREADS
 *
 * `MAP ENTRIES BYTES TOTAL CHARGED`, separated by tabs: bytes of an entry, key and value; what all
 * of it takes, computed; what the kernel says that it takes (before Linux 6.4 that is an estimate
 * of its own). Of the rings, which are made small here, the sizes are those that they would have at
 * RATE.
 */
#include "config.h"

#include "base/cleanup.h"
#include "capture/bpf_side.h"
#include "capture/mapmem.h"
#include "capture/mapsizes.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RATE 99u                         /* Hz: the defaults of options */
#define STACK_BYTES 32768u
#define RING_PAGES 3u                    /* beside its data: of the kernel, of the reader, of the writers */
#define PAGE 4096u

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Constants and variables of the programs are maps, too; their names begin as that of the object does. */
static const char *name_of(const struct bpf_map_info *m)
{
	const char *dot = strchr(m->name, '.');

	return dot ? dot : m->name;
}

/* Bytes of one entry. Those of constants and variables are whole pages: compilers differ in what they put there. */
static uint64_t entry_of(const struct bpf_map_info *m)
{
	const bool has_key = m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_LRU_HASH;

	return *name_of(m) == '.' ? round_up(m->value_size, PAGE) : m->value_size + (has_key ? m->key_size : 0);
}

static void print_map(int fd)
{
	struct bpf_map_info m = { 0 };
	uint32_t len = sizeof(m);

	if (bpf_obj_get_info_by_fd(fd, &m, &len) || m.type == BPF_MAP_TYPE_RINGBUF)
		return;
	printf("%s\t%u\t%llu\t%llu\t%llu\n", name_of(&m), m.max_entries, (unsigned long long)entry_of(&m),
	       (unsigned long long)mapmem_laid_out(&m), (unsigned long long)mapmem_charged(fd));
}

static int print_maps(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char path[sizeof("/proc/self/fd/") + sizeof(entry->d_name)], what[64];
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		size = readlink(path, what, sizeof(what) - 1);
		what[size > 0 ? size : 0] = '\0';
		if (!strcmp(what, "anon_inode:bpf-map"))
			print_map(atoi(entry->d_name));
	}
	if (d)
		closedir(d);
	return d ? 0 : -errno;
}

static void print_rings(const struct cpu_layout *l)
{
	const uint64_t bytes = cpu_ring_bytes(l->ring_cpus[0], l->nr_rings, RATE, STACK_BYTES, 0);
	const unsigned long long total = l->nr_rings * (bytes + (uint64_t)RING_PAGES * PAGE);

	printf("sb_ring\t%u\t%llu\t%llu\t%llu\n", l->nr_rings, (unsigned long long)bytes, total, total);
}

static int show(enum target_kind target, const struct cpu_layout *layout, uint32_t threads, struct err *e)
{
	const struct capture_plan plan = {
		.target = target, .freq_hz = RATE, .kernel = true, .walk_rules = true, .stack_bytes = STACK_BYTES,
			.off_cpu = true,
		.numa = NUMA_ON, .nr_threads = threads, .ring_bytes = (uint64_t)layout->nr_rings * RING_MIN,
	};
	AUTO(bpf_side_free) struct bpf_side *k = NULL;
	int r = bpf_side_open(&plan, layout, RATE, &k, e);

	if (r)
		return r;
	print_rings(layout);
	return print_maps();
}

/* All CPUs of one node, since rings are made in the memory of theirs. */
static int deal(uint32_t cpus, struct cpu_layout *ret, struct err *e)
{
	*ret = (struct cpu_layout){ .nr_cpus = cpus, .node = calloc(cpus, sizeof(*ret->node)) };
	return ret->node ? cpu_layout_deal(ret, e) : err_nomem(e, "a list of CPUs");
}

int main(int argc, char **argv)
{
	struct cpu_layout layout;
	struct err e = ERR_INIT;
	int r;

	if (argc != 4) {
		fprintf(stderr, "usage: sizes pids|all CPUS THREADS\n");
		return 2;
	}
	r = deal((uint32_t)atoi(argv[2]), &layout, &e);
	r = r ? r : show(strcmp(argv[1], "all") ? TARGET_PIDS : TARGET_ALL, &layout, (uint32_t)atoi(argv[3]), &e);
	if (r)
		fprintf(stderr, "sizes: %s\n", e.text);
	cpu_layout_free(&layout);
	return r ? 1 : 0;
}
