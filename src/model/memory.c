/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - the names of kinds of memory and of addresses (memory.h). */
#include "config.h"

#include "model/memory.h"

#define X(nr, id, name, text) [nr] = { name, text },

static const struct memory_word mappings[MAPPING_NR] = { MAPPING_KINDS(X) };
static const struct memory_word misses[MISS_NR] = { ACCESS_MISSES(X) };
static const struct memory_word sizes[SIZE_FIGURES] = { MEMORY_SIZES(X) };
static const struct memory_word other = { "other", "of a kind that this sberf does not know" };

const struct memory_word *mapping_word(unsigned int kind)
{
	return kind < MAPPING_NR ? &mappings[kind] : &other;
}

const struct memory_word *access_miss_word(unsigned int miss)
{
	return miss < MISS_NR ? &misses[miss] : &other;
}

const struct memory_word *memory_size_word(unsigned int size)
{
	if (size >= SIZE_MAPPINGS && size < SIZE_NR)
		return mapping_word(size - SIZE_MAPPINGS);
	return size < SIZE_FIGURES ? &sizes[size] : &other;
}
