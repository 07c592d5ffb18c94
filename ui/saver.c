/* SPDX-License-Identifier: BSD-2-Clause */
/* saver.c - the thread; what it writes is in save.c. */
#include "config.h"

#include "ui/saver.h"

#include "base/text.h"
#include "base/thread.h"
#include "ui/view_session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TEXT_SIZE (2 * ERR_TEXT_MAX)

/* What a question borrows. */
struct borrowed {
	char *arch;
	uint64_t *within;
};

struct saver {
	const struct feed *feed;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	struct save_job job;             /* the thread's, while BUSY */
	struct borrowed own;             /* the same */
	bool wanted, busy;               /* under lock: JOB is to be done; ... or has not been taken yet */
	bool stop;                       /* under lock */
	char text[TEXT_SIZE];            /* under lock: what came of it */
	struct feed fresh;               /* the same; the thread's, while BUSY */
	bool has_fresh;
	int fd;
};

static void saver_forget(struct saver *s)
{
	snapshot_unref(take_ptr(s->job.snapshot));
	free(s->own.arch);
	free(s->own.within);
	s->own = (struct borrowed){ 0 };
}

static bool saver_copy_text(const char **text, char **ret_own)
{
	*ret_own = *text ? strdup(*text) : NULL;
	if (*text && !*ret_own)
		return false;
	*text = *ret_own;
	return true;
}

/* Copies what the question points at, as the view may change it meanwhile. */
static bool own_query(struct saver *s)
{
	struct query *q = &s->job.query;
	const size_t n = q->nr_within * sizeof(*q->within);

	if (!saver_copy_text(&q->arch, &s->own.arch))
		return false;
	if (!n)
		return true;
	s->own.within = malloc(n);
	if (!s->own.within)
		return false;
	memcpy(s->own.within, q->within, n);
	q->within = s->own.within;
	return true;
}

static void do_job(struct saver *s, char *text, size_t size)
{
	struct err e = ERR_INIT;
	int r;

	s->has_fresh = false;
	switch (s->job.as) {
	case SAVE_RECORD:
		r = s->feed->record(s->feed->ctx, text, size, &e);
		break;
	case SAVE_ATTACH:
		r = s->feed->attach(s->feed->owner, s->job.pid, s->job.start_ticks, &s->fresh, &e);
		s->has_fresh = r >= 0;
		break;
	case SAVE_LEAVE:
		r = 0;
		view_session_leave(take_ptr(s->job.stage), text, size);
		break;
	default:
		r = save_now(&s->job, s->feed->names, text, size, &e);
	}
	if (r < 0)
		text_format(text, size, "%s", e.text);
}

static void saver_tell(const struct saver *s)
{
	const uint64_t one = 1;

	while (write(s->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void *saver_work(void *arg)
{
	struct saver *s = arg;
	char text[TEXT_SIZE];

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (!s->wanted && s->stop)
			break;
		if (!s->wanted) {
			pthread_cond_wait(&s->asked, &s->lock);
			continue;
		}
		s->wanted = false;
		pthread_mutex_unlock(&s->lock);
		text[0] = '\0';
		do_job(s, text, sizeof(text));
		saver_forget(s);
		pthread_mutex_lock(&s->lock);
		memcpy(s->text, text, sizeof(text));
		saver_tell(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* With all signals blocked: they belong to the thread that owns the terminal. */
static int saver_start(struct saver *s)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&s->thread, NULL, saver_work, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int saver_new(const struct feed *feed, struct saver **ret, struct err *e)
{
	struct saver *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "the view");
	s->feed = feed;
	thread_mutex_init(&s->lock);
	pthread_cond_init(&s->asked, NULL);
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = s->fd < 0 ? errno : saver_start(s);
	if (r) {
		if (s->fd >= 0)
			close(s->fd);
		free(s);
		return err_set(e, r, "cannot start the thread that saves files: %s", strerror(r));
	}
	*ret = s;
	return 0;
}

void saver_free(struct saver *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->asked);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	if (s->has_fresh)
		s->fresh.leave(s->fresh.owner, s->text, sizeof(s->text));
	saver_forget(s);
	close(s->fd);
	pthread_cond_destroy(&s->asked);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

bool saver_ask(struct saver *s, struct save_job *job)
{
	bool busy, ok = true;

	pthread_mutex_lock(&s->lock);
	busy = s->busy;
	pthread_mutex_unlock(&s->lock);
	if (busy) {
		snapshot_unref(take_ptr(job->snapshot));
		return false;
	}
	s->job = *job;
	job->snapshot = NULL;
	ok = own_query(s);
	if (!ok)
		saver_forget(s);
	pthread_mutex_lock(&s->lock);
	s->busy = true;
	s->wanted = ok;
	if (ok) {
		pthread_cond_signal(&s->asked);
	} else {
		snprintf(s->text, sizeof(s->text), "not enough memory to save anything");
		saver_tell(s);
	}
	pthread_mutex_unlock(&s->lock);
	return true;
}

bool saver_take(struct saver *s, char *text, size_t size)
{
	uint64_t n;

	if (read(s->fd, &n, sizeof(n)) < 0)
		return false;
	pthread_mutex_lock(&s->lock);
	s->busy = false;
	snprintf(text, size, "%s", s->text);
	pthread_mutex_unlock(&s->lock);
	return true;
}

bool saver_fresh(struct saver *s, struct feed *ret)
{
	const bool has = s->has_fresh;

	if (has)
		*ret = s->fresh;
	s->has_fresh = false;
	return has;
}

void saver_use(struct saver *s, const struct feed *feed)
{
	s->feed = feed;
}

int saver_fd(const struct saver *s)
{
	return s->fd;
}
