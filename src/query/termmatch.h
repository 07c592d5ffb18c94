/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * termmatch.h - what query.terms say of threads, nodes and waits; what they say of stacks is in stackfilter.h. Private to queries.
 *
 * Threads are judged once per id, processes once per name, waits once per id (by whoever asks).
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
	uint32_t call[QUERY_CALLS_MAX], compat[QUERY_CALLS_MAX];         /* compat: the same in the 32-bit ABI, CALL_NONE = none */
};

struct term_match {
	uint32_t n;
	struct wait_term wait[TERMS_MAX];
	struct nodeset nodes;    /* facts of these; when ONLY_NODES */
	struct nodeset barred;   /* and not of these; when BARS_NODES */
	bool only_nodes, bars_nodes;
	bool threads;            /* there are terms about threads, processes or cgroups */
};

/* What the terms of Q say, which it has been checked to mean something. */
void term_match_init(struct term_match *m, const struct query *q);

/* Whether a wait in CALL and STATE is asked for. */
bool term_match_wait(const struct term_match *m, uint32_t call, unsigned int state);

/*
 * Sets TERMS[i], of N threads of D, to what is true of thread i: bit t for term t of TS that is about threads, processes or cgroups and
 * whose pattern it matches, whatever its NOT. False when out of memory.
 */
bool term_match_threads(const struct terms *ts, const struct dict *d, uint32_t *terms, uint32_t n);
/* Of such bits, whether all terms hold. */
bool term_match_all(const struct terms *ts, uint32_t bits);

#endif
