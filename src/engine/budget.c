/* SPDX-License-Identifier: BSD-2-Clause */
/* budget.c - see budget.h. */
#include "config.h"

#include "engine/budget.h"

uint32_t budget_share(uint64_t cost_ns, uint64_t ns)
{
	const double share = ns ? 1e6 * (double)cost_ns / (double)ns : 0;

	return share < UINT32_MAX - 1 ? (uint32_t)(share + 0.5) : UINT32_MAX - 1;
}

#define SPENT_MAX 1000u                  /* percent: what takes longer is a machine that is very busy */

uint32_t budget_spent(uint32_t before, uint64_t in, uint64_t all)
{
	const double now = in ? 100. * (double)all / (double)in : before;

	return (before + (uint32_t)(now < 100 ? 100 : now < SPENT_MAX ? now : SPENT_MAX)) / 2;
}

uint32_t budget_scale(uint32_t share, uint32_t budget, uint32_t spent)
{
	const uint64_t all = (uint64_t)share * spent / 100;
	const uint64_t scale = budget ? (all + budget - 1) / budget : BUDGET_SCALE_MAX;

	if (budget == BUDGET_NONE || (budget && share <= budget))
		return 1;
	return scale < BUDGET_SCALE_MAX ? (uint32_t)scale : BUDGET_SCALE_MAX;
}

uint32_t budget_rest(uint32_t budget, uint32_t share)
{
	if (budget == BUDGET_NONE)
		return budget;
	return budget - (share < budget / 2 ? share : budget / 2);
}

/* How much each of the probes V may cost by being told, so that they cost ROOM_NS together. */
static uint64_t budget_each(const struct budget_hits *v, size_t n, uint64_t room_ns)
{
	uint64_t each = 0;

	/* What those leave that need less than the others is for these. */
	for (size_t round = 0; round < n; round++) {
		uint64_t left = room_ns, before = each;
		size_t dear = 0;

		for (size_t i = 0; i < n; i++) {
			const bool cheap = v[i].told_ns <= each;

			dear += !cheap;
			left -= cheap ? v[i].told_ns : 0;
		}
		each = dear ? left / dear : UINT64_MAX;
		if (each == before || !dear)
			break;
	}
	return each;
}

void budget_thin(struct budget_hits *v, size_t n, uint64_t ns, uint32_t budget)
{
	uint64_t rest = 0, told = 0, room, each;

	for (size_t i = 0; i < n; i++) {
		v[i].every = 1;
		rest += v[i].rest_ns;
		told += v[i].told_ns;
	}
	if (budget == BUDGET_NONE)
		return;
	room = (uint64_t)((double)ns * budget / 1e6);
	room = room > rest + rest / 10 ? room - rest : rest / 10;
	if (told <= room)
		return;
	each = budget_each(v, n, room);
	for (size_t i = 0; i < n; i++) {
		const uint64_t every = each ? (v[i].told_ns + each - 1) / each : BUDGET_SCALE_MAX;

		if (v[i].told_ns > each)
			v[i].every = every < BUDGET_SCALE_MAX ? (uint32_t)every : BUDGET_SCALE_MAX;
	}
}

bool budget_differs(uint32_t every, uint32_t next)
{
	return next != every && (next == 1 || next > every + every / 4 || every > next + next / 4);
}
