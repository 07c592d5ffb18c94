/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plt.h - which function each entry of a procedure linkage table jumps to. Code of the table is per machine: plt_*.c.
 */
#ifndef SBERF_SYMBOL_PLT_H
#define SBERF_SYMBOL_PLT_H

#include "symbol/elffile.h"

#include <stdint.h>

/* The entry of SIZE bytes at virtual address VADDR calls dynamic symbol SYM (index in .dynsym, not checked). */
typedef void plt_fn(void *ctx, uint64_t vaddr, uint32_t size, uint32_t sym);

/* Calls EACH for every entry of .plt, .plt.sec and .plt.got that can be told; files for other machines have none. */
void plt_x86_64(const struct elf_file *f, plt_fn *each, void *ctx);

#endif
