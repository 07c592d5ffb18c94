/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treefuncs.h - reads a tree by function: each once, with what it and everything below it took; and
 * lists the nodes in drawing order. Private to exporters.
 *
 * A function is everything with one name and kind in one module, inlined or not; a place without a
 * name is one too. In totals, a function that calls itself counts once.
 */
#ifndef SBERF_EXPORT_TREEFUNCS_H
#define SBERF_EXPORT_TREEFUNCS_H

#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct tree_parts {
	uint64_t ns[MEASURES_ASKED];     /* of each measure asked for, in its place */
};

struct tree_func {
	uint32_t node;           /* that with most of it: its label, file and line stand for the function */
	struct tree_parts self, total;
	uint64_t count;          /* samples and waits in total */
};

struct tree_funcs {
	struct tree_func *v;     /* in the order in which ORDER meets them */
	uint32_t n;
	uint32_t *of;            /* by node: its function; NODE_NONE for what is none (groups, ...) */
	struct tree_parts *self; /* by node */
	uint32_t *order;         /* all nodes: the root first, each before its children, those by falling total */
};

/* Fills R from T. False when out of memory; call tree_funcs_free() in any case. */
bool tree_funcs_init(struct tree_funcs *r, const struct tree *t);
void tree_funcs_free(struct tree_funcs *r);

/* The module of NODE, a function or a place; NULL for anything else, and for functions without one. */
const struct module *tree_module(const struct tree *t, uint32_t node, module_id *ret_id);

/* The part of P, one of T's, that adds up to the total. */
static inline uint64_t tree_parts_sum(const struct tree *t, const struct tree_parts *p)
{
	uint64_t sum = 0;

	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		sum += t->set.lead >> place & 1 ? p->ns[place] : 0;
	return sum;
}

#endif
