/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "record/survey.h"

bool survey_damage(struct survey *s, enum survey_damage_kind kind, uint64_t at, uint64_t n, unsigned int type)
{
	struct survey_damage *d = s->damages++ < SURVEY_DAMAGES ? vec_push(&s->damage) : NULL;

	if (d)
		*d = (struct survey_damage){ .kind = kind, .at = at, .n = n, .type = (uint16_t)type };
	return d;
}

const char *survey_type_name(unsigned int type)
{
	static const char *const names[BLOCK_TYPES] = {
		[BLOCK_META] = "META", [BLOCK_END] = "END", [BLOCK_STR] = "STR", [BLOCK_MOD] = "MOD", [BLOCK_FRAME] = "FRAME",
		[BLOCK_STACK] = "STACK", [BLOCK_THREAD] = "THREAD", [BLOCK_FUNC] = "FUNC", [BLOCK_NAMES] = "NAMES",
		[BLOCK_EVENTS] = "EVENTS", [BLOCK_NUMA] = "NUMA", [BLOCK_MEASURES] = "MEASURES",
	};

	return type < BLOCK_TYPES && names[type] ? names[type] : "unknown";
}

void survey_free(struct survey *s)
{
	vec_free(&s->damage);
}
