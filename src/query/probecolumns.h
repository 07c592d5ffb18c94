/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probecolumns.h - the columns of the list of probes (probereport.h): one table, from which the pane
 * and the text of a report print.
 */
#ifndef SBERF_QUERY_PROBECOLUMNS_H
#define SBERF_QUERY_PROBECOLUMNS_H

#include "query/column.h"

enum probe_column {              /* in the order in which they stand */
	PROBE_COLUMN_HITS,
	PROBE_COLUMN_RATE,
	PROBE_COLUMN_TOTAL,
	PROBE_COLUMN_MEAN,
	PROBE_COLUMN_HALF,
	PROBE_COLUMN_MOST,
	PROBE_COLUMN_LONGEST,
	PROBE_COLUMN_OTHERS,
	PROBE_COLUMNS
};

/* Rows are struct probe_row. */
extern const struct list_column probe_columns[PROBE_COLUMNS];

#endif
