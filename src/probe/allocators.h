/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocators.h - finds the functions of an ELF file that allocate and free memory, and says where each
 * of them gets its sizes and pointers: glibc, musl, jemalloc, tcmalloc, mimalloc, whatever else defines
 * the functions of malloc(3) by their names, and C++ operators that do not only forward to these.
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

#include <stdbool.h>
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
	bool outer;              /* it may call another one of them, for the same block */
};

typedef VEC(struct allocator_function) allocator_functions;

/*
 * Appends those of FILE, by address. That there are none is no error. 0, or -ENOMEM with a sentence. Free
 * with vec_free().
 */
int find_allocators(const struct elf_file *file, allocator_functions *ret, struct err *e);

#endif
