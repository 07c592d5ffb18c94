/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * funcs.h - a call tree read the other way round: each function once, with what it takes itself and with all that it calls.
 *
 * Copies of a function, inlined or not, at any depth and under any caller, are one *row*; so are nodes of one place without a
 * name. A function's total grows at a node that has no other of that function above it, so recursion counts once. Nodes that
 * are no functions have only what ended without one: all of them are one row, but for what idles (NODE_IDLE).
 */
#ifndef SBERF_QUERY_FUNCS_H
#define SBERF_QUERY_FUNCS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct func_row {
	uint32_t node;           /* of the tree: the first that the row stands for */
	uint64_t self_ns, total_ns;
	uint64_t doubt_ns;       /* of self_ns: stands for waits without a stack of their own */
	uint64_t value[MEASURES_ASKED];       /* what self_ns is made of */
	uint64_t count;          /* samples and waits in self_ns */
	double squares;          /* of self_ns, as tree_node.squares */
};

struct funcs {
	const struct tree *tree;         /* borrowed */
	struct func_row *row;            /* in the order of their first nodes */
	uint32_t n;
};

/*
 * The functions of T, which is not inverted and must outlive the result. On success *RET is the caller's; -ENOMEM with a
 * sentence.
 */
int funcs_build(const struct tree *t, struct funcs **ret, struct err *e);
void funcs_free(struct funcs *f);                /* NULL is fine */

/* True when R stands for a function, a place without a name, or what idles; false: for what ended in no function. */
bool func_row_is_function(const struct funcs *f, const struct func_row *r);

/* What the row of node I of T is known by, in every refresh the same: a hash of name and module, or of the place. */
uint64_t func_key(const struct tree *t, uint32_t i);

DEFINE_AUTO(funcs_free, struct funcs);

#endif
