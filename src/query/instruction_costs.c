/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction_costs.c - divides the time of one function among its instructions and lines
 * (instruction_costs.h).
 *
 * 1. Facts are summed per stack. 2. From the back (callers have smaller numbers than what they
 *    call) sums become totals, and each stack is hung up under its caller. 3. One walk through
 *    those that have any weight adds up places and groups, and knows at each step which of them it
 *    is below.
 */
#include "config.h"

#include "query/instruction_costs.h"

#include "profile/slice.h"
#include "query/filter.h"

#include <errno.h>
#include <stdlib.h>

/* Of one stack. */
struct sum {
	uint64_t own_ns, all_ns; /* that end here; and those that go on */
	stack_id child, sibling; /* of those with weight; STACK_ROOT = none */
};

struct builder {
	const struct dict *d;
	const struct query *q;
	const struct instruction_costs_of *of;
	struct instruction_costs *h;
	uint32_t stacks, frames;
	/* by frame: bytes behind the start of the function, INSTRUCTION_COSTS_NONE = elsewhere */
	uint32_t *at;
	struct sum *sum;         /* by stack */
	uint32_t *above, *above_group;   /* so many frames in the place, in the group, lead to where the walk is */
	uint32_t above_all;
};

static uint32_t place_of_frame(const struct builder *b, frame_id id)
{
	return id < b->frames ? b->at[id] : INSTRUCTION_COSTS_NONE;
}

static bool instruction_costs_in_kernel(const struct builder *b, frame_id id)
{
	const struct frame *f = dict_get_frame(b->d, id);

	return f && dict_get_module(b->d, f->module)->kind == MODULE_KERNEL;
}

static void instruction_costs_find_frames(struct builder *b)
{
	for (frame_id i = 0; i < b->frames; i++) {
		const struct frame *f = dict_get_frame(b->d, i);
		const bool in = f->module == b->of->module && f->offset >= b->of->start &&
			f->offset - b->of->start < b->of->size;

		b->at[i] = in ? (uint32_t)(f->offset - b->of->start) : INSTRUCTION_COSTS_NONE;
	}
}

/* 1. */

static stack_id instruction_costs_visible(const struct builder *b, stack_id id)
{
	while (b->q->hide_kernel && id != STACK_ROOT && instruction_costs_in_kernel(b, dict_get_stack(b->d, id)->frame))
		id = dict_get_stack(b->d, id)->parent;
	return id;
}

static void instruction_costs_add_fact(struct builder *b, const struct measure_set *set, const struct fact *x,
				       unsigned int is)
{
	const uint64_t value = measure_total(set, x->weight, x->count);
	const stack_id id = instruction_costs_visible(b, x->stack);

	if (id >= b->stacks)
		return;
	b->sum[id].own_ns = add_capped(b->sum[id].own_ns, value);
	b->h->asked_ns = add_capped(b->h->asked_ns, value);
	if (id != STACK_ROOT && is & FACT_COUNTS &&
	    place_of_frame(b, dict_get_stack(b->d, id)->frame) != INSTRUCTION_COSTS_NONE)
		b->h->count += x->count;
}

static void instruction_costs_add_facts(struct builder *b, struct filter *f)
{
	struct asked a = { 0 };

	while (filter_next(f, &a))
		if (!(a.is & FACT_IDLE && b->q->fold_idle))
			instruction_costs_add_fact(b, &f->set, a.fact, a.is);
}

/* 2. */

static void hang_up(struct builder *b)
{
	for (stack_id id = b->stacks - 1; id > STACK_ROOT; id--) {
		struct sum *s = &b->sum[id], *parent = &b->sum[dict_get_stack(b->d, id)->parent];

		s->all_ns = add_capped(s->all_ns, s->own_ns);
		if (!s->all_ns)
			continue;
		parent->all_ns = add_capped(parent->all_ns, s->all_ns);
		s->sibling = parent->child;
		parent->child = id;
	}
}

/* 3. */

static uint32_t instruction_costs_group_of(const struct builder *b, uint32_t place)
{
	return b->of->group ? b->of->group[place] : INSTRUCTION_COSTS_NONE;
}

/* What a stack passes on to what it calls from byte AT is put down to this place. */
static uint32_t place_of_call(const struct builder *b, const struct sum *s, uint32_t at)
{
	const uint32_t here = b->of->place[at], before = at ? b->of->place[at - 1] : here;
	const bool kernel = s->child != STACK_ROOT &&
		instruction_costs_in_kernel(b, dict_get_stack(b->d, s->child)->frame);

	return kernel && before != here && b->of->enters && b->of->enters[before] ? before : here;
}

static void add_total(struct builder *b, uint32_t place, uint64_t ns)
{
	const uint32_t group = instruction_costs_group_of(b, place);

	if (!b->above[place])
		b->h->place[place].total_ns += ns;
	if (group != INSTRUCTION_COSTS_NONE && !b->above_group[group])
		b->h->group[group].total_ns += ns;
}

static void instruction_costs_enter(struct builder *b, stack_id id)
{
	const struct sum *s = &b->sum[id];
	const uint32_t at = place_of_frame(b, dict_get_stack(b->d, id)->frame);
	uint32_t here, call, group;

	if (at == INSTRUCTION_COSTS_NONE)
		return;
	here = b->of->place[at];
	call = place_of_call(b, s, at);
	group = instruction_costs_group_of(b, here);
	b->h->place[here].self_ns += s->own_ns;
	if (group != INSTRUCTION_COSTS_NONE)
		b->h->group[group].self_ns += s->own_ns;
	b->h->all.self_ns += s->own_ns;
	if (!b->above_all++)
		b->h->all.total_ns += s->all_ns;
	add_total(b, here, s->own_ns);
	add_total(b, call, s->all_ns - s->own_ns);
	b->above[call]++;
	if (instruction_costs_group_of(b, call) != INSTRUCTION_COSTS_NONE)
		b->above_group[instruction_costs_group_of(b, call)]++;
}

static void instruction_costs_leave(struct builder *b, stack_id id)
{
	const uint32_t at = place_of_frame(b, dict_get_stack(b->d, id)->frame);
	uint32_t call;

	if (at == INSTRUCTION_COSTS_NONE)
		return;
	call = place_of_call(b, &b->sum[id], at);
	b->above_all--;
	b->above[call]--;
	if (instruction_costs_group_of(b, call) != INSTRUCTION_COSTS_NONE)
		b->above_group[instruction_costs_group_of(b, call)]--;
}

static void instruction_costs_walk(struct builder *b)
{
	stack_id at = b->sum[STACK_ROOT].child;

	while (at != STACK_ROOT) {
		instruction_costs_enter(b, at);
		if (b->sum[at].child != STACK_ROOT) {
			at = b->sum[at].child;
			continue;
		}
		for (; at != STACK_ROOT; at = dict_get_stack(b->d, at)->parent) {
			instruction_costs_leave(b, at);
			if (b->sum[at].sibling != STACK_ROOT) {
				at = b->sum[at].sibling;
				break;
			}
		}
	}
}

static bool instruction_costs_prepare(struct builder *b)
{
	b->h->place = calloc(b->of->places + 1ul, sizeof(*b->h->place));
	b->h->group = calloc(b->of->groups + 1ul, sizeof(*b->h->group));
	b->above = calloc(b->of->places + 1ul, sizeof(*b->above));
	b->above_group = calloc(b->of->groups + 1ul, sizeof(*b->above_group));
	b->at = malloc((b->frames + 1ul) * sizeof(*b->at));
	b->sum = calloc(b->stacks, sizeof(*b->sum));
	return b->h->place && b->h->group && b->above && b->above_group && b->at && b->sum;
}

int instruction_costs_build(const struct snapshot *s, const struct names *names, const struct query *q,
	       const struct instruction_costs_of *of, struct instruction_costs **ret, struct err *e)
{
	AUTO(instruction_costs_free) struct instruction_costs *h = calloc(1, sizeof(*h));
	const struct dict *d = snapshot_dict(s);
	/* Stacks are counted first: what they are made of exists by then. */
	struct builder b = { .d = d, .q = q, .of = of, .h = h, .stacks = dict_stacks(d) };
	struct filter f;
	bool ok;

	b.frames = dict_frames(d);
	ok = h && instruction_costs_prepare(&b);
	if (ok) {
		ok = filter_init(&f, s, names, q);
		if (ok) {
			instruction_costs_find_frames(&b);
			instruction_costs_add_facts(&b, &f);
			hang_up(&b);
			instruction_costs_walk(&b);
		}
		filter_free(&f);
	}
	free(b.above);
	free(b.above_group);
	free(b.at);
	free(b.sum);
	if (!ok)
		return err_nomem(e, "what a function weighs");
	*ret = take_ptr(h);
	return 0;
}

void instruction_costs_free(struct instruction_costs *h)
{
	if (!h)
		return;
	free(h->place);
	free(h->group);
	free(h);
}
