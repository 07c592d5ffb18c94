/* SPDX-License-Identifier: BSD-2-Clause */
/* heatquery.h - how much of what a question asks for ran and waited when. */
#ifndef SBERF_QUERY_HEATQUERY_H
#define SBERF_QUERY_HEATQUERY_H

#include "profile/heat.h"
#include "query/query.h"

#include <stdbool.h>

/*
 * Sets RET, which is empty, to the time of what Q asks for in S, whatever range it names. Slices do not say when in them it was: it
 * is spread evenly, and waits that are longer end with their slice. False when out of memory: RET is for heat_free() all the same.
 */
bool heat_query(const struct snapshot *s, const struct names *names, const struct query *q, struct heat *ret);

#endif
