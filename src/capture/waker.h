/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waker.h - who really woke a thread: the task that was current, or an interrupt on top of it.
 *
 * Told by the kernel's stack at the waking (sched_waking runs in the context of the waker: include/trace/events/sched.h). From
 * the inside out: an interrupt's entry code means that an interrupt woke; code that runs softirqs under an interrupt's entry, or in
 * ksoftirqd, means its lower half. Softirqs that a task runs itself, on its way out of a system call, are that task's doing: a
 * message over the loopback device wakes its receiver like that.
 */
#ifndef SBERF_CAPTURE_WAKER_H
#define SBERF_CAPTURE_WAKER_H

#include "model/wait.h"
#include "symbol/kernel.h"

#include <stdint.h>

/* ADDRS: N kernel addresses, innermost first. WAKER_UNKNOWN when there are none, or K is NULL or hidden. */
enum waker_context waker_context_of(const struct ksyms *k, const uint64_t *addrs, uint32_t n);

/* How many of these, the innermost ones, are not of what happened but of looking on: the tracepoint's, and the BPF program that it runs. */
uint32_t waker_looking_on(const struct ksyms *k, const uint64_t *addrs, uint32_t n);

#endif
