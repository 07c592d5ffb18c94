/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * octave.h - sorts numbers into classes, four to each power of two: what sizes and ages of any range
 * are counted by. Numbers below eight have a class each; a class above is at most a fourth as wide as
 * its least number.
 */
#ifndef SBERF_BASE_OCTAVE_H
#define SBERF_BASE_OCTAVE_H

#include <stdint.h>

#define OCTAVE_CLASSES 252u      /* classes of 64-bit numbers are below */
#define OCTAVE_POWERS 65u        /* powers of two of 64-bit numbers, and zero, are below */

/* The class of V. A greater number has the same class or a higher one. */
static inline unsigned int octave_class(uint64_t v)
{
	unsigned int top;

	if (v < 4)
		return (unsigned int)v;
	top = 63 - (unsigned int)__builtin_clzll(v);
	return 4 * (top - 1) + (unsigned int)(v >> (top - 2) & 3);
}

/* The least number of class C, below OCTAVE_CLASSES. */
static inline uint64_t octave_low(unsigned int c)
{
	return c < 4 ? c : (uint64_t)(4 + c % 4) << (c / 4 - 1);
}

/* The greatest one. */
static inline uint64_t octave_high(unsigned int c)
{
	return c + 1 < OCTAVE_CLASSES ? octave_low(c + 1) - 1 : UINT64_MAX;
}

/* The one in the middle, which stands for all of them. */
static inline uint64_t octave_middle(unsigned int c)
{
	return octave_low(c) + (octave_high(c) - octave_low(c)) / 2;
}

/* The power of two P of class C: its numbers are below 2^P, and not below half of that; 0 = they are zero. */
static inline unsigned int octave_power(unsigned int c)
{
	return c < 3 ? c : c == 3 ? 2 : c / 4 + 2;
}

#endif
