/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scanner.c - the thread that lists processes for the picker. What it shares with its caller is
 * freed by whichever of them leaves last.
 */
#include "config.h"

#include "ui/scanner.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FIRST_NS (250 * NSEC_PER_MSEC)   /* from the first list to the second */
#define SHARE 20u                        /* reading may take 1/SHARE of the time */
#define STACK_BYTES (1024u * 1024)       /* a lookup of users may load libraries */

struct scanner {
	atomic_bool stop;
	atomic_uint users;               /* the thread, and whoever asks */
	int proc, fd;
	struct proclist *before;         /* the thread's */
	struct proc_users names;         /* the thread's */

	pthread_mutex_t lock;            /* of what follows */
	pthread_cond_t changed;
	uint64_t every_ns;               /* 0 = idle */
	struct proclist *done;
	struct err err;
	bool news;
};

static void scanner_let_go(struct scanner *s)
{
	if (atomic_fetch_sub(&s->users, 1) != 1)
		return;
	proclist_unref(s->before);
	proclist_unref(s->done);
	proc_users_free(&s->names);
	if (s->proc >= 0)
		close(s->proc);
	if (s->fd >= 0)
		close(s->fd);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void scanner_hand_over(struct scanner *s, struct proclist *l, const struct err *e)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&s->lock);
	proclist_unref(s->done);
	s->done = l;
	s->err = *e;
	s->news = true;
	pthread_mutex_unlock(&s->lock);
	while (write(s->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Reads one list; how long that took. Names of users that came up follow with the next one. */
static uint64_t scanner_scan(struct scanner *s)
{
	const uint64_t began = clock_ns(CLOCK_BOOTTIME);
	struct proclist *l = NULL;
	struct err e = ERR_INIT;
	uint64_t took;

	if (proclist_read(s->proc, s->before, &s->names, began, getpid(), &s->stop, &l, &e) == -ECANCELED)
		return 0;
	took = clock_ns(CLOCK_BOOTTIME) - began;
	if (l) {
		proclist_unref(s->before);
		s->before = proclist_ref(l);
	}
	scanner_hand_over(s, l, &e);
	proc_users_learn(&s->names);
	return took;
}

/*
 * Waits until somebody wants a list and DUE_NS has come, FIRST when nobody did for a while; true =
 * nobody will any more.
 */
static bool scanner_wait_for_turn(struct scanner *s, uint64_t due_ns, bool *first)
{
	pthread_mutex_lock(&s->lock);
	while (!atomic_load(&s->stop) && (!s->every_ns || clock_mono_ns() < due_ns)) {
		const struct timespec ts = clock_timespec(due_ns);

		*first |= !s->every_ns;
		if (s->every_ns)
			pthread_cond_timedwait(&s->changed, &s->lock, &ts);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return atomic_load(&s->stop);
}

static uint64_t scanner_pace(struct scanner *s)
{
	uint64_t every;

	pthread_mutex_lock(&s->lock);
	every = s->every_ns;
	pthread_mutex_unlock(&s->lock);
	return every;
}

static void *scanner_work(void *arg)
{
	struct scanner *s = arg;
	uint64_t due_ns = 0;
	bool first = true;

	while (!scanner_wait_for_turn(s, due_ns, &first)) {
		const uint64_t began = clock_mono_ns(), took = scanner_scan(s), every = scanner_pace(s);
		const uint64_t wait = first && every > FIRST_NS ? FIRST_NS : every;

		first = false;
		due_ns = began + (wait > took * SHARE ? wait : took * SHARE);
	}
	scanner_let_go(s);
	return NULL;
}

int scanner_new(const char *dir, struct scanner **ret, struct err *e)
{
	struct scanner *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "the list of processes");
	atomic_init(&s->users, 2);
	thread_mutex_init(&s->lock);
	thread_cond_init(&s->changed);
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->proc = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = s->fd < 0 || s->proc < 0 ? errno : thread_start(scanner_work, s, STACK_BYTES);
	if (r) {
		scanner_let_go(s);
		scanner_let_go(s);
		return err_set(e, r, "cannot list the processes of %s: %s", dir, strerror(r));
	}
	*ret = s;
	return 0;
}

void scanner_free(struct scanner *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	atomic_store(&s->stop, true);
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	scanner_let_go(s);
}

void scanner_go(struct scanner *s, uint64_t every_ns)
{
	pthread_mutex_lock(&s->lock);
	s->every_ns = every_ns;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

bool scanner_take(struct scanner *s, struct proclist **ret, struct err *e)
{
	uint64_t n;
	bool news;

	if (read(s->fd, &n, sizeof(n)) < 0)
		return false;
	pthread_mutex_lock(&s->lock);
	news = s->news;
	s->news = false;
	*ret = take_ptr(s->done);
	*e = s->err;
	pthread_mutex_unlock(&s->lock);
	return news;
}

int scanner_fd(const struct scanner *s)
{
	return s->fd;
}
