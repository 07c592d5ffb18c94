/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treejoin.c - finds the nodes of a treeview that share one line (entries to the kernel that only
 * repeat each other), and the interrupts that are too light to open. treeview.h has the rules.
 */
#include "config.h"

#include "ui/treeview.h"

#include "model/kernel_entry.h"

#include <stdio.h>
#include <string.h>

#define APART 0x61706172u        /* makes another key of that of a node */
#define BETWEEN " \xE2\x80\xBA "

/* How the kernel is entered through NODE. */
static enum kernel_entry treejoin_entry(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	const struct func *f = n->kind == NODE_FUNC ? names_func(t->names, n->func) : NULL;

	return f && f->kind == FUNC_KERNEL && !n->inlined ? kernel_entry_of(names_text(t->names, f->name)) :
		KERNEL_ENTRY_NONE;
}

/* Whether all that NODE does is to call another function of the same way into the kernel. */
static bool treejoin_repeats(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node], *c;
	enum kernel_entry entry;

	if (n->nr_children != 1 || n->self_ns)
		return false;
	c = &t->node[n->first_child];
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (tree_value(t, n->first_child, place) != tree_value(t, node, place))
			return false;    /* it has what is no part of a total */
	if (c->count != n->count)
		return false;
	entry = treejoin_entry(t, node);
	return entry != KERNEL_ENTRY_NONE && treejoin_entry(t, n->first_child) == entry;
}

uint64_t treeview_apart_key(uint64_t key)
{
	return hash_2u64(key, APART);
}

uint32_t treeview_line_head(const struct treeview *tv, uint32_t node)
{
	const uint32_t base = treeview_base(tv);

	while (node && node != base && treejoin_repeats(tv->tree, tv->tree->node[node].parent))
		node = tv->tree->node[node].parent;
	return node;
}

bool treeview_joins(const struct treeview *tv, uint32_t node)
{
	return tv->tree && !tv->ops && treejoin_repeats(tv->tree, node) &&
	       folds_get(&tv->folds, treeview_apart_key(tv->tree->node[treeview_line_head(tv, node)].key)) != FOLD_OPEN;
}

uint32_t treeview_line_end(const struct treeview *tv, uint32_t node)
{
	while (treeview_joins(tv, node))
		node = tv->tree->node[node].first_child;
	return node;
}

uint32_t treeview_line_start(const struct treeview *tv, uint32_t node)
{
	return node && treeview_joins(tv, treeview_at(tv, node).parent) ? treeview_line_head(tv, node) : node;
}

char *treeview_line_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	size_t at = 0;

	for (uint32_t i = treeview_line_start(tv, node); i != node; i = tv->tree->node[i].first_child) {
		treeview_label(tv, i, dst + at, size - at);
		at += strlen(dst + at);
		at += (size_t)snprintf(dst + at, size - at, "%s", BETWEEN);
		if (at >= size)
			return dst;
	}
	treeview_label(tv, node, dst + at, size - at);
	return dst;
}

bool treeview_is_light(const struct treeview *tv, uint32_t node)
{
	const struct tree_node *n = tv->tree && !tv->ops ? &tv->tree->node[node] : NULL;

	return n && n->total_ns < tv->light_ns && n->first_child != NODE_NONE && !tv->tree->query.inverted &&
	       treejoin_entry(tv->tree, node) == KERNEL_ENTRY_INTERRUPT;
}
