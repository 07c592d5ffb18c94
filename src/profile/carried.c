/* SPDX-License-Identifier: BSD-2-Clause */
/* carried.c - the rows of carried.h: nothing, waits, places, arguments and hits of probes. */
#include "config.h"

#include "profile/carried.h"

#include "model/probes.h"

#define WAIT_FLAGS (EVENT_F_OPEN | EVENT_F_EXTRAPOLATED | EVENT_F_EARLIER) /* what struct wait keeps of an event's */

/* Nothing. */

static bool nothing_known(const struct dict *d, const struct event *ev)
{
	(void)d;
	(void)ev;
	return true;
}

static uint32_t nothing_intern(struct dict *d, const struct event *ev, struct fact *f)
{
	(void)d;
	(void)ev;
	(void)f;
	return 0;
}

/* Facts that carry nothing have the id of the empty wait. */
static uint32_t nothing_count(const struct dict *d)
{
	(void)d;
	return 1;
}

static uint32_t carried_none(struct dict *d, uint32_t id)
{
	(void)d;
	(void)id;
	return 0;
}

static void nothing_tell(const struct dict *d, uint32_t id, struct event *ev)
{
	(void)d;
	(void)id;
	(void)ev;
}

/* Waits. */

/*
 * The length of the wait EV; the average of several waits, when EV stands for them and has no own
 * length; 0 for a piece that stands for others.
 */
static uint64_t carried_wait_length(const struct event *ev)
{
	if (!ev->wait.own_ns && ev->flags & EVENT_F_PIECE)
		return 0;
	return ev->wait.own_ns ? ev->wait.own_ns : ev->weight / (ev->count ? ev->count : 1);
}

static bool wait_known(const struct dict *d, const struct event *ev)
{
	return (ev->wait.waker == ID_NONE || ev->wait.waker < dict_threads(d)) &&
	       ev->wait.waker_stack < dict_stacks(d) && ev->wait.lock < dict_locks(d);
}

static uint32_t wait_intern(struct dict *d, const struct event *ev, struct fact *f)
{
	const struct wait w = {
		.call = ev->wait.call,
		.state = ev->wait.state,
		.bucket = (uint8_t)wait_bucket(carried_wait_length(ev)),
		.context = ev->wait.context,
		.flags = ev->flags & WAIT_FLAGS,
		.waker = ev->wait.waker,
		.waker_stack = ev->wait.waker_stack,
		.lock = ev->wait.lock,
	};

	f->longest_ns = (float)carried_wait_length(ev);
	return dict_wait(d, &w);
}

static uint32_t wait_lighter(struct dict *d, uint32_t id)
{
	const wait_id less = dict_wakerless(d, id);

	return less != ID_NONE ? less : id;
}

static void wait_tell(const struct dict *d, uint32_t id, struct event *ev)
{
	const struct wait *w = dict_get_wait(d, id);

	ev->flags = w->flags;
	ev->wait = (struct event_wait){ .call = w->call, .state = w->state, .context = w->context, .waker = w->waker,
					.waker_stack = w->waker_stack, .lock = w->lock };
}

/* Places. */

static bool place_known(const struct dict *d, const struct event *ev)
{
	return ev->place.file == ID_NONE || ev->place.file < dict_modules(d);
}

static uint32_t place_intern(struct dict *d, const struct event *ev, struct fact *f)
{
	const struct memory_place p = { .node = ev->place.node, .mapping = ev->place.mapping, .how = ev->place.how,
					.file = ev->place.file };

	(void)f;
	return dict_place(d, &p);
}

static void place_tell(const struct dict *d, uint32_t id, struct event *ev)
{
	const struct memory_place *p = dict_get_place(d, id);

	ev->place = (struct event_place){ .node = p->node, .mapping = p->mapping, .how = p->how, .file = p->file };
}

static void place_look(const struct dict *d, uint32_t id, struct measured *m)
{
	m->place_node = dict_get_place(d, id)->node;
}

/* Arguments. */

static uint32_t argument_intern(struct dict *d, const struct event *ev, struct fact *f)
{
	f->largest = (float)(ev->weight / (ev->count ? ev->count : 1));
	return dict_argument(d, ev->argument);
}

static uint32_t carried_same(struct dict *d, uint32_t id)
{
	(void)d;
	return id;
}

static void argument_tell(const struct dict *d, uint32_t id, struct event *ev)
{
	ev->argument = dict_get_argument(d, id);
}

static void argument_look(const struct dict *d, uint32_t id, struct measured *m)
{
	m->argument = dict_get_argument(d, id);
}

/*
 * Hits: an argument that has the number of the probe and the bucket of how long it took, as of a wait;
 * or HIT_OTHERS for those that were not told one by one (carried.h).
 */

static bool hit_known(const struct dict *d, const struct event *ev)
{
	(void)d;
	return probes_measure((uint32_t)ev->argument) && ev->argument < PROBES_MAX;
}

static uint32_t hit_intern(struct dict *d, const struct event *ev, struct fact *f)
{
	const bool takes_time = probes_measure((uint32_t)ev->argument)->unit == UNIT_TIME;
	const uint64_t each_ns = takes_time ? ev->weight / (ev->count ? ev->count : 1) : 0;

	if (ev->flags & EVENT_F_EXTRAPOLATED)
		return dict_argument(d, ev->argument | HIT_OTHERS);
	f->longest_ns = (float)each_ns;
	return dict_argument(d, ev->argument | (uint64_t)(takes_time ? wait_bucket(each_ns) : 0) << HIT_BUCKET_AT);
}

static void hit_tell(const struct dict *d, uint32_t id, struct event *ev)
{
	ev->argument = (uint32_t)dict_get_argument(d, id);
	ev->flags = dict_get_argument(d, id) & HIT_OTHERS ? EVENT_F_EXTRAPOLATED : 0;
}

static void hit_look(const struct dict *d, uint32_t id, struct measured *m)
{
	m->probe = (uint32_t)dict_get_argument(d, id) + 1;
}

/* How long it took is left out. */
static uint32_t hit_lightest(struct dict *d, uint32_t id)
{
	return dict_argument(d, dict_get_argument(d, id) & (HIT_OTHERS | UINT32_MAX));
}

const struct carried_ops carried_ops[CARRIES_NR] = {
	[CARRIES_NOTHING] = {
		.known = nothing_known, .intern = nothing_intern, .count = nothing_count, .lighter = carried_none,
			.lightest = carried_none,
		.lightest_is_none = true, .tell = nothing_tell,
	},
	[CARRIES_WAIT] = {
		.known = wait_known, .intern = wait_intern, .count = dict_waits, .lighter = wait_lighter,
			.lightest = carried_none,
		.lightest_is_none = true, .tell = wait_tell,
	},
	[CARRIES_PLACE] = {
		.known = place_known, .intern = place_intern, .count = dict_places, .lighter = dict_fileless,
		.lightest = dict_fileless, .tell = place_tell, .look = place_look,
	},
	[CARRIES_ARGUMENT] = {
		.known = nothing_known, .intern = argument_intern, .count = dict_arguments, .lighter = carried_same,
			.lightest = carried_none,
		.lightest_is_none = true, .tell = argument_tell, .look = argument_look,
	},
	[CARRIES_PROBE] = {
		.known = hit_known, .intern = hit_intern, .count = dict_arguments, .lighter = carried_same,
		.lightest = hit_lightest, .tell = hit_tell, .look = hit_look,
	},
};
