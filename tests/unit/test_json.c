/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_json.c - what is written as JSON, byte for byte where that is short; and that failed writes
 * and lack of memory are told.
 */
#include "config.h"

#include "export/exporter.h"
#include "export/jsonout.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static const struct profile_meta meta = { .target = "app", .off_cpu = true, .samples = 1 };

static char *speedscope(struct made *m, const struct query *q)
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_speedscope, q, &(struct export_view){ .meta = &meta }, &e), 0);
	fclose(f);
	return text;
}

static void test_speedscope(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	AUTO_FREE char *text = NULL;
	thread_id t;

	t = made_thread(m, 10, 10, "a\"b");
	made_add(m, 1, t, "main;work>in;write_[k]", 5 * MS);
	made_add(m, 2, t, "main;work", 3 * MS);
	made_wait(m, 3, t, "main;in;@20", EVENT_BLOCKED, "futex", 'S', 7 * MS);
	text = speedscope(m, &q);
	assert_string_equal(text,
			    "{\n"
			    "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			    "\"exporter\":\"sberf " PACKAGE_VERSION "\",\n"
			    "\"name\":\"app\",\n"
			    "\"activeProfileIndex\":0,\n"
			    "\"shared\":{\n"
			    "\"frames\":[\n"
			    "{\"name\":\"main\",\"file\":\"/src/app.c\",\"line\":10},\n"
			    "{\"name\":\"work\",\"file\":\"/src/app.c\",\"line\":10},\n"
			    "{\"name\":\"in\",\"file\":\"/src/app.c\",\"line\":10},\n"
			    "{\"name\":\"write\",\"file\":\"/src/app.c\",\"line\":10},\n"
			    "{\"name\":\"libc.so.6+0x20\",\"file\":\"/lib/libc.so.6\"},\n"
			    "{\"name\":\"a\\\"b\"}\n"
			    "]\n"
			    "},\n"
			    "\"profiles\":[\n"
			    "{\n"
			    "\"type\":\"sampled\",\n"
			    "\"name\":\"on-CPU\",\n"
			    "\"unit\":\"nanoseconds\",\n"
			    "\"startValue\":0,\n"
			    "\"endValue\":8000000,\n"
			    "\"samples\":[\n"
			    "[5,0,1],\n"
			    "[5,0,1,2,3]\n"
			    "],\n"
			    "\"weights\":[\n"
			    "3000000,\n"
			    "5000000\n"
			    "]\n"
			    "},\n"
			    "{\n"
			    "\"type\":\"sampled\",\n"
			    "\"name\":\"blocked\",\n"
			    "\"unit\":\"nanoseconds\",\n"
			    "\"startValue\":0,\n"
			    "\"endValue\":7000000,\n"
			    "\"samples\":[\n"
			    "[5,0,2,4]\n"
			    "],\n"
			    "\"weights\":[\n"
			    "7000000\n"
			    "]\n"
			    "}\n"
			    "]\n"
			    "}\n");
}

/* Any bytes may be in names: what is written is JSON in UTF-8, and says U+FFFD for what cannot be shown. */
static void test_hostile_names(void **state)
{
	static char huge[40000], longer[70000];
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM };
	json_error_t error;
	AUTO_FREE char *text = NULL;
	json_t *root, *frames;
	thread_id t;

	memset(huge, '\\', sizeof(huge) - 1);
	memset(longer, 'y', sizeof(longer) - 1);
	t = made_thread(m, 10, 10, "c\xff\xfe\x1b[2J");
	made_add(m, 1, t, "</script\"\\\x01", MS);
	made_add(m, 2, t, "\xef\xbf\xbe\xed\xa0\x80" "x\xe2\x80\xaey", MS);
	made_add(m, 3, t, huge, MS);
	made_add(m, 4, t, longer, MS);
	text = speedscope(m, &q);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	assert_non_null(root);
	frames = json_object_get(json_object_get(root, "shared"), "frames");
	assert_int_equal(json_array_size(frames), 5);
	for (size_t i = 0; i < json_array_size(frames); i++) {
		const char *name = json_string_value(json_object_get(json_array_get(frames, i), "name"));

		assert_true(!strcmp(name, "c\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd[2J") ||
			    !strcmp(name, "</script\"\\\xef\xbf\xbd") ||
			    !strcmp(name, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbdy") ||
			    !strcmp(name, huge) ||
			    (strlen(name) == NAME_BYTES_MAX && strspn(name, "y") == NAME_BYTES_MAX));
	}
	json_decref(root);
}

/* What is at the limits of numbers stays a number. */
static void test_numbers(void **state)
{
	static const struct { uint64_t v; const char *want; } figures[] = {
		{ 0, "0" }, { INT64_MAX, "9223372036854775807" }, { 1ull << 63, "9223372036854775807" },
	};
	json_t *v;

	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		AUTO_FREE char *text = NULL;

		v = jsonout_u64(figures[i].v);
		text = json_dumps(v, JSON_ENCODE_ANY);
		assert_string_equal(text, figures[i].want);
		json_decref(v);
	}
}

static struct made *shared;
static struct snapshot *shared_snapshot;
static enum { SPEEDSCOPE, JSON, FIREFOX, WRITERS } shared_writer;
static struct event shared_event[3];

/* In another order than that of time. */
static int each_event(void *source, event_fn *fn, void *ctx, struct err *e)
{
	int r = 0;

	for (unsigned int i = 3; i-- > 0 && !r;)
		r = fn(ctx, &shared_event[i]);
	return r;
}

static int write_one(FILE *f, struct err *e)
{
	const struct export_view v = {
		.snapshot = shared_snapshot, .names = shared->names, .meta = &meta, .query = shared->tree->query,
			.tree = shared->tree,
		.each_event = each_event,
	};

	switch (shared_writer) {
	case SPEEDSCOPE:
		return exporter_speedscope.write(f, &v, e);
	case JSON:
		return exporter_json.write(f, &v, e);
	default:
		return exporter_firefox.write(f, &v, e);
	}
}

static bool try_to_write(void)
{
	FILE *null = fopen("/dev/null", "w");
	bool ok;

	assert_non_null(null);
	ok = write_one(null, NULL) == 0;
	fclose(null);
	return ok;
}

/* The library's memory comes from this program, where it can fail. */
static void *give(size_t size)
{
	return malloc(size);
}

static void take(void *p)
{
	free(p);
}

static void make_shared(struct made *m)
{
	const struct query q = { .group_by = GROUP_THREAD, .by_node = true, .states = 1u << WAIT_INTERRUPTIBLE,
				 .terms = MADE_TERM(TERM_THREAD, "a*") };
	thread_id t = made_thread(m, 1, 1, "a");

	shared = m;
	made_put_on(m, made_machine(2, NULL, NULL));
	made_add(m, 1, t, "main;f;@10", MS);
	shared_event[0] = m->ev;
	made_wait(m, 2, t, "main;g>h", EVENT_BLOCKED, "futex", 'S', MS);
	shared_event[1] = m->ev;
	shared_event[2] = m->ev;
	shared_event[2].kind = EVENT_RUNNABLE;
	shared_event[2].stack = STACK_ROOT;
	made_open(m);
	made_place(m, 3, t, "main;f", EVENT_ACCESS, 0, 1, MS);
	made_look(m, &q);
	shared_snapshot = profile_snapshot(m->p);
}

/* Threads have their samples in the order of time, and what a wait waited in says so. */
static void test_firefox(void **state)
{
	AUTO_FREE char *text = NULL;
	struct err e = ERR_INIT;
	json_t *root, *thread, *samples, *frames;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	make_shared(*state);
	shared->tree->query = (struct query){ 0 };
	shared_writer = FIREFOX;
	assert_int_equal(write_one(f, &e), 0);
	fclose(f);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	thread = json_array_get(json_object_get(root, "threads"), 0);
	samples = json_object_get(thread, "samples");
	frames = json_object_get(json_object_get(thread, "frameTable"), "category");
	assert_int_equal(json_array_size(json_object_get(root, "threads")), 1);
	assert_int_equal(json_integer_value(json_object_get(samples, "length")), 3);
	assert_true(json_number_value(json_array_get(json_object_get(samples, "time"), 0)) == 1e-6);
	assert_true(json_number_value(json_array_get(json_object_get(samples, "time"), 2)) == 2e-6);
	assert_true(json_number_value(json_array_get(json_object_get(samples, "weight"), 0)) == 1);
	/* main f @10, "[no stack]" in the run queue, main g h with h waiting: one main, one category each. */
	assert_int_equal(json_array_size(frames), 6);
	assert_int_equal(json_integer_value(json_array_get(frames, 3)), 6);
	assert_int_equal(json_integer_value(json_array_get(frames, 5)), 5);
	json_decref(root);
	snapshot_unref(shared_snapshot);
}

static void test_no_memory(void **state)
{
	make_shared(*state);
	json_set_alloc_funcs(give, take);
	for (shared_writer = 0; shared_writer < WRITERS; shared_writer++) {
		for (long n = 0; fail_alloc_round(n, try_to_write); n++)
			;
	}
	snapshot_unref(shared_snapshot);
}

static void test_write_errors(void **state)
{
	make_shared(*state);
	for (shared_writer = 0; shared_writer < WRITERS; shared_writer++) {
		struct err e = ERR_INIT;
		FILE *full = fopen("/dev/full", "w");

		assert_non_null(full);
		assert_int_equal(write_one(full, &e), -ENOSPC);
		assert_non_null(strstr(e.text, "cannot be written"));
		fclose(full);
	}
	snapshot_unref(shared_snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_speedscope),
		MADE_TEST(test_hostile_names),
		cmocka_unit_test(test_numbers),
		MADE_TEST(test_firefox),
		MADE_TEST(test_write_errors),
		MADE_TEST(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
