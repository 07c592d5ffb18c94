/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out.h - writes to a FILE and remembers the first failure, so that exporters need not check every
 * call. Private to exporters.
 */
#ifndef SBERF_EXPORT_OUT_H
#define SBERF_EXPORT_OUT_H

#include "base/err.h"
#include "query/column.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct out {
	FILE *file;
	int error;               /* errno of the first failure, 0 = none; nothing is written after it */
};

void out_text(struct out *o, const char *s);
void out_format(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Writes TEXT right-aligned in WIDTH, with "~" in front when more than half of NS is DOUBT_NS
 * (extrapolated).
 */
void out_guess(struct out *o, int width, uint64_t ns, uint64_t doubt_ns, const char *text);

/* Writes FIGURE right-aligned in WIDTH, with "~" in front when it is in doubt. */
void out_figure(struct out *o, int width, const struct list_figure *figure);

/*
 * Writes LABEL, whose names may be joined by a non-ASCII character; with ASCII that is changed to
 * ">" in LABEL.
 */
void out_label(struct out *o, char *label, bool ascii);

/*
 * Writes LEN bytes of TEXT (less than LABEL_MAX), as out_label() does, in COLS columns at most: a
 * wider text loses its middle.
 */
void out_fit(struct out *o, const char *text, size_t len, size_t cols, bool ascii);

/*
 * Where out_parts() writes: columns FROM to TO, counted from 0, of LINES lines; the first line is
 * at FROM already.
 */
struct out_place {
	/*
	 * the separator of the parts, which contain none; its last character, a blank, is dropped
	 * at the end of a line
	 */
	const char *between;
	unsigned int from, to, lines;
	bool ascii;
};

/*
 * Writes TEXT, whose parts have less than LABEL_MAX bytes. Lines break between parts; an ellipsis
 * stands for parts that have no room; a part wider than a line loses its middle.
 */
void out_parts(struct out *o, const char *text, const struct out_place *p);

/*
 * Writes PART of WHOLE as a bar, of 40 columns when it is all of that: in eighths of a column, or, with ASCII,
 * in whole ones.
 */
void out_bar(struct out *o, uint64_t part, uint64_t whole, bool ascii);

/*
 * Refuses FILE with -EINVAL and a sentence if it is a terminal, because FORMAT is binary. Else 0.
 */
int out_binary(FILE *file, const char *format, struct err *e);

/* Flushes. 0, or a negative errno with a sentence when anything since the beginning has failed. */
int out_end(struct out *o, struct err *e);

#endif
