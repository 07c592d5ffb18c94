/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insides.h - how long the calls of probes took that samples and waits were inside of.
 *
 * A sample says which calls its thread was in (raw_sample.inside). How long such a call takes is told
 * when it has ended (RAW_INSIDE), so what was inside of it waits here until then, and is told with
 * event.inside (model/inside.h). Meanwhile it is shown with the length that the call has so far.
 *
 * A call whose end nobody tells, as longjmp(), an exception or the end of its thread left it, is over
 * when its thread is seen outside of it: it lasted at least until it was seen last. So does one that goes
 * on when the capture ends, or for which too many events wait.
 *
 * For one thread, the engine.
 */
#ifndef SBERF_ENGINE_INSIDES_H
#define SBERF_ENGINE_INSIDES_H

#include "base/cleanup.h"
#include "model/event.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>

struct event_sink;
struct insides;

struct insides *insides_new(void);               /* NULL when out of memory */
void insides_free(struct insides *in);           /* NULL is fine; tells nothing */

/* Takes RAW, an event of any kind, before anything else is done with it, in the order of time. */
void insides_see(struct insides *in, const struct raw_event *raw);
/* Sets EV.calls to the calls that RAW, which insides_see() has seen, was inside of. */
void insides_name(const struct insides *in, const struct raw_event *raw, struct event *ev);

/*
 * Sets EV.inside, if all of EV.calls are over or EV is not for good (LAST). Returns false when it is
 * not known yet: EV is kept, and told by insides_tell().
 */
bool insides_know(struct insides *in, struct event *ev, bool last);
/* Tells S the events of which all is known by now; at the end (LAST) all of them. */
void insides_tell(struct insides *in, struct event_sink *s, bool last);
/* Tells S, whose events are provisional, those that are kept. */
void insides_rest(const struct insides *in, struct event_sink *s);

DEFINE_AUTO(insides_free, struct insides);

#endif
