/* SPDX-License-Identifier: BSD-2-Clause */
/* memorycolumns.c - the table of columns for the list of sites that allocate memory. */
#include "config.h"

#include "query/memorycolumns.h"

#include "query/leaks.h"

#include <math.h>

#define BYTES_COLS 9
#define BYTES_BRIEF 8

/* BYTES, or nothing where it is not KNOWN, or there are none. */
static struct list_figure memorycolumns_bytes(uint64_t bytes, bool known)
{
	return (struct list_figure){ .unit = known && bytes ? LIST_BYTES : LIST_NONE, .value = bytes };
}

static struct list_figure memorycolumns_in_use(const void *row)
{
	const struct leak_site *r = row;

	return memorycolumns_bytes(r->in_use, !r->unfollowed);
}

/* Of what is in use; where that is not known, of what was allocated. */
static struct list_figure memorycolumns_error(const void *row)
{
	const struct leak_site *r = row;

	return memorycolumns_bytes((uint64_t)(r->unfollowed ? r->allocated_error : r->error), true);
}

static struct list_figure memorycolumns_allocated(const void *row)
{
	return memorycolumns_bytes(((const struct leak_site *)row)->allocated, true);
}

static struct list_figure memorycolumns_churn(const void *row)
{
	const struct leak_site *r = row;

	return memorycolumns_bytes(leak_churn(r), !r->unfollowed);
}

/* Less than its error is none. */
static struct list_figure memorycolumns_growth(const void *row)
{
	const struct leak_site *r = row;
	struct list_figure f = memorycolumns_bytes((uint64_t)fabs(r->growth.per_s),
						   (r->grown || !r->unfollowed) &&
						   fabs(r->growth.per_s) > r->growth.error);

	f.minus = r->growth.per_s < 0;
	return f;
}

static struct list_figure memorycolumns_blocks(const void *row)
{
	const struct leak_site *r = row;

	return (struct list_figure){ .unit = r->blocks && !r->unfollowed ? LIST_COUNT : LIST_NONE, .value = r->blocks };
}

static struct list_figure memorycolumns_verdict(const void *row)
{
	const struct leak_site *r = row;

	return (struct list_figure){ .unit = r->unfollowed ? LIST_NONE : LIST_WORD, .word = leak_verdict_word(r) };
}

const struct list_column memory_columns[MEMORY_COLUMNS] = {
	[MEMORY_COLUMN_IN_USE] = { .head = "in use", .figure = memorycolumns_in_use, .lead = true, .dot = true,
				   .least_w = 20, .wide_w = 60, .cols = BYTES_COLS, .brief_cols = BYTES_BRIEF,
				   .text_head = "in use", .text_cols = 10 },
	[MEMORY_COLUMN_ERROR] = { .head = "\xC2\xB1", .figure = memorycolumns_error, .least_w = 76, .cols = BYTES_BRIEF,
				  .text_head = "+-", .text_cols = 9 },
	[MEMORY_COLUMN_ALLOCATED] = { .head = "alloc", .figure = memorycolumns_allocated, .dot = true, .least_w = 50,
				      .wide_w = 60, .cols = BYTES_COLS, .brief_cols = BYTES_BRIEF,
				      .text_head = "allocated", .text_cols = 11 },
	[MEMORY_COLUMN_CHURN] = { .head = "churn/s", .figure = memorycolumns_churn, .dot = true, .least_w = 66,
				  .cols = BYTES_COLS, .text_head = "churn/s", .text_cols = 10 },
	[MEMORY_COLUMN_GROWTH] = { .head = "growth/s", .figure = memorycolumns_growth, .dot = true, .least_w = 88,
				   .cols = BYTES_COLS + 1, .text_head = "growth/s", .text_cols = 11 },
	[MEMORY_COLUMN_BLOCKS] = { .head = "blocks", .figure = memorycolumns_blocks, .dot = true, .least_w = 110,
				   .cols = 11, .text_head = "blocks", .text_cols = 11 },
	[MEMORY_COLUMN_VERDICT] = { .head = "verdict", .figure = memorycolumns_verdict, .least_w = 36, .cols = 9,
				    .text_head = "verdict", .text_cols = 9 },
};

static struct list_figure memorycolumns_returned(const void *row)
{
	return memorycolumns_bytes(((const struct leak_site *)row)->freed, true);
}

static struct list_figure memorycolumns_none(const void *row)
{
	return (struct list_figure){ .unit = LIST_NONE };
}

#define OMITTED { .head = "", .figure = memorycolumns_none, .least_w = UINT16_MAX }

const struct list_column grown_columns[MEMORY_COLUMNS] = {
	[MEMORY_COLUMN_IN_USE] = { .head = "grown", .figure = memorycolumns_allocated, .lead = true, .dot = true,
				   .least_w = 20, .wide_w = 60, .cols = BYTES_COLS, .brief_cols = BYTES_BRIEF,
				   .text_head = "grown", .text_cols = 10 },
	[MEMORY_COLUMN_ERROR] = { .head = "\xC2\xB1", .figure = memorycolumns_error, .least_w = 76,
				  .cols = BYTES_BRIEF, .text_head = "+-", .text_cols = 9 },
	[MEMORY_COLUMN_ALLOCATED] = OMITTED,
	[MEMORY_COLUMN_CHURN] = { .head = "returned", .figure = memorycolumns_returned, .dot = true, .least_w = 66,
				  .cols = BYTES_COLS + 1, .text_head = "returned", .text_cols = 11 },
	[MEMORY_COLUMN_GROWTH] = { .head = "growth/s", .figure = memorycolumns_growth, .dot = true, .least_w = 36,
				   .cols = BYTES_COLS + 1, .text_head = "growth/s", .text_cols = 11 },
	[MEMORY_COLUMN_BLOCKS] = OMITTED,
	[MEMORY_COLUMN_VERDICT] = OMITTED,
};
