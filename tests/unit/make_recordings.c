/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_recordings.c - wrote the recordings that lie in the source tree: make_recordings DIR puts into DIR
 *
 *	example.sberf    the one that docs/recording-format.md takes apart
 *	v1_1.sberf, v1_1.txt
 *	                 a recording of format 1.1 and what must be read from it. Written once, when 1.1 was final, and never
 *	                 again: that every later version reads it is what test_record_compat proves. v1.sberf and v1.txt
 *	                 are what this program wrote for 1.0.
 *	seed-*           what the fuzzer starts from
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

static const char *dir;

static void save(const char *name, const void *bytes, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void add_events(struct memory_recording *r, struct synth *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		struct event ev;

		synth_event(s, i, &ev);
		assert_true(encoder_event(r->enc, &ev));
	}
}

/* N events in two epochs, with names that get better. */
static void make(struct memory_recording *r, struct synth *s, uint64_t n)
{
	struct profile_meta meta;

	synth_meta(&meta);
	memory_begin(r, s, &meta);
	add_events(r, s, 0, n / 2);
	synth_name(s, dict_frames(s->dict), false);
	memory_flush(r);
	encoder_next_epoch(r->enc);
	add_events(r, s, n / 2, n);
	synth_name(s, dict_frames(s->dict) / 2, true);
	memory_flush(r);
	memory_end(r);
}

static void make_version(void)
{
	struct memory_recording r;
	struct loaded l;
	struct synth s;
	char *text;

	synth_init(&s, 1);
	make(&r, &s, 120);
	save("v1_1.sberf", r.bytes.v, r.bytes.n);
	load_bytes(&l, r.bytes.v, r.bytes.n);
	text = loaded_text(&l);
	save("v1_1.txt", text, strlen(text));
	free(text);
	loaded_free(&l);
	memory_free(&r);
	synth_free(&s);
}

static void make_seeds(void)
{
	struct memory_recording r;
	struct synth s;

	synth_init(&s, 2);
	s.depth = 3;
	make(&r, &s, 8);
	save("seed-waits", r.bytes.v, r.bytes.n);
	save("seed-waits-cut", r.bytes.v, r.bytes.n - 40);
	r.bytes.v[r.bytes.n / 2] ^= 0x20;
	memmove(r.bytes.v + 1, r.bytes.v, r.bytes.n - 1);
	r.bytes.v[0] = '-';
	save("seed-waits-damaged", r.bytes.v, r.bytes.n);
	memory_free(&r);
	synth_free(&s);
}

int main(int argc, char **argv)
{
	struct memory_recording r;

	if (argc != 2) {
		fprintf(stderr, "usage: make_recordings DIR\n");
		return 2;
	}
	dir = argv[1];
	memory_example(&r);
	save("example.sberf", r.bytes.v, r.bytes.n);
	memory_free(&r);
	make_version();
	make_seeds();
	return 0;
}
