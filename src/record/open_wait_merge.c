/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_wait_merge.c - a list of events for each thread that waits, in one array with a list of free
 * places.
 */
#include "config.h"

#include "record/open_wait_merge.h"

#include <errno.h>
#include <stdlib.h>

/* The state of THREAD, made when there is none, and then NULL when out of memory. */
static struct piece_thread *open_wait_merge_thread_of(struct open_wait_merge *ps, thread_id thread)
{
	const uint32_t known = idmap_get(&ps->thread_of, thread);
	struct piece_thread *t;

	if (known != ID_NONE)
		return &ps->thread.v[known];
	if (!vec_reserve(&ps->thread, 1) || !idmap_set(&ps->thread_of, thread, (uint32_t)ps->thread.n))
		return NULL;
	t = &ps->thread.v[ps->thread.n++];
	*t = (struct piece_thread){ .thin_at = OPEN_WAIT_MERGE_OF_THREAD };
	return t;
}

/* A place for a piece, plus one; 0 when there is none. */
static uint32_t new_piece(struct open_wait_merge *ps)
{
	const uint32_t at = ps->free;

	if (at) {
		ps->free = ps->piece.v[at - 1].next;
		return at;
	}
	if (ps->piece.n >= OPEN_WAIT_MERGE_MAX || !vec_reserve(&ps->piece, 1))
		return 0;
	return (uint32_t)++ps->piece.n;
}

static void open_wait_merge_hold(struct open_wait_merge *ps, struct piece_thread *t, uint32_t at,
				 const struct event *ev)
{
	ps->piece.v[at - 1] = (struct piece){ .ev = *ev };
	if (t->last)
		ps->piece.v[t->last - 1].next = at;
	else
		t->first = at;
	t->last = at;
	t->n++;
}

/* Whether A and B differ in nothing but time and length. */
static bool same_wait(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->stack == b->stack && a->node == b->node &&
	       a->cut == b->cut &&
	       a->cut_module == b->cut_module && a->wait.call == b->wait.call && a->wait.state == b->wait.state &&
	       a->wait.waker == b->wait.waker && a->wait.waker_stack == b->wait.waker_stack &&
	       a->wait.lock == b->wait.lock;
}

/*
 * Puts neighbours together, into the later of two, as far as they are old. When that helps little
 * it is not tried again soon.
 */
static void open_wait_merge_thin(struct open_wait_merge *ps, struct piece_thread *t)
{
	const uint32_t before = t->n;
	uint32_t *link = &t->first;
	double newer = 0;

	for (uint32_t at = t->first; at; at = ps->piece.v[at - 1].next)
		newer += (double)ps->piece.v[at - 1].ev.weight;
	while (*link && ps->piece.v[*link - 1].next) {
		const uint32_t at = *link;
		struct piece *a = &ps->piece.v[at - 1], *b = &ps->piece.v[a->next - 1];
		const double both = (double)a->ev.weight + (double)b->ev.weight;

		newer -= (double)a->ev.weight;
		if (!same_wait(&a->ev, &b->ev) || both * OPEN_WAIT_MERGE_AGE > newer - (double)b->ev.weight) {
			link = &a->next;
			continue;
		}
		newer -= (double)b->ev.weight;
		if (__builtin_add_overflow(a->ev.weight, b->ev.weight, &b->ev.weight))
			b->ev.weight = UINT64_MAX;
		*link = a->next;
		a->next = ps->free;
		ps->free = at;
		t->n--;
		link = &b->next;
	}
	t->thin_at = t->n <= before - before / 8 ? OPEN_WAIT_MERGE_OF_THREAD : 2 * t->n;
}

/* Gives what is held of T to P; OVER says that the wait has ended. */
static int open_wait_merge_release(struct open_wait_merge *ps, struct piece_thread *t, struct profile *p, bool over)
{
	int r = 0;

	while (t->first && !r) {
		struct piece *piece = &ps->piece.v[t->first - 1];
		const uint32_t next = piece->next;

		if (over)
			piece->ev.flags &= (uint8_t)~EVENT_F_OPEN;
		r = profile_add(p, &piece->ev);
		piece->next = ps->free;
		ps->free = t->first;
		t->first = next;
	}
	if (!t->first)
		*t = (struct piece_thread){ .ns = t->ns, .time_ns = t->time_ns, .thin_at = OPEN_WAIT_MERGE_OF_THREAD };
	return r;
}

static int add_piece(struct open_wait_merge *ps, struct profile *p, const struct event *ev)
{
	struct piece_thread *t = open_wait_merge_thread_of(ps, ev->thread);
	uint32_t at;

	if (!t)
		return -ENOMEM;
	if (t->n >= t->thin_at)
		open_wait_merge_thin(ps, t);
	at = new_piece(ps);
	t->ns += ev->weight;
	if (ev->time_ns > t->time_ns)
		t->time_ns = ev->time_ns;
	if (!at)
		return profile_add(p, ev);
	open_wait_merge_hold(ps, t, at, ev);
	return 0;
}

/*
 * Was the thread of EV heard of? What stands for others only is told when an account is made up,
 * whatever its thread does then. Migrations, faults and accesses end no wait either: its last piece
 * does, and readers of 1.1, which leave them out, agree.
 */
static bool heard_of(const struct event *ev)
{
	return KINDS_WALL >> ev->kind & 1 && (!(ev->flags & EVENT_F_EXTRAPOLATED) || ev->wait.own_ns);
}

int open_wait_merge_add(struct open_wait_merge *ps, struct profile *p, const struct event *ev)
{
	uint32_t known;
	int r = 0;

	if (EVENT_IS_WAIT(ev->kind) && ev->flags & EVENT_F_OPEN)
		return add_piece(ps, p, ev);
	known = ps->thread.n && heard_of(ev) ? idmap_get(&ps->thread_of, ev->thread) : ID_NONE;
	/* Samples of before the wait may come after its pieces. */
	if (known != ID_NONE && ev->time_ns >= ps->thread.v[known].time_ns) {
		ps->thread.v[known].ns = 0;
		r = open_wait_merge_release(ps, &ps->thread.v[known], p, true);
	}
	return r < 0 ? r : profile_add(p, ev);
}

int open_wait_merge_end(struct open_wait_merge *ps, struct profile *p, struct profile_meta *m)
{
	int r = 0;

	for (size_t i = 0; !r && i < ps->thread.n; i++) {
		m->wait_open_ns += ps->thread.v[i].ns;
		m->wait_open += ps->thread.v[i].ns != 0;
		r = open_wait_merge_release(ps, &ps->thread.v[i], p, false);
	}
	return r;
}

void open_wait_merge_free(struct open_wait_merge *ps)
{
	idmap_clear(&ps->thread_of);
	vec_free(&ps->thread);
	vec_free(&ps->piece);
}
