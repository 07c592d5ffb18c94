/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstack.bpf.h - identifies a sleeping task's kernel stack without walking it.
 *
 * Walking it (bpf_get_task_stack()) was half the cost of a wait that is only added to a sum. But a
 * thread waits in few places, and waits with the same user stack, call and state mostly have the
 * same kernel stack too. Then its return addresses are at the same distances from the end of the
 * stack: the code determines how far each frame's return address is from the next. So a stack with
 * the same addresses in the same places is the same stack, and checking that takes a few reads.
 *
 * A walk does not say where the addresses are. They are searched for, each above the one before.
 * Leftovers of earlier calls may look the same, so a place counts when it was found CHAIN_SURE
 * times in a row: with each system call the kernel moves its stack by a random amount
 * (add_random_kstack_offset(), since Linux 5.13), and leftovers do not move along. The outermost
 * address is above the gap that this makes; it is the entry to the kernel, follows from the one
 * below it, and is left out.
 */
#ifndef SBERF_BPF_KSTACK_H
#define SBERF_BPF_KSTACK_H

#include "maps.bpf.h"

#define CHAIN_SURE 8u

static __always_inline __u64 sum_fold(__u64 a, __u64 b)
{
	a = (a ^ b) * MIX;
	return a ^ a >> 32;
}

/* The functions are global: the verifier looks at each alone, and at each loop once. */

/* Folds the first NR addresses that the walk WHICH has room for into ID. */
__noinline __u64 sb_fold(__u32 which, __u32 nr, __u64 id)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);

	for (__u32 i = 0; w && i < SB_KSTACK_MAX && i < nr; i++)
		id = sum_fold(id, w->frame[i]);
	return id;
}

static __always_inline struct chain *chain_of(__u64 id)
{
	return &chains[id * MIX >> (64 - CHAINS_BITS)];
}

/* Reads up to MAX words of the kernel's stack from SP to TOP to W. How many; 0 = none. */
static __always_inline __u32 read_kstack(struct walk *w, __u64 sp, __u64 top, __u32 max)
{
	__u64 bytes = top - sp;

	if (bytes > max * 8)
		bytes = max * 8;
	barrier_var(bytes);
	if (bytes > KSTACK_WORDS * 8)
		return 0;
	return bpf_probe_read_kernel(w->kstack, bytes, (void *)sp) ? 0 : bytes / 8;
}

/* Folds the kernel's stack from SP to TOP into ID, if it is the one that was seen with ID. 0 = it is not. */
__noinline __u64 sb_known_chain(__u32 which, __u64 sp, __u64 top, __u64 id)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct chain *c = chain_of(id);
	__u64 fold = 0;

	if (!w || c->tag != id || c->seen < CHAIN_SURE || !c->nr || read_kstack(w, sp, top, c->words) != c->words)
		return 0;
	for (__u32 i = 0; i < CHAIN_FRAMES && i < c->nr; i++)
		fold = sum_fold(fold, w->kstack[c->at[i] & (KSTACK_WORDS - 1)]);
	return fold == c->fold ? sum_fold(id, fold) : 0;
}

/*
 * Finds the first NR addresses of the walk WHICH in NR_WORDS words of its kernel stack. 0: all of
 * them, where they were for ID before. Without branches, which would be as many paths for the
 * verifier.
 */
__noinline int sb_find_chain(__u32 which, __u64 id, __u32 nr, __u32 nr_words)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct chain *c = chain_of(id);
	__u64 found = 0, moved = 0;

	if (!w)
		return -1;
	for (__u32 k = 0; k < KSTACK_WORDS && k < nr_words; k++) {
		__u64 i = found & (CHAIN_FRAMES - 1), old = c->at[i];
		__u64 differs = w->kstack[k] ^ w->frame[i], hit = ~(differs | -differs) >> 63;

		hit &= (found - nr) >> 63;       /* found < nr */
		moved |= (old ^ k) * hit;
		c->at[i] = old ^ (old ^ k) * hit;
		found += hit;
		barrier_var(found);
	}
	c->words = c->at[(nr - 1) & (CHAIN_FRAMES - 1)] + 1;
	if (found < nr)
		return -1;
	return !!moved;
}

/*
 * The same as sb_known_chain() for a stack of which the NR addresses are those of the walk WHICH;
 * learns where all but the outermost one are. 0 = there are none.
 */
__noinline __u64 sb_learn_chain(__u32 which, __u64 sp, __u64 top, __u64 id, __u32 nr)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct chain *c = chain_of(id);
	__u64 fold;
	int other;

	if (!w || !nr)
		return 0;
	if (nr < 2 || nr > CHAIN_FRAMES)
		return sb_fold(which, nr, id);
	fold = sb_fold(which, --nr, 0);
	other = sb_find_chain(which, id, nr, read_kstack(w, sp, top, KSTACK_WORDS));
	c->seen = !other && c->tag == id && c->fold == fold ? c->seen + 1 : 0;
	c->tag = id;
	c->fold = fold;
	c->nr = other < 0 ? 0 : nr;
	return sum_fold(id, fold);
}

/* Where the registers of TASK's user side are; through memory, so that the verifier takes it for a number. */
static __always_inline __u64 kstack_top(struct walk *w, struct task_struct *task)
{
	w->top = (__u64)bpf_task_pt_regs(task);
	return *(volatile __u64 *)&w->top;
}

/*
 * Folds the kernel's stack of TASK, which does not run, into ID, by which all else is known, with
 * the help of the walk WHICH, W. 0 = none. What comes out goes through memory, so that the verifier
 * looks at all that follows once.
 */
static __always_inline __u64 fold_kstack(__u32 which, struct walk *w, struct task_struct *task, __u64 id)
{
	__u64 sp = sb_saved_sp(plain(task)), top = kstack_top(w, task);
	long got;

	w->folded = sb_known_chain(which, sp, top, id);
	if (!w->folded) {
		got = bpf_get_task_stack(task, w->frame, SB_KSTACK_MAX * 8, 0);
		got &= ~(got >> 63);
		w->folded = sb_learn_chain(which, sp, top, id, (__u32)got / 8);
	}
	return *(volatile __u64 *)&w->folded;
}

#endif
