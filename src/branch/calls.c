/* SPDX-License-Identifier: BSD-2-Clause */
/* calls.c - see calls.h. */
#include "config.h"

#include "branch/calls.h"

#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

#define CODES_MAX 4096u
#define NO_BLOCK UINT32_MAX
#define STACK_NEAR (8u << 20)            /* a stack pointer further away is on another stack */
#define WORD_BYTES 8u                    /* what a return takes off the stack */
#define PATH_MAX_BLOCKS 32u              /* that are not probed, between two that are */

/* A function, with the blocks behind each of its blocks. */
struct calls_code {
	uint32_t probe;
	struct probe_code code;
	struct calls_next {
		uint32_t on, target;     /* NO_BLOCK = none */
	} *next;
};

/* A call that is under way. */
struct calls_open {
	struct branch_call call;
	uint32_t code;           /* which of branch_calls.code */
	uint32_t last;           /* its block at the last hit */
	uint64_t slot;           /* where its return address is */
	bool jumped;             /* into another function, which returns in its place */
};

struct calls_thread {
	int32_t pid, tid;
	VEC(struct calls_open) open;
};

struct branch_calls {
	struct branch_calls_ops ops;
	struct branch_calls_figures figures;
	VEC(struct calls_code) code;
	KEYED(struct calls_thread) thread;
};

struct branch_calls *branch_calls_new(const struct branch_calls_ops *ops)
{
	struct branch_calls *c = calloc(1, sizeof(*c));

	if (c)
		c->ops = *ops;
	return c;
}

void branch_calls_free(struct branch_calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->thread.n; i++) {
		for (size_t k = 0; k < c->thread.v[i].open.n; k++)
			vec_free(&c->thread.v[i].open.v[k].call.branch);
		vec_free(&c->thread.v[i].open);
	}
	keyed_free(&c->thread);
	for (size_t i = 0; i < c->code.n; i++)
		free(c->code.v[i].next);
	vec_free(&c->code);
	free(c);
}

/* ---- code ---- */

/* The block of CODE that begins at VADDR; NO_BLOCK. Blocks are ordered within each part of the code. */
static uint32_t calls_block_at(const struct probe_code *code, uint64_t vaddr)
{
	for (uint32_t i = 0; i < code->n; i++)
		if (code->block[i].vaddr == vaddr)
			return i;
	return NO_BLOCK;
}

static void calls_link_blocks(struct calls_code *c)
{
	for (uint32_t i = 0; i < c->code.n; i++) {
		const struct code_block *b = &c->code.block[i];
		const bool on = b->end == CODE_ON || b->end == CODE_CONDITION;
		const bool jumps = b->end == CODE_JUMP || b->end == CODE_CONDITION;
		const bool next = on && i + 1 < c->code.n && c->code.block[i + 1].vaddr == b->vaddr + b->size;

		c->next[i].on = next ? i + 1 : on ? calls_block_at(&c->code, b->vaddr + b->size) : NO_BLOCK;
		c->next[i].target = jumps ? calls_block_at(&c->code, b->target) : NO_BLOCK;
	}
}

/* Which of C's functions has block NUMBER of PROBE; NO_BLOCK. */
static uint32_t calls_code_of(struct branch_calls *c, uint32_t probe, uint32_t number)
{
	struct calls_code one = { .probe = probe }, *at;

	for (size_t i = 0; i < c->code.n; i++)
		if (c->code.v[i].probe == probe && number - c->code.v[i].code.first < c->code.v[i].code.n)
			return (uint32_t)i;
	if (c->code.n >= CODES_MAX || !c->ops.code(c->ops.ctx, probe, number, &one.code))
		return NO_BLOCK;
	one.next = calloc(one.code.n, sizeof(*one.next));
	at = one.next ? vec_push(&c->code) : NULL;
	if (!at) {
		free(one.next);
		return NO_BLOCK;
	}
	calls_link_blocks(&one);
	*at = one;
	return (uint32_t)(c->code.n - 1);
}

/* ---- ways from block to block ---- */

/* A search for the only way from one block to another by blocks that are not probed. */
struct calls_way {
	const struct calls_code *c;
	uint32_t to;             /* NO_BLOCK = to any block that returns */
	uint32_t at[PATH_MAX_BLOCKS], n;         /* those between, so far */
	uint32_t found[PATH_MAX_BLOCKS], nr_found;
	unsigned int ways;       /* 2 = there is more than one */
};

static bool way_ends(const struct calls_way *w, uint32_t block)
{
	const struct code_block *b = &w->c->code.block[block];

	return w->to == NO_BLOCK ? b->end == CODE_RETURN && !b->probed : block == w->to;
}

static void way_step(struct calls_way *w, uint32_t block)
{
	const uint32_t next[] = { w->c->next[block].on, w->c->next[block].target };

	for (unsigned int i = 0; i < 2 && w->ways < 2; i++) {
		if (next[i] == NO_BLOCK || (i && next[1] == next[0]))
			continue;
		if (way_ends(w, next[i])) {
			memcpy(w->found, w->at, w->n * sizeof(w->at[0]));
			w->nr_found = w->n;
			if (w->to == NO_BLOCK && w->n < PATH_MAX_BLOCKS)
				w->found[w->nr_found++] = next[i];
			w->ways++;
		} else if (!w->c->code.block[next[i]].probed && w->n < PATH_MAX_BLOCKS) {
			w->at[w->n++] = next[i];
			way_step(w, next[i]);
			w->n--;
		}
	}
}

/* Adds to O the branch FROM, TO. */
static void calls_add(struct branch_calls *c, struct calls_open *o, uint64_t from, uint64_t to, enum branch_how how)
{
	struct branch *b = o->call.branch.n < CALLS_BRANCHES_MAX ? vec_push(&o->call.branch) : NULL;

	o->call.gaps += how == BRANCH_GAP;
	c->figures.gaps += how == BRANCH_GAP;
	if (b) {
		*b = (struct branch){ .from = from, .to = to, .space = o->call.space, .how = (uint8_t)how };
		return;
	}
	o->call.dropped++;
	c->figures.dropped++;
}

/* The thread went from block A to block B of O, one of which leads to the other. */
static void calls_step(struct branch_calls *c, struct calls_open *o, const struct calls_code *code, uint32_t a,
		       uint32_t b)
{
	const struct code_block *from = &code->code.block[a], *to = &code->code.block[b];

	if (from->end == CODE_ON)
		return;
	calls_add(c, o, from->vaddr + from->last, to->vaddr, from->end == CODE_CONDITION && code->next[a].target != b ?
		  BRANCH_PASSED : BRANCH_TAKEN);
}

/* The hit behind that of block O->last was at block TO; NO_BLOCK = it returned. */
static void calls_advance(struct branch_calls *c, struct calls_open *o, uint32_t to)
{
	const struct calls_code *code = &c->code.v[o->code];
	const struct code_block *last = &code->code.block[o->last];
	struct calls_way w = { .c = code, .to = to };
	uint32_t at = o->last;

	if (to == NO_BLOCK && (last->end == CODE_RETURN || o->jumped))
		return;
	/* Where a jump leads whose target is made at run time is known by this hit alone. */
	if (last->end == CODE_INDIRECT && to != NO_BLOCK) {
		calls_step(c, o, code, at, to);
		return;
	}
	way_step(&w, at);
	if (w.ways != 1) {
		calls_add(c, o, last->vaddr + last->last, to == NO_BLOCK ? 0 : code->code.block[to].vaddr, BRANCH_GAP);
		return;
	}
	for (uint32_t i = 0; i < w.nr_found; i++) {
		calls_step(c, o, code, at, w.found[i]);
		at = w.found[i];
	}
	if (to != NO_BLOCK)
		calls_step(c, o, code, at, to);
}

/* ---- calls ---- */

static struct calls_open *calls_top(struct calls_thread *t)
{
	return t->open.n ? &t->open.v[t->open.n - 1] : NULL;
}

/* The innermost call of T has ended, as END says, at NS. */
static void calls_end(struct branch_calls *c, struct calls_thread *t, enum branch_end end, uint64_t ns, bool unseen)
{
	struct calls_open *o = calls_top(t);

	t->open.n--;
	c->figures.open--;
	o->call.ended_ns = ns;
	o->call.end = (uint8_t)end;
	o->call.depth = (uint32_t)t->open.n;
	if (unseen && end == BRANCH_LEFT) {
		c->figures.unended++;
	} else {
		c->figures.calls++;
		c->figures.left += end == BRANCH_LEFT;
		c->figures.jumped += end == BRANCH_LEFT_BY_JUMP;
		c->ops.ended(c->ops.ctx, &o->call);
	}
	vec_free(&o->call.branch);
}

/* Is ADDRESS near enough to SLOT to be on the same stack? */
static bool calls_same_stack(uint64_t slot, uint64_t address)
{
	return (slot > address ? slot - address : address - slot) < STACK_NEAR;
}

/* Takes calls off T whose slots are below SP, as they were left. With SAME also those at it, but for jumped ones. */
static void calls_take_left(struct branch_calls *c, struct calls_thread *t, const struct branch_hit *h, uint64_t sp,
			    bool same)
{
	struct calls_open *o;

	while ((o = calls_top(t)) && calls_same_stack(o->slot, sp) &&
	       (o->slot < sp || (same && o->slot == sp && !o->jumped)))
		calls_end(c, t, BRANCH_LEFT, h->time_ns, h->scale > 1);
}

static void calls_begin(struct branch_calls *c, struct calls_thread *t, const struct branch_hit *h, uint32_t code)
{
	struct calls_open *o;

	calls_take_left(c, t, h, h->sp, true);
	o = t->open.n < CALLS_DEPTH_MAX ? vec_push(&t->open) : NULL;
	if (!o) {
		c->figures.refused++;
		return;
	}
	*o = (struct calls_open){ .code = code, .slot = h->sp };
	o->call = (struct branch_call){ .begun_ns = h->time_ns, .pid = h->pid, .tid = h->tid, .probe = h->probe,
					.space = BRANCH_SPACE(h->probe, c->code.v[code].code.first) };
	strncpy(o->call.comm, h->comm, sizeof(o->call.comm) - 1);
	o->call.stack = h->stack;
	memcpy(o->call.arg, h->arg, sizeof(o->call.arg));
	c->figures.open++;
}

/* The call of CODE in T to which a hit with the stack pointer SP belongs; NULL. */
static struct calls_open *calls_find(struct calls_thread *t, uint32_t code, uint64_t sp)
{
	for (size_t i = t->open.n; i--;) {
		struct calls_open *o = &t->open.v[i];

		if (!calls_same_stack(o->slot, sp))
			continue;
		return o->code == code ? o : NULL;
	}
	return NULL;
}

/* The innermost call of T returned to its caller, if it is one of CODE with the return address at SLOT. */
static void calls_return(struct branch_calls *c, struct calls_thread *t, const struct branch_hit *h, uint32_t code,
			 uint64_t slot)
{
	struct calls_open *o;

	calls_take_left(c, t, h, slot, false);
	o = calls_top(t);
	if (!o || o->code != code || o->slot != slot) {
		c->figures.unbegun++;
		return;
	}
	o->call.result = h->result;
	calls_advance(c, o, NO_BLOCK);
	calls_end(c, t, BRANCH_RETURNED, h->time_ns, false);
}

/* Block NR of CODE, at which the function does not begin. */
static void calls_block(struct branch_calls *c, struct calls_thread *t, const struct branch_hit *h, uint32_t code,
			uint32_t nr)
{
	const struct probe_code *of = &c->code.v[code].code;
	const enum code_end end = (enum code_end)of->block[nr].end;
	struct calls_open *o;

	calls_take_left(c, t, h, h->sp, false);
	o = calls_find(t, code, h->sp);
	if (!o) {
		c->figures.unbegun++;
		return;
	}
	calls_advance(c, o, nr);
	o->last = nr;
	if (of->returns || o != calls_top(t)) {
		o->jumped |= end == CODE_TAIL;
		return;
	}
	o->call.result = h->result;
	if (end == CODE_RETURN || end == CODE_TAIL)
		calls_end(c, t, end == CODE_TAIL ? BRANCH_LEFT_BY_JUMP : BRANCH_RETURNED, h->time_ns, false);
}

void branch_calls_hit(struct branch_calls *c, const struct branch_hit *h)
{
	const struct calls_thread key = { .pid = h->pid, .tid = h->tid };
	const uint32_t code = calls_code_of(c, h->probe, h->number);
	const uint32_t id = code == NO_BLOCK ? HIDX_NONE : c->thread.n < CALLS_THREADS_MAX ?
		keyed_get(&c->thread, &key, open) : keyed_find(&c->thread, &key, open);
	const uint32_t nr = code == NO_BLOCK ? 0 : h->number - c->code.v[code].code.first;

	if (id == HIDX_NONE)
		c->figures.refused++;
	else if (h->returned)
		calls_return(c, &c->thread.v[id], h, code, h->sp - WORD_BYTES);
	else if (!nr)
		calls_begin(c, &c->thread.v[id], h, code);
	else
		calls_block(c, &c->thread.v[id], h, code, nr);
}

void branch_calls_figures(const struct branch_calls *c, struct branch_calls_figures *ret)
{
	*ret = c->figures;
}
