/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * subtree_filter.c - limits a question to what is at or below one node of the call tree, which is
 * given by the keys on the way from the root. subtree_filter.h says why no tree is needed for that.
 */
#include "config.h"

#include "query/subtree_filter.h"

#include "query/spanfilter.h"

#include "query/tree.h"

#include <stdlib.h>

#define OUT UINT32_MAX           /* in place of a number of keys: another branch */

/* The key of what the first N keys lead to. */
static uint64_t key_at(const struct subtree_filter *w, uint32_t n)
{
	return n ? w->q->within[n - 1] : TREE_ROOT_KEY;
}

/* One step further than N keys, to the node that IDENTITY, KIND and INLINED make. */
static uint32_t subtree_filter_step(const struct subtree_filter *w, uint32_t n, uint64_t identity, unsigned int kind,
				    bool inlined)
{
	return tree_key(key_at(w, n), identity, kind, inlined) == w->q->within[n] ? n + 1 : OUT;
}

/* Steps through all that FRAME stands for, as far as there are keys. */
static uint32_t subtree_filter_steps(struct subtree_filter *w, uint32_t n, frame_id frame)
{
	const struct frame *f = dict_get_frame(w->d, frame);
	const struct module *m = dict_get_module(w->d, f->module);
	const struct frame_names *fn = m->kind == MODULE_NOTE ? NULL : names_get(w->names, frame);
	const uint32_t names = fn ? fn->n : 1;

	if (hidden_frame(&w->hidden, f))
		return n;
	for (uint32_t i = 0; i < names && n < w->q->nr_within; i++) {
		const uint32_t at = w->q->inverted ? i : names - 1 - i;

		if (at < names - 1 && w->q->no_inlines)
			continue;
		n = fn ? subtree_filter_step(w, n, identity_func(&w->identity, fn->name[at].func), NODE_FUNC,
			 at < names - 1) :
			 subtree_filter_step(w, n, identity_frame(&w->identity, frame), NODE_ADDR, false);
	}
	return n;
}

static uint32_t subtree_filter_walk_up(struct subtree_filter *w, stack_id stack)
{
	uint32_t n = w->groups;

	for (; stack != STACK_ROOT && n < w->q->nr_within; stack = dict_get_stack(w->d, stack)->parent)
		n = subtree_filter_steps(w, n, dict_get_stack(w->d, stack)->frame);
	return n;
}

static uint32_t subtree_filter_walk_folded(struct subtree_filter *w, stack_id stack)
{
	uint32_t n = w->groups;

	if (!fold_path_of(&w->folded, stack)) {
		w->no_memory = true;
		return OUT;
	}
	for (size_t i = 0; i < w->folded.step.n && n < w->q->nr_within; i++) {
		const struct fold_step *s = &w->folded.step.v[w->q->inverted ? w->folded.step.n - 1 - i : i];

		n = subtree_filter_step(w, n, s->identity, s->name ? NODE_FUNC : NODE_ADDR, s->inlined);
	}
	return n;
}

/* Callers have smaller numbers than what they call. */
static void judge_stacks(struct subtree_filter *w)
{
	w->stack[STACK_ROOT] = w->groups;
	for (stack_id id = STACK_ROOT + 1; id < w->stacks; id++) {
		const struct stack *s = dict_get_stack(w->d, id);

		if (w->q->fold_recursion)
			w->stack[id] = subtree_filter_walk_folded(w, id);
		else if (w->q->inverted)
			w->stack[id] = subtree_filter_walk_up(w, id);
		else if (w->stack[s->parent] >= w->q->nr_within)
			w->stack[id] = w->stack[s->parent];
		else
			w->stack[id] = subtree_filter_steps(w, w->stack[s->parent], s->frame);
	}
}

/* So many keys the group G has, below N of them. */
static uint32_t in_group(const struct subtree_filter *w, const struct groups *groups, uint32_t g, uint32_t n)
{
	const struct group *group = &groups->v.v[g];

	if (group->up != GROUP_TOP)
		n = in_group(w, groups, group->up, n);
	return n >= w->q->nr_within ? n : subtree_filter_step(w, n, group->hash, group->kind, false);
}

static void subtree_filter_judge_threads(struct subtree_filter *w, const struct groups *groups)
{
	const uint32_t above = (uint32_t)w->q->by_node + w->q->by_span;

	for (thread_id id = 0; id < w->threads; id++)
		w->thread[id] = !groups->of_thread || in_group(w, groups, groups->of_thread[id], above) != OUT;
}

static void find_numa(struct subtree_filter *w)
{
	const uint32_t above = w->q->by_span;

	w->numa = UINT32_MAX;
	for (uint32_t numa = 0; numa <= UINT16_MAX && above < w->q->nr_within; numa++)
		if (subtree_filter_step(w, above, numa, NODE_NUMA, false) == above + 1)
			w->numa = numa;
}

static void find_span_place(struct subtree_filter *w)
{
	w->place = UINT32_MAX;
	for (uint32_t place = 0; place < SPAN_PLACES; place++)
		if (subtree_filter_step(w, 0, place, NODE_SPAN, false) == 1)
			w->place = place;
}

bool subtree_filter_init(struct subtree_filter *w, const struct dict *d, const struct names *names,
			 const struct query *q)
{
	struct groups groups = { .of_thread = NULL };
	bool ok;

	/* Stacks and threads are counted first: what they are made of exists by then. */
	*w = (struct subtree_filter){ .d = d, .names = names, .q = q, .threads = dict_threads(d),
				      .stacks = dict_stacks(d) };
	w->groups = (uint32_t)q->by_node + q->by_span +
		(q->group_by == GROUP_NONE ? 0 : q->group_by == GROUP_THREAD ? 2 : 1);
	w->thread = calloc(w->threads + 1ul, sizeof(*w->thread));
	w->stack = malloc(w->stacks * sizeof(*w->stack));
	ok = w->thread && w->stack && groups_build(&groups, d, q->group_by) >= 0 &&
	     identity_init(&w->identity, d, names) && hidden_init(&w->hidden, d, q);
	w->folded = (struct fold_path){ .q = q, .hidden = &w->hidden, .identity = &w->identity };
	if (ok) {
		if (q->by_node)
			find_numa(w);
		if (q->by_span)
			find_span_place(w);
		subtree_filter_judge_threads(w, &groups);
		judge_stacks(w);
	}
	groups_free(&groups);
	return ok && !w->no_memory;
}

void subtree_filter_free(struct subtree_filter *w)
{
	identity_free(&w->identity);
	hidden_free(&w->hidden);
	fold_path_free(&w->folded);
	free(w->thread);
	free(w->stack);
}

bool subtree_filter_has(const struct subtree_filter *w, thread_id thread, unsigned int node, stack_id stack,
			unsigned int place)
{
	if (w->q->by_span && place != w->place)
		return false;
	if (w->q->by_node && w->q->nr_within > w->q->by_span && (node < NODES_MAX ? node : NODE_UNKNOWN) != w->numa)
		return false;
	if (thread >= w->threads || !w->thread[thread])
		return false;
	return stack < w->stacks && w->stack[stack] >= w->q->nr_within && w->stack[stack] != OUT;
}
