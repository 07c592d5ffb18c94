/* SPDX-License-Identifier: BSD-2-Clause */
/* elfnamed.h - finds a symbol of an ELF file by its name, as it stands there. */
#ifndef SBERF_SYMBOL_ELFNAMED_H
#define SBERF_SYMBOL_ELFNAMED_H

#include "symbol/elffile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The defined symbol NAME of FILE: its virtual address to *RET_VADDR, and its size, 0 = unknown, to *RET_SIZE. Of
 * those that it exports; if it has none of that name, also of others (.symtab). False: there is none.
 */
bool elf_named(const struct elf_file *file, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size);
/* The same of those that it exports; by its hash table that is quick where there is none. */
bool elf_named_export(const struct elf_file *file, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size);

#endif
