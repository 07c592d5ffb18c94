/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls.bpf.h - system calls that are probed: each one of the target from its entry to its return,
 * with its arguments, its result and the time between.
 *
 * Both tracepoints are passed by every system call of the machine while they are on; those that no
 * probe asks for cost a look at one byte.
 */
#ifndef SBERF_BPF_CALLS_H
#define SBERF_BPF_CALLS_H

#include "event.bpf.h"

/* By number: which probe it is of, as SB_PROBE_PLACED + N + 1; 0 = none. User space sets it, at any time. */
__u8 call_probes[SB_CALLS_MAX] = { 0 };

/* A call under way. */
struct call {
	__u64 begun_ns;
	__u64 arg[SB_CALL_ARGS];
	__u32 probe;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

SEC("tp_btf/sys_enter")
int BPF_PROG(sb_call_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct call *call;
	struct sb_cpu *c;
	__u8 probe;

	if ((__u64)id >= SB_CALLS_MAX)
		return 0;
	probe = call_probes[id];
	/* Numbers of the 32-bit ABI are others. */
	if (!probe || sb_regs_compat(regs) || !wanted(task, task->tgid, task->pid))
		return 0;
	call = bpf_task_storage_get(&calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!call) {
		c = this_cpu();
		if (c)
			__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
		return 0;
	}
	sb_regs_to_call_args(regs, call->arg);
	call->probe = SB_PROBE_PLACED + probe - 1u;
	call->begun_ns = bpf_ktime_get_ns();
	return 0;
}

/* CTX: the registers, and what the call returned. */
static __always_inline int on_call_exit(__u64 *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct call *call = bpf_task_storage_get(&calls, task, NULL, 0);
	struct hit hit = { .nr = SB_CALL_ARGS + 1, .call = true };

	if (!call || !call->begun_ns)
		return 0;
	hit.probe = call->probe;
	hit.begun_ns = call->begun_ns;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		hit.arg[i] = call->arg[i];
	hit.arg[SB_CALL_ARGS] = ctx[1];
	call->begun_ns = 0;
	return tell_hit(ctx, &hit, NULL, walk);
}

PROBE_PROGRAMS("tp_btf/sys_exit", sb_call_exit, on_call_exit)

#endif
