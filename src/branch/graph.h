/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.h - puts entries and returns of functions together to call graphs: of each call of a first function what was
 * called below it, in which order, with which arguments and results.
 *
 * Hits of a thread come in order of time, one call of the first function at a time. An entry begins a call below the
 * innermost one that has not returned. A return ends the innermost call of its function; those within it whose returns
 * were not seen end with it, without a result. Pure.
 */
#ifndef SBERF_BRANCH_GRAPH_H
#define SBERF_BRANCH_GRAPH_H

#include "base/cleanup.h"
#include "branch/branch.h"
#include "branch/calls.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_CALLS_MAX 8192u            /* below one call that are kept */

/* One call within a graph. */
struct graph_call {
	uint32_t number;         /* of its function (model/probecode.h) */
	uint32_t depth;          /* 0 = the first one */
	uint32_t parent;         /* which call of the graph it is below; its own place for the first one */
	bool returned;           /* its return was seen: RESULT is known */
	uint64_t begun_ns, ended_ns;
	uint64_t arg[BRANCH_ARGS], result;
};

/* A call with all that was called below it, in the order of their begins. */
struct graph {
	pid_t pid, tid;
	char comm[17];           /* raw bytes */
	uint32_t probe;
	stack_id stack;          /* that the first one was called with; ID_NONE = not asked for */
	VEC(struct graph_call) call;     /* the first one is that of the first function */
	uint64_t dropped;        /* calls for which there was no room */
};

struct graphs_figures {
	uint64_t graphs;         /* that are whole */
	uint64_t open;           /* are under way */
	uint64_t unbegun;        /* hits of calls that had begun before */
	uint64_t left;           /* are left out, as the return of the first call was not seen */
	uint64_t unreturned;     /* calls within them whose return was not seen */
	uint64_t dropped;        /* calls for which there was no room */
	uint64_t refused;        /* hits without memory or room */
};

struct graphs;

struct graphs_ops {
	/* Is NUMBER of PROBE that of the first function? */
	bool (*is_first)(void *ctx, uint32_t probe, uint32_t number);
	/* Is that followed only since later? What began before is not told of then; may be NULL. */
	bool (*is_late)(void *ctx, uint32_t probe, uint32_t number);
	/* the last call of G has begun, whose first one has not ended; NULL = nobody asks. G is valid as below */
	void (*begun)(void *ctx, const struct graph *g);
	/* G is whole; it is valid during the call of this */
	void (*ended)(void *ctx, const struct graph *g);
	void *ctx;
};

/* OPS is copied. NULL when out of memory. */
struct graphs *graphs_new(const struct graphs_ops *ops);
void graphs_free(struct graphs *g);              /* NULL is fine */

/* The next hit, of any thread: H->number is that of the function, which has begun, or returned. */
void graphs_hit(struct graphs *g, const struct branch_hit *h);
void graphs_figures(const struct graphs *g, struct graphs_figures *ret);

DEFINE_AUTO(graphs_free, struct graphs);

#endif
