/* SPDX-License-Identifier: BSD-2-Clause */
/* test_wait_sums.c - each sum finds the stack of its first wait, late or never, and what is told is what was summed. */
#include "config.h"

#include "base/clock.h"
#include "engine/reconcile_private.h"
#include "engine/wait_sums.h"
#include "tests/unit/fail_alloc.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/noprocs.h"

#include <stdlib.h>

#define US NSEC_PER_USEC
#define MS NSEC_PER_MSEC
#define HERS 7u                  /* a stack */
#define FUTEX (CALL_SYSCALL + 202)
#define LOG 16u

struct world {
	struct dict *dict;
	struct processes *ps;
	struct reconcile *account;
	struct wait_sums *s;
	thread_id thread;
	uint64_t blocked_ns, runnable_ns, count, none_ns;
	unsigned int n;
	struct event ev[LOG];
	struct reconcile_wait w[LOG];
};

static stack_id no_stack;        /* NOTE_NO_STACK */

static const struct reconcile_task task = { .pid = 1, .tid = 2, .start_ns = 3 };

static void take(struct world *world, const struct reconcile_task *t, const struct event *ev,
		 const struct reconcile_wait *w)
{
	assert_true(reconcile_task_same(t, &task));
	assert_int_equal(t->pid, 1);
	assert_int_equal(w->period_ns, 1);
	assert_true(w->count);
	assert_int_equal(ev->cpu, 4);
	assert_int_equal(ev->node, 1);
	world->blocked_ns += w->blocked_ns;
	world->runnable_ns += w->runnable_ns;
	world->count += w->count;
	world->none_ns += ev->stack == no_stack ? w->blocked_ns + w->runnable_ns : 0;
	if (world->n < LOG) {
		world->ev[world->n] = *ev;
		world->w[world->n++] = *w;
	}
}

/* Takes what the account has got. */
static void take_told(struct world *w)
{
	struct reconcile *a = w->account;

	for (size_t i = 0; i < a->held.n; i++)
		take(w, &a->keys.v[a->held.v[i].key].task, &a->held.v[i].ev, &a->held.v[i].w);
	a->held.n = 0;
}

static bool try_set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct reconcile_config c = { 0 };

	*state = w;
	if (!w)
		return false;
	c.dict = w->dict = dict_new();
	c.ps = w->ps = w->dict ? noprocs_new(w->dict) : NULL;
	if (!w->ps || reconcile_new(&c, &w->account, NULL) < 0)
		return false;
	no_stack = reconcile_no_stack(w->account);
	w->thread = reconcile_thread(w->account, &task);
	assert_true(no_stack != HERS && no_stack != HERS + 1);
	w->s = wait_sums_new(w->account);
	return w->s && w->thread != ID_NONE;
}

static int set_up(void **state)
{
	return try_set_up(state) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	wait_sums_free(w->s);
	reconcile_free(w->account);
	processes_free(w->ps);
	dict_free(w->dict);
	free(w);
	return 0;
}

static void first(struct world *w, uint64_t id, stack_id stack)
{
	const struct event ev = { .time_ns = 1 * MS, .thread = w->thread, .stack = stack, .cut_module = ID_NONE,
				  .cpu = 3, .wait = { .call = FUTEX, .waker = ID_NONE } };

	wait_sums_first(w->s, &task, id, &ev);
}

/* 10 waits of 1 us, and 5 in 100 us, one of them of 40 us. */
static struct source_sum sum_of(uint64_t id)
{
	return (struct source_sum){
		.pid = 1, .tid = 2, .start_ns = 3, .id = id, .last_ns = 900 * MS, .longest_ns = 500 * MS,
			.longest_blocked_ns = 30 * US,
		.longest_runnable_ns = 10 * US, .cpu = 4, .node = 1, .call = FUTEX, .state = WAIT_INTERRUPTIBLE, .n = 2,
		.part = { { 6 * US, 4 * US, 10 }, { 60 * US, 40 * US, 5 } },
	};
}

static void take_sum(struct world *w, uint64_t id)
{
	const struct source_sum sum = sum_of(id);

	wait_sums_take(w->s, &sum);
	take_told(w);
}

static void turned(struct world *w)
{
	wait_sums_turned(w->s);
	take_told(w);
}

static void finish(struct world *w)
{
	wait_sums_finish(w->s);
	take_told(w);
}

static void a_sum_is_told_with_its_longest_apart(void **state)
{
	struct world *w = *state;

	first(w, 77, HERS);
	take_sum(w, 77);
	assert_int_equal(w->n, 3);
	assert_int_equal(w->w[0].count, 10);
	assert_int_equal(w->ev[0].time_ns, 900 * MS);
	assert_int_equal(w->w[1].count, 1);
	assert_int_equal(w->w[1].blocked_ns, 30 * US);
	assert_int_equal(w->w[1].runnable_ns, 10 * US);
	assert_int_equal(w->ev[1].time_ns, 500 * MS);
	assert_int_equal(w->w[2].count, 4);
	assert_int_equal(w->blocked_ns, 66 * US);
	assert_int_equal(w->runnable_ns, 44 * US);
	assert_int_equal(w->count, 15);
	for (unsigned int i = 0; i < w->n; i++)
		assert_int_equal(w->ev[i].stack, HERS);
	assert_int_equal(wait_sums_orphans(w->s), 0);
}

static void a_first_wait_may_come_late(void **state)
{
	struct world *w = *state;

	take_sum(w, 77);
	turned(w);
	assert_int_equal(w->n, 0);
	first(w, 77, HERS);
	turned(w);
	assert_int_equal(w->count, 15);
	assert_int_equal(w->none_ns, 0);
	turned(w);
	finish(w);
	assert_int_equal(w->count, 15);
}

static void or_never(void **state)
{
	struct world *w = *state;

	take_sum(w, 77);
	for (int i = 0; i < 5; i++)
		turned(w);
	assert_int_equal(w->count, 15);
	assert_int_equal(w->none_ns, 110 * US);
	assert_int_equal(w->ev[0].wait.call, FUTEX);
	assert_int_equal(w->ev[0].thread, w->thread);
	assert_int_equal(wait_sums_orphans(w->s), 1);
	/* At the end nothing waits. */
	take_sum(w, 78);
	finish(w);
	assert_int_equal(w->count, 30);
	w->account->config.ps = NULL;    /* the thread is not known */
	take_sum(w, 79);
	finish(w);
	assert_int_equal(w->count, 30);
	assert_int_equal(wait_sums_orphans(w->s), 3);
}

static void a_first_wait_serves_for_two_turns(void **state)
{
	struct world *w = *state;

	first(w, 77, HERS + 1);
	first(w, 77, HERS);      /* again: the newer one is better */
	turned(w);
	take_sum(w, 77);
	assert_int_equal(w->ev[0].stack, HERS);
	turned(w);
	take_sum(w, 77);
	assert_int_equal(w->count, 15);
	finish(w);
	assert_int_equal(w->none_ns, 110 * US);
}

static void many_of_them(void **state)
{
	struct world *w = *state;

	for (uint64_t id = 1; id <= 70000; id++)
		first(w, id, HERS);
	for (uint64_t id = 1; id <= 20000; id++)
		take_sum(w, id);
	assert_int_equal(w->count, 20000 * 15);
	/* What found no room: the list of those that wait is bounded, too. */
	for (uint64_t id = 70001; id <= 90000; id++)
		take_sum(w, id);
	assert_true(wait_sums_orphans(w->s) > 0);
	finish(w);
	assert_int_equal(w->count, 40000 * 15);
}

static void with_little_memory(void)
{
	void *state = NULL;
	struct world *w;

	if (try_set_up(&state)) {
		w = state;
		first(w, 77, HERS);
		take_sum(w, 77);
		take_sum(w, 78);
		turned(w);
		finish(w);
		/* The account knows of those that found no room, too. */
		assert_int_equal(w->account->figures.waits, 30);
	}
	if (state)
		tear_down(&state);
}

static void memory_may_run_out(void **state)
{
	for (long n = 0; fail_alloc_try(n, with_little_memory); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sum_is_told_with_its_longest_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_first_wait_may_come_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(or_never, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_first_wait_serves_for_two_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_of_them, set_up, tear_down),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
