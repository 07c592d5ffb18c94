/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_probes.c - each probe that is placed is a measure of its own: its hits count in it and in no
 * other, and a recording made by another run, in which it had another number, says the same.
 */
#include "config.h"

#include "model/probes.h"

#include "base/clock.h"
#include "export/exporter.h"
#include "record/reader.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/keys.h"
#include "tests/unit/synth.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READS "sys:read"
#define WRITES "sys:write"
#define OPENS "tracepoint:syscalls:sys_enter_openat"

static uint32_t add(const char *text, enum measure_unit unit)
{
	return probes_add(text, strlen(text), unit);
}

static void hit(struct made *m, struct memory_recording *r, uint32_t probe, const char *stack, uint64_t weight)
{
	static uint64_t at;
	const struct event ev = { .kind = EVENT_HIT, .time_ns = MADE_START_NS + ++at, .weight = weight, .count = 2,
				  .thread = made_thread(m, 7, 7, "app"), .stack = made_stack(m, stack),
				  .cut_module = ID_NONE, .wait.waker = ID_NONE, .place.file = ID_NONE,
				  .argument = probe };

	if (r)
		assert_true(encoder_event(r->enc, &ev));
	else
		assert_int_equal(profile_add(m->p, &ev), 0);
}

static void hits(struct made *m, struct memory_recording *r)
{
	hit(m, r, add(READS, UNIT_TIME), "main;load;read", 300);
	hit(m, r, add(READS, UNIT_TIME), "main;load;read", 90000);
	hit(m, r, add(WRITES, UNIT_TIME), "main;save;write", 70);
	hit(m, r, add(OPENS, UNIT_COUNT), "main;load;open", 2);
}

static uint64_t total(struct made *m, const char *name)
{
	const struct query q = { .measures = MEASURE_BIT(measure_named(name, strlen(name))), .arch = MADE_ARCH };

	return made_look(m, &q)->node[0].total_ns;
}

static void each_has_a_measure(void **state)
{
	struct made *m = *state;
	const struct measure *reads = probes_measure(add(READS, UNIT_TIME));
	const struct query q = { .measures = MEASURE_BIT(probes_measure_id(add(READS, UNIT_TIME))) |
					     MEASURE_BIT(probes_measure_id(add(WRITES, UNIT_TIME))),
					     .arch = MADE_ARCH };
	const struct tree *t;

	assert_int_equal(add(READS, UNIT_TIME), add(READS, UNIT_TIME));
	assert_int_not_equal(add(READS, UNIT_TIME), add(READS, UNIT_COUNT));
	assert_string_equal(reads->name, READS);
	assert_string_equal(reads->head, "read");
	assert_string_equal(reads->json, "sys_read");
	hits(m, NULL);
	assert_int_equal(total(m, READS), 90300);
	assert_int_equal(total(m, WRITES), 70);
	assert_int_equal(total(m, OPENS), 2);
	t = made_look(m, &q);
	/* The one that was placed first leads. */
	assert_int_equal(t->node[0].total_ns, 70);
	assert_int_equal(t->node[0].value[1], 90300);
	assert_int_equal(t->node[0].count, 2);
}

static void what_is_no_probe_is_refused(void **state)
{
	struct made *m = *state;
	char text[PROBES_TEXT_MAX + 1];
	struct event ev = { .kind = EVENT_HIT, .time_ns = MADE_START_NS, .weight = 1, .count = 1,
			    .thread = made_thread(m, 7, 7, "app"), .stack = made_stack(m, "main"),
			    .cut_module = ID_NONE,
			    .wait.waker = ID_NONE, .place.file = ID_NONE, .argument = PROBES_MAX };

	memset(text, 'a', sizeof(text));
	assert_int_equal(probes_add(text, PROBES_TEXT_MAX, UNIT_COUNT), PROBE_NONE);
	assert_int_equal(probes_add("", 0, UNIT_COUNT), PROBE_NONE);
	assert_int_equal(probes_add("sys:\033[2J", 8, UNIT_COUNT), PROBE_NONE);
	assert_null(probes_measure(PROBE_NONE));
	assert_int_equal(probes_measure_id(PROBES_MAX), MEASURE_NONE);
	assert_int_not_equal(profile_add(m->p, &ev), 0);
	ev.argument = (uint64_t)1 << 32;
	assert_int_not_equal(profile_add(m->p, &ev), 0);
}

static ssize_t give(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

/* In a process of its own, where the probes get their numbers in another order: what it recorded comes by FD. */
static void record_elsewhere(struct made *m, int fd)
{
	const struct synth s = { .dict = m->d, .names = m->names };
	struct profile_meta meta = { .target = "app 7", .host = "one", .start_real_ns = NSEC_PER_SEC,
				     .start_mono_ns = NSEC_PER_SEC };
	struct memory_recording r;

	add("sys:close", UNIT_TIME);
	add(OPENS, UNIT_COUNT);
	memory_begin(&r, &s, &meta);
	hits(m, &r);
	memory_flush(&r);
	memory_end(&r);
	_exit(write(fd, r.bytes.v, r.bytes.n) == (ssize_t)r.bytes.n ? 0 : 1);
}

/* Runs first: no probe has a number yet. */
static void numbers_of_a_file_are_its_own(void **state)
{
	struct made *m = *state;
	uint8_t bytes[65536];
	struct cursor in = { bytes, bytes };
	struct profile_meta meta;
	struct load_report report;
	const struct load_target t = { .profile = m->p, .names = m->names, .meta = &meta, .report = &report };
	struct err e = ERR_INIT;
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		record_elsewhere(m, fd[1]);
	close(fd[1]);
	while ((n = read(fd[0], bytes + (in.end - bytes), sizeof(bytes) - (size_t)(in.end - bytes))) > 0)
		in.end += n;
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(add(WRITES, UNIT_TIME), 0);
	if (recording_read("test.data", give, &in, &t, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(report.events, 4);
	assert_int_equal(total(m, READS), 90300);
	assert_int_equal(total(m, WRITES), 70);
	assert_int_equal(total(m, OPENS), 2);
}

static void places_add_up(void **state)
{
	const uint32_t probe = add("uprobe:app:placed", UNIT_COUNT);
	const struct probe_places some = { .sites = 2, .processes = 1, .failed = 1, .unseen_ns = 5 };
	struct probe_places p = probes_places(probe);

	(void)state;
	assert_int_equal(p.sites + p.processes + p.failed, 0);
	probes_note_places(probe, &some);
	probes_note_places(probe, &(struct probe_places){ .sites = 1, .unseen_ns = 3 });
	probes_note_places(PROBE_NONE, &some);
	p = probes_places(probe);
	assert_int_equal(p.sites, 3);
	assert_int_equal(p.processes, 1);
	assert_int_equal(p.failed, 1);
	assert_int_equal(p.unseen_ns, 5);
	probes_note_own(probe, 700);
	probes_note_own(probe, 600);
	assert_int_equal(probes_own_ns(probe), 700);
	probes_note_own(PROBE_NONE, 9);
	assert_int_equal(probes_own_ns(PROBE_NONE), 0);
	assert_int_equal(probes_places(PROBE_NONE).sites, 0);
	assert_int_equal(probes_open(probe).calls, 0);
	probes_set_open(probe, (struct probe_open){ .calls = 3, .oldest_ns = 7 });
	assert_int_equal(probes_open(probe).calls, 3);
	assert_int_equal(probes_open(probe).oldest_ns, 7);
	probes_set_open(probe, (struct probe_open){ 0 });
	assert_int_equal(probes_open(probe).calls, 0);
	assert_int_equal(probes_open(PROBE_NONE).calls, 0);
}

static void there_is_an_end_of_them(void **state)
{
	char text[32];
	uint32_t r = 0;

	(void)state;
	for (unsigned int i = 0; i <= PROBES_MAX; i++) {
		snprintf(text, sizeof(text), "uprobe:app:f%u", i);
		r = add(text, UNIT_COUNT);
	}
	assert_int_equal(r, PROBE_NONE);
	assert_int_equal(probes_count(), PROBES_MAX);
	assert_int_not_equal(add(READS, UNIT_TIME), PROBE_NONE);
}

/* Spells in the order of their times; where there are too many the first ones become one. */
static void spells_in_which_it_was_not_always_there(void **state)
{
	struct probe_spell list[PROBE_SPELLS_MAX];
	uint32_t n = 0;

	probe_spell_add(list, &n, &(struct probe_spell){ 100, 200, 10 });
	probe_spell_add(list, &n, &(struct probe_spell){ 100, 300, 20 });
	assert_int_equal(n, 1);
	assert_int_equal(list[0].to_ns, 300);
	assert_int_equal(list[0].on_ns, 20);
	/* What is known of it was known before. */
	probe_spell_add(list, &n, &(struct probe_spell){ 100, 150, 5 });
	assert_int_equal(list[0].to_ns, 300);
	probe_spell_add(list, &n, &(struct probe_spell){ 50, 60, 0 });
	assert_int_equal(n, 2);
	assert_int_equal(list[0].from_ns, 50);
	for (unsigned int i = 0; i < PROBE_SPELLS_MAX; i++)
		probe_spell_add(list, &n, &(struct probe_spell){ 1000 + 100 * i, 1050 + 100 * i, 1 });
	assert_int_equal(n, PROBE_SPELLS_MAX);
	/* Between 60 and 100, and 300 and 1000, it was in place. */
	assert_int_equal(list[0].from_ns, 50);
	assert_int_equal(list[0].to_ns, 1050);
	assert_int_equal(list[0].on_ns, 40 + 20 + 700 + 1);
	assert_int_equal(list[PROBE_SPELLS_MAX - 1].from_ns, 1000 + 100 * (PROBE_SPELLS_MAX - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_of_a_file_are_its_own, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(each_has_a_measure, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_probe_is_refused, made_set_up, made_tear_down),
		cmocka_unit_test(places_add_up),
		cmocka_unit_test(spells_in_which_it_was_not_always_there),
		cmocka_unit_test(there_is_an_end_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
