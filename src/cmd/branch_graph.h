/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_graph.h - call graphs of functions of the kernel, as `sberf branches --how graph` shows them: each call with
 * its arguments and its result, by the kernel's types, and how calls are compared: by which functions they called, and
 * what these returned.
 */
#ifndef SBERF_CMD_BRANCH_GRAPH_H
#define SBERF_CMD_BRANCH_GRAPH_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/graph.h"
#include "branch/show.h"
#include "trace/hitfields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct branch_graph;

enum graph_shown {
	GRAPH_SHOWS_ALL,
	GRAPH_SHOWS_CALLS,       /* and no results */
	GRAPH_SHOWS_RETURNS,     /* and no arguments, nor what has not returned */
};

/* What is shown, and compared, is SHOWN. 0, or -ENOMEM. Without types of the kernel arguments have no names. */
int branch_graph_new(enum graph_shown shown, struct branch_graph **ret, struct err *e);
void branch_graph_free(struct branch_graph *b);          /* NULL is fine */

/*
 * G as a call: of the first function, with what was called in place of branches, from function to function, and of each
 * but the first what it returned, from the function to an outcome. RET->branch is the caller's: vec_free(). False when
 * out of memory.
 */
bool branch_graph_call(struct branch_graph *b, const struct graph *g, struct branch_call *ret);

/*
 * Outcomes stand in place of addresses where a branch leads to: errors of the kernel as they are, -4095 to -1, and the
 * next three; a first function that called nothing leads to the last one. Writes "return -2 (ENOENT)" to DST; false
 * when ADDRESS is none.
 */
#define GRAPH_RETURNS_NULL 1u
#define GRAPH_RETURNS 2u
#define GRAPH_CALLS_NOTHING 3u
bool branch_graph_outcome_text(uint64_t address, char *dst, size_t size);

/* Writes G; of TEXT what is not known by G: whether it meets the condition, times, frames. False when out of memory. */
bool branch_graph_put(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
		      const struct branch_call_text *text);

#define GRAPH_RESULT_BYTES 48u

/* What there is to say of a call of a graph. */
struct branch_graph_said {
	const char *name;        /* of its function */
	struct hitfields fields;
	char result[GRAPH_RESULT_BYTES]; /* "-2 (ENOENT)"; "" = not known */
};

/* Of the first call of G. False when out of memory, or nothing is known of it. */
bool branch_graph_say(struct branch_graph *b, const struct graph *g, struct branch_graph_said *ret);

/* The name of the first function of G; "" = not known. */
const char *branch_graph_name(struct branch_graph *b, const struct graph *g);

/* The same of the last call of G alone, which has just begun, and so has no result and no time. */
bool branch_graph_put_begun(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
			    const struct branch_call_text *text);

DEFINE_AUTO(branch_graph_free, struct branch_graph);

#endif
