/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hops.bpf.h - reads the kernel stack of a running task by distances learned from earlier stacks.
 *
 * The kernel's own unwinder takes 2 us for such a stack when everything that it looks up is in the
 * caches, and 10 to 15 us when it is not, as after the millisecond between two samples. That is more
 * than everything else that a sample costs. But the code of a function alone decides how far its
 * return address is from the return address of the function that it called. So each *hop* from one
 * to the next has the same length whenever it starts at the same place. Hops are learned from what
 * the unwinder reports, and a stack whose hops are all known takes a few words to read.
 *
 * What makes this safe:
 * - The unwinder reports addresses, not where on the stack they are. They are searched for there,
 *   where earlier calls may have left the same values. So they are searched for in order from both
 *   ends of the stack, which gives the lowest and the highest place where each of them can be. When
 *   both are the same, the place is certain, and a hop is learned only from one certain place to
 *   the next.
 * - A hop is identified by two addresses: the one where it starts, and the one before. One would not
 *   do: the address at which an exception came is among the registers that were saved, and is no
 *   return address; and the unwinder may leave out code that the kernel makes at run time, so that
 *   the address before such code has several followers. With two, any neighbours in a stack that is
 *   read here have been neighbours in a stack of the unwinder.
 * - A hop that was seen with different lengths (from a function with a frame of variable size) is
 *   not used any more.
 * - The last address stands where the kernel was entered: at a fixed distance from the top of the
 *   stack. A stack is believed when it ends with an address that is known to be the last, exactly
 *   there. One that goes on on another stack, as that of interrupts, does not. Whatever is not as
 *   it was learnt goes to the unwinder as before. --verify-unwind compares. What it may find: while
 *   functions are traced (kretprobes, the function graph) a trampoline stands where the address
 *   that is told does not, and code made at run time, as above.
 *
 * With each system call the kernel moves its stack by some random amount
 * (add_random_kstack_offset(), since Linux 5.13). That makes one hop of variable length, into the
 * entry; so of each hop it is learnt, too, how far from the top it leads.
 *
 * Not for tasks that do not run: of these the unwinder leaves out what is of the scheduler, by how
 * a thread waits more or less of it, so the first hop varies where one call waits in two ways by
 * turns. What they have is kstack.bpf.h.
 *
 * All of it is done by bpf_loop(), which the verifier looks at once; where that is not (loops) the
 * unwinder does it all.
 */
#ifndef SBERF_BPF_HOPS_H
#define SBERF_BPF_HOPS_H

#include "kstack.bpf.h"
#include "record.bpf.h"

#define HOP_TRIES 8u                     /* it takes so many to drive out one that was of use */
/* bytes of a kernel stack at most: include/asm/page_64_types.h, without KASAN */
#define HOP_REACH 16384u
#define HOP_RANDOM 1024u                 /* bytes by which the kernel moves its stack at most: KSTACK_OFFSET_MAX */

/* struct hop.to: two distances in words, how often it was seen or, at first, used, and what varies. */
#define HOP_AWAY(to) ((to) & 0xffff)             /* to the next address; 0 = there is none */
#define HOP_TOP(to) ((to) >> 16 & 0xffff)        /* from the next one, or if there is none from this one, to the top */
#define HOP_ONCE (1ull << 32)
#define HOP_SEEN(to) ((to) >> 32 & 0xff)
#define HOP_SEEN_MAX 255u
#define HOP_USED 4u                              /* so many are enough to be of use */
#define HOP_AWAY_VARIES (1ull << 40)
#define HOP_TOP_VARIES (1ull << 41)
#define HOP_INNER (1ull << 42)                   /* the next one was seen not to be the last */

/* OUTERMOST: the address stands right below the registers of the user's side. */
static __always_inline __u64 hop_key(bool outermost, __u64 prev, __u64 addr)
{
	return sum_fold(sum_fold(outermost, prev), addr);
}

static __always_inline volatile struct hop *hops_of(__u64 key)
{
	return hops[key * MIX >> (64 - HOPS_BITS)];
}

/* What H says of the hop KEY; 0 = it is another one. */
static __always_inline __u64 hop_of(volatile struct hop *h, __u64 key)
{
	__u64 to = h->to;

	return (h->tag ^ to * MIX) == key ? to : 0;
}

/* A stack that is being followed. */
struct hopping {
	struct walk *w;
	__u64 prev;              /* the address before; 0 = it is the first */
	__u64 addr, at;          /* the address at hand, and where it stands */
	__u64 sp, top;
	__u32 nr;                /* frames, when all are there */
};

/* Goes from frame I to the next one. 1 = there is none, or it is not known. */
static long hop_step(__u32 i, struct hopping *g)
{
	__u64 key = hop_key(g->at == g->top - 8, g->prev, g->addr), to, away, by_top;
	volatile struct hop *h = hops_of(key);

	if (i >= SB_KSTACK_MAX || i >= walk_max)
		return 1;
	to = hop_of(h, key);
	if (!to)
		to = hop_of(++h, key);
	if (!to)
		return 1;
	g->w->frame[i] = g->prev = g->addr;
	away = g->at + 8 * HOP_AWAY(to);
	by_top = g->top - 8 * HOP_TOP(to);
	/* How far it is to the last one may vary; until it does, both have to say the same. */
	if (to & HOP_INNER ? to & HOP_AWAY_VARIES : to & HOP_TOP_VARIES || (away != by_top && !(to & HOP_AWAY_VARIES)))
		return 1;
	if (HOP_SEEN(to) < HOP_USED) {
		h->to = to + HOP_ONCE;
		h->tag = key ^ (to + HOP_ONCE) * MIX;
	}
	if (!HOP_AWAY(to) && !(to & HOP_AWAY_VARIES)) {
		g->nr = i + 1;
		return 1;
	}
	if (!(to & HOP_INNER) && by_top - g->at > 8 * HOP_AWAY(to) + HOP_RANDOM)
		return 1;
	g->at = to & HOP_INNER ? away : by_top;
	return g->at - g->sp >= g->top - g->sp || bpf_probe_read_kernel(&g->addr, sizeof(g->addr), (void *)g->at);
}

/*
 * The kernel stack from SP, where START is executed, to TOP, where the registers of the user's side
 * are, to the frames of the walk WHICH. How many these are with START, 0 = not all of the stack is
 * known. This function and others are global: the verifier looks at each alone.
 */
__noinline int sb_hop(__u32 which, __u64 start, __u64 sp, __u64 top)
{
	/* As if what executes had been called just now: then it does not matter if it ever was. */
	struct hopping g = { .w = bpf_map_lookup_elem(&walks, &which), .addr = start, .at = sp - 8,
			     .sp = sp, .top = top };

	if (!g.w || top - sp > HOP_REACH || !loops)
		return 0;
	bpf_loop(SB_KSTACK_MAX, hop_step, &g, 0);
	return g.nr;
}

/* The hop KEY is AWAY words long and ends TOP words from the top; INNER: where another one begins. */
static __always_inline void learn_hop(__u64 key, __u64 away, __u64 top, bool inner)
{
	volatile struct hop *h = hops_of(key), *other = h + 1;
	__u64 to = hop_of(h, key);

	if (!to) {
		to = hop_of(other, key);
		if (to || HOP_SEEN(other->to) < HOP_SEEN(h->to))
			h = other;
	}
	if (!to) {
		/* Many come but once: they shall not drive out who is of use. */
		if (HOP_SEEN(h->to) >= HOP_USED && bpf_get_prandom_u32() % HOP_TRIES)
			return;
		to = away | top << 16;
	}
	if (HOP_AWAY(to) != away)
		to |= HOP_AWAY_VARIES;
	if (HOP_TOP(to) != top)
		to |= HOP_TOP_VARIES;
	if (inner)
		to |= HOP_INNER;
	if (HOP_SEEN(to) < HOP_SEEN_MAX)
		to += HOP_ONCE;
	h->to = to;
	h->tag = key ^ to * MIX;
}

/* Frames that are looked for in the words of a stack. */
struct finding {
	/*
	 * its word found: the frame that is next. The verifier knows nothing of it, so it looks at
	 * each loop once.
	 */
	struct walk *w;
	__u64 nr;                /* frames; the first is not there */
	__u64 words;
};

static long low_step(__u32 k, struct finding *f)
{
	__u64 i = f->w->found;

	if (i >= HOP_FRAMES || i >= f->nr)
		return 1;
	if (f->w->kstack[k & (HOP_WORDS - 1)] != f->w->frame[i])
		return 0;
	f->w->lowest[i] = k;
	f->w->found = i + 1;
	return 0;
}

static long high_step(__u32 k, struct finding *f)
{
	__u64 i = f->w->found, place = f->words - 1 - k;

	if (!i || i >= HOP_FRAMES)
		return 1;
	if (f->w->kstack[place & (HOP_WORDS - 1)] != f->w->frame[i])
		return 0;
	f->w->highest[i] = place;
	f->w->found = i - 1;
	return 0;
}

/* Learns the hop from frame K, if it is known where that is, and the next one. */
static long learn_step(__u32 k, struct finding *f)
{
	__u64 i = k + 1, from, to;

	if (i > f->nr || i >= HOP_FRAMES)
		return 1;
	from = k ? f->w->lowest[k & (HOP_FRAMES - 1)] : -1;
	to = i < f->nr ? f->w->lowest[i] : from;
	if ((!k || from == f->w->highest[k & (HOP_FRAMES - 1)]) && (i == f->nr || to == f->w->highest[i]))
		learn_hop(hop_key(from + 1 == f->words, k ? f->w->frame[(k - 1) & (HOP_FRAMES - 1)] : 0,
				  f->w->frame[k & (HOP_FRAMES - 1)]), to - from, f->words - to, i + 1 < f->nr);
	return 0;
}

/* Learns the hops of the stack from SP to TOP, whose NR frames are those of the walk WHICH. */
__noinline int sb_learn_hops(__u32 which, __u64 sp, __u64 top, __u32 nr)
{
	struct finding f = { .w = bpf_map_lookup_elem(&walks, &which), .nr = nr };
	__u64 bytes = top - sp;

	if (!f.w || !nr || nr >= HOP_FRAMES || nr >= walk_max || bytes & 7 || !loops)
		return 0;
	barrier_var(bytes);
	if (bytes > HOP_WORDS * 8 || bpf_probe_read_kernel(f.w->kstack, bytes, (void *)sp))
		return 0;
	f.words = bytes / 8;
	f.w->found = 1;
	bpf_loop(f.words, low_step, &f, 0);
	if (f.w->found != nr)
		return 0;
	f.w->found = nr - 1;
	bpf_loop(f.words, high_step, &f, 0);
	bpf_loop(nr, learn_step, &f, 0);
	return 0;
}

#define SPARE_FRAMES 512u                        /* of those of a walk, where what is compared goes */
_Static_assert(SPARE_FRAMES + SB_KSTACK_MAX <= SB_WALK_MAX && HOP_FRAMES <= SPARE_FRAMES, "there is room for both");

/* Compares the NR frames of the walk WHICH with GOT bytes of addresses that the unwinder told, and counts. */
__noinline int sb_check_kstack(__u32 which, __u32 nr, long got)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct sb_cpu *c = this_cpu();
	__u64 differs = got ^ (__u64)nr * 8;

	if (!w || !c || got < 0)
		return 0;
	for (__u32 i = 0; i < SB_KSTACK_MAX && i < nr; i++)
		differs |= w->frame[i] ^ w->frame[SPARE_FRAMES + i];
	__sync_fetch_and_add(&c->kstacks_checked, 1);
	if (differs)
		__sync_fetch_and_add(&c->kstacks_different, 1);
	return 0;
}

/*
 * The kernel's stack of TASK, which is current and was interrupted at PC with SP, to the frames of
 * W, the walk WHICH. Bytes of addresses, or a negative errno.
 */
static __always_inline long running_kstack(__u32 which, struct walk *w, void *ctx, struct task_struct *task,
					   __u64 pc, __u64 sp)
{
	__u64 top = kstack_top(w, task);
	long got = sb_hop(which, pc, sp, top);

	if (got > 0) {
		if (verify_every && !(bpf_get_prandom_u32() % verify_every))
			sb_check_kstack(which, got, bpf_get_stack(ctx, w->frame + SPARE_FRAMES, SB_KSTACK_MAX * 8, 0));
		return got * 8;
	}
	got = bpf_get_stack(ctx, w->frame, SB_KSTACK_MAX * 8, 0);
	if (got > 0)
		sb_learn_hops(which, sp, top, got / 8);
	return got;
}

/* GOT bytes of the frames of W as a part at A, which has room for them. Returns its size. */
static __always_inline __u32 put_kstack(struct sb_part_addrs *a, struct walk *w, long got)
{
	__u64 bytes = got < 0 ? 0 : got;

	if (bytes > SB_KSTACK_MAX * 8)
		bytes = SB_KSTACK_MAX * 8;
	barrier_var(bytes);
	if (bytes > SB_KSTACK_MAX * 8 || bpf_probe_read_kernel(a + 1, bytes, w->frame))
		return finish_addrs(a, -SB_EFAULT, SB_PART_KSTACK);
	return finish_addrs(a, got, SB_PART_KSTACK);
}

#endif
