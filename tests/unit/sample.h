/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample.h - a recording of made-up events (synth.h) together with what must come out of it, for
 * the tests of the format.
 */
#ifndef SBERF_TESTS_UNIT_SAMPLE_H
#define SBERF_TESTS_UNIT_SAMPLE_H

#include "tests/unit/synth.h"

/* LINE holds what synth_text() says of each of the N events. */
struct sample {
	struct synth s;
	struct memory_recording rec;
	struct profile_meta meta;
	char **line;
	uint64_t n;
};

/* Begins a recording with its figures; then adds N events that are not flushed yet. */
void sample_begin(struct sample *sa, uint64_t seed);
void sample_events(struct sample *sa, uint64_t n);
/* A complete one of N events, flushed every EACH of them, with the state of as many: names come late and get better. */
void sample_make(struct sample *sa, uint64_t seed, uint64_t n, uint64_t each);
void sample_free(struct sample *sa);

void sample_load(struct loaded *l, const struct sample *sa);
/* Fails unless L holds every event, as it was recorded. */
void sample_is_whole(const struct loaded *l, const struct sample *sa);

/* Fails unless the state that was read is one of synth_numa(), whose number it returns; 0 = none was. */
uint64_t sample_numa(const struct loaded *l);

/* Where block NR of TYPE begins, and *RET its header. */
size_t sample_block(const struct sample *sa, unsigned int type, unsigned int nr, struct block *ret);

#endif
