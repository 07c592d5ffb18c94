/* SPDX-License-Identifier: BSD-2-Clause */
/* account_tell.c - what is given becomes events. */
#include "config.h"

#include "engine/account_private.h"

#include <stdlib.h>
#include <string.h>

#define SPREAD_NS (20 * 1000 * 1000)     /* carried time for each stack that it is put on */

void tell_event(const struct account *a, const struct sink *s, const struct event *ev)
{
	if (s->figures && EVENT_IS_WAIT(ev->kind)) {
		if (ev->stack == a->no_stack)
			s->figures->none_ns += ev->weight_ns;
		else
			s->figures->own_ns += ev->weight_ns < ev->wait.own_ns ? ev->weight_ns : ev->wait.own_ns;
	}
	s->each(s->ctx, ev);
}

/* A part without weight makes no event, unless there is nothing else to carry the count. */
void tell_wait(const struct account *a, const struct sink *s, const struct held *h, const uint64_t weight[2], uint64_t count)
{
	const uint64_t own[2] = { h->w.blocked_ns, h->w.runnable_ns };
	const bool stands = !held_is_long(h) && (weight[0] != own[0] || weight[1] != own[1] || count != 1);

	for (int i = 0; i < 2; i++) {
		struct event ev = h->ev;

		if (!weight[i] && !(count && (own[i] || i) && !weight[1]))
			continue;
		ev.kind = i ? EVENT_RUNNABLE : EVENT_BLOCKED;
		ev.flags |= (uint8_t)((count ? 0 : EVENT_F_PIECE) | (stands ? EVENT_F_EXTRAPOLATED : 0));
		ev.time_ns -= i ? 0 : own[1];
		ev.weight_ns = weight[i];
		ev.count = (uint32_t)count;
		ev.wait.own_ns = own[i];
		tell_event(a, s, &ev);
		count = 0;
	}
}

/* Short waits stand for short ones; a long one does until there is one. */
void remember_stack(const struct account *a, struct key *k, const struct event *ev, bool is_a_long_one)
{
	if (ev->stack == a->no_stack || (is_a_long_one && k->nr_latest && !k->latest_long))
		return;
	if (!k->latest)
		k->latest = calloc(LATEST, sizeof(*k->latest));
	if (!k->latest)
		return;
	if (k->latest_long && !is_a_long_one)
		k->nr_latest = k->next_latest = 0;
	k->latest_long = is_a_long_one;
	k->latest[k->next_latest] = *ev;
	k->next_latest = (uint8_t)((k->next_latest + 1) % LATEST);
	if (k->nr_latest < LATEST)
		k->nr_latest++;
}

/* Time of K that no event stands for, on the stack of LIKE (NULL = none). */
static void tell_one(const struct account *a, const struct sink *s, const struct key *k, const struct event *like,
		     uint64_t time_ns, const uint64_t part[PARTS])
{
	const struct account_task task = k->task;
	struct event ev = { .stack = a->no_stack, .cut_module = ID_NONE, .thread = k->thread,
			    .wait = { .call = k->call, .waker = ID_NONE, .waker_stack = STACK_ROOT } };
	uint64_t count = part[SHORT_COUNT];

	if (like) {
		ev = *like;
		ev.wait = (struct event_wait){ .call = k->call, .state = like->wait.state, .waker = ID_NONE };
	} else {
		ev.wait.state = k->call == CALL_PREEMPTED ? WAIT_PREEMPTED : WAIT_NONE;
	}
	/* Whether stacks are complete is judged by those that were taken. */
	ev.flags = EVENT_F_EXTRAPOLATED;
	ev.time_ns = time_ns;
	if (ev.thread == ID_NONE)
		ev.thread = a->config.thread(a->config.ctx, &task);
	for (int i = 0; i < 2 && ev.thread != ID_NONE; i++) {
		if (!part[i] && !(i && count))
			continue;
		ev.kind = k->kind == EVENT_SAMPLE ? EVENT_SAMPLE : i ? EVENT_RUNNABLE : EVENT_BLOCKED;
		ev.flags |= count ? 0 : EVENT_F_PIECE;
		ev.weight_ns = part[i];
		ev.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
		tell_event(a, s, &ev);
		count = 0;
	}
}

void tell_carried(const struct account *a, const struct sink *s, const struct key *k, bool may, uint64_t time_ns,
		  const uint64_t part[PARTS])
{
	const uint64_t stacks = 1 + (part[0] + part[1]) / SPREAD_NS;
	uint32_t n = may ? k->nr_latest : 0;
	uint64_t rest[PARTS];

	memcpy(rest, part, sizeof(rest));
	if (!n) {
		tell_one(a, s, k, NULL, time_ns, part);
		return;
	}
	for (n = stacks < n ? (uint32_t)stacks : n; n; n--) {
		const uint64_t share[PARTS] = { rest[0] / n, rest[1] / n, rest[2] / n };

		tell_one(a, s, k, &k->latest[(k->next_latest + LATEST - n) % LATEST], time_ns, share);
		for (int i = 0; i < PARTS; i++)
			rest[i] -= share[i];
	}
}
