/* SPDX-License-Identifier: BSD-2-Clause */
/* inside.c - see inside.h. */
#include "config.h"

#include "model/inside.h"

#define SHORTEST_BITS 8u                 /* shorter calls are all in class 1 */
#define SUB_BITS 4u                      /* classes of an octave, as a power of two */
#define CLASS_BITS 10u
#define PART_BITS 16u

unsigned int inside_class(uint64_t ns)
{
	unsigned int octave, class;

	if (ns >> SHORTEST_BITS == 0)
		return 1;
	octave = 63u - (unsigned int)__builtin_clzll(ns);
	class = 2 + ((octave - SHORTEST_BITS) << SUB_BITS) +
		(unsigned int)(ns >> (octave - SUB_BITS) & ((1u << SUB_BITS) - 1));
	return class < INSIDE_CLASSES ? class : INSIDE_CLASSES - 1;
}

uint64_t inside_class_from_ns(unsigned int class)
{
	const unsigned int at = class - 2;

	if (class < 2)
		return 0;
	return (uint64_t)((1u << SUB_BITS) + (at & ((1u << SUB_BITS) - 1)))
		<< (SHORTEST_BITS - SUB_BITS + (at >> SUB_BITS));
}

static unsigned int inside_shift(unsigned int i)
{
	return 64 - PART_BITS * (i + 1);
}

unsigned int inside_part(uint64_t inside, unsigned int i, uint32_t *ret_probe)
{
	const unsigned int part = (unsigned int)(inside >> inside_shift(i) & 0xffff);

	*ret_probe = part >> CLASS_BITS;
	return inside == INSIDE_NOT_KNOWN ? 0 : part & ((1u << CLASS_BITS) - 1);
}

uint64_t inside_with(uint64_t inside, uint32_t probe, unsigned int class)
{
	uint64_t part = (uint64_t)probe << CLASS_BITS | class, r = 0;
	unsigned int n = 0;

	if (inside == INSIDE_NOT_KNOWN || inside & 0xffff)
		return inside;
	for (unsigned int i = 0; i < INSIDE_MAX; i++) {
		const uint64_t here = inside >> inside_shift(i) & 0xffff;

		if (part && (!here || here >> CLASS_BITS > probe)) {
			r |= part << inside_shift(n++);
			part = 0;
		}
		if (here)
			r |= here << inside_shift(n++);
	}
	return r;
}

unsigned int inside_class_of(uint64_t inside, uint32_t probe)
{
	for (unsigned int i = 0; inside && i < INSIDE_MAX; i++) {
		uint32_t of;
		const unsigned int class = inside_part(inside, i, &of);

		if (class && of == probe)
			return class;
	}
	return 0;
}
