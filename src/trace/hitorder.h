/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitorder.h - puts hits into order of time, and hands them from the thread that reads them to the
 * one that prints.
 *
 * Who reads knows up to when it has seen everything. A hit goes out when that is past its time, so
 * hits of all CPUs come out in order, and those whose stacks were unwound later, too. What comes
 * later still is handed out at once, and counted. The memory of hits that wait is bounded: what
 * does not fit is dropped and counted, so a slow reader of the output never stops the capture.
 */
#ifndef SBERF_TRACE_HITORDER_H
#define SBERF_TRACE_HITORDER_H

#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/hit.h"

#include <stdbool.h>
#include <stdint.h>

struct hitorder;

struct hitorder_figures {
	uint64_t dropped;        /* there was no room */
	uint64_t late;           /* handed out after later ones */
};

/* MAX_BYTES: of memory for hits that wait. NULL when out of memory. */
struct hitorder *hitorder_new(size_t max_bytes);
void hitorder_free(struct hitorder *o);          /* with all that waits; NULL is fine */

/* Takes H over; NULL, of one for which there was no memory, is counted as dropped. For one thread, which reads. */
void hitorder_put(struct hitorder *o, struct hit *h);
/*
 * Hands over what was put. All hits before SEEN_NS are among it, or will never be. The same thread.
 */
void hitorder_flush(struct hitorder *o, uint64_t seen_ns);
/* Nothing more will be put; what is there goes out, whatever its time. Any thread. */
void hitorder_end(struct hitorder *o);

/*
 * Waits, at most TIMEOUT_NS, until something was handed over. For one thread, which prints, as the
 * next. False when it has waited in vain.
 */
bool hitorder_wait(struct hitorder *o, uint64_t timeout_ns);
/* The next hit in order of time, the caller's; NULL when there is none whose turn has come. */
struct hit *hitorder_take(struct hitorder *o);

void hitorder_figures(struct hitorder *o, struct hitorder_figures *ret);

DEFINE_AUTO(hitorder_free, struct hitorder);

#endif
