/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "serve/answerer.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>

#define KEPT 8u                  /* events that may be asked for again */

struct kept {
	struct serve_question question;
	uint64_t published;
	bool ended;
	struct serve_bytes *bytes;       /* NULL = none */
};

struct answerer {
	const struct serve_source *src;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	VEC(struct answerer_job) jobs;   /* under lock, oldest first */
	VEC(struct answerer_done) done;  /* under lock, oldest first */
	bool stop;                       /* under lock */
	struct growths *growths;         /* the thread's, as are the next */
	struct kept kept[KEPT];
	unsigned int next;
	int fd;
};

static void answerer_tell(struct answerer *a)
{
	const uint64_t one = 1;

	while (write(a->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* The event that was made for the same question of the same snapshot, another reference; NULL. */
static struct serve_bytes *answerer_kept(struct answerer *a, const struct answerer_job *job)
{
	for (unsigned int i = 0; job->question.what == SERVE_LIVE && i < KEPT; i++) {
		const struct kept *k = &a->kept[i];

		if (k->bytes && k->question.pane == job->question.pane && k->question.rows == job->question.rows &&
		    k->question.count == job->question.count &&
		    k->question.have.epoch == job->question.have.epoch &&
		    k->question.have.version == job->question.have.version && k->published == job->moment.published &&
		    k->ended == job->moment.ended)
			return serve_bytes_ref(k->bytes);
	}
	return NULL;
}

static void answerer_keep(struct answerer *a, const struct answerer_job *job, struct serve_bytes *b)
{
	struct kept *k = &a->kept[a->next++ % KEPT];

	serve_bytes_unref(k->bytes);
	*k = (struct kept){ job->question, job->moment.published, job->moment.ended, serve_bytes_ref(b) };
}

static struct answerer_done answer_job(struct answerer *a, struct answerer_job *job)
{
	struct answerer_done done = { .who = job->who, .bytes = answerer_kept(a, job) };

	growths_age(a->growths, clock_mono_ns());
	if (!done.bytes && !serve_answer(a->src, &job->moment, &job->question, a->growths, &done.bytes, &done.err) &&
	    job->question.what == SERVE_LIVE)
		answerer_keep(a, job, done.bytes);
	snapshot_unref(job->moment.snapshot);
	return done;
}

/* Answers the oldest job. Under lock, which is given up meanwhile. */
static void answer_oldest(struct answerer *a)
{
	struct answerer_job job = a->jobs.v[0];
	struct answerer_done done, *at;

	memmove(a->jobs.v, a->jobs.v + 1, --a->jobs.n * sizeof(*a->jobs.v));
	pthread_mutex_unlock(&a->lock);
	done = answer_job(a, &job);
	pthread_mutex_lock(&a->lock);
	at = vec_push(&a->done);
	if (at)
		*at = done;
	else                     /* whoever asked finds out by its deadline */
		serve_bytes_unref(done.bytes);
	answerer_tell(a);
}

static void *answerer_work(void *arg)
{
	struct answerer *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (a->jobs.n)
			answer_oldest(a);
		else
			pthread_cond_wait(&a->asked, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Signals belong to the thread that asks. */
static int answerer_start(struct answerer *a)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&a->thread, NULL, answerer_work, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int answerer_new(const struct serve_source *src, struct answerer **ret, struct err *e)
{
	struct answerer *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return err_nomem(e, "the server");
	a->src = src;
	a->growths = growths_new();
	if (!a->growths) {
		free(a);
		return err_nomem(e, "the server");
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->asked, NULL);
	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = a->fd < 0 ? errno : answerer_start(a);
	if (r) {
		if (a->fd >= 0)
			close(a->fd);
		growths_free(a->growths);
		free(a);
		return err_set(e, r, "cannot start the thread that makes answers: %s", strerror(r));
	}
	*ret = a;
	return 0;
}

void answerer_free(struct answerer *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	for (size_t i = 0; i < a->jobs.n; i++)
		snapshot_unref(a->jobs.v[i].moment.snapshot);
	for (size_t i = 0; i < a->done.n; i++)
		serve_bytes_unref(a->done.v[i].bytes);
	for (unsigned int i = 0; i < KEPT; i++)
		serve_bytes_unref(a->kept[i].bytes);
	growths_free(a->growths);
	vec_free(&a->jobs);
	vec_free(&a->done);
	pthread_cond_destroy(&a->asked);
	pthread_mutex_destroy(&a->lock);
	close(a->fd);
	free(a);
}

int answerer_ask(struct answerer *a, const struct answerer_job *job)
{
	struct answerer_job *at;

	pthread_mutex_lock(&a->lock);
	at = vec_push(&a->jobs);
	if (at)
		*at = *job;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
	if (!at)
		snapshot_unref(job->moment.snapshot);
	return at ? 0 : -ENOMEM;
}

bool answerer_take(struct answerer *a, struct answerer_done *ret)
{
	uint64_t count;
	bool any;

	pthread_mutex_lock(&a->lock);
	any = a->done.n;
	if (any) {
		*ret = a->done.v[0];
		memmove(a->done.v, a->done.v + 1, --a->done.n * sizeof(*a->done.v));
	}
	if (!a->done.n && read(a->fd, &count, sizeof(count)) < 0 && errno == EAGAIN)
		errno = 0;
	pthread_mutex_unlock(&a->lock);
	return any;
}

int answerer_fd(const struct answerer *a)
{
	return a->fd;
}
