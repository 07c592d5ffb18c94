/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - see sample.h. */
#include "config.h"

#include "tests/unit/sample.h"

#include "numa/state.h"
#include "tests/unit/cmocka_all.h"

#include <inttypes.h>

void sample_begin(struct sample *sa, uint64_t seed)
{
	memset(sa, 0, sizeof(*sa));
	synth_init(&sa->s, seed);
	synth_meta(&sa->meta);
	memory_begin(&sa->rec, &sa->s, &sa->meta);
}

void sample_events(struct sample *sa, uint64_t n)
{
	sa->line = realloc(sa->line, (sa->n + n) * sizeof(*sa->line));
	assert_non_null(sa->line);
	for (uint64_t end = sa->n + n; sa->n < end; sa->n++) {
		struct event ev;
		char text[8192];

		synth_event(&sa->s, sa->n, &ev);
		synth_text(sa->s.dict, &ev, text, sizeof(text));
		sa->line[sa->n] = strdup(text);
		assert_true(encoder_event(sa->rec.enc, &ev));
	}
}

void sample_free(struct sample *sa)
{
	for (uint64_t i = 0; i < sa->n; i++)
		free(sa->line[i]);
	free(sa->line);
	memory_free(&sa->rec);
	synth_free(&sa->s);
}

void sample_make(struct sample *sa, uint64_t seed, uint64_t n, uint64_t each)
{
	sample_begin(sa, seed);
	while (sa->n < n) {
		sample_events(sa, n - sa->n < each ? n - sa->n : each);
		memory_flush(&sa->rec);
		memory_numa(&sa->rec, sa->n);
		synth_name(&sa->s, dict_frames(sa->s.dict) / 2, sa->n > n / 2);
	}
	synth_name(&sa->s, dict_frames(sa->s.dict), true);
	memory_flush(&sa->rec);
	memory_end(&sa->rec);
}

void sample_load(struct loaded *l, const struct sample *sa)
{
	load_bytes(l, sa->rec.bytes.v, sa->rec.bytes.n);
}

uint64_t sample_numa(const struct loaded *l)
{
	AUTO_FREE char *have = loaded_numa(l), *want = NULL;
	AUTO(numa_state_unref) struct numa_state *s = NULL;
	uint64_t nr;

	if (!have[0])
		return 0;
	assert_int_equal(sscanf(have, "state time_ns=%" SCNu64, &nr), 1);
	nr -= SYNTH_START_NS;
	s = synth_numa(nr);
	want = synth_numa_text(s);
	assert_string_equal(have, want);
	return nr;
}

void sample_is_whole(const struct loaded *l, const struct sample *sa)
{
	assert_int_equal(l->line.n, sa->n);
	for (uint64_t i = 0; i < sa->n; i++)
		assert_string_equal(l->line.v[i], sa->line[i]);
}

size_t sample_block(const struct sample *sa, unsigned int type, unsigned int nr, struct block *ret)
{
	size_t at = HEADER_SIZE;

	for (;;) {
		assert_true(at + BLOCK_HEADER_SIZE <= sa->rec.bytes.n);
		assert_true(block_get(sa->rec.bytes.v + at, ret));
		if (ret->type == type && nr-- == 0)
			return at;
		at += BLOCK_HEADER_SIZE + ret->stored_len;
	}
}
