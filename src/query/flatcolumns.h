/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatcolumns.h - the columns of lists of functions and of modules (flatlist.h): self, total, what
 * self is made of, and how much it is. Panes and texts print them from here.
 */
#ifndef SBERF_QUERY_FLATCOLUMNS_H
#define SBERF_QUERY_FLATCOLUMNS_H

#include "query/column.h"
#include "query/funcs.h"

enum flat_column {               /* in the order in which they stand */
	FLAT_COLUMN_SELF,
	FLAT_COLUMN_TOTAL,
	FLAT_COLUMN_PARTS,       /* of self: one for each measure that was asked for */
	FLAT_COLUMN_AMOUNT = FLAT_COLUMN_PARTS + MEASURES_ASKED,
	FLAT_COLUMNS
};

/* What 100 % is. */
struct flat_scale {
	uint64_t whole_ns;               /* of self and total */
	uint64_t part[MEASURES_ASKED];   /* of each measure */
	const struct measure *lead;      /* what amounts are of */
	bool doubt_parts;                /* say which parts of wall time are mostly estimated */
};

/* One row. */
struct flat_line {
	const struct flat_scale *scale;
	uint64_t self_ns, total_ns, doubt_ns;
	const struct tree_parts *self;
	bool no_total;                   /* it stands for what has none */
};

/*
 * The columns of a list about SET, in DST; rows are struct flat_line. PARTS: the places of SET that
 * have a column, as a mask. The amount is in texts alone; whoever prints it says its head and width.
 */
void flat_columns(const struct measure_set *set, unsigned int parts, struct list_column dst[FLAT_COLUMNS]);

#endif
