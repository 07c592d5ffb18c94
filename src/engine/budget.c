/* SPDX-License-Identifier: BSD-2-Clause */
/* budget.c - see budget.h. */
#include "config.h"

#include "engine/budget.h"

uint32_t budget_share(uint64_t cost_ns, uint64_t ns)
{
	const double share = ns ? 1e6 * (double)cost_ns / (double)ns : 0;

	return share < UINT32_MAX - 1 ? (uint32_t)(share + 0.5) : UINT32_MAX - 1;
}

uint32_t budget_scale(uint32_t share, uint32_t budget)
{
	const uint64_t spent = (uint64_t)share + share / 4;
	const uint64_t scale = budget ? (spent + budget - 1) / budget : BUDGET_SCALE_MAX;

	if (budget == BUDGET_NONE || (budget && share <= budget))
		return 1;
	return scale < BUDGET_SCALE_MAX ? (uint32_t)scale : BUDGET_SCALE_MAX;
}
