/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock.h - which lock a thread waits for, and who holds it, judged by the futex that it waits on.
 *
 * The kernel knows of a lock of user space only the address of a word, the *futex*. What lies
 * around it depends on the kind of the lock, which the functions on the stack of the waiting thread
 * say (lock_kind_of()). The layouts are those of glibc since 2.25 on 64-bit machines
 * (sysdeps/nptl/bits/struct_mutex.h and struct_rwlock.h): others are recognised by not making
 * sense, and then nobody is said to hold the lock. Whoever asks must still check that the thread
 * named exists: memory of a target may say anything.
 */
#ifndef SBERF_MODEL_LOCK_H
#define SBERF_MODEL_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*     id, number, name: numbers are in recordings, append only */
#define LOCK_KINDS(X) \
	X(NONE, 0, "none") \
	X(FUTEX, 1, "futex") /* a lock whose kind the stack does not say */ \
	X(MUTEX, 2, "mutex") \
	X(RWLOCK_READ, 3, "rwlock (to read)") \
	X(RWLOCK_WRITE, 4, "rwlock (to write)") \
	X(CONDITION, 5, "condition") \
	X(SEMAPHORE, 6, "semaphore") \
	X(ONCE, 7, "once") \
	X(BARRIER, 8, "barrier") \
	X(JOIN, 9, "end of a thread") \
	X(LIBC, 10, "lock inside libc") \
	X(FILE, 11, "file lock") \
	X(GIL, 12, "GIL") /* the lock of an interpreter, by which one thread at a time runs it */ \
	/* of the kernel: lock_is_of_kernel() */ \
	X(KERNEL_MUTEX, 13, "kernel mutex") \
	X(KERNEL_READ, 14, "kernel rwsem (to read)") \
	X(KERNEL_WRITE, 15, "kernel rwsem (to write)") \
	X(KERNEL_PERCPU_READ, 16, "kernel per-CPU rwsem (to read)") \
	X(KERNEL_PERCPU_WRITE, 17, "kernel per-CPU rwsem (to write)") \
	X(KERNEL_OTHER, 18, "kernel lock") \
	/* of runtimes that wait on futexes of their own, in whose memory no holder stands: the same names */ \
	X(RUNTIME_MUTEX, 19, "mutex") \
	X(RUNTIME_READ, 20, "rwlock (to read)") \
	X(RUNTIME_WRITE, 21, "rwlock (to write)") \
	/* that lends its holder the priority of who waits: by how futex(2) was called, whatever functions say */ \
	X(LENDING, 22, "mutex") \
	/* of the kernel, which threads wait for on the CPU (EVENT_SPIN) */ \
	X(KERNEL_SPIN, 23, "kernel spin lock") \
	/* no locks, but what another process must do something to: lock_is_channel() */ \
	X(PIPE_READ, 24, "pipe (to read)") \
	X(PIPE_WRITE, 25, "pipe (to write)") \
	X(SOCKET_READ, 26, "socket (to read)") \
	X(SOCKET_WRITE, 27, "socket (to write)") \
	X(JOBSERVER, 28, "jobserver token") /* a pipe by which make(1) and others share a number of jobs */ \
	X(DATABASE, 29, "lock of a database") /* on rows, tables and the like: its processes wait for an event */

enum lock_kind {
#define X(id, nr, name) LOCK_##id = nr,
	LOCK_KINDS(X)
#undef X
	LOCK_KIND_NR
};

const char *lock_kind_name(unsigned int kind);   /* "other" for a number from a newer recording */

/*
 * The kind that the function NAME, one on the stack of a thread that waits on a futex, stands for;
 * LOCK_NONE when it says nothing. Underscores before the name and a version behind it ("@@GLIBC_2.34")
 * do not matter. The first function from the innermost on that says something is right. Names of C, of
 * Rust's standard library (demangled, from 1.62 on, when it came to wait on futexes), of GLib and of Go.
 */
enum lock_kind lock_kind_of(const char *name);

/* How a system call futex(2) asks to wait, and what was found in the memory of the process. */
#define LOCK_BYTES_BEFORE 16u            /* of the futex */
#define LOCK_BYTES 48u
struct lock_futex {
	enum lock_kind kind;
	uint64_t address;                /* of the word */
	uint32_t op, value;              /* the second and the third argument */
	/* the memory from ADDRESS - LOCK_BYTES_BEFORE on; of the first FROM bytes nothing is known */
	uint32_t from, len;
	uint8_t bytes[LOCK_BYTES];
	/* ADDRESS is that of the lock of an interpreter, which HOLDER has; 0 = unknown. Nothing else counts then */
	bool of_interpreter;
	uint32_t holder;
	/* it is a lock of the kernel, of KIND; nothing but ADDRESS and OWNER counts then */
	bool of_kernel;
	struct lock_owner {
		uint32_t pid, tid;       /* as the kernel numbers them; 0 = not known, or nobody */
		uint64_t start_ns;
		uint32_t readers;        /* so many hold it to read */
		char comm[17];
	} owner;
};

/* What they say. */
struct lock_state {
	uint64_t address;        /* of the lock, which may begin before its futex */
	uint32_t holder;         /* thread id, to be checked; 0 = not known, or nobody */
	uint32_t readers;        /* that hold an rwlock */
};

struct lock_state lock_read(const struct lock_futex *f);

/* Takes from the LEN bytes BYTES, which are at AT in the process, those that belong to F, whose address is set. */
void lock_fill(struct lock_futex *f, uint64_t at, const uint8_t *bytes, size_t len);

/*
 * The same where it is not known yet what the stack says: the layout in which F, whose kind does not matter,
 * names a holder for whom IS_THREAD says that the thread exists. Returns the kind that the layout is of, with
 * *RET filled; LOCK_FUTEX where nobody is named, with its address and the readers that it has if it is an rwlock.
 * LOCK_LENDING is no guess, and may name nobody: futex(2) itself sees to it that the word names the holder.
 */
enum lock_kind lock_guess(const struct lock_futex *f, bool (*is_thread)(void *ctx, uint32_t tid), void *ctx,
			  struct lock_state *ret);
/* Is what lock_guess() found, GUESS, said of a lock of KIND? */
bool lock_agrees(enum lock_kind kind, enum lock_kind guess);

/*
 * Priorities of threads, as the kernel has them plus LOCK_PRIO: lower ones run first; 0 = not known. As text,
 * "deadline", "real-time priority 50", "nice -5", to DST.
 */
#define LOCK_PRIO 2
#define LOCK_PRIO_MAX 141u
#define LOCK_PRIO_TEXT 32
char *lock_priority_text(unsigned int prio, char *dst, size_t size);      /* LOCK_PRIO_TEXT bytes are enough */

/* Does OP, the second argument of futex(2), lend the priority of who waits to who holds? */
bool lock_op_lends_priority(uint32_t op);

static inline bool lock_is_of_kernel(unsigned int kind)
{
	return (kind >= LOCK_KERNEL_MUTEX && kind <= LOCK_KERNEL_OTHER) || kind == LOCK_KERNEL_SPIN;
}

/* Is it a pipe or a socket, known by the number of its inode? Nobody holds it: somebody is at its other end. */
static inline bool lock_is_channel(unsigned int kind)
{
	return kind >= LOCK_PIPE_READ && kind <= LOCK_JOBSERVER;
}

/* Can several hold it at once, to read? */
static inline bool lock_is_rwlock(enum lock_kind kind)
{
	return kind == LOCK_RWLOCK_READ || kind == LOCK_RWLOCK_WRITE || kind == LOCK_KERNEL_READ ||
	       kind == LOCK_KERNEL_WRITE;
}

/* Does OP, the second argument of futex(2), wait? Does it say that the lock is of one process only? */
bool lock_op_waits(uint32_t op);
bool lock_op_private(uint32_t op);

#endif
