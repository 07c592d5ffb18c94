/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ceiling.h - keeps what sberf itself takes (its threads, and its BPF programs) below a share of one CPU, by levels: at
 * level n rates are a 2^n-th of what was asked for. Pure; for one thread.
 *
 * What it took is looked at every two seconds. Above the ceiling the level goes up at once, as far as that share says;
 * down it goes by one, when for half a minute it took less than two fifths. Where even the last level takes more for
 * six seconds, or four times as much, rates are not what costs: then that is said, and the caller pauses.
 */
#ifndef SBERF_ENGINE_CEILING_H
#define SBERF_ENGINE_CEILING_H

#include <stdbool.h>
#include <stdint.h>

#define CEILING_LEVELS 6u
#define CEILING_LOOK_NS 2000000000ull

/* Zero it, but for MOST. */
struct ceiling {
	uint32_t most;           /* millionths of one CPU; 0 = there is none */
	uint32_t share;          /* what it was in the last two seconds; the same unit */
	uint32_t level;          /* 0 to CEILING_LEVELS */
	bool exceeded;
	uint64_t at_ns, own_ns;  /* the last look; 0 = there was none */
	unsigned int calm, over; /* looks in a row, far below and above at the last level */
};

/*
 * OWN_NS has been taken since any moment, by NOW_NS. True: the level is another one, or C is exceeded now. The first
 * look only begins: what it takes to start can be lowered by nothing.
 */
bool ceiling_look(struct ceiling *c, uint64_t own_ns, uint64_t now_ns);

#endif
