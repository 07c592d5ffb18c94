/* SPDX-License-Identifier: BSD-2-Clause */
/* treefuncs.c - see treefuncs.h. No recursion: stacks are thousands of frames deep. */
#include "config.h"

#include "export/treefuncs.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "profile/slice.h"
#include "query/identity.h"

#include <stdlib.h>
#include <string.h>

struct collect {
	const struct tree *t;
	struct tree_funcs *r;
	struct hidx index;       /* of r->v, by treefuncs_func_hash() */
	uint32_t *within;        /* by function: how many calls of it are under way */
};

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

/* What is left of all when the parts below are taken from it; 0 where sums were capped. */
static void treefuncs_subtract(uint64_t *all, uint64_t part)
{
	*all -= part < *all ? part : *all;
}

static void find_self(const struct tree *t, struct tree_parts *self)
{
	for (uint32_t i = 0; i < t->n; i++)
		memcpy(self[i].ns, t->node[i].value, sizeof(self[i].ns));
	for (uint32_t i = 1; i < t->n; i++)
		for (unsigned int k = 0; k < MEASURES_ASKED; k++)
			treefuncs_subtract(&self[t->node[i].parent].ns[k], t->node[i].value[k]);
}

static uint64_t treefuncs_func_hash(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	const struct func *f;

	if (n->kind != NODE_FUNC)
		return hash_2u64(n->kind, n->frame);
	f = names_func(t->names, n->func);
	return hash_2u64((uint64_t)f->name << 32 | f->module, f->kind);
}

static uint64_t func_rehash(const void *ctx, uint32_t id)
{
	const struct collect *c = ctx;

	return treefuncs_func_hash(c->t, c->r->v[id].node);
}

static bool treefuncs_same_func(const struct tree *t, uint32_t a, uint32_t b)
{
	const struct tree_node *na = &t->node[a], *nb = &t->node[b];

	if (na->kind != nb->kind)
		return false;
	if (na->kind != NODE_FUNC)
		return na->frame == nb->frame;
	return identity_same_func(t->names, na->func, nb->func);
}

/*
 * The function that NODE is of, made when there is none; there are as many places as nodes.
 * NODE_NONE when out of memory.
 */
static uint32_t treefuncs_func_of(struct collect *c, uint32_t node)
{
	const uint64_t h = treefuncs_func_hash(c->t, node);
	uint32_t id;

	hidx_each(&c->index, h, id)
		if (treefuncs_same_func(c->t, c->r->v[id].node, node))
			return id;
	c->r->v[c->r->n] = (struct tree_func){ .node = node };
	return hidx_add(&c->index, h, c->r->n, func_rehash, c) ? c->r->n++ : NODE_NONE;
}

static void add_parts(struct tree_parts *to, const uint64_t ns[MEASURES_ASKED])
{
	for (unsigned int k = 0; k < MEASURES_ASKED; k++)
		to->ns[k] = add_capped(to->ns[k], ns[k]);
}

/* NODE is entered. */
static bool treefuncs_enter(struct collect *c, uint32_t node)
{
	const struct tree_node *n = &c->t->node[node];
	struct tree_func *f;
	uint32_t id;

	c->r->of[node] = NODE_NONE;
	if (n->kind != NODE_FUNC && n->kind != NODE_ADDR)
		return true;
	id = c->r->of[node] = treefuncs_func_of(c, node);
	if (id == NODE_NONE)
		return false;
	f = &c->r->v[id];
	if (n->total_ns > c->t->node[f->node].total_ns)
		f->node = node;
	add_parts(&f->self, c->r->self[node].ns);
	if (!c->within[id]++) {
		add_parts(&f->total, n->value);
		f->count += n->count;
	}
	return true;
}

static void treefuncs_leave(struct collect *c, uint32_t node)
{
	if (c->r->of[node] != NODE_NONE)
		c->within[c->r->of[node]]--;
}

static bool treefuncs_walk(struct collect *c)
{
	const struct tree_node *nodes = c->t->node;
	uint32_t at = 0, n = 0;

	for (;;) {
		if (!treefuncs_enter(c, at))
			return false;
		c->r->order[n++] = at;
		if (nodes[at].first_child != NODE_NONE) {
			at = nodes[at].first_child;
			continue;
		}
		for (treefuncs_leave(c, at); at && nodes[at].next_sibling == NODE_NONE; treefuncs_leave(c, at))
			at = nodes[at].parent;
		if (!at)
			return true;
		at = nodes[at].next_sibling;
	}
}

bool tree_funcs_init(struct tree_funcs *r, const struct tree *t)
{
	AUTO_FREE uint32_t *within = calloc(t->n, sizeof(*within));
	struct collect c = { .t = t, .r = r, .within = within };
	bool ok;

	*r = (struct tree_funcs){ .v = malloc(t->n * sizeof(*r->v)), .of = malloc(t->n * sizeof(*r->of)) };
	r->self = malloc(t->n * sizeof(*r->self));
	r->order = malloc(t->n * sizeof(*r->order));
	if (!within || !r->v || !r->of || !r->self || !r->order)
		return false;
	find_self(t, r->self);
	ok = treefuncs_walk(&c);
	hidx_free(&c.index);
	return ok;
}

void tree_funcs_free(struct tree_funcs *r)
{
	free(r->v);
	free(r->of);
	free(r->self);
	free(r->order);
	*r = (struct tree_funcs){ 0 };
}
