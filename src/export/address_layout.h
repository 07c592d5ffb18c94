/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address_layout.h - assigns addresses for formats that want addresses instead of places in files.
 * Private to exporters.
 *
 * They are those of a process in which every file is mapped once, from its beginning, one behind
 * the other: a sum over processes has no real ones. The kernel is where it is without
 * randomisation, and code without a file where it was.
 */
#ifndef SBERF_EXPORT_ADDRESS_LAYOUT_H
#define SBERF_EXPORT_ADDRESS_LAYOUT_H

#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_KERNEL 0xffffffff81000000ull      /* of _text: arch/x86/include/asm/page_64_types.h */

/* The address range of a module. */
struct span {
	uint64_t base;           /* added to offsets gives addresses */
	/* offsets between which all frames lie, at page borders; HIGH is exclusive, 0 = there are none */
	uint64_t low, high;
};

/*
 * Lays out all modules of D, for all its frames: an array by module id, to be freed with free().
 * NULL when out of memory.
 */
struct span *layout_modules(const struct dict *d);

/* The address of FRAME. Notes have none: 0. */
uint64_t layout_address(const struct span *modules, const struct dict *d, frame_id frame);

#endif
