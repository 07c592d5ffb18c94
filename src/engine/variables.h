/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * variables.h - what is at an address of data in a process: a variable of a file that it maps, its
 * heap, a stack.
 *
 * By /proc/PID/maps as it is now, and the symbol tables of the files (and of their debug files). What
 * a file leaves zero (.bss) lies behind its last mapping and belongs to it. May wait for a disk.
 */
#ifndef SBERF_ENGINE_VARIABLES_H
#define SBERF_ENGINE_VARIABLES_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct variables;

/* Reads what the process PID has mapped. -ESRCH, -EACCES, -ENOMEM. */
int variables_new(pid_t pid, struct variables **ret, struct err *e);
void variables_free(struct variables *v);        /* NULL is fine */

/*
 * What ADDRESS is called, to DST of SIZE bytes, raw: "db_lock", "pool.lock" where debug information tells, else
 * "pool+0x28"; "libfoo.so.1+0x4040" where no variable is known, "heap", "stack"; "" for other memory, or what is not
 * mapped.
 */
void variables_name(const struct variables *v, uint64_t address, char *dst, size_t size);

/* The file behind the mapping of ADDRESS, when writes to it are seen by others who map it; false when it is private. */
struct variables_shared {
	uint32_t maj, min;
	uint64_t ino;
};
bool variables_shared(const struct variables *v, uint64_t address, struct variables_shared *ret);
/* Has the process mapped that file so, too? */
bool variables_shares(const struct variables *v, const struct variables_shared *file);

DEFINE_AUTO(variables_free, struct variables);

#endif
