/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_plan.c - steps of a plug-in to steps of the kernel's side.
 *
 * A read costs 90 ns, of 8 bytes as of 128. So steps that copy, one behind the other,
 * are one read when the words are in ascending order and fit into what can be told of a read. A step that takes
 * AT from the record is the beginning of the next one.
 */
#include "config.h"

#include "engine/script_plan.h"

#include <stdbool.h>

_Static_assert(SB_STEP_END == SBERF_STEP_END && SB_STEP_ADDRESS == SBERF_STEP_ADDRESS &&
	       SB_STEP_LOOP == SBERF_STEP_LOOP && SB_STEP_DEREF == SBERF_STEP_DEREF &&
	       SB_STEP_OWN == SBERF_STEP_OWN && SB_STEP_THEN == SBERF_STEP_THEN, "steps cross by number");
_Static_assert(SB_PLAN_STEPS == SBERF_PLAN_STEPS_MAX && SB_PLAN_RECORD == SBERF_PLAN_RECORD_MAX &&
	       SB_PLAN_TURNS == SBERF_PLAN_TURNS_MAX, "plans are as long as they may be");
_Static_assert(SBERF_PLAN_RECORD_MAX / 8 * SB_PICK_BITS <= 32 && SBERF_PLAN_RECORD_MAX <= SB_PICK_BYTES,
	       "a step can tell all words of a record");

struct plan_making {
	struct sb_plan *plan;
	uint32_t n;
	uint8_t from, tag;               /* for the next step */
};

static struct sb_plan_step *plan_add(struct plan_making *m, uint8_t op, uint32_t count, int64_t value)
{
	struct sb_plan_step *s = &m->plan->step[m->n++];

	*s = (struct sb_plan_step){ .op = op, .from = m->from, .tag = m->tag, .count = count, .value = value };
	m->from = SB_STEP_HERE;
	m->tag = 0;
	return s;
}

/* Adds the N words at VALUE to what the step S reads. False when they are too far away, before its, or too many. */
static bool plan_extend(struct sb_plan_step *s, int64_t value, uint32_t n)
{
	const uint32_t last = s->words ? s->count >> (s->words - 1u) * SB_PICK_BITS : 0;
	const int64_t behind = value - s->value;

	if (behind % 8 || s->words + n > SB_PLAN_RECORD / 8 || (s->words && behind <= 8 * (int64_t)last) ||
	    behind > SB_PICK_BYTES - 8 * (int64_t)n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->count |= ((uint32_t)behind / 8 + i) << s->words++ * SB_PICK_BITS;
	return true;
}

static void plan_copy(struct plan_making *m, const struct sberf_step *step)
{
	struct sb_plan_step *last = m->n ? &m->plan->step[m->n - 1] : NULL;

	if (last && last->op == SB_STEP_PICK && m->from == SB_STEP_HERE &&
	    plan_extend(last, step->value, step->count / 8))
		return;
	plan_extend(plan_add(m, SB_STEP_PICK, 0, step->value), step->value, step->count / 8);
}

/* How many steps follow the step I of P that do not count where that one is true. */
static uint8_t plan_more_own(const struct sberf_plan *p, uint32_t i)
{
	uint8_t n = 0;

	while (i + n + 1 < p->nr_steps && p->steps[i + n + 1].op == SBERF_STEP_OWN)
		n++;
	return n;
}

void script_plan_make(const struct sberf_plan *p, uint64_t serial, struct sb_plan *ret)
{
	struct plan_making m = { .plan = ret, .from = SB_STEP_HERE };

	*ret = (struct sb_plan){ .serial = serial, .lock_start = p->lock.start,
				 .lock_bytes = (uint32_t)(p->lock.end - p->lock.start), .holder = p->holder,
				 .holder_thread = p->holder_thread, .holder_id = p->holder_id };
	for (uint32_t i = 0; i < p->nr_steps; i++) {
		const struct sberf_step *s = &p->steps[i];

		if (s->op == SBERF_STEP_COPIED) {
			if (m.from != SB_STEP_HERE)
				plan_add(&m, SB_STEP_ADD, 0, 0);
			m.from = (uint8_t)(s->value / 8);
			m.tag = (uint8_t)s->count;
		} else if (s->op == SBERF_STEP_COPY) {
			plan_copy(&m, s);
		} else {
			struct sb_plan_step *last = plan_add(&m, (uint8_t)s->op, s->count, s->value);

			last->words = s->op == SBERF_STEP_OWN ? plan_more_own(p, i) : 0;
		}
	}
	if (m.from != SB_STEP_HERE)
		plan_add(&m, SB_STEP_ADD, 0, 0);
}
