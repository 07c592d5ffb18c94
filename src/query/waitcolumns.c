/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitcolumns.c - the table of columns for the list of waits: what each cell says in texts and on
 * screens.
 */
#include "config.h"

#include "query/waitcolumns.h"

#include "query/waits.h"

static struct list_figure waitcolumns_total(const void *row)
{
	const struct wait_row *r = row;

	return (struct list_figure){ .unit = LIST_TIME, .value = r->total_ns, .doubt = r->doubt_ns > r->total_ns / 2 };
}

/* The run queue behind waits that are left out because they idle has none: those count them. */
static struct list_figure waitcolumns_count(const void *row)
{
	const struct wait_row *r = row;

	return (struct list_figure){ .unit = r->count ? LIST_COUNT : LIST_NONE, .value = r->count };
}

static struct list_figure waitcolumns_average(const void *row)
{
	const struct wait_row *r = row;

	return (struct list_figure){ .unit = r->count ? LIST_TIME : LIST_NONE,
				     .value = r->count ? r->total_ns / r->count : 0 };
}

static struct list_figure waitcolumns_longest(const void *row)
{
	const struct wait_row *r = row;

	return (struct list_figure){ .unit = LIST_TIME,
				     .value = r->longest_ns < 1e19 ? (uint64_t)r->longest_ns : UINT64_MAX };
}

const struct list_column wait_columns[WAIT_COLUMNS] = {
	[WAIT_COLUMN_TOTAL] = { .head = "total", .figure = waitcolumns_total, .lead = true, .least_w = 14, .cols = 9,
				.text_head = "total", .text_cols = 10 },
	[WAIT_COLUMN_COUNT] = { .head = "count", .figure = waitcolumns_count, .dot = true, .least_w = 30,
				.wide_w = 52, .cols = 8, .brief_cols = 7, .text_head = "count", .text_cols = 11 },
	[WAIT_COLUMN_AVERAGE] = { .head = "avg", .figure = waitcolumns_average, .least_w = 72, .cols = 9,
				  .text_head = "average", .text_cols = 11 },
	[WAIT_COLUMN_LONGEST] = { .head = "longest", .figure = waitcolumns_longest, .least_w = 52, .cols = 9,
				  .text_head = "longest", .text_cols = 11 },
};
