/* SPDX-License-Identifier: BSD-2-Clause */
/* test_branch_graph.c - entries and returns of functions become call graphs. */
#include "config.h"

#include "branch/graph.h"

#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#define FIRST 7u                 /* the number of the first function */
#define LATE 20u                 /* that of one that is followed only since later */

struct seen {
	char text[1024];         /* "7(1-9)=-2 [8(2-4)=0]": number, begin, end, result, and depth by brackets */
	unsigned int n;
	uint64_t dropped;
	char begun[64];          /* "7 <8 <<9": numbers of the calls as they began, and depth */
};

static bool is_first(void *ctx, uint32_t probe, uint32_t number)
{
	return number == FIRST;
}

static bool is_late(void *ctx, uint32_t probe, uint32_t number)
{
	return number == LATE;
}

static void ended(void *ctx, const struct graph *g)
{
	struct seen *s = ctx;
	char *at = s->text;

	s->n++;
	s->dropped = g->dropped;
	*at = '\0';
	for (size_t i = 0; i < g->call.n && i < 32; i++) {
		const struct graph_call *c = &g->call.v[i];

		assert_true(!i ? !c->parent && !c->depth : c->depth == g->call.v[c->parent].depth + 1);
		at += sprintf(at, "%s%.*s%u(%u-%u)", i ? " " : "", (int)c->depth, "<<<<<<<<", c->number,
			      (unsigned int)c->begun_ns, (unsigned int)c->ended_ns);
		if (c->returned)
			at += sprintf(at, "=%d", (int)c->result);
	}
}

static void begun(void *ctx, const struct graph *g)
{
	const struct graph_call *c = &g->call.v[g->call.n - 1];
	struct seen *s = ctx;
	const size_t n = strlen(s->begun);

	snprintf(s->begun + n, sizeof(s->begun) - n, "%s%.*s%u", n ? " " : "", (int)c->depth, "<<<<<<<<", c->number);
}

static uint64_t now;
static struct graphs *graphs;
static struct seen seen;

static void hit(pid_t tid, uint32_t number, bool returned, int result)
{
	graphs_hit(graphs, &(struct branch_hit){ .time_ns = ++now, .pid = 1, .tid = tid, .comm = "app", .probe = 3,
						 .number = number, .returned = returned,
						 .result = (uint64_t)(int64_t)result });
}

/* The same with the stack pointer SP, of function NUMBER. */
static void hit_at(uint32_t number, uint64_t sp, bool returned)
{
	graphs_hit(graphs, &(struct branch_hit){ .time_ns = ++now, .pid = 1, .tid = 1, .comm = "app", .probe = 3,
						 .number = number, .returned = returned, .sp = sp });
}

static int begin(void **state)
{
	const struct graphs_ops ops = { is_first, is_late, begun, ended, &seen };

	now = 0;
	seen = (struct seen){ .n = 0 };
	graphs = graphs_new(&ops);
	return !graphs;
}

static int end(void **state)
{
	graphs_free(graphs);
	return 0;
}

static void calls_are_within_calls(void **state)
{
	struct graphs_figures f;

	hit(1, FIRST, false, 0);
	hit(1, 8, false, 0);
	hit(2, FIRST, false, 0);
	hit(1, 9, false, 0);
	hit(1, 9, true, -13);
	hit(1, 8, true, -13);
	hit(1, 9, false, 0);
	hit(1, 9, true, 5);
	hit(1, FIRST, true, -13);
	assert_string_equal(seen.text, "7(1-9)=-13 <8(2-6)=-13 <<9(4-5)=-13 <9(7-8)=5");
	assert_string_equal(seen.begun, "7 <8 7 <<9 <9");
	hit(2, FIRST, true, 0);
	assert_string_equal(seen.text, "7(3-10)=0");
	graphs_figures(graphs, &f);
	assert_true(seen.n == 2 && f.graphs == 2 && !f.open && !f.unbegun && !f.unreturned);
}

static void functions_call_themselves(void **state)
{
	hit(1, FIRST, false, 0);
	hit(1, FIRST, false, 0);
	hit(1, FIRST, true, 1);
	assert_int_equal(seen.n, 0);
	hit(1, FIRST, true, 2);
	assert_string_equal(seen.text, "7(1-4)=2 <7(2-3)=1");
}

static void returns_that_lack_are_counted(void **state)
{
	struct graphs_figures f;

	/* Of what had begun before. */
	hit(1, 8, true, 0);
	hit(1, 9, false, 0);
	hit(1, FIRST, false, 0);
	hit(1, 8, false, 0);
	hit(1, 9, false, 0);
	hit(1, 10, true, 0);
	hit(1, FIRST, true, 4);
	assert_string_equal(seen.text, "7(3-7)=4 <8(4-7) <<9(5-7)");
	/* What was called before it was followed is counted by who follows it. */
	hit(1, FIRST, false, 0);
	hit(1, LATE, true, 0);
	hit(1, LATE, false, 0);
	hit(1, LATE, true, 6);
	hit(1, FIRST, true, 4);
	assert_string_equal(seen.text, "7(8-12)=4 <20(10-11)=6");
	graphs_figures(graphs, &f);
	assert_true(f.unreturned == 2 && f.unbegun == 3 && f.graphs == 2);
}

static void a_first_call_whose_return_lacks_is_left_out(void **state)
{
	struct graphs_figures f;

	/* What was jumped to begins at the same place, and returns first. */
	hit_at(FIRST, 0x9000, false);
	hit_at(8, 0x9000, false);
	hit_at(8, 0x9008, true);
	hit_at(FIRST, 0x9008, true);
	assert_string_equal(seen.text, "7(1-4)=0 <8(2-3)=0");
	/* The same function at the same place, and another above it, are no parts of a call. */
	hit_at(FIRST, 0x9000, false);
	hit_at(FIRST, 0x9000, false);
	hit_at(8, 0x8f00, false);
	hit_at(FIRST, 0x9100, false);
	hit_at(FIRST, 0x9108, true);
	assert_string_equal(seen.text, "7(8-9)=0");
	/* On another stack it is as if it was below. */
	hit_at(FIRST, 0x9000, false);
	hit_at(8, 0xff000, false);
	graphs_figures(graphs, &f);
	assert_true(f.left == 2 && f.graphs == 2 && f.open == 1);
}

static void too_many_calls_are_left_out(void **state)
{
	struct graphs_figures f;

	hit(1, FIRST, false, 0);
	for (unsigned int i = 0; i < GRAPH_CALLS_MAX + 9; i++) {
		hit(1, 8, false, 0);
		hit(1, 8, true, 0);
	}
	hit(1, FIRST, true, 0);
	graphs_figures(graphs, &f);
	assert_true(seen.n == 1 && seen.dropped == 10 && f.dropped == 10 && !f.unreturned);
	hit(1, FIRST, false, 0);
	hit(1, FIRST, true, 0);
	assert_true(seen.n == 2 && !seen.dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_are_within_calls, begin, end),
		cmocka_unit_test_setup_teardown(functions_call_themselves, begin, end),
		cmocka_unit_test_setup_teardown(returns_that_lack_are_counted, begin, end),
		cmocka_unit_test_setup_teardown(a_first_call_whose_return_lacks_is_left_out, begin, end),
		cmocka_unit_test_setup_teardown(too_many_calls_are_left_out, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
