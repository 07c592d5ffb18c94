/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - one unwound thing that happened. Ids are those of the dictionary (profile/dict.h).
 *
 * The engine makes events from raw ones; the profile aggregates them; the recorder keeps each; a recording gives them back.
 */
#ifndef SBERF_EVENT_EVENT_H
#define SBERF_EVENT_EVENT_H

#include "event/reasons.h"
#include "profile/dict.h"

#include <stdint.h>

enum event_kind {                /* numbers are in recordings: append only */
	EVENT_SAMPLE = 1,        /* the thread was running: unit ns */
	/* 2 and up: waits, migrations, faults */
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
	thread_id thread;
	stack_id stack;          /* user frames from the root, then kernel frames; a cut one starts with its NOTE_CUT frame */
	module_id cut_module;    /* where the walk ended; ID_NONE when complete or in no module */
};

#define EVENT_F_USER 0x1u        /* there was a user side (not a kernel thread): counts for completeness */
#define EVENT_F_KERNEL 0x2u      /* landed in kernel mode */

#endif
