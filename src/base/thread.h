/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.h - starts threads that may be left behind when they hang, and waits for conditions with
 * deadlines.
 */
#ifndef SBERF_BASE_THREAD_H
#define SBERF_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/*
 * Starts FN(ARG) in a thread that nobody joins, with a stack of STACK_BYTES and every signal
 * blocked: signals are for the threads that asked for them. 0 or a positive errno.
 */
int thread_start(void *(*fn)(void *), void *arg, size_t stack_bytes);

/*
 * Asks that the calling thread, which never computes for long, run as soon as it wakes up, also
 * when every CPU is taken: before all threads that have no real-time policy (SCHED_FIFO, the lowest
 * priority of it; threads that it starts later do not inherit it). Who may not ask for that, see
 * sched(7), or was started with a niceness above 0, gets the shortest turns that the kernel gives,
 * 0.1 ms, as short turns come first; no larger share of a CPU comes with them. Linux from 6.12 on
 * knows such turns (commit 857b158dc5e8, "sched/eevdf: Use sched_attr::sched_runtime to set
 * request/slice suggestion"); earlier ones ignore the wish. Another policy than the usual one stays
 * as it is.
 */
void thread_run_first(void);

/*
 * A mutex that a thread may wait for which runs first: whoever holds it runs first as well until it
 * is released (priority inheritance, Documentation/locking/rt-mutex.rst). Else a holder that waits
 * for a CPU would make the other one wait as long.
 */
void thread_mutex_init(pthread_mutex_t *m);

/* A condition whose deadlines are of CLOCK_MONOTONIC: clock_timespec(). */
void thread_cond_init(pthread_cond_t *c);

#endif
