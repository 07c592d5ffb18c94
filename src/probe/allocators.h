/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocators.h - finds the functions of an ELF file that allocate and free memory, and says where each
 * of them gets its sizes and pointers: glibc, musl, jemalloc, tcmalloc, mimalloc, whatever else defines
 * the functions of malloc(3) by their names, and C++ operators that do not only forward to these.
 *
 * In a program of Go it is the function of its runtime that allocates (from 1.18 on), stripped or not. What it is
 * called with is in registers of Go's own.
 *
 * Names are looked for among the defined symbols, so a copy that is linked into a program is found as
 * well. Functions of one address are one.
 */
#ifndef SBERF_PROBE_ALLOCATORS_H
#define SBERF_PROBE_ALLOCATORS_H

#include "base/err.h"
#include "base/vec.h"
#include "probe/functions.h"
#include "symbol/elffile.h"
#include "unwind/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments of an allocation function, by number from 1 on; 0 = it has none such. */
struct allocator_args {
	uint8_t size;            /* bytes; 0 = it only frees */
	uint8_t times;           /* of so many elements */
	uint8_t old;             /* the block that is freed, or that it becomes another one of */
	uint8_t out;             /* where the pointer is stored to which it returns 0; 0 = it returns the pointer */
};

struct allocator_function {
	struct found_function at;        /* its name is as in the table of the source, and lives as long */
	struct allocator_args args;
	bool go;                 /* of Go: the size is in rax, and the block is not freed by a call */
	bool outer;              /* it may call another one of them, for the same block */
	uint32_t own;            /* number of OWN that says so, + 1; 0 = none */
};

typedef VEC(struct allocator_function) allocator_functions;

/*
 * A function that somebody says to be like one of these: "TARGET:FUNCTION=LIKE", with the arguments of LIKE in the
 * same order, or "TARGET:FUNCTION=LIKE(argN,...)", which says for each of them where FUNCTION has it; arg0 is the
 * first one. What LIKE only aligns by is named, too, and not used.
 */
struct own_allocator {
	const char *target;      /* what files are meant, as probes have it (probe_target_is()); TARGET_LEN bytes */
	size_t target_len;
	const char *function;    /* its symbol, of FUNCTION_LEN bytes */
	size_t function_len;
	const char *like;        /* of the table; as long as the program */
	struct allocator_args args;
};

/*
 * Reads TEXT, which *RET points into. -EINVAL with a sentence that says how it is written, and which functions there
 * are to be like.
 */
int own_allocator_read(const char *text, struct own_allocator *ret, struct err *e);

/*
 * Appends those of FILE, which is mapped as PATH, by address; the N at OWN, too. That there are none is no
 * error. 0, or -ENOMEM with a sentence. Free with vec_free().
 */
int find_allocators(const struct elf_file *file, const char *path, const struct own_allocator *own, size_t n,
		    allocator_functions *ret, struct err *e);

/*
 * The function of a program of Go that allocates, of FILE, which is IM, and has no symbols. False when it is no such
 * program.
 */
bool find_go_allocator(const struct elf_file *file, const struct image *im, struct allocator_function *ret);
/* Is FILE a program of Go in which one may be found: built by 1.18 or later, for a machine that is known? */
bool allocators_are_go(const struct elf_file *file);

#endif
