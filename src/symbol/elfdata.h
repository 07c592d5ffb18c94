/* SPDX-License-Identifier: BSD-2-Clause */
/* elfdata.h - the variable of an address in one ELF file: the few that are asked for are looked for one by one. */
#ifndef SBERF_SYMBOL_ELFDATA_H
#define SBERF_SYMBOL_ELFDATA_H

#include "symbol/elffile.h"

#include <stdbool.h>
#include <stdint.h>

struct elf_variable {
	char name[256];          /* raw bytes, NUL-terminated, cut at the end */
	uint64_t offset;         /* of the address in it */
	uint64_t size;           /* bytes */
};

/* The variable of FILE that covers the virtual address VADDR, by .symtab, else .dynsym; false when none does. */
bool elf_variable_find(const struct elf_file *file, uint64_t vaddr, struct elf_variable *ret);

#endif
