/* SPDX-License-Identifier: BSD-2-Clause */
/* part.c - cuts parts of texts; the rest of part.h is inline. */
#include "config.h"

#include "base/part.h"

struct part part_cut(struct part *in, char c)
{
	const char *at = in->len ? memchr(in->s, c, in->len) : NULL;
	const struct part before = { in->s, at ? (size_t)(at - in->s) : in->len };
	const size_t used = before.len + (at ? 1 : 0);

	if (used)        /* or *IN may have no address */
		*in = (struct part){ in->s + used, in->len - used };
	return before;
}
