/* SPDX-License-Identifier: BSD-2-Clause */
/* event_counts.c - see event_counts.h. */
#include "config.h"

#include "record/event_counts.h"

uint64_t event_counts_stands_for(const struct event *ev)
{
	if (ev->flags & EVENT_F_PIECE)
		return 0;
	return ev->count ? ev->count : 1;
}

static void event_counts_count_sample(struct profile_meta *m, const struct event *ev)
{
	const uint64_t n = event_counts_stands_for(ev);

	m->samples += n;
	m->oncpu_ns += ev->weight;
	if (!(ev->flags & EVENT_F_USER))
		return;
	m->user_samples += n;
	unwound_count(&m->unwound, ev, n);
	if (ev->cut < CUT_NR)
		m->cut[ev->cut] += n;
}

static void count_wait(struct profile_meta *m, const struct event *ev, bool no_stack)
{
	const uint64_t n = event_counts_stands_for(ev);

	if (ev->kind == EVENT_BLOCKED)
		m->blocked_ns += ev->weight;
	else
		m->runnable_ns += ev->weight;
	m->waits += n;
	if (no_stack)
		m->wait_none_ns += ev->weight;
	if (no_stack || !ev->wait.own_ns)
		return;
	/* A piece is less than the whole; what stands for others too is more, and that is not its own. */
	m->wait_own_ns += ev->flags & EVENT_F_EXTRAPOLATED && ev->wait.own_ns < ev->weight ?
		ev->wait.own_ns : ev->weight;
	if (!n || !(ev->flags & EVENT_F_USER))
		return;
	m->wait_stacks++;
	unwound_count(&m->unwound, ev, 1);
	unwound_count(&m->wait_unwound, ev, 1);
	if (ev->cut < CUT_NR)
		m->wait_cut[ev->cut]++;
}

void event_counts_add(struct profile_meta *m, const struct event *ev, bool no_stack)
{
	if (EVENT_IS_WAIT(ev->kind))
		count_wait(m, ev, no_stack);
	else if (ev->kind == EVENT_SAMPLE)
		event_counts_count_sample(m, ev);
}
