/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_probes.c - the pane of probes on a made server: its lines, closed and open, in all sizes. With
 * SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/world.h"

#include "base/clock.h"
#include "model/probenotes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define US NSEC_PER_USEC
#define MS NSEC_PER_MSEC

static uint32_t probe(const char *text, enum measure_unit unit)
{
	return probes_add(text, strlen(text), unit);
}

static void add_hits(struct made *m)
{
	static const char serve[] = "main;aeMain;readQueryFromClient;processCommand;call";
	static const char save[] = "start_thread;bioProcessBackgroundJobs;fsync";
	const thread_id app = made_thread(m, 1234, 1234, "redis-server"), bio = made_thread(m, 1234, 1236, "bio_aof");
	const uint64_t at = MADE_START_NS + 3 * NSEC_PER_SEC;
	AUTO(probe_notes_unref) struct probe_notes *notes = NULL;
	uint32_t call, sync, bytes, heap;
	struct probe_seen seen;

	call = probe("call:redis-server:call", UNIT_TIME);
	sync = probe("sys:fsync", UNIT_TIME);
	bytes = probe("uprobe:redis-server:addReplyBulk /arg1 > 4096 && comm == \"redis-server\"/ sum(arg1)",
		      UNIT_COUNT);
	heap = probe("usdt:libc.so.6:libc:memory_heap_new", UNIT_COUNT);
	if (!probes_places(call).sites)
		probes_note_places(call, &(struct probe_places){ .sites = 3, .processes = 2, .failed = 1,
								 .unseen_ns = 12 * MS });
	probes_ask(call);
	probes_ask(sync);
	probes_ask(bytes);
	probes_ask(heap);
	probes_note_why(heap, "no such static probe");
	probes_set_open(sync, (struct probe_open){ .calls = 2, .oldest_ns = 1300 * MS });
	probe_values_get(sync, &seen);
	for (unsigned int i = 0; i < 4 && seen.looked < 4; i++) {
		probe_values_look(sync, 1);
		probe_values_see(sync, 0, "fd", i ? "8" : "7", 1);
		probe_values_see(sync, 6, "result", "0", 1);
	}
	notes = probe_notes_now(at);
	assert_non_null(notes);
	profile_probes(m->p, notes);
	made_hits(m, at, app, serve, call, 120000, 120000 * 3 * US);
	made_hits(m, at, app, serve, call, 310000, 310000 * 6 * US);
	made_hits(m, at, app, serve, call, 9000, 9000 * 14 * US);
	made_hits(m, at, app, serve, call, 12, 12 * 900 * US);
	made_hits(m, at, app, serve, call, 1, 7100 * US);
	made_hits(m, at, bio, save, sync, 60, 60 * 20 * MS);
	made_hits(m, at, bio, save, sync, 1, 412 * MS);
	made_hits(m, at, app, serve, bytes, 1200, 12 * 1000 * 1000);
}

static void fill(struct made_session *f)
{
	madesession_server(f);
	add_hits(&f->m);
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

	snprintf(path, sizeof(path), "view/probes-%s", name);
	world_golden(fill, path, cols, rows, ascii, keys);
}

/* What the session was asked for, and what it answers. */
static char asked[PROBES_TEXT_MAX];
static uint32_t removed;
static struct session_probe answer[4];
static unsigned int nr_answers;

static void add_probe(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(asked, sizeof(asked), "%s", text);
}

static void remove_probe(void *ctx, uint32_t number)
{
	(void)ctx;
	removed = number;
	probes_set_off(number, true);
}

static bool probe_told(void *ctx, struct session_probe *ret)
{
	(void)ctx;
	if (!nr_answers)
		return false;
	*ret = answer[0];
	memmove(answer, answer + 1, --nr_answers * sizeof(answer[0]));
	return true;
}

static void tell(struct world *w, uint32_t number, bool added, const char *text)
{
	answer[nr_answers] = (struct session_probe){ .probe = number, .added = added };
	snprintf(answer[nr_answers++].text, sizeof(answer[0].text), "%s", text);
	assert_true(view_probe_news(w->d.view));
	assert_false(view_probe_news(w->d.view));
	driver_refresh(&w->d);
}

static void fill_live(struct made_session *f)
{
	fill(f);
	f->session.add_probe = add_probe;
	f->session.remove_probe = remove_probe;
	f->session.probe_told = probe_told;
}

static void begin_live(struct world *w, int cols, int rows, const char *keys)
{
	asked[0] = '\0';
	removed = PROBE_NONE;
	nr_answers = 0;
	world_begin(w, fill_live, cols, rows, false, keys);
}

/* What is typed is asked for; what is wrong is said beside it, and it can be put right. */
static void a_probe_is_added_and_gets_a_column(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 100, 30, "V0A");
	assert_screen_has(w.d.canvas, "probe: ");
	assert_screen_has(w.d.canvas, "sys:openat");
	driver_press(&w.d, "sys:fsink<Enter>");
	assert_string_equal(asked, "sys:fsink");
	assert_true(view_probe_expects(w.d.view, w.d.now_ns));
	assert_screen_has(w.d.canvas, "placing ...");
	tell(&w, PROBE_NONE, false, "no system call 'fsink': did you mean 'fsync'?");
	assert_screen_has(w.d.canvas, "did you mean 'fsync'?");
	assert_screen_has(w.d.canvas, "probe: sys:fsink");
	assert_false(screen_has(w.d.canvas, "placing"));
	driver_press(&w.d, "<BS><BS><BS>ync<Enter>");
	assert_string_equal(asked, "sys:fsync");
	tell(&w, probe("sys:fsync", UNIT_TIME), true, "sys:fsync is placed; in 0.1 s its price is known");
	assert_screen_has(w.d.canvas, "is placed");
	tell(&w, probe("sys:fsync", UNIT_TIME), false, "sys:fsync: 12 hits/s, 370 ns each");
	assert_screen_has(w.d.canvas, "12 hits/s");
	driver_press(&w.d, "V");
	assert_screen_has(w.d.canvas, "fsync \xE2\x94\x80");
	end(&w);
}

static void the_prompt_is_left_and_remembers(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 80, 24, "A<Enter>");
	assert_string_equal(asked, "");
	assert_false(screen_has(w.d.canvas, "probe: "));
	driver_press(&w.d, "Asys:read<Esc>");
	assert_false(screen_has(w.d.canvas, "probe: "));
	assert_string_equal(asked, "");
	driver_press(&w.d, "Asys:write<Enter>");
	tell(&w, probe("sys:fsync", UNIT_TIME), true, "placed");
	driver_press(&w.d, "A<Up>");
	assert_screen_has(w.d.canvas, "probe: sys:write");
	/* An answer that comes when the prompt was left, and opened again, is not that of what is typed. */
	driver_press(&w.d, "<Enter><Esc>Asys:open");
	tell(&w, PROBE_NONE, false, "there is this probe already");
	assert_screen_has(w.d.canvas, "probe: sys:open");
	end(&w);
}

static void a_probe_is_taken_off_and_put_back(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 100, 30, "V0Cd");
	assert_int_equal(removed, probe("call:redis-server:call", UNIT_TIME));
	tell(&w, removed, false, "call:redis-server:call is off; what was counted stays");
	assert_screen_has(w.d.canvas, "is off");
	madesession_grow(&w.f, 61, 10);
	driver_refresh(&w.d);
	driver_resize(&w.d, 140, 30);
	assert_screen_has(w.d.canvas, "call:redis-server:call \xC2\xB7 off");
	assert_screen_has(w.d.canvas, "439,013");
	driver_press(&w.d, "d");
	assert_string_equal(asked, "call:redis-server:call");
	probes_set_off(removed, false);
	madesession_grow(&w.f, 62, 10);
	driver_refresh(&w.d);
	assert_false(screen_has(w.d.canvas, "call:redis-server:call \xC2\xB7 off"));
	end(&w);
}

static void fill_calls(struct made_session *f)
{
	const thread_id app = made_thread(&f->m, 1234, 1234, "redis-server");
	const uint32_t call = probe("call:redis-server:call", UNIT_TIME);

	madesession_server(f);
	made_calls(&f->m, MADE_START_NS, app, "main;call;lookup", call, 9900, 1 * MS);
	made_calls(&f->m, MADE_START_NS, app, "main;call;rewrite", call, 100, 20 * MS);
}

/* What is inside of the calls of the probe under the cursor, of the slow ones alone, and what only these do. */
static void time_inside_calls(void **state)
{
	struct world w;

	(void)state;
	world_begin(&w, fill_calls, 100, 40, false, "V0I");
	assert_screen_has(w.d.canvas, "time in calls of call:redis-server:call:");
	assert_screen_has(w.d.canvas, "i inside");
	driver_press(&w.d, "iV");
	assert_screen_has(w.d.canvas, "filter: inside call:redis-server:call");
	assert_screen_has(w.d.canvas, "lookup");
	assert_false(screen_has(w.d.canvas, "processCommand"));
	driver_press(&w.d, "I>");
	assert_screen_has(w.d.canvas, "inside calls of at least: p99");
	driver_press(&w.d, "quick<Enter>");
	assert_screen_has(w.d.canvas, "'quick' is no length of a call");
	driver_press(&w.d, "<BS><BS><BS><BS><BS>10ms<Enter>");
	assert_screen_has(w.d.canvas, "filter: inside call:redis-server:call above 10.0 ms");
	assert_screen_has(w.d.canvas, "rewrite");
	assert_false(screen_has(w.d.canvas, "lookup"));
	driver_press(&w.d, "Id");
	assert_screen_has(w.d.canvas, "median \xE2\x94\x80\xE2\x94\x80\xE2\x94\x80 slow");
	assert_screen_has(w.d.canvas, "lookup");
	assert_screen_has(w.d.canvas, "+100.0");
	driver_press(&w.d, "5");
	assert_screen_has(w.d.canvas, "+100.0");
	driver_press(&w.d, "5b");
	assert_screen_has(w.d.canvas, "slow calls are compared with others already");
	driver_press(&w.d, "Io");
	assert_screen_has(w.d.canvas, "outside call:redis-server:call");
	assert_screen_has(w.d.canvas, "processCommand");
	assert_false(screen_has(w.d.canvas, "rewrite"));
	driver_press(&w.d, "Is");
	assert_screen_has(w.d.canvas, "inside call:redis-server:call");
	assert_screen_has(w.d.canvas, "processCommand");
	/* It is among the filters, too, behind what was typed. */
	driver_press(&w.d, "Iifmain<Enter>F");
	assert_screen_has(w.d.canvas, " 2  inside call:redis-server:call");
	driver_press(&w.d, "e");
	assert_screen_has(w.d.canvas, "time in calls of call:redis-server:call:");
	driver_press(&w.d, "<Esc>Fd");
	assert_screen_has(w.d.canvas, " 1  main");
	assert_false(screen_has(w.d.canvas, " 2  inside"));
	driver_press(&w.d, "d");
	assert_false(screen_has(w.d.canvas, "filter:"));
	/* It is left in its turn. */
	driver_press(&w.d, "V0Iifmain<Enter><Esc>");
	assert_screen_has(w.d.canvas, "filter: inside call");
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "filter:"));
	world_end(&w);
}

/* A view of hits is one of time as soon as it is about what is inside of calls, and one of hits again after that. */
static void time_in_place_of_hits(void **state)
{
	const uint32_t call = probe("call:redis-server:call", UNIT_TIME);
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top",
				.filter.measures = MEASURE_BIT(probes_measure_id(call)) };
	struct world w;

	(void)state;
	madesession_init(&w.f);
	fill_calls(&w.f);
	driver_init_with(&w.d, &w.f, &o, 100, 30);
	driver_press(&w.d, "");
	assert_true(view_tree(w.d.view)->tree->query.measures == o.filter.measures);
	driver_press(&w.d, "VIiV");
	assert_screen_has(w.d.canvas, "filter: inside call:redis-server:call");
	assert_screen_has(w.d.canvas, "rewrite");
	driver_press(&w.d, "<Esc>");
	assert_true(view_tree(w.d.view)->tree->query.measures == o.filter.measures);
	world_end(&w);
}

static void hits_have_no_inside(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 100, 30, "I");
	assert_screen_has(w.d.canvas, "inside the calls of which probe?");
	driver_press(&w.d, "V0CGI");
	assert_screen_has(w.d.canvas, "nothing is inside of a hit");
	end(&w);
}

/* Of what begins with "call:redis-server:ca" there are two, and one that goes on with "ll". */
static void complete(const char *typed, const uint32_t *pids, size_t n, struct completions *ret)
{
	const bool condition = !strcmp(typed, "call:redis-server:call /arg");

	(void)pids;
	(void)n;
	ret->n = ret->all = !strcmp(typed, "call:redis-server:ca") ? 2 :
		condition || !strcmp(typed, "call:redis-server:call");
	snprintf(ret->at[0].text, sizeof(ret->at[0].text), "call:redis-server:call");
	snprintf(ret->at[1].text, sizeof(ret->at[1].text), "call:redis-server:callReply");
	snprintf(ret->at[0].args, sizeof(ret->at[0].args), "client * c, int flags");
	ret->at[0].cost_ns = 2270;
	snprintf(ret->common, sizeof(ret->common), "call:redis-server:call%s", condition ? " /arg0" : "");
	err_set(&ret->why, ENOENT, "nothing begins so");
}

static void completed(struct world *w)
{
	const struct timespec a_while = { .tv_nsec = 1000000 };

	for (int i = 0; i < 10000 && !view_probe_news(w->d.view); i++)
		nanosleep(&a_while, NULL);
	driver_refresh(&w->d);
}

static void tab_completes(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 100, 30, "V0");
	w.f.session.complete = complete;
	driver_press(&w.d, "Acall:redis-server:ca<Tab>");
	completed(&w);
	assert_screen_has(w.d.canvas, "probe: call:redis-server:call");
	assert_screen_has(w.d.canvas, "2: call callReply");
	driver_press(&w.d, "<Tab>");
	completed(&w);
	assert_screen_has(w.d.canvas, "2.27 us a hit \xC2\xB7 client * c, int flags");
	driver_press(&w.d, "x<Tab>");
	completed(&w);
	assert_screen_has(w.d.canvas, "nothing begins so");
	assert_screen_has(w.d.canvas, "probe: call:redis-server:callx");
	/* Names in a condition behind it are asked for, too. */
	driver_press(&w.d, "<BS> /arg<Tab>");
	completed(&w);
	assert_screen_has(w.d.canvas, "probe: call:redis-server:call /arg0");
	/* What is found for a text that was changed meanwhile is not taken. */
	driver_press(&w.d, "<^U>call:redis-server:ca<Tab>");
	driver_press(&w.d, "t");
	completed(&w);
	assert_screen_has(w.d.canvas, "probe: call:redis-server:cat");
	end(&w);
}

/* The function under the cursor is suggested: Enter takes it, a character replaces it, Backspace changes it. */
static void a_function_is_suggested(void **state)
{
	struct world w;

	(void)state;
	begin_live(&w, 100, 30, "/processCommand<Enter>A");
	assert_screen_has(w.d.canvas, "probe: call:app:processCommand");
	driver_press(&w.d, "<Enter>");
	assert_string_equal(asked, "call:app:processCommand");
	tell(&w, PROBE_NONE, false, "the return of 'processCommand' cannot be probed (uprobe: counts its entries)");
	assert_screen_has(w.d.canvas, "probe: uprobe:app:processCommand");
	assert_screen_has(w.d.canvas, "cannot be probed");
	driver_press(&w.d, "<Enter>");
	assert_string_equal(asked, "uprobe:app:processCommand");
	tell(&w, probe("sys:fsync", UNIT_TIME), true, "placed");
	driver_press(&w.d, "A<BS>s /arg0/<Enter>");
	assert_string_equal(asked, "call:app:processCommans /arg0/");
	driver_press(&w.d, "<Esc>As<Enter>");
	assert_string_equal(asked, "s");
	end(&w);
}

/* A recording has no probes to come. */
static void without_a_target_there_is_none_to_add(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 100, 30, false, "V0A");
	assert_false(screen_has(w.d.canvas, "probe: "));
	assert_screen_has(w.d.canvas, "that key does nothing here");
	end(&w);
}

/* Runs first: no probe was placed. */
static void without_probes(void **state)
{
	struct world w;

	(void)state;
	madesession_init(&w.f);
	madesession_server(&w.f);
	driver_init(&w.d, &w.f, 100, 30, false);
	driver_press(&w.d, "V0");
	assert_screen_has(w.d.canvas, "0 probes");
	assert_screen_has(w.d.canvas, "No probe is placed");
	end(&w);
}

static void screens(void **state)
{
	(void)state;
	golden("100x30", 100, 30, false, "V0");
	golden("80x24", 80, 24, false, "V0Ejjj");
	golden("tree-100x30", 100, 30, false, "V");
	golden("40x10", 40, 10, true, "V");
}

static void the_longest_call_is_found_and_opens(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 100, 40, false, "V0C");
	assert_screen_has(w.d.canvas, "4 probes");
	assert_false(screen_has(w.d.canvas, "longest 412 ms"));
	driver_press(&w.d, "/bioProcess<Enter><Esc>");
	assert_screen_has(w.d.canvas, "longest 412 ms \xC2\xB7 bio_aof 1236");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_probes),
		cmocka_unit_test(screens),
		cmocka_unit_test(the_longest_call_is_found_and_opens),
		cmocka_unit_test(without_a_target_there_is_none_to_add),
		cmocka_unit_test(a_probe_is_added_and_gets_a_column),
		cmocka_unit_test(the_prompt_is_left_and_remembers),
		cmocka_unit_test(a_probe_is_taken_off_and_put_back),
		cmocka_unit_test(time_inside_calls),
		cmocka_unit_test(time_in_place_of_hits),
		cmocka_unit_test(hits_have_no_inside),
		cmocka_unit_test(tab_completes),
		cmocka_unit_test(a_function_is_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
