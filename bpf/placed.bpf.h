/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placed.bpf.h - probes that somebody placed in the code of programs: each hit, with the arguments
 * of the call as the psABI passes them. What probe it is, and which argument is a string, comes by
 * the cookie of its link (wire.h).
 */
#ifndef SBERF_BPF_PLACED_H
#define SBERF_BPF_PLACED_H

#include "event.bpf.h"

static __always_inline int on_placed(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 now = spanned ? bpf_ktime_get_ns() : 0;
	const __u64 cookie = bpf_get_attach_cookie(regs);
	__u32 branch = (__u32)(cookie / SB_COOKIE_BRANCH) & 1;
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .span = SB_COOKIE_SPAN(cookie),
		.loads = SB_COOKIE_LOADS(cookie), .value = 1, .placed = true, .noted = true, .now_ns = now,
		.site = SB_COOKIE_BEGIN(cookie)
	};

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	sb_regs_to_args(regs, hit.arg);
	/* A jump for what is the case at basic blocks alone would make the verifier look at all that follows twice. */
	barrier_var(branch);
	hit.text = SB_COOKIE_TEXT(cookie) & (branch - 1);
	hit.nr = SB_CALL_ARGS + branch * (SB_BRANCH_ARGS - SB_CALL_ARGS);
	hit.part = branch & !(cookie & SB_COOKIE_ROOT);
	hit.arg[SB_BRANCH_RESULT] = sb_regs_result(regs);
	hit.arg[SB_BRANCH_SP] = regs->sp;
	hit.arg[SB_BRANCH_PC] = regs->ip;
	hit.arg[SB_BRANCH_NUMBER] = SB_COOKIE_TEXT(cookie);
	hit.arg[SB_BRANCH_RETURNED] = cookie / SB_COOKIE_RETURNED & 1;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		if (hit.text == i + 1)
			hit.text_addr = hit.arg[i];
	return tell_hit(regs, &hit, regs, walk);
}

/*
 * The kind of link, and with it the type to be loaded as, is user space's to choose
 * (capture/link.h).
 */
PROBE_PROGRAMS("kprobe", sb_placed, on_placed)

#endif
