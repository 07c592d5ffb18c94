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
/* The same of MODULE, which is loaded, with those of the KERNEL on which they build: it outlives *RET. */
int ktypes_open_module(const char *module, const struct ktypes *kernel, struct ktypes **ret, struct err *e);
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
	/* of what is looked up to be shown: its type, for ktypes_show(), and how many bytes of it; 0 = a string */
	uint32_t type, bytes;
};

/* What is looked up. */
enum ktypes_want {
	KTYPES_NUMBER,           /* a number or a pointer */
	KTYPES_STRING,           /* the string that is there: it begins at the last hop */
	/* whatever it is, to be shown: it begins at the last hop; without hops it is the argument, or the result */
	KTYPES_VALUE,
	KTYPES_POINTED,          /* the same of what it points to */
};

/*
 * Where the parameter NAME of WHAT, "f" or "f [module]", is, or what N STEPS lead to; "arg0" to "arg5" are parameters
 * by their place, and "retval" is the result of a function. 0;
 * -ENOENT with a sentence for what is not there, or of which nothing is known, -EOPNOTSUPP for what cannot be read.
 */
int ktypes_find(struct ktypes *t, enum ktypes_of of, const char *what, const char *name,
		const struct param_step *step, uint32_t n, enum ktypes_want want, struct ktypes_value *ret,
		struct err *e);

/*
 * The same of what N STEPS lead to from a pointer called NAME, of a TYPE that is written as in C: "struct sockaddr *".
 * Without steps that is what it points to, with KTYPES_POINTED. ret->arg is 0.
 */
int ktypes_behind(struct ktypes *t, const char *type, const char *name, const struct param_step *step, uint32_t n,
		  enum ktypes_want want, struct ktypes_value *ret, struct err *e);

/*
 * What parameter NAME of the function WHAT, a struct as the BPF program T sees it, is in fact: what the KERNEL gives
 * programs of TYPE (enum bpf_prog_type), as "struct xdp_buff *" for struct xdp_md, into DST. False: it is as T says.
 */
bool ktypes_context(const struct ktypes *t, const struct ktypes *kernel, uint32_t type, const char *what,
		    const char *name, char *dst, size_t size);

/* How a value is written. */
struct ktypes_style {
	bool errors;             /* negative numbers that can be errors have their names */
	/* what the address of code is called, into DST; false = not known. NULL = addresses have no names */
	bool (*name)(void *ctx, uint64_t address, char *dst, size_t size);
	void *ctx;
};

/*
 * The GOT bytes at BYTES, the first ones of a value of TYPE (struct ktypes_value), into DST as in
 * "{f_mode=29, f_path={dentry=0xffff888012345678}, f_op=0xffffffff81e0c0c0 (ext4_file_operations)}": members that
 * are 0 are left out, enums have names, arrays of char are texts, in quotes. It is cut where it is too deep, has too
 * many members, or DST is full, with "..." at that place. Raw bytes: sanitise it. Returns DST. Pure.
 */
char *ktypes_show(const struct ktypes *t, uint32_t type, const void *bytes, size_t got,
		  const struct ktypes_style *style, char *dst, size_t size);

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
