/* SPDX-License-Identifier: BSD-2-Clause */
/* report_critical.h - critical paths for `sberf report`: which spans are meant, and what is said of them. */
#ifndef SBERF_CMD_REPORT_CRITICAL_H
#define SBERF_CMD_REPORT_CRITICAL_H

#include "base/err.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"

/*
 * Replaces what L, which was opened to be read twice, holds by the critical paths (query/critical.h) of the spans that
 * O asks for, and says on standard error how many these are, what they were needed for, and how much is not known.
 * 0, or a negative errno with a sentence: -EINVAL when there are no such spans.
 */
int report_critical(struct open_recording *l, const struct options *o, struct err *e);

#endif
