/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that builds what panes show: whatever memory is missing, each question is answered,
 * with a sentence. The same for what is saved of them.
 */
#include "config.h"

#include "base/clock.h"
#include "export/exporter.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/madesession.h"
#include "ui/builder.h"
#include "query/flatlist.h"
#include "ui/panes/qualitypane.h"

#include <poll.h>
#include <stdio.h>

#define PATIENCE_MS 60000

static struct made_session session;
static struct snapshot *snapshot;
static struct builder *builder;
static enum pane_id pane;

static int set_up(void **state)
{
	(void)state;
	madesession_init(&session);
	madesession_server(&session);
	madesession_off_cpu(&session);
	session.meta.cut[CUT_STACK_SIZE] = 7;
	session.meta.lost.n[LOST_RING_FULL] = 3;
	snapshot = profile_snapshot(session.m.p);
	assert_non_null(snapshot);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_unref(snapshot);
	madesession_free(&session);
	return 0;
}

static struct build_job question(enum pane_id p)
{
	struct build_job job = { .snapshot = snapshot_ref(snapshot), .what = p, .off_cpu = true,
				 .meta = session.meta, .width = 100 };

	job.query.arch = MADE_ARCH;
	job.query.fold_idle = true;
	job.start_ns = job.from_ns = MADE_START_NS;
	job.end_ns = MADE_START_NS + 60 * NSEC_PER_SEC;
	return job;
}

/* The answer to a question, which must come. */
static struct built *answer(void)
{
	struct pollfd fd = { .fd = builder_fd(builder), .events = POLLIN };
	struct built *b = NULL;

	while (!builder_take(builder, &b))
		assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	return b;
}

/* Nothing at all, a sentence, or what was asked for. */
static void ask(void)
{
	struct build_job job = question(pane);
	struct built *b;

	builder_ask(builder, &job, 1);
	b = answer();
	if (b) {
		assert_int_equal(b->job.what, pane);
		assert_true(shown_any(built_shown(b)) != !!b->err.text[0]);
	}
	built_free(b);
}

/* What is no call tree is a list. */
static bool is_list(enum pane_id p)
{
	return p != PANE_TREE && p != PANE_FLAME;
}

static void every_question_is_answered(void **state)
{
	struct err e = ERR_INIT;
	struct built *b;

	(void)state;
	assert_int_equal(builder_new(session.m.names, &builder, &e), 0);
	for (pane = 0; pane < PANES; pane++) {
		struct build_job job = question(pane);

		for (long n = 0; fail_alloc_try(n, ask); n++)
			;
		builder_ask(builder, &job, 1);
		b = answer();
		assert_non_null(b);
		assert_true(b->list ? is_list(pane) && !b->tree : b->tree && !is_list(pane));
		built_free(b);
	}
	assert_false(builder_take(builder, &b));
	builder_free(builder);
}

/* Two questions, of which the first finds no memory at all: both are answered. */
static void no_memory_is_told_once(void **state)
{
	struct err e = ERR_INIT;
	struct built *b;

	(void)state;
	assert_int_equal(builder_new(session.m.names, &builder, &e), 0);
	pane = PANE_TREE;
	assert_true(fail_alloc_try(0, ask));
	assert_false(builder_take(builder, &b));
	builder_free(builder);
}

static void same_lists(const struct flatlist *is, const struct flatlist *was)
{
	assert_int_equal(is->known, was->known);
	assert_int_equal(is->n, was->n);
	for (uint32_t i = 0; i < was->n; i++) {
		assert_int_equal(is->row[i].key, was->row[i].key);
		assert_int_equal(is->row[i].total_ns, was->row[i].total_ns);
		assert_int_equal(is->row[i].self_ns, was->row[i].self_ns);
		assert_int_equal(is->row[i].count, was->row[i].count);
		assert_memory_equal(&is->row[i].self, &was->row[i].self, sizeof(is->row[i].self));
	}
}

/*
 * Panes of one tree that are asked for together get it once, and what they show is what each would
 * have built for itself.
 */
static void one_tree_serves_several_panes(void **state)
{
	struct build_job job[] = { question(PANE_FUNCS), question(PANE_FLAME), question(PANE_TREE) };
	struct built *b[PANES] = { NULL }, *own[PANES] = { NULL };
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(builder_new(session.m.names, &builder, &e), 0);
	for (size_t i = 0; i < 3; i++) {
		struct build_job alone = question(job[i].what);

		job[i].query.group_by = alone.query.group_by = job[i].what == PANE_FUNCS ? GROUP_NONE : GROUP_PROCESS;
		own[job[i].what] = build_now(session.m.names, &alone);
		assert_true(shown_any(built_shown(own[job[i].what])));
	}
	builder_ask(builder, job, 3);
	for (size_t i = 0; i < 3; i++) {
		struct built *one = answer();

		assert_null(b[one->job.what]);
		b[one->job.what] = one;
	}
	assert_ptr_equal(b[PANE_TREE]->tree, b[PANE_FLAME]->tree);
	same_lists(b[PANE_FUNCS]->model, own[PANE_FUNCS]->model);
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct tree *is = b[p] ? b[p]->tree : NULL, *was = b[p] ? own[p]->tree : NULL;

		for (uint32_t i = 0; is && i < was->n; i++) {
			assert_int_equal(is->node[i].key, was->node[i].key);
			assert_int_equal(is->node[i].total_ns, was->node[i].total_ns);
			assert_int_equal(is->node[i].self_ns, was->node[i].self_ns);
			assert_int_equal(is->node[i].count, was->node[i].count);
			assert_memory_equal(is->node[i].value, was->node[i].value, sizeof(is->node[i].value));
		}
		assert_true(!is || is->n == was->n);
		built_free(b[p]);
		built_free(own[p]);
	}
	builder_free(builder);
}

static bool try_quality(void)
{
	struct quality *q = quality_new(snapshot, session.m.names, &session.meta);
	const bool ok = q;

	quality_free(q);
	return ok;
}

static void try_recording(void)
{
	static char room[1 << 20];
	const uint64_t keys[] = { 1, 2 };
	struct export_view v = { .snapshot = snapshot, .names = session.m.names, .meta = &session.meta };
	struct err e = ERR_INIT;
	FILE *out = fmemopen(room, sizeof(room), "w");

	if (!out)
		return;
	v.query.arch = MADE_ARCH;
	v.query.group_by = GROUP_THREAD;
	v.query.by_node = true;
	v.query.within = keys;
	v.query.nr_within = 2;
	if (exporter_recording.write(out, &v, &e) < 0)
		assert_string_not_equal(e.text, "");
	v.query = (struct query){ .arch = MADE_ARCH };
	e = (struct err)ERR_INIT;
	if (exporter_recording.write(out, &v, &e) < 0)
		assert_string_not_equal(e.text, "");
	fclose(out);
}

static void memory_runs_out(void **state)
{
	long n;

	(void)state;
	for (n = 0; fail_alloc_round(n, try_quality); n++)
		;
	assert_true(n > 2);
	for (n = 0; fail_alloc_try(n, try_recording); n++)
		;
	assert_true(n > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_question_is_answered),
		cmocka_unit_test(no_memory_is_told_once),
		cmocka_unit_test(one_tree_serves_several_panes),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
