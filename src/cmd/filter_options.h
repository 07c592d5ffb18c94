/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_options.h - turns the filter options of the command line into a query (query/query.h). */
#ifndef SBERF_CMD_FILTER_OPTIONS_H
#define SBERF_CMD_FILTER_OPTIONS_H

#include "base/err.h"
#include "cmd/options.h"
#include "query/query.h"

/*
 * Fills *RET from O: kinds, waits, threads, nodes, far accesses, patterns, inversion, kernel
 * functions and inlined calls; the rest of it is zero. System call names are those of ARCH, the
 * machine that the data comes from (NULL = this one), which must outlive *RET. 0, or -EINVAL with a
 * sentence.
 */
int filter_options_query(const struct options *o, const char *arch, struct query *ret, struct err *e);
/*
 * Fills only the terms: patterns for stacks, threads, processes and cgroups, and sizes. 0, or -EINVAL with a
 * sentence.
 */
int filter_options_terms(const struct options *o, const char *arch, struct terms *ret, struct err *e);
/*
 * Sets *RET to the number of the probe with calls that SPEC means: its text, or the beginning of that where it is
 * one probe's alone. NULL: the only one that there is. 0, or -EINVAL with a sentence.
 */
int filter_options_span(const char *spec, uint32_t *ret, struct err *e);
/*
 * Turns the states, system calls and nodes of Q, which was made from O, into terms, so that the
 * view lists them among its filters. Those for which there is no room stay as they are.
 */
void filter_options_as_terms(const struct options *o, struct query *q);
/*
 * Explains why Q, which was made from O, finds nothing in S. Returns 1 and the filter to blame as a
 * sentence without full stop in DST (SIZE bytes); 0 when Q finds something or no filter is to
 * blame; -ENOMEM with a sentence.
 */
int filter_options_why_nothing(const struct options *o, const struct query *q, const struct snapshot *s,
		       const struct names *names, char *dst, size_t size, struct err *e);

#endif
