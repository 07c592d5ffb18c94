/* SPDX-License-Identifier: BSD-2-Clause */
/* hitorder.c - see hitorder.h. Hits come nearly in order, so each is put in its place from the end. */
#include "config.h"

#include "trace/hitorder.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(struct hit *) hit_vec;

struct hitorder {
	size_t max_bytes;

	/* The thread that reads. */
	hit_vec fresh;
	uint64_t seq;

	/* The thread that prints. */
	hit_vec sorted;          /* from AT on, by time */
	size_t at;
	uint64_t passed_ns;      /* time of the latest one that went out */
	uint64_t until_ns;       /* what is not later may go out */

	pthread_mutex_t lock;    /* protects what follows */
	pthread_cond_t come;
	hit_vec handed;
	uint64_t seen_ns;
	size_t bytes;            /* of all hits */
	bool end;
	struct hitorder_figures figures;
};

struct hitorder *hitorder_new(size_t max_bytes)
{
	struct hitorder *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->max_bytes = max_bytes;
	thread_mutex_init(&o->lock);
	thread_cond_init(&o->come);
	return o;
}

static void hitorder_free_all(hit_vec *v, size_t from)
{
	for (size_t i = from; i < v->n; i++)
		hit_free(v->v[i]);
	vec_free(v);
}

void hitorder_free(struct hitorder *o)
{
	if (!o)
		return;
	hitorder_free_all(&o->fresh, 0);
	hitorder_free_all(&o->handed, 0);
	hitorder_free_all(&o->sorted, o->at);
	pthread_cond_destroy(&o->come);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

/* Whether there is room for BYTES more, which are counted then. */
static bool hitorder_reserve(struct hitorder *o, size_t bytes)
{
	bool room;

	pthread_mutex_lock(&o->lock);
	room = bytes && bytes <= o->max_bytes - o->bytes;
	o->bytes += room ? bytes : 0;
	o->figures.dropped += !room;
	pthread_mutex_unlock(&o->lock);
	return room;
}

void hitorder_put(struct hitorder *o, struct hit *h)
{
	struct hit **slot;

	if (!hitorder_reserve(o, h && vec_reserve(&o->fresh, 1) ? h->bytes : 0)) {
		hit_free(h);
		return;
	}
	slot = vec_push(&o->fresh);
	h->seq = o->seq++;
	*slot = h;
}

void hitorder_flush(struct hitorder *o, uint64_t seen_ns)
{
	pthread_mutex_lock(&o->lock);
	if (!o->handed.n) {
		const hit_vec empty = o->handed;

		o->handed = o->fresh;
		o->fresh = empty;
	} else if (o->fresh.n && vec_reserve(&o->handed, o->fresh.n)) {
		memcpy(o->handed.v + o->handed.n, o->fresh.v, o->fresh.n * sizeof(*o->fresh.v));
		o->handed.n += o->fresh.n;
		o->fresh.n = 0;
	}
	/* What found no memory goes the next time; it may be late then. */
	if (seen_ns > o->seen_ns)
		o->seen_ns = seen_ns;
	pthread_cond_signal(&o->come);
	pthread_mutex_unlock(&o->lock);
}

void hitorder_end(struct hitorder *o)
{
	pthread_mutex_lock(&o->lock);
	o->end = true;
	o->seen_ns = UINT64_MAX;
	pthread_cond_signal(&o->come);
	pthread_mutex_unlock(&o->lock);
}

static bool hit_is_later(const struct hit *a, const struct hit *b)
{
	return a->time_ns != b->time_ns ? a->time_ns > b->time_ns : a->seq > b->seq;
}

static bool hitorder_sort_in(struct hitorder *o, struct hit *h)
{
	size_t to;

	if (o->at && o->at == o->sorted.n)
		o->at = o->sorted.n = 0;
	if (!vec_reserve(&o->sorted, 1))
		return false;
	for (to = o->sorted.n++; to > o->at && hit_is_later(o->sorted.v[to - 1], h); to--)
		o->sorted.v[to] = o->sorted.v[to - 1];
	o->sorted.v[to] = h;
	return true;
}

/* Drops what has gone out from the begin of SORTED, when that is most of it. */
static void hitorder_compact(struct hitorder *o)
{
	const size_t left = o->sorted.n - o->at;

	if (o->at < 4096 || left > o->at)
		return;
	memmove(o->sorted.v, o->sorted.v + o->at, left * sizeof(*o->sorted.v));
	o->sorted.n = left;
	o->at = 0;
}

bool hitorder_wait(struct hitorder *o, uint64_t timeout_ns)
{
	const struct timespec ts = clock_timespec(clock_mono_ns() + timeout_ns);
	hit_vec got;
	int r = 0;

	hitorder_compact(o);
	pthread_mutex_lock(&o->lock);
	while (!o->handed.n && o->seen_ns == o->until_ns && !o->end && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&o->come, &o->lock, &ts);
	got = o->handed;
	o->handed = (hit_vec){ 0 };
	o->until_ns = o->seen_ns;
	pthread_mutex_unlock(&o->lock);
	for (size_t i = 0; i < got.n; i++)
		if (!hitorder_sort_in(o, got.v[i])) {
			pthread_mutex_lock(&o->lock);
			o->figures.dropped++;
			o->bytes -= got.v[i]->bytes;
			pthread_mutex_unlock(&o->lock);
			hit_free(got.v[i]);
		}
	vec_free(&got);
	return r != ETIMEDOUT;
}

struct hit *hitorder_take(struct hitorder *o)
{
	struct hit *h = o->at < o->sorted.n ? o->sorted.v[o->at] : NULL;

	if (!h || h->time_ns > o->until_ns)
		return NULL;
	o->at++;
	pthread_mutex_lock(&o->lock);
	o->bytes -= h->bytes;
	o->figures.late += h->time_ns < o->passed_ns;
	pthread_mutex_unlock(&o->lock);
	if (h->time_ns > o->passed_ns)
		o->passed_ns = h->time_ns;
	return h;
}

void hitorder_figures(struct hitorder *o, struct hitorder_figures *ret)
{
	pthread_mutex_lock(&o->lock);
	*ret = o->figures;
	pthread_mutex_unlock(&o->lock);
}
