/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile_tell.c - turns emitted time into events.
 *
 * Carried time goes to stacks of earlier events of the same key, in turn. A thread that lived too
 * briefly to be sampled has none; it takes those of its kin: threads of its name that run the same
 * program, first those that were as young as it then. What they do in the same call is the best
 * estimate, and right on average, because chance decides who is sampled. Threads often have one name
 * whatever they do, but those that live for some milliseconds do the same as others that do.
 */
#include "config.h"

#include "engine/reconcile_private.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define YOUNG_NS (100 * 1000 * 1000)     /* age of a thread in an event */
#define BRIEF_NS (6 * NSEC_PER_SEC)      /* from its beginning until its time is given for good (RECONCILE_WINDOW) */
#define SPREAD_NS (50 * 1000 * 1000)     /* carried time for each stack that it is put on */

void tell_event(const struct reconcile *a, const struct giving *g, const struct event *ev)
{
	if (g->figures && EVENT_IS_WAIT(ev->kind)) {
		if (ev->stack == a->no_stack)
			g->figures->none_ns += ev->weight;
		else if (!(ev->flags & EVENT_F_EXTRAPOLATED) || ev->weight < ev->wait.own_ns)
			g->figures->own_ns += ev->weight;
		else
			g->figures->own_ns += ev->wait.own_ns;
	}
	event_sink_add(g->to, ev);
}

/* A part without weight makes no event, unless there is nothing else to carry the count. */
void tell_wait(const struct reconcile *a, const struct giving *g, const struct held *h,
	       const uint64_t weight[2], uint64_t count)
{
	const uint64_t own[2] = { h->w.blocked_ns, h->w.runnable_ns };
	const bool stands = !held_is_long(h) && (weight[0] != own[0] || weight[1] != own[1] || count != 1);

	for (int i = 0; i < 2; i++) {
		struct event ev = h->ev;

		if (!weight[i] && !(count && (own[i] || i) && !weight[1]))
			continue;
		ev.kind = i ? EVENT_RUNNABLE : EVENT_BLOCKED;
		ev.wait.state = event_wait_state(&h->ev.wait, ev.kind);
		ev.flags |= (uint8_t)((count ? 0 : EVENT_F_PIECE) | (stands ? EVENT_F_EXTRAPOLATED : 0));
		ev.time_ns -= i || h->w.count > 1 ? 0 : own[1];
		ev.weight = weight[i];
		ev.count = (uint32_t)count;
		ev.wait.own_ns = own[i] / held_count(h);
		tell_event(a, g, &ev);
		count = 0;
	}
}

/* Short waits stand for short ones; a long one does until there is one. */
static void reconcile_tell_push(struct latest *l, const struct event *ev, bool is_a_long_one)
{
	if (is_a_long_one && l->n && !l->is_long)
		return;
	if (l->is_long && !is_a_long_one)
		l->n = l->next = 0;
	l->is_long = is_a_long_one;
	l->ev[l->next] = *ev;
	l->next = (uint8_t)((l->next + 1) % LATEST);
	if (l->n < LATEST)
		l->n++;
}

/* Where the kin of K, whose thread is THREAD, belongs, and *RET its key; NULL when the thread is not known. */
static struct kin *place_of_kin(const struct reconcile *a, const struct key *k, thread_id thread, bool young,
				uint64_t *ret)
{
	const struct thread *t = dict_get_thread(a->config.dict, thread);

	if (!t)
		return NULL;
	*ret = hash_2u64((uint64_t)t->comm << 32 | t->exe,
			 (uint64_t)young << 63 | (uint64_t)k->kind << 32 | k->call) | 1;
	return &a->kin[*ret >> 32 & (KIN - 1)];
}

void remember_stack(const struct reconcile *a, struct key *k, const struct event *ev, bool is_a_long_one)
{
	struct kin *kin;
	uint64_t key;

	if (ev->stack == a->no_stack)
		return;
	if (!k->latest)
		k->latest = calloc(1, sizeof(*k->latest));
	if (k->latest)
		reconcile_tell_push(k->latest, ev, is_a_long_one);
	kin = place_of_kin(a, k, ev->thread, ev->time_ns - k->task.start_ns < YOUNG_NS, &key);
	if (!kin)
		return;
	if (kin->key != key)
		*kin = (struct kin){ .key = key };
	reconcile_tell_push(&kin->latest, ev, is_a_long_one);
}

static thread_id reconcile_tell_thread_of(const struct reconcile *a, const struct key *k)
{
	return k->thread != ID_NONE ? k->thread : reconcile_thread(a, &k->task);
}

/* The stacks that may stand for what K carries at TIME_NS; NULL when there are none. */
static struct latest *stand_ins(const struct reconcile *a, const struct key *k, thread_id thread, uint64_t time_ns)
{
	const bool young = time_ns - k->task.start_ns < BRIEF_NS;

	if (k->latest && k->latest->n)
		return k->latest;
	for (int i = 0; i < 2; i++) {
		uint64_t key;
		struct kin *kin = place_of_kin(a, k, thread, i ? !young : young, &key);

		if (kin && kin->key == key && kin->latest.n)
			return &kin->latest;
	}
	return NULL;
}

/* Time of THREAD that no event stands for, on the stack of LIKE (NULL = none). */
static void tell_one(const struct reconcile *a, const struct giving *g, const struct key *k, thread_id thread,
		     const struct event *like, uint64_t time_ns, const uint64_t part[PARTS])
{
	struct event ev = { .stack = a->no_stack, .cut_module = ID_NONE };
	uint64_t count = part[SHORT_COUNT];

	if (like)
		ev = *like;
	else
		ev.wait.state = k->call == CALL_PREEMPTED ? WAIT_PREEMPTED : k->call == CALL_NEW ? WAIT_NEW : WAIT_NONE;
	/* Whether stacks are complete is judged by those that were taken. */
	ev.flags = EVENT_F_EXTRAPOLATED;
	ev.thread = thread;
	ev.time_ns = time_ns;
	ev.wait = (struct event_wait){ .call = k->call, .state = ev.wait.state, .waker = ID_NONE,
				       .throttled = ev.wait.throttled, .lock = ev.wait.lock };
	for (int i = 0; i < 2; i++) {
		if (!part[i] && !(i && count))
			continue;
		ev.kind = k->kind == EVENT_SAMPLE ? EVENT_SAMPLE : i ? EVENT_RUNNABLE : EVENT_BLOCKED;
		ev.wait.state = event_wait_state(&ev.wait, ev.kind);
		ev.flags |= count ? 0 : EVENT_F_PIECE;
		ev.weight = part[i];
		ev.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
		tell_event(a, g, &ev);
		count = 0;
	}
}

void tell_carried(const struct reconcile *a, const struct giving *g, const struct key *k, bool may, uint64_t time_ns,
		  const uint64_t part[PARTS])
{
	const thread_id thread = reconcile_tell_thread_of(a, k);
	struct latest *l = may ? stand_ins(a, k, thread, time_ns) : NULL;
	uint64_t n = l ? 1 + (part[0] + part[1]) / SPREAD_NS : 1, rest[PARTS];

	if (thread == ID_NONE)
		return;
	if (l && n > l->n)
		n = l->n;
	memcpy(rest, part, sizeof(rest));
	for (uint8_t at = l ? l->turn : 0; n; n--, at++) {
		const uint64_t share[PARTS] = { rest[0] / n, rest[1] / n, rest[2] / n };

		tell_one(a, g, k, thread, l ? &l->ev[at % l->n] : NULL, time_ns, share);
		for (int i = 0; i < PARTS; i++)
			rest[i] -= share[i];
	}
	if (l && g->figures)
		l->turn++;
}
