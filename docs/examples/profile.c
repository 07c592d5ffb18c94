// SPDX-License-Identifier: BSD-2-Clause
/*
 * profile.c - a profiler: samples all CPUs at 99 Hz and prints each stack with its count, as flamegraph.pl wants it.
 *
 *	profile SECONDS [PID]
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sberf/symbolize.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profile.skel.h"

static int on_record(void *ctx, void *record, size_t length)
{
	sberf_take(ctx, record, length, NULL, NULL);
	return 0;
}

/* "main;f;g 12", root first. */
static void print_folded(struct sberf *s, uint64_t token, uint64_t count)
{
	struct sberf_frame frame[512];
	struct sberf_names *names;
	struct sberf_end end;
	int n = sberf_stack(s, token, frame, 512, &end);

	if (n < 0) {
		printf("[no stack] %llu\n", (unsigned long long)count);
		return;
	}
	if (sberf_symbolize(s, frame, (size_t)n, 0, &names))
		return;
	if (end.reason)
		printf("[cut: %s];", end.name);
	for (size_t i = names->n; i--;)
		for (uint32_t k = names->name[i].nr_functions; k--;)
			printf("%s%s", names->name[i].functions[k].name, i || k ? ";" : "");
	printf(" %llu\n", (unsigned long long)count);
	sberf_names_free(names);
}

static void sample(struct profile_bpf *skel)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK, .sample_freq = 99, .freq = 1 };

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd >= 0)
			bpf_program__attach_perf_event(skel->progs.on_sample, fd);
	}
}

int main(int argc, char **argv)
{
	struct profile_bpf *skel = profile_bpf__open();
	struct ring_buffer *ring;
	uint64_t token, next, count;
	struct sberf *s;
	time_t end;

	if (argc < 2 || !skel || sberf_open(&s, NULL))
		return fprintf(stderr, "usage: profile SECONDS [PID]\n"), 2;
	skel->rodata->only = argc > 2 ? atoi(argv[2]) : 0;
	if (profile_bpf__load(skel))
		return 1;
	ring = ring_buffer__new(bpf_map__fd(skel->maps.sberf_ring), on_record, s, NULL);
	if (!ring || sberf_bpf_use(s, &SBERF_BPF_MAPS(skel->maps)))
		return fprintf(stderr, "%s\n", sberf_error(s)), 1;
	sample(skel);
	for (end = time(NULL) + atoi(argv[1]); time(NULL) < end;)
		ring_buffer__poll(ring, 100);
	profile_bpf__detach(skel);
	ring_buffer__consume(ring);
	for (void *at = NULL; !bpf_map_get_next_key(bpf_map__fd(skel->maps.samples), at, &next); at = &token) {
		token = next;
		if (!bpf_map_lookup_elem(bpf_map__fd(skel->maps.samples), &token, &count))
			print_folded(s, token, count);
	}
	fprintf(stderr, "%llu stacks walked in the kernel, %llu copied\n", skel->bss->sberf_walked_stacks,
		skel->bss->sberf_copied_stacks);
	sberf_close(s);
	profile_bpf__destroy(skel);
	return 0;
}
