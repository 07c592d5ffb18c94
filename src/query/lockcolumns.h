/* SPDX-License-Identifier: BSD-2-Clause */
/* lockcolumns.h - the columns of the list of locks (locks.h), of its text and its pane. */
#ifndef SBERF_QUERY_LOCKCOLUMNS_H
#define SBERF_QUERY_LOCKCOLUMNS_H

#include "query/column.h"

enum lock_column {               /* in the order in which they stand */
	LOCK_COLUMN_TOTAL,
	LOCK_COLUMN_COUNT,
	LOCK_COLUMN_LONGEST,
	LOCK_COLUMN_AVERAGE,
	LOCK_COLUMN_WAITERS,
	LOCK_COLUMN_NOW,
	LOCK_COLUMN_HAND_OVER,
	LOCK_COLUMNS
};

/* Rows are struct lock_row; of a holder or a place one with what is known of it, and 0 in the rest. */
extern const struct list_column lock_columns[LOCK_COLUMNS];

#endif
