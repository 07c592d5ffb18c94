/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record.c - the format: what is written is read, what is damaged is known to be, what is newer is left out or refused,
 * and nothing is ever taken for something else.
 */
#include "config.h"

#include "base/hash.h"
#include "record/idmap.h"
#include "record/metatext.h"
#include "record/table.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <errno.h>
#include <inttypes.h>
#include <zlib.h>

/* A recording of N events, flushed every EACH of them, and the lines that must come out. */
struct sample {
	struct synth s;
	struct memory_recording rec;
	struct profile_meta meta;
	char **line;
	uint64_t n;
};

static void sample_begin(struct sample *sa, uint64_t seed)
{
	memset(sa, 0, sizeof(*sa));
	synth_init(&sa->s, seed);
	synth_meta(&sa->meta);
	memory_begin(&sa->rec, &sa->s, &sa->meta);
}

static void sample_events(struct sample *sa, uint64_t n)
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

static void sample_free(struct sample *sa)
{
	for (uint64_t i = 0; i < sa->n; i++)
		free(sa->line[i]);
	free(sa->line);
	memory_free(&sa->rec);
	synth_free(&sa->s);
}

/* A complete one: names come late and get better. */
static void sample_make(struct sample *sa, uint64_t seed, uint64_t n, uint64_t each)
{
	sample_begin(sa, seed);
	while (sa->n < n) {
		sample_events(sa, n - sa->n < each ? n - sa->n : each);
		memory_flush(&sa->rec);
		synth_name(&sa->s, dict_frames(sa->s.dict) / 2, sa->n > n / 2);
	}
	synth_name(&sa->s, dict_frames(sa->s.dict), true);
	memory_flush(&sa->rec);
	memory_end(&sa->rec);
}

static void load_sample(struct loaded *l, const struct sample *sa)
{
	load_bytes(l, sa->rec.bytes.v, sa->rec.bytes.n);
}

static void all_events_are_right(const struct loaded *l, const struct sample *sa)
{
	assert_int_equal(l->line.n, sa->n);
	for (uint64_t i = 0; i < sa->n; i++)
		assert_string_equal(l->line.v[i], sa->line[i]);
}

/* Different frames in the stacks of what was read. */
static unsigned int frames_of_events(const struct loaded *l)
{
	const struct dict *d = profile_dict(l->profile);
	bool *seen = calloc(dict_frames(d), sizeof(*seen));
	unsigned int n = 0;

	assert_non_null(seen);
	for (size_t i = 0; i < l->event.n; i++) {
		for (stack_id at = l->event.v[i].stack; at != STACK_ROOT; at = dict_get_stack(d, at)->parent) {
			const frame_id frame = dict_get_stack(d, at)->frame;

			n += !seen[frame];
			seen[frame] = true;
		}
	}
	free(seen);
	return n;
}

static void round_trip(void **state)
{
	static const uint64_t flushes[] = { 1, 7, 1000, 100000 };

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int named;
		struct sample sa;
		struct loaded l;

		sample_make(&sa, 100 + i, i ? 3000 : 50, flushes[i]);
		load_sample(&l, &sa);
		assert_int_equal(l.code, 0);
		assert_int_equal(l.report.events, sa.n);
		assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
		assert_false(l.report.cut_off);
		assert_string_equal(l.report.note, "");
		all_events_are_right(&l, &sa);
		assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
		assert_int_equal(named, frames_of_events(&l));
		loaded_free(&l);
		sample_free(&sa);
	}
}

static void figures_come_back(void **state)
{
	struct sample sa;
	struct loaded l;
	uint64_t cut = 0;

	sample_make(&sa, 3, 500, 100);
	load_sample(&l, &sa);
	assert_string_equal(l.meta.host, sa.meta.host);
	assert_string_equal(l.meta.target, sa.meta.target);
	assert_string_equal(l.meta.event, "cpu-clock");
	assert_int_equal(l.meta.freq_asked, 997);
	assert_int_equal(l.meta.freq_got, 995);
	assert_int_equal(l.meta.start_real_ns, sa.meta.start_real_ns);
	assert_int_equal(l.meta.duration_ns, sa.meta.duration_ns);
	assert_int_equal(l.meta.target_state, TARGET_KILLED);
	assert_int_equal(l.meta.end_code, 9);
	assert_int_equal(l.meta.lost.n[LOST_RING_FULL], 3);
	assert_int_equal(l.meta.lost.n[LOST_DAMAGED], 0);
	assert_int_equal(l.meta.user_cpu_ns, 123456789);
	assert_true(l.meta.bpf_cpu_ns == META_UNKNOWN);
	assert_true(l.meta.complete);
	assert_int_equal(l.meta.file_bytes, sa.rec.bytes.n);
	/* What follows from the events is counted from them. */
	assert_int_equal(l.meta.samples, 500);
	assert_int_equal(l.meta.user_samples, 500);
	assert_int_equal(l.meta.oncpu_ns, 500ull * SYNTH_WEIGHT + 499 * 500 / 2);
	for (int i = 0; i < CUT_NR; i++)
		cut += l.meta.cut[i];
	assert_int_equal(cut, 500);
	loaded_free(&l);
	sample_free(&sa);
}

static void later_figures_win(void **state)
{
	struct profile_meta before, now, got;
	byte_vec a = { 0 }, b = { 0 }, lines = { 0 };

	synth_meta(&before);
	now = before;
	now.samples = 99;
	now.lost.n[LOST_BACKLOG] = 12;
	snprintf(now.target, sizeof(now.target), "line one\nlost_backlog=77");
	assert_true(meta_text(&before, &a) && meta_text(&now, &b) && meta_changed(&a, &b, &lines));
	meta_init(&got);
	meta_parse(&got, a.v, a.n);
	meta_parse(&got, lines.v, lines.n);
	assert_int_equal(got.lost.n[LOST_BACKLOG], 12);
	assert_string_equal(got.target, "line one\xef\xbf\xbdlost_backlog=77");
	assert_true(lines.n < 80);
	meta_parse(&got, (const uint8_t *)"cpus=x\ncpus=-1\ncpus=99999999999\nlate=\nnew=1\nevent", 50);
	assert_int_equal(got.cpus, 2);
	assert_int_equal(got.late, 4);
	vec_free(&a);
	vec_free(&b);
	vec_free(&lines);
}

/* Whatever was read must be what was recorded, or say that it is lost. */
static void nothing_is_misread(const struct loaded *l, const struct sample *sa)
{
	unsigned int named;

	for (size_t i = 0; i < l->line.n; i++) {
		const uint64_t nr = l->event.v[i].weight_ns - SYNTH_WEIGHT;

		assert_true(nr < sa->n);
		if (strcmp(l->line.v[i], sa->line[nr]) != 0)
			assert_non_null(strstr(l->line.v[i], "[lost]"));
	}
	assert_true(synth_names_right(profile_dict(l->profile), l->names, &named));
}

static void cut_at_every_byte(void **state)
{
	struct sample sa;
	size_t last = 0;

	sample_make(&sa, 5, 24, 8);
	for (size_t n = 0; n < sa.rec.bytes.n; n++) {
		struct loaded l;

		load_bytes(&l, sa.rec.bytes.v, n);
		if (l.code) {
			assert_int_equal(l.code, -EBADMSG);
			assert_non_null(strstr(l.err.text, "test.data"));
			assert_int_equal(last, 0);
		} else {
			assert_true(l.report.cut_off);
			assert_false(l.meta.complete);
			assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
			assert_true(l.line.n >= last);
			last = l.line.n;
			nothing_is_misread(&l, &sa);
		}
		loaded_free(&l);
	}
	assert_int_equal(last, 24);
	sample_free(&sa);
}

static void flipped_bits(void **state)
{
	struct sample sa;
	uint64_t lost = 0;

	sample_make(&sa, 6, 24, 8);
	for (size_t bit = 0; bit < sa.rec.bytes.n * 8; bit += 1 + synth_random(&sa.s) % 8) {
		struct loaded l;

		sa.rec.bytes.v[bit / 8] ^= (uint8_t)(1u << bit % 8);
		load_sample(&l, &sa);
		if (l.code) {
			assert_true(bit < RECORD_MAGIC_SIZE * 8);
		} else {
			nothing_is_misread(&l, &sa);
			assert_string_not_equal(l.report.note, "");
			assert_int_equal(l.meta.lost.n[LOST_DAMAGED] + l.line.n, l.report.cut_off ? l.line.n : 24);
			lost += 24 - l.line.n;
		}
		loaded_free(&l);
		sa.rec.bytes.v[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(lost > 0);
	sample_free(&sa);
}

/* Where block NR of TYPE begins, and *RET its header. */
static size_t find_block(const struct sample *sa, unsigned int type, unsigned int nr, struct block *ret)
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

static void cut_out(struct sample *sa, unsigned int type, unsigned int nr)
{
	struct block b;
	const size_t at = find_block(sa, type, nr, &b), end = at + BLOCK_HEADER_SIZE + b.stored_len;

	memmove(sa->rec.bytes.v + at, sa->rec.bytes.v + end, sa->rec.bytes.n - end);
	sa->rec.bytes.n -= end - at;
}

static size_t lines_with_losses(const struct loaded *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->line.n; i++)
		n += strstr(l->line.v[i], "[lost]") != NULL;
	return n;
}

static void missing_blocks_are_known(void **state)
{
	for (unsigned int type = BLOCK_META; type <= BLOCK_EVENTS; type++) {
		struct sample sa;
		struct loaded l;

		sample_make(&sa, 8, 400, 40);
		/* The second of its kind, where there are two. */
		cut_out(&sa, type, type > BLOCK_END && type != BLOCK_MOD && type != BLOCK_THREAD);
		load_sample(&l, &sa);
		assert_int_equal(l.code, 0);
		assert_int_equal(l.report.damaged_blocks, type == BLOCK_END ? 0 : 1);
		assert_int_equal(l.report.damaged_bytes, 0);
		assert_int_equal(l.report.cut_off, type == BLOCK_END);
		assert_int_equal(l.line.n, type == BLOCK_EVENTS ? 360 : 400);
		assert_int_equal(l.meta.lost.n[LOST_DAMAGED], type == BLOCK_EVENTS ? 40 : 0);
		nothing_is_misread(&l, &sa);
		if (type >= BLOCK_MOD && type <= BLOCK_THREAD)
			assert_true(lines_with_losses(&l) > 0);
		loaded_free(&l);
		sample_free(&sa);
	}
}

static void an_epoch_repeats_what_was_lost(void **state)
{
	unsigned int named;
	struct sample sa;
	struct loaded l;
	struct block b;
	size_t at;

	sample_begin(&sa, 9);
	sample_events(&sa, 100);
	synth_name(&sa.s, dict_frames(sa.s.dict), true);
	memory_flush(&sa.rec);
	encoder_next_epoch(sa.rec.enc);
	sample_events(&sa, 100);
	synth_name(&sa.s, dict_frames(sa.s.dict), true);
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	at = find_block(&sa, BLOCK_STACK, 0, &b);
	memset(sa.rec.bytes.v + at + BLOCK_HEADER_SIZE, 0x55, b.stored_len);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.line.n, 200);
	assert_int_equal(l.report.damaged_blocks, 1);
	assert_int_equal(l.report.damaged_bytes, BLOCK_HEADER_SIZE + b.stored_len);
	for (size_t i = 0; i < 100; i++)
		assert_non_null(strstr(l.line.v[i], "[lost]"));
	for (size_t i = 100; i < 200; i++)
		assert_string_equal(l.line.v[i], sa.line[i]);
	assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
	loaded_free(&l);
	sample_free(&sa);
}

/* What the dictionary has forgotten meanwhile keeps its weight too. */
static void forgotten_entries(void **state)
{
	struct sample sa;
	struct event ev;
	struct loaded l;

	sample_begin(&sa, 20);
	for (int i = 0; i < 3; i++) {
		synth_event(&sa.s, (uint64_t)i, &ev);
		ev.stack = i == 0 ? ev.stack : 1u << 20;
		ev.thread = i == 2 ? 1u << 20 : ev.thread;
		assert_true(encoder_event(sa.rec.enc, &ev));
	}
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 3);
	assert_int_equal(l.report.damaged_blocks, 0);
	for (int i = 1; i < 3; i++) {
		const struct stack *top = dict_get_stack(profile_dict(l.profile), l.event.v[i].stack);

		assert_int_equal(top->parent, STACK_ROOT);
		assert_int_equal(top->frame, dict_note(profile_dict(l.profile), NOTE_OTHER));
	}
	assert_null(strstr(l.line.v[1], "[lost]"));
	assert_non_null(strstr(l.line.v[2], "[lost]"));
	loaded_free(&l);
	sample_free(&sa);
}

static void set_header(struct sample *sa, uint16_t major, uint16_t minor, uint64_t flags)
{
	struct record_header h;

	assert_true(header_get(sa->rec.bytes.v, &h));
	h.major = major;
	h.minor = minor;
	h.flags = flags;
	header_put(sa->rec.bytes.v, &h);
}

static void refused(const struct sample *sa, int code, const char *words)
{
	struct loaded l;

	load_sample(&l, sa);
	assert_int_equal(l.code, code);
	assert_non_null(strstr(l.err.text, words));
	loaded_free(&l);
}

static void newer_versions(void **state)
{
	struct sample sa;
	struct loaded l;

	sample_make(&sa, 11, 10, 10);
	set_header(&sa, 2, 0, 0);
	refused(&sa, -EPROTONOSUPPORT, "test.data was written by a newer sberf (format 2.0");
	set_header(&sa, 1, 0, 4);
	refused(&sa, -EPROTONOSUPPORT, "feature");
	set_header(&sa, 1, 77, 1ull << 32);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	all_events_are_right(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);
}

/* Appends a column of bytes that no version knows. */
static void add_column(byte_vec *payload, unsigned int tag, uint8_t encoding)
{
	assert_true(bytes_add_varint(payload, tag) && bytes_add(payload, &encoding, 1) && bytes_add(payload, "\3abc", 4));
}

/* A recording whose last EVENTS block has one more column. */
static void with_column(struct sample *sa, unsigned int tag, uint8_t encoding)
{
	byte_vec raw = { 0 };
	struct block b;
	size_t at;

	sample_begin(sa, 12);
	sample_events(sa, 10);
	memory_flush(&sa->rec);
	at = find_block(sa, BLOCK_EVENTS, 0, &b);
	assert_int_equal(block_unpack(&b, sa->rec.bytes.v + at + BLOCK_HEADER_SIZE, &raw), 0);
	add_column(&raw, tag, encoding);
	sa->rec.bytes.n = at;
	sa->rec.next.seq = b.seq;
	memory_block(&sa->rec, BLOCK_EVENTS, 0, raw.v, raw.n);
	memory_end(&sa->rec);
	vec_free(&raw);
}

static void newer_columns(void **state)
{
	struct sample sa;
	struct loaded l;

	with_column(&sa, 12, 0);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.report.damaged_blocks, 0);
	all_events_are_right(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);

	with_column(&sa, 3000, 9);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	all_events_are_right(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);

	with_column(&sa, 12, COLUMN_F_CRITICAL);
	refused(&sa, -EPROTONOSUPPORT, "newer");
	sample_free(&sa);
}

static void newer_blocks_and_kinds(void **state)
{
	struct sample sa;
	struct event ev;
	struct loaded l;

	sample_begin(&sa, 13);
	sample_events(&sa, 10);
	memory_block(&sa.rec, 400, 0, "what is this", 12);
	synth_event(&sa.s, 10, &ev);
	ev.kind = 200;
	assert_true(encoder_event(sa.rec.enc, &ev));
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	all_events_are_right(&l, &sa);
	assert_non_null(strstr(l.report.note, "2 items of kinds unknown here"));
	assert_int_equal(l.meta.lost.n[LOST_DAMAGED], 0);
	loaded_free(&l);

	memory_block(&sa.rec, 401, BLOCK_F_CRITICAL, "what is this", 12);
	refused(&sa, -EPROTONOSUPPORT, "must not leave out");
	sample_free(&sa);
}

/* What cannot be unpacked is refused, unless it would have been left out anyway. */
static void newer_codecs(void **state)
{
	const struct { unsigned int type, flags; const char *words; } block[] = {
		{ BLOCK_STR, 0, "codec 7" }, { 400, BLOCK_F_CRITICAL, "must not leave out" }, { 400, 0, NULL },
	};

	for (int i = 0; i < 3; i++) {
		struct sample sa;
		struct loaded l;
		size_t at;

		sample_begin(&sa, 19);
		at = sa.rec.bytes.n;
		memory_block(&sa.rec, block[i].type, block[i].flags, "what is this", 12);
		sa.rec.bytes.v[at + BLOCK_AT_CODEC] = 7;
		put_le(sa.rec.bytes.v + at + BLOCK_AT_CRC,
		       crc32(crc32(0, sa.rec.bytes.v + at, BLOCK_AT_CRC), sa.rec.bytes.v + at + BLOCK_HEADER_SIZE, 12), 4);
		sample_events(&sa, 5);
		memory_flush(&sa.rec);
		memory_end(&sa.rec);
		if (block[i].words) {
			refused(&sa, -EPROTONOSUPPORT, block[i].words);
		} else {
			load_sample(&l, &sa);
			assert_int_equal(l.code, 0);
			assert_int_equal(l.report.damaged_blocks, 0);
			all_events_are_right(&l, &sa);
			loaded_free(&l);
		}
		sample_free(&sa);
	}
}

static void refuse_text(const char *bytes, size_t n, const char *words)
{
	struct loaded l;

	load_bytes(&l, bytes, n);
	assert_int_equal(l.code, -EBADMSG);
	assert_non_null(strstr(l.err.text, words));
	loaded_free(&l);
}

static void other_files(void **state)
{
	char noise[5000];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)hash_u64(i);
	refuse_text("", 0, "is empty");
	refuse_text("x", 1, "is not a recording");
	refuse_text(noise, sizeof(noise), "is not a recording");
	refuse_text("PERFILE2\0\0\0\0\0\0\0\0", 16, "perf report -i test.data");
	refuse_text("SBERFDAT\1\0\0\0", 12, "cut off after 12 bytes");
	memcpy(noise, RECORD_MAGIC, 8);
	refuse_text(noise, sizeof(noise), "no block that can be read");
}

static void two_in_one_file(void **state)
{
	struct sample sa, other;
	const size_t first = (sample_make(&sa, 14, 20, 10), sa.rec.bytes.n);
	char words[64];

	sample_make(&other, 15, 20, 10);
	assert_true(bytes_add(&sa.rec.bytes, other.rec.bytes.v, other.rec.bytes.n));
	snprintf(words, sizeof(words), "with: head -c %zu test.data", first);
	refused(&sa, -EBADMSG, words);
	sample_free(&sa);
	sample_free(&other);
}

static void one_bad_table(unsigned int type, const void *payload, size_t n)
{
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 16);
	memory_block(&sa.rec, type, 0, payload, n);
	sample_events(&sa, 5);
	memory_end(&sa.rec);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_true(l.report.damaged_blocks >= 1);
	assert_true(dict_bytes(profile_dict(l.profile)) < 16u << 20);
	loaded_free(&l);
	sample_free(&sa);
}

#define BAD(type, bytes) one_bad_table(type, bytes, sizeof(bytes) - 1)

static void impossible_tables(void **state)
{
	BAD(BLOCK_STACK, "");
	BAD(BLOCK_STACK, "\1");
	/* more rows than a block may have */
	BAD(BLOCK_STACK, "\1\xff\xff\xff\xff\x0f");
	/* a base that no id reaches */
	BAD(BLOCK_STACK, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\1");
	/* a varint of more than 64 bits */
	BAD(BLOCK_STACK, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\1");
	/* a parent that is the node itself, one that does not exist */
	BAD(BLOCK_STACK, "\1\1\1\0\1\0\2\0\1\0");
	BAD(BLOCK_STACK, "\1\1\1\0\1\5\2\0\1\0");
	/* a column longer than the block, one that ends early, one that comes twice, a run of none */
	BAD(BLOCK_STACK, "\1\1\1\0\x7f\1");
	BAD(BLOCK_STACK, "\1\2\1\0\1\1\2\0\2\0\0");
	BAD(BLOCK_STACK, "\1\1\1\0\1\1\1\0\1\1");
	BAD(BLOCK_STACK, "\1\2\1\2\2\1\0");
	/* a string longer than its bytes, longer than strings may be, without bytes */
	BAD(BLOCK_STR, "\1\1\1\0\1\5\2\3\3abc");
	BAD(BLOCK_STR, "\1\1\1\0\3\xff\xff\x7f\2\3\3abc");
	BAD(BLOCK_STR, "\1\1\1\0\1\5");
	/* a build-id of 21 bytes */
	BAD(BLOCK_MOD, "\0\1\1\0\1\1\3\0\1\x15\4\3\x15""123456789012345678901");
	/* a frame with no names, with too many, and names that are not there */
	BAD(BLOCK_NAMES, "\0\1\1\0\1\0\2\0\1\0");
	BAD(BLOCK_NAMES, "\0\1\1\0\1\0\2\0\2\xff\x7f");
	BAD(BLOCK_NAMES, "\0\1\1\0\1\0\2\0\1\2\4\0\1\0");
	BAD(BLOCK_END, "events=banana\n");
}

/* Rows that cost nothing in the file cost little in memory, however many are claimed. */
static void much_from_little(void **state)
{
	struct memory_recording *r;
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 17);
	r = &sa.rec;
	for (uint64_t i = 0; i < 600; i++) {
		byte_vec payload = { 0 };

		/* 65536 stacks, each on top of the one before, and 65536 names for frame 0 */
		bytes_add_varint(&payload, 1 + 65536 * i);
		bytes_add(&payload, "\x80\x80\x04\1\2\4\1\x80\x80\x04\2\2\4\0\x80\x80\x04", 17);
		memory_block(r, BLOCK_STACK, 0, payload.v, payload.n);
		payload.n = 0;
		bytes_add_varint(&payload, 65536 * i);
		bytes_add(&payload, "\x80\x80\x04\2\2\5\xe8\7\x80\x80\x04", 11);
		memory_block(r, BLOCK_NAMES, 0, payload.v, payload.n);
		vec_free(&payload);
	}
	memory_end(r);
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_true(dict_bytes(profile_dict(l.profile)) + names_bytes(l.names) < 64u << 20);
	loaded_free(&l);
	sample_free(&sa);
}

static void headers_that_promise_much(void **state)
{
	const struct block b = { .type = BLOCK_EVENTS, .raw_len = BLOCK_RAW_MAX, .stored_len = 4u << 20 };
	byte_vec bytes = { 0 };
	struct sample sa;
	uint8_t head[64];
	struct loaded l;

	sample_begin(&sa, 18);
	memset(head, 0, sizeof(head));
	memcpy(head, BLOCK_MAGIC, 4);
	put_le(head + BLOCK_AT_TYPE, b.type, 2);
	put_le(head + BLOCK_AT_RAW_LEN, b.raw_len, 4);
	put_le(head + BLOCK_AT_STORED_LEN, b.stored_len, 4);
	put_le(head + BLOCK_AT_STREAM, sa.rec.next.stream, 4);
	for (int i = 0; i < 8 << 20; i += 32)
		assert_true(bytes_add(&sa.rec.bytes, head, 32));
	load_sample(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_non_null(strstr(l.report.note, "the rest was not read"));
	loaded_free(&l);
	sample_free(&sa);
	vec_free(&bytes);
}

static void columns_take_the_shortest_form(void **state)
{
	struct table t = { .base = 7 };
	struct table_view v;
	byte_vec out = { 0 };
	uint64_t got;

	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(table_add(&t, 1, 5));
		assert_true(table_add(&t, 2, 1ull << 60 | i * 3));
		assert_true(table_add(&t, 3, i % 2 ? UINT64_MAX : 0));
		assert_true(table_add(&t, 4, 0));
		assert_true(table_add(&t, 5, hash_u64(i) & 127));
		t.rows++;
	}
	assert_true(table_encode(&t, &out));
	assert_int_equal(table_open(&v, 5, out.v, out.n), TABLE_OK);
	assert_int_equal(v.base, 7);
	assert_int_equal(v.rows, 1000);
	assert_int_equal(v.column[1].encoding, COLUMN_RUNS);
	assert_int_equal(v.column[2].encoding, COLUMN_DELTA);
	assert_false(v.column[4].present);
	assert_int_equal(v.column[5].encoding, COLUMN_PLAIN);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(table_get(&v, 1, &got) && got == 5);
		assert_true(table_get(&v, 2, &got) && got == (1ull << 60 | i * 3));
		assert_true(table_get(&v, 3, &got) && got == (i % 2 ? UINT64_MAX : 0));
		assert_true(table_get(&v, 4, &got) && got == 0);
		assert_true(table_get(&v, 5, &got) && got == (hash_u64(i) & 127));
	}
	assert_false(table_get(&v, 1, &got));
	assert_false(table_get(&v, 2, &got));
	vec_free(&out);
	table_free(&t);
}

static void maps_are_sparse(void **state)
{
	struct idmap *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	assert_true(idmap_set(m, EPOCH_IDS_MAX - 1, 0));
	assert_true(idmap_set(m, 0, UINT32_MAX - 1));
	assert_false(idmap_set(m, EPOCH_IDS_MAX, 1));
	assert_false(idmap_set(m, 1, ID_NONE));
	assert_int_equal(idmap_get(m, EPOCH_IDS_MAX - 1), 0);
	assert_int_equal(idmap_get(m, 0), UINT32_MAX - 1);
	assert_int_equal(idmap_get(m, 1), ID_NONE);
	assert_int_equal(idmap_get(m, 1 << 20), ID_NONE);
	assert_int_equal(idmap_get(m, UINT32_MAX), ID_NONE);
	assert_int_equal(idmap_bytes(m), 2 * IDMAP_PAGE * 4);
	idmap_clear(m);
	assert_int_equal(idmap_get(m, 0), ID_NONE);
	free(m);
}

/* A file of the source tree, NUL-terminated; the caller frees it. */
static char *read_data(const char *name, size_t *ret_size)
{
	const char *top = getenv("top_srcdir");
	char path[4096], *text = malloc(1 << 20);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top ? top : ".", name);
	f = fopen(path, "re");
	assert_non_null(text);
	if (!f)
		fail_msg("%s cannot be opened", path);
	*ret_size = fread(text, 1, (1 << 20) - 1, f);
	text[*ret_size] = '\0';
	fclose(f);
	return text;
}

/* Version 1.0 stays readable: every line that was read from it then is read from it now. More may be said of it. */
static void version_1_0(void **state)
{
	size_t size, text_size;
	char *bytes = read_data("tests/data/v1.sberf", &size), *want = read_data("tests/data/v1.txt", &text_size);
	char *have, *at;
	struct loaded l;

	load_bytes(&l, bytes, size);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 60);
	assert_string_equal(l.report.note, "");
	at = have = loaded_text(&l);
	for (char *line = want, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		at = strstr(at, line);
		if (!at)
			fail_msg("missing: %s", line);
	}
	free(have);
	free(want);
	free(bytes);
	loaded_free(&l);
}

/* The bytes in the hex dump of the description, checked to stand where it says. */
static size_t described_bytes(char *page, uint8_t *dst, size_t size)
{
	size_t n = 0;

	for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
		bool dump = *line == '\t' && strlen(line) > 60 && line[9] == ' ';
		char *at = line;

		dump = dump && strtoul(line + 1, &at, 16) == n && at == line + 9;
		for (line += 11; dump && n < size && line[0] != ' '; line += 3)
			dst[n++] = (uint8_t)strtoul(line, NULL, 16);
	}
	return n;
}

/* The example of the description is what is written today, and the file. */
static void the_example(void **state)
{
	struct memory_recording r;
	uint8_t described[1024];
	size_t size, page_size;
	struct loaded l;
	char *bytes = read_data("tests/data/example.sberf", &size), *page = read_data("docs/recording-format.md", &page_size);

	memory_example(&r);
	assert_int_equal(size, r.bytes.n);
	assert_memory_equal(bytes, r.bytes.v, size);
	assert_int_equal(described_bytes(page, described, sizeof(described)), size);
	assert_memory_equal(bytes, described, size);
	load_bytes(&l, bytes, size);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 1);
	assert_string_equal(l.meta.event, "cpu-clock");
	loaded_free(&l);
	memory_free(&r);
	free(bytes);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_0),
		cmocka_unit_test(the_example),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(figures_come_back),
		cmocka_unit_test(later_figures_win),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(missing_blocks_are_known),
		cmocka_unit_test(an_epoch_repeats_what_was_lost),
		cmocka_unit_test(forgotten_entries),
		cmocka_unit_test(newer_versions),
		cmocka_unit_test(newer_columns),
		cmocka_unit_test(newer_blocks_and_kinds),
		cmocka_unit_test(newer_codecs),
		cmocka_unit_test(other_files),
		cmocka_unit_test(two_in_one_file),
		cmocka_unit_test(impossible_tables),
		cmocka_unit_test(much_from_little),
		cmocka_unit_test(headers_that_promise_much),
		cmocka_unit_test(columns_take_the_shortest_form),
		cmocka_unit_test(maps_are_sparse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
