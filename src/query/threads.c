/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.c - joins the ids of one thread under its several names: a thread that renames itself or
 * calls exec gets a new id each time.
 */
#include "config.h"

#include "query/threads.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "profile/slice.h"

#include <stdlib.h>

static uint64_t threads_thread_hash(const void *ctx, uint32_t id)
{
	const struct thread *t = dict_get_thread(ctx, id);

	return hash_2u64((uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid, t->start_ns);
}

static bool same_thread(const struct dict *d, thread_id ia, thread_id ib)
{
	const struct thread *a = dict_get_thread(d, ia), *b = dict_get_thread(d, ib);

	return a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns;
}

/* The id in INDEX of the same thread as ID, which is added when there is none; ID_NONE when out of memory. */
static thread_id threads_last_of(struct hidx *index, const struct dict *d, thread_id id)
{
	const uint64_t h = threads_thread_hash(d, id);
	thread_id have;

	hidx_each(index, h, have)
		if (same_thread(d, have, id))
			return have;
	return hidx_add(index, h, id, threads_thread_hash, d) ? id : ID_NONE;
}

/* By thread id below N, one id of each thread; *RET_MANY: some have several. NULL when out of memory. */
static thread_id *one_of_each(const struct dict *d, uint32_t n, bool *ret_many)
{
	thread_id *same = malloc((n + 1ul) * sizeof(*same));
	struct hidx index = { 0 };
	bool ok = same;

	*ret_many = false;
	for (thread_id id = n; ok && id-- > 0;) {
		same[id] = threads_last_of(&index, d, id);
		*ret_many |= same[id] != id;
		ok = same[id] != ID_NONE;
	}
	hidx_free(&index);
	if (ok)
		return same;
	free(same);
	return NULL;
}

/* When an id was seen last, and how much of it there was. */
struct seen {
	uint64_t weight;
	uint32_t slice;          /* + 1; 0 = never */
};

static void threads_see(struct seen *seen, uint32_t n, const struct slice_view *v)
{
	const uint32_t slice = (uint32_t)v->next;

	for (size_t i = 0; i < v->n; i++) {
		const struct fact *f = &v->fact[i];

		if (f->thread >= n || !(KINDS_WALL >> f->kind & 1))
			continue;
		seen[f->thread].weight = add_capped(seen[f->thread].slice == slice ? seen[f->thread].weight : 0,
						    f->weight);
		seen[f->thread].slice = slice;
	}
}

static bool is_later(const struct seen *a, const struct seen *b)
{
	return a->slice != b->slice ? a->slice > b->slice : a->weight > b->weight;
}

thread_id *threads_same(const struct snapshot *s, uint32_t n)
{
	AUTO_FREE struct seen *seen = NULL;
	AUTO_FREE thread_id *last = NULL;
	struct slice_view v = { 0 };
	thread_id *same;
	bool many;

	same = one_of_each(snapshot_dict(s), n, &many);
	if (!same || !many)
		return same;
	seen = calloc(n, sizeof(*seen));
	last = malloc(n * sizeof(*last));
	if (!seen || !last) {
		free(same);
		return NULL;
	}
	while (snapshot_next(s, &v))
		threads_see(seen, n, &v);
	for (thread_id id = 0; id < n; id++)
		last[id] = same[id];
	for (thread_id id = 0; id < n; id++)
		if (is_later(&seen[id], &seen[last[same[id]]]))
			last[same[id]] = id;
	for (thread_id id = 0; id < n; id++)
		same[id] = last[same[id]];
	return same;
}
