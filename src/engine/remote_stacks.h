/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * remote_stacks.h - reads the stacks of waits that began before the capture, or found no room in
 * the kernel half: a helper process (capture/peek.h) reads them from the registers that the source
 * lists.
 *
 * A stack that cannot be read is still walked: the registers give the innermost function, and the
 * reason for the cut says why it ends there. Most stacks are small, and what lies behind them may
 * be anything, so little is read first, and more when the unwinder asks for it.
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
 * Each stack goes to IN as a RAW_WAIT_STACK; its time_ns is when it was read, or when the wait
 * began if it could not be read. The first read takes FIRST bytes, and after
 * remote_stacks_further() MOST. Forks, so call it on the thread that makes all further calls. NULL
 * when out of memory.
 */
struct remote_stacks *remote_stacks_new(uint32_t first, uint32_t most, struct ingest *in);
void remote_stacks_free(struct remote_stacks *o);    /* NULL is fine */

/*
 * Requests the stack of W. False when there is no room now. IN may get it before this returns, with
 * what is known, when there is nothing to read: kernel threads have no user side.
 */
bool remote_stacks_ask(struct remote_stacks *o, const struct source_open *w);
/*
 * Call when the stack of RAW continues beyond what was read. True: the ingest gets RAW again, with
 * more. False: no more can be read.
 */
bool remote_stacks_further(struct remote_stacks *o, const struct raw_event *raw);
/*
 * Passes on what has been answered; returns how many stacks. Waits up to 5 ms while answers are
 * pending.
 */
unsigned int remote_stacks_poll(struct remote_stacks *o);
/* Adds its figures to M. */
void remote_stacks_measure(const struct remote_stacks *o, struct profile_meta *m);
bool remote_stacks_pending(const struct remote_stacks *o);   /* whether requests are unanswered */

DEFINE_AUTO(remote_stacks_free, struct remote_stacks);

#endif
