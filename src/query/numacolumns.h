/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numacolumns.h - the columns of the tables of a view by node (numareport.h): the pane and the
 * text print the same figures.
 *
 * A screen has shares and rates, which can be compared at a glance; a text has times and counts,
 * which can be added up. Where both say the same, they share the column. Cells that there are for
 * each node are drawn by the pane and the text themselves.
 */
#ifndef SBERF_QUERY_NUMACOLUMNS_H
#define SBERF_QUERY_NUMACOLUMNS_H

#include "query/column.h"
#include "query/numareport.h"

#include <stddef.h>

/* The tables, in the order in which they stand on a screen. */
enum numa_part {
	NUMA_PART_NOTES,         /* what has to be known first; no columns */
	NUMA_PART_NODES,
	NUMA_PART_MATRIX,        /* accesses from node to node, where they have no place beside the nodes */
	NUMA_PART_FUNCS,
	NUMA_PART_SITES,
	NUMA_PART_THREADS,
	NUMA_PART_MOVES,
	NUMA_PART_MAPPINGS,
	NUMA_PART_PROCESSES,
	NUMA_PART_MISSES,        /* why samples gave no address */
	NUMA_PARTS
};

/* One row of a table. */
struct numa_row {
	const struct numa_view *v;
	uint8_t part;            /* enum numa_part */
	uint32_t i;              /* its number; of misses the reason */
	uint32_t path;           /* of a function: a call path in view.path; ID_NONE = all of it */
};

#define NUMA_WHEN_ONE 1u         /* on one node, */
#define NUMA_WHEN_SEVERAL 2u     /* on several */

struct numa_column {
	uint8_t part;            /* enum numa_part */
	uint8_t when;            /* mask of NUMA_WHEN_* */
	uint8_t cols;            /* on a screen, 0 = it is not there; */
	uint8_t rank;            /* there the highest goes first where there is no room */
	const char *head;        /* "" = a bar */
	uint8_t text_cols;       /* in texts, 0 = it is not there */
	const char *text_head;
	struct list_figure (*figure)(const struct numa_row *r);
};

/* All columns, those of a part from left to right; *RET_N of them. */
const struct numa_column *numa_columns(size_t *ret_n);

/* The accesses of a function, a call path, a thread, a kind of memory; NULL = R has none. */
const struct numa_accesses *numa_row_accesses(const struct numa_row *r);
/* How often accesses were sampled. */
uint64_t numa_accesses_count(const struct numa_accesses *a);
/* How long all of them are. */
uint64_t numa_accesses_ns(const struct numa_accesses *a);

/* Node I is not known to the state: it is offline, or gone. */
bool numa_node_offline(const struct numa_view *v, uint32_t i);

#endif
