/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf.h - finds inlined calls, files and lines of an address, from the DWARF (2 to 5) of one
 * file.
 *
 * A map from addresses to compilation units is made at once; each unit is indexed when an address
 * in it is first asked for. Sections are read into memory and never mapped. The other halves of
 * split units (.dwo) are opened with the index of their unit; without them there are lines, no
 * inlined calls, and dwarf_info_lacks() says why.
 */
#ifndef SBERF_SYMBOL_DWARF_H
#define SBERF_SYMBOL_DWARF_H

#include "base/cleanup.h"
#include "base/err.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_info;

struct dwarf_place {
	const char *func;        /* linkage name, else plain name; NULL = unknown */
	uint32_t *user;          /* a number for the caller, 0 at first, one per DIE */
	const char *file;        /* "" = unknown */
	const char *dir;         /* where the compiler ran: what a relative FILE is relative to; "" = unknown */
	uint32_t line;           /* 0 = unknown */
};

/* True when F has debug information to open. */
bool dwarf_info_present(const struct elf_file *f);

/*
 * Opens the debug information of F, which must be in a file; its fd is duplicated. ALT_FD is the
 * file of shared debug information (dwz) that it refers to, or -1; it is duplicated too. CODE_START
 * is the lowest address of code: ranges below are what linkers leave of removed functions. ROOT is
 * the root that the target sees, or -1 when that is ours (target_root.h): the other halves of split
 * units are looked for there first; it is duplicated. -EFBIG when there is more of it than
 * DWARF_BYTES_MAX.
 */
#define DWARF_BYTES_MAX (1ull << 30)
int dwarf_info_open(const struct elf_file *f, int alt_fd, int root, uint64_t code_start,
		    struct dwarf_info **ret, struct err *e);
void dwarf_info_free(struct dwarf_info *d);      /* NULL is fine */

/*
 * What is at virtual address VADDR: up to MAX places, innermost first, valid until
 * dwarf_info_free() or the next call. The last one is the function itself, unless there are more
 * than MAX. A place without a function (assembly) has only a line. Returns how many places there
 * are; 0 = nothing is known.
 */
size_t dwarf_info_find(struct dwarf_info *d, uint64_t vaddr, struct dwarf_place *place, size_t max);

/* Of libdw, for others that read the same debug information (members.h); it lives as long as D. */
struct Dwarf;
struct Dwarf *dwarf_info_dwarf(struct dwarf_info *d);

/* A sentence about what was missing when it was asked for, as the files of split units; NULL = nothing so far. */
const char *dwarf_info_lacks(const struct dwarf_info *d);
/* What the debug sections of F take in memory when they are unpacked; UINT64_MAX when that is absurd. */
uint64_t dwarf_debug_bytes(const struct elf_file *f);

/* Bytes held: sections, indexes, line tables. */
size_t dwarf_info_bytes(const struct dwarf_info *d);
/* Parts that could not be read or went beyond a limit. */
size_t dwarf_info_damaged(const struct dwarf_info *d);

DEFINE_AUTO(dwarf_info_free, struct dwarf_info);

#endif
