/* SPDX-License-Identifier: BSD-2-Clause */
/* test_locks.c - lists of locks of profiles made by hand: kinds, holders, who is believed, stacks, deadlocks, sums. */
#include "config.h"

#include "base/clock.h"
#include "query/locks.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <string.h>

#define MS NSEC_PER_MSEC
#define NOBODY ID_NONE

/* What made_again() adds: a wait of THREAD for a lock at ADDRESS, which HOLDER held in the layout GUESS. */
static void wait_for(struct made *m, uint64_t at_ms, thread_id thread, const char *stack, uint64_t address,
		     thread_id holder, enum lock_kind guess, uint64_t ms)
{
	const struct held_lock l = { .address = address, .holder = holder, .guess = guess };
	const uint64_t ns = ms * MS;

	m->ev = (struct event){ .kind = EVENT_BLOCKED, .flags = EVENT_F_USER, .cut_module = ID_NONE,
				.time_ns = at_ms * MS, .weight = ns, .thread = thread, .stack = made_stack(m, stack) };
	m->ev.wait = (struct event_wait){ .call = call_find("futex", MADE_ARCH), .state = WAIT_INTERRUPTIBLE,
					  .waker = ID_NONE, .own_ns = ns, .lock = dict_lock(m->d, &l) };
	assert_int_not_equal(m->ev.wait.lock, ID_NONE);
}

static struct locks *locks_of(struct made *m)
{
	const struct query q = { .arch = MADE_ARCH };
	struct snapshot *s = profile_snapshot(m->p);
	struct err e = ERR_INIT;
	struct locks *l = NULL;

	assert_non_null(s);
	assert_int_equal(locks_build(s, m->names, &q, &l, &e), 0);
	snapshot_unref(s);
	return l;
}

static void by_time(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	const thread_id c = made_thread(m, 10, 13, "c");
	struct locks *l;

	wait_for(m, 100, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 5);
	made_again(m);
	wait_for(m, 200, c, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 7);
	made_again(m);
	/* Another way into the same place, which reads the same. */
	wait_for(m, 300, a, "main;take;pthread_mutex_lock;__lll_lock_wait", 0x10, c, LOCK_MUTEX, 3);
	made_again(m);
	m->ev.kind = EVENT_RUNNABLE;
	m->ev.weight = m->ev.wait.own_ns = 1 * MS;
	made_again(m);
	wait_for(m, 400, a, "main;write;pthread_rwlock_wrlock", 0x20, b, LOCK_RWLOCK_WRITE, 50);
	made_again(m);
	/* Whose stack says something else than the layout in which the holder was found. */
	wait_for(m, 500, b, "main;idle_not;pthread_cond_wait", 0x30, c, LOCK_MUTEX, 2);
	made_again(m);
	/* Of which nothing is known. */
	made_wait(m, 600 * MS, b, "main;other", EVENT_BLOCKED, "futex", 'S', 1 * MS);
	/* No lock. */
	made_wait(m, 700 * MS, b, "main;reads", EVENT_BLOCKED, "read", 'S', 9 * MS);
	l = locks_of(m);
	assert_int_equal(l->nr_locks, 4);
	assert_int_equal(l->ns, 68 * MS);
	assert_int_equal(l->lock[0].address, 0x20);
	assert_int_equal(l->lock[0].kind, LOCK_RWLOCK_WRITE);
	assert_int_equal(l->lock[0].ns, 50 * MS);
	assert_int_equal(l->lock[1].address, 0x10);
	assert_int_equal(l->lock[1].kind, LOCK_MUTEX);
	assert_int_equal(l->lock[1].ns, 15 * MS);
	assert_int_equal(l->lock[1].hand_over_ns, 1 * MS);
	assert_int_equal(l->lock[1].count, 3);
	assert_int_equal(l->lock[1].longest_ns, 7 * MS);
	assert_int_equal(l->lock[1].waiters, 2);
	assert_int_equal(l->lock[1].waiting, 0);
	assert_int_equal(l->lock[1].nr_holders, 2);
	assert_int_equal(l->holder[l->lock[1].first_holder].thread, b);
	assert_int_equal(l->holder[l->lock[1].first_holder].ns, 12 * MS);
	assert_int_equal(l->holder[l->lock[1].first_holder + 1].thread, c);
	assert_int_equal(l->lock[1].nr_places, 1);
	assert_int_equal(l->place[l->lock[1].first_place].ns, 15 * MS);
	assert_int_equal(l->place[l->lock[1].first_place].stack, made_stack(m, "main;take;pthread_mutex_lock"));
	assert_int_equal(l->lock[2].kind, LOCK_CONDITION);
	assert_int_equal(l->holder[l->lock[2].first_holder].thread, ID_NONE);
	assert_int_equal(l->lock[3].address, 0);
	assert_int_equal(l->lock[3].ns, 1 * MS);
	assert_int_equal(l->nr_waits, 0);
	locks_free(l);
}

/* Blocks of two stacks at one address, one after the other, are two locks; what is not known is the first one. */
static void another_block(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	static const char *const makers[] = { NULL, "main;makes;malloc", "main;makes;malloc",
					      "main;other;malloc", NULL };
	struct locks *l;

	for (unsigned int i = 0; i < 5; i++) {
		const struct held_lock held = { .address = 0x10, .holder = b, .guess = LOCK_MUTEX,
						.place = makers[i] ? made_stack(m, makers[i]) : STACK_ROOT };

		wait_for(m, 100 * (i + 1), a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 1u << i);
		m->ev.wait.lock = dict_lock(m->d, &held);
		made_again(m);
	}
	l = locks_of(m);
	assert_int_equal(l->nr_locks, 2);
	assert_int_equal(l->lock[0].ns, (1 + 2 + 4 + 16) * MS);
	assert_int_equal(l->lock[0].place, made_stack(m, "main;makes;malloc"));
	assert_int_equal(l->lock[1].ns, 8 * MS);
	assert_int_equal(l->lock[1].place, made_stack(m, "main;other;malloc"));
	locks_free(l);
}

/* A holder that a signal has stopped. */
static void stopped(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	char label[LABEL_MAX];
	struct locks *l;

	wait_for(m, 100, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 5);
	made_open(m);
	made_wait(m, 100 * MS, b, "main;naps", EVENT_BLOCKED, "pause", 'T', 9 * MS);
	made_open(m);
	l = locks_of(m);
	assert_int_equal(l->holder[0].how, HOLDER_STOPPED);
	lock_holder_label(l, &l->holder[0], label, sizeof(label));
	assert_string_equal(label, "held by b 12, is stopped now, in");
	locks_free(l);
}

/* A convoy is known by how many wait and how fast the lock goes round; not where it is held for long, or few wait. */
static void convoys(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	char label[LABEL_MAX];
	struct locks *l;

	for (uint64_t address = 0x10; address <= 0x30; address += 0x10) {
		wait_for(m, 500, a, "main;take;pthread_mutex_lock", address, b, LOCK_MUTEX,
			 address == 0x30 ? 900 : 2000);
		m->ev.count = address == 0x20 ? 100 : 20000;
		m->ev.flags |= EVENT_F_EXTRAPOLATED;
		made_again(m);
		m->ev.kind = EVENT_RUNNABLE;
		m->ev.weight = 100 * MS;
		made_again(m);
	}
	l = locks_of(m);
	assert_int_equal(l->nr_locks, 3);
	for (uint32_t i = 0; i < 3; i++) {
		lock_convoy_label(l, i, label, sizeof(label));
		if (l->lock[i].address != 0x10) {
			assert_string_equal(label, "");
			continue;
		}
		assert_int_equal(l->lock[i].convoy.waited_ns, 2000 * MS);
		assert_int_equal(l->lock[i].convoy.count, 20000);
		assert_string_equal(label, "convoy: 2.0 threads wait, handed over every 50.0 us "
				    "(5.00 us until the next one runs), for 1.00 s");
	}
	locks_free(l);
}

/* Who waits has a higher priority than who holds, which was in the run queue for two thirds of its time. */
static void inversions(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	struct held_lock l = { .address = 0x10, .holder = b, .guess = LOCK_MUTEX, .waiter_prio = LOCK_PRIO + 49,
			       .holder_prio = LOCK_PRIO + 130 };
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 500, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 300);
	m->ev.wait.lock = dict_lock(m->d, &l);
	made_again(m);
	made_add(m, 400 * MS, b, "main;works", 100 * MS);
	made_wait(m, 450 * MS, b, "main;works", EVENT_RUNNABLE, "preempted", 'R', 200 * MS);
	locks = locks_of(m);
	assert_int_equal(locks->holder[0].inverted_ns, 300 * MS);
	assert_int_equal(locks->holder[0].inverted_queued_ns, 200 * MS);
	assert_string_equal(lock_inversion_label(&locks->holder[0], label, sizeof(label)),
			    "priority inversion: threads at real-time priority 50 waited for 300 ms of that, while "
			    "this one, at nice 10, stood in the run queue for about 200 ms");
	locks_free(locks);
}

static void who_ended_it_is_inferred(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	struct locks *l;

	wait_for(m, 100, a, "main;take;pthread_mutex_lock", 0x10, NOBODY, LOCK_FUTEX, 5);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	m->ev.wait.waker_stack = made_stack(m, "main;give;pthread_mutex_unlock");
	made_again(m);
	l = locks_of(m);
	assert_int_equal(l->lock[0].kind, LOCK_MUTEX);
	assert_int_equal(l->nr_holders, 1);
	assert_int_equal(l->holder[0].thread, b);
	assert_true(l->holder[0].inferred);
	assert_int_equal(l->holder[0].how, HOLDER_RELEASED);
	assert_int_equal(l->holder[0].stack, made_stack(m, "main;give;pthread_mutex_unlock"));
	locks_free(l);
}

static void what_holders_did(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	struct locks *l;

	wait_for(m, 1500, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 300);
	made_again(m);
	made_add(m, 1400 * MS, b, "main;works", 200 * MS);
	made_add(m, 1450 * MS, b, "main;rests", 100 * MS);
	/* In another second, more of it. */
	made_add(m, 4500 * MS, b, "main;elsewhere", 400 * MS);
	/* While it waits for the lock itself it does not hold it. */
	wait_for(m, 1600, b, "main;take;pthread_mutex_lock", 0x10, NOBODY, LOCK_FUTEX, 299);
	made_again(m);
	l = locks_of(m);
	assert_int_equal(l->holder[0].how, HOLDER_BESIDE);
	assert_int_equal(l->holder[0].stack, made_stack(m, "main;works"));
	locks_free(l);
}

/* A wait of seconds is told in pieces, before anybody knows who ends it: all of it is by that one then. */
static void pieces(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b"),
			c = made_thread(m, 10, 13, "c");
	struct locks *l;

	for (uint64_t i = 1; i <= 4; i++) {
		wait_for(m, 1000 * i, i == 4 ? c : a, "main;jobserver_acquire;pselect", 4713, NOBODY, LOCK_PIPE_READ,
			 i == 3 ? 500 : 1000);
		m->ev.count = i == 3;
		m->ev.flags |= i == 3 ? 0 : EVENT_F_PIECE;
		m->ev.wait.context = i == 3 ? WAKER_TASK : WAKER_UNKNOWN;
		m->ev.wait.waker = i == 3 ? b : ID_NONE;
		assert_int_equal(profile_add(m->p, &m->ev), 0);
	}
	l = locks_of(m);
	assert_int_equal(l->nr_locks, 1);
	assert_int_equal(l->nr_holders, 2);
	assert_int_equal(l->holder[0].thread, b);
	assert_int_equal(l->holder[0].ns, 2500 * MS);
	/* The other one's has not ended. */
	assert_int_equal(l->holder[1].thread, ID_NONE);
	assert_int_equal(l->holder[1].ns, 1000 * MS);
	locks_free(l);
}

/* Processes of a database wait for its locks by an event; and what waits for work is no lock, nor a line. */
static void of_a_database(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 10, "a"), b = made_thread(m, 11, 11, "b");
	char label[LABEL_MAX];
	struct locks *l;

	made_wait(m, 500 * MS, a, "main;heap_update;XactLockTableWait;ProcSleep;WaitLatch", EVENT_BLOCKED, "epoll_wait",
		  'S', 20 * MS);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	profile_clear(m->p);
	made_again(m);
	made_wait(m, 600 * MS, b, "main;ReadCommand;WaitLatch", EVENT_BLOCKED, "epoll_wait", 'S', 90 * MS);
	l = locks_of(m);
	assert_int_equal(l->nr_locks, 1);
	assert_int_equal(l->lock[0].ns, 20 * MS);
	assert_string_equal(lock_label(l, 0, label, sizeof(label)), "lock of a database");
	assert_string_equal(locks_stack_label(l, l->lock[0].stack, true, label, sizeof(label)),
			    "XactLockTableWait \xE2\x80\xBA heap_update \xE2\x80\xBA main");
	assert_int_equal(l->holder[0].thread, b);
	assert_true(l->holder[0].inferred);
	locks_free(l);
}

/* An rwlock is one lock, though where readers have it only a word in its midst is known. */
static void one_rwlock(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	const struct held_lock l[] = {
		{ .address = 0x30, .holder = b, .guess = LOCK_RWLOCK_WRITE, .place = made_variable(m, "table", 0) },
		{ .address = 0x3c, .holder = NOBODY, .guess = LOCK_FUTEX, .readers = 2,
		  .place = made_variable(m, "table", 12) },
	};
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 100, a, "main;take;pthread_rwlock_wrlock", 0x10, NOBODY, LOCK_FUTEX, 50);
	profile_clear(m->p);
	for (uint64_t i = 0; i < 4; i++) {
		m->ev.time_ns = (100 * i + 90) * MS;
		m->ev.wait.lock = dict_lock(m->d, &l[(i + 1) % 2]);
		made_again(m);
	}
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 1);
	assert_int_equal(locks->lock[0].nr_holders, 2);
	assert_string_equal(lock_label(locks, 0, label, sizeof(label)), "rwlock (to write) table");
	locks_free(locks);
}

/* What memory a lock is in: a variable, a block that somebody allocated, or not known. */
static void places(void **state)
{
	static const char *const texts[] = { "rwlock (to read) db_lock+0x28", "mutex in a block of table_new+0x18",
					     "mutex app+0x4040", "mutex 0x40", "mutex in the heap" };
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a");
	struct held_lock l[] = {
		{ .address = 0x38, .holder = NOBODY, .guess = LOCK_FUTEX, .place = made_variable(m, "db_lock", 0x30) },
		{ .address = 0x20, .holder = NOBODY, .guess = LOCK_FUTEX, .offset = 0x18,
		  .place = made_stack(m, "main;table_new;xmalloc#1;malloc") },
		{ .address = 0x30, .holder = NOBODY, .guess = LOCK_FUTEX },
		{ .address = 0x40, .holder = NOBODY, .guess = LOCK_FUTEX },
		{ .address = 0x50, .holder = NOBODY, .guess = LOCK_FUTEX,
		  .place = dict_stack(m->d, STACK_ROOT, dict_note(m->d, NOTE_HEAP)) },
	};
	const module_id app = dict_get_frame(m->d, dict_get_stack(m->d, l[0].place)->frame)->module;
	char label[LABEL_MAX];
	struct locks *locks;

	l[1].place = made_stack(m, "main;table_new;malloc");
	l[2].place = dict_stack(m->d, STACK_ROOT, dict_frame(m->d, app, FRAME_DATA | 0x4040));
	for (uint64_t i = 0; i < 5; i++) {
		wait_for(m, 100 * (i + 1), a, i ? "main;take;std::mutex::lock;app+0x4700;pthread_mutex_lock" :
			 "main;take;pthread_rwlock_rdlock", 0x10, NOBODY, LOCK_FUTEX, 50 - 10 * i);
		m->ev.wait.lock = dict_lock(m->d, &l[i]);
		made_again(m);
	}
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_string_equal(lock_label(locks, i, label, sizeof(label)), texts[i]);
		/* And where it is taken: not in what takes it for others. */
		assert_string_equal(locks_stack_label(locks, locks->lock[i].stack, true, label, sizeof(label)),
				    "take \xE2\x80\xBA main");
	}
	locks_free(locks);
}

/* Locks of the kernel: of no process, whatever call waits for them, by the function that takes them. */
static void of_the_kernel(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 20, 21, "b");
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 100, a, "main;writes;vfs_write_[k];ext4_write_[k];down_write_[k];rwsem_down_write_[k];schedule_[k]",
		 0xffff888000000010, b, LOCK_KERNEL_WRITE, 5);
	m->ev.wait.call = call_find("write", MADE_ARCH);
	made_again(m);
	m->ev.thread = b;
	m->ev.wait.lock = dict_lock(m->d, &(struct held_lock){ .address = 0xffff888000000010, .holder = a,
							       .guess = LOCK_KERNEL_WRITE });
	made_again(m);
	/* It came to sleep in another way, which is the same place of the program. */
	m->ev.stack = made_stack(m, "main;writes;vfs_write_[k];ext4_write_[k];down_write_[k];schedule_[k]");
	m->ev.weight = m->ev.wait.own_ns = 1 * MS;
	made_again(m);
	/* Without the kernel's stack it has its address alone. */
	wait_for(m, 200, a, "main;writes", 0xffff888000000020, NOBODY, LOCK_KERNEL_MUTEX, 4);
	m->ev.wait.call = call_find("write", MADE_ARCH);
	made_again(m);
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 2);
	assert_int_equal(locks->lock[0].pid, 0);
	assert_int_equal(locks->lock[0].waiters, 2);
	assert_int_equal(locks->lock[0].nr_holders, 2);
	assert_int_equal(locks->lock[0].nr_places, 1);
	assert_int_equal(locks->place[locks->lock[0].first_place].ns, 11 * MS);
	assert_string_equal(lock_label(locks, 0, label, sizeof(label)),
			    "kernel rwsem (to write) of ext4_write, 0xffff888000000010");
	assert_string_equal(lock_label(locks, 1, label, sizeof(label)), "kernel mutex 0xffff888000000020");
	assert_string_equal(locks_stack_label(locks, locks->lock[0].stack, true, label, sizeof(label)),
			    "writes \xE2\x80\xBA main");
	locks_free(locks);
}

/* A lock that is spun for is in the list, but is no wait; one that has a variable is called by that. */
static void spinning(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a");
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 100, a, "main;forks;fork_[k];copy_process_[k];queued_write_lock_slowpath_[k]", 0xffffffff82000040,
		 NOBODY, LOCK_KERNEL_SPIN, 5);
	m->ev.kind = EVENT_SPIN;
	m->ev.wait.call = m->ev.wait.state = 0;
	m->ev.wait.own_ns = 1 * MS;
	m->ev.count = 5;
	made_again(m);
	m->ev.wait.own_ns = m->ev.weight = 2 * MS;
	m->ev.count = 1;
	made_again(m);
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 1);
	assert_int_equal(locks->lock[0].kind, LOCK_KERNEL_SPIN);
	assert_int_equal(locks->lock[0].ns, 7 * MS);
	assert_int_equal(locks->lock[0].count, 6);
	assert_int_equal(locks->lock[0].longest_ns, 2 * MS);
	assert_int_equal(locks->lock[0].waiters, 1);
	assert_int_equal(locks->nr_waits, 0);
	assert_false(locks_has_holders(locks, 0));
	assert_string_equal(lock_label(locks, 0, label, sizeof(label)),
			    "kernel spin lock of copy_process, 0xffffffff82000040");
	locks_free(locks);
}

/* Pipes and sockets: the one number that both ends have, and who is at the other one. */
static void channels(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 10, "a"), b = made_thread(m, 20, 20, "b");
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 100, a, "main;gets;read;pipe_read_[k]", 4711, NOBODY, LOCK_PIPE_READ, 5);
	m->ev.wait.call = call_find("read", MADE_ARCH);
	m->ev.wait.context = WAKER_TASK;
	m->ev.wait.waker = b;
	made_again(m);
	wait_for(m, 100, a, "main;recv;unix_stream_read_generic_[k]", 4712, b, LOCK_SOCKET_READ, 4);
	m->ev.wait.call = call_find("recvfrom", MADE_ARCH);
	made_again(m);
	wait_for(m, 100, b, "main;jobserver_acquire;pselect", 4713, NOBODY, LOCK_PIPE_READ, 3);
	m->ev.wait.call = call_find("pselect6", MADE_ARCH);
	made_again(m);
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 3);
	assert_string_equal(lock_label(locks, 0, label, sizeof(label)), "pipe (to read) [4711]");
	lock_holder_label(locks, &locks->holder[locks->lock[0].first_holder], label, sizeof(label));
	assert_memory_equal(label, "ended by b 20 (inferred)", strlen("ended by b 20 (inferred)"));
	assert_string_equal(lock_label(locks, 1, label, sizeof(label)), "socket (to read) [4712]");
	lock_holder_label(locks, &locks->holder[locks->lock[1].first_holder], label, sizeof(label));
	assert_memory_equal(label, "other end: b 20", strlen("other end: b 20"));
	assert_string_equal(lock_label(locks, 2, label, sizeof(label)), "jobserver token [4713]");
	assert_string_equal(lock_holder_label(locks, &locks->holder[locks->lock[2].first_holder], label, sizeof(label)),
			    "other end not known");
	locks_free(locks);
}

/* Readers have no names, but a number. */
static void readers(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a");
	const struct held_lock l = { .address = 0x10, .holder = NOBODY, .guess = LOCK_FUTEX, .readers = 3 };
	char label[LABEL_MAX];
	struct locks *locks;

	wait_for(m, 100, a, "main;put;pthread_rwlock_wrlock", 0x10, NOBODY, LOCK_FUTEX, 5);
	m->ev.wait.lock = dict_lock(m->d, &l);
	made_again(m);
	/* The same memory of what is no rwlock says nothing. */
	wait_for(m, 200, a, "main;take;pthread_mutex_lock", 0x10, NOBODY, LOCK_FUTEX, 4);
	m->ev.wait.lock = dict_lock(m->d, &l);
	made_again(m);
	locks = locks_of(m);
	assert_int_equal(locks->nr_locks, 2);
	assert_true(locks_has_holders(locks, 0));
	assert_string_equal(lock_holder_label(locks, &locks->holder[locks->lock[0].first_holder], label, sizeof(label)),
			    "held by up to 3 readers");
	assert_false(locks_has_holders(locks, 1));
	locks_free(locks);
}

/* A holder that waits for the same lock meanwhile did not hold it then. */
static void its_own_waits(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	struct locks *l;

	wait_for(m, 1500, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 300);
	made_again(m);
	wait_for(m, 1400, b, "main;take;pthread_mutex_lock", 0x10, a, LOCK_MUTEX, 250);
	made_again(m);
	made_add(m, 1450 * MS, b, "main;works", 20 * MS);
	l = locks_of(m);
	assert_int_equal(l->holder[0].thread, b);
	assert_int_equal(l->holder[0].how, HOLDER_BESIDE);
	assert_int_equal(l->holder[0].stack, made_stack(m, "main;works"));
	locks_free(l);
}

static void deadlock(void **state)
{
	struct made *m = *state;
	const thread_id t[3] = { made_thread(m, 10, 11, "a"), made_thread(m, 10, 12, "b"),
				 made_thread(m, 10, 13, "c") };
	char label[LABEL_MAX];
	struct locks *l;

	for (int i = 0; i < 3; i++) {
		wait_for(m, 100, t[i], "main;take;pthread_mutex_lock", 0x10u * (unsigned int)(i + 1), t[(i + 1) % 3],
			 LOCK_MUTEX, 5);
		made_open(m);
	}
	l = locks_of(m);
	assert_int_equal(l->nr_waits, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(l->wait[i].waiter, 11 + i);
		assert_int_equal(l->of[i].thread, t[i]);
		assert_true(l->wait[i].in_cycle);
		assert_int_equal(l->lock[i].waiting, 1);
		assert_int_equal(l->holder[i].how, HOLDER_WAITS);
	}
	assert_string_equal(lock_thread_label(l, 12, label, sizeof(label)), "b 12");
	assert_string_equal(lock_thread_label(l, 99, label, sizeof(label)), "thread 99");
	locks_free(l);
}

static struct {
	const struct snapshot *s;
	const struct names *names;
} short_of;

static bool build_or_say_so(void)
{
	const struct query q = { .arch = MADE_ARCH };
	struct err e = ERR_INIT;
	struct locks *l = NULL;

	if (locks_build(short_of.s, short_of.names, &q, &l, &e)) {
		assert_int_equal(e.code, ENOMEM);
		return false;
	}
	assert_int_equal(l->nr_locks, 1);
	locks_free(l);
	return true;
}

static void without_memory(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 10, 11, "a"), b = made_thread(m, 10, 12, "b");
	struct snapshot *s;

	wait_for(m, 100, a, "main;take;pthread_mutex_lock", 0x10, b, LOCK_MUTEX, 5);
	made_open(m);
	s = profile_snapshot(m->p);
	assert_non_null(s);
	short_of.s = s;
	short_of.names = m->names;
	for (long n = 0; fail_alloc_round(n, build_or_say_so); n++)
		;
	snapshot_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(by_time),
		MADE_TEST(who_ended_it_is_inferred),
		MADE_TEST(what_holders_did),
		MADE_TEST(another_block),
		MADE_TEST(stopped),
		MADE_TEST(convoys),
		MADE_TEST(inversions),
		MADE_TEST(of_a_database),
		MADE_TEST(one_rwlock),
		MADE_TEST(pieces),
		MADE_TEST(places),
		MADE_TEST(its_own_waits),
		MADE_TEST(of_the_kernel),
		MADE_TEST(spinning),
		MADE_TEST(channels),
		MADE_TEST(readers),
		MADE_TEST(deadlock),
		MADE_TEST(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
