/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doctor_waits.h - `sberf doctor -p PID`: who waits for whom in programs that run, or hang, now.
 *
 * Nothing has been recorded and nobody is stopped. What each thread waits for is in /proc, what holds
 * the lock in the memory of its process. All is looked at twice: a thread that was not switched to
 * in between was asleep all that time, and only of such threads is it said who holds what they wait
 * for. So the waits of a chain were there at the same moment.
 */
#ifndef SBERF_CMD_DOCTOR_WAITS_H
#define SBERF_CMD_DOCTOR_WAITS_H

#include "base/err.h"
#include "cmd/options.h"

#define EXIT_DEADLOCK 3

/* Prints deadlocks, chains and waits of the processes that O names. EXIT_DEADLOCK when there is one, 0 when not. */
int doctor_waits(const struct options *o, struct err *e);

#endif
