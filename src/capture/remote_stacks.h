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
#ifndef SBERF_CAPTURE_REMOTE_STACKS_H
#define SBERF_CAPTURE_REMOTE_STACKS_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>

struct remote_stacks;

/*
 * The first read takes FIRST bytes, and after remote_stacks_further() MOST. Forks, so call it on the
 * thread that makes all further calls. NULL when out of memory.
 */
struct remote_stacks *remote_stacks_new(uint32_t first, uint32_t most);
void remote_stacks_free(struct remote_stacks *o);    /* NULL is fine */

/*
 * Requests the stack of W, as source_open_stack(). SOURCE_STACK_HERE, with what is known, when there
 * is nothing to read: kernel threads have no user side.
 */
enum source_stack remote_stacks_ask(struct remote_stacks *o, const struct source_open *w, struct raw_event *ret);
/* As source_read_further(). */
bool remote_stacks_further(struct remote_stacks *o, const struct raw_event *raw);
/*
 * Passes what has been answered to EACH: a RAW_WAIT_STACK, whose time_ns is when it was read, or
 * when the wait began if it could not be read. Returns how many. Waits up to 5 ms while answers are
 * pending.
 */
int remote_stacks_poll(struct remote_stacks *o, raw_fn *each, void *ctx);
/* Sets its figures in *RET. */
void remote_stacks_stats(const struct remote_stacks *o, struct source_stats *ret);
bool remote_stacks_pending(const struct remote_stacks *o);   /* whether requests are unanswered */

DEFINE_AUTO(remote_stacks_free, struct remote_stacks);

#endif
