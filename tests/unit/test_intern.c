/* SPDX-License-Identifier: BSD-2-Clause */
/* test_intern.c - chains become stacks: root first, cuts noted, the kernel on top, the memo true to the dictionary. */
#include "config.h"

#include "engine/intern.h"

#include "cmocka_all.h"

#include <stdlib.h>

struct world {
	struct dict *dict;
	struct intern it;
	struct chain chain;
	struct raw_sample sample;
	module_id a, b;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct module m = { .kind = MODULE_FILE };

	assert_non_null(w);
	w->dict = dict_new();
	assert_non_null(w->dict);
	assert_true(intern_init(&w->it, w->dict, 0x1000));
	m.path = strtab_adds(dict_strings(w->dict), "/a");
	w->a = dict_module(w->dict, &m);
	m.path = strtab_adds(dict_strings(w->dict), "/b");
	w->b = dict_module(w->dict, &m);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	dict_free(w->dict);
	free(w);
	return 0;
}

static void add(struct world *w, module_id module, uint64_t offset)
{
	w->chain.frame[w->chain.n++] = (struct frame){ .module = module, .offset = offset };
}

static const struct frame *frame_of(const struct world *w, stack_id s)
{
	return dict_get_frame(w->dict, dict_get_stack(w->dict, s)->frame);
}

static stack_id parent(const struct world *w, stack_id s)
{
	return dict_get_stack(w->dict, s)->parent;
}

static void root_first_kernel_on_top(void **state)
{
	struct world *w = *state;
	const uint64_t kernel[] = { 0x1500, 0x1800 };
	stack_id s;

	add(w, w->a, 0x10);
	add(w, w->b, 0x20);
	w->sample.kernel = kernel;
	w->sample.nr_kernel = 2;
	s = intern_stack(&w->it, &w->chain, &w->sample, true);
	assert_int_equal(frame_of(w, s)->offset, 0x500);         /* where it is: exact */
	s = parent(w, s);
	assert_int_equal(frame_of(w, s)->offset, 0x7ff);         /* a return address */
	assert_int_equal(frame_of(w, s)->module, w->it.kernel);
	s = parent(w, s);
	assert_int_equal(frame_of(w, s)->offset, 0x10);
	s = parent(w, s);
	assert_int_equal(frame_of(w, s)->offset, 0x20);
	assert_int_equal(parent(w, s), STACK_ROOT);
}

/* What is known of a place goes to the dictionary, and is no part of what the place is. */
static void marks_go_along(void **state)
{
	struct world *w = *state;
	stack_id s;

	add(w, w->a, 0x10);
	add(w, w->b, 0x20);
	w->chain.frame[1].flags = FRAME_F_NO_TABLE;
	s = intern_stack(&w->it, &w->chain, &w->sample, true);
	assert_int_equal(dict_frame_flags(w->dict, dict_get_stack(w->dict, s)->frame), 0);
	s = parent(w, s);
	assert_int_equal(dict_frame_flags(w->dict, dict_get_stack(w->dict, s)->frame), FRAME_F_NO_TABLE);
	assert_int_equal(dict_frame(w->dict, w->b, 0x20), dict_get_stack(w->dict, s)->frame);
}

/* Without callers there is one frame: the user's, or else the kernel's. */
static void no_callers(void **state)
{
	struct world *w = *state;
	const uint64_t kernel[] = { 0x1500, 0x1800 };
	stack_id s;

	w->it.no_callers = true;
	w->sample.kernel = kernel;
	w->sample.nr_kernel = 2;
	s = intern_stack(&w->it, &w->chain, &w->sample, false);
	assert_int_equal(frame_of(w, s)->module, w->it.kernel);
	assert_int_equal(parent(w, s), STACK_ROOT);
	add(w, w->a, 0x10);
	s = intern_stack(&w->it, &w->chain, &w->sample, true);
	assert_int_equal(frame_of(w, s)->module, w->a);
	assert_int_equal(parent(w, s), STACK_ROOT);
}

static void a_cut_is_the_root(void **state)
{
	struct world *w = *state;
	stack_id s;

	add(w, w->a, 0x10);
	w->chain.cut = CUT_NO_CFI;
	s = parent(w, intern_stack(&w->it, &w->chain, &w->sample, true));
	assert_int_equal(frame_of(w, s)->offset, NOTE_CUT + CUT_NO_CFI);
	assert_int_equal(parent(w, s), STACK_ROOT);
	/* Without a user side there is nothing to be cut. */
	assert_int_equal(parent(w, intern_stack(&w->it, &w->chain, &w->sample, false)), STACK_ROOT);
}

static void a_file_without_a_module_is_unknown(void **state)
{
	struct world *w = *state;

	add(w, ID_NONE, 0x10);
	assert_int_equal(frame_of(w, intern_stack(&w->it, &w->chain, &w->sample, true))->offset, NOTE_UNKNOWN);
}

/* Every chain of up to three frames over few places, twice: the memo answers as the dictionary would. */
static void the_memo_is_true(void **state)
{
	struct world *w = *state;
	stack_id first[4096];

	for (int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 4096; i++) {
			stack_id s;

			w->chain.n = 0;
			for (unsigned int bits = i | 4096; bits > 1; bits >>= 4)
				add(w, bits & 1 ? w->a : w->b, bits & 15);
			w->chain.cut = i % 3 ? CUT_COMPLETE : CUT_STACK_SIZE;
			s = intern_stack(&w->it, &w->chain, &w->sample, true);
			if (round)
				assert_int_equal(s, first[i]);
			first[i] = s;
			for (uint32_t f = 0; f < w->chain.n; f++, s = parent(w, s)) {
				assert_int_equal(frame_of(w, s)->offset, w->chain.frame[f].offset);
				assert_int_equal(frame_of(w, s)->module, w->chain.frame[f].module);
			}
			assert_int_equal(s == STACK_ROOT, w->chain.cut == CUT_COMPLETE);
		}
	}
}

/*
 * Of deep stacks that have all in common but a few of the nearest frames, and of one that is the
 * first of them again.
 */
static void deep_stacks_share_their_upper_part(void **state)
{
	struct world *w = *state;
	stack_id s, first;

	for (uint64_t i = 0; i < 600; i++)
		add(w, w->a, i);
	first = intern_stack(&w->it, &w->chain, &w->sample, true);
	for (int round = 0; round < 3; round++) {
		w->chain.frame[round].offset = 7000;
		s = intern_stack(&w->it, &w->chain, &w->sample, true);
		for (uint32_t f = 0; f < w->chain.n; f++, s = parent(w, s))
			assert_int_equal(frame_of(w, s)->offset, w->chain.frame[f].offset);
		assert_int_equal(s, STACK_ROOT);
	}
	for (uint64_t i = 0; i < 3; i++)
		w->chain.frame[i].offset = i;
	assert_int_equal(intern_stack(&w->it, &w->chain, &w->sample, true), first);
}

/*
 * A way that is known is known whatever comes after it: the kernel's side, another frame, nothing.
 * Each with its own cut.
 */
static void a_known_way_goes_on_differently(void **state)
{
	struct world *w = *state;
	const uint64_t kernel[] = { 0x1500, 0x1800 };
	stack_id bare[2], s;

	for (unsigned int cut = 0; cut < 2; cut++) {
		w->chain.cut = cut ? CUT_NO_CFI : CUT_COMPLETE;
		w->chain.n = 0;
		add(w, w->a, 0x10);
		add(w, w->b, 0x20);
		w->sample.nr_kernel = 0;
		bare[cut] = intern_stack(&w->it, &w->chain, &w->sample, true);
		w->sample.kernel = kernel;
		w->sample.nr_kernel = 2;
		s = intern_stack(&w->it, &w->chain, &w->sample, true);
		assert_int_equal(parent(w, parent(w, s)), bare[cut]);
		s = intern_stack(&w->it, &w->chain, &w->sample, false);
		assert_int_equal(parent(w, parent(w, s)), STACK_ROOT);
		/* A frame of user code that has the number of a place in the kernel is not that. */
		w->sample.nr_kernel = 0;
		w->chain.n = 0;
		add(w, w->a, 0x500);
		add(w, w->a, 0x10);
		add(w, w->b, 0x20);
		s = intern_stack(&w->it, &w->chain, &w->sample, true);
		assert_int_equal(parent(w, s), bare[cut]);
		assert_int_equal(frame_of(w, s)->module, w->a);
	}
	assert_int_not_equal(bare[0], bare[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(root_first_kernel_on_top, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cut_is_the_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_go_along, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_callers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_without_a_module_is_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_memo_is_true, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deep_stacks_share_their_upper_part, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_known_way_goes_on_differently, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
