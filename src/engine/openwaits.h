/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openwaits.h - waits that have not ended: they count with the time they have lasted so far, and never twice.
 *
 * A *look* lists them all, about once a second. One that lasts is told in *pieces*, each when it has grown by a second (more
 * with thousands of waits), so that each second of the profile has its part, and a recording that is cut off has all but the
 * last; what is not told yet shows as provisional. When it ends, or the capture does, the rest is told and with it the count of
 * 1. Until its stack has come it has none (NOTE_NO_STACK), but keeps its call and state. A wait whose state is another one in a look (the
 * freezer of cgroup v1 leaves those that sleep where they are) goes on in that from there.
 *
 * Pure: whoever owns it looks, takes stacks and tells ends. One thread calls.
 */
#ifndef SBERF_ENGINE_OPENWAITS_H
#define SBERF_ENGINE_OPENWAITS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "engine/reconcile.h"
#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

struct openwaits;

struct openwaits_config {
	stack_id no_stack;       /* reconcile_no_stack() */
	struct event_sink *sink; /* gets pieces, and at the end the rest */
	/*
	 * Asks for the stack of W, which comes by openwaits_stack(), at once or later. False when that was not possible now: it
	 * is asked for again. Without W.has_stack it has to be read from outside, and is believed once it is known that the
	 * wait lasted longer.
	 */
	bool (*take)(void *ctx, const struct source_open *w);
	/* A wait that ended with its stack still to come, now that it has come or will not. As reconcile_wait(). */
	void (*ended)(void *ctx, const struct reconcile_task *task, const struct event *ev, const struct reconcile_wait *w);
	/* The end of a wait was not told though these parts of it were told here: reconcile_missed(). */
	void (*missed)(void *ctx, const struct reconcile_task *task, uint32_t call, uint64_t blocked_ns, uint64_t runnable_ns);
	thread_id (*thread)(void *ctx, const struct source_open *w);
	void *ctx;
};

struct openwaits_figures {
	uint64_t n, blocked_ns, runnable_ns;     /* under way, and how long so far */
	uint64_t own_ns, none_ns;        /* of all that was told, and is provisional: on a stack of its own, on none */
};

int openwaits_new(const struct openwaits_config *c, struct openwaits **ret, struct err *e);
void openwaits_free(struct openwaits *o);        /* NULL is fine */

/*
 * A look: begun, told each wait that is listed (a source_open_fn, CTX is the openwaits), ended: at LOOK_NS or later all of them
 * were under way. Its end asks for stacks and tells pieces. Waits that began after UP_TO_NS are left for another look, unless they
 * were there before the capture: most end soon, and what their stacks go through may not be known yet.
 */
void openwaits_begin(struct openwaits *o, uint64_t up_to_ns);
void openwaits_see(void *ctx, const struct source_open *w);
void openwaits_end(struct openwaits *o, uint64_t look_ns);

/*
 * The stack of the wait ID, with all that belongs to it in EV; NULL: there will be none. EV.time_ns is when it was seen: the
 * wait must have lasted longer. Ignored when the wait is not known (any more).
 */
void openwaits_stack(struct openwaits *o, const struct reconcile_task *task, uint64_t id, const struct event *ev);

/*
 * The wait ID of TASK is over (RAW_WAIT). EV has all that belongs to it, W its length; EV.stack is ID_NONE when it came
 * without. Sets what was told of it in W, and the stack in EV (NOTE_NO_STACK when there is none). False when its stack is still
 * to come: config.ended will tell it.
 */
bool openwaits_over(struct openwaits *o, const struct reconcile_task *task, uint64_t id, struct event *ev,
		    struct reconcile_wait *w);

/* Asks again for stacks that could not be asked for: there may be room now. */
void openwaits_ask(struct openwaits *o);

/* Tells all that is known up to now as pieces: what comes is to count from here. */
void openwaits_commit(struct openwaits *o, uint64_t now_ns);
/* Tells TO what is not told yet, up to NOW_NS. It may not be added to anything for good. */
void openwaits_rest(struct openwaits *o, uint64_t now_ns, struct event_sink *to);
/* No more ends or stacks will come: those that wait for one do without. */
void openwaits_give_up(struct openwaits *o);
/* The end of the capture at NOW_NS, after a last look: tells the rest of all. */
void openwaits_finish(struct openwaits *o, uint64_t now_ns);

void openwaits_figures(const struct openwaits *o, uint64_t now_ns, struct openwaits_figures *ret);

/* Stacks asked for that have not come. */
uint32_t openwaits_pending(const struct openwaits *o);

DEFINE_AUTO(openwaits_free, struct openwaits);

#endif
