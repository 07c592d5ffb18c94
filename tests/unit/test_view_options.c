/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_options.c - key o: what it asks, and what the letters behind it change. With
 * SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/cleanup.h"
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
	madesession_server(&w->f);
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

static void it_asks_which(void **state)
{
	golden("options-200x60", 200, 60, "o");
	golden("options-80x24", 80, 24, "o");
	golden("options-40x10", 40, 10, "o");
	golden("options-40x9", 40, 9, "o");
	golden("options-20x5", 20, 5, "o");
}

static void a_letter_changes_one_and_leaves(void **state)
{
	struct world w;

	begin(&w, 100, 30, "o");
	assert_true(screen_has(w.d.canvas, "change which option?"));
	assert_int_equal(view_key(w.d.view, 'x'), REACT_NONE);
	driver_press(&w.d, "k");
	assert_true(screen_has(w.d.canvas, "no kernel"));
	assert_false(screen_has(w.d.canvas, "change which option?"));
	driver_press(&w.d, "K");                 /* the single key does the same */
	assert_false(screen_has(w.d.canvas, "no kernel"));
	driver_press(&w.d, "oi");
	assert_true(screen_has(w.d.canvas, "no inlined"));
	driver_press(&w.d, "oi");
	assert_false(screen_has(w.d.canvas, "no inlined"));
	driver_press(&w.d, "ol");
	assert_true(screen_has(w.d.canvas, "no libraries"));
	assert_false(screen_has(w.d.canvas, "libc.so.6"));
	driver_press(&w.d, "or");
	assert_true(screen_has(w.d.canvas, "no libraries \u00b7 recursion folded"));
	driver_press(&w.d, "orol");
	assert_false(screen_has(w.d.canvas, "recursion folded"));
	assert_true(screen_has(w.d.canvas, "libc.so.6"));
	end(&w);
}

static void it_shows_what_is_on(void **state)
{
	struct world w;

	begin(&w, 80, 24, "o");
	assert_true(screen_has(w.d.canvas, "kernel on, libs on, fold off, inlined on, names full"));
	driver_press(&w.d, "kolorolo<Esc>");
	assert_false(screen_has(w.d.canvas, "kernel off"));
	driver_press(&w.d, "o");
	assert_true(screen_has(w.d.canvas, "kernel off, libs on, fold on, inlined on, names full"));
	driver_press(&w.d, "loroiono");          /* as long as it gets: all of it fits */
	assert_true(screen_has(w.d.canvas, "change which option?  kernel off, libs off, fold off, inlined off, "
			       "names short"));
	driver_resize(&w.d, 40, 10);
	assert_true(screen_has(w.d.canvas, "options: k l r n i Esc"));
	end(&w);
}

static void names_get_short_in_place(void **state)
{
	struct world w;
	struct save_job job;

	madesession_init(&w.f);
	madesession_server(&w.f);
	made_add(&w.f.m, MADE_START_NS, made_thread(&w.f.m, 1234, 1234, "redis-server"), "main;x::f(int);f(int) const",
		 NSEC_PER_SEC * 100);
	driver_init(&w.d, &w.f, 100, 30, false);
	assert_true(screen_has(w.d.canvas, "x::f(int)"));
	driver_press(&w.d, "on");
	assert_false(screen_has(w.d.canvas, "f("));
	assert_true(screen_has(w.d.canvas, "names are short"));
	assert_true(screen_has(w.d.canvas, "\u25be x::f "));
	driver_press(&w.d, "S");
	assert_int_equal(view_key(w.d.view, 'f'), REACT_SAVE);
	view_save_job(w.d.view, &job);
	assert_true(job.query.short_names);
	snapshot_unref(job.snapshot);
	driver_press(&w.d, "on");
	assert_true(screen_has(w.d.canvas, "x::f(int)"));
	end(&w);
}

static void leaving_changes_nothing(void **state)
{
	static const char *const keys[] = { "o<Esc>", "oo", "oq" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		AUTO_FREE char *before = NULL, *after = NULL;
		struct world w;

		begin(&w, 80, 24, "jj");
		before = canvas_dump(w.d.canvas);
		driver_press(&w.d, keys[i]);
		after = canvas_dump(w.d.canvas);
		assert_string_equal(before, after);
		assert_int_equal(view_key(w.d.view, 'q'), REACT_QUIT);
		end(&w);
	}
}

/* Shows the server with what the command line says, as it was left, and says how it is left after KEYS. */
static struct remembered shown_with(const struct query *given, const struct remembered *before,
				    const char *keys, const char *on)
{
	const struct ui_options options = { .refresh_ns = NSEC_PER_SEC, .filter = *given };
	struct remembered after;
	struct world w;

	madesession_init(&w.f);
	madesession_server(&w.f);
	w.d = (struct driver){ .session = &w.f, .canvas = canvas_new(120, 30, false), .now_ns = MADE_START_NS };
	w.d.view = view_new(&w.f.session, &options);
	view_restore(w.d.view, before);
	driver_refresh(&w.d);
	driver_press(&w.d, keys);
	assert_true(screen_has(w.d.canvas, on));
	after = view_panes(w.d.view);
	end(&w);
	return after;
}

static void it_comes_back_as_it_was_left(void **state)
{
	const struct remembered at_first = { .open = 1u << PANE_TREE, .focus = PANE_TREE };
	const struct query nothing = { 0 }, kernel = { .hide_kernel = true };
	struct remembered left, again;

	left = shown_with(&nothing, &at_first, "ttolonss", "by command name \u00b7 no libraries");
	assert_int_equal(left.group, GROUP_COMM + 1);
	assert_int_equal(left.options, 1u << REMEMBERED_NO_LIBRARIES | 1u << REMEMBERED_SHORT_NAMES);
	assert_int_not_equal(left.sort, SORT_TOTAL);
	again = shown_with(&nothing, &left, "", "by command name \u00b7 no libraries");
	assert_true(remembered_same(&left, &again));
	/* The command line counts for this time only. */
	again = shown_with(&kernel, &left, "", "no kernel \u00b7 no libraries");
	assert_true(remembered_same(&left, &again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_which),
		cmocka_unit_test(a_letter_changes_one_and_leaves),
		cmocka_unit_test(it_shows_what_is_on),
		cmocka_unit_test(names_get_short_in_place),
		cmocka_unit_test(it_comes_back_as_it_was_left),
		cmocka_unit_test(leaving_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
