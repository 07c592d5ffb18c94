/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "record/check_stats.h"

bool check_stats_damage(struct check_stats *s, enum check_stats_damage_kind kind, uint64_t at, uint64_t n,
			unsigned int type)
{
	struct check_stats_damage *d = s->damages++ < CHECK_STATS_DAMAGES ? vec_push(&s->damage) : NULL;

	if (d)
		*d = (struct check_stats_damage){ .kind = kind, .at = at, .n = n, .type = (uint16_t)type };
	return d;
}

const char *check_stats_type_name(unsigned int type)
{
	static const char *const names[BLOCK_TYPES] = {
		[BLOCK_META] = "META", [BLOCK_END] = "END", [BLOCK_STR] = "STR", [BLOCK_MOD] = "MOD",
			[BLOCK_FRAME] = "FRAME",
		[BLOCK_STACK] = "STACK", [BLOCK_THREAD] = "THREAD", [BLOCK_FUNC] = "FUNC", [BLOCK_NAMES] = "NAMES",
		[BLOCK_EVENTS] = "EVENTS", [BLOCK_NUMA] = "NUMA", [BLOCK_MEASURES] = "MEASURES",
		[BLOCK_PROBES] = "PROBES", [BLOCK_HITS] = "HITS",
	};

	return type < BLOCK_TYPES && names[type] ? names[type] : "unknown";
}

void check_stats_free(struct check_stats *s)
{
	vec_free(&s->damage);
}
