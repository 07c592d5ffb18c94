/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growths.h - the call trees that streams follow, as those have them: one for each measure that is counted, made anew
 * with a snapshot, and forgotten when nobody has asked for it for a while. For one thread.
 */
#ifndef SBERF_SERVE_GROWTHS_H
#define SBERF_SERVE_GROWTHS_H

#include "base/cleanup.h"
#include "export/flame_growth.h"
#include "model/measure.h"

#include <stdbool.h>
#include <stdint.h>

#define GROWTHS_MAX 4u                           /* streams at a time */
#define GROWTHS_IDLE_NS (30 * NSEC_PER_SEC)      /* after which one is forgotten */

struct growths;

struct growths *growths_new(void);               /* NULL when out of memory */
void growths_free(struct growths *g);            /* NULL is fine */

/*
 * That of COUNT; NULL when out of memory. *RET_MADE: it is of the snapshot PUBLISHED already, and of an ended capture
 * if that has ENDED; else the caller fills it and, if that went well, calls growths_made().
 */
struct flame_growth *growths_get(struct growths *g, measure_mask count, uint64_t published, bool ended,
				 bool *ret_made);
void growths_made(struct growths *g, measure_mask count, uint64_t published, bool ended);

/* Forgets those that nobody has asked for. */
void growths_age(struct growths *g, uint64_t now_ns);

DEFINE_AUTO(growths_free, struct growths);

#endif
