/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callsums.h - sums of hits by call: how many, how many failed, how long they took; as strace -c
 * prints them.
 */
#ifndef SBERF_TRACE_CALLSUMS_H
#define SBERF_TRACE_CALLSUMS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callsum {
	uint32_t probe, call;    /* as in struct hit */
	uint64_t hits, errors;
	uint64_t total_ns, max_ns;
};

struct callsums;

struct callsums *callsums_new(void);             /* NULL when out of memory */
void callsums_free(struct callsums *s);          /* NULL is fine */

/*
 * Adds COUNT hits, at least one, of PROBE and CALL, which took LATENCY_NS together: of several, the
 * longest is taken to be as long as they are on average. False when out of memory: they are not counted then.
 */
bool callsums_add(struct callsums *s, uint32_t probe, uint32_t call, bool failed, uint64_t latency_ns, uint32_t count);

/*
 * Sorts them, those that took longest first, of equal ones those with most hits. Sets *RET_N. Nothing
 * can be added afterwards.
 */
const struct callsum *callsums_sorted(struct callsums *s, size_t *ret_n);

DEFINE_AUTO(callsums_free, struct callsums);

#endif
