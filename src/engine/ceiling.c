/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "engine/ceiling.h"

#define CALM_LOOKS 15u
#define OVER_LOOKS 3u
#define MEAN_LOOKS 8             /* that the mean is about */
#define CREDIT_LOOKS 15
#define START_TIMES 4u           /* so many times the ceiling is too much for a start, too */
#define ROOM 0.7                 /* of the ceiling, which waits may take when they are followed again */
#define CALM_NS (120ull * 1000000000)
#define CALM_MAX_NS (3600ull * 1000000000)

static bool ceiling_raise(struct ceiling *c)
{
	const uint32_t before = c->level;

	c->calm = 0;
	c->over = before == CEILING_LEVELS ? c->over + 1 : 0;
	for (uint32_t mean = c->mean; mean > c->most && c->level < CEILING_LEVELS; mean /= 2)
		c->level++;
	c->exceeded = c->over >= OVER_LOOKS;
	return c->level != before || c->exceeded;
}

/* Adds up that TOOK was taken while PASSED. */
static void ceiling_add(struct ceiling *c, uint64_t took, uint64_t passed)
{
	const int64_t may = (int64_t)((double)passed * c->most / 1e6);
	const int64_t credit = (int64_t)(CREDIT_LOOKS * CEILING_LOOK_NS / 1000000 * c->most);

	c->share = (uint32_t)((double)took * 1e6 / (double)passed);
	c->mean = (uint32_t)((int64_t)c->mean + ((int64_t)c->share - (int64_t)c->mean) / MEAN_LOOKS);
	c->over_ns += (int64_t)took - may;
	c->over_ns = c->over_ns < -credit ? -credit : c->over_ns > credit ? credit : c->over_ns;
}

static bool ceiling_is_over(const struct ceiling *c)
{
	return c->began ? c->share > c->most && c->mean > c->most && c->over_ns > 0 : c->share / START_TIMES > c->most;
}

bool ceiling_look(struct ceiling *c, uint64_t own_ns, uint64_t now_ns)
{
	const uint64_t passed = now_ns - c->at_ns, took = own_ns - c->own_ns;
	const bool first = !c->at_ns;

	if (!c->most || c->exceeded || (!first && passed < CEILING_LOOK_NS))
		return false;
	c->at_ns = now_ns;
	c->own_ns = own_ns;
	if (first)
		return false;
	ceiling_add(c, took, passed);
	if (ceiling_is_over(c))
		return ceiling_raise(c);
	c->over = 0;
	c->calm = c->share * 5ull < c->most * 2ull ? c->calm + 1 : 0;
	if (!c->level || c->calm < CALM_LOOKS)
		return false;
	c->calm = 0;
	c->level--;
	return true;
}

void ceiling_began(struct ceiling *c)
{
	c->began = true;
	c->at_ns = 0;
	c->mean = 0;
	c->over_ns = 0;
}

bool ceiling_room_look(struct ceiling_room *r, uint32_t most, uint64_t switches, uint64_t now_ns)
{
	const uint64_t passed = now_ns - r->at_ns;
	const bool first = !r->at_ns;

	if (!first && passed < CEILING_LOOK_NS)
		return false;
	if (!first)
		r->rate = (double)(switches - r->switches) * 1e9 / (double)passed;
	r->at_ns = now_ns;
	r->switches = switches;
	if (first || r->share_of_switch <= 0 || r->rate * r->share_of_switch > ROOM * most) {
		r->quiet_ns = 0;
		return false;
	}
	if (!r->quiet_ns)
		r->quiet_ns = now_ns;
	return now_ns - r->quiet_ns >= r->calm_ns;
}

void ceiling_room_leave(struct ceiling_room *r, uint32_t share)
{
	r->share_of_switch = share / (r->rate > 1 ? r->rate : 1);
	r->calm_ns = !r->calm_ns ? CALM_NS : 2 * r->calm_ns < CALM_MAX_NS ? 2 * r->calm_ns : CALM_MAX_NS;
	r->quiet_ns = 0;
}

void ceiling_room_back(struct ceiling_room *r)
{
	r->share_of_switch = 0;
}
