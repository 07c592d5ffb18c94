/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numareport.c - builds the view by node: it runs the passes over the facts (numareport_private.h)
 * and sums up each node and the whole. Threads, functions and their paths, sites and mappings have
 * files of their own.
 */
#include "config.h"

#include "query/numareport.h"

#include "base/clock.h"
#include "base/order.h"
#include "model/kind.h"
#include "query/numareport_private.h"
#include "query/threads.h"

#include <stdlib.h>

#define KINDS_ALL ((1u << EVENT_KINDS) - 1)

void *numa_block(struct numa_build *b, size_t n, size_t size)
{
	return n && size > SIZE_MAX / n ? NULL : arena_alloc(b->arena, n * size);
}

void numa_add_access(struct numa_accesses *to, const struct numa_fact *x)
{
	if (x->from < 0 || x->to < 0)
		return;
	if (!x->far) {
		to->near_ns = add_capped(to->near_ns, x->f->weight);
		to->near_count += x->f->count;
		return;
	}
	to->far_ns = add_capped(to->far_ns, x->f->weight);
	to->cost_ns = add_capped(to->cost_ns, x->cost_ns);
	to->far_count += x->f->count;
}

void numa_add_sum(struct numa_sum *to, const struct numa_sum *from)
{
	to->accesses.near_ns = add_capped(to->accesses.near_ns, from->accesses.near_ns);
	to->accesses.far_ns = add_capped(to->accesses.far_ns, from->accesses.far_ns);
	to->accesses.cost_ns = add_capped(to->accesses.cost_ns, from->accesses.cost_ns);
	to->accesses.near_count += from->accesses.near_count;
	to->accesses.far_count += from->accesses.far_count;
	to->weight = add_capped(to->weight, from->weight);
	to->samples += from->samples;
	to->away = add_capped(to->away, from->away);
}

int numa_compare_accesses(const struct numa_accesses *a, const struct numa_accesses *b)
{
	const int r = compare_numbers(b->cost_ns, a->cost_ns);

	return r ? r : compare_numbers(add_capped(b->near_ns, b->far_ns), add_capped(a->near_ns, a->far_ns));
}

/* WEIGHT, that of an access from one node to another, by index, times what one costs. */
static uint64_t cost_of(struct numa_build *b, int from, int to, uint64_t weight)
{
	uint32_t *permille = &b->permille[(size_t)from * b->v->nr_nodes + (size_t)to];
	uint64_t thousands, rest;

	if (!*permille)
		*permille = topology_cost_permille(b->topology, b->v->node[from].id, b->v->node[to].id);
	rest = weight % 1000 * *permille / 1000;
	return __builtin_mul_overflow(weight / 1000, *permille, &thousands) ? UINT64_MAX : add_capped(thousands, rest);
}

static struct numa_fact look_up(struct numa_build *b, const struct fact *f, size_t slice)
{
	struct numa_fact x = { .f = f, .slice = (uint32_t)slice, .thread = b->same[f->thread], .to = -1 };

	x.from = f->node < NODES_MAX ? b->index[f->node] : -1;
	if (kind_carries(f->kind) != CARRIES_PLACE)
		return x;
	x.place = dict_get_place(b->d, f->place);
	x.to = x.place->node < NODES_MAX ? b->index[x.place->node] : -1;
	x.far = x.from >= 0 && x.to >= 0 && topology_is_far(f->node, x.place->node);
	if (x.far && f->kind == EVENT_ACCESS && b->permille)
		x.cost_ns = cost_of(b, x.from, x.to, f->weight);
	return x;
}

/* Calls EACH for every fact that is asked for; false as soon as EACH is. */
static bool numareport_each_fact(struct numa_build *b, bool (*each)(struct numa_build *b, const struct numa_fact *x))
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a)) {
		const struct numa_fact x = look_up(b, a.fact, a.v.next - 1);

		if (!each(b, &x))
			return false;
	}
	return true;
}

/* Of the facts asked for, from AFTER_NS on. What is provisional may have begun long ago. */
static double seconds_of(struct numa_build *b, uint64_t after_ns)
{
	uint64_t from = UINT64_MAX, to = 0;
	struct slice_view v = { 0 };

	while (snapshot_next(b->s, &v)) {
		if (!filter_slice(&b->filter, &v) || (v.provisional && to))
			continue;
		from = v.from_ns < from ? v.from_ns : from;
		to = v.to_ns > to ? v.to_ns : to;
	}
	from = from > after_ns ? from : after_ns;
	return to > from ? (double)(to - from) / (double)NSEC_PER_SEC : 0;
}

/* Nodes */

static void see_node(struct numa_build *b, uint16_t node)
{
	if (node < NODES_MAX)
		b->index[node] = 0;
}

static bool see_nodes(struct numa_build *b, const struct numa_fact *x)
{
	see_node(b, x->f->node);
	if (x->place)
		see_node(b, x->place->node);
	return true;
}

/* Calls EACH for what is known of where the memory of processes is. */
static void each_resident(struct numa_build *b, void (*each)(struct numa_build *b, const struct numa_resident *r))
{
	const struct numa_state *state = b->v->state;

	for (size_t i = 0; state && i < state->process.n; i++)
		for (size_t k = 0; k < state->process.v[i].resident.n; k++)
			each(b, &state->process.v[i].resident.v[k]);
}

static void see_resident(struct numa_build *b, const struct numa_resident *r)
{
	see_node(b, r->node);
}

static void add_resident(struct numa_build *b, const struct numa_resident *r)
{
	const int i = r->node < NODES_MAX ? b->index[r->node] : -1;

	if (i >= 0)
		b->v->node[i].resident_bytes = add_capped(b->v->node[i].resident_bytes, r->bytes);
}

/* Makes rows of the nodes that are known by now, in the order of their numbers. */
static bool number_nodes(struct numa_build *b)
{
	uint32_t n = 0;

	for (unsigned int id = 0; id < NODES_MAX; id++)
		if (b->index[id] >= 0)
			b->index[id] = (int16_t)n++;
	b->v->nr_nodes = n;
	b->v->node = numa_block(b, n, sizeof(*b->v->node));
	b->v->cell = numa_block(b, (size_t)n * n, sizeof(*b->v->cell));
	b->permille = calloc((size_t)n * n + 1, sizeof(*b->permille));
	if (!b->v->node || !b->v->cell || !b->permille)
		return false;
	for (unsigned int id = 0; id < NODES_MAX; id++) {
		const int at = topology_index(b->topology, id);

		if (b->index[id] >= 0)
			b->v->node[b->index[id]] = (struct numa_node_row){ .id = (uint16_t)id,
									   .node = at >= 0 ?
									   &b->topology->node[at] : NULL };
	}
	return true;
}

static bool numareport_make_nodes(struct numa_build *b)
{
	for (unsigned int id = 0; id < NODES_MAX; id++)
		b->index[id] = -1;
	for (uint32_t i = 0; i < b->topology->nr; i++)
		see_node(b, b->topology->node[i].id);
	each_resident(b, see_resident);
	if (!numareport_each_fact(b, see_nodes) || !number_nodes(b))
		return false;
	each_resident(b, add_resident);
	return true;
}

static void add_to_matrix(struct numa_build *b, const struct numa_fact *x)
{
	struct numa_view *v = b->v;
	struct numa_cell *cell;

	numa_add_access(&v->all, x);
	if (x->to < 0)
		v->unknown_count += x->f->count;
	if (x->from < 0 || x->to < 0)
		return;
	cell = &v->cell[(size_t)x->from * v->nr_nodes + (size_t)x->to];
	cell->ns = add_capped(cell->ns, x->f->weight);
	cell->count += x->f->count;
	numa_add_access(&v->node[x->from].from, x);
	numa_add_access(&v->node[x->to].to, x);
}

static void add_move(struct numa_build *b, const struct numa_fact *x)
{
	b->v->moves = add_capped(b->v->moves, x->f->weight);
	if (x->from >= 0)
		b->v->node[x->from].moves_out = add_capped(b->v->node[x->from].moves_out, x->f->weight);
	if (x->to >= 0)
		b->v->node[x->to].moves_in = add_capped(b->v->node[x->to].moves_in, x->f->weight);
}

static void add_fault(struct numa_build *b, const struct numa_fact *x)
{
	b->v->faults = add_capped(b->v->faults, x->f->weight);
	b->v->fault_samples += x->f->count;
	if (x->to < 0)
		return;
	b->v->node[x->to].faults = add_capped(b->v->node[x->to].faults, x->f->weight);
	b->v->node[x->to].fault_samples += x->f->count;
}

static void add_time(struct numa_build *b, const struct numa_fact *x)
{
	struct numa_node_row *r = x->from >= 0 ? &b->v->node[x->from] : NULL;
	uint64_t *part;

	if (x->f->kind == EVENT_SAMPLE)
		b->v->samples += x->f->count;
	if (!r)
		return;
	part = x->f->kind == EVENT_SAMPLE ? &r->running_ns : x->f->kind == EVENT_RUNNABLE ?
		&r->runnable_ns : &r->blocked_ns;
	*part = add_capped(*part, x->f->weight);
}

/* All together */

static bool numareport_sum_fact(struct numa_build *b, const struct numa_fact *x)
{
	numa_threads_sum(b, x);
	switch (x->f->kind) {
	case EVENT_ACCESS:
		add_to_matrix(b, x);
		return numa_paths_sum(b, x) && numa_mappings_sum(b, x);
	case EVENT_FAULT:
		add_fault(b, x);
		return numa_paths_sum(b, x);
	case EVENT_MIGRATION:
		add_move(b, x);
		return numa_paths_sum(b, x);
	case EVENT_SAMPLE:
		add_time(b, x);
		return numa_paths_sum(b, x);
	default:
		add_time(b, x);
		return true;
	}
}

static bool numareport_fill_fact(struct numa_build *b, const struct numa_fact *x)
{
	numa_threads_fill(b, x);
	return !x->place || numa_paths_fill(b, x);
}

static bool numareport_prepare(struct numa_build *b)
{
	if (!filter_init(&b->filter, b->s, b->names, &b->q) || !identity_init(&b->identity, b->d, b->names) ||
	    !stack_signature_init(&b->reading, b->d, b->names, b->q.no_inlines, true))
		return false;
	b->filter.kinds = KINDS_ALL;
	b->filter.choosy = 0;
	b->same = threads_same(b->s, b->filter.threads);
	return b->same && numareport_make_nodes(b) && numa_threads_begin(b);
}

static bool numareport_build(struct numa_build *b)
{
	struct numa_view *v = b->v;
	double all, costly;

	if (!numareport_prepare(b) || !numareport_each_fact(b, numareport_sum_fact))
		return false;
	if (!numa_threads_rows(b) || !numa_paths_rows(b) || !numa_mappings_rows(b) ||
	    !numareport_each_fact(b, numareport_fill_fact))
		return false;
	numa_threads_end(b);
	numa_paths_end(b);
	all = (double)v->all.near_ns + (double)v->all.far_ns;
	costly = (double)v->all.near_ns + (double)v->all.cost_ns;
	v->far_share = all > 0 ? (double)v->all.far_ns / all : 0;
	v->far_weighed = costly > 0 ? (double)v->all.cost_ns / costly : 0;
	v->seconds = seconds_of(b, 0);
	v->sampled_seconds = seconds_of(b, v->state ? v->state->sampled_from_ns : 0);
	return true;
}

/* Frees everything but the view. */
static void build_free(struct numa_build *b)
{
	filter_free(&b->filter);
	identity_free(&b->identity);
	stack_signature_free(&b->reading);
	free(b->same);
	free(b->permille);
	free(b->thread);
	free(b->site_mapping);
	keyed_free(&b->stacks);
	vec_free(&b->funcs);
	vec_free(&b->bunches);
	keyed_free(&b->shares);
	vec_free(&b->mappings);
	hidx_free(&b->func_index);
	hidx_free(&b->bunch_index);
	hidx_free(&b->mapping_index);
}

int numa_view_build(const struct snapshot *s, const struct names *names, const struct query *q,
		    struct numa_view **ret, struct err *e)
{
	static const struct numa_topology nothing;
	const struct numa_state *state = snapshot_numa(s);
	struct numa_build b = { .s = s, .d = snapshot_dict(s), .names = names, .q = filter_whatever_counts(q) };
	bool ok;

	b.topology = state ? &state->topology : &nothing;
	b.v = calloc(1, sizeof(*b.v));
	b.arena = calloc(1, sizeof(*b.arena));
	ok = b.v && b.arena;
	if (ok) {
		*b.v = (struct numa_view){ .dict = b.d, .names = names, .state = state, .query = *q,
					   .blocks = b.arena };
		ok = numareport_build(&b);
	} else {
		free(b.arena);
	}
	build_free(&b);
	if (!ok) {
		numa_view_free(b.v);
		return err_nomem(e, "the view by node");
	}
	*ret = b.v;
	return 0;
}

void numa_view_free(struct numa_view *v)
{
	if (!v)
		return;
	if (v->blocks)
		arena_reset(v->blocks);
	free(v->blocks);
	free(v);
}
