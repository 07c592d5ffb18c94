/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_options.h - what the command line leaves of the data, as a question (query/query.h). */
#ifndef SBERF_CMD_FILTER_OPTIONS_H
#define SBERF_CMD_FILTER_OPTIONS_H

#include "base/err.h"
#include "cmd/options.h"
#include "query/query.h"

/*
 * Fills in what O says of kinds, waits, threads, nodes, far accesses, patterns, inversion, kernel functions and inlined calls; all else in *RET is
 * zero. System calls are those of ARCH, the machine that the data comes from (NULL = this one), which must outlive *RET. -EINVAL
 * with a sentence.
 */
int filter_options_query(const struct options *o, const char *arch, struct query *ret, struct err *e);
/* The part of it that says what stacks, threads, processes and cgroups are asked for. */
int filter_options_terms(const struct options *o, const char *arch, struct terms *ret, struct err *e);
/*
 * Makes terms of the states, system calls and nodes of Q, which was made from O: the view has them in its header and its list of filters
 * then, like any other. What there is no room for stays as it is.
 */
void filter_options_as_terms(const struct options *o, struct query *q);
/*
 * Which filter of Q, which was made from O, is why Q has nothing of S: 1 and a sentence without a full stop in SIZE bytes at DST; 0 when
 * there is something, or filters are not the reason. -ENOMEM with a sentence.
 */
int filter_options_why_nothing(const struct options *o, const struct query *q, const struct snapshot *s, const struct names *names, char *dst,
		       size_t size, struct err *e);

#endif
