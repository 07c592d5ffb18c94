/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view.c - what the screen shows: made profiles and keys, compared with the screens in tests/golden/view. With
 * SBERF_GOLDEN=write in the environment the screens are written instead; review them as a diff.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "ui/treeview.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const struct driver *d, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "view/%s", name);
	golden_screen(d->canvas, path);
}

/* Shows the made server in W x H, presses KEYS and compares. */
static void server(const char *name, int w, int h, bool ascii, const char *keys)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, w, h, ascii);
	driver_press(&d, keys);
	expect(&d, name);
	driver_free(&d);
	madesession_free(&f);
}

/* The same with the waits of the server. */
static void off_cpu(const char *name, int w, int h, bool ascii, const char *keys)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	driver_init(&d, &f, w, h, ascii);
	driver_press(&d, keys);
	expect(&d, name);
	driver_free(&d);
	madesession_free(&f);
}

static void first_screens(void **state)
{
	server("server-100x30", 100, 30, false, "");
	server("server-80x24", 80, 24, false, "");
	server("server-40x10", 40, 10, false, "");
	server("server-20x5", 20, 5, false, "");
	server("server-200x50", 200, 50, false, "");
	server("server-80x24-ascii", 80, 24, true, "");
	server("server-40x10-ascii", 40, 10, true, "");
	server("server-20x5-ascii", 20, 5, true, "");
}

static void screens_with_waits(void **state)
{
	off_cpu("off-100x30", 100, 30, false, "");
	off_cpu("off-80x24", 80, 24, false, "");
	off_cpu("off-60x20", 60, 20, false, "");
	off_cpu("off-40x10", 40, 10, false, "");
	off_cpu("off-20x5", 20, 5, false, "");
	off_cpu("off-200x50", 200, 50, false, "E");
	off_cpu("off-80x24-ascii", 80, 24, true, "");
	off_cpu("off-40x10-ascii", 40, 10, true, "");
}

static void kinds_and_idle_waits(void **state)
{
	off_cpu("off-idle-100x30", 100, 30, false, "w");
	off_cpu("off-blocked-100x30", 100, 30, false, "1u");
	off_cpu("off-on-cpu-100x30", 100, 30, false, "2u");
	off_cpu("off-last-kind-80x24", 80, 24, false, "12u");
	off_cpu("off-sort-self-80x24", 80, 24, false, "s");
	off_cpu("off-sort-blocked-80x24", 80, 24, false, "ssss");
	off_cpu("off-inverted-100x30", 100, 30, false, "i");
	off_cpu("off-help-100x30", 100, 30, false, "?");
}

static void lists_of_waits(void **state)
{
	off_cpu("waits-100x30", 100, 30, false, "60E");
	off_cpu("waits-80x24", 80, 24, false, "60");
	off_cpu("waits-60x20", 60, 20, false, "60");
	off_cpu("waits-40x10", 40, 10, false, "6");
	off_cpu("waits-20x5", 20, 5, false, "6");
	off_cpu("waits-200x50", 200, 50, false, "60wE");
	off_cpu("waits-80x24-ascii", 80, 24, true, "60wE");
	off_cpu("waits-search-100x30", 100, 30, false, "60/fsync<Enter>");
	off_cpu("waits-fold-100x30", 100, 30, false, "60Cj<Enter>jj2");
	off_cpu("waits-help-100x30", 100, 30, false, "60?");
	off_cpu("waits-left-100x30", 100, 30, false, "jjj60jj/x<Esc><Esc>");
}

/* Shows what SET_UP made for SECONDS in several sizes and panes. */
static void still_waiting(void (*set_up)(struct made_session *f, unsigned int seconds), const char *name,
			  unsigned int seconds)
{
	static const struct {
		const char *size, *keys;
		int w, h;
	} screens[] = { { "100x30", "", 100, 30 }, { "80x24", "", 80, 24 }, { "40x10", "", 40, 10 },
			{ "20x5", "", 20, 5 },
			{ "waits-100x30", "60", 100, 30 }, { "waits-40x10", "6", 40, 10 } };

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		char golden[128];
		struct made_session f;
		struct driver d;

		madesession_init(&f);
		set_up(&f, seconds);
		driver_init(&d, &f, screens[i].w, screens[i].h, false);
		driver_press(&d, screens[i].keys);
		snprintf(golden, sizeof(golden), "%s-%s", name, screens[i].size);
		expect(&d, golden);
		driver_free(&d);
		madesession_free(&f);
	}
}

static void waits_without_an_end(void **state)
{
	still_waiting(madesession_deadlock, "deadlock", 12);
	still_waiting(madesession_deadlock, "locked", 4);
	still_waiting(madesession_sleeper, "sleeper", 300);
}

static void waits_for_limits(void **state)
{
	still_waiting(madesession_limits, "limits", 60);
}

static void moving_and_folding(void **state)
{
	server("move-100x30", 100, 30, false, "jjj<Enter>G<Up>");
	server("fold-100x30", 100, 30, false, "jjjc<Right><Left>-");
	server("levels-100x30", 100, 30, false, "CeeeEj<Down>cg");
	server("all-80x24", 80, 24, false, "E<PgDn><PgDn>");
	server("all-20x5", 20, 5, false, "E<PgDn><PgDn>");
}

static void searching(void **state)
{
	server("search-typing-100x30", 100, 30, false, "/comm");
	server("search-kept-100x30", 100, 30, false, "C/command<Enter>n");
	server("search-previous-80x24", 80, 24, false, "/COMMAND<^U>Command<BS><BS><Enter>N");
	server("search-none-80x24", 80, 24, true, "jj/nosuch");
	server("search-cancelled-80x24", 80, 24, false, "Cj/fsync<Esc>");
	server("search-20x5", 20, 5, false, "/dict");
}

static void questions(void **state)
{
	server("zoom-100x30", 100, 30, false, "/call<Enter>z");
	server("zoom-back-100x30", 100, 30, false, "/call<Enter>z<Esc><Esc>");
	server("inverted-100x30", 100, 30, false, "it");
	server("thread-100x30", 100, 30, false, "ttt");
	server("none-80x24", 80, 24, false, "tttttt");
	server("no-kernel-100x30", 100, 30, false, "K");
	server("sort-self-80x24", 80, 24, false, "sE");
	server("sort-name-80x24", 80, 24, false, "ssE");
}

static void help(void **state)
{
	server("help-100x30", 100, 30, false, "?");
	server("help-80x24", 80, 24, false, "<F1>");
	server("help-40x10", 40, 10, true, "?jj");
	server("help-left-80x24", 80, 24, false, "?q");
}

static void hostile_names(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_hostile(&f);
	driver_init(&d, &f, 100, 30, false);
	expect(&d, "hostile-100x30");
	driver_resize(&d, 40, 16);
	expect(&d, "hostile-40x16");
	driver_resize(&d, 20, 8);
	expect(&d, "hostile-20x8");
	driver_free(&d);
	driver_init(&d, &f, 80, 24, true);
	expect(&d, "hostile-80x24-ascii");
	driver_free(&d);
	madesession_free(&f);
}

/*
 * A process that is there and of which nothing is told, not even that it waits, is hidden; before
 * that can be known it is waited for.
 */
static void a_target_that_the_kernel_hides(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	f.silent = true;
	f.meta.target_state = TARGET_WAITING;
	f.meta.named = f.meta.off_cpu = true;
	f.meta.duration_ns = 2 * NSEC_PER_SEC - 1;
	snprintf(f.meta.target, sizeof(f.meta.target), "agent 1");
	driver_init(&d, &f, 80, 24, false);
	assert_true(screen_has(d.canvas, "waiting for agent 1 to run or wait ..."));
	f.meta.duration_ns = 2 * NSEC_PER_SEC;
	driver_refresh(&d);
	expect(&d, "hidden-80x24");
	driver_resize(&d, 40, 10);
	expect(&d, "hidden-40x10");
	f.meta.oncpu_ns = 1;                     /* it runs, on a CPU without samples */
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "waiting for agent 1"));
	f.meta.oncpu_ns = 0;
	f.meta.named = false;                    /* a cgroup may be empty */
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "waiting for agent 1"));
	driver_free(&d);
	madesession_free(&f);
}

/*
 * With -n NAME --wait nobody may have the name yet: it is not hidden, it is not there, and the view
 * says what it waits for.
 */
static void a_name_that_nobody_has_yet(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	f.silent = true;
	f.meta.target_state = TARGET_WAITING;
	f.meta.absent = f.meta.off_cpu = true;
	f.meta.duration_ns = 3600 * NSEC_PER_SEC;
	snprintf(f.meta.target, sizeof(f.meta.target), "worker");
	driver_init(&d, &f, 80, 24, false);
	assert_true(screen_has(d.canvas, "waiting for a process called 'worker' to start ..."));
	driver_free(&d);
	madesession_free(&f);
}

static void states_of_the_target(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	f.silent = true;
	f.meta.target_state = TARGET_WAITING;
	snprintf(f.meta.target, sizeof(f.meta.target), "redis-server");
	driver_init(&d, &f, 80, 24, false);
	expect(&d, "waiting-80x24");
	for (int i = 0; i < 4; i++)
		driver_refresh(&d);
	expect(&d, "waiting-long-80x24");
	driver_resize(&d, 30, 6);
	expect(&d, "waiting-30x6");
	f.meta.target_state = TARGET_RUNNING;
	driver_resize(&d, 80, 24);
	driver_refresh(&d);
	expect(&d, "no-sample-80x24");
	f.silent = false;
	madesession_server(&f);
	driver_refresh(&d);
	driver_press(&d, "jj");
	f.meta.target_state = TARGET_EXITED;
	f.meta.end_code = 3;
	f.ended = true;
	driver_refresh(&d);
	expect(&d, "exited-80x24");
	driver_press(&d, "j");
	f.meta.target_state = TARGET_KILLED;
	f.meta.end_code = 11;
	driver_refresh(&d);
	expect(&d, "killed-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void idle_waits_give_way_to_work(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	f.meta.off_cpu = true;
	driver_init(&d, &f, 80, 24, false);
	assert_true(screen_has(d.canvas, "waiting for the first sample or wait of app 7 ..."));
	madesession_sleeper(&f, 3);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "take_a_nap") && screen_has(d.canvas, "with idle"));
	madesession_add(&f, 2, "main;work", 10);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "work") && screen_has(d.canvas, "idle waits of 1 thread"));
	assert_false(screen_has(d.canvas, "take_a_nap"));
	driver_press(&d, "w");           /* from now on it is as the user says */
	assert_true(screen_has(d.canvas, "take_a_nap"));
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "take_a_nap"));
	driver_press(&d, "w1");
	assert_true(screen_has(d.canvas, "Nothing but idle waits so far: w shows them."));
	driver_free(&d);

	driver_init(&d, &f, 80, 24, false);
	profile_clear(f.m.p);
	madesession_sleeper(&f, 3);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "take_a_nap"));
	driver_press(&d, "j");           /* nothing goes away under a hand that moves */
	madesession_add(&f, 2, "main;work", 10);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "take_a_nap"));
	driver_free(&d);
	madesession_free(&f);
}

static void levels_follow_the_figures(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_sleeper(&f, 300);               /* all of it in one slice */
	driver_init(&d, &f, 100, 30, false);
	for (unsigned int i = 0; i < 20; i++) {
		f.meta.duration_ns += NSEC_PER_SEC;
		f.meta.blocked_ns += (i % 2 ? 3 : 1) * NSEC_PER_SEC;
		f.meta.oncpu_ns += NSEC_PER_SEC / 2;
		driver_refresh(&d);
	}
	assert_true(screen_has(d.canvas, " 0.50 cores") && screen_has(d.canvas, " 2.33 "));
	expect(&d, "off-levels-100x30");
	f.meta.blocked_ns = 0;                   /* forgotten: what the slices say is better than nothing */
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, " 1.00 "));
	driver_free(&d);
	madesession_free(&f);
}

static void figures_and_snapshots_are_told_at_other_times(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_sleeper(&f, 4);
	for (int late = -1; late <= 1; late++) {
		f.meta.duration_ns = 4 * NSEC_PER_SEC + (uint64_t)(late * 300) * NSEC_PER_MSEC;
		driver_init(&d, &f, 80, 24, false);
		assert_true(screen_has(d.canvas, " 100.0 % \xE2\x96\x88"));
		driver_free(&d);
	}
	madesession_free(&f);
}

static void percentages_are_of_the_time_since_the_reset(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	driver_init(&d, &f, 80, 24, false);
	assert_true(screen_has(d.canvas, " 57.5 % "));
	driver_press(&d, "r");
	f.meta.duration_ns += 10 * NSEC_PER_SEC;
	madesession_grow(&f, 65, 250);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, " 25.0 % "));
	driver_press(&d, "p");           /* what was 100 % then still is */
	f.meta.duration_ns += 10 * NSEC_PER_SEC;
	driver_press(&d, "i");
	assert_true(screen_has(d.canvas, " 25.0 % "));
	driver_free(&d);
	madesession_free(&f);
}

static void keys_wait_for_their_pane(void **state)
{
	static const char keys[] = "60C/fsync\r";
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	driver_init(&d, &f, 100, 30, false);
	for (const char *k = keys; *k; k++)
		view_key(d.view, *k == '\r' ? UI_KEY_ENTER : (uint32_t)*k);
	driver_refresh(&d);
	expect(&d, "waits-typed-100x30");
	view_key(d.view, '0');
	view_key(d.view, 'm');
	view_key(d.view, 'E');
	assert_int_equal(view_key(d.view, UI_KEY_ESC), REACT_NONE);
	view_key(d.view, 'z');
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "quicklist") || screen_has(d.canvas, "dictHashKey"));
	view_key(d.view, '3');
	assert_int_equal(view_key(d.view, 'q'), REACT_QUIT);
	driver_free(&d);
	madesession_free(&f);
}

static void filters_are_named(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top", .min_block_ns = 5 * NSEC_PER_MSEC };
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	o.filter.states = 1u << WAIT_UNINTERRUPTIBLE | 1u << WAIT_INTERRUPTIBLE;
	o.filter.calls[o.filter.nr_calls++] = call_find("fsync", MADE_ARCH);
	o.filter.calls[o.filter.nr_calls++] = call_find("read", MADE_ARCH);
	made_term(&o.filter, "thread:bio_*");
	driver_init_with(&d, &f, &o, 160, 24);
	expect(&d, "off-filters-160x24");
	driver_press(&d, "1");
	assert_true(screen_has(d.canvas, "running time is left out by a filter of waits"));
	driver_press(&d, "60");
	expect(&d, "waits-filters-160x24");
	driver_free(&d);
	made_only(&o.filter, "thread:\033[2J*");
	driver_init_with(&d, &f, &o, 160, 24);
	assert_true(screen_has(d.canvas, "filter: thread:\xEF\xBF\xBD[2J*"));
	assert_true(screen_has(d.canvas, " waits of redis-server 1234 so far, none in this view"));
	driver_free(&d);
	o.filter = (struct query){ .measures = MEASURES_ON_CPU };
	driver_init_with(&d, &f, &o, 80, 24);
	expect(&d, "off-metric-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void wakers_are_asked_for(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	driver_init(&d, &f, 80, 24, false);
	driver_press(&d, "W");
	assert_true(f.wakers && screen_has(d.canvas,
					   "wakers on: each new wait names the thread that ended it; costs more"));
	driver_press(&d, "W");
	assert_true(!f.wakers && screen_has(d.canvas, "wakers off"));
	f.session.wakers = NULL;            /* a recording has them or not */
	driver_press(&d, "jW");
	assert_false(screen_has(d.canvas, "wakers o"));
	driver_free(&d);
	madesession_free(&f);
}

static void figures_of_waits(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	f.meta.wait_cut[CUT_COMPLETE] -= 900;
	f.meta.wait_cut[CUT_NO_CFI] += 900;
	f.meta.wait_none_ns = 20 * NSEC_PER_SEC;
	f.meta.lost.n[LOST_SWITCH] = 3;
	driver_init(&d, &f, 100, 30, false);
	expect(&d, "off-losses-100x30");
	driver_resize(&d, 80, 24);
	expect(&d, "off-losses-80x24");
	driver_resize(&d, 40, 10);
	expect(&d, "off-losses-40x10");
	f.ended = true;
	f.meta.complete = true;
	driver_resize(&d, 100, 30);
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, " cores on average"));
	driver_free(&d);
	madesession_free(&f);
}

static void recording_without_its_end(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	f.ended = true;
	f.meta.file_bytes = 3 << 20;
	f.meta.symbols_pending = 12;
	driver_init(&d, &f, 80, 24, false);
	expect(&d, "cut-off-80x24");
	driver_resize(&d, 40, 10);
	expect(&d, "cut-off-40x10");
	f.meta.complete = true;
	driver_resize(&d, 80, 24);
	driver_refresh(&d);
	expect(&d, "recording-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void a_function_without_a_name_says_why(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_add(&f, 0, "main;app+0x4700", 10);
	driver_init(&d, &f, 132, 24, false);
	driver_press(&d, "E");
	driver_press(&d, "G");
	assert_screen_has(d.canvas, " app+0x4700 \xC2\xB7 stripped: install its debug symbols, "
			  "or use --debuginfod \xC2\xB7 self");
	driver_resize(&d, 80, 24);
	assert_screen_has(d.canvas, " app+0x4700 \xC2\xB7 stripped \xC2\xB7 self");
	driver_free(&d);
	madesession_free(&f);
}

/* The third line of the screen, in memory of its own. */
static char *third_line(struct driver *d)
{
	AUTO_FREE char *screen = canvas_dump(d->canvas);
	const char *line = strchr(strchr(screen, '\n') + 1, '\n') + 1;

	return strndup(line, strcspn(line, "\n"));
}

static void pending_symbols_displace_nothing(void **state)
{
	static const int widths[] = { 80, 100, 132, 200 };
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_off_cpu(&f);
	driver_init(&d, &f, 80, 24, false);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		AUTO_FREE char *before = NULL, *line = NULL;
		const char *own;

		f.meta.symbols_pending = 0;
		driver_resize(&d, widths[i], 24);
		driver_refresh(&d);
		before = third_line(&d);
		f.meta.symbols_pending = 4;
		driver_refresh(&d);
		line = third_line(&d);
		own = strstr(before, "with stack");
		assert_non_null(own);
		assert_memory_equal(line, before, (size_t)(own - before) + strlen("with stack"));
		assert_true(widths[i] < 132 || strstr(line, "4 symbols pending"));
	}
	driver_free(&d);
	madesession_free(&f);
}

static void long_target(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	snprintf(f.meta.target, sizeof(f.meta.target), "python3 -m http.server --directory /srv/www 8080");
	f.meta.samples = f.meta.symbols_pending = 1;
	driver_init(&d, &f, 80, 24, false);
	expect(&d, "long-target-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void losses_and_doubts(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	for (unsigned int i = 0; i < LOST_NR; i++)
		f.meta.lost.n[i] = 1000 + i;
	f.meta.cut[CUT_COMPLETE] -= 300;
	f.meta.cut[CUT_NO_CFI] += 300;
	f.meta.freq_got = 61;
	f.meta.symbols_pending = 1234;
	f.meta.late = 5;
	f.meta.bpf_cpu_ns = META_UNKNOWN;
	driver_init(&d, &f, 100, 30, false);
	expect(&d, "losses-100x30");
	driver_resize(&d, 80, 24);
	expect(&d, "losses-80x24");
	driver_resize(&d, 40, 10);
	expect(&d, "losses-40x10");
	driver_resize(&d, 20, 5);
	expect(&d, "losses-20x5");
	driver_free(&d);
	madesession_free(&f);
}

/* SECONDS pass in which LOST samples are lost for each hundred that arrive in a second. */
static void pass(struct driver *d, struct made_session *f, unsigned int seconds, unsigned int lost)
{
	for (unsigned int i = 0; i < seconds; i++) {
		madesession_grow(f, (unsigned int)(f->meta.duration_ns / NSEC_PER_SEC), 100);
		f->meta.duration_ns += NSEC_PER_SEC;
		f->meta.lost.n[LOST_BACKLOG] += lost;
		driver_refresh(d);
	}
}

static void lost_samples_make_cores_a_lower_limit(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	f.meta.lost.n[LOST_SIDE_BAND] = 1000;    /* no samples */
	driver_init(&d, &f, 100, 30, false);
	pass(&d, &f, 4, 5);
	assert_true(screen_has(d.canvas, " ~1.00 cores now"));
	pass(&d, &f, 4, 200);
	assert_true(screen_has(d.canvas, " at least 1.00 cores now"));
	expect(&d, "thin-100x30");
	driver_resize(&d, 40, 10);
	assert_true(screen_has(d.canvas, ">=1.00 cores"));
	driver_resize(&d, 100, 30);
	pass(&d, &f, 6, 0);              /* lately all is well, on average it is not */
	assert_true(screen_has(d.canvas, " ~1.00 cores now"));
	f.ended = true;
	driver_refresh(&d);
	assert_true(screen_has(d.canvas, "at least 0.32 cores on average"));
	driver_free(&d);
	madesession_free(&f);
}

static void saving_asks_for_a_kind(void **state)
{
	struct made_session f;
	struct driver d;
	struct save_job job;

	server("save-80x24", 80, 24, false, "S");
	server("save-40x10", 40, 10, false, "S");
	server("save-40x9", 40, 9, false, "S");
	server("save-20x5", 20, 5, false, "S");
	madesession_init(&f);
	driver_init(&d, &f, 80, 24, false);
	assert_int_equal(view_key(d.view, 'S'), REACT_DRAW);
	/* Nothing is there: it does not ask. */
	assert_int_equal(view_key(d.view, 'q'), REACT_QUIT);
	madesession_server(&f);
	driver_refresh(&d);
	driver_press(&d, "jzi");
	assert_int_equal(view_key(d.view, 'S'), REACT_DRAW);
	assert_int_equal(view_key(d.view, 'x'), REACT_NONE);
	assert_int_equal(view_key(d.view, 'p'), REACT_SAVE);
	view_save_job(d.view, &job);
	assert_ptr_equal(job.exporter, &exporter_pprof);
	assert_true(job.query.inverted && !job.query.nr_within);
	snapshot_unref(job.snapshot);
	driver_press(&d, "i");
	assert_int_equal(view_key(d.view, 'S'), REACT_DRAW);
	assert_int_equal(view_key(d.view, UI_KEY_ENTER), REACT_SAVE);
	view_save_job(d.view, &job);
	assert_ptr_equal(job.exporter, &exporter_svg);
	assert_false(job.query.inverted);
	assert_int_equal(job.query.nr_within, 2);
	assert_non_null(strstr(job.title, " in main"));
	snapshot_unref(job.snapshot);
	driver_free(&d);
	madesession_free(&f);
}

static struct recording_status recording;
static const char *news;

static void tell_recording(void *ctx, struct recording_status *ret)
{
	*ret = recording;
}

static int nothing_recorded(void *ctx, char *text, size_t size, struct err *e)
{
	return 0;
}

static bool tell_news(void *ctx, char *text, size_t size)
{
	if (!news)
		return false;
	snprintf(text, size, "%s", news);
	news = NULL;
	return true;
}

static int serves(void *owner, char *text, size_t size, struct err *e)
{
	if (owner)
		return err_set(e, EADDRINUSE, "there is no port");
	snprintf(text, size, "http://127.0.0.1:7007/secret/");
	return 0;
}

static void a_page_has_an_address(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, 100, 30, false);
	f.session.serve = serves;
	driver_press(&d, "U");
	assert_true(screen_has(d.canvas, "http://127.0.0.1:7007/secret/"));
	driver_press(&d, "j");
	assert_false(screen_has(d.canvas, "http:"));
	f.session.owner = &f;
	driver_press(&d, "U");
	assert_true(screen_has(d.canvas, "there is no port"));
	driver_free(&d);
	madesession_free(&f);
}

static void recordings_are_in_the_header(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, 100, 30, false);
	assert_int_equal(view_key(d.view, 'R'), REACT_DRAW);     /* that it does nothing here */
	f.session.recording = tell_recording;
	f.session.record = nothing_recorded;
	f.session.news = tell_news;
	assert_int_equal(view_key(d.view, 'R'), REACT_RECORD);
	recording = (struct recording_status){ .state = RECORDING_GOING, .bytes = 1258291 };
	driver_refresh(&d);
	expect(&d, "recording-on-100x30");
	driver_resize(&d, 40, 10);
	expect(&d, "recording-on-40x10");
	driver_resize(&d, 100, 30);
	recording.state = RECORDING_ENDING;
	driver_refresh(&d);
	expect(&d, "recording-ending-100x30");
	recording = (struct recording_status){ .state = RECORDING_KEEPING, .bytes = 3u << 20,
						.keep_ns = 300 * NSEC_PER_SEC };
	news = "cannot write to sberf-1.sberf: No space left on device; the view goes on";
	driver_refresh(&d);
	expect(&d, "recording-keeping-100x30");
	recording.state = RECORDING_NONE;
	f.ended = true;
	assert_int_equal(view_key(d.view, 'R'), REACT_DRAW);     /* that it does nothing here */
	driver_free(&d);
	madesession_free(&f);
}

static void pause_freezes_the_view_only(void **state)
{
	struct made_session f;
	AUTO_FREE char *dump = NULL;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, 80, 24, false);
	driver_press(&d, "p");
	madesession_add(&f, 59, "main;newcomer", 500);
	driver_refresh(&d);
	expect(&d, "paused-80x24");
	driver_press(&d, "r");
	assert_int_equal(f.resets, 0);           /* what one looks at does not go away under one's eyes */
	assert_true(screen_has(d.canvas, "the view is paused, nothing was forgotten: press p first"));
	driver_press(&d, "i");
	assert_false(screen_has(d.canvas, "nothing was forgotten"));
	dump = canvas_dump(d.canvas);
	assert_null(strstr(dump, "newcomer"));
	driver_press(&d, "ip");
	expect(&d, "unpaused-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void reset_forgets(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, 80, 24, false);
	driver_press(&d, "jjjr");
	assert_int_equal(f.resets, 1);
	assert_false(view_has_tree(d.view));
	driver_press(&d, "jkGg<Enter>+-eEcCz<Esc>/x<Enter>nNsitK<Unknown><PgUp>");
	expect(&d, "reset-80x24");
	f.session.reset = NULL;
	driver_press(&d, "r?");
	expect(&d, "help-no-reset-80x24");
	driver_free(&d);
	madesession_free(&f);
}

static void every_size_says_something(void **state)
{
	struct made_session f;
	struct driver d;

	madesession_init(&f);
	madesession_server(&f);
	madesession_off_cpu(&f);
	f.meta.lost.n[LOST_RING_FULL] = 7;
	driver_init(&d, &f, 1, 1, false);
	for (int h = 1; h <= 12; h++) {
		for (int w = 1; w <= 120; w++) {
			AUTO_FREE char *text = NULL;

			driver_resize(&d, w, h);
			text = canvas_dump(d.canvas);
			if (w >= 8)
				assert_true(strspn(text, " \n") < strlen(text));
			driver_press(&d, h % 2 ? "jE/a<Enter>6" : "?<Esc>kC<Esc><Esc>w");
		}
	}
	driver_free(&d);
	madesession_free(&f);
}

static void what_is_on_screen_is_named_first(void **state)
{
	struct made_session f;
	struct driver d;
	const struct treeview *tv;

	madesession_init(&f);
	madesession_server(&f);
	driver_init(&d, &f, 80, 24, false);
	tv = view_tree(d.view);
	assert_in_range(f.n_preferred, 10, tv->rows.n);
	f.n_preferred = 0;
	driver_refresh(&d);
	assert_int_equal(f.n_preferred, 0);      /* nothing new on screen: not asked again */
	driver_press(&d, "E");
	assert_int_not_equal(f.n_preferred, 0);
	driver_free(&d);
	madesession_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_screens),
		cmocka_unit_test(screens_with_waits),
		cmocka_unit_test(kinds_and_idle_waits),
		cmocka_unit_test(lists_of_waits),
		cmocka_unit_test(waits_for_limits),
		cmocka_unit_test(waits_without_an_end),
		cmocka_unit_test(moving_and_folding),
		cmocka_unit_test(searching),
		cmocka_unit_test(questions),
		cmocka_unit_test(help),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(a_target_that_the_kernel_hides),
		cmocka_unit_test(a_name_that_nobody_has_yet),
		cmocka_unit_test(states_of_the_target),
		cmocka_unit_test(idle_waits_give_way_to_work),
		cmocka_unit_test(levels_follow_the_figures),
		cmocka_unit_test(figures_and_snapshots_are_told_at_other_times),
		cmocka_unit_test(percentages_are_of_the_time_since_the_reset),
		cmocka_unit_test(keys_wait_for_their_pane),
		cmocka_unit_test(filters_are_named),
		cmocka_unit_test(wakers_are_asked_for),
		cmocka_unit_test(figures_of_waits),
		cmocka_unit_test(recording_without_its_end),
		cmocka_unit_test(a_function_without_a_name_says_why),
		cmocka_unit_test(pending_symbols_displace_nothing),
		cmocka_unit_test(long_target),
		cmocka_unit_test(losses_and_doubts),
		cmocka_unit_test(lost_samples_make_cores_a_lower_limit),
		cmocka_unit_test(saving_asks_for_a_kind),
		cmocka_unit_test(recordings_are_in_the_header),
		cmocka_unit_test(a_page_has_an_address),
		cmocka_unit_test(pause_freezes_the_view_only),
		cmocka_unit_test(reset_forgets),
		cmocka_unit_test(every_size_says_something),
		cmocka_unit_test(what_is_on_screen_is_named_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
