/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * funcs.c - sums a call tree by function. It is one walk without recursion, since stacks can be
 * thousands of frames deep; funcs.h says what counts as one function.
 */
#include "config.h"

#include "query/funcs.h"

#include "base/hash.h"
#include "profile/slice.h"
#include "query/identity.h"

#include <stdlib.h>
#include <string.h>

struct builder {
	const struct tree *t;
	struct funcs *f;         /* behind as many rows as there are nodes, those of OTHERS */
	struct hidx index;       /* of f->row, by func_key() */
	uint32_t *within;        /* by row: of its nodes, on the path from the root to where the walk is */
};

/* What has no row of a function: what ended in none, and what idles. */
#define OTHERS 2u

uint64_t func_key(const struct tree *t, uint32_t i)
{
	const struct tree_node *n = &t->node[i];
	const struct func *f = n->kind == NODE_FUNC ? names_func(t->names, n->func) : NULL;

	if (f)
		return hash_2u64(f->name, (uint64_t)f->module << 8 | f->kind);
	return n->kind == NODE_ADDR ? hash_2u64(n->frame, UINT64_MAX) : hash_u64(n->kind == NODE_IDLE);
}

uint32_t func_heaviest(const struct tree *t, uint64_t key)
{
	uint32_t found = NODE_NONE;

	for (uint32_t i = 1; i < t->n; i++) {
		const struct tree_node *n = &t->node[i];

		if (n->kind != NODE_FUNC && n->kind != NODE_ADDR)
			continue;
		if ((found == NODE_NONE || n->total_ns > t->node[found].total_ns) && func_key(t, i) == key)
			found = i;
	}
	return found;
}

/* Of two nodes that are functions or places. */
static bool funcs_same(const struct tree *t, uint32_t ia, uint32_t ib)
{
	const struct tree_node *a = &t->node[ia], *b = &t->node[ib];

	if (a->kind != b->kind)
		return false;
	return a->kind == NODE_ADDR ? a->frame == b->frame : identity_same_func(t->names, a->func, b->func);
}

static uint64_t funcs_row_rehash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;

	return func_key(b->t, b->f->row[id].node);
}

/* The row of NODE; NODE_NONE when out of memory. */
static uint32_t funcs_row_of(struct builder *b, uint32_t node)
{
	const unsigned int kind = b->t->node[node].kind;
	uint64_t h;
	uint32_t id;

	if (kind != NODE_FUNC && kind != NODE_ADDR)
		return b->t->n + (kind == NODE_IDLE);
	h = func_key(b->t, node);
	hidx_each(&b->index, h, id)
		if (funcs_same(b->t, b->f->row[id].node, node))
			return id;
	b->f->row[b->f->functions] = (struct func_row){ .node = node, .heaviest = node };
	return hidx_add(&b->index, h, b->f->functions, funcs_row_rehash, b) ? b->f->functions++ : NODE_NONE;
}

/* What is left of all when PART, which is below, is taken from it; 0 where sums were capped. */
static uint64_t funcs_less(uint64_t ns, uint64_t part)
{
	return ns > part ? ns - part : 0;
}

/* Adds what ends at node I to R, and what that is made of to OWN. */
static void funcs_add_self(const struct tree *t, uint32_t i, struct func_row *r, struct tree_parts *own)
{
	const struct tree_node *n = &t->node[i];
	const unsigned int places = tree_places(t);
	uint64_t doubt = n->doubt_ns, count = n->count;
	double squares = n->squares;

	tree_values(t, i, own->ns);
	for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling) {
		doubt = funcs_less(doubt, t->node[c].doubt_ns);
		count = funcs_less(count, t->node[c].count);
		squares -= t->node[c].squares;
		for (unsigned int k = 0; k < places; k++)
			own->ns[k] = funcs_less(own->ns[k], tree_value(t, c, k));
	}
	r->self_ns = add_capped(r->self_ns, n->self_ns);
	r->doubt_ns = add_capped(r->doubt_ns, doubt);
	r->count += count;
	r->squares += squares > 0 && n->self_ns ? squares : 0;   /* they are sums of floating numbers */
	for (unsigned int k = 0; k < places; k++)
		r->self.ns[k] = add_capped(r->self.ns[k], own->ns[k]);
}

static bool funcs_enter(struct builder *b, uint32_t i)
{
	const struct tree_node *n = &b->t->node[i];
	const uint32_t id = funcs_row_of(b, i);
	struct tree_parts own;
	struct func_row *r;

	if (id == NODE_NONE)
		return false;
	b->f->of[i] = id;
	r = &b->f->row[id];
	if (i < r->node)
		r->node = i;
	if (n->total_ns > b->t->node[r->heaviest].total_ns)
		r->heaviest = i;
	funcs_add_self(b->t, i, r, b->f->self ? &b->f->self[i] : &own);
	if (b->within[id]++)
		return true;
	r->total_ns = add_capped(r->total_ns, n->total_ns);
	r->total_count += n->count;
	for (unsigned int k = 0; k < tree_places(b->t); k++)
		r->total.ns[k] = add_capped(r->total.ns[k], tree_value(b->t, i, k));
	return true;
}

/*
 * Goes through all nodes, parents before children, and leaves each when all below it has been seen. False when out of
 * memory.
 */
static bool funcs_walk(struct builder *b)
{
	const struct tree_node *node = b->t->node;
	uint32_t i = 0, n = 0;

	for (;;) {
		if (!funcs_enter(b, i))
			return false;
		if (b->f->order)
			b->f->order[n++] = i;
		if (node[i].first_child != NODE_NONE) {
			i = node[i].first_child;
			continue;
		}
		for (; i && node[i].next_sibling == NODE_NONE; i = node[i].parent)
			b->within[b->f->of[i]]--;
		if (!i)
			return true;
		b->within[b->f->of[i]]--;
		i = node[i].next_sibling;
	}
}

/* Moves the rows of what is no function, if there are any nodes, to behind those of functions. */
static void funcs_end(struct builder *b)
{
	struct funcs *f = b->f;

	for (uint32_t i = 0; i < b->t->n; i++)
		if (f->of[i] >= b->t->n)
			f->of[i] = NODE_NONE;
	f->n = f->functions;
	for (uint32_t k = 0; k < OTHERS; k++)
		if (f->row[b->t->n + k].node != NODE_NONE)
			f->row[f->n++] = f->row[b->t->n + k];
}

int funcs_build(const struct tree *t, enum funcs_detail detail, struct funcs **ret, struct err *e)
{
	const bool nodes = detail == FUNCS_AND_NODES;
	AUTO_FREE uint32_t *within = calloc(t->n + OTHERS, sizeof(*within));
	AUTO(funcs_free) struct funcs *f = calloc(1, sizeof(*f));
	struct builder b = { .t = t, .f = f, .within = within };
	bool ok = within && f;

	if (ok) {
		*f = (struct funcs){ .tree = t, .row = malloc((t->n + OTHERS) * sizeof(*f->row)),
				     .of = malloc(t->n * sizeof(*f->of)),
				     .self = nodes ? malloc(t->n * sizeof(*f->self)) : NULL,
				     .order = nodes ? malloc(t->n * sizeof(*f->order)) : NULL };
		ok = f->row && f->of && (!nodes || (f->self && f->order));
	}
	for (uint32_t k = 0; ok && k < OTHERS; k++)
		f->row[t->n + k] = (struct func_row){ .node = NODE_NONE };
	ok = ok && funcs_walk(&b);
	hidx_free(&b.index);
	if (!ok)
		return err_nomem(e, "the list of functions");
	funcs_end(&b);
	*ret = take_ptr(f);
	return 0;
}

void funcs_free(struct funcs *f)
{
	if (!f)
		return;
	free(f->row);
	free(f->of);
	free(f->self);
	free(f->order);
	free(f);
}

bool func_row_is_function(const struct funcs *f, const struct func_row *r)
{
	const uint8_t kind = f->tree->node[r->node].kind;

	return kind == NODE_FUNC || kind == NODE_ADDR || kind == NODE_IDLE;
}

const struct module *tree_module(const struct tree *t, uint32_t node, module_id *ret_id)
{
	const struct tree_node *n = &t->node[node];

	*ret_id = ID_NONE;
	if (n->kind == NODE_FUNC)
		*ret_id = names_func(t->names, n->func)->module;
	else if (n->kind == NODE_ADDR)
		*ret_id = dict_get_frame(t->dict, n->frame)->module;
	return *ret_id == ID_NONE ? NULL : dict_get_module(t->dict, *ret_id);
}
