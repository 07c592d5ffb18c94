/* SPDX-License-Identifier: BSD-2-Clause */
/* probecolumns.c - the table of columns for the list of probes. */
#include "config.h"

#include "query/probecolumns.h"

#include "query/probereport.h"

static const struct list_figure no_figure = { .unit = LIST_NONE };

static struct list_figure probecolumns_hits(const void *row)
{
	const struct probe_row *r = row;

	return (struct list_figure){ .unit = r->hits ? LIST_COUNT : LIST_NONE, .value = r->hits,
				     .doubt = r->estimate };
}

static struct list_figure probecolumns_rate(const void *row)
{
	const struct probe_row *r = row;

	return (struct list_figure){ .unit = r->hits && r->elapsed_ns ? LIST_RATE : LIST_NONE, .value = r->hits,
				     .whole = r->elapsed_ns, .doubt = r->estimate };
}

/* What only counts has no total beside the number of its hits. */
static struct list_figure probecolumns_total(const void *row)
{
	const struct probe_row *r = row;

	if (!r->hits || (!r->timed && !r->summed))
		return no_figure;
	return (struct list_figure){ .unit = r->timed ? LIST_TIME : LIST_COUNT, .value = r->value,
				     .doubt = r->estimate };
}

static struct list_figure probecolumns_mean(const void *row)
{
	struct list_figure f = probecolumns_total(row);

	f.value = f.unit == LIST_NONE ? 0 : f.value / ((const struct probe_row *)row)->hits;
	return f;
}

static struct list_figure probecolumns_percentile(const struct probe_row *r, unsigned int percent)
{
	if (!r->timed || !r->hits)
		return no_figure;
	return (struct list_figure){ .unit = LIST_TIME, .value = probe_percentile_ns(r, percent), .doubt = true };
}

static struct list_figure probecolumns_half(const void *row)
{
	return probecolumns_percentile(row, 50);
}

static struct list_figure probecolumns_most(const void *row)
{
	return probecolumns_percentile(row, 99);
}

static struct list_figure probecolumns_longest(const void *row)
{
	const struct probe_row *r = row;

	if (!r->timed || !r->hits)
		return no_figure;
	return (struct list_figure){ .unit = LIST_TIME,
				     .value = r->longest_ns < 1e19 ? (uint64_t)r->longest_ns : UINT64_MAX,
				     .doubt = r->others };
}

static struct list_figure probecolumns_others(const void *row)
{
	const struct probe_row *r = row;

	return (struct list_figure){ .unit = r->others ? LIST_COUNT : LIST_NONE, .value = r->others };
}

const struct list_column probe_columns[PROBE_COLUMNS] = {
	[PROBE_COLUMN_HITS] = { .head = "hits", .figure = probecolumns_hits, .lead = true, .dot = true, .least_w = 24,
				.wide_w = 52, .cols = 10, .brief_cols = 7, .text_head = "hits", .text_cols = 11 },
	[PROBE_COLUMN_RATE] = { .head = "per s", .figure = probecolumns_rate, .dot = true, .least_w = 72, .cols = 10,
				.text_head = "per s", .text_cols = 11 },
	[PROBE_COLUMN_TOTAL] = { .head = "total", .figure = probecolumns_total, .dot = true, .least_w = 40,
				 .wide_w = 52, .cols = 12, .brief_cols = 9, .text_head = "total", .text_cols = 14 },
	[PROBE_COLUMN_MEAN] = { .head = "mean", .figure = probecolumns_mean, .dot = true, .least_w = 84, .cols = 9,
				.text_head = "mean", .text_cols = 10 },
	[PROBE_COLUMN_HALF] = { .head = "p50", .figure = probecolumns_half, .dot = true, .least_w = 100, .cols = 9,
				.text_head = "p50", .text_cols = 10 },
	[PROBE_COLUMN_MOST] = { .head = "p99", .figure = probecolumns_most, .dot = true, .least_w = 60, .cols = 9,
				.text_head = "p99", .text_cols = 10 },
	[PROBE_COLUMN_LONGEST] = { .head = "longest", .figure = probecolumns_longest, .dot = true, .least_w = 52,
				   .cols = 9, .text_head = "longest", .text_cols = 10 },
	[PROBE_COLUMN_OTHERS] = { .head = "dropped", .figure = probecolumns_others, .dot = true, .least_w = 120,
				  .cols = 10, .text_head = "dropped", .text_cols = 11 },
};
