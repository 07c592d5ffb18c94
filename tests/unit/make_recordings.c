/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_recordings.c - wrote the recordings that lie in the source tree: make_recordings DIR puts
 * into DIR
 *
 *	example.sberf    the one that docs/recording-format.md takes apart
 *	v1_3.sberf, v1_3.txt
 *	                 a recording of format 1.3 and what must be read from it. Written once, when 1.3 was
 *	                 final, and never
 *	                 again: that every later version reads it is what test_record_compat proves. v1.*,
 *	                 v1_1.* and v1_2.* are
 *	                 what this program wrote for 1.0, 1.1 and 1.2.
 *	newer.sberf      what an sberf of a later minor version may write: events and blocks of kinds that
 *	                 are not known here
 *	seed-*           what the fuzzer starts from
 *
 * or, make_recordings --large DIR: recordings that are small as files and large to be read, for
 * tests of what reading them takes
 *
 *	strings.sberf    more text than a reader takes: refused
 *	stacks.sberf     as many stacks as a dictionary holds, and more
 *	events.sberf     600,000 events, of stacks that come again
 *
 * or, make_recordings --views DIR:
 *
 *	views.sberf      one as large as views must bear (big.h)
 *	views.txt        what it adds up to: nanoseconds running, blocked, runnable
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/big.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <inttypes.h>
#include <zlib.h>

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

/* N events in two epochs, with names that get better, and a state of nodes in each. */
static void make(struct memory_recording *r, struct synth *s, uint64_t n)
{
	struct profile_meta meta;

	synth_meta(&meta);
	memory_begin(r, s, &meta);
	add_events(r, s, 0, n / 2);
	synth_name(s, dict_frames(s->dict), false);
	memory_flush(r);
	memory_numa(r, 1);
	encoder_next_epoch(r->enc);
	add_events(r, s, n / 2, n);
	synth_name(s, dict_frames(s->dict) / 2, true);
	memory_flush(r);
	memory_numa(r, 2);
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
	save("v1_3.sberf", r.bytes.v, r.bytes.n);
	load_bytes(&l, r.bytes.v, r.bytes.n);
	text = loaded_text(&l);
	save("v1_3.txt", text, strlen(text));
	free(text);
	loaded_free(&l);
	memory_free(&r);
	synth_free(&s);
}

static void make_seeds(void)
{
	struct memory_recording r;
	struct synth s;

	synth_init(&s, 42);   /* one event of each kind, or more */
	s.depth = 3;
	make(&r, &s, 8);
	save("seed-numa", r.bytes.v, r.bytes.n);
	save("seed-numa-cut", r.bytes.v, r.bytes.n - 40);
	r.bytes.v[r.bytes.n / 2] ^= 0x20;
	memmove(r.bytes.v + 1, r.bytes.v, r.bytes.n - 1);
	r.bytes.v[0] = '-';
	save("seed-numa-damaged", r.bytes.v, r.bytes.n);
	memory_free(&r);
	synth_free(&s);
}

#define MINOR_NEWER 77u
#define KNOWN_EVENTS 40u
#define NEWER_EVENTS 3u

static void add_newer_events(struct memory_recording *r, struct synth *s)
{
	for (uint64_t i = KNOWN_EVENTS; i < KNOWN_EVENTS + NEWER_EVENTS; i++) {
		struct event ev;

		synth_event(s, i, &ev);
		ev.kind = 200;
		assert_true(encoder_event(r->enc, &ev));
	}
}

static void make_newer(void)
{
	struct memory_recording r;
	struct profile_meta meta;
	struct synth s;

	synth_init(&s, 21);
	synth_meta(&meta);
	memory_begin(&r, &s, &meta);
	add_events(&r, &s, 0, KNOWN_EVENTS);
	synth_name(&s, dict_frames(s.dict), true);
	memory_flush(&r);
	memory_block(&r, 400, 0, "phase of the moon", 17);
	add_newer_events(&r, &s);
	memory_flush(&r);
	memory_end(&r);
	put_le(r.bytes.v + HEADER_AT_MINOR, MINOR_NEWER, 2);
	put_le(r.bytes.v + HEADER_AT_UUID + 8, MINOR_NEWER, 1);
	put_le(r.bytes.v + HEADER_AT_CRC, crc32(0, r.bytes.v, HEADER_AT_CRC), 4);
	save("newer.sberf", r.bytes.v, r.bytes.n);
	memory_free(&r);
	synth_free(&s);
}

#define STRINGS_AT_ONCE 4096u            /* of the longest text: a block has room for no more */
#define STRING_BLOCKS 34u                /* 1.1 GB of text */
#define STACKS_AT_ONCE 60000u
#define STACK_BLOCKS 60u
#define EVENTS_AT_ONCE 3000u             /* so few that no block of what they need has too many rows */
#define EVENT_BLOCKS 200u

/* A block of a table: ROWS rows from id BASE on, in columns that are added behind. */
static void table_head(byte_vec *payload, uint64_t base, uint64_t rows)
{
	payload->n = 0;
	assert_true(bytes_add_varint(payload, base) && bytes_add_varint(payload, rows));
}

/* ROWS times VALUE in column TAG. */
static void run_column(byte_vec *payload, unsigned int tag, uint64_t value, uint64_t rows)
{
	const uint8_t encoding = COLUMN_RUNS;

	assert_true(bytes_add_varint(payload, tag) && bytes_add(payload, &encoding, 1) &&
		    bytes_add_varint(payload, varint_size(value) + varint_size(rows)) &&
		    bytes_add_varint(payload, value) && bytes_add_varint(payload, rows));
}

/* ROWS values that count up from FROM. */
static void count_column(byte_vec *payload, unsigned int tag, uint64_t from, uint64_t rows)
{
	const uint8_t encoding = COLUMN_DELTA;

	assert_true(bytes_add_varint(payload, tag) && bytes_add(payload, &encoding, 1) &&
		    bytes_add_varint(payload, varint_size(zigzag(from)) + rows - 1) &&
		    bytes_add_varint(payload, zigzag(from)));
	for (uint64_t i = 1; i < rows; i++)
		assert_true(bytes_add_varint(payload, zigzag(1)));
}

static void begin_large(struct memory_recording *r, struct synth *s)
{
	struct profile_meta meta;

	synth_init(s, 22);
	synth_meta(&meta);
	memory_begin(r, s, &meta);
}

static void end_large(struct memory_recording *r, struct synth *s, const char *name, byte_vec *payload)
{
	save(name, r->bytes.v, r->bytes.n);
	vec_free(payload);
	memory_free(r);
	synth_free(s);
}

static void large_strings(void)
{
	const uint8_t encoding = COLUMN_BYTES;
	struct memory_recording r;
	byte_vec payload = { 0 };
	struct synth s;

	begin_large(&r, &s);
	for (uint64_t i = 0; i < STRING_BLOCKS; i++) {
		const uint64_t bytes = (uint64_t)STRINGS_AT_ONCE * TEXT_LEN_MAX;

		table_head(&payload, 1 + i * STRINGS_AT_ONCE, STRINGS_AT_ONCE);
		run_column(&payload, STR_LEN, TEXT_LEN_MAX, STRINGS_AT_ONCE);
		assert_true(bytes_add_varint(&payload, STR_BYTES) && bytes_add(&payload, &encoding, 1) &&
			    bytes_add_varint(&payload, bytes) && vec_reserve(&payload, bytes));
		memset(payload.v + payload.n, 'x', bytes);
		payload.n += bytes;
		memory_block(&r, BLOCK_STR, 0, payload.v, payload.n);
	}
	end_large(&r, &s, "strings.sberf", &payload);
}

/* One module, and in it a frame, a stack and an event for each row: every stack is another one. */
static void large_stacks(void)
{
	struct memory_recording r;
	byte_vec payload = { 0 };
	struct synth s;

	begin_large(&r, &s);
	table_head(&payload, 0, 1);
	run_column(&payload, MOD_KIND, MODULE_FILE, 1);
	memory_block(&r, BLOCK_MOD, 0, payload.v, payload.n);
	table_head(&payload, 0, 1);
	run_column(&payload, THREAD_PID, 7, 1);
	memory_block(&r, BLOCK_THREAD, 0, payload.v, payload.n);
	for (uint64_t i = 0; i < STACK_BLOCKS; i++) {
		const uint64_t first = i * STACKS_AT_ONCE;

		table_head(&payload, first, STACKS_AT_ONCE);
		count_column(&payload, FRAME_OFFSET, first, STACKS_AT_ONCE);
		memory_block(&r, BLOCK_FRAME, 0, payload.v, payload.n);
		table_head(&payload, 1 + first, STACKS_AT_ONCE);
		count_column(&payload, STACK_PARENT, 1 + first, STACKS_AT_ONCE);
		count_column(&payload, STACK_FRAME, first, STACKS_AT_ONCE);
		memory_block(&r, BLOCK_STACK, 0, payload.v, payload.n);
		table_head(&payload, first, STACKS_AT_ONCE);
		count_column(&payload, EVENTS_TIME, SYNTH_START_NS + first, STACKS_AT_ONCE);
		run_column(&payload, EVENTS_KIND, EVENT_SAMPLE, STACKS_AT_ONCE);
		count_column(&payload, EVENTS_STACK, 1 + first, STACKS_AT_ONCE);
		run_column(&payload, EVENTS_WEIGHT, SYNTH_WEIGHT, STACKS_AT_ONCE);
		memory_block(&r, BLOCK_EVENTS, 0, payload.v, payload.n);
	}
	end_large(&r, &s, "stacks.sberf", &payload);
}

static void large_events(void)
{
	struct memory_recording r;
	struct synth s;

	begin_large(&r, &s);
	s.places = 50;
	for (uint64_t i = 0; i < EVENT_BLOCKS; i++) {
		add_events(&r, &s, i * EVENTS_AT_ONCE, (i + 1) * EVENTS_AT_ONCE);
		memory_flush(&r);
	}
	synth_name(&s, dict_frames(s.dict), true);
	memory_flush(&r);
	memory_end(&r);
	save("events.sberf", r.bytes.v, r.bytes.n);
	memory_free(&r);
	synth_free(&s);
}

#define VIEWS_SECONDS 600u
#define VIEWS_FLUSH 10000u               /* events in a block */

static void make_views(void)
{
	struct memory_recording r;
	struct profile_meta meta;
	uint64_t ns[EVENT_KINDS] = { 0 };
	char text[128];
	struct synth s;
	struct big b;

	synth_init(&s, 23);
	synth_meta(&meta);
	meta.duration_ns = VIEWS_SECONDS * NSEC_PER_SEC;
	assert_true(big_init(&b, s.dict, s.names, BIG_STACKS, BIG_THREADS));
	memory_begin(&r, &s, &meta);
	for (uint64_t i = 0; i < big_events(&b); i++) {
		struct event ev;

		big_event(&b, i, SYNTH_START_NS, VIEWS_SECONDS, &ev);
		ns[ev.kind] += ev.weight;
		assert_true(encoder_event(r.enc, &ev));
		if (i % VIEWS_FLUSH == VIEWS_FLUSH - 1)
			memory_flush(&r);
	}
	memory_flush(&r);
	memory_numa(&r, 1);
	memory_end(&r);
	save("views.sberf", r.bytes.v, r.bytes.n);
	save("views.txt", text, (size_t)snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
						 ns[EVENT_SAMPLE], ns[EVENT_BLOCKED], ns[EVENT_RUNNABLE]));
	big_free(&b);
	memory_free(&r);
	synth_free(&s);
}

int main(int argc, char **argv)
{
	struct memory_recording r;

	if (argc == 3 && !strcmp(argv[1], "--large")) {
		dir = argv[2];
		large_strings();
		large_stacks();
		large_events();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--views")) {
		dir = argv[2];
		make_views();
		return 0;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: make_recordings [--large|--views] DIR\n");
		return 2;
	}
	dir = argv[1];
	memory_example(&r);
	save("example.sberf", r.bytes.v, r.bytes.n);
	memory_free(&r);
	make_version();
	make_newer();
	make_seeds();
	return 0;
}
