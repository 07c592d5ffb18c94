/* SPDX-License-Identifier: BSD-2-Clause */
/* title.h - the title of a pane in its rule: kinds of time, grouping, filters. */
#ifndef SBERF_UI_TITLE_H
#define SBERF_UI_TITLE_H

#include "query/flatlist.h"
#include "query/leaks.h"
#include "query/locks.h"
#include "query/numareport.h"
#include "query/query.h"
#include "ui/ui.h"

#include <stddef.h>

#define TITLE_MAX 1024

/*
 * The measures of Q that get columns when waits were followed, as a mask of places of
 * measure_set(); 0 for a single measure that is not part of wall time.
 */
unsigned int title_kinds(const struct query *q);
/* The same, where OFF_CPU says whether waits were followed: running time alone gets no columns. */
unsigned int title_columns(const struct query *q, bool off_cpu);
/*
 * "inside call:./app:handle above p99", "outside call:./app:handle": what Q asks of the calls of a probe;
 * "" = nothing. Sanitised; cut to SIZE. Returns DST.
 */
char *title_span(const struct query *q, char *dst, size_t size);
/*
 * "blocked . by process . inverted . thread worker*": KINDS (0 = only running time is known), then
 * Q, and what O's command line filters. Sanitised; cut to SIZE. Returns DST.
 */
char *title_tree(const struct query *q, unsigned int kinds, const struct ui_options *o, char *dst, size_t size);
/* The same for a list of functions: "1,204 functions . off-CPU . no kernel". */
char *title_funcs(const struct query *q, unsigned int kinds, const struct flatlist *funcs, const struct ui_options *o,
		  char *dst, size_t size);
/* The same for a list of N rows, each of them a NOUN: "7 threads . off-CPU . node 1". */
char *title_list(const struct query *q, unsigned int kinds, uint32_t n, const char *noun,
		 const struct ui_options *o, char *dst, size_t size);
/* The same for a list of waits, of which IDLE_NS idle: "waits . run queue . 3m20 idle hidden . in futex". */
char *title_waits(const struct query *q, uint64_t idle_ns, const struct ui_options *o, char *dst, size_t size);
/* The same for a list of N probes: "2 probes . thread worker*". */
char *title_locks(const struct query *q, const struct locks *l, uint32_t deadlocks, const struct ui_options *o,
		  char *dst, size_t size);
char *title_probes(const struct query *q, uint32_t n, const struct ui_options *o, char *dst, size_t size);

/* The same for the list of sites that allocate memory: "memory . 375 MB allocated . 24 MB in use". */
char *title_memory(const struct query *q, const struct leaks *l, const struct ui_options *o, char *dst, size_t size);

/*
 * The same for the view by node, as fully as fits into COLS columns: "numa . 4 nodes, distances
 * 10/21/31 . far accesses ~38.1 % of 9,812 addressed samples . node 1".
 */
char *title_numa(const struct numa_view *v, int cols, const struct ui_options *o, char *dst, size_t size);

#endif
