/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit.h - reads which functions a run-time compiler made, from perf maps and jitdump files.
 *
 * A perf map is text, "START SIZE NAME" a line, hexadecimal (linux
 * tools/perf/Documentation/jit-interface.txt); blanks and tabs are taken as perf takes them
 * (dso__load_perf_map() in tools/perf/util/symbol.c). A jitdump file is binary records
 * (jitdump-specification.txt there), of which JIT_CODE_LOAD and JIT_CODE_MOVE matter here. Both are
 * written while they are read: what is not complete yet is left out and comes with the next
 * reading. Where functions overlap, the one told last wins.
 */
#ifndef SBERF_SYMBOL_JIT_H
#define SBERF_SYMBOL_JIT_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_syms;

struct jit_sym {
	uint64_t start, size;        /* virtual address in the process, bytes */
	const char *name;            /* raw bytes; as long as the table lives */
};

/*
 * Reads the regular file at FD (borrowed), of either kind: its first bytes tell. It must not be longer
 * than JIT_FILE_MAX (-EFBIG; perf maps only, of a jitdump file the code is skipped).
 */
#define JIT_FILE_MAX (256u << 20)
int jit_syms_read(int fd, struct jit_syms **ret, struct err *e);
/* The same from LEN bytes at DATA. */
int jit_syms_parse(const void *data, size_t len, struct jit_syms **ret, struct err *e);
void jit_syms_free(struct jit_syms *j);          /* NULL is fine */

bool jit_syms_find(const struct jit_syms *j, uint64_t addr, struct jit_sym *ret);

size_t jit_syms_count(const struct jit_syms *j);
size_t jit_syms_refused(const struct jit_syms *j);       /* lines and records that make no sense or go beyond a limit */

DEFINE_AUTO(jit_syms_free, struct jit_syms);

#endif
