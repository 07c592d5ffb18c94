// SPDX-License-Identifier: BSD-2-Clause
/*
 * takers.cc - locks that are not taken by functions of C: after "ready" threads take them in turns, or wait, for ever.
 *
 *	takers SECONDS
 *
 * "cxx" a std::mutex, "shared" a std::shared_mutex that "writer" holds, "once" a call_once() that "first" does not end,
 * and "rust" a lock that is built as a Mutex of Rust is: a futex that is 0, 1, or 2 when somebody waits, a flag, and
 * the data. These data are what glibc has behind the futex of its mutex, and name the thread "main", which never has
 * that lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))

static std::mutex mutex;
static std::shared_mutex shared;
static std::once_flag flag;
static volatile unsigned sink;

static struct {
	uint32_t futex;
	uint8_t poisoned;
	uint32_t owner, users, kind;   /* at 8, 12 and 16, as in a pthread_mutex_t */
} of_rust;

static void rests(unsigned ms)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

/* The names that rustc 1.63 gives to what is out of line. */
extern "C" {
NOINLINE void lock_contended(uint32_t *futex)
	__asm__("_ZN3std3sys4unix5locks11futex_mutex5Mutex14lock_contended17h0123456789abcdefE");
NOINLINE void wake(uint32_t *futex) __asm__("_ZN3std3sys4unix5locks11futex_mutex5Mutex4wake17h0123456789abcdefE");
NOINLINE void begin_thread(void (*run)())
	__asm__("_ZN3std10sys_common9backtrace28__rust_begin_short_backtrace17h0123456789abcdefE");

void lock_contended(uint32_t *futex)
{
	while (__atomic_exchange_n(futex, 2, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, futex, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 2, nullptr, nullptr, ~0u);
	sink++;
}

void wake(uint32_t *futex)
{
	syscall(SYS_futex, futex, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	sink++;
}

void begin_thread(void (*run)())
{
	for (;;)
		run();
}
}

NOINLINE static void takes_rust()
{
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(&of_rust.futex, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		lock_contended(&of_rust.futex);
	rests(3);
	if (__atomic_exchange_n(&of_rust.futex, 0, __ATOMIC_RELEASE) == 2)
		wake(&of_rust.futex);
	sink++;
}

NOINLINE static void takes_cxx()
{
	std::lock_guard<std::mutex> guard(mutex);

	rests(3);
	sink++;
}

NOINLINE static void reads_shared()
{
	std::shared_lock<std::shared_mutex> guard(shared);

	sink++;
}

NOINLINE static void writes_shared()
{
	std::lock_guard<std::shared_mutex> guard(shared);

	for (;;)
		pause();
}

NOINLINE static void calls_once()
{
	std::call_once(flag, [] {
		for (;;)
			pause();
	});
	sink++;
}

template <typename F>
static void start(const char *name, F run, bool again)
{
	std::thread t([=] {
		pthread_setname_np(pthread_self(), name);
		do
			run();
		while (again);
	});

	t.detach();
	rests(20);
}

int main(int argc, char **argv)
{
	alarm(argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 0);
	of_rust.owner = static_cast<uint32_t>(getpid());
	of_rust.users = 1;
	for (int i = 0; i < 3; i++) {
		start("cxx", takes_cxx, true);
		start("rust", [] { begin_thread(takes_rust); }, false);
	}
	start("writer", writes_shared, false);
	start("shared", reads_shared, false);
	start("first", calls_once, false);
	start("once", calls_once, false);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
