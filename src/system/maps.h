/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maps.h - reads the text of /proc/PID/maps, one line at a time, and says what the name of a
 * mapping means.
 *
 * The format is that of proc_pid_maps(5): "start-end perms offset major:minor inode name". The
 * kernel writes a newline in a path as \012 and escapes nothing else, so a path that really
 * contains those four characters reads the same; whoever opens the file checks its identity anyway.
 */
#ifndef SBERF_SYSTEM_MAPS_H
#define SBERF_SYSTEM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end;     /* start < end */
	uint64_t pgoff;
	bool read, write, exec;
	bool shared;             /* else private: what is written is copied */
	uint32_t maj, min;
	uint64_t ino;
	const char *name;        /* into the caller's line, newlines restored; not NUL-terminated; "" = none */
	size_t name_len;
};

/*
 * Parses the LEN bytes at LINE (no newline at the end), which it may rewrite to restore newlines.
 * False when they are not a line of a maps file; *RET is unchanged then.
 */
bool maps_parse(char *line, size_t len, struct maps_line *ret);

/* What lies behind an executable mapping, judged by its name. */
enum map_what {
	WHAT_FILE,               /* a path, perhaps deleted, perhaps a memfd */
	WHAT_ANON,               /* memory without a file: JIT code, heap, stack */
	WHAT_VDSO,
	WHAT_SPECIAL,            /* another page that the kernel made */
};
enum map_what map_what(const char *name, size_t len);

/* Is that memory without a file that is meant to hold code: none at all, or one made for memory (memfd_create(2))? */
bool map_is_memory(const char *name, size_t len);
/*
 * Could the mapping from START to END, of a file from PGOFF on, be of whole huge pages of a file on
 * a hugetlbfs? Those have no device of their own: major number MAJ is 0. Files of programs and
 * libraries hardly ever look so.
 */
bool map_may_be_huge(uint32_t maj, uint64_t start, uint64_t end, uint64_t pgoff);

/* LEN without a trailing " (deleted)"; *RET_DELETED (may be NULL) says whether there was one. */
size_t map_name_len(const char *name, size_t len, bool *ret_deleted);

#endif
