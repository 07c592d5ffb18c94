/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitrows.c - stores the rows of a list of waits while waits.c builds it: finds a row by its
 * identity, fills it, adds up its parents, sorts the whole.
 */
#include "config.h"

#include "query/waitrows.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "profile/slice.h"
#include "query/filter.h"

#include <stdlib.h>

bool rows_init(struct wait_rows *rows)
{
	struct wait_row *root;

	*rows = (struct wait_rows){ 0 };
	root = vec_push(&rows->v);
	if (root)
		*root = (struct wait_row){ .level = WAIT_LEVEL_ALL, .key = hash_u64(1), .thread = ID_NONE };
	return root;
}

void rows_free(struct wait_rows *rows)
{
	vec_free(&rows->v);
	hidx_free(&rows->index);
}

static uint64_t row_key(const struct wait_rows *rows, uint32_t parent, uint64_t identity)
{
	return hash_2u64(rows->v.v[parent].key, identity);
}

static uint64_t waitrows_row_hash(const void *ctx, uint32_t id)
{
	const struct wait_rows *rows = ctx;

	return rows->v.v[id].key;
}

uint32_t rows_find(const struct wait_rows *rows, uint32_t parent, uint64_t identity)
{
	const uint64_t h = row_key(rows, parent, identity);
	uint32_t id;

	hidx_each(&rows->index, h, id)
		if (rows->v.v[id].key == h && rows->v.v[id].parent == parent)
			return id;
	return NODE_NONE;
}

uint32_t rows_get(struct wait_rows *rows, const struct wait_row *want, uint64_t identity)
{
	uint32_t id = rows_find(rows, want->parent, identity);

	if (id != NODE_NONE)
		return id;
	if (!vec_reserve(&rows->v, 1))
		return NODE_NONE;
	id = (uint32_t)rows->v.n;
	rows->v.v[id] = *want;
	rows->v.v[id].key = row_key(rows, want->parent, identity);
	if (!hidx_add(&rows->index, rows->v.v[id].key, id, waitrows_row_hash, rows))
		return NODE_NONE;
	rows->v.n++;
	return id;
}

void row_fill(struct wait_row *r, const struct wait *w, const struct fact *f, unsigned int is)
{
	uint64_t *part = f->kind == EVENT_BLOCKED ? &r->blocked_ns : &r->runnable_ns;

	*part = add_capped(*part, f->weight);
	r->total_ns = add_capped(r->total_ns, f->weight);
	/* A recording of later may have states without a name here. */
	if (w->state < WAIT_STATE_NR)
		r->states |= (uint16_t)(1u << w->state);
	if (is & FACT_DOUBT)
		r->doubt_ns = add_capped(r->doubt_ns, f->weight);
	if (is & FACT_OPEN)
		r->open_ns = add_capped(r->open_ns, f->weight);
	if (is & FACT_COUNTS) {
		r->count += f->count;
		r->hist[w->bucket < WAIT_BUCKETS ? w->bucket : WAIT_BUCKETS - 1] += f->count;
	}
	if (r->longest_ns < (double)f->longest_ns)
		r->longest_ns = (double)f->longest_ns;
}

static void waitrows_add_row(struct wait_row *to, const struct wait_row *from)
{
	to->total_ns = add_capped(to->total_ns, from->total_ns);
	to->blocked_ns = add_capped(to->blocked_ns, from->blocked_ns);
	to->runnable_ns = add_capped(to->runnable_ns, from->runnable_ns);
	to->doubt_ns = add_capped(to->doubt_ns, from->doubt_ns);
	to->open_ns = add_capped(to->open_ns, from->open_ns);
	to->states |= from->states;
	to->count += from->count;
	for (unsigned int i = 0; i < WAIT_BUCKETS; i++)
		to->hist[i] += from->hist[i];
	if (to->longest_ns < from->longest_ns)
		to->longest_ns = from->longest_ns;
}

static int waitrows_compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct wait_rows *rows = ctx;
	const struct wait_row *a = &rows->v.v[*(const uint32_t *)va], *b = &rows->v.v[*(const uint32_t *)vb];
	int r = compare_numbers(a->parent, b->parent);

	if (!r)
		r = compare_numbers(b->total_ns, a->total_ns);
	return r ? r : compare_numbers(a->key, b->key);
}

/*
 * Puts the rows into OUT depth first. Families are gone through in the order of their parents,
 * which have their places by then; a row's place is behind its elder siblings and all below these.
 */
static bool waitrows_put_in_order(struct wait_rows *rows, struct wait_row *out)
{
	const size_t n = rows->v.n;
	AUTO_FREE uint32_t *order = in_order(n, waitrows_compare_rows, rows), *size = calloc(n, sizeof(*size));
	AUTO_FREE uint32_t *at = calloc(n, sizeof(*at)), *next = calloc(n, sizeof(*next));

	if (!order || !size || !at || !next)
		return false;
	for (size_t i = n; i-- > 0;) {
		size[i]++;
		next[i] = 1;
		if (i)
			size[rows->v.v[i].parent] += size[i];
	}
	/* The root is its own parent while rows are made, and so comes among its children: where, does not matter. */
	for (size_t i = 0; i < n; i++) {
		const uint32_t row = order[i], up = rows->v.v[row].parent;

		if (row) {
			at[row] = at[up] + next[up];
			next[up] += size[row];
			rows->v.v[up].nr_children++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		out[at[i]] = rows->v.v[i];
		out[at[i]].parent = i ? at[rows->v.v[i].parent] : NODE_NONE;
	}
	return true;
}

bool rows_finish(struct wait_rows *rows, struct wait_row *out)
{
	for (size_t i = rows->v.n; i-- > 1;)
		if (rows->v.v[i].level != WAIT_LEVEL_WAKER)
			waitrows_add_row(&rows->v.v[rows->v.v[i].parent], &rows->v.v[i]);
	return waitrows_put_in_order(rows, out);
}
