/* SPDX-License-Identifier: BSD-2-Clause */
/* lockcolumns.c - the table of columns for the list of locks. What is 0 has no figure: holders have few of them. */
#include "config.h"

#include "query/lockcolumns.h"

#include "query/locks.h"

static struct list_figure lockcolumns_figure(enum list_figure_unit unit, uint64_t value)
{
	return (struct list_figure){ .unit = value ? unit : LIST_NONE, .value = value };
}

static struct list_figure lockcolumns_total(const void *row)
{
	return lockcolumns_figure(LIST_TIME, ((const struct lock_row *)row)->ns);
}

static struct list_figure lockcolumns_count(const void *row)
{
	return lockcolumns_figure(LIST_COUNT, ((const struct lock_row *)row)->count);
}

static struct list_figure lockcolumns_longest(const void *row)
{
	return lockcolumns_figure(LIST_TIME, ((const struct lock_row *)row)->longest_ns);
}

static struct list_figure lockcolumns_average(const void *row)
{
	const struct lock_row *r = row;

	return lockcolumns_figure(LIST_TIME, r->count ? r->ns / r->count : 0);
}

static struct list_figure lockcolumns_waiters(const void *row)
{
	return lockcolumns_figure(LIST_COUNT, ((const struct lock_row *)row)->waiters);
}

static struct list_figure lockcolumns_now(const void *row)
{
	return lockcolumns_figure(LIST_COUNT, ((const struct lock_row *)row)->waiting);
}

static struct list_figure lockcolumns_hand_over(const void *row)
{
	return lockcolumns_figure(LIST_TIME, ((const struct lock_row *)row)->hand_over_ns);
}

const struct list_column lock_columns[LOCK_COLUMNS] = {
	[LOCK_COLUMN_TOTAL] = { .head = "total", .figure = lockcolumns_total, .lead = true, .least_w = 14, .cols = 9,
				.text_head = "total", .text_cols = 10 },
	[LOCK_COLUMN_COUNT] = { .head = "count", .figure = lockcolumns_count, .least_w = 30, .wide_w = 80, .cols = 9,
				.brief_cols = 7, .text_head = "count", .text_cols = 11 },
	[LOCK_COLUMN_LONGEST] = { .head = "longest", .figure = lockcolumns_longest, .least_w = 56, .cols = 9,
				  .text_head = "longest", .text_cols = 11 },
	[LOCK_COLUMN_AVERAGE] = { .head = "avg", .figure = lockcolumns_average, .least_w = 100, .cols = 9,
				  .text_head = "average", .text_cols = 11 },
	[LOCK_COLUMN_WAITERS] = { .head = "waiters", .figure = lockcolumns_waiters, .least_w = 90, .cols = 8,
				  .text_head = "waiters", .text_cols = 9 },
	[LOCK_COLUMN_NOW] = { .head = "now", .figure = lockcolumns_now, .least_w = 70, .cols = 5,
			      .text_head = "now", .text_cols = 5 },
	[LOCK_COLUMN_HAND_OVER] = { .head = "hand-over", .figure = lockcolumns_hand_over, .least_w = 120, .cols = 10,
				    .text_head = "handing over", .text_cols = 14 },
};
