// SPDX-License-Identifier: BSD-2-Clause
/* rules.c - the growing half of rules.h, and what rules may be. */
#include "config.h"

#include "unwind/rules.h"

#include "bpf/wire.h"

#include <stdlib.h>

#define SLOTS_MIN 4096u

bool rule_is_sound(const struct rule *r)
{
	switch (r->kind) {
	case RULE_SP:
	case RULE_BP:
		return !(r->arg & ~(RULE_RA | RULE_NO_TABLE));
	case RULE_PLT:
		return r->arg < 16;
	case RULE_END:
	case RULE_SIGNAL:
		return !(r->arg & ~RULE_PLACED);
	case RULE_FP:
		return !(r->arg & ~RULE_NO_TABLE);
	case RULE_SWITCH:
		return r->arg <= SB_SWITCH_BP;
	default:
		return r->kind < RULE_SWITCH && !r->arg;
	}
}

static void rules_put(struct rule_table *t, const struct rule_slot *s)
{
	uint64_t i = rule_home(t, s->key);

	while (t->slot[i].key)
		i = (i + 1) & t->mask;
	t->slot[i] = *s;
	t->used++;
}

static bool rules_grow(struct rule_table *t, uint64_t slots)
{
	struct rule_table fresh = { .slot = calloc(slots, sizeof(*fresh.slot)), .mask = slots - 1 };

	if (!fresh.slot)
		return false;
	for (uint64_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i].key)
			rules_put(&fresh, &t->slot[i]);
	free(t->slot);
	*t = fresh;
	return true;
}

void rule_add(struct rule_table *t, uint64_t key, struct rule r)
{
	struct rule_slot s = { key, r };

	if (t->used >= RULE_TABLE_MAX)
		rule_table_free(t);
	if (!t->slot && !rules_grow(t, SLOTS_MIN))
		return;
	if (2 * (t->used + 1) > t->mask + 1 && !rules_grow(t, 2 * (t->mask + 1)))
		return;
	rules_put(t, &s);
}

void rule_table_free(struct rule_table *t)
{
	free(t->slot);
	*t = (struct rule_table){ 0 };
}

size_t rule_table_bytes(const struct rule_table *t)
{
	return t->slot ? (t->mask + 1) * sizeof(*t->slot) : 0;
}
