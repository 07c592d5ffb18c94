/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotator.c - one thread, one slot for the question and one for the answer.
 *
 * The state belongs to the thread and to its owner together, and whoever leaves last frees it:
 * opening a file can take for ever. So while it does that, it holds nothing else, and after STOP is
 * set it touches nothing that is not its own.
 */
#include "config.h"

#include "ui/annotator.h"

#include "base/clock.h"
#include "base/thread.h"
#include "symbol/demangle.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define STACK_BYTES (DEMANGLE_STACK + (1u << 20))
#define GOODBYE_NS (200 * NSEC_PER_MSEC) /* how long annotator_free() waits for the thread */

struct annotator {
	struct code_access access;
	const struct names *names;
	pthread_mutex_t lock;
	pthread_cond_t asked, left;
	unsigned int refs;               /* under lock */
	bool ended, reading;             /* under lock */
	_Atomic bool stop;
	struct annot_job job;            /* under lock; snapshot == NULL: none */
	struct annot_answer done;        /* under lock, when HAS */
	bool has;                        /* under lock */
	int fd;
};

static bool same_function(const struct listing_of *a, const struct listing_of *b)
{
	return a->module == b->module && a->start == b->start && a->size == b->size && !strcmp(a->inlined, b->inlined);
}

void annotate_now(struct listing *l, const struct names *names, struct annot_job *job, struct annot_answer *ret)
{
	const uint64_t began = clock_mono_ns();

	*ret = (struct annot_answer){ .annotation = NULL };
	annotation_build(l, job->snapshot, names, &job->query, &ret->annotation, &ret->err);
	ret->took_ns = clock_mono_ns() - began;
	snapshot_unref(take_ptr(job->snapshot));
}

/* Drops a reference; called with the lock, which is gone afterwards. */
static void annotator_unref_unlock(struct annotator *a)
{
	const bool last = !--a->refs;

	pthread_mutex_unlock(&a->lock);
	if (!last)
		return;
	if (a->has)
		annotation_free(a->done.annotation);
	if (a->fd >= 0)
		close(a->fd);
	pthread_cond_destroy(&a->asked);
	pthread_cond_destroy(&a->left);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

static void annotator_tell(const struct annotator *a)
{
	const uint64_t one = 1;

	while (write(a->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Puts ANSWER in place of one that nobody took. Called with the lock. */
static void annotator_hand_over(struct annotator *a, const struct annot_answer *answer)
{
	if (a->has)
		annotation_free(a->done.annotation);
	a->done = *answer;
	a->has = true;
	annotator_tell(a);
}

/*
 * Reads the function that is asked for in place of *KEPT, without the lock that it is called with.
 * The snapshot stays where it is meanwhile: when this hangs it is not lost.
 */
static void annotator_read_code(struct annotator *a, struct listing **kept)
{
	struct annot_answer answer = { .annotation = NULL };
	const struct listing_of of = a->job.of;
	int r;

	a->reading = true;
	pthread_mutex_unlock(&a->lock);
	listing_free(take_ptr(*kept));
	r = listing_read(&a->access, &of, &a->stop, kept, &answer.err);
	pthread_mutex_lock(&a->lock);
	a->reading = false;
	if (r && !atomic_load(&a->stop)) {
		snapshot_unref(take_ptr(a->job.snapshot));
		annotator_hand_over(a, &answer);
	}
}

static void annotator_sum_up(struct annotator *a, struct listing *l)
{
	struct annot_job job = a->job;
	struct annot_answer answer;

	a->job.snapshot = NULL;
	pthread_mutex_unlock(&a->lock);
	annotate_now(l, a->names, &job, &answer);
	pthread_mutex_lock(&a->lock);
	annotator_hand_over(a, &answer);
}

static void *annotator_work(void *arg)
{
	struct annotator *a = arg;
	struct listing *kept = NULL;

	pthread_mutex_lock(&a->lock);
	while (!atomic_load(&a->stop)) {
		if (!a->job.snapshot)
			pthread_cond_wait(&a->asked, &a->lock);
		else if (kept && same_function(&kept->of, &a->job.of))
			annotator_sum_up(a, kept);
		else
			annotator_read_code(a, &kept);
	}
	listing_free(kept);
	a->ended = true;
	pthread_cond_signal(&a->left);
	annotator_unref_unlock(a);
	return NULL;
}

int annotator_new(const struct code_access *access, const struct names *names, struct annotator **ret, struct err *e)
{
	struct annotator *a = calloc(1, sizeof(*a));
	int r = 0;

	if (!a)
		return err_nomem(e, "the view");
	a->access = *access;
	a->names = names;
	a->refs = 2;
	thread_mutex_init(&a->lock);
	thread_cond_init(&a->asked);
	thread_cond_init(&a->left);
	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = a->fd < 0 ? errno : thread_start(annotator_work, a, STACK_BYTES);
	if (r) {
		a->refs = 1;
		pthread_mutex_lock(&a->lock);
		annotator_unref_unlock(a);
		return err_set(e, r, "cannot start the thread that reads code: %s", strerror(r));
	}
	*ret = a;
	return 0;
}

void annotator_free(struct annotator *a)
{
	const struct timespec until = clock_timespec(clock_mono_ns() + GOODBYE_NS);
	bool patient = true;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	atomic_store(&a->stop, true);
	snapshot_unref(take_ptr(a->job.snapshot));
	pthread_cond_signal(&a->asked);
	/* What sums up reads what is not ours; it comes to its end. */
	while (!a->ended && (patient || !a->reading)) {
		if (patient)
			patient = !pthread_cond_timedwait(&a->left, &a->lock, &until);
		else
			pthread_cond_wait(&a->left, &a->lock);
	}
	annotator_unref_unlock(a);
}

void annotator_ask(struct annotator *a, struct annot_job *job)
{
	struct snapshot *old;

	pthread_mutex_lock(&a->lock);
	old = a->job.snapshot;
	a->job = *job;
	job->snapshot = NULL;
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
	snapshot_unref(old);
}

bool annotator_take(struct annotator *a, struct annot_answer *ret)
{
	uint64_t n;
	bool has;

	while (read(a->fd, &n, sizeof(n)) < 0 && errno == EINTR)
		;                        /* never waits: EFD_NONBLOCK */
	pthread_mutex_lock(&a->lock);
	has = a->has;
	if (has)
		*ret = a->done;
	a->has = false;
	pthread_mutex_unlock(&a->lock);
	return has;
}

int annotator_fd(const struct annotator *a)
{
	return a->fd;
}
