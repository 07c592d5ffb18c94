/* SPDX-License-Identifier: BSD-2-Clause */
/* probed_blocks.c - see probed_blocks.h. */
#include "config.h"

#include "probe/probed_blocks.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

#define NO_BLOCK UINT32_MAX
#define CHEAP_NS 2000u           /* a probe that costs less stays: it makes what is between shorter */
#define WAY_MAX 16u              /* blocks without a probe between two that have one */

struct probed_search {
	struct code_block *block;
	uint32_t n;
	uint32_t (*next)[2];     /* blocks behind each; NO_BLOCK */
	uint32_t *met;           /* how a block is met from the one at hand: the number of that, + 1; n: a return */
	bool clear;              /* one way at most leads to each so far */
};

static uint32_t probed_at(const struct probed_search *s, uint64_t vaddr)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->block[i].vaddr == vaddr)
			return i;
	return NO_BLOCK;
}

static void probed_link(struct probed_search *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct code_block *b = &s->block[i];
		const bool on = b->end == CODE_ON || b->end == CODE_CONDITION;

		s->next[i][0] = on ? probed_at(s, b->vaddr + b->size) : NO_BLOCK;
		s->next[i][1] = b->end == CODE_JUMP || b->end == CODE_CONDITION ? probed_at(s, b->target) : NO_BLOCK;
		/* Both lead to the same. */
		if (s->next[i][1] == s->next[i][0])
			s->next[i][1] = NO_BLOCK;
	}
}

/* A way from block FROM has led to END, or for n to a return. */
static void probed_meet(struct probed_search *s, uint32_t from, uint32_t end)
{
	s->clear &= s->met[end] != from + 1;
	s->met[end] = from + 1;
}

/* Goes on behind AT, DEPTH blocks without a probe behind FROM. */
static void probed_go(struct probed_search *s, uint32_t from, uint32_t at, unsigned int depth)
{
	s->clear &= depth <= WAY_MAX;
	for (unsigned int i = 0; i < 2 && s->clear; i++) {
		const uint32_t to = s->next[at][i];

		if (to == NO_BLOCK)
			continue;
		if (s->block[to].probed)
			probed_meet(s, from, to);
		if (s->block[to].end == CODE_RETURN && !s->block[to].probed)
			probed_meet(s, from, s->n);
		else if (!s->block[to].probed)
			probed_go(s, from, to, depth + 1);
	}
}

/* Is it always known which way was gone? */
static bool probed_is_clear(struct probed_search *s)
{
	s->clear = true;
	memset(s->met, 0, (s->n + 1) * sizeof(*s->met));
	for (uint32_t i = 0; i < s->n && s->clear; i++)
		if (s->block[i].probed)
			probed_go(s, i, i, 0);
	return s->clear;
}

/* Takes the probe off block I, unless something is not clear then. */
static void probed_try(struct probed_search *s, uint32_t i)
{
	s->block[i].probed = false;
	s->block[i].probed = !probed_is_clear(s);
}

/* May block I, which costs COST_NS, go without a probe? Without ALL only when it returns. */
static bool probed_may_hide(const struct code_block *b, uint32_t cost_ns, bool returns, bool all)
{
	if (b->end == CODE_RETURN)
		return returns;
	return all && cost_ns > CHEAP_NS && (b->end == CODE_ON || b->end == CODE_CONDITION || b->end == CODE_JUMP);
}

bool probed_blocks_choose(struct code_block *b, uint32_t n, const uint32_t *cost_ns, bool returns)
{
	AUTO_FREE uint32_t(*next)[2] = calloc(n, sizeof(*next));
	AUTO_FREE uint32_t *met = calloc(n + 1, sizeof(*met));
	struct probed_search s = { .block = b, .n = n, .next = next, .met = met };
	bool all = n <= PROBED_LOOKED_MAX;

	for (uint32_t i = 0; i < n; i++) {
		b[i].probed = true;
		all &= b[i].end != CODE_INDIRECT;
	}
	if (!next || !met)
		return false;
	probed_link(&s);
	/* Those that return first: each of them is dear, and few ways lead there. */
	for (unsigned int turn = 0; turn < 2; turn++)
		for (uint32_t i = 1; i < n; i++)
			if ((b[i].end == CODE_RETURN) == !turn && probed_may_hide(&b[i], cost_ns[i], returns, all))
				probed_try(&s, i);
	return true;
}
