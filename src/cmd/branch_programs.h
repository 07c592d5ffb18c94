/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_programs.h - follows BPF programs for `sberf branches`: their calls, with the jumps on a condition that four
 * breakpoints of each CPU tell of at a time; or, with records, those of the CPU, then also of functions of the kernel.
 */
#ifndef SBERF_CMD_BRANCH_PROGRAMS_H
#define SBERF_CMD_BRANCH_PROGRAMS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/branch.h"
#include "cmd/branch_conditions.h"
#include "cmd/branch_losses.h"
#include "cmd/branch_names.h"
#include "cmd/branch_prints.h"
#include "cmd/options.h"

#include <stdbool.h>
#include <stdio.h>

struct branch_programs;

struct branch_programs_ops {
	/* CALL has ended; it is valid during the call of this */
	void (*ended)(void *ctx, const struct branch_call *call);
	void *ctx;
};

/*
 * Finds what WISHES are about, which get their numbers, and reads its code, which NAMES can name from now on; it is to
 * be followed by RECORDS, or by breakpoints. PRINTS gets what is to be shown of calls; NULL = nothing is. 0; a negative
 * errno with a sentence. O, WISHES, NAMES and PRINTS outlive *RET.
 */
int branch_programs_find(const struct options *o, branch_wishes *wishes, struct branch_names *names,
			 struct branch_prints *prints, bool records, const struct branch_programs_ops *ops,
			 struct branch_programs **ret, struct err *e);
/*
 * Where to break to see by whom the one program that is followed was called, to *RET: behind its first instructions, as
 * it has a frame then, from which the kernel can unwind. 0; -EOPNOTSUPP with a sentence.
 */
int branch_programs_framed(const struct branch_programs *p, uint64_t *ret, struct err *e);
/* Whether calls are not followed now, as that has cost more than the budget. */
bool branch_programs_are_off(const struct branch_programs *p);

/*
 * Begins to follow it, and says the price on standard error. 0; a negative errno with a sentence: then P can only be
 * freed, and its code be shown.
 */
int branch_programs_begin(struct branch_programs *p, struct err *e);
void branch_programs_free(struct branch_programs *p);    /* NULL is fine */

/* Tells of calls for a tenth of a second at most, and moves breakpoints when it is time to. */
void branch_programs_turn(struct branch_programs *p);

/* Stops, and tells of the calls that are left. */
void branch_programs_end(struct branch_programs *p);

/* What PROBE is about: "drops". "" = that is not known. */
const char *branch_programs_name(const struct branch_programs *p, uint32_t probe);
/* As struct branch_printed has it; CTX is a struct branch_programs. */
bool branch_programs_print(void *ctx, uint32_t probe, const char *expr, struct ktypes **ret_types,
			   struct ktypes_value *ret);
/*
 * What the result of CALL means, of a BPF program, or the error that it is, of the kernel; "" = nothing in particular.
 */
const char *branch_programs_verdict(const struct branch_programs *p, const struct branch_call *call);

/* Whether jumps are watched in turn, since there are more than breakpoints. */
bool branch_programs_turns(const struct branch_programs *p);

/* Calls that were told. */
uint64_t branch_programs_calls(const struct branch_programs *p);
/* Sets what is missing in them in LOSS, and adds to LOSS_UNMET. */
void branch_programs_losses(const struct branch_programs *p, uint64_t loss[BRANCH_LOSSES]);

DEFINE_AUTO(branch_programs_free, struct branch_programs);

#endif
