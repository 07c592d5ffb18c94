/* SPDX-License-Identifier: BSD-2-Clause */
/* builder.c - one thread, one slot for the question, one for the answer. */
#include "config.h"

#include "ui/builder.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct builder {
	const struct names *names;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	struct build_job job;            /* under lock; snapshot == NULL: none */
	struct built *done;              /* under lock */
	bool stop;                       /* under lock */
	int fd;
};

static void build_waits(struct built *b, const struct names *names)
{
	AUTO(waits_free) struct waits *waits = NULL;
	struct query q = b->job.query;

	q.kinds &= KINDS_OFF_CPU;
	if (waits_build(b->snapshot, names, &q, &waits, &b->err) < 0)
		return;
	b->standstill = waitsview_standstill(waits);
	b->tree = waitsview_tree(waits);
	if (b->tree)
		b->waits = take_ptr(waits);
	else
		err_nomem(&b->err, "the list of waits");
}

/* A tree says nothing of single threads; what has not ended is in the last slice, and that is listed quickly. */
static void look_for_standstill(struct built *b, const struct names *names)
{
	AUTO(waits_free) struct waits *waits = NULL;
	const size_t n = snapshot_slices(b->snapshot);
	struct query q = { .kinds = KINDS_OFF_CPU, .fold_idle = true, .arch = b->job.query.arch };
	struct err e = ERR_INIT;
	struct slice_view last;

	if (!b->job.off_cpu || !n)
		return;
	snapshot_slice(b->snapshot, n - 1, &last);
	q.from_ns = last.from_ns;
	q.to_ns = UINT64_MAX;
	if (!waits_build(b->snapshot, names, &q, &waits, &e))
		b->standstill = waitsview_standstill(waits);
}

static void build_tree(struct built *b, const struct names *names)
{
	if (!tree_build(b->snapshot, names, &b->job.query, &b->tree, &b->err))
		look_for_standstill(b, names);
}

struct built *build_now(const struct names *names, struct build_job *job)
{
	struct built *b = calloc(1, sizeof(*b));
	const uint64_t began = clock_mono_ns();

	if (!b) {
		snapshot_unref(take_ptr(job->snapshot));
		return NULL;
	}
	b->snapshot = take_ptr(job->snapshot);
	b->job = *job;
	history_of(b->snapshot, job->start_ns, job->end_ns, &b->history);
	if (job->waits)
		build_waits(b, names);
	else
		build_tree(b, names);
	b->took_ns = clock_mono_ns() - began;
	return b;
}

void built_free(struct built *b)
{
	if (!b)
		return;
	tree_free(b->tree);
	waits_free(b->waits);
	snapshot_unref(b->snapshot);
	free(b);
}

static void tell(struct builder *b)
{
	const uint64_t one = 1;

	while (write(b->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void *work(void *arg)
{
	struct builder *b = arg;

	pthread_mutex_lock(&b->lock);
	while (!b->stop) {
		struct build_job job = b->job;
		struct built *built;

		if (!job.snapshot) {
			pthread_cond_wait(&b->asked, &b->lock);
			continue;
		}
		b->job.snapshot = NULL;
		pthread_mutex_unlock(&b->lock);
		built = build_now(b->names, &job);
		pthread_mutex_lock(&b->lock);
		built_free(b->done);
		b->done = built;
		if (built)
			tell(b);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* Starts the thread with all signals blocked: they belong to the thread that owns the terminal. */
static int start(struct builder *b)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&b->thread, NULL, work, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int builder_new(const struct names *names, struct builder **ret, struct err *e)
{
	struct builder *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return err_nomem(e, "the view");
	b->names = names;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->asked, NULL);
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = b->fd < 0 ? errno : start(b);
	if (r) {
		if (b->fd >= 0)
			close(b->fd);
		free(b);
		return err_set(e, r, "cannot start the thread that builds call trees: %s", strerror(r));
	}
	*ret = b;
	return 0;
}

void builder_free(struct builder *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	pthread_cond_signal(&b->asked);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	snapshot_unref(b->job.snapshot);
	built_free(b->done);
	close(b->fd);
	pthread_cond_destroy(&b->asked);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void builder_ask(struct builder *b, struct build_job *job)
{
	struct snapshot *old;

	pthread_mutex_lock(&b->lock);
	old = b->job.snapshot;
	b->job = *job;
	job->snapshot = NULL;
	pthread_cond_signal(&b->asked);
	pthread_mutex_unlock(&b->lock);
	snapshot_unref(old);
}

struct built *builder_take(struct builder *b)
{
	struct built *built;
	uint64_t n;

	while (read(b->fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&b->lock);
	built = b->done;
	b->done = NULL;
	pthread_mutex_unlock(&b->lock);
	return built;
}

int builder_fd(const struct builder *b)
{
	return b->fd;
}
