/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * taskcall.h - what a thread that does not run is doing, by /proc/PID/task/TID: the system call with
 * its arguments, and whether it has run since.
 *
 * The first needs the permission to attach to the process (ptrace(2), PTRACE_MODE_ATTACH_FSCREDS),
 * and a kernel with CONFIG_HAVE_ARCH_TRACEHOOK.
 */
#ifndef SBERF_SYSTEM_TASKCALL_H
#define SBERF_SYSTEM_TASKCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_call {
	bool running;            /* on a CPU, or about to be: nothing else is known then */
	int64_t number;          /* of the system call, in the ABI of the thread; -1 = in the kernel without one */
	uint64_t args[6];
	uint64_t sp, pc;         /* in user mode; 0 of a kernel thread */
};

/* The text of /proc/PID/task/TID/syscall. False when it is none; *RET is unchanged then. */
bool task_call_parse(const char *text, struct task_call *ret);
/* The sum of voluntary_ctxt_switches and nonvoluntary_ctxt_switches in the text of .../status; false without these. */
bool task_switches_parse(const char *text, uint64_t *ret);

/* The same of the directory DIR of a thread (an open descriptor). 0 or a negative errno: -EPERM, -ESRCH, -EBADMSG. */
int task_call_read(int dir, struct task_call *ret);
int task_switches_read(int dir, uint64_t *ret);

#endif
