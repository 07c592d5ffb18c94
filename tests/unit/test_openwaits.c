/* SPDX-License-Identifier: BSD-2-Clause */
/* test_openwaits.c - a wait under way counts with what it has lasted, once; its stack is its own or none. */
#include "config.h"

#include "base/clock.h"
#include "engine/openwaits.h"
#include "engine/reconcile_private.h"
#include "tests/unit/fail_alloc.h"

#include "tests/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC
#define S NSEC_PER_SEC
#define HERS 7u                  /* a stack */
#define FUTEX (CALL_SYSCALL + 202)

/* What was told, or is provisional. */
struct wait_sums {
	uint64_t blocked_ns, runnable_ns, own_ns, none_ns, events, count;
	uint64_t frozen_ns;      /* of them in that state */
	uint8_t flags;           /* of the last one */
};

struct world {
	struct event_sink sink;
	struct dict *dict;
	struct reconcile *account;
	struct openwaits *o;
	struct wait_sums told, rest, ended;
	unsigned int asked;      /* stacks */
	bool refuse;             /* them */
	const uint64_t *kernel;  /* of what was asked for last */
	struct reconcile_wait end;         /* of the last that ended late */
	uint64_t missed_ns;
	struct source_open w;    /* what a look finds: thread 1 in a futex since 100 s */
};

static stack_id no_stack;        /* NOTE_NO_STACK */

static void add(struct wait_sums *s, const struct event *ev)
{
	assert_true(ev->kind == EVENT_BLOCKED || ev->kind == EVENT_RUNNABLE);
	assert_true(ev->stack == HERS || ev->stack == no_stack);
	assert_true(ev->flags & EVENT_F_OPEN);
	assert_int_equal(ev->wait.call, FUTEX);
	*(ev->kind == EVENT_BLOCKED ? &s->blocked_ns : &s->runnable_ns) += ev->weight;
	*(ev->stack == HERS ? &s->own_ns : &s->none_ns) += ev->weight;
	assert_int_equal(ev->count, !(ev->flags & EVENT_F_PIECE));
	assert_true(ev->wait.own_ns >= ev->weight);
	s->frozen_ns += ev->wait.state == WAIT_FROZEN ? ev->weight : 0;
	s->count += ev->count;
	s->flags = ev->flags;
	s->events++;
}

static void take_piece(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	add(&((struct world *)ctx)->told, ev);
}

static void take_rest(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	add(&((struct world *)ctx)->rest, ev);
}

/* Requests the stacks that are wanted. */
static void ask(struct world *w)
{
	const struct source_open *open;
	size_t at = 0;

	while ((open = openwaits_wanted(w->o, &at))) {
		assert_int_equal(open->tid, 1);
		w->asked++;
		w->kernel = open->nr_kernel ? open->kernel : NULL;
		if (w->refuse)
			openwaits_refused(w->o, at);
	}
}

/* What the account has got: ends that came late, and parts whose end never came. */
static void take_ends(struct world *w)
{
	struct reconcile *a = w->account;

	for (size_t i = 0; i < a->held.n; i++) {
		const struct held *h = &a->held.v[i];

		assert_int_equal(a->keys.v[h->key].task.tid, 1);
		w->end = h->w;
		w->ended.events++;
		*(h->ev.stack == HERS ? &w->ended.own_ns : &w->ended.none_ns) += h->w.blocked_ns + h->w.runnable_ns;
	}
	a->held.n = 0;
	w->missed_ns = 0;
	for (size_t i = 0; i < a->keys.n; i++)
		w->missed_ns -= (uint64_t)(a->keys.v[i].left[LONG_BLOCKED] + a->keys.v[i].left[LONG_RUNNABLE]);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct openwaits_config c = { .sink = w ? &w->sink : NULL };
	struct reconcile_config account = { .sink = c.sink };

	*state = w;
	if (!w)
		return -1;
	w->sink = (struct event_sink){ .observer = take_piece, .observer_ctx = w };
	account.dict = w->dict = dict_new();
	if (!w->dict || reconcile_new(&account, &w->account, NULL) < 0)
		return -1;
	c.account = w->account;
	no_stack = reconcile_no_stack(w->account);
	assert_int_not_equal(no_stack, HERS);
	if (openwaits_new(&c, &w->o, NULL) < 0)
		return -1;
	w->w = (struct source_open){ .pid = 1, .tid = 1, .start_ns = 9, .id = 77, .since_ns = 100 * S, .call = FUTEX,
				     .state = WAIT_INTERRUPTIBLE, .has_stack = true, .node = 1, .cpu = 3 };
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	if (w) {
		openwaits_free(w->o);
		reconcile_free(w->account);
		dict_free(w->dict);
	}
	free(w);
	return 0;
}

static const struct reconcile_task one = { .pid = 1, .tid = 1, .start_ns = 9 };

static void end_look(struct world *w, uint64_t now_ns)
{
	openwaits_end(w->o, now_ns);
	ask(w);
	openwaits_pieces(w->o);
	take_ends(w);
}

/* A look at NOW that finds the wait if it is THERE. */
static void look(struct world *w, uint64_t now_ns, bool there)
{
	openwaits_begin(w->o, UINT64_MAX);
	if (there)
		openwaits_see(w->o, &w->w);
	end_look(w, now_ns);
}

static void stack_comes(struct world *w, uint64_t time_ns)
{
	const struct event ev = { .time_ns = time_ns, .stack = HERS, .thread = 1, .flags = EVENT_F_USER,
				  .cut_module = ID_NONE };

	openwaits_stack(w->o, &one, w->w.id, &ev);
	take_ends(w);
}

static const struct wait_sums *rest_at(struct world *w, uint64_t now_ns)
{
	struct event_sink to = { .observer = take_rest, .observer_ctx = w };

	w->rest = (struct wait_sums){ 0 };
	openwaits_rest(w->o, now_ns, &to);
	return &w->rest;
}

/* The wait is over at TIME_NS without a stack in the event. */
static bool over(struct world *w, uint64_t time_ns, struct event *ev, struct reconcile_wait *a)
{
	*ev = (struct event){ .time_ns = time_ns, .stack = ID_NONE, .wait = { .call = FUTEX } };
	*a = (struct reconcile_wait){ .blocked_ns = time_ns - w->w.since_ns, .period_ns = 1 };
	return openwaits_over(w->o, &one, w->w.id, ev, a);
}

static void it_counts_up_to_now(void **state)
{
	struct world *w = *state;

	look(w, 100 * S + 300 * MS, true);
	assert_int_equal(w->asked, 1);
	assert_int_equal(rest_at(w, 100 * S + 400 * MS)->none_ns, 400 * MS);
	stack_comes(w, 100 * S);
	assert_int_equal(rest_at(w, 100 * S + 500 * MS)->own_ns, 500 * MS);
	assert_int_equal(w->rest.blocked_ns, 500 * MS);
	assert_int_equal(w->rest.count, 1);
	assert_int_equal(w->rest.flags, EVENT_F_OPEN | EVENT_F_USER);
	/* Woken: from then on it is in the run queue. */
	w->w.woken_ns = 100 * S + 550 * MS;
	look(w, 100 * S + 600 * MS, true);
	assert_int_equal(rest_at(w, 100 * S + 700 * MS)->blocked_ns, 550 * MS);
	assert_int_equal(w->rest.runnable_ns, 150 * MS);
	assert_int_equal(w->rest.count, 1);
	assert_int_equal(w->told.events, 0);
	assert_int_equal(w->asked, 1);
}

static void a_preempted_one_is_in_the_run_queue(void **state)
{
	struct world *w = *state;

	w->w.state = WAIT_PREEMPTED;
	look(w, 100 * S + 300 * MS, true);
	assert_int_equal(rest_at(w, 100 * S + 400 * MS)->runnable_ns, 400 * MS);
	assert_int_equal(w->rest.blocked_ns, 0);
	assert_int_equal(w->rest.count, 1);
}

static void pieces_come_each_second_and_the_rest_follows(void **state)
{
	struct world *w = *state;
	struct reconcile_wait a;
	struct event ev;
	uint64_t now = 100 * S + 300 * MS, pieces = 0;

	look(w, now, true);
	stack_comes(w, 100 * S);
	for (; now < 700 * S; now += S) {
		const uint64_t before = w->told.own_ns;

		look(w, now, true);
		if (w->told.own_ns == before)
			continue;
		pieces++;
		/* Each second has its own part, the first ones apart. */
		assert_in_range(w->told.own_ns - before, S, pieces == 1 ? 4 * S : S);
		assert_int_equal(rest_at(w, now)->own_ns, 0);
		assert_int_equal(w->rest.count, 1);
	}
	assert_true(pieces > 590);
	assert_int_equal(w->told.count, 0);
	assert_int_equal(w->told.own_ns + rest_at(w, now)->own_ns, now - 100 * S);
	assert_true(over(w, 800 * S, &ev, &a));
	assert_int_equal(ev.stack, HERS);
	assert_int_equal(ev.flags, EVENT_F_USER);
	assert_int_equal(a.told_blocked_ns, w->told.own_ns);
	assert_int_equal(rest_at(w, 800 * S)->events, 0);
	look(w, 801 * S, false);
	assert_int_equal(w->missed_ns, 0);
}

/* The freezer of cgroup v1 freezes it where it sleeps, and lets it sleep on. */
static void a_state_may_change_under_way(void **state)
{
	struct world *w = *state;

	look(w, 100 * S + 1, true);
	stack_comes(w, 100 * S);
	look(w, 102 * S, true);
	w->w.state = WAIT_FROZEN;
	look(w, 102 * S + 500 * MS, true);
	assert_int_equal(w->told.frozen_ns, 0);
	assert_int_equal(w->told.own_ns, 2 * S + 500 * MS);
	look(w, 104 * S, true);
	assert_int_equal(w->told.frozen_ns, 1500 * MS);
	assert_int_equal(rest_at(w, 105 * S)->frozen_ns, S);
	w->w.state = WAIT_INTERRUPTIBLE;
	look(w, 105 * S, true);
	assert_int_equal(w->told.frozen_ns, 2500 * MS);
	assert_int_equal(rest_at(w, 106 * S)->frozen_ns, 0);
	assert_int_equal(w->told.own_ns + w->rest.own_ns, 6 * S);
}

static void an_end_with_its_own_stack(void **state)
{
	struct world *w = *state;
	struct event ev = { .time_ns = 103 * S, .stack = 42 };
	struct reconcile_wait a = { .blocked_ns = 3 * S };

	look(w, 102 * S, true);
	look(w, 102 * S + 1, true);
	assert_true(openwaits_over(w->o, &one, 77, &ev, &a));
	assert_int_equal(ev.stack, 42);
	assert_int_equal(rest_at(w, 103 * S)->events, 0);
	/* One that was never seen. */
	ev.stack = ID_NONE;
	assert_true(openwaits_over(w->o, &one, 78, &ev, &a));
	assert_int_equal(ev.stack, no_stack);
	assert_int_equal(a.told_blocked_ns, 0);
}

/* Its end comes first, its stack runs into a file that is being loaded. */
static void an_end_waits_for_the_stack(void **state)
{
	struct world *w = *state;
	struct reconcile_wait a;
	struct event ev;

	look(w, 101 * S, true);
	assert_false(over(w, 102 * S, &ev, &a));
	assert_int_equal(w->ended.events, 0);
	assert_int_equal(rest_at(w, 105 * S)->none_ns, 2 * S);
	assert_int_equal(openwaits_pending(w->o), 1);
	stack_comes(w, 100 * S);
	assert_int_equal(w->ended.own_ns, 2 * S);
	assert_int_equal(rest_at(w, 105 * S)->events, 0);
	look(w, 106 * S, false);

	/* It does not come. */
	w->w.id = 78;
	w->w.since_ns = 110 * S;
	look(w, 111 * S, true);
	assert_false(over(w, 112 * S, &ev, &a));
	for (uint64_t i = 0; i < 10; i++)
		look(w, (112 + i) * S, false);
	assert_int_equal(w->ended.none_ns, 2 * S);
	assert_int_equal(w->ended.events, 2);
	assert_int_equal(w->missed_ns, 0);
}

/* What is read from outside is only believed when the wait went on. */
static void a_stack_from_outside_needs_a_witness(void **state)
{
	struct world *w = *state;
	struct reconcile_wait a;
	struct event ev;

	w->w.has_stack = false;
	w->w.seeded = true;
	look(w, 101 * S, true);
	stack_comes(w, 101 * S + 1);
	assert_int_equal(rest_at(w, 102 * S)->own_ns, 0);
	assert_true(w->rest.flags & EVENT_F_EARLIER);
	look(w, 102 * S, true);
	assert_int_equal(w->told.own_ns, 2 * S);

	/* Its end is as good a witness as a look, */
	w->w.id = 78;
	look(w, 103 * S, true);
	stack_comes(w, 103 * S + 1);
	assert_true(over(w, 104 * S, &ev, &a));
	assert_int_equal(ev.stack, HERS);
	/* unless it was before the reading. */
	w->w.id = 79;
	look(w, 105 * S, true);
	stack_comes(w, 107 * S);
	assert_true(over(w, 106 * S, &ev, &a));
	assert_int_equal(ev.stack, no_stack);
	/* A look that did not find the wait is none. */
	w->w.id = 80;
	look(w, 107 * S, true);
	look(w, 110 * S, false);
	stack_comes(w, 109 * S);
	assert_true(over(w, 108 * S, &ev, &a));
	assert_int_equal(ev.stack, no_stack);
}

static void a_stack_is_asked_for_again(void **state)
{
	struct world *w = *state;

	w->refuse = true;
	look(w, 101 * S, true);
	ask(w);
	assert_int_equal(w->asked, 2);
	w->refuse = false;
	ask(w);
	ask(w);
	look(w, 102 * S, true);
	assert_int_equal(w->asked, 3);
	/* There is none: pieces need not wait for it. */
	openwaits_stack(w->o, &one, 77, NULL);
	look(w, 103 * S, true);
	assert_int_equal(w->told.none_ns, 3 * S);
}

/* It is told by one look only, and the user's stack may come by a later one. */
static void the_kernels_stack_is_kept_until_the_users_is_taken(void **state)
{
	static const uint64_t kernel[] = { 1, 2 };
	struct world *w = *state;

	w->refuse = true;
	look(w, 101 * S, true);
	assert_null(w->kernel);
	w->w.kernel = kernel;
	w->w.nr_kernel = 2;
	look(w, 102 * S, true);
	w->w.kernel = NULL;
	w->w.nr_kernel = 0;
	w->refuse = false;
	look(w, 103 * S, true);
	assert_int_equal(w->asked, 3);
	assert_ptr_equal(w->kernel, kernel);
}

static void a_piece_waits_for_its_stack_but_not_for_ever(void **state)
{
	struct world *w = *state;

	look(w, 100 * S + 300 * MS, true);
	look(w, 103 * S, true);
	assert_int_equal(w->told.events, 0);
	look(w, 104 * S, true);
	assert_int_equal(w->told.none_ns, 4 * S);
	stack_comes(w, 100 * S);
	look(w, 106 * S, true);
	assert_int_equal(w->told.own_ns, 2 * S);
}

static void an_end_that_was_lost(void **state)
{
	struct world *w = *state;

	look(w, 101 * S, true);
	stack_comes(w, 100 * S);
	look(w, 103 * S, true);
	assert_int_equal(w->told.own_ns, 3 * S);
	/* The thread waits again: another wait. */
	w->w.id = 78;
	w->w.since_ns = 103 * S + 1;
	look(w, 104 * S, true);
	assert_int_equal(rest_at(w, 104 * S)->count, 1);
	for (uint64_t i = 0; i < 5; i++)
		look(w, (105 + i) * S, true);
	assert_int_equal(w->missed_ns, 3 * S);
}

static void the_end_tells_the_rest(void **state)
{
	struct world *w = *state;
	struct openwaits_figures f;

	look(w, 101 * S, true);
	stack_comes(w, 100 * S);
	look(w, 103 * S, true);
	openwaits_figures(w->o, 104 * S, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.blocked_ns, 4 * S);
	assert_int_equal(f.own_ns, 4 * S);
	openwaits_finish(w->o, 104 * S);
	assert_int_equal(w->told.own_ns, 4 * S);
	assert_int_equal(w->told.count, 1);
	assert_int_equal(w->told.flags, EVENT_F_OPEN | EVENT_F_USER);
	openwaits_figures(w->o, 104 * S, &f);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.own_ns, 4 * S);
	assert_int_equal(rest_at(w, 104 * S)->events, 0);
}

static void a_reset_tells_what_was(void **state)
{
	struct world *w = *state;

	look(w, 101 * S, true);
	stack_comes(w, 100 * S);
	openwaits_commit(w->o, 101 * S + 500 * MS);
	assert_int_equal(w->told.own_ns, 1500 * MS);
	assert_int_equal(w->told.count, 0);
	assert_int_equal(rest_at(w, 102 * S)->own_ns, 500 * MS);
}

/* The list is made while time goes on: it has waits that began after it was asked for. */
static void young_ones_are_left_for_another_look(void **state)
{
	struct world *w = *state;
	struct openwaits_figures f;

	openwaits_begin(w->o, 100 * S - 1);
	openwaits_see(w->o, &w->w);
	end_look(w, 100 * S - 1);
	openwaits_figures(w->o, 101 * S, &f);
	assert_int_equal(f.n, 0);
	assert_int_equal(w->asked, 0);
	openwaits_begin(w->o, 100 * S);
	openwaits_see(w->o, &w->w);
	end_look(w, 101 * S);
	assert_int_equal(w->asked, 1);
	/* One from before the capture is of interest at once. */
	w->w.seeded = true;
	w->w.id++;
	openwaits_begin(w->o, 100 * S - 1);
	openwaits_see(w->o, &w->w);
	end_look(w, 101 * S);
	assert_int_equal(w->asked, 2);
}

static void many_threads(void **state)
{
	struct world *w = *state;
	struct openwaits_figures f;

	w->refuse = true;
	for (unsigned int round = 0; round < 3; round++) {
		openwaits_begin(w->o, UINT64_MAX);
		for (unsigned int i = 0; i < 3000; i++) {
			w->w.start_ns = i;
			if (i % 3 != round)
				openwaits_see(w->o, &w->w);
		}
		end_look(w, (101 + round) * S);
		openwaits_figures(w->o, (101 + round) * S, &f);
		assert_int_equal(f.n, 2000);
	}
}

/* Whatever allocation fails, nothing counts twice. */
static void with_little_memory(void)
{
	void *state = NULL;
	struct world *w;

	if (set_up(&state) == 0) {
		w = state;
		w->refuse = true;
		for (uint64_t now = 101; now < 106; now++) {
			openwaits_begin(w->o, UINT64_MAX);
			for (unsigned int i = 0; i < 100; i++) {
				w->w.start_ns = i;
				openwaits_see(w->o, &w->w);
			}
			end_look(w, now * S);
			assert_true(rest_at(w, now * S)->count <= 100);
		}
		assert_int_equal(w->rest.count, 100);
		assert_int_equal(w->rest.none_ns + w->told.none_ns, 100 * 5 * S);
	}
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
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(it_counts_up_to_now),
		TEST(the_kernels_stack_is_kept_until_the_users_is_taken),
		TEST(a_preempted_one_is_in_the_run_queue),
		TEST(pieces_come_each_second_and_the_rest_follows),
		TEST(a_state_may_change_under_way),
		TEST(an_end_with_its_own_stack),
		TEST(an_end_waits_for_the_stack),
		TEST(a_stack_from_outside_needs_a_witness),
		TEST(a_stack_is_asked_for_again),
		TEST(a_piece_waits_for_its_stack_but_not_for_ever),
		TEST(an_end_that_was_lost),
		TEST(the_end_tells_the_rest),
		TEST(a_reset_tells_what_was),
		TEST(young_ones_are_left_for_another_look),
		TEST(many_threads),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
