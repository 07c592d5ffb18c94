/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads.h - where the named values of conditions and sums are at a place (struct sb_loads of bpf/wire.h): looked up
 * in the format of a tracepoint, in the note of a static probe, or in debug information.
 *
 * Places that have them in the same ways share one set, whose number their cookies have.
 */
#ifndef SBERF_ENGINE_LOADS_H
#define SBERF_ENGINE_LOADS_H

#include "base/err.h"
#include "bpf/wire.h"
#include "engine/filters.h"
#include "model/probevalues.h"
#include "probe/ktypes.h"
#include "probe/tracepoint.h"
#include "probe/usdt.h"
#include "symbol/params.h"

/* Different sets, by number; all zero = empty. One thread at a time adds; what is there does not change. */
struct load_sets {
	uint32_t n;              /* of SET, with the first, which stands for places without names; 0 = none */
	struct sb_loads set[SB_LOAD_SETS];
};

/* The number of L among SETS, where it is added if it is new; -E2BIG with a sentence when there is no room. */
int load_sets_add(struct load_sets *sets, const struct sb_loads *l, struct err *e);

/*
 * Where NAMES are in the records of T. 0; -ENOENT with a sentence for a field that it does not have, with the
 * nearest name; -EOPNOTSUPP for one that is no number, or no text where it is compared with text.
 */
int loads_of_tracepoint(const struct filter_names *names, const struct tracepoint *t, struct sb_loads *ret,
			struct err *e);

/*
 * Where NAMES, arguments of a system call whose entry is the tracepoint T, are when it has returned, and what they
 * point to, as TYPES know it, which may be NULL when loads_need_types() says so. 0, or a negative errno with a
 * sentence, as above.
 */
int loads_of_call(const struct filter_names *names, const struct tracepoint *t, struct ktypes *types,
		  struct sb_loads *ret, struct err *e);
/* Whether types of the kernel are needed for NAMES of a system call: for what its arguments point to. */
bool loads_need_types(const struct filter_names *names);

/*
 * Where NAMES are when the function WHAT of the kernel begins, or has returned ("retval" and what it leads to), or its
 * tracepoint WHAT is called, as TYPES know it. 0, or a negative errno with a sentence, as ktypes_find().
 */
int loads_of_kernel(const struct filter_names *names, struct ktypes *types, enum ktypes_of of, const char *what,
		    struct sb_loads *ret, struct err *e);

/*
 * Where EXPR, "*file", "file->f_op->read" or "*retval", is in the function WHAT, which is to be shown: as ktypes_find()
 * of KTYPES_VALUE or KTYPES_POINTED. *RET_LOAD reads it with a hit (sb_loads.print); it has no size where there is
 * nothing to be read, since EXPR is the argument itself.
 */
int load_of_print(const char *expr, struct ktypes *types, const char *what, struct sb_load *ret_load,
		  struct ktypes_value *ret_value, struct err *e);

/* A function of a BPF program. */
struct load_program {
	struct ktypes *types, *kernel;   /* its own; those of the kernel, NULL = not known */
	uint32_t type;           /* enum bpf_prog_type */
	const char *function;
};

/*
 * As load_of_print(), of a function of a BPF program; what the kernel gives it is of types of the kernel. *RET_TYPES:
 * those that *RET_VALUE is of.
 */
int load_of_program_print(const char *expr, const struct load_program *of, struct sb_load *ret_load,
			  struct ktypes **ret_types, struct ktypes_value *ret_value, struct err *e);
/* Where NAMES are, SB_BPF_NAMES at most, in the same: RET, from its load SB_PRINTS on. No texts. */
int loads_of_program(const struct filter_names *names, const struct load_program *of, struct sb_loads *ret,
		     struct err *e);

/*
 * Where NAMES, which are "arg0" to "arg5", are at SITE. 0; -ENOENT with a sentence for one that its note does not
 * have, -EOPNOTSUPP for one that is not in a general register, or in memory that such registers say.
 */
int loads_of_usdt(const struct filter_names *names, const struct usdt_site *site, struct sb_loads *ret,
		  struct err *e);
/*
 * Where the first arguments of SITE are, PARAM_ARGS at most: returns how many. Those that cannot be read keep their
 * places, and are read from nowhere.
 */
uint32_t loads_of_usdt_args(const struct usdt_site *site, struct sb_loads *ret);

/*
 * Where NAMES, parameters and members that they lead to, are when the function at the virtual address PC of a file
 * of MACHINE (ELF e_machine) begins, as DEBUG knows it, which may be NULL when loads_need_params() says so; those of
 * its result, "retval" and what it leads to, when it has returned. 0, or a negative errno with a sentence, as
 * params_find().
 */
int loads_of_function(const struct filter_names *names, struct params *debug, uint16_t machine, uint64_t pc,
		      struct sb_loads *ret, struct err *e);
/*
 * Where EXPR, "req->argc", is in the function at PC: a string where it is one, else a number. As load_of_print(); of
 * *RET there is no more than how it is read. -EOPNOTSUPP with a sentence for a structure.
 */
int load_of_param_print(const char *expr, struct params *debug, uint16_t machine, uint64_t pc, struct sb_load *ret_load,
			struct probe_print *ret, struct err *e);
/* Whether debug information is needed for NAMES: not for a string that arg0 to arg5, or the result, points to. */
bool loads_need_params(const struct filter_names *names);

#endif
