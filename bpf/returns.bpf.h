/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * returns.bpf.h - the true return addresses of a task in which return probes are pending, whoever
 * placed them.
 *
 * While a function that has a return probe is active, its return address on the stack is replaced by
 * that of a trampoline, at the begin of a page that the kernel maps for this ([uprobes]). The kernel
 * keeps the true ones in a list, with the slots that they belong to. So a walk that comes by the
 * trampoline asks that list; copies of the stack get the true addresses put back; and where the task
 * itself is in the trampoline, the function has returned, so the registers become those of its
 * caller. What leaves the kernel half is what would be there without return probes.
 *
 * The list is read of the current task, as nobody else changes it; and of one that sleeps
 * (tasks.bpf.h), which is looked at once more afterwards.
 */
#ifndef SBERF_BPF_RETURNS_H
#define SBERF_BPF_RETURNS_H

#include "maps.bpf.h"

#define RETURNS_MAX 64u          /* pending in one task: MAX_URETPROBE_DEPTH of kernel/events/uprobes.c */
#define NO_TRAMPOLINE (~0ull)

/* The innermost function of TASK whose return is watched. NULL = there is none. */
static __always_inline struct return_instance *pending_return(struct task_struct *task)
{
	struct uprobe_task *watched = true_returns ? plain(task)->utask : NULL;

	return watched ? watched->return_instances : NULL;
}

/* The trampoline of TASK; NO_TRAMPOLINE when nothing of its memory was ever probed. */
static __always_inline __u64 trampoline_of(struct task_struct *task)
{
	struct mm_struct *mm = true_returns && plain(task)->utask ? plain(task)->mm : NULL;
	struct xol_area *area = mm ? mm->uprobes_state.xol_area : NULL;

	return area ? area->vaddr : NO_TRAMPOLINE;
}

/* The same while returns are pending. */
static __always_inline __u64 pending_trampoline(struct task_struct *task)
{
	return pending_return(task) ? trampoline_of(task) : NO_TRAMPOLINE;
}

/*
 * The functions from here on are global: the verifier looks at each of them once and alone
 * (record.bpf.h).
 */

/*
 * The return address of the current task that belongs to SLOT, where the trampoline's is. 0 = it is
 * not known. Functions that were left by longjmp() may be in the list still, but those that were
 * called later stand in front of them.
 */
__noinline __u64 sb_true_return(__u64 slot)
{
	struct return_instance *at = pending_return((void *)bpf_get_current_task_btf());

	for (__u32 i = 0; i < RETURNS_MAX && at; i++) {
		if (at->stack == slot)
			return at->orig_ret_vaddr;
		at = at->next;
	}
	return 0;
}

/*
 * The slot of the function that has returned to the trampoline, where the stack pointer is SP by
 * now: behind the slot, or up to SB_TRAMPOLINE_PUSHES below that. 0 = there is none.
 */
__noinline __u64 sb_returned_from(__u64 sp)
{
	struct return_instance *at = pending_return((void *)bpf_get_current_task_btf());

	for (__u32 i = 0; i < RETURNS_MAX && at; i++) {
		__u64 slot = at->stack;

		if (slot + 8 - sp <= SB_TRAMPOLINE_PUSHES)
			return slot;
		at = at->next;
	}
	return 0;
}

/* The word at offset AT of the record in PLACE. NULL: there is none. Barriers: as in segment_at(). */
static __always_inline __u64 *word_at(__u32 place, __u32 at)
{
	__u32 index = place & ~PLACE_SLOT;

	if (place & PLACE_SLOT) {
		struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);

		barrier_var(at);
		if (!slot || at > slot_bytes - SLOT_HEAD_BYTES - sizeof(__u64))
			return NULL;
		barrier_var(at);
		return (void *)(slot->rec + at);
	}
	struct scratch *s = bpf_map_lookup_elem(&scratches, &index);

	barrier_var(at);
	if (!s || at > RECORD_MAX - sizeof(__u64))
		return NULL;
	barrier_var(at);
	return (void *)(s->rec + at);
}

/*
 * Puts true return addresses into the GOT bytes at ADDR of the current task's stack, which were
 * copied to OFF of the record in PLACE.
 */
__noinline int sb_mend(__u32 place, __u32 off, __u64 addr, __u32 got)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct return_instance *at = pending_return(task);
	__u64 from = trampoline_of(task);

	for (__u32 i = 0; i < RETURNS_MAX && at; i++) {
		__u64 behind = at->stack - addr;
		__u64 *word = behind < got && got - behind >= 8 ? word_at(place, off + (__u32)behind) : NULL;

		if (word && *word == from)
			*word = at->orig_ret_vaddr;
		at = at->next;
	}
	return 0;
}

/*
 * V are registers of TASK, which is current, where an exception made it enter the kernel. When that
 * was the breakpoint of a probe, the instruction that this stands for is still to come.
 */
static __always_inline void before_breakpoint(__u64 *v, struct task_struct *task)
{
	__u8 insn = 0;

	if (true_returns && plain(task)->utask &&
	    !bpf_probe_read_user(&insn, sizeof(insn), (void *)(v[SB_DWARF_PC] - 1)) && insn == SB_BREAKPOINT)
		v[SB_DWARF_PC]--;
}

/*
 * V are registers of TASK, which is current and executes in the page of its trampoline. When it runs a
 * copy of a probed instruction there, or just has, pc becomes the place of that, and this is true.
 */
static __always_inline bool leave_copy(__u64 *v, struct task_struct *task)
{
	const struct uprobe_task *watched = plain(task)->utask;
	__u64 from, behind;

	if (!watched || !bpf_core_field_exists(watched->xol_vaddr) || !bpf_core_field_exists(watched->vaddr))
		return false;
	from = watched->xol_vaddr;
	behind = v[SB_DWARF_PC] - from;
	if (!from || behind > SB_COPY_BYTES)
		return false;
	v[SB_DWARF_PC] = watched->vaddr + behind;
	return true;
}

/*
 * V are registers of TASK, which is current, in user mode or where it entered the kernel. When it is
 * in the trampoline they become those of the caller that it returns to; and when it is in the copy of
 * a probed instruction, those at that.
 */
static __always_inline void leave_trampoline(__u64 *v, struct task_struct *task)
{
	__u64 from = trampoline_of(task), slot;

	if (from == NO_TRAMPOLINE || v[SB_DWARF_PC] - from >= PAGE_BYTES || leave_copy(v, task))
		return;
	slot = sb_returned_from(v[SB_DWARF_SP]);
	if (slot) {
		v[SB_DWARF_PC] = sb_true_return(slot);
		v[SB_DWARF_SP] = slot + 8;
	} else if (SB_TRAMPOLINE_BACK(v[SB_DWARF_PC] - from)) {
		/* The kernel is done, and has left the address below what is to be popped. */
		slot = v[SB_DWARF_SP] + SB_TRAMPOLINE_BACK(v[SB_DWARF_PC] - from) - 8;
		if (!bpf_probe_read_user(&from, sizeof(from), (void *)slot)) {
			v[SB_DWARF_PC] = from;
			v[SB_DWARF_SP] = slot + 8;
		}
	}
}

#endif
