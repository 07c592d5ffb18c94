/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_lock_turns.c - a wait for a lock that went from hand to hand is divided among those who held it, and its parts
 * add up to it.
 */
#include "config.h"

#include "base/clock.h"
#include "engine/lock_turns.h"
#include "model/lock.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#define MS NSEC_PER_MSEC
#define PID 10
#define LOCK 0x1000u
#define WAITER 9                 /* which thread waits */
#define PARTS 512

struct world {
	struct dict *d;
	struct lock_turns *t;
	thread_id thread[600];
	/* what was told of the last event */
	struct event part[PARTS];
	unsigned int n;
	uint64_t weight, count;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->d = dict_new();
	assert_non_null(w->d);
	w->t = lock_turns_new(w->d);
	assert_non_null(w->t);
	for (unsigned int i = 0; i < sizeof(w->thread) / sizeof(w->thread[0]); i++)
		w->thread[i] = dict_thread(w->d, &(struct thread){ .pid = PID, .tid = PID + (pid_t)i });
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	lock_turns_free(w->t);
	dict_free(w->d);
	free(w);
	return 0;
}

#define TURNS_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* A mutex that thread HOLDER holds; -1 = nobody that is known. */
static struct held_lock mutex(const struct world *w, int holder)
{
	return (struct held_lock){ .address = LOCK, .guess = holder < 0 ? LOCK_FUTEX : LOCK_MUTEX,
				   .holder = holder < 0 ? ID_NONE : w->thread[holder] };
}

/* At AT ms the thread BY lets the mutex go, and wakes NEXT, which found it held by FOUND. */
static void over(struct world *w, unsigned int at, int by, int next, int found)
{
	const struct held_lock l = mutex(w, found);
	const struct lock_turn turn = { .ns = at * MS, .holder = w->thread[by], .next = w->thread[next] };

	lock_turns_over(w->t, PID, &l, &turn);
}

static void held(struct world *w, unsigned int at, int by)
{
	const struct held_lock l = mutex(w, by);

	lock_turns_held(w->t, PID, &l, at * MS);
}

static void tell(void *ctx, const struct event *ev)
{
	struct world *w = ctx;

	assert_true(w->n < PARTS);
	w->part[w->n++] = *ev;
	w->weight += ev->weight;
	w->count += ev->count;
	assert_int_equal(!ev->count, !!(ev->flags & EVENT_F_PIECE));
}

static struct event wait_event(struct world *w, const struct held_lock *l, unsigned int from, unsigned int to)
{
	return (struct event){ .kind = EVENT_BLOCKED, .time_ns = to * MS, .weight = (to - from) * MS, .count = 1,
			       .thread = w->thread[WAITER],
			       .wait = { .lock = dict_lock(w->d, l), .own_ns = (to - from) * MS } };
}

static void divide(struct world *w, const struct event *ev)
{
	w->n = 0;
	w->weight = w->count = 0;
	lock_turns_divide(w->t, ev, tell, w);
	assert_int_equal(w->weight, ev->weight);
	assert_int_equal(w->count, ev->count);
}

/* Divides the wait of WAITER for the mutex that FOUND held. */
static void waited(struct world *w, int found, unsigned int from, unsigned int to)
{
	const struct held_lock l = mutex(w, found);
	const struct event ev = wait_event(w, &l, from, to);

	divide(w, &ev);
}

static void is_part(const struct world *w, unsigned int i, int holder, unsigned int us)
{
	const struct held_lock *l = dict_get_lock(w->d, w->part[i].wait.lock);

	assert_true(i < w->n);
	assert_int_equal(l->holder, holder < 0 ? ID_NONE : w->thread[holder]);
	assert_int_equal(l->address, LOCK);
	assert_int_equal(w->part[i].weight, us * (uint64_t)1000);
}

static void hand_to_hand(void **state)
{
	struct world *w = *state;

	held(w, 100, 1);
	over(w, 110, 1, 2, 1);
	over(w, 130, 2, 3, 1);
	over(w, 135, 3, WAITER, 1);
	waited(w, 1, 100, 135);
	assert_int_equal(w->n, 3);
	is_part(w, 0, 1, 10000);
	is_part(w, 1, 2, 20000);
	is_part(w, 2, 3, 5000);
	assert_int_equal(w->part[0].time_ns, 110 * MS);
	assert_int_equal(w->part[2].time_ns, 135 * MS);
	/* One holder all the time: nothing is divided. */
	waited(w, 1, 100, 109);
	assert_int_equal(w->n, 1);
	is_part(w, 0, 1, 9000);
}

static void whoever_lets_it_go_had_it(void **state)
{
	struct world *w = *state;

	/* 2 is woken, but 3 was faster: 2 waits again. */
	over(w, 110, 1, 2, 1);
	held(w, 112, 3);
	over(w, 120, 3, 2, 3);
	/* The end of a wait by a timer: who has it then shows when he lets it go. */
	over(w, 140, 2, 4, 3);
	waited(w, 1, 100, 130);
	assert_int_equal(w->n, 3);
	is_part(w, 0, 1, 10000);
	is_part(w, 1, 3, 10000);
	is_part(w, 2, 2, 10000);
}

static void between_two_readings(void **state)
{
	struct world *w = *state;

	held(w, 100, 1);
	held(w, 110, 2);
	held(w, 120, 2);
	waited(w, 1, 100, 130);
	assert_int_equal(w->n, 2);
	is_part(w, 0, 1, 5000);
	is_part(w, 1, 2, 25000);
	/* Who is woken may not get it: as long as nothing more is known, nobody is named. */
	over(w, 130, 2, 3, 1);
	waited(w, 2, 125, 140);
	assert_int_equal(w->n, 2);
	is_part(w, 0, 2, 5000);
	is_part(w, 1, -1, 10000);
	/* A lock that was seen held before is known, even if a wait found nobody. */
	over(w, 150, 3, 4, -1);
	waited(w, -1, 131, 150);
	is_part(w, 0, 3, 19000);
}

static void readers_have_a_number(void **state)
{
	struct world *w = *state;
	const struct held_lock by_writer = { .address = LOCK, .guess = LOCK_RWLOCK_WRITE, .holder = w->thread[1] };
	const struct held_lock by_readers = { .address = LOCK + 8, .guess = LOCK_FUTEX, .holder = ID_NONE,
					      .readers = 3 };
	const struct lock_turn to_readers = { .ns = 110 * MS, .holder = w->thread[1], .next = w->thread[3] };
	const struct lock_turn to_writer = { .ns = 130 * MS, .holder = w->thread[5], .next = w->thread[2] };
	const struct lock_turn to_next = { .ns = 140 * MS, .holder = w->thread[2], .next = w->thread[WAITER] };
	const struct lock_turn after_writer = { .ns = 150 * MS, .holder = w->thread[4], .next = w->thread[WAITER] };
	const struct held_lock behind_writers = { .address = LOCK + 12, .guess = LOCK_FUTEX, .holder = ID_NONE,
						  .readers = 1 };
	struct event ev = wait_event(w, &by_writer, 100, 140);

	lock_turns_held(w->t, PID, &by_writer, 100 * MS);
	lock_turns_over(w->t, PID, &by_writer, &to_readers);
	lock_turns_held(w->t, PID, &by_readers, 115 * MS);
	lock_turns_over(w->t, PID, &by_readers, &to_writer);
	lock_turns_over(w->t, PID, &by_writer, &to_next);
	divide(w, &ev);
	assert_int_equal(w->n, 3);
	is_part(w, 0, 1, 10000);
	is_part(w, 1, -1, 20000);
	is_part(w, 2, 2, 10000);
	assert_int_equal(dict_get_lock(w->d, w->part[1].wait.lock)->readers, 3);
	/* Who waits behind other writers is woken by one of them, even if there were readers when it began to. */
	lock_turns_over(w->t, PID, &behind_writers, &after_writer);
	ev = wait_event(w, &behind_writers, 141, 150);
	divide(w, &ev);
	assert_int_equal(w->n, 2);
	is_part(w, 0, -1, 4500);
	is_part(w, 1, 4, 4500);
}

/* Where writers find readers each time, no writer is seen in the rwlock: its two futexes tell that it is one. */
static void writers_whom_nobody_sees(void **state)
{
	struct world *w = *state;
	const module_id m = dict_module(w->d, &(struct module){ .kind = MODULE_FILE });
	const stack_id at_base = dict_stack(w->d, STACK_ROOT, dict_frame(w->d, m, FRAME_DATA | 0x500));
	const stack_id behind = dict_stack(w->d, STACK_ROOT, dict_frame(w->d, m, FRAME_DATA | 0x50c));
	const struct held_lock first = { .address = LOCK + 8, .guess = LOCK_FUTEX, .holder = ID_NONE, .readers = 2 };
	const struct held_lock second = { .address = LOCK + 12, .guess = LOCK_FUTEX, .holder = ID_NONE, .readers = 2,
					  .place = behind };
	const struct held_lock reader = { .address = LOCK, .guess = LOCK_RWLOCK_READ, .holder = ID_NONE, .readers = 1 };
	const struct lock_turn to_writer = { .ns = 110 * MS, .holder = w->thread[5], .next = w->thread[1] };
	const struct lock_turn to_next = { .ns = 120 * MS, .holder = w->thread[1], .next = w->thread[2] };
	const struct lock_turn to_last = { .ns = 140 * MS, .holder = w->thread[2], .next = w->thread[WAITER] };
	struct event ev = wait_event(w, &second, 100, 140);

	/* What looks like a first word makes no rwlock, one futex of what may be one neither. */
	lock_turns_held(w->t, PID, &reader, 99 * MS);
	lock_turns_held(w->t, PID, &first, 99 * MS);
	divide(w, &ev);
	assert_int_equal(w->n, 1);
	lock_turns_held(w->t, PID, &second, 100 * MS);
	lock_turns_over(w->t, PID, &first, &to_writer);
	lock_turns_over(w->t, PID, &second, &to_next);
	lock_turns_over(w->t, PID, &second, &to_last);
	divide(w, &ev);
	assert_int_equal(w->n, 3);
	is_part(w, 0, -1, 10000);
	is_part(w, 1, 1, 10000);
	is_part(w, 2, 2, 20000);
	for (unsigned int i = 0; i < w->n; i++) {
		assert_int_equal(dict_get_lock(w->d, w->part[i].wait.lock)->address, LOCK);
		assert_int_equal(dict_get_lock(w->d, w->part[i].wait.lock)->guess, LOCK_RWLOCK_WRITE);
		assert_int_equal(dict_get_lock(w->d, w->part[i].wait.lock)->place, at_base);
	}
	/* Who waits to read there is one of it, and saw who had it. */
	lock_turns_held(w->t, PID, &reader, 150 * MS);
	ev = wait_event(w, &reader, 150, 160);
	divide(w, &ev);
	is_part(w, 0, -1, 10000);
	assert_int_equal(dict_get_lock(w->d, w->part[0].wait.lock)->address, LOCK);
}

/* A lock of the kernel is the same one for threads of all processes, whether they read or write. */
static void locks_of_the_kernel(void **state)
{
	struct world *w = *state;
	const struct held_lock to_write = { .address = LOCK, .guess = LOCK_KERNEL_WRITE, .holder = w->thread[1] };
	const struct held_lock read_by = { .address = LOCK, .guess = LOCK_KERNEL_WRITE, .holder = ID_NONE,
					   .readers = 2 };
	const struct held_lock to_read = { .address = LOCK, .guess = LOCK_KERNEL_READ, .holder = w->thread[1] };
	const struct lock_turn to_next = { .ns = 110 * MS, .holder = w->thread[1], .next = w->thread[2] };
	const struct lock_turn to_readers = { .ns = 120 * MS, .holder = w->thread[2], .next = w->thread[3] };
	const struct lock_turn to_last = { .ns = 140 * MS, .holder = w->thread[4], .next = w->thread[WAITER] };
	struct event ev = wait_event(w, &to_read, 100, 140);

	lock_turns_held(w->t, PID + 1, &to_write, 100 * MS);
	lock_turns_over(w->t, PID + 1, &to_write, &to_next);
	lock_turns_over(w->t, PID, &to_read, &to_readers);
	lock_turns_held(w->t, PID + 2, &read_by, 125 * MS);
	lock_turns_over(w->t, PID, &read_by, &to_last);
	divide(w, &ev);
	assert_int_equal(w->n, 3);
	is_part(w, 0, 1, 10000);
	is_part(w, 1, 2, 10000);
	is_part(w, 2, -1, 20000);
	assert_int_equal(dict_get_lock(w->d, w->part[1].wait.lock)->guess, LOCK_KERNEL_READ);
	assert_int_equal(dict_get_lock(w->d, w->part[2].wait.lock)->readers, 2);
}

static void what_stands_for_others(void **state)
{
	struct world *w = *state;
	const struct held_lock l = mutex(w, 1);
	struct event ev = wait_event(w, &l, 100, 104);

	ev.flags = EVENT_F_EXTRAPOLATED;
	ev.weight = 10 * MS;
	ev.count = 3;
	over(w, 102, 1, 2, 1);
	over(w, 104, 2, WAITER, 1);
	divide(w, &ev);
	assert_int_equal(w->n, 3);
	is_part(w, 0, 1, 2000);
	is_part(w, 1, 2, 2000);
	assert_int_equal(w->part[0].flags, 0);
	assert_int_equal(w->part[2].flags, EVENT_F_EXTRAPOLATED);
	assert_int_equal(w->part[2].wait.own_ns, 0);
	assert_int_equal(w->part[2].count, 2);
}

static void pieces_of_one_that_goes_on(void **state)
{
	struct world *w = *state;
	const struct held_lock l = mutex(w, 1);
	struct event ev = wait_event(w, &l, 100, 2100);

	/* The first second was told before. */
	ev.flags = EVENT_F_OPEN | EVENT_F_PIECE;
	ev.weight = 1000 * MS;
	ev.count = 0;
	over(w, 600, 1, 2, 1);
	over(w, 1600, 2, 3, 1);
	held(w, 1700, 3);
	divide(w, &ev);
	assert_int_equal(w->n, 2);
	is_part(w, 0, 2, 500000);
	is_part(w, 1, 3, 500000);
	assert_int_equal(w->part[0].flags, EVENT_F_PIECE);
	assert_int_equal(w->part[1].flags, EVENT_F_OPEN | EVENT_F_PIECE);
	assert_int_equal(w->part[1].wait.own_ns, 2000 * MS);
}

static void bounded_whatever_comes(void **state)
{
	struct world *w = *state;

	/* So many turns that not each is a part. */
	for (unsigned int i = 0; i < 590; i++)
		over(w, 100 + i, (int)i + 10 - (i >= 580 ? 580 : 0), WAITER, 1);
	waited(w, 10, 90, 680);
	assert_true(w->n > 100 && w->n < 300);
	/* Time goes on, other locks come: what is old is forgotten. */
	for (unsigned int i = 0; i < 100000; i++) {
		const struct held_lock l = { .address = 16 * (uint64_t)i, .guess = LOCK_MUTEX, .holder = w->thread[1] };
		const struct lock_turn turn = { .ns = (1000 + i) * MS, .holder = w->thread[1],
						.next = w->thread[2] };

		lock_turns_over(w->t, PID, &l, &turn);
	}
	waited(w, 10, 90, 680);
	assert_int_equal(w->n, 1);
	is_part(w, 0, 10, 590000);
}

static void others_are_left_alone(void **state)
{
	struct world *w = *state;
	const struct held_lock joined = { .address = LOCK, .guess = LOCK_JOIN, .holder = w->thread[1] };
	const struct held_lock nobody = mutex(w, -1);
	struct event ev = wait_event(w, &joined, 100, 140);

	lock_turns_held(w->t, PID, &joined, 100 * MS);
	over(w, 120, 2, 3, -1);
	divide(w, &ev);
	assert_int_equal(w->n, 1);
	assert_int_equal(w->part[0].wait.lock, ev.wait.lock);
	/* A futex of which nobody has seen a holder is perhaps no lock. */
	ev = wait_event(w, &nobody, 100, 140);
	divide(w, &ev);
	assert_int_equal(w->n, 1);
	assert_int_equal(w->part[0].wait.lock, ev.wait.lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TURNS_TEST(hand_to_hand),
		TURNS_TEST(whoever_lets_it_go_had_it),
		TURNS_TEST(between_two_readings),
		TURNS_TEST(locks_of_the_kernel),
		TURNS_TEST(readers_have_a_number),
		TURNS_TEST(writers_whom_nobody_sees),
		TURNS_TEST(what_stands_for_others),
		TURNS_TEST(pieces_of_one_that_goes_on),
		TURNS_TEST(bounded_whatever_comes),
		TURNS_TEST(others_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
