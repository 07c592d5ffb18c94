/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally.c - see tally.h.
 *
 * A wait that lasts is told in pieces, each flagged as open. Whether it was still open at the end shows only later: when its
 * thread is heard of again, it was not.
 */
#include "config.h"

#include "record/tally.h"

#include <stdlib.h>

uint64_t tally_count(const struct event *ev)
{
	if (ev->flags & EVENT_F_PIECE)
		return 0;
	return ev->count ? ev->count : 1;
}

static void count_sample(struct profile_meta *m, const struct event *ev)
{
	const uint64_t n = tally_count(ev);

	m->samples += n;
	m->oncpu_ns += ev->weight_ns;
	if (!(ev->flags & EVENT_F_USER))
		return;
	m->user_samples += n;
	if (ev->cut < CUT_NR)
		m->cut[ev->cut] += n;
}

static void count_wait(struct profile_meta *m, const struct event *ev, bool no_stack)
{
	const uint64_t n = tally_count(ev);

	if (ev->kind == EVENT_BLOCKED)
		m->blocked_ns += ev->weight_ns;
	else
		m->runnable_ns += ev->weight_ns;
	m->waits += n;
	if (no_stack)
		m->wait_none_ns += ev->weight_ns;
	if (no_stack || !ev->wait.own_ns)
		return;
	/* A piece is less than the whole, and what stands for others too is more. */
	m->wait_own_ns += ev->wait.own_ns < ev->weight_ns ? ev->wait.own_ns : ev->weight_ns;
	if (!n || !(ev->flags & EVENT_F_USER))
		return;
	m->wait_stacks++;
	if (ev->cut < CUT_NR)
		m->wait_cut[ev->cut]++;
}

/* The open wait of the thread of EV; made when there is none, and then NULL when out of memory. */
static struct tally_open *open_of(struct tally *t, thread_id thread)
{
	const uint32_t known = idmap_get(&t->open_of, thread);
	struct tally_open *w;

	if (known != ID_NONE)
		return &t->open.v[known];
	if (!vec_reserve(&t->open, 1) || !idmap_set(&t->open_of, thread, (uint32_t)t->open.n))
		return NULL;
	w = &t->open.v[t->open.n++];
	*w = (struct tally_open){ 0 };
	return w;
}

static bool note_open(struct tally *t, const struct event *ev)
{
	struct tally_open *w;

	if (!EVENT_IS_WAIT(ev->kind) || !(ev->flags & EVENT_F_OPEN)) {
		const uint32_t known = t->open.n ? idmap_get(&t->open_of, ev->thread) : ID_NONE;

		if (known != ID_NONE && ev->time_ns >= t->open.v[known].time_ns)
			t->open.v[known].ns = 0;
		return true;
	}
	w = open_of(t, ev->thread);
	if (!w)
		return false;
	w->ns += ev->weight_ns;
	if (ev->time_ns > w->time_ns)
		w->time_ns = ev->time_ns;
	return true;
}

bool tally_event(struct tally *t, struct profile_meta *m, const struct event *ev, bool no_stack)
{
	if (EVENT_IS_WAIT(ev->kind))
		count_wait(m, ev, no_stack);
	else if (ev->kind == EVENT_SAMPLE)
		count_sample(m, ev);
	return note_open(t, ev);
}

void tally_end(const struct tally *t, struct profile_meta *m)
{
	for (size_t i = 0; i < t->open.n; i++) {
		m->wait_open_ns += t->open.v[i].ns;
		m->wait_open += t->open.v[i].ns != 0;
	}
}

void tally_free(struct tally *t)
{
	idmap_clear(&t->open_of);
	vec_free(&t->open);
}
