/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h - what the command line leaves of the data, as a question (profile/query.h). */
#ifndef SBERF_CMD_FILTER_H
#define SBERF_CMD_FILTER_H

#include "base/err.h"
#include "cmd/options.h"
#include "profile/query.h"

/*
 * Fills in what O says of kinds, waits, threads, kernel functions and inlined calls; all else in *RET is zero. System calls are
 * those of ARCH, the machine that the data comes from (NULL = this one), which must outlive *RET. -EINVAL with a sentence.
 */
int filter_query(const struct options *o, const char *arch, struct query *ret, struct err *e);

#endif
