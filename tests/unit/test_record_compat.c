/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_compat.c - recordings of another make: of the first version, of newer ones, of other
 * programs, and of people who mean harm. What can be read is, what must not be is refused with a
 * sentence, and memory and time stay bounded.
 */
#include "config.h"

#include "base/hash.h"
#include "numa/state.h"
#include "record/table.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/sample.h"

#include <errno.h>
#include <zlib.h>

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

	sample_load(&l, sa);
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
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	sample_is_whole(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);
}

/* Appends a column of bytes that no version knows. */
static void add_column(byte_vec *payload, unsigned int tag, uint8_t encoding)
{
	assert_true(bytes_add_varint(payload, tag) && bytes_add(payload, &encoding, 1) &&
		    bytes_add(payload, "\3abc", 4));
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
	at = sample_block(sa, BLOCK_EVENTS, 0, &b);
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

	with_column(&sa, EVENTS_PRIORITIES + 1, 0);
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.report.damaged_blocks, 0);
	sample_is_whole(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);

	with_column(&sa, 3000, 9);
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	sample_is_whole(&l, &sa);
	loaded_free(&l);
	sample_free(&sa);

	with_column(&sa, EVENTS_PRIORITIES + 1, COLUMN_F_CRITICAL);
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
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	sample_is_whole(&l, &sa);
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
		       crc32(crc32(0, sa.rec.bytes.v + at, BLOCK_AT_CRC), sa.rec.bytes.v + at + BLOCK_HEADER_SIZE, 12),
		       4);
		sample_events(&sa, 5);
		memory_flush(&sa.rec);
		memory_end(&sa.rec);
		if (block[i].words) {
			refused(&sa, -EPROTONOSUPPORT, block[i].words);
		} else {
			sample_load(&l, &sa);
			assert_int_equal(l.code, 0);
			assert_int_equal(l.report.damaged_blocks, 0);
			sample_is_whole(&l, &sa);
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
	sample_load(&l, &sa);
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
	/* a call, a state, a context and a count that are none; waits whose own length is below 0, and too long */
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\2\x0c\0\3\x80\x80\x08");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\2\x0d\0\2\x80\2");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\2\x10\0\2\x80\2");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\2\x12\0\5\x80\x80\x80\x80\x10");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\2\7\0\1\1\x11\0\1\4");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\3\x11\0\x08\x83\x80\x80\x80\x80\x80\x80\x20");
	/* a node, a mapping and a way to an address that are none */
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\6\x13\0\2\x81\x08");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\6\x14\0\2\x80\2");
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\6\x15\0\2\x80\2");
	/* a reason to copy that is none */
	BAD(BLOCK_EVENTS, "\0\1\2\0\1\1\x17\0\2\x80\2");
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
	for (uint64_t i = 0; i < 100; i++) {
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
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_true(dict_bytes(profile_dict(l.profile)) + names_bytes(l.names) < 64u << 20);
	loaded_free(&l);
	sample_free(&sa);
}

static void headers_that_promise_much(void **state)
{
	const struct block b = { .type = BLOCK_EVENTS, .raw_len = BLOCK_RAW_MAX, .stored_len = 4u << 20 };
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
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_non_null(strstr(l.report.note, "the rest was not read"));
	loaded_free(&l);
	sample_free(&sa);
}

/* More than deflate can make of the bytes that are there is refused before there is memory for it. */
static void payloads_that_cannot_be_so_long(void **state)
{
	struct block b = { .type = BLOCK_EVENTS, .codec = CODEC_ZLIB, .raw_len = BLOCK_RAW_MAX, .stored_len = 1000 };
	const uint8_t stored[1000] = { 0 };
	byte_vec raw = { 0 };

	assert_int_equal(block_unpack(&b, stored, &raw), -EBADMSG);
	assert_null(raw.v);
	b.raw_len = 1032 * b.stored_len + 1;
	assert_int_equal(block_unpack(&b, stored, &raw), -EBADMSG);
	assert_null(raw.v);
	vec_free(&raw);
}

/* As much as deflate makes of anything: zeros, which take two bits for 258 of them. */
static void payloads_that_are_as_long_as_can_be(void **state)
{
	struct block b = { .type = BLOCK_EVENTS };
	const size_t n = 8u << 20;
	uint8_t *zeros = calloc(1, n);
	struct packer p = { 0 };
	byte_vec stored = { 0 }, raw = { 0 };

	assert_non_null(zeros);
	assert_true(block_put(&b, zeros, n, &p, &stored));
	assert_true(block_get(stored.v, &b));
	assert_true(b.stored_len < n / 200);
	assert_int_equal(block_unpack(&b, stored.v + BLOCK_HEADER_SIZE, &raw), 0);
	assert_int_equal(raw.n, n);
	assert_memory_equal(raw.v, zeros, n);
	packer_free(&p);
	free(zeros);
	vec_free(&stored);
	vec_free(&raw);
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

/* A version stays readable: every line that was read from it then is read from it now. More may be said of it. */
static void still_readable(const char *recording, const char *lines, size_t events)
{
	size_t size, text_size;
	char *bytes = read_data(recording, &size), *want = read_data(lines, &text_size);
	char *have, *at;
	struct loaded l;

	load_bytes(&l, bytes, size);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, events);
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

static void version_1_0(void **state)
{
	still_readable("tests/data/v1.sberf", "tests/data/v1.txt", 60);
}

static void version_1_1(void **state)
{
	still_readable("tests/data/v1_1.sberf", "tests/data/v1_1.txt", 120);
}

static void version_1_2(void **state)
{
	still_readable("tests/data/v1_2.sberf", "tests/data/v1_2.txt", 120);
}

static void version_1_3(void **state)
{
	still_readable("tests/data/v1_3.sberf", "tests/data/v1_3.txt", 120);
}

/*
 * The highest column of each type of block that readers of before knew; 0 = text. Of EVENTS they
 * knew different ones.
 */
static const unsigned int old_columns[] = {
	[BLOCK_META] = 0, [BLOCK_END] = 0, [BLOCK_STR] = 2, [BLOCK_MOD] = 9, [BLOCK_FRAME] = 2, [BLOCK_STACK] = 2,
	[BLOCK_THREAD] = 6, [BLOCK_FUNC] = 5, [BLOCK_NAMES] = 6, [BLOCK_EVENTS] = 0,
	[BLOCK_NUMA] = 0,
};

/* A reader of before, by its rules. */
struct old_reader {
	unsigned int columns, kinds;     /* of EVENTS: the highest that it knew */
	bool numa;                       /* knew states of nodes */
	unsigned int known, left_out;    /* what it met: events, and things that it did not know */
};

static const struct old_reader reader_1_0 = { .columns = 11, .kinds = 1 }, reader_1_1 = { .columns = 18, .kinds = 3 };
static const struct old_reader reader_1_2 = { .columns = 22, .kinds = 6, .numa = true };
static const struct old_reader reader_1_3 = { .columns = 23, .kinds = 6, .numa = true };

/* Reads an EVENTS table as the old one did: kinds that it knew, and others that are left out. */
static void read_old_events(struct old_reader *old, struct table_view *t)
{
	static const uint64_t max[] = {
		[EVENTS_TIME] = 1ull << 62, [EVENTS_KIND] = UINT64_MAX, [EVENTS_THREAD] = UINT64_MAX,
		[EVENTS_STACK] = UINT64_MAX, [EVENTS_CPU] = UINT32_MAX, [EVENTS_NODE] = UINT16_MAX,
		[EVENTS_WEIGHT] = WEIGHT_MAX, [EVENTS_CUT] = UINT8_MAX, [EVENTS_CUT_MODULE] = UINT64_MAX,
		[EVENTS_METHOD] = UINT8_MAX,
		[EVENTS_FLAGS] = UINT8_MAX, [EVENTS_CALL] = 0x1ffff, [EVENTS_STATE] = UINT8_MAX,
		[EVENTS_WAKER] = UINT64_MAX,
		[EVENTS_WAKER_STACK] = UINT64_MAX, [EVENTS_WAKER_CONTEXT] = UINT8_MAX, [EVENTS_OWN] = UINT64_MAX,
		[EVENTS_COUNT] = UINT32_MAX, [EVENTS_PLACE_NODE] = 1024, [EVENTS_MAPPING] = UINT8_MAX,
		[EVENTS_HOW] = UINT8_MAX,
		[EVENTS_FILE] = UINT64_MAX, [EVENTS_WALK] = UINT8_MAX,
	};

	for (uint32_t i = 0; i < t->rows; i++) {
		uint64_t v[EVENTS_WALK + 1];

		for (unsigned int tag = EVENTS_TIME; tag <= old->columns; tag++)
			assert_true(table_get_max(t, tag, max[tag], &v[tag]));
		++*(v[EVENTS_KIND] >= 1 && v[EVENTS_KIND] <= old->kinds ? &old->known : &old->left_out);
	}
}

/*
 * What an old reader did with a newer recording, by the rules that it had: nothing in it is refused
 * or taken for damaged.
 */
static struct old_reader read_as(const struct old_reader *reader, unsigned int minor, const uint8_t *at, size_t size)
{
	const uint8_t *end = at + size;
	struct old_reader old = *reader;
	struct record_header h;

	assert_true(header_get(at, &h));
	assert_int_equal(h.major, 1);
	assert_int_equal(h.minor, minor);
	assert_int_equal(h.flags, 0);
	for (at += h.size; at < end; ) {
		byte_vec raw = { 0 };
		struct table_view t;
		struct block b;

		assert_true(block_get(at, &b));
		assert_true(b.codec <= CODEC_ZLIB && !b.flags);
		assert_int_equal(block_unpack(&b, at + BLOCK_HEADER_SIZE, &raw), 0);
		at += BLOCK_HEADER_SIZE + b.stored_len;
		if (b.type < BLOCK_META || b.type > (old.numa ? BLOCK_NUMA : BLOCK_EVENTS))
			old.left_out++;
		else if (b.type == BLOCK_EVENTS || old_columns[b.type])
			assert_int_equal(table_open(&t, b.type == BLOCK_EVENTS ? old.columns : old_columns[b.type],
						    raw.v, raw.n),
					 TABLE_OK);
		if (b.type == BLOCK_EVENTS)
			read_old_events(&old, &t);
		vec_free(&raw);
	}
	return old;
}

static void version_1_0_reads_1_1(void **state)
{
	size_t size;
	char *bytes = read_data("tests/data/v1_1.sberf", &size);
	const struct old_reader old = read_as(&reader_1_0, 1, (const uint8_t *)bytes, size);

	assert_true(old.known > 50 && old.left_out > 20);
	assert_int_equal(old.known + old.left_out, 120);
	free(bytes);
}

/* 1.0 knows the samples of 1.2, 1.1 the waits too; neither knows the states of nodes. */
static void older_versions_read_1_2(void **state)
{
	size_t size;
	char *bytes = read_data("tests/data/v1_2.sberf", &size);
	const struct old_reader old = read_as(&reader_1_0, 2, (const uint8_t *)bytes, size);
	const struct old_reader newer = read_as(&reader_1_1, 2, (const uint8_t *)bytes, size);

	assert_true(old.known > 40 && newer.known > old.known + 15 && newer.left_out > 10);
	assert_int_equal(old.known + old.left_out, 122);
	assert_int_equal(newer.known + newer.left_out, 122);
	free(bytes);
}

/* What is written today. */
static void old_versions_read_what_is_written(void **state)
{
	struct old_reader old;
	struct profile_meta m;
	uint64_t waits = 0;
	struct sample sa;
	struct loaded l;

	sample_make(&sa, 14, 200, 50);
	sample_load(&l, &sa);
	synth_sums(profile_dict(l.profile), l.event.v, l.event.n, &m);
	for (size_t i = 0; i < l.event.n; i++)
		waits += EVENT_IS_WAIT(l.event.v[i].kind);
	assert_true(m.samples && waits && m.samples + waits < 200);
	old = read_as(&reader_1_0, RECORD_MINOR, sa.rec.bytes.v, sa.rec.bytes.n);
	assert_int_equal(old.known, m.samples);
	assert_int_equal(old.left_out, 200 - m.samples + 4);     /* and states of nodes */
	old = read_as(&reader_1_1, RECORD_MINOR, sa.rec.bytes.v, sa.rec.bytes.n);
	assert_int_equal(old.known, m.samples + waits);
	assert_int_equal(old.left_out, 200 - m.samples - waits + 4);
	old = read_as(&reader_1_2, RECORD_MINOR, sa.rec.bytes.v, sa.rec.bytes.n);
	assert_int_equal(old.known, 200);
	assert_int_equal(old.left_out, 0);
	old = read_as(&reader_1_3, RECORD_MINOR, sa.rec.bytes.v, sa.rec.bytes.n);
	assert_int_equal(old.known, 200);
	assert_int_equal(old.left_out, 0);
	loaded_free(&l);
	sample_free(&sa);
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
	char *bytes = read_data("tests/data/example.sberf", &size),
		*page = read_data("docs/recording-format.md", &page_size);

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

/* The description has every line and key of a state of nodes. */
static void the_keys_of_a_state(void **state)
{
	AUTO(numa_state_unref) struct numa_state *s = synth_numa(1);
	AUTO_FREE char *text = synth_numa_text(s);
	unsigned int keys = 0;
	size_t size;
	char *page = read_data("docs/recording-format.md", &size), *save = NULL;

	for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save), keys++) {
		char quoted[64];

		snprintf(quoted, sizeof(quoted), "`%.*s`", (int)strcspn(word, "="), word);
		if (strncmp(word, "miss_", 5) != 0 && !strstr(page, quoted))
			fail_msg("%s is not described", quoted);
	}
	assert_true(keys > 50);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_0),
		cmocka_unit_test(version_1_1),
		cmocka_unit_test(version_1_2),
		cmocka_unit_test(version_1_3),
		cmocka_unit_test(version_1_0_reads_1_1),
		cmocka_unit_test(older_versions_read_1_2),
		cmocka_unit_test(old_versions_read_what_is_written),
		cmocka_unit_test(the_example),
		cmocka_unit_test(the_keys_of_a_state),
		cmocka_unit_test(newer_versions),
		cmocka_unit_test(newer_columns),
		cmocka_unit_test(newer_blocks_and_kinds),
		cmocka_unit_test(newer_codecs),
		cmocka_unit_test(other_files),
		cmocka_unit_test(two_in_one_file),
		cmocka_unit_test(impossible_tables),
		cmocka_unit_test(much_from_little),
		cmocka_unit_test(headers_that_promise_much),
		cmocka_unit_test(payloads_that_cannot_be_so_long),
		cmocka_unit_test(payloads_that_are_as_long_as_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
