/* SPDX-License-Identifier: BSD-2-Clause */
/* params_impl.h - shared by params.c, params_text.c and members.c. */
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

/* The type of DIE without names and qualifiers; false = void, or unknown. */
bool params_type_of(Dwarf_Die *die, Dwarf_Die *ret);
/* The number that DIE has as its attribute NAME; 0 = none. */
uint64_t params_number_of(Dwarf_Die *die, unsigned int name);

#endif
