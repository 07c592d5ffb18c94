/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elfsyms.h - finds the function of an address in one ELF file: one sorted array, searched in O(log
 * n).
 *
 * It is made of .symtab (of the file, else of its separate debug file), .gnu_debugdata, .dynsym
 * and, as "name@plt", of the procedure linkage table. An address has the symbol that covers it and
 * starts last. A symbol without a size reaches to the next one, to the next function that the
 * unwind tables know (ehframe.h) or to the end of its section when it comes from a .symtab, and
 * covers only its own address when it does not. Names are those of the file (mangled, raw bytes)
 * without a version ("@@GLIBC_2.2.5"; symver.h).
 */
#ifndef SBERF_SYMBOL_ELFSYMS_H
#define SBERF_SYMBOL_ELFSYMS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_syms;

struct elf_sym {
	uint64_t start, size;        /* ELF virtual address, bytes */
	const char *name;            /* as long as the table lives */
	uint32_t *user;              /* a number for the caller, 0 at first, one per symbol */
};

/*
 * Reads the symbols of FILE; DEBUG is its separate debug file or NULL. Damaged tables are left out (see
 * elf_syms_damaged()): that a file has no symbols at all is not an error. Neither file is needed afterwards.
 */
int elf_syms_new(const struct elf_file *file, const struct elf_file *debug, struct elf_syms **ret, struct err *e);
void elf_syms_free(struct elf_syms *s);          /* NULL is fine */

/* The symbol that covers virtual address VADDR; false when none does. */
bool elf_syms_find(const struct elf_syms *s, uint64_t vaddr, struct elf_sym *ret);

/* True when FILE has a .symtab of its own, so that a debug file is not needed for names. */
bool elf_syms_complete(const struct elf_file *file);

size_t elf_syms_count(const struct elf_syms *s);
size_t elf_syms_damaged(const struct elf_syms *s);       /* tables and entries that could not be used */
size_t elf_syms_bytes(const struct elf_syms *s);         /* memory held */

DEFINE_AUTO(elf_syms_free, struct elf_syms);

#endif
