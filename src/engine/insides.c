/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * insides.c - a table of calls, and a queue of events that wait for their ends.
 *
 * A call has a number: its place in the table, the probe, and how often the place was used before. So an
 * event may be kept elsewhere (reconcile.h) for longer than its call is known here: then it is known
 * still which probe it was. Places are used again in turn, but for those of calls that go on or that
 * events wait for.
 */
#include "config.h"

#include "engine/insides.h"

#include "base/hash.h"
#include "base/vec.h"
#include "engine/event_sink.h"
#include "model/inside.h"

#include <stdlib.h>

#define PLACE_BITS 15u
#define PLACES (1u << PLACE_BITS)
#define USE_BITS 11u                     /* with a probe below 64: 32 bits in all */
#define BUCKETS PLACES
#define TRIES 256u                       /* places that are looked at for one to be used again */
#define KEPT_MAX (1u << 16)              /* events that wait */
#define NO_CALL UINT32_MAX
#define NOT_KNOWN UINT32_MAX             /* the number that says INSIDE_NOT_KNOWN */

_Static_assert(RAW_INSIDE_MAX == INSIDE_MAX, "an event names all calls that its sample does");
_Static_assert(sizeof(((struct event *)0)->calls) == INSIDE_MAX * sizeof(uint32_t), "and has room for them");

enum call_state {
	CALL_FREE,
	CALL_OPEN,
	CALL_OVER,
	CALL_LEFT,               /* it lasted at least so long */
	CALL_UNWANTED,           /* it is none that counts */
};

struct call {
	uint64_t start_ns;       /* of the thread */
	uint64_t id;             /* raw_sample.inside */
	uint64_t seen_ns;        /* when something was inside of it last */
	uint64_t lasted_ns;
	pid_t tid;
	uint32_t uses;           /* of this place, from 1 on */
	uint32_t kept;           /* events that wait for its end */
	uint32_t next;           /* in its bucket; NO_CALL */
	uint32_t next_open;      /* of those that are open in the bucket of its thread */
	uint8_t state;           /* enum call_state */
};

struct insides {
	struct call call[PLACES];
	uint32_t bucket[BUCKETS], open[BUCKETS];         /* heads of lists */
	uint32_t hand;           /* where a place is looked for next */
	bool changed;            /* some call is over since events were told last */
	bool telling;
	VEC(struct event) kept;
};

struct insides *insides_new(void)
{
	struct insides *in = calloc(1, sizeof(*in));

	for (uint32_t i = 0; in && i < BUCKETS; i++)
		in->bucket[i] = in->open[i] = NO_CALL;
	return in;
}

void insides_free(struct insides *in)
{
	if (!in)
		return;
	vec_free(&in->kept);
	free(in);
}

/* ---- the table ---- */

static uint32_t insides_bucket(pid_t tid, uint64_t start_ns, uint64_t id)
{
	return (uint32_t)hash_2u64(start_ns ^ (uint64_t)(uint32_t)tid << 32, id) & (BUCKETS - 1);
}

static uint32_t thread_bucket(pid_t tid)
{
	return (uint32_t)hash_u64((uint32_t)tid) & (BUCKETS - 1);
}

static uint32_t insides_number(const struct insides *in, uint32_t place)
{
	const struct call *c = &in->call[place];

	return place << (32 - PLACE_BITS) | raw_inside_probe(c->id) << USE_BITS | (c->uses & ((1u << USE_BITS) - 1));
}

static uint32_t probe_of(uint32_t number)
{
	return number >> USE_BITS & ((1u << (32 - PLACE_BITS - USE_BITS)) - 1);
}

/* The call of that NUMBER; NULL when its place is used by another one. */
static struct call *call_numbered(struct insides *in, uint32_t number)
{
	const uint32_t place = number >> (32 - PLACE_BITS);

	return in->call[place].state != CALL_FREE && insides_number(in, place) == number ? &in->call[place] : NULL;
}

static uint32_t find_call(const struct insides *in, pid_t tid, uint64_t start_ns, uint64_t id)
{
	uint32_t at = in->bucket[insides_bucket(tid, start_ns, id)];

	while (at != NO_CALL && (in->call[at].id != id || in->call[at].tid != tid || in->call[at].start_ns != start_ns))
		at = in->call[at].next;
	return at;
}

static void drop_call(struct insides *in, uint32_t place)
{
	const struct call *c = &in->call[place];
	uint32_t *at = &in->bucket[insides_bucket(c->tid, c->start_ns, c->id)];

	while (*at != place)
		at = &in->call[*at].next;
	*at = c->next;
}

/* A place for a call; NO_CALL when there is none for now. */
static uint32_t insides_take_place(struct insides *in)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		const uint32_t place = in->hand++ & (PLACES - 1);
		struct call *c = &in->call[place];

		if (c->state == CALL_OPEN || c->kept)
			continue;
		if (c->state != CALL_FREE)
			drop_call(in, place);
		c->uses++;
		/* A number is never 0, nor that of what is not known. */
		if (!(c->uses & ((1u << USE_BITS) - 1)) || !(~c->uses & ((1u << USE_BITS) - 1)))
			c->uses += 2;
		return place;
	}
	return NO_CALL;
}

static void see_call(struct insides *in, const struct raw_event *raw, uint64_t id)
{
	const pid_t tid = raw->tid;
	const uint64_t start_ns = raw->sample.start_ns;
	uint32_t place = find_call(in, tid, start_ns, id), *head;
	struct call *c;

	if (place == NO_CALL) {
		place = insides_take_place(in);
		if (place == NO_CALL)
			return;
		c = &in->call[place];
		*c = (struct call){ .start_ns = start_ns, .id = id, .tid = tid, .uses = c->uses, .state = CALL_OPEN };
		head = &in->bucket[insides_bucket(tid, start_ns, id)];
		c->next = *head;
		*head = place;
		head = &in->open[thread_bucket(tid)];
		c->next_open = *head;
		*head = place;
	}
	c = &in->call[place];
	c->seen_ns = raw->time_ns > c->seen_ns ? raw->time_ns : c->seen_ns;
}

/* C is over: NOW_NS, or it was left and lasted until then at least. */
static void end_call(struct insides *in, struct call *c, enum call_state state, uint64_t now_ns)
{
	const uint64_t begun_ns = raw_inside_begun_ns(c->id);

	c->state = (uint8_t)state;
	c->lasted_ns = now_ns > begun_ns ? now_ns - begun_ns : 0;
	in->changed |= c->kept > 0;
}

static bool names_call(const struct raw_event *raw, uint64_t id)
{
	for (unsigned int i = 0; i < RAW_INSIDE_MAX; i++)
		if (raw->sample.inside[i] == id)
			return true;
	return false;
}

/*
 * Is C, which is open, over by what RAW says of the thread? Where as many calls are named as can be, it
 * may be one that was not.
 */
static bool is_left(const struct call *c, const struct raw_event *raw)
{
	if (raw->kind == RAW_EXIT)
		return true;
	return raw->time_ns > c->seen_ns && !raw->sample.inside[RAW_INSIDE_MAX - 1] && !names_call(raw, c->id);
}

/* Takes the calls of the thread TID off its list that are over. */
static void unlink_over(struct insides *in, pid_t tid)
{
	uint32_t *at = &in->open[thread_bucket(tid)];

	while (*at != NO_CALL) {
		struct call *c = &in->call[*at];

		if (c->state == CALL_OPEN)
			at = &c->next_open;
		else
			*at = c->next_open;
	}
}

/* Finds the calls of the thread of RAW that are over by what RAW says of it. */
static void look_at_open(struct insides *in, const struct raw_event *raw)
{
	bool any = false;

	for (uint32_t at = in->open[thread_bucket(raw->tid)]; at != NO_CALL; at = in->call[at].next_open) {
		struct call *c = &in->call[at];

		if (c->tid != raw->tid || !is_left(c, raw))
			continue;
		end_call(in, c, CALL_LEFT, raw->kind == RAW_EXIT ? raw->time_ns : c->seen_ns);
		any = true;
	}
	if (any)
		unlink_over(in, raw->tid);
}

/* A call that has ended before anything of it came here is known all the same: what comes later was inside of it. */
static void see_end(struct insides *in, const struct raw_event *raw)
{
	uint32_t place;

	see_call(in, raw, raw->inside.call);
	place = find_call(in, raw->tid, raw->sample.start_ns, raw->inside.call);
	if (place == NO_CALL)
		return;
	end_call(in, &in->call[place], raw->inside.unwanted ? CALL_UNWANTED : CALL_OVER, raw->time_ns);
	in->call[place].lasted_ns = raw->inside.took_ns;
	unlink_over(in, raw->tid);
}

void insides_see(struct insides *in, const struct raw_event *raw)
{
	switch (raw->kind) {
	case RAW_INSIDE:
		if (raw->inside.call)
			see_end(in, raw);
		break;
	case RAW_EXIT:
		look_at_open(in, raw);
		break;
	case RAW_SAMPLE:
	case RAW_WAIT:
	case RAW_WAIT_STACK:
		if (raw->kind != RAW_WAIT_STACK)
			look_at_open(in, raw);
		for (unsigned int i = 0; i < RAW_INSIDE_MAX && raw->sample.inside[i]; i++)
			if (raw->sample.inside[i] != RAW_INSIDE_UNKNOWN)
				see_call(in, raw, raw->sample.inside[i]);
		break;
	default:
		break;
	}
}

void insides_name(const struct insides *in, const struct raw_event *raw, struct event *ev)
{
	const uint64_t *inside = raw->sample.inside;
	unsigned int n = 0;

	if (inside[0] == RAW_INSIDE_UNKNOWN) {
		ev->calls[0] = NOT_KNOWN;
		return;
	}
	for (unsigned int i = 0; i < RAW_INSIDE_MAX && inside[i]; i++) {
		const uint32_t place = find_call(in, raw->tid, raw->sample.start_ns, inside[i]);

		/* Without a place only the probe is known. */
		ev->calls[n++] = place != NO_CALL ? insides_number(in, place) :
			raw_inside_probe(inside[i]) << USE_BITS | ((1u << USE_BITS) - 1);
	}
}

/* ---- events ---- */

/* What is known of the call NUMBER, added to INSIDE. */
static uint64_t with_call(struct insides *in, uint64_t inside, uint32_t number)
{
	const struct call *c = call_numbered(in, number);
	const uint32_t probe = probe_of(number);

	if (!c)
		return inside_with(inside, probe, INSIDE_NO_LENGTH);
	switch (c->state) {
	case CALL_UNWANTED:
		return inside;
	case CALL_OVER:
		return inside_with(inside, probe, inside_class(c->lasted_ns));
	case CALL_LEFT:
		return inside_with(inside, probe, inside_class(c->lasted_ns) | INSIDE_SO_FAR);
	default:
		return inside_with(inside, probe,
				   inside_class(c->seen_ns - raw_inside_begun_ns(c->id)) | INSIDE_SO_FAR);
	}
}

static bool all_over(struct insides *in, const struct event *ev)
{
	for (unsigned int i = 0; i < INSIDE_MAX && ev->calls[i]; i++) {
		const struct call *c = ev->calls[i] == NOT_KNOWN ? NULL : call_numbered(in, ev->calls[i]);

		if (c && c->state == CALL_OPEN)
			return false;
	}
	return true;
}

static void know(struct insides *in, struct event *ev)
{
	uint64_t inside = 0;

	if (ev->calls[0] == NOT_KNOWN)
		inside = INSIDE_NOT_KNOWN;
	for (unsigned int i = 0; i < INSIDE_MAX && ev->calls[i]; i++)
		if (ev->calls[i] != NOT_KNOWN)
			inside = with_call(in, inside, ev->calls[i]);
	ev->inside = inside;
	for (unsigned int i = 0; i < INSIDE_MAX; i++)
		ev->calls[i] = 0;
}

/* One event more waits for the calls of EV, or, BY being -1, one less. */
static void keep_calls(struct insides *in, const struct event *ev, int by)
{
	for (unsigned int i = 0; i < INSIDE_MAX && ev->calls[i]; i++) {
		struct call *c = ev->calls[i] == NOT_KNOWN ? NULL : call_numbered(in, ev->calls[i]);

		if (c)
			c->kept += (uint32_t)by;
	}
}

bool insides_know(struct insides *in, struct event *ev, bool last)
{
	struct event *kept;

	if (!last && !in->telling && !all_over(in, ev) && in->kept.n < KEPT_MAX) {
		kept = vec_push(&in->kept);
		if (kept) {
			*kept = *ev;
			keep_calls(in, ev, 1);
			return false;
		}
	}
	know(in, ev);
	return true;
}

void insides_tell(struct insides *in, struct event_sink *s, bool last)
{
	size_t left = 0;

	if (!in->changed && !last)
		return;
	in->changed = false;
	in->telling = true;
	for (size_t i = 0; i < in->kept.n; i++) {
		struct event ev = in->kept.v[i];

		if (!last && !all_over(in, &ev)) {
			in->kept.v[left++] = ev;
			continue;
		}
		keep_calls(in, &ev, -1);
		know(in, &ev);
		event_sink_add(s, &ev);
	}
	in->kept.n = left;
	in->telling = false;
}

void insides_rest(const struct insides *in, struct event_sink *s)
{
	for (size_t i = 0; i < in->kept.n; i++) {
		struct event ev = in->kept.v[i];

		event_sink_add(s, &ev);
	}
}
