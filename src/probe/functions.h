/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - all functions of an ELF file by all of their names, and those that a probe means.
 *
 * symbol/elfsyms.h keeps one name of each address, to name a frame. A probe may use any of them:
 * "malloc" and "__libc_malloc" are one place. Names come from .symtab, of the file or of its debug
 * file, .gnu_debugdata and .dynsym, without symbol versions.
 *
 * A name is compared as a person writes it: with the symbol ("_ZN1A1fEi"), with the demangled name
 * ("A::f(int)"), and with that without parameters and return type ("A::f"). A copy of a function
 * that the compiler made for some callers (".constprop.0", ".isra.0") is the function; its unlikely
 * or split-off parts (".cold", ".part.0") are not.
 */
#ifndef SBERF_PROBE_FUNCTIONS_H
#define SBERF_PROBE_FUNCTIONS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "probe/spec.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_FOUND_MAX 10000u       /* places that one probe may mean */

struct functions;

/*
 * Reads the functions of FILE; DEBUG is its separate debug file or NULL. Neither is needed
 * afterwards, except by who asks for more of them. Damaged tables are left out and counted; that a
 * file has no functions is no error. 0, -ENOMEM.
 */
int functions_new(const struct elf_file *file, const struct elf_file *debug, struct functions **ret, struct err *e);
void functions_free(struct functions *f);        /* NULL is fine */

size_t functions_damaged(const struct functions *f);     /* tables and symbols that could not be used */

struct found_function {
	uint64_t vaddr;          /* of the place, as an ELF virtual address */
	uint64_t offset;         /* the same in the file: what is given to the kernel */
	uint64_t start;          /* virtual address of the function that holds it; vaddr when that is not known */
	uint64_t size;           /* of that function, bytes; 0 = not known */
	const char *symbol;      /* the best name that matched, as the file has it; "" for an offset without function */
	const char *name;        /* the same as people write it, with parameters */
	uint32_t names;          /* how many names of this place matched */
	bool at_entry;           /* the place is the first instruction of the function */
	bool inlined;            /* it is where a call of the function that is meant was inlined */
	/*
	 * The symbol is a resolver (STT_GNU_IFUNC): it runs once at start and returns the address of the
	 * real function, "memcpy" that of "__memmove_avx_unaligned". Probing it sees no calls.
	 */
	bool resolver;
};

typedef VEC(struct found_function) found_functions;

/*
 * Appends the places of F that P means, by address, each once. P is of kind PROBE_ENTRY, _RETURN or
 * _CALL; its target is not looked at. Texts live as long as F. Demangles what can match: the calling
 * thread needs DEMANGLE_STACK (symbol/demangle.h) for hostile files. Returns how many; -ENOENT with
 * a sentence when there is none, with the nearest name; -E2BIG with their number for more than
 * FUNCTIONS_FOUND_MAX; -ENOENT for lines, which find_code_places() knows; -ERANGE for an offset
 * outside of the function, or of all code; -EINVAL, -ENOMEM. Free with vec_free().
 */
int find_functions(struct functions *f, const struct spec_point *p, found_functions *ret, struct err *e);

struct params;

/*
 * Appends the places in the code of FILE, whose functions are F, that P means by debug information D (symbol/params.h):
 * those of a line (SPEC_LINE), once in each function and inlined call; or those where a function of that name was
 * inlined (SPEC_EXACT). Their names say where they are. A place at which no instruction begins is left out. Returns how
 * many; -ENOENT with a sentence for a line that has none, -E2BIG, -ENOMEM.
 */
int find_code_places(struct functions *f, const struct elf_file *file, struct params *d, const struct spec_point *p,
		     found_functions *ret, struct err *e);

/* A piece of code that a symbol covers. */
struct function_part {
	uint64_t vaddr, offset, size;
};

/*
 * Whether what covers the virtual address VADDR is an unlikely part (".cold", ".cold.1") of the
 * function that begins at START, by any of its names. *RET is set when it is.
 */
bool functions_cold_part(const struct functions *f, uint64_t start, uint64_t vaddr, struct function_part *ret);

/* Whether SYMBOL is the name of an unlikely part. */
bool functions_is_cold(const char *symbol);

/* Whether a function begins in the SIZE bytes from VADDR on. */
bool functions_begin_in(const struct functions *f, uint64_t vaddr, uint64_t size);

/* Whether VADDR is in a function, and not at its begin. */
bool functions_inside(const struct functions *f, uint64_t vaddr);

/*
 * Whether the file PATH is what TARGET of a probe names: with a slash, the same path; without, its
 * base name, with or without what stands behind ".so" and versions: "libc" and "libc.so.6" are
 * /usr/lib/libc.so.6, "libstdc++.so.6" is libstdc++.so.6.0.30. "" names every file. Whoever has
 * links resolves them before. Pure.
 */
bool probe_target_is(const char *target, const char *path);

DEFINE_AUTO(functions_free, struct functions);

#endif
