/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_nomem.c - the Nth allocation fails, for every N: reading and writing recordings end
 * with a sentence or come out right, and nothing leaks or is freed twice. malloc and its kin are
 * replaced by the linker (--wrap).
 */
#include "config.h"

#include "record/reader.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <errno.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static long until_failure = -1;         /* allocations that still succeed; below 0: all */

static bool fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

static void make(struct memory_recording *r, struct synth *s, unsigned int n)
{
	struct profile_meta meta;

	synth_init(s, 2);
	synth_meta(&meta);
	memory_begin(r, s, &meta);
	for (unsigned int i = 0; i < n; i++) {
		struct event ev;

		synth_event(s, i, &ev);
		assert_true(encoder_event(r->enc, &ev));
	}
	synth_name(s, dict_frames(s->dict), true);
	memory_flush(r);
	memory_numa(r, 1);
	memory_numa(r, 2);
	memory_end(r);
}

static ssize_t from_memory(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

/* Loads R with the Nth allocation failing. True when it was never reached. */
static bool load_failing(const struct memory_recording *r, long n, uint64_t events)
{
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *ns = names_new();
	struct cursor in = cursor_of(&r->bytes);
	struct load_report report;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	const struct load_target t = { .profile = p, .names = ns, .meta = &meta, .report = &report };
	bool reached;
	int code;

	until_failure = n;
	code = recording_read("test.data", from_memory, &in, &t, &e);
	reached = until_failure < 0;
	until_failure = -1;
	if (code) {
		assert_int_equal(code, -ENOMEM);
		assert_non_null(strstr(e.text, "out of memory"));
		assert_true(reached);
	} else {
		assert_int_equal(report.events, events);
		assert_string_equal(report.note, "");
		assert_true(meta.waits && meta.wait_open);
	}
	return !reached;
}

static void reading(void **state)
{
	struct memory_recording r;
	struct synth s;
	long n = 0;

	make(&r, &s, 40);
	while (!load_failing(&r, n, 40))
		n++;
	assert_true(n > 20);
	memory_free(&r);
	synth_free(&s);
}

static bool drop(void *ctx, enum block_type type, const uint8_t *payload, size_t n)
{
	return true;
}

/* Encodes what S has with the Nth allocation failing. True when it was never reached. */
static bool encode_failing(const struct synth *s, const struct event *ev, size_t events, long n)
{
	struct encoder *enc;
	bool ok, done, reached;

	until_failure = n;
	enc = encoder_new(s->dict, s->names);
	ok = enc != NULL;
	for (size_t i = 0; ok && i < events; i++)
		ok = encoder_event(enc, &ev[i]);
	ok = ok && encoder_names(enc, 100000, &done) && encoder_take(enc, drop, NULL);
	reached = until_failure < 0;
	until_failure = -1;
	assert_int_equal(ok, !reached);
	encoder_free(enc);
	return !reached;
}

static void writing(void **state)
{
	struct event ev[40];
	struct synth s;
	long n = 0;

	synth_init(&s, 2);
	for (int i = 0; i < 40; i++)
		synth_event(&s, (uint64_t)i, &ev[i]);
	synth_name(&s, dict_frames(s.dict), true);
	while (!encode_failing(&s, ev, 40, n))
		n++;
	assert_true(n > 20);
	synth_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading),
		cmocka_unit_test(writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
