/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_spans.h - what `sberf report` says and writes of the calls of a probe: how many calls a question is
 * about, and, with --span-diff, what makes the slow ones slow.
 */
#ifndef SBERF_CMD_REPORT_SPANS_H
#define SBERF_CMD_REPORT_SPANS_H

#include "base/err.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "export/export_view.h"
#include "export/exporter.h"

#include <stdio.h>

/* Says on standard error what is known of the calls that Q asks about, if it does. 0, or -ENOMEM with a sentence. */
int report_spans_say(const struct open_recording *l, const struct query *q, struct err *e);

/*
 * Writes to OUT as X, which has a difference, how the slow calls of V->query, which compares calls, differ from
 * the others. V is as for exporter_write(). 0, or a negative errno with a sentence.
 */
int report_spans_compare(FILE *out, const struct exporter *x, const struct export_view *v, struct err *e);

#endif
