/* SPDX-License-Identifier: BSD-2-Clause */
/* wakers.c - a hash table in which a newer entry replaces an older one. */
#include "config.h"

#include "engine/wakers.h"

#include "base/hash.h"

static struct waker *wakers_place(struct wakers *t, pid_t tid, uint64_t wait)
{
	return &t->at[hash_2u64(wait, (uint64_t)tid) & (WAKERS - 1)];
}

void wakers_put(struct wakers *t, const struct waker *w)
{
	*wakers_place(t, w->tid, w->wait_id) = *w;
}

void wakers_take(struct wakers *t, pid_t tid, uint64_t wait, struct event_wait *ret)
{
	struct waker *w = wakers_place(t, tid, wait);

	ret->context = WAKER_UNKNOWN;
	ret->waker = ID_NONE;
	ret->waker_stack = STACK_ROOT;
	if (!wait || w->wait_id != wait || w->tid != tid)
		return;
	ret->context = w->context;
	ret->waker = w->thread;
	ret->waker_stack = w->stack;
	w->wait_id = 0;
}
