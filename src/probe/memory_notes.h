/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_notes.h - programs that sample the memory which they allocate by themselves, and tell of it by
 * static probes with the names of OpenTelemetry: otel_memory:alloc(address, bytes, bytes that the block
 * stands for) and otel_memory:free(address), of sampled blocks; and whether the library of src/preload can
 * be put into a program that does not.
 */
#ifndef SBERF_PROBE_MEMORY_NOTES_H
#define SBERF_PROBE_MEMORY_NOTES_H

#include "base/err.h"
#include "probe/usdt.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <sys/types.h>

#define MEMORY_NOTES_LIBRARY "libsberf-memory.so"        /* that of src/preload */
#define MEMORY_NOTES_PROVIDER "otel_memory"
#define MEMORY_NOTES_ALLOC "alloc"
#define MEMORY_NOTES_FREE "free"
#define MEMORY_NOTES_ALLOC_ARGS 3u
/* of ours, a second one: the thread has allocated nothing since */
#define MEMORY_NOTES_FREE_ARGS 2u

/*
 * Appends the static probes of that provider in F. Returns how many; 0 when there are none; -ENOMEM with a
 * sentence. Free with vec_free().
 */
int memory_notes_find(const struct elf_file *f, usdt_sites *ret, struct err *e);

/* Has F a loader, which puts libraries beside it before it begins? */
bool memory_notes_has_loader(const struct elf_file *f);

/*
 * Whether a library can be put into the program in FILE, or into that which runs it as a script, when a user
 * UID of group GID starts it. 0 = it can; 1 = it need not be, as the program samples by itself; -EOPNOTSUPP
 * with a sentence that says why not; another negative errno with one when the file cannot be read.
 */
int memory_notes_preloadable(const char *file, uid_t uid, gid_t gid, struct err *e);

#endif
