/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_export.c - what exporters write, byte for byte, for profiles made by hand; and that they
 * report failed writes.
 */
#include "config.h"

#include "export/exporter.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static const struct profile_meta no_meta;

static char *folded(struct made *m, const struct query *q)
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_folded, q, NULL, &e), 0);
	fclose(f);
	return text;
}

static void assert_folded(struct made *m, const struct query *q, const char *want)
{
	AUTO_FREE char *text = folded(m, q);

	assert_string_equal(text, want);
}

static void test_folded_kinds(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	thread_id t;

	t = made_thread(m, 10, 10, "app");
	made_add(m, 1, t, "main;work>twice>once;@2a1f0", 10 * MS);
	made_add(m, 2, t, "main;write;ksys_write_[k];@k77", 5 * MS);
	made_add(m, 3, t, "main;LazyCompile:~f_[j];@jff00", 3 * MS);
	made_add(m, 4, t, "!1;deep", 2 * MS);
	made_add(m, 5, t, "(other)", 1 * MS);
	made_add(m, 6, t, "", 1500);
	assert_folded(m, &q,
		      "app 2\n"
		      "app;(other) 1000\n"
		      "app;[cut: stack_size];deep 2000\n"
		      "app;main;LazyCompile:~f_[j];[anon]+0xff00_[j] 3000\n"
		      "app;main;work;twice_[i];once_[i];libc.so.6+0x2a1f0 10000\n"
		      "app;main;write;ksys_write_[k];[kernel]+0x77_[k] 5000\n");
}

/* Self of every row adds up to the tree, and no total is more than that. */
static void test_flat(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_NONE };
	const struct export_view light = { .min_percent = 10, .ascii = true };
	const thread_id t = made_thread(m, 10, 10, "app");
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	made_add(m, 1, t, "main;work>twice;work", 40 * MS);
	made_add(m, 2, t, "main;work#2", 20 * MS);
	made_add(m, 3, t, "main;twice", 20 * MS);
	made_wait(m, 4, t, "main;write;ksys_write_[k]", EVENT_BLOCKED, "write", 'S', 19 * MS);
	made_add(m, 5, t, "", MS);
	assert_int_equal(made_write(m, f, &exporter_flat, &q, &light, NULL), 0);
	fclose(f);
	assert_string_equal(text,
			    "    self    total  running runnable  blocked       time  module                function\n"
			    "  60.0 %   60.0 %   60.0 %        .        .    60.0 ms  app                   work\n"
			    "  20.0 %   60.0 %   20.0 %        .        .    20.0 ms  app                   twice\n"
			    "  19.0 %   19.0 %        .        .   19.0 %    19.0 ms  [kernel]              "
			    "ksys_write [k]\n"
			    "   0.0 %   99.0 %        .        .        .       0 ns  app                   main\n"
			    "   0.0 %   19.0 %        .        .        .       0 ns  app                   write\n"
			    "   1.0 %             1.0 %        .        .    1.00 ms                        "
			    "... 1 more\n");
	free(text);
}

static void test_folded_groups(void **state)
{
	struct made *m = *state;
	struct query q = { .group_by = GROUP_NONE };
	thread_id a, b;

	b = made_thread(m, 10, 11, "bio");
	a = made_thread(m, 10, 10, "app");
	made_add(m, 1, a, "main;f", MS);
	made_add(m, 2, b, "main;f", MS);
	assert_folded(m, &q, "all;main;f 2000\n");
	q.group_by = GROUP_PROCESS;
	assert_folded(m, &q, "app 10;main;f 2000\n");
	q.group_by = GROUP_THREAD;
	assert_folded(m, &q, "app 10;app 10;main;f 1000\napp 10;bio 11;main;f 1000\n");
	q.group_by = GROUP_EXE;
	assert_folded(m, &q, "/usr/bin/app;main;f 2000\n");
	q.group_by = GROUP_CGROUP;
	assert_folded(m, &q, "/system.slice/app.service;main;f 2000\n");
	q.group_by = GROUP_COMM;
	assert_folded(m, &q, "app;main;f 1000\nbio;main;f 1000\n");
	q.inverted = true;
	assert_folded(m, &q, "app;f;main 1000\nbio;f;main 1000\n");
}

/* The weight of a line is that of the kinds asked for. */
static void test_folded_metrics(void **state)
{
	struct made *m = *state;
	static const struct { uint32_t kinds; const char *want; } metric[] = {
		{ MEASURES_ON_CPU, "app;main 5000\n" },
		{ 1u << MEASURE_BLOCKED, "app;main;take 40000\n" },
		{ 1u << MEASURE_RUNNABLE, "app;main 2000\napp;main;take 1000\n" },
		{ MEASURES_OFF_CPU, "app;main 2000\napp;main;take 41000\n" },
		{ MEASURES_WALL, "app;main 7000\napp;main;take 41000\n" },
		{ 0, "app;main 7000\napp;main;take 41000\n" },
	};
	struct query q = { .group_by = GROUP_COMM, .arch = MADE_ARCH };
	thread_id a;

	a = made_thread(m, 10, 10, "app");
	made_add(m, 1, a, "main", 5 * MS);
	made_wait(m, 2, a, "main;take", EVENT_BLOCKED, "futex", 'S', 40 * MS);
	made_wait(m, 3, a, "main;take", EVENT_RUNNABLE, "futex", 'S', 1 * MS);
	made_wait(m, 4, a, "main", EVENT_RUNNABLE, "preempted", 'R', 2 * MS);
	for (size_t i = 0; i < sizeof(metric) / sizeof(metric[0]); i++) {
		q.measures = metric[i].kinds;
		assert_folded(m, &q, metric[i].want);
	}
	q.states = 1u << WAIT_PREEMPTED;
	assert_folded(m, &q, "app;main 2000\n");
}

static void test_folded_by_node(void **state)
{
	struct made *m = *state;
	struct query q = { .group_by = GROUP_COMM, .by_node = true };
	thread_id a;

	a = made_thread(m, 10, 10, "app");
	made_add(m, 1, a, "main;f", 5 * MS);
	m->ev.node = 11;
	made_again(m);
	made_place(m, 2, a, "main;g", EVENT_ACCESS, 11, 0, 3 * MS);
	assert_folded(m, &q, "node 0;app;main;f 5000\nnode 11;app;main;f 5000\n");
	q.group_by = GROUP_NONE;
	assert_folded(m, &q, "node 0;main;f 5000\nnode 11;main;f 5000\n");
	q.measures = MEASURES_FAR;
	assert_folded(m, &q, "node 11;main;g 3000\n");
}

/* Names may hold anything: every stack stays on one line, and what reads the same is one line. */
static void test_folded_hostile(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	AUTO_FREE char *text = NULL;
	thread_id t;

	t = made_thread(m, 10, 10, "a;b\nc\033[2J");
	made_add(m, 1, t, "x\n1 2\n;\xff\xfe", MS);
	made_add(m, 2, t, "x\r1 2\n;\xfe\xff", MS);
	made_add(m, 3, t, "@10;\xe2\x80\xaetxt", MS);
	text = folded(m, &q);
	assert_string_equal(text, "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;libc.so.6+0x10;\xef\xbf\xbdtxt 1000\n"
				  "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;x\xef\xbf\xbd" "1 2\xef\xbf\xbd;"
				  "\xef\xbf\xbd\xef\xbf\xbd 2000\n");
}

/* Weights that no line can show exactly still add up, and no stack vanishes. */
static void test_folded_rounding(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_NONE };
	AUTO_FREE char *text = NULL;
	uint64_t sum = 0, ns = 0;
	unsigned int lines = 0;
	char stack[32];

	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(stack, sizeof(stack), "main;f%u", i);
		made_add(m, 1, made_thread(m, 1, 1, "a"), stack, 7 + i * 13 % 1700);
		ns += 7 + i * 13 % 1700;
	}
	text = folded(m, &q);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(lines, 1000);
	assert_int_equal(sum, (ns + 500) / 1000);
}

static void test_write_errors(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	FILE *full = fopen("/dev/full", "w");
	struct err e = ERR_INIT;

	made_add(m, 1, made_thread(m, 1, 1, "a"), "main;f", MS);
	assert_non_null(full);
	assert_int_equal(made_write(m, full, &exporter_folded, &q, NULL, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "No space left on device"));
	assert_int_equal(made_write(m, full, &exporter_tree, &q, NULL, &e), -ENOSPC);
	assert_int_equal(made_write(m, full, &exporter_waits, &q, NULL, &e), -ENOSPC);
	fclose(full);
}

static void assert_text(const struct tree *t, const struct export_view *o, const char *want)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	struct export_view v = o ? *o : (struct export_view){ 0 };
	FILE *f = open_memstream(&text, &len);

	v.tree = t;
	v.meta = &no_meta;
	assert_non_null(f);
	assert_int_equal(exporter_tree.write(f, &v, NULL), 0);
	fclose(f);
	assert_string_equal(text, want);
}

static void assert_tree(struct made *m, const struct query *q, const struct export_view *o, const char *want)
{
	assert_text(made_look(m, q), o, want);
}

static struct tree_node *find_node(struct tree *t, const char *label)
{
	char text[LABEL_MAX];

	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(tree_label(t, i, text, sizeof(text)), label))
			return &t->node[i];
	fail_msg("there is no %s", label);
	return NULL;
}

static void set_kinds(struct tree *t, const char *label, uint64_t running_ns, uint64_t runnable_ns, uint64_t blocked_ns)
{
	struct tree_node *n = find_node(t, label);

	assert_int_equal(running_ns + runnable_ns + blocked_ns, n->total_ns);
	n->value[TIME_RUNNING] = running_ns;
	n->value[TIME_RUNNABLE] = runnable_ns;
	n->value[TIME_BLOCKED] = blocked_ns;
}

/* The same node with two waits of 25 ms that have not ended. */
static struct tree_node opened(struct tree_node n)
{
	n.open_ns = 50 * MS;
	n.open_longest_ns = 25 * MS;
	return n;
}

/* Time off the CPU has columns; guesses and what has not ended are marked, the latter where it waits. */
static void test_tree_with_waits(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	const struct export_view plain = { .ascii = true, .min_percent = 15 };
	AUTO(tree_free) struct tree *t = NULL;
	thread_id a;

	a = made_thread(m, 10, 10, "app");
	made_add(m, 1, a, "main;work", 30 * MS);
	made_add(m, 2, a, "main;take;futex", 60 * MS);
	made_add(m, 3, a, "main;other", 10 * MS);
	t = made_tree(m, &q);
	set_kinds(t, "all", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "app", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "main", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "work", 25 * MS, 5 * MS, 0);
	set_kinds(t, "take", 0, 0, 60 * MS);
	set_kinds(t, "futex", 0, 0, 60 * MS);
	set_kinds(t, "other", 0, 0, 10 * MS);
	find_node(t, "other")->doubt_ns = 6 * MS;
	find_node(t, "main")->doubt_ns = 6 * MS;
	for (const char *const *open = (const char *const[]){ "all", "app", "main", "take", "futex",
							      NULL }; *open; open++)
		*find_node(t, *open) = opened(*find_node(t, *open));
	assert_text(t, NULL,
		    "   total     self  running runnable  blocked       time\n"
		    " 100.0 %    0.0 %   25.0 %    5.0 %   70.0 %     100 ms  all\n"
		    " 100.0 %    0.0 %   25.0 %    5.0 %   70.0 %     100 ms  app\n"
		    " 100.0 %    0.0 %   25.0 %    5.0 %   70.0 %     100 ms  main\n"
		    "  60.0 %    0.0 %        ·        ·   60.0 %    60.0 ms  - take\n"
		    "  60.0 %   60.0 %        ·        ·   60.0 %    60.0 ms    futex  still waiting for 25.0 ms\n"
		    "  30.0 %   30.0 %   25.0 %    5.0 %        ·    30.0 ms  - work\n"
		    " ~10.0 %  ~10.0 %        ·        ·   10.0 %   ~10.0 ms  - other\n");
	find_node(t, "all")->total_ns = find_node(t, "all")->doubt_ns = 100 * MS;
	assert_text(t, &plain,
		    "   total     self  running runnable  blocked       time\n"
		    "~100.0 %    0.0 %   25.0 %    5.0 %   70.0 %    ~100 ms  all\n"
		    " 100.0 %    0.0 %   25.0 %    5.0 %   70.0 %     100 ms  app\n"
		    " 100.0 %    0.0 %   25.0 %    5.0 %   70.0 %     100 ms  main\n"
		    "  60.0 %    0.0 %        .        .   60.0 %    60.0 ms  - take\n"
		    "  60.0 %   60.0 %        .        .   60.0 %    60.0 ms    futex  still waiting for 25.0 ms\n"
		    "  30.0 %   30.0 %   25.0 %    5.0 %        .    30.0 ms  - work\n"
		    " ~10.0 %                 .        .   10.0 %             ... 1 more\n");
}

static void test_tree(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	const struct export_view pruned = { .min_percent = 20, .ascii = true },
				 shallow = { .max_depth = 1 };
	thread_id a, b;

	a = made_thread(m, 10, 10, "app");
	b = made_thread(m, 10, 11, "b\033o");
	made_add(m, 1, a, "main;work>in", 60 * MS);
	made_add(m, 2, a, "main;write_[k]", 20 * MS);
	made_add(m, 3, a, "main;@30", 10 * MS);
	made_add(m, 4, b, "main", 10 * MS);
	assert_tree(m, &q, NULL,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main\n"
		    " 60.0 %   0.0 %   60.0 ms    - work\n"
		    " 60.0 %  60.0 %   60.0 ms      in [i]\n"
		    " 20.0 %  20.0 %   20.0 ms    - write [k]\n"
		    " 10.0 %  10.0 %   10.0 ms    - libc.so.6+0x30\n"
		    " 10.0 %   0.0 %   10.0 ms  - b\xef\xbf\xbdo\n"
		    " 10.0 %  10.0 %   10.0 ms    main\n");
	assert_tree(m, &q, &pruned,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main\n"
		    " 60.0 %   0.0 %   60.0 ms    - work\n"
		    " 60.0 %  60.0 %   60.0 ms      in [i]\n"
		    " 20.0 %  20.0 %   20.0 ms    - write [k]\n"
		    " 10.0 %                      ... 1 more\n"
		    " 10.0 %                    ... 1 more\n");
	assert_tree(m, &q, &shallow,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main\n"
		    " 90.0 %                      … 3 more\n"
		    " 10.0 %   0.0 %   10.0 ms  - b\xef\xbf\xbdo\n"
		    " 10.0 %  10.0 %   10.0 ms    main\n");
}

/* Far accesses are estimates, and say from how many samples; nodes are a level above the groups. */
static void test_tree_of_far_accesses(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM, .measures = MEASURES_FAR, .by_node = true };
	const struct export_view shallow = { .ascii = true, .max_depth = 1 };
	thread_id a;

	a = made_thread(m, 10, 10, "app");
	for (int i = 0; i < 1200; i++)
		made_place(m, 1, a, "main;look", EVENT_ACCESS, 0, 1, MS);
	made_place(m, 1, a, "main", EVENT_ACCESS, 1, 0, 300 * MS);
	assert_tree(m, &q, &shallow,
		    "  total    self       far  samples\n"
		    "100.0 %   0.0 %   ~1.50 s    1,201  all\n"
		    " 80.0 %   0.0 %   ~1.20 s    1,200  - node 0\n"
		    " 80.0 %   0.0 %   ~1.20 s    1,200    app\n"
		    " 80.0 %   0.0 %   ~1.20 s    1,200    main\n"
		    " 80.0 %                               ... 1 more\n"
		    " 20.0 %   0.0 %   ~300 ms        1  - node 1\n"
		    " 20.0 %   0.0 %   ~300 ms        1    app\n"
		    " 20.0 %  20.0 %   ~300 ms        1    main\n");
}

static void test_tree_says_what_it_cut(void **state)
{
	struct made *m = *state;
	const struct query q = { .max_nodes = 2 };

	made_add(m, 1, made_thread(m, 10, 10, "app"), "main;work", 60 * MS);
	assert_tree(m, &q, NULL,
		    "  total    self      time\n"
		    "100.0 %   0.0 %   60.0 ms  all\n"
		    "100.0 % 100.0 %   60.0 ms  main\n"
		    "100.0 %                    is counted with callers: the tree has no more than 2 nodes\n");
}

static void test_empty(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };

	assert_folded(m, &q, "");
	assert_tree(m, &q, NULL, "  total    self      time\n  0.0 %   0.0 %      0 ns  all\n");
}

static void assert_waits(struct made *m, const struct query *q, const struct export_view *o, const char *want)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_waits, q, o, NULL), 0);
	fclose(f);
	assert_string_equal(text, want);
}

/* Two threads and a lock, somebody who writes, and one that never gets on. */
static void make_waits(struct made *m)
{
	thread_id a, b, c;

	a = made_thread(m, 10, 10, "app");
	b = made_thread(m, 10, 11, "b\033o");
	c = made_thread(m, 10, 12, "stuck");
	for (int i = 0; i < 8; i++)
		made_wait(m, 1, a, "main;take;do_futex_[k]", EVENT_BLOCKED, "futex", 'S', 100 * 1000);
	made_wait(m, 2, b, "start;take;do_futex_[k]", EVENT_BLOCKED, "futex", 'S', 1200 * MS);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = a;
	m->ev.wait.waker_stack = made_stack(m, "main;give");
	made_again(m);
	made_wait(m, 3, b, "start;save", EVENT_BLOCKED, "fsync", 'D', 30 * MS);
	m->ev.flags |= EVENT_F_EXTRAPOLATED;
	m->ev.count = 6;
	m->ev.weight = 60 * MS;
	m->ev.wait.own_ns = 0;
	made_again(m);
	made_wait(m, 4, c, "start;take", EVENT_BLOCKED, "futex", 'S', 500 * MS);
	m->ev.flags |= EVENT_F_OPEN | EVENT_F_EARLIER;
	made_again(m);
}

static void test_waits(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	const struct export_view plain = { .ascii = true };

	make_waits(m);
	assert_waits(m, &q, NULL,
		     "                                                 10us  1ms    100ms  10s\n"
		     "     total      count    longest    average   1us   100us  10ms  1s\n"
		     "    3.49 s         19     1.20 s     184 ms         █      ▆▁   ▂ ▂        all\n"
		     "    3.40 s         12     1.20 s     283 ms         █           ▂ ▂          lock\n"
		     "    3.40 s         12     1.20 s     283 ms         █           ▂ ▂            futex\n"
		     "    3.40 s          4     1.20 s     850 ms                     █ █              take › start  "
		     "open: 500 ms\n"
		     "    1.20 s          1     1.20 s     1.20 s                       █                woken by app "
		     "10: give › main\n"
		     "    800 us          8     100 us     100 us         █                            take › main\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                I/O\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                  fsync\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                    save › start\n"
		     "\n"
		     "still waiting\n"
		     "   >500 ms  stuck 12                 futex            take › start\n");
	assert_waits(m, &q, &plain,
		     "                                                 10us  1ms    100ms  10s\n"
		     "     total      count    longest    average   1us   100us  10ms  1s\n"
		     "    3.49 s         19     1.20 s     184 ms         #      *.   : :        all\n"
		     "    3.40 s         12     1.20 s     283 ms         #           : :          lock\n"
		     "    3.40 s         12     1.20 s     283 ms         #           : :            futex\n"
		     "    3.40 s          4     1.20 s     850 ms                     # #              take > start  "
		     "open: 500 ms\n"
		     "    1.20 s          1     1.20 s     1.20 s                       #                woken by app "
		     "10: give > main\n"
		     "    800 us          8     100 us     100 us         #                            take > main\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                I/O\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                  fsync\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                    save > start\n"
		     "\n"
		     "still waiting\n"
		     "   >500 ms  stuck 12                 futex            take > start\n");
}

/* A level of nodes when it is asked for. */
static void test_waits_by_node(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH, .by_node = true };

	made_wait(m, 1, made_thread(m, 10, 10, "app"), "main;save", EVENT_BLOCKED, "fsync", 'D', 30 * MS);
	m->ev.node = 3;
	made_again(m);
	m->ev.weight = 40 * MS;
	made_again(m);
	assert_waits(m, &q, NULL,
		     "                                                 10us  1ms    100ms  10s\n"
		     "     total      count    longest    average   1us   100us  10ms  1s\n"
		     "    100 ms          3    30.0 ms    33.3 ms                 █              all\n"
		     "   70.0 ms          2    30.0 ms    35.0 ms                 █                node 3\n"
		     "   70.0 ms          2    30.0 ms    35.0 ms                 █                  I/O\n"
		     "   70.0 ms          2    30.0 ms    35.0 ms                 █                    fsync\n"
		     "   70.0 ms          2    30.0 ms    35.0 ms                 █                      save › main\n"
		     "   30.0 ms          1    30.0 ms    30.0 ms                 █                node 0\n"
		     "   30.0 ms          1    30.0 ms    30.0 ms                 █                  I/O\n"
		     "   30.0 ms          1    30.0 ms    30.0 ms                 █                    fsync\n"
		     "   30.0 ms          1    30.0 ms    30.0 ms                 █                      "
		     "save › main\n");
}

/* Lines of what was counted by reason, in the order of the reasons: COUNT at AT, else 0. */
static void put_reasons(char *dst, size_t size, const char *kind, unsigned int first, unsigned int n, unsigned int at,
			unsigned int count)
{
	size_t used = strlen(dst);

	for (unsigned int i = first; i < n && used < size; i++)
		used += (size_t)snprintf(dst + used, size - used, "%s_%s: %u\n", kind,
					 (strstr(kind, "cut") ? cut_info(i) : lost_info(i))->name, i == at ? count : 0);
}

/* The ways add up to 100, what is nothing is 0, and the kernel's is 100 only when it is all. */
static void test_summary_of_ways(void **state)
{
	struct profile_meta m = { .unwound = { .way = { 1, 1, 0, 1 }, .walk = { [WALK_NO_PAGE] = 1 }, .learned = 1 } };
	AUTO_FREE char *thirds = NULL, *nearly = NULL, *none = NULL;
	struct made made;

	made_init(&made, NULL);
	thirds = made_summary(&made, &m);
	assert_non_null(strstr(thirds, "\nunwound_kernel_percent: 33.33\nunwound_copy_percent: 33.33\n"
				       "unwound_frame_pointers_percent: 0.00\n"
				       "unwound_none_percent: 33.34\nunwound_records_percent: 0.00\n"
				       "unwound_learned_percent: 33.33\nwalk_not_asked: 0\nwalk_no_space: "
				       "0\nwalk_no_map: 0\n"
				       "walk_no_page: 1\nwalk_no_rule: 0\n"));
	m.unwound = (struct unwound){ .way = { 100000, 1, 0, 0 } };
	m.verify_checked = 40;
	m.verify_different = 3;
	m.verify_incomplete = 2;
	m.verify_kernel_checked = 5;
	m.verify_kernel_different = 1;
	m.verify_cause[VERIFY_SHORTER] = 1;
	m.verify_cause[VERIFY_MODULE] = 2;
	m.rules_pages = 7;
	m.rules = 8;
	m.rules_processes = 9;
	m.rules_bytes = 1 << 20;
	nearly = made_summary(&made, &m);
	assert_non_null(strstr(nearly, "\nunwound_kernel_percent: 99.99\nunwound_copy_percent: 0.01\n"
				       "unwound_frame_pointers_percent: 0.00\n"
				       "unwound_none_percent: 0.00\nunwound_records_percent: 0.00\n"));
	assert_non_null(strstr(nearly, "\nverify_checked: 40\nverify_different: 3\nverify_incomplete: "
			       "2\nverify_shorter: 1\n"
				       "verify_longer: 0\nverify_other_module: 2\nverify_other_place: 0\n"
				       "verify_kernel_checked: 5\nverify_kernel_different: "
				       "1\nscript_stacks: 0\nscript_whole: 0\nscript_unread: 0\n"
				       "script_cut: 0\nscript_unmatched: 0\nscript_nameless: 0\nscript_refused: 0\n"
				       "split_asked: 0\nsplit_refused: 0\nworker_ended: 0\nfiles_left: 0\n"
				       "images_in_worker: 0\nrows_asked: 0\nrows_late: 0\n"
				       "rules_pages: 7\nrules: 8\n"
				       "rules_processes: 9\nrules_evicted: 0\nrules_bytes: 1048576\n"));
	m.unwound = (struct unwound){ .learned = 0 };
	none = made_summary(&made, &m);
	assert_non_null(strstr(none, "\nunwound_kernel_percent: unknown\nunwound_copy_percent: unknown\n"));
	assert_non_null(strstr(none, "\nwalk_no_page: unknown\n"));
	made_free(&made);
}

static void test_summary_of_waits(void **state)
{
	struct profile_meta m = {
		.off_cpu = true, .wakers = true, .blocked_ns = 6000 * MS, .runnable_ns = 2000 * MS + 500, .waits = 1234,
			.wait_stacks = 300,
		.wait_own_ns = 4000 * MS, .wait_none_ns = 1000 * MS, .wait_open_ns = 77 * MS, .wait_open = 2,
		.wait_short_ns = 5500, .wait_short = 3, .wait_period_ns = 10 * MS,
	};
	AUTO_FREE char *text = NULL, *none = NULL;
	char want[4096] =
		"\noffcpu_weight_us: 8000001\n"
		"offcpu_blocked_us: 6000000\n"
		"offcpu_runnable_us: 2000001\n"
		"offcpu_waits: 1234\n"
		"offcpu_complete_percent: 99.66\n"
		"offcpu_sampled_percent: 49.99\n"
		"offcpu_extrapolated_percent: 37.51\n"
		"offcpu_no_stack_percent: 12.50\n"
		"offcpu_open_us: 77000\n"
		"offcpu_open_waits: 2\n"
		"offcpu_short_us: 6\n"
		"offcpu_short_waits: 3\n"
		"offcpu_period_us: 10000\n";
	struct made made;

	m.wait_cut[CUT_COMPLETE] = 299;
	m.wait_cut[CUT_NO_CFI] = 1;
	put_reasons(want, sizeof(want), "offcpu_cut", 1, CUT_NR, CUT_NO_CFI, 1);
	strcat(want, "wakers: yes\noffcpu_outside_stacks: 11\noffcpu_outside_hung: 12\noffcpu_outside_denied: 13\n"
		     "offcpu_inferred_switches: 14\n"
		     "offcpu_summed_waits: 15\n"
		     "offcpu_unsummed_waits: 16\n"
		     "offcpu_untold_handovers: 17\n");
	m.wait_outside = 11;
	m.wait_hung = 12;
	m.wait_denied = 13;
	m.wait_inferred = 14;
	m.wait_summed = 15;
	m.wait_unsummed = 16;
	m.wait_not_handed = 17;
	made_init(&made, NULL);
	text = made_summary(&made, &m);
	assert_non_null(strstr(text, "\noffcpu_weight_us"));
	assert_memory_equal(strstr(text, "\noffcpu_weight_us"), want, strlen(want));
	assert_memory_equal(strstr(text, "\noffcpu_weight_us") + strlen(want), "pressure_of: ", 13);
	m = (struct profile_meta){ 0 };
	none = made_summary(&made, &m);
	assert_non_null(strstr(none, "\noffcpu_weight_us: unknown\noffcpu_blocked_us: "
			       "unknown\noffcpu_runnable_us: unknown\n"
				     "offcpu_waits: unknown\noffcpu_complete_percent: "
				     "unknown\noffcpu_sampled_percent: unknown\n"
				     "offcpu_extrapolated_percent: unknown\noffcpu_no_stack_percent: unknown\n"
				     "offcpu_open_us: unknown\noffcpu_open_waits: unknown\n"));
	assert_non_null(strstr(none, "\noffcpu_cut_no_cfi: 0\n"));
	assert_non_null(strstr(none, "\nwakers: no\n"));
	made_free(&made);
}

static void test_summary(void **state)
{
	struct made *m = *state;
	struct profile_meta meta = {
		.host = "h\033[2J\n", .kernel = "6.1", .kernel_without = "prev_state",
		.plugins = "toy: 2 names", .arch = "x86_64",
		.version = "0.1.0", .target = "app 10", .cmdline = "sberf record",
		.event = "cpu-clock", .freq_asked = 99, .cpus = 2,
		.start_real_ns = 1767225600ull * 1000000000ull, .duration_ns = 2500 * MS, .complete = true,
		.samples = 1001, .user_samples = 1000, .oncpu_ns = 10101010500ull, .late = 3, .refused = 4, .folded = 5,
		.user_cpu_ns = 12345678, .bpf_cpu_ns = META_UNKNOWN, .rss_bytes = 1 << 20, .file_bytes = META_UNKNOWN,
	};
	static const char head[] =
		"oncpu_samples: 1001\n"
		"oncpu_samples_per_second: 400.4\n"
		"oncpu_weight_us: 10101011\n"
		"oncpu_complete_percent: 99.90\n"
		"threads: 2\n"
		"unique_stacks: 3\n";
	static const char tail[] =
		"file_bytes: unknown\n"
		"user_cpu_seconds: 0.012\n"
		"bpf_cpu_seconds: unknown\n"
		"event: cpu-clock\n"
		"rate_asked_hz: 99\n"
		"rate_got_hz: unknown\n"
		"cpus: 2\n"
		"duration_seconds: 2.500\n"
		"start: 2026-01-01T00:00:00Z\n"
		"complete: yes\n"
		"target: app 10\n"
		"host: h\xef\xbf\xbd[2J\xef\xbf\xbd\n"
		"kernel: 6.1\n"
		"kernel_without: prev_state\n"
		"plugins: toy: 2 names\n"
		"arch: x86_64\n"
		"version: 0.1.0\n"
		"command: sberf record\n"
		"user_samples: 1000\n"
		"other_weight_us: 2000\n"
		"late_events: 3\n"
		"dictionary_refused: 4\n"
		"facts_folded: 5\n"
		"rss_bytes: 1048576\n"
		"engine_cpu_seconds: 0.000\n";
	AUTO_FREE char *text = NULL, *none = NULL;
	char reasons[2048] = "";
	const struct profile_meta nothing = { .file_bytes = 0 };

	meta.cut[CUT_COMPLETE] = 999;
	meta.cut[CUT_NO_CFI] = 1;
	meta.lost.n[LOST_RING_FULL] = 7;
	none = made_summary(m, &nothing);
	made_add(m, 1, made_thread(m, 10, 10, "app"), "main;f", MS);
	made_add(m, 2, made_thread(m, 10, 10, "renamed"), "main;f", MS);
	made_add(m, 3, made_thread(m, 10, 11, "app"), "main", MS);
	made_add(m, 4, made_thread(m, 10, 11, "app"), "main;(other)", 2 * MS);
	m->ev.kind = EVENT_ACCESS;
	made_again(m);                                  /* tells of a sample that is counted */
	text = made_summary(m, &meta);
	/* Reasons may be added, in the order of their table; the rest is written out. */
	put_reasons(reasons, sizeof(reasons), "cut", 1, CUT_NR, CUT_NO_CFI, 1);
	put_reasons(reasons, sizeof(reasons), "lost", 0, LOST_NR, LOST_RING_FULL, 7);
	assert_non_null(strstr(reasons, "cut_stack_size: 0\ncut_stack_unreadable: 0\ncut_no_cfi: 1\n"));
	assert_non_null(strstr(reasons, "lost_ring_full: 7\nlost_nested: 0\n"));
	assert_memory_equal(text, head, strlen(head));
	assert_memory_equal(text + strlen(head), reasons, strlen(reasons));
	assert_memory_equal(text + strlen(head) + strlen(reasons), tail, strlen(tail));
	assert_non_null(strstr(none, "oncpu_samples_per_second: unknown\n"));
	assert_non_null(strstr(none, "oncpu_complete_percent: unknown\n"));
	assert_non_null(strstr(none, "\nthreads: 0\nunique_stacks: 0\n"));
}

/* Branches beyond the widest indentation say how deep they are. */
static void test_tree_of_many_branches(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	AUTO(tree_free) struct tree *t = NULL;
	AUTO_FREE char *text = NULL;
	char stack[1024] = "";
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (int i = 0; i < 100; i++) {
		snprintf(stack + strlen(stack), sizeof(stack) - strlen(stack), "%sf%d", i ? ";" : "", i);
		made_add(m, 1, made_thread(m, 1, 1, "a"), stack, MS);
		strcat(stack, ";g");
		made_add(m, 1, made_thread(m, 1, 1, "a"), stack, MS);
		stack[strlen(stack) - 2] = '\0';
	}
	t = made_tree(m, &q);
	assert_int_equal(exporter_tree.write(f, &(struct export_view){ .tree = t, .meta = &no_meta }, NULL), 0);
	fclose(f);
	assert_non_null(strstr(text, "  - [99] f99\n"));
	assert_non_null(strstr(text, "  - f60\n"));
	assert_null(strstr(text, "[60]"));
}

/* What is written to nowhere, and by what. */
static struct export_view shared_view;
static int (*shared_writer)(FILE *f);

static int write_folded(FILE *f)
{
	return exporter_folded.write(f, &shared_view, NULL);
}

static int write_tree(FILE *f)
{
	return exporter_tree.write(f, &shared_view, NULL);
}

static int write_summary(FILE *f)
{
	return exporter_summary.write(f, &shared_view, NULL);
}

static int write_waits(FILE *f)
{
	return exporter_waits.write(f, &shared_view, NULL);
}

static int write_callgrind(FILE *f)
{
	return exporter_callgrind.write(f, &shared_view, NULL);
}

static bool try_to_write(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = shared_writer(null) == 0;
	fclose(null);
	return ok;
}

static void test_no_memory(void **state)
{
	int (*const writer[])(FILE *f) = { write_folded, write_tree, write_summary, write_waits, write_callgrind };
	const struct profile_meta meta = { .samples = 1 };
	const struct query q = { .group_by = GROUP_COMM };
	struct made *m = *state;

	made_add(m, 1, made_thread(m, 1, 1, "a"), "main;f;g>h", MS);
	shared_view = (struct export_view){
		.snapshot = profile_snapshot(m->p), .names = m->names, .meta = &meta, .query = q,
			.tree = made_look(m, &q),
	};
	for (size_t i = 0; i < sizeof(writer) / sizeof(writer[0]); i++) {
		shared_writer = writer[i];
		for (long n = 0; fail_alloc_round(n, try_to_write); n++)
			;
	}
	snapshot_unref((struct snapshot *)shared_view.snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_folded_kinds),
		MADE_TEST(test_folded_groups),
		MADE_TEST(test_flat),
		MADE_TEST(test_folded_metrics),
		MADE_TEST(test_folded_by_node),
		MADE_TEST(test_folded_hostile),
		MADE_TEST(test_folded_rounding),
		MADE_TEST(test_tree),
		MADE_TEST(test_tree_with_waits),
		MADE_TEST(test_tree_of_far_accesses),
		MADE_TEST(test_tree_says_what_it_cut),
		MADE_TEST(test_tree_of_many_branches),
		MADE_TEST(test_empty),
		MADE_TEST(test_waits),
		MADE_TEST(test_waits_by_node),
		MADE_TEST(test_summary),
		cmocka_unit_test(test_summary_of_ways),
		cmocka_unit_test(test_summary_of_waits),
		MADE_TEST(test_write_errors),
		MADE_TEST(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
