/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat.h - how much ran and waited when, finer than slices tell, over all stacks and threads.
 *
 * A *column* is a run of whole seconds of CLOCK_MONOTONIC, one when new. It holds the time of
 * threads for each kind and for each of HEAT_ROWS pieces of the second (the *offset*), so what
 * comes back every second stands in the same row. Columns lie in order and never overlap; a time of
 * which nothing was told has none. When there are HEAT_COLUMNS_MAX, the older half is merged in
 * pairs, offset by offset: memory stays below 1.3 MB, totals stay, and so do the offsets of what is
 * periodic.
 *
 * Columns are shared by reference, like slices: one that somebody else refers to is copied before
 * it is written to. So a copy costs a pointer a column. One thread writes to a heat; any may give
 * columns back.
 */
#ifndef SBERF_PROFILE_HEAT_H
#define SBERF_PROFILE_HEAT_H

#include "base/clock.h"
#include "base/vec.h"
#include "model/event.h"
#include "model/measure.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAT_ROWS 50u            /* of 20 ms */
#define HEAT_ROW_NS (NSEC_PER_SEC / HEAT_ROWS)
#define HEAT_COLUMNS_MAX 2048u

struct heat_column {
	_Atomic uint32_t refs;
	uint64_t from_ns, to_ns;                 /* whole seconds; to exclusive */
	float ns[TIME_NR][HEAT_ROWS];            /* summed over the seconds */
};

struct heat {
	VEC(struct heat_column *) columns;       /* oldest first, a reference each; a zeroed heat has none */
};

void heat_free(struct heat *h);          /* leaves it empty */
size_t heat_bytes(const struct heat *h); /* memory, also of columns that are shared */

/* Makes TO, which is empty, a copy of FROM. False when out of memory: still empty. */
bool heat_share(struct heat *to, const struct heat *from);

/* Adds NS of KIND, spread evenly from FROM_NS to TO_NS. Drops what it has no memory for. */
void heat_add(struct heat *h, enum time_kind kind, uint64_t from_ns, uint64_t to_ns, double ns);

/*
 * Adds the time of EV, over as long as it weighs: for a wait the time before EV.time_ns, as a
 * thread cannot wait longer than time passes, and for waits that it stands for beside itself a
 * second at least; for a sample the time around it, so that a thread that keeps running leaves no
 * gaps. Kinds that are not time add nothing, nor do times beyond 292 years.
 */
void heat_event(struct heat *h, const struct event *ev);

/* The kind of time that events of EVENT_KIND are; TIME_NR = none. */
enum time_kind heat_kind(unsigned int event_kind);

/*
 * Sets RET to the time of each kind from FROM_NS to TO_NS, in ns. Of a row or a merged column that
 * lies in it in part: that part.
 */
void heat_sum(const struct heat *h, uint64_t from_ns, uint64_t to_ns, double ret[TIME_NR]);
/* The same for one kind and each offset. */
void heat_offsets(const struct heat *h, enum time_kind kind, uint64_t from_ns, uint64_t to_ns, double ret[HEAT_ROWS]);

#endif
