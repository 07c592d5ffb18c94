/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fxmarkers.h - the waits of a Firefox profile as intervals: one marker for each part of a wait,
 * named after the system call, or "run queue". Private to export/firefox.c.
 *
 * The pieces of a long wait become one marker. What only stands for other waits has no time of its
 * own, so no marker.
 */
#ifndef SBERF_EXPORT_FXMARKERS_H
#define SBERF_EXPORT_FXMARKERS_H

#include "base/vec.h"
#include "export/fxtables.h"
#include "export/jsonout.h"
#include "model/event.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_marker {
	uint64_t start_ns, end_ns;
	thread_id thread, waker; /* waker: ID_NONE = not known */
	stack_id stack;
	lock_id lock;            /* when it began */
	uint32_t first_turn, nr_turns;   /* in turns: who held that meanwhile */
	uint32_t call;           /* CALL_* */
	uint8_t kind;            /* enum event_kind */
	uint8_t state;           /* enum wait_state */
	uint8_t context;         /* enum waker_context */
	uint8_t category;        /* enum fx_category */
};

struct fx_turn {
	lock_id lock;
	uint64_t ns;
};

struct fx_markers {
	VEC(struct fx_marker) v;
	VEC(struct fx_turn) turns;       /* made by fx_markers_sort() */
};

/* The layout of markers, as an item of the profile's markerSchema. NULL when out of memory. */
json_t *fx_marker_schema(void);

/* Adds EV, of CATEGORY, if it is a wait that was seen. False when out of memory. */
bool fx_markers_add(struct fx_markers *m, const struct event *ev, enum fx_category category);
/* Sorts them by thread and time, and joins pieces. */
void fx_markers_sort(struct fx_markers *m);
void fx_markers_free(struct fx_markers *m);      /* zeroed is fine */

/*
 * Writes the markers of THREAD as a member of it; *AT is where they begin in M, and is moved behind
 * them. Names go into T, stacks too. False when out of memory.
 */
bool fx_markers_put(const struct fx_markers *m, size_t *at, thread_id thread, struct fx_tables *t,
		    const struct profile_meta *meta, struct jsonout *j);

#endif
