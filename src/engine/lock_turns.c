/* SPDX-License-Identifier: BSD-2-Clause */
/* lock_turns.c - a list of turns for each lock, by time. */
#include "config.h"

#include "engine/lock_turns.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/keyed.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "model/lock.h"

#include <stdlib.h>
#include <string.h>

#define LOCKS_MAX 16384u                 /* that are remembered */
#define TURNS_MAX 4096u                  /* of one lock */
#define KEEP_NS (4 * NSEC_PER_SEC)       /* waits are told within a second of their end, longer ones piece by piece */
#define LEAST_NS NSEC_PER_MSEC           /* shorter waits have the holder that they found: SB_TURN_LEAST */
/* of one wait; when there are more, only each second turn counts, or each fourth, ... */
#define PARTS_MAX 256u

/* pthread_rwlock_t: where its futexes are (model/lock.c) */
#define RWLOCK_PHASE 8u
#define RWLOCK_WRITERS 12u

struct turned_lock {
	uint64_t address;
	uint64_t pid;
	struct held_lock like;   /* who held it does not count; its guess is LOCK_FUTEX until it is known */
	bool read;               /* somebody who waited found what looks like readers */
	VEC(struct lock_turn) turns;
};

struct lock_turns {
	struct dict *d;
	KEYED(struct turned_lock) locks;
	uint64_t swept_ns;
};

struct lock_turns *lock_turns_new(struct dict *d)
{
	struct lock_turns *t = calloc(1, sizeof(*t));

	if (t)
		t->d = d;
	return t;
}

void lock_turns_free(struct lock_turns *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->locks.n; i++)
		vec_free(&t->locks.v[i].turns);
	keyed_free(&t->locks);
	free(t);
}

/* ---- locks ---- */

static bool turns_names_holders(uint32_t guess)
{
	return guess == LOCK_MUTEX || guess == LOCK_RWLOCK_WRITE || guess == LOCK_GIL || guess == LOCK_LENDING ||
	       guess == LOCK_KERNEL_MUTEX || guess == LOCK_KERNEL_READ || guess == LOCK_KERNEL_WRITE;
}

static bool turns_is_rwlock(uint32_t guess)
{
	return guess == LOCK_RWLOCK_WRITE || guess == LOCK_KERNEL_READ || guess == LOCK_KERNEL_WRITE;
}

static bool turns_may_be_read(uint32_t guess)
{
	return guess == LOCK_FUTEX || guess == LOCK_RWLOCK_READ || turns_is_rwlock(guess);
}

static struct turned_lock *turns_at(const struct lock_turns *t, pid_t pid, uint64_t address)
{
	const struct turned_lock want = { .address = address, .pid = (uint64_t)pid };
	const uint32_t id = keyed_find(&t->locks, &want, like);

	return id == HIDX_NONE ? NULL : &t->locks.v[id];
}

/* Where the futex of L is in it, if that is an rwlock. */
static uint32_t turns_futex_offset(const struct held_lock *l)
{
	return l->address & 4 ? RWLOCK_WRITERS : RWLOCK_PHASE;
}

/* L of PID, if it is known: an rwlock that nobody writes is known by its futex alone. */
static struct turned_lock *turns_find(const struct lock_turns *t, pid_t pid, const struct held_lock *l)
{
	const uint32_t offset = turns_futex_offset(l);
	struct turned_lock *of_rwlock;

	/* Those of the kernel are of no process. */
	if (lock_is_of_kernel(l->guess))
		return turns_at(t, 0, l->address);
	if (l->guess != LOCK_FUTEX)
		return turns_at(t, pid, l->address);
	of_rwlock = turns_at(t, pid, l->address - offset);
	return of_rwlock && of_rwlock->like.guess == LOCK_RWLOCK_WRITE ? of_rwlock : turns_at(t, pid, l->address);
}

/* Whether something is known of L since NOW_NS - KEEP_NS; forgets what is older, but for its last turn. */
static bool turns_keep(struct turned_lock *l, uint64_t now_ns)
{
	size_t old = 0;

	while (old < l->turns.n && l->turns.v[old].ns + KEEP_NS < now_ns)
		old++;
	if (old == l->turns.n)
		return false;
	old -= old > 0;
	l->turns.n -= old;
	memmove(l->turns.v, l->turns.v + old, l->turns.n * sizeof(*l->turns.v));
	return true;
}

static void turns_sweep(struct lock_turns *t, uint64_t now_ns)
{
	__typeof__(t->locks) kept = { 0 };

	for (size_t i = 0; i < t->locks.n; i++)
		if (!turns_keep(&t->locks.v[i], now_ns) || keyed_get(&kept, &t->locks.v[i], like) == HIDX_NONE)
			vec_free(&t->locks.v[i].turns);
	keyed_free(&t->locks);
	t->locks = kept;
	t->swept_ns = now_ns;
}

/* The place of what lies BYTES before PLACE. */
static stack_id turns_place_before(const struct lock_turns *t, stack_id place, uint32_t bytes)
{
	const struct stack *s = place == STACK_ROOT ? NULL : dict_get_stack(t->d, place);
	const struct frame *f = s && s->parent == STACK_ROOT ? dict_get_frame(t->d, s->frame) : NULL;
	frame_id before;
	stack_id id;

	if (!f || !(f->offset & FRAME_DATA) || (f->offset & ~FRAME_DATA) < bytes)
		return place;
	before = dict_frame(t->d, f->module, f->offset - bytes);
	id = before == ID_NONE ? ID_NONE : dict_stack(t->d, STACK_ROOT, before);
	return id == ID_NONE ? place : id;
}

/*
 * KNOWN is by the futex L. When there were readers at both futexes of what would be an rwlock, it is one: whoever waits
 * to write may find readers each time, so that no writer is ever seen in it. Returns that rwlock; else KNOWN.
 */
static struct turned_lock *turns_join_futexes(struct lock_turns *t, pid_t pid, const struct held_lock *l,
					      struct turned_lock *known)
{
	const uint32_t offset = turns_futex_offset(l);
	const struct turned_lock *other = turns_at(t, pid, l->address ^ (RWLOCK_PHASE ^ RWLOCK_WRITERS));
	struct turned_lock rwlock = { .address = l->address - offset, .like = *l, .pid = (uint64_t)pid };
	uint32_t id;

	known->read |= l->readers != 0;
	if (known->like.guess != LOCK_FUTEX || !known->read || !other || other->like.guess != LOCK_FUTEX ||
	    !other->read || t->locks.n == LOCKS_MAX)
		return known;
	rwlock.like.address -= offset;
	rwlock.like.guess = LOCK_RWLOCK_WRITE;
	rwlock.like.place = turns_place_before(t, l->place, offset);
	rwlock.like.offset -= l->offset < offset ? l->offset : offset;
	id = keyed_get(&t->locks, &rwlock, like);
	return id == HIDX_NONE ? turns_at(t, pid, l->address) : &t->locks.v[id];
}

static struct turned_lock *turns_get(struct lock_turns *t, pid_t pid, const struct held_lock *l)
{
	const struct turned_lock fresh = { .address = l->address, .like = *l,
					   .pid = lock_is_of_kernel(l->guess) ? 0 : (uint64_t)pid };
	struct turned_lock *known = turns_find(t, pid, l);
	uint32_t id;

	if (!known && t->locks.n < LOCKS_MAX) {
		id = keyed_get(&t->locks, &fresh, like);
		known = id == HIDX_NONE ? NULL : &t->locks.v[id];
	}
	if (known && turns_names_holders(l->guess)) {
		known->like.guess = l->guess;
		known->like.waiter_prio = known->like.holder_prio = 0;
		if (l->place != STACK_ROOT) {
			known->like.place = l->place;
			known->like.offset = l->offset;
		}
	}
	return known && l->guess == LOCK_FUTEX ? turns_join_futexes(t, pid, l, known) : known;
}

/* ---- turns ---- */

/* They come nearly in order: those of when waits began come when these have ended. */
static void turns_put(struct turned_lock *l, const struct lock_turn *turn)
{
	size_t at;

	if (l->turns.n == TURNS_MAX) {
		l->turns.n /= 2;
		memmove(l->turns.v, l->turns.v + l->turns.n, l->turns.n * sizeof(*l->turns.v));
	}
	if (!vec_reserve(&l->turns, 1))
		return;
	l->turns.n++;
	for (at = l->turns.n - 1; at && l->turns.v[at - 1].ns > turn->ns; at--)
		l->turns.v[at] = l->turns.v[at - 1];
	l->turns.v[at] = *turn;
}

void lock_turns_held(struct lock_turns *t, pid_t pid, const struct held_lock *l, uint64_t ns)
{
	const struct lock_turn turn = { .ns = ns, .holder = l->holder, .next = ID_NONE, .readers = l->readers };
	struct turned_lock *to;

	if (l->holder == ID_NONE ? !l->readers || !turns_may_be_read(l->guess) : !turns_names_holders(l->guess))
		return;
	/* What looks like the first word of an rwlock is none of one before more is known. */
	to = l->guess == LOCK_RWLOCK_READ ? turns_find(t, pid, l) : turns_get(t, pid, l);
	/* What looks like readers is some, if it is an rwlock. */
	if (to && (l->holder != ID_NONE || turns_is_rwlock(to->like.guess)))
		turns_put(to, &turn);
}

void lock_turns_over(struct lock_turns *t, pid_t pid, const struct held_lock *l, const struct lock_turn *turn)
{
	struct lock_turn over = *turn;
	struct turned_lock *to;

	if (turn->ns > t->swept_ns + KEEP_NS)
		turns_sweep(t, turn->ns);
	if (l->guess != LOCK_FUTEX && !turns_names_holders(l->guess))
		return;
	to = turns_get(t, pid, l);
	if (!to)
		return;
	/* The last one of those who read, who was not alone, lets the phase go; writers wake writers. */
	if (turns_is_rwlock(to->like.guess) && l->holder == ID_NONE && !(l->address & 4) &&
	    (l->readers || !lock_is_of_kernel(l->guess))) {
		over.holder = ID_NONE;
		over.readers = l->readers ? l->readers : 1;
	}
	turns_put(to, &over);
}

/* ---- waits ---- */

struct turns_part {
	uint64_t until_ns;
	thread_id holder;        /* ID_NONE = readers, or not known */
	uint32_t readers;
};

struct turns_parts {
	struct turns_part v[PARTS_MAX + 5];      /* each turn adds two at most, the end of the wait, too */
	unsigned int n;
};

/* From where the last part ends until UNTIL_NS it was held as TURN says. */
static void turns_add(struct turns_parts *p, uint64_t until_ns, const struct lock_turn *turn)
{
	struct turns_part *last = p->n ? &p->v[p->n - 1] : NULL;

	if (last && last->until_ns >= until_ns)
		return;
	if (!last || last->holder != turn->holder || (turn->holder == ID_NONE && last->readers != turn->readers))
		p->v[p->n++] = (struct turns_part){ .holder = turn->holder, .readers = turn->readers };
	p->v[p->n - 1].until_ns = until_ns;
}

static bool turns_same(const struct lock_turn *a, const struct lock_turn *b)
{
	return a->holder == b->holder && (a->holder != ID_NONE || !a->readers == !b->readers);
}

/* Was the lock let go at TURN? */
static bool turns_is_over(const struct lock_turn *turn)
{
	return turn->next != ID_NONE;
}

static bool turns_is_known(const struct lock_turn *turn)
{
	return turn->holder != ID_NONE || turn->readers;
}

/* Who had it between the turns A and B, which may be NULL, from FROM_NS to UNTIL_NS, which is no later than B. */
static void turns_between(struct turns_parts *p, const struct lock_turn *a, const struct lock_turn *b,
			  uint64_t from_ns, uint64_t until_ns)
{
	const struct lock_turn unknown = { .holder = ID_NONE };

	if (b && (turns_is_over(a) || !turns_is_known(a) || turns_same(a, b))) {
		turns_add(p, until_ns, b);
		return;
	}
	/* Who is woken may find that another thread has taken it meanwhile. */
	if (!b || b->ns > until_ns) {
		turns_add(p, until_ns, turns_is_over(a) ? &unknown : a);
		return;
	}
	if (until_ns - from_ns > 1)
		turns_add(p, from_ns + (until_ns - from_ns) / 2, a);
	turns_add(p, until_ns, b);
}

static size_t turns_first_after(const struct turned_lock *l, uint64_t ns)
{
	return count_upto(l->turns.v, l->turns.n, ns, ns);
}

/*
 * Who held L from FROM_NS to UNTIL_NS, by each STRIDE-th turn, if at the begin it was FOUND so, or NULL. False when
 * there are too many parts.
 */
static bool turns_look_at(const struct turned_lock *l, const struct lock_turn *found, uint64_t from_ns,
			  uint64_t until_ns, size_t stride, struct turns_parts *ret)
{
	const struct lock_turn unknown = { .holder = ID_NONE, .next = ID_NONE };
	const size_t end = turns_first_after(l, until_ns);
	size_t i = turns_first_after(l, from_ns);
	const struct lock_turn *a = found ? found : i ? &l->turns.v[i - 1] : &unknown;
	uint64_t at = from_ns;

	for (ret->n = 0; i < end && ret->n <= PARTS_MAX; i += stride) {
		turns_between(ret, a, &l->turns.v[i], at, l->turns.v[i].ns);
		a = &l->turns.v[i];
		at = a->ns;
	}
	turns_between(ret, a, end < l->turns.n ? &l->turns.v[end] : NULL, at, until_ns);
	return ret->n <= PARTS_MAX;
}

static void turns_look(const struct turned_lock *l, const struct lock_turn *found, uint64_t from_ns, uint64_t until_ns,
		       struct turns_parts *ret)
{
	for (size_t stride = 1; !turns_look_at(l, found, from_ns, until_ns, stride, ret); stride *= 2)
		;
}

/* L, as it was held in PART; that of EV when there is no room for it. */
static lock_id turns_lock(struct lock_turns *t, const struct turned_lock *l, const struct event *ev,
			  const struct turns_part *part)
{
	const struct held_lock *found = dict_get_lock(t->d, ev->wait.lock);
	struct held_lock held = l->like;
	lock_id id;

	if (found->address == held.address) {
		held.place = found->place;
		held.offset = found->offset;
	}
	/* It may be waited for to read and to write. */
	if (lock_is_of_kernel(found->guess))
		held.guess = found->guess;
	if (part->holder != ID_NONE && part->holder == found->holder) {
		held.waiter_prio = found->waiter_prio;
		held.holder_prio = found->holder_prio;
	}
	held.holder = part->holder == ev->thread ? ID_NONE : part->holder;
	held.readers = part->holder == ID_NONE ? part->readers : 0;
	id = dict_lock(t->d, &held);
	return id == ID_NONE ? ev->wait.lock : id;
}

/* What EV stands for beside itself, REST of its weight: whoever had it at one moment, drawn by chance. */
static void turns_tell_rest(struct lock_turns *t, const struct turned_lock *l, const struct event *ev, uint64_t rest,
			    uint64_t from_ns, const struct turns_parts *p,
			    void (*each)(void *ctx, const struct event *ev), void *ctx)
{
	const uint64_t moment = from_ns + hash_2u64(ev->time_ns, ev->thread) % (ev->time_ns - from_ns);
	struct event other = *ev;
	unsigned int i = 0;

	while (i < p->n - 1 && p->v[i].until_ns <= moment)
		i++;
	other.weight = rest;
	other.count = ev->count > 1 ? ev->count - 1 : 0;
	other.flags |= (uint8_t)(EVENT_F_EXTRAPOLATED | (other.count ? 0 : EVENT_F_PIECE));
	other.wait.own_ns = 0;
	other.wait.lock = turns_lock(t, l, ev, &p->v[i]);
	each(ctx, &other);
}

static void turns_tell(struct lock_turns *t, const struct turned_lock *l, const struct event *ev, uint64_t from_ns,
		       const struct turns_parts *p, void (*each)(void *ctx, const struct event *ev), void *ctx)
{
	const uint64_t rest = ev->weight - (ev->time_ns - from_ns);

	for (unsigned int i = 0; i < p->n; i++) {
		struct event part = *ev;

		part.time_ns = p->v[i].until_ns;
		part.weight = part.time_ns - from_ns;
		part.wait.lock = turns_lock(t, l, ev, &p->v[i]);
		part.count = i || !ev->count ? 0 : 1;
		part.flags |= i ? EVENT_F_PIECE : 0;
		/* Only with the last one of them the wait goes on. */
		part.flags &= (uint8_t)~(EVENT_F_EXTRAPOLATED | (i < p->n - 1 ? EVENT_F_OPEN : 0));
		each(ctx, &part);
		from_ns = part.time_ns;
	}
	if (rest)
		turns_tell_rest(t, l, ev, rest, p->v[p->n - 1].until_ns - (ev->weight - rest), p, each, ctx);
}

void lock_turns_divide(struct lock_turns *t, const struct event *ev, void (*each)(void *ctx, const struct event *ev),
		       void *ctx)
{
	const struct thread *thread = dict_get_thread(t->d, ev->thread);
	const struct held_lock *held = dict_get_lock(t->d, ev->wait.lock);
	const uint64_t length = ev->weight < ev->wait.own_ns ? ev->weight : ev->wait.own_ns;
	const struct lock_turn found = { .holder = held ? held->holder : ID_NONE, .next = ID_NONE,
					 .readers = held ? held->readers : 0 };
	const struct turned_lock *l = NULL;
	struct turns_parts parts;

	if (thread && held && ev->wait.own_ns >= LEAST_NS && length && length <= ev->time_ns)
		l = turns_find(t, thread->pid, held);
	/* Whoever let an interpreter go, and waits until another thread has it, waits for nobody. */
	if (!l || !turns_names_holders(l->like.guess) || (l->like.guess == LOCK_GIL && found.holder == ID_NONE)) {
		each(ctx, ev);
		return;
	}
	turns_look(l, length == ev->wait.own_ns && turns_is_known(&found) ? &found : NULL, ev->time_ns - length,
		   ev->time_ns, &parts);
	if (!parts.n || (parts.n == 1 && parts.v[0].holder == found.holder))
		each(ctx, ev);
	else
		turns_tell(t, l, ev, ev->time_ns - length, &parts, each, ctx);
}
