/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growing.h - keeps symbol tables that grow while they are used: those of the kernel (modules, BPF
 * programs) and of run-time compilers.
 *
 * A miss may mean that the table has grown: then it is read again, but seldom enough to cost
 * little. Both tables are zeroed when empty.
 */
#ifndef SBERF_SYMBOL_GROWING_H
#define SBERF_SYMBOL_GROWING_H

#include "symbol/jit.h"
#include "symbol/kernel.h"
#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct kernel_table {
	struct ksyms *syms;          /* NULL = not read yet */
	uint64_t not_before_ns;      /* when it may be read again */
	uint64_t patience_ns;        /* grows from 1 s to 64 s while reading again does not help */
};

struct jit_table {
	struct jit_syms *syms;       /* NULL = not read yet */
	struct timespec mtime;       /* of the file when it was read */
	int64_t size;
	uint64_t not_before_ns;
};

/* The function at ADDR; false when none is known. May read /proc/kallsyms. */
bool kernel_table_find(struct kernel_table *t, uint64_t addr, struct ksym *ret, struct symbolizer_stats *stats);
/* The same for MODULE, whose map OPENER opens; OPENER may be NULL: what was read before must do. */
bool jit_table_find(struct jit_table *t, const struct module_opener *opener, module_id module, uint64_t addr,
		    struct jit_sym *ret, struct symbolizer_stats *stats);

/* The next miss may read again at once, however lately that was done: for what was written at the end of a process. */
void jit_table_hurry(struct jit_table *t);

void kernel_table_clear(struct kernel_table *t);
void jit_table_clear(struct jit_table *t);

#endif
