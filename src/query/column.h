/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * column.h - the columns of a list as data: their figures, heads and widths. Panes of the view and
 * texts of reports print the same list from the same columns.
 */
#ifndef SBERF_QUERY_COLUMN_H
#define SBERF_QUERY_COLUMN_H

#include "base/units.h"
#include "model/measure.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum list_figure_unit {
	LIST_NONE,               /* empty */
	LIST_TIME,
	LIST_COUNT,
	LIST_SHARE,              /* value of whole */
	LIST_BYTES,
	LIST_RATE,               /* value a second, in whole nanoseconds */
	LIST_NODE,               /* a NUMA node */
	LIST_WORD,               /* word */
	LIST_MEASURE,            /* in the unit of measure */
	LIST_BAR,                /* value of whole, and behind it more */
	LIST_BLANK,              /* rows of this kind have no such figure */
};

/* What a figure is about, where it does not look as its row does. */
enum list_tone {
	LIST_TONE_PLAIN,
	LIST_TONE_RUNNING,
	LIST_TONE_RUNNABLE,
	LIST_TONE_FAR,           /* on another NUMA node */
	LIST_TONE_DOUBT,         /* uncertain */
};

/* The content of one column in one row. */
struct list_figure {
	uint64_t value;
	uint64_t whole;          /* LIST_SHARE, LIST_RATE, LIST_BAR */
	uint64_t more;           /* LIST_BAR */
	const char *word;        /* LIST_WORD: less than UNITS_MAX bytes */
	const struct measure *measure;   /* LIST_MEASURE */
	uint8_t unit;            /* enum list_figure_unit */
	uint8_t tone;            /* enum list_tone */
	bool doubt;              /* mostly estimated: shown with "~" in front */
	bool minus;              /* LIST_BYTES: below zero by VALUE */
};

struct list_column {
	const char *head;
	const struct measure *measure;   /* that it is about: its colour on a screen; NULL = none */
	struct list_figure (*figure)(const void *row);
	bool lead;               /* on a screen it takes the colour of its row */
	bool dot;                /* an empty figure shows as a dot */
	uint16_t least_w;        /* a pane of fewer columns omits it; */
	uint16_t wide_w;         /* one of fewer than this gives it BRIEF_COLS instead of COLS */
	uint8_t cols, brief_cols;
	const char *text_head;   /* in texts; NULL = omitted there; */
	uint8_t text_cols;
};

/* C as a number per second. */
static inline double list_figure_rate(const struct list_figure *c)
{
	return c->whole ? (double)c->value * 1e9 / (double)c->whole : 0;
}

/* Writes C in full to DST, without the "~". Returns DST. */
static inline char *list_figure_text(const struct list_figure *c, char dst[UNITS_MAX])
{
	switch (c->unit) {
	case LIST_TIME:
		return units_time(dst, c->value);
	case LIST_COUNT:
		return units_thousands(dst, c->value);
	case LIST_SHARE:
		return units_percent(dst, c->whole ? (double)c->value / (double)c->whole : 0);
	case LIST_BYTES:
		units_bytes(dst, c->value);
		if (c->minus)
			memmove(dst + 1, dst, UNITS_MAX - 1);
		if (c->minus)
			dst[0] = '-';
		return dst;
	case LIST_RATE:
		snprintf(dst, UNITS_MAX, list_figure_rate(c) < 0.05 ? "<0.1" : "%.1f", list_figure_rate(c));
		return dst;
	case LIST_NODE:
		snprintf(dst, UNITS_MAX, "%" PRIu64, c->value);
		return dst;
	case LIST_WORD:
		snprintf(dst, UNITS_MAX, "%s", c->word);
		return dst;
	case LIST_MEASURE:
		return measure_text(c->measure, c->value, dst);
	default:
		dst[0] = '\0';
		return dst;
	}
}

#endif
