/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_probenotes.c - what is known of probes beside their hits: as text and back, of two captures
 * together, in a recording, and in the list of probes, where one without a hit has a row.
 */
#include "config.h"

#include "model/probenotes.h"

#include "export/exporter.h"
#include "query/probereport.h"
#include "record/format.h"
#include "record/reader.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"
#include "tests/unit/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CALL "call:app:handle /comm == \"a b%\"/"
#define NEVER "uprobe:app:nosuch"

static uint32_t call, never, other;

static uint32_t add(const char *text, enum measure_unit unit)
{
	return probes_add(text, strlen(text), unit);
}

static struct probe_notes *parse(const char *text)
{
	struct probe_notes *s = NULL;

	return probe_notes_parse(text, strlen(text), &s, NULL) ? NULL : s;
}

/* Runs first: OTHER is of no capture. */
static void of_this_run(void **state)
{
	AUTO(probe_notes_unref) struct probe_notes *s = NULL;
	const struct probe_note *n;

	(void)state;
	call = add(CALL, UNIT_TIME);
	other = add("sys:read", UNIT_TIME);
	never = add(NEVER, UNIT_COUNT);
	probes_ask(call);
	probes_ask(never);
	probes_ask(PROBE_NONE);
	assert_false(probes_asked(other) || probes_asked(PROBE_NONE));
	probes_note_places(call, &(struct probe_places){ .sites = 3, .processes = 2, .failed = 1, .unseen_ns = 7 });
	probes_note_cost(call, 900);
	probes_note_cost(call, 700);
	probes_note_why(call, "busy\n");
	probes_note_spell(call, &(struct probe_spell){ 10, 110, 25 });
	probes_note_why(never, "no such function");
	probes_set_open(call, (struct probe_open){ .calls = 4, .oldest_ns = 5 });
	s = probe_notes_now(123);
	assert_non_null(s);
	assert_int_equal(s->time_ns, 123);
	assert_int_equal(s->probe.n, 2);
	assert_null(probe_notes_of(s, other));
	n = probe_notes_of(s, call);
	assert_int_equal(n->cost_ns, 900);
	assert_int_equal(n->places.sites, 3);
	assert_int_equal(n->open.calls, 4);
	assert_int_equal(n->nr_spells, 1);
	assert_int_equal(n->spell[0].on_ns, 25);
	assert_string_equal(n->why, "busy\xEF\xBF\xBD");
	assert_string_equal(probe_notes_of(s, never)->why, "no such function");
}

static void longest_times(void **state)
{
	const uint32_t probe = add("uprobe:app:late", UNIT_COUNT);
	struct probe_unseen got[PROBE_UNSEEN_MAX];

	(void)state;
	probes_note_unseen(PROBE_NONE, &(struct probe_unseen){ .pid = 1 });
	for (uint32_t i = 1; i <= 2 * PROBE_UNSEEN_MAX; i++)
		probes_note_unseen(probe, &(struct probe_unseen){ .pid = i, .comm = "x", .ns = 100 * i });
	assert_int_equal(probes_unseen(probe, got), PROBE_UNSEEN_MAX);
	assert_int_equal(got[0].ns, 100 * 2 * PROBE_UNSEEN_MAX);
	assert_int_equal(got[PROBE_UNSEEN_MAX - 1].ns, 100 * (PROBE_UNSEEN_MAX + 1));
	/* Of one process the longest time counts. */
	probes_note_unseen(probe, &(struct probe_unseen){ .pid = PROBE_UNSEEN_MAX + 1, .ns = 99999 });
	probes_note_unseen(probe, &(struct probe_unseen){ .pid = 2 * PROBE_UNSEEN_MAX, .ns = 5 });
	assert_int_equal(probes_unseen(probe, got), PROBE_UNSEEN_MAX);
	assert_int_equal(got[0].pid, PROBE_UNSEEN_MAX + 1);
	assert_int_equal(got[1].pid, 2 * PROBE_UNSEEN_MAX);
	assert_int_equal(got[1].ns, 100 * 2 * PROBE_UNSEEN_MAX);
}

static void losses(void **state)
{
	(void)state;
	probes_set_lost(call, PROBE_LOST_STACK, 1000);
	probes_set_lost(call, PROBE_LOST_STACK, 1234);
	probes_set_lost(call, PROBE_LOST_HIT, 3);
	probes_lose(call, PROBE_LOST_HIT, 4);
	probes_lose(PROBE_NONE, PROBE_LOST_HIT, 4);
	probes_note_unseen(call, &(struct probe_unseen){ .pid = 41, .comm = "a b", .ns = 12000000 });
	probe_values_look(call, 1);
	probe_values_look(call, 3);
	probe_values_see(call, 0, "a name", "x y%", 3);
	probe_values_see(call, 0, "a name", "z", 1);
	assert_int_equal(probes_lost(call, PROBE_LOST_STACK), 1234);
	assert_int_equal(probes_lost(call, PROBE_LOST_HIT), 7);
	assert_int_equal(probes_lost(PROBE_NONE, PROBE_LOST_HIT), 0);
}

static void parts(void **state)
{
	AUTO(probe_notes_unref) struct probe_notes *then = probe_notes_now(1), *now = NULL, *since = NULL;

	(void)state;
	probes_lose(call, PROBE_LOST_HIT, 5);
	probe_values_look(call, 1);
	probe_values_see(call, 0, "a name", "z", 1);
	now = probe_notes_now(2);
	since = probe_notes_since(now, then);
	assert_non_null(since);
	assert_int_equal(since->time_ns, 2);
	assert_int_equal(probe_notes_of(since, call)->lost[PROBE_LOST_HIT], 5);
	assert_int_equal(probe_notes_of(since, call)->lost[PROBE_LOST_STACK], 0);
	assert_int_equal(probe_notes_of(since, call)->places.sites, 3);
	assert_int_equal(probe_notes_of(since, call)->seen.looked_for, 1);
	assert_int_equal(probe_notes_of(since, call)->seen.list[0].n, 1);
	assert_string_equal(probe_notes_of(since, call)->seen.list[0].v[0].text, "z");
	/* Both together are the whole. */
	assert_true(probe_notes_add(since, then, true));
	assert_int_equal(probe_notes_of(since, call)->lost[PROBE_LOST_HIT], 12);
	assert_int_equal(probe_notes_of(since, call)->nr_unseen, 1);
}

static void text_and_back(void **state)
{
	AUTO(probe_notes_unref) struct probe_notes *s = probe_notes_now(123), *t = NULL;
	AUTO_FREE char *text = NULL, *again = NULL;
	size_t len, len2;

	(void)state;
	text = probe_notes_write(s, &len);
	assert_non_null(text);
	t = parse(text);
	assert_non_null(t);
	assert_int_equal(t->probe.n, 2);
	assert_memory_equal(probe_notes_of(t, call), probe_notes_of(s, call), sizeof(struct probe_note));
	again = probe_notes_write(t, &len2);
	assert_int_equal(len, len2);
	assert_string_equal(text, again);
}

/* Lines and keys of later versions are left out; what contradicts itself is refused as a whole. */
static void what_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "probes time_ns=1", "probe name=a unit=ns\n", "probes\n", "probes time_ns=x\n",
		"x\nprobes time_ns=1\n",
		"probes time_ns=1\nprobes time_ns=2\n", "probes time_ns=1\nprobe name=a\n",
		"probes time_ns=1\nprobe name=a unit=ns places=-1\n", "probes time_ns=1\nprobe name=%zz unit=ns\n",
		"probes time_ns=1\nprobe name=a unit=ns\nprobe name=a unit=ns\n",
		"probes time_ns=1\nvalues name=fd total=1\n",
		"probes time_ns=1\nprobe name=a unit=ns\nvalue text=x count=1\n",
		"probes time_ns=1\nprobe name=a unit=ns\nvalues name=fd total=1\nvalues name=fd total=1\n",
		"probes time_ns=1\nspell from_ns=1 to_ns=2\n",
		"probes time_ns=1\nprobe name=a unit=ns\nspell from_ns=2 to_ns=1\n",
		"probes time_ns=1\nprobe name=a unit=ns\nspell from_ns=2 to_ns=4 on_ns=3\n",
		"probes time_ns=1\nunseen pid=1 ns=2\n", "probes time_ns=1\nprobe name=a unit=ns\nunseen pid=0 ns=2\n",
	};
	AUTO(probe_notes_unref) struct probe_notes *s = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(bad[i]))
			fail_msg("'%s' was taken", bad[i]);
	s = parse("probes time_ns=1 more=2\nlater x=y\nprobe name=a%20b unit=ns places=2 later=z\n"
		  "probe name=c unit=m\n");
	assert_non_null(s);
	assert_int_equal(s->probe.n, 1);
	assert_int_equal(s->probe.v[0].places.sites, 2);
	assert_string_equal(probes_measure(s->probe.v[0].probe)->name, "a b");
}

static void two_captures(void **state)
{
	static const char first[] = "probes time_ns=10\n"
		"probe name=p unit=ns places=3 processes=2 open=5 open_oldest_ns=9\n";
	static const char second[] = "probes time_ns=20\n"
		"probe name=p unit=ns places=2 processes=2 refused=1 why=no\nprobe name=q unit=count\n";
	AUTO(probe_notes_unref) struct probe_notes *a = parse(first), *b = parse(second), *same = probe_notes_new();
	AUTO(probe_notes_unref) struct probe_notes *apart = probe_notes_new();
	const uint32_t p = add("p", UNIT_TIME), q = add("q", UNIT_COUNT);

	(void)state;
	assert_true(a && b && same && apart);
	/* In any order what is true of the present is of the later one. */
	assert_true(probe_notes_add(same, b, true) && probe_notes_add(same, a, true));
	assert_int_equal(same->time_ns, 20);
	assert_int_equal(same->probe.n, 2);
	assert_true(same->probe.v[0].probe < same->probe.v[1].probe && probe_notes_of(same, q));
	assert_int_equal(probe_notes_of(same, p)->places.sites, 3);
	assert_int_equal(probe_notes_of(same, p)->places.failed, 1);
	assert_int_equal(probe_notes_of(same, p)->open.calls, 0);
	assert_string_equal(probe_notes_of(same, p)->why, "no");
	assert_true(probe_notes_add(apart, a, false) && probe_notes_add(apart, b, false));
	assert_int_equal(probe_notes_of(apart, p)->places.sites, 5);
	assert_int_equal(probe_notes_of(apart, p)->open.calls, 5);
	assert_int_equal(probe_notes_of(apart, p)->open.oldest_ns, 9);
}

static char *text_of(struct made *m)
{
	static const struct query q = { .arch = MADE_ARCH };
	const struct profile_meta meta = { .duration_ns = 4000000000 };
	const struct export_view how = { .meta = &meta, .ascii = true };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_probes, &q, &how, NULL), 0);
	fclose(f);
	return text;
}

/* Of what has a number only those of the capture have a row, and those that were hit. */
static void rows_without_hits(void **state)
{
	AUTO(probe_notes_unref) struct probe_notes *s = probe_notes_now(1);
	AUTO_FREE char *text = NULL;
	struct made *m = *state;

	made_hits(m, 1000000000, made_thread(m, 7, 7, "app"), "main", other, 2, 3000);
	profile_probes(m->p, s);
	text = text_of(m);
	assert_non_null(strstr(text, "  uprobe:app:nosuch\n"));
	assert_non_null(strstr(text, "  sys:read\n"));
	assert_null(strstr(text, "  q\n"));
	assert_non_null(strstr(text, "\nuprobe:app:nosuch\n  placed nowhere: no such function\n"));
	assert_non_null(strstr(text, "\n" CALL "\n"
			       "  placed at 3 sites in 2 processes, 1 could not be: busy\xEF\xBF\xBD, "
			       "1 ran without it for up to 12.0 ms\n    a b, pid 41: first 12.0 ms not seen\n"
			       "  from 10 ns to 110 ns in place for 25.0 % of the time (--budget)\n"
			       "  lost: 1,234 stacks, 7 hits for want of room\n"
			       "  arguments most seen, of 2 hits that stand for 4:\n"
			       "    a name       x y% ~75.0 %, z ~25.0 %\n  a hit costs its program up to 900 ns\n"
			       "  4 calls have not returned, the oldest for 5 ns\n"));
}

/* A block that makes no sense is damage; the one before stays. */
static void in_a_recording(void **state)
{
	static const char good[] = "probes time_ns=5\nprobe name=r unit=ns places=8\n", bad[] = "probes\n";
	AUTO(snapshot_unref) struct snapshot *snapshot = NULL;
	const struct profile_meta meta = { .cpus = 1 };
	struct memory_recording r;
	const struct probe_notes *got;
	struct loaded l;
	struct synth s;

	(void)state;
	synth_init(&s, 3);
	memory_begin(&r, &s, &meta);
	memory_block(&r, BLOCK_PROBES, 0, "probes time_ns=4\n", 17);
	memory_block(&r, BLOCK_PROBES, 0, good, sizeof(good) - 1);
	memory_block(&r, BLOCK_PROBES, 0, bad, sizeof(bad) - 1);
	memory_end(&r);
	load_bytes(&l, r.bytes.v, r.bytes.n);
	assert_int_equal(l.report.damaged_blocks, 1);
	snapshot = profile_snapshot(l.profile);
	got = snapshot_probes(snapshot);
	assert_non_null(got);
	assert_int_equal(got->time_ns, 5);
	assert_int_equal(probe_notes_of(got, add("r", UNIT_TIME))->places.sites, 8);
	snapshot_unref(take_ptr(snapshot));
	loaded_free(&l);
	memory_free(&r);
	synth_free(&s);
}

struct giving {
	const uint8_t *p;
	size_t n;
};

static ssize_t give(void *ctx, void *dst, size_t n)
{
	struct giving *g = ctx;
	const size_t k = n < g->n ? n : g->n;

	memcpy(dst, g->p, k);
	g->p += k;
	g->n -= k;
	return (ssize_t)k;
}

static struct told_hit told[4];
static unsigned int nr_told;

static void take_told(void *ctx, const struct told_hit *h)
{
	(void)ctx;
	told[nr_told++ % 4] = *h;
}

/* Hits by themselves come back as they were; what has no probe here is left out. */
static void hits_in_a_recording(void **state)
{
	const struct told_hit some[] = {
		{ .time_ns = 7, .latency_ns = 0, .timed = true, .cpu = 3, .probe = call, .look = 16, .pid = 41,
		  .tid = 42, .comm = "a b", .text = "read(0, \"x\") = 1" },
		{ .time_ns = 9, .probe = never, .look = 1, .pid = 41, .tid = 41, .text = "" },
		{ .time_ns = 9, .probe = 63, .look = 1, .pid = 41, .tid = 41, .text = "lost" },
	};
	const struct profile_meta meta = { .cpus = 1 };
	struct made *m = *state;
	struct memory_recording r;
	struct giving g;
	struct load_report report;
	struct profile_meta got;
	struct load_target t = { .profile = m->p, .names = m->names, .meta = &got, .report = &report,
				 .options.hit = take_told };
	struct synth s;

	synth_init(&s, 3);
	memory_begin(&r, &s, &meta);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(encoder_hit(r.enc, &some[i]));
	memory_flush(&r);
	memory_end(&r);
	g = (struct giving){ r.bytes.v, r.bytes.n };
	assert_int_equal(recording_read("test.data", give, &g, &t, NULL), 0);
	assert_int_equal(report.damaged_blocks, 0);
	assert_int_equal(nr_told, 2);
	assert_int_equal(told[0].time_ns, 7);
	assert_true(told[0].timed && !told[0].latency_ns && !told[1].timed);
	assert_int_equal(told[0].cpu, 3);
	assert_int_equal(told[0].probe, call);
	assert_int_equal(told[0].look, 16);
	assert_int_equal(told[0].tid, 42);
	assert_string_equal(told[0].comm, "a b");
	assert_string_equal(told[0].text, "read(0, \"x\") = 1");
	assert_int_equal(told[1].probe, never);
	memory_free(&r);
	synth_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_this_run),
		cmocka_unit_test(longest_times),
		cmocka_unit_test(losses),
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(two_captures),
		cmocka_unit_test_setup_teardown(rows_without_hits, made_set_up, made_tear_down),
		cmocka_unit_test(in_a_recording),
		cmocka_unit_test(parts),
		cmocka_unit_test_setup_teardown(hits_in_a_recording, made_set_up, made_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
