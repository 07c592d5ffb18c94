/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out.h - writing to a FILE with the first failure remembered, so that exporters need not look at every call. Private to
 * exporters.
 */
#ifndef SBERF_EXPORT_OUT_H
#define SBERF_EXPORT_OUT_H

#include "base/err.h"

#include <stdbool.h>
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

/* LABEL, in which names were put together with a character that is not ASCII: as it is, or, when ASCII, changed with ">" there. */
void out_label(struct out *o, char *label, bool ascii);

/* LEN bytes of TEXT, less than LABEL_MAX, as out_label() does, in COLS columns at most: without the middle when it is wider. */
void out_fit(struct out *o, const char *text, size_t len, size_t cols, bool ascii);

/* Where a text goes that has parts: columns FROM to TO, counted from 0, of LINES lines, the first of which is at FROM already. */
struct out_place {
	const char *between;     /* the parts, and not in them; its last character, a blank, is left out at the end of a line */
	unsigned int from, to, lines;
	bool ascii;
};

/*
 * TEXT, whose parts have less than LABEL_MAX bytes. A line ends where a part does; an ellipsis stands for parts that have no room; a
 * part that is too wide for a line loses its middle.
 */
void out_parts(struct out *o, const char *text, const struct out_place *p);

/* Refuses a terminal, which FORMAT is not for: -EINVAL with a sentence. */
int out_binary(FILE *file, const char *format, struct err *e);

/* Flushes. 0, or a negative errno with a sentence when anything since the beginning has failed. */
int out_end(struct out *o, struct err *e);

#endif
