/* SPDX-License-Identifier: BSD-2-Clause */
/* policy.c - see policy.h. */
#include "config.h"

#include "numa/policy.h"

#include "system/listtext.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* include/uapi/linux/mempolicy.h, by number; its header is not everywhere, and older ones lack the later names. */
static const char *const modes[] = {
	"default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted-interleave",
};

static bool policy_has(const uint64_t *nodes, unsigned int node)
{
	return nodes[node / 64] >> (node % 64) & 1;
}

/* NODES as "0-1,3" in SIZE bytes at DST. */
static void policy_put_nodes(char *dst, size_t size, const uint64_t *nodes, unsigned int nr)
{
	struct list_text l = list_text(dst, size);
	char item[24];

	for (unsigned int from = 0, to; from < nr; from = to + 1) {
		to = from;
		if (!policy_has(nodes, from))
			continue;
		while (to + 1 < nr && policy_has(nodes, to + 1))
			to++;
		if (to > from)
			snprintf(item, sizeof(item), "%u-%u", from, to);
		else
			snprintf(item, sizeof(item), "%u", from);
		list_text_add(&l, item, strlen(item));
	}
}

char *policy_text(char *dst, size_t size, unsigned int mode, const uint64_t *nodes, unsigned int nr)
{
	const char *name = mode < sizeof(modes) / sizeof(modes[0]) ? modes[mode] : "other";
	size_t used;

	snprintf(dst, size, "%s", name);
	used = strlen(dst);
	if (!mode)
		return dst;
	dst[used] = ':';
	policy_put_nodes(dst + used + 1, size - used - 1, nodes, nr);
	if (!dst[used + 1])
		dst[used] = '\0';
	return dst;
}
