/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_probereport.c - the list of probes of profiles made by hand: figures of each row, percentiles
 * from the histogram, the longest call, filters, and its text byte for byte.
 */
#include "config.h"

#include "base/clock.h"
#include "export/exporter.h"
#include "query/probecolumns.h"
#include "query/probereport.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define US NSEC_PER_USEC
#define MS NSEC_PER_MSEC

#define COUNT "uprobe:app:count /arg1 > 0/ sum(arg0 + 1)"
#define QUICK "uprobe:app:quick /comm == \" sum(\"/ count()"

static const struct query plain = { .arch = MADE_ARCH };
static uint32_t slow, sum, quick, never;

static uint32_t probe(const char *text, enum measure_unit unit)
{
	return probes_add(text, strlen(text), unit);
}

static struct probe_report *report_of(struct made *m, const struct query *q)
{
	struct snapshot *s = profile_snapshot(m->p);
	struct probe_report *p = NULL;

	assert_non_null(s);
	assert_int_equal(probe_report_build(s, m->names, q, &p, NULL), 0);
	snapshot_unref(s);
	return p;
}

static char *text_of(struct made *m, const struct query *q, bool ascii)
{
	const struct profile_meta meta = { .duration_ns = 4 * NSEC_PER_SEC };
	const struct export_view how = { .meta = &meta, .ascii = ascii };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_probes, q, &how, NULL), 0);
	fclose(f);
	return text;
}

/* 1,000 calls of 200 us, which the kernel half has summed, 20 of 300 us and one of 40 ms; and others. */
static void make(struct made *m)
{
	const thread_id a = made_thread(m, 10, 10, "app"), b = made_thread(m, 10, 11, "bio");

	made_hits(m, 1 * NSEC_PER_SEC, a, "main;serve;handle", slow, 1000, 1000 * 200 * US);
	made_hits(m, 2 * NSEC_PER_SEC, a, "main;serve;handle", slow, 20, 20 * 300 * US);
	made_hits(m, 2 * NSEC_PER_SEC, b, "start;other;handle", slow, 1, 40 * MS);
	made_hits(m, 2 * NSEC_PER_SEC, a, "main;serve;handle", slow, 3, 3 * 10 * MS);
	made_hits(m, 3 * NSEC_PER_SEC, a, "main;count", sum, 5000, 12497500);
	made_hits(m, 4 * NSEC_PER_SEC + 1, b, "main;quick", quick, 7, 7);
}

/* Runs first: no probe has a number yet. */
static void without_probes(void **state)
{
	struct probe_report *p = report_of(*state, &plain);
	char *text = text_of(*state, &plain, false);

	assert_int_equal(p->n, 0);
	assert_string_equal(text, "no probe was placed\n");
	free(text);
	probe_report_free(p);
	slow = probe("call:app:handle", UNIT_TIME);
	sum = probe(COUNT, UNIT_COUNT);
	quick = probe(QUICK, UNIT_COUNT);
	never = probe("sys:openat", UNIT_TIME);
}

static void rows(void **state)
{
	struct probe_report *p;
	const struct probe_row *r;
	char label[LABEL_MAX];

	make(*state);
	p = report_of(*state, &plain);
	assert_int_equal(p->n, 4);
	r = &p->row[slow];
	assert_true(r->timed && !r->summed);
	assert_int_equal(r->hits, 1024);
	assert_int_equal(r->value, 206 * MS + 40 * MS + 30 * MS);
	assert_int_equal(r->hist[wait_bucket(200 * US)], 1000);
	assert_int_equal(r->hist[wait_bucket(300 * US)], 20);
	assert_int_equal(r->hist[wait_bucket(10 * MS)], 3);
	assert_int_equal(r->hist[wait_bucket(40 * MS)], 1);
	assert_true(r->longest_ns == (double)(40 * MS));
	assert_string_equal(probe_stack_label(p, r->longest_stack, label, sizeof(label)), "handle › other › start");
	assert_string_equal(probe_thread_label(p, r->longest_thread, label, sizeof(label)), "bio 11");
	r = &p->row[sum];
	assert_true(!r->timed && r->summed);
	assert_int_equal(r->hits, 5000);
	assert_int_equal(r->value, 12497500);
	assert_int_equal(probe_columns[PROBE_COLUMN_MEAN].figure(r).value, 2499);
	r = &p->row[quick];
	assert_true(!r->timed && !r->summed);
	assert_int_equal(r->hits, 7);
	assert_int_equal(probe_columns[PROBE_COLUMN_TOTAL].figure(r).unit, LIST_NONE);
	r = &p->row[never];
	assert_true(r->timed && !r->hits);
	for (size_t c = 0; c < PROBE_COLUMNS; c++)
		assert_int_equal(probe_columns[c].figure(r).unit, LIST_NONE);
	probe_report_bound(p, 2 * NSEC_PER_SEC, &(struct profile_meta){ .probe_scale = 1 });
	assert_int_equal(p->row[0].elapsed_ns, 2 * NSEC_PER_SEC);
	probe_report_free(p);
}

/* Of hits that were not told one by one only number and sum are known. */
static void dropped(void **state)
{
	struct made *m = *state;
	struct probe_report *p;

	make(m);
	made_hits(m, 2 * NSEC_PER_SEC, made_thread(m, 10, 10, "app"), "main;serve;handle", slow, 500, 500 * 100 * MS);
	m->ev.flags |= EVENT_F_EXTRAPOLATED;
	made_again(m);
	p = report_of(m, &plain);
	assert_int_equal(p->row[slow].hits, 1024 + 500 + 500);
	assert_int_equal(p->row[slow].others, 500);
	assert_int_equal(p->row[slow].hist[wait_bucket(100 * MS)], 500);
	assert_true(p->row[slow].longest_ns == (double)(100 * MS));
	assert_true(probe_columns[PROBE_COLUMN_LONGEST].figure(&p->row[slow]).doubt);
	assert_false(probe_columns[PROBE_COLUMN_HITS].figure(&p->row[slow]).doubt);
	probe_report_bound(p, 0, &(struct profile_meta){ .probe_scale = 7 });
	assert_true(probe_columns[PROBE_COLUMN_HITS].figure(&p->row[slow]).doubt);
	assert_true(probe_columns[PROBE_COLUMN_TOTAL].figure(&p->row[slow]).doubt);
	assert_false(probe_columns[PROBE_COLUMN_HITS].figure(&p->row[sum]).doubt);
	probe_report_free(p);
}

static void percentiles(void **state)
{
	struct probe_row r = { .timed = true };

	(void)state;
	assert_int_equal(probe_percentile_ns(&r, 50), 0);
	r.hist[wait_bucket(3 * US)] = 1;
	r.longest_ns = 3000;
	/* Never more than the longest, and within its bucket. */
	assert_in_range(probe_percentile_ns(&r, 1), 2000, 3000);
	assert_int_equal(probe_percentile_ns(&r, 100), 3000);
	r.hist[wait_bucket(100 * MS)] = 99;
	r.longest_ns = 110.0 * MS;
	assert_in_range(probe_percentile_ns(&r, 1), 2000, 4000);
	assert_in_range(probe_percentile_ns(&r, 50), 65536 * US, 110 * MS);
	assert_in_range(probe_percentile_ns(&r, 99), probe_percentile_ns(&r, 50), 110 * MS);
	memset(r.hist, 0, sizeof(r.hist));
	r.hist[WAIT_BUCKETS - 1] = 5;
	r.longest_ns = 1e18;
	assert_true((double)probe_percentile_ns(&r, 99) <= 1e18);
}

/* What is asked for by threads and functions, and of which time. */
static void filtered(void **state)
{
	struct made *m = *state;
	struct query q = plain;
	struct probe_report *p;

	make(m);
	made_only(&q, "thread:b?o");
	p = report_of(m, &q);
	assert_int_equal(p->row[slow].hits, 1);
	assert_int_equal(p->row[sum].hits, 0);
	assert_int_equal(p->row[quick].hits, 7);
	probe_report_free(p);
	q = plain;
	q.measures = MEASURES_ON_CPU;
	q.from_ns = 3 * NSEC_PER_SEC;
	q.to_ns = 4 * NSEC_PER_SEC;
	p = report_of(m, &q);
	assert_int_equal(p->row[slow].hits, 0);
	assert_int_equal(p->row[sum].hits, 5000);
	assert_int_equal(p->row[sum].elapsed_ns, NSEC_PER_SEC);
	probe_report_free(p);
}

static void as_text(void **state)
{
	struct made *m = *state;
	char *text;

	make(m);
	text = text_of(m, &plain, false);
	assert_string_equal(text,
		"       hits      per s         total      mean       p50       p99   longest    dropped  probe\n"
		"      1,024      256.0        276 ms    270 us   "
		"~194 us   ~432 us   40.0 ms          ·  call:app:handle\n"
		"      5,000     1250.0    12,497,500     2,499         ·         ·         ·          ·  " COUNT "\n"
		"          7        1.8             ·         ·         ·         ·         ·          ·  " QUICK "\n"
		"          ·          ·             ·         ·         ·         ·         ·          ·  sys:openat\n"
		"\n"
		"call:app:handle\n"
		"      128 us to 256 us                 1,000  ████████████████████████████████████████\n"
		"      256 us to 512 us                    20  ▊\n"
		"      512 us to 1.02 ms                    0\n"
		"      1.02 ms to 2.05 ms                   0\n"
		"      2.05 ms to 4.10 ms                   0\n"
		"      4.10 ms to 8.19 ms                   0\n"
		"      8.19 ms to 16.4 ms                   3  ▏\n"
		"      16.4 ms to 32.8 ms                   0\n"
		"      32.8 ms to 65.5 ms                   1  ▏\n"
		"  longest 40.0 ms, bio 11:\n"
		"      handle › other › start\n");
	free(text);
}

static void in_ascii(void **state)
{
	struct made *m = *state;
	char *text;

	make(m);
	text = text_of(m, &plain, true);
	for (const char *at = text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at < 0x7f));
	free(text);
}

static struct made *shared;
static struct snapshot *shared_snapshot;

static bool try_build(void)
{
	struct probe_report *p = NULL;
	const int r = probe_report_build(shared_snapshot, shared->names, &plain, &p, NULL);

	probe_report_free(p);
	assert_true(!r || r == -ENOMEM);
	return !r;
}

static void memory_runs_out(void **state)
{
	shared = *state;
	make(shared);
	shared_snapshot = profile_snapshot(shared->p);
	assert_non_null(shared_snapshot);
	for (long n = 0; fail_alloc_round(n, try_build); n++)
		;
	snapshot_unref(shared_snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(without_probes),
		MADE_TEST(rows),
		MADE_TEST(dropped),
		cmocka_unit_test(percentiles),
		MADE_TEST(filtered),
		MADE_TEST(as_text),
		MADE_TEST(in_ascii),
		MADE_TEST(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
