/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openwaits.h - counts waits that have not ended with their length so far, and never twice.
 *
 * A *look* lists all open waits, about once a second. A lasting wait is emitted in *pieces*, one
 * for each second it has grown (longer with thousands of waits). So each second of the profile has
 * its part, and a recording that is cut off lacks only the last piece. The part not emitted yet
 * shows as provisional. At the end of the wait, or of the capture, the rest is emitted, with the
 * count of 1. Until its stack has come a wait has none (NOTE_NO_STACK), but it has its call and
 * state. When a look finds a wait in another state, it continues in that state from there (the
 * freezer of cgroup v1 leaves sleeping threads where they are).
 *
 * A wait whose end came before its stack goes to the account when the stack has come, or will not.
 *
 * Pure: the owner looks, takes stacks and reports ends. For one thread.
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

/* All of them must outlive the result. */
struct openwaits_config {
	struct reconcile *account;       /* gets ends that waited for their stacks, and parts whose end never came */
	struct event_sink *sink;         /* gets pieces and rests */
	struct processes *ps;            /* names threads; NULL: they have no ids */
};

struct openwaits_figures {
	uint64_t n, blocked_ns, runnable_ns;     /* waits under way, and their length so far */
	uint64_t own_ns, none_ns;        /* time emitted or provisional: on stacks of their own, on none */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int openwaits_new(const struct openwaits_config *c, struct openwaits **ret, struct err *e);
void openwaits_free(struct openwaits *o);        /* NULL is fine */

/*
 * A look: begin, one call of openwaits_see() for each wait listed (a source_open_fn), end. All of
 * them were under way at LOOK_NS or later. Waits that began after UP_TO_NS are left for another look
 * unless they are older than the capture: most of them end soon, and the modules of their stacks may
 * not be known yet. Then the owner requests stacks, and has the pieces emitted that are due.
 */
void openwaits_begin(struct openwaits *o, uint64_t up_to_ns);
void openwaits_see(void *openwaits, const struct source_open *w);
void openwaits_end(struct openwaits *o, uint64_t look_ns);
void openwaits_pieces(struct openwaits *o);

/*
 * The next wait whose stack is wanted, from *AT on, which is 0 at first; NULL: there are no more. The
 * stack counts as requested, and arrives by openwaits_stack(), at once or later, unless the owner
 * says that it could not be requested now. Without has_stack the stack is read from outside, and is
 * believed once the wait is known to have lasted longer. Valid until the next look.
 */
const struct source_open *openwaits_wanted(struct openwaits *o, size_t *at);
/* The wait of the last openwaits_wanted(), of *AT, is wanted again, unless its stack has come. */
void openwaits_refused(struct openwaits *o, size_t at);

/*
 * Takes the stack of the wait ID with all that belongs to it in EV; EV is NULL when there will be
 * none. EV.time_ns is when the stack was seen: the wait must have lasted longer. Ignored for a wait
 * that is not known (any more).
 */
void openwaits_stack(struct openwaits *o, const struct reconcile_task *task, uint64_t id, const struct event *ev);

/*
 * Takes the end of the wait ID of TASK (RAW_WAIT). EV has all that belongs to it, W its length;
 * EV.stack is ID_NONE when it came without. Sets in W what was emitted already, and in EV the stack
 * (NOTE_NO_STACK if there is none). False when its stack is still to come: the account gets it then.
 */
bool openwaits_over(struct openwaits *o, const struct reconcile_task *task, uint64_t id, struct event *ev,
		    struct reconcile_wait *w);

/* Emits everything up to NOW_NS as pieces, so that what follows counts from there. */
void openwaits_commit(struct openwaits *o, uint64_t now_ns);
/* Emits to TO what is not emitted yet, up to NOW_NS. TO must not keep it: it is provisional. */
void openwaits_rest(struct openwaits *o, uint64_t now_ns, struct event_sink *to);
/* Call when no more ends or stacks will come: pending waits are reported without stack. */
void openwaits_give_up(struct openwaits *o);
/* Ends the capture at NOW_NS, after a last look: emits the rest of every wait. */
void openwaits_finish(struct openwaits *o, uint64_t now_ns);

void openwaits_figures(const struct openwaits *o, uint64_t now_ns, struct openwaits_figures *ret);

/* Number of stacks requested that have not come. */
uint32_t openwaits_pending(const struct openwaits *o);

DEFINE_AUTO(openwaits_free, struct openwaits);

#endif
