/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_method.c - the way of a stack by what its event says, how ways are counted, how a walk in
 * the kernel differs from its copy, and that both sides number reasons alike.
 */
#include "config.h"

#include "bpf/wire.h"
#include "engine/verify.h"
#include "model/method.h"
#include "tests/unit/cmocka_all.h"

static struct event event_of(enum unwind_method method, enum cut_reason cut)
{
	return (struct event){ .kind = EVENT_SAMPLE, .method = (uint8_t)method, .cut = (uint8_t)cut,
			       .flags = EVENT_F_USER };
}

static enum unwind_way way(enum unwind_method method, enum cut_reason cut)
{
	const struct event ev = event_of(method, cut);

	return unwound_way(&ev);
}

static void ways_follow_from_methods(void **state)
{
	assert_int_equal(way(METHOD_RULES, CUT_COMPLETE), WAY_KERNEL);
	assert_int_equal(way(METHOD_RULES, CUT_FRAME_LIMIT), WAY_KERNEL);
	/* Nothing of it is believed. */
	assert_int_equal(way(METHOD_RULES, CUT_STALE), WAY_NONE);
	assert_int_equal(way(METHOD_CFI, CUT_STACK_SIZE), WAY_COPY);
	assert_int_equal(way(METHOD_MIXED, CUT_COMPLETE), WAY_COPY);
	assert_int_equal(way(METHOD_KERNEL, CUT_FP_END), WAY_FRAME_POINTERS);
	assert_int_equal(way(METHOD_RECORDS, CUT_RECORDS_END), WAY_CPU_RECORDS);
	assert_int_equal(way(METHOD_NONE, CUT_NO_REGS), WAY_NONE);
	/* What was imported does not say, and what a newer sberf says is not known here. */
	assert_int_equal(way(METHOD_NONE, CUT_COMPLETE), WAY_NR);
	assert_int_equal(way((enum unwind_method)77, CUT_COMPLETE), WAY_NR);
}

static void stacks_are_counted_by_them(void **state)
{
	struct unwound u = { .learned = 0 }, rest;
	const struct unwound some = { .way = { [WAY_KERNEL] = 1, [WAY_COPY] = 6 },
				      .walk = { [WALK_NO_PAGE] = 2 }, .learned = 1 };
	struct event ev = event_of(METHOD_RULES, CUT_COMPLETE);

	unwound_count(&u, &ev, 5);
	ev = event_of(METHOD_CFI, CUT_COMPLETE);
	ev.walk = WALK_NO_PAGE;
	ev.flags |= EVENT_F_LEARNT;
	unwound_count(&u, &ev, 2);
	ev.flags = EVENT_F_USER;
	ev.walk = WALK_NO_RULE;
	unwound_count(&u, &ev, 3);
	ev.walk = WALK_NR;
	unwound_count(&u, &ev, 1);
	ev = event_of(METHOD_NONE, CUT_COMPLETE);
	unwound_count(&u, &ev, 100);
	assert_int_equal(u.way[WAY_KERNEL], 5);
	assert_int_equal(u.way[WAY_COPY], 6);
	assert_int_equal(u.learned, 2);
	assert_int_equal(u.walk[WALK_NO_PAGE], 2);
	assert_int_equal(u.walk[WALK_NO_RULE], 3);
	assert_int_equal(u.walk[WALK_NOT_ASKED], 0);
	assert_int_equal(unwound_total(&u), 11);
	rest = unwound_without(&u, &some);
	assert_int_equal(unwound_total(&rest), 4);
	assert_int_equal(rest.way[WAY_KERNEL], 4);
	assert_int_equal(rest.walk[WALK_NO_PAGE], 0);
	assert_int_equal(rest.walk[WALK_NO_RULE], 3);
	assert_int_equal(rest.learned, 1);
}

static void reasons_are_those_of_the_bpf_side(void **state)
{
	assert_int_equal(WALK_NR, SB_WALK_NR);
	assert_int_equal(WALK_NO_SPACE, SB_WALK_NO_SPACE);
	assert_int_equal(WALK_NO_MAP, SB_WALK_NO_MAP);
	assert_int_equal(WALK_NO_PAGE, SB_WALK_NO_PAGE);
	assert_int_equal(WALK_NO_RULE, SB_WALK_NO_RULE);
	assert_int_equal(WALK_NO_READ, SB_WALK_NO_READ);
	assert_int_equal(WALK_BAD, SB_WALK_BAD);
	assert_int_equal(WALK_DEEP, SB_WALK_DEEP);
	assert_int_equal(WALK_RACE, SB_WALK_RACE);
	for (unsigned int i = 0; i < WALK_NR; i++)
		assert_true(*walk_info(i)->name && *walk_info(i)->text);
	assert_string_equal(walk_info(WALK_NR)->name, "other");
	for (unsigned int i = 0; i < WAY_NR; i++)
		assert_true(*unwind_way_info((enum unwind_way)i)->name);
	assert_string_equal(unwind_way_info(WAY_NR)->name, "other");
	for (unsigned int i = 0; i < VERIFY_NR; i++)
		assert_true(*verify_info((enum verify_cause)i)->name);
	assert_string_equal(verify_info(VERIFY_NR)->name, "other");
}

static void differences_have_a_cause(void **state)
{
	static struct chain a, b;

	for (uint32_t i = 0; i < 5; i++)
		a.frame[i] = b.frame[i] = (struct frame){ .module = 3, .offset = 16 * i };
	a.n = b.n = 4;
	assert_int_equal(verify_compare(&a, &b), VERIFY_NR);
	b.n = 5;
	assert_int_equal(verify_compare(&a, &b), VERIFY_SHORTER);
	assert_int_equal(verify_compare(&b, &a), VERIFY_LONGER);
	/* The first frame that differs says more than the length. */
	b.frame[2].offset++;
	assert_int_equal(verify_compare(&a, &b), VERIFY_PLACE);
	b.frame[2].module++;
	assert_int_equal(verify_compare(&a, &b), VERIFY_MODULE);
	b.n = 0;
	assert_int_equal(verify_compare(&a, &b), VERIFY_LONGER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_follow_from_methods),
		cmocka_unit_test(stacks_are_counted_by_them),
		cmocka_unit_test(differences_have_a_cause),
		cmocka_unit_test(reasons_are_those_of_the_bpf_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
