/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modulespane.c - the pane of modules: which executables and libraries the time went into,
 * themselves and with all that they call; the kernel is one, code without a file another.
 *
 * Read from the call tree as the list of functions is, and drawn as that is. A module's total grows
 * at a frame that has no other of that module above it.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "query/label.h"
#include "ui/panes/listtree.h"
#include "ui/panes/treepane.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 0x656c75646f6dull
#define NO_MODULE 0u             /* row of what is in none; module M has row M + 1 */

/* The modules of a list: by its nodes, from 1 on. */
struct modules {
	const struct dict *dict;
	uint32_t row[];
};

/* While they are counted. */
struct module_sums {
	struct tree_node *row;
	uint32_t *depth;                 /* how many frames of it are above, and with, the node that is looked at */
	uint32_t nr;
	struct tree_node idle;
};

/* Of NR. Notes, such as that a stack was cut, are in no module. */
static uint32_t modulespane_row_of(const struct tree *t, const struct tree_node *n, uint32_t nr)
{
	module_id m = ID_NONE;

	if (n->kind == NODE_FUNC)
		m = names_func(t->names, n->func)->module;
	else if (n->kind == NODE_ADDR)
		m = dict_get_frame(t->dict, n->frame)->module;
	return m >= nr - 1 || dict_get_module(t->dict, m)->kind == MODULE_NOTE ? NO_MODULE : m + 1;
}

/* Adds to ROW what N's total is made of, or takes it away again. */
static void modulespane_move(struct tree_node *row, const struct tree_node *n, int sign)
{
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		row->value[place] += sign > 0 ? n->value[place] : -n->value[place];
	row->doubt_ns += sign > 0 ? n->doubt_ns : -n->doubt_ns;
	row->count += sign > 0 ? n->count : -n->count;
}

/* What N takes itself: all but what its children do. */
static void modulespane_add(const struct tree *t, const struct tree_node *n, struct module_sums *sums)
{
	const uint32_t i = modulespane_row_of(t, n, sums->nr);
	struct tree_node *row = &sums->row[i];

	if (n->kind == NODE_IDLE) {
		sums->idle = *n;
		return;
	}
	row->self_ns += n->self_ns;
	if (i == NO_MODULE)
		row->total_ns += n->self_ns;
	else if (!sums->depth[i]++)
		row->total_ns += n->total_ns;
	modulespane_move(row, n, 1);
	for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling)
		modulespane_move(row, &t->node[c], -1);
}

/* Visits all nodes of T from parents to children, one path after the other. */
static void modulespane_sum(const struct tree *t, struct module_sums *sums)
{
	uint32_t at = 0;

	for (;;) {
		modulespane_add(t, &t->node[at], sums);
		if (t->node[at].first_child != NODE_NONE) {
			at = t->node[at].first_child;
			continue;
		}
		for (;;) {
			const uint32_t row = modulespane_row_of(t, &t->node[at], sums->nr);

			if (row != NO_MODULE)
				sums->depth[row]--;
			if (t->node[at].next_sibling != NODE_NONE || !at)
				break;
			at = t->node[at].parent;
		}
		if (!at)
			return;
		at = t->node[at].next_sibling;
	}
}

/* The rows that have something, as the nodes of a tree of one level. NULL when out of memory. */
static struct tree *modulespane_tree(const struct tree *t, const struct module_sums *sums, uint32_t nr,
				     struct modules *ret)
{
	AUTO_FREE struct tree_node *node = calloc(nr + 2ul, sizeof(*node));
	struct tree what = *t;

	if (!node)
		return NULL;
	node[0] = t->node[0];
	node[0].nr_children = 0;
	node[0].parent = NODE_NONE;
	what.n = 1;
	for (uint32_t i = 0; i < nr; i++) {
		if (!sums->row[i].total_ns)
			continue;
		ret->row[what.n] = i;
		node[what.n] = sums->row[i];
		node[what.n].key = hash_2u64(SEED, i);
		node[what.n].kind = NODE_GROUP;
		node[what.n++].place = ID_NONE;
	}
	if (sums->idle.total_ns) {
		node[what.n] = sums->idle;
		node[what.n++].parent = 0;
	}
	return listtree_new(&what, take_ptr(node));
}

static void modulespane_derive(struct built *b, const struct tree *t)
{
	const uint32_t nr = dict_modules(t->dict) + 1;
	AUTO_FREE struct tree_node *row = calloc(nr, sizeof(*row));
	AUTO_FREE uint32_t *depth = calloc(nr, sizeof(*depth));
	struct modules *m = calloc(1, sizeof(*m) + (nr + 2ul) * sizeof(m->row[0]));
	struct module_sums sums = { .row = row, .depth = depth, .nr = nr };

	b->model = m;
	if (m && row && depth) {
		m->dict = t->dict;
		modulespane_sum(t, &sums);
		b->tree = modulespane_tree(t, &sums, nr, m);
	}
	if (!b->tree)
		err_nomem(&b->err, "the list of modules");
}

static void modulespane_build(struct built *b, const struct names *names)
{
	AUTO(tree_free) struct tree *t = NULL;

	if (!tree_build(b->snapshot, names, &b->job.query, &t, &b->err))
		modulespane_derive(b, t);
}

static char *modulespane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	const struct modules *list = tv->model;
	const uint32_t row = list->row[node];
	const struct module *m = row == NO_MODULE ? NULL : dict_get_module(list->dict, row - 1);

	if (!m)
		snprintf(dst, size, "(no module)");
	else if (m->kind == MODULE_KERNEL)
		snprintf(dst, size, "[kernel]");
	else if (m->kind == MODULE_ANON)
		snprintf(dst, size, "[anon] of %d", (int)m->pid);
	else
		label_file(list->dict, module_shown_path(m), dst, size);
	return dst;
}

static void modulespane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct tree *t = p->built->tree;
	const uint32_t n = t->n - 1 - (treeview_idle(t) != NODE_NONE);
	char title[TITLE_MAX];

	treepane_rule(p->tv, &p->look, cv,
		      title_list(&p->built->job.query, p->look.kinds, n, "module", v->options, title, sizeof(title)));
}

static const struct treeview_ops modulespane_lines = { .label = modulespane_label };

const struct pane_ops pane_modules = {
	.traits = PANE_FLAT,
	.weight = 1,
	.kinds = MEASURES_WALL,
	.sort = SORT_SELF,
	.question = pane_flat_question,
	.build = modulespane_build,
	.derives = pane_flat_derives,
	.derive = modulespane_derive,
	.drop = pane_flat_drop,
	.lines = &modulespane_lines,
	.rule = modulespane_rule,
	.rows = treepane_draw,
	.status = treepane_status,
	.head_at = treepane_head_at,
};
