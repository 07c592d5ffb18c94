/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "engine/ceiling.h"

#define CALM_LOOKS 15u
#define OVER_LOOKS 3u

static bool ceiling_raise(struct ceiling *c)
{
	const uint32_t before = c->level;

	c->calm = 0;
	c->over = before == CEILING_LEVELS ? c->over + 1 : 0;
	for (uint32_t share = c->share; share > c->most && c->level < CEILING_LEVELS; share /= 2)
		c->level++;
	c->exceeded = c->over >= OVER_LOOKS || (c->over && c->share / 4 > c->most);
	return c->level != before || c->exceeded;
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
	c->share = (uint32_t)((double)took * 1e6 / (double)passed);
	if (c->share > c->most)
		return ceiling_raise(c);
	c->over = 0;
	c->calm = c->share * 5ull < c->most * 2ull ? c->calm + 1 : 0;
	if (!c->level || c->calm < CALM_LOOKS)
		return false;
	c->calm = 0;
	c->level--;
	return true;
}
