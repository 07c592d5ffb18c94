/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hung.h - the threads of processes as they are now: what each waits for, who holds that, and its
 * stack. What is printed of it is in doctor_waits.c.
 */
#ifndef SBERF_CMD_HUNG_H
#define SBERF_CMD_HUNG_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/lock.h"
#include "system/taskcall.h"

#include <sberf/symbolize.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HUNG_ENDS 4u

struct hung_thread {
	pid_t pid, tid;
	char comm[64];           /* raw bytes */
	char state;              /* as ps(1) has it: T stopped by a signal, t by a debugger */
	unsigned int prio;       /* model/lock.h */
	struct task_call call;
	uint64_t switches;       /* so often has it left a CPU */
	bool asleep;             /* and it was in this wait, for the same holder, between the two looks */
	enum lock_kind kind;     /* LOCK_NONE: it waits for no lock */
	struct lock_state lock;
	uint32_t gone;           /* who holds it by the word of the lock, and is no thread of anybody who may, ... */
	pid_t gone_of;           /* ... but one of its parent, from which it was forked; 0 = it is not */
	char lock_name[320];     /* raw bytes, "" = none */
	/* of a wait for a pipe: who has its other end open, the first HUNG_ENDS of NR_ENDS processes */
	bool at_pipe, reads;
	uint32_t nr_ends;
	pid_t end[HUNG_ENDS];
	char kernel[160];        /* of one that no signal wakes: functions of the kernel, innermost first; "" = none */
	uint32_t nr_frames;
	struct sberf_frame *frame;       /* innermost first */
	struct sberf_names *names;       /* of them */
	const char *cut;         /* why the stack ends early; NULL = it does not */
};

struct hung {
	VEC(struct hung_thread) thread;  /* by tid */
	struct sberf *s;
	uint32_t denied;         /* threads of which the system call may not be read */
	uint32_t unread;         /* waits whose memory could not be read */
	bool by_registers;       /* the kernel has told all registers of the threads; else only two are known */
	char no_registers[ERR_TEXT_MAX]; /* why not */
};

/*
 * Looks at the N processes PIDS and at those that hold what they wait for. -ESRCH: one of them does not
 * exist; -EPERM; -ENOMEM.
 */
int hung_look(const uint32_t *pids, size_t n, struct hung **ret, struct err *e);
void hung_free(struct hung *h);                  /* NULL is fine */

/* The thread TID; NULL = none that was looked at. */
const struct hung_thread *hung_find(const struct hung *h, uint32_t tid);

DEFINE_AUTO(hung_free, struct hung);

#endif
