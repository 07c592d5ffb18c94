/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symver.h - separates the version of a symbol from its name.
 *
 * Linkers write the version into the names of .symtab: "name@@VER" for the one that is linked
 * against, "name@VER" for older ones. Some languages have '@' in their names, so "@VER" counts only
 * where VER is a version that the file defines or needs.
 */
#ifndef SBERF_SYMBOL_SYMVER_H
#define SBERF_SYMBOL_SYMVER_H

#include "base/cleanup.h"
#include "symbol/elffile.h"

#include <stddef.h>

struct symvers;

/*
 * The versions of FILE (.gnu.version_d, .gnu.version_r), which is not needed afterwards. NULL when
 * it has none, or out of memory.
 */
struct symvers *symvers_new(const struct elf_file *file);
void symvers_free(struct symvers *v);            /* NULL is fine */

/*
 * How many of the LEN bytes at NAME, a name of .symtab, stand before its version; LEN when it has
 * none. V may be NULL.
 */
size_t symvers_cut(const struct symvers *v, const char *name, size_t len);

DEFINE_AUTO(symvers_free, struct symvers);

#endif
