/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_filter.c - keys f and F: what is typed, what is left by it, and how it is taken back.
 * With SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct made_session f;
	struct driver d;
};

static void begin(struct world *w, int cols, int rows, const char *keys)
{
	madesession_init(&w->f);
	madesession_off_cpu(&w->f);
	driver_init(&w->d, &w->f, cols, rows, false);
	driver_press(&w->d, keys);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void golden(const char *name, int cols, int rows, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, keys);
	snprintf(path, sizeof(path), "view/%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

/* Types TEXT in place of what is suggested, and enters it. */
static void filter(struct world *w, const char *text)
{
	driver_press(&w->d, "f<^U>");
	driver_press(&w->d, text);
	driver_press(&w->d, "<Enter>");
}

static void screens(void **state)
{
	static const struct {
		int cols, rows;
	} sizes[] = { { 200, 60 }, { 80, 24 }, { 40, 10 }, { 20, 5 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		static const char *const keys[][2] = {
			{ "prompt", "f" }, { "prompt-error", "f<^U>a(b<Enter>" },
			{ "on", "f<^U>thread:redis-*<Enter>f<^U>!lookup<Enter>jj" },
			{ "list", "f<^U>thread:redis-*<Enter>f<^U>!lookup<Enter>f<^U>state:S,D<Enter>F<Up>" },
			{ "nobody", "f<^U>thread:nobody<Enter>jj" },
		};

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			char name[64];

			snprintf(name, sizeof(name), "filter-%s-%dx%d", keys[k][0], sizes[i].cols, sizes[i].rows);
			golden(name, sizes[i].cols, sizes[i].rows, keys[k][1]);
		}
	}
}

static void filters_stack_up_and_go_one_by_one(void **state)
{
	struct world w;

	begin(&w, 140, 40, "E");
	filter(&w, "thread:redis-server");
	assert_screen_has(w.d.canvas, "filtered by thread:redis-server: Esc takes it back");
	filter(&w, "!processCommand");
	filter(&w, "!state:S");
	assert_screen_has(w.d.canvas, "filter: thread:redis-server !processCommand !state:S");
	driver_press(&w.d, "E");
	assert_false(screen_has(w.d.canvas, "processCommand  "));
	assert_false(screen_has(w.d.canvas, "bioProcess"));
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "not filtered by !state:S any more");
	assert_screen_has(w.d.canvas, "filter: thread:redis-server !processCommand ");
	driver_press(&w.d, "<Esc>E");
	assert_screen_has(w.d.canvas, "processCommand  ");
	assert_false(screen_has(w.d.canvas, "bioProcess"));
	driver_press(&w.d, "<Esc>E");
	assert_false(screen_has(w.d.canvas, "filter: "));
	assert_screen_has(w.d.canvas, "bioProcess");
	end(&w);
}

/* A search goes before the zoom, and that before filters. */
static void escape_has_an_order(void **state)
{
	struct world w;

	begin(&w, 140, 40, "");
	filter(&w, "main");
	driver_press(&w.d, "jjz/aeMain<Enter>");
	assert_screen_has(w.d.canvas, "/aeMain");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "/aeMain"));
	assert_screen_has(w.d.canvas, " in ");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "\xC2\xB7 in "));
	assert_screen_has(w.d.canvas, "filter: main ");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "filter: "));
	end(&w);
}

static void the_prompt_helps(void **state)
{
	struct world w;

	begin(&w, 140, 40, "f<^U>thr<Tab>");
	assert_screen_has(w.d.canvas, "filter: thread: ");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "there is nothing behind thread:");
	assert_screen_has(w.d.canvas, "filter: thread: ");
	driver_press(&w.d, "bio*");
	assert_false(screen_has(w.d.canvas, "there is nothing behind"));
	driver_press(&w.d, "<Enter>");
	filter(&w, "!syscall:read");
	driver_press(&w.d, "f<^U>xyz<Up>");
	assert_screen_has(w.d.canvas, "filter: !syscall:read ");
	driver_press(&w.d, "<Up>");
	assert_screen_has(w.d.canvas, "filter: thread:bio* ");
	driver_press(&w.d, "<Down><Down>");
	assert_screen_has(w.d.canvas, "filter: xyz ");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "filter: thread:bio* !syscall:read");
	driver_press(&w.d, "f<^U><Enter>");              /* nothing is no filter */
	assert_screen_has(w.d.canvas, "filter: thread:bio* !syscall:read");
	end(&w);
}

/* What stands under the cursor is suggested; typing takes its place, and ! turns it round. */
static void the_cursor_suggests(void **state)
{
	struct world w;

	begin(&w, 140, 50, "f");
	assert_screen_has(w.d.canvas, "filter: process:1234");
	driver_press(&w.d, "x");
	assert_false(screen_has(w.d.canvas, "process:1234"));
	driver_press(&w.d, "<Esc>/processCommand<Enter>f");
	assert_screen_has(w.d.canvas, "filter: ^processCommand$");
	driver_press(&w.d, "!<Enter>");
	assert_screen_has(w.d.canvas, "filter: !^processCommand$");
	driver_press(&w.d, "<Esc><Esc>4f<Enter>");
	assert_screen_has(w.d.canvas, "filter: thread:");
	driver_press(&w.d, "<Esc>46/futex<Enter>f");
	assert_screen_has(w.d.canvas, "filter: syscall:futex");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "filter: syscall:futex ");
	end(&w);
}

static void the_list_removes_any(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top" };
	struct world w;

	o.filter.arch = MADE_ARCH;
	made_term(&o.filter, "process:1234");
	madesession_init(&w.f);
	madesession_off_cpu(&w.f);
	driver_init_with(&w.d, &w.f, &o, 140, 40);
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "filter: process:1234 ");      /* the command line's */
	filter(&w, "main");
	filter(&w, "thread:redis*");
	driver_press(&w.d, "F");
	assert_screen_has(w.d.canvas, " 1  process:1234  (command line)");
	assert_screen_has(w.d.canvas, " 3  thread:redis*");
	driver_press(&w.d, "<Up>d");
	assert_screen_has(w.d.canvas, "filter: process:1234 thread:redis* ");
	driver_press(&w.d, "<Enter><BS><BS>*<Enter>");
	assert_screen_has(w.d.canvas, "filter: process:1234 thread:redi* ");
	driver_press(&w.d, "F<Up><Up>d<Esc>");
	assert_screen_has(w.d.canvas, "filter: thread:redi* ");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "filter: "));
	driver_press(&w.d, "F");
	assert_screen_has(w.d.canvas, "there are no filters: f adds one");
	end(&w);
}

static void there_is_an_end_of_filters(void **state)
{
	struct world w;

	begin(&w, 140, 40, "");
	for (unsigned int i = 0; i < TERMS_MAX; i++) {
		char text[16];

		snprintf(text, sizeof(text), "!f%u_", i);
		filter(&w, text);
	}
	assert_screen_has(w.d.canvas, "!f0_ !f1_ ");
	assert_screen_has(w.d.canvas, " +");
	filter(&w, "one more");
	assert_screen_has(w.d.canvas, "there are too many filters: F removes some");
	driver_press(&w.d, "<Esc>FC");
	assert_screen_has(w.d.canvas, "nothing is filtered any more");
	assert_false(screen_has(w.d.canvas, "filter: "));
	end(&w);
}

/* Names that are no text are no suggestion, and what is typed stays inside its line. */
static void hostile_names(void **state)
{
	struct world w;

	madesession_init(&w.f);
	madesession_hostile(&w.f);
	driver_init(&w.d, &w.f, 60, 20, false);
	for (int i = 0; i < 30; i++)
		driver_press(&w.d, "E<Down>f<Enter><Esc><Esc><Esc>");
	filter(&w, "thread:\xE2\x80\xAE*");
	assert_screen_has(w.d.canvas, "no thread is called");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(filters_stack_up_and_go_one_by_one),
		cmocka_unit_test(escape_has_an_order),
		cmocka_unit_test(the_prompt_helps),
		cmocka_unit_test(the_cursor_suggests),
		cmocka_unit_test(the_list_removes_any),
		cmocka_unit_test(there_is_an_end_of_filters),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
