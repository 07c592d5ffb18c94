// SPDX-License-Identifier: BSD-2-Clause
/*
 * leak.c - who allocates what is not freed: bytes and blocks by stack, the largest first.
 *
 *	leak PID SECONDS LIBC
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "leak.skel.h"

#define SITES 4096

struct block {
	unsigned long long size;
	int stack;
};

static struct site {
	long long stack;
	unsigned long long bytes, blocks;
} site[SITES];
static int sites;

static void add(const struct block *b)
{
	int i = 0;

	while (i < sites && site[i].stack != b->stack)
		i++;
	if (i == SITES)
		return;
	sites += i == sites;
	site[i].stack = b->stack;
	site[i].bytes += b->size;
	site[i].blocks++;
}

static int by_bytes(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static void print_stack(int stacks, long long id)
{
	unsigned long long pc[127] = { 0 };

	if (bpf_map_lookup_elem(stacks, &(int){ (int)id }, pc))
		printf("\t[no stack]\n");
	for (int i = 0; i < 127 && pc[i]; i++)
		printf("\t%#llx\n", pc[i]);
}

static struct bpf_link *attach(struct bpf_program *p, int pid, const char *file, const char *function, bool at_return)
{
	LIBBPF_OPTS(bpf_uprobe_opts, o, .func_name = function, .retprobe = at_return);

	return bpf_program__attach_uprobe_opts(p, pid, file, 0, &o);
}

int main(int argc, char **argv)
{
	unsigned long long address = 0;
	struct leak_bpf *skel;
	struct block block;

	if (argc < 4)
		return fprintf(stderr, "usage: leak PID SECONDS LIBC\n"), 2;
	skel = leak_bpf__open_and_load();
	if (!skel)
		return 1;
	if (!attach(skel->progs.on_malloc, atoi(argv[1]), argv[3], "malloc", false) ||
	    !attach(skel->progs.on_return, atoi(argv[1]), argv[3], "malloc", true) ||
	    !attach(skel->progs.on_free, atoi(argv[1]), argv[3], "free", false))
		return 1;
	for (time_t end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		sleep(1);
	while (!bpf_map_get_next_key(bpf_map__fd(skel->maps.blocks), address ? &address : NULL, &address))
		if (!bpf_map_lookup_elem(bpf_map__fd(skel->maps.blocks), &address, &block))
			add(&block);
	qsort(site, sites, sizeof(*site), by_bytes);
	for (int i = 0; i < sites && i < 10; i++) {
		printf("%llu bytes in %llu blocks\n", site[i].bytes, site[i].blocks);
		print_stack(bpf_map__fd(skel->maps.stacks), site[i].stack);
	}
	leak_bpf__destroy(skel);
	return 0;
}
