/* SPDX-License-Identifier: BSD-2-Clause */
/* funcs.c - see funcs.h. Nodes are sorted into rows by a hash of what they are; then one walk sums them up. */
#include "config.h"

#include "query/funcs.h"

#include "base/hash.h"
#include "base/vec.h"
#include "query/identity.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	const struct tree *t;
	VEC(struct func_row) rows;
	struct hidx index;       /* of rows, by what they are */
	uint32_t *row_of;        /* by node */
	uint32_t *above;         /* by row: of its nodes, on the path from the root to where the walk is */
};

uint64_t func_key(const struct tree *t, uint32_t i)
{
	const struct tree_node *n = &t->node[i];
	const struct func *f = n->kind == NODE_FUNC ? names_func(t->names, n->func) : NULL;

	if (f)
		return hash_2u64(f->name, (uint64_t)f->module << 8 | f->kind);
	return n->kind == NODE_ADDR ? hash_2u64(n->frame, UINT64_MAX) : hash_u64(n->kind == NODE_IDLE);
}

static bool funcs_same(const struct tree *t, uint32_t ia, uint32_t ib)
{
	const struct tree_node *a = &t->node[ia], *b = &t->node[ib];

	if (a->kind == NODE_ADDR || b->kind == NODE_ADDR)
		return a->kind == b->kind && a->frame == b->frame;
	if (a->kind != NODE_FUNC || b->kind != NODE_FUNC)
		return a->kind != NODE_FUNC && b->kind != NODE_FUNC && (a->kind == NODE_IDLE) == (b->kind == NODE_IDLE);
	return identity_same_func(t->names, a->func, b->func);
}

static uint64_t funcs_row_rehash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;

	return func_key(b->t, b->rows.v[id].node);
}

/* The row of NODE; NODE_NONE when out of memory. */
static uint32_t funcs_row_of(struct builder *b, uint32_t node)
{
	const uint64_t h = func_key(b->t, node);
	uint32_t id;

	hidx_each(&b->index, h, id)
		if (funcs_same(b->t, b->rows.v[id].node, node))
			return id;
	if (!vec_reserve(&b->rows, 1))
		return NODE_NONE;
	b->rows.v[b->rows.n] = (struct func_row){ .node = node };
	if (!hidx_add(&b->index, h, (uint32_t)b->rows.n, funcs_row_rehash, b))
		return NODE_NONE;
	return (uint32_t)b->rows.n++;
}

static uint64_t funcs_less(uint64_t ns, uint64_t part)
{
	return ns > part ? ns - part : 0;
}

/* Adds what ends at node I to R. */
static void funcs_add_self(const struct tree *t, uint32_t i, struct func_row *r)
{
	const struct tree_node *n = &t->node[i];
	uint64_t kind[MEASURES_ASKED], doubt = n->doubt_ns, count = n->count;
	double squares = n->squares;

	memcpy(kind, n->value, sizeof(kind));
	for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling) {
		doubt = funcs_less(doubt, t->node[c].doubt_ns);
		count = funcs_less(count, t->node[c].count);
		squares -= t->node[c].squares;
		for (unsigned int k = 0; k < MEASURES_ASKED; k++)
			kind[k] = funcs_less(kind[k], t->node[c].value[k]);
	}
	r->self_ns += n->self_ns;
	r->doubt_ns += doubt;
	r->count += count;
	r->squares += squares > 0 && n->self_ns ? squares : 0;   /* they are sums of floating numbers */
	for (unsigned int k = 0; k < MEASURES_ASKED; k++)
		r->value[k] += kind[k];
}

static void funcs_enter(struct builder *b, uint32_t i)
{
	struct func_row *r = &b->rows.v[b->row_of[i]];

	if (!b->above[b->row_of[i]]++)
		r->total_ns += b->t->node[i].total_ns;
	funcs_add_self(b->t, i, r);
}

/* Goes through all nodes, parents before children, and leaves each when all below it has been seen. */
static void funcs_walk(struct builder *b)
{
	const struct tree_node *node = b->t->node;
	uint32_t i = 0;

	funcs_enter(b, 0);
	for (;;) {
		if (node[i].first_child != NODE_NONE) {
			i = node[i].first_child;
			funcs_enter(b, i);
			continue;
		}
		for (; i && node[i].next_sibling == NODE_NONE; i = node[i].parent)
			b->above[b->row_of[i]]--;
		if (!i)
			return;
		b->above[b->row_of[i]]--;
		i = node[i].next_sibling;
		funcs_enter(b, i);
	}
}

static bool sort_into_rows(struct builder *b)
{
	bool ok = b->row_of;

	for (uint32_t i = 0; ok && i < b->t->n; i++) {
		b->row_of[i] = funcs_row_of(b, i);
		ok = b->row_of[i] != NODE_NONE;
	}
	b->above = ok ? calloc(b->rows.n + 1, sizeof(*b->above)) : NULL;
	return b->above;
}

int funcs_build(const struct tree *t, struct funcs **ret, struct err *e)
{
	struct builder b = { .t = t, .row_of = malloc(t->n * sizeof(*b.row_of)) };
	struct funcs *f = calloc(1, sizeof(*f));
	const bool ok = f && sort_into_rows(&b);

	if (ok) {
		funcs_walk(&b);
		*f = (struct funcs){ .tree = t, .row = b.rows.v, .n = (uint32_t)b.rows.n };
		*ret = f;
	} else {
		vec_free(&b.rows);
		free(f);
	}
	hidx_free(&b.index);
	free(b.row_of);
	free(b.above);
	return ok ? 0 : err_nomem(e, "the list of functions");
}

void funcs_free(struct funcs *f)
{
	if (!f)
		return;
	free(f->row);
	free(f);
}

bool func_row_is_function(const struct funcs *f, const struct func_row *r)
{
	const uint8_t kind = f->tree->node[r->node].kind;

	return kind == NODE_FUNC || kind == NODE_ADDR || kind == NODE_IDLE;
}
