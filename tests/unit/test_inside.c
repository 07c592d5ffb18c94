/* SPDX-License-Identifier: BSD-2-Clause */
/* test_inside.c - classes of lengths of calls, several calls in one number, and that number behind a stack. */
#include "config.h"

#include "model/dict.h"
#include "model/inside.h"

#include "cmocka_all.h"

static void classes_are_a_sixteenth_of_an_octave(void **state)
{
	unsigned int before = 0;

	for (uint64_t ns = 1; ns < (uint64_t)1 << 38; ns += 1 + ns / 100) {
		const unsigned int class = inside_class(ns);

		assert_true(class >= before && class >= 1 && class < INSIDE_CLASSES);
		assert_true(inside_class_from_ns(class) <= ns && ns < inside_class_from_ns(class + 1));
		if (ns > 256)
			assert_true((double)inside_class_from_ns(class + 1) <
				    (double)inside_class_from_ns(class) * 1.0626);
		before = class;
	}
	assert_int_equal(inside_class(UINT64_MAX), INSIDE_CLASSES - 1);
	assert_int_equal(inside_class(0), 1);
}

static void calls_of_several_probes(void **state)
{
	uint64_t inside = inside_with(0, 47, 497);
	uint32_t probe;

	inside = inside_with(inside, 0, 1);
	inside = inside_with(inside, 7, 20 | INSIDE_SO_FAR);
	assert_int_equal(inside, inside_with(inside_with(inside_with(0, 7, 20 | INSIDE_SO_FAR), 0, 1), 47, 497));
	assert_int_equal(inside_class_of(inside, 0), 1);
	assert_int_equal(inside_class_of(inside, 7), 20 | INSIDE_SO_FAR);
	assert_int_equal(inside_class_of(inside, 47), 497);
	assert_int_equal(inside_class_of(inside, 8), 0);
	assert_int_equal(inside_class_of(0, 0), 0);
	assert_int_equal(inside_part(inside, 1, &probe), 20 | INSIDE_SO_FAR);
	assert_int_equal(probe, 7);
	assert_int_equal(inside_part(inside, 3, &probe), 0);
	/* No room for a fifth. */
	inside = inside_with(inside, 9, INSIDE_NO_LENGTH);
	assert_int_equal(inside_with(inside, 10, 3), inside);
	assert_int_equal(inside_class_of(inside, 9), INSIDE_NO_LENGTH);
	assert_int_equal(inside_with(INSIDE_NOT_KNOWN, 1, 1), INSIDE_NOT_KNOWN);
}

static void stacks_say_what_they_were_inside_of(void **state)
{
	struct dict *d = dict_new();
	const struct module m = { .kind = MODULE_ANON, .pid = 1 };
	stack_id stack, with, plain;

	assert_non_null(d);
	stack = dict_stack(d, STACK_ROOT, dict_frame(d, dict_module(d, &m), 4711));
	assert_int_equal(dict_stack_inside(d, stack, 0), stack);
	assert_false(dict_has_inside(d));
	with = dict_stack_inside(d, stack, inside_with(0, 0, 1));
	assert_true(dict_has_inside(d));
	assert_int_not_equal(with, stack);
	assert_int_equal(dict_stack_inside(d, stack, inside_with(0, 0, 1)), with);
	plain = with;
	assert_int_equal(dict_inside(d, &plain), inside_with(0, 0, 1));
	assert_int_equal(plain, stack);
	assert_int_equal(dict_inside(d, &plain), 0);
	assert_int_equal(plain, stack);
	/* Other notes are a part of the stack. */
	plain = stack = dict_stack(d, STACK_ROOT, dict_note(d, NOTE_NO_STACK));
	assert_int_equal(dict_inside(d, &plain), 0);
	assert_int_equal(plain, stack);
	plain = STACK_ROOT;
	assert_int_equal(dict_inside(d, &plain), 0);
	dict_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_a_sixteenth_of_an_octave),
		cmocka_unit_test(calls_of_several_probes),
		cmocka_unit_test(stacks_say_what_they_were_inside_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
