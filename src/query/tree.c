/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree.c - finishes a call tree: sums totals from the leaves up and puts children in order. A
 * counting sort gathers siblings, then each family is sorted by itself.
 */
#include "config.h"

#include "query/tree.h"

#include "base/order.h"
#include "profile/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct tree_node *node;
	const struct dict *d;
	const struct names *names;
};

static int compare_text(const struct dict *d, str_id a, str_id b)
{
	return a == b ? 0 : strcmp(strtab_get(dict_strings(d), a), strtab_get(dict_strings(d), b));
}

static int tree_compare_functions(const struct order *o, const struct tree_node *a, const struct tree_node *b)
{
	const struct func *fa = names_func(o->names, a->func), *fb = names_func(o->names, b->func);

	return fa->name == fb->name ? 0 : strcmp(names_text(o->names, fa->name), names_text(o->names, fb->name));
}

static int tree_compare_places(const struct order *o, const struct tree_node *a, const struct tree_node *b)
{
	const struct frame *fa = dict_get_frame(o->d, a->frame), *fb = dict_get_frame(o->d, b->frame);
	const struct module *ma = dict_get_module(o->d, fa->module), *mb = dict_get_module(o->d, fb->module);
	int r = compare_text(o->d, ma->path, mb->path);

	return r ? r : compare_numbers(fa->offset, fb->offset);
}

static int tree_compare_groups(const struct order *o, const struct tree_node *a, const struct tree_node *b)
{
	const struct thread *ta = dict_get_thread(o->d, a->thread), *tb = dict_get_thread(o->d, b->thread);
	int r = compare_text(o->d, ta->comm, tb->comm);

	if (!r)
		r = compare_text(o->d, ta->exe, tb->exe);
	return r ? r : compare_numbers((uint32_t)ta->tid, (uint32_t)tb->tid);
}

static int tree_compare_siblings(const void *va, const void *vb, void *ctx)
{
	const struct order *o = ctx;
	const struct tree_node *a = &o->node[*(const uint32_t *)va], *b = &o->node[*(const uint32_t *)vb];
	int r = (a->kind == NODE_IDLE) - (b->kind == NODE_IDLE);

	if (!r)
		r = compare_numbers(b->total_ns, a->total_ns);
	if (!r)
		r = compare_numbers(a->kind, b->kind);
	if (!r && a->kind == NODE_FUNC)
		r = tree_compare_functions(o, a, b);
	else if (!r && a->kind == NODE_ADDR)
		r = tree_compare_places(o, a, b);
	else if (!r && (a->kind == NODE_NUMA || a->kind == NODE_SPAN))
		r = compare_numbers(a->frame, b->frame);
	else if (!r)
		r = tree_compare_groups(o, a, b);
	return r ? r : compare_numbers(a->key, b->key);
}

/* The values of MORE, which belong to the nodes but are not in them. */
static void tree_sum_up_more(const struct tree_node *node, uint64_t *more, uint32_t n)
{
	for (uint32_t i = n - 1; i > 0; i--) {
		uint64_t *up = &more[(size_t)node[i].parent * MORE_VALUES], *from = &more[(size_t)i * MORE_VALUES];

		for (unsigned int k = 0; k < MORE_VALUES; k++)
			up[k] = add_capped(up[k], from[k]);
	}
}

static void tree_sum_up(struct tree_node *node, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		node[i].total_ns = node[i].self_ns;
		node[i].nr_children = 0;
	}
	for (uint32_t i = n - 1; i > 0; i--) {
		struct tree_node *up = &node[node[i].parent];

		up->total_ns = add_capped(up->total_ns, node[i].total_ns);
		for (unsigned int k = 0; k < NODE_VALUES; k++)
			up->value[k] = add_capped(up->value[k], node[i].value[k]);
		up->open_ns = add_capped(up->open_ns, node[i].open_ns);
		if (node[i].open_longest_ns > up->open_longest_ns)
			up->open_longest_ns = node[i].open_longest_ns;
		up->doubt_ns = add_capped(up->doubt_ns, node[i].doubt_ns);
		up->count += node[i].count;
		up->squares += node[i].squares;
		up->nr_children++;
	}
}

/*
 * Fills FAMILY with the nodes but the root, siblings together; first_child of each parent tells
 * where its children start.
 */
static void tree_gather(struct tree_node *node, uint32_t n, uint32_t *family)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		node[i].first_child = at;
		at += node[i].nr_children;
		node[i].next_sibling = 0;        /* children placed so far */
	}
	for (uint32_t i = 1; i < n; i++) {
		struct tree_node *up = &node[node[i].parent];

		family[up->first_child + up->next_sibling++] = i;
	}
}

int tree_link(struct tree_node *node, uint64_t *more, uint32_t n, const struct dict *d, const struct names *names,
	      bool sorted)
{
	AUTO_FREE uint32_t *family = malloc(n * sizeof(*family));
	struct order o = { .node = node, .d = d, .names = names };

	if (!family)
		return -ENOMEM;
	tree_sum_up(node, n);
	if (more)
		tree_sum_up_more(node, more, n);
	tree_gather(node, n, family);
	for (uint32_t i = 0; i < n && sorted; i++)
		if (node[i].nr_children > 1)
			qsort_r(&family[node[i].first_child], node[i].nr_children, sizeof(*family),
				tree_compare_siblings, &o);
	node[0].next_sibling = NODE_NONE;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *child = &family[node[i].first_child];

		for (uint32_t c = 0; c < node[i].nr_children; c++)
			node[child[c]].next_sibling = c + 1 < node[i].nr_children ? child[c + 1] : NODE_NONE;
		node[i].first_child = node[i].nr_children ? child[0] : NODE_NONE;
	}
	return 0;
}
