/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_treediff.c - what two profiles made by hand have in common, how far shares may differ by
 * chance, and what is written of it.
 */
#include "config.h"

#include "base/hash.h"
#include "export/exporter.h"
#include "query/treediff.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define SEC 1000000000ull

struct two {
	struct made side[DIFF_SIDES];
	thread_id thread[DIFF_SIDES];
	struct query q;
	struct diff *d;
};

static int set_up(void **state)
{
	struct two *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	for (int i = 0; i < DIFF_SIDES; i++) {
		made_init(&t->side[i], NULL);
		t->thread[i] = made_thread(&t->side[i], 10 + i, 10 + i, "app");
	}
	t->q.group_by = GROUP_PROCESS;
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct two *t = *state;

	diff_free(t->d);
	made_free(&t->side[DIFF_BEFORE]);
	made_free(&t->side[DIFF_AFTER]);
	free(t);
	return 0;
}

#define DIFF_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static void before(struct two *t, const char *stack, uint64_t ms)
{
	made_add(&t->side[DIFF_BEFORE], 1, t->thread[DIFF_BEFORE], stack, ms * MS);
}

static void after(struct two *t, const char *stack, uint64_t ms)
{
	made_add(&t->side[DIFF_AFTER], 1, t->thread[DIFF_AFTER], stack, ms * MS);
}

static const struct diff *compare_by(struct two *t, enum diff_norm norm)
{
	/* ns, and numbers of calls */
	static const uint64_t whole[DIFF_SIDES] = { 1 * SEC, 2 * SEC }, calls[DIFF_SIDES] = { 1, 2 };
	struct err e = ERR_INIT;

	diff_free(t->d);
	t->d = NULL;
	assert_int_equal(diff_build(made_look(&t->side[DIFF_BEFORE], &t->q), made_look(&t->side[DIFF_AFTER], &t->q),
				    norm, norm == DIFF_BY_CALL ? calls : whole, &t->d, &e), 0);
	return t->d;
}

/* Every node on a line, depth first: label, suffix, self and total in ms on both sides. */
static void assert_diff(struct two *t, const char *want)
{
	const struct diff *d = compare_by(t, DIFF_BY_TOTAL);
	char text[8192], label[LABEL_MAX];
	size_t at = 0;
	uint32_t i = 0;

	for (;;) {
		const struct diff_node *n = &d->node[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%*s%s%s %d:%d %d:%d\n", n->depth, "",
				       diff_label(d, n->what, label, sizeof(label)),
				       diff_suffix(d, i), (int)(n->self.ns[0] / MS), (int)(n->self.ns[1] / MS),
				       (int)(n->total.ns[0] / MS), (int)(n->total.ns[1] / MS));
		assert_true(at < sizeof(text));
		if (n->first_child != NODE_NONE) {
			i = n->first_child;
			continue;
		}
		while (i && d->node[i].next_sibling == NODE_NONE)
			i = d->node[i].parent;
		if (!i)
			break;
		i = d->node[i].next_sibling;
	}
	assert_string_equal(text, want);
}

static void functions_by_name(void **state)
{
	struct two *t = *state;

	before(t, "main;work", 60);
	before(t, "main;gone;deep", 20);
	before(t, "main;same;read_[k]", 20);
	after(t, "main;work", 70);
	after(t, "main;same;read_[k]", 20);
	after(t, "main;new", 10);
	after(t, "main", 1);
	assert_diff(t, "all 0:0 100:101\n"
		       " app 0:0 100:101\n"
		       "  main 0:1 100:101\n"
		       "   gone 0:0 20:0\n"
		       "    deep 20:0 20:0\n"
		       "   new 0:10 0:10\n"
		       "   work 60:70 60:70\n"
		       "   same 0:0 20:20\n"
		       "    read_[k] 20:20 20:20\n");
}

static void nothing_differs(void **state)
{
	struct two *t = *state;
	struct diff_func *f;
	size_t n;

	for (int i = 0; i < 20; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "main;f%d;g%d", i % 3, i);
		before(t, stack, 10u + (unsigned int)i);
		after(t, stack, 10u + (unsigned int)i);
	}
	compare_by(t, DIFF_BY_TOTAL);
	for (uint32_t i = 0; i < t->d->n; i++) {
		const struct diff_change c = diff_judge(t->d, &t->d->node[i].total);

		assert_true(c.change == 0 && t->d->node[i].most == 0);
		assert_false(diff_is_noise(&c));
	}
	assert_int_equal(diff_functions(t->d, &f, &n, NULL), 0);
	assert_int_equal(n, 24);
	assert_null(diff_grown(t->d, f, n, 0).func);
	free(f);
}

/* A function at START of a module with the build-id ID, called NAME; NULL = nothing is known of it. */
static frame_id place(struct made *m, const char *path, char id, uint64_t start, const char *name, uint64_t at)
{
	struct module mod = { .kind = MODULE_FILE, .path = strtab_adds(dict_strings(m->d), path), .build_id_len = 20,
			      .build_id = { (uint8_t)id } };
	struct func f = { .module = dict_module(m->d, &mod), .start = start, .size = 0x100, .kind = FUNC_USER };
	const frame_id frame = dict_frame(m->d, f.module, at);
	struct name n;

	if (name) {
		f.name = names_add_text(m->names, name, strlen(name));
		n = (struct name){ .func = names_add_func(m->names, &f) };
		assert_int_equal(names_set(m->names, frame, &n, 1, true), 0);
	}
	return frame;
}

/* ... called from main, for MS ms. */
static void at_place(struct two *t, int side, frame_id frame, uint64_t ms)
{
	struct made *m = &t->side[side];

	made_add(m, 1, t->thread[side], "main", ms * MS);
	m->ev.stack = dict_stack(m->d, m->ev.stack, frame);
	made_again(m);
}

static void one_build_by_address(void **state)
{
	struct two *t = *state;
	struct made *b = &t->side[DIFF_BEFORE], *a = &t->side[DIFF_AFTER];

	/*
	 * Without the debug file, and with it; an address alone, and inside of a function that is
	 * known on the other side.
	 */
	at_place(t, DIFF_BEFORE, place(b, "/bin/dash", 1, 0x4700, "dash+0x4700", 0x4710), 10);
	at_place(t, DIFF_AFTER, place(a, "/usr/bin/dash", 1, 0x4700, "evalcommand", 0x4750), 20);
	at_place(t, DIFF_BEFORE, place(b, "/bin/dash", 1, 0x5000, "evaltree", 0x5001), 1);
	at_place(t, DIFF_AFTER, place(a, "/usr/bin/dash", 1, 0, NULL, 0x50ff), 2);
	at_place(t, DIFF_BEFORE, place(b, "/bin/dash", 1, 0, NULL, 0x6000), 3);
	at_place(t, DIFF_AFTER, place(a, "/usr/bin/dash", 1, 0, NULL, 0x6000), 4);
	at_place(t, DIFF_BEFORE, place(b, "/bin/dash", 1, 0, NULL, 0x5100), 5);
	assert_diff(t, "all 0:0 38:52\n"
		       " app 0:0 38:52\n"
		       "  main 19:26 38:52\n"
		       "   dash+0x5100 5:0 5:0\n"
		       "   evalcommand 10:20 10:20\n"
		       "   evaltree 1:2 1:2\n"
		       "   dash+0x6000 3:4 3:4\n");
}

static void two_builds_by_name(void **state)
{
	struct two *t = *state;
	struct made *b = &t->side[DIFF_BEFORE], *a = &t->side[DIFF_AFTER];

	/* Everything moved. What has no name says nothing in another build, not even when it reads the same. */
	at_place(t, DIFF_BEFORE, place(b, "/old/app", 1, 0x1000, "f()", 0x1001), 10);
	at_place(t, DIFF_AFTER, place(a, "/new/app", 2, 0x2000, "f()", 0x2001), 20);
	at_place(t, DIFF_BEFORE, place(b, "/old/app", 1, 0x2000, "g()", 0x2001), 1);
	at_place(t, DIFF_AFTER, place(a, "/new/app", 2, 0x1000, "g()", 0x1001), 2);
	at_place(t, DIFF_BEFORE, place(b, "/old/app", 1, 0x4700, "app+0x4700", 0x4710), 3);
	at_place(t, DIFF_BEFORE, place(b, "/old/app", 1, 0, NULL, 0x9000), 3);
	at_place(t, DIFF_AFTER, place(a, "/new/app", 2, 0x4800, "app+0x4800", 0x4810), 4);
	assert_diff(t, "all 0:0 34:52\n"
		       " app 0:0 34:52\n"
		       "  main 17:26 34:52\n"
		       "   [no symbol in app] 6:4 6:4\n"
		       "   f() 10:20 10:20\n"
		       "   g() 1:2 1:2\n");
}

static void what_is_left_by_bare_name(void **state)
{
	struct two *t = *state;
	struct made *b = &t->side[DIFF_BEFORE], *a = &t->side[DIFF_AFTER];

	/*
	 * Cloned differently, moved into a library; but "twin" is in both files on one side, and
	 * only one of them has a partner.
	 */
	at_place(t, DIFF_BEFORE, place(b, "/app", 1, 0x1000, "sum.isra.0", 0x1001), 10);
	at_place(t, DIFF_AFTER, place(a, "/app", 2, 0x2000, "sum", 0x2001), 20);
	at_place(t, DIFF_BEFORE, place(b, "/app", 1, 0x3000, "ns::put(int) [clone .constprop.0]", 0x3001), 1);
	at_place(t, DIFF_AFTER, place(a, "/libput.so", 3, 0x1000, "ns::put(int)", 0x1001), 2);
	at_place(t, DIFF_BEFORE, place(b, "/app", 1, 0x5000, "twin", 0x5001), 3);
	at_place(t, DIFF_AFTER, place(a, "/app", 2, 0x5000, "twin", 0x5001), 4);
	at_place(t, DIFF_AFTER, place(a, "/libput.so", 3, 0x5000, "twin", 0x5001), 5);
	assert_diff(t, "all 0:0 28:62\n"
		       " app 0:0 28:62\n"
		       "  main 14:31 28:62\n"
		       "   twin 0:5 0:5\n"
		       "   twin 3:4 3:4\n"
		       "   sum 10:20 10:20\n"
		       "   ns::put(int) 1:2 1:2\n");
}

static void inlined_or_not(void **state)
{
	struct two *t = *state;

	before(t, "main>hot", 10);
	before(t, "main>always", 10);
	after(t, "main;hot", 10);
	after(t, "main>always", 10);
	assert_diff(t, "all 0:0 20:20\n"
		       " app 0:0 20:20\n"
		       "  main 0:0 20:20\n"
		       "   always_[i] 10:10 10:10\n"
		       "   hot 10:10 10:10\n");
}

static void groups_without_numbers(void **state)
{
	struct two *t = *state;
	const thread_id sh = made_thread(&t->side[DIFF_BEFORE], 20, 20, "sh"),
		sh2 = made_thread(&t->side[DIFF_BEFORE], 30, 30, "sh");
	const thread_id bash = made_thread(&t->side[DIFF_AFTER], 20, 20, "bash");

	before(t, "main", 10);
	after(t, "main", 10);
	made_add(&t->side[DIFF_BEFORE], 1, sh, "main", 10 * MS);
	made_add(&t->side[DIFF_BEFORE], 1, sh2, "main", 10 * MS);
	made_add(&t->side[DIFF_AFTER], 1, bash, "main", 10 * MS);
	assert_diff(t, "all 0:0 30:20\n"
		       " sh 0:0 20:0\n"
		       "  main 20:0 20:0\n"
		       " bash 0:0 0:10\n"
		       "  main 0:10 0:10\n"
		       " app 0:0 10:10\n"
		       "  main 10:10 10:10\n");
}

static void main_groups_are_the_same(void **state)
{
	struct two *t = *state;

	before(t, "main", 4);

	made_add(&t->side[DIFF_BEFORE], 1, made_thread(&t->side[DIFF_BEFORE], 20, 20, "app-1"), "main", 10 * MS);
	made_add(&t->side[DIFF_AFTER], 1, made_thread(&t->side[DIFF_AFTER], 20, 20, "app-2"), "main", 10 * MS);
	assert_diff(t, "all 0:0 14:10\n"
		       " app-1 \xe2\x86\x92 app-2 0:0 10:10\n"
		       "  main 10:10 10:10\n"
		       " app 0:0 4:0\n"
		       "  main 4:0 4:0\n");
	t->q.group_by = GROUP_THREAD;
	assert_diff(t, "all 0:0 14:10\n"
		       " app-1 \xe2\x86\x92 app-2 0:0 10:10\n"
		       "  app-1 \xe2\x86\x92 app-2 0:0 10:10\n"
		       "   main 10:10 10:10\n"
		       " app 0:0 4:0\n"
		       "  app 0:0 4:0\n"
		       "   main 4:0 4:0\n");
}

static void one_side_is_empty(void **state)
{
	struct two *t = *state;

	after(t, "main;!1", 10);
	assert_diff(t, "all 0:0 0:10\n"
		       " app 0:0 0:10\n"
		       "  main 0:0 0:10\n"
		       "   [cut: stack_size] 0:10 0:10\n");
	for (int norm = DIFF_BY_TOTAL; norm <= DIFF_BY_CALL; norm++) {
		const struct diff *d = compare_by(t, (enum diff_norm)norm);
		const struct diff_change c = diff_judge(d, &d->node[0].total);

		assert_true(c.before == 0 && isfinite(c.after) && isfinite(c.sigma));
	}
}

static void shares(void **state)
{
	struct two *t = *state;
	const struct { enum diff_norm norm; double before, after; } want[] = {
		{ DIFF_BY_TOTAL, 0.25, 0.5 }, { DIFF_BY_WALL, 0.1, 0.15 }, { DIFF_BY_NONE, 0.25, 0.75 },
		/* one call before, two after: each of these took 300 ms */
		{ DIFF_BY_CALL, 100.0 / 300, 0.5 },
	};

	before(t, "main;f", 100);
	before(t, "main;g", 300);
	after(t, "main;f", 300);
	after(t, "main;g", 300);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct diff *d = compare_by(t, want[i].norm);
		struct diff_change c;
		struct diff_func *f;
		size_t n;

		assert_int_equal(diff_functions(d, &f, &n, NULL), 0);
		for (size_t k = 0; k < n; k++) {
			char label[LABEL_MAX];

			if (strcmp(diff_label(d, f[k].what, label, sizeof(label)), "f"))
				continue;
			c = diff_judge(d, &f[k].self);
			assert_true(fabs(c.before - want[i].before) < 1e-12 && fabs(c.after - want[i].after) < 1e-12);
			assert_true(fabs(c.change - (want[i].after - want[i].before)) < 1e-12);
		}
		free(f);
	}
}

/* What calls took is a sum of samples, whose number nobody knows before; the number of calls is known. */
static void calls(void **state)
{
	struct two *t = *state;
	const struct diff *d;
	const struct diff_pair *all;
	struct diff_change c;
	double w, want;

	for (int i = 0; i < 40; i++)
		before(t, "main;f", 10);
	for (int i = 0; i < 60; i++)
		after(t, "main;f", 10);
	d = compare_by(t, DIFF_BY_CALL);
	all = &d->node[0].total;
	assert_int_equal(diff_amount(d, DIFF_BEFORE, all->ns[DIFF_BEFORE]), 400 * MS);
	assert_int_equal(diff_amount(d, DIFF_AFTER, all->ns[DIFF_AFTER]), 300 * MS);
	assert_int_equal(diff_scaled(d, all->ns[DIFF_BEFORE]), 800 * MS);
	c = diff_judge(d, all);
	assert_true(fabs(c.before - 4.0 / 3) < 1e-12 && fabs(c.after - 1) < 1e-12);
	w = (all->squares[DIFF_BEFORE] + all->squares[DIFF_AFTER]) / (double)(1000 * MS);
	want = sqrt((all->squares[DIFF_BEFORE] + w * w) / (300.0 * MS * 300 * MS) +
		    (all->squares[DIFF_AFTER] + w * w) / (600.0 * MS * 600 * MS));
	assert_true(fabs(c.sigma - want) < 1e-9);
}

/* Equal samples: the formula of Agresti and Caffo. */
static void error_of_samples(void **state)
{
	struct two *t = *state;
	const double q1 = 31.0 / 102, q2 = 7.0 / 52, want = sqrt(q1 * (1 - q1) / 102 + q2 * (1 - q2) / 52);
	struct diff_change c;
	const struct diff *d;
	uint32_t i;

	for (int k = 0; k < 100; k++)
		before(t, k < 30 ? "f" : "g", 7);
	for (int k = 0; k < 50; k++)
		after(t, k < 6 ? "f" : "g", 7);
	d = compare_by(t, DIFF_BY_TOTAL);
	for (i = 0; i < d->n && d->node[i].self.ns[0] != 30 * 7 * MS; i++)
		;
	assert_int_not_equal(i, d->n);
	c = diff_judge(d, &d->node[i].total);
	assert_true(fabs(c.sigma - want) < 1e-9);
	assert_false(diff_is_noise(&c));
	assert_true(fabs(d->node[i].total.squares[0] - 30 * 49.0 * MS * MS) < 1);
}

/* One long wait says less than many short ones of the same sum. */
static void error_of_waits(void **state)
{
	struct two *t = *state;
	struct diff_change few, many;
	const struct diff *d;

	for (int k = 0; k < 1000; k++) {
		before(t, "run", 10);
		after(t, "run", 10);
		made_wait(&t->side[DIFF_AFTER], 1, t->thread[DIFF_AFTER], "short", EVENT_BLOCKED, "futex", 'S', 2 * MS);
	}
	made_wait(&t->side[DIFF_AFTER], 1, t->thread[DIFF_AFTER], "long", EVENT_BLOCKED, "futex", 'S', 2 * SEC);
	d = compare_by(t, DIFF_BY_TOTAL);
	few = many = (struct diff_change){ 0 };
	for (uint32_t i = 0; i < d->n; i++) {
		char label[LABEL_MAX];

		diff_label(d, d->node[i].what, label, sizeof(label));
		if (!strcmp(label, "long"))
			few = diff_judge(d, &d->node[i].total);
		if (!strcmp(label, "short"))
			many = diff_judge(d, &d->node[i].total);
	}
	assert_true(few.change > 0.1 && fabs(few.change - many.change) < 1e-9);
	assert_true(few.sigma > 4 * many.sigma);
	assert_true(diff_is_noise(&few));
	assert_false(diff_is_noise(&many));
}

static void recursion_counts_once(void **state)
{
	struct two *t = *state;
	struct diff_func *f;
	size_t n;

	before(t, "main;fib;fib;fib;leaf", 10);
	before(t, "main;fib", 10);
	after(t, "main;fib;leaf;fib", 10);
	compare_by(t, DIFF_BY_TOTAL);
	assert_int_equal(diff_functions(t->d, &f, &n, NULL), 0);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		char label[LABEL_MAX];

		if (strcmp(diff_label(t->d, f[i].what, label, sizeof(label)), "fib"))
			continue;
		assert_int_equal(f[i].total.ns[0], 20 * MS);
		assert_int_equal(f[i].total.ns[1], 10 * MS);
		assert_int_equal(f[i].self.ns[0], 10 * MS);
		assert_int_equal(f[i].self.ns[1], 10 * MS);
	}
	free(f);
}

/* A number below N, the same in every run. */
static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = hash_u64(*seed + 0x9e3779b97f4a7c15ull);
	return (uint32_t)(*seed % n);
}

/* SAMPLES samples of 40 functions, the first of which is as likely as EXTRA more of them. */
static void draw(struct two *t, int side, uint32_t samples, uint32_t extra, uint64_t *seed)
{
	for (uint32_t i = 0; i < samples; i++) {
		uint32_t f = below(seed, 40 + extra);
		char stack[32];

		snprintf(stack, sizeof(stack), "main;f%u", f < 40 ? f : 0);
		made_add(&t->side[side], 1, t->thread[side], stack, 10 * MS);
	}
}

struct verdict {
	unsigned int noise, certain;     /* functions that changed: within chance, and not */
	unsigned int alarms;             /* comparisons with growth */
	unsigned int right;              /* of them: of f0 itself */
};

/* Compares two recordings of the same program ROUNDS times; EXTRA: how much more is in f0 after. */
static struct verdict try_chance(unsigned int rounds, uint32_t samples, uint32_t extra, double least)
{
	struct verdict v = { 0 };
	uint64_t seed = 1;

	for (unsigned int k = 0; k < rounds; k++) {
		struct diff_growth g;
		struct diff_func *f;
		struct two *t;
		char label[LABEL_MAX];
		size_t n;

		set_up((void **)&t);
		draw(t, DIFF_BEFORE, samples, 0, &seed);
		draw(t, DIFF_AFTER, samples, extra, &seed);
		compare_by(t, DIFF_BY_TOTAL);
		assert_int_equal(diff_functions(t->d, &f, &n, NULL), 0);
		for (size_t i = 0; i < n; i++) {
			const struct diff_change c = diff_judge(t->d, &f[i].self);

			v.noise += diff_is_noise(&c);
			v.certain += c.change != 0 && !diff_is_noise(&c);
		}
		g = diff_grown(t->d, f, n, least);
		v.alarms += g.func != NULL;
		v.right += g.func && g.self && !strcmp(diff_label(t->d, g.func->what, label, sizeof(label)), "f0");
		free(f);
		tear_down((void **)&t);
	}
	return v;
}

/* Of changes by chance one in twenty looks like more, and a gate is not alarmed; at any number of samples. */
static void chance(void **state)
{
	static const uint32_t samples[] = { 40, 400, 4000 };

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct verdict v = try_chance(100, samples[i], 0, 0);

		assert_true(v.certain < (v.certain + v.noise) / 12);
		assert_true(samples[i] < 400 || v.certain > (v.certain + v.noise) / 40);
		assert_true(v.alarms <= 3);
	}
}

static void growth(void **state)
{
	/* From 2.5 % to 13.3 %: found with 400 samples, not when 11 points are allowed for. */
	struct verdict v = try_chance(50, 400, 5, 0.01);

	assert_true(v.alarms >= 48 && v.right == v.alarms);
	assert_int_equal(try_chance(50, 400, 5, 0.11).alarms, 0);
	assert_int_equal(try_chance(50, 20, 1, 0).alarms, 0);
}

static void who_is_to_blame(void **state)
{
	struct two *t = *state;
	struct diff_growth g;
	struct diff_func *f;
	char label[LABEL_MAX];
	size_t n;

	/* "copy" grew, and so did all that call it. Then what grew is spread over what "parse" calls. */
	for (int i = 0; i < 1000; i++) {
		before(t, i < 500 ? "main;serve;parse;copy" : "main;other", 1);
		after(t, i < 700 ? "main;serve;parse;copy" : "main;other", 1);
	}
	compare_by(t, DIFF_BY_TOTAL);
	assert_int_equal(diff_functions(t->d, &f, &n, NULL), 0);
	g = diff_grown(t->d, f, n, 0.1);
	assert_non_null(g.func);
	assert_string_equal(diff_label(t->d, g.func->what, label, sizeof(label)), "copy");
	assert_true(g.self && fabs(g.change.change - 0.2) < 1e-9);
	free(f);
	for (int i = 0; i < 4000; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "main;parse;small%d", i % 40);
		after(t, stack, 1);
	}
	compare_by(t, DIFF_BY_TOTAL);
	assert_int_equal(diff_functions(t->d, &f, &n, NULL), 0);
	g = diff_grown(t->d, f, n, 0.1);
	assert_non_null(g.func);
	assert_false(g.self);
	assert_string_equal(diff_label(t->d, g.func->what, label, sizeof(label)), "parse");
	free(f);
}

static const struct tree *starved[DIFF_SIDES];

static bool compare_starved(void)
{
	AUTO(diff_free) struct diff *d = NULL;
	struct diff_func *f = NULL;
	struct err e = ERR_INIT;
	size_t n;
	int r = diff_build(starved[DIFF_BEFORE], starved[DIFF_AFTER], DIFF_BY_TOTAL,
			   (const uint64_t[]){ 1, 1 }, &d, &e);

	assert_int_equal(!d, r != 0);
	r = r ? r : diff_functions(d, &f, &n, &e);
	assert_true(!r || (r == -ENOMEM && e.text[0]));
	free(f);
	return !r;
}

static void lack_of_memory(void **state)
{
	struct two *t = *state;

	before(t, "main;work>in;@1f0", 10);
	before(t, "main;gone", 10);
	after(t, "main;work;@200", 10);
	after(t, "main;new", 10);
	for (int i = 0; i < DIFF_SIDES; i++)
		starved[i] = made_look(&t->side[i], &t->q);
	for (long n = 0; fail_alloc_round(n, compare_starved); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DIFF_TEST(functions_by_name),
		DIFF_TEST(nothing_differs),
		DIFF_TEST(one_build_by_address),
		DIFF_TEST(two_builds_by_name),
		DIFF_TEST(what_is_left_by_bare_name),
		DIFF_TEST(inlined_or_not),
		DIFF_TEST(groups_without_numbers),
		DIFF_TEST(main_groups_are_the_same),
		DIFF_TEST(one_side_is_empty),
		DIFF_TEST(shares),
		DIFF_TEST(calls),
		DIFF_TEST(error_of_samples),
		DIFF_TEST(error_of_waits),
		DIFF_TEST(recursion_counts_once),
		cmocka_unit_test(chance),
		cmocka_unit_test(growth),
		DIFF_TEST(who_is_to_blame),
		DIFF_TEST(lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
