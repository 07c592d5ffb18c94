/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entered.bpf.h - the user registers of the current task at its entry to the kernel, by a system
 * call, an exception or a probe.
 */
#ifndef SBERF_BPF_ENTERED_H
#define SBERF_BPF_ENTERED_H

#include "walk.bpf.h"

/*
 * The stack of TASK, which is current, behind its registers, which are those in front of OFF, a
 * constant: walked by rules when these are used (WALK) and do, else copied. PLACE is that of S.
 * Returns the offset behind it.
 */
static __always_inline __u32 put_stack_at(struct scratch *s, __u32 place, __u32 off, struct task_struct *task,
					  __u64 now, bool walk)
{
	const __u64 *v = (void *)(s->rec + off - SB_NR_REGS * 8);
	struct copying c = { .room = STACK_ROOM };
	struct sb_hdr *h = (void *)s->rec;
	bool walked;

	if (no_callers)
		return off;
	if (walk) {
		off += put_walk(h, s->rec + off, SB_WALK_MAX, own_context(place, 0), task, v, now,
				&walked, &c.stop);
		if (walked)
			return off;
	}
	c.sp = v[SB_DWARF_SP];
	return put_stacks(place, off, h, task, &c);
}

/*
 * Registers and stack of TASK, which is current, at OFF, a constant. Returns the offset behind
 * them.
 */
static __always_inline __u32 put_entered(struct scratch *s, __u32 place, __u32 off, struct task_struct *task,
					 __u64 now, bool walk)
{
	if (!put_entry_regs((void *)(s->rec + off), (void *)s->rec, task))
		return off;
	return put_stack_at(s, place, off + REGS_BYTES, task, now, walk);
}

/* The same where a probe is in the task's own code, with the registers REGS there. */
static __always_inline __u32 put_probed(struct scratch *s, __u32 place, __u32 off, struct sb_ctx_regs *regs,
					struct task_struct *task, __u64 now, bool walk)
{
	struct sb_part_regs *r = (void *)(s->rec + off);
	struct sb_hdr *h = (void *)s->rec;

	if (sb_regs_compat(regs))
		h->flags |= SB_F_COMPAT;
	sb_regs_to_dwarf(regs, (__u64 *)(r + 1));
	if (!finish_regs(r, h, SB_REGS_FULL | SB_REGS_SYSCALL))
		return off;
	return put_stack_at(s, place, off + REGS_BYTES, task, now, walk);
}

#endif
