/* SPDX-License-Identifier: BSD-2-Clause */
/* test_waitgraph.c - chains and cycles of any length, and what locks of glibc say of who holds them. */
#include "config.h"

#include "model/lock.h"
#include "model/waitgraph.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG 4096u

/* Threads 1 to N, of which I waits for HOLDER[I - 1]. */
static void graph_of(struct waitgraph_wait *w, const uint32_t *holder, size_t n)
{
	memset(w, 0xa5, n * sizeof(*w));
	for (size_t i = 0; i < n; i++) {
		w[i].waiter = (uint32_t)i + 1;
		w[i].holder = holder[i];
	}
	waitgraph_link(w, n);
}

static void nothing_waits(void **state)
{
	waitgraph_link(NULL, 0);
}

static void chain_of_three(void **state)
{
	/* 1 waits for 2, 2 for 3, 3 for 9, which does not wait; 4 for somebody unknown. */
	static const uint32_t holder[] = { 2, 3, 9, 0 };
	struct waitgraph_wait w[4];

	graph_of(w, holder, 4);
	assert_int_equal(w[0].next, 1);
	assert_int_equal(w[1].next, 2);
	assert_int_equal(w[2].next, WAITGRAPH_NONE);
	assert_int_equal(w[3].next, WAITGRAPH_NONE);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(w[i].end, 2);
		assert_false(w[i].in_cycle);
	}
	assert_int_equal(w[3].end, 3);
	assert_int_equal(w[0].behind, 0);
	assert_int_equal(w[1].behind, 1);
}

static void cycles_and_what_leads_there(void **state)
{
	/* 2 and 4 wait for each other; 1 waits for 4; 3 for itself; 5, 6, 7 form a cycle; 8 waits for 1. */
	static const uint32_t holder[] = { 4, 4, 3, 2, 7, 5, 6, 1 };
	struct waitgraph_wait w[8];

	graph_of(w, holder, 8);
	assert_true(w[1].in_cycle && w[3].in_cycle);
	assert_int_equal(w[1].end, 1);
	assert_int_equal(w[3].end, 1);
	assert_false(w[0].in_cycle);
	assert_int_equal(w[0].end, 1);
	assert_int_equal(w[7].end, 1);
	assert_false(w[7].in_cycle);
	assert_true(w[2].in_cycle);
	assert_int_equal(w[2].next, 2);
	assert_int_equal(w[2].end, 2);
	for (size_t i = 4; i < 7; i++) {
		assert_true(w[i].in_cycle);
		assert_int_equal(w[i].end, 4);
	}
	assert_int_equal(w[3].behind, 2);
}

/* One cycle of all, and one chain of all, in both directions of their numbers. */
static void long_ones(void **state)
{
	static struct waitgraph_wait w[LONG];
	static uint32_t holder[LONG];

	for (uint32_t i = 0; i < LONG; i++)
		holder[i] = (i + 1) % LONG + 1;
	graph_of(w, holder, LONG);
	for (uint32_t i = 0; i < LONG; i++) {
		assert_true(w[i].in_cycle);
		assert_int_equal(w[i].end, 0);
	}
	holder[LONG - 1] = 0;
	graph_of(w, holder, LONG);
	for (uint32_t i = 0; i < LONG; i++) {
		assert_false(w[i].in_cycle);
		assert_int_equal(w[i].end, LONG - 1);
	}
	for (uint32_t i = 0; i < LONG; i++)
		holder[i] = i;
	graph_of(w, holder, LONG);
	for (uint32_t i = 0; i < LONG; i++)
		assert_int_equal(w[i].end, 0);
}

static void kinds_by_name(void **state)
{
	assert_int_equal(lock_kind_of("pthread_mutex_lock"), LOCK_MUTEX);
	assert_int_equal(lock_kind_of("___pthread_mutex_lock"), LOCK_MUTEX);
	assert_int_equal(lock_kind_of("pthread_mutex_lock@@GLIBC_2.2.5"), LOCK_MUTEX);
	assert_int_equal(lock_kind_of("__pthread_mutex_lock_full"), LOCK_MUTEX);
	assert_int_equal(lock_kind_of("__pthread_mutex_cond_lock"), LOCK_MUTEX);
	assert_int_equal(lock_kind_of("__pthread_rwlock_rdlock"), LOCK_RWLOCK_READ);
	assert_int_equal(lock_kind_of("__pthread_rwlock_wrlock"), LOCK_RWLOCK_WRITE);
	/* of Rust 1.63 and 1.95, GLib and Go, where no holder stands in the memory */
	assert_int_equal(lock_kind_of("std::sys::unix::locks::futex_mutex::Mutex::lock_contended"), LOCK_RUNTIME_MUTEX);
	assert_int_equal(lock_kind_of("<std::sys::sync::mutex::futex::Mutex>::lock_contended"), LOCK_RUNTIME_MUTEX);
	assert_int_equal(lock_kind_of("<std::sys::sync::rwlock::futex::RwLock>::write_contended"), LOCK_RUNTIME_WRITE);
	assert_int_equal(lock_kind_of("std::sys_common::once::futex::Once::call"), LOCK_ONCE);
	assert_int_equal(lock_kind_of("<std::sys::sync::condvar::futex::Condvar>::wait_optional_timeout"),
			 LOCK_CONDITION);
	assert_int_equal(lock_kind_of("g_mutex_lock_slowpath"), LOCK_RUNTIME_MUTEX);
	assert_int_equal(lock_kind_of("runtime.notesleep"), LOCK_CONDITION);
	assert_int_equal(lock_kind_of("mine::std::sys::lock_contended"), LOCK_NONE);
	assert_int_equal(lock_kind_of("std::sys::lock_contended_twice"), LOCK_NONE);
	assert_string_equal(lock_kind_name(LOCK_RUNTIME_WRITE), "rwlock (to write)");
	assert_false(lock_agrees(LOCK_RUNTIME_MUTEX, LOCK_MUTEX));
	assert_int_equal(lock_kind_of("pthread_cond_wait"), LOCK_CONDITION);
	assert_int_equal(lock_kind_of("__new_sem_wait_slow64.constprop.0"), LOCK_SEMAPHORE);
	assert_int_equal(lock_kind_of("__pthread_clockjoin_ex"), LOCK_JOIN);
	assert_int_equal(lock_kind_of("__lll_lock_wait_private"), LOCK_LIBC);
	assert_int_equal(lock_kind_of("__lll_lock_wait"), LOCK_NONE);
	assert_int_equal(lock_kind_of("my_pthread_mutex_lock"), LOCK_NONE);
	assert_int_equal(lock_kind_of(""), LOCK_NONE);
	assert_string_equal(lock_kind_name(LOCK_MUTEX), "mutex");
	assert_string_equal(lock_kind_name(LOCK_KIND_NR), "other");
	assert_true(lock_op_waits(FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME));
	assert_false(lock_op_waits(FUTEX_WAKE));
	assert_true(lock_op_private(FUTEX_WAIT_PRIVATE));
	assert_false(lock_op_private(FUTEX_WAIT));
}

/* A wait for the word AT bytes behind the begin of LOCK, of SIZE bytes, where libc waits with VALUE. */
static struct lock_state state_of(enum lock_kind kind, uint32_t op, const void *lock, size_t size, size_t at,
				  uint32_t value)
{
	struct lock_futex f = { .kind = kind, .address = (uint64_t)(uintptr_t)lock + at, .op = op, .value = value };
	const size_t first = at < LOCK_BYTES_BEFORE ? LOCK_BYTES_BEFORE - at : 0;
	const size_t len = size < LOCK_BYTES - first ? size : LOCK_BYTES - first;

	memcpy(f.bytes + first, lock, len);
	f.from = (uint32_t)first;
	f.len = (uint32_t)(first + len);
	return lock_read(&f);
}

static bool is_77(void *ctx, uint32_t tid)
{
	++*(unsigned int *)ctx;
	return tid == 77;
}

/* The locks of the libc that we run with, held by this thread, as a waiter would find them. */
static void holders_of_real_locks(void **state)
{
	union {
		pthread_mutex_t m;
		uint32_t word[10];
	} mutex = { .m = PTHREAD_MUTEX_INITIALIZER };
	union {
		pthread_rwlock_t l;
		uint32_t word[14];
	} rw = { .l = PTHREAD_RWLOCK_INITIALIZER };
	struct lock_futex f;
	struct lock_state s;
	unsigned int asked = 0;

	pthread_mutex_lock(&mutex.m);
	/* as it is when somebody waits */
	mutex.word[0] = 2;
	s = state_of(LOCK_MUTEX, FUTEX_WAIT_PRIVATE, &mutex, sizeof(mutex), 0, 2);
	assert_int_equal(s.holder, gettid());
	assert_int_equal(s.address, (uintptr_t)&mutex);
	/* Locked but not said to be waited for, or too little is known: nobody is named. */
	s = state_of(LOCK_MUTEX, FUTEX_WAIT_PRIVATE, &mutex, 12, 0, 2);
	assert_int_equal(s.holder, 0);
	s = state_of(LOCK_FUTEX, FUTEX_WAIT_PRIVATE, &mutex, sizeof(mutex), 0, 2);
	assert_int_equal(s.holder, 0);
	s = state_of(LOCK_CONDITION, FUTEX_WAIT_PRIVATE, &mutex, sizeof(mutex), 0, 2);
	assert_int_equal(s.holder, 0);
	mutex.word[4] = 0x12345678;
	s = state_of(LOCK_MUTEX, FUTEX_WAIT_PRIVATE, &mutex, sizeof(mutex), 0, 2);
	assert_int_equal(s.holder, 0);

	pthread_rwlock_rdlock(&rw.l);
	for (size_t at = 8; at <= 12; at += 4) {
		s = state_of(LOCK_RWLOCK_WRITE, FUTEX_WAIT_BITSET_PRIVATE, &rw, sizeof(rw), at, 3);
		assert_int_equal(s.address, (uintptr_t)&rw);
		assert_int_equal(s.holder, 0);
		assert_int_equal(s.readers, 1);
	}
	/* Who waits to read while a writer waits does so at the first word; the others lie behind that. */
	f = (struct lock_futex){ .address = (uintptr_t)&rw, .op = FUTEX_WAIT_PRIVATE, .value = 0xc };
	lock_fill(&f, f.address, (const uint8_t *)&rw, sizeof(rw));
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_RWLOCK_READ);
	assert_int_equal(s.address, (uintptr_t)&rw);
	assert_int_equal(s.readers, 1);
	f = (struct lock_futex){ .address = (uintptr_t)&rw + 8, .op = FUTEX_WAIT_PRIVATE, .value = 2 };
	lock_fill(&f, (uintptr_t)&rw, (const uint8_t *)&rw, sizeof(rw));
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_FUTEX);
	assert_int_equal(s.address, (uintptr_t)&rw + 8);
	assert_int_equal(s.readers, 1);
	pthread_rwlock_unlock(&rw.l);
	pthread_rwlock_wrlock(&rw.l);
	for (size_t at = 8; at <= 12; at += 4) {
		s = state_of(LOCK_RWLOCK_READ, FUTEX_WAIT_BITSET_PRIVATE, &rw, sizeof(rw), at, 3);
		assert_int_equal(s.address, (uintptr_t)&rw);
		assert_int_equal(s.holder, gettid());
		assert_int_equal(s.readers, 0);
	}
	s = state_of(LOCK_RWLOCK_READ, FUTEX_WAIT_BITSET_PRIVATE, &rw, sizeof(rw), 0, 0xc);
	assert_int_equal(s.address, (uintptr_t)&rw);
	assert_int_equal(s.holder, gettid());
	pthread_rwlock_unlock(&rw.l);
}

/* What was read around a futex at 0x1010, from different places. */
static void windows(void **state)
{
	struct lock_futex f = { .address = 0x1010 };
	uint8_t bytes[96];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	lock_fill(&f, 0x1000, bytes, 56);
	assert_int_equal(f.from, 0);
	assert_int_equal(f.len, LOCK_BYTES);
	assert_int_equal(f.bytes[16], 16);
	lock_fill(&f, 0xff8, bytes, 56);
	assert_int_equal(f.from, 0);
	assert_int_equal(f.len, LOCK_BYTES);
	assert_int_equal(f.bytes[0], 8);
	lock_fill(&f, 0x1010, bytes, 8);
	assert_int_equal(f.from, 16);
	assert_int_equal(f.len, 24);
	assert_int_equal(f.bytes[16], 0);
	lock_fill(&f, 0x1000, bytes, 0);
	assert_int_equal(f.len, 0);
	lock_fill(&f, 0xf00, bytes, sizeof(bytes));
	assert_int_equal(f.len, 0);
	lock_fill(&f, 0x1030, bytes, sizeof(bytes));
	assert_int_equal(f.len, 0);
}

/* What is guessed without a stack: only who exists. */
static void guesses(void **state)
{
	const uint32_t mutex[8] = { 2, 1, 77, 1 }, other[8] = { 2, 1, 78, 1 }, condition[12] = { 2, 0, 77, 0 };
	struct lock_futex f = { .address = 0x1000, .op = FUTEX_WAIT_PRIVATE, .value = 2 };
	struct lock_state s;
	unsigned int asked = 0;

	lock_fill(&f, 0x1000, (const uint8_t *)mutex, sizeof(mutex));
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_MUTEX);
	assert_int_equal(s.holder, 77);
	assert_true(asked);
	lock_fill(&f, 0x1000, (const uint8_t *)other, sizeof(other));
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_FUTEX);
	assert_int_equal(s.holder, 0);
	assert_int_equal(s.address, 0x1000);
	lock_fill(&f, 0x1000, (const uint8_t *)condition, sizeof(condition));
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_FUTEX);
	/* futex(2) itself keeps the word of a mutex that lends priority, also that of one whose holder is gone. */
	f = (struct lock_futex){ .address = 0x1000, .op = FUTEX_LOCK_PI_PRIVATE };
	lock_fill(&f, 0x1000, (const uint8_t[]){ 77, 0, 0, 0x80 }, 4);
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_LENDING);
	assert_int_equal(s.holder, 77);
	assert_true(lock_agrees(LOCK_LENDING, LOCK_LENDING));
	lock_fill(&f, 0x1000, (const uint8_t[]){ 78, 0, 0, 0x80 }, 4);
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_LENDING);
	assert_int_equal(s.holder, 0);
	/* An interpreter says who has its lock; what lies around it means nothing. */
	f = (struct lock_futex){ .address = 0x1000, .value = 2, .of_interpreter = true, .holder = 77 };
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_GIL);
	assert_int_equal(s.holder, 77);
	assert_int_equal(s.address, 0x1000);
	f.holder = 78;
	assert_int_equal(lock_guess(&f, is_77, &asked, &s), LOCK_FUTEX);
	assert_int_equal(s.holder, 0);
	assert_int_equal(lock_kind_of("[waiting for the GIL]"), LOCK_GIL);
	assert_true(lock_agrees(LOCK_MUTEX, LOCK_MUTEX));
	assert_true(lock_agrees(LOCK_RWLOCK_READ, LOCK_RWLOCK_WRITE));
	assert_false(lock_agrees(LOCK_CONDITION, LOCK_MUTEX));
	assert_false(lock_agrees(LOCK_MUTEX, LOCK_RWLOCK_WRITE));
}

static void words_that_are_holders(void **state)
{
	uint32_t word[5] = { FUTEX_WAITERS | 77, 1, 77, 1, 16 };

	/* robust */
	assert_int_equal(state_of(LOCK_MUTEX, FUTEX_WAIT, word, sizeof(word), 0, word[0]).holder, 77);
	word[2] = 78;
	assert_int_equal(state_of(LOCK_MUTEX, FUTEX_WAIT, word, sizeof(word), 0, word[0]).holder, 0);
	/* inheriting */
	assert_int_equal(state_of(LOCK_MUTEX, FUTEX_LOCK_PI_PRIVATE, word, sizeof(word), 0, 0).holder, 77);
	assert_int_equal(state_of(LOCK_FUTEX, FUTEX_LOCK_PI2, word, 4, 0, 0).holder, 77);
	/* a thread to end */
	word[0] = 79;
	assert_int_equal(state_of(LOCK_JOIN, FUTEX_WAIT_BITSET, word, 4, 0, 79).holder, 79);
	assert_int_equal(state_of(LOCK_JOIN, FUTEX_WAIT_BITSET, word, 4, 0, 80).holder, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_waits),
		cmocka_unit_test(chain_of_three),
		cmocka_unit_test(cycles_and_what_leads_there),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(kinds_by_name),
		cmocka_unit_test(holders_of_real_locks),
		cmocka_unit_test(words_that_are_holders),
		cmocka_unit_test(windows),
		cmocka_unit_test(guesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
