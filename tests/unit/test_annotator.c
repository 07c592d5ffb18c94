/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_annotator.c - the thread that reads code: it answers the newest question, and one that hangs
 * in a file holds up nobody.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/madecode.h"
#include "ui/annotator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

/* Files that are opened as long as nobody holds them up. */
struct files {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held;
	unsigned int waiting, opened;
};

static int open_when_let(void *ctx, module_id module, struct err *e)
{
	struct files *f = ctx;

	pthread_mutex_lock(&f->lock);
	f->opened++;
	f->waiting++;
	pthread_cond_broadcast(&f->changed);
	while (f->held)
		pthread_cond_wait(&f->changed, &f->lock);
	f->waiting--;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	return err_set(e, ENOENT, "it is gone");
}

static int no_source(void *ctx, module_id module, const char *path)
{
	return -ENOENT;
}

struct world {
	struct made_session f;
	struct files *files;             /* outlives a thread that hangs in it */
	struct annotator *a;
};

static void begin(struct world *w, bool held)
{
	struct code_access access = { .open = open_when_let, .open_source = no_source };

	madesession_init(&w->f);
	madecode_fill(&w->f);
	access.ctx = w->files = calloc(1, sizeof(*w->files));
	assert_non_null(w->files);
	pthread_mutex_init(&w->files->lock, NULL);
	pthread_cond_init(&w->files->changed, NULL);
	w->files->held = held;
	assert_int_equal(annotator_new(&access, w->f.m.names, &w->a, NULL), 0);
}

static void ask(struct world *w, uint64_t start)
{
	struct annot_job job = { .snapshot = profile_snapshot(w->f.m.p),
				 .of = { .kind = MODULE_FILE, .start = start, .size = 48 } };

	job.of.module = dict_get_frame(w->f.m.d, madecode_frame(&w->f.m, 0, false))->module;
	annotator_ask(w->a, &job);
	assert_null(job.snapshot);
}

static struct annot_answer answer(struct world *w)
{
	struct pollfd p = { .fd = annotator_fd(w->a), .events = POLLIN };
	struct annot_answer ret;

	do
		assert_int_equal(poll(&p, 1, 60000), 1);
	while (!annotator_take(w->a, &ret));
	return ret;
}

/* Files are held up from now on, or not. */
static void hold(struct files *f, bool held)
{
	pthread_mutex_lock(&f->lock);
	f->held = held;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void wait_for(struct files *f, unsigned int waiting)
{
	pthread_mutex_lock(&f->lock);
	while (f->waiting != waiting)
		pthread_cond_wait(&f->changed, &f->lock);
	pthread_mutex_unlock(&f->lock);
}

static void end(struct world *w)
{
	annotator_free(w->a);
	madesession_free(&w->f);
}

static void files_free(struct files *f)
{
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

static void code_is_read_once(void **state)
{
	struct annot_answer a;
	struct world w;

	begin(&w, false);
	assert_false(annotator_take(w.a, &a));
	for (unsigned int i = 0; i < 3; i++) {
		ask(&w, MADECODE_START);
		a = answer(&w);
		assert_non_null(a.annotation);
		assert_string_equal(a.annotation->listing->why_no_code, "it is gone");
		assert_int_equal(a.annotation->hits->all.self_ns / (10 * NSEC_PER_MSEC), 80);
		annotation_free(a.annotation);
	}
	assert_int_equal(w.files->opened, 1);
	ask(&w, 0x9000);                         /* another function */
	a = answer(&w);
	assert_int_equal(a.annotation->listing->of.start, 0x9000);
	assert_int_equal(a.annotation->hits->all.total_ns, 0);
	annotation_free(a.annotation);
	assert_int_equal(w.files->opened, 2);
	ask(&w, MADECODE_START);                 /* nobody takes this one */
	end(&w);
	files_free(w.files);
}

static void the_newest_question_counts(void **state)
{
	struct annot_answer a;
	struct world w;

	begin(&w, true);
	ask(&w, 0x9000);
	wait_for(w.files, 1);
	ask(&w, 0xa000);
	ask(&w, MADECODE_START);
	hold(w.files, false);
	a = answer(&w);
	assert_int_equal(a.annotation->listing->of.start, MADECODE_START);
	annotation_free(a.annotation);
	assert_false(annotator_take(w.a, &a));
	end(&w);
	files_free(w.files);
}

static struct files *left_behind;

/* It is left behind, and holds neither snapshot nor names: both are gone when it comes back. */
static void a_thread_that_hangs_is_left_behind(void **state)
{
	struct world w;

	begin(&w, true);
	ask(&w, MADECODE_START);
	wait_for(w.files, 1);
	end(&w);
	hold(w.files, false);
	wait_for(w.files, 0);
	left_behind = w.files;                   /* it may not have let go of their lock yet */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_read_once),
		cmocka_unit_test(the_newest_question_counts),
		cmocka_unit_test(a_thread_that_hangs_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
