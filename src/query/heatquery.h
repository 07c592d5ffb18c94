/* SPDX-License-Identifier: BSD-2-Clause */
/* heatquery.h - when the time that a query asks for was spent, as a heat map. */
#ifndef SBERF_QUERY_HEATQUERY_H
#define SBERF_QUERY_HEATQUERY_H

#include "profile/heat.h"
#include "query/query.h"

#include <stdbool.h>

/*
 * Fills RET, which is empty, with the time that Q asks for in S, whatever its range. Slices do not
 * say when within them time was spent: it is spread evenly, and waits longer than a slice end with
 * it. False when out of memory; call heat_free() in any case.
 */
bool heat_query(const struct snapshot *s, const struct names *names, const struct query *q, struct heat *ret);

#endif
