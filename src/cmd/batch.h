/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.h - `sberf top -b`: writes what the view would show to standard output, one document per
 * refresh.
 */
#ifndef SBERF_CMD_BATCH_H
#define SBERF_CMD_BATCH_H

#include "base/err.h"
#include "cmd/options.h"
#include "query/query.h"

/*
 * Captures and prints a document at each refresh, until o->iterations of them, the target's end, a
 * signal that ends sberf, or a closed pipe. FILTER selects the data. Returns the exit status, or a
 * negative errno with a sentence.
 */
int batch_run(const struct options *o, const struct query *filter, struct err *e);

#endif
