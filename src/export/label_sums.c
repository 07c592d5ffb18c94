/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * label_sums.c - sums the facts of a view by stack, thread, node, kind, state and system call, for
 * formats that take more from them than a call tree has (pprof, callgrind).
 */
#include "config.h"

#include "export/label_sums.h"

#include "profile/slice.h"
#include "query/filter.h"

#include <stdlib.h>

struct summing {
	struct stack_sums *to;
	const struct dict *d;
	struct filter filter;
	uint8_t *idle_thread;    /* by filter.same[]: it idles; NULL while there is none */
};

static bool label_sums_add_idle(struct summing *g, const struct fact *x, uint64_t count)
{
	const thread_id t = g->filter.same[x->thread];

	if (!g->idle_thread)
		g->idle_thread = calloc(g->filter.threads, sizeof(*g->idle_thread));
	if (!g->idle_thread)
		return false;
	g->to->idle_threads += !g->idle_thread[t];
	g->idle_thread[t] = 1;
	g->to->idle_ns = add_capped(g->to->idle_ns, x->weight);
	g->to->idle_count += count;
	return true;
}

static bool label_sums_add_fact(struct summing *g, const struct fact *x, unsigned int is)
{
	struct stack_sum want = { .stack = x->stack, .thread = x->thread, .node = x->node, .kind = x->kind & 31,
				  .places = (uint16_t)(filter_places(&g->filter, x) & ((1u << MEASURES_ASKED) - 1)) };
	const uint64_t count = is & FACT_COUNTS ? x->count : 0;
	struct stack_sum *s;
	uint32_t id;

	g->to->places |= want.places;
	if (is & FACT_IDLE && g->filter.q->fold_idle)
		return label_sums_add_idle(g, x, count);
	if (EVENT_IS_WAIT(x->kind)) {
		const struct wait *w = dict_get_wait(g->d, x->wait);

		want.call = w->call;
		want.state = w->state;
	}
	id = keyed_get(&g->to->v, &want, count);
	if (id == HIDX_NONE)
		return false;
	s = &g->to->v.v[id];
	s->count += count;
	s->ns = add_capped(s->ns, x->weight);
	return true;
}

static bool add_all(struct summing *g)
{
	struct asked a = { 0 };

	while (filter_next(&g->filter, &a))
		if (!label_sums_add_fact(g, a.fact, a.is))
			return false;
	return true;
}

int stack_sums_build(struct stack_sums *s, const struct export_view *v, const struct query *q, struct err *e)
{
	struct summing g = { .to = s, .d = snapshot_dict(v->snapshot) };
	bool ok;

	*s = (struct stack_sums){ 0 };
	ok = filter_init(&g.filter, v->snapshot, v->names, q) && add_all(&g);
	s->set = g.filter.set;
	filter_free(&g.filter);
	free(g.idle_thread);
	hidx_free(&s->v.index);
	return ok ? 0 : err_nomem(e, "the sums of stacks");
}

void stack_sums_free(struct stack_sums *s)
{
	keyed_free(&s->v);
}
