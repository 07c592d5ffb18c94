/* SPDX-License-Identifier: BSD-2-Clause */
/* nodeset.h - a set of NUMA nodes by number; as text "0-1,3". */
#ifndef SBERF_MODEL_NODESET_H
#define SBERF_MODEL_NODESET_H

#include "model/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct nodeset {
	uint64_t word[NODES_MAX / 64];
};

static inline bool nodeset_has(const struct nodeset *s, unsigned int node)
{
	return node < NODES_MAX && s->word[node / 64] >> (node % 64) & 1;
}

static inline void nodeset_add(struct nodeset *s, unsigned int node)
{
	if (node < NODES_MAX)
		s->word[node / 64] |= UINT64_C(1) << (node % 64);
}

static inline bool nodeset_empty(const struct nodeset *s)
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < NODES_MAX / 64; i++)
		any |= s->word[i];
	return !any;
}

/*
 * Adds the nodes of "0-1,3" to *RET. False for anything else, and for nodes from NODES_MAX on: then
 * *RET is not to be used.
 */
bool nodeset_parse(const char *text, struct nodeset *ret);

#endif
