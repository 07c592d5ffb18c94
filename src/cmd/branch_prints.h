/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_prints.h - what parameters and the result of calls lead to, as `sberf branches --print` shows it. The kernel
 * half copies it with the hits at which calls begin and return; here it is kept until its call is shown, and written by
 * the types that it has.
 */
#ifndef SBERF_CMD_BRANCH_PRINTS_H
#define SBERF_CMD_BRANCH_PRINTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/branch.h"
#include "branch/show.h"
#include "cmd/options.h"
#include "engine/placing.h"
#include "probe/ktypes.h"
#include "trace/hit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct branch_prints;

/* Reads what O asks for: *RET is NULL when that is nothing. 0; -EINVAL, -E2BIG with a sentence, -ENOMEM. */
int branch_prints_new(const struct options *o, struct branch_prints **ret, struct err *e);
void branch_prints_free(struct branch_prints *p);        /* NULL is fine */

/* What is asked for, each by itself; as long as P. */
const struct placing_prints *branch_prints_asked(const struct branch_prints *p);

/* Keeps what H came with; P NULL = nothing. What there is no room for is not known later. */
void branch_prints_take(struct branch_prints *p, const struct hit *h);
/* The same of N texts at TEXT, which thread TID came with at TIME_NS. */
void branch_prints_keep(struct branch_prints *p, pid_t tid, uint64_t time_ns, const struct hit_text *text, uint32_t n);

/* A call whose values are to be shown. */
struct branch_printed {
	const char *symbol;      /* of its function, "vfs_read" */
	bool kernel;             /* which is one of the kernel */
	uint32_t probe;
	pid_t tid;
	uint64_t begun_ns, ended_ns;     /* of the hits at which it began, and returned */
	bool returned;           /* it has: RESULT is known */
	const uint64_t *arg;     /* BRANCH_ARGS registers */
	uint64_t result;
	/* finds EXPR in the function of PROBE, where that is none that was probed: false = it has none. NULL */
	bool (*find)(void *ctx, uint32_t probe, const char *expr, struct ktypes **ret_types, struct ktypes_value *ret);
	void *ctx;
};

/*
 * Has what C was given, and has returned, in TEXT, until the next question, and forgets it. P NULL = there is nothing.
 */
void branch_prints_tell(struct branch_prints *p, const struct branch_printed *c, struct branch_call_text *text);

DEFINE_AUTO(branch_prints_free, struct branch_prints);

#endif
