/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_moves.c - what is told of migrations adds up to what the totals say, thread by thread, with
 * stacks as far as there are any.
 */
#include "config.h"

#include "engine/moves.h"

#include "cmocka_all.h"
#include "tests/unit/noprocs.h"

#include <string.h>

#define T1 ((struct reconcile_task){ .pid = 10, .tid = 11, .start_ns = 5 })
#define S 1000000000ull          /* of the clock of totals */
#define T2 ((struct reconcile_task){ .pid = 10, .tid = 12, .start_ns = 6 })

struct world {
	struct event_sink sink;
	struct dict *dict;
	struct processes *ps;
	struct moves *moves;
	stack_id stack, no_stack;
	thread_id thread;
	uint64_t with_stack, without;    /* migrations told */
	uint64_t last_ns;
};

static void each(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	assert_int_equal(ev->kind, EVENT_MIGRATION);
	assert_int_equal(ev->weight, ev->count);
	*(ev->stack == w->no_stack ? &w->without : &w->with_stack) += ev->count;
	w->last_ns = ev->time_ns;
}

static int setup(void **state)
{
	static struct world w;
	struct moves_config c = { .sink = &w.sink };
	struct err e = ERR_INIT;

	memset(&w, 0, sizeof(w));
	w.sink = (struct event_sink){ .observer = each, .observer_ctx = &w };
	w.dict = c.dict = dict_new();
	assert_non_null(w.dict);
	c.ps = w.ps = noprocs_new(w.dict);
	assert_non_null(w.ps);
	w.thread = dict_thread(w.dict, &(struct thread){ .pid = 10, .tid = 11 });
	w.no_stack = dict_stack(w.dict, STACK_ROOT, dict_note(w.dict, NOTE_NO_STACK));
	w.stack = dict_stack(w.dict, STACK_ROOT, dict_note(w.dict, NOTE_UNKNOWN));
	assert_int_equal(moves_new(&c, &w.moves, &e), 0);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	moves_free(w->moves);
	processes_free(w->ps);
	dict_free(w->dict);
	return 0;
}

static void told(struct world *w, struct reconcile_task task)
{
	const struct event ev = { .kind = EVENT_MIGRATION, .thread = w->thread, .stack = w->stack,
				  .weight = 1, .count = 1, .place = { .node = 1, .file = ID_NONE } };

	moves_told(w->moves, &task, &ev);
}

static void total(struct world *w, struct reconcile_task task, uint64_t moves, uint64_t kernel_moves, bool last)
{
	const struct source_total t = { .pid = task.pid, .tid = task.tid, .start_ns = task.start_ns,
					.kind = EVENT_SAMPLE,
					.moves = moves, .kernel_moves = kernel_moves, .last = last };

	moves_total(w->moves, &t);
}

/* All are told with their stacks, some of them long after the totals that count them: nothing is told twice. */
static void late_ones_are_waited_for(void **state)
{
	struct world *w = *state;

	told(w, T1);
	total(w, T1, 3, 4, false);
	moves_settle(w->moves, 1 * S, false);
	moves_settle(w->moves, 2 * S, false);
	total(w, T1, 4, 5, false);
	moves_settle(w->moves, 4 * S, false);
	told(w, T1);
	told(w, T1);
	moves_settle(w->moves, 6 * S, false);
	told(w, T1);
	total(w, T1, 4, 5, false);
	moves_settle(w->moves, 7 * S, true);
	assert_int_equal(w->with_stack, 4);
	assert_int_equal(w->without, 0);
}

static void missing_ones_are_told_without_stack(void **state)
{
	struct world *w = *state;
	uint64_t moves, kernel_moves;

	told(w, T1);
	total(w, T1, 10, 12, false);
	total(w, T2, 2, 2, false);
	moves_settle(w->moves, 1 * S, false);
	assert_int_equal(w->without, 0);
	total(w, T1, 15, 20, false);
	total(w, T2, 2, 2, false);
	moves_settle(w->moves, 6 * S, false);
	/* Nine of the first thread and two of the second have been missing for long; five of the first are new. */
	assert_int_equal(w->without, 11);
	assert_int_equal(w->last_ns, 6 * S);
	moves_settle(w->moves, 7 * S, true);
	assert_int_equal(w->with_stack + w->without, 17);
	moves_of(w->moves, 11, 5, &moves, &kernel_moves);
	assert_int_equal(moves, 15);
	assert_int_equal(kernel_moves, 20);
	moves_sum(w->moves, &moves, &kernel_moves);
	assert_int_equal(moves, 17);
	assert_int_equal(kernel_moves, 22);
	moves_of(w->moves, 11, 6, &moves, &kernel_moves);
	assert_int_equal(moves, 0);
}

/* Threads that end by the thousand are forgotten, and still counted. */
static void ended_ones_are_dropped(void **state)
{
	struct world *w = *state;
	uint64_t moves, kernel_moves;

	for (int i = 0; i < 100000; i++) {
		const struct reconcile_task t = { .pid = 10, .tid = 100 + i, .start_ns = (uint64_t)i };

		told(w, t);
		total(w, t, 2, 3, true);
		if (i % 100 == 99) {
			moves_settle(w->moves, (uint64_t)i * 10 * S, false);
			moves_settle(w->moves, (uint64_t)i * 10 * S + 5 * S, false);
		}
	}
	moves_settle(w->moves, UINT64_MAX, true);
	moves_sum(w->moves, &moves, &kernel_moves);
	assert_int_equal(moves, 200000);
	assert_int_equal(kernel_moves, 300000);
	assert_int_equal(w->with_stack, 100000);
	assert_int_equal(w->without, 100000);
	moves_of(w->moves, 100, 0, &moves, &kernel_moves);
	assert_int_equal(moves, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(late_ones_are_waited_for, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_ones_are_told_without_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(ended_ones_are_dropped, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
