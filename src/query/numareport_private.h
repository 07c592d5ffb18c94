/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numareport_private.h - the making of a view by node: what the files numa*.c share. Private to
 * queries.
 *
 * Facts are looked at three times: for the nodes that they name; for sums, of nodes, threads,
 * stacks and mappings; and, when the sums have told which rows there will be, for what only these
 * have: figures by node, and threads.
 *
 * Sums of a stack whose *reading* (stack_signature.h) is the same are one *bunch*; so two places in
 * one function are one call path.
 */
#ifndef SBERF_QUERY_NUMAREPORT_PRIVATE_H
#define SBERF_QUERY_NUMAREPORT_PRIVATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/vec.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/identity.h"
#include "query/numareport.h"
#include "query/stack_signature.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_NONE UINT32_MAX

/* Sums of the facts of one kind. */
struct numa_sum {
	struct numa_accesses accesses;   /* EVENT_ACCESS */
	uint64_t weight, samples;        /* of other kinds; samples: of all */
	uint64_t away;                   /* EVENT_FAULT: weight of pages that are elsewhere than who touched them */
};

/* Facts of one kind in one stack. */
struct numa_stack {
	stack_id stack;
	uint32_t kind;
	uint32_t bunch;                  /* ROW_NONE = none */
	struct numa_sum sum;
};

/* Stacks of one kind with the same reading; for accesses, within one function. */
struct numa_bunch {
	uint64_t reading;
	uint32_t func;                   /* of EVENT_ACCESS, in funcs; else ROW_NONE */
	uint8_t kind;
	stack_id stack;                  /* the heaviest */
	uint64_t stack_weight;
	struct numa_sum sum;
	uint32_t row;                    /* in view.path, .site or .move; ROW_NONE = none */
	thread_id thread;                /* with the most of it; known for rows */
	uint64_t thread_weight;
};

struct numa_func {
	uint64_t key;
	func_id func;                    /* ID_NONE = a place */
	struct numa_sum sum;             /* samples: on-CPU ones */
	uint32_t row;
};

/* The part of a bunch that belongs to one thread. */
struct numa_share {
	uint32_t bunch;
	thread_id thread;
	uint64_t weight;
};

struct numa_thread_sum {
	bool seen;
	uint64_t running_ns, moves;
	struct numa_accesses accesses;
	uint32_t node, slice;            /* where it was last, and when; NODE_UNKNOWN */
	uint64_t slice_ns;               /* how much of that slice it ran there */
	uint32_t row;
};

struct numa_build {
	const struct snapshot *s;
	const struct dict *d;
	const struct names *names;
	const struct numa_topology *topology;    /* of the state; empty when there is none */
	struct numa_view *v;
	struct arena *arena;             /* of the view */
	struct query q;                  /* what is left of the question to filter facts by */
	struct filter filter;
	thread_id *same;                 /* threads_same() */
	struct identity identity;
	struct stack_signature reading;
	int16_t index[NODES_MAX];        /* of nodes in the view, once they are numbered; -1 = not in it */
	/* topology_cost_permille() by index, from x to; 0 = not asked yet; NULL before there are any */
	uint32_t *permille;
	struct numa_thread_sum *thread;  /* by same[] */
	KEYED(struct numa_stack) stacks;
	VEC(struct numa_func) funcs;
	VEC(struct numa_bunch) bunches;
	KEYED(struct numa_share) shares;
	VEC(struct numa_mapping_row) mappings;
	struct hidx func_index, bunch_index, mapping_index;
	uint64_t (*site_mapping)[MAPPING_NR];    /* faults of a site by mapping */
};

/* A fact, with what its nodes are to each other. */
struct numa_fact {
	const struct fact *f;
	uint32_t slice;
	thread_id thread;                /* same[] */
	const struct memory_place *place;        /* of kinds that have one, else NULL */
	int from, to;                    /* index of the node of the CPU and of the page; -1 = not known */
	bool far;                        /* EVENT_ACCESS, EVENT_FAULT: to is known, and is not from */
	uint64_t cost_ns;                /* EVENT_ACCESS that is far */
};

/* N zeroed elements of the view; NULL when out of memory. */
void *numa_block(struct numa_build *b, size_t n, size_t size);

void numa_add_access(struct numa_accesses *to, const struct numa_fact *x);
void numa_add_sum(struct numa_sum *to, const struct numa_sum *from);
/* Heaviest first, for comparators: by cost, then time. */
int numa_compare_accesses(const struct numa_accesses *a, const struct numa_accesses *b);

/*
 * The frame and the function that a stack is counted under: the innermost with a name, or else the
 * innermost place, with ID_NONE. False for an empty stack. Needs d, names and what Q says of kernel
 * functions and inlined calls.
 */
bool numa_innermost(const struct dict *d, const struct names *names, const struct query *q, stack_id stack,
		    func_id *ret_func, frame_id *ret_frame);

/*
 * The steps; each is false when out of memory. *_sum() and *_fill() get every fact, in the second
 * and in the third look.
 */
bool numa_threads_begin(struct numa_build *b);
void numa_threads_sum(struct numa_build *b, const struct numa_fact *x);
bool numa_threads_rows(struct numa_build *b);
void numa_threads_fill(struct numa_build *b, const struct numa_fact *x);
void numa_threads_end(struct numa_build *b);

bool numa_paths_sum(struct numa_build *b, const struct numa_fact *x);
bool numa_paths_rows(struct numa_build *b);      /* of functions, paths, sites and migrations */
bool numa_paths_fill(struct numa_build *b, const struct numa_fact *x);
void numa_paths_end(struct numa_build *b);

/*
 * *RET is the number of the function that STACK is counted under; ROW_NONE when there is none and
 * MAKE is false, or no stack.
 */
bool numa_funcs_find(struct numa_build *b, stack_id stack, bool make, uint32_t *ret);
bool numa_funcs_rows(struct numa_build *b);

void numa_sites_fill(struct numa_build *b, const struct numa_fact *x, uint32_t row);
bool numa_sites_rows(struct numa_build *b, const uint32_t *order);       /* ORDER: bunches, heaviest first */
void numa_sites_end(struct numa_build *b);

bool numa_mappings_sum(struct numa_build *b, const struct numa_fact *x);
bool numa_mappings_rows(struct numa_build *b);

#endif
