/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * part.h - a part of a text that is somewhere else: readers cut and compare it where it is, without
 * copies. Nothing terminates it, and nothing behind it is read.
 */
#ifndef SBERF_BASE_PART_H
#define SBERF_BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct part {
	const char *s;           /* of no bytes it may be NULL */
	size_t len;
};

/* What precedes the next C of *IN, which moves behind it; all of *IN when it has no C. */
struct part part_cut(struct part *in, char c);

bool part_is(struct part part, const char *text);
bool part_same(struct part a, struct part b);
bool part_begins(struct part part, const char *with);
bool part_ends(struct part part, const char *with);

/* All of PART is digits, and their number fits; else *RET stays. */
bool part_number(struct part part, uint64_t *ret);

#endif
