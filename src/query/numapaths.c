/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapaths.c - finds the heaviest call paths of functions, first touches and migrations for the
 * view by node. Facts are summed by stack, and stacks that read the same are put together; only the
 * heaviest get rows and the details that a row needs.
 */
#include "config.h"

#include "base/order.h"

#include "query/numareport_private.h"

#include <stdlib.h>

/* Stacks */

bool numa_paths_sum(struct numa_build *b, const struct numa_fact *x)
{
	const struct numa_stack want = { .stack = x->f->stack, .kind = x->f->kind, .bunch = ROW_NONE };
	const uint32_t id = keyed_get(&b->stacks, &want, bunch);
	struct numa_stack *s;

	if (id == HIDX_NONE)
		return false;
	s = &b->stacks.v[id];
	s->sum.samples += x->f->count;
	if (x->f->kind == EVENT_ACCESS)
		numa_add_access(&s->sum.accesses, x);
	else
		s->sum.weight = add_capped(s->sum.weight, x->f->weight);
	if (x->f->kind == EVENT_FAULT && x->far)
		s->sum.away = add_capped(s->sum.away, x->f->weight);
	return true;
}

/* Bunches */

static uint64_t bunch_key(uint8_t kind, uint32_t func, uint64_t reading)
{
	return hash_2u64((uint64_t)kind << 32 | func, reading);
}

static uint64_t bunch_hash(const void *ctx, uint32_t id)
{
	const struct numa_build *b = ctx;
	const struct numa_bunch *u = &b->bunches.v[id];

	return bunch_key(u->kind, u->func, u->reading);
}

/* The bunch like WANT, made when there is none; ROW_NONE when out of memory. */
static uint32_t bunch_of(struct numa_build *b, const struct numa_bunch *want)
{
	const uint64_t h = bunch_key(want->kind, want->func, want->reading);
	uint32_t id;

	hidx_each(&b->bunch_index, h, id) {
		const struct numa_bunch *u = &b->bunches.v[id];

		if (u->reading == want->reading && u->kind == want->kind && u->func == want->func)
			return id;
	}
	if (!vec_reserve(&b->bunches, 1))
		return ROW_NONE;
	id = (uint32_t)b->bunches.n;
	b->bunches.v[b->bunches.n++] = *want;
	return hidx_add(&b->bunch_index, h, id, bunch_hash, b) ? id : ROW_NONE;
}

static uint64_t weight_of(uint8_t kind, const struct numa_sum *s)
{
	return kind == EVENT_ACCESS ? add_capped(s->accesses.near_ns, s->accesses.far_ns) : s->weight;
}

static bool add_to_bunch(struct numa_build *b, struct numa_stack *s, uint32_t func)
{
	const uint64_t weight = weight_of(s->kind, &s->sum);
	struct numa_bunch want = { .func = func, .kind = s->kind, .stack = s->stack, .row = ROW_NONE,
				   .thread = ID_NONE };
	struct numa_bunch *u;

	want.reading = stack_signature_hash(&b->reading, s->stack);
	s->bunch = want.reading ? bunch_of(b, &want) : ROW_NONE;
	if (s->bunch == ROW_NONE)
		return false;
	u = &b->bunches.v[s->bunch];
	numa_add_sum(&u->sum, &s->sum);
	if (weight > u->stack_weight) {
		u->stack_weight = weight;
		u->stack = s->stack;
	}
	return true;
}

/* Accesses of which no page is known say nothing of a function. */
static bool add_accesses(struct numa_build *b, struct numa_stack *s)
{
	uint32_t func;

	if (!s->sum.accesses.near_count && !s->sum.accesses.far_count)
		return true;
	if (!numa_funcs_find(b, s->stack, true, &func))
		return false;
	if (func == ROW_NONE)
		return true;
	numa_add_sum(&b->funcs.v[func].sum, &(struct numa_sum){ .accesses = s->sum.accesses });
	return add_to_bunch(b, s, func);
}

static bool add_samples(struct numa_build *b, const struct numa_stack *s)
{
	uint32_t func;

	if (!numa_funcs_find(b, s->stack, false, &func))
		return false;
	if (func != ROW_NONE)
		b->funcs.v[func].sum.samples += s->sum.samples;
	return true;
}

static bool make_bunches(struct numa_build *b)
{
	bool ok = true;

	for (size_t i = 0; ok && i < b->stacks.n; i++) {
		struct numa_stack *s = &b->stacks.v[i];

		if (s->kind == EVENT_ACCESS)
			ok = add_accesses(b, s);
		else if (s->kind != EVENT_SAMPLE)
			ok = add_to_bunch(b, s, ROW_NONE);
	}
	for (size_t i = 0; ok && i < b->stacks.n; i++)
		if (b->stacks.v[i].kind == EVENT_SAMPLE)
			ok = add_samples(b, &b->stacks.v[i]);
	return ok;
}

/* Rows */

static uint32_t numapaths_func_row(const struct numa_build *b, const struct numa_bunch *u)
{
	return u->func == ROW_NONE ? ROW_NONE : b->funcs.v[u->func].row;
}

/* By kind; paths of one function together. */
static int compare_bunches(const void *va, const void *vb, void *ctx)
{
	const struct numa_build *b = ctx;
	const struct numa_bunch *a = &b->bunches.v[*(const uint32_t *)va], *o = &b->bunches.v[*(const uint32_t *)vb];
	int r = compare_numbers(a->kind, o->kind);

	if (!r)
		r = compare_numbers(numapaths_func_row(b, a), numapaths_func_row(b, o));
	if (!r)
		r = numa_compare_accesses(&a->sum.accesses, &o->sum.accesses);
	if (!r)
		r = compare_numbers(o->sum.away, a->sum.away);
	if (!r)
		r = compare_numbers(o->sum.weight, a->sum.weight);
	return r ? r : compare_numbers(a->reading, o->reading);
}

static void give_paths(struct numa_build *b, const uint32_t *order)
{
	struct numa_view *v = b->v;

	for (size_t i = 0; i < b->bunches.n; i++) {
		struct numa_bunch *u = &b->bunches.v[order[i]];
		const uint32_t func = numapaths_func_row(b, u);
		struct numa_func_row *f = func == ROW_NONE ? NULL : &v->func[func];

		if (!f || f->nr_paths >= NUMA_PATHS)
			continue;
		if (!f->nr_paths++)
			f->first_path = v->nr_paths;
		u->row = v->nr_paths++;
	}
}

static bool paths_rows(struct numa_build *b, const uint32_t *order)
{
	struct numa_view *v = b->v;

	give_paths(b, order);
	v->path = numa_block(b, v->nr_paths, sizeof(*v->path));
	for (size_t i = 0; v->path && i < b->bunches.n; i++) {
		const struct numa_bunch *u = &b->bunches.v[i];

		if (u->kind == EVENT_ACCESS && u->row != ROW_NONE)
			v->path[u->row] = (struct numa_path){ .key = u->reading, .stack = u->stack,
							      .thread = ID_NONE, .accesses = u->sum.accesses };
	}
	return v->path;
}

bool numa_paths_rows(struct numa_build *b)
{
	AUTO_FREE uint32_t *order = NULL;

	if (!make_bunches(b) || !numa_funcs_rows(b))
		return false;
	order = in_order(b->bunches.n, compare_bunches, b);
	return order && paths_rows(b, order) && numa_sites_rows(b, order);
}

/* Filling */

/* Counts that WEIGHT more of a bunch is THREAD's. */
static bool add_share(struct numa_build *b, uint32_t bunch, thread_id thread, uint64_t weight)
{
	const struct numa_share want = { .bunch = bunch, .thread = thread };
	const uint32_t id = keyed_get(&b->shares, &want, weight);

	if (id == HIDX_NONE)
		return false;
	b->shares.v[id].weight = add_capped(b->shares.v[id].weight, weight);
	return true;
}

static void fill_func(struct numa_build *b, const struct numa_fact *x, uint32_t func)
{
	uint64_t *ns;

	if (func == ROW_NONE || x->from < 0 || x->to < 0)
		return;
	ns = &b->v->func[func].to_ns[x->to];
	*ns = add_capped(*ns, x->f->weight);
}

bool numa_paths_fill(struct numa_build *b, const struct numa_fact *x)
{
	const struct numa_stack want = { .stack = x->f->stack, .kind = x->f->kind };
	const uint32_t id = keyed_find(&b->stacks, &want, bunch), bunch = id == HIDX_NONE ? ROW_NONE :
		b->stacks.v[id].bunch;
	const struct numa_bunch *u;

	if (bunch == ROW_NONE)
		return true;
	u = &b->bunches.v[bunch];
	fill_func(b, x, numapaths_func_row(b, u));
	if (u->row == ROW_NONE)
		return true;
	if (u->kind == EVENT_FAULT)
		numa_sites_fill(b, x, u->row);
	return add_share(b, bunch, x->thread, x->f->weight);
}

void numa_paths_end(struct numa_build *b)
{
	for (size_t i = 0; i < b->shares.n; i++) {
		const struct numa_share *s = &b->shares.v[i];
		struct numa_bunch *u = &b->bunches.v[s->bunch];

		if (u->thread == ID_NONE || s->weight > u->thread_weight ||
		    (s->weight == u->thread_weight && s->thread < u->thread)) {
			u->thread = s->thread;
			u->thread_weight = s->weight;
		}
	}
	for (size_t i = 0; i < b->bunches.n; i++) {
		const struct numa_bunch *u = &b->bunches.v[i];

		if (u->row == ROW_NONE)
			continue;
		if (u->kind == EVENT_ACCESS)
			b->v->path[u->row].thread = u->thread;
		else if (u->kind == EVENT_FAULT)
			b->v->site[u->row].path.thread = u->thread;
		else
			b->v->move[u->row].path.thread = u->thread;
	}
	numa_sites_end(b);
}
