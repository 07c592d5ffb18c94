/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * members.h - what a place inside a variable is called: ".lock", "[3].head.lock", by the types in debug information
 * (DWARF).
 */
#ifndef SBERF_SYMBOL_MEMBERS_H
#define SBERF_SYMBOL_MEMBERS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct members;
struct Dwarf;

/* DW must outlive it. NULL when out of memory. */
struct members *members_new(struct Dwarf *dw);
void members_free(struct members *m);            /* NULL is fine */

/*
 * The path of members, raw bytes, that leads to the place OFFSET bytes behind the begin of the variable at the virtual
 * address START, to DST; *RET_START: how far behind that begin the last member begins. It leads into structures,
 * base classes and arrays, and ends at what is none of these, at a union, before a number that a structure begins
 * with, and before names that begin with an underscore: what is inside a lock is its own. False when there is no
 * path. The first call goes through all variables of the debug information.
 */
#define MEMBERS_MAX 128
bool members_path(struct members *m, uint64_t start, uint64_t offset, char dst[MEMBERS_MAX], uint64_t *ret_start);

DEFINE_AUTO(members_free, struct members);

#endif
