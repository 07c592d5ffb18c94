/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waker.h - tells whether a task woke a thread, or an interrupt on top of that task.
 *
 * The kernel stack at the waking decides (sched_waking runs in the context of the waker:
 * include/trace/events/sched.h). Read from the innermost frame: entry code of an interrupt means
 * that the interrupt woke the thread. Code that runs softirqs, below an interrupt's entry or in
 * ksoftirqd, means a softirq did. Softirqs that a task runs itself on its way out of a system call
 * count as that task: so does a message over the loopback device wake its receiver.
 */
#ifndef SBERF_CAPTURE_WAKER_H
#define SBERF_CAPTURE_WAKER_H

#include "model/wait.h"
#include "symbol/kernel.h"

#include <stdint.h>

/*
 * The context of a waking with the N kernel addresses ADDRS, innermost first. WAKER_UNKNOWN when N
 * is 0 or K is NULL or hidden.
 */
enum waker_context waker_context_of(const struct ksyms *k, const uint64_t *addrs, uint32_t n);

/*
 * How many of the innermost addresses belong to tracing itself: to the tracepoint and to the BPF
 * program that it runs.
 */
uint32_t waker_looking_on(const struct ksyms *k, const uint64_t *addrs, uint32_t n);

#endif
