/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * details.h - finds the debug information of a file of code, in the file itself or beside it. May
 * wait for a disk.
 */
#ifndef SBERF_SYMBOL_DETAILS_H
#define SBERF_SYMBOL_DETAILS_H

#include "symbol/debugfile.h"
#include "symbol/dwarf.h"
#include "symbol/elffile.h"

/*
 * The separate debug file of CODE, which the target knows as PATH (debugfile.h says where it is looked for); NULL
 * when there is none. It and *RET_FD, which it reads from, are the caller's.
 */
struct elf_file *details_file(const struct elf_file *code, const char *path,
			      const struct debug_places *where, int *ret_fd);

/*
 * Opens the debug information that DEBUG has, which is CODE itself or its debug file. 0, or a
 * negative errno with a sentence: it is too large, damaged, or lacks the part that it shares with
 * others (dwz).
 */
int details_open(const struct elf_file *code, const struct elf_file *debug, const char *path,
		 const struct debug_places *where, struct dwarf_info **ret, struct err *e);

#endif
