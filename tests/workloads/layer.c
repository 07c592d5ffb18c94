// SPDX-License-Identifier: BSD-2-Clause
/*
 * layer.c - what swaps maps in turn: built twice, with LAYER = a and WORDS = 32, and with b and 96.
 * The code is of the same size and has every call at the same offset, so that nothing but the file
 * tells one from the other; frames have different sizes. It needs neither data nor libraries: its
 * text may be mapped anywhere by itself.
 */
#include <stdint.h>

#define JOIN(a, b) a##b
#define NAME(layer, function) JOIN(layer, function)
#define OUTER NAME(LAYER, _outer)
#define INNER NAME(LAYER, _inner)

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

typedef void layer_fn(void (*work)(void), uint64_t decoy);
layer_fn OUTER;

/* Where the return address lies of the other layer, there is DECOY in this one. */
static NOINLINE void INNER(void (*work)(void), uint64_t decoy)
{
	volatile uint64_t frame[WORDS];

	for (int i = 0; i < WORDS; i++)
		frame[i] = decoy;
	work();
	(void)frame[0];
}

void OUTER(void (*work)(void), uint64_t decoy)
{
	volatile uint64_t frame[WORDS];

	for (int i = 0; i < WORDS; i++)
		frame[i] = decoy;
	INNER(work, decoy);
	(void)frame[0];
}
