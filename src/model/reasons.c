/* SPDX-License-Identifier: BSD-2-Clause */
/* reasons.c - the tables behind reasons.h. */
#include "config.h"

#include "model/reasons.h"

static const struct reason_info cuts[] = {
#define X(nr, id, name, text, remedy) [nr] = { name, text, remedy },
	CUT_REASONS(X)
#undef X
};

static const struct reason_info lost[] = {
#define X(nr, id, name, text, remedy) [nr] = { name, text, remedy },
	LOST_REASONS(X)
#undef X
};

static const struct reason_info other = { "other", "an unknown reason", "" };

const struct reason_info *cut_info(unsigned int reason)
{
	return reason < CUT_NR ? &cuts[reason] : &other;
}

const struct reason_info *lost_info(unsigned int reason)
{
	return reason < LOST_NR ? &lost[reason] : &other;
}

uint64_t losses_total(const struct losses *l)
{
	uint64_t sum = 0;

	for (int i = 0; i < LOST_NR; i++)
		sum += l->n[i];
	return sum;
}
