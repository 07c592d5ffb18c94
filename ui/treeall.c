/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treeall.c - what "open everything" of treeview.h opens of a tree that is too large for it.
 *
 * A server with many threads has hundreds of thousands of nodes, most of them one sample each. As
 * rows all of them would have to be found again in each newer tree, in the thread that answers
 * keys, and nobody scrolls through them. So there is a weight below which nodes stay closed: the
 * lowest one, to a sixteenth, with which there are no more than OPEN_ROWS_MAX rows. Of ten thousand
 * that takes 2 ms and up to 10 beside an engine that is busy; it grows with them.
 */
#include "config.h"

#include "ui/treeview.h"

#define PER_OCTAVE_BITS 4u
#define PER_OCTAVE (1u << PER_OCTAVE_BITS)
#define BUCKETS ((64u - PER_OCTAVE_BITS + 1) * PER_OCTAVE)

static unsigned int bucket_of(uint64_t weight)
{
	unsigned int shift;

	if (weight < PER_OCTAVE)
		return (unsigned int)weight;
	shift = 63u - PER_OCTAVE_BITS - (unsigned int)__builtin_clzll(weight);
	return (shift + 1) * PER_OCTAVE + ((unsigned int)(weight >> shift) - PER_OCTAVE);
}

/* The least weight in BUCKET. */
static uint64_t least_of(unsigned int bucket)
{
	if (bucket < PER_OCTAVE)
		return bucket;
	return (uint64_t)(PER_OCTAVE + bucket % PER_OCTAVE) << (bucket / PER_OCTAVE - 1);
}

uint64_t treeview_least_open(struct shown s, uint32_t base)
{
	size_t below[BUCKETS] = { 0 };   /* rows below nodes of this weight */
	const unsigned int top = bucket_of(shown_at(s, base).weight);
	unsigned int least = 0;
	size_t rows = 0;
	/* breadth first: what is heavy comes early, and what is light need not be looked at */
	node_vec queue = { 0 };
	uint32_t *slot;

	if (shown_n(s) <= OPEN_ROWS_MAX)
		return 0;
	slot = vec_push(&queue);
	if (slot)
		*slot = base;
	for (size_t i = 0; i < queue.n; i++) {
		const struct outline_row n = shown_at(s, queue.v[i]);
		const unsigned int bucket = bucket_of(n.weight);

		if (bucket < least)
			continue;
		below[bucket] += n.nr_children;
		rows += n.nr_children;
		while (rows > OPEN_ROWS_MAX && least < top)      /* what weighs as much as the whole is always open */
			rows -= below[least++];
		for (uint32_t c = n.first_child; c != NODE_NONE; c = shown_at(s, c).next_sibling) {
			if (shown_at(s, c).first_child == NODE_NONE || bucket_of(shown_at(s, c).weight) < least)
				continue;
			slot = vec_push(&queue);
			if (!slot)
				break;
			*slot = c;
		}
	}
	vec_free(&queue);
	return least_of(least);
}
