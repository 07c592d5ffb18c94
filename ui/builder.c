/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * builder.c - the thread that builds the content of panes. For each pane there is one slot for the
 * newest question and one for the newest answer.
 */
#include "config.h"

#include "ui/builder.h"

#include "base/clock.h"
#include "base/thread.h"
#include "query/spandiff.h"
#include "query/waits.h"
#include "ui/panes/pane.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct builder {
	const struct names *names;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	struct build_job job[PANES];     /* under lock; snapshot == NULL: none */
	uint64_t turn[PANES], turns;     /* under lock; the lowest one of those that ask is next */
	struct built *done[PANES];       /* under lock */
	bool no_memory;                  /* under lock: something could not be built at all, and nobody knows yet */
	bool stop;                       /* under lock */
	int fd;
};

uint64_t build_elapsed_ns(const struct build_job *job)
{
	const struct query *q = &job->query;
	const uint64_t from = q->from_ns > job->from_ns ? q->from_ns : job->from_ns;
	const uint64_t to = q->to_ns && q->to_ns < job->end_ns ? q->to_ns : job->end_ns;

	return to > from ? to - from : 0;
}

void build_job_drop(struct build_job *job)
{
	snapshot_unref(take_ptr(job->snapshot));
	snapshot_unref(take_ptr(job->mark.snapshot));
}

static const struct pane_ops *pane_ops_of(const struct build_job *job)
{
	return pane_info(job->what)->ops;
}

/* With what was at a mark, or slow calls with others, where the pane can show that. */
static bool is_compared(const struct build_job *job)
{
	return job->mark.snapshot || (span_is_compared(&job->query) && pane_ops_of(job)->compare);
}

static void build_difference(struct built *b, const struct names *names)
{
	const struct baseline_question ask = { .mark = &b->job.mark, .snapshot = b->snapshot,
					       .end_ns = b->job.end_ns, .names = names, .query = &b->job.query };

	pane_ops_of(&b->job)->compare(b, &ask);
	snapshot_unref(take_ptr(b->job.mark.snapshot));
}

/* Only the list of waits tells single threads; what has not ended is in the last slice, and that is listed quickly. */
static void look_for_standstill(struct built *b, const struct names *names)
{
	AUTO(waits_free) struct waits *waits = NULL;
	struct query q = { .measures = MEASURES_OFF_CPU, .fold_idle = true, .arch = b->job.query.arch };
	struct err e = ERR_INIT;
	struct slice_view last;

	if (!b->job.off_cpu || !snapshot_last(b->snapshot, &last))
		return;
	q.from_ns = last.from_ns;
	q.to_ns = UINT64_MAX;
	if (!waits_build(b->snapshot, names, &q, &waits, &e))
		b->standstill = waits_standstill(waits);
}

static void explain_nothing(struct built *b, const struct names *names)
{
	const struct query *q = &b->job.query;
	const int which = q->terms.n ? query_unmatched(b->snapshot, names, q) : -ENOMEM;
	char why[TERM_TEXT_MAX + 128];

	if (which < 0)
		return;
	query_unmatched_text(q, which, why, sizeof(why));
	snprintf(b->nothing, sizeof(b->nothing), "Filtered: %s", why);
}

/* Without anything; consumes JOB's references, also when out of memory: NULL. */
static struct built *built_new(struct build_job *job)
{
	struct built *b = calloc(1, sizeof(*b));

	if (!b) {
		build_job_drop(job);
		return NULL;
	}
	b->snapshot = take_ptr(job->snapshot);
	b->job = *job;
	return b;
}

struct built *build_now(const struct names *names, struct build_job *job)
{
	const uint64_t began = clock_mono_ns();
	struct built *b = built_new(job);

	if (!b)
		return NULL;
	history_of(b->snapshot, job->start_ns, job->end_ns, &b->history);
	(void)frame_share_of(b->snapshot, &b->frames);
	(is_compared(job) ? build_difference : pane_ops_of(job)->build)(b, names);
	job->mark.snapshot = NULL;
	if (!b->standstill_known && shown_any(built_shown(b)))
		look_for_standstill(b, names);
	if (shown_n(built_shown(b)) == 1)
		explain_nothing(b, names);
	b->took_ns = clock_mono_ns() - began;
	return b;
}

/*
 * Whether the pane of TO can be built from the call tree of FROM: it shows the same one, or what it
 * shows can be read from that. Byte by byte: what queries point at is the same for all that are
 * asked together.
 */
static bool can_follow(const struct build_job *from, const struct build_job *to)
{
	const struct pane_ops *ops = pane_ops_of(to);
	struct query q = from->query;

	if (from->snapshot != to->snapshot || is_compared(from) || is_compared(to) || from->what == to->what)
		return false;
	return pane_ops_of(from)->traits & PANE_CALL_TREE && ops->derives && ops->derives(&q) &&
		!memcmp(&q, &to->query, sizeof(q));
}

/* What JOB asks for from what FROM has, if that is all of it; else as build_now(). */
static struct built *build_after(const struct names *names, const struct built *from, struct build_job *job)
{
	const uint64_t began = clock_mono_ns();
	struct built *b;

	/* Where a tree was cut off, not all that could be read from it is there. */
	if (!from || !from->tree || (from->tree->cut_ns && !(pane_ops_of(job)->traits & PANE_CALL_TREE)))
		return build_now(names, job);
	b = built_new(job);
	if (!b)
		return NULL;
	b->history = from->history;
	b->frames = from->frames;
	b->standstill = from->standstill;
	memcpy(b->nothing, from->nothing, sizeof(b->nothing));
	pane_ops_of(job)->derive(b, from->tree);
	b->took_ns = clock_mono_ns() - began;
	return b;
}

void built_free(struct built *b)
{
	if (!b)
		return;
	if (pane_ops_of(&b->job)->drop)
		pane_ops_of(&b->job)->drop(b);
	tree_free(b->tree);
	outline_free(b->list);
	baseline_free(b->baseline);
	snapshot_unref(b->snapshot);
	free(b);
}

static void builder_tell(struct builder *b)
{
	const uint64_t one = 1;

	while (write(b->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* The pane whose turn it is, PANES when none asks. Under lock. */
static enum pane_id next_of(const struct builder *b)
{
	enum pane_id next = PANES;

	for (enum pane_id p = 0; p < PANES; p++) {
		if (b->job[p].snapshot && (next == PANES || b->turn[p] < b->turn[next]))
			next = p;
	}
	return next;
}

/* Takes the question for P away. Under lock. */
static struct build_job take_job(struct builder *b, enum pane_id p)
{
	const struct build_job job = b->job[p];

	b->job[p].snapshot = b->job[p].mark.snapshot = NULL;
	return job;
}

/* Under lock. */
static void builder_answer(struct builder *b, enum pane_id p, struct built *built)
{
	built_free(b->done[p]);
	b->done[p] = built;
	b->no_memory |= !built;
	builder_tell(b);
}

/*
 * What P can be built from beside its own question: that for a pane which has a call tree; PANES =
 * there is none. Under lock.
 */
static enum pane_id source_of(const struct builder *b, enum pane_id p)
{
	for (enum pane_id tree = 0; tree < PANES; tree++) {
		if (tree != p && b->job[tree].snapshot && can_follow(&b->job[tree], &b->job[p]))
			return tree;
	}
	return PANES;
}

/* Answers the question for P, and all that the same tree answers. Under lock, which is given up meanwhile. */
static void builder_serve(struct builder *b, enum pane_id p)
{
	struct build_job job[PANES];
	struct built *built[PANES];
	unsigned int more = 0;           /* panes: a mask */
	const enum pane_id source = source_of(b, p), first = source == PANES ? p : source;

	job[first] = take_job(b, first);
	for (enum pane_id i = 0; i < PANES; i++) {
		if (b->job[i].snapshot && can_follow(&job[first], &b->job[i])) {
			job[i] = take_job(b, i);
			more |= 1u << i;
		}
	}
	pthread_mutex_unlock(&b->lock);
	built[first] = build_now(b->names, &job[first]);
	for (enum pane_id i = 0; i < PANES; i++) {
		if (more & 1u << i)
			built[i] = build_after(b->names, built[first], &job[i]);
	}
	pthread_mutex_lock(&b->lock);
	for (enum pane_id i = 0; i < PANES; i++) {
		if (i == first || more & 1u << i)
			builder_answer(b, i, built[i]);
	}
}

static void *builder_work(void *arg)
{
	struct builder *b = arg;

	pthread_mutex_lock(&b->lock);
	while (!b->stop) {
		const enum pane_id p = next_of(b);

		if (p == PANES)
			pthread_cond_wait(&b->asked, &b->lock);
		else
			builder_serve(b, p);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

/* Starts the thread with all signals blocked: they belong to the thread that owns the terminal. */
static int builder_start(struct builder *b)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&b->thread, NULL, builder_work, b);
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
	thread_mutex_init(&b->lock);
	pthread_cond_init(&b->asked, NULL);
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = b->fd < 0 ? errno : builder_start(b);
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
	for (enum pane_id p = 0; p < PANES; p++) {
		build_job_drop(&b->job[p]);
		built_free(b->done[p]);
	}
	close(b->fd);
	pthread_cond_destroy(&b->asked);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

void builder_ask(struct builder *b, struct build_job *job, size_t n)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < n; i++) {
		const enum pane_id p = job[i].what;
		const struct build_job old = b->job[p];

		if (!old.snapshot)
			b->turn[p] = b->turns++;
		b->job[p] = job[i];
		job[i] = old;
	}
	pthread_cond_signal(&b->asked);
	pthread_mutex_unlock(&b->lock);
	for (size_t i = 0; i < n; i++)
		build_job_drop(&job[i]);
}

bool builder_take(struct builder *b, struct built **ret)
{
	struct built *built = NULL;
	bool any;
	uint64_t n;

	pthread_mutex_lock(&b->lock);
	for (enum pane_id p = 0; p < PANES && !built; p++)
		built = take_ptr(b->done[p]);
	any = built || b->no_memory;
	b->no_memory &= built != NULL;
	if (!any) {
		while (read(b->fd, &n, sizeof(n)) < 0 && errno == EINTR)
			;                /* never waits: EFD_NONBLOCK */
	}
	pthread_mutex_unlock(&b->lock);
	if (any)
		*ret = built;
	return any;
}

int builder_fd(const struct builder *b)
{
	return b->fd;
}
