/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_flame.c - the flame graph as a pane: how it looks, where keys and the mouse lead, what
 * refreshes leave as it is. With SBERF_GOLDEN=write in the environment the screens in
 * tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "ui/panes/flameview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct made_session f;
	struct driver d;
};

static void begin(struct world *w, int cols, int rows, bool ascii, const char *keys)
{
	madesession_init(&w->f);
	madesession_off_cpu(&w->f);
	driver_init(&w->d, &w->f, cols, rows, ascii);
	driver_press(&w->d, keys);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static const struct treeview *flame(const struct world *w)
{
	return view_tree(w->d.view);
}

/* What is under the cursor. */
static void assert_on(const struct world *w, const char *label)
{
	char text[LABEL_MAX];

	assert_non_null(flameview_of(flame(w)));
	assert_string_equal(tree_label(flame(w)->tree, treeview_node(flame(w)), text, sizeof(text)), label);
}

static void golden(const char *name, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, ascii, keys);
	snprintf(path, sizeof(path), "view/flame-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("80x24", 80, 24, false, "70");
	golden("20x5", 20, 5, false, "7");
	golden("40x10", 40, 10, false, "7");
	golden("80x24-ascii", 80, 24, true, "70jj");
	golden("200x60", 200, 60, false, "70jjjj");
	golden("tree-80x24", 80, 24, false, "7");
	golden("waits-100x30", 100, 30, false, "760<BackTab>");
	golden("zoom-80x24", 80, 24, false, "70/aeMain<Enter><Esc><Enter>j");
	golden("search-80x24", 80, 24, false, "70/read<Enter>n");
	golden("narrow-40x16", 40, 16, false, "7/dictFind<Enter><Esc>");
	golden("aside-100x30", 100, 30, false, "7jjj<Tab>");
	golden("inverted-100x30", 100, 30, false, "70i");
	golden("help-100x40", 100, 40, false, "70?");
}

static void hostile_names(void **state)
{
	struct world w;

	madesession_init(&w.f);
	madesession_hostile(&w.f);
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "70j");
	golden_screen(w.d.canvas, "view/flame-hostile-100x30");
	driver_resize(&w.d, 40, 16);
	golden_screen(w.d.canvas, "view/flame-hostile-40x16");
	end(&w);
}

/* Two hundred functions beside one, of which each has a fortieth of a column. */
static void many_narrow_functions(void **state)
{
	struct world w;

	madesession_init(&w.f);
	madesession_add(&w.f, 0, "main;wide", 800);
	for (unsigned int i = 0; i < 200; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "main;narrow_%u;%s", i, i == 150 ? "needle" : "hay");
		madesession_add(&w.f, i % 50, stack, 1);
	}
	driver_init(&w.d, &w.f, 100, 20, false);
	driver_press(&w.d, "70jjj");
	golden_screen(w.d.canvas, "view/flame-merged-100x20");
	assert_on(&w, "wide");
	driver_press(&w.d, "l");
	assert_screen_has(w.d.canvas, "one of 200 too narrow, in all 20.0 %");
	assert_int_equal(flameview_here(flame(&w))->merged, 200);
	driver_press(&w.d, "g/needle<Enter>");
	assert_on(&w, "needle");
	assert_screen_has(w.d.canvas, "1 of 1 \xC2\xB7 0.1 %");
	driver_press(&w.d, "k");
	assert_on(&w, "narrow_150");
	driver_press(&w.d, "<Esc><Enter>");
	assert_screen_has(w.d.canvas, "in narrow_150");
	assert_int_equal(flameview_here(flame(&w))->w, 100);
	driver_press(&w.d, "<Esc>g/needle<Enter>g");
	assert_int_equal(canvas_at(w.d.canvas, 90, 7)->style, STYLE_FLAME_MATCH);        /* it is among those */
	assert_int_not_equal(canvas_at(w.d.canvas, 10, 7)->style, STYLE_FLAME_MATCH);
	driver_press(&w.d, "<Esc>/nothing<Enter>");
	assert_int_not_equal(canvas_at(w.d.canvas, 90, 7)->style, STYLE_FLAME_MATCH);
	end(&w);
}

/*
 * A frame has the colours of the kinds of time in it, side by side; so has what is merged, whatever
 * the heaviest of it is.
 */
static void colours_are_those_of_kinds(void **state)
{
	struct world w;
	thread_id thread;

	madesession_init(&w.f);
	w.f.meta.off_cpu = true;
	thread = made_thread(&w.f.m, 7, 7, "app");
	made_add(&w.f.m, MADE_START_NS, thread, "main;work", 400 * NSEC_PER_MSEC);
	made_wait(&w.f.m, MADE_START_NS, thread, "main;work", EVENT_RUNNABLE, "futex", 'S', 100 * NSEC_PER_MSEC);
	for (unsigned int i = 0; i < 100; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "main;narrow_%u", i);
		if (i % 2)
			made_add(&w.f.m, MADE_START_NS, thread, stack, 4 * NSEC_PER_MSEC);
		else
			made_wait(&w.f.m, MADE_START_NS, thread, stack, EVENT_BLOCKED, "futex", 'S', 6 * NSEC_PER_MSEC);
	}
	w.f.published++;
	driver_init(&w.d, &w.f, 100, 20, false);
	driver_press(&w.d, "70");
	assert_screen_has(w.d.canvas, "100 frames");
	/* Of all 60 % running, 10 % in the queue, 30 % blocked; of what is merged 40 % running. */
	assert_in_set(canvas_at(w.d.canvas, 58, 5)->style,
		      ((uintmax_t[]){ STYLE_FLAME_RUNNING, STYLE_FLAME_RUNNING2 }), 2);
	assert_in_set(canvas_at(w.d.canvas, 65, 5)->style,
		      ((uintmax_t[]){ STYLE_FLAME_RUNNABLE, STYLE_FLAME_RUNNABLE2 }), 2);
	assert_in_set(canvas_at(w.d.canvas, 75, 5)->style,
		      ((uintmax_t[]){ STYLE_FLAME_BLOCKED, STYLE_FLAME_BLOCKED2 }), 2);
	assert_in_set(canvas_at(w.d.canvas, 68, 7)->style,
		      ((uintmax_t[]){ STYLE_FLAME_RUNNING, STYLE_FLAME_RUNNING2 }), 2);
	assert_in_set(canvas_at(w.d.canvas, 72, 7)->style,
		      ((uintmax_t[]){ STYLE_FLAME_BLOCKED, STYLE_FLAME_BLOCKED2 }), 2);
	driver_press(&w.d, "1u");
	assert_screen_has(w.d.canvas, "blocked");
	assert_in_set(canvas_at(w.d.canvas, 5, 5)->style,
		      ((uintmax_t[]){ STYLE_FLAME_BLOCKED, STYLE_FLAME_BLOCKED2 }), 2);
	end(&w);
}

/* What is found is counted in what is shown: under a zoom, and after a refresh. */
static void matches_are_those_of_now(void **state)
{
	struct world w;

	madesession_init(&w.f);
	madesession_add(&w.f, 0, "main;a;x", 60);
	madesession_add(&w.f, 0, "main;b;y", 40);
	driver_init(&w.d, &w.f, 100, 20, false);
	driver_press(&w.d, "70/x<Enter>");
	assert_screen_has(w.d.canvas, "/x  1 of 1 \xC2\xB7 60.0 %");
	driver_press(&w.d, "k<Enter>");
	assert_screen_has(w.d.canvas, "/x  1 of 1 \xC2\xB7 100.0 %");
	madesession_add(&w.f, 1, "main;b;x", 100);
	driver_press(&w.d, "g<Enter>");
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "of 2 \xC2\xB7 80.0 %");
	end(&w);
}

static void arrows_lead_to_parents_children_and_siblings(void **state)
{
	struct world w;

	begin(&w, 100, 30, false, "70");
	assert_on(&w, "all");
	driver_press(&w.d, "<Up><Left><Right>");
	assert_on(&w, "all");
	driver_press(&w.d, "jjj");
	assert_on(&w, "bioProcessBackgroundJobs");
	driver_press(&w.d, "k");
	assert_on(&w, "start_thread");
	driver_press(&w.d, "<Right>");
	assert_on(&w, "main");
	driver_press(&w.d, "jl");
	assert_on(&w, "cliReadReply");
	driver_press(&w.d, "hhhh");
	assert_on(&w, "bioProcessBackgroundJobs");
	driver_press(&w.d, "G");
	assert_on(&w, "futex_wait");
	driver_press(&w.d, "g");
	assert_on(&w, "all");
	end(&w);
}

/* Enter zooms in, Esc out again, Enter on the top frame too. */
static void zoom(void **state)
{
	struct world w;

	begin(&w, 100, 30, false, "70jj<Enter>");
	assert_on(&w, "start_thread");
	assert_screen_has(w.d.canvas, "in start_thread");
	assert_int_equal(flameview_here(flame(&w))->w, 100);
	driver_press(&w.d, "j<Enter>");
	assert_screen_has(w.d.canvas, "in bioProcessBackgroundJobs");
	driver_press(&w.d, "<Up>");
	assert_on(&w, "bioProcessBackgroundJobs");       /* nothing leads out */
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "in start_thread");
	driver_press(&w.d, "g<Enter>");
	assert_on(&w, "start_thread");
	assert_true(flameview_here(flame(&w))->w < 100);
	driver_press(&w.d, "<Esc>");
	assert_null(flameview_of(flame(&w)));           /* the pane is closed */
	end(&w);
}

/* It begins where the tree is, and goes its own way from there. */
static void begins_where_the_tree_is(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, "/call<Enter><Esc>7");
	assert_on(&w, "call");
	driver_press(&w.d, "0k7");               /* closed and open again: it keeps its own place */
	assert_null(flameview_of(flame(&w)));
	driver_press(&w.d, "/memcpy<Enter><Esc>7");
	assert_on(&w, "processCommand");
	end(&w);
	begin(&w, 100, 40, false, "/aeMain<Enter><Esc>zj70");
	assert_on(&w, "readQueryFromClient");
	assert_screen_has(w.d.canvas, "in aeMain");
	assert_int_equal(flame(&w)->tree->node[treeview_base(flame(&w))].depth, flame(&w)->zooms.v[0]);
	driver_press(&w.d, "<Esc>");
	assert_on(&w, "readQueryFromClient");
	end(&w);
	begin(&w, 100, 40, false, "7");          /* nothing was moved */
	assert_on(&w, "all");
	end(&w);
}

static void searching(void **state)
{
	struct world w;

	begin(&w, 100, 30, false, "70/futex_wait<Enter>");
	assert_on(&w, "futex_wait");
	assert_screen_has(w.d.canvas, "1 of 1 \xC2\xB7 ");
	driver_press(&w.d, "<Esc>/writeToClient<Enter>");
	assert_on(&w, "writeToClient");
	driver_press(&w.d, "<Esc>g/nowhere<Enter>");
	assert_on(&w, "all");
	assert_screen_has(w.d.canvas, "no match");
	end(&w);
}

/* What stays in a frame can be more than all that goes on from it. */
static void the_heaviest_path_ends_where_most_stays(void **state)
{
	struct world w;

	madesession_init(&w.f);
	for (unsigned int i = 0; i < 4; i++) {
		madesession_add(&w.f, i, "main;serve;wait", 90);
		madesession_add(&w.f, i, "main;serve;wait;switch", 1);
		madesession_add(&w.f, i, "main;other", 10);
	}
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "70G");
	assert_on(&w, "wait");
	driver_press(&w.d, "j");
	assert_on(&w, "switch");
	end(&w);
}

/* The mouse goes by what is on screen. */
static void mouse(void **state)
{
	struct world w;
	const struct flame_frame *f;
	uint32_t here;

	begin(&w, 100, 30, false, "70G");
	f = flameview_here(flame(&w));
	here = treeview_node(flame(&w));
	assert_int_equal(view_mouse(w.d.view, MOUSE_CLICK, 0, 4), REACT_DRAW);
	assert_on(&w, "all");
	view_mouse(w.d.view, MOUSE_CLICK, f->x + f->w - 1, 4 + (int)f->level);
	assert_int_equal(treeview_node(flame(&w)), here);
	view_mouse(w.d.view, MOUSE_CLICK, 50, 27);       /* nothing is there */
	assert_int_equal(treeview_node(flame(&w)), here);
	view_mouse(w.d.view, MOUSE_DOUBLE, 0, 6);
	driver_refresh(&w.d);
	assert_on(&w, "start_thread");
	assert_screen_has(w.d.canvas, "in start_thread");
	view_mouse(w.d.view, MOUSE_DOUBLE, 99, 4);
	assert_true(flameview_here(flame(&w))->w < 100);
	end(&w);
}

/* More levels than lines: the cursor takes them along, the wheel scrolls, and a cursor that leaves stays in sight. */
static void deep_stacks_scroll(void **state)
{
	struct world w;
	const struct flameview *f;

	begin(&w, 60, 10, false, "7");
	f = flameview_of(flame(&w));
	assert_true(f->layout.levels > flame(&w)->height);
	driver_press(&w.d, "G");
	assert_true(f->top > 0);
	assert_in_range(flameview_here(flame(&w))->level, f->top, f->top + flame(&w)->height - 1);
	for (unsigned int i = 0; i < 5; i++)
		view_mouse(w.d.view, MOUSE_WHEEL_UP, 10, 5);
	driver_refresh(&w.d);
	assert_int_equal(f->top, 0);
	assert_int_equal(flameview_here(flame(&w))->level, flame(&w)->height - 1);
	driver_press(&w.d, "g");
	assert_int_equal(f->top, 0);
	for (unsigned int i = 0; i < 50; i++)
		view_mouse(w.d.view, MOUSE_WHEEL_DOWN, 10, 5);
	driver_refresh(&w.d);
	assert_int_equal(f->top, f->layout.levels - flame(&w)->height);
	driver_press(&w.d, "<PgUp><PgUp><PgUp><PgUp>");
	assert_on(&w, "all");
	driver_press(&w.d, "<PgDn>");
	assert_int_equal(flameview_here(flame(&w))->level, flame(&w)->height - 1);
	end(&w);
}

/* Whatever comes, the cursor is where it was, also on a frame that has no column of its own any more. */
static void refreshes_move_no_cursor(void **state)
{
	static const char *const names[] = { "addReply", "fsync", "memcpy", "call" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct world w;
		char keys[64];
		uint64_t key;

		snprintf(keys, sizeof(keys), "70/%s<Enter><Esc>", names[i]);
		begin(&w, 30, 30, false, keys);
		key = flame(&w)->tree->node[treeview_node(flame(&w))].key;
		for (unsigned int k = 0; k < 6; k++) {
			madesession_grow(&w.f, 50 + k, 1000u << k);
			driver_refresh(&w.d);
			assert_true(flame(&w)->tree->node[treeview_node(flame(&w))].key == key);
			driver_resize(&w.d, 20 + (int)k * 60, 12 + (int)k);
			assert_true(flame(&w)->tree->node[treeview_node(flame(&w))].key == key);
		}
		driver_press(&w.d, "<Enter>");
		assert_true(flame(&w)->tree->node[treeview_node(flame(&w))].key == key);
		assert_int_equal(flameview_here(flame(&w))->w, w.d.canvas->w);
		driver_refresh(&w.d);
		end(&w);
	}
}

/* The question is that of the tree, and each way of grouping keeps its place. */
static void answers_the_question_of_the_tree(void **state)
{
	struct world w;

	begin(&w, 100, 30, false, "70jjj");
	assert_screen_has(w.d.canvas, "flame \xC2\xB7 all time \xC2\xB7 by process");
	driver_press(&w.d, "t");
	assert_screen_has(w.d.canvas, "flame \xC2\xB7 all time \xC2\xB7 by executable");
	assert_on(&w, "all");
	driver_press(&w.d, "tttttt");
	assert_screen_has(w.d.canvas, "by process");
	assert_on(&w, "bioProcessBackgroundJobs");
	driver_press(&w.d, "i");
	assert_screen_has(w.d.canvas, "inverted");
	driver_press(&w.d, "i2u");
	assert_screen_has(w.d.canvas, "flame \xC2\xB7 on-CPU");
	driver_press(&w.d, "K");
	assert_screen_has(w.d.canvas, "no kernel");
	end(&w);
}

/* What is saved is what is shown. */
static void saving(void **state)
{
	struct save_job job;
	struct world w;

	begin(&w, 100, 30, false, "7jj<Enter>S");
	assert_int_equal(view_key(w.d.view, 's'), REACT_SAVE);
	view_save_job(w.d.view, &job);
	assert_ptr_equal(job.exporter, &exporter_svg);
	assert_int_equal(job.query.nr_within, 2);
	assert_true(job.query.within[1] == flame(&w)->tree->node[treeview_node(flame(&w))].key);
	assert_non_null(strstr(job.title, "in start_thread"));
	snapshot_unref(job.snapshot);
	driver_press(&w.d, "<Tab>");
	assert_null(flameview_of(flame(&w)));
	driver_press(&w.d, "S");
	view_key(w.d.view, 's');
	view_save_job(w.d.view, &job);           /* the tree is not zoomed */
	assert_int_equal(job.query.nr_within, 0);
	snapshot_unref(job.snapshot);
	end(&w);
}

/* All sizes and keys. */
static void any_size(void **state)
{
	static const char *const keys[] = { "j", "k", "h", "l", "G", "g", "<Enter>", "<Esc>7", "/e<Enter>",
					    "n", "N", "i", "t",
					    "w", "T", "K", "<PgDn>", "<PgUp>", "2", "6", "<Tab>", "m" };
	unsigned int seed = 5;
	struct world w;

	begin(&w, 80, 24, false, "7");
	for (unsigned int i = 0; i < 400; i++) {
		if (i % 5 == 0)
			driver_resize(&w.d, 1 + rand_r(&seed) % (i % 3 ? 60 : 400),
				      1 + rand_r(&seed) % (i % 3 ? 20 : 100));
		driver_press(&w.d, keys[(unsigned int)rand_r(&seed) % (sizeof(keys) / sizeof(keys[0]))]);
		view_mouse(w.d.view, (enum mouse)(rand_r(&seed) % 4), rand_r(&seed) % 100, rand_r(&seed) % 40);
		if (i % 7 == 0)
			madesession_grow(&w.f, 60 + i, 20);
		driver_refresh(&w.d);
	}
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(many_narrow_functions),
		cmocka_unit_test(colours_are_those_of_kinds),
		cmocka_unit_test(matches_are_those_of_now),
		cmocka_unit_test(arrows_lead_to_parents_children_and_siblings),
		cmocka_unit_test(zoom),
		cmocka_unit_test(begins_where_the_tree_is),
		cmocka_unit_test(searching),
		cmocka_unit_test(the_heaviest_path_ends_where_most_stays),
		cmocka_unit_test(mouse),
		cmocka_unit_test(deep_stacks_scroll),
		cmocka_unit_test(refreshes_move_no_cursor),
		cmocka_unit_test(answers_the_question_of_the_tree),
		cmocka_unit_test(saving),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
