/* SPDX-License-Identifier: BSD-2-Clause */
/* part.c - cuts and compares parts of texts; an empty part may have no address. */
#include "config.h"

#include "base/part.h"

#include "base/parse.h"

#include <string.h>

struct part part_cut(struct part *in, char c)
{
	const char *at = in->len ? memchr(in->s, c, in->len) : NULL;
	const struct part before = { in->s, at ? (size_t)(at - in->s) : in->len };
	const size_t used = before.len + (at ? 1 : 0);

	if (used)        /* or *IN may have no address */
		*in = (struct part){ in->s + used, in->len - used };
	return before;
}

bool part_same(struct part a, struct part b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

bool part_is(struct part part, const char *text)
{
	return part_same(part, (struct part){ text, strlen(text) });
}

bool part_begins(struct part part, const char *with)
{
	const size_t n = strlen(with);

	return part.len >= n && part_is((struct part){ part.s, n }, with);
}

bool part_ends(struct part part, const char *with)
{
	const size_t n = strlen(with);

	return part.len >= n && part_is((struct part){ part.s + (part.len - n), n }, with);
}

bool part_number(struct part part, uint64_t *ret)
{
	const char *at = part.s;
	uint64_t v;

	if (!part.len || !parse_dec(&at, part.s + part.len, &v) || at != part.s + part.len)
		return false;
	*ret = v;
	return true;
}
