/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader.c - one lock, three lists of jobs (waiting, running, done) and a count of threads.
 *
 * The struct belongs to its owner and to every thread together; whoever leaves last frees it. So a
 * thread that hangs in a file system costs its stack and the struct, and nothing waits for it.
 */
#include "config.h"

#include "process/loader.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* libdw recurses little; the default of 8 MB is only address space, but per thread */
#define STACK_BYTES (1024u * 1024u)
#define TICK_NS (100 * NSEC_PER_MSEC)   /* how late a hanging load is noticed, at most */

struct job {
	struct job *next;
	struct file_id id;
	struct place place;
	uint64_t started_ns;     /* CLOCK_MONOTONIC */
	bool given_up;
	struct load_result result;
};

struct job_list {
	struct job *first, **last;
};

struct loader {
	pthread_mutex_t lock;
	pthread_cond_t work;     /* there is something to do, or an end */
	pthread_cond_t idle;     /* a thread has left */
	struct job_list waiting, done;
	struct job *running;
	load_fn *fn;
	void *ctx;
	unsigned int want;       /* threads that should be able to work */
	unsigned int working;    /* threads that are not left behind */
	unsigned int hung;       /* threads that are */
	uint64_t limit_ns;
	bool stop;
	unsigned int refs;       /* the owner and each thread */
	uint32_t pending;        /* the owner's: added and not yet taken */
	int epoll_fd, event_fd, timer_fd;
};

static void list_init(struct job_list *l)
{
	l->first = NULL;
	l->last = &l->first;
}

static void list_push(struct job_list *l, struct job *j)
{
	j->next = NULL;
	*l->last = j;
	l->last = &j->next;
}

static struct job *list_pop(struct job_list *l)
{
	struct job *j = l->first;

	if (!j)
		return NULL;
	l->first = j->next;
	if (!l->first)
		l->last = &l->first;
	return j;
}

static void job_free(struct job *j)
{
	if (!j)
		return;
	place_clear(&j->place);
	if (!j->result.status)
		loaded_clear(&j->result.loaded);
	free(j);
}

static void list_free(struct job_list *l)
{
	struct job *j;

	while ((j = list_pop(l)))
		job_free(j);
}

static void close_fds(struct loader *l)
{
	const int fds[] = { l->epoll_fd, l->event_fd, l->timer_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Drops a reference; called with the lock, which is gone afterwards. */
static void loader_unref_unlock(struct loader *l)
{
	const bool last = !--l->refs;

	pthread_mutex_unlock(&l->lock);
	if (!last)
		return;
	list_free(&l->waiting);
	list_free(&l->done);
	close_fds(l);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->idle);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static void wake_owner(struct loader *l)
{
	const uint64_t one = 1;

	/* It can only fail when the counter is full, and then the owner is awake already. */
	if (write(l->event_fd, &one, sizeof(one)) < 0)
		return;
}

static void unlink_running(struct loader *l, const struct job *j)
{
	struct job **at = &l->running;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
}

/* Books the end of J. False when this thread is one too many. */
static bool loader_finish(struct loader *l, struct job *j)
{
	const bool late = j->given_up;

	j->result.late = late;
	if (!late)
		unlink_running(l, j);
	if (late && j->result.status) {
		job_free(j);             /* a failure was reported already */
	} else {
		list_push(&l->done, j);
		wake_owner(l);
	}
	if (!late)
		return true;
	l->hung--;
	if (l->working >= l->want)
		return false;
	l->working++;
	return true;
}

static void *loader_work(void *arg)
{
	struct loader *l = arg;
	bool counted = true;

	pthread_mutex_lock(&l->lock);
	while (counted && !l->stop) {
		struct job *j = list_pop(&l->waiting);

		if (!j) {
			pthread_cond_wait(&l->work, &l->lock);
			continue;
		}
		j->next = l->running;
		l->running = j;
		j->started_ns = clock_mono_ns();
		pthread_mutex_unlock(&l->lock);
		j->result.status = l->fn(l->ctx, &j->id, &j->place, &j->result.loaded, &j->result.err);
		pthread_mutex_lock(&l->lock);
		counted = loader_finish(l, j);
	}
	if (counted)
		l->working--;
	pthread_cond_signal(&l->idle);
	loader_unref_unlock(l);
	return NULL;
}

/* Starts one thread; called with the lock. */
static int loader_start_thread(struct loader *l)
{
	const int r = thread_start(loader_work, l, STACK_BYTES);

	if (r)
		return -r;
	l->refs++;
	l->working++;
	return 0;
}

static bool loader_watch(int epoll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return fd >= 0 && !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static bool open_fds(struct loader *l)
{
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return l->epoll_fd >= 0 && loader_watch(l->epoll_fd, l->event_fd) && loader_watch(l->epoll_fd, l->timer_fd);
}

int loader_new(load_fn *fn, void *ctx, unsigned int threads, uint64_t limit_ns, struct loader **ret, struct err *e)
{
	AUTO(loader_free) struct loader *l = calloc(1, sizeof(*l));

	if (!l)
		return err_nomem(e, "the module loader");
	thread_mutex_init(&l->lock);
	thread_cond_init(&l->work);
	thread_cond_init(&l->idle);
	list_init(&l->waiting);
	list_init(&l->done);
	l->fn = fn;
	l->ctx = ctx;
	l->want = threads;
	l->limit_ns = limit_ns;
	l->refs = 1;
	l->epoll_fd = l->event_fd = l->timer_fd = -1;
	if (!open_fds(l))
		return err_set(e, errno, "cannot set up the module loader: %s (see ulimit -n)", strerror(errno));
	pthread_mutex_lock(&l->lock);
	for (unsigned int i = 0; i < threads; i++) {
		const int r = loader_start_thread(l);

		if (r) {
			pthread_mutex_unlock(&l->lock);
			return err_set(e, -r, "cannot start a thread of the module loader: %s", strerror(-r));
		}
	}
	pthread_mutex_unlock(&l->lock);
	*ret = take_ptr(l);
	return 0;
}

void loader_free(struct loader *l)
{
	const struct timespec until = clock_timespec(clock_mono_ns() + (l ? l->limit_ns : 0));

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	list_free(&l->waiting);
	pthread_cond_broadcast(&l->work);
	while (l->working && !pthread_cond_timedwait(&l->idle, &l->lock, &until))
		;
	loader_unref_unlock(l);
}

static void set_tick(struct loader *l, uint64_t ns)
{
	const struct itimerspec t = { .it_interval.tv_nsec = (long)ns, .it_value.tv_nsec = (long)ns };

	timerfd_settime(l->timer_fd, 0, &t, NULL);
}

bool loader_add(struct loader *l, uint32_t tag, const struct file_id *id, const struct place *p)
{
	struct job *j = l->pending < LOADER_QUEUE_MAX ? calloc(1, sizeof(*j)) : NULL;

	if (!j)
		return false;
	if (!place_copy(p, &j->place)) {
		free(j);
		return false;
	}
	j->id = *id;
	j->result.tag = tag;
	j->result.status = -ETIMEDOUT;
	j->result.loaded.fd = -1;
	if (l->want) {
		pthread_mutex_lock(&l->lock);
		list_push(&l->waiting, j);
		pthread_cond_signal(&l->work);
		pthread_mutex_unlock(&l->lock);
	} else {
		j->result.status = l->fn(l->ctx, &j->id, &j->place, &j->result.loaded, &j->result.err);
		list_push(&l->done, j);
		wake_owner(l);
	}
	if (!l->pending++ && l->want)
		set_tick(l, TICK_NS);
	return true;
}

static void say_given_up(struct load_result *r, const struct job *j)
{
	memset(r, 0, sizeof(*r));
	r->tag = j->result.tag;
	r->loaded.fd = -1;
	r->status = err_set(&r->err, ETIMEDOUT, "cannot use %s of process %d: its file system did not answer in time",
			    j->place.path, (int)j->place.pid);
}

/* Gives up one load that has run too long, or that waits while every thread hangs. */
static bool loader_give_up(struct loader *l, struct load_result *ret)
{
	const uint64_t now = clock_mono_ns();
	struct job *j = l->running;

	while (j && now - j->started_ns < l->limit_ns)
		j = j->next;
	if (j) {
		say_given_up(ret, j);
		unlink_running(l, j);
		j->given_up = true;
		l->working--;
		if (++l->hung <= LOADER_HUNG_MAX)
			loader_start_thread(l);
		return true;
	}
	j = l->working ? NULL : list_pop(&l->waiting);
	if (j) {
		say_given_up(ret, j);
		job_free(j);
	}
	return j != NULL;
}

/* Makes the fds unreadable until something new happens; called with the lock. */
static void loader_quiet(struct loader *l)
{
	const int fds[] = { l->event_fd, l->timer_fd };
	uint64_t n;

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		while (read(fds[i], &n, sizeof(n)) < 0 && errno == EINTR)
			;
}

bool loader_take(struct loader *l, struct load_result *ret)
{
	struct job *j;
	bool got;

	pthread_mutex_lock(&l->lock);
	j = list_pop(&l->done);
	if (j)
		*ret = j->result;
	got = j || loader_give_up(l, ret);
	if (!got)
		loader_quiet(l);
	pthread_mutex_unlock(&l->lock);
	if (j) {
		j->result.status = -ECANCELED;      /* what was loaded is the taker's now */
		job_free(j);
	}
	if (got && !ret->late && !--l->pending)
		set_tick(l, 0);
	return got;
}

int loader_fd(const struct loader *l)
{
	return l->epoll_fd;
}

uint32_t loader_pending(const struct loader *l)
{
	return l->pending;
}

uint32_t loader_hung(struct loader *l)
{
	uint32_t n;

	pthread_mutex_lock(&l->lock);
	n = l->hung;
	pthread_mutex_unlock(&l->lock);
	return n;
}
