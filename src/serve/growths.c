/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "serve/growths.h"

#include "base/clock.h"

#include <stdlib.h>

struct growth_slot {
	struct flame_growth *growth;     /* NULL = free */
	measure_mask count;
	uint64_t published, asked_ns;
	bool made, ended;
};

struct growths {
	struct growth_slot slot[GROWTHS_MAX];
};

struct growths *growths_new(void)
{
	return calloc(1, sizeof(struct growths));
}

static void growths_forget(struct growth_slot *s)
{
	flame_growth_free(s->growth);
	*s = (struct growth_slot){ 0 };
}

void growths_free(struct growths *g)
{
	for (unsigned int i = 0; g && i < GROWTHS_MAX; i++)
		growths_forget(&g->slot[i]);
	free(g);
}

static struct growth_slot *growths_find(struct growths *g, measure_mask count)
{
	for (unsigned int i = 0; i < GROWTHS_MAX; i++)
		if (g->slot[i].growth && g->slot[i].count == count)
			return &g->slot[i];
	return NULL;
}

/* A free one, or else that which was not asked for for the longest time. */
static struct growth_slot *growths_room(struct growths *g)
{
	struct growth_slot *oldest = &g->slot[0];

	for (unsigned int i = 0; i < GROWTHS_MAX; i++) {
		if (!g->slot[i].growth)
			return &g->slot[i];
		if (g->slot[i].asked_ns < oldest->asked_ns)
			oldest = &g->slot[i];
	}
	growths_forget(oldest);
	return oldest;
}

struct flame_growth *growths_get(struct growths *g, measure_mask count, uint64_t published, bool ended,
				 bool *ret_made)
{
	struct growth_slot *s = growths_find(g, count);

	if (!s) {
		s = growths_room(g);
		*s = (struct growth_slot){ .growth = flame_growth_new(), .count = count };
	}
	s->asked_ns = clock_mono_ns();
	*ret_made = s->made && s->published == published && s->ended == ended;
	return s->growth;
}

void growths_made(struct growths *g, measure_mask count, uint64_t published, bool ended)
{
	struct growth_slot *s = growths_find(g, count);

	if (!s)
		return;
	s->made = true;
	s->published = published;
	s->ended = ended;
}

void growths_age(struct growths *g, uint64_t now_ns)
{
	for (unsigned int i = 0; i < GROWTHS_MAX; i++)
		if (g->slot[i].growth && now_ns > g->slot[i].asked_ns + GROWTHS_IDLE_NS)
			growths_forget(&g->slot[i]);
}
