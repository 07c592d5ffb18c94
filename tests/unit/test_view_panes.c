/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_panes.c - several panes on one screen: which are open, where keys go, that each keeps its place. With
 * SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/madenuma.h"
#include "tests/unit/world.h"

#include "base/clock.h"
#include "query/flatlist.h"
#include "ui/treeview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct made_session *f)
{
	madesession_off_cpu(f);
	madenuma_session(f, "bb");
}

static void begin(struct world *w, int cols, int rows, bool ascii, const char *keys)
{
	world_begin(w, fill, cols, rows, ascii, keys);
}

static void end(struct world *w)
{
	world_end(w);
}

static void golden(const char *name, int cols, int rows, bool ascii, const char *keys)
{
	char path[128];

	snprintf(path, sizeof(path), "view/panes-%s", name);
	world_golden(fill, path, cols, rows, ascii, keys);
}

static void screens(void **state)
{
	golden("tree-waits-80x24", 80, 24, false, "6");
	golden("tree-waits-80x24-ascii", 80, 24, true, "6");
	golden("tree-waits-focus-80x24", 80, 24, false, "6<Tab>jj");
	golden("tree-numa-waits-80x24", 80, 24, false, "36");
	golden("tree-numa-120x40", 120, 40, false, "3");
	golden("tree-numa-waits-120x40", 120, 40, false, "36<BackTab>");
	golden("tree-numa-waits-200x50", 200, 50, false, "36<Tab>E");
	golden("tree-numa-waits-400x100", 400, 100, false, "36");
	golden("numa-waits-100x30", 100, 30, false, "360");
	golden("tree-waits-40x10", 40, 10, false, "6");
	golden("tree-waits-20x5", 20, 5, false, "6");
	golden("alone-100x30", 100, 30, false, "36m");
	golden("help-100x40", 100, 40, false, "6?");
	golden("search-100x30", 100, 30, false, "6<Tab>/fsync<Enter>");
}

static void functions(void **state)
{
	golden("funcs-100x30", 100, 30, false, "50");
	golden("funcs-80x24", 80, 24, false, "50");
	golden("funcs-60x20", 60, 20, false, "50");
	golden("funcs-40x10", 40, 10, false, "5");
	golden("funcs-20x5", 20, 5, false, "5");
	golden("funcs-80x24-ascii", 80, 24, true, "50");
	golden("funcs-total-100x30", 100, 30, false, "50sssss");
	golden("funcs-name-100x30", 100, 30, false, "50ssssjj");
	golden("funcs-running-80x24", 80, 24, false, "50s");
	golden("funcs-blocked-40x10", 40, 10, false, "5sss");
	golden("funcs-no-kernel-100x30", 100, 30, false, "50K2u");
	golden("funcs-help-100x40", 100, 40, false, "5?");
	golden("tree-funcs-200x50", 200, 50, false, "5/dict<Enter>");
	golden("funcs-in-tree-80x24", 80, 24, false, "C5jjj<Enter>");
}

static void modules(void **state)
{
	golden("modules-100x30", 100, 30, false, "B0");
	golden("modules-80x24-ascii", 80, 24, true, "B0");
	golden("modules-40x10", 40, 10, false, "B");
	golden("modules-20x5", 20, 5, false, "B");
	golden("modules-search-80x24", 80, 24, false, "B0/libc<Enter>");
}

/*
 * What modules take themselves, in all and of each kind of time, is all there is; with what they
 * call none has more than that.
 */
static void modules_share_all_there_is(void **state)
{
	struct world w;
	struct flat_row sum = { 0 };
	const struct flatlist *l;

	begin(&w, 100, 30, false, "wB0");
	assert_true(driver_shows(&w.d, PANE_MODULES));
	l = view_tree(w.d.view)->model;
	assert_true(l->n > 3);
	for (uint32_t i = 1; i < l->n; i++) {
		assert_true(l->row[i].self_ns <= l->row[i].total_ns && l->row[i].total_ns <= l->row[0].total_ns);
		assert_true(i == 1 || l->row[i].total_ns <= l->row[i - 1].total_ns);
		sum.self_ns += l->row[i].self_ns;
		sum.count += l->row[i].count;
		for (unsigned int place = 0; place < MEASURES_ASKED; place++)
			sum.self.ns[place] += l->row[i].self.ns[place];
	}
	assert_int_equal(sum.self_ns, l->row[0].total_ns);
	assert_int_equal(sum.count, l->row[0].count);
	assert_memory_equal(&sum.self, &l->row[0].self, sizeof(sum.self));
	end(&w);
}

/* Enter on a function leads to where it takes most, also when the tree is closed, or shows callers. */
static void functions_lead_into_the_tree(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, "C50/memcpy<Enter><Esc><Enter>");
	assert_false(driver_shows(&w.d, PANE_WAITS));
	assert_screen_has(w.d.canvas, "\xE2\x96\x8C           memcpy");
	driver_press(&w.d, "i");
	driver_press(&w.d, "50/tcp_send<Enter><Enter>");
	assert_screen_has(w.d.canvas, "\xE2\x96\x8C ");
	assert_screen_has(w.d.canvas, "inverted");
	end(&w);
}

static void threads(void **state)
{
	golden("threads-100x30", 100, 30, false, "40");
	golden("threads-80x24", 80, 24, false, "40");
	golden("threads-60x20", 60, 20, false, "40");
	golden("threads-40x10", 40, 10, false, "4");
	golden("threads-20x5", 20, 5, false, "4");
	golden("threads-80x24-ascii", 80, 24, true, "40");
	golden("threads-idle-100x30", 100, 30, false, "40wsss");
	golden("threads-help-100x40", 100, 40, false, "4?");
	golden("tree-threads-only-120x40", 120, 40, false, "4jj<Enter>");
	golden("all-200x50", 200, 50, false, "3456");
}

/* A thread can be looked at alone; the list still has all of them, and Escape gives way step by step. */
static void a_thread_can_be_looked_at_alone(void **state)
{
	struct world w;

	begin(&w, 100, 60, false, "4/bio_aof<Enter><Esc><Enter>");
	assert_screen_has(w.d.canvas, "only bio_aof 1236, in all views: Esc shows all again");
	assert_screen_has(w.d.canvas, "filter: thread:1236");
	assert_false(screen_has(w.d.canvas, "aeMain"));
	assert_screen_has(w.d.canvas, "redis-cli 99");               /* in the list */
	driver_press(&w.d, "6");
	driver_press(&w.d, "3jj<Enter>");
	assert_screen_has(w.d.canvas, "filter: thread:1236 node:1");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "no node is left out any more");
	assert_screen_has(w.d.canvas, "filter: thread:1236 ");
	driver_press(&w.d, "<Esc>");
	assert_screen_has(w.d.canvas, "no thread is left out any more");
	assert_screen_has(w.d.canvas, "aeMain");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 ");             /* only then the pane itself would go */
	driver_press(&w.d, "46<Enter>");
	assert_false(screen_has(w.d.canvas, "thread:1236"));
	end(&w);
}

static void threads_of_the_command_line_stay(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top",
				.filter = { .terms = MADE_TERM(TERM_THREAD, "bio_*") } };
	struct world w;

	madesession_init(&w.f);
	madesession_off_cpu(&w.f);
	driver_init_with(&w.d, &w.f, &o, 140, 40);
	driver_press(&w.d, "4");
	assert_screen_has(w.d.canvas, "1 thread \xC2\xB7 all time");
	assert_screen_has(w.d.canvas, "filter: thread:bio_* ");
	driver_press(&w.d, "<Enter>");
	assert_screen_has(w.d.canvas, "filter: thread:bio_* thread:1236 ");
	driver_press(&w.d, "<Enter>");
	assert_false(screen_has(w.d.canvas, "thread:1236"));
	driver_press(&w.d, "<Esc><Esc>");
	assert_screen_has(w.d.canvas, "filter: thread:bio_* ");
	end(&w);
}

/* Stacks that were cut in several ways and modules, losses and doubts. */
static void make_bad(struct made_session *f)
{
	static const struct {
		enum cut_reason cut;
		const char *module;
		unsigned int n;
	} cuts[] = { { CUT_STACK_SIZE, NULL, 40 }, { CUT_NO_CFI, "/lib/libc.so.6", 25 },
		     { CUT_NO_CFI, "/usr/bin/app", 60 },
		     { CUT_NOT_LOADED, "/opt/\033[2Jjava/lib/server/libjvm.so", 3 } };

	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct module m = { .kind = MODULE_FILE, .ino = 1000 + i };

		made_add(&f->m, MADE_START_NS, made_thread(&f->m, 1234, 1234, "redis-server"), "main;cut",
			 10 * NSEC_PER_MSEC);
		f->m.ev.cut = (uint8_t)cuts[i].cut;
		if (cuts[i].module) {
			m.path = strtab_adds(dict_strings(f->m.d), cuts[i].module);
			f->m.ev.cut_module = dict_module(f->m.d, &m);
		}
		for (unsigned int k = 1; k < cuts[i].n; k++)
			made_again(&f->m);
	}
	f->meta.lost.n[LOST_RING_FULL] = 12345;
	f->meta.lost.n[LOST_NESTED] = 2;
	f->meta.late = 5;
	f->meta.freq_got = 61;
	f->meta.wait_denied = 3;
}

static void how_good_figures_are(void **state)
{
	static const struct {
		const char *size, *keys;
		int w, h;
		bool ascii;
	} screens[] = { { "100x40", "80", 100, 40, false }, { "80x24", "80", 80, 24, false },
			{ "60x20", "80", 60, 20, false },
			{ "40x10", "8", 40, 10, false }, { "20x5", "8", 20, 5, false },
			  { "80x24-ascii", "80E", 80, 24, true },
			{ "status-80x24", "80jjjjjjjjj", 80, 24, false } };

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct world w;
		char path[64];

		madesession_init(&w.f);
		madesession_off_cpu(&w.f);
		make_bad(&w.f);
		driver_init(&w.d, &w.f, screens[i].w, screens[i].h, screens[i].ascii);
		driver_press(&w.d, screens[i].keys);
		snprintf(path, sizeof(path), "view/panes-quality-%s", screens[i].size);
		golden_screen(w.d.canvas, path);
		end(&w);
	}
	golden("quality-good-100x30", 100, 30, false, "8");
}

/* Most stacks walked in the kernel, some copied for several reasons, and a few compared. */
static void make_walked(struct made_session *f)
{
	struct profile_meta *m = &f->meta;

	m->unwound = (struct unwound){ .way = { 39620, 900, 0, 100 }, .learned = 60,
				       .walk = { [WALK_NOT_ASKED] = 300, [WALK_NO_PAGE] = 500, [WALK_NO_RULE] = 100 } };
	m->wait_unwound = (struct unwound){ .way = { 36500, 400, 0, 90 }, .learned = 20,
					    .walk = { [WALK_NOT_ASKED] = 250, [WALK_NO_PAGE] = 100,
						      [WALK_NO_RULE] = 50 } };
	m->rules_pages = 1234;
	m->rules = 87;
	m->rules_processes = 5;
	m->rules_evicted = 40;
	m->rules_bytes = 21 << 20;
	m->verify_checked = 400;
	m->verify_different = m->verify_cause[VERIFY_SHORTER] = 2;
	m->verify_incomplete = 7;
	m->verify_kernel_checked = 90;
	m->verify_kernel_different = 1;
}

static void how_stacks_were_unwound(void **state)
{
	static const struct {
		const char *size, *keys;
		int w, h;
	} screens[] = { { "200x60", "80", 200, 60 }, { "80x24", "80", 80, 24 }, { "40x10", "8G", 40, 10 },
			{ "20x5", "8G", 20, 5 } };

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct world w;
		char path[64];

		madesession_init(&w.f);
		madesession_off_cpu(&w.f);
		make_walked(&w.f);
		driver_init(&w.d, &w.f, screens[i].w, screens[i].h, false);
		driver_press(&w.d, screens[i].keys);
		snprintf(path, sizeof(path), "view/panes-ways-%s", screens[i].size);
		golden_screen(w.d.canvas, path);
		end(&w);
	}
}

static void frame_pointers_are_followed_in_the_kernel(void **state)
{
	struct world w;

	madesession_init(&w.f);
	w.f.meta.unwound = (struct unwound){ .way = { [WAY_FRAME_POINTERS] = 49, [WAY_NONE] = 1 } };
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "8");
	assert_screen_has(w.d.canvas, "how stacks of samples were unwound: 98.0 % of 50 in the kernel");
	assert_screen_has(w.d.canvas, "frame_pointers: unwound in the kernel by frame pointers");
	end(&w);
	madesession_init(&w.f);
	w.f.meta.unwound = (struct unwound){ .way = { [WAY_CPU_RECORDS] = 49, [WAY_NONE] = 1 } };
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "8");
	assert_screen_has(w.d.canvas, "records: taken from branch records of the CPU");
	end(&w);
}

/* A file at which sberf-worker has ended twice is named where they are counted, and why it did; others are not. */
static void files_that_are_left_alone_are_named(void **state)
{
	struct world w;

	madesession_init(&w.f);
	w.f.meta.files_left = 1;
	/* The line of files that could not be read in part has all of them, and is not shown without a number. */
	snprintf(w.f.meta.unread.text[0], UNREAD_TEXT, "/opt/odd.so: its debug information is odd");
	snprintf(w.f.meta.unread.text[1], UNREAD_TEXT, "/opt/bad.so: " UNREAD_LEFT ": it crashed (signal 7)");
	driver_init(&w.d, &w.f, 160, 60, false);
	driver_press(&w.d, "80G");
	assert_screen_has(w.d.canvas, "files_left: files at which it ended twice, and of which no more is read");
	assert_screen_has(w.d.canvas, "/opt/bad.so: no more of it is read: sberf-worker ended twice while it read it");
	assert_false(screen_has(w.d.canvas, "/opt/odd.so"));
	end(&w);

	(void)state;
}

/* Each plug-in has a line, with what it failed at; frames of Python that are missing have one for each reason. */
static void plugins_and_what_they_failed_at(void **state)
{
	static const char said[] =
		"python: 12 names in 2 processes; toy: it is not asked any more after its third fault: in resolve it "
		"took more than 5 ms; /opt/x.so: it cannot be used: it is not root's";
	struct world w;

	madesession_init(&w.f);
	snprintf(w.f.meta.plugins, sizeof(w.f.meta.plugins), "%s", said);
	w.f.meta.script_stacks = 20000;
	w.f.meta.script_unread = 71;
	w.f.meta.script_cut = 72;
	w.f.meta.script_unmatched = 73;
	w.f.meta.script_nameless = 74;
	w.f.meta.split_asked = 8000;
	w.f.meta.split_refused = 75;
	w.f.meta.worker_ended = 76;
	w.f.meta.files_left = 77;
	driver_init(&w.d, &w.f, 140, 60, false);
	driver_press(&w.d, "80G");
	assert_screen_has(w.d.canvas, "script_unread: stacks whose frames of Python could not be read to the end");
	assert_screen_has(w.d.canvas, "71");
	assert_screen_has(w.d.canvas, "script_cut: stacks with more frames of Python than there is room for");
	assert_screen_has(w.d.canvas, "script_unmatched: ");
	assert_screen_has(w.d.canvas, "script_nameless: frames of Python whose code was gone before its name was read");
	assert_screen_has(w.d.canvas, "split_refused: files that sberf-collector would not open: names may");
	assert_screen_has(w.d.canvas, "worker_ended: times that sberf-worker, which reads files, ended and was");
	assert_screen_has(w.d.canvas, "files_left: files at which it ended twice, and of which no more is read");
	assert_screen_has(w.d.canvas, "plugins: what plug-ins have named, and what they failed at");
	driver_press(&w.d, "<Right>");
	assert_screen_has(w.d.canvas, "python: 12 names in 2 processes");
	assert_screen_has(w.d.canvas, "toy: it is not asked any more after its third fault: in resolve it took");
	assert_screen_has(w.d.canvas, "/opt/x.so: it cannot be used: it is not root's");
	end(&w);
	/* None of it has anything to say where all went well. */
	madesession_init(&w.f);
	w.f.meta.script_stacks = 20000;
	driver_init(&w.d, &w.f, 140, 60, false);
	driver_press(&w.d, "80G");
	assert_false(screen_has(w.d.canvas, "script_unread"));
	assert_false(screen_has(w.d.canvas, "what plug-ins have named"));
	end(&w);
}

static void digits_show_and_hide(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, "0");
	assert_screen_has(w.d.canvas, "this is the only pane");
	driver_press(&w.d, "6");
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	assert_screen_has(w.d.canvas, "waits \xC2\xB7 ");
	driver_press(&w.d, "0");
	assert_false(screen_has(w.d.canvas, "by process"));
	assert_screen_has(w.d.canvas, "waits \xC2\xB7 ");
	driver_press(&w.d, "3");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	driver_press(&w.d, "6");
	assert_false(screen_has(w.d.canvas, "waits \xC2\xB7 "));
	driver_press(&w.d, "3");         /* the last one makes room for the tree */
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	assert_false(screen_has(w.d.canvas, "numa \xC2\xB7 "));
	end(&w);
}

static void escape_closes_the_pane_in_focus(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, "36<Esc>");
	assert_false(screen_has(w.d.canvas, "waits \xC2\xB7 "));
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	assert_false(driver_shows(&w.d, PANE_NUMA));  /* the tree is in focus */
	driver_press(&w.d, "<Esc><Tab><Esc><Esc>");
	assert_false(screen_has(w.d.canvas, "numa \xC2\xB7 "));
	assert_screen_has(w.d.canvas, "by process");
	end(&w);
}

/* A kind of time that nothing on screen shows brings the tree. */
static void kinds_bring_the_tree(void **state)
{
	struct world w;

	begin(&w, 100, 40, false, "60");
	driver_press(&w.d, "1");
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	driver_press(&w.d, "0");
	driver_press(&w.d, "2");         /* the list of waits has blocked time, and keeps to itself */
	assert_false(screen_has(w.d.canvas, "by process"));
	assert_screen_has(w.d.canvas, "blocked time is hidden");
	driver_press(&w.d, "36");
	assert_false(screen_has(w.d.canvas, "by process"));
	driver_press(&w.d, "2");
	assert_screen_has(w.d.canvas, "all time \xC2\xB7 by process");
	end(&w);
}

static const struct treeview *in_focus(const struct world *w)
{
	return view_tree(w->d.view);
}

static void keys_go_where_the_focus_is(void **state)
{
	struct world w;
	const struct treeview *tree, *waits;

	begin(&w, 100, 40, false, "");
	tree = in_focus(&w);
	driver_press(&w.d, "6jjj");
	waits = in_focus(&w);
	assert_ptr_not_equal(tree, waits);
	assert_true(waits->cursor == 3 && tree->cursor == 0);
	driver_press(&w.d, "<Tab>jj");
	assert_ptr_equal(in_focus(&w), tree);
	assert_true(waits->cursor == 3 && tree->cursor == 2);
	driver_press(&w.d, "3k");
	driver_press(&w.d, "<BackTab>");
	assert_ptr_equal(in_focus(&w), tree);
	driver_press(&w.d, "<BackTab>k");
	assert_ptr_equal(in_focus(&w), waits);
	assert_true(waits->cursor == 2 && tree->cursor == 2);
	assert_true(waits->list && tree->tree);
	end(&w);
}

/* The line of the screen that the cursor of TV is on, and what is there. */
static uint64_t place(const struct treeview *tv, size_t *ret_line)
{
	*ret_line = tv->cursor - tv->top;
	return treeview_at(tv, treeview_node(tv)).key;
}

static void refreshes_move_no_cursor(void **state)
{
	struct world w;
	const struct treeview *tree, *waits;
	size_t line[2], now[2];
	uint64_t key[2];

	begin(&w, 100, 40, false, "jjjjj");
	tree = in_focus(&w);
	driver_press(&w.d, "6jjjj");
	waits = in_focus(&w);
	key[0] = place(tree, &line[0]);
	key[1] = place(waits, &line[1]);
	for (unsigned int i = 0; i < 6; i++) {
		madesession_grow(&w.f, 50 + i, i % 2 ? 400 : 100);
		driver_press(&w.d, i % 3 ? "" : "<Tab>");
		driver_refresh(&w.d);
		assert_true(place(tree, &now[0]) == key[0] && now[0] == line[0]);
		assert_true(place(waits, &now[1]) == key[1] && now[1] == line[1]);
	}
	end(&w);
}

static void closed_panes_keep_their_place(void **state)
{
	struct world w;
	const struct treeview *waits;
	size_t line, now;
	uint64_t key;

	begin(&w, 100, 40, false, "6jjjj");
	waits = in_focus(&w);
	key = place(waits, &line);
	driver_press(&w.d, "6");
	assert_null(waits->list);
	driver_press(&w.d, "6");
	assert_true(place(waits, &now) == key);
	end(&w);
}

static void one_alone_and_all_again(void **state)
{
	struct world w;

	begin(&w, 80, 24, false, "36");
	assert_screen_has(w.d.canvas, "by process");
	driver_press(&w.d, "m");
	assert_false(screen_has(w.d.canvas, "by process"));
	assert_screen_has(w.d.canvas, "2 more: Tab");
	driver_press(&w.d, "<Tab>");             /* the next one, alone as well */
	assert_screen_has(w.d.canvas, "by process");
	assert_false(screen_has(w.d.canvas, "numa \xC2\xB7 "));
	driver_press(&w.d, "3");                 /* open, but not to be seen: comes to the front */
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	driver_press(&w.d, "m");
	assert_screen_has(w.d.canvas, "by process");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	assert_false(screen_has(w.d.canvas, "more: Tab"));
	end(&w);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct world w;

	begin(&w, 80, 16, false, "36");
	assert_screen_has(w.d.canvas, "1 more: Tab");
	assert_screen_has(w.d.canvas, "waits");
	driver_press(&w.d, "<Tab><Tab>");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	assert_false(screen_has(w.d.canvas, "waits \xC2\xB7"));
	driver_press(&w.d, "6");
	assert_screen_has(w.d.canvas, "waits");
	end(&w);
}

static void the_mouse_moves_the_focus(void **state)
{
	const struct treeview *tree, *waits;
	struct world w;

	begin(&w, 200, 40, false, "");
	tree = in_focus(&w);
	driver_press(&w.d, "6");
	waits = in_focus(&w);
	assert_int_equal(view_mouse(w.d.view, MOUSE_CLICK, 20, 7), REACT_DRAW);
	assert_ptr_equal(in_focus(&w), tree);
	assert_int_equal(tree->cursor, 3);
	view_mouse(w.d.view, MOUSE_CLICK, 130, 6);
	assert_ptr_equal(in_focus(&w), waits);
	assert_int_equal(waits->cursor, 2);
	view_mouse(w.d.view, MOUSE_WHEEL_DOWN, 20, 7);   /* where the pointer is, not the focus */
	assert_ptr_equal(in_focus(&w), waits);
	assert_int_equal(tree->cursor, 6);
	assert_int_equal(view_mouse(w.d.view, MOUSE_CLICK, 20, 0), REACT_NONE);
	end(&w);
}

/* What is shown together is of one moment: all of it is asked for from one snapshot. */
static void panes_agree(void **state)
{
	struct build_job job;
	struct snapshot *first = NULL;
	unsigned int jobs = 0;
	struct world w;

	begin(&w, 200, 50, false, "36");
	madesession_grow(&w.f, 55, 100);
	w.d.now_ns += 3600 * NSEC_PER_SEC;
	view_tick(w.d.view, w.d.now_ns);
	while (view_job(w.d.view, w.d.now_ns, &job)) {
		first = first ? first : job.snapshot;
		assert_ptr_equal(job.snapshot, first);
		if (!jobs++)
			assert_int_equal(job.what, PANE_WAITS);  /* in focus: first */
		w.f.published++;         /* newer ones come, and have to wait */
		view_give(w.d.view, build_now(w.f.m.names, &job), w.d.now_ns);
	}
	assert_int_equal(jobs, 3);
	end(&w);
}

/* Only what is open and on screen costs anything. */
static void hidden_panes_are_not_built(void **state)
{
	struct build_job job;
	struct world w;

	begin(&w, 80, 24, false, "36m");
	madesession_grow(&w.f, 55, 100);
	w.d.now_ns += 3600 * NSEC_PER_SEC;
	view_tick(w.d.view, w.d.now_ns);
	for (unsigned int jobs = 0; view_job(w.d.view, w.d.now_ns, &job); jobs++) {
		assert_true(!jobs && job.what == PANE_WAITS);
		view_give(w.d.view, build_now(w.f.m.names, &job), w.d.now_ns);
	}
	driver_press(&w.d, "<Tab>");             /* now it is, from what is newest */
	assert_screen_has(w.d.canvas, "by process");
	end(&w);
}

static void panes_come_back(void **state)
{
	const struct remembered what = { .open = 1u << PANE_NUMA | 1u << PANE_WAITS | 1u << PANE_FUNCS,
					 .focus = PANE_WAITS };
	static const struct ui_options options = { .refresh_ns = NSEC_PER_SEC };
	struct remembered now;
	struct world w;

	begin(&w, 100, 40, false, "3560");
	now = view_panes(w.d.view);
	assert_true(remembered_same(&now, &what));
	driver_free(&w.d);
	w.f.numa = false;
	w.d = (struct driver){ .session = &w.f, .canvas = canvas_new(100, 40, false), .now_ns = MADE_START_NS };
	w.d.view = view_new(&w.f.session, &options);
	view_restore(w.d.view, &what);
	driver_refresh(&w.d);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "waits");
	assert_screen_has(w.d.canvas, "functions");
	assert_screen_has(w.d.canvas, "numa \xC2\xB7 2 nodes");
	assert_true(driver_shows(&w.d, PANE_WAITS));
	assert_true(w.f.numa);                   /* as if 3 had been pressed */
	end(&w);
}

/* Where waits are not followed there is no list of them, whatever was open last time. */
static void panes_without_anything_do_not(void **state)
{
	const struct remembered what = { .open = 1u << PANE_WAITS, .focus = PANE_WAITS };
	static const struct ui_options options = { .refresh_ns = NSEC_PER_SEC };
	struct world w;

	madesession_init(&w.f);
	madesession_server(&w.f);
	w.d = (struct driver){ .session = &w.f, .canvas = canvas_new(100, 40, false), .now_ns = MADE_START_NS };
	w.d.view = view_new(&w.f.session, &options);
	view_restore(w.d.view, &what);
	driver_refresh(&w.d);
	assert_screen_has(w.d.canvas, "by process");
	assert_false(driver_shows(&w.d, PANE_WAITS));
	end(&w);
}

static void every_size_says_something(void **state)
{
	struct world w;

	begin(&w, 1, 1, false, "345678");
	for (int h = 1; h <= 30; h += h < 12 ? 1 : 5) {
		for (int x = 1; x <= 220; x += 9) {
			AUTO_FREE char *text = NULL;

			assert_true(canvas_resize(w.d.canvas, x, h));
			view_draw(w.d.view, w.d.canvas);
			text = canvas_dump(w.d.canvas);
			if (x >= 8)
				assert_true(strspn(text, " \n") < strlen(text));
			driver_press(&w.d, h % 2 ? "<Tab>jE/o<Enter>" : "<BackTab>?<Esc>Cmmz<Esc>36");
		}
	}
	end(&w);
}

/* No key is lost in silence. */
static void keys_of_other_panes_say_so(void **state)
{
	struct world w;

	begin(&w, 100, 30, false, "58");
	driver_press(&w.d, "i");
	assert_true(screen_has(w.d.canvas, "i works in tree, not in quality: Tab leads there"));
	driver_press(&w.d, "v");
	assert_true(screen_has(w.d.canvas, "v works in time, not in quality: 9 shows it"));
	driver_press(&w.d, "y");
	assert_true(screen_has(w.d.canvas, "that key does nothing here: ? lists those that do"));
	assert_int_equal(view_key(w.d.view, UI_KEY_UNKNOWN), REACT_NONE);
	driver_press(&w.d, "j");
	assert_false(screen_has(w.d.canvas, "does nothing here"));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(functions),
		cmocka_unit_test(modules),
		cmocka_unit_test(modules_share_all_there_is),
		cmocka_unit_test(functions_lead_into_the_tree),
		cmocka_unit_test(threads),
		cmocka_unit_test(a_thread_can_be_looked_at_alone),
		cmocka_unit_test(threads_of_the_command_line_stay),
		cmocka_unit_test(how_stacks_were_unwound),
		cmocka_unit_test(frame_pointers_are_followed_in_the_kernel),
		cmocka_unit_test(how_good_figures_are),
		cmocka_unit_test(files_that_are_left_alone_are_named),
		cmocka_unit_test(plugins_and_what_they_failed_at),
		cmocka_unit_test(digits_show_and_hide),
		cmocka_unit_test(escape_closes_the_pane_in_focus),
		cmocka_unit_test(kinds_bring_the_tree),
		cmocka_unit_test(keys_go_where_the_focus_is),
		cmocka_unit_test(keys_of_other_panes_say_so),
		cmocka_unit_test(refreshes_move_no_cursor),
		cmocka_unit_test(closed_panes_keep_their_place),
		cmocka_unit_test(one_alone_and_all_again),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(the_mouse_moves_the_focus),
		cmocka_unit_test(panes_agree),
		cmocka_unit_test(hidden_panes_are_not_built),
		cmocka_unit_test(panes_come_back),
		cmocka_unit_test(panes_without_anything_do_not),
		cmocka_unit_test(every_size_says_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
