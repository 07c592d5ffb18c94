/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait.h - defines the words for time off the CPU.
 *
 * A *wait* is one stretch from the switch that takes a thread off its CPU to the one that puts it
 * back on. It has two parts: *blocked*, until somebody woke it, and *runnable*, from then on in the
 * run queue. A thread that was preempted was never blocked: its wait is runnable from the start. A
 * *call* says in which call the thread waits: a system call by number, or one of the few other ways
 * into the kernel.
 */
#ifndef SBERF_MODEL_WAIT_H
#define SBERF_MODEL_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*     id, number, letter, name: numbers are in recordings: append only. Decoded by mask in the kernel half. */
#define WAIT_STATES(X) \
	X(NONE, 0, '-', "none") \
	X(PREEMPTED, 1, 'R', "preempted") \
	X(INTERRUPTIBLE, 2, 'S', "interruptible") \
	X(UNINTERRUPTIBLE, 3, 'D', "uninterruptible") \
	X(KILLABLE, 4, 'K', "killable") \
	X(STOPPED, 5, 'T', "stopped") \
	X(TRACED, 6, 't', "traced") \
	X(EXITING, 7, 'X', "exiting") \
	X(IDLE, 8, 'I', "idle") \
	X(NEW, 9, 'N', "new") /* not run yet since it was made */ \
	X(FROZEN, 10, 'F', "frozen") /* by the freezer of its cgroup */ \
	X(THROTTLED, 11, 'Q', "throttled")       /* runnable, but its cgroup has used up its quota of CPU time */

enum wait_state {
#define X(id, nr, letter, name) WAIT_##id = nr,
	WAIT_STATES(X)
#undef X
	WAIT_STATE_NR
};

const char *wait_state_name(unsigned int state);         /* "other" for a number from a newer recording */
/* Was a thread in STATE never blocked: could it have run all along, as far as itself is concerned? */
static inline bool wait_state_runnable(unsigned int state)
{
	return state == WAIT_PREEMPTED || state == WAIT_NEW || state == WAIT_THROTTLED;
}
/* Was a thread in STATE kept from running, by a signal, a debugger or the freezer, whatever it wanted? */
static inline bool wait_state_stopped(unsigned int state)
{
	return state == WAIT_STOPPED || state == WAIT_TRACED || state == WAIT_FROZEN;
}
/* A letter or a name; WAIT_STATE_NR when it is none. */
enum wait_state wait_state_find(const char *text);

/*     id, number, name */
#define WAIT_CLASSES(X) \
	X(OTHER, 0, "other") \
	X(IO, 1, "I/O") \
	X(LOCK, 2, "lock") \
	X(SLEEP, 3, "sleep") \
	X(EVENT, 4, "event wait") \
	X(PIPE, 5, "pipe and socket") \
	X(CHILD, 6, "child wait") \
	X(RUN_QUEUE, 7, "run queue") \
	X(STOPPED, 8, "stopped") \
	X(TRACED, 9, "traced") \
	X(FROZEN, 10, "frozen") \
	X(GIL, 11, "GIL") /* the lock of an interpreter, by which one thread at a time runs it */ \
	X(THROTTLED, 12, "throttled") /* by the quota of CPU time of a cgroup: cpu.max */ \
	X(MEMORY, 13, "memory limit")    /* slowed down as its cgroup has more memory than memory.high */

enum wait_class {
#define X(id, nr, name) WAIT_CLASS_##id = nr,
	WAIT_CLASSES(X)
#undef X
	WAIT_CLASS_NR
};

const char *wait_class_name(enum wait_class c);

/* Calls; numbers are in recordings. */
#define CALL_NONE 0u                     /* not known */
/* a page fault in user mode; in older recordings any exception there, and whatever stopped it */
#define CALL_FAULT 1u
#define CALL_PREEMPTED 2u                /* no call: it was running user code, or was on its way back to it */
#define CALL_KERNEL 3u                   /* a kernel thread, or a worker that never came from user mode */
#define CALL_STOPPED 4u                  /* no call: it was in user mode when it was stopped by a signal, ... */
#define CALL_TRACED 5u                   /* ... by its debugger (ptrace), ... */
#define CALL_FROZEN 6u                   /* ... by the freezer of its cgroup */
#define CALL_NEW 7u                      /* no call: it is a new thread that has not run yet */
/* no call, and no page fault: something to be done on the way back to user mode */
#define CALL_RETURN 8u
#define CALL_SYSCALL 16u                 /* + number, for the native ABI */
#define CALL_COMPAT 0x10000u             /* + number, for the 32-bit ABI of the machine */
#define CALL_SYSCALL_MAX 0xffe0u         /* largest number that is kept; more are CALL_NONE */

#define CALL_NAME_MAX 64
/*
 * "futex", "futex (32-bit)", "page fault", "preempted", "new thread", "syscall 999". ARCH is a machine name as
 * uname gives it (profile_meta.arch); NULL or "" means this one. Returns DST. Any thread. Names
 * come from libseccomp, so any architecture can be named anywhere.
 */
char *call_name(uint32_t call, const char *arch, char dst[CALL_NAME_MAX]);
/*
 * The call that call_name() calls so, in the 32-bit ABI too when the native one has none; CALL_NONE
 * when there is none.
 */
uint32_t call_find(const char *name, const char *arch);
/* Whether NAME is that of a system call that may wait, on any architecture ("lock" is one, too, but not of these). */
bool call_name_waits(const char *name);
/* CALL in the 32-bit ABI of ARCH; CALL_NONE when it has no such call, or CALL is no system call of the native ABI. */
uint32_t call_compat(uint32_t call, const char *arch);

/*
 * What a thread that was in STATE during CALL waited for: a guess by the two, since the kernel
 * tells no more, so read() of an eventfd and of a pipe are the same. Any thread; cheap, as the
 * answer for a call is kept.
 */
enum wait_class wait_class_of(uint32_t call, unsigned int state, const char *arch);

/*
 * Whether CALL is a wait on a futex, the only thing under locks, conditions and semaphores of user
 * space. Any thread; cheap.
 */
bool call_is_futex(uint32_t call, const char *arch);

/* Who woke a thread; numbers are in recordings. */
enum waker_context {
	WAKER_UNKNOWN = 0,       /* not asked for, not woken (yet), or not seen */
	WAKER_TASK = 1,          /* the thread named */
	WAKER_HARDIRQ = 2,       /* an interrupt: a device, a timer. The thread it interrupted is nobody to blame. */
	WAKER_SOFTIRQ = 3,       /* the lower half of an interrupt: network, block, timers */
};
const char *waker_context_name(unsigned int context);    /* "interrupt or timer", ... */

/*
 * Lengths are told apart by powers of two: bucket 0 is below 1 us, bucket b from 2^(b-1) us on, the
 * last holds all that are longer (2^38 us are three days).
 */
#define WAIT_BUCKETS 40u
unsigned int wait_bucket(uint64_t ns);
uint64_t wait_bucket_from_ns(unsigned int bucket);       /* shortest length in it */

#endif
