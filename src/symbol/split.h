/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * split.h - finds the other half of a unit of split DWARF (-gsplit-dwarf): functions and inlined
 * calls are in a file of their own, "x.dwo", beside the program or where it was compiled.
 *
 * libdw finds and opens this file by itself, by names that stand in the program, without looking at
 * what is there. So this module looks first at what libdw is going to open, and lets it open only
 * regular files of a bounded size. libdw knows packages of such files (.dwp) since elfutils 0.191.
 */
#ifndef SBERF_SYMBOL_SPLIT_H
#define SBERF_SYMBOL_SPLIT_H

#include "base/err.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* True when UNIT, the DIE of a unit, says that most of it is in another file. */
bool split_is(Dwarf_Die *unit);

/*
 * Has libdw open the other half of UNIT, of a file that is open at FD, unless it takes more than
 * MAX bytes. It is looked for in ROOT, then in our own root (target_root.h). *RET is the DIE of it
 * then, *RET_BYTES what it takes. 0, or a negative errno with a sentence about which file is
 * missing, or what is wrong with it.
 */
int split_open(Dwarf_Die *unit, int fd, int root, uint64_t max, Dwarf_Die *ret, uint64_t *ret_bytes, struct err *e);

#endif
