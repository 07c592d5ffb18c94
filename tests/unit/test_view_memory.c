/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_memory.c - the pane of memory on a made server: its lines, closed and open, in all sizes, its orders,
 * and the way from a site to the tree. With SBERF_GOLDEN=write in the environment the screens in
 * tests/golden/view are written.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/world.h"

#include <stdio.h>

static void fill(struct made_session *f)
{
	madesession_server(f);
	madesession_memory(f);
}

static void golden(const char *name, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];

	snprintf(path, sizeof(path), "view/memory-%s", name);
	world_golden(fill, path, cols, rows, ascii, keys);
}

static void screens(void **state)
{
	(void)state;
	golden("100x28", 100, 28, false, "M0");
	golden("60x15", 60, 15, false, "M0CjlG");
	golden("140x40", 140, 40, false, "ME");
	golden("40x10", 40, 10, true, "Mj");
}

static void orders(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill, 100, 28, false, "M0Cs");
	assert_screen_has(w.d.canvas, "sorted by bytes allocated");
	assert_screen_has(w.d.canvas, "\xE2\x86\x93" "alloc");
	driver_press(&w.d, "s");
	assert_screen_has(w.d.canvas, "sorted by churn");
	driver_press(&w.d, "s");
	assert_screen_has(w.d.canvas, "sorted by growth");
	driver_press(&w.d, "s");
	assert_screen_has(w.d.canvas, "sorted by blocks in use");
	driver_press(&w.d, "s");
	assert_screen_has(w.d.canvas, "sorted by bytes in use");
	driver_press(&w.d, "/addReply<Enter>");
	assert_screen_has(w.d.canvas, "addReplyBulk \xE2\x80\xBA readQuery");
	world_end(&w);
}

/* Enter leads to the function in the tree, which counts memory from then on; Esc brings time back. */
static void to_the_tree_and_back(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill, 100, 40, false, "M0Cj<Enter>");
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "memory in use, memory allocated");
	assert_screen_has(w.d.canvas, "createObject");
	driver_press(&w.d, "<Esc>");
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "time is shown again");
	assert_false(screen_has(w.d.canvas, "memory in use, memory allocated"));
	world_end(&w);
}

static void fill_growth(struct made_session *f)
{
	madesession_server(f);
	madesession_growth(f);
}

static void fill_unfollowed(struct made_session *f)
{
	fill(f);
	f->meta.mem_unfollowed_ns = 1500 * NSEC_PER_MSEC;
}

/* Where not all frees were seen, since when is said, and nothing of what is in use. */
static void not_all_frees_were_seen(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill_unfollowed, 100, 28, false, "M0");
	assert_screen_has(w.d.canvas, "not followed since 1.50 s");
	assert_false(screen_has(w.d.canvas, "plateau"));
	world_end(&w);
}

/* Where blocks were not followed, sites are those that made memory grow. */
static void growth(void **state)
{
	struct world w;

	(void)state;
	world_golden(fill_growth, "view/memory-grown-100x28", 100, 28, false, "M0Ejj");
	world_begin(&w, fill_growth, 100, 28, false, "M0Cs");
	assert_screen_has(w.d.canvas, "sorted by bytes returned");
	driver_press(&w.d, "ss");
	assert_screen_has(w.d.canvas, "sorted by bytes grown");
	driver_press(&w.d, "gjj<Enter>");
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "memory grown");
	world_end(&w);
}

static void without_memory(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, madesession_server, 100, 28, false, "M0");
	assert_screen_has(w.d.canvas, "No memory is followed. --memory shows");
	world_end(&w);
}

static bool followed;
static unsigned int wishes;

static void follow(void *ctx, bool on)
{
	(void)ctx;
	wishes++;
	followed = on;
}

static bool is_followed(void *ctx)
{
	(void)ctx;
	return followed;
}

static void fill_live(struct made_session *f)
{
	madesession_server(f);
	f->session.growth = follow;
	f->session.growing = is_followed;
}

/* Who opens the pane has growth followed, once. */
static void growth_begins_with_the_pane(void **state)
{
	struct world w;

	(void)state;
	followed = false;
	wishes = 0;
	world_begin(&w, fill_live, 100, 28, false, "0");
	assert_int_equal(wishes, 0);
	driver_press(&w.d, "M");
	assert_true(followed);
	driver_press(&w.d, "MM");
	assert_int_equal(wishes, 1);
	world_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(orders),
		cmocka_unit_test(to_the_tree_and_back),
		cmocka_unit_test(growth),
		cmocka_unit_test(not_all_frees_were_seen),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(growth_begins_with_the_pane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
