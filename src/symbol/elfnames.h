/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elfnames.h - names of places in files of code: one table of symbols and one of debug information for each
 * module, read when it is first asked about.
 *
 * All bytes that are read here are somebody else's. So this runs in sberf, or in sberf-worker (names_worker.h), and
 * opens nothing by itself but separate debug files (target_root.h). One thread.
 */
#ifndef SBERF_SYMBOL_ELFNAMES_H
#define SBERF_SYMBOL_ELFNAMES_H

#include "base/cleanup.h"
#include "model/dict.h"
#include "symbol/placenames.h"
#include "symbol/symbolizer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Where files come from. Each is an fd of the asker's, or a negative errno. */
struct elf_names_files {
	int (*open)(void *ctx, module_id module, struct err *e);
	/* the root in which the path of MODULE means what it says; negative = ours */
	int (*root)(void *ctx, module_id module);
	/* the debug file with build-id ID from a server; WHAT names it for people */
	int (*debuginfo)(void *ctx, module_id module, const uint8_t *id, uint8_t id_len, const char *what);
	void *ctx;
	const _Atomic bool *stop;    /* once true, nothing is opened any more */
};

struct elf_names;

/*
 * FILES and SYMFS (a directory in which files and debug files are looked up first, NULL = none) are copied. STATS
 * receives counts, UNREAD the files that could not be read. NULL when out of memory.
 */
struct elf_names *elf_names_new(const struct elf_names_files *files, const char *symfs, struct symbolizer_stats *stats,
				struct unread *unread);
void elf_names_free(struct elf_names *n);        /* NULL is fine */

/*
 * Tells what module ID, a MODULE_FILE or MODULE_VDSO, is; PATH is as the target sees it, and functions that have
 * lost their names are called by CALLED. False when out of memory.
 */
bool elf_names_add(struct elf_names *n, module_id id, const struct module *m, const char *path, const char *called);
bool elf_names_knows(const struct elf_names *n, module_id id);
/* From now on functions of ID without a name are called by CALLED. */
void elf_names_call(struct elf_names *n, module_id id, const char *called);

/* The name of the place at OFFSET of ID, which is known, to ANSWER, which is empty: one by a symbol table, or none. */
bool elf_names_find(struct elf_names *n, module_id id, uint64_t offset, struct answer *answer);
/* The same with inlined calls, files and lines, as far as they can be found. */
bool elf_names_details(struct elf_names *n, module_id id, uint64_t offset, struct answer *answer);
/* False when it is known that ID has no details: no debug information that can be read. */
bool elf_names_may_detail(const struct elf_names *n, module_id id);
/* Why elf_names_find() has just said that there is no name. */
enum resolver_lack elf_names_lack(const struct elf_names *n, module_id id);

DEFINE_AUTO(elf_names_free, struct elf_names);

#endif
