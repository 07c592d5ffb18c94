/* SPDX-License-Identifier: BSD-2-Clause */
/* test_export.c - what exporters write, byte for byte, for profiles made by hand; and that they report failed writes. */
#include "config.h"

#include "export/export.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static char *folded(struct made *m, const struct query *q)
{
	AUTO(tree_free) struct tree *t = made_tree(m, q);
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(export_folded(f, t, &e), 0);
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
	const struct query q = { .group_by = GROUP_COMM };
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, t, "main;work>twice>once;@2a1f0", 10 * MS);
	made_add(&m, 2, t, "main;write;ksys_write_[k];@k77", 5 * MS);
	made_add(&m, 3, t, "main;LazyCompile:~f_[j];@jff00", 3 * MS);
	made_add(&m, 4, t, "!1;deep", 2 * MS);
	made_add(&m, 5, t, "(other)", 1 * MS);
	made_add(&m, 6, t, "", 1500);
	assert_folded(&m, &q,
		      "app 2\n"
		      "app;(other) 1000\n"
		      "app;[cut: stack_size];deep 2000\n"
		      "app;main;LazyCompile:~f_[j];[anon]+0xff00_[j] 3000\n"
		      "app;main;work;twice_[i];once_[i];libc.so.6+0x2a1f0 10000\n"
		      "app;main;write;ksys_write_[k];[kernel]+0x77_[k] 5000\n");
	made_free(&m);
}

static void test_folded_groups(void **state)
{
	struct query q = { .group_by = GROUP_NONE };
	struct made m;
	thread_id a, b;

	made_init(&m, NULL);
	b = made_thread(&m, 10, 11, "bio");
	a = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, a, "main;f", MS);
	made_add(&m, 2, b, "main;f", MS);
	assert_folded(&m, &q, "all;main;f 2000\n");
	q.group_by = GROUP_PROCESS;
	assert_folded(&m, &q, "app 10;main;f 2000\n");
	q.group_by = GROUP_THREAD;
	assert_folded(&m, &q, "app 10;app 10;main;f 1000\napp 10;bio 11;main;f 1000\n");
	q.group_by = GROUP_EXE;
	assert_folded(&m, &q, "/usr/bin/app;main;f 2000\n");
	q.group_by = GROUP_CGROUP;
	assert_folded(&m, &q, "/system.slice/app.service;main;f 2000\n");
	q.group_by = GROUP_COMM;
	assert_folded(&m, &q, "app;main;f 1000\nbio;main;f 1000\n");
	q.inverted = true;
	assert_folded(&m, &q, "app;f;main 1000\nbio;f;main 1000\n");
	made_free(&m);
}

/* The weight of a line is that of the kinds asked for. */
static void test_folded_metrics(void **state)
{
	static const struct { uint32_t kinds; const char *want; } metric[] = {
		{ KINDS_ON_CPU, "app;main 5000\n" },
		{ 1u << EVENT_BLOCKED, "app;main;take 40000\n" },
		{ 1u << EVENT_RUNNABLE, "app;main 2000\napp;main;take 1000\n" },
		{ KINDS_OFF_CPU, "app;main 2000\napp;main;take 41000\n" },
		{ KINDS_WALL, "app;main 7000\napp;main;take 41000\n" },
		{ 0, "app;main 7000\napp;main;take 41000\n" },
	};
	struct query q = { .group_by = GROUP_COMM, .arch = MADE_ARCH };
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, a, "main", 5 * MS);
	made_wait(&m, 2, a, "main;take", EVENT_BLOCKED, "futex", 'S', 40 * MS);
	made_wait(&m, 3, a, "main;take", EVENT_RUNNABLE, "futex", 'S', 1 * MS);
	made_wait(&m, 4, a, "main", EVENT_RUNNABLE, "preempted", 'R', 2 * MS);
	for (size_t i = 0; i < sizeof(metric) / sizeof(metric[0]); i++) {
		q.kinds = metric[i].kinds;
		assert_folded(&m, &q, metric[i].want);
	}
	q.states = 1u << WAIT_PREEMPTED;
	assert_folded(&m, &q, "app;main 2000\n");
	made_free(&m);
}

/* Names may hold anything: every stack stays on one line, and what reads the same is one line. */
static void test_folded_hostile(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	AUTO_FREE char *text = NULL;
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 10, 10, "a;b\nc\033[2J");
	made_add(&m, 1, t, "x\n1 2\n;\xff\xfe", MS);
	made_add(&m, 2, t, "x\r1 2\n;\xfe\xff", MS);
	made_add(&m, 3, t, "@10;\xe2\x80\xaetxt", MS);
	text = folded(&m, &q);
	assert_string_equal(text, "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;libc.so.6+0x10;\xef\xbf\xbdtxt 1000\n"
				  "a:b\xef\xbf\xbd" "c\xef\xbf\xbd[2J;x\xef\xbf\xbd" "1 2\xef\xbf\xbd;"
				  "\xef\xbf\xbd\xef\xbf\xbd 2000\n");
	made_free(&m);
}

/* Weights that no line can show exactly still add up, and no stack vanishes. */
static void test_folded_rounding(void **state)
{
	const struct query q = { .group_by = GROUP_NONE };
	AUTO_FREE char *text = NULL;
	uint64_t sum = 0, ns = 0;
	unsigned int lines = 0;
	char stack[32];
	struct made m;

	made_init(&m, NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		snprintf(stack, sizeof(stack), "main;f%u", i);
		made_add(&m, 1, made_thread(&m, 1, 1, "a"), stack, 7 + i * 13 % 1700);
		ns += 7 + i * 13 % 1700;
	}
	text = folded(&m, &q);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(lines, 1000);
	assert_int_equal(sum, (ns + 500) / 1000);
	made_free(&m);
}

static void test_write_errors(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	struct snapshot *s;
	AUTO(waits_free) struct waits *w = NULL;
	AUTO(tree_free) struct tree *t = NULL;
	FILE *full = fopen("/dev/full", "w");
	struct err e = ERR_INIT;
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main;f", MS);
	t = made_tree(&m, &q);
	s = profile_snapshot(m.p);
	assert_non_null(full);
	assert_int_equal(export_folded(full, t, &e), -ENOSPC);
	assert_non_null(strstr(e.text, "No space left on device"));
	assert_int_equal(export_tree(full, t, NULL, &e), -ENOSPC);
	assert_int_equal(waits_build(s, m.names, &q, &w, &e), 0);
	assert_int_equal(export_waits(full, w, NULL, &e), -ENOSPC);
	fclose(full);
	snapshot_unref(s);
	made_free(&m);
}

static void assert_text(const struct tree *t, const struct tree_text_options *o, const char *want)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(export_tree(f, t, o, NULL), 0);
	fclose(f);
	assert_string_equal(text, want);
}

static void assert_tree(struct made *m, const struct query *q, const struct tree_text_options *o, const char *want)
{
	AUTO(tree_free) struct tree *t = made_tree(m, q);

	assert_text(t, o, want);
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
	n->kind_ns[TIME_RUNNING] = running_ns;
	n->kind_ns[TIME_RUNNABLE] = runnable_ns;
	n->kind_ns[TIME_BLOCKED] = blocked_ns;
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
	const struct query q = { .group_by = GROUP_COMM };
	const struct tree_text_options plain = { .ascii = true, .min_percent = 15 };
	AUTO(tree_free) struct tree *t = NULL;
	struct made m;
	thread_id a;

	made_init(&m, NULL);
	a = made_thread(&m, 10, 10, "app");
	made_add(&m, 1, a, "main;work", 30 * MS);
	made_add(&m, 2, a, "main;take;futex", 60 * MS);
	made_add(&m, 3, a, "main;other", 10 * MS);
	t = made_tree(&m, &q);
	set_kinds(t, "all", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "app", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "main", 25 * MS, 5 * MS, 70 * MS);
	set_kinds(t, "work", 25 * MS, 5 * MS, 0);
	set_kinds(t, "take", 0, 0, 60 * MS);
	set_kinds(t, "futex", 0, 0, 60 * MS);
	set_kinds(t, "other", 0, 0, 10 * MS);
	find_node(t, "other")->doubt_ns = 6 * MS;
	find_node(t, "main")->doubt_ns = 6 * MS;
	for (const char *const *open = (const char *const[]){ "all", "app", "main", "take", "futex", NULL }; *open; open++)
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
	made_free(&m);
}

static void test_tree(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	const struct tree_text_options lines = { .lines = true }, pruned = { .min_percent = 20, .ascii = true },
				       shallow = { .max_depth = 1 };
	struct made m;
	thread_id a, b;

	made_init(&m, NULL);
	a = made_thread(&m, 10, 10, "app");
	b = made_thread(&m, 10, 11, "b\033o");
	made_add(&m, 1, a, "main;work>in", 60 * MS);
	made_add(&m, 2, a, "main;write_[k]", 20 * MS);
	made_add(&m, 3, a, "main;@30", 10 * MS);
	made_add(&m, 4, b, "main", 10 * MS);
	assert_tree(&m, &q, &lines,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main  app.c:10\n"
		    " 60.0 %   0.0 %   60.0 ms    - work  app.c:10\n"
		    " 60.0 %  60.0 %   60.0 ms      in [i]  app.c:20\n"
		    " 20.0 %  20.0 %   20.0 ms    - write [k]  app.c:10\n"
		    " 10.0 %  10.0 %   10.0 ms    - libc.so.6+0x30\n"
		    " 10.0 %   0.0 %   10.0 ms  - b\xef\xbf\xbdo\n"
		    " 10.0 %  10.0 %   10.0 ms    main  app.c:10\n");
	assert_tree(&m, &q, &pruned,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main\n"
		    " 60.0 %   0.0 %   60.0 ms    - work\n"
		    " 60.0 %  60.0 %   60.0 ms      in [i]\n"
		    " 20.0 %  20.0 %   20.0 ms    - write [k]\n"
		    " 10.0 %                      ... 1 more\n"
		    " 10.0 %                    ... 1 more\n");
	assert_tree(&m, &q, &shallow,
		    "  total    self      time\n"
		    "100.0 %   0.0 %    100 ms  all\n"
		    " 90.0 %   0.0 %   90.0 ms  - app\n"
		    " 90.0 %   0.0 %   90.0 ms    main\n"
		    " 90.0 %                      … 3 more\n"
		    " 10.0 %   0.0 %   10.0 ms  - b\xef\xbf\xbdo\n"
		    " 10.0 %  10.0 %   10.0 ms    main\n");
	made_free(&m);
}

static void test_tree_says_what_it_cut(void **state)
{
	const struct query q = { .max_nodes = 2 };
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 10, 10, "app"), "main;work", 60 * MS);
	assert_tree(&m, &q, NULL,
		    "  total    self      time\n"
		    "100.0 %   0.0 %   60.0 ms  all\n"
		    "100.0 % 100.0 %   60.0 ms  main\n"
		    "100.0 %                    is counted with callers: the tree has no more than 2 nodes\n");
	made_free(&m);
}

static void test_empty(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	struct made m;

	made_init(&m, NULL);
	assert_folded(&m, &q, "");
	assert_tree(&m, &q, NULL, "  total    self      time\n  0.0 %   0.0 %      0 ns  all\n");
	made_free(&m);
}

static void assert_waits(struct made *m, const struct query *q, const struct waits_text_options *o, const char *want)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	AUTO(waits_free) struct waits *w = NULL;
	AUTO_FREE char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(waits_build(s, m->names, q, &w, NULL), 0);
	assert_int_equal(export_waits(f, w, o, NULL), 0);
	fclose(f);
	assert_string_equal(text, want);
}

/* Two threads and a lock, somebody who writes, and one that never gets on. */
static void make_waits(struct made *m)
{
	thread_id a, b, c;

	made_init(m, NULL);
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
	m->ev.weight_ns = 60 * MS;
	m->ev.wait.own_ns = 0;
	made_again(m);
	made_wait(m, 4, c, "start;take", EVENT_BLOCKED, "futex", 'S', 500 * MS);
	m->ev.flags |= EVENT_F_OPEN | EVENT_F_EARLIER;
	made_again(m);
}

static void test_waits(void **state)
{
	const struct query q = { .arch = MADE_ARCH };
	const struct waits_text_options plain = { .ascii = true };
	struct made m;

	make_waits(&m);
	assert_waits(&m, &q, NULL,
		     "                                                 10us  1ms    100ms  10s\n"
		     "     total      count    longest    average   1us   100us  10ms  1s\n"
		     "    3.49 s         19     1.20 s     184 ms         █      ▆▁   ▂ ▂        all\n"
		     "    3.40 s         12     1.20 s     283 ms         █           ▂ ▂          lock\n"
		     "    3.40 s         12     1.20 s     283 ms         █           ▂ ▂            futex\n"
		     "    3.40 s          4     1.20 s     850 ms                     █ █              take › start  open: 500 ms\n"
		     "    1.20 s          1     1.20 s     1.20 s                       █                woken by app 10: give › main\n"
		     "    800 us          8     100 us     100 us         █                            take › main\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                I/O\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                  fsync\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                █▂                    save › start\n"
		     "\n"
		     "still waiting\n"
		     "   >500 ms  stuck 12                 futex            take › start\n");
	assert_waits(&m, &q, &plain,
		     "                                                 10us  1ms    100ms  10s\n"
		     "     total      count    longest    average   1us   100us  10ms  1s\n"
		     "    3.49 s         19     1.20 s     184 ms         #      *.   : :        all\n"
		     "    3.40 s         12     1.20 s     283 ms         #           : :          lock\n"
		     "    3.40 s         12     1.20 s     283 ms         #           : :            futex\n"
		     "    3.40 s          4     1.20 s     850 ms                     # #              take > start  open: 500 ms\n"
		     "    1.20 s          1     1.20 s     1.20 s                       #                woken by app 10: give > main\n"
		     "    800 us          8     100 us     100 us         #                            take > main\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                I/O\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                  fsync\n"
		     "  ~90.0 ms          7    30.0 ms    12.9 ms                #:                    save > start\n"
		     "\n"
		     "still waiting\n"
		     "   >500 ms  stuck 12                 futex            take > start\n");
	made_free(&m);
}

static char *summary(struct made *m, const struct profile_meta *meta)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(export_summary(f, meta, s, NULL), 0);
	fclose(f);
	return text;
}

/* Lines of what was counted by reason, in the order of the reasons: COUNT at AT, else 0. */
static void put_reasons(char *dst, size_t size, const char *kind, unsigned int first, unsigned int n, unsigned int at, unsigned int count)
{
	size_t used = strlen(dst);

	for (unsigned int i = first; i < n && used < size; i++)
		used += (size_t)snprintf(dst + used, size - used, "%s_%s: %u\n", kind,
					 (strstr(kind, "cut") ? cut_info(i) : lost_info(i))->name, i == at ? count : 0);
}

static void test_summary_of_waits(void **state)
{
	struct profile_meta m = {
		.off_cpu = true, .wakers = true, .blocked_ns = 6000 * MS, .runnable_ns = 2000 * MS + 500, .waits = 1234, .wait_stacks = 300,
		.wait_own_ns = 4000 * MS, .wait_none_ns = 1000 * MS, .wait_open_ns = 77 * MS, .wait_open = 2, .wait_short_ns = 5500,
		.wait_short = 3, .wait_period_ns = 10 * MS,
	};
	AUTO_FREE char *text = NULL, *none = NULL;
	char want[4096] =
		"\noffcpu_weight_us: 8000001\n"
		"offcpu_blocked_us: 6000000\n"
		"offcpu_runnable_us: 2000001\n"
		"offcpu_waits: 1234\n"
		"offcpu_complete_percent: 99.66\n"
		"offcpu_sampled_percent: 49.99\n"
		"offcpu_extrapolated_percent: 37.50\n"
		"offcpu_no_stack_percent: 12.49\n"
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
		     "offcpu_inferred_switches: 14\n");
	m.wait_outside = 11;
	m.wait_hung = 12;
	m.wait_denied = 13;
	m.wait_inferred = 14;
	made_init(&made, NULL);
	text = summary(&made, &m);
	assert_non_null(strstr(text, "\noffcpu_weight_us"));
	assert_string_equal(strstr(text, "\noffcpu_weight_us"), want);
	m = (struct profile_meta){ 0 };
	none = summary(&made, &m);
	assert_non_null(strstr(none, "\noffcpu_weight_us: unknown\noffcpu_blocked_us: unknown\noffcpu_runnable_us: unknown\n"
				     "offcpu_waits: unknown\noffcpu_complete_percent: unknown\noffcpu_sampled_percent: unknown\n"
				     "offcpu_extrapolated_percent: unknown\noffcpu_no_stack_percent: unknown\n"
				     "offcpu_open_us: unknown\noffcpu_open_waits: unknown\n"));
	assert_non_null(strstr(none, "\noffcpu_cut_no_cfi: 0\n"));
	assert_non_null(strstr(none, "\nwakers: no\n"));
	made_free(&made);
}

static void test_summary(void **state)
{
	struct profile_meta meta = {
		.host = "h\033[2J\n", .kernel = "6.1", .arch = "x86_64",
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
	struct made m;

	meta.cut[CUT_COMPLETE] = 999;
	meta.cut[CUT_NO_CFI] = 1;
	meta.lost.n[LOST_RING_FULL] = 7;
	made_init(&m, NULL);
	none = summary(&m, &nothing);
	made_add(&m, 1, made_thread(&m, 10, 10, "app"), "main;f", MS);
	made_add(&m, 2, made_thread(&m, 10, 10, "renamed"), "main;f", MS);
	made_add(&m, 3, made_thread(&m, 10, 11, "app"), "main", MS);
	made_add(&m, 4, made_thread(&m, 10, 11, "app"), "main;(other)", 2 * MS);
	text = summary(&m, &meta);
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
	made_free(&m);
}

/* Branches beyond the widest indentation say how deep they are. */
static void test_tree_of_many_branches(void **state)
{
	const struct query q = { 0 };
	AUTO(tree_free) struct tree *t = NULL;
	AUTO_FREE char *text = NULL;
	char stack[1024] = "";
	struct made m;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	made_init(&m, NULL);
	for (int i = 0; i < 100; i++) {
		snprintf(stack + strlen(stack), sizeof(stack) - strlen(stack), "%sf%d", i ? ";" : "", i);
		made_add(&m, 1, made_thread(&m, 1, 1, "a"), stack, MS);
		strcat(stack, ";g");
		made_add(&m, 1, made_thread(&m, 1, 1, "a"), stack, MS);
		stack[strlen(stack) - 2] = '\0';
	}
	t = made_tree(&m, &q);
	assert_int_equal(export_tree(f, t, NULL, NULL), 0);
	fclose(f);
	assert_non_null(strstr(text, "  - [99] f99\n"));
	assert_non_null(strstr(text, "  - f60\n"));
	assert_null(strstr(text, "[60]"));
	made_free(&m);
}

static struct tree *shared_tree;

static bool try_folded(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = export_folded(null, shared_tree, NULL) == 0;
	fclose(null);
	return ok;
}

static bool try_tree(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = export_tree(null, shared_tree, NULL, NULL) == 0;
	fclose(null);
	return ok;
}

static struct waits *shared_waits;

static bool try_waits(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = export_waits(null, shared_waits, NULL, NULL) == 0;
	fclose(null);
	return ok;
}

static struct snapshot *shared_snapshot;

static bool try_summary(void)
{
	const struct profile_meta meta = { .samples = 1 };
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = export_summary(null, &meta, shared_snapshot, NULL) == 0;
	fclose(null);
	return ok;
}

static void test_no_memory(void **state)
{
	const struct query q = { .group_by = GROUP_COMM };
	struct made m;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main;f;g>h", MS);
	shared_tree = made_tree(&m, &q);
	shared_snapshot = profile_snapshot(m.p);
	for (long n = 0; fail_alloc_round(n, try_folded); n++)
		;
	for (long n = 0; fail_alloc_round(n, try_tree); n++)
		;
	for (long n = 0; fail_alloc_round(n, try_summary); n++)
		;
	assert_int_equal(waits_build(shared_snapshot, m.names, &q, &shared_waits, NULL), 0);
	for (long n = 0; fail_alloc_round(n, try_waits); n++)
		;
	waits_free(shared_waits);
	snapshot_unref(shared_snapshot);
	tree_free(shared_tree);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_kinds),
		cmocka_unit_test(test_folded_groups),
		cmocka_unit_test(test_folded_metrics),
		cmocka_unit_test(test_folded_hostile),
		cmocka_unit_test(test_folded_rounding),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_with_waits),
		cmocka_unit_test(test_tree_says_what_it_cut),
		cmocka_unit_test(test_tree_of_many_branches),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_summary_of_waits),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
