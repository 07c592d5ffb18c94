/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numathreads.c - the threads of the view by node: where each is at home and where it runs. Home is
 * the node that the kernel's balancing prefers, where it says so; otherwise the node where the
 * thread ran most in the time asked for.
 */
#include "config.h"

#include "base/order.h"

#include "query/numareport_private.h"

#include <stdlib.h>

bool numa_threads_begin(struct numa_build *b)
{
	b->thread = calloc(b->filter.threads + 1ul, sizeof(*b->thread));
	for (uint32_t i = 0; b->thread && i < b->filter.threads; i++) {
		b->thread[i].node = NODE_UNKNOWN;
		b->thread[i].row = ROW_NONE;
	}
	return b->thread;
}

/* The last slice tells where a thread is: where it ran there, for longest. */
static void note_place(struct numa_thread_sum *t, const struct numa_fact *x)
{
	const uint64_t ns = x->f->kind == EVENT_SAMPLE ? x->f->weight : 0;

	if (t->node != NODE_UNKNOWN && x->slice == t->slice && ns <= t->slice_ns)
		return;
	t->node = x->f->node;
	t->slice = x->slice;
	t->slice_ns = ns;
}

void numa_threads_sum(struct numa_build *b, const struct numa_fact *x)
{
	struct numa_thread_sum *t = &b->thread[x->thread];

	t->seen = true;
	if (x->f->kind == EVENT_SAMPLE)
		t->running_ns = add_capped(t->running_ns, x->f->weight);
	if (x->f->kind == EVENT_MIGRATION)
		t->moves = add_capped(t->moves, x->f->weight);
	if (x->f->kind == EVENT_ACCESS)
		numa_add_access(&t->accesses, x);
	if (!x->place && x->from >= 0)
		note_place(t, x);
}

static int numathreads_compare_threads(const void *va, const void *vb, void *ctx)
{
	const struct numa_build *b = ctx;
	const uint32_t a = *(const uint32_t *)va, o = *(const uint32_t *)vb;
	int r = b->thread[o].seen - b->thread[a].seen;

	if (!r)
		r = compare_numbers(b->thread[o].running_ns, b->thread[a].running_ns);
	return r ? r : compare_numbers(a, o);
}

/* What the state knows of the thread ID; NULL = nothing. */
static const struct numa_thread *known_thread(const struct numa_build *b, thread_id id)
{
	const struct thread *t = dict_get_thread(b->d, id);
	const struct numa_thread *known = b->v->state ? numa_state_thread(b->v->state, t->pid, t->tid) : NULL;

	return known && known->start_ns == t->start_ns ? known : NULL;
}

/* The state is that of its moment, and of all that happened until then. */
static bool state_is_of_end(const struct numa_build *b)
{
	return !b->q.to_ns || b->q.to_ns >= b->v->state->time_ns;
}

static bool state_is_of_all(const struct numa_build *b)
{
	return state_is_of_end(b) && !b->q.from_ns && !b->filter.terms.only_nodes && !b->filter.terms.bars_nodes;
}

static void fill_row(const struct numa_build *b, struct numa_thread_row *r)
{
	const struct numa_thread_sum *t = &b->thread[r->thread];
	const struct numa_thread *known = known_thread(b, r->thread);

	r->running_ns = t->running_ns;
	r->moves = known && state_is_of_all(b) ? known->moves : t->moves;
	r->accesses = t->accesses;
	r->node = known && state_is_of_end(b) && known->node < NODES_MAX ? (int32_t)known->node : t->node < NODES_MAX ?
		  (int32_t)t->node : -1;
	r->home_by_kernel = known && known->home >= 0;
	r->home = r->home_by_kernel ? known->home : -1;
}

bool numa_threads_rows(struct numa_build *b)
{
	AUTO_FREE uint32_t *order = in_order(b->filter.threads, numathreads_compare_threads, b);
	struct numa_view *v = b->v;

	if (!order)
		return false;
	while (v->nr_threads < b->filter.threads && v->nr_threads < NUMA_ROWS && b->thread[order[v->nr_threads]].seen)
		v->nr_threads++;
	v->thread = numa_block(b, v->nr_threads, sizeof(*v->thread));
	for (uint32_t i = 0; v->thread && i < v->nr_threads; i++) {
		v->thread[i].thread = order[i];
		v->thread[i].node_ns = numa_block(b, v->nr_nodes, sizeof(uint64_t));
		if (!v->thread[i].node_ns)
			return false;
		b->thread[order[i]].row = i;
		fill_row(b, &v->thread[i]);
	}
	return v->thread;
}

void numa_threads_fill(struct numa_build *b, const struct numa_fact *x)
{
	const uint32_t row = b->thread[x->thread].row;
	uint64_t *ns;

	if (x->f->kind != EVENT_SAMPLE || row == ROW_NONE || x->from < 0)
		return;
	ns = &b->v->thread[row].node_ns[x->from];
	*ns = add_capped(*ns, x->f->weight);
}

/* The node where R ran most; -1 when it never ran. */
static int32_t numathreads_most_of(const struct numa_view *v, const struct numa_thread_row *r)
{
	uint64_t most = 0;
	int32_t home = -1;

	for (uint32_t i = 0; i < v->nr_nodes; i++) {
		if (r->node_ns[i] > most) {
			most = r->node_ns[i];
			home = v->node[i].id;
		}
	}
	return home;
}

void numa_threads_end(struct numa_build *b)
{
	for (uint32_t i = 0; i < b->v->nr_threads; i++) {
		struct numa_thread_row *r = &b->v->thread[i];
		uint64_t all = 0;
		int home;

		if (r->home < 0)
			r->home = numathreads_most_of(b->v, r);
		for (uint32_t k = 0; k < b->v->nr_nodes; k++)
			all = add_capped(all, r->node_ns[k]);
		home = r->home >= 0 && r->home < (int32_t)NODES_MAX ? b->index[r->home] : -1;
		r->away_ns = all - (home >= 0 ? r->node_ns[home] : 0);
	}
}
