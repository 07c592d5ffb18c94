/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * synth.h - made-up events that can be told apart, the recording of them in memory, and what they
 * look like as text.
 *
 * Event I has the weight SYNTH_WEIGHT + I; most are samples, the others waits, migrations, faults
 * and accesses of every kind. What a frame is called follows from its module and offset, so names
 * that were read back can be checked without knowing who wrote them.
 */
#ifndef SBERF_TESTS_UNIT_SYNTH_H
#define SBERF_TESTS_UNIT_SYNTH_H

#include "profile/profile.h"
#include "record/block.h"
#include "record/encoder.h"
#include "record/recording.h"

#include <stdio.h>

#define SYNTH_WEIGHT 1000000u
#define SYNTH_START_NS 5000000000ull

struct synth {
	struct dict *dict;
	struct names *names;
	uint64_t random;
	unsigned int places;             /* offsets in use in each module */
	unsigned int depth;              /* frames at most */
	uint8_t recording;               /* of memory_begin(): a number that makes its UUID another one */
};

void synth_init(struct synth *s, uint64_t seed);
void synth_free(struct synth *s);
uint64_t synth_random(struct synth *s);

/* Event I, with a stack of its own making. */
void synth_event(struct synth *s, uint64_t i, struct event *ret);
/* Names the frames below COUNT that have no (detailed) names yet. */
void synth_name(struct synth *s, frame_id count, bool detailed);
void synth_meta(struct profile_meta *m);

/* What N events add up to, counted in another way than the reader does. Only what follows from events is set. */
void synth_sums(const struct dict *d, const struct event *ev, size_t n, struct profile_meta *ret);

/* A state of nodes of SYNTH_START_NS + NR, and as text (the caller frees both). */
struct numa_state *synth_numa(uint64_t nr);
char *synth_numa_text(const struct numa_state *s);

/* EV as one line, without names. */
void synth_text(const struct dict *d, const struct event *ev, char *dst, size_t size);
/* True when every name in NS is the one that its frame must have; *RET_NAMED counts the frames that have one. */
bool synth_names_right(const struct dict *d, const struct names *ns, unsigned int *ret_named);

/* A recording in memory. */
struct memory_recording {
	byte_vec bytes;
	struct block next;
	struct encoder *enc;
};

void memory_begin(struct memory_recording *r, const struct synth *s, const struct profile_meta *m);
void memory_block(struct memory_recording *r, unsigned int type, unsigned int flags, const void *payload, size_t n);
void memory_flush(struct memory_recording *r);           /* tables and names taken in so far */
void memory_numa(struct memory_recording *r, uint64_t nr);      /* synth_numa() */
void memory_end(struct memory_recording *r);
void memory_free(struct memory_recording *r);

/* The recording that docs/recording-format.md takes apart: one event, every type of block, nothing compressed. */
void memory_example(struct memory_recording *r);

/* What was read back. */
struct loaded {
	struct profile *profile;
	struct names *names;
	struct profile_meta meta;
	struct load_report report;
	struct err err;
	int code;
	VEC(char *) line;                /* of each event, synth_text() */
	VEC(struct event) event;
};

void load_bytes(struct loaded *l, const void *bytes, size_t n);
void load_bytes_from(struct loaded *l, const void *bytes, size_t n, uint64_t min_block_ns);
void load_recording(struct loaded *l, const char *path);
void loaded_free(struct loaded *l);

/* What was read, as text: figures, events, names, and the state of nodes. The caller frees it. */
char *loaded_text(const struct loaded *l);
/* The last of these alone: synth_numa_text(), "" = there is none. The caller frees it. */
char *loaded_numa(const struct loaded *l);

#endif
