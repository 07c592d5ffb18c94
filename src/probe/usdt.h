/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt.h - the static probes (USDT) of a program, from its .note.stapsdt: where they are, which
 * counter switches them on, and where their arguments stand.
 *
 * One name can stand at several places, each with its own arguments: a probe means all of them.
 * The file is foreign: every size and string is checked, what makes no sense is left out and
 * counted.
 */
#ifndef SBERF_PROBE_USDT_H
#define SBERF_PROBE_USDT_H

#include "base/err.h"
#include "base/vec.h"
#include "probe/spec.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define USDT_ARGS_MAX 12u
#define USDT_NAME_MAX 128u       /* of a provider or probe, with the NUL */
#define USDT_TEXT_MAX 256u       /* of the arguments of a place as the note has them, with the NUL; cut there */
#define USDT_SITES_MAX 10000u    /* in one file */

enum usdt_where {
	USDT_UNKNOWN,            /* a form that is not known, as a vector register: no value */
	USDT_CONSTANT,           /* offset itself */
	USDT_REGISTER,           /* register reg, cut to size */
	USDT_MEMORY,             /* at reg + offset, size bytes */
	USDT_INDEXED,            /* at reg + index * scale + offset, size bytes */
};

struct usdt_arg {
	uint8_t where;           /* enum usdt_where */
	uint8_t size;            /* of the value: 1, 2, 4 or 8 bytes */
	bool is_signed;          /* it is sign-extended to 64 bits, else zero-extended */
	uint8_t reg, index;      /* DWARF numbers (model/machine.h); MACHINE_NO_REG = none, which counts as 0 */
	uint8_t scale;           /* 1, 2, 4 or 8 */
	int64_t offset;
};

struct usdt_site {
	char provider[USDT_NAME_MAX], name[USDT_NAME_MAX];
	uint64_t offset;         /* of the instruction in the file: where the probe is placed */
	uint64_t vaddr;          /* the same as an ELF virtual address */
	uint64_t semaphore;      /* file offset of the 2-byte counter of observers; 0 = none */
	uint32_t nr_args;        /* at most USDT_ARGS_MAX; those behind are left out */
	struct usdt_arg arg[USDT_ARGS_MAX];
	char text[USDT_TEXT_MAX];        /* "-4@%edi 8@-16(%rbp)" */
};

typedef VEC(struct usdt_site) usdt_sites;

/*
 * Reads TEXT, the arguments of a note of the machine with number MACHINE (ELF e_machine), into ARG.
 * Returns how many. What is not known is USDT_UNKNOWN and keeps its place. Pure.
 */
uint32_t usdt_args_parse(const char *text, uint16_t machine, struct usdt_arg arg[USDT_ARGS_MAX]);

/*
 * Appends the places in F that P, of kind PROBE_USDT, means (its target is not looked at), in the
 * order of the file; P NULL = all. *RET_DAMAGED (NULL is fine) counts notes that could not be used.
 * Returns how many; 0 when F has none at all; -ENOENT with a sentence when it has others, with the
 * nearest name; -EINVAL, -ENOMEM. Free with vec_free().
 */
int find_usdt(const struct elf_file *f, const struct spec_point *p, usdt_sites *ret, uint32_t *ret_damaged,
	      struct err *e);

#endif
