/* SPDX-License-Identifier: BSD-2-Clause */
/* byname.h - what plug-ins ask of an ELF file that is open (struct plugin_elf): symbols by name, and addresses. */
#ifndef SBERF_SYMBOL_BYNAME_H
#define SBERF_SYMBOL_BYNAME_H

#include <stdbool.h>
#include <stdint.h>

/* elf_named() of the file at FD (borrowed); without ALL elf_named_export(). */
bool elf_symbol_named(int fd, const char *name, bool all, uint64_t *ret_vaddr, uint64_t *ret_size);

/* The virtual address that is loaded from OFFSET of the file at FD, which is aligned to pages as mappings are. */
bool elf_vaddr_at(int fd, uint64_t offset, uint64_t *ret);

#endif
