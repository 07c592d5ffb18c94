/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ktypes.h - the types of the running kernel (its BTF): what functions and tracepoints of it are given, and where
 * members are that these lead to.
 */
#ifndef SBERF_PROBE_KTYPES_H
#define SBERF_PROBE_KTYPES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "symbol/params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ktypes;

/* 0; -ENOENT with a sentence when the kernel says nothing of its types, or -ENOMEM. *RET is the caller's. */
int ktypes_open(struct ktypes **ret, struct err *e);
/* The same with the types and functions of MODULE, which is loaded, too. */
int ktypes_open_module(const char *module, struct ktypes **ret, struct err *e);
/* The same of a BPF program, whose type information has the number BTF_ID. */
int ktypes_open_program(uint32_t btf_id, struct ktypes **ret, struct err *e);
struct btf;
/* The same of BTF, which is given up in any case; NULL = there is none, and E says so already. Pure. */
int ktypes_of_btf(struct btf *btf, struct ktypes **ret, struct err *e);
void ktypes_free(struct ktypes *t);              /* NULL is fine */

/* Whose arguments are asked for. */
enum ktypes_of {
	KTYPES_FUNCTION,         /* a function: from registers, or its result */
	KTYPES_TRACEPOINT,       /* a tracepoint as the kernel calls it: from an array of words */
};

/*
 * A value: as struct param_value, but that it starts from argument ARG; of a tracepoint from where all arguments
 * are, 8 bytes each, which the first hop knows.
 */
struct ktypes_value {
	uint8_t arg, hops, size;
	bool is_result, is_signed;
	int64_t offset[PARAM_HOPS];
};

/*
 * Where the parameter NAME of WHAT is, or what N STEPS lead to; "arg0" to "arg5" are parameters by their place, and
 * "retval" is the result of a function. TEXT: a string is asked for, which begins at the last hop; else a number. 0;
 * -ENOENT with a sentence for what is not there, or of which nothing is known, -EOPNOTSUPP for what cannot be read.
 */
int ktypes_find(struct ktypes *t, enum ktypes_of of, const char *what, const char *name,
		const struct param_step *step, uint32_t n, bool text, struct ktypes_value *ret, struct err *e);

/*
 * The same of what N STEPS, at least one, lead to from a pointer called NAME, of a TYPE that is written as in C:
 * "struct sockaddr *". ret->arg is 0.
 */
int ktypes_behind(struct ktypes *t, const char *type, const char *name, const struct param_step *step, uint32_t n,
		  bool text, struct ktypes_value *ret, struct err *e);

/*
 * What WHAT is given: those parameters that are numbers or pointers by their places, and behind these the result of
 * a function. False when nothing is known; then all are without a name.
 */
bool ktypes_list(struct ktypes *t, enum ktypes_of of, const char *what, struct param_listed ret[PARAM_ARGS + 1]);

/* The parameters of WHAT, as "struct file * file, char * buf", into DST; "" when nothing is known. Returns DST. */
char *ktypes_text(struct ktypes *t, enum ktypes_of of, const char *what, char *dst, size_t size);

/* The type of what the function WHAT returns, "ssize_t", "void", into DST; "" when nothing is known. Returns DST. */
char *ktypes_result_text(struct ktypes *t, const char *what, char *dst, size_t size);

DEFINE_AUTO(ktypes_free, struct ktypes);

#endif
