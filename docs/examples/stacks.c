// SPDX-License-Identifier: BSD-2-Clause
/*
 * stacks.c - prints the whole stack of each call of a function, each write(2) and the end of a process.
 *
 *	stacks PID FILE FUNCTION
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <sberf/symbolize.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "stacks.skel.h"

static int print_stack(struct sberf *s, uint64_t token)
{
	struct sberf_frame frame[128];
	struct sberf_names *names;
	struct sberf_end end;
	int n = sberf_stack(s, token, frame, 128, &end);

	if (n < 0 || sberf_symbolize(s, frame, (size_t)n, 0, &names))
		return fprintf(stderr, "%s\n", sberf_error(s));
	for (size_t i = 0; i < names->n; i++)
		for (uint32_t k = 0; k < names->name[i].nr_functions; k++)
			printf("    %s\n", names->name[i].functions[k].name);
	printf("    [%s]\n", end.name);
	sberf_names_free(names);
	return 0;
}

static int on_record(void *ctx, void *record, size_t length)
{
	static const char *const what[] = { "?", "function", "write", "exit" };
	struct sberf *s = ctx;
	uint64_t token, cookie;

	if (sberf_take(s, record, length, &token, &cookie) < 0)
		return fprintf(stderr, "%s\n", sberf_error(s)), 0;
	printf("%s\n", what[cookie & 3]);
	print_stack(s, token);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_uprobe_opts, function, .func_name = argc > 3 ? argv[3] : NULL);
	struct stacks_bpf *skel = stacks_bpf__open();
	struct ring_buffer *ring;
	struct sberf *s;

	if (argc != 4 || !skel || sberf_open(&s, NULL))
		return fprintf(stderr, "usage: stacks PID FILE FUNCTION\n"), 2;
	skel->rodata->only = atoi(argv[1]);
	if (stacks_bpf__load(skel) || stacks_bpf__attach(skel))
		return 1;
	skel->links.of_function = bpf_program__attach_uprobe_opts(skel->progs.of_function, atoi(argv[1]), argv[2], 0,
								  &function);
	ring = ring_buffer__new(bpf_map__fd(skel->maps.sberf_ring), on_record, s, NULL);
	if (!skel->links.of_function || !ring)
		return 1;
	while (!kill(skel->rodata->only, 0))
		ring_buffer__poll(ring, 100);
	ring_buffer__consume(ring);
	sberf_close(s);
	stacks_bpf__destroy(skel);
	return 0;
}
