/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.bpf.h - conditions of probes, and what their hits weigh: expressions that user space has
 * written (struct sb_filter of wire.h), evaluated before anything is copied.
 *
 * What is evaluated stands in the scratch buffer of the hit, where its record comes later: another
 * hit may interrupt this one.
 */
#ifndef SBERF_BPF_FILTER_H
#define SBERF_BPF_FILTER_H

#include "operate.bpf.h"
#include "record.bpf.h"

/* Some probe has a condition or a sum. */
const volatile bool filtered = false;

/* By the number of a placed probe. User space sets the size, and fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_filter);
} filters SEC(".maps");

/* By the number in the cookie of a place. User space sets the size, and fills it before the place can be hit. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_loads);
} loads SEC(".maps");

struct evaluation {
	__s64 stack[SB_DEPTH];
	__u32 depth, pad;        /* values on the stack */
	__u64 input[SB_INPUTS];
	__u64 comm[2];
	__u64 base[SB_LOAD_BASES];
	__u32 when, unused;      /* LOADS_* */
	__u64 text[SB_LOAD_TEXT_BYTES / 8 + 1];
};

#define LOADS_ALL 0u
#define LOADS_EARLY 1u           /* without those of the result */
#define LOADS_LATE 2u            /* these alone */

/* What L says, from what EV knows, into *RET. 0, or a negative errno where that cannot be read. */
static __always_inline long load(const struct evaluation *ev, const struct sb_load *l, __u64 *ret)
{
	const __u32 unused = (64 - 8 * l->size) & 63;
	__u64 v = ev->base[l->from & (SB_LOAD_BASES - 1)] + ev->base[l->index & (SB_LOAD_BASES - 1)] * l->scale;
	long r = 0;

	if (!l->hops)
		v += l->offset[0];
	for (__u32 hop = 0; hop < SB_HOPS && hop < l->hops && !r; hop++) {
		void *at = (void *)(v + l->offset[hop]);
		__u32 bytes = hop + 1 < l->hops ? sizeof(v) : l->size;

		v = 0;
		barrier_var(bytes);
		if (bytes > sizeof(v))
			return -1;
		r = l->user >> hop & 1 ? bpf_probe_read_user(&v, bytes, at) : bpf_probe_read_kernel(&v, bytes, at);
	}
	*ret = l->is_signed ? (__u64)((__s64)(v << unused) >> unused) : v << unused >> unused;
	return r;
}

/*
 * Where the string that L of a text is about is, into *RET, and whether in the memory of the program. 0, or a negative
 * errno.
 */
static __always_inline long string_at(const struct evaluation *ev, const struct sb_load *l, __u64 *ret, bool *user)
{
	const __u64 base = ev->base[l->from & (SB_LOAD_BASES - 1)] +
		(l->scale ? 0 : ev->base[l->index & (SB_LOAD_BASES - 1)]);
	__u64 v = base;
	__u32 last = 0, where = 0;
	long r = 0;

	for (__u32 hop = 0; hop < SB_HOPS && hop < l->hops && !r; hop++) {
		v += l->offset[hop];
		last = hop;
		if (hop + 1 == l->hops)
			break;
		r = l->user >> hop & 1 ? bpf_probe_read_user(&v, sizeof(v), (void *)v) :
			bpf_probe_read_kernel(&v, sizeof(v), (void *)v);
	}
	if (!r && l->scale) {
		r = bpf_probe_read_kernel(&where, sizeof(where), (void *)v);
		v = (l->scale == SB_STRING_BEHIND ? v + sizeof(where) : base) + (where & 0xffff);
	}
	*user = l->user >> last & 1;
	*ret = v;
	return r;
}

/* Whether the string of L is its text in SET, into *RET. 0, or a negative errno where it cannot be read. */
static __always_inline long compare_text(struct evaluation *ev, const struct sb_loads *set, const struct sb_load *l,
					 __u64 *ret)
{
	const __u64 *text = set->text[(l->size - SB_LOAD_TEXT) & (SB_LOAD_TEXTS - 1)];
	__u64 at = 0, differs = 0;
	bool user = false;
	long r = string_at(ev, l, &at, &user);

#pragma unroll
	for (unsigned int i = 0; i < SB_LOAD_TEXT_BYTES / 8 + 1; i++)
		ev->text[i] = 0;
	if (r)
		return r;
	/* One byte more than a text has: so a string that goes on is another one. */
	r = user ? bpf_probe_read_user_str(ev->text, SB_LOAD_TEXT_BYTES + 1, (void *)at) :
		bpf_probe_read_kernel_str(ev->text, SB_LOAD_TEXT_BYTES + 1, (void *)at);
	if (r < 0)
		return r;
#pragma unroll
	for (unsigned int i = 0; i < SB_LOAD_TEXT_BYTES / 8; i++)
		differs |= ev->text[i] ^ text[i];
	*ret = !differs;
	return 0;
}

/*
 * Reads the named value AT of SET for the evaluation in the scratch buffer PLACE. 1; 0 = there are no
 * more, -1 = it cannot be read. Global for the same reason as sb_evaluate_step().
 */
__noinline int sb_load_value(__u32 place, __u32 set, __u32 at)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &place);
	const struct sb_loads *all = bpf_map_lookup_elem(&loads, &set);
	struct evaluation *ev = s ? (void *)s->rec : NULL;
	const struct sb_load *l;
	__u64 *value;

	if (!ev || !all || at >= SB_LOADS)
		return 0;
	l = &all->load[at & (SB_LOADS - 1)];
	if (!l->size)
		return 0;
	if (ev->when && (l->from == SB_LOAD_RESULT) != (ev->when == LOADS_LATE))
		return 1;
	value = &ev->input[(SB_INPUT_LOAD + at) & (SB_INPUTS - 1)];
	return (l->size >= SB_LOAD_TEXT ? compare_text(ev, all, l, value) : load(ev, l, value)) ? -1 : 1;
}

/* Reads all of SET. False when one of them cannot be read. */
static __always_inline bool load_values(__u32 place, __u32 set)
{
	int r = 1;

	for (__u32 i = 0; i < SB_LOADS && r > 0; i++)
		r = sb_load_value(place, set, i);
	return r >= 0;
}

/* What the operand STEP of F pushes. */
static __always_inline __s64 operand(const struct sb_filter *f, const struct evaluation *ev, const struct sb_step *step)
{
	const __u64 at = step->value;

	if (step->op == SB_OP_NUMBER)
		return at;
	if (step->op == SB_OP_INPUT)
		return ev->input[at & (SB_INPUTS - 1)];
	return ev->comm[0] == f->comm[at & (SB_COMMS - 1)][0] && ev->comm[1] == f->comm[at & (SB_COMMS - 1)][1];
}

/*
 * Takes the step AT of the placed probe KEY, of its condition or, from SB_STEPS on, of its sum. False
 * behind the last one. Global, so that the verifier looks at it once and alone, and not in each turn
 * of the loop around it.
 */
__noinline int sb_evaluate_step(__u32 place, __u32 key, __u32 at)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &place);
	const struct sb_filter *f = bpf_map_lookup_elem(&filters, &key);
	struct evaluation *ev = s ? (void *)s->rec : NULL;
	const struct sb_step *step;
	__u32 op, takes, depth;
	__s64 v;

	if (!ev || !f)
		return 0;
	step = at < SB_STEPS ? &f->when[at & (SB_STEPS - 1)] : &f->sum[at & (SB_STEPS - 1)];
	op = step->op;
	if (op == SB_OP_END)
		return 0;
	takes = op < SB_OP_NOT ? 0 : op < SB_OP_OR ? 1 : 2;
	depth = ev->depth;
	v = takes ? operate(op, ev->stack[(depth - 2) & (SB_DEPTH - 1)], ev->stack[(depth - 1) & (SB_DEPTH - 1)]) :
		operand(f, ev, step);
	depth -= takes;
	ev->stack[depth & (SB_DEPTH - 1)] = v;
	ev->depth = depth + 1;
	return 1;
}

/*
 * The value of the expression of KEY that begins with the step FIRST, which is 0 or SB_STEPS. EV is
 * what the scratch buffer PLACE begins with.
 */
static __always_inline __s64 evaluate(struct evaluation *ev, __u32 place, __u32 key, __u32 first)
{
	ev->depth = 0;
	for (__u32 i = 0; i < SB_STEPS; i++)
		if (!sb_evaluate_step(place, key, first + i))
			break;
	return *(volatile __s64 *)&ev->stack[0];
}

#endif
