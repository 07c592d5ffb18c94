/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debugfile.h - finds the separate debug file of a stripped file, and opens foreign files safely.
 *
 * By build-id first: DIR/xx/yyyy.debug in /usr/lib/debug/.build-id of each place and
 * symfs/.build-id. Then by the name and checksum in .gnu_debuglink: beside the file, in .debug/
 * beside it, and in /usr/lib/debug + its directory. What is found must have the same build-id, or
 * the checksum where there is no build-id.
 */
#ifndef SBERF_SYMBOL_DEBUGFILE_H
#define SBERF_SYMBOL_DEBUGFILE_H

#include "symbol/elffile.h"

#include <stdbool.h>

/* Where files are looked for. */
struct debug_places {
	const char *symfs;       /* a directory that comes first; NULL = none */
	/* the root that the target sees (O_PATH), when that is not ours: it comes before ours; -1 = none */
	int root;
};

/* PATH for reading; never blocks in open() on a FIFO or terminal. Regular files only; a negative errno otherwise. */
int regular_open(const char *path);

/*
 * The debug file of F, which the target knows as PATH, in one of the places WHERE.
 * Returns an fd owned by the caller, -ENOENT when there is none.
 */
int debugfile_open(const struct elf_file *f, const char *path, const struct debug_places *where);

/* The same for the file with the build-id ID of LEN bytes alone, as debug information is kept. */
int debugfile_open_build_id(const uint8_t *id, uint8_t len, const struct debug_places *where);

/*
 * The same for the file of shared debug information (dwz) that the .gnu_debugaltlink of DEBUG
 * names, found as PATH was.
 */
int debugfile_open_alt(const struct elf_file *debug, const char *path, const struct debug_places *where);

#endif
