/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * part.h - a part of a text that is somewhere else: readers cut and compare it where it is, without
 * copies. Nothing terminates it, and nothing behind it is read. Comparisons are inline: an import makes
 * them for each word of millions of lines.
 */
#ifndef SBERF_BASE_PART_H
#define SBERF_BASE_PART_H

#include "base/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct part {
	const char *s;           /* of no bytes it may be NULL */
	size_t len;
};

/* What precedes the next C of *IN, which moves behind it; all of *IN when it has no C. */
struct part part_cut(struct part *in, char c);

static inline bool part_same(struct part a, struct part b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

static inline bool part_is(struct part part, const char *text)
{
	return part_same(part, (struct part){ text, strlen(text) });
}

static inline bool part_begins(struct part part, const char *with)
{
	const size_t n = strlen(with);

	return part.len >= n && part_is((struct part){ part.s, n }, with);
}

static inline bool part_ends(struct part part, const char *with)
{
	const size_t n = strlen(with);

	return part.len >= n && part_is((struct part){ part.s + (part.len - n), n }, with);
}

/* All of PART is digits, and their number fits; else *RET stays. */
static inline bool part_number(struct part part, uint64_t *ret)
{
	const char *at = part.s;
	uint64_t v;

	if (!part.len || !parse_dec(&at, part.s + part.len, &v) || at != part.s + part.len)
		return false;
	*ret = v;
	return true;
}

#endif
