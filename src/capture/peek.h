/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.h - reads stacks of threads in other processes from outside, without ever blocking.
 *
 * The stack of a thread that was blocked before the capture began must be read by
 * process_vm_readv(2). That call may block for ever: a page behind a FUSE file system or a
 * userfaultfd arrives only when another process supplies it. So a helper process does the reading.
 * It has a time limit; when it exceeds it, it is killed and replaced.
 *
 * One thread uses a peek: the one that called peek_new(). It must live as long, because the helper
 * dies with it (PR_SET_PDEATHSIG is about threads). No call blocks. peek_new() forks, and later
 * calls fork to replace a helper. A fork copies page tables, and memory that sberf changes
 * afterwards exists twice: create it early, while sberf is small.
 *
 * The permission needed is PTRACE_MODE_ATTACH_REALCREDS (ptrace(2), "Ptrace access mode checking"):
 * a dumpable process of the same user with no more capabilities, or CAP_SYS_PTRACE. Under the Yama
 * module (kernel.yama.ptrace_scope 1 or 2) it is CAP_SYS_PTRACE, even for the command that sberf
 * started, which is no descendant of the helper; from 3 on nobody may.
 *
 * A running thread changes its stack while it is read. The caller must check, before and after,
 * that the thread is still in the same wait, and that PID is still the same process.
 */
#ifndef SBERF_CAPTURE_PEEK_H
#define SBERF_CAPTURE_PEEK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEEK_BYTES_MAX (8u << 20)        /* of one read: the usual size limit of a stack (RLIMIT_STACK) */
#define PEEK_QUEUE_MAX 256u
#define PEEK_LIMIT_MS 200u       /* for one read */
#define PEEK_SHUN_S 60u          /* how long a process is left alone after a read of it hung */
#define PEEK_ABANDONED_MAX 4u    /* no new requests when so many killed helpers have not ended (state D) */

enum peek_status {
	PEEK_OK,                 /* len may be 0: nothing was mapped there */
	PEEK_DENIED,             /* EPERM */
	PEEK_GONE,               /* ESRCH: no such process, or it has no memory any more */
	PEEK_HUNG,               /* no answer in time, or a read of the same process hung shortly before */
	PEEK_FAILED,             /* could not be tried: no helper, no memory, no such system call */
};

struct peek_answer {
	uint64_t cookie;
	enum peek_status status;
	/*
	 * of bytes[0]: sp less the red zone of this machine, rounded down to 8; sp's page when the
	 * red zone is unreadable
	 */
	uint64_t addr;
	uint32_t len;            /* 0 unless PEEK_OK */
	bool unreadable;         /* it is shorter than wanted because a page could not be read */
	const uint8_t *bytes;    /* valid until the next peek_take() */
};

/* Counts since peek_new(). */
struct peek_stats {
	uint64_t asked, refused;                 /* peek_ask() that succeeded, that failed */
	uint64_t answered[PEEK_FAILED + 1];      /* by status */
	uint32_t abandoned;      /* helpers killed that have not ended, now */
};

struct peek;

/* Forks the helper. On success *RET is the caller's; else a negative errno with a sentence. */
int peek_new(struct peek **ret, struct err *e);

/*
 * Queues a read of WANT bytes (at most PEEK_BYTES_MAX) upwards from the red zone below SP, of
 * process or thread PID. Each queued request gets one answer with its COOKIE, in order. Returns 0;
 * -EAGAIN: the queue is full; -ETIMEDOUT: the process is left alone (PEEK_SHUN_S); -EIO: too many
 * helpers are stuck.
 */
int peek_ask(struct peek *p, uint64_t cookie, pid_t pid, uint64_t sp, uint32_t want);

/*
 * An fd that is readable when peek_take() should be called: there is an answer, or a time limit has
 * passed.
 */
int peek_fd(const struct peek *p);

/* Returns the next answer in *RET; false when there is none yet. */
bool peek_take(struct peek *p, struct peek_answer *ret);

uint32_t peek_pending(const struct peek *p);     /* asked and not taken */
/* of the helper, so that it is not profiled itself; 0 = there is none now */
pid_t peek_pid(const struct peek *p);
void peek_stats(const struct peek *p, struct peek_stats *ret);

/* Ends the helper; waits for its end at most as long as one read may take. NULL is fine. */
void peek_free(struct peek *p);

DEFINE_AUTO(peek_free, struct peek);

#endif
