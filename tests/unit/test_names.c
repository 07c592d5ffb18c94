/* SPDX-License-Identifier: BSD-2-Clause */
/* test_names.c - names of frames: any order, replaced whole, old answers valid, readers beside the writer. */
#include "config.h"

#include "model/names.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static func_id add(struct names *ns, const char *text, module_id module, uint64_t start)
{
	return names_add_func(ns, &(struct func){ .name = names_add_text(ns, text, strlen(text)), .module = module,
						  .start = start, .size = 16 });
}

static const char *called(const struct names *ns, frame_id frame, uint16_t i)
{
	return names_text(ns, names_func(ns, names_get(ns, frame)->name[i].func)->name);
}

static void equal_functions_have_one_id(void **state)
{
	AUTO(names_free) struct names *ns = names_new();
	const func_id main_id = add(ns, "main", 1, 0x1000);

	assert_int_equal(add(ns, "main", 1, 0x1000), main_id);
	assert_int_not_equal(add(ns, "main", 2, 0x1000), main_id);
	assert_int_not_equal(add(ns, "main", 1, 0x2000), main_id);
	assert_int_not_equal(add(ns, "Main", 1, 0x1000), main_id);
	assert_int_equal(names_funcs(ns), 4);
	assert_null(names_func(ns, 4));
	assert_null(names_func(ns, ID_NONE));
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(add(ns, "f", 3, i), 4 + i);
	assert_int_equal(add(ns, "f", 3, 7777), 4 + 7777);
}

static void frames_in_any_order(void **state)
{
	AUTO(names_free) struct names *ns = names_new();
	const struct name a = { .func = add(ns, "a", 0, 0) }, b = { .func = add(ns, "b", 0, 0) };

	assert_null(names_get(ns, 0));
	assert_null(names_get(ns, ID_NONE));
	assert_int_equal(names_set(ns, 9000, &a, 1, false), 0);
	assert_int_equal(names_set(ns, 3, &b, 1, false), 0);
	assert_string_equal(called(ns, 9000, 0), "a");
	assert_string_equal(called(ns, 3, 0), "b");
	assert_null(names_get(ns, 8999));
	assert_null(names_get(ns, 9001));
	assert_true(names_bytes(ns) > 9000 * sizeof(void *));
}

static void a_replacement_leaves_the_old_answer_valid(void **state)
{
	AUTO(names_free) struct names *ns = names_new();
	const struct name plain = { .func = add(ns, "outer", 0, 0) };
	const struct name full[2] = { { .func = add(ns, "inner", 0, 0),
					.file = names_add_text(ns, "x.c", 3), .line = 7 },
				      { .func = plain.func, .line = 9 } };
	const struct frame_names *before;
	const uint64_t generation = names_generation(ns);

	assert_int_equal(names_set(ns, 5, &plain, 1, false), 0);
	before = names_get(ns, 5);
	assert_int_equal(names_generation(ns), generation + 1);
	assert_int_equal(names_changed(ns, generation), 5);
	assert_int_equal(names_set(ns, 5, full, 2, true), 0);
	assert_int_equal(before->n, 1);
	assert_false(before->detailed);
	assert_int_equal(names_get(ns, 5)->n, 2);
	assert_true(names_get(ns, 5)->detailed);
	assert_string_equal(called(ns, 5, 0), "inner");
	assert_string_equal(called(ns, 5, 1), "outer");
	assert_string_equal(names_text(ns, names_get(ns, 5)->name[0].file), "x.c");
	assert_int_equal(names_get(ns, 5)->name[0].line, 7);
}

static void bad_calls_change_nothing(void **state)
{
	AUTO(names_free) struct names *ns = names_new();
	const struct name a = { .func = add(ns, "a", 0, 0) };
	const uint64_t generation = names_generation(ns);

	assert_int_equal(names_set(ns, 0, &a, 0, false), -EINVAL);
	assert_int_equal(names_set(ns, 0, &a, 1001, false), -EINVAL);
	assert_int_equal(names_set(ns, ID_NONE, &a, 1, false), -ENOMEM);
	assert_null(names_get(ns, 0));
	assert_int_equal(names_generation(ns), generation);
	names_free(NULL);
}

/* Round R calls frame F "rR" in all of R + 1 places: a reader that saw a mix would notice. */
#define ROUNDS 20u
#define FRAMES 5000u

struct race {
	struct names *ns;
	_Atomic bool done;
};

static void check_frame(const struct names *ns, frame_id frame)
{
	const struct frame_names *fn = names_get(ns, frame);
	char want[16];

	if (!fn)
		return;
	snprintf(want, sizeof(want), "r%d", fn->n - 1);
	for (uint16_t i = 0; i < fn->n; i++) {
		const struct func *f = names_func(ns, fn->name[i].func);

		if (!f || strcmp(names_text(ns, f->name), want) || f->start != frame || fn->name[i].line != frame) {
			fprintf(stderr, "frame %u: place %u is not %s\n", frame, i, want);
			abort();
		}
	}
}

static void *reader(void *arg)
{
	struct race *race = arg;
	uint64_t seen = 0;

	while (!atomic_load(&race->done)) {
		const uint64_t generation = names_generation(race->ns);

		if (generation < seen)
			abort();
		/* What is told to have a name has it. */
		for (; seen < generation; seen++)
			if (!names_get(race->ns, names_changed(race->ns, seen)))
				abort();
		for (frame_id f = 0; f < FRAMES; f++)
			check_frame(race->ns, f);
	}
	return NULL;
}

static void readers_beside_the_writer(void **state)
{
	struct race race = { .ns = names_new() };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, reader, &race), 0);
	for (uint16_t round = 0; round < ROUNDS; round++) {
		char text[16];

		snprintf(text, sizeof(text), "r%d", round);
		for (frame_id f = FRAMES; f-- > 0;) {
			struct name name[ROUNDS];

			for (uint16_t i = 0; i <= round; i++)
				name[i] = (struct name){ .func = add(race.ns, text, 0, f), .line = f };
			assert_int_equal(names_set(race.ns, f, name, round + 1, false), 0);
		}
	}
	atomic_store(&race.done, true);
	pthread_join(thread, NULL);
	assert_int_equal(names_generation(race.ns), ROUNDS * FRAMES);
	assert_int_equal(names_get(race.ns, 17)->n, ROUNDS);
	names_free(race.ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_functions_have_one_id),
		cmocka_unit_test(frames_in_any_order),
		cmocka_unit_test(a_replacement_leaves_the_old_answer_valid),
		cmocka_unit_test(bad_calls_change_nothing),
		cmocka_unit_test(readers_beside_the_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
