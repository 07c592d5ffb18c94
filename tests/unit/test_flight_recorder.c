/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_flight_recorder.c - what a flight recorder holds, on a disk that has less room than it
 * takes. (Else: test_recorder.)
 */
#include "config.h"

#include "record/flight_recorder.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static char dir[] = "/tmp/sberf-test-keep.XXXXXX";

static const char *in_dir(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/kept", dir);
	return path;
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

/* Fails when something is left. */
static int remove_dir(void **state)
{
	return rmdir(dir);
}

#define SEGMENTS 8u
#define SEGMENT_EVENTS 3000u

static void nothing_more(void *ctx)
{
}

/* SEGMENTS of a second each, of events that go on from one to the next. */
static struct flight_recorder *keep_of_segments(struct synth *s, struct profile_meta *meta)
{
	const struct numa_figures none = { 0 };
	struct flight_recorder *k = flight_recorder_new(3600 * NSEC_PER_SEC, 1u << 30);
	struct stream to = { .write = flight_recorder_block, .ctx = k, .enc = encoder_new(s->dict, s->names) };
	struct event ev;

	assert_true(k && to.enc);
	meta->duration_ns = 0;
	for (uint64_t i = 0; i < SEGMENTS * SEGMENT_EVENTS; i++) {
		if (i % SEGMENT_EVENTS == 0) {
			assert_true(stream_tables(&to));
			encoder_restart(to.enc);
			assert_true(flight_recorder_segment(k, meta->duration_ns, meta, &none, NULL));
			meta->duration_ns += NSEC_PER_SEC;
		}
		synth_event(s, i, &ev);
		assert_true(encoder_event(to.enc, &ev));
	}
	assert_true(stream_tables(&to));
	encoder_free(to.enc);
	stream_free(&to);
	return k;
}

/* The recording at PATH has the newest NS of it. */
static void check_newest(const char *path, uint64_t ns)
{
	const uint64_t first = (SEGMENTS - ns / NSEC_PER_SEC) * SEGMENT_EVENTS;
	struct loaded l;

	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_string_equal(l.report.note, "");
	assert_true(l.meta.complete);
	assert_int_equal(l.meta.duration_ns, ns);
	assert_int_equal(l.event.n, SEGMENTS * SEGMENT_EVENTS - first);
	for (size_t i = 0; i < l.event.n; i++)
		assert_int_equal(l.event.v[i].weight, SYNTH_WEIGHT + first + i);
	loaded_free(&l);
}

/* flight_recorder_save() where a file may have LIMIT bytes; they stand for a disk. */
static int save_limited(struct flight_recorder *k, const char *path, const struct profile_meta *meta, uint64_t limit,
			struct flight_recorder_saved *ret, struct err *e)
{
	struct rlimit before, small;
	int r;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ limit, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = flight_recorder_save(k, path, meta, NULL, nothing_more, NULL, ret, e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	return r;
}

/*
 * A disk without room for all that is kept gets the newest part, which is a whole recording; all of
 * it is held on to.
 */
static void little_room_for_what_is_kept(void **state)
{
	const char *path = in_dir();
	struct flight_recorder_saved all, some;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct flight_recorder *k;
	struct synth s;

	signal(SIGXFSZ, SIG_IGN);
	synth_init(&s, 19);
	synth_meta(&meta);
	k = keep_of_segments(&s, &meta);
	assert_int_equal(save_limited(k, path, &meta, 100, &some, &e), -EFBIG);
	assert_non_null(strstr(e.text, "cannot write to "));
	/* What was written beside it is gone, too, or the directory cannot be removed in the end. */
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(flight_recorder_save(k, path, &meta, NULL, nothing_more, NULL, &all, &e), 0);
	assert_int_equal(all.error, 0);
	assert_int_equal(all.ns, SEGMENTS * NSEC_PER_SEC);
	check_newest(path, all.ns);
	unlink(path);
	for (unsigned int part = 2; part < 6; part++) {
		assert_int_equal(save_limited(k, path, &meta, all.bytes / part, &some, &e), 0);
		assert_int_equal(some.error, EFBIG);
		assert_true(some.bytes <= all.bytes / part);
		assert_in_range(some.ns, NSEC_PER_SEC, SEGMENTS * NSEC_PER_SEC / part);
		check_newest(path, some.ns);
		unlink(path);
	}
	flight_recorder_free(k);
	synth_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_room_for_what_is_kept),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
