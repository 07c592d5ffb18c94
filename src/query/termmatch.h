/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * termmatch.h - matches the terms of a query about threads, nodes and waits; stackfilter.h matches
 * those about stacks. Private to queries.
 *
 * Threads are judged once per id, processes once per name, waits once per id (by the caller).
 */
#ifndef SBERF_QUERY_TERMMATCH_H
#define SBERF_QUERY_TERMMATCH_H

#include "model/dict.h"
#include "model/nodeset.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

/* One term about waits. */
struct wait_term {
	bool not;
	uint32_t states;         /* mask; 0 = any */
	uint32_t nr_calls;       /* 0 = any */
	/* compat: the same in the 32-bit ABI, CALL_NONE = none */
	uint32_t call[QUERY_CALLS_MAX], compat[QUERY_CALLS_MAX];
};

struct term_match {
	uint32_t n;
	struct wait_term wait[TERMS_MAX];
	struct nodeset nodes;    /* facts of these; when ONLY_NODES */
	struct nodeset barred;   /* and not of these; when BARS_NODES */
	bool only_nodes, bars_nodes;
	uint64_t sizes;          /* by term_size_bit(): sizes of memory that are asked for */
	bool has_sizes;          /* there are terms about these */
	bool only_sizes;         /* what has no size is not asked for */
	bool threads;            /* there are terms about threads, processes or cgroups */
};

/* Initialises M for the terms of Q, which are valid. */
void term_match_init(struct term_match *m, const struct query *q);

/* Whether something of KIND, whose argument is ARGUMENT, has a size that matches. */
bool term_match_size(const struct term_match *m, unsigned int kind, uint64_t argument);

/* Whether a wait in CALL and STATE matches. */
bool term_match_wait(const struct term_match *m, uint32_t call, unsigned int state);

/*
 * Sets TERMS[i], for each of N threads of D, to the terms of TS that match thread i: bit t for term
 * t about threads, processes or cgroups, regardless of NOT. False when out of memory.
 */
bool term_match_threads(const struct terms *ts, const struct dict *d, uint32_t *terms, uint32_t n);
/* Whether all terms hold for a thread with these bits. */
bool term_match_all(const struct terms *ts, uint32_t bits);

#endif
