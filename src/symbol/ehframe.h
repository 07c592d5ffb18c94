/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ehframe.h - finds where functions start, from the unwind tables, for code that has lost its
 * symbols.
 *
 * The search table of .eh_frame_hdr (LSB 5.0 Core, section 10.6) lists the first address of every
 * piece of code that has call-frame information, sorted. On stripped binaries it is what tells that
 * two addresses belong to one function.
 */
#ifndef SBERF_SYMBOL_EHFRAME_H
#define SBERF_SYMBOL_EHFRAME_H

#include "base/cleanup.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fde_starts;

struct fde_start {
	uint64_t start, size;    /* ELF virtual address, bytes */
	uint32_t *user;          /* a number for the caller, 0 at first, one per start */
};

/*
 * Reads the table of FILE, which is not needed afterwards. NULL when it has none of the usual form,
 * or out of memory.
 */
struct fde_starts *fde_starts_new(const struct elf_file *file);
void fde_starts_free(struct fde_starts *t);      /* NULL is fine */

/* The piece of code that covers VADDR; false when none does. */
bool fde_starts_find(const struct fde_starts *t, uint64_t vaddr, struct fde_start *ret);

/* The first start behind VADDR that is below END; END when there is none. T may be NULL. */
uint64_t fde_starts_bound(const struct fde_starts *t, uint64_t vaddr, uint64_t end);

size_t fde_starts_bytes(const struct fde_starts *t);     /* memory held */

DEFINE_AUTO(fde_starts_free, struct fde_starts);

#endif
