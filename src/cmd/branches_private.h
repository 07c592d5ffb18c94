/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches_private.h - what the parts of `sberf branches` share: how calls are followed (branches.c), what is done with
 * those that are told (branches_calls.c), and what is said beside them (branches_said.c).
 */
#ifndef SBERF_CMD_BRANCHES_PRIVATE_H
#define SBERF_CMD_BRANCHES_PRIVATE_H

#include "base/vec.h"
#include "branch/calls.h"
#include "branch/graph.h"
#include "branch/show.h"
#include "branch/sums.h"
#include "cmd/branch_conditions.h"
#include "cmd/branch_graph.h"
#include "cmd/branch_losses.h"
#include "cmd/branch_names.h"
#include "cmd/branch_prints.h"
#include "cmd/branch_programs.h"
#include "cmd/branch_record.h"
#include "cmd/launch.h"
#include "cmd/options.h"
#include "engine/engine.h"
#include "query/stacktext.h"
#include "trace/calltable.h"
#include "trace/hitfields.h"
#include "trace/hitorder.h"

#include <stdbool.h>
#include <stdint.h>

/* The calls of one function. */
struct counted_function {
	uint64_t space;
	struct branch_times times;
};

struct branches {
	const struct options *o;
	struct launch launch;
	struct engine_tracer tracer;
	struct calltable *table;
	struct hitorder *order;
	struct branch_calls *calls;
	struct graphs *graphs;           /* in place of them, with --how graph */
	struct branch_graph *graph;
	struct branch_programs *programs;        /* in place of both: of BPF programs, or with records of the CPU */
	struct branches_stacks *stacks;          /* of calls of these; NULL = none are taken */
	uint32_t called;                 /* functions that are probed for these */
	/* those found while it runs, and of how many it was said that they are followed; the next one of these */
	uint32_t pointed, pointed_said;
	char pointed_name[SPEC_NAME_MAX];
	struct branch_sums *sums;
	struct branch_names *names;
	struct branch_record *record;    /* NULL = none is made */
	struct branch_prints *prints;    /* NULL = nothing is to be printed */
	branch_wishes wish;
	enum branch_way how;
	struct spec_expr part;
	struct branch_show show;
	struct hitfields fields;         /* of the call at hand */
	VEC(struct counted_function) function;
	VEC(struct branch_call) last;    /* as a ring, from last_at on */
	VEC(struct graph) last_graph;    /* the same */
	size_t last_at;
	struct stacktext stack;          /* of the call at hand */
	uint32_t priced[PROBES_MAX];     /* functions whose price was said */
	uint64_t begun;                  /* calls that were told when they began, by one probe */
	uint64_t real_ns;                /* to be added to CLOCK_MONOTONIC */
	uint64_t loss[BRANCH_LOSSES];    /* those of calls that were told */
	int error;                       /* of writing, positive; 0 = none */
};

/* ---- branches.c ---- */

/* What B asks for, as a capture that shows nothing of its own: no waits, no nodes, no probes, nothing to print. */
void branches_capture_options(const struct branches *b, struct options *ret);

/* ---- branches_calls.c ---- */

/* A copy of CALL with branches of its own, to be freed: vec_free(). False when out of memory. */
bool branches_copy(const struct branch_call *call, struct branch_call *ret);

/* The next hit, in order of time. */
void branches_hit(struct branches *b, const struct hit *h);
/* As struct branch_calls_ops, graphs_ops and branch_programs_ops have them; CTX is a struct branches. */
void branches_ended(void *ctx, const struct branch_call *call);
void branches_graph_ended(void *ctx, const struct graph *g);
void branches_graph_begun(void *ctx, const struct graph *g);
bool branches_is_first(void *ctx, uint32_t probe, uint32_t number);
bool branches_is_late(void *ctx, uint32_t probe, uint32_t number);
bool branches_code(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret);
/* Writes the instructions of what is followed. */
void branches_put_listings(struct branches *b);
/* Everything that is shown in the end. */
void branches_put_all(struct branches *b);
void branches_calls_free(struct branches *b);

/* ---- branches_stacks.c ---- */

/*
 * Begins to take the stacks of calls of the BPF program of B, which is found and not followed yet, in a capture of its
 * own: b->launch. 0; a negative errno with a sentence, also where they cannot be had.
 */
int branches_stacks_begin(struct branches *b, struct err *e);
/* As struct branch_programs_ops has it; CTX is a struct branches: CALL is told when its stack is known. */
void branches_stacks_ended(void *ctx, const struct branch_call *call);
/* Tells of those calls whose time is over; none is taken while what is followed has been taken off. */
void branches_stacks_turn(struct branches *b);
/* Tells of all that are left, and ends the capture. */
void branches_stacks_end(struct branches *b);
void branches_stacks_free(struct branches *b);

/* ---- branches_said.c ---- */

/* Which way was chosen, and why, where that was left open. */
void branches_say_way(const struct branches *b);
/* Says of each function that is found what its probes cost, once. */
void branches_say_prices(struct branches *b);
/* What is missing in what was shown, and what was left out of it. */
void branches_say_end(struct branches *b);

#endif
