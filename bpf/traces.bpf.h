/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traces.bpf.h - places in the kernel that are probed: each hit of a task of the target, with its
 * stacks. A tracepoint is attached in one of two ways: with the record that its format describes
 * (sb_trace), or raw, with what the kernel passes to it. A function is probed where it begins
 * (sb_kfunc). Which probe it is of comes by the cookie of its link.
 *
 * The task is the one that is current: in an interrupt that is who was interrupted.
 */
#ifndef SBERF_BPF_TRACES_H
#define SBERF_BPF_TRACES_H

#include "event.bpf.h"

/* Links to raw tracepoints have cookies, since Linux 6.10 (68ca5d4eebb8). */
const volatile bool raw_cookies = false;
/* else all of them are of this probe: its cookie */
const volatile __u64 raw_cookie = 0;

static __always_inline int tell_trace(void *ctx, __u64 cookie, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct hit hit = { .probe = SB_COOKIE_PROBE(cookie), .value = 1 };

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	return tell_hit(ctx, &hit, NULL, walk);
}

/* 1, or the kernel takes the hit from everybody who counts it by perf. */
static __always_inline int on_trace(void *ctx, bool walk)
{
	tell_trace(ctx, bpf_get_attach_cookie(ctx), walk);
	return 1;
}

static __always_inline int on_raw_trace(void *ctx, bool walk)
{
	return tell_trace(ctx, raw_cookies ? bpf_get_attach_cookie(ctx) : raw_cookie, walk);
}

/* REGS: the kernel's own. It passes arguments as programs do. */
static __always_inline int on_kfunc(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct hit hit = { .probe = SB_COOKIE_PROBE(bpf_get_attach_cookie(regs)), .value = 1, .nr = SB_CALL_ARGS };

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	sb_regs_to_args(regs, hit.arg);
	return tell_hit(regs, &hit, NULL, walk);
}

PROBE_PROGRAMS("kprobe", sb_kfunc, on_kfunc)
PROBE_PROGRAMS("tracepoint", sb_trace, on_trace)
PROBE_PROGRAMS("raw_tp", sb_raw_trace, on_raw_trace)

#endif
