/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_mouse.c - what the mouse does: heads of columns sort, rules take the focus, the
 * footer's keys are pressed, whatever pane or question has them there.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"
#include "tests/unit/madenuma.h"

#include "base/text.h"
#include "ui/treeview.h"

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
	madenuma_session(&w->f, "bb");
	driver_init(&w->d, &w->f, cols, rows, false);
	driver_press(&w->d, keys);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

/* Where TEXT first stands on screen, from row FROM on; false when nowhere. */
static bool find(const struct world *w, const char *text, int from, int *ret_x, int *ret_y)
{
	AUTO_FREE char *screen = canvas_dump(w->d.canvas);
	int y = 0;

	for (const char *line = screen; *line; y++) {
		const char *line_end = strchr(line, '\n'), *at;

		line_end = line_end ? line_end : line + strlen(line);
		at = y >= from ? strstr(line, text) : NULL;
		if (at && at < line_end) {
			*ret_x = (int)text_width(line, (size_t)(at - line));
			*ret_y = y;
			return true;
		}
		line = *line_end ? line_end + 1 : line_end;
	}
	return false;
}

/* Clicks on the first TEXT from row FROM on. */
static enum reaction press_on(struct world *w, enum mouse what, const char *text, int from)
{
	enum reaction r;
	int x, y;

	if (!find(w, text, from, &x, &y)) {
		AUTO_FREE char *screen = canvas_dump(w->d.canvas);

		print_message("%s\n", screen);
		fail_msg("\"%s\" is not on screen", text);
		return REACT_NONE;
	}
	r = view_mouse(w->d.view, what, x, y);
	driver_refresh(&w->d);
	return r;
}

#define ARROW "\xE2\x86\x93"

static void heads_sort(void **state)
{
	static const struct {
		const char *keys, *head;
		enum sort_by sort;
	} cases[] = {
		{ "", "running ", SORT_RUNNING }, { "", "runnable ", SORT_RUNNABLE }, { "", "blocked ", SORT_BLOCKED },
		{ "s", "total ", SORT_TOTAL }, { "50", "total ", SORT_TOTAL }, { "50sss", "self ", SORT_SELF },
		{ "50", "blocked ", SORT_BLOCKED }, { "40", "blocked ", SORT_BLOCKED },
		  { "40", "runnable ", SORT_RUNNABLE },
		{ "40", "total", SORT_TOTAL }, { "40ss", "running ", SORT_RUNNING },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world w;

		begin(&w, 120, 30, cases[i].keys);
		assert_int_not_equal(view_tree(w.d.view)->sort, cases[i].sort);
		assert_int_equal(press_on(&w, MOUSE_CLICK, cases[i].head, 3), REACT_DRAW);
		assert_int_equal(view_tree(w.d.view)->sort, cases[i].sort);
		assert_true(screen_has(w.d.canvas, "sorted by "));
		end(&w);
	}
}

/* What is not a head sorts nothing, and no click on it moves a cursor. */
static void rules_take_the_focus(void **state)
{
	struct world w;
	size_t cursor;

	begin(&w, 100, 40, "6jj");
	cursor = view_tree(w.d.view)->cursor;
	assert_int_equal(press_on(&w, MOUSE_CLICK, "all time", 3), REACT_DRAW);
	assert_false(driver_shows(&w.d, PANE_WAITS));
	assert_int_equal(view_tree(w.d.view)->sort, SORT_TOTAL);
	press_on(&w, MOUSE_CLICK, "waits \xC2\xB7", 3);
	assert_true(driver_shows(&w.d, PANE_WAITS));
	assert_int_equal(view_tree(w.d.view)->cursor, cursor);
	press_on(&w, MOUSE_DOUBLE, "waits \xC2\xB7", 3);                 /* alone */
	assert_false(screen_has(w.d.canvas, "all time"));
	press_on(&w, MOUSE_DOUBLE, "waits \xC2\xB7", 3);                 /* all again */
	assert_true(screen_has(w.d.canvas, "all time"));
	press_on(&w, MOUSE_CLICK, "count", 4);                   /* a head that nothing is sorted by */
	assert_int_equal(view_tree(w.d.view)->cursor, cursor);
	end(&w);
}

static void the_footer_is_pressed(void **state)
{
	struct world w;

	begin(&w, 140, 40, "");
	assert_int_equal(press_on(&w, MOUSE_CLICK, "quit", 39), REACT_QUIT);
	press_on(&w, MOUSE_CLICK, "? help", 39);
	assert_true(screen_has(w.d.canvas, "this help"));
	press_on(&w, MOUSE_CLICK, "back", 39);
	assert_false(screen_has(w.d.canvas, "this help"));
	press_on(&w, MOUSE_CLICK, "waits", 39);
	assert_true(driver_shows(&w.d, PANE_WAITS));
	press_on(&w, MOUSE_CLICK, "pane", 39);
	assert_false(driver_shows(&w.d, PANE_WAITS));
	press_on(&w, MOUSE_CLICK, "search", 39);
	assert_true(screen_has(w.d.canvas, "cancel"));
	press_on(&w, MOUSE_CLICK, "cancel", 39);
	assert_false(screen_has(w.d.canvas, "cancel"));
	driver_press(&w.d, "S");
	assert_int_equal(press_on(&w, MOUSE_CLICK, "SVG", 39), REACT_SAVE);
	end(&w);
}

/* Between two keys, and in a row that is none, there is nothing; nor when the footer has gone. */
static void beside_the_footer_is_nothing(void **state)
{
	struct world w;

	begin(&w, 140, 40, "");
	assert_int_equal(view_mouse(w.d.view, MOUSE_CLICK, 0, 39), REACT_NONE);
	assert_int_equal(view_mouse(w.d.view, MOUSE_CLICK, 1, 38), REACT_NONE);
	driver_resize(&w.d, 140, 6);
	assert_int_not_equal(view_mouse(w.d.view, MOUSE_CLICK, 1, 39), REACT_QUIT);
	assert_false(screen_has(w.d.canvas, "this help"));
	end(&w);
}

static void hidden_panes_are_reached(void **state)
{
	struct world w;

	begin(&w, 80, 14, "3456");
	assert_true(screen_has(w.d.canvas, "more: Tab"));
	assert_true(driver_shows(&w.d, PANE_WAITS));
	press_on(&w, MOUSE_CLICK, "more: Tab", 13);
	assert_false(driver_shows(&w.d, PANE_WAITS));
	end(&w);
}

/* As htop and perf have it: twice on a line does what Enter does, in the tree it zooms. */
static void twice_zooms(void **state)
{
	struct world w;

	begin(&w, 100, 40, "");
	press_on(&w, MOUSE_CLICK, "aeMain", 3);
	press_on(&w, MOUSE_DOUBLE, "aeMain", 3);
	assert_true(screen_has(w.d.canvas, " in aeMain"));
	driver_press(&w.d, "<Esc>5");
	press_on(&w, MOUSE_DOUBLE, "memcpy", 12);
	assert_false(driver_shows(&w.d, PANE_THREADS));
	assert_true(screen_has(w.d.canvas, "\xE2\x96\x8C           memcpy"));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_sort),
		cmocka_unit_test(rules_take_the_focus),
		cmocka_unit_test(the_footer_is_pressed),
		cmocka_unit_test(beside_the_footer_is_nothing),
		cmocka_unit_test(hidden_panes_are_reached),
		cmocka_unit_test(twice_zooms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
