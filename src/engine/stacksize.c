/* SPDX-License-Identifier: BSD-2-Clause */
/* stacksize.c - a small set-associative table of executables, and the rule by which a size moves. */
#include "config.h"

#include "engine/stacksize.h"

#include "base/hash.h"
#include "bpf/wire.h"

#include <string.h>

#define WAYS 8u
#define SETS (STACKSIZE_EXES / WAYS)
#define MARGIN 2048u                     /* above twice the deepest: the red zone and a signal frame */

void stacksize_init(struct stacksize *t, uint32_t first)
{
	memset(t, 0, sizeof(*t));
	t->first = first;
}

static struct stacksize_exe *stacksize_find(struct stacksize *t, uint64_t exe_id)
{
	struct stacksize_exe *set = &t->exe[(hash_u64(exe_id) % SETS) * WAYS], *oldest = set;

	for (unsigned int i = 0; i < WAYS; i++) {
		if (set[i].exe_id == exe_id)
			return &set[i];
		if (set[i].used_at < oldest->used_at)
			oldest = &set[i];
	}
	*oldest = (struct stacksize_exe){ .exe_id = exe_id, .cap = t->first };
	return oldest;
}

uint32_t stacksize_cap(struct stacksize *t, uint64_t exe_id)
{
	return exe_id ? stacksize_find(t, exe_id)->cap : t->first;
}

/* The smallest allowed power of two that holds BYTES. */
static uint32_t stacksize_round_up(uint32_t bytes)
{
	uint32_t cap = SB_STACK_MIN;

	while (cap < bytes && cap < SB_STACK_MAX)
		cap *= 2;
	return cap;
}

static uint32_t stacksize_change(struct stacksize_exe *x, uint32_t cap)
{
	x->cap = cap;
	x->run = 0;
	x->deepest = 0;
	return cap;
}

uint32_t stacksize_learn(struct stacksize *t, uint64_t exe_id, uint32_t needed, bool cut)
{
	struct stacksize_exe *x;
	uint32_t fits;

	if (!exe_id)
		return 0;
	x = stacksize_find(t, exe_id);
	x->used_at = ++t->clock;
	if (cut) {
		x->settled = x->shrunk;
		return x->cap < SB_STACK_MAX ? stacksize_change(x, stacksize_round_up(x->cap * 2)) : 0;
	}
	if (needed > x->deepest)
		x->deepest = needed;
	if (++x->run < STACKSIZE_RUN || x->settled)
		return 0;
	fits = x->deepest < SB_STACK_MAX / 2 ? stacksize_round_up(x->deepest * 2 + MARGIN) : SB_STACK_MAX;
	if (fits > x->cap / 2) {
		/* Nothing to gain now; look at a fresh run. */
		x->run = 0;
		x->deepest = 0;
		return 0;
	}
	x->shrunk = true;
	return stacksize_change(x, fits);
}
