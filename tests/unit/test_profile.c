/* SPDX-License-Identifier: BSD-2-Clause */
/* test_profile.c - the store: slices, late events, merging, folding, snapshots, limits; totals are exact throughout. */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "profile/profile.h"
#include "query/frameshare.h"
#include "query/waits.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define S NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static void test_sums_in_slices(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct slice_view v;
	struct made m;
	thread_id a, b;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	b = made_thread(&m, 1, 2, "b");
	made_add(&m, 5 * S + 1, a, "main;f", 10);
	made_add(&m, 5 * S + 2, b, "main;f", 20);
	made_add(&m, 5 * S + 3, a, "main;f", 30);
	made_add(&m, 6 * S, a, "main", 40);
	made_add(&m, 9 * S - 1, a, "main", 50);
	profile_advance(m.p, 7 * S);
	s = profile_snapshot(m.p);
	/* That there is an event of a time does not mean that all of that time are there. */
	assert_int_equal(snapshot_settled_ns(s), 7 * S);
	assert_int_equal(snapshot_slices(s), 3);
	snapshot_slice(s, 0, &v);
	assert_int_equal(v.from_ns, 5 * S);
	assert_int_equal(v.to_ns, 6 * S);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.fact[0].weight, 40);
	assert_int_equal(v.fact[0].count, 2);
	assert_int_equal(v.fact[0].thread, a);
	assert_int_equal(v.fact[1].weight, 20);
	assert_int_equal(v.fact[1].kind, EVENT_SAMPLE);
	snapshot_slice(s, 2, &v);
	assert_int_equal(v.from_ns, 8 * S);
	assert_int_equal(v.n, 1);
	assert_int_equal(made_sums(&m).ns, 150);
	made_free(&m);
}

/* The slice at AT of S begins at FROM_NS and has WEIGHT_NS and COUNT in one fact. */
static void assert_slice(const struct snapshot *s, size_t at, uint64_t from_ns, uint64_t weight, uint64_t count)
{
	struct slice_view v;

	snapshot_slice(s, at, &v);
	assert_int_equal(v.from_ns, from_ns);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.fact[0].weight, weight);
	assert_int_equal(v.fact[0].count, count);
}

static void test_waits_are_in_the_slices_they_went_through(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	/* From before the store begins. */
	made_wait(&m, 10 * S + 500 * MS, a, "main", EVENT_BLOCKED, "futex", 'S', 1500 * MS);
	made_wait(&m, 13 * S + 250 * MS, a, "main", EVENT_BLOCKED, "futex", 'S', 2250 * MS);
	/* Others that one stands for are no stretch of time. */
	m.ev.time_ns = 14 * S + 500 * MS;
	m.ev.count = 7;
	made_again(&m);
	m.ev.time_ns = 15 * S + 500 * MS;
	m.ev.flags |= EVENT_F_EXTRAPOLATED;
	m.ev.count = 1;
	made_again(&m);
	s = profile_snapshot(m.p);
	assert_int_equal(snapshot_slices(s), 6);
	assert_slice(s, 0, 10 * S, 1500 * MS, 1);
	assert_slice(s, 1, 11 * S, S, 0);
	assert_slice(s, 2, 12 * S, S, 0);
	assert_slice(s, 3, 13 * S, 250 * MS, 1);
	assert_slice(s, 4, 14 * S, 2250 * MS, 7);
	assert_slice(s, 5, 15 * S, 2250 * MS, 1);
	assert_int_equal(made_sums(&m).ns, 8250 * MS);
	made_free(&m);
}

/* Nobody needs to know of each second of a day in which of them a wait was; nothing gets lost. */
static void test_a_very_long_wait_is_in_some_slices(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main", 10);
	made_wait(&m, 86400 * S, made_thread(&m, 1, 1, "a"), "main", EVENT_BLOCKED, "futex", 'S', 80000 * S);
	s = profile_snapshot(m.p);
	assert_in_range(snapshot_slices(s), 32, 80);
	assert_int_equal(made_sums(&m).ns, 80000 * S + 10);
	made_free(&m);
}

static void test_late_events_find_their_slice(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct slice_view v;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 10 * S, a, "main", 1);
	made_add(&m, 20 * S, a, "main", 2);
	made_add(&m, 10 * S + 5, a, "main", 4);          /* into the closed slice */
	made_add(&m, 15 * S, a, "main", 8);              /* into a gap */
	made_add(&m, 2 * S, a, "main", 16);              /* before everything */
	made_add(&m, 15 * S + 7, a, "main;f", 32);
	s = profile_snapshot(m.p);
	assert_int_equal(snapshot_slices(s), 4);
	snapshot_slice(s, 0, &v);
	assert_int_equal(v.from_ns, 2 * S);
	assert_int_equal(v.to_ns, 3 * S);
	snapshot_slice(s, 1, &v);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.fact[0].weight, 5);
	snapshot_slice(s, 2, &v);
	assert_int_equal(v.from_ns, 15 * S);
	assert_int_equal(v.n, 2);
	assert_int_equal(made_sums(&m).ns, 63);
	made_free(&m);
}

static void test_ages_by_doubling(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	uint64_t end, widest = 0;
	struct slice_view v;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	for (uint64_t t = 0; t < 8 * 3600; t++)
		made_add(&m, t * S, a, "main", 1);
	s = profile_snapshot(m.p);
	assert_true(snapshot_slices(s) < 700);
	assert_int_equal(made_sums(&m).ns, 8 * 3600);
	end = 0;
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		assert_int_equal(v.from_ns, end);
		assert_int_equal(v.fact[0].weight, (v.to_ns - v.from_ns) / S);
		end = v.to_ns;
		if (v.to_ns > (8 * 3600 - 120) * S)
			assert_int_equal(v.to_ns - v.from_ns, S);
		if (v.to_ns - v.from_ns > widest)
			widest = v.to_ns - v.from_ns;
	}
	assert_int_equal(widest, 256 * S);
	made_free(&m);
}

static void test_snapshot_does_not_change(void **state)
{
	struct snapshot *s, *same;
	struct slice_view before, after;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 1 * S, a, "main", 1);
	made_add(&m, 2 * S, a, "main", 2);
	s = profile_snapshot(m.p);
	same = snapshot_ref(s);
	snapshot_unref(s);
	snapshot_slice(same, 0, &before);
	made_add(&m, 1 * S, a, "main", 4);
	made_add(&m, 2 * S, a, "main;f", 8);
	made_add(&m, 4000 * S, a, "main", 16);
	made_add(&m, 8000 * S, a, "main", 16);
	profile_clear(m.p);
	assert_int_equal(made_sums(&m).slices, 0);
	assert_int_equal(snapshot_slices(same), 2);
	snapshot_slice(same, 0, &after);
	assert_ptr_equal(before.fact, after.fact);
	assert_int_equal(after.fact[0].weight, 1);
	snapshot_slice(same, 1, &after);
	assert_int_equal(after.n, 1);
	assert_int_equal(after.fact[0].weight, 2);
	snapshot_unref(same);
	snapshot_unref(NULL);
	made_free(&m);
}

static void test_quality(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	const struct quality_row *row;
	struct event ev = { .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .weight = 5, .cut_module = ID_NONE };
	struct made m;

	made_init(&m, NULL);
	ev.thread = made_thread(&m, 1, 1, "a");
	assert_int_equal(profile_add(m.p, &ev), 0);
	ev.cut = CUT_NO_CFI;
	ev.cut_module = 0;
	ev.weight = 7;
	assert_int_equal(profile_add(m.p, &ev), 0);
	assert_int_equal(profile_add(m.p, &ev), 0);
	ev.flags = EVENT_F_KERNEL;
	assert_int_equal(profile_add(m.p, &ev), 0);
	s = profile_snapshot(m.p);
	assert_int_equal(snapshot_quality(s, &row), 2);
	assert_int_equal(row[0].cut, CUT_NO_CFI);
	assert_int_equal(row[0].module, 0);
	assert_int_equal(row[0].count, 2);
	assert_int_equal(row[0].weight, 14);
	assert_int_equal(row[1].cut, CUT_COMPLETE);
	assert_int_equal(row[1].module, ID_NONE);
	assert_int_equal(row[1].kind, EVENT_SAMPLE);
	ev.stack = 1000;
	assert_int_equal(profile_add(m.p, &ev), -EINVAL);
	ev.stack = STACK_ROOT;
	ev.thread = 1;
	assert_int_equal(profile_add(m.p, &ev), -EINVAL);
	assert_int_equal(made_sums(&m).count, 4);
	made_free(&m);
}

/* Frames of user code, as often as their stacks were met; neither the kernel's nor notes. */
static void test_frame_share(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct frame_share share;
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 1, 1, "a");
	made_add(&m, 1, t, "main;f;g_[k]", 5);
	made_add(&m, 2, t, "main;f;g_[k]", 5);
	made_add(&m, 3, t, "!3;main", 5);
	dict_frame_flag(m.d, dict_get_stack(m.d, made_stack(&m, "main;f"))->frame, FRAME_F_NO_TABLE);
	s = profile_snapshot(m.p);
	assert_int_equal(frame_share_of(s, &share), 0);
	assert_int_equal(share.frames, 5);
	assert_int_equal(share.no_table, 2);
	made_free(&m);
}

static const struct fact *only_fact(struct snapshot *s, size_t slice, size_t n, size_t i)
{
	struct slice_view v;

	snapshot_slice(s, slice, &v);
	assert_int_equal(v.n, n);
	return &v.fact[i];
}

/* Waits of one place that differ in length, call or state are facts of their own; the longest is kept. */
static void test_waits(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	const struct fact *f;
	const struct wait *w;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_wait(&m, 1, a, "main", EVENT_BLOCKED, "futex", 'S', 1100 * 1000);
	made_wait(&m, 2, a, "main", EVENT_BLOCKED, "futex", 'S', 2100 * 1000);
	m.ev.flags |= EVENT_F_PIECE;                     /* counted by the one before */
	made_again(&m);
	made_wait(&m, 3, a, "main", EVENT_RUNNABLE, "futex", 'S', 7);
	made_add(&m, 4, a, "main", 50);
	m.ev.count = 3;
	made_again(&m);
	s = profile_snapshot(m.p);
	f = only_fact(s, 0, 4, 0);
	assert_int_equal(f[0].kind, EVENT_SAMPLE);
	assert_int_equal(f[0].wait, WAIT_EMPTY);
	assert_int_equal(f[0].count, 4);
	assert_int_equal(f[0].longest_ns, 0);
	assert_int_equal(f[1].kind, EVENT_BLOCKED);
	assert_int_equal(f[1].count, 1);
	assert_int_equal(f[1].longest_ns, 1100 * 1000);
	w = dict_get_wait(m.d, f[1].wait);
	assert_int_equal(w->call, call_find("futex", MADE_ARCH));
	assert_int_equal(w->state, WAIT_INTERRUPTIBLE);
	assert_int_equal(w->bucket, wait_bucket(1100 * 1000));
	assert_int_equal(w->waker, ID_NONE);
	assert_int_equal(f[2].count, 1);
	assert_int_equal(f[2].weight, 4200 * 1000);
	assert_int_equal(f[3].kind, EVENT_RUNNABLE);
	assert_int_equal(dict_get_wait(m.d, f[3].wait)->bucket, 0);
	made_free(&m);
}

/* A wait that stands for others has its own length, or, without one, the average of those that it stands for. */
static void test_extrapolated(void **state)
{
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	const struct fact *f;
	struct made m;

	made_init(&m, NULL);
	made_wait(&m, 1, made_thread(&m, 1, 1, "a"), "main", EVENT_BLOCKED, "futex", 'S', 10 * MS);
	m.ev.flags |= EVENT_F_EXTRAPOLATED;
	m.ev.count = 1000;
	m.ev.wait.own_ns = 0;
	made_again(&m);
	m.ev.wait.own_ns = 12 * 1000;
	made_again(&m);
	s = profile_snapshot(m.p);
	f = only_fact(s, 0, 2, 1);
	assert_int_equal(f->count, 2000);
	assert_int_equal(f->weight, 20 * MS);
	assert_int_equal(f->longest_ns, 12 * 1000);
	assert_int_equal(dict_get_wait(m.d, f->wait)->bucket, wait_bucket(10 * 1000));
	assert_int_equal(dict_get_wait(m.d, f->wait)->flags, EVENT_F_EXTRAPOLATED);
	m.ev.wait.waker = 99;
	assert_int_equal(profile_add(m.p, &m.ev), -EINVAL);
	m.ev.wait.waker = ID_NONE;
	m.ev.wait.waker_stack = 99;
	assert_int_equal(profile_add(m.p, &m.ev), -EINVAL);
	made_free(&m);
}

/* What has not ended is in the snapshots taken meanwhile, and in no slice of the profile. */
static void test_provisional(void **state)
{
	struct fact f[3] = { { .kind = EVENT_BLOCKED, .count = 1, .weight = 5 * S },
			     { .kind = EVENT_SAMPLE, .count = 1, .weight = 7 },
			     { .kind = EVENT_SAMPLE, .count = 1, .weight = 9 } };
	struct wait w = { .call = CALL_FAULT, .waker = ID_NONE };
	struct snapshot *s, *later;
	struct slice_view v;
	struct made m;

	made_init(&m, NULL);
	f[0].thread = f[1].thread = f[2].thread = made_thread(&m, 1, 1, "a");
	f[0].wait = dict_wait(m.d, &w);
	made_add(&m, 1 * S, f[0].thread, "main", 1);
	assert_int_equal(profile_provisional(m.p, S / 2, 2 * S, f, 3), 0);
	s = profile_snapshot(m.p);
	assert_int_equal(snapshot_slices(s), 2);
	snapshot_slice(s, 0, &v);
	assert_false(v.provisional);
	snapshot_slice(s, 1, &v);
	assert_true(v.provisional);
	assert_int_equal(v.from_ns, S / 2);
	assert_int_equal(v.to_ns, 2 * S);
	assert_int_equal(v.n, 2);
	assert_int_equal(v.fact[0].weight, 16);       /* sorted, equal ones added */
	assert_int_equal(v.fact[1].weight, 5 * S);

	f[0].stack = 1000;
	assert_int_equal(profile_provisional(m.p, 0, 1, f, 3), -EINVAL);
	assert_int_equal(made_sums(&m).ns, 5 * S + 17);
	assert_int_equal(profile_provisional(m.p, 0, 1, NULL, 0), 0);
	made_add(&m, 400 * S, f[0].thread, "main", 1);
	assert_int_equal(made_sums(&m).ns, 2);
	assert_int_equal(profile_provisional(m.p, 0, 1, &f[1], 1), 0);
	profile_clear(m.p);
	later = profile_snapshot(m.p);
	assert_int_equal(snapshot_slices(later), 0);
	snapshot_slice(s, 1, &v);
	assert_int_equal(v.fact[1].weight, 5 * S);
	snapshot_unref(later);
	snapshot_unref(s);
	made_free(&m);
}

/*
 * Far more than fits: the heavy stack keeps its name and exact weight, the rest is "(other)", and
 * each thread its total.
 */
static void test_folding_keeps_totals(void **state)
{
	const struct profile_limits small = { .bytes = 8u << 20 };
	const struct query q = { .group_by = GROUP_COMM };
	uint64_t per_thread[4] = { 0 }, ns = 0, other = 0, heavy = 0;
	AUTO(tree_free) struct tree *tree = NULL;
	struct profile_stats st;
	char text[64], label[64];
	struct made m;
	thread_id t[4];

	made_init(&m, &small);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "t%u", i);
		t[i] = made_thread(&m, 1, 1 + (pid_t)i, text);
	}
	for (uint32_t i = 0; i < 300000; i++) {
		const uint64_t w = i % 10 ? 1 + hash_u64(i) % 1000 : 100 * MS;

		snprintf(text, sizeof(text), "@1;@%x", i % 10 ? 256 + (uint32_t)hash_u64(i) % 60000 : 7);
		made_add(&m, i * 5 * MS, t[i % 4], text, w);
		per_thread[i % 4] += w;
		ns += w;
		heavy += i % 10 ? 0 : w;
	}
	profile_stats(m.p, &st);
	assert_true(st.facts_folded > 0);
	assert_true(profile_bytes(m.p) < small.bytes);
	assert_int_equal(made_sums(&m).ns, ns);
	assert_int_equal(made_sums(&m).count, 300000);
	tree = made_tree(&m, &q);
	assert_int_equal(tree->node[0].total_ns, ns);
	for (uint32_t i = 1; i < tree->n; i++) {
		tree_label(tree, i, label, sizeof(label));
		if (tree->node[i].kind == NODE_GROUP)
			assert_int_equal(tree->node[i].total_ns, per_thread[label[1] - '0']);
		if (!strcmp(label, "(other)"))
			other += tree->node[i].self_ns;
		if (!strcmp(label, "libc.so.6+0x7"))
			heavy -= tree->node[i].self_ns;
	}
	assert_true(other > 0);
	assert_int_equal(heavy, 0);
	made_free(&m);
}

/* Waits with ever new wakers: each thread keeps its time of each kind, and "(other)" the calls and lengths. */
static void test_folding_waits(void **state)
{
	const struct profile_limits small = { .bytes = 8u << 20 };
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	uint64_t ns[3][4] = { { 0 } }, folded = 0;
	struct slice_view v;
	struct made m;
	char text[32];
	thread_id t;

	made_init(&m, &small);
	for (uint32_t i = 0; i < 200; i++)
		made_thread(&m, 1, 1 + (pid_t)i, "t");
	for (uint32_t i = 0; i < 200000; i++) {
		snprintf(text, sizeof(text), "@1;@%x", (uint32_t)hash_u64(i) % 3000);
		t = i % 3;
		made_wait(&m, i * 10 * MS, t, text, i % 2 ? EVENT_BLOCKED : EVENT_RUNNABLE, "futex", 'S',
			  1 + i % 100 * 1000);
		m.ev.wait.context = WAKER_TASK;
		m.ev.wait.waker = (thread_id)(i % 200);
		made_again(&m);
		ns[t][m.ev.kind] += 2 * m.ev.weight;
	}
	assert_true(profile_bytes(m.p) < small.bytes);
	s = profile_snapshot(m.p);
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++) {
			const struct wait *w = dict_get_wait(m.d, v.fact[k].wait);

			ns[v.fact[k].thread][v.fact[k].kind] -= v.fact[k].weight;
			assert_int_equal(w->call, call_find("futex", MADE_ARCH));
			if (v.fact[k].stack != dict_other_stack(m.d))
				continue;
			folded += v.fact[k].count;
			assert_int_equal(w->waker, ID_NONE);
			assert_int_equal(w->bucket, wait_bucket((uint64_t)v.fact[k].longest_ns));
		}
	}
	assert_true(folded > 0);
	for (t = 0; t < 3; t++)
		assert_true(!ns[t][EVENT_BLOCKED] && !ns[t][EVENT_RUNNABLE]);
	made_free(&m);
}

/*
 * Accesses, faults and migrations in ever new stacks and files: "(other)" loses the files, and
 * keeps kinds and both nodes.
 */
static void test_folding_places(void **state)
{
	const struct profile_limits small = { .bytes = 8u << 20 };
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	uint64_t n[EVENT_KINDS][4][4] = { { { 0 } } }, folded = 0;
	struct module file = { .kind = MODULE_FILE };
	struct slice_view v;
	struct made m;
	char text[32];

	made_init(&m, &small);
	made_thread(&m, 1, 1, "t");
	for (uint32_t i = 0; i < 300000; i++) {
		const enum event_kind kind = EVENT_MIGRATION + i % 3;
		const uint16_t from = (uint16_t)(i / 3 % 4), to = (uint16_t)(i / 12 % 4);

		snprintf(text, sizeof(text), "@1;@%x", (uint32_t)hash_u64(i) % 3000);
		made_place(&m, i * 10 * MS, 0, text, kind, from, to, 1 + i % 100);
		file.ino = 1 + i % 200;
		m.ev.place.file = dict_module(m.d, &file);
		made_again(&m);
		n[kind][from][to] += 2 * m.ev.weight;
	}
	assert_true(profile_bytes(m.p) < small.bytes);
	s = profile_snapshot(m.p);
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++) {
			const struct memory_place *p = dict_get_place(m.d, v.fact[k].place);

			n[v.fact[k].kind][v.fact[k].node][p->node] -= v.fact[k].weight;
			if (v.fact[k].stack != dict_other_stack(m.d))
				continue;
			folded += v.fact[k].count;
			assert_int_equal(p->file, ID_NONE);
			assert_int_equal(p->mapping, v.fact[k].kind == EVENT_MIGRATION ? 0 : MAPPING_ANON);
		}
	}
	assert_true(folded > 0);
	for (size_t i = 0; i < sizeof(n) / sizeof(n[0][0][0]); i++)
		assert_int_equal((&n[0][0][0])[i], 0);
	made_free(&m);
}

/* Threads without end: even their "(other)" stacks fold, into one thread, and the sum is exact. */
static void test_threads_without_end(void **state)
{
	const struct profile_limits small = { .bytes = 4u << 20 };
	struct profile_stats st;
	uint64_t ns = 0;
	struct made m;

	made_init(&m, &small);
	for (int i = 0; i < 300000; i++) {
		made_add(&m, (uint64_t)i * MS, made_thread(&m, 1 + i, 1 + i, "sh"), "@1;@2", 3);
		made_place(&m, (uint64_t)i * MS, m.ev.thread, "@1;@2", EVENT_FAULT, 0, 1, 5);
		ns += 8;
	}
	profile_stats(m.p, &st);
	assert_true(st.refused > 0);
	assert_true(profile_bytes(m.p) < small.bytes);
	assert_int_equal(made_sums(&m).ns, ns);
	made_free(&m);
}

/* A second with more different facts than memory for them. */
static void test_one_wild_second(void **state)
{
	const struct profile_limits small = { .bytes = 4u << 20 };
	struct made m;
	char text[32];
	thread_id t;

	made_init(&m, &small);
	t = made_thread(&m, 1, 1, "a");
	for (unsigned int i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text), "@1;@%x", i % 30000);
		made_add(&m, i, t, text, 1 + i % 3);
	}
	assert_int_equal(made_sums(&m).count, 100000);
	assert_true(profile_bytes(m.p) < small.bytes);
	made_free(&m);
}

static struct made starved;
static thread_id starved_thread;
static stack_id starved_stack[64];

/* Whatever fails, an event is either refused or counted. */
static void add_and_look(void)
{
	struct event ev = { .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .thread = starved_thread, .weight = 1 };
	struct snapshot *s = NULL;
	struct slice_view v;
	uint64_t count = 0;

	profile_clear(starved.p);
	for (uint64_t i = 0; i < 300; i++) {
		ev.kind = i % 3 ? EVENT_SAMPLE : EVENT_BLOCKED;
		ev.wait = (struct event_wait){ .call = CALL_FAULT, .waker = ID_NONE };
		ev.time_ns = (i + i % 5 * 7) * 200 * MS;
		ev.stack = starved_stack[i % 64];
		ev.cut_module = i % 3;
		if (profile_add(starved.p, &ev) == 0)
			count++;
		if (i % 50 == 49) {
			snapshot_unref(s);
			s = profile_snapshot(starved.p);
		}
	}
	snapshot_unref(s);
	s = profile_snapshot(starved.p);
	for (size_t i = 0; s && i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++)
			count -= v.fact[k].count;
	}
	assert_true(!s || count == 0);
	snapshot_unref(s);
}

static void test_no_memory(void **state)
{
	long n = 0;

	made_init(&starved, NULL);
	starved_thread = made_thread(&starved, 1, 1, "a");
	for (int i = 0; i < 64; i++) {
		char text[32];

		snprintf(text, sizeof(text), "@1;@%x", i + 2);
		starved_stack[i] = made_stack(&starved, text);
	}
	while (fail_alloc_try(n, add_and_look))
		n++;
	assert_true(n > 100);
	made_free(&starved);
}

static bool try_new(void)
{
	struct profile *p = profile_new(NULL);

	profile_free(p);
	return p;
}

static void test_new_without_memory(void **state)
{
	for (long n = 0; fail_alloc_round(n, try_new); n++)
		;
}

/*
 * The engine adds and publishes; two readers take the latest snapshot, build trees of it and give
 * it back, at any time.
 */
struct handover {
	struct made m;
	pthread_mutex_t lock;
	struct snapshot *latest;
	atomic_bool done;
};

static struct snapshot *take_latest(struct handover *h)
{
	struct snapshot *s;

	pthread_mutex_lock(&h->lock);
	s = snapshot_ref(h->latest);
	pthread_mutex_unlock(&h->lock);
	return s;
}

static void publish(struct handover *h)
{
	struct snapshot *fresh = profile_snapshot(h->m.p), *old;

	assert_non_null(fresh);
	pthread_mutex_lock(&h->lock);
	old = h->latest;
	h->latest = fresh;
	pthread_mutex_unlock(&h->lock);
	snapshot_unref(old);
}

static void *read_snapshots(void *ctx)
{
	const struct query q = { .group_by = GROUP_PROCESS, .arch = MADE_ARCH, .fold_idle = true };
	struct handover *h = ctx;
	uint64_t last = 0, bad = 0;
	bool done;

	do {
		struct waits *w = NULL;
		struct tree *t = NULL;
		struct snapshot *s;

		done = atomic_load(&h->done);
		s = take_latest(h);
		if (s && tree_build(s, h->m.names, &q, &t, NULL) == 0) {
			bad += t->node[0].count < last || t->node[0].total_ns != 3 * t->node[0].count;
			last = t->node[0].count;
			if (waits_build(s, h->m.names, &q, &w, NULL) == 0)
				bad += w->row[0].total_ns + t->idle_ns != t->node[0].value[TIME_BLOCKED];
		}
		waits_free(w);
		tree_free(t);
		snapshot_unref(s);
	} while (!done);
	return (void *)(uintptr_t)(bad ? UINTPTR_MAX : last);
}

/* The event number I: a sample, a wait on a condition or for a lock, or the same again, ended by another thread. */
static void add_one(struct made *m, int i, const char *stack)
{
	const uint64_t time_ns = (uint64_t)(i + i % 7 * 300) * 10 * MS;
	const thread_id t = made_thread(m, 1 + i % 50, 1 + i % 50, "t");
	char text[96];

	snprintf(text, sizeof(text), "%s%s", stack, i % 5 ? "" : ";pthread_cond_wait");
	if (i % 3 == 0) {
		made_wait(m, time_ns, t, text, EVENT_BLOCKED, "futex", 'S', 3);
	} else if (i % 3 == 1) {
		m->ev.time_ns = time_ns;
		m->ev.wait.context = WAKER_TASK;
		m->ev.wait.waker = t;
		made_again(m);
	} else {
		made_add(m, time_ns, t, text, 3);
	}
}

static void test_readers_beside_the_writer(void **state)
{
	const struct profile_limits small = { .bytes = 4u << 20 };
	struct handover h = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t reader[2];
	char text[64];
	void *last;

	made_init(&h.m, &small);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&reader[i], NULL, read_snapshots, &h), 0);
	for (int i = 0; i < 80000; i++) {
		snprintf(text, sizeof(text), "main;f%d;@%x", i % 100, (uint32_t)hash_u64((uint64_t)i) & 0x7fff);
		add_one(&h.m, i, text);
		if (i % 100 == 99)
			publish(&h);
	}
	publish(&h);
	atomic_store(&h.done, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(reader[i], &last), 0);
		assert_int_equal((uintptr_t)last, 80000);
	}
	snapshot_unref(h.latest);
	made_free(&h.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_in_slices),
		cmocka_unit_test(test_waits_are_in_the_slices_they_went_through),
		cmocka_unit_test(test_a_very_long_wait_is_in_some_slices),
		cmocka_unit_test(test_late_events_find_their_slice),
		cmocka_unit_test(test_ages_by_doubling),
		cmocka_unit_test(test_snapshot_does_not_change),
		cmocka_unit_test(test_quality),
		cmocka_unit_test(test_frame_share),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_extrapolated),
		cmocka_unit_test(test_provisional),
		cmocka_unit_test(test_folding_keeps_totals),
		cmocka_unit_test(test_folding_waits),
		cmocka_unit_test(test_folding_places),
		cmocka_unit_test(test_threads_without_end),
		cmocka_unit_test(test_one_wild_second),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_new_without_memory),
		cmocka_unit_test(test_readers_beside_the_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
