/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - defines an event: one unwound thing that happened. Ids are those of the dictionary
 * (model/dict.h).
 *
 * The engine makes events from raw ones; the profile aggregates them; the recorder keeps each; a
 * recording gives them back.
 */
#ifndef SBERF_MODEL_EVENT_H
#define SBERF_MODEL_EVENT_H

#include "model/dict.h"
#include "model/memory.h"
#include "model/reasons.h"
#include "model/wait.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {                /* numbers are in recordings: append only */
	EVENT_SAMPLE = 1,        /* the thread was running; weight in ns, as of the next two */
	EVENT_BLOCKED = 2,       /* the blocked part of a wait (model/wait.h) */
	EVENT_RUNNABLE = 3,      /* its time in the run queue */
	EVENT_MIGRATION = 4,     /* it left NODE and came back on place.node; weight and count: migrations */
	/* a page fault on NODE, whose page is on place.node; weight: faults it stands for, count: samples */
	EVENT_FAULT = 5,
	/* a sample whose access went to a page on place.node; weight in ns: what the sample stands for */
	EVENT_ACCESS = 6,
	/*
	 * what an import counts that is no time (profile_meta.unit): its weight is that of
	 * measure.h, UNIT_OWN
	 */
	EVENT_COUNTED = 7,
	/* it made a process or a thread; weight and count: how many, argument: 1 of processes, 0 of threads */
	EVENT_FORK = 8,
	/*
	 * a probe that somebody placed was hit: argument is its number (model/probes.h); weight in
	 * the unit of its measure
	 */
	EVENT_HIT = 9,
	/*
	 * blocks of memory (model/allocation.h), under the stack that allocated them; weight in bytes,
	 * count in blocks, as sampled ones stand for others: allocated; freed, at that time; in use
	 * when all was told; and in use when most was
	 */
	EVENT_ALLOC = 10,
	EVENT_FREE = 11,
	EVENT_IN_USE = 12,
	EVENT_PEAK = 13,
	/*
	 * memory of a process (model/allocation.h), by the stack that brought it about; weight in bytes,
	 * count in changes, as sampled ones stand for others: it became resident, ceased to be, was
	 * mapped, was unmapped
	 */
	EVENT_GROWN = 14,
	EVENT_RETURNED = 15,
	EVENT_MAPPED = 16,
	EVENT_UNMAPPED = 17,
	/*
	 * how large something of the memory of a process was, without a stack and under its first thread:
	 * weight in bytes, count in readings, so what a fact has is their sum; argument: enum memory_size
	 */
	EVENT_SIZE = 18,
	/* as EVENT_GROWN: it was given back by an advice, madvise(2), whether it was resident or not */
	EVENT_ADVISED = 19,
	/*
	 * it was running, but spun for a lock of the kernel that another CPU had (wait.lock; wait.own_ns: for how long
	 * this one did); weight in ns, which are part of its samples
	 */
	EVENT_SPIN = 20,
	EVENT_KINDS              /* one past the last that has a name in the code; the table of kind.h may have more */
};

#define EVENT_KINDS_MAX 32u        /* numbers of kinds are below: sets of them are masks */

/* Whether events of KIND carry a struct allocation (model/allocation.h). */
#define EVENT_IS_MEMORY(kind) (((kind) >= EVENT_ALLOC && (kind) <= EVENT_UNMAPPED) || (kind) == EVENT_ADVISED)
#define EVENT_IS_GROWTH(kind) (((kind) >= EVENT_GROWN && (kind) <= EVENT_UNMAPPED) || (kind) == EVENT_ADVISED)
#define EVENT_IS_WAIT(kind) ((kind) == EVENT_BLOCKED || (kind) == EVENT_RUNNABLE)
#define KINDS_ON_CPU (1u << EVENT_SAMPLE)
#define KINDS_OFF_CPU (1u << EVENT_BLOCKED | 1u << EVENT_RUNNABLE)
#define KINDS_WALL (KINDS_ON_CPU | KINDS_OFF_CPU)        /* what adds up to time; the others say more about it */

/* What a wait says beside its stack; all zero for other kinds. */
struct event_wait {
	uint32_t call;           /* CALL_* */
	uint8_t state;           /* enum wait_state */
	uint8_t context;         /* enum waker_context */
	bool throttled;          /* in the engine: while runnable, its cgroup had no CPU time (event_wait_state()) */
	thread_id waker;         /* with WAKER_TASK; ID_NONE = not known */
	stack_id waker_stack;    /* STACK_ROOT = none */
	lock_id lock;            /* what it was for; LOCK_ID_NONE = not known, or no lock */
	/*
	 * Full length of this part of the wait (of many waits: their average), of which a piece may
	 * have been told before; 0 = the event only stands for other waits.
	 */
	uint64_t own_ns;
};

/* The state of the part KIND of the wait W: what keeps a thread that was woken is another thing than its wait. */
static inline uint8_t event_wait_state(const struct event_wait *w, uint8_t kind)
{
	return kind == EVENT_RUNNABLE && w->throttled ? WAIT_THROTTLED : w->state;
}

/* What migrations, faults and accesses say beside their stack; all zero for other kinds. */
struct event_place {
	uint16_t node;           /* of the page, or where the thread went; NODE_UNKNOWN */
	uint8_t mapping;         /* enum mapping_kind; of a migration 0 */
	uint8_t how;             /* enum access_how; of migrations and faults 0 */
	module_id file;          /* a named file that is mapped there; ID_NONE = none */
};

struct event {
	uint8_t kind;            /* enum event_kind */
	uint8_t cut;             /* enum cut_reason of the user side */
	uint8_t method;          /* enum unwind_method (model/method.h) */
	uint8_t flags;           /* EVENT_F_* */
	/* enum walk_reason (model/method.h): of what was copied, why the kernel half did not walk it */
	uint8_t walk;
	uint16_t node;           /* NUMA node of the CPU */
	uint32_t cpu;
	uint64_t time_ns;        /* CLOCK_MONOTONIC of the recording machine */
	uint64_t weight;         /* what it stands for, in the unit of its kind */
	uint32_t count;          /* how many events it stands for; 0 means 1 */
	thread_id thread;
	/* user frames from the root, then kernel frames; a cut one starts with its NOTE_CUT frame */
	stack_id stack;
	module_id cut_module;    /* where the walk ended; ID_NONE when complete or in no module */
	struct event_wait wait;
	struct event_place place;
	uint64_t argument;       /* of kinds that carry one (kind.h); 0 for others */
	uint64_t inside;         /* of which calls of probes it was inside (model/inside.h) */
	/* in the engine, until it is known how long these take: the calls (engine/insides.h); 0 = no more */
	uint32_t calls[4];
};

#define EVENT_F_USER 0x1u        /* there was a user side (not a kernel thread): counts for completeness */
#define EVENT_F_KERNEL 0x2u      /* landed in kernel mode */
#define EVENT_F_OPEN 0x4u        /* a wait that had not ended when this was told */
/* stands for waits that had no stack of their own too: weight is not own_ns; or for hits that had none */
#define EVENT_F_EXTRAPOLATED 0x8u
#define EVENT_F_PIECE 0x20u      /* a further piece of a wait that another event counts: count is 0 */
#define EVENT_F_EARLIER 0x10u    /* a wait that had begun before the capture did */
#define EVENT_F_LEARNT 0x40u     /* its stack was copied, and the kernel half learnt from the copy */

#endif
