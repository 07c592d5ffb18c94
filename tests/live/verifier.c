/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verifier.c - loads the BPF programs as captures of several kinds do, and prints how many
 * instructions the kernel's verifier has looked at for each: `KIND PROGRAM INSTRUCTIONS`, separated
 * by tabs. It gives up at a million.
 *
 *	verifier [KIND...]
 *	verifier -KIND...
 *
 * Without arguments all kinds; with -KIND all but these; a kind that this machine cannot have is
 * left out with a line on stderr.
 */
#include "config.h"

#include "base/cleanup.h"
#include "bpf/wire.h"
#include "capture/bpf_side.h"
#include "capture/bpfcalls.h"
#include "capture/branchrecords.h"
#include "capture/features.h"
#include "capture/link.h"
#include "model/allocation.h"
#include "model/event.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FREQ_HZ 99u
#define KPROBES "/sys/bus/event_source/devices/kprobe/type"

struct kind {
	const char *name;
	enum target_kind target;
	const char *process;     /* the target is the processes of this name; NULL = as TARGET says */
	bool walk, frame_pointers, lbr;
	uint32_t verify_every;
	bool older;              /* without all that sberf can do without, but the walks themselves */
	bool trace;              /* of `sberf trace`: system calls with what they point to, and nothing else */
	bool allocs, told;       /* of --memory=allocs, and =preload: who allocates and frees, and nothing else */
	bool calls, records;     /* of `sberf branches`: calls followed by breakpoints, or with branch records */
};

static const struct kind kinds[] = {
	{ .name = "copy", .target = TARGET_PIDS },
	{ .name = "fp", .target = TARGET_ALL, .frame_pointers = true },
	{ .name = "lbr", .target = TARGET_PIDS, .lbr = true },
	{ .name = "walk", .target = TARGET_PIDS, .walk = true },
	{ .name = "verify", .target = TARGET_ALL, .walk = true, .verify_every = 100 },
	{ .name = "name", .target = TARGET_PIDS, .process = "sberf-nobody", .walk = true },
	{ .name = "tids", .target = TARGET_TIDS, .walk = true },
	{ .name = "cgroup", .target = TARGET_CGROUP, .walk = true },
	{ .name = "older", .target = TARGET_PIDS, .walk = true, .older = true },
	{ .name = "trace", .target = TARGET_PIDS, .walk = true, .trace = true },
	{ .name = "allocs", .target = TARGET_PIDS, .walk = true, .allocs = true },
	{ .name = "preload", .target = TARGET_PIDS, .walk = true, .allocs = true, .told = true },
	{ .name = "calls", .calls = true },
	{ .name = "records", .calls = true, .records = true },
};

/* Every program that this process holds a descriptor of. */
static int print_programs(const char *kind)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d))) {
		char path[sizeof("/proc/self/fd/") + sizeof(entry->d_name)], what[64];
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		size = readlink(path, what, sizeof(what) - 1);
		what[size > 0 ? size : 0] = '\0';
		if (strcmp(what, "anon_inode:bpf-prog") || bpf_obj_get_info_by_fd(atoi(entry->d_name), &info, &len))
			continue;
		printf("%s\t%s\t%u\n", kind, info.name, info.verified_insns);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

/*
 * Two nodes, wherever there are two CPUs, so that the programs about nodes are among them. The
 * rings stay where memory is.
 */
static void pretend_nodes(struct cpu_layout *l)
{
	for (uint32_t i = 0; i < l->nr_cpus; i++)
		l->node[i] = i % 2;
}

/* By SBERF_WITHOUT. */
static void force_older(void)
{
	char list[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < nr_feature_infos && n < sizeof(list); i++) {
		const struct feature_info *info = &feature_infos[i];

		if (info->use == FEATURE_SPARED && strcmp(info->name, "walks"))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? "," : "", info->name);
	}
	setenv("SBERF_WITHOUT", list, 1);
}

/* What follows calls, of a function of the kernel: it takes one with kprobes. */
static int show_calls(const struct kind *kind)
{
	const struct sb_filter filter = { .when = { { .op = SB_OP_NUMBER, .value = 1 } } };
	/* A structure that is shown, and a number that the condition asks for. */
	static const struct sb_loads loads = { .load = {
		{ .size = 1, .hops = 1, .from = SB_LOAD_ARG, .scale = SB_PRINT_MAX },
		[SB_PRINTS] = { .size = 4, .hops = 1, .from = SB_LOAD_ARG },
	} };
	const struct bpfcalls_function f = { .name = "vfs_read", .nr_args = 4, .when = &filter, .loads = &loads };
	AUTO(bpfcalls_free) struct bpfcalls *calls = NULL;
	struct err e = ERR_INIT;

	if (access(KPROBES, F_OK)) {
		fprintf(stderr, "verifier: %s: this kernel lets no function be followed\n", kind->name);
		return 0;
	}
	if (bpfcalls_load(&f, 1, kind->records, &calls, &e)) {
		fprintf(stderr, "verifier: %s: %s\n", kind->name, e.text);
		return -1;
	}
	return print_programs(kind->name) ? 0 : -ENOENT;
}

static int show(const struct kind *kind)
{
	const uint64_t offset = 0;
	const struct link_places place = { .kind = LINK_ENTRY, .path = "/proc/self/exe", .pid = getpid(), .n = 1,
					   .offset = &offset };
	const struct capture_call call = { 0 };
	const struct capture_trace traces[] = {
		{ .name = "sched:sched_switch", .id = 1 }, { .name = "sched_switch", .how = CAPTURE_TRACE_RAW },
		{ .name = "vfs_read", .how = CAPTURE_TRACE_FUNCTION },
		{ .name = "vfs_read", .how = CAPTURE_TRACE_RETURN }, { .name = "fault", .how = CAPTURE_TRACE_FAULT },
		{ .name = "signal", .how = CAPTURE_TRACE_SIGNAL },
		{ .name = "vfs_read", .how = CAPTURE_TRACE_FOLLOWED },
		{ .name = "vfs_read", .how = CAPTURE_TRACE_FOLLOWED_RETURN },
		{ .name = "vfs_read", .how = CAPTURE_TRACE_CALLED },
	};
	struct capture_plan plan = {
		.target = kind->target, .cgroup = "/", .freq_hz = FREQ_HZ, .kernel = true,
			.frame_pointers = kind->frame_pointers, .call_records = kind->lbr ? BRANCHRECORDS_DEPTH : 0,
		.walk_rules = kind->walk, .verify_every = kind->verify_every, .stack_bytes = 16384,
		.off_cpu = true, .wakers = true,
		.numa = NUMA_ON, .name = kind->process, .kinds = 1u << EVENT_FORK, .places = &place, .nr_places = 1,
		.calls = &call, .nr_calls = 1, .functions_to_come = true, .spans = true,
		.traces = traces,
		.nr_traces = sizeof(traces) / sizeof(*traces),
		.growth_interval = 65536,
	};
	static const struct sb_call_wish wishes[SB_CALLS_MAX];
	struct cpu_layout layout = { 0 };
	struct bpf_side *k = NULL;
	struct err e = ERR_INIT;
	int r = cpu_layout_read(SYSTEM_DIR, &layout, &e);

	if (kind->older)
		force_older();
	if (kind->trace)
		plan.call_wishes = wishes;
	if (kind->allocs) {
		plan.alloc_interval = ALLOC_INTERVAL_DEFAULT;
		plan.alloc_frees = true;
		plan.allocs_told = kind->told;
		plan.spans = false;
		plan.nr_traces = plan.nr_calls = 0;
		plan.functions_to_come = false;
	}
	if (kind->trace || kind->allocs) {
		plan.off_cpu = plan.wakers = false;
		plan.numa = NUMA_OFF;
		plan.kinds = plan.nr_places = plan.growth_interval = 0;
	}
	if (!r) {
		pretend_nodes(&layout);
		r = bpf_side_open(&plan, &layout, FREQ_HZ, &k, &e);
	}
	unsetenv("SBERF_WITHOUT");
	if (r)
		fprintf(stderr, "verifier: %s: %s\n", kind->name, e.text);
	else if (!print_programs(kind->name))
		r = -ENOENT;
	bpf_side_free(k);
	cpu_layout_free(&layout);
	return r;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool asked = argc == 1 || argv[1][0] == '-';

		for (int k = 1; k < argc; k++)
			asked ^= !strcmp(argv[k] + (argv[k][0] == '-'), kinds[i].name);
		if (asked && (kinds[i].calls ? show_calls(&kinds[i]) : show(&kinds[i])))
			failed = 1;
	}
	return failed;
}
