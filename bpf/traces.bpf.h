/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traces.bpf.h - places in the kernel that are probed: each hit of a task of the target, with its
 * stacks. A tracepoint is attached in one of two ways: with the record that its format describes
 * (sb_trace), or raw, with what the kernel passes to it. A function is probed where it begins
 * (sb_kfunc), or returns (sb_kret). Which probe it is of comes by the cookie of its link.
 *
 * Page faults are told by the kernel's own counters of them, each when it has been handled (sb_paged):
 * by the user's registers, those where user code touched the memory, or asked the kernel to. Of a
 * signal (sb_signal) the task is the one that sends it.
 *
 * The task is the one that is current: in an interrupt that is who was interrupted.
 */
#ifndef SBERF_BPF_TRACES_H
#define SBERF_BPF_TRACES_H

#include "event.bpf.h"

/* Links to raw tracepoints have cookies, since Linux 6.10 (68ca5d4eebb8). */
const volatile bool raw_cookies = false;
/* else all of them are of this probe: its cookie. User space sets it, as the next, before one is attached. */
__u64 raw_cookie = 0;
/* of the one probe of signals */
__u64 signal_cookie = 0;

static __always_inline int tell_trace(void *ctx, __u64 cookie, bool raw, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .span = SB_COOKIE_SPAN(cookie), .loads = SB_COOKIE_LOADS(cookie),
		.value = 1, .words = raw, .record = !raw, .nr = raw ? SB_CALL_ARGS : 0,
	};

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	return tell_hit(ctx, &hit, NULL, walk);
}

/* 1, or the kernel takes the hit from everybody who counts it by perf. */
static __always_inline int on_trace(void *ctx, bool walk)
{
	tell_trace(ctx, bpf_get_attach_cookie(ctx), false, walk);
	return 1;
}

static __always_inline int on_raw_trace(void *ctx, bool walk)
{
	return tell_trace(ctx, raw_cookies ? bpf_get_attach_cookie(ctx) : raw_cookie, true, walk);
}

/* REGS: the kernel's own. It passes arguments as programs do. */
static __always_inline int on_kfunc(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 cookie = bpf_get_attach_cookie(regs);
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .span = SB_COOKIE_SPAN(cookie), .loads = SB_COOKIE_LOADS(cookie),
		.value = 1, .nr = SB_CALL_ARGS,
	};

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	sb_regs_to_args(regs, hit.arg);
	return tell_hit(regs, &hit, NULL, walk);
}

/* REGS: the kernel's own, of the caller, to which the function has just returned. */
static __always_inline int on_kret(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 cookie = bpf_get_attach_cookie(regs);
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .span = SB_COOKIE_SPAN(cookie), .loads = SB_COOKIE_LOADS(cookie),
		.value = 1, .nr = SB_CALL_ARGS + 1,
	};

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	hit.arg[SB_CALL_ARGS] = sb_regs_result(regs);
	return tell_hit(regs, &hit, NULL, walk);
}

static __always_inline int on_paged(struct sb_perf_ctx *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 cookie = bpf_get_attach_cookie(ctx);
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .span = SB_COOKIE_SPAN(cookie), .value = 1, .nr = 1, .user = true,
		.mapped = true,
	};

	if (!task->pid || !wanted(task, task->tgid, task->pid))
		return 0;
	hit.arg[SB_FAULT_ADDRESS] = ctx->addr;
	return tell_hit(ctx, &hit, NULL, walk);
}

#define SENT_BY_KERNEL 1         /* in place of what is known of a signal: SEND_SIG_PRIV */
#define SI_KERNEL 0x80           /* include/uapi/asm-generic/siginfo.h */

/*
 * Why a signal is sent, of what is known of it at INFO; as some kernels let tracepoints pass what is no
 * pointer, that is for the verifier a number to some of them.
 */
static __always_inline __s64 signal_code(struct kernel_siginfo *info)
{
	if ((__u64)info <= SENT_BY_KERNEL)
		return (__u64)info == SENT_BY_KERNEL ? SI_KERNEL : 0;
#ifdef SBERF_PLAIN_READS
	info = bpf_rdonly_cast(info, bpf_core_type_id_kernel(struct kernel_siginfo));
	return info->si_code;
#else
	return BPF_CORE_READ(info, si_code);
#endif
}

/* CTX: number, what is known of it, who gets it, whether that is the process, and what became of it. */
static __always_inline int on_signal(__u64 *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf(), *to = (void *)ctx[2];
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(signal_cookie), .span = SB_COOKIE_SPAN(signal_cookie), .value = 1,
		.nr = SB_SIGNAL_ARGS, .user = true, .to = to, .stranger = !wanted(task, task->tgid, task->pid),
	};

	if (hit.stranger && !wanted_other(to))
		return 0;
	hit.arg[SB_SIGNAL_SIG] = (__u32)ctx[0];
	hit.arg[SB_SIGNAL_PID] = to->tgid;
	hit.arg[SB_SIGNAL_TID] = to->pid;
	hit.arg[SB_SIGNAL_GROUP] = (__u32)ctx[3];
	hit.arg[SB_SIGNAL_RESULT] = (__u32)ctx[4];
	hit.arg[SB_SIGNAL_CODE] = signal_code((void *)ctx[1]);
	return tell_hit(ctx, &hit, NULL, walk);
}

PROBE_PROGRAMS("kprobe", sb_kfunc, on_kfunc)
PROBE_PROGRAMS("kprobe", sb_kret, on_kret)
PROBE_PROGRAMS("perf_event", sb_paged, on_paged)
PROBE_PROGRAMS("tp_btf/signal_generate", sb_signal, on_signal)
PROBE_PROGRAMS("tracepoint", sb_trace, on_trace)
PROBE_PROGRAMS("raw_tp", sb_raw_trace, on_raw_trace)

#endif
