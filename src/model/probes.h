/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probes.h - the probes that somebody placed, in this run or in a recording that is read: each has
 * a number, and a measure in which its events count (model/measure.h).
 *
 * A probe is known by what was asked for, its text in the grammar of sberf-probe(7). Two captures
 * that asked for the same have the same number here, so they can be merged and compared. What is
 * added stays to the end of the program. Any thread may call.
 */
#ifndef SBERF_MODEL_PROBES_H
#define SBERF_MODEL_PROBES_H

#include "model/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBES_MAX 64u           /* those with numbers: a set of them is a mask, as is one of measures (MEASURES_MAX) */
#define PROBE_NONE UINT32_MAX
#define PROBES_TEXT_MAX 1024u     /* bytes of its text, with the end */
#define PROBE_WHY_MAX 256u       /* bytes of a sentence about it, with the end */

/*
 * The number of the probe TEXT, LEN bytes, whose events weigh in UNIT: UNIT_COUNT for hits or the
 * sum of a value, UNIT_TIME for the time from its beginning to its end, UNIT_BYTES. It is added
 * when there is no such one. PROBE_NONE: there are PROBES_MAX already, TEXT is empty or too long,
 * or no memory.
 */
uint32_t probes_add(const char *text, size_t len, enum measure_unit unit);
/*
 * The same for a recording, which has the name of the unit: UNIT, UNIT_LEN bytes (measure_unit_name()).
 * PROBE_NONE also when that is none of a probe.
 */
uint32_t probes_of_file(const char *text, size_t len, const char *unit, size_t unit_len);
/* How many there are: all numbers are below. */
uint32_t probes_count(void);
/* The measure of the events of PROBE; NULL when there is no such probe. */
const struct measure *probes_measure(uint32_t probe);
/* The same by id (measure_get()); MEASURE_NONE. */
unsigned int probes_measure_id(uint32_t probe);
/* Whether PROBE has a beginning and an end, so that threads are inside of its calls (model/inside.h). */
bool probes_has_calls(uint32_t probe);

/* Where a probe is placed in programs, in this run. */
struct probe_places {
	uint32_t sites;          /* in all processes together; 0 = none yet, or it is in the kernel */
	uint32_t processes;      /* that have some, or had */
	uint32_t inlined;        /* of the sites: where a call of the function was inlined */
	uint32_t failed;         /* places that the kernel refused: also since the process had ended by then */
	/* how long at most a process had what is probed before it was probed, in ns; 0 = none is known of */
	uint64_t unseen_ns;
};

/* MORE was placed of PROBE: adds to what is known, and keeps the longest time. Nothing for no probe. */
void probes_note_places(uint32_t probe, const struct probe_places *more);
/* What is known; all 0 for no probe, and of one that only a recording has. */
struct probe_places probes_places(uint32_t probe);

/*
 * Of each time of PROBE up to NS nanoseconds were taken off, in this run, as they are the probe's own
 * (capture/owncost.h); the largest counts. Nothing for no probe.
 */
void probes_note_own(uint32_t probe, uint32_t ns);
/* The same; 0 = nothing is known to be taken off. */
uint32_t probes_own_ns(uint32_t probe);

/*
 * ON = false: PROBE is placed in this run. ON: it was taken off, what was counted of it stays; where it
 * was placed and which calls are open is forgotten. Nothing for no probe.
 */
void probes_set_off(uint32_t probe, bool on);
/* Whether it was taken off. */
bool probes_is_off(uint32_t probe);
/* For how long it has been placed in this run, in ns; UINT64_MAX = nobody has said when it was. */
uint64_t probes_placed_ns(uint32_t probe);

/* Calls of a probe that have begun and not ended, in this run. */
struct probe_open {
	uint32_t calls;
	uint64_t oldest_ns;      /* how long the oldest has lasted when they were counted */
};

/* NOW is so of PROBE; nothing for no probe. */
void probes_set_open(uint32_t probe, struct probe_open now);
/* What was set last; all 0 when nothing was. */
struct probe_open probes_open(uint32_t probe);

/* What is lost of hits of a probe. */
enum probe_loss {
	PROBE_LOST_STACK,        /* hits without a stack of their own: they count with that of the next one */
	PROBE_LOST_VALUE,        /* hits that do not count, as a value that is asked for could not be read */
	PROBE_LOST_HIT,          /* hits that do not count, for want of memory or of room */
	PROBE_LOST_RECORD,       /* hits that are not in the recording: the disk did not keep up */
	PROBE_LOSSES
};

/* Of PROBE, N of KIND in all were lost in the kernel, in this run. Nothing for no probe. */
void probes_set_lost(uint32_t probe, enum probe_loss kind, uint64_t n);
/* N more of them were lost on this side. Cheap; any thread. */
void probes_lose(uint32_t probe, enum probe_loss kind, uint64_t n);
/* Both together. */
uint64_t probes_lost(uint32_t probe, enum probe_loss kind);

/* A process that had what is probed for some time before it was probed. */
#define PROBE_UNSEEN_MAX 16u     /* of one probe that are known: those with the longest times */
struct probe_unseen {
	uint32_t pid;
	char comm[20];           /* sanitised; "" = not known */
	uint64_t ns;
};

/* ONE had what PROBE is about for so long without it: of a process its longest time counts. Nothing for no probe. */
void probes_note_unseen(uint32_t probe, const struct probe_unseen *one);
/* Those that are known, the longest times first, to RET. Returns how many. */
uint32_t probes_unseen(uint32_t probe, struct probe_unseen ret[PROBE_UNSEEN_MAX]);
/* The same for any list: *NR in LIST, to which ONE is added where it belongs, or not. */
void probe_unseen_add(struct probe_unseen list[PROBE_UNSEEN_MAX], uint32_t *nr, const struct probe_unseen *one);

/* A time in which a probe was not always in place: as it was put there in slices (--budget), or was taken off. */
#define PROBE_SPELLS_MAX 8u      /* of one probe that are known; where there are more, the first two become one */
struct probe_spell {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC; to_ns may still grow */
	uint64_t on_ns;          /* for how long of it it was in place, at most all of it */
};

/* NOW is so of PROBE: it is a new one, or goes on, if the last one began at the same time. Nothing for no probe. */
void probes_note_spell(uint32_t probe, const struct probe_spell *now);
/* Those that are known, the first one first, to RET. Returns how many. */
uint32_t probes_spells(uint32_t probe, struct probe_spell ret[PROBE_SPELLS_MAX]);
/* The same for any list: *NR in LIST, to which ONE is added, or with which it goes on. */
void probe_spell_add(struct probe_spell list[PROBE_SPELLS_MAX], uint32_t *nr, const struct probe_spell *one);

/* A hit by itself, with its arguments as text: what a recording tells of some hits beside their event. */
#define TOLD_TEXT_MAX 320u
struct told_hit {
	uint64_t time_ns;        /* CLOCK_MONOTONIC: when it happened, or was over */
	uint64_t latency_ns;     /* from its beginning; of a moment 0 */
	bool timed;              /* it has a beginning */
	uint32_t cpu, probe;
	uint32_t look;           /* it was chosen to stand for so many */
	uint32_t pid, tid;
	char comm[17];           /* raw bytes */
	char text[TOLD_TEXT_MAX];        /* "read(0, "x"..., 1) = 1"; sanitised */
};

/* This run asks for PROBE: it is one of its capture, hit or not. Nothing for no probe. */
void probes_ask(uint32_t probe);
bool probes_asked(uint32_t probe);

/* A hit of PROBE costs its program up to NS: the largest counts. Nothing for no probe. */
void probes_note_cost(uint32_t probe, uint32_t ns);
/* It costs NS, lately: of a probe in the kernel. Nothing for no probe. */
void probes_set_cost(uint32_t probe, uint32_t ns);
uint32_t probes_cost_ns(uint32_t probe);         /* 0 = nothing is known */

/* WHY is why PROBE has no place somewhere: the last one counts. Nothing for no probe. */
void probes_note_why(uint32_t probe, const char *why);
/* The same, "" when there is nothing to say. Returns DST. */
char *probes_why(uint32_t probe, char dst[PROBE_WHY_MAX]);

#endif
