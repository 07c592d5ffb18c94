/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_locks.c - the pane of locks on a made server: its lines, closed and open, in all sizes, with deadlocks on
 * top; what is searched and filtered from there. With SBERF_GOLDEN=write in the environment the screens in
 * tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/world.h"

#include <stdio.h>

static void fill(struct made_session *f)
{
	madesession_off_cpu(f);
	madesession_locks(f);
}

static void golden(const char *name, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];

	snprintf(path, sizeof(path), "view/locks-%s", name);
	world_golden(fill, path, cols, rows, ascii, keys);
}

static void screens(void **state)
{
	(void)state;
	golden("80x24", 80, 24, false, "D0");
	golden("100x40", 100, 40, false, "D0E");
	golden("140x30", 140, 30, false, "D0Cjjl");
	golden("40x10", 40, 10, true, "D");
}

/* A holder opens as the functions it was in; a search goes into what is closed. */
static void lines(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill, 100, 30, false, "D0C");
	assert_screen_has(w.d.canvas, "\xE2\x96\xB8 deadlock of 2 threads");
	assert_false(screen_has(w.d.canvas, "held by"));
	driver_press(&w.d, "/rebuild<Enter>");
	assert_screen_has(w.d.canvas, "held by index 1302, mostly in: sort");
	driver_press(&w.d, "<Esc>xf");
	assert_screen_has(w.d.canvas, "thread:1302");
	world_end(&w);
}

/* What remains of a thread's waits when others are filtered out. */
static void filtered(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill, 100, 30, false, "D0fthread:right<Enter>");
	assert_screen_has(w.d.canvas, "1 lock");
	assert_false(screen_has(w.d.canvas, "deadlock"));
	assert_screen_has(w.d.canvas, "waits now, for 39.0 s");
	world_end(&w);
}

/* In the tree O puts what holders did below waits, and takes it away again. */
static void below_waits(void **state)
{
	struct world w;

	(void)state;
	golden("tree-100x60", 100, 60, false, "O/rebuild<Enter>");
	world_begin(&w, fill, 100, 60, false, "O/rebuild<Enter>");
	assert_screen_has(w.d.canvas, "by process \xC2\xB7 holders");
	assert_screen_has(w.d.canvas, "[held by index, which ran]");
	driver_press(&w.d, "<Esc>O");
	assert_false(screen_has(w.d.canvas, "[held by index"));
	world_end(&w);
}

static void nothing(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, madesession_off_cpu, 100, 30, false, "D0fthread:redis-cli<Enter>");
	assert_screen_has(w.d.canvas, "nothing is left by all filters");
	world_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(lines),
		cmocka_unit_test(filtered),
		cmocka_unit_test(below_waits),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
