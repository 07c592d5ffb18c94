/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_baseline.c - what was before a mark beside what came since: exact figures of both sides,
 * order, marks in the middle of slices, and the screens of key b. With SBERF_GOLDEN=write in the
 * environment those in tests/golden/view are written.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"

#include "base/clock.h"
#include "ui/baseline.h"
#include "ui/saver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEC NSEC_PER_SEC

/* The child of NODE that is called NAME; NODE_NONE = there is none. */
static uint32_t child(const struct tree *t, uint32_t node, const char *name)
{
	char label[LABEL_MAX];
	uint32_t c = t->node[node].first_child;

	while (c != NODE_NONE && strcmp(tree_label(t, c, label, sizeof(label)), name) != 0)
		c = t->node[c].next_sibling;
	return c;
}

/* The row of L that is called NAME. */
static uint32_t row(const struct flatlist *l, const char *name)
{
	char label[LABEL_MAX];
	uint32_t i = 1;

	while (i < l->n && strcmp(flatlist_label(l, i, label, sizeof(label)), name) != 0)
		i++;
	return i < l->n ? i : NODE_NONE;
}

static void assert_pair(const struct baseline *b, uint32_t node, uint64_t before, uint64_t after)
{
	assert_int_not_equal(node, NODE_NONE);
	assert_int_equal(b->pair[node].ns[DIFF_BEFORE], before);
	assert_int_equal(b->pair[node].ns[DIFF_AFTER], after);
}

/* Ten seconds before the mark: old 6 s, both 2 s. */
static void add_before(struct made *m)
{
	const thread_id t = made_thread(m, 1, 1, "a");

	for (uint64_t i = 0; i < 10; i++) {
		made_add(m, (100 + i) * SEC, t, "main;old;inner", SEC * 6 / 10);
		made_add(m, (100 + i) * SEC, t, "main;both", SEC * 2 / 10);
	}
}

/* Five seconds after it: fresh 3 s, both 1 s. */
static void add_after(struct made *m)
{
	const thread_id t = made_thread(m, 1, 1, "a");

	for (uint64_t i = 0; i < 5; i++) {
		made_add(m, (110 + i) * SEC, t, "main;fresh", SEC * 6 / 10);
		made_add(m, (110 + i) * SEC, t, "main;both", SEC * 2 / 10);
	}
}

static struct baseline_mark mark_at(struct made *m, uint64_t second)
{
	return (struct baseline_mark){ .snapshot = profile_snapshot(m->p), .from_ns = 100 * SEC, .to_ns = second * SEC,
				       .mark_ns = second * SEC };
}

static struct baseline_question question(const struct baseline_mark *mark, struct snapshot *s, uint64_t end_ns,
					 const struct names *names, const struct query *q)
{
	return (struct baseline_question){ .mark = mark, .snapshot = s, .end_ns = end_ns, .names = names, .query = q };
}

static void both_sides_are_there(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	struct baseline_question ask;
	struct baseline_mark mark;
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	AUTO(baseline_free) struct baseline *b = NULL;
	AUTO(tree_free) struct tree *t = NULL;
	struct err e = ERR_INIT;
	struct diff_change d;
	uint32_t main;

	add_before(m);
	mark = mark_at(m, 110);
	add_after(m);
	s = profile_snapshot(m->p);
	ask = question(&mark, s, 115 * SEC, m->names, &q);
	assert_int_equal(baseline_tree(&ask, &b, &t, &e), 0);
	assert_int_equal(t->n, 6);
	main = child(t, 0, "main");
	assert_pair(b, 0, 8 * SEC, 4 * SEC);
	assert_pair(b, main, 8 * SEC, 4 * SEC);
	assert_pair(b, child(t, main, "old"), 6 * SEC, 0);
	assert_pair(b, child(t, child(t, main, "old"), "inner"), 6 * SEC, 0);
	assert_pair(b, child(t, main, "fresh"), 0, 3 * SEC);
	assert_pair(b, child(t, main, "both"), 2 * SEC, SEC);
	d = baseline_change(b, child(t, main, "fresh"));
	assert_true(fabs(d.change - 0.6) < 1e-9 && d.sigma > 0);
	assert_true(baseline_change(b, child(t, main, "both")).change == 0);
	/* The largest change first, whatever its sign; what did not change last. */
	assert_int_equal(t->node[child(t, main, "both")].next_sibling, NODE_NONE);
	assert_int_equal(t->node[child(t, main, "old")].total_ns, 0);
	assert_int_equal(t->node[child(t, main, "fresh")].total_ns, 3 * SEC);
	snapshot_unref(mark.snapshot);
}

static void functions_are_compared_by_self(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	struct baseline_question ask;
	struct baseline_mark mark;
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	AUTO(baseline_free) struct baseline *b = NULL;
	AUTO(flatlist_free) struct flatlist *l = NULL;
	struct err e = ERR_INIT;

	add_before(m);
	mark = mark_at(m, 110);
	add_after(m);
	s = profile_snapshot(m->p);
	ask = question(&mark, s, 115 * SEC, m->names, &q);
	assert_int_equal(baseline_functions(&ask, &b, &l, &e), 0);
	assert_pair(b, row(l, "inner"), 6 * SEC, 0);
	assert_pair(b, row(l, "old"), 0, 0);
	assert_pair(b, row(l, "main"), 0, 0);
	assert_pair(b, row(l, "fresh"), 0, 3 * SEC);
	assert_true(b->pair[row(l, "inner")].squares[DIFF_BEFORE] > 0);
	assert_true(b->pair[row(l, "old")].squares[DIFF_BEFORE] == 0);
	snapshot_unref(mark.snapshot);
}

static void a_mark_within_a_slice_waits_for_the_next(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	struct baseline_question ask;
	struct baseline_mark mark;
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct err e = ERR_INIT;

	add_before(m);
	mark = mark_at(m, 110);
	mark.mark_ns += SEC / 2;
	for (int late = 0; late < 2; late++) {
		AUTO(baseline_free) struct baseline *b = NULL;
		AUTO(tree_free) struct tree *t = NULL;

		if (late)
			add_after(m);
		snapshot_unref(s);
		s = profile_snapshot(m->p);
		ask = question(&mark, s, 115 * SEC, m->names, &q);
		assert_int_equal(baseline_tree(&ask, &b, &t, &e), 0);
		assert_int_equal(b->young, !late);
		assert_pair(b, 0, 8 * SEC, late ? 4 * 8 * SEC / 10 : 0);
		if (late)
			assert_true(b->diff.unit[DIFF_AFTER] == 4.0 * (double)SEC);
	}
	snapshot_unref(mark.snapshot);
}

/*
 * Two threads wait, which is told now and then and not up to the mark; one of them goes on waiting,
 * which is not settled yet.
 */
static void no_thread_takes_more_than_there_is(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 1, 1, "a"), b = made_thread(m, 1, 2, "b");
	const struct query q = { 0 };
	struct baseline_question ask;
	struct baseline_mark mark;

	made_wait(m, 108 * SEC + SEC / 4, a, "main;read", EVENT_BLOCKED, "read", 'S', 5 * SEC);
	made_wait(m, 108 * SEC + SEC / 4, b, "main;poll", EVENT_BLOCKED, "poll", 'S', 5 * SEC);
	mark = mark_at(m, 110);
	for (uint64_t i = 1; i < 4; i++) {
		AUTO(snapshot_unref) struct snapshot *s = NULL;
		AUTO(baseline_free) struct baseline *base = NULL;
		AUTO(tree_free) struct tree *t = NULL;
		const uint64_t told_ns = (109 + i) * SEC + SEC / 4;
		struct err e = ERR_INIT;
		struct fact rest;
		uint32_t main;

		made_wait(m, told_ns, b, "main;poll", EVENT_BLOCKED, "poll", 'S', i == 1 ? 2 * SEC : SEC);
		made_wait(m, told_ns, a, "main;read", EVENT_BLOCKED, "read", 'S', i == 1 ? 2 * SEC : SEC);
		assert_int_equal(profile_fact(m->p, &m->ev, &rest), 0);
		assert_int_equal(profile_provisional(m->p, told_ns, told_ns + SEC / 4, &rest, 1), 0);
		s = profile_snapshot(m->p);
		ask = question(&mark, s, told_ns + SEC / 4, m->names, &q);
		assert_int_equal(baseline_tree(&ask, &base, &t, &e), 0);
		assert_false(base->young);
		main = child(t, 0, "main");
		/* What b waited since the mark, and not what it had waited by then. */
		assert_int_equal(base->pair[child(t, main, "poll")].ns[DIFF_AFTER], told_ns - 110 * SEC);
		assert_true(diff_share(&base->diff, DIFF_AFTER,
				       base->pair[child(t, main, "poll")].ns[DIFF_AFTER]) <= 1);
		assert_true(diff_share(&base->diff, DIFF_AFTER,
				       base->pair[child(t, main, "read")].ns[DIFF_AFTER]) <= 1);
		assert_true(diff_share(&base->diff, DIFF_BEFORE, base->pair[0].ns[DIFF_BEFORE]) <= 2);
	}
	snapshot_unref(mark.snapshot);
}

static struct made shared;
static struct baseline_mark shared_mark;
static struct snapshot *shared_snapshot;
static bool shared_flat;

static bool try_build(void)
{
	const struct query q = { 0 };
	AUTO(baseline_free) struct baseline *b = NULL;
	AUTO(tree_free) struct tree *t = NULL;
	AUTO(flatlist_free) struct flatlist *l = NULL;
	struct err e = ERR_INIT;
	const struct baseline_question ask = question(&shared_mark, shared_snapshot, 115 * SEC, shared.names, &q);
	const int r = shared_flat ? baseline_functions(&ask, &b, &l, &e) : baseline_tree(&ask, &b, &t, &e);

	assert_true(r == (b ? 0 : -ENOMEM) && !b == !(shared_flat ? (void *)l : t));
	return b;
}

static void memory_may_run_out(void **state)
{
	made_init(&shared, NULL);
	add_before(&shared);
	shared_mark = mark_at(&shared, 110);
	add_after(&shared);
	shared_snapshot = profile_snapshot(shared.p);
	for (int flat = 0; flat < 2; flat++) {
		shared_flat = flat;
		for (long n = 0; fail_alloc_round(n, try_build); n++)
			;
	}
	snapshot_unref(shared_mark.snapshot);
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

struct world {
	struct made_session f;
	struct driver d;
};

/* Ten seconds, KEYS, and ten more in which much is different; then LATER. */
static void begin(struct world *w, int cols, int rows, const char *keys, const char *later)
{
	madesession_init(&w->f);
	for (unsigned int i = 0; i < 10; i++) {
		madesession_add(&w->f, i, "main;handle;parse", 40);
		madesession_add(&w->f, i, "main;handle;write", 20);
		madesession_add(&w->f, i, "main;idle_work", 2 + i % 2);
	}
	w->f.meta.duration_ns = 10 * SEC;
	driver_init(&w->d, &w->f, cols, rows, false);
	driver_press(&w->d, keys);
	for (unsigned int i = 10; i < 20; i++) {
		madesession_add(&w->f, i, "main;handle;parse", 10);
		madesession_add(&w->f, i, "main;handle;write", 21);
		madesession_add(&w->f, i, "main;handle;compress", 45);
		madesession_add(&w->f, i, "main;idle_work", 2);
	}
	w->f.meta.duration_ns = 20 * SEC;
	driver_refresh(&w->d);
	driver_refresh(&w->d);
	driver_press(&w->d, later);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

static void golden(const char *name, int cols, int rows, const char *keys, const char *later)
{
	char path[128];
	struct world w;

	begin(&w, cols, rows, keys, later);
	snprintf(path, sizeof(path), "view/baseline-%s", name);
	golden_screen(w.d.canvas, path);
	end(&w);
}

static void screens(void **state)
{
	golden("200x60", 200, 60, "b5", "");
	golden("80x24", 80, 24, "b", "");
	golden("40x10", 40, 10, "b", "");
	golden("20x5", 20, 5, "b", "");
	golden("funcs-80x24", 80, 24, "b50", "");
	golden("inverted-80x24", 80, 24, "bi", "jj");
}

static void it_begins_and_ends(void **state)
{
	struct world w;

	begin(&w, 100, 30, "b", "");
	assert_true(screen_has(w.d.canvas, "baseline 00:00:10"));
	assert_true(screen_has(w.d.canvas, "+45.0"));
	assert_true(screen_has(w.d.canvas, "-30.0"));
	driver_press(&w.d, "b");                         /* marks anew: nothing has come since */
	assert_true(screen_has(w.d.canvas, "baseline 00:00:00"));
	assert_false(screen_has(w.d.canvas, "+45.0"));
	driver_press(&w.d, "<Esc>");
	assert_false(screen_has(w.d.canvas, "baseline"));
	driver_press(&w.d, "pb");
	assert_true(screen_has(w.d.canvas, "press p first"));
	driver_press(&w.d, "pb");
	assert_true(screen_has(w.d.canvas, "against baseline"));
	driver_press(&w.d, "r");
	assert_false(screen_has(w.d.canvas, "against baseline"));
	w.f.ended = true;
	driver_press(&w.d, "b");
	assert_true(screen_has(w.d.canvas, "sberf diff compares two recordings"));
	end(&w);
}

/* A file has one side of the comparison, and says which. */
static void what_is_saved_says_since_when(void **state)
{
	struct save_job job;
	struct world w;

	begin(&w, 100, 30, "b", "");
	assert_int_equal(view_key(w.d.view, 'S'), REACT_DRAW);
	assert_int_equal(view_key(w.d.view, 's'), REACT_SAVE);
	view_save_job(w.d.view, &job);
	assert_int_equal(job.query.from_ns, w.f.meta.start_mono_ns + 10 * SEC);
	assert_non_null(strstr(job.title, "only the last 10.0 s"));
	snapshot_unref(job.snapshot);
	driver_press(&w.d, "<Esc>");
	assert_int_equal(view_key(w.d.view, 'S'), REACT_DRAW);
	assert_int_equal(view_key(w.d.view, 's'), REACT_SAVE);
	view_save_job(w.d.view, &job);
	assert_null(strstr(job.title, "only the last"));
	snapshot_unref(job.snapshot);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(both_sides_are_there),
		MADE_TEST(functions_are_compared_by_self),
		MADE_TEST(a_mark_within_a_slice_waits_for_the_next),
		MADE_TEST(no_thread_takes_more_than_there_is),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(screens),
		cmocka_unit_test(it_begins_and_ends),
		cmocka_unit_test(what_is_saved_says_since_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
