/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ceiling.h - keeps what sberf itself takes (its threads, and its BPF programs) below a share of one CPU, by levels: at
 * level n rates are a 2^n-th of what was asked for. Pure; for one thread.
 *
 * It is the average that is kept below: what was taken is looked at every two seconds and added up, and what was left
 * over is a credit, of 30 seconds at most. So a file of symbols that is read once lowers no rate. When the credit is
 * used up, the level goes up at once, as far as the share of the last quarter of a minute says. Down it goes by one,
 * when for half a minute it took less than two fifths. Where even the last level takes more for six seconds, rates are
 * not what costs: then that is said, and the caller pauses.
 *
 * What it takes to start is bounded by no rate: names of all that runs are read then. Until that is over
 * (ceiling_began()), the level goes up for four times as much alone.
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
	uint32_t mean;           /* the same of the last quarter of a minute, later looks weighing more */
	uint32_t level;          /* 0 to CEILING_LEVELS */
	int64_t over_ns;         /* what was taken beyond MOST; below 0: what may still be */
	bool began;              /* it does not start any more */
	bool exceeded;
	uint64_t at_ns, own_ns;  /* the last look; 0 = there was none */
	unsigned int calm, over; /* looks in a row, far below and above at the last level */
};

/*
 * OWN_NS has been taken since any moment, by NOW_NS. True: the level is another one, or C is exceeded now. The first
 * look only begins: what it takes to start can be lowered by nothing.
 */
bool ceiling_look(struct ceiling *c, uint64_t own_ns, uint64_t now_ns);
/*
 * It has started: what is taken counts from the next look on, which may be about more than those before. Nothing of
 * what those saw is in the mean any more.
 */
void ceiling_began(struct ceiling *c);

/*
 * When waits may be followed again that were left out, because following them took too much. What they take goes with
 * the switches of threads on the whole machine, so it is known without following them. They may when they would take
 * less than seven tenths of the ceiling for two minutes on end; for twice as long each time they had to be left out
 * again, up to an hour: to begin takes about a second of a CPU. Zero it. Pure; for one thread.
 */
struct ceiling_room {
	uint64_t at_ns, switches;        /* the last look; 0 = there was none */
	double rate;                     /* switches a second between the last two */
	double share_of_switch;          /* millionths of one CPU for one switch a second; 0 = waits are followed */
	uint64_t quiet_ns;               /* since when there is room; 0 = there is none */
	uint64_t calm_ns;                /* for how long there must be */
};

/*
 * The machine has switched threads SWITCHES times by NOW_NS, and MOST may be taken, in the unit of ceiling.most. True:
 * waits may be followed again.
 */
bool ceiling_room_look(struct ceiling_room *r, uint32_t most, uint64_t switches, uint64_t now_ns);
/* They are left out from now on: with them it took SHARE, all of which counts as theirs. */
void ceiling_room_leave(struct ceiling_room *r, uint32_t share);
/* They are followed again. */
void ceiling_room_back(struct ceiling_room *r);

#endif
