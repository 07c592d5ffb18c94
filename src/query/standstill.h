/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * standstill.h - a *standstill*: several threads of one process have been waiting for locks, and nobody woke any of them, for so
 * long that they may well wait for each other. That they do cannot be seen from outside.
 */
#ifndef SBERF_QUERY_STANDSTILL_H
#define SBERF_QUERY_STANDSTILL_H

#include "query/waits.h"

#include <stdbool.h>
#include <stdint.h>

#define STANDSTILL_NS 5000000000ull

struct standstill {
	uint32_t threads;        /* of the process with most of them; 0 = there is none */
	uint64_t waited_ns;      /* all of them have at least */
};

/* Who stands still among those that still wait in W. */
struct standstill waits_standstill(const struct waits *w);
/* True when O, one of W, is part of a standstill. */
bool wait_stands_still(const struct waits *w, const struct wait_open *o);

#endif
