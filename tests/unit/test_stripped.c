/* SPDX-License-Identifier: BSD-2-Clause */
/* test_stripped.c - files whose functions have no names: found, counted once, and said in the view and the summary. */
#include "config.h"

#include "query/stripped.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"
#include "ui/panes/qualitypane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND NSEC_PER_SEC

/* main is known; two functions, one of them at two places, are not. What nobody was seen in does not count. */
static void make(struct made *m)
{
	const thread_id t = made_thread(m, 1, 1, "app");

	made_add(m, SECOND, t, "main;app+0x4700;app+0x4800", SECOND);
	made_wait(m, SECOND, t, "main;app+0x4800#2", EVENT_BLOCKED, "futex", 'S', SECOND);
	made_stack(m, "main;app+0x4900");
}

static void files_are_found(void **state)
{
	struct made *m = *state;
	struct snapshot *s;
	stripped_vec files = { 0 };

	make(m);
	s = profile_snapshot(m->p);
	assert_int_equal(stripped_files(s, m->names, &files), 0);
	assert_int_equal(files.n, 1);
	assert_int_equal(files.v[0].module,
			 dict_get_frame(m->d, dict_get_stack(m->d, made_stack(m, "main"))->frame)->module);
	assert_int_equal(files.v[0].nameless, 2);
	assert_int_equal(files.v[0].functions, 3);
	vec_free(&files);
	snapshot_unref(s);
}

static void names_are_told_from_places(void **state)
{
	struct made *m = *state;
	static const struct {
		const char *text;
		uint64_t start;
		uint8_t kind;
		bool stripped;
	} cases[] = {
		{ "app+0x4700", 0x4700, FUNC_USER, true }, { "app+0x4700", 0x4701, FUNC_USER, false },
		{ "app+0x14700", 0x4700, FUNC_USER, false }, { "work", 0x4700, FUNC_USER, false },
		{ "+0x4700", 0x4700, FUNC_USER, false }, { "app+0x4700", 0x4700, FUNC_KERNEL, false },
		{ "app+0x0", 0, FUNC_USER, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct func f = { .name = names_add_text(m->names, cases[i].text, strlen(cases[i].text)),
					.start = cases[i].start, .kind = cases[i].kind };

		assert_int_equal(names_by_place(m->names, &f), cases[i].stripped);
	}
}

static struct made *short_of_memory;

static bool try_files(void)
{
	struct snapshot *s = profile_snapshot(short_of_memory->p);
	stripped_vec files = { 0 };
	const int r = s ? stripped_files(s, short_of_memory->names, &files) : -ENOMEM;

	assert_true(r ? r == -ENOMEM && !files.n : files.n == 1);
	vec_free(&files);
	if (s)
		snapshot_unref(s);
	return !r;
}

static void memory_is_short(void **state)
{
	long n = 0;

	short_of_memory = *state;
	make(short_of_memory);
	while (fail_alloc_round(n, try_files))
		n++;
	assert_true(n > 3);
}

/* The row of QUALITY that is called TEXT; fails when there is none. */
static uint32_t row_called(const struct quality *q, const char *text)
{
	char label[LABEL_MAX];

	for (uint32_t i = 0; i < q->rows->n; i++)
		if (!strcmp(quality_label(q, i, label, sizeof(label)), text))
			return i;
	fail_msg("no row is called %s", text);
	return 0;
}

static void the_view_and_the_summary_say_so(void **state)
{
	struct made *m = *state;
	const struct profile_meta meta = { .arch = MADE_ARCH };
	struct snapshot *s;
	struct quality *q;
	uint32_t row;
	char *text;

	text = made_summary(m, &meta);
	assert_non_null(strstr(text, "\nfiles_stripped: 0\n"));
	free(text);
	make(m);
	text = made_summary(m, &meta);
	assert_non_null(strstr(text, "\nfiles_stripped: 1\n"));
	free(text);
	s = profile_snapshot(m->p);
	q = quality_new(s, m->names, &meta);
	assert_non_null(q);
	row = row_called(q, "stripped: files whose functions have no names");
	assert_int_equal(q->line[row].count, 1);
	assert_string_equal(quality_remedy(q, row), "install debug symbols, or use --debuginfod");
	row = row_called(q, "/usr/bin/app");
	assert_true(q->line[row].count == 2 && q->line[row].of == 3);
	quality_free(q);
	snapshot_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(files_are_found),
		MADE_TEST(names_are_told_from_places),
		MADE_TEST(memory_is_short),
		MADE_TEST(the_view_and_the_summary_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
