/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out.h - writing to a FILE with the first failure remembered, so that exporters need not look at every call. Private to
 * exporters.
 */
#ifndef SBERF_EXPORT_OUT_H
#define SBERF_EXPORT_OUT_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

struct out {
	FILE *file;
	int error;               /* errno of the first failure, 0 = none; nothing is written after it */
};

void out_text(struct out *o, const char *s);
void out_format(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* TEXT right-aligned in WIDTH, with "~" before it when more than half of NS is DOUBT_NS: extrapolated. */
void out_guess(struct out *o, int width, uint64_t ns, uint64_t doubt_ns, const char *text);

/* Flushes. 0, or a negative errno with a sentence when anything since the beginning has failed. */
int out_end(struct out *o, struct err *e);

#endif
