/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_time.c - the pane of time: where its cursor goes, that a range leaves the rest out
 * everywhere and comes off again, how strip and heat map look. With SBERF_GOLDEN=write in the
 * environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

struct world {
	struct made_session f;
	struct driver d;
};

/*
 * "app 7" for SECONDS from FROM on: it works, in turn in red and in green for ten seconds each, but
 * for 200 ms of each second, from 400 ms on, in which it waits for a lock, and for the end of some
 * seconds, for which it sleeps.
 */
static void work(struct made_session *f, unsigned int from, unsigned int seconds)
{
	const thread_id t = made_thread(&f->m, 7, 7, "app");

	f->meta.off_cpu = true;
	for (unsigned int s = from; s < from + seconds; s++) {
		const uint64_t second = MADE_START_NS + s * NSEC_PER_SEC;

		const unsigned int sleeps = s * 7 % 20 < 10 ? s * 7 % 20 * 20 : 0;

		for (unsigned int ms = 5; ms < 1000 - sleeps; ms += 10) {
			if (ms < 400 || ms >= 600)
				made_add(&f->m, second + ms * MS, t, s / 10 % 2 ? "main;green" : "main;red", 10 * MS);
		}
		made_wait(&f->m, second + 600 * MS, t, "main;stall", EVENT_BLOCKED, "futex", 'S', 200 * MS);
		if (sleeps)
			made_wait(&f->m, second + 999 * MS, t, "main;nap", EVENT_BLOCKED, "nanosleep",
				  'S', sleeps * MS);
		f->meta.samples += 80 - sleeps / 10;
		f->meta.oncpu_ns += (800 - sleeps) * MS;
		f->meta.blocked_ns += (200 + sleeps) * MS;
	}
	f->meta.duration_ns = (from + seconds) * NSEC_PER_SEC;
	f->published++;
}

static void begin(struct world *w, int cols, int rows, bool ascii, unsigned int seconds, const char *keys)
{
	madesession_init(&w->f);
	work(&w->f, 0, seconds);
	driver_init(&w->d, &w->f, cols, rows, ascii);
	driver_press(&w->d, keys);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void golden(const char *name, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, ascii, 95, keys);
	snprintf(path, sizeof(path), "view/time-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("tree-80x24", 80, 24, false, "9");
	golden("tree-120x40", 120, 40, false, "9");
	golden("alone-200x60", 200, 60, false, "90");
	golden("40x10", 40, 10, false, "9");
	golden("20x5", 20, 5, false, "9");
	golden("80x24-ascii", 80, 24, true, "9");
	golden("back-80x24", 80, 24, false, "9<PgUp><Left>");
	golden("marking-80x24", 80, 24, false, "9<Left><Left><Left>v<Left><Left>");
	golden("range-80x24", 80, 24, false, "9<Left><Left><Left>v<Left><Left><Enter>");
	golden("heat-80x24", 80, 24, false, "90H");
	golden("heat-blocked-80x24", 80, 24, false, "902");
	golden("heat-tree-80x24", 80, 24, false, "9H");
	golden("heat-80x24-ascii", 80, 24, true, "902");
	golden("heat-200x60", 200, 60, false, "902");
	golden("heat-40x10", 40, 10, false, "92");
	golden("heat-20x5", 20, 5, false, "92");
	golden("coarse-80x24", 80, 24, false, "90--");
	golden("help-80x40", 80, 40, false, "9?");
}

/*
 * Half of the time of the range it was green: what other panes say is of the range, the header
 * names it, Esc leaves it.
 */
static void a_range_is_all_that_is_shown(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 40, "4");
	assert_screen_has(w.d.canvas, "red");
	driver_press(&w.d, "9<Home>v");
	assert_screen_has(w.d.canvas, "a range begins here");
	driver_press(&w.d, "<Right><Right><Right><Right>");
	assert_screen_has(w.d.canvas, "00:00:00 to 00:00:05 \xC2\xB7 running");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "only 00:00:00 to 00:00:05, in all views: Esc shows all again");
	assert_screen_has(w.d.canvas, "running \xC2\xB7 00:00:00 to 00:00:05");        /* in the header */
	assert_screen_has(w.d.canvas, "red");
	assert_false(screen_has(w.d.canvas, "green"));
	driver_press(&w.d, "4");
	driver_press(&w.d, "5");
	assert_false(screen_has(w.d.canvas, "green"));                    /* nor in a pane that is opened later */
	driver_press(&w.d, "5<Esc>");
	assert_screen_has(w.d.canvas, "all time is shown again");
	assert_screen_has(w.d.canvas, "green");
	assert_false(screen_has(w.d.canvas, "00:00:00 to 00:00:05"));
	end(&w);
}

/* What comes meanwhile is captured, goes on in the strip, and is there when the range is left. */
static void the_capture_goes_on(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 20, "9<Left>v<Left><Enter>");
	assert_screen_has(w.d.canvas, "00:00:17 to 00:00:19");
	work(&w.f, 20, 30);
	madesession_add(&w.f, 50, "main;novel", 10);
	w.f.meta.duration_ns = 52 * NSEC_PER_SEC;
	driver_refresh(&w.d);
	driver_refresh(&w.d);
	assert_false(screen_has(w.d.canvas, "novel"));
	driver_press(&w.d, "<End>");
	assert_screen_has(w.d.canvas, "00:00:51 \xC2\xB7");                   /* the newest whole second */
	assert_screen_has(w.d.canvas, "\xC2\xB7 newest");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "novel");
	end(&w);
}

/* A paused view stands still in all panes; a range can be chosen in it, and going on shows all. */
static void a_paused_view_can_be_searched(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 20, "9p");
	work(&w.f, 20, 30);
	madesession_add(&w.f, 50, "main;novel", 10);
	w.f.meta.duration_ns = 52 * NSEC_PER_SEC;
	driver_press(&w.d, "<End>");
	assert_screen_has(w.d.canvas, "00:00:19 \xC2\xB7");
	driver_press(&w.d, "vv");
	assert_screen_has(w.d.canvas, "only 00:00:19 to 00:00:20");
	assert_false(screen_has(w.d.canvas, "red"));
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "red");
	assert_false(screen_has(w.d.canvas, "novel"));
	driver_press(&w.d, "p");
	assert_screen_has(w.d.canvas, "novel");
	assert_screen_has(w.d.canvas, "00:00:51 \xC2\xB7");
	end(&w);
}

/* Old slices are of several seconds: it is said what is really shown. */
static void what_is_kept_is_said(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 400, "9<Home><Enter><Enter>");
	assert_screen_has(w.d.canvas, "only 00:00:00 to 00:00:04: what is kept of 00:00:00 to 00:00:01; Esc "
			  "shows all again");
	end(&w);
}

/* The strip is of what filters leave; the heat map cannot be. */
static void filters_leave_less(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 40, "");
	made_add(&w.f.m, MADE_START_NS + 20 * NSEC_PER_SEC, made_thread(&w.f.m, 9, 9, "else"),
		 "main;novel", NSEC_PER_SEC);
	w.f.published++;
	driver_refresh(&w.d);
	driver_press(&w.d, "4/else<Enter><Esc><Enter>49<Home>");
	assert_screen_has(w.d.canvas, "time \xC2\xB7 1 s a column \xC2\xB7 filtered");
	assert_screen_has(w.d.canvas, "running 0.00");
	assert_false(screen_has(w.d.canvas, "running 0.80"));
	driver_press(&w.d, "H");
	assert_screen_has(w.d.canvas, "\xC2\xB7 of everything");
	driver_press(&w.d, "H<Esc>");
	driver_press(&w.d, "<Right><Left>");
	assert_false(screen_has(w.d.canvas, "\xC2\xB7 filtered"));
	assert_screen_has(w.d.canvas, "00:00:00 \xC2\xB7 running 0.80");
	end(&w);
}

static void keys_move_and_scale(void **state)
{
	struct world w;

	begin(&w, 80, 24, false, 200, "90");
	assert_screen_has(w.d.canvas, "00:03:19 \xC2\xB7");
	driver_press(&w.d, "<Left>h");
	assert_screen_has(w.d.canvas, "00:03:17 \xC2\xB7");
	driver_press(&w.d, "<PgUp>");
	assert_screen_has(w.d.canvas, "00:02:07 \xC2\xB7");
	assert_screen_has(w.d.canvas, "1m10 newer");
	driver_press(&w.d, "g");
	assert_screen_has(w.d.canvas, "00:00:00 \xC2\xB7");
	driver_press(&w.d, "<Left><PgUp>l");
	assert_screen_has(w.d.canvas, "00:00:01 \xC2\xB7");
	driver_press(&w.d, "---");
	assert_screen_has(w.d.canvas, "10 s a column");
	assert_screen_has(w.d.canvas, "00:00:00 \xC2\xB7");
	driver_press(&w.d, "++++++++");
	assert_screen_has(w.d.canvas, "100 ms a column");
	assert_screen_has(w.d.canvas, "columns get no shorter");
	driver_press(&w.d, "<Right><Right><Right>");
	assert_screen_has(w.d.canvas, "00:00:00.3 \xC2\xB7");
	driver_press(&w.d, "H");
	assert_screen_has(w.d.canvas, "1 s a column");
	driver_press(&w.d, "H-------------------------");
	assert_screen_has(w.d.canvas, "columns get no longer");
	driver_press(&w.d, "G<PgDn>");
	assert_screen_has(w.d.canvas, "newest");
	end(&w);
}

/* Esc takes back the newest first: a range that is being made, one that was chosen, where the cursor is, the pane. */
static void escape_goes_back_step_by_step(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, 40, "9<Left><Left>vvv<Left>");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "00:00:37 to 00:00:38");
	assert_false(screen_has(w.d.canvas, "Enter shows only this"));
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "00:00:37 to 00:00:38"));
	assert_false(screen_has(w.d.canvas, "newest"));
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "newest");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "a column"));
	end(&w);
}

static void the_mouse_points_at_time(void **state)
{
	struct world w;
	int y;

	begin(&w, 100, 40, false, 40, "90");
	y = 10;
	view_mouse(w.d.view, MOUSE_CLICK, 10 + 5, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "00:00:05 \xC2\xB7");
	view_mouse(w.d.view, MOUSE_DOUBLE, 10 + 5, y);
	view_mouse(w.d.view, MOUSE_CLICK, 10 + 9, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "00:00:05 to 00:00:10 \xC2\xB7");
	view_mouse(w.d.view, MOUSE_DOUBLE, 10 + 9, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "only 00:00:05 to 00:00:10");
	view_mouse(w.d.view, MOUSE_WHEEL_UP, 0, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "00:00:06 \xC2\xB7");
	view_mouse(w.d.view, MOUSE_CLICK, 2, y);                 /* beside the columns */
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "00:00:06 \xC2\xB7");
	view_mouse(w.d.view, MOUSE_CLICK, 10 + 30, y);           /* drawn over */
	view_mouse(w.d.view, MOUSE_RELEASE, 10 + 20, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "only 00:00:20 to 00:00:31");
	view_mouse(w.d.view, MOUSE_CLICK, 10 + 12, y);           /* a click is none */
	assert_int_equal(view_mouse(w.d.view, MOUSE_RELEASE, 10 + 12, y), REACT_NONE);
	assert_int_equal(view_mouse(w.d.view, MOUSE_RELEASE, 10 + 15, y), REACT_NONE);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "00:00:12 \xC2\xB7");
	assert_screen_has(w.d.canvas, "00:00:20 to 00:00:31");
	view_mouse(w.d.view, MOUSE_CLICK, 10 + 35, y);           /* to beyond the end */
	view_mouse(w.d.view, MOUSE_RELEASE, 99, y);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "only 00:00:35 to 00:00:40");
	end(&w);
}

/* A recording is on the strip as a whole. */
static void all_of_a_recording_fits(void **state)
{
	struct world w;

	madesession_init(&w.f);
	work(&w.f, 0, 300);
	w.f.ended = true;
	driver_init(&w.d, &w.f, 80, 24, false);
	driver_press(&w.d, "90");
	assert_screen_has(w.d.canvas, "5 s a column");
	assert_screen_has(w.d.canvas, "\xE2\x95\xB5" "00:00:00");
	assert_screen_has(w.d.canvas, "\xE2\x95\xB5" "00:04:00");
	end(&w);
}

static void nothing_seen_yet(void **state)
{
	struct world w;

	madesession_init(&w.f);
	driver_init(&w.d, &w.f, 80, 24, false);
	driver_press(&w.d, "9<Left><PgUp>v<Enter>H+-<Esc><Esc>");
	driver_press(&w.d, "9");
	driver_resize(&w.d, 1, 1);
	driver_resize(&w.d, 5, 3);
	driver_resize(&w.d, 300, 100);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(a_range_is_all_that_is_shown),
		cmocka_unit_test(the_capture_goes_on),
		cmocka_unit_test(a_paused_view_can_be_searched),
		cmocka_unit_test(what_is_kept_is_said),
		cmocka_unit_test(filters_leave_less),
		cmocka_unit_test(keys_move_and_scale),
		cmocka_unit_test(escape_goes_back_step_by_step),
		cmocka_unit_test(the_mouse_points_at_time),
		cmocka_unit_test(all_of_a_recording_fits),
		cmocka_unit_test(nothing_seen_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
