/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remote_stacks.h - stacks of waits that began before the capture, or found no room in the kernel half: read by a helper process
 * (capture/peek.h) from the registers that the source lists.
 *
 * A stack that cannot be read is walked all the same: the registers know the innermost function, and the cut says why it ends
 * there. One that goes on behind what was read is read again, further, when whoever walked it asks for that: most stacks are small, and
 * what lies behind them may be anything.
 */
#ifndef SBERF_ENGINE_REMOTE_STACKS_H
#define SBERF_ENGINE_REMOTE_STACKS_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "model/raw.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <stdint.h>

struct ingest;
struct remote_stacks;

/*
 * Each stack goes to IN as a RAW_WAIT_STACK: time_ns is when it had been read, or when the wait began for one that was not. FIRST bytes are
 * read of it, and MOST when remote_stacks_further() asks for more. Forks: by the thread that makes all further calls. NULL when out of memory.
 */
struct remote_stacks *remote_stacks_new(uint32_t first, uint32_t most, struct ingest *in);
void remote_stacks_free(struct remote_stacks *o);    /* NULL is fine */

/*
 * Asks for the stack of W. False when there is no room now. IN may get it before this returns: with what is known when there is nothing to
 * read, as of kernel threads, which have no user side.
 */
bool remote_stacks_ask(struct remote_stacks *o, const struct source_open *w);
/*
 * The stack of RAW, which the ingest got with what was read of it, goes on behind that. True: it gets RAW again, with more of it. False:
 * there is no more to be had.
 */
bool remote_stacks_further(struct remote_stacks *o, const struct raw_event *raw);
/* Hands on what has been answered; returns how many. While answers are pending it waits for some, 5 ms at most. */
unsigned int remote_stacks_poll(struct remote_stacks *o);
/* Figures for the header and the summary. */
void remote_stacks_measure(const struct remote_stacks *o, struct profile_meta *m);
bool remote_stacks_pending(const struct remote_stacks *o);   /* asked and not answered */

DEFINE_AUTO(remote_stacks_free, struct remote_stacks);

#endif
