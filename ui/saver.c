/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saver.c - the thread that saves, records and attaches, so that keys never wait for a disk or the
 * kernel. save.c has the writing of files.
 */
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
/* Beside those that may be refused, one target is left for each that was attached: one is at work and one waits. */
#define ROOM (SAVER_JOBS_MAX + 2)

/* A job, with what its question borrows. */
struct saver_task {
	struct save_job job;
	const struct names *names;       /* of the session that was shown when it was asked for */
	char *arch;
	uint64_t *within;
};

struct saver {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	/* under lock */
	const struct session *session;
	struct saver_task task[ROOM];    /* a ring: the first NR from AT on wait for their turn */
	unsigned int at, nr;
	bool at_work;                    /* something is being attached, or was and has not been taken: ATTACHING */
	struct save_job attaching;
	bool answered;                   /* what came of the last one has not been taken yet, */
	bool held;                       /* or was another session, and saver_use() is to say which is followed */
	bool writing;                    /* a file is at work, or was and what came of it has not been taken */
	bool stop;
	/* Hears what comes of files that are written after the end; NULL = nobody. */
	void (*say)(void *ctx, const char *sentence);
	void *say_ctx;
	char text[TEXT_SIZE];            /* while ANSWERED: what came of it */
	struct session fresh;
	bool has_fresh;
	int fd;
};

static void saver_forget(struct saver_task *t)
{
	snapshot_unref(take_ptr(t->job.snapshot));
	free(t->arch);
	free(t->within);
	*t = (struct saver_task){ 0 };
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
static bool saver_own_query(struct saver_task *t)
{
	struct query *q = &t->job.query;
	const size_t n = q->nr_within * sizeof(*q->within);

	if (!saver_copy_text(&q->arch, &t->arch))
		return false;
	if (!n)
		return true;
	t->within = malloc(n);
	if (!t->within)
		return false;
	memcpy(t->within, q->within, n);
	q->within = t->within;
	return true;
}

/* FRESH: what a target that was attached is asked by. Returns whether there is one. */
static bool saver_do(struct saver_task *t, const struct session *session, struct session *fresh,
		     char *text, size_t size)
{
	struct err e = ERR_INIT;
	bool attached = false;
	int r = 0;

	switch (t->job.as) {
	case SAVE_RECORD:
		r = session->record(session->ctx, text, size, &e);
		break;
	case SAVE_ATTACH:
		r = session->attach(session->owner, t->job.pid, t->job.start_ticks, fresh, &e);
		attached = r >= 0;
		break;
	case SAVE_LEAVE:
		view_session_leave(take_ptr(t->job.stage), text, size);
		break;
	default:
		r = save_now(&t->job, t->names, text, size, &e);
	}
	if (r < 0)
		text_format(text, size, "%s", e.text);
	return attached;
}

static void saver_tell(const struct saver *s)
{
	const uint64_t one = 1;

	while (write(s->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Whether the next task is to be done now; under lock. When the view ends, nobody takes answers. */
static bool saver_may_begin(const struct saver *s)
{
	return s->nr && (s->stop || (!s->answered && !s->held));
}

static struct saver_task saver_next(struct saver *s)
{
	const struct saver_task t = s->task[s->at];

	s->task[s->at] = (struct saver_task){ 0 };
	s->at = (s->at + 1) % ROOM;
	s->nr--;
	return t;
}

static void *saver_work(void *arg)
{
	struct saver *s = arg;
	char text[TEXT_SIZE];
	struct session fresh;

	pthread_mutex_lock(&s->lock);
	while (s->nr || !s->stop) {
		const struct session *session = s->session;
		struct saver_task t;
		bool attached = false;

		if (!saver_may_begin(s)) {
			pthread_cond_wait(&s->change, &s->lock);
			continue;
		}
		t = saver_next(s);
		if (t.job.as == SAVE_ATTACH) {
			s->at_work = true;
			s->attaching = t.job;
		}
		s->writing = t.job.as == SAVE_FILE;
		if (!s->stop || (t.job.as != SAVE_ATTACH && t.job.as != SAVE_RECORD)) {
			pthread_mutex_unlock(&s->lock);
			text[0] = '\0';
			attached = saver_do(&t, session, &fresh, text, sizeof(text));
			pthread_mutex_lock(&s->lock);
			memcpy(s->text, text, sizeof(text));
			if (s->stop && s->writing && s->say)
				s->say(s->say_ctx, text);
		}
		saver_forget(&t);
		if (attached) {
			s->fresh = fresh;
			s->has_fresh = true;
		}
		s->answered = true;
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

int saver_new(const struct session *session, struct saver **ret, struct err *e)
{
	struct saver *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "the view");
	s->session = session;
	thread_mutex_init(&s->lock);
	pthread_cond_init(&s->change, NULL);
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

/* So many files are still to be written, the one at work among them; under lock. */
static unsigned int saver_files_left(const struct saver *s)
{
	unsigned int n = s->writing && !s->answered;

	for (unsigned int i = 0; i < s->nr; i++)
		n += s->task[(s->at + i) % ROOM].job.as == SAVE_FILE;
	return n;
}

/* Says what nobody has heard yet: what came of the last file, and that there are others; under lock. */
static void saver_say_left(const struct saver *s)
{
	const unsigned int n = saver_files_left(s);
	char sentence[64];

	if (s->answered && s->writing)
		s->say(s->say_ctx, s->text);
	if (!n)
		return;
	snprintf(sentence, sizeof(sentence), "still writing %u file%s asked for", n,
		 n == 1 ? " that was" : "s that were");
	s->say(s->say_ctx, sentence);
}

void saver_end(struct saver *s, void (*say)(void *ctx, const char *sentence), void *ctx)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->say = say;
	s->say_ctx = ctx;
	saver_say_left(s);
	s->stop = true;                  /* here, so that each file is either among those or has been said */
	pthread_mutex_unlock(&s->lock);
	saver_free(s);
}

void saver_free(struct saver *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->change);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	if (s->has_fresh)
		s->fresh.leave(s->fresh.owner, s->text, sizeof(s->text));
	close(s->fd);
	pthread_cond_destroy(&s->change);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool saver_same_target(const struct save_job *a, const struct save_job *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* The task that waits to attach a target, NULL when none does; under lock. */
static struct saver_task *saver_to_attach(struct saver *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (s->task[(s->at + i) % ROOM].job.as == SAVE_ATTACH)
			return &s->task[(s->at + i) % ROOM];
	return NULL;
}

/*
 * Whether T, another target, needs no place of its own: somebody has changed their mind, or pressed
 * a key twice; under lock.
 */
static bool saver_attach_again(struct saver *s, const struct saver_task *t)
{
	struct saver_task *waiting = saver_to_attach(s);

	if (!waiting)
		return s->at_work && saver_same_target(&s->attaching, &t->job);
	waiting->job.pid = t->job.pid;
	waiting->job.start_ticks = t->job.start_ticks;
	return true;
}

int saver_ask(struct saver *s, struct save_job *job, struct err *e)
{
	struct saver_task t = { .job = *job };
	bool done, room = false;

	job->snapshot = NULL;
	if (!saver_own_query(&t)) {
		saver_forget(&t);
		return err_nomem(e, "a copy of what is shown");
	}
	pthread_mutex_lock(&s->lock);
	done = t.job.as == SAVE_ATTACH && saver_attach_again(s, &t);
	if (!done)
		room = s->nr < (t.job.as == SAVE_LEAVE ? ROOM : SAVER_JOBS_MAX);
	if (room) {
		t.names = s->session->names;
		s->task[(s->at + s->nr++) % ROOM] = t;
		pthread_cond_signal(&s->change);
	}
	pthread_mutex_unlock(&s->lock);
	if (done || room)
		return 0;
	saver_forget(&t);
	return err_set(e, EBUSY, "%u jobs wait already; try again when one has finished", SAVER_JOBS_MAX);
}

bool saver_take(struct saver *s, char *text, size_t size)
{
	uint64_t n;

	if (read(s->fd, &n, sizeof(n)) < 0)
		return false;
	pthread_mutex_lock(&s->lock);
	s->answered = s->writing = false;
	s->held = s->has_fresh;
	s->at_work = false;
	snprintf(text, size, "%s", s->text);
	pthread_cond_signal(&s->change);
	pthread_mutex_unlock(&s->lock);
	return true;
}

bool saver_fresh(struct saver *s, struct session *ret)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->has_fresh;
	if (has)
		*ret = s->fresh;
	s->has_fresh = false;
	pthread_mutex_unlock(&s->lock);
	return has;
}

void saver_use(struct saver *s, const struct session *session)
{
	pthread_mutex_lock(&s->lock);
	s->session = session;
	s->held = false;
	pthread_cond_signal(&s->change);
	pthread_mutex_unlock(&s->lock);
}

int saver_fd(const struct saver *s)
{
	return s->fd;
}
