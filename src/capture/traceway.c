/* SPDX-License-Identifier: BSD-2-Clause */
/* traceway.c - see traceway.h. */
#include "config.h"

#include "capture/traceway.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "capture/link.h"
#include "capture/tracelink.h"
#include "system/sysfile.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEWAY_GOES 10u        /* the best one counts: others run beside it */

/* A signal that is ignored as long as nobody asks for it, and costs nothing but the way to where it is ignored. */
static void pass_signal(void)
{
	for (uint32_t i = 0; i < TRACEWAY_ROUNDS; i++)
		(void)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGURG);
}

static void pass_faults(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *m = mmap(NULL, TRACEWAY_ROUNDS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);

	if (m == MAP_FAILED)
		return;
	/* Else one fault could bring in many pages. */
	(void)madvise((void *)m, TRACEWAY_ROUNDS * page, MADV_NOHUGEPAGE);
	for (uint32_t i = 0; i < TRACEWAY_ROUNDS; i++)
		m[i * page] = 1;
	munmap((void *)m, TRACEWAY_ROUNDS * page);
}

uint64_t traceway_time(void (*pass)(void))
{
	uint64_t best = UINT64_MAX;

	for (unsigned int go = 0; go < TRACEWAY_GOES; go++) {
		const uint64_t since = clock_mono_ns();
		uint64_t took;

		pass();
		took = clock_mono_ns() - since;
		best = took < best ? took : best;
	}
	return best / TRACEWAY_ROUNDS;
}

/* A program for places of the kind HOW that does nothing, or a negative errno. Events that are counted go on. */
static int traceway_program(enum capture_trace_how how)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static const enum bpf_prog_type types[CAPTURE_TRACE_HOWS] = {
		[CAPTURE_TRACE_FORMATTED] = BPF_PROG_TYPE_TRACEPOINT,
		[CAPTURE_TRACE_RAW] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[CAPTURE_TRACE_FUNCTION] = BPF_PROG_TYPE_KPROBE, [CAPTURE_TRACE_RETURN] = BPF_PROG_TYPE_KPROBE,
		[CAPTURE_TRACE_FAULT] = BPF_PROG_TYPE_PERF_EVENT,
		[CAPTURE_TRACE_SIGNAL] = BPF_PROG_TYPE_RAW_TRACEPOINT,
		[CAPTURE_TRACE_FOLLOWED] = BPF_PROG_TYPE_KPROBE, [CAPTURE_TRACE_FOLLOWED_RETURN] = BPF_PROG_TYPE_KPROBE,
		[CAPTURE_TRACE_CALLED] = BPF_PROG_TYPE_KPROBE, [CAPTURE_TRACE_CALLED_RETURN] = BPF_PROG_TYPE_KPROBE,
		[CAPTURE_TRACE_POINTER] = BPF_PROG_TYPE_KPROBE,
	};

	LIBBPF_OPTS(bpf_prog_load_opts, opts);

	if ((how == CAPTURE_TRACE_CALLED || how == CAPTURE_TRACE_CALLED_RETURN) && trace_many())
		opts.expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	return bpf_prog_load(types[how], "sb_way", "Dual BSD/GPL", nothing, sizeof(nothing) / sizeof(nothing[0]),
			     &opts);
}

/* Where this thread passes a place of the kind HOW, into T; false when it is not known how. */
static bool traceway_place(enum capture_trace_how how, struct capture_trace *t)
{
	static const char *const ids[] = {
		"/sys/kernel/tracing/events/signal/signal_generate/id",
		"/sys/kernel/debug/tracing/events/signal/signal_generate/id",
	};
	const bool function = how == CAPTURE_TRACE_FUNCTION || how == CAPTURE_TRACE_RETURN ||
		how == CAPTURE_TRACE_FOLLOWED || how == CAPTURE_TRACE_FOLLOWED_RETURN ||
		how == CAPTURE_TRACE_CALLED || how == CAPTURE_TRACE_CALLED_RETURN || how == CAPTURE_TRACE_POINTER;

	*t = (struct capture_trace){ .how = how == CAPTURE_TRACE_SIGNAL ? CAPTURE_TRACE_RAW : how };
	snprintf(t->name, sizeof(t->name), "%s", function ? "do_send_sig_info" : "signal_generate");
	return how != CAPTURE_TRACE_FORMATTED || sysfile_u64(ids[0], &t->id) || sysfile_u64(ids[1], &t->id);
}

uint32_t traceway_measure(enum capture_trace_how how)
{
	void (*const pass)(void) = how == CAPTURE_TRACE_FAULT ? pass_faults : pass_signal;
	struct capture_trace place;
	AUTO_FD int prog = traceway_place(how, &place) ? traceway_program(how) : -1;
	int progs[CAPTURE_TRACE_HOWS];
	struct links *links = NULL;
	struct err e = ERR_INIT;
	uint64_t without, with;

	if (prog < 0)
		return 0;
	for (unsigned int i = 0; i < CAPTURE_TRACE_HOWS; i++)
		progs[i] = prog;
	without = traceway_time(pass);
	if (trace_attach(progs, &place, 1, &links, &e) < 0)
		return 0;
	with = traceway_time(pass);
	links_drop(links);
	return with > without ? (uint32_t)(with - without) : 0;
}
