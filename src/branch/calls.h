/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls.h - puts hits at the basic blocks of functions together to calls, each with the branches that it took.
 *
 * Hits of a thread come in order of time. The calls that are under way in it are a stack. A hit at the begin of a
 * function pushes a call, its return takes it off. Calls are told apart by the stack pointer, since the slot of the
 * return address of a call is above everything that it has on the stack: a hit with a stack pointer above the slot of
 * the innermost call means that this call was left without a return, by an exception or longjmp(). Between two blocks
 * one after the other the code says which branch was taken. Where none leads from one to the other there is a gap.
 *
 * Pure: what hits are about is asked by a function, and whole calls are handed to another.
 */
#ifndef SBERF_BRANCH_CALLS_H
#define SBERF_BRANCH_CALLS_H

#include "base/cleanup.h"
#include "branch/branch.h"
#include "model/probecode.h"

#include <stdbool.h>
#include <stdint.h>

#define CALLS_DEPTH_MAX 128u             /* calls of one thread that are under way */
#define CALLS_THREADS_MAX 65536u
#define CALLS_BRANCHES_MAX 16384u        /* of one call that are kept */

struct branch_hit {
	uint64_t time_ns;
	pid_t pid, tid;
	const char *comm;        /* raw bytes, NUL-terminated */
	uint32_t scale;          /* it stands for so many: more than 1 = probes are in place for a part of the time */
	uint32_t probe, number;  /* which block (model/probecode.h) */
	bool returned;           /* the function that begins with that block has returned; SP is that of its caller */
	uint64_t sp, result;
	stack_id stack;          /* ID_NONE = not asked for */
	uint64_t arg[BRANCH_ARGS];
};

struct branch_calls_figures {
	uint64_t calls;          /* that ended */
	uint64_t left;           /* of these without a return */
	uint64_t jumped;         /* by a jump to another function */
	uint64_t open;           /* are under way */
	uint64_t unbegun;        /* hits of calls that had begun before */
	uint64_t unended;        /* calls whose end was not seen, as probes are in place for a part of the time */
	uint64_t gaps;           /* branches that are not known */
	uint64_t dropped;        /* branches for which there was no room in their call */
	uint64_t refused;        /* hits without memory or room, or of blocks that are not known */
};

struct branch_calls;

struct branch_calls_ops {
	/* the function with block NUMBER of PROBE: probe_code_find(), or a test */
	bool (*code)(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret);
	/* CALL has ended; it is valid during the call of this */
	void (*ended)(void *ctx, const struct branch_call *call);
	void *ctx;
};

/* OPS is copied. NULL when out of memory. */
struct branch_calls *branch_calls_new(const struct branch_calls_ops *ops);
void branch_calls_free(struct branch_calls *c);  /* NULL is fine */

/* The next hit, of any thread. */
void branch_calls_hit(struct branch_calls *c, const struct branch_hit *h);
void branch_calls_figures(const struct branch_calls *c, struct branch_calls_figures *ret);

DEFINE_AUTO(branch_calls_free, struct branch_calls);

#endif
