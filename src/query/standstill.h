/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * standstill.h - detects a *standstill*: several threads of one process have waited for locks for
 * so long, without being woken, that they may be waiting for each other. Whether they do cannot be
 * seen from outside.
 */
#ifndef SBERF_QUERY_STANDSTILL_H
#define SBERF_QUERY_STANDSTILL_H

#include "query/waits.h"

#include <stdbool.h>
#include <stdint.h>

#define STANDSTILL_NS 5000000000ull

struct standstill {
	uint32_t threads;        /* of the process with most such threads; 0 = no standstill */
	uint64_t waited_ns;      /* each of them has waited at least this long */
};

/* The standstill among the open waits of W. */
struct standstill waits_standstill(const struct waits *w);
/* Whether O, one of W, is part of a standstill. */
bool wait_stands_still(const struct waits *w, const struct wait_open *o);

#endif
