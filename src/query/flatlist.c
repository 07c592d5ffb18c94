/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatlist.c - turns a call tree into the list of its functions or of its modules. Functions are
 * read by funcs.c; modules are summed here, in one walk over the tree.
 */
#include "config.h"

#include "query/flatlist.h"

#include "base/hash.h"
#include "base/order.h"
#include "query/label.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 0x656c75646f6dull
#define NO_MODULE 0u             /* what is in none; module M is number M + 1 */

/* A list like T of nothing but the whole, with room for N rows behind that. NULL when out of memory. */
static struct flatlist *flatlist_new(const struct tree *t, size_t n)
{
	AUTO(flatlist_free) struct flatlist *l = calloc(1, sizeof(*l));
	const struct tree_node *whole = &t->node[0];

	if (!l || !(l->row = calloc(n + 1, sizeof(*l->row))))
		return NULL;
	l->dict = t->dict;
	l->names = t->names;
	l->query = t->query;
	l->idle_threads = t->idle_threads;
	l->idle = NODE_NONE;
	l->n = 1;
	l->row[0] = (struct flat_row){ .key = whole->key, .self_ns = whole->self_ns, .total_ns = whole->total_ns,
				       .doubt_ns = whole->doubt_ns, .count = whole->count, .squares = whole->squares,
				       .kind = NODE_ROOT, .func = ID_NONE, .place = ID_NONE };
	tree_values(t, 0, l->row[0].self.ns);
	return take_ptr(l);
}

void flatlist_free(struct flatlist *l)
{
	if (!l)
		return;
	free(l->row);
	free(l);
}

static void flatlist_add(struct flatlist *l, const struct flat_row *r)
{
	if (r->kind == NODE_IDLE)
		l->idle = l->n;
	else
		l->shown++;
	l->row[l->n++] = *r;
}

uint64_t flatlist_work_ns(const struct flatlist *l)
{
	const uint64_t all_ns = l->row[0].total_ns, idle_ns = l->idle == NODE_NONE ? 0 : l->row[l->idle].total_ns;

	return all_ns > idle_ns ? all_ns - idle_ns : 0;
}

static char *flatlist_module_label(const struct dict *d, module_id id, char *dst, size_t size)
{
	const struct module *m = id == ID_NONE ? NULL : dict_get_module(d, id);

	if (!m)
		snprintf(dst, size, "(no module)");
	else if (m->kind == MODULE_KERNEL)
		snprintf(dst, size, "[kernel]");
	else if (m->kind == MODULE_ANON)
		snprintf(dst, size, "[anon] of %d", (int)m->pid);
	else
		label_file(d, module_shown_path(m), dst, size);
	return dst;
}

char *flatlist_label(const struct flatlist *l, uint32_t i, char *dst, size_t size)
{
	const struct flat_row *r = &l->row[i];
	struct tree_node one = { .kind = r->kind, .func = r->func, .place = r->place };
	const struct tree row = { .dict = l->dict, .names = l->names, .query = l->query, .node = &one, .n = 1 };

	return r->kind == NODE_GROUP ? flatlist_module_label(l->dict, r->module, dst, size) :
		tree_label(&row, 0, dst, size);
}

/* Functions */

struct ranked {
	const struct func_row *row;
	const char *name;        /* "" = it has none */
};

static int flatlist_by_total(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	int r;

	if (a->row->total_ns != b->row->total_ns)
		return compare_numbers(b->row->total_ns, a->row->total_ns);
	r = strcmp(a->name, b->name);
	return r ? r : compare_numbers(a->row->node, b->row->node);
}

static int flatlist_by_self(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	if (a->row->self_ns != b->row->self_ns)
		return compare_numbers(b->row->self_ns, a->row->self_ns);
	return flatlist_by_total(va, vb);
}

/* Ranks what gets a row by falling total. Returns how many these are; *RET_OUTSIDE_NS is what ended in no function. */
static uint32_t flatlist_rank(const struct funcs *f, struct ranked *item, uint64_t *ret_outside_ns)
{
	const uint32_t half = FLATLIST_FUNCTIONS / 2;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		const struct func_row *r = &f->row[i];
		const struct tree_node *node = &f->tree->node[r->node];

		if (!func_row_is_function(f, r))
			*ret_outside_ns += r->self_ns;
		else
			item[n++] = (struct ranked){ r, node->kind != NODE_FUNC ? "" :
				names_text(f->tree->names, names_func(f->tree->names, node->func)->name) };
	}
	if (n > FLATLIST_FUNCTIONS) {
		qsort(item, n, sizeof(*item), flatlist_by_self);
		qsort(item + half, n - half, sizeof(*item), flatlist_by_total);
		n = FLATLIST_FUNCTIONS;
	}
	qsort(item, n, sizeof(*item), flatlist_by_total);
	return n;
}

static struct flat_row function_row(const struct tree *t, const struct func_row *r)
{
	const struct tree_node *first = &t->node[r->node];
	struct flat_row row = { .key = func_key(t, r->node), .self_ns = r->self_ns, .total_ns = r->total_ns,
				.doubt_ns = r->doubt_ns, .count = r->count, .squares = r->squares, .self = r->self,
				.kind = first->kind, .place = first->place };

	if (row.kind == NODE_FUNC)
		row.func = first->func;
	else
		row.frame = first->frame;
	return row;
}

int flatlist_functions(const struct tree *t, struct flatlist **ret, struct err *e)
{
	AUTO(flatlist_free) struct flatlist *l = NULL;
	AUTO(funcs_free) struct funcs *f = NULL;
	AUTO_FREE struct ranked *item = NULL;
	uint32_t n;

	if (funcs_build(t, FUNCS_ROWS, &f, e) < 0)
		return -ENOMEM;
	item = calloc(f->n + 1ul, sizeof(*item));
	l = flatlist_new(t, f->n);
	if (!item || !l)
		return err_nomem(e, "the list of functions");
	n = flatlist_rank(f, item, &l->outside_ns);
	for (uint32_t i = 0; i < n; i++) {
		const struct flat_row row = function_row(t, item[i].row);

		flatlist_add(l, &row);
	}
	for (uint32_t i = 0; i < f->n; i++)
		l->known += func_row_is_function(f, &f->row[i]) && t->node[f->row[i].node].kind != NODE_IDLE;
	*ret = take_ptr(l);
	return 0;
}

/* Modules */

/* While they are counted, by number. */
struct module_sums {
	struct flat_row *row;
	uint32_t *depth;                 /* how many frames of it are above, and with, the node that is looked at */
	uint32_t nr;
	struct flat_row idle;
};

/* Of NR. Notes, such as that a stack was cut, are in no module. */
static uint32_t module_number(const struct tree *t, uint32_t node, uint32_t nr)
{
	module_id id;
	const struct module *m = tree_module(t, node, &id);

	return !m || id >= nr - 1 || m->kind == MODULE_NOTE ? NO_MODULE : id + 1;
}

/* Adds to ROW what the total of node I is made of, or takes it away again. */
static void module_move(struct flat_row *row, const struct tree *t, uint32_t i, int sign)
{
	const struct tree_node *n = &t->node[i];

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const uint64_t value = tree_value(t, i, place);

		row->self.ns[place] += sign > 0 ? value : -value;
	}
	row->doubt_ns += sign > 0 ? n->doubt_ns : -n->doubt_ns;
	row->count += sign > 0 ? n->count : -n->count;
}

/* What node I takes itself: all but what its children do. */
static void module_add(const struct tree *t, uint32_t i, struct module_sums *sums)
{
	const struct tree_node *n = &t->node[i];
	const uint32_t number = module_number(t, i, sums->nr);
	struct flat_row *row = &sums->row[number];

	if (n->kind == NODE_IDLE) {
		sums->idle = (struct flat_row){ .key = n->key, .kind = NODE_IDLE, .place = n->place, .frame = n->frame,
						.self_ns = n->self_ns, .total_ns = n->total_ns };
		module_move(&sums->idle, t, i, 1);
		return;
	}
	row->self_ns += n->self_ns;
	if (number == NO_MODULE)
		row->total_ns += n->self_ns;
	else if (!sums->depth[number]++)
		row->total_ns += n->total_ns;
	module_move(row, t, i, 1);
	for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling)
		module_move(row, t, c, -1);
}

/* Visits all nodes of T from parents to children, one path after the other. */
static void module_sum(const struct tree *t, struct module_sums *sums)
{
	uint32_t at = 0;

	for (;;) {
		module_add(t, at, sums);
		if (t->node[at].first_child != NODE_NONE) {
			at = t->node[at].first_child;
			continue;
		}
		for (;;) {
			const uint32_t number = module_number(t, at, sums->nr);

			if (number != NO_MODULE)
				sums->depth[number]--;
			if (t->node[at].next_sibling != NODE_NONE || !at)
				break;
			at = t->node[at].parent;
		}
		if (!at)
			return;
		at = t->node[at].next_sibling;
	}
}

static int module_by_total(const void *va, const void *vb)
{
	const struct flat_row *a = va, *b = vb;

	if (a->total_ns != b->total_ns)
		return compare_numbers(b->total_ns, a->total_ns);
	return compare_numbers(a->module + 1, b->module + 1);        /* none first */
}

int flatlist_modules(const struct tree *t, struct flatlist **ret, struct err *e)
{
	const uint32_t nr = dict_modules(t->dict) + 1;
	AUTO_FREE struct flat_row *row = calloc(nr, sizeof(*row));
	AUTO_FREE uint32_t *depth = calloc(nr, sizeof(*depth));
	AUTO(flatlist_free) struct flatlist *l = flatlist_new(t, nr + 1ul);
	struct module_sums sums = { .row = row, .depth = depth, .nr = nr };

	if (!row || !depth || !l)
		return err_nomem(e, "the list of modules");
	module_sum(t, &sums);
	for (uint32_t i = 0; i < nr; i++) {
		row[i].key = hash_2u64(SEED, i);
		row[i].kind = NODE_GROUP;
		row[i].place = ID_NONE;
		row[i].module = i == NO_MODULE ? ID_NONE : i - 1;
		if (row[i].total_ns)
			flatlist_add(l, &row[i]);
	}
	qsort(l->row + 1, l->n - 1, sizeof(*l->row), module_by_total);
	l->known = l->shown;
	if (sums.idle.total_ns)
		flatlist_add(l, &sums.idle);
	*ret = take_ptr(l);
	return 0;
}
