/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * funcs.h - reads a call tree by function: each function once, with its self time and its total
 * with everything it calls.
 *
 * Copies of a function, inlined or not, at any depth and under any caller, are one *row*; so are
 * nodes of one place without a name. A function's total grows only at nodes that have no other node
 * of it above them, so recursion counts once. Nodes that are not functions contribute only what
 * ended in them without a function: all of that is one row, except idle waits (NODE_IDLE).
 */
#ifndef SBERF_QUERY_FUNCS_H
#define SBERF_QUERY_FUNCS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct tree_parts {
	uint64_t ns[MEASURES_ASKED];     /* of each measure asked for, in its place */
};

struct func_row {
	uint32_t node;           /* the first node of the tree in this row */
	uint32_t heaviest;       /* the node with the largest total: exports take its label, file and line */
	uint64_t self_ns, total_ns;
	uint64_t doubt_ns;       /* of self_ns: stands for waits without a stack of their own */
	struct tree_parts self, total;   /* the measures that make them up */
	uint64_t count, total_count;     /* samples and waits in self_ns, and in total_ns */
	double squares;          /* of self_ns, as tree_node.squares */
};

struct funcs {
	const struct tree *tree;         /* borrowed */
	/* functions and places in the order in which ORDER meets them; then the others */
	struct func_row *row;
	uint32_t functions, n;           /* rows of functions and places, and of all */
	uint32_t *of;                    /* by node: its row; NODE_NONE for what is no function or place */
	struct tree_parts *self;         /* by node: what ends there; NULL unless FUNCS_AND_NODES */
	/*
	 * All nodes: the root first, each before its children, those by falling total. NULL unless
	 * FUNCS_AND_NODES.
	 */
	uint32_t *order;
};

enum funcs_detail {
	FUNCS_ROWS,              /* rows, and the row of each node */
	FUNCS_AND_NODES,         /* what ends at each node, and their order, too: 52 bytes a node */
};

/*
 * Collects the functions of T, which is not inverted and must outlive the result. On success *RET
 * is the caller's; -ENOMEM with a sentence.
 */
int funcs_build(const struct tree *t, enum funcs_detail detail, struct funcs **ret, struct err *e);
void funcs_free(struct funcs *f);                /* NULL is fine */

/*
 * Whether R is a function, a place without a name, or idle waits; false: what ended in no function.
 */
bool func_row_is_function(const struct funcs *f, const struct func_row *r);

/*
 * A key of the row of node I, the same in every refresh: a hash of name and module, or of the
 * place.
 */
uint64_t func_key(const struct tree *t, uint32_t i);
/* The node of T that takes most among those of the function of that KEY; NODE_NONE when there is none. */
uint32_t func_heaviest(const struct tree *t, uint64_t key);

/* The module of NODE, a function or a place; NULL for anything else, and for functions without one. */
const struct module *tree_module(const struct tree *t, uint32_t node, module_id *ret_id);

/* What P, which is of T, has of what adds up to the total. */
static inline uint64_t tree_parts_sum(const struct tree *t, const struct tree_parts *p)
{
	uint64_t sum = 0;

	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		sum += t->set.lead >> place & 1 ? p->ns[place] : 0;
	return sum;
}

DEFINE_AUTO(funcs_free, struct funcs);

#endif
