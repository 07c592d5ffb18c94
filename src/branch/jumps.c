/* SPDX-License-Identifier: BSD-2-Clause */
/* jumps.c - see jumps.h. */
#include "config.h"

#include "branch/jumps.h"

#include <string.h>

#define FRAMES_MAX 16u           /* BPF programs call eight deep */
#define WAY_MAX 128u             /* blocks from one jump to the next */
#define STEPS_MAX 4096u          /* blocks that are looked at for a way; what takes longer is a gap */
#define NO_BLOCK UINT32_MAX

struct jumps_frame {
	uint32_t code, at;       /* the block that comes next */
	uint64_t frame;          /* 0 = not known yet: no jump of it was seen */
};

struct jumps_walk {
	const struct branch_jumps_code *code;
	branch_vec *ret;
	uint32_t gaps;
	struct jumps_frame frame[FRAMES_MAX];
	uint32_t n;
	bool nomem;
};

static void jumps_add(struct jumps_walk *w, uint32_t code, uint64_t from, uint64_t to, enum branch_how how)
{
	const struct probe_code *of = w->code[code].code;
	struct branch *b = vec_push(w->ret);

	w->nomem |= !b;
	w->gaps += how == BRANCH_GAP;
	if (b)
		*b = (struct branch){ .from = from, .to = to, .space = BRANCH_SPACE(of->probe, of->first),
				      .how = (uint8_t)how };
}

/* The block of CODE that begins at ADDRESS; NO_BLOCK. */
static uint32_t jumps_block_at(const struct probe_code *code, uint64_t address)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (code->block[i].vaddr == address)
			return i;
	return NO_BLOCK;
}

/* Where block NR leads when its jump is taken, or not. */
static uint32_t jumps_next(const struct probe_code *code, uint32_t nr, bool taken)
{
	const struct code_block *b = &code->block[nr];

	return jumps_block_at(code, taken ? b->target : b->vaddr + b->size);
}

/* ---- ways ---- */

/* A search for the only way from one block to another. */
struct jumps_way {
	const struct branch_jumps_code *code;
	uint32_t to;             /* NO_BLOCK = to any block that returns */
	uint32_t at[WAY_MAX], n;
	uint32_t found[WAY_MAX], nr_found;
	uint32_t steps;
	bool one, more;
};

static bool way_is_on(const struct jumps_way *w, uint32_t block)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->at[i] == block)
			return true;
	return false;
}

static void way_find(struct jumps_way *w, uint32_t block);

/* The way ends with the block that was put on it last. */
static void way_ended(struct jumps_way *w)
{
	w->more |= w->one;
	w->one = true;
	w->nr_found = w->n;
	memcpy(w->found, w->at, w->n * sizeof(w->at[0]));
}

static void way_beyond(struct jumps_way *w, uint32_t block)
{
	const struct probe_code *code = w->code->code;

	switch ((enum code_end)code->block[block].end) {
	case CODE_ON:
		way_find(w, jumps_next(code, block, false));
		break;
	case CODE_JUMP:
		way_find(w, jumps_next(code, block, true));
		break;
	case CODE_CONDITION:
		/* A jump that is watched would have been told. */
		if (w->code->watched[block])
			break;
		way_find(w, jumps_next(code, block, false));
		way_find(w, jumps_next(code, block, true));
		break;
	case CODE_INDIRECT:
		w->more = true;
		break;
	default:
		if (w->to == NO_BLOCK)
			way_ended(w);
	}
}

static void way_find(struct jumps_way *w, uint32_t block)
{
	if (w->more || block == NO_BLOCK)
		return;
	/* How often a loop is gone through is not known. */
	if (w->n >= WAY_MAX || ++w->steps > STEPS_MAX || way_is_on(w, block)) {
		w->more = true;
		return;
	}
	w->at[w->n++] = block;
	if (block == w->to)
		way_ended(w);
	else
		way_beyond(w, block);
	w->n--;
}

/* From the block that comes next in F to block TO, NO_BLOCK = to its return. CUT: jumps in between are not known. */
static void jumps_advance(struct jumps_walk *w, struct jumps_frame *f, uint32_t to, bool cut)
{
	const struct probe_code *code = w->code[f->code].code;
	struct jumps_way way = { .code = &w->code[f->code], .to = to };

	if (!cut && f->at != NO_BLOCK)
		way_find(&way, f->at);
	if (!way.one || way.more) {
		jumps_add(w, f->code, f->at == NO_BLOCK ? 0 : code->block[f->at].vaddr,
			  to == NO_BLOCK ? 0 : code->block[to].vaddr, BRANCH_GAP);
		return;
	}
	for (uint32_t i = 0; i + 1 < way.nr_found; i++) {
		const struct code_block *from = &code->block[way.found[i]], *next = &code->block[way.found[i + 1]];

		if (from->end == CODE_JUMP)
			jumps_add(w, f->code, from->vaddr + from->last, next->vaddr, BRANCH_TAKEN);
		else if (from->end == CODE_CONDITION)
			jumps_add(w, f->code, from->vaddr + from->last, next->vaddr,
				  next->vaddr == from->target ? BRANCH_TAKEN : BRANCH_PASSED);
	}
}

/* ---- jumps ---- */

/* The frame in which J happened; those inside of it have returned. NULL = there are too many. */
static struct jumps_frame *jumps_frame_of(struct jumps_walk *w, const struct branch_jump *j)
{
	struct jumps_frame *top = &w->frame[w->n - 1];

	while (w->n > 1 && j->frame > top->frame) {
		jumps_advance(w, top, NO_BLOCK, false);
		top = &w->frame[--w->n - 1];
	}
	if (top->code == j->code && (!top->frame || top->frame == j->frame)) {
		top->frame = j->frame;
		return top;
	}
	if (w->n >= FRAMES_MAX)
		return NULL;
	top = &w->frame[w->n++];
	*top = (struct jumps_frame){ .code = j->code, .frame = j->frame };
	return top;
}

static void jumps_take(struct jumps_walk *w, const struct branch_jump *j)
{
	const struct probe_code *code = w->code[j->code].code;
	const struct code_block *b = &code->block[j->block];
	struct jumps_frame *f = jumps_frame_of(w, j);

	if (!f) {
		jumps_add(w, j->code, 0, b->vaddr, BRANCH_GAP);
		return;
	}
	jumps_advance(w, f, j->block, false);
	f->at = jumps_next(code, j->block, j->taken);
	jumps_add(w, j->code, b->vaddr + b->last, j->taken ? b->target : b->vaddr + b->size,
		  j->taken ? BRANCH_TAKEN : BRANCH_PASSED);
}

bool branch_jumps_follow(const struct branch_jumps_code *code, size_t n, const struct branch_jump *jumps, size_t m,
			 bool cut, branch_vec *ret, uint32_t *ret_gaps)
{
	struct jumps_walk w = { .code = code, .ret = ret, .n = 1 };
	const size_t had = ret->n;

	for (size_t i = 0; i < m; i++)
		if (jumps[i].code < n && jumps[i].block < code[jumps[i].code].code->n)
			jumps_take(&w, &jumps[i]);
	while (w.n) {
		jumps_advance(&w, &w.frame[w.n - 1], NO_BLOCK, cut);
		w.n--;
	}
	if (w.nomem)
		ret->n = had;
	else
		*ret_gaps += w.gaps;
	return !w.nomem;
}
