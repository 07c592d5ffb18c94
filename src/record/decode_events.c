/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode_events.c - rows of EVENTS: to the profile, to the figures, and to whoever wants each. What
 * is lost is named so.
 */
#include "config.h"

#include "record/decode_private.h"

#include "model/inside.h"
#include "model/kind.h"
#include "record/event_counts.h"

#include <errno.h>

/* What an event refers to, as in the file. */
struct event_ids {
	uint64_t kind, thread, stack, cut_module, waker, waker_stack, file;
	uint64_t lock, holder, guess, lock_place, lock_offset, readers, priorities;
};

static bool get_event(struct table_view *t, struct event *ev, struct event_ids *ids)
{
	uint64_t cpu, node, cut, method, flags, count, walk;

	if (!table_get_max(t, EVENTS_TIME, TIME_MAX, &ev->time_ns) || !table_get(t, EVENTS_KIND, &ids->kind) ||
	    !table_get(t, EVENTS_THREAD, &ids->thread) || !table_get(t, EVENTS_STACK, &ids->stack) ||
	    !table_get_max(t, EVENTS_CPU, UINT32_MAX, &cpu) || !table_get_max(t, EVENTS_NODE, UINT16_MAX, &node) ||
	    !table_get_max(t, EVENTS_WEIGHT, WEIGHT_MAX, &ev->weight) ||
	    !table_get_max(t, EVENTS_CUT, UINT8_MAX, &cut) ||
	    !table_get(t, EVENTS_CUT_MODULE, &ids->cut_module) ||
	    !table_get_max(t, EVENTS_METHOD, UINT8_MAX, &method) ||
	    !table_get_max(t, EVENTS_FLAGS, UINT8_MAX, &flags) || !table_get_max(t, EVENTS_COUNT, UINT32_MAX, &count) ||
	    !table_get_max(t, EVENTS_WALK, UINT8_MAX, &walk) || !table_get(t, EVENTS_INSIDE, &ev->inside))
		return false;
	ev->cpu = (uint32_t)cpu;
	ev->node = (uint16_t)node;
	ev->cut = (uint8_t)cut;
	ev->method = (uint8_t)method;
	ev->flags = (uint8_t)flags;
	ev->walk = (uint8_t)walk;
	ev->count = (uint32_t)count;
	return true;
}

/*
 * The columns of waits, which every row has a part in; what they hold for other kinds, which do not
 * CARRY one, is left out.
 */
static bool get_wait(struct table_view *t, struct event *ev, struct event_ids *ids, bool carry)
{
	uint64_t call, state, context, own;

	if (!table_get_max(t, EVENTS_CALL, CALL_MAX, &call) || !table_get_max(t, EVENTS_STATE, UINT8_MAX, &state) ||
	    !table_get(t, EVENTS_WAKER, &ids->waker) || !table_get(t, EVENTS_WAKER_STACK, &ids->waker_stack) ||
	    !table_get_max(t, EVENTS_WAKER_CONTEXT, UINT8_MAX, &context) || !table_get(t, EVENTS_OWN, &own) ||
	    !table_get(t, EVENTS_LOCK, &ids->lock) || !table_get(t, EVENTS_HOLDER, &ids->holder) ||
	    !table_get_max(t, EVENTS_GUESS, UINT8_MAX, &ids->guess) ||
	    !table_get(t, EVENTS_LOCK_PLACE, &ids->lock_place) ||
	    !table_get_max(t, EVENTS_LOCK_OFFSET, UINT32_MAX, &ids->lock_offset) ||
	    !table_get_max(t, EVENTS_READERS, UINT32_MAX, &ids->readers) ||
	    !table_get_max(t, EVENTS_PRIORITIES, UINT16_MAX, &ids->priorities))
		return false;
	if (!carry)
		return true;
	ev->wait = (struct event_wait){
		.call = (uint32_t)call, .state = (uint8_t)state, .context = (uint8_t)context, .waker = ID_NONE,
		.own_ns = ev->weight - unzigzag(own),
	};
	return ev->wait.own_ns <= WEIGHT_MAX;
}

/* The same for the columns of migrations, faults and accesses. */
static bool get_place(struct table_view *t, struct event *ev, struct event_ids *ids, bool carry)
{
	uint64_t node, mapping, how;

	if (!table_get_max(t, EVENTS_PLACE_NODE, NODES_MAX, &node) ||
	    !table_get_max(t, EVENTS_MAPPING, UINT8_MAX, &mapping) ||
	    !table_get_max(t, EVENTS_HOW, UINT8_MAX, &how) || !table_get(t, EVENTS_FILE, &ids->file))
		return false;
	if (carry)
		ev->place = (struct event_place){
			.node = node ? (uint16_t)(node - 1) : NODE_UNKNOWN, .mapping = (uint8_t)mapping,
				.how = (uint8_t)how,
			.file = ID_NONE,
		};
	return true;
}

static bool get_argument(struct table_view *t, struct event *ev, struct event_ids *ids, bool carry)
{
	uint64_t argument;

	(void)ids;
	if (!table_get(t, EVENTS_ARGUMENT, &argument))
		return false;
	ev->argument = carry || kind_carries(ev->kind) == CARRIES_PROBE ? argument : 0;
	return true;
}

/* The same of its lock, of where that is and who held it. */
static lock_id find_held_lock(const struct decoder *d, const struct event_ids *ids)
{
	const stack_id place = ids->lock_place == STACK_ROOT ? STACK_ROOT : decode_id(&d->stack, ids->lock_place);
	const struct held_lock l = { .address = ids->lock, .guess = (uint32_t)ids->guess,
				     .place = place == ID_NONE ? STACK_ROOT : place,
				     .offset = (uint32_t)ids->lock_offset, .readers = (uint32_t)ids->readers,
				     .waiter_prio = (uint16_t)(ids->priorities >> 8),
				     .holder_prio = (uint16_t)(ids->priorities & UINT8_MAX),
				     .holder = ids->holder ? decode_id(&d->thread, ids->holder - 1) : ID_NONE };
	const lock_id id = l.address ? dict_lock(d->dict, &l) : LOCK_ID_NONE;

	return id == ID_NONE ? LOCK_ID_NONE : id;
}

/* Who woke it is left out when it is lost: it is not known then. */
static void find_waker(const struct decoder *d, struct event *ev, const struct event_ids *ids)
{
	const stack_id stack = ids->waker_stack == STACK_ROOT ? STACK_ROOT : decode_id(&d->stack, ids->waker_stack);

	ev->wait.waker = ids->waker ? decode_id(&d->thread, ids->waker - 1) : ID_NONE;
	ev->wait.waker_stack = stack == ID_NONE ? STACK_ROOT : stack;
	ev->wait.lock = find_held_lock(d, ids);
}

static void decode_events_find_file(const struct decoder *d, struct event *ev, const struct event_ids *ids)
{
	if (ids->file)
		ev->place.file = decode_id(&d->module, ids->file - 1);
}

/* Hits of a probe whose description is lost, or for which there is no number left here, are of no known kind. */
static void find_probe(const struct decoder *d, struct event *ev, const struct event_ids *ids)
{
	const uint8_t ours = ev->argument < PROBES_IN_FILE_MAX ? d->probe_of[ev->argument] : 0;

	(void)ids;
	ev->argument = ours ? ours - 1u : 0;
	ev->kind = ours ? ev->kind : 0;
}

/* The calls of probes that INSIDE names, by our numbers; those of unknown ones are left out. */
static uint64_t find_inside(const struct decoder *d, uint64_t inside)
{
	uint64_t r = 0;

	if (inside == INSIDE_NOT_KNOWN)
		return inside;
	for (unsigned int i = 0; inside && i < INSIDE_MAX; i++) {
		uint32_t probe;
		const unsigned int class = inside_part(inside, i, &probe), length = class & ~INSIDE_SO_FAR;
		const uint8_t ours = class && probe < PROBES_IN_FILE_MAX ? d->probe_of[probe] : 0;

		if (ours && length && (length < INSIDE_CLASSES || length == INSIDE_NO_LENGTH))
			r = inside_with(r, ours - 1u, class);
	}
	return r;
}

/* By what a kind carries: its columns, and what they refer to. */
static const struct {
	bool (*get)(struct table_view *t, struct event *ev, struct event_ids *ids, bool carry);
	void (*find)(const struct decoder *d, struct event *ev, const struct event_ids *ids);
} carried[CARRIES_NR] = {
	[CARRIES_WAIT] = { get_wait, find_waker }, [CARRIES_PLACE] = { get_place, decode_events_find_file },
	[CARRIES_ARGUMENT] = { get_argument, NULL }, [CARRIES_PROBE] = { NULL, find_probe },
};

/* Our kind for that of the file; 0 = it is not known. */
static unsigned int decode_events_kind_of(const struct decoder *d, uint64_t kind)
{
	if (kind >= EVENT_SAMPLE && kind <= KINDS_NUMBERED)
		return (unsigned int)kind;
	return kind < EVENT_KINDS_MAX ? d->kind_of[kind] : 0;
}

static bool get_carried(struct table_view *t, struct event *ev, struct event_ids *ids)
{
	for (unsigned int i = 0; i < CARRIES_NR; i++)
		if (carried[i].get && !carried[i].get(t, ev, ids, kind_carries(ev->kind) == i))
			return false;
	return true;
}

static int decode_events_take(struct decoder *d, const struct event *ev, bool no_stack, struct err *e)
{
	if (!d->to.options.only_each && open_wait_merge_add(&d->pieces, d->to.profile, ev))
		return decode_nomem(e);
	event_counts_add(d->to.meta, ev, no_stack);
	if (d->to.options.each)
		d->to.options.each(d->to.options.ctx, ev);
	return 0;
}

/* Takes EV, a part of a wait that lasted for LENGTH_NS in all, or counts it as too short. */
static int decode_events_judge(struct decoder *d, const struct event *ev, bool no_stack,
			       uint64_t length_ns, struct err *e)
{
	if (length_ns >= d->to.options.min_block_ns)
		return decode_events_take(d, ev, no_stack, e);
	d->counts.short_waits += event_counts_stands_for(ev);
	d->counts.short_ns += ev->weight;
	return 0;
}

/* Whether EV is the time in the run queue after B, which comes right behind it. */
static bool is_rest_of(const struct event *b, const struct event *ev)
{
	return ev->kind == EVENT_RUNNABLE && b->kind == EVENT_BLOCKED && b->thread == ev->thread &&
	       b->stack == ev->stack && b->wait.call == ev->wait.call &&
	       (b->wait.state == ev->wait.state || ev->wait.state == WAIT_THROTTLED);
}

/* What was held back lasted for LENGTH_NS in all. */
static int judge_held(struct decoder *d, uint64_t length_ns, struct err *e)
{
	const bool held = d->blocked_held;

	d->blocked_held = false;
	return held ? decode_events_judge(d, &d->blocked, d->blocked_no_stack, length_ns, e) : 0;
}

/* Judges waits by both of their parts: a blocked part that is too short is held back until it is known what follows. */
static int decode_events_judge_wait(struct decoder *d, const struct event *ev, bool no_stack, struct err *e)
{
	const bool rest = is_rest_of(&d->blocked, ev);
	const uint64_t length_ns = ev->wait.own_ns + (rest ? d->blocked.wait.own_ns : 0);
	int r = judge_held(d, rest ? length_ns : 0, e);

	if (r < 0)
		return r;
	d->blocked = (struct event){ 0 };
	if (ev->kind == EVENT_BLOCKED) {
		d->blocked = *ev;
		d->blocked_no_stack = no_stack;
		d->blocked_held = length_ns < d->to.options.min_block_ns;
	}
	return d->blocked_held ? 0 : decode_events_judge(d, ev, no_stack, length_ns, e);
}

static int decode_events_deliver(struct decoder *d, const struct event *ev, bool no_stack, struct err *e)
{
	d->counts.events++;
	d->counts.kind[ev->kind]++;
	if (!d->counts.first_ns || ev->time_ns < d->counts.first_ns)
		d->counts.first_ns = ev->time_ns;
	if (ev->time_ns > d->counts.last_ns)
		d->counts.last_ns = ev->time_ns;
	if (d->to.options.min_block_ns && EVENT_IS_WAIT(ev->kind))
		return decode_events_judge_wait(d, ev, no_stack, e);
	return decode_events_take(d, ev, no_stack, e);
}

int decode_events_end(struct decoder *d, struct err *e)
{
	return judge_held(d, 0, e);
}

static uint64_t decode_events_shifted(uint64_t ns, int64_t by)
{
	if (by < 0)
		return ns > -(uint64_t)by ? ns + (uint64_t)by : 0;
	return ns < TIME_MAX - (uint64_t)by ? ns + (uint64_t)by : TIME_MAX;
}

static int load_event(struct decoder *d, struct table_view *t, struct err *e)
{
	struct event ev = { 0 };
	struct event_ids ids;
	bool no_stack;

	if (!get_event(t, &ev, &ids))
		return -EBADMSG;
	ev.kind = (uint8_t)decode_events_kind_of(d, ids.kind);
	if (!get_carried(t, &ev, &ids))
		return -EBADMSG;
	ev.time_ns = decode_events_shifted(ev.time_ns, d->to.options.shift_ns);
	ev.thread = decode_id(&d->thread, ids.thread);
	ev.stack = ids.stack == STACK_ROOT ? STACK_ROOT : decode_id(&d->stack, ids.stack);
	ev.inside = find_inside(d, ev.inside);
	ev.cut_module = ids.cut_module ? decode_id(&d->module, ids.cut_module - 1) : ID_NONE;
	if (carried[kind_carries(ev.kind)].find)
		carried[kind_carries(ev.kind)].find(d, &ev, &ids);
	if (!ev.kind) {
		d->counts.unknown++;
		d->counts.kind[0]++;
		return 0;
	}
	no_stack = ids.stack != STACK_ROOT && ev.stack != ID_NONE &&
		idmap_get(&d->shape, (uint32_t)ids.stack) & SHAPE_NO_STACK;
	if (ev.thread == ID_NONE)
		ev.thread = decode_lost_thread(d);
	if (ev.stack == ID_NONE)
		ev.stack = decode_lost_stack(d);
	if (ev.thread == ID_NONE || ev.stack == ID_NONE)
		return decode_nomem(e);
	return decode_events_deliver(d, &ev, no_stack, e);
}

int decode_events(struct decoder *d, struct table_view *t, struct err *e)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		const int r = load_event(d, t, e);

		if (r == -EBADMSG)
			d->counts.lost += t->rows - i;
		if (r < 0)
			return r;
	}
	if (!d->to.options.only_each)
		profile_advance(d->to.profile, d->counts.last_ns);
	return 0;
}
