/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entered.bpf.h - the user registers of the current task at its entry to the kernel, by a system
 * call, an exception or a probe.
 */
#ifndef SBERF_BPF_ENTERED_H
#define SBERF_BPF_ENTERED_H

#include "plan.bpf.h"
#include "walk.bpf.h"

/*
 * A function that ends: the place of its probe, where its return address is, and which that was if it
 * has returned; 0 = it is there still.
 */
struct returned {
	__u64 pc, slot, to;
};

/* Lets the walk WHICH go by the slot of R. */
static __always_inline void walk_returned(__u32 which, const struct returned *r)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);

	if (!w)
		return;
	w->returned_slot = r->slot;
	w->returned_to = r->to;
}

/* The return address of R becomes what it was, in the segment at OFF of the record in PLACE. */
static __always_inline void mend_returned(__u32 place, __u32 off, const struct returned *r)
{
	struct sb_part_segment *seg = segment_at(place, off);
	__u64 behind = seg ? r->slot - seg->addr : 0, *word = NULL;

	if (seg && behind < seg->got && seg->got - behind >= 8)
		word = word_at(place, off + sizeof(*seg) + (__u32)behind);
	if (word)
		*word = r->to;
}

/*
 * The stack of TASK, which is current, behind its registers, which are those in front of OFF, a
 * constant: walked by rules when these are used (WALK) and do, else copied. PLACE is that of S.
 * RETURNED: of what returned to these registers; to 0 = nothing. Returns the offset behind it.
 */
static __always_inline __u32 put_stack_at(struct scratch *s, __u32 place, __u32 off, struct task_struct *task,
					  __u64 now, bool walk, const struct returned *returned)
{
	const __u64 *v = (void *)(s->rec + off - SB_NR_REGS * 8);
	struct copying c = { .room = STACK_ROOM };
	struct sb_hdr *h = (void *)s->rec;
	bool walked;
	__u32 end;

	if (no_callers)
		return off;
	if (walk) {
		const __u32 which = own_context(place, 0);

		if (returned->to)
			walk_returned(which, returned);
		off += put_walk(h, s->rec + off, SB_WALK_MAX, which, task, v, now, &walked, &c.stop);
		if (returned->to)
			walk_returned(which, &(struct returned){ 0 });
		if (walked)
			return put_taken(place, off, v);
	}
	c.sp = v[SB_DWARF_SP];
	end = put_stacks(place, off, h, task, &c);
	if (returned->to)
		mend_returned(place, off, returned);
	return put_taken(place, end, v);
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
	return put_stack_at(s, place, off + REGS_BYTES, task, now, walk, &(struct returned){ 0 });
}

/*
 * The same where a probe is in the task's own code, with the registers REGS there. Of a function that
 * has RETURNED they are those of its caller, or of its last instruction, and what the probe is about is
 * the function: so it stands at its entry.
 */
static __always_inline __u32 put_probed(struct scratch *s, __u32 place, __u32 off, struct sb_ctx_regs *regs,
					struct task_struct *task, __u64 now, bool walk,
					const struct returned *returned)
{
	struct sb_part_regs *r = (void *)(s->rec + off);
	struct sb_hdr *h = (void *)s->rec;
	__u64 *v = (void *)(r + 1);

	if (sb_regs_compat(regs))
		h->flags |= SB_F_COMPAT;
	sb_regs_to_dwarf(regs, v);
	if (returned->slot) {
		v[SB_DWARF_PC] = returned->pc;
		v[SB_DWARF_SP] = returned->slot;
	}
	if (!finish_regs(r, h, task, SB_REGS_FULL | SB_REGS_SYSCALL))
		return off;
	return put_stack_at(s, place, off + REGS_BYTES, task, now, walk, returned);
}

#endif
