/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.h - stack bytes of threads of other processes, read from outside, without ever waiting for them.
 *
 * The stack of a thread that was blocked before the capture began has to be read by process_vm_readv(2), and that may wait
 * for ever: a page behind a FUSE file system or a userfaultfd comes when somebody unknown brings it. So a process of its own
 * does the reading, is given a time limit, and is killed and replaced when it exceeds it.
 *
 * One thread uses it, the one that called peek_new(), which must live as long: the helper dies with it (PR_SET_PDEATHSIG
 * counts threads). No call waits. peek_new() forks, and the others do to replace a helper. That copies page tables, and what
 * sberf changes afterwards exists twice: make it early, while sberf is small.
 *
 * Permission is that of PTRACE_MODE_ATTACH_REALCREDS (ptrace(2), "Ptrace access mode checking"): a dumpable process of the
 * same user with no more capabilities, or CAP_SYS_PTRACE. Where the Yama module restricts ptrace (kernel.yama.ptrace_scope of
 * 1 or 2) it takes CAP_SYS_PTRACE, for sberf's own command too, which is no descendant of the helper; from 3 on nobody may.
 *
 * A thread that runs changes its stack while it is read. That the thread still waits the same wait is for the caller to see,
 * before and after; so is that PID is still the process it means.
 */
#ifndef SBERF_CAPTURE_PEEK_H
#define SBERF_CAPTURE_PEEK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PEEK_BYTES_MAX (8u << 20)        /* of one read: as large as stacks are unless somebody asks for more (RLIMIT_STACK) */
#define PEEK_QUEUE_MAX 256u
#define PEEK_LIMIT_MS 200u       /* for one read */
#define PEEK_SHUN_S 60u          /* how long a process that made a read hang is left alone */
#define PEEK_ABANDONED_MAX 4u    /* killed helpers that do not end (in state D) before nothing is asked any more */

enum peek_status {
	PEEK_OK,                 /* len may be 0: nothing was mapped there */
	PEEK_DENIED,             /* EPERM */
	PEEK_GONE,               /* ESRCH: no such process, or it has no memory any more */
	PEEK_HUNG,               /* not answered in time, or another read of the same process was not, just before */
	PEEK_FAILED,             /* could not be asked: no helper to be had, no memory, no such system call */
};

struct peek_answer {
	uint64_t cookie;
	enum peek_status status;
	uint64_t addr;           /* of bytes[0]: sp less the red zone of this machine, rounded down to 8, or sp's page if that below is missing */
	uint32_t len;            /* 0 unless PEEK_OK */
	bool unreadable;         /* it ended because a page could not be read, not at the bytes wanted */
	const uint8_t *bytes;    /* valid until the next peek_take() */
};

/* Counts since peek_new(). */
struct peek_stats {
	uint64_t asked, refused;                 /* peek_ask() that succeeded, that failed */
	uint64_t answered[PEEK_FAILED + 1];      /* by status */
	uint32_t abandoned;      /* helpers killed that have not ended, now */
};

struct peek;

int peek_new(struct peek **ret, struct err *e);

/*
 * Queues a read of WANT bytes (cut to PEEK_BYTES_MAX) of process or thread PID from the red zone of this machine below SP upwards. Every
 * request that is queued gets one answer, in order. Fails with -EAGAIN when the queue is full, -ETIMEDOUT for a process that
 * is left alone (PEEK_SHUN_S), -EIO while too many helpers are abandoned.
 */
int peek_ask(struct peek *p, uint64_t cookie, pid_t pid, uint64_t sp, uint32_t want);

/* Readable when peek_take() should be called: something is answered or due. */
int peek_fd(const struct peek *p);

/* The next answer; false when there is none yet. */
bool peek_take(struct peek *p, struct peek_answer *ret);

uint32_t peek_pending(const struct peek *p);     /* asked and not taken */
pid_t peek_pid(const struct peek *p);            /* of the helper, 0 = none now: not to be watched itself */
void peek_stats(const struct peek *p, struct peek_stats *ret);

/* Ends the helper; waits for that no longer than one read may take. NULL is fine. */
void peek_free(struct peek *p);

DEFINE_AUTO(peek_free, struct peek);

#endif
