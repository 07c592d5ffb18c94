/* SPDX-License-Identifier: BSD-2-Clause */
/* test_waits.c - lists of waits of profiles made by hand: levels, order, readings, wakers, what is open, bounds. */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "query/waits.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* What is the same in every list: depth first, siblings by falling total, parents the sums of what is under them. */
static void assert_sound(const struct waits *w)
{
	uint64_t total[WAIT_LEVEL_WAKER + 1] = { 0 };
	uint32_t up[WAIT_LEVEL_WAKER + 1] = { 0 };
	const bool by_node = w->query.by_node;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct wait_row *r = &w->row[i];
		uint64_t before = UINT64_MAX, below = 0, hist = 0;
		uint32_t children = 0;

		up[r->level] = i;
		assert_int_equal(r->parent, i ? up[r->level == WAIT_LEVEL_CLASS &&
						   !by_node ? WAIT_LEVEL_ALL : r->level - 1] : NODE_NONE);
		assert_true(by_node || r->level != WAIT_LEVEL_NODE);
		for (uint32_t c = i + 1; c < w->n && w->row[c].level > r->level; c++) {
			if (w->row[c].parent != i)
				continue;
			children++;
			assert_true(w->row[c].total_ns <= before);
			before = w->row[c].total_ns;
			below += before;
		}
		assert_int_equal(children, r->nr_children);
		if (r->level < WAIT_LEVEL_STACK)
			assert_int_equal(below, r->total_ns);
		assert_true(below <= r->total_ns);
		assert_int_equal(r->blocked_ns + r->runnable_ns, r->total_ns);
		for (unsigned int b = 0; b < WAIT_BUCKETS; b++)
			hist += r->hist[b];
		assert_int_equal(hist, r->count);
		assert_true(!r->total_ns == !r->threads);
		total[r->level] += r->total_ns;
	}
	if (by_node)
		assert_int_equal(total[WAIT_LEVEL_NODE], total[WAIT_LEVEL_ALL]);
	assert_int_equal(total[WAIT_LEVEL_CLASS], total[WAIT_LEVEL_ALL]);
	assert_int_equal(total[WAIT_LEVEL_CALL], total[WAIT_LEVEL_ALL]);
	assert_int_equal(total[WAIT_LEVEL_STACK], total[WAIT_LEVEL_ALL]);
}

static const struct waits *waits_of(struct made *m, const struct query *q)
{
	const struct waits *w = made_waits(m, q);

	assert_sound(w);
	return w;
}

/* The row that is reached from row 0 by the labels in PATH, separated by ";"; NODE_NONE = there is none. */
static uint32_t find(const struct waits *w, const char *path)
{
	uint32_t row = 0, up;
	char label[LABEL_MAX];

	for (; *path; path += strcspn(path, ";"), path += *path == ';') {
		const size_t len = strcspn(path, ";");

		for (up = row, row++; row < w->n; row++) {
			wait_row_label(w, row, label, sizeof(label));
			if (w->row[row].parent == up && strlen(label) == len && !memcmp(label, path, len))
				break;
		}
		if (row == w->n)
			return NODE_NONE;
	}
	return row;
}

static const struct wait_row *row(const struct waits *w, const char *path)
{
	const uint32_t i = find(w, path);

	if (i == NODE_NONE)
		fail_msg("there is no %s", path);
	return &w->row[i];
}

static const struct query plain = { .arch = MADE_ARCH };

static void test_levels(void **state)
{
	struct made *m = *state;
	const struct wait_row *r;
	const struct waits *w;
	thread_id a, b;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_wait(m, 1, a, "main;load;read;sys_[k]", EVENT_BLOCKED, "read", 'D', 3 * MS);
	made_wait(m, 1, a, "main;load;read;sys_[k]", EVENT_RUNNABLE, "read", 'D', 1 * MS);
	made_wait(m, 2, b, "main;load;read;sys_[k]", EVENT_BLOCKED, "read", 'D', 100 * MS);
	m->ev.flags |= EVENT_F_EXTRAPOLATED;
	m->ev.count = 10;
	m->ev.wait.own_ns = 10 * MS;
	made_again(m);
	made_wait(m, 3, b, "main;get;read", EVENT_BLOCKED, "read", 'S', 50 * MS);
	made_wait(m, 4, b, "main;sync;fsync", EVENT_BLOCKED, "fsync", 'D', 70 * MS);
	made_wait(m, 5, a, "main;spin", EVENT_RUNNABLE, "preempted", 'R', 2 * MS);
	made_add(m, 6, a, "main;spin", 500 * MS);
	w = waits_of(m, &plain);
	assert_int_equal(w->n, 1 + 3 + 4 + 4);
	assert_string_equal(wait_class_name(w->row[1].class), "I/O");
	r = row(w, "");
	assert_int_equal(r->total_ns, 326 * MS);
	assert_int_equal(r->threads, 2);
	r = row(w, "I/O;read;load › main");
	assert_int_equal(r->blocked_ns, 203 * MS);
	assert_int_equal(r->runnable_ns, 1 * MS);
	assert_int_equal(r->doubt_ns, 100 * MS);
	assert_int_equal(r->count, 12);
	assert_int_equal(r->threads, 2);
	assert_int_equal(r->thread, b);
	assert_int_equal(r->call, call_find("read", MADE_ARCH));
	assert_int_equal(r->hist[wait_bucket(3 * MS)], 1);
	assert_int_equal(r->hist[wait_bucket(10 * MS)], 10);
	assert_int_equal(r->hist[wait_bucket(100 * MS)], 1);
	assert_true(r->longest_ns == 100.0 * MS);
	assert_int_equal(row(w, "pipe and socket;read;get › main")->total_ns, 50 * MS);
	assert_int_equal(row(w, "I/O;fsync")->threads, 1);
	assert_int_equal(row(w, "I/O")->threads, 2);
	assert_int_equal(row(w, "run queue;preempted;spin › main")->count, 1);
	assert_int_equal(w->nr_open, 0);
}

static void test_filters(void **state)
{
	struct made *m = *state;
	struct query q = plain;
	const struct waits *w;

	w = waits_of(m, &q);
	assert_int_equal(w->n, 1);
	made_wait(m, 1, made_thread(m, 1, 1, "loop"), "main;poll", EVENT_BLOCKED, "poll", 'S', 7);
	made_wait(m, 1, made_thread(m, 1, 2, "held"), "main;lock", EVENT_BLOCKED, "futex", 'S', 5);
	made_wait(m, 1, made_thread(m, 1, 2, "held"), "main;lock", EVENT_RUNNABLE, "futex", 'S', 2);
	w = waits_of(m, &q);
	assert_int_equal(w->row[0].total_ns, 14);
	assert_int_equal(w->idle_ns, 7);
	q.fold_idle = true;
	w = waits_of(m, &q);
	assert_int_equal(w->row[0].total_ns, 7);
	assert_int_equal(w->idle_ns, 7);
	assert_int_equal(find(w, "event wait"), NODE_NONE);
	q.measures = 1u << MEASURE_RUNNABLE | MEASURES_ON_CPU;
	w = waits_of(m, &q);
	assert_int_equal(row(w, "lock;futex;lock › main")->total_ns, 2);
	assert_int_equal(row(w, "lock;futex;lock › main")->count, 1);
	assert_int_equal(w->idle_ns, 0);
	q = plain;
	made_only(&q, "thread:loop");
	w = waits_of(m, &q);
	assert_int_equal(w->row[0].total_ns, 7);
	q = (struct query){ .arch = MADE_ARCH, .from_ns = 5000 * MS };
	w = waits_of(m, &q);
	assert_int_equal(w->n, 1);
}

/* A name that only a page fault has, which was told late, is not the last that the thread had. */
static void test_names_of_threads(void **state)
{
	struct made *m = *state;
	const struct waits *w;
	thread_id now, late;

	now = made_thread(m, 1, 1, "now");
	late = made_thread(m, 1, 1, "late");
	made_wait(m, 1, now, "main;lock", EVENT_BLOCKED, "futex", 'S', 3);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = now;
	made_again(m);
	made_place(m, 1, late, "main", EVENT_FAULT, 0, 0, 5);
	w = waits_of(m, &plain);
	assert_int_equal(row(w, "lock;futex;lock › main")->thread, now);
	assert_int_equal(row(w, "lock;futex;lock › main;now 1")->thread, now);
}

static void test_nodes(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH, .by_node = true };
	const struct wait_row *r;
	uint64_t key[2];
	const struct waits *w;
	thread_id a, b;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_wait(m, 1, a, "main;lock", EVENT_BLOCKED, "futex", 'S', 3);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	m->ev.node = 4;
	m->ev.weight = 10;
	made_again(m);
	m->ev.thread = b;
	m->ev.weight = 5;
	made_again(m);
	made_wait(m, 2, a, "main;read", EVENT_BLOCKED, "read", 'D', 20);
	m->ev.node = UINT16_MAX;
	made_again(m);
	made_place(m, 2, a, "main;read", EVENT_MIGRATION, 7, 8, 1000);
	w = waits_of(m, &q);
	assert_int_equal(row(w, "")->nr_children, 3);
	assert_int_equal(row(w, "node 0")->level, WAIT_LEVEL_NODE);
	assert_int_equal(row(w, "node 0")->total_ns, 23);
	assert_int_equal(row(w, "node 0;lock;futex;lock › main")->total_ns, 3);
	assert_int_equal(row(w, "node 0;I/O;read")->node, 0);
	r = row(w, "node 4;lock;futex;lock › main");
	assert_int_equal(r->total_ns, 15);
	assert_int_equal(r->threads, 2);
	assert_int_equal(r->node, 4);
	assert_int_equal(row(w, "node 4")->threads, 2);
	assert_int_equal(row(w, "node 4;lock;futex;lock › main;b 2 (app 1)")->node, 4);
	assert_int_equal(row(w, "unknown node;I/O")->total_ns, 20);
	assert_int_equal(find(w, "node 7"), NODE_NONE);
	key[0] = row(w, "node 0;lock;futex;lock › main")->key;
	key[1] = row(w, "node 4;lock;futex;lock › main")->key;
	assert_int_not_equal(key[0], key[1]);

	made_wait(m, 3, a, "main;lock", EVENT_BLOCKED, "futex", 'S', 1000);
	m->ev.node = 1;
	made_again(m);
	w = waits_of(m, &q);
	assert_int_equal(row(w, "node 0;lock;futex;lock › main")->key, key[0]);
	assert_int_equal(row(w, "node 4;lock;futex;lock › main")->key, key[1]);
	q = plain;
	q.measures = MEASURES_FAR;                                    /* says nothing of waits */
	nodeset_add(&q.nodes, 4);
	nodeset_add(&q.nodes, 1);
	w = waits_of(m, &q);
	assert_int_equal(row(w, "lock;futex;lock › main")->total_ns, 1015);
}

static void test_readings(void **state)
{
	struct made *m = *state;
	static const struct {
		const char *stack, *text;
	} want[] = {
		{ "main;f;fsync;sys_fsync_[k];schedule_[k]", "f › main" },
		{ "main;f;__GI___fsync@@GLIBC_2.2.5", "f › main" },
		{ "main;__libc_recv", "main" },
		{ "main;g>in>in2;pthread_cond_wait@@GLIBC_2.3.2;@1f0;@2f0;futex_[k]",
		  "pthread_cond_wait@@GLIBC_2.3.2 › in2 › in › g › main" },
		{ "main;pthread_cond_wait>__pthread_cond_wait_common;__futex_wait64", "pthread_cond_wait › main" },
		{ "main;pthread_mutex_lock>lll_mutex_lock_optimized", "pthread_mutex_lock › main" },
		{ "main;g>read>in>write", "in › read › g › main" },
		{ "main;f;__lll_lock_wait;__futex_wait64", "f › main" },
		{ "main;@9;f;@1;@2", "f › libc.so.6+0x9 › main" },
		{ "read;read", "read › read" },          /* nothing else is there */
		{ "@1;@2", "libc.so.6+0x2 › libc.so.6+0x1" },
		{ "!3;f;read", "f › [cut: no_cfi]" },
		{ "kthread_[k];worker_[k];schedule_[k];__schedule_[k];bpf_prog_1_[k]", "worker › kthread" },
		{ "schedule_[k];__schedule_[k]", "__schedule › schedule" },
		{ "(other)", "(other)" },
		{ "", "[no stack]" },
		{ "ma\nin;f", "f › ma\xef\xbf\xbdin" },
	};
	const struct waits *w;
	char text[LABEL_MAX], tiny[8];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		made_wait(m, 1, made_thread(m, 1, 1, "a"), want[i].stack, EVENT_BLOCKED, "fsync", 'D', 1);
	w = waits_of(m, &plain);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		wait_stack_label(w, made_stack(m, want[i].stack), text, sizeof(text));
		if (strcmp(text, want[i].text) != 0)
			fail_msg("%s reads %s", want[i].stack, text);
	}
	assert_string_equal(wait_stack_label(w, made_stack(m, "main;func"), tiny, sizeof(tiny)), "func");
	assert_string_equal(wait_stack_label(w, made_stack(m, "main;f"), tiny, 1), "");
}

/* Stacks that read the same are one row, with the heaviest of them; keys stay when there is more. */
static void test_same_readings(void **state)
{
	struct made *m = *state;
	struct query q = plain;
	const struct wait_row *r;
	const struct waits *w;
	thread_id a;
	uint64_t key;

	a = made_thread(m, 1, 1, "a");
	made_wait(m, 1, a, "main;f#1;read;x_[k]", EVENT_BLOCKED, "read", 'D', 1);
	made_wait(m, 1, a, "main;f#2;read;y_[k]", EVENT_BLOCKED, "read", 'D', 5);
	made_wait(m, 1, a, "main;f#2;__read", EVENT_BLOCKED, "read", 'D', 3);
	made_wait(m, 1, a, "main;f>in;read", EVENT_BLOCKED, "read", 'D', 100);
	w = waits_of(m, &q);
	r = row(w, "I/O;read;f › main");
	assert_int_equal(r->total_ns, 9);
	assert_int_equal(r->count, 3);
	assert_int_equal(r->stack, made_stack(m, "main;f#2;read;y_[k]"));
	assert_int_equal(row(w, "I/O;read")->nr_children, 2);
	key = r->key;
	made_wait(m, 1, a, "g", EVENT_BLOCKED, "read", 'D', 1000);
	made_wait(m, 1, a, "g", EVENT_BLOCKED, "fsync", 'D', 5000);
	w = waits_of(m, &q);
	assert_int_equal(row(w, "I/O;read;f › main")->key, key);
	assert_int_not_equal(row(w, "I/O;read;g")->key, row(w, "I/O;fsync;g")->key);
	q.no_inlines = true;
	w = waits_of(m, &q);
	assert_int_equal(row(w, "I/O;read;f › main")->total_ns, 109);
}

static void wake(struct made *m, enum waker_context context, thread_id waker, const char *stack)
{
	m->ev.wait.context = context;
	m->ev.wait.waker = waker;
	m->ev.wait.waker_stack = made_stack(m, stack);
	made_again(m);
}

static void test_wakers(void **state)
{
	struct made *m = *state;
	const struct wait_row *r;
	thread_id main_thread, a, b;
	const struct waits *w;

	main_thread = made_thread(m, 7, 7, "boss");
	a = made_thread(m, 7, 8, "a");
	b = made_thread(m, 7, 9, "b");
	made_wait(m, 1, a, "main;lock", EVENT_BLOCKED, "futex", 'S', 10);
	wake(m, WAKER_TASK, b, "main;unlock#1;futex;sys_[k]");
	wake(m, WAKER_TASK, b, "main;unlock#2;futex");
	wake(m, WAKER_TASK, b, "main;other");
	wake(m, WAKER_HARDIRQ, b, "main;innocent");
	wake(m, WAKER_HARDIRQ, a, "main");
	wake(m, WAKER_SOFTIRQ, ID_NONE, "");
	m->ev.weight = 100;
	wake(m, WAKER_TASK, main_thread, "");
	wake(m, WAKER_TASK, ID_NONE, "");
	m->ev.thread = b;
	wake(m, WAKER_TASK, ID_NONE, "");
	w = waits_of(m, &plain);
	r = row(w, "lock;futex;lock › main");
	assert_int_equal(r->total_ns, 370);
	assert_int_equal(r->nr_children, 6);
	r = row(w, "lock;futex;lock › main;b 9 (app 7)");        /* two places in one function */
	assert_int_equal(r->level, WAIT_LEVEL_WAKER);
	assert_int_equal(r->count, 2);
	assert_int_equal(r->total_ns, 20);
	assert_int_equal(r->hist[0], 2);
	assert_int_equal(r->thread, b);
	assert_int_equal(r->context, WAKER_TASK);
	assert_int_equal(r->stack, made_stack(m, "main;unlock#1;futex;sys_[k]"));
	r = row(w, "lock;futex;lock › main;interrupt or timer");
	assert_int_equal(r->total_ns, 20);
	assert_int_equal(r->thread, ID_NONE);
	assert_int_equal(r->stack, STACK_ROOT);
	assert_int_equal(row(w, "lock;futex;lock › main;soft interrupt or timer")->total_ns, 10);
	assert_int_equal(row(w, "lock;futex;lock › main;boss 7")->total_ns, 100);
	assert_int_equal(row(w, "lock;futex;lock › main;unknown thread")->threads, 2);
}

static void test_open(void **state)
{
	struct made *m = *state;
	struct query q = plain;
	const struct waits *w;
	thread_id a, b, idle, gone, woken;

	a = made_thread(m, 7, 7, "a");
	b = made_thread(m, 7, 8, "b");
	idle = made_thread(m, 7, 9, "idle");
	gone = made_thread(m, 7, 10, "gone");
	woken = made_thread(m, 7, 11, "woken");
	/* A piece that was told a while ago, and what has come since. */
	made_wait(m, 1000 * MS, a, "main;lock", EVENT_BLOCKED, "futex", 'S', 1000 * MS);
	m->ev.flags |= EVENT_F_OPEN | EVENT_F_EARLIER;
	made_again(m);
	m->ev.flags |= EVENT_F_PIECE;
	m->ev.time_ns = 4000 * MS;
	m->ev.weight = 2000 * MS;
	m->ev.wait.own_ns = 3000 * MS;
	made_again(m);
	/* As long, but it got on. */
	m->ev.thread = gone;
	made_again(m);
	made_add(m, 5000 * MS, gone, "main", 1);
	made_wait(m, 4000 * MS, idle, "main;poll", EVENT_BLOCKED, "poll", 'S', 9000 * MS);
	made_open(m);
	made_wait(m, 4000 * MS, b, "main;read", EVENT_BLOCKED, "read", 'D', 4000 * MS);
	made_open(m);
	made_wait(m, 4000 * MS, woken, "main;read", EVENT_BLOCKED, "read", 'D', 7000 * MS);
	made_open(m);
	made_wait(m, 4000 * MS, woken, "main;read", EVENT_RUNNABLE, "read", 'D', 1 * MS);
	made_open(m);
	w = waits_of(m, &q);
	assert_int_equal(w->nr_open, 3);
	assert_int_equal(w->open[0].thread, b);
	assert_true(w->open[0].waited_ns == 4000.0 * MS);
	assert_int_equal(w->open[0].state, WAIT_UNINTERRUPTIBLE);
	assert_int_equal(w->open[0].stack, made_stack(m, "main;read"));
	assert_int_equal(w->open[1].thread, a);
	assert_true(w->open[1].waited_ns == 3000.0 * MS);
	assert_int_equal(w->open[1].flags, EVENT_F_OPEN | EVENT_F_EARLIER);
	assert_int_equal(w->open[1].call, call_find("futex", MADE_ARCH));
	assert_int_equal(w->open[2].thread, idle);
	assert_true(w->open[2].idling && !w->open[1].idling);
	assert_int_equal(row(w, "lock;futex;lock › main")->open_ns, 3000 * MS);
	assert_int_equal(row(w, "lock;futex;lock › main")->count, 2);
	q.fold_idle = true;
	w = waits_of(m, &q);
	assert_int_equal(w->nr_open, 2);
}

/* More stacks than rows: the heaviest have their own, the rest of each call is one row, and nothing is lost. */
static void test_bounded(void **state)
{
	struct made *m = *state;
	const struct waits *w;
	uint64_t ns = 0;
	char text[32];

	for (uint32_t i = 0; i < 12000; i++) {
		snprintf(text, sizeof(text), "f%u", i);
		made_wait(m, 1, made_thread(m, 1, 1, "a"), text, EVENT_BLOCKED,
			  i % 2 ? "fsync" : "futex", 'S', 1000 + i);
		ns += 1000 + i;
	}
	made_wait(m, 1, made_thread(m, 1, 1, "a"), "(other)", EVENT_BLOCKED, "futex", 'S', 1);
	w = waits_of(m, &plain);
	assert_int_equal(w->other_stacks, 2000);
	assert_int_equal(w->n, 1 + 2 + 2 + 10000 + 2);
	assert_int_equal(w->row[0].total_ns, ns + 1);
	assert_int_equal(row(w, "lock;futex;(other)")->count, 1001);
	assert_int_equal(row(w, "I/O;fsync;(other)")->count, 1000);
	assert_int_equal(row(w, "I/O;fsync;f11999")->total_ns, 12999);
	assert_int_equal(find(w, "I/O;fsync;f1999"), NODE_NONE);
}

/* Calls and wakers without end, as in a recording that somebody made up. */
static void test_hostile(void **state)
{
	struct made *m = *state;
	const struct waits *w;
	thread_id t;

	for (uint32_t i = 0; i < 15000; i++)
		made_thread(m, 1, 1 + (pid_t)i, "t");
	t = made_thread(m, 1, 1, "t");
	made_wait(m, 1, t, "main", EVENT_BLOCKED, "futex", 'S', 3);
	for (uint32_t i = 0; i < 15000; i++) {
		m->ev.wait = (struct event_wait){ .call = CALL_SYSCALL + 600 + i % 5000,
						 .state = (uint8_t)i, .waker = i,
						 .context = (uint8_t)(i >> 3), .own_ns = hash_u64(i) };
		made_again(m);
	}
	w = waits_of(m, &plain);
	assert_int_equal(w->row[0].total_ns, 3 + 15000 * 3);
	assert_true(w->n < 1 + WAIT_CLASS_NR + 1010 * 2 + 10000);
}

static struct made shared;
static struct snapshot *shared_snapshot;

static bool try_build(void)
{
	struct waits *w = NULL;
	struct err e = ERR_INIT;
	const int r = waits_build(shared_snapshot, shared.names, &plain, &w, &e);

	assert_true(r == 0 ? w && !e.code : r == -ENOMEM && !w && e.code == ENOMEM);
	waits_free(w);
	return r == 0;
}

static void test_no_memory(void **state)
{
	thread_id t;

	made_init(&shared, NULL);
	for (int i = 0; i < 40; i++) {
		t = made_thread(&shared, i, i, "a");
		made_wait(&shared, 1, t, i % 2 ? "main;f;g>h" : "main;@10;x_[k]", EVENT_BLOCKED,
			  i % 3 ? "read" : "futex", 'S', MS);
		wake(&shared, i % 4 ? WAKER_TASK : WAKER_SOFTIRQ, t, "main;w");
		made_open(&shared);
	}
	shared_snapshot = profile_snapshot(shared.p);
	for (long n = 0; fail_alloc_round(n, try_build); n++)
		;
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_levels),
		MADE_TEST(test_filters),
		MADE_TEST(test_names_of_threads),
		MADE_TEST(test_nodes),
		MADE_TEST(test_readings),
		MADE_TEST(test_same_readings),
		MADE_TEST(test_wakers),
		MADE_TEST(test_open),
		MADE_TEST(test_bounded),
		MADE_TEST(test_hostile),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
