/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_numa.c - the view by node on the whole screen: keys that lead there and back, what is
 * narrowed to a node, trees and waits by node. With SBERF_GOLDEN=write in the environment the
 * screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"
#include "tests/unit/madenuma.h"

#include "base/clock.h"
#include "ui/treeview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct made_session f;
	struct driver d;
};

static void begin(struct world *w, const char *kinds, int cols, int rows, bool ascii)
{
	madesession_init(&w->f);
	madesession_off_cpu(&w->f);
	madenuma_session(&w->f, kinds);
	driver_init(&w->d, &w->f, cols, rows, ascii);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void golden(const char *name, const char *kinds, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, kinds, cols, rows, ascii);
	driver_press(&w.d, keys);
	snprintf(path, sizeof(path), "view/%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("numa-100x30", "bbbb", 100, 30, false, "30");
	golden("numa-80x24", "bb", 80, 24, false, "30");
	golden("numa-60x20", "bbbb", 60, 20, false, "30");
	golden("numa-40x10", "bb", 40, 10, false, "3");
	golden("numa-20x5", "bb", 20, 5, false, "3");
	golden("numa-200x50", "bmcb", 200, 50, false, "30E");
	golden("numa-80x24-ascii", "bbbb", 80, 24, true, "30");
	golden("numa-one-80x24", "b", 80, 24, false, "30");
	golden("numa-help-100x40", "bb", 100, 40, false, "30?");
	golden("numa-search-100x30", "bb", 100, 30, false, "30/lookup<Enter>");
	golden("numa-node-100x30", "bb", 100, 30, false, "30jj<Enter>");
	golden("numa-tree-100x30", "bb", 100, 30, false, "T");
	golden("numa-waits-100x30", "bb", 100, 30, false, "60T");
}

static void three_leads_there_and_back(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "3");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes, distances 10/21 \xC2\xB7 far accesses ~");
	assert_screen_has(w.d.canvas, "addressed samples");
	driver_press(&w.d, "3");
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	driver_press(&w.d, "36");
	assert_screen_has(w.d.canvas, "waits");
	driver_press(&w.d, "3<Esc>");
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	end(&w);
}

static void the_first_look_begins_the_sampling(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	assert_int_equal(w.f.numa_calls, 0);
	driver_press(&w.d, "3");
	assert_true(w.f.numa && w.f.numa_calls == 1);
	driver_press(&w.d, "33");
	assert_int_equal(w.f.numa_calls, 1);
	end(&w);

	begin(&w, "bb", 100, 30, false);
	w.f.ended = true;
	driver_press(&w.d, "3");
	assert_int_equal(w.f.numa_calls, 0);
	assert_screen_has(w.d.canvas, "2 nodes");
	w.f.session.numa = NULL;
	driver_press(&w.d, "33");
	assert_screen_has(w.d.canvas, "2 nodes");
	end(&w);
}

static void a_node_can_be_looked_at_alone(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "3jj");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "only what the CPUs of node 1 did");
	assert_screen_has(w.d.canvas, "filter: node:1");
	driver_press(&w.d, "3");
	assert_screen_has(w.d.canvas, "filter: node:1");
	assert_false(screen_has(w.d.canvas, "aeMain"));
	driver_press(&w.d, "6");
	assert_screen_has(w.d.canvas, "filter: node:1");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "no node is left out any more");
	assert_false(screen_has(w.d.canvas, "filter: "));
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "aeMain");
	driver_press(&w.d, "3<Enter>");
	assert_screen_has(w.d.canvas, "filter: node:1");             /* the cursor was still there */
	driver_press(&w.d, "<Enter>");
	assert_false(screen_has(w.d.canvas, "filter: "));
	end(&w);
}

static void other_lines_are_no_nodes(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "3<Enter>");
	assert_false(screen_has(w.d.canvas, "node 0"));
	driver_press(&w.d, "<Enter>j<Enter>");
	assert_screen_has(w.d.canvas, "filter: node:0");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "no node is left out any more");
	end(&w);
}

static void filters_of_the_command_line_stay(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top", .filter = { .by_node = true } };
	struct world w;

	nodeset_add(&o.filter.nodes, 0);
	nodeset_add(&o.filter.nodes, 1);
	nodeset_add(&o.filter.nodes, 3);
	madesession_init(&w.f);
	madesession_off_cpu(&w.f);
	madenuma_session(&w.f, "bbbb");
	driver_init_with(&w.d, &w.f, &o, 130, 30);
	assert_screen_has(w.d.canvas, "by node, by process \xC2\xB7 nodes 0-1,3");
	driver_press(&w.d, "3j<Enter>");
	assert_screen_has(w.d.canvas, "filter: node:0");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "\xC2\xB7 nodes 0-1,3");
	driver_press(&w.d, "<Esc><Esc>");
	assert_screen_has(w.d.canvas, "by node, by process \xC2\xB7 nodes 0-1,3");
	end(&w);
}

static void far_accesses_are_a_tree(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf report",
				.filter = { .measures = MEASURES_FAR } };
	struct world w;

	madesession_init(&w.f);
	madesession_off_cpu(&w.f);
	madenuma_session(&w.f, "bb");
	driver_init_with(&w.d, &w.f, &o, 100, 30);
	assert_screen_has(w.d.canvas, "far accesses \xC2\xB7 by process");
	assert_screen_has(w.d.canvas, "lookupKey");
	assert_false(screen_has(w.d.canvas, "aeMain"));
	assert_false(screen_has(w.d.canvas, "blocked  "));
	driver_press(&w.d, "1");
	assert_screen_has(w.d.canvas, "without it nothing would be shown");
	end(&w);
}

/* An empty tree says what is left out of it. */
static void nothing_of_a_node_is_explained(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top" };
	struct world w;

	nodeset_add(&o.filter.nodes, 7);
	madesession_init(&w.f);
	madesession_server(&w.f);
	madenuma_session(&w.f, "bb");
	driver_init_with(&w.d, &w.f, &o, 100, 30);
	assert_screen_has(w.d.canvas, "none in this view");
	assert_screen_has(w.d.canvas, "Only what CPUs of the chosen nodes did counts here; 3 shows");
	end(&w);
	o.filter = (struct query){ .measures = MEASURES_FAR };
	madesession_init(&w.f);
	madesession_server(&w.f);
	driver_init_with(&w.d, &w.f, &o, 100, 30);
	assert_screen_has(w.d.canvas, "Only accesses to memory of another node count here; 3 shows");
	end(&w);
}

/* Slices are whole seconds, a capture is not: rates are of the time that passed. */
static void rates_are_of_what_was_seen(void **state)
{
	struct world w;

	madesession_init(&w.f);
	madesession_server(&w.f);
	madenuma_session(&w.f, "bbbb");
	w.f.meta.duration_ns -= 20 * NSEC_PER_SEC;
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "3");
	assert_screen_has(w.d.canvas, "4.0 GB     ~150 ");
	end(&w);
}

static void trees_and_waits_split_by_node(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "T");
	assert_screen_has(w.d.canvas, "split by the node of the CPU");
	assert_screen_has(w.d.canvas, "by node, by process");
	assert_screen_has(w.d.canvas, "\xE2\x96\xBE node 0");
	assert_screen_has(w.d.canvas, "node 1");
	driver_press(&w.d, "tttttt");
	assert_screen_has(w.d.canvas, "by node, all together");
	driver_press(&w.d, "6");
	assert_screen_has(w.d.canvas, "node 0");
	driver_press(&w.d, "T");
	assert_screen_has(w.d.canvas, "all nodes together");
	assert_false(screen_has(w.d.canvas, "node 0"));
	end(&w);
}

static void each_way_of_looking_keeps_its_place(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "3C");
	assert_false(screen_has(w.d.canvas, "node 1"));
	driver_press(&w.d, "3T3");
	assert_false(screen_has(w.d.canvas, "node 1"));
	driver_press(&w.d, "g<Right>");
	assert_screen_has(w.d.canvas, "node 1");
	end(&w);
}

static void a_narrow_screen_has_accesses_below_nodes(void **state)
{
	struct world w;

	begin(&w, "bbbb", 100, 30, false);
	driver_press(&w.d, "3jj");
	assert_false(screen_has(w.d.canvas, "accesses from"));
	driver_resize(&w.d, 70, 30);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "accesses from");
	assert_screen_has(w.d.canvas, "\xE2\x96\x8C     node 1");            /* where the cursor is */
	driver_press(&w.d, "p");
	driver_resize(&w.d, 100, 30);
	driver_refresh(&w.d);
	assert_false(screen_has(w.d.canvas, "accesses from"));            /* also while the view is paused */
	end(&w);
}

static void keys_wait_for_the_pane(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	view_key(w.d.view, '3');
	view_key(w.d.view, 'j');
	view_key(w.d.view, 'j');
	view_key(w.d.view, UI_KEY_ENTER);
	driver_refresh(&w.d);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "filter: node:1");
	end(&w);
}

static void refreshes_leave_the_line_alone(void **state)
{
	struct world w;
	size_t line;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "3/nextEntry<Enter>");
	assert_screen_has(w.d.canvas, "\xE2\x96\x8C   \xE2\x96\xB8 nextEntry");
	driver_press(&w.d, "<Esc><Right>");
	line = view_tree(w.d.view)->cursor - view_tree(w.d.view)->top;
	for (unsigned int i = 0; i < 5; i++) {
		for (unsigned int k = 0; k < 40; k++)
			made_place(&w.f.m, MADE_START_NS + i * NSEC_PER_SEC, made_thread(&w.f.m, 1234, 1240, "worker"),
				   i % 2 ? "start_thread;worker;other" : "start_thread;worker;lookupKey",
				   EVENT_ACCESS, 1, 0, 10 * NSEC_PER_MSEC);
		w.f.published++;
		driver_refresh(&w.d);
		assert_screen_has(w.d.canvas, "\xE2\x96\x8C   \xE2\x96\xBE nextEntry");
		assert_int_equal(view_tree(w.d.view)->cursor - view_tree(w.d.view)->top, line);
	}
	end(&w);
}

static void the_mouse_opens_and_chooses(void **state)
{
	const struct treeview *tv;
	struct world w;

	begin(&w, "bb", 100, 30, false);
	driver_press(&w.d, "30");
	tv = view_tree(w.d.view);
	for (size_t i = 0; i < tv->rows.n; i++) {
		if (tv->rows.v[i].depth || treeview_at(tv, tv->rows.v[i].node).first_child == NODE_NONE)
			continue;
		view_mouse(w.d.view, MOUSE_CLICK, 2, 4 + (int)i);
		break;
	}
	driver_refresh(&w.d);
	assert_false(screen_has(w.d.canvas, "node 1"));
	end(&w);
}

static void every_size_says_something(void **state)
{
	struct world w;

	begin(&w, "bbbb", 1, 1, false);
	driver_press(&w.d, "3");
	for (int h = 1; h <= 12; h++) {
		for (int x = 1; x <= 120; x += 7) {
			AUTO_FREE char *text = NULL;

			driver_resize(&w.d, x, h);
			text = canvas_dump(w.d.canvas);
			if (x >= 8)
				assert_true(strspn(text, " \n") < strlen(text));
			driver_press(&w.d, h % 2 ? "jE/o<Enter>f" : "?<Esc>C<Esc><Esc>33");
		}
	}
	end(&w);
}

static void frames_on_screen_are_named_first(void **state)
{
	struct world w;

	begin(&w, "bb", 100, 30, false);
	w.f.n_preferred = 0;
	driver_press(&w.d, "3");
	assert_int_not_equal(w.f.n_preferred, 0);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(three_leads_there_and_back),
		cmocka_unit_test(the_first_look_begins_the_sampling),
		cmocka_unit_test(a_node_can_be_looked_at_alone),
		cmocka_unit_test(other_lines_are_no_nodes),
		cmocka_unit_test(filters_of_the_command_line_stay),
		cmocka_unit_test(far_accesses_are_a_tree),
		cmocka_unit_test(nothing_of_a_node_is_explained),
		cmocka_unit_test(rates_are_of_what_was_seen),
		cmocka_unit_test(trees_and_waits_split_by_node),
		cmocka_unit_test(each_way_of_looking_keeps_its_place),
		cmocka_unit_test(a_narrow_screen_has_accesses_below_nodes),
		cmocka_unit_test(keys_wait_for_the_pane),
		cmocka_unit_test(refreshes_leave_the_line_alone),
		cmocka_unit_test(the_mouse_opens_and_chooses),
		cmocka_unit_test(every_size_says_something),
		cmocka_unit_test(frames_on_screen_are_named_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
