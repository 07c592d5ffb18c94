/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.h - threads that may be left behind when they hang, and conditions with deadlines. */
#ifndef SBERF_BASE_THREAD_H
#define SBERF_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/*
 * Starts FN(ARG) in a thread that nobody joins, with a stack of STACK_BYTES and every signal blocked: signals are for the threads
 * that asked for them. 0 or a positive errno.
 */
int thread_start(void *(*fn)(void *), void *arg, size_t stack_bytes);

/*
 * Asks that the calling thread, which never computes for long, run soon after it wakes up, also when every CPU is taken: its turns
 * become as short as the kernel allows, 0.1 ms, and short turns come first. It gets no larger share of a CPU by that. Threads that it
 * starts later are not meant. Linux from 6.12 on knows such turns (commit 857b158dc5e8, "sched/eevdf: Use sched_attr::sched_runtime
 * to set request/slice suggestion"); earlier ones ignore the wish.
 */
void thread_run_soon(void);

/* A condition whose deadlines are of CLOCK_MONOTONIC: clock_timespec(). */
void thread_cond_init(pthread_cond_t *c);

#endif
