/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plt.h - finds the function to which each entry of a procedure linkage table (PLT) jumps: the code
 * of an entry names a slot of the GOT, and the relocation of that slot names the function. Code of
 * the table is per machine: plt_*.c.
 */
#ifndef SBERF_SYMBOL_PLT_H
#define SBERF_SYMBOL_PLT_H

#include "symbol/elffile.h"

#include <stddef.h>
#include <stdint.h>

/* The entry of SIZE bytes at virtual address VADDR calls dynamic symbol SYM (index in .dynsym, not checked). */
typedef void plt_fn(void *ctx, uint64_t vaddr, uint32_t size, uint32_t sym);

/*
 * Calls EACH for every entry of .plt, .plt.sec and .plt.got that can be told; files for machines
 * that are not known have none.
 */
void plt_entries(const struct elf_file *f, plt_fn *each, void *ctx);

/*
 * For plt_*.c. A table: LEN bytes of code that run at VADDR, in entries of ENTRY_SIZE bytes, as its
 * section says (0 = it does not).
 */
struct plt_table {
	const uint8_t *code;
	size_t len;
	uint64_t vaddr, entry_size;
	const struct plt_relocs *relocs;
	plt_fn *each;
	void *ctx;
};

/* The symbol that the GOT slot at the address GOT is filled with; 0 = that is not known. */
uint32_t plt_symbol_of_slot(const struct plt_relocs *r, uint64_t got);
/* The symbol of relocation INDEX of .rela.plt; 0 = there is none. */
uint32_t plt_symbol_of_index(const struct plt_relocs *r, uint32_t index);

/* Tell the entries of T to its EACH. */
void plt_read_x86_64(const struct plt_table *t);
void plt_read_aarch64(const struct plt_table *t);

#endif
