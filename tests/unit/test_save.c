/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_save.c - what is shown is what is saved: of each node that can be zoomed into a query says
 * the same as the tree did, and each format has it; a recording made of sums is read as the same
 * sums.
 */
#include "config.h"

#include "base/clock.h"
#include "export/exporter.h"
#include "record/recording.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/madesession.h"
#include "tests/unit/madenuma.h"
#include "ui/saver.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/sberf-test-save.XXXXXX";

static int enter_dir(void **state)
{
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int leave_dir(void **state)
{
	return chdir("/") || rmdir(dir);
}

/* The keys from under the root of T to NODE; how many. */
static uint32_t keys_to(const struct tree *t, uint32_t node, uint64_t *keys)
{
	const uint32_t n = t->node[node].depth;

	for (uint32_t i = n; i > 0; node = t->node[node].parent)
		keys[--i] = t->node[node].key;
	return n;
}

static bool same_figures(const struct tree_node *a, const struct tree_node *b)
{
	return a->total_ns == b->total_ns && a->count == b->count && a->open_ns == b->open_ns &&
	       a->doubt_ns == b->doubt_ns && !memcmp(a->value, b->value, sizeof(a->value));
}

/* The node of T with KEY; fails when there is none. */
static const struct tree_node *find_key(const struct tree *t, uint64_t key)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->node[i].key == key)
			return &t->node[i];
	fail_msg("a node is not there any more");
	return NULL;
}

/* Every node of what Q asks for, zoomed into: all that is below it, and nothing else. */
static void check_zooms(struct made *m, struct query *q)
{
	AUTO(tree_free) struct tree *all = made_tree(m, q);
	uint64_t keys[64];

	for (uint32_t i = 1; i < all->n; i++) {
		AUTO(tree_free) struct tree *part = NULL;
		uint32_t below = 0;

		if (all->node[i].kind == NODE_IDLE)
			continue;
		assert_true(all->node[i].depth <= sizeof(keys) / sizeof(keys[0]));
		q->nr_within = keys_to(all, i, keys);
		q->within = keys;
		part = made_tree(m, q);
		assert_true(same_figures(&part->node[0], &all->node[i]));
		assert_true(same_figures(find_key(part, all->node[i].key), &all->node[i]));
		for (uint32_t k = i; k < all->n; k++) {
			uint32_t up = k;

			while (up > i)
				up = all->node[up].parent;
			if (up != i)
				continue;
			below++;
			assert_true(same_figures(find_key(part, all->node[k].key), &all->node[k]));
		}
		/* Beside it the tree has the way to it. */
		assert_int_equal(part->n, below + all->node[i].depth);
		q->nr_within = 0;
	}
}

static void a_zoom_is_what_the_tree_has_there(void **state)
{
	static const enum group_by groups[] = { GROUP_NONE, GROUP_PROCESS, GROUP_EXE, GROUP_COMM,
						GROUP_THREAD, GROUP_CGROUP };
	struct made_session f;

	madesession_init(&f);
	madesession_off_cpu(&f);
	madenuma_session(&f, "bbmb");
	for (unsigned int how = 0; how < 32; how++) {
		for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
			struct query q = { .group_by = groups[g], .arch = MADE_ARCH, .inverted = how & 1,
					   .by_node = how & 2,
					   .fold_idle = how & 4, .hide_kernel = how & 8, .no_inlines = how & 16 };

			check_zooms(&f.m, &q);
		}
	}
	madesession_free(&f);
}

/* A recording of what Q asks for is read, and must make the tree that Q asks for. */
static void check_recording(struct made_session *f, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(f->m.p);
	const struct export_view v = { .snapshot = s, .names = f->m.names, .meta = &f->meta, .query = *q };
	AUTO(tree_free) struct tree *want = made_tree(&f->m, q);
	AUTO(tree_free) struct tree *got = NULL;
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *names = names_new();
	AUTO(snapshot_unref) struct snapshot *read = NULL;
	struct profile_meta meta;
	struct load_report report;
	struct err e = ERR_INIT;
	struct query again = *q;
	FILE *out = fopen("x.sberf", "we");

	assert_non_null(out);
	if (exporter_recording.write(out, &v, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(fclose(out), 0);
	if (recording_load("x.sberf", p, names, &meta, &report, NULL, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(report.note, "");
	assert_true(meta.complete);
	assert_int_equal(meta.duration_ns, f->meta.duration_ns);
	read = profile_snapshot(p);
	/* It holds no more than that, so it can be looked at without the zoom as well. */
	again.nr_within = 0;
	assert_int_equal(tree_build(read, names, &again, &got, &e), 0);
	assert_int_equal(got->n, want->n);
	for (uint32_t i = 0; i < want->n; i++) {
		const struct tree_node *node = find_key(got, want->node[i].key);

		assert_true(same_figures(node, &want->node[i]));
		assert_int_equal(node->self_ns, want->node[i].self_ns);
	}
	unlink("x.sberf");
}

static void a_recording_of_sums_has_the_same_sums(void **state)
{
	struct made_session f;

	for (unsigned int shape = 0; shape < 4; shape++) {
		struct query q = { .group_by = GROUP_THREAD, .arch = MADE_ARCH };

		madesession_init(&f);
		if (shape == 0)
			madesession_server(&f);
		else if (shape == 1)
			madesession_off_cpu(&f);
		else if (shape == 2)
			madesession_deadlock(&f, 12);
		else
			madesession_hostile(&f);
		check_recording(&f, &q);
		q.measures = MEASURES_ON_CPU;
		check_recording(&f, &q);
		q.measures = 0;
		made_only(&q, "thread:*e*");
		check_recording(&f, &q);
		madesession_free(&f);
	}
}

static void cut_stacks_and_waits_are_counted_as_before(void **state)
{
	struct made_session f;
	struct profile_meta meta;
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *names = names_new();
	AUTO(snapshot_unref) struct snapshot *s = NULL;
	struct load_report report;
	struct err e = ERR_INIT;
	FILE *out = fopen("y.sberf", "we");

	madesession_init(&f);
	madesession_server(&f);
	s = profile_snapshot(f.m.p);
	assert_int_equal(exporter_recording.write(out, &(struct export_view){ .snapshot = s, .names = f.m.names,
		.meta = &f.meta }, &e), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(recording_load("y.sberf", p, names, &meta, &report, NULL, &e), 0);
	assert_int_equal(meta.samples, f.meta.samples);
	assert_int_equal(meta.user_samples, f.meta.user_samples);
	assert_memory_equal(meta.cut, f.meta.cut, sizeof(meta.cut));
	assert_int_equal(meta.oncpu_ns, f.meta.oncpu_ns);
	unlink("y.sberf");
	snapshot_unref(take_ptr(s));
	madesession_free(&f);
}

static struct save_job job_of(struct made_session *f, const struct exporter *x)
{
	struct save_job job = { .exporter = x, .snapshot = profile_snapshot(f->m.p),
				.query = { .group_by = GROUP_PROCESS, .arch = MADE_ARCH },
				.meta = f->meta, .title = "a <title>" };

	return job;
}

static char *read_file(const char *name, size_t *ret_n)
{
	FILE *f = fopen(name, "re");
	char *text = calloc(1, 4u << 20);

	assert_non_null(f);
	assert_non_null(text);
	*ret_n = fread(text, 1, (4u << 20) - 1, f);
	fclose(f);
	return text;
}

static void each_format_under_a_name_of_its_own(void **state)
{
	static const struct {
		const char *name, *begins, *has;
	} want[] = {
		{ "sberf-1.svg", "<?xml", "a &lt;title&gt;" },
		{ "sberf-1.html", "<!DOCTYPE html>", "a &lt;title&gt;" },
		{ "sberf-1.pb.gz", "\x1f\x8b", "" },
		{ "sberf-1.folded", "redis-", "redis-server 1234;main;aeMain;" },
		{ "sberf-1.sberf", "", "" },
	};
	struct made_session f;

	madesession_init(&f);
	madesession_off_cpu(&f);
	for (unsigned int as = 0; as < sizeof(want) / sizeof(want[0]); as++) {
		const struct exporter *x = exporter_get(EXPORT_BY_SAVE, as);
		struct save_job job = job_of(&f, x);
		char text[ERR_TEXT_MAX];
		struct err e = ERR_INIT;
		AUTO_FREE char *is = NULL;
		struct stat st;
		size_t n;

		if (save_now(&job, f.m.names, text, sizeof(text), &e) < 0)
			fail_msg("%s", e.text);
		snapshot_unref(job.snapshot);
		assert_non_null(strstr(text, want[as].name));
		is = read_file(want[as].name, &n);
		assert_memory_equal(is, want[as].begins, strlen(want[as].begins));
		assert_non_null(strstr(is, want[as].has));
		assert_int_equal(stat(want[as].name, &st), 0);
		if (x == &exporter_recording)
			assert_int_equal(st.st_mode & 0777, 0600);
		unlink(want[as].name);
	}
	madesession_free(&f);
}

/* All kinds of time are on the screen, so all of them are in the one number of a line. */
static void folded_stacks_have_all_that_is_shown(void **state)
{
	struct made_session f;
	struct save_job job;
	char text[ERR_TEXT_MAX], *at;
	struct err e = ERR_INIT;
	AUTO_FREE char *is = NULL;
	uint64_t us = 0;
	size_t n;

	madesession_init(&f);
	madesession_off_cpu(&f);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(save_now(&job, f.m.names, text, sizeof(text), &e), 0);
	is = read_file("sberf-1.folded", &n);
	for (char *line = strtok_r(is, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
		us += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(us, made_look(&f.m, &job.query)->node[0].total_ns / NSEC_PER_USEC);
	unlink("sberf-1.folded");
	snapshot_unref(job.snapshot);
	madesession_free(&f);
}

static void names_that_are_taken_are_left_alone(void **state)
{
	struct made_session f;
	struct save_job job;
	char text[ERR_TEXT_MAX];
	struct err e = ERR_INIT;

	madesession_init(&f);
	madesession_server(&f);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(symlink("nowhere", "sberf-1.folded"), 0);
	assert_int_equal(mkdir("sberf-2.folded", 0700), 0);
	assert_int_equal(save_now(&job, f.m.names, text, sizeof(text), &e), 0);
	assert_non_null(strstr(text, "sberf-3.folded"));
	assert_int_equal(unlink("sberf-3.folded"), 0);
	assert_int_equal(unlink("sberf-1.folded"), 0);
	assert_int_equal(rmdir("sberf-2.folded"), 0);
	snapshot_unref(job.snapshot);
	madesession_free(&f);
}

/* A session of which every job waits until it is let go, and that writes down what was asked of it. */
struct slow {
	char name;
	sem_t *gate;
	char *log;               /* of all of them */
	struct slow *other;      /* who is attached */
	sem_t *begun;            /* posted when a recording is at work; NULL = by nobody */
};

static int slow_record(void *ctx, char *text, size_t size, struct err *e)
{
	const struct slow *s = ctx;

	if (s->begun)
		sem_post(s->begun);
	sem_wait(s->gate);
	snprintf(text, size, "recording of %c", s->name);
	strncat(s->log, &s->name, 1);
	return 0;
}

static void slow_leave(void *owner, char *text, size_t size)
{
	const struct slow *s = owner;

	strcat(s->log, "-");
	strncat(s->log, &s->name, 1);
}

static struct session slow_session(struct slow *s, const struct names *names);
static pid_t slow_pids[8];       /* that were attached */
static unsigned int nr_slow_pids;

static int slow_attach(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e)
{
	const struct slow *s = owner;

	slow_pids[nr_slow_pids++ % 8] = pid;
	if (s->begun)
		sem_post(s->begun);
	sem_wait(s->gate);
	*ret = slow_session(s->other, NULL);
	strcat(s->log, "+");
	strncat(s->log, &s->other->name, 1);
	return 0;
}

static struct session slow_session(struct slow *s, const struct names *names)
{
	return (struct session){ .ctx = s, .owner = s, .names = names, .record = slow_record, .attach = slow_attach,
				 .leave = slow_leave };
}

/* What came of the oldest job that was not taken yet. */
static const char *next_answer(struct saver *s)
{
	static char text[2 * ERR_TEXT_MAX];
	struct pollfd p = { .fd = saver_fd(s), .events = POLLIN };

	assert_int_equal(poll(&p, 1, 60000), 1);
	assert_true(saver_take(s, text, sizeof(text)));
	return text;
}

static void ask_for(struct saver *s, enum save_as as)
{
	struct save_job job = { .as = as };
	struct err e = ERR_INIT;

	assert_int_equal(saver_ask(s, &job, &e), 0);
}

static void jobs_are_done_in_their_order(void **state)
{
	char log[64] = "";
	sem_t gate;
	struct slow two = { 'B', &gate, log, NULL, NULL }, one = { 'A', &gate, log, &two, NULL };
	struct made_session f;
	struct session session, fresh;
	struct saver *s;
	struct save_job job;
	struct err e = ERR_INIT;

	assert_int_equal(sem_init(&gate, 0, 0), 0);
	madesession_init(&f);
	madesession_server(&f);
	session = slow_session(&one, f.m.names);
	assert_int_equal(saver_new(&session, &s, &e), 0);
	ask_for(s, SAVE_RECORD);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(saver_ask(s, &job, &e), 0);
	assert_null(job.snapshot);
	ask_for(s, SAVE_ATTACH);
	ask_for(s, SAVE_RECORD);
	sem_post(&gate);
	assert_string_equal(next_answer(s), "recording of A");
	assert_non_null(strstr(next_answer(s), "saved as sberf-1.folded"));
	/* The target is being attached already, and is not let go on before this was asked. */
	assert_false(saver_fresh(s, &fresh));
	for (int i = 0; i < 2; i++)
		sem_post(&gate);
	assert_string_equal(next_answer(s), "");
	assert_true(saver_fresh(s, &fresh));
	/* What was asked for before is about whom the view goes on with. */
	saver_use(s, &fresh);
	assert_string_equal(next_answer(s), "recording of B");
	assert_string_equal(log, "A+BB");
	saver_free(s);
	assert_string_equal(log, "A+BB");
	unlink("sberf-1.folded");
	madesession_free(&f);
	sem_destroy(&gate);
}

static void no_more_jobs_wait_than_fit(void **state)
{
	char log[64] = "";
	sem_t gate, begun;
	struct slow two = { 'B', &gate, log, NULL, NULL }, one = { 'A', &gate, log, &two, &begun };
	struct session session = slow_session(&one, NULL);
	struct saver *s;
	struct made_session f;
	struct save_job job;
	struct err e = ERR_INIT;

	assert_int_equal(sem_init(&gate, 0, 0), 0);
	assert_int_equal(sem_init(&begun, 0, 0), 0);
	madesession_init(&f);
	madesession_server(&f);
	assert_int_equal(saver_new(&session, &s, &e), 0);
	ask_for(s, SAVE_RECORD);
	sem_wait(&begun);
	for (unsigned int i = 0; i < SAVER_JOBS_MAX; i++)
		ask_for(s, SAVE_RECORD);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(saver_ask(s, &job, &e), -EBUSY);
	assert_null(job.snapshot);
	assert_non_null(strstr(e.text, "try again"));
	/* The end: what is at work is waited for, and nothing new begins. */
	sem_post(&gate);
	saver_free(s);
	assert_true(strlen(log) <= 1);
	madesession_free(&f);
	sem_destroy(&begun);
	sem_destroy(&gate);
}

/* Whoever picks another target while one is being attached gets the latest one, and the same one again is no other. */
static void one_target_waits_to_be_attached_at_most(void **state)
{
	static const pid_t asked[] = { 1, 1, 2, 2, 3 };
	char log[64] = "";
	sem_t gate, begun;
	struct slow two = { 'B', &gate, log, NULL, NULL }, one = { 'A', &gate, log, &two, &begun };
	struct session session = slow_session(&one, NULL), fresh;
	struct saver *s;
	struct err e = ERR_INIT;

	assert_int_equal(sem_init(&gate, 0, 0), 0);
	assert_int_equal(sem_init(&begun, 0, 0), 0);
	two.other = &one;
	assert_int_equal(saver_new(&session, &s, &e), 0);
	nr_slow_pids = 0;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct save_job job = { .as = SAVE_ATTACH, .pid = asked[i] };

		assert_int_equal(saver_ask(s, &job, &e), 0);
		if (!i)
			sem_wait(&begun);
	}
	for (int i = 0; i < 2; i++) {
		sem_post(&gate);
		assert_string_equal(next_answer(s), "");
		assert_true(saver_fresh(s, &fresh));
		saver_use(s, &fresh);
	}
	saver_free(s);
	assert_int_equal(nr_slow_pids, 2);
	assert_int_equal(slow_pids[0], 1);
	assert_int_equal(slow_pids[1], 3);
	sem_destroy(&begun);
	sem_destroy(&gate);
}

static void what_was_attached_and_never_shown_is_left(void **state)
{
	char log[64] = "";
	sem_t gate;
	struct slow two = { 'B', &gate, log, NULL, NULL }, one = { 'A', &gate, log, &two, NULL };
	struct session session = slow_session(&one, NULL);
	struct pollfd p = { .events = POLLIN };
	struct saver *s;
	struct err e = ERR_INIT;

	assert_int_equal(sem_init(&gate, 0, 1), 0);
	assert_int_equal(saver_new(&session, &s, &e), 0);
	ask_for(s, SAVE_ATTACH);
	p.fd = saver_fd(s);
	assert_int_equal(poll(&p, 1, 60000), 1);
	ask_for(s, SAVE_ATTACH);
	saver_free(s);
	assert_string_equal(log, "+B-B");
	sem_destroy(&gate);
}

struct heard {
	char text[8 * ERR_TEXT_MAX];
	sem_t *gate;             /* opened at the first sentence; NULL = there is none */
};

static void hear(void *ctx, const char *sentence)
{
	struct heard *h = ctx;

	strcat(strcat(h->text, sentence), "\n");
	if (h->gate)
		sem_post(take_ptr(h->gate));
}

static unsigned int sentences(const struct heard *h, const char *with)
{
	unsigned int n = 0;

	for (const char *at = h->text; (at = strstr(at, with)); at += strlen(with))
		n++;
	return n;
}

/* Whoever leaves the view while files wait for their turn hears how many, and what becomes of each. */
static void the_end_tells_what_is_still_written(void **state)
{
	char log[64] = "";
	sem_t gate, begun;
	struct slow one = { 'A', &gate, log, NULL, &begun };
	struct heard first = { .gate = &gate }, then = { .text = "" };
	struct made_session f;
	struct session session;
	struct saver *s;
	struct save_job job;
	struct pollfd p = { .events = POLLIN };
	struct err e = ERR_INIT;

	assert_int_equal(sem_init(&gate, 0, 0), 0);
	assert_int_equal(sem_init(&begun, 0, 0), 0);
	madesession_init(&f);
	madesession_server(&f);
	session = slow_session(&one, f.m.names);
	assert_int_equal(saver_new(&session, &s, &e), 0);
	ask_for(s, SAVE_RECORD);
	sem_wait(&begun);
	for (int i = 0; i < 2; i++) {
		job = job_of(&f, &exporter_folded);
		assert_int_equal(saver_ask(s, &job, &e), 0);
	}
	saver_end(s, hear, &first);
	assert_int_equal(strncmp(first.text, "still writing 2 files that were asked for\n", 42), 0);
	assert_int_equal(sentences(&first, "saved as "), 2);
	assert_int_equal(sentences(&first, "\n"), 3);

	assert_int_equal(saver_new(&session, &s, &e), 0);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(saver_ask(s, &job, &e), 0);
	p.fd = saver_fd(s);
	assert_int_equal(poll(&p, 1, 60000), 1);
	saver_end(s, hear, &then);
	assert_int_equal(strncmp(then.text, "saved as sberf-3.folded", 23), 0);
	assert_int_equal(sentences(&then, "\n"), 1);

	then.text[0] = '\0';
	assert_int_equal(saver_new(&session, &s, &e), 0);
	job = job_of(&f, &exporter_folded);
	assert_int_equal(saver_ask(s, &job, &e), 0);
	next_answer(s);
	saver_end(s, hear, &then);
	assert_string_equal(then.text, "");
	for (int i = 1; i <= 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sberf-%d.folded", i);
		assert_int_equal(unlink(name), 0);
	}
	madesession_free(&f);
	sem_destroy(&begun);
	sem_destroy(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_done_in_their_order),
		cmocka_unit_test(no_more_jobs_wait_than_fit),
		cmocka_unit_test(one_target_waits_to_be_attached_at_most),
		cmocka_unit_test(what_was_attached_and_never_shown_is_left),
		cmocka_unit_test(a_zoom_is_what_the_tree_has_there),
		cmocka_unit_test(a_recording_of_sums_has_the_same_sums),
		cmocka_unit_test(cut_stacks_and_waits_are_counted_as_before),
		cmocka_unit_test(each_format_under_a_name_of_its_own),
		cmocka_unit_test(folded_stacks_have_all_that_is_shown),
		cmocka_unit_test(names_that_are_taken_are_left_alone),
		cmocka_unit_test(the_end_tells_what_is_still_written),
	};

	return cmocka_run_group_tests(tests, enter_dir, leave_dir);
}
