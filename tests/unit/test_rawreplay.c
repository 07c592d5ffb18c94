/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rawreplay.c - a raw capture as a source, as whoever has one sees it: without privileges,
 * reading by reading, and then it has ended.
 */
#include "config.h"

#include "capture/rawfile.h"
#include "capture/source.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/sberf-test-raw.XXXXXX";
static const struct losses lost = { .n = { [LOST_RING_FULL] = 3 } };

/* Two turns: an exec, two samples; and an exit. */
static int write_capture(void **state)
{
	const struct rawfile_head head = { .begun_ns = 1, .freq_hz = 499, .stack_bytes = 8192, .event = "cpu-clock" };
	struct raw_event ev = {
		.kind = RAW_COMM, .time_ns = 1, .pid = 10, .tid = 10, .comm = { .exec = true, .comm = "name" }
	};
	void *buf = malloc(RAWFILE_RECORD_MAX);
	const int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	(void)state;
	assert_true(f && buf);
	assert_int_equal(rawfile_begin(f, &head), 0);
	assert_int_equal(rawfile_put(f, &ev, buf), 0);
	ev = (struct raw_event){ .kind = RAW_SAMPLE, .time_ns = 2, .pid = 10, .tid = 10, .sample.weight = 77 };
	assert_int_equal(rawfile_put(f, &ev, buf), 0);
	assert_int_equal(rawfile_put(f, &ev, buf), 0);
	assert_int_equal(rawfile_put_turn(f, 5, &lost), 0);
	ev = (struct raw_event){ .kind = RAW_EXIT, .time_ns = 6, .pid = 10, .tid = 10 };
	assert_int_equal(rawfile_put(f, &ev, buf), 0);
	assert_int_equal(rawfile_put_turn(f, 7, &lost), 0);
	fclose(f);
	free(buf);
	return 0;
}

static int remove_capture(void **state)
{
	(void)state;
	return unlink(path);
}

static void count(void *ctx, const struct raw_event *ev)
{
	uint64_t *weight = ctx;

	*weight += ev->kind == RAW_SAMPLE ? ev->sample.weight : 0;
}

static void a_replay_is_a_source(void **state)
{
	const struct capture_plan plan = { .replay = path };
	struct source *s = NULL;
	struct source_stats st;
	uint64_t weight = 0, ns = 0;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(source_open(&plan, &s, &e), 0);
	assert_false(source_of_now(s));
	assert_int_equal(source_prepare(s, &e), 0);
	assert_int_equal(source_start(s, &e), 0);
	assert_int_equal(source_first_copy(s), 8192);
	assert_int_equal(source_read(s, 1000, false, count, &weight, &e), 3);
	assert_int_equal(weight, 154);
	assert_int_equal(source_seen_ns(s), 5);
	assert_false(source_ended(s));
	assert_int_equal(source_read(s, 1000, false, count, &weight, &e), 1);
	assert_int_equal(source_read(s, 1000, false, count, &weight, &e), 0);
	assert_true(source_ended(s));
	source_stats(s, &st);
	assert_true(st.samples == 2 && st.freq_hz == 499 && st.lost.n[LOST_RING_FULL] == 3 &&
		    !strcmp(st.event, "cpu-clock"));
	assert_non_null(st.features);
	/* What it has not got is not there, and no error; another rate cannot be had. */
	assert_null(source_rulebook(s));
	assert_true(source_bpf_ns(s) == UINT64_MAX && source_nodes(s) == 1 && source_wait_period(s) == 0);
	assert_int_equal(source_totals(s, NULL, NULL, &ns, &e), 0);
	assert_int_equal(source_homes(s, NULL, NULL, &e), 0);
	assert_false(source_turn_sums(s, &ns));
	assert_int_equal(source_set_rate(s, 99, &e), -ENOTSUP);
	source_stop(s);
	source_free(s);
}

static void what_is_none_is_refused(void **state)
{
	struct capture_plan plan = { .replay = "/no/such/file" };
	struct source *s = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(source_open(&plan, &s, &e), -ENOENT);
	assert_string_equal(e.text, "cannot open '/no/such/file': No such file or directory");
	plan.replay = "/proc/self/exe";
	assert_int_equal(source_open(&plan, &s, &e), -EBADMSG);
	assert_string_equal(e.text, "cannot replay '/proc/self/exe': it is no raw capture");
	assert_null(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_replay_is_a_source, write_capture, remove_capture),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
