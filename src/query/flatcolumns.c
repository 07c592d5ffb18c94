/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatcolumns.c - the table of columns for lists of functions and of modules: what each cell says
 * and how rows are compared. The list itself is in flatlist.c.
 */
#include "config.h"

#include "query/flatcolumns.h"

#define NEVER UINT16_MAX         /* no pane is as wide */

static struct list_figure flatcolumns_self(const void *row)
{
	const struct flat_line *l = row;

	return (struct list_figure){ .unit = LIST_SHARE, .value = l->self_ns, .whole = l->scale->whole_ns,
				     .doubt = l->doubt_ns > l->self_ns / 2 };
}

static struct list_figure flatcolumns_total(const void *row)
{
	const struct flat_line *l = row;

	return (struct list_figure){ .unit = l->no_total ? LIST_NONE : LIST_SHARE, .value = l->total_ns,
				     .whole = l->scale->whole_ns };
}

/* Which part of wall time is in doubt is not known: blocked time first, as much as there is. */
static bool part_in_doubt(const struct flat_line *l, unsigned int place)
{
	const uint64_t *ns = l->self->ns;

	if (!l->scale->doubt_parts || place == TIME_RUNNING)
		return false;
	return l->doubt_ns > (place == TIME_RUNNABLE ? ns[TIME_BLOCKED] : 0) + ns[place] / 2;
}

static struct list_figure flatcolumns_part(const struct flat_line *l, unsigned int place)
{
	return (struct list_figure){ .unit = LIST_SHARE, .value = l->self->ns[place], .whole = l->scale->part[place],
				     .doubt = part_in_doubt(l, place) };
}

/* A column has no number of its own. */
#define PART(name, place) \
	static struct list_figure flatcolumns_##name(const void *row) \
	{ \
		return flatcolumns_part(row, place); \
	}

PART(first, 0)
PART(second, 1)
PART(third, 2)
PART(fourth, 3)
PART(fifth, 4)
PART(sixth, 5)

static struct list_figure flatcolumns_amount(const void *row)
{
	const struct flat_line *l = row;

	return (struct list_figure){ .unit = LIST_MEASURE, .measure = l->scale->lead, .value = l->self_ns,
				     .doubt = l->doubt_ns > l->self_ns / 2 };
}

/* Of parts the first stays longest where there is little room, and the second goes first: the run queue. */
static const struct list_column all_columns[FLAT_COLUMNS] = {
	[FLAT_COLUMN_SELF] = { .head = "self", .figure = flatcolumns_self, .least_w = 30, .wide_w = 56,
			       .cols = 9, .brief_cols = 6, .text_head = "self", .text_cols = 8 },
	[FLAT_COLUMN_TOTAL] = { .head = "total", .figure = flatcolumns_total, .least_w = 30, .wide_w = 56,
				.cols = 9, .brief_cols = 6, .text_head = "total", .text_cols = 9 },
	[FLAT_COLUMN_PARTS] = { .figure = flatcolumns_first, .dot = true, .least_w = 72, .cols = 9, .text_cols = 9 },
	[FLAT_COLUMN_PARTS + 1] = { .figure = flatcolumns_second, .dot = true, .least_w = 100, .cols = 9,
				    .text_cols = 9 },
	[FLAT_COLUMN_PARTS + 2] = { .figure = flatcolumns_third, .dot = true, .least_w = 84, .cols = 9,
				    .text_cols = 9 },
	[FLAT_COLUMN_PARTS + 3] = { .figure = flatcolumns_fourth, .dot = true, .least_w = 92, .cols = 9,
				    .text_cols = 9 },
	[FLAT_COLUMN_PARTS + 4] = { .figure = flatcolumns_fifth, .dot = true, .least_w = 110, .cols = 9,
				    .text_cols = 9 },
	[FLAT_COLUMN_PARTS + 5] = { .figure = flatcolumns_sixth, .dot = true, .least_w = 119, .cols = 9,
				    .text_cols = 9 },
	[FLAT_COLUMN_AMOUNT] = { .figure = flatcolumns_amount, .least_w = NEVER },
};

void flat_columns(const struct measure_set *set, unsigned int parts, struct list_column dst[FLAT_COLUMNS])
{
	for (unsigned int i = 0; i < FLAT_COLUMNS; i++)
		dst[i] = all_columns[i];
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		struct list_column *c = &dst[FLAT_COLUMN_PARTS + place];

		c->measure = parts >> place & 1 ? measure_column(set, place) : NULL;
		if (c->measure)
			c->head = c->text_head = c->measure->head;
		else
			c->least_w = NEVER;
	}
}
