/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_probes.c - the pane of probes on a made server: its lines, closed and open, in all sizes. With
 * SBERF_GOLDEN=write in the environment the screens in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "model/probenotes.h"

#include <stdio.h>
#include <string.h>

#define US NSEC_PER_USEC
#define MS NSEC_PER_MSEC

struct world {
	struct made_session f;
	struct driver d;
};

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

static void begin(struct world *w, int cols, int rows, bool ascii, const char *keys)
{
	madesession_init(&w->f);
	madesession_server(&w->f);
	add_hits(&w->f.m);
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

	begin(&w, cols, rows, ascii, keys);
	snprintf(path, sizeof(path), "view/probes-%s", name);
	golden_screen(w.d.canvas, path);
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
	assert_screen_has(w.d.canvas, "No probe was placed");
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
