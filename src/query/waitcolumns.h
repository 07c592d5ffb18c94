/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitcolumns.h - the columns of the list of waits (waits.h), except the histogram, which views and
 * texts draw in their own ways.
 */
#ifndef SBERF_QUERY_WAITCOLUMNS_H
#define SBERF_QUERY_WAITCOLUMNS_H

#include "query/column.h"

enum wait_column {               /* in the order in which they stand on a screen */
	WAIT_COLUMN_TOTAL,
	WAIT_COLUMN_COUNT,
	WAIT_COLUMN_AVERAGE,
	WAIT_COLUMN_LONGEST,
	WAIT_COLUMNS
};

/* Rows are struct wait_row. */
extern const struct list_column wait_columns[WAIT_COLUMNS];

#endif
