/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record.c - the format: what is written is read, what is damaged is known to be, and nothing is ever taken for
 * something else.
 */
#include "config.h"

#include "base/hash.h"
#include "record/idmap.h"
#include "record/metatext.h"
#include "record/table.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/sample.h"

#include <errno.h>

static unsigned int new_frames(const struct dict *d, stack_id at, bool *seen)
{
	unsigned int n = 0;

	for (; at != STACK_ROOT; at = dict_get_stack(d, at)->parent) {
		const frame_id frame = dict_get_stack(d, at)->frame;

		n += !seen[frame];
		seen[frame] = true;
	}
	return n;
}

/* Different frames in the stacks of what was read, those of wakers included. */
static unsigned int frames_of_events(const struct loaded *l)
{
	const struct dict *d = profile_dict(l->profile);
	bool *seen = calloc(dict_frames(d), sizeof(*seen));
	unsigned int n = 0;

	assert_non_null(seen);
	for (size_t i = 0; i < l->event.n; i++) {
		n += new_frames(d, l->event.v[i].stack, seen);
		n += new_frames(d, l->event.v[i].wait.waker_stack, seen);
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
		sample_load(&l, &sa);
		assert_int_equal(l.code, 0);
		assert_int_equal(l.report.events, sa.n);
		assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
		assert_false(l.report.cut_off);
		assert_string_equal(l.report.note, "");
		sample_is_whole(&l, &sa);
		assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
		assert_int_equal(named, frames_of_events(&l));
		assert_int_equal(sample_numa(&l), sa.n);
		loaded_free(&l);
		sample_free(&sa);
	}
}

/* Whoever does not know where the rest of a long text is has its beginning. */
static void check_beginnings(const struct sample *sa)
{
	byte_vec payload = { 0 };
	struct table_view t;
	struct block b;
	const size_t at = sample_block(sa, BLOCK_STR, 0, &b);
	uint64_t len;

	assert_int_equal(block_unpack(&b, sa->rec.bytes.v + at + BLOCK_HEADER_SIZE, &payload), 0);
	assert_int_equal(table_open(&t, STR_BYTES, payload.v, payload.n), TABLE_OK);
	assert_true(t.unknown);
	for (uint32_t i = 0; i < t.rows; i++) {
		assert_true(table_get_max(&t, STR_LEN, TEXT_LEN_MAX, &len));
		assert_non_null(table_get_bytes(&t, STR_BYTES, (size_t)len));
	}
	vec_free(&payload);
}

/* A stack of one frame, in a function that is called TEXT. */
static stack_id named_stack(struct synth *s, module_id module, uint64_t offset, const char *text, size_t len)
{
	const struct func f = { .name = names_add_text(s->names, text, len), .module = module };
	const struct name name = { .func = names_add_func(s->names, &f) };
	const frame_id frame = dict_frame(s->dict, module, offset);

	assert_int_equal(names_set(s->names, frame, &name, 1, true), 0);
	return dict_stack(s->dict, STACK_ROOT, frame);
}

/* Names of all lengths come back, up to what a recording keeps of them. */
static void long_names(void **state)
{
	static const size_t want[] = { 1, TEXT_LEN_MAX, TEXT_LEN_MAX + 1, 20000, TEXT_LEN_MAX + TEXT_REST_MAX, 70000 };
	static char text[70001];
	const struct thread thread = { .pid = 7, .tid = 7 };
	struct sample sa;
	struct loaded l;
	module_id module;

	sample_begin(&sa, 9);
	module = dict_module(sa.s.dict, &(struct module){ .kind = MODULE_FILE, .ino = 5 });
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct event ev = { .kind = EVENT_SAMPLE, .time_ns = SYNTH_START_NS + i, .weight = 1,
				    .cut_module = ID_NONE };

		ev.thread = dict_thread(sa.s.dict, &thread);
		ev.stack = named_stack(&sa.s, module, i, memset(text, 'a' + (int)i, want[i]), want[i]);
		assert_true(encoder_event(sa.rec.enc, &ev));
	}
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	check_beginnings(&sa);
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < l.event.n; i++) {
		const frame_id frame = dict_get_stack(profile_dict(l.profile), l.event.v[i].stack)->frame;
		const struct func *f = names_func(l.names, names_get(l.names, frame)->name[0].func);
		const size_t most = TEXT_LEN_MAX + TEXT_REST_MAX, len = want[i] < most ? want[i] : most;

		assert_int_equal(strlen(names_text(l.names, f->name)), len);
		assert_memory_equal(names_text(l.names, f->name), memset(text, 'a' + (int)i, len), len);
	}
	loaded_free(&l);
	sample_free(&sa);
}

static void figures_come_back(void **state)
{
	struct sample sa;
	struct loaded l;

	sample_make(&sa, 3, 500, 100);
	sample_load(&l, &sa);
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
	assert_true(l.meta.off_cpu);
	assert_true(l.meta.wakers);
	assert_int_equal(l.meta.wait_short_ns, 12345);
	assert_int_equal(l.meta.wait_short, 67);
	assert_int_equal(l.meta.wait_period_ns, 10000000);
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

/* Whether HAVE says less than WANT of who woke the thread, and of all else the same. */
static bool lost_waker(const char *have, const char *want)
{
	const char *waker = strstr(want, " woken from "), *by;
	char without[8192];

	if (!waker)
		return false;
	by = strstr(waker, " by ");
	if (!strncmp(have, want, strlen(have)) && strlen(have) >= (size_t)(waker - want) + strlen(" woken from 1"))
		return true;
	if (!by)
		return false;
	snprintf(without, sizeof(without), "%.*s%s", (int)(by - want), want, by + 4 + strcspn(by + 4, " "));
	return !strncmp(have, without, strlen(have)) && strlen(have) >= (size_t)(by - want);
}

/* Whether HAVE says what WANT does but for the file of a mapping. */
static bool lost_file(const char *have, const char *want)
{
	const char *how = strstr(want, " how "), *file = how ? strstr(how, " in ") : NULL;

	return file && strlen(have) == (size_t)(file - want) && !strncmp(have, want, (size_t)(file - want));
}

/*
 * Whatever was read must be what was recorded, or say that it is lost; a lost waker or file is one
 * that is not known.
 */
static void nothing_is_misread(const struct loaded *l, const struct sample *sa)
{
	unsigned int named;

	for (size_t i = 0; i < l->line.n; i++) {
		const uint64_t nr = l->event.v[i].weight - SYNTH_WEIGHT;

		assert_true(nr < sa->n);
		if (strcmp(l->line.v[i], sa->line[nr]) != 0 && !lost_waker(l->line.v[i], sa->line[nr]) &&
		    !lost_file(l->line.v[i], sa->line[nr]))
			assert_non_null(strstr(l->line.v[i], "[lost]"));
	}
	assert_true(sample_numa(l) <= sa->n);
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
		sample_load(&l, &sa);
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

static void cut_out(struct sample *sa, unsigned int type, unsigned int nr)
{
	struct block b;
	const size_t at = sample_block(sa, type, nr, &b), end = at + BLOCK_HEADER_SIZE + b.stored_len;

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
	for (unsigned int type = BLOCK_META; type < BLOCK_TYPES; type++) {
		struct sample sa;
		struct loaded l;

		/* These events need none: tests/unit/test_measure.c, test_probenotes.c. */
		if (type == BLOCK_MEASURES || type == BLOCK_PROBES || type == BLOCK_HITS)
			continue;
		sample_make(&sa, 8, 400, 40);
		/* The second of its kind, where there are two. */
		cut_out(&sa, type, type > BLOCK_END && type != BLOCK_MOD && type != BLOCK_THREAD);
		sample_load(&l, &sa);
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
	at = sample_block(&sa, BLOCK_STACK, 0, &b);
	memset(sa.rec.bytes.v + at + BLOCK_HEADER_SIZE, 0x55, b.stored_len);
	sample_load(&l, &sa);
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
	sample_load(&l, &sa);
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

/* What is known of frames (since 1.4) is there as it was when they were written. */
static void marks_of_frames(void **state)
{
	unsigned int marked = 0;
	struct sample sa;
	struct event ev;
	struct loaded l;

	sample_begin(&sa, 23);
	for (uint64_t i = 0; i < 50; i++) {
		synth_event(&sa.s, i, &ev);
		for (frame_id f = 0; f < dict_frames(sa.s.dict); f += 2)
			dict_frame_flag(sa.s.dict, f, FRAME_F_NO_TABLE);
		assert_true(encoder_event(sa.rec.enc, &ev));
	}
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	sample_load(&l, &sa);
	assert_int_equal(l.report.damaged_blocks, 0);
	for (frame_id f = 0; f < dict_frames(profile_dict(l.profile)); f++)
		marked += dict_frame_flags(profile_dict(l.profile), f) == FRAME_F_NO_TABLE;
	assert_true(marked > dict_frames(profile_dict(l.profile)) / 3 && marked < dict_frames(profile_dict(l.profile)));
	loaded_free(&l);
	sample_free(&sa);
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
		assert_true(table_add(&t, 6, i == 999 ? 77 : 0));
		t.rows++;
	}
	assert_int_equal(t.column[4].values.cap, 0);
	assert_true(table_encode(&t, &out));
	assert_int_equal(table_open(&v, 6, out.v, out.n), TABLE_OK);
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
		assert_true(table_get(&v, 6, &got) && got == (i == 999 ? 77 : 0));
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
	/* Two pages, and a directory that reaches the largest id. */
	assert_int_equal(idmap_bytes(m), 2 * IDMAP_PAGE * 4 + EPOCH_IDS_MAX / IDMAP_PAGE * sizeof(*m->page));
	idmap_clear(m);
	assert_int_equal(idmap_get(m, 0), ID_NONE);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(long_names),
		cmocka_unit_test(figures_come_back),
		cmocka_unit_test(later_figures_win),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(missing_blocks_are_known),
		cmocka_unit_test(an_epoch_repeats_what_was_lost),
		cmocka_unit_test(forgotten_entries),
		cmocka_unit_test(marks_of_frames),
		cmocka_unit_test(columns_take_the_shortest_form),
		cmocka_unit_test(maps_are_sparse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
