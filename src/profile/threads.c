/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.c - see threads.h. */
#include "config.h"

#include "profile/threads.h"

#include "base/hash.h"

#include <stdlib.h>

static uint64_t thread_hash(const void *ctx, uint32_t id)
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
static thread_id last_of(struct hidx *index, const struct dict *d, thread_id id)
{
	const uint64_t h = thread_hash(d, id);
	thread_id have;

	for (uint32_t at = hidx_first(index, h); (have = hidx_id(index, at)) != HIDX_NONE; at = hidx_next(index, at))
		if (hidx_same(index, at, h) && same_thread(d, have, id))
			return have;
	return hidx_add(index, h, id, thread_hash, d) ? id : ID_NONE;
}

thread_id *threads_same(const struct dict *d, uint32_t n)
{
	thread_id *same = malloc((n + 1ul) * sizeof(*same));
	struct hidx index = { 0 };
	bool ok = same;

	for (thread_id id = n; ok && id-- > 0;) {
		same[id] = last_of(&index, d, id);
		ok = same[id] != ID_NONE;
	}
	hidx_free(&index);
	if (ok)
		return same;
	free(same);
	return NULL;
}
