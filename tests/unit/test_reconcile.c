/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_reconcile.c - what is given is the total, exactly, whatever is told of it; and to whom it is
 * given is right on average.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "engine/reconcile.h"
#include "engine/task_thread.h"
#include "tests/unit/fail_alloc.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/noprocs.h"

#include <stdlib.h>

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC
#define STACKS 8u
#define FUTEX (CALL_SYSCALL + 202)
#define READ (CALL_SYSCALL + 0)
#define LOG 64u

/* Sums of what was given, by kind and stack; stack 0 stands for NOTE_NO_STACK. */
struct wait_sums {
	uint64_t ns[4][STACKS], count[4][STACKS], events;
	uint64_t pieces, extrapolated;
};

struct world {
	struct event_sink sink;
	struct dict *dict;
	struct processes *ps;
	struct reconcile *a;
	stack_id stack[STACKS];
	struct wait_sums given, rest;
	struct event log[LOG];   /* given, the first of them */
	struct source_total total;       /* of thread 1 in a futex, as they stand */
	struct source_total running;     /* of thread 1 */
};

static uint64_t state_of_chance;

static void add(const struct world *w, struct wait_sums *s, const struct event *ev)
{
	unsigned int i = 0;

	assert_in_range(ev->kind, EVENT_SAMPLE, EVENT_RUNNABLE);
	assert_int_not_equal(ev->thread, ID_NONE);
	while (i < STACKS && w->stack[i] != ev->stack)
		i++;
	assert_true(i < STACKS);
	s->ns[ev->kind][i] += ev->weight;
	s->count[ev->kind][i] += ev->flags & EVENT_F_PIECE ? 0 : ev->count ? ev->count : 1;
	s->pieces += !!(ev->flags & EVENT_F_PIECE);
	s->extrapolated += !!(ev->flags & EVENT_F_EXTRAPOLATED);
	if (ev->flags & EVENT_F_PIECE)
		assert_int_equal(ev->count, 0);
	s->events++;
}

static void take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	if (w->given.events < LOG)
		w->log[w->given.events] = *ev;
	add(w, &w->given, ev);
}

static void take_rest(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	add(w, &w->rest, ev);
}

static thread_id ask_thread(struct world *w, const struct reconcile_task *task)
{
	return task_thread(w->ps, w->dict, task);
}

static const struct reconcile_task one = { .pid = 1, .tid = 1, .start_ns = 1 };

static bool try_set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct reconcile_config c = { 0 };
	const struct module m = { .kind = MODULE_FILE };

	*state = w;
	if (!w)
		return false;
	c.dict = w->dict = dict_new();
	w->sink = (struct event_sink){ .observer = take, .observer_ctx = w };
	c.sink = &w->sink;
	c.ps = w->ps = w->dict ? noprocs_new(w->dict) : NULL;
	if (!w->ps || reconcile_new(&c, &w->a, NULL) < 0)
		return false;
	w->stack[0] = reconcile_no_stack(w->a);
	for (unsigned int i = 1; i < STACKS; i++)
		w->stack[i] = dict_stack(w->dict, STACK_ROOT, dict_frame(w->dict, dict_module(w->dict, &m), i));
	w->total = (struct source_total){ .pid = 1, .tid = 1, .start_ns = 1, .kind = EVENT_BLOCKED, .call = FUTEX };
	w->running = (struct source_total){ .pid = 1, .tid = 1, .start_ns = 1, .kind = EVENT_SAMPLE };
	return w->stack[1] != ID_NONE && ask_thread(w, &one) == 0;
}

static int set_up(void **state)
{
	state_of_chance = 0;
	assert_true(try_set_up(state));
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	if (!w)
		return 0;
	reconcile_free(w->a);
	processes_free(w->ps);
	dict_free(w->dict);
	free(w);
	return 0;
}

static void sample(struct world *w, uint64_t time_ns, unsigned int stack, uint64_t weight)
{
	const struct event ev = { .kind = EVENT_SAMPLE, .time_ns = time_ns, .weight = weight, .stack = w->stack[stack],
				  .thread = ask_thread(w, &one), .flags = EVENT_F_USER, .cut_module = ID_NONE };

	assert_true(reconcile_sample(w->a, &one, &ev));
}

static void wait_of(struct world *w, const struct reconcile_task *task, uint64_t time_ns,
		    unsigned int stack, uint32_t call, struct reconcile_wait wait)
{
	const struct event ev = { .time_ns = time_ns, .stack = w->stack[stack], .thread = ask_thread(w, task),
				  .flags = EVENT_F_USER, .cut_module = ID_NONE,
				  .wait = { .call = call, .state = WAIT_INTERRUPTIBLE, .waker = ID_NONE } };

	assert_true(reconcile_wait(w->a, task, &ev, &wait));
}

/* A wait of thread 1 in a futex, told with a period of 10 ms. */
static void waited(struct world *w, uint64_t time_ns, unsigned int stack, uint64_t blocked_ns, uint64_t runnable_ns)
{
	wait_of(w, &one, time_ns, stack, FUTEX,
		(struct reconcile_wait){ .blocked_ns = blocked_ns, .runnable_ns = runnable_ns, .period_ns = 10 * MS });
}

/* The same in the totals. */
static void really(struct world *w, uint64_t n, uint64_t blocked_ns, uint64_t runnable_ns)
{
	struct source_total *t = &w->total;

	if (blocked_ns + runnable_ns >= 10 * MS) {
		t->long_count += n;
		t->long_blocked_ns += n * blocked_ns;
		t->long_runnable_ns += n * runnable_ns;
	} else {
		t->count += n;
		t->blocked_ns += n * blocked_ns;
		t->runnable_ns += n * runnable_ns;
	}
}

static void settle(struct world *w, uint64_t time_ns)
{
	reconcile_total(w->a, &w->total);
	reconcile_total(w->a, &w->running);
	reconcile_settle(w->a, time_ns);
}

static void look_at_rest(struct world *w, uint64_t time_ns)
{
	struct event_sink to = { .observer = take_rest, .observer_ctx = w };

	w->rest = (struct wait_sums){ 0 };
	reconcile_rest(w->a, time_ns, &to);
}

static uint64_t sum(const uint64_t *n)
{
	uint64_t s = 0;

	for (unsigned int i = 0; i < STACKS; i++)
		s += n[i];
	return s;
}

/* Given and rest are what the totals say. */
static void adds_up(struct world *w)
{
	struct reconcile_figures f;

	look_at_rest(w, 1);
	reconcile_figures_of(w->a, &f);
	assert_int_equal(sum(w->given.ns[EVENT_SAMPLE]) + sum(w->rest.ns[EVENT_SAMPLE]), f.running_ns);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]) + sum(w->rest.ns[EVENT_BLOCKED]), f.blocked_ns);
	assert_int_equal(sum(w->given.ns[EVENT_RUNNABLE]) + sum(w->rest.ns[EVENT_RUNNABLE]), f.runnable_ns);
	assert_int_equal(sum(w->given.count[EVENT_BLOCKED]) + sum(w->given.count[EVENT_RUNNABLE]) +
			 sum(w->rest.count[EVENT_BLOCKED]) + sum(w->rest.count[EVENT_RUNNABLE]), f.waits);
}

static void a_long_wait_weighs_its_length(void **state)
{
	struct world *w = *state;

	really(w, 1, 50 * MS, 3 * MS);
	waited(w, 1000 * MS, 1, 50 * MS, 3 * MS);
	settle(w, 1000 * MS);
	assert_int_equal(w->given.events, 2);
	assert_int_equal(w->log[0].kind, EVENT_BLOCKED);
	assert_int_equal(w->log[0].weight, 50 * MS);
	assert_int_equal(w->log[0].wait.own_ns, 50 * MS);
	assert_int_equal(w->log[0].time_ns, 997 * MS);
	assert_int_equal(w->log[0].count, 1);
	assert_int_equal(w->log[0].flags, EVENT_F_USER);
	assert_int_equal(w->log[1].kind, EVENT_RUNNABLE);
	assert_int_equal(w->log[1].weight, 3 * MS);
	assert_int_equal(w->log[1].time_ns, 1000 * MS);
	assert_int_equal(w->log[1].flags, EVENT_F_USER | EVENT_F_PIECE);
	assert_int_equal(w->log[1].stack, w->log[0].stack);
	adds_up(w);
	assert_int_equal(w->rest.events, 0);
}

static void a_preempted_one_is_only_runnable(void **state)
{
	struct world *w = *state;

	really(w, 1, 0, 30 * MS);
	waited(w, 100 * MS, 1, 0, 30 * MS);
	settle(w, 100 * MS);
	assert_int_equal(w->given.events, 1);
	assert_int_equal(w->log[0].kind, EVENT_RUNNABLE);
	assert_int_equal(w->log[0].count, 1);
	assert_int_equal(w->log[0].flags, EVENT_F_USER);
}

/* What keeps a thread that was woken is not what it waited for; what is carried goes where it was. */
static void one_woken_while_throttled_says_so(void **state)
{
	struct world *w = *state;
	const struct event ev = { .time_ns = 1000 * MS, .stack = w->stack[1], .thread = ask_thread(w, &one),
				  .flags = EVENT_F_USER, .cut_module = ID_NONE,
				  .wait = { .call = FUTEX, .state = WAIT_INTERRUPTIBLE, .waker = ID_NONE,
					    .throttled = true } };
	const struct reconcile_wait wait = { .blocked_ns = 7 * MS, .runnable_ns = 80 * MS, .period_ns = 10 * MS };

	really(w, 1, 7 * MS, 80 * MS);
	really(w, 1, 2 * MS, 5 * MS);
	assert_true(reconcile_wait(w->a, &one, &ev, &wait));
	settle(w, 1000 * MS);
	reconcile_finish(w->a, 1000 * MS);
	assert_int_equal(w->given.events, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(w->log[i].kind, i & 1 ? EVENT_RUNNABLE : EVENT_BLOCKED);
		assert_int_equal(w->log[i].wait.state, i & 1 ? WAIT_THROTTLED : WAIT_INTERRUPTIBLE);
		assert_int_equal(w->log[i].wait.call, FUTEX);
	}
	adds_up(w);
}

static void short_ones_share_what_is_left(void **state)
{
	struct world *w = *state;

	/* 1000 of 1 ms, of which 70 were told, a third of them in stack 2; one in ten was all blocked. */
	really(w, 1000, 1 * MS - 10 * US, 10 * US);
	for (int i = 0; i < 70; i++)
		waited(w, 10 * MS, i % 3 < 2 ? 1 : 2, 1 * MS - (i % 10 ? 10 * US : 0), i % 10 ? 10 * US : 0);
	settle(w, 10 * MS);
	adds_up(w);
	assert_in_range(sum(w->given.ns[EVENT_BLOCKED]), 700 * MS, 990 * MS);
	assert_in_range(w->given.ns[EVENT_BLOCKED][1], 19 * w->given.ns[EVENT_BLOCKED][2] / 10,
			21 * w->given.ns[EVENT_BLOCKED][2] / 10);
	assert_in_range(w->given.ns[EVENT_RUNNABLE][1], 19 * w->given.ns[EVENT_RUNNABLE][2] / 10,
			21 * w->given.ns[EVENT_RUNNABLE][2] / 10);
	assert_in_range(sum(w->given.count[EVENT_BLOCKED]), 700, 1000);
	assert_int_equal(sum(w->given.count[EVENT_RUNNABLE]), 0);
	assert_int_equal(w->given.extrapolated, w->given.events);
	assert_int_equal(w->log[2].wait.own_ns, 10 * US);
	reconcile_finish(w->a, 1);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]), 990 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_RUNNABLE]), 10 * MS);
	assert_int_equal(sum(w->given.count[EVENT_BLOCKED]) + sum(w->given.count[EVENT_RUNNABLE]), 1000);
}

static void long_and_short_ones_do_not_mix(void **state)
{
	struct world *w = *state;

	really(w, 1000, 10 * US, 0);
	really(w, 3, 50 * MS, 0);
	for (int i = 0; i < 3; i++)
		waited(w, 10 * MS, 1, 50 * MS, 0);
	waited(w, 10 * MS, 2, 10 * US, 0);
	reconcile_total(w->a, &w->total);
	reconcile_finish(w->a, 10 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 150 * MS);
	assert_int_equal(w->given.count[EVENT_BLOCKED][1], 3);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][2], 10 * MS);
	assert_int_equal(w->given.count[EVENT_BLOCKED][2], 1000);
}

static void running_time_is_exact(void **state)
{
	struct world *w = *state;

	w->running.running_ns = 1017 * MS + 1;
	for (int i = 1; i <= 100; i++)
		sample(w, 10 * MS, 1 + i % 2, 10 * MS);
	settle(w, 20 * MS);
	adds_up(w);
	assert_int_equal(w->log[0].flags, EVENT_F_USER);
	assert_int_equal(w->log[0].count, 0);
	reconcile_total(w->a, &w->running);
	reconcile_finish(w->a, 20 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_SAMPLE]), 1017 * MS + 1);
	assert_in_range(w->given.ns[EVENT_SAMPLE][1], 1017 * MS / 2 - 10 * MS, 1017 * MS / 2 + 10 * MS);
}

static void what_is_later_is_held(void **state)
{
	struct world *w = *state;

	w->running.running_ns = 80 * MS;
	sample(w, 10 * MS, 1, 10 * MS);
	sample(w, 20 * MS, 2, 10 * MS);
	really(w, 1, 50 * MS, 0);
	waited(w, 21 * MS, 3, 50 * MS, 0);
	settle(w, 15 * MS);
	assert_int_equal(w->given.events, 1);
	assert_in_range(w->given.ns[EVENT_SAMPLE][1], 9 * MS, 11 * MS);
	/* Meanwhile it shows as what it is by itself. */
	look_at_rest(w, 25 * MS);
	assert_int_equal(w->rest.ns[EVENT_SAMPLE][2], 10 * MS);
	assert_in_range(w->rest.ns[EVENT_BLOCKED][3], 50 * MS, 100 * MS);
	w->running.running_ns = 90 * MS;
	settle(w, 30 * MS);
	assert_in_range(w->given.ns[EVENT_SAMPLE][2], 9 * MS, 11 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][3], 50 * MS);
	adds_up(w);
}

static void what_nobody_told_of_is_carried(void **state)
{
	struct world *w = *state;

	w->running.running_ns = 30 * MS;
	really(w, 5, 100 * US, 20 * US);
	settle(w, 100 * MS);
	assert_int_equal(w->given.events, 0);
	look_at_rest(w, 100 * MS);
	assert_int_equal(w->rest.ns[EVENT_SAMPLE][0], 30 * MS);
	assert_int_equal(w->rest.count[EVENT_SAMPLE][0], 0);
	assert_int_equal(w->rest.ns[EVENT_BLOCKED][0], 500 * US);
	assert_int_equal(w->rest.ns[EVENT_RUNNABLE][0], 100 * US);
	assert_int_equal(w->rest.count[EVENT_BLOCKED][0], 5);
	adds_up(w);
	w->running.running_ns = 40 * MS;
	sample(w, 150 * MS, 3, 10 * MS);
	really(w, 500, 100 * US, 0);
	waited(w, 150 * MS, 4, 100 * US, 0);
	settle(w, 200 * MS);
	assert_in_range(w->given.ns[EVENT_SAMPLE][3], 8 * MS, 11 * MS);
	assert_in_range(w->given.ns[EVENT_BLOCKED][4], 9 * MS, 11 * MS);
	assert_in_range(w->given.count[EVENT_BLOCKED][4], 90, 110);
	/* What is left of it, and of the run queue, of which nobody has told, stands where the thread was last. */
	look_at_rest(w, 200 * MS);
	assert_int_equal(w->rest.ns[EVENT_SAMPLE][3] + w->given.ns[EVENT_SAMPLE][3], 40 * MS);
	assert_int_equal(w->rest.ns[EVENT_RUNNABLE][4], 100 * US);
	assert_int_equal(w->rest.ns[EVENT_RUNNABLE][0], 0);
	adds_up(w);
}

/* Time that is hardly there when the first one is told: it waits, and what there is shows on it. */
static void the_first_one_waits_for_cover(void **state)
{
	struct world *w = *state;

	really(w, 10, 100 * US, 0);
	waited(w, 10 * MS, 1, 100 * US, 0);
	settle(w, 10 * MS);
	assert_int_equal(w->given.events, 0);
	look_at_rest(w, 10 * MS);
	assert_int_equal(w->rest.ns[EVENT_BLOCKED][1], 1 * MS);
	adds_up(w);
	really(w, 1000, 100 * US, 0);
	settle(w, 20 * MS);
	assert_in_range(w->given.ns[EVENT_BLOCKED][1], 9 * MS, 12 * MS);
	adds_up(w);
	/* It does not wait for ever. */
	wait_of(w, &one, 30 * MS, 2, READ, (struct reconcile_wait){ .blocked_ns = 1 * MS, .period_ns = 10 * MS });
	w->total = (struct source_total){ .pid = 1, .tid = 1, .start_ns = 1, .kind = EVENT_BLOCKED,
					  .call = READ, .count = 3, .blocked_ns = 3 * MS };
	for (unsigned int i = 0; i < 20; i++)
		settle(w, 30 * MS);
	assert_in_range(w->given.ns[EVENT_BLOCKED][2], 1 * MS, 3 * MS);
	adds_up(w);
}

static void the_end_gives_everything(void **state)
{
	struct world *w = *state;
	struct reconcile_figures f;

	w->running.running_ns = 3 * MS;
	really(w, 2, 100 * US, 0);
	waited(w, 10 * MS, 1, 100 * US, 0);
	settle(w, 20 * MS);
	really(w, 7, 90 * MS / 10, 0);
	really(w, 1, 300 * MS, 0);
	waited(w, 30 * MS, 2, 300 * MS, 0);
	reconcile_total(w->a, &w->total);
	reconcile_finish(w->a, 40 * MS);
	adds_up(w);
	assert_int_equal(w->rest.events, 0);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][2], 300 * MS);
	/* The stacks of long waits do not stand for short ones where there are others. */
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 63 * MS + 200 * US);
	assert_int_equal(w->given.ns[EVENT_SAMPLE][0], 3 * MS);
	reconcile_figures_of(w->a, &f);
	assert_int_equal(f.own_ns, 300 * MS + 100 * US);
	assert_int_equal(f.none_ns, 0);
	for (unsigned int i = 0; i < w->given.events; i++)
		if (w->log[i].time_ns == 40 * MS)
			assert_true(w->log[i].flags & EVENT_F_EXTRAPOLATED && !(w->log[i].flags & EVENT_F_USER));
}

static void much_that_is_carried_is_spread(void **state)
{
	struct world *w = *state;

	really(w, 4, 1 * MS, 0);
	for (unsigned int i = 1; i <= 4; i++)
		waited(w, 10 * MS, i, 1 * MS, 0);
	settle(w, 10 * MS);
	really(w, 399, 1 * MS, 0);
	reconcile_total(w->a, &w->total);
	reconcile_finish(w->a, 40 * MS);
	for (unsigned int i = 1; i <= 4; i++) {
		assert_in_range(w->given.ns[EVENT_BLOCKED][i], 100 * MS, 101 * MS);
		assert_in_range(w->given.count[EVENT_BLOCKED][i], 100, 101);
	}
	adds_up(w);
}

static void pieces_and_the_rest_are_the_wait(void **state)
{
	struct world *w = *state;
	struct reconcile_wait wait = { .blocked_ns = 9000 * MS, .runnable_ns = 500 * MS, .told_blocked_ns = 8000 * MS,
				     .period_ns = 10 * MS };

	really(w, 1, 9000 * MS, 500 * MS);
	wait_of(w, &one, 10000 * MS, 1, FUTEX, wait);
	settle(w, 10000 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 1000 * MS);
	assert_int_equal(w->given.ns[EVENT_RUNNABLE][1], 500 * MS);
	assert_int_equal(w->log[0].wait.own_ns, 9000 * MS);
	assert_int_equal(sum(w->given.count[EVENT_BLOCKED]), 1);
	look_at_rest(w, 1);
	assert_int_equal(w->rest.events, 0);

	/* All of it told already: what is left is to say that it was one wait. */
	wait.told_blocked_ns = 9000 * MS;
	wait.told_runnable_ns = 500 * MS;
	really(w, 1, 9000 * MS, 500 * MS);
	wait_of(w, &one, 20000 * MS, 1, FUTEX, wait);
	settle(w, 20000 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 1000 * MS);
	assert_int_equal(sum(w->given.count[EVENT_BLOCKED]), 2);
}

static void sums_are_added_to_what_totals_say(void **state)
{
	struct world *w = *state;
	const struct event ev = { .time_ns = 5000 * MS, .stack = w->stack[1], .thread = ask_thread(w, &one),
				  .flags = EVENT_F_USER,
				  .cut_module = ID_NONE,
				  .wait = { .call = FUTEX, .state = WAIT_INTERRUPTIBLE, .waker = ID_NONE } };
	const struct reconcile_wait many = { .blocked_ns = 700 * MS, .runnable_ns = 70 * MS, .period_ns = 1,
					     .count = 1000 };

	/* One that was told stands for others that were not summed, and takes nothing of those that were. */
	really(w, 100, 1 * MS, 0);
	waited(w, 4900 * MS, 2, 1 * MS, 0);
	assert_true(reconcile_sum(w->a, &one, &ev, &many));
	look_at_rest(w, 4950 * MS);
	assert_int_equal(w->rest.ns[EVENT_BLOCKED][1], 700 * MS);
	assert_int_equal(w->rest.count[EVENT_BLOCKED][1], 1000);
	settle(w, 5000 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 700 * MS);
	assert_int_equal(w->given.ns[EVENT_RUNNABLE][1], 70 * MS);
	assert_int_equal(w->given.count[EVENT_BLOCKED][1], 1000);
	assert_int_equal(sum(w->given.count[EVENT_RUNNABLE]), 0);
	for (unsigned int i = 0; i < 2; i++) {
		const struct event *told = &w->log[w->log[0].stack == w->stack[1] ? i : i + 1];

		assert_int_equal(told->time_ns, 5000 * MS);
		assert_int_equal(told->wait.own_ns, told->weight / 1000);
		assert_false(told->flags & EVENT_F_EXTRAPOLATED);
	}
	adds_up(w);
	for (unsigned int i = 0; i < 3 * RECONCILE_WINDOW; i++)
		settle(w, 6000 * MS);
	reconcile_finish(w->a, 7000 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]), 800 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][0], 0);
}

static void a_long_wait_that_was_lost_has_no_stack(void **state)
{
	struct world *w = *state;
	struct reconcile_figures f;

	waited(w, 10 * MS, 1, 40 * MS, 0);
	really(w, 1, 40 * MS, 0);
	really(w, 2, 70 * MS, 1 * MS);
	for (unsigned int i = 0; i < 2 * RECONCILE_WINDOW; i++)
		settle(w, 20 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][0], 140 * MS);
	assert_int_equal(w->given.ns[EVENT_RUNNABLE][0], 2 * MS);
	assert_int_equal(w->given.count[EVENT_BLOCKED][0], 2);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 40 * MS);
	reconcile_figures_of(w->a, &f);
	assert_int_equal(f.none_ns, 142 * MS);
	adds_up(w);
	assert_int_equal(w->rest.events, 0);
}

static void one_that_is_late_was_not_lost(void **state)
{
	struct world *w = *state;

	settle(w, 0);
	for (unsigned int i = 0; i < 10 * RECONCILE_WINDOW; i++) {
		really(w, 1, 50 * MS, 0);
		for (unsigned int n = 0; n < RECONCILE_WINDOW - 2; n++)
			settle(w, 10 * MS);
		waited(w, 10 * MS, 1, 50 * MS, 0);
		settle(w, 10 * MS);
	}
	assert_int_equal(w->given.ns[EVENT_BLOCKED][0], 0);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 10 * RECONCILE_WINDOW * 50 * MS);
	adds_up(w);
}

/* A wait that was told piece by piece ends, and its end is lost: the pieces are taken off. */
static void a_lost_end_does_not_count_pieces_again(void **state)
{
	struct world *w = *state;

	really(w, 1, 9000 * MS, 0);
	reconcile_missed(w->a, &one, FUTEX, 8000 * MS, 0);
	for (unsigned int i = 0; i < 2 * RECONCILE_WINDOW; i++)
		settle(w, 20 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]), 1000 * MS);
	/* It never was in the totals either: no later wait pays for it. */
	reconcile_missed(w->a, &one, FUTEX, 5000 * MS, 0);
	for (unsigned int i = 0; i < 2 * RECONCILE_WINDOW; i++)
		settle(w, 20 * MS);
	really(w, 1, 700 * MS, 0);
	for (unsigned int i = 0; i < 2 * RECONCILE_WINDOW; i++)
		settle(w, 20 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]), 1700 * MS);
}

static void without_totals_each_stands_for_itself(void **state)
{
	struct world *w = *state;
	const struct reconcile_task two = { .pid = 2, .tid = 2, .start_ns = 2 };
	struct reconcile_figures f;

	wait_of(w, &two, 10 * MS, 1, READ, (struct reconcile_wait){ .blocked_ns = 1 * MS, .period_ns = 10 * MS });
	assert_true(reconcile_held_ns(w->a) == UINT64_MAX);
	for (unsigned int i = 0; i < RECONCILE_GRACE; i++)
		reconcile_settle(w->a, 20 * MS);
	assert_int_equal(w->given.events, 0);
	/* Who waits for all of this time waits for it. */
	assert_true(reconcile_held_ns(w->a) == 10 * MS);
	look_at_rest(w, 20 * MS);
	assert_int_equal(w->rest.ns[EVENT_BLOCKED][1], 10 * MS);
	reconcile_settle(w->a, 20 * MS);
	assert_int_equal(w->given.ns[EVENT_BLOCKED][1], 10 * MS);
	assert_int_equal(w->given.count[EVENT_BLOCKED][1], 10);
	assert_true(reconcile_held_ns(w->a) == UINT64_MAX);
	for (unsigned int i = 0; i < 2 * RECONCILE_WINDOW; i++)
		reconcile_settle(w->a, 20 * MS);
	reconcile_figures_of(w->a, &f);
	assert_int_equal(f.keys, 0);
}

/* The totals speak of a thread that runs only once it leaves its CPU: its samples wait, however long that takes. */
static void a_total_may_come_late(void **state)
{
	struct world *w = *state;

	settle(w, 0);
	for (uint64_t i = 1; i <= 20; i++) {
		sample(w, i * 10 * MS, 1 + i % 2, 10 * MS);
		settle(w, i * 10 * MS);
	}
	look_at_rest(w, 200 * MS);
	assert_int_equal(sum(w->rest.ns[EVENT_SAMPLE]), 200 * MS);
	w->running.running_ns = 202 * MS;
	settle(w, 210 * MS);
	assert_in_range(w->given.ns[EVENT_SAMPLE][1], 85 * MS, 101 * MS);
	assert_in_range(w->given.ns[EVENT_SAMPLE][2], 85 * MS, 101 * MS);
	adds_up(w);
}

static void threads_that_are_gone_are_forgotten(void **state)
{
	struct world *w = *state;
	struct reconcile_figures f;

	for (int round = 1; round <= 200; round++) {
		for (int i = 0; i < 100; i++) {
			const pid_t tid = 100 * round + i;
			const struct source_total t = { .pid = tid, .tid = tid,
							.start_ns = (uint64_t)round, .last = true,
							.kind = EVENT_SAMPLE, .running_ns = 1 * MS };

			reconcile_total(w->a, &t);
		}
		reconcile_settle(w->a, (uint64_t)round * 250 * MS);
		reconcile_figures_of(w->a, &f);
		assert_true(f.keys <= 100 * (RECONCILE_WINDOW + 1));
	}
	assert_int_equal(f.keys, 100 * RECONCILE_WINDOW);
	reconcile_finish(w->a, 0);
	assert_int_equal(w->given.ns[EVENT_SAMPLE][0], 200 * 100 * MS);
	assert_int_equal(w->given.count[EVENT_SAMPLE][0], 0);
}

static void totals_may_begin_anew(void **state)
{
	struct world *w = *state;

	w->running.running_ns = 9 * MS;
	settle(w, 1);
	w->running.running_ns = 2 * MS;
	settle(w, 2);
	look_at_rest(w, 2);
	assert_int_equal(sum(w->rest.ns[EVENT_SAMPLE]), 11 * MS);
	adds_up(w);
}

static void left_out_waits_are_only_counted(void **state)
{
	struct world *w = *state;
	struct reconcile_figures f;

	w->total.short_ns = 5 * MS;
	w->total.short_count = 500;
	settle(w, 1);
	reconcile_figures_of(w->a, &f);
	assert_int_equal(f.short_ns, 5 * MS);
	assert_int_equal(f.short_count, 500);
	assert_int_equal(f.blocked_ns, 0);
	look_at_rest(w, 2);
	assert_int_equal(w->rest.events, 0);
}

/* ---- chance ---- */

/* 0 to 1. */
static double chance(void)
{
	state_of_chance = hash_u64(state_of_chance + 1);
	return (double)(state_of_chance >> 11) * 0x1p-53;
}

/* A thread that waits in FUTEX: what comes next, and how long that lasts. */
struct waiter {
	struct reconcile_task task;
	struct source_total total;
	uint64_t now_ns;
	uint64_t true_ns[STACKS], true_count[STACKS];
};

/* Waits of STACK for LENGTH_NS, of which a small part in the run queue, told as the kernel half does. */
static void wait_by_chance(struct world *w, struct waiter *t, unsigned int stack, uint64_t length_ns,
			   uint64_t period_ns)
{
	const uint64_t runnable = (uint64_t)((double)length_ns * 0.2 * chance()), blocked = length_ns - runnable;
	const struct reconcile_wait wait = { .blocked_ns = blocked, .runnable_ns = runnable, .period_ns = period_ns };

	t->now_ns += length_ns;
	t->true_ns[stack] += length_ns;
	t->true_count[stack]++;
	if (length_ns >= period_ns) {
		t->total.long_count++;
		t->total.long_blocked_ns += blocked;
		t->total.long_runnable_ns += runnable;
	} else {
		t->total.count++;
		t->total.blocked_ns += blocked;
		t->total.runnable_ns += runnable;
	}
	if (length_ns >= period_ns || chance() * (double)period_ns < (double)length_ns)
		wait_of(w, &t->task, t->now_ns, stack, FUTEX, wait);
}

typedef void behaviour(struct world *w, struct waiter *t, uint64_t period_ns);

/* Lets NR waiters behave for SECONDS, and compares what each stack was given with what it had. */
static void run_by_chance(struct world *w, behaviour *behave, unsigned int nr, uint64_t seconds, double percent)
{
	struct waiter *waiter = calloc(nr, sizeof(*waiter));
	uint64_t true_ns[STACKS] = { 0 }, true_count[STACKS] = { 0 };

	assert_non_null(waiter);
	for (uint64_t end = 250 * MS; end <= seconds * NSEC_PER_SEC; end += 250 * MS) {
		/* The period changes while it runs. */
		const uint64_t period = end / NSEC_PER_SEC % 10 < 5 ? 10 * MS : 5 * MS;

		for (unsigned int i = 0; i < nr; i++) {
			struct waiter *t = &waiter[i];

			t->task = (struct reconcile_task){ .pid = 1, .tid = 1 + (pid_t)i, .start_ns = 1 };
			t->total.pid = t->task.pid;
			t->total.tid = t->task.tid;
			t->total.start_ns = 1;
			t->total.kind = EVENT_BLOCKED;
			t->total.call = FUTEX;
			while (t->now_ns < end)
				behave(w, t, period);
			reconcile_total(w->a, &t->total);
		}
		reconcile_settle(w->a, end + NSEC_PER_SEC);
	}
	reconcile_finish(w->a, seconds * NSEC_PER_SEC);
	adds_up(w);
	for (unsigned int i = 0; i < nr; i++) {
		for (unsigned int s = 0; s < STACKS; s++) {
			true_ns[s] += waiter[i].true_ns[s];
			true_count[s] += waiter[i].true_count[s];
		}
	}
	for (unsigned int s = 0; s < STACKS; s++) {
		const uint64_t ns = w->given.ns[EVENT_BLOCKED][s] + w->given.ns[EVENT_RUNNABLE][s];
		const uint64_t slack = (uint64_t)((double)true_ns[s] * percent / 100);

		assert_in_range(ns, true_ns[s] - slack, true_ns[s] + slack);
	}
	free(waiter);
}

/* Waits of this length, of stack 1 for the first, by a chance below this one and above that of the ones before. */
struct mix {
	double below;
	uint64_t length_ns;
};

static void wait_one_of(struct world *w, struct waiter *t, const struct mix *mix, uint64_t period_ns)
{
	const double c = chance();
	unsigned int i = 0;

	while (c >= mix[i].below)
		i++;
	wait_by_chance(w, t, i + 1, mix[i].length_ns, period_ns);
}

/* Half of the time in waits of 10 us, the other in those of 50 ms, as a storm: and some in between. */
static void a_storm(struct world *w, struct waiter *t, uint64_t period_ns)
{
	static const struct mix storm[] = { { 0.0002, 50 * MS }, { 0.002, 3 * MS }, { 1, 10 * US } };

	wait_one_of(w, t, storm, period_ns);
}

static void a_storm_is_fair(void **state)
{
	run_by_chance(*state, a_storm, 4, 100, 3);
}

/* Threads of which few waits are told: less than one in ten settlements for each. */
static void a_trickle(struct world *w, struct waiter *t, uint64_t period_ns)
{
	static const struct mix trickle[] = { { 0.3, 200 * US }, { 0.9, 20 * US }, { 1, 1500 * US } };

	wait_one_of(w, t, trickle, period_ns);
	/* Something else, that is not told of. */
	t->now_ns += 100 * MS;
}

static void a_trickle_is_fair(void **state)
{
	run_by_chance(*state, a_trickle, 2000, 200, 3);
}

/* Busy and quiet times by turns: what the quiet ones leave must not go to the busy ones. */
static void by_turns(struct world *w, struct waiter *t, uint64_t period_ns)
{
	if (t->now_ns / NSEC_PER_SEC % 2)
		wait_by_chance(w, t, 1, 20 * US, period_ns);
	else
		wait_by_chance(w, t, 2, 2 * MS, period_ns);
	t->now_ns += 5 * MS;
}

static void turns_are_fair(void **state)
{
	run_by_chance(*state, by_turns, 200, 400, 4);
}

/* Whatever allocation fails, the totals are told again a moment later, and nothing of them is missing in the end. */
static void with_little_memory(void)
{
	struct world *w = NULL;
	void *state = NULL;
	struct event ev = { .kind = EVENT_SAMPLE, .time_ns = 1, .weight = 1, .cut_module = ID_NONE };
	const struct reconcile_wait wait = { .blocked_ns = 1 * MS, .period_ns = 10 * MS };

	if (!try_set_up(&state)) {
		tear_down(&state);
		return;
	}
	w = state;
	ev.stack = w->stack[1];
	ev.wait.call = FUTEX;
	ev.thread = 0;
	w->running.running_ns = 7 * MS;
	really(w, 300, 1 * MS, 0);
	for (int i = 0; i < 3; i++) {
		reconcile_sample(w->a, &one, &ev);
		reconcile_wait(w->a, &one, &ev, &wait);
		settle(w, 1);
	}
	reconcile_total(w->a, &w->total);
	reconcile_total(w->a, &w->running);
	reconcile_finish(w->a, 2);
	assert_int_equal(sum(w->given.ns[EVENT_SAMPLE]), 7 * MS);
	assert_int_equal(sum(w->given.ns[EVENT_BLOCKED]), 300 * MS);
	tear_down(&state);
}

/*
 * Threads that live shorter than a period, and do one of two things: a long one or, more often, a short one.
 * Another of that name lives on, and does a third thing: it stands for none of them.
 */
static void short_lives_are_fair(void **state)
{
	struct world *w = *state;
	uint64_t true_ns[4] = { 0 };
	pid_t tid = 1000;

	for (uint64_t end = 250 * MS; end <= 300 * NSEC_PER_SEC; end += 250 * MS) {
		for (int i = 0; i < 100; i++, tid++) {
			const struct reconcile_task task = { .pid = 1, .tid = tid, .start_ns = end };
			const unsigned int stack = chance() < 0.2 ? 1 : 2;
			const uint64_t ns = stack == 1 ? 900 * US : 300 * US;
			const struct source_total t = { .pid = 1, .tid = tid, .start_ns = end, .kind = EVENT_SAMPLE,
							.running_ns = ns, .last = true };
			const struct event ev = { .kind = EVENT_SAMPLE, .time_ns = end, .weight = 10 * MS,
						  .stack = w->stack[stack], .cut_module = ID_NONE,
						  .thread = ask_thread(w, &task) };

			true_ns[stack] += ns;
			if (chance() * 10 * MS < (double)ns)
				assert_true(reconcile_sample(w->a, &task, &ev));
			reconcile_total(w->a, &t);
		}
		for (int i = 0; i < 20; i++) {
			const struct event ev = { .kind = EVENT_SAMPLE, .time_ns = end - (uint64_t)i * 10 * MS,
						  .weight = 10 * MS, .stack = w->stack[3], .cut_module = ID_NONE,
						  .thread = ask_thread(w, &one) };

			assert_true(reconcile_sample(w->a, &one, &ev));
		}
		w->running.running_ns += 200 * MS;
		true_ns[3] += 200 * MS;
		reconcile_total(w->a, &w->running);
		reconcile_settle(w->a, end);
	}
	reconcile_finish(w->a, 300 * NSEC_PER_SEC);
	adds_up(w);
	assert_true(w->given.ns[EVENT_SAMPLE][0] < sum(w->given.ns[EVENT_SAMPLE]) / 1000);
	for (int s = 1; s <= 3; s++)
		assert_in_range(w->given.ns[EVENT_SAMPLE][s], true_ns[s] * 95 / 100, true_ns[s] * 105 / 100);
}

static void memory_may_run_out(void **state)
{
	for (long n = 0; fail_alloc_try(n, with_little_memory); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(a_long_wait_weighs_its_length),
		TEST(a_preempted_one_is_only_runnable),
		TEST(one_woken_while_throttled_says_so),
		TEST(short_ones_share_what_is_left),
		TEST(long_and_short_ones_do_not_mix),
		TEST(running_time_is_exact),
		TEST(what_is_later_is_held),
		TEST(what_nobody_told_of_is_carried),
		TEST(the_first_one_waits_for_cover),
		TEST(the_end_gives_everything),
		TEST(much_that_is_carried_is_spread),
		TEST(pieces_and_the_rest_are_the_wait),
		TEST(sums_are_added_to_what_totals_say),
		TEST(a_long_wait_that_was_lost_has_no_stack),
		TEST(one_that_is_late_was_not_lost),
		TEST(a_lost_end_does_not_count_pieces_again),
		TEST(without_totals_each_stands_for_itself),
		TEST(a_total_may_come_late),
		TEST(threads_that_are_gone_are_forgotten),
		TEST(totals_may_begin_anew),
		TEST(left_out_waits_are_only_counted),
		TEST(a_storm_is_fair),
		TEST(a_trickle_is_fair),
		TEST(turns_are_fair),
		TEST(short_lives_are_fair),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
