/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rawreplay.c - a raw capture as a source, as whoever has one sees it: without privileges,
 * reading by reading, and then it has ended.
 */
#include "config.h"

#include "capture/rawfile.h"
#include "capture/features.h"
#include "capture/replay.h"
#include "capture/source.h"
#include "model/event.h"
#include "model/probes.h"
#include "model/wait.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/sberf-test-raw.XXXXXX";

/* A file in the making, and scratch space. */
static FILE *file;
static void *buf;

static void put(struct rawfile_item item)
{
	assert_int_equal(rawfile_put(file, &item, buf), 0);
}

static void put_event(struct raw_event ev)
{
	put((struct rawfile_item){ .what = RAWFILE_EVENT, .event = ev });
}

static void put_turn(uint64_t seen_ns)
{
	put((struct rawfile_item){
		.what = RAWFILE_TURN,
		.turn = { .seen_ns = seen_ns, .from_ns = seen_ns + 1, .now_ns = seen_ns + 2, .wait_period_ns = 44,
			  .stats = { .freq_hz = 499, .waits = seen_ns, .lost.n[LOST_RING_FULL] = 3 } } });
}

static void begin_capture(bool off_cpu)
{
	const struct rawfile_head head = { .begun_ns = 1, .freq_hz = 499, .stack_bytes = 8192, .nodes = 1,
					   .features = 1, .off_cpu = off_cpu, .event = "cpu-clock" };
	const int fd = mkstemp(path);

	buf = malloc(RAWFILE_RECORD_MAX);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	assert_true(file && buf);
	assert_int_equal(rawfile_begin(file, &head), 0);
}

static void end_capture(void)
{
	fclose(file);
	free(buf);
}

static const struct raw_event exec = { .kind = RAW_COMM, .time_ns = 1, .pid = 10, .tid = 10,
				       .comm = { .exec = true, .comm = "name" } };
static const struct raw_event sample = { .kind = RAW_SAMPLE, .time_ns = 2, .pid = 10, .tid = 10, .sample.weight = 77 };

/* Two turns: an exec, two samples; and an exit. */
static int write_capture(void **state)
{
	(void)state;
	begin_capture(false);
	put_event(exec);
	put_event(sample);
	put_event(sample);
	put_turn(5);
	put_event((struct raw_event){ .kind = RAW_EXIT, .time_ns = 6, .pid = 10, .tid = 10 });
	put_turn(7);
	end_capture();
	return 0;
}

static int remove_capture(void **state)
{
	(void)state;
	unlink(path);
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	return 0;
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
	assert_true(st.features && st.features->pt_regs && !st.features->sched_switch);
	/* What it has not got is not there, and no error; another rate cannot be had. */
	assert_null(source_rulebook(s));
	assert_true(source_bpf_ns(s) == UINT64_MAX && source_nodes(s) == 1 && source_wait_period(s) == 44);
	assert_int_equal(source_totals(s, NULL, NULL, &ns, &e), 0);
	assert_int_equal(source_homes(s, NULL, NULL, &e), 0);
	assert_false(source_turn_sums(s, &ns));
	assert_int_equal(source_set_rate(s, 99, &e), -ENOTSUP);
	source_stop(s);
	source_free(s);
}

#define PROBE 5u                 /* the number of a probe in the capture */

static const struct source_total total = { .pid = 10, .tid = 10, .start_ns = 3, .kind = EVENT_BLOCKED, .count = 1 };
static const struct source_open waiting = { .pid = 10, .tid = 11, .start_ns = 4, .id = 8, .since_ns = 1 },
				sleeping = { .pid = 10, .tid = 12, .start_ns = 5, .id = 9, .nr_kernel = 1,
					     .kernel = (const uint64_t[]){ 77 } };

/* The stack of a wait under way. */
static struct raw_event stack_of(const struct source_open *w)
{
	return (struct raw_event){ .kind = RAW_WAIT_STACK, .time_ns = 4, .pid = w->pid, .tid = w->tid,
				   .sample.start_ns = w->start_ns, .wait = { .id = w->id } };
}

/*
 * Three turns. After the first: totals, a sum, a look, one stack at once, one with the next turn, to which a process
 * is told. Then it is stopped.
 */
static int write_answers(void **state)
{
	struct raw_event further = stack_of(&sleeping), hit = sample;

	(void)state;
	hit.kind = RAW_EVENT;
	hit.hit = (struct raw_hit){ .probe = RAW_PROBE_PLACED + PROBE, .value = 1, .count = 1 };
	further.sample.outside = true;
	begin_capture(true);
	put_event(sample);
	put_turn(100);
	put((struct rawfile_item){ .what = RAWFILE_TOTAL, .total = total });
	put((struct rawfile_item){ .what = RAWFILE_TOTALS, .ns = 101 });
	put((struct rawfile_item){ .what = RAWFILE_SUMS_TURN, .ns = 102 });
	put((struct rawfile_item){ .what = RAWFILE_SUM, .sum = { .pid = 10, .tid = 10, .id = 6, .n = 1 } });
	put((struct rawfile_item){ .what = RAWFILE_OPEN, .open = waiting });
	put((struct rawfile_item){ .what = RAWFILE_EVENT, .told = true, .event = exec });
	put((struct rawfile_item){ .what = RAWFILE_OPEN, .open = sleeping });
	put((struct rawfile_item){ .what = RAWFILE_LOOK, .ns = 103 });
	put((struct rawfile_item){ .what = RAWFILE_STACK, .event = stack_of(&waiting) });
	put((struct rawfile_item){ .what = RAWFILE_COMES, .asked = { .tid = 12, .start_ns = 5, .id = 9 } });
	put((struct rawfile_item){ .what = RAWFILE_HOME, .home = { .pid = 10, .tid = 10, .home = 1 } });
	put((struct rawfile_item){ .what = RAWFILE_HOMES });
	put((struct rawfile_item){ .what = RAWFILE_EVENT, .further = true, .event = further });
	put_turn(200);
	put((struct rawfile_item){ .what = RAWFILE_TOTAL, .total = total });
	put((struct rawfile_item){ .what = RAWFILE_TOTALS, .ns = 201 });
	put((struct rawfile_item){ .what = RAWFILE_STOP, .ns = 250 });
	put((struct rawfile_item){ .what = RAWFILE_PROBE,
				   .probe = { .number = PROBE, .unit = UNIT_COUNT, .text = "sys:rawreplay" } });
	put_event(hit);
	put_turn(300);
	put((struct rawfile_item){ .what = RAWFILE_TOTAL, .total = total });
	put((struct rawfile_item){ .what = RAWFILE_TOTALS, .ns = 301 });
	end_capture();
	return 0;
}

/* What was told last, of each kind. */
struct told {
	struct source *source;
	struct raw_event ev;
	unsigned int events, totals, sums, open, homes;
	bool further;
};

static void take_event(void *ctx, const struct raw_event *ev)
{
	struct told *t = ctx;

	t->events++;
	t->ev = *ev;
	t->further = ev->kind == RAW_WAIT_STACK && source_read_further(t->source, ev);
}

static void take_total(void *ctx, const struct source_total *one)
{
	assert_true(one->tid == 10 && one->kind == EVENT_BLOCKED && one->count == 1);
	((struct told *)ctx)->totals++;
}

static void take_sum(void *ctx, const struct source_sum *one)
{
	assert_int_equal(one->id, 6);
	((struct told *)ctx)->sums++;
}

static void take_open(void *ctx, const struct source_open *w)
{
	assert_true(w->tid == 11 ? w->id == 8 && !w->nr_kernel
				 : w->tid == 12 && w->id == 9 && w->nr_kernel == 1 && w->kernel[0] == 77);
	((struct told *)ctx)->open++;
}

static void take_home(void *ctx, const struct source_home *h)
{
	assert_int_equal(h->home, 1);
	((struct told *)ctx)->homes++;
}

static void ask_after_a_reading(struct source *s, struct told *t)
{
	struct raw_event ev;
	uint64_t ns;

	assert_int_equal(source_totals(s, take_total, t, &ns, NULL), 1);
	assert_int_equal(ns, 101);
	assert_true(source_turn_sums(s, &ns) && ns == 102);
	assert_int_equal(source_sums(s, take_sum, t, NULL), 1);
	assert_int_equal(source_open_waits(s, 0, 0, take_open, t, &ns, NULL), 2);
	assert_int_equal(ns, 103);
	assert_int_equal(source_open_stack(s, &sleeping, &ev), SOURCE_STACK_COMES);
	assert_int_equal(source_open_stack(s, &waiting, &ev), SOURCE_STACK_HERE);
	assert_true(ev.kind == RAW_WAIT_STACK && ev.tid == 11 && ev.wait.id == 8);
	assert_int_equal(source_open_stack(s, &waiting, &ev), SOURCE_STACK_NOT_NOW);
	assert_int_equal(source_homes(s, take_home, t, NULL), 1);
	assert_true(t->totals == 1 && t->sums == 1 && t->open == 2 && t->homes == 1);
}

/* What it is asked between two readings it answers as the other source did; and it ends where that was stopped. */
static void answers_are_replayed(void **state)
{
	struct capture_plan plan = { .replay = path, .off_cpu = true, .wakers = true };
	struct source_stats st;
	struct told t = { 0 };
	struct source *s = NULL;
	struct err e = ERR_INIT;
	uint64_t ns;

	(void)state;
	assert_int_equal(replay_plan(&plan, &e), 0);
	assert_true(plan.off_cpu && !plan.wakers && plan.freq_hz == 499);
	assert_int_equal(source_open(&plan, &s, &e), 0);
	t.source = s;
	assert_int_equal(source_start(s, &e), 0);
	assert_int_equal(source_now_ns(s), 1);
	/* Nothing has been answered yet. */
	assert_int_equal(source_totals(s, take_total, &t, &ns, &e), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(source_read(s, 0, false, take_event, &t, &e), 2);
	assert_true(t.ev.kind == RAW_COMM && source_from_ns(s) == 101 && source_now_ns(s) == 102);
	ask_after_a_reading(s, &t);
	assert_int_equal(source_read(s, 0, false, take_event, &t, &e), 1);
	assert_true(t.further && t.ev.sample.outside && t.ev.sample.user.unchecked);
	/* It was stopped here: nothing comes before it is. */
	assert_true(source_ended(s));
	assert_int_equal(source_read(s, 0, true, take_event, &t, &e), 0);
	source_stop(s);
	assert_int_equal(source_now_ns(s), 250);
	assert_int_equal(source_read(s, 0, true, take_event, &t, &e), 1);
	assert_int_equal(t.ev.kind, RAW_EVENT);
	assert_string_equal(probes_measure(t.ev.hit.probe - RAW_PROBE_PLACED)->name, "sys:rawreplay");
	/* Nobody has asked for the totals before: none is lost. */
	assert_int_equal(source_totals(s, take_total, &t, &ns, &e), 2);
	assert_int_equal(ns, 301);
	source_stats(s, &st);
	assert_int_equal(st.waits, 300);
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
		cmocka_unit_test_setup_teardown(answers_are_replayed, write_answers, remove_capture),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
