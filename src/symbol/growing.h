/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growing.h - symbol tables that grow while they are used: that of the kernel (modules, BPF programs), and
 * the pause between two readings of any of them.
 *
 * A miss may mean that the table has grown: then it is read again, but seldom enough to cost little.
 */
#ifndef SBERF_SYMBOL_GROWING_H
#define SBERF_SYMBOL_GROWING_H

#include "symbol/kernel.h"
#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed when empty. */
struct kernel_table {
	struct ksyms *syms;          /* NULL = not read yet */
	uint64_t not_before_ns;      /* when it may be read again */
	uint64_t patience_ns;        /* grows from 1 s to 64 s while reading again does not help */
};

/*
 * When a table may be read again, of which a reading that began at START_NS (CLOCK_MONOTONIC) has just ended:
 * PATIENCE_NS from now, or 20 times as long as it took.
 */
uint64_t growing_pause(uint64_t start_ns, uint64_t patience_ns);

/* The function at ADDR; false when none is known. May read /proc/kallsyms. */
bool kernel_table_find(struct kernel_table *t, uint64_t addr, struct ksym *ret, struct symbolizer_stats *stats);
/* The variable at ADDR, in the list as it is: it is read when there is none. */
bool kernel_table_find_variable(struct kernel_table *t, uint64_t addr, struct ksym *ret,
				struct symbolizer_stats *stats);
void kernel_table_clear(struct kernel_table *t);

#endif
