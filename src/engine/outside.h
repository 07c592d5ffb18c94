/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside.h - stacks of waits that began before the capture, or found no room in the kernel half: read by a helper process
 * (capture/peek.h) from the registers that the source lists.
 *
 * A stack that cannot be read is walked all the same: the registers know the innermost function, and the cut says why it ends
 * there. One that goes on behind what was read is read again, further, when whoever walked it asks for that: most stacks are small, and
 * what lies behind them may be anything.
 */
#ifndef SBERF_ENGINE_OUTSIDE_H
#define SBERF_ENGINE_OUTSIDE_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "model/raw.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <stdint.h>

struct ingest;
struct outside;

/*
 * Each stack goes to IN as a RAW_WAIT_STACK: time_ns is when it had been read, or when the wait began for one that was not. FIRST bytes are
 * read of it, and MOST when outside_further() asks for more. Forks: by the thread that makes all further calls. NULL when out of memory.
 */
struct outside *outside_new(uint32_t first, uint32_t most, struct ingest *in);
void outside_free(struct outside *o);    /* NULL is fine */

/*
 * Asks for the stack of W. False when there is no room now. IN may get it before this returns: with what is known when there is nothing to
 * read, as of kernel threads, which have no user side.
 */
bool outside_ask(struct outside *o, const struct source_open *w);
/*
 * The stack of RAW, which the ingest got with what was read of it, goes on behind that. True: it gets RAW again, with more of it. False:
 * there is no more to be had.
 */
bool outside_further(struct outside *o, const struct raw_event *raw);
/* Hands on what has been answered; returns how many. While answers are pending it waits for some, 5 ms at most. */
unsigned int outside_poll(struct outside *o);
/* Figures for the header and the summary. */
void outside_measure(const struct outside *o, struct profile_meta *m);
bool outside_pending(const struct outside *o);   /* asked and not answered */

DEFINE_AUTO(outside_free, struct outside);

#endif
