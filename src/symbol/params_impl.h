/* SPDX-License-Identifier: BSD-2-Clause */
/* params_impl.h - shared by params.c and params_text.c. */
#ifndef SBERF_SYMBOL_PARAMS_IMPL_H
#define SBERF_SYMBOL_PARAMS_IMPL_H

#include "symbol/params.h"

#include "base/vec.h"

#include <elfutils/libdw.h>

/* A function, and where it is described. */
struct params_function {
	uint64_t pc;
	Dwarf_Off die;
};

struct params {
	int fd;
	Elf *elf;
	Dwarf *dw;
	bool listed;                     /* functions are known, by address */
	VEC(struct params_function) functions;
};

#endif
