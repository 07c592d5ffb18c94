/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * params.h - finds where a parameter of a function, or a member that it leads to, is when the function begins: by
 * the debug information (DWARF) of its file.
 *
 * The parameter must be in a register then. Where code was compiled without optimisation, debug information says
 * where it will be a moment later; there the register is the one that the calling convention has for it.
 */
#ifndef SBERF_SYMBOL_PARAMS_H
#define SBERF_SYMBOL_PARAMS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct params;

/*
 * Opens the debug information of F, which is a file of code or its debug file, and must outlive the result. 0;
 * -ENOENT with a sentence when it has none, -EBADMSG, -EFBIG, -ENOTSUP, -ENOMEM.
 */
int params_open(const struct elf_file *f, struct params **ret, struct err *e);
void params_free(struct params *p);              /* NULL is fine */

/* Of libdw, for others that read the same debug information (codeplaces.h); it lives as long as P. */
struct Dwarf;
struct Dwarf *params_dwarf(struct params *p);

#define PARAM_HOPS 4u
#define PARAM_ARGS 6u

/*
 * A value: starting from the register REG (DWARF number) each hop reads at what was read last, plus its offset: 8
 * bytes, the last one SIZE bytes. Without hops it is the low SIZE bytes of the register.
 */
struct param_value {
	uint8_t reg, hops;
	uint8_t size;            /* 1, 2, 4 or 8; of a text 1 */
	bool is_result;          /* it starts from the result of the function, not from REG */
	bool is_signed;
	int64_t offset[PARAM_HOPS];
};

/* A step from a parameter to what it leads to. */
enum param_join {
	PARAM_MEMBER,            /* .name */
	PARAM_POINTER,           /* ->name */
	PARAM_INDEX,             /* [index] */
};
struct param_step {
	enum param_join join;
	const char *name;        /* borrowed; of an index not used */
	uint32_t index;
};

/*
 * Where the parameter NAME of the function that begins at the virtual address PC is, or what N STEPS lead to; "retval"
 * is its result, and "arg0" to "arg5" the parameters in REGS, unless there are parameters that are called so. REGS:
 * in which registers the calling convention passes numbers, by DWARF number. TEXT: a string is asked for, which begins
 * at the last hop; else a number. 0; or a negative errno with a sentence:
 * -ENOENT for what is not there, -EOPNOTSUPP for what cannot be read.
 */
int params_find(struct params *p, uint64_t pc, const char *name, const struct param_step *step, uint32_t n,
		bool text, const uint8_t regs[PARAM_ARGS], struct param_value *ret, struct err *e);

/* A parameter of a function, or its result. */
struct param_listed {
	char name[32];           /* "retval" of a result; "" = there is none, or it is no number and no pointer */
	uint8_t size;            /* bytes of the number */
	bool is_signed, is_pointer;
};

/*
 * What the function that begins at the virtual address PC is given in each of REGS, and behind these its result.
 * All without a name where nothing is known.
 */
void params_list(struct params *p, uint64_t pc, const uint8_t regs[PARAM_ARGS],
		 struct param_listed ret[PARAM_ARGS + 1]);

/*
 * The parameters of the function that begins at the virtual address PC, as "size_t n, const char * s", raw bytes, into
 * DST of SIZE bytes; "" when there are none, or it is not known. The first call goes through all functions of the
 * debug information once, so that each call is quick. Returns DST.
 */
char *params_text(struct params *p, uint64_t pc, char *dst, size_t size);

DEFINE_AUTO(params_free, struct params);

#endif
