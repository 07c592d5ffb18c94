/* SPDX-License-Identifier: BSD-2-Clause */
/* functions_impl.h - what is behind functions.h. Private to functions.c and find_functions.c. */
#ifndef SBERF_PROBE_FUNCTIONS_IMPL_H
#define SBERF_PROBE_FUNCTIONS_IMPL_H

#include "base/arena.h"
#include "probe/functions.h"

struct function_symbol {
	uint64_t vaddr, size;
	uint32_t name;           /* offset in text */
	bool resolver;
};

/* A piece of executable code of the file. */
struct code_range {
	uint64_t start, end;     /* virtual addresses */
	uint64_t offset;         /* of start, in the file */
};

struct functions {
	VEC(struct function_symbol) symbol;      /* by address, then name */
	VEC(char) text;
	VEC(struct code_range) code;
	struct arena names;      /* demangled ones that were handed out */
	size_t damaged;
	bool nomem;
};

/* Between virtual addresses of code and offsets in the file; false outside of code. */
bool functions_offset(const struct functions *f, uint64_t vaddr, uint64_t *ret);
bool functions_vaddr(const struct functions *f, uint64_t offset, uint64_t *ret);

/* Whether a function whose symbol is SYMBOL is one that P, of SPEC_EXACT, means. */
bool functions_is_called(const struct spec_point *p, const char *symbol);

#endif
