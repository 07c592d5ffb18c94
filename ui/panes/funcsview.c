/* SPDX-License-Identifier: BSD-2-Clause */
/* funcsview.c - see funcsview.h. */
#include "config.h"

#include "ui/panes/funcsview.h"

#include "base/cleanup.h"
#include "query/funcs.h"
#include "ui/panes/listtree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	const struct func_row *row;
	const char *name;        /* "" = it has none */
};

static int by_total(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	int r;

	if (a->row->total_ns != b->row->total_ns)
		return (a->row->total_ns < b->row->total_ns) - (a->row->total_ns > b->row->total_ns);
	r = strcmp(a->name, b->name);
	return r ? r : (a->row->node > b->row->node) - (a->row->node < b->row->node);
}

static int funcsview_by_self(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	if (a->row->self_ns != b->row->self_ns)
		return (a->row->self_ns < b->row->self_ns) - (a->row->self_ns > b->row->self_ns);
	return by_total(va, vb);
}

static const char *funcsview_name_of(const struct tree *t, uint32_t node)
{
	return t->node[node].kind == NODE_FUNC ? names_text(t->names,
							    names_func(t->names, t->node[node].func)->name) : "";
}

/* Lists what has a node in the end, by falling total. Returns how many there are. */
static uint32_t funcsview_rank(const struct funcs *f, struct ranked *item, struct funcsview *ret)
{
	const uint32_t half = FUNCSVIEW_ROWS / 2;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct func_row *r = &f->row[i];

		if (func_row_is_function(f, r))
			item[n++] = (struct ranked){ .row = r, .name = funcsview_name_of(f->tree, r->node) };
		else
			ret->outside_ns += r->self_ns;
		ret->functions += func_row_is_function(f, r) && f->tree->node[r->node].kind != NODE_IDLE;
	}
	if (n > FUNCSVIEW_ROWS) {
		qsort(item, n, sizeof(*item), funcsview_by_self);
		qsort(item + half, n - half, sizeof(*item), by_total);
		n = FUNCSVIEW_ROWS;
	}
	qsort(item, n, sizeof(*item), by_total);
	return n;
}

static struct tree_node node_for(const struct tree *t, const struct func_row *r)
{
	const struct tree_node *first = &t->node[r->node];
	struct tree_node n = { .key = func_key(t, r->node), .kind = first->kind, .place = first->place };

	if (n.kind == NODE_FUNC)
		n.func = first->func;
	else
		n.frame = first->frame;
	n.self_ns = r->self_ns;
	n.total_ns = r->total_ns;
	n.doubt_ns = r->doubt_ns;
	n.count = r->count;
	n.squares = r->squares;
	memcpy(n.value, r->self.ns, sizeof(n.value));
	return n;
}

int funcsview_tree(const struct tree *t, struct funcsview *ret_view, struct tree **ret, struct err *e)
{
	AUTO(funcs_free) struct funcs *f = NULL;
	AUTO_FREE struct ranked *item = NULL;
	AUTO_FREE struct tree_node *node = NULL;
	struct tree what = *t;
	uint32_t n;

	*ret_view = (struct funcsview){ 0 };
	if (funcs_build(t, &f, e) < 0)
		return -ENOMEM;
	item = calloc(f->n + 1ul, sizeof(*item));
	node = calloc(f->n + 1ul, sizeof(*node));
	if (!item || !node)
		return err_nomem(e, "the list of functions");
	n = funcsview_rank(f, item, ret_view);
	node[0] = t->node[0];
	node[0].nr_children = 0;
	node[0].parent = NODE_NONE;
	for (uint32_t i = 0; i < n; i++)
		node[i + 1] = node_for(t, item[i].row);
	what.n = n + 1;
	for (uint32_t i = 1; i <= n; i++)
		ret_view->shown += node[i].kind != NODE_IDLE;
	*ret = listtree_new(&what, take_ptr(node));
	return *ret ? 0 : err_nomem(e, "the list of functions");
}

uint32_t funcsview_find(const struct tree *t, uint64_t key)
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
