/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - one unwound thing that happened. Ids are those of the dictionary (profile/dict.h).
 *
 * The engine makes events from raw ones; the profile aggregates them; the recorder keeps each; a recording gives them back.
 */
#ifndef SBERF_EVENT_EVENT_H
#define SBERF_EVENT_EVENT_H

#include "event/reasons.h"
#include "event/wait.h"
#include "profile/dict.h"

#include <stdint.h>

enum event_kind {                /* numbers are in recordings: append only. Unit of all these: ns */
	EVENT_SAMPLE = 1,        /* the thread was running */
	EVENT_BLOCKED = 2,       /* the blocked part of a wait (event/wait.h) */
	EVENT_RUNNABLE = 3,      /* its time in the run queue */
	/* 4 and up: migrations, faults */
};

#define EVENT_IS_WAIT(kind) ((kind) == EVENT_BLOCKED || (kind) == EVENT_RUNNABLE)
#define KINDS_ON_CPU (1u << EVENT_SAMPLE)
#define KINDS_OFF_CPU (1u << EVENT_BLOCKED | 1u << EVENT_RUNNABLE)
#define KINDS_WALL (KINDS_ON_CPU | KINDS_OFF_CPU)

/* What a wait says beside its stack; all zero for other kinds. */
struct event_wait {
	uint32_t call;           /* CALL_* */
	uint8_t state;           /* enum wait_state */
	uint8_t context;         /* enum waker_context */
	thread_id waker;         /* with WAKER_TASK; ID_NONE = not known */
	stack_id waker_stack;    /* STACK_ROOT = none */
	uint64_t own_ns;         /* real length of this part, of which a piece may have been told before; 0 = stands for others only */
};

struct event {
	uint8_t kind;            /* enum event_kind */
	uint8_t cut;             /* enum cut_reason of the user side */
	uint8_t method;          /* enum unwind_method */
	uint8_t flags;           /* EVENT_F_* */
	uint16_t node;           /* NUMA node of the CPU */
	uint32_t cpu;
	uint64_t time_ns;        /* CLOCK_MONOTONIC of the recording machine */
	uint64_t weight_ns;      /* what it stands for */
	uint32_t count;          /* how many events it stands for; 0 means 1 */
	thread_id thread;
	stack_id stack;          /* user frames from the root, then kernel frames; a cut one starts with its NOTE_CUT frame */
	module_id cut_module;    /* where the walk ended; ID_NONE when complete or in no module */
	struct event_wait wait;
};

#define EVENT_F_USER 0x1u        /* there was a user side (not a kernel thread): counts for completeness */
#define EVENT_F_KERNEL 0x2u      /* landed in kernel mode */
#define EVENT_F_OPEN 0x4u        /* a wait that had not ended when this was told */
#define EVENT_F_EXTRAPOLATED 0x8u    /* stands for waits that had no stack of their own too: weight_ns is not own_ns */
#define EVENT_F_PIECE 0x20u      /* a further piece of a wait that another event counts: count is 0 */
#define EVENT_F_EARLIER 0x10u    /* a wait that had begun before the capture did */

#endif
