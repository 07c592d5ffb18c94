/* SPDX-License-Identifier: BSD-2-Clause */
/* test_script_plan.c - plans of plug-ins as the kernel's side does them: which steps are one read. */
#include "config.h"

#include "engine/script_plan.h"

#include "tests/unit/cmocka_all.h"

#define COPY(bytes, at) { .op = SBERF_STEP_COPY, .count = (bytes), .value = (at) }
#define COPIED(at, tag) { .op = SBERF_STEP_COPIED, .count = (tag), .value = (at) }
#define PLAN(...) { .nr_steps = sizeof((struct sberf_step[]){ __VA_ARGS__ }) / sizeof(struct sberf_step), \
		    .steps = { __VA_ARGS__ } }

static void check_step(const struct sb_plan_step *s, uint8_t op, uint8_t from, uint8_t words, uint32_t count,
		       int64_t value)
{
	assert_int_equal(s->op, op);
	assert_int_equal(s->from, from);
	assert_int_equal(s->words, words);
	assert_int_equal(s->count, count);
	assert_int_equal(s->value, value);
}

/* A frame and its code, as CPython 3.11 has them. */
static void copies_near_each_other_are_one_read(void **state)
{
	const struct sberf_plan p = PLAN({ .op = SBERF_STEP_THREAD }, { .op = SBERF_STEP_LOOP, .count = 9 },
					 COPY(8, 32), COPY(24, 48), COPIED(0, 1), COPY(8, 72), COPY(8, 128),
					 COPIED(8, 0), { .op = SBERF_STEP_END });
	struct sb_plan got;

	(void)state;
	script_plan_make(&p, 7, &got);
	assert_int_equal(got.serial, 7);
	check_step(&got.step[0], SB_STEP_THREAD, SB_STEP_HERE, 0, 0, 0);
	check_step(&got.step[1], SB_STEP_LOOP, SB_STEP_HERE, 0, 9, 0);
	check_step(&got.step[2], SB_STEP_PICK, SB_STEP_HERE, 4, 0x4320, 32);
	check_step(&got.step[3], SB_STEP_PICK, 0, 2, 0x70, 72);
	assert_int_equal(got.step[3].tag, 1);
	check_step(&got.step[4], SB_STEP_END, 1, 0, 0, 0);
	check_step(&got.step[5], SB_STEP_STOP, 0, 0, 0, 0);
}

/* Of steps that look for a thread's own state each says how many more there are. */
static void states_one_behind_the_other(void **state)
{
	const struct sberf_plan p = PLAN({ .op = SBERF_STEP_OWN, .count = 8, .value = 16 }, { .op = SBERF_STEP_OWN },
					 { .op = SBERF_STEP_THEN, .count = 8, .value = 24 });
	struct sb_plan got;

	(void)state;
	script_plan_make(&p, 1, &got);
	check_step(&got.step[0], SB_STEP_OWN, SB_STEP_HERE, 1, 8, 16);
	check_step(&got.step[1], SB_STEP_OWN, SB_STEP_HERE, 0, 0, 0);
	check_step(&got.step[2], SB_STEP_THEN, SB_STEP_HERE, 0, 8, 24);
}

static void others_are_not(void **state)
{
	/* Before the first one, in the midst of a word, too far away, the same word again. */
	const struct sberf_plan p = PLAN(COPY(8, 64), COPY(8, 8), COPY(8, 20), COPY(8, 28 + 120), COPY(8, 28 + 120));
	const struct sberf_plan far = PLAN(COPY(8, 0), COPY(16, 112), COPY(8, 128));
	/* There is room for eight words in a record. */
	const struct sberf_plan many = PLAN(COPY(64, 0), COPY(8, 64));
	struct sb_plan got;

	(void)state;
	script_plan_make(&p, 1, &got);
	check_step(&got.step[0], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 64);
	check_step(&got.step[1], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 8);
	check_step(&got.step[2], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 20);
	check_step(&got.step[3], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 148);
	check_step(&got.step[4], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 148);
	script_plan_make(&far, 1, &got);
	check_step(&got.step[0], SB_STEP_PICK, SB_STEP_HERE, 3, 0xfe0, 0);
	check_step(&got.step[1], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 128);
	script_plan_make(&many, 1, &got);
	check_step(&got.step[0], SB_STEP_PICK, SB_STEP_HERE, 8, 0x76543210, 0);
	check_step(&got.step[1], SB_STEP_PICK, SB_STEP_HERE, 1, 0, 64);
}

/* What is taken from the record is the beginning of the next step, or a step itself. */
static void words_of_the_record_lead_on(void **state)
{
	const struct sberf_plan p = PLAN(COPY(16, 0), COPIED(0, 0), COPIED(8, 7), COPY(8, 16), COPIED(16, 0));
	struct sb_plan got;

	(void)state;
	script_plan_make(&p, 1, &got);
	check_step(&got.step[0], SB_STEP_PICK, SB_STEP_HERE, 2, 0x10, 0);
	check_step(&got.step[1], SB_STEP_ADD, 0, 0, 0, 0);
	check_step(&got.step[2], SB_STEP_PICK, 1, 1, 0, 16);
	assert_int_equal(got.step[2].tag, 7);
	check_step(&got.step[3], SB_STEP_ADD, 2, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_near_each_other_are_one_read),
		cmocka_unit_test(states_one_behind_the_other),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(words_of_the_record_lead_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
