/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorycolumns.h - the columns of the list of sites that allocate memory (leaks.h): one table, from
 * which the pane and the text of a report print.
 */
#ifndef SBERF_QUERY_MEMORYCOLUMNS_H
#define SBERF_QUERY_MEMORYCOLUMNS_H

#include "query/column.h"

enum memory_column {             /* in the order in which they stand */
	MEMORY_COLUMN_IN_USE,
	MEMORY_COLUMN_ERROR,
	MEMORY_COLUMN_ALLOCATED,
	MEMORY_COLUMN_CHURN,
	MEMORY_COLUMN_GROWTH,
	MEMORY_COLUMN_BLOCKS,
	MEMORY_COLUMN_VERDICT,
	MEMORY_COLUMNS
};

/* Rows are struct leak_site. */
extern const struct list_column memory_columns[MEMORY_COLUMNS];
/* The same of sites that made memory grow: the columns of other figures are omitted everywhere. */
extern const struct list_column grown_columns[MEMORY_COLUMNS];

#endif
