/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - one raw capture: registers, stack bytes and mappings of a thread at one moment, in memory or in a file.
 *
 * With it the unwinder runs without a kernel and without privileges. The file is text, one item a line, numbers in hex:
 *
 *	sberf-capture 1
 *	machine NUMBER                  ELF e_machine
 *	regs VALUE...                   DWARF order, pc last
 *	segment ADDR FLAGS              FLAGS: u = ended at an unreadable page, i = interrupted stack, - = none
 *	bytes HEX                       up to 32 bytes, appended to the segment above
 *	image SIZE                      an ELF file of SIZE bytes, zero where nothing else is said
 *	at OFFSET HEX                   bytes of the image above
 *	map START END PGOFF STATE IMAGE STATE: enum map_state; IMAGE: index of an image above, or - for none
 *	expect CUT                      what the walk must come to: enum cut_reason by name
 *	frame MODULE OFFSET             each frame of it; MODULE = index of the map, counted from 0
 */
#ifndef SBERF_TESTS_UNWIND_FIXTURE_H
#define SBERF_TESTS_UNWIND_FIXTURE_H

#include "base/vec.h"
#include "unwind/unwind.h"

#include <stdio.h>
#include <sys/types.h>

struct fixture_map {
	struct unwind_map map;
	char path[512];                  /* as in /proc/PID/maps; "" when read from a file */
};

struct fixture {
	struct unwind_input input;        /* segments point to SEG */
	uint8_t *seg[RAW_SEGMENTS_MAX];
	VEC(struct fixture_map) maps;
	VEC(struct image *) images;      /* owned; maps point to them */
	struct chain *expect;            /* NULL = the file has no expectation */
};

void fixture_free(struct fixture *fx);
struct unwind_space fixture_space(struct fixture *fx);

/* False with a sentence on stderr when the file is not as described above. */
bool fixture_read(FILE *f, struct fixture *fx);

/* Writes FX and what it must come to. The files behind its maps are read from their paths. */
bool fixture_write(FILE *f, const struct fixture *fx, const struct chain *expect);

/* The address that frame FR of a chain over FX was looked up at; 0 when its module is unknown. */
uint64_t fixture_address(const struct fixture *fx, const struct frame *fr);

#endif
