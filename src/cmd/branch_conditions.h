/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_conditions.h - what `sberf branches` is asked for: functions, each with the probe that is placed for it,
 * and conditions on whole calls, which are evaluated when a call has ended.
 */
#ifndef SBERF_CMD_BRANCH_CONDITIONS_H
#define SBERF_CMD_BRANCH_CONDITIONS_H

#include "base/err.h"
#include "base/vec.h"
#include "branch/branch.h"
#include "cmd/options.h"
#include "probe/kernel_functions.h"
#include "probe/spec.h"

#include <stdbool.h>
#include <stdint.h>

/* A function that was asked for. */
struct branch_wish {
	bool kernel;             /* of the kernel */
	bool program;            /* a BPF program */
	bool several;            /* functions of the kernel that a wildcard, a module or a source file means */
	struct spec spec;        /* as it was read */
	/*
	 * the text of the probe at its blocks, "uprobe:app:f+branches", "kprobe:f+branches /arg0 > 4/"; of a BPF
	 * program what names it, "12:sub", and with --how lbr the function of the kernel; owned
	 */
	char *probe;
	/* with --entry: the function of the kernel, "f" or "f [module]"; "" = it is none, or is not known yet */
	char symbol[KERNEL_SYMBOL_MAX];
	uint32_t number;         /* of the probe (model/probes.h), once it is placed */
	struct spec_expr when;   /* judged when a call has ended; n 0 = every call counts */
};

typedef VEC(struct branch_wish) branch_wishes;

/*
 * Reads the functions of O. *HOW: where branches come from, never BRANCHES_AUTO. 0, or a negative errno with a
 * sentence. Free RET with branch_wishes_free() in any case.
 */
int branch_wishes_read(const struct options *o, branch_wishes *ret, enum branch_way *how, struct err *e);
void branch_wishes_free(branch_wishes *w);

/* Reads TEXT, as of --part. */
int branch_condition_read(const char *text, struct spec_expr *ret, struct err *e);

enum branch_verdict {
	VERDICT_NO,
	VERDICT_YES,
	VERDICT_UNKNOWN,         /* it has no result, or a name is not known */
};

/* Whether CALL meets X. */
enum branch_verdict branch_condition_of(const struct spec_expr *x, const struct branch_call *call);

#endif
