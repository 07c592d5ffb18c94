/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placement.c - the owner's side: questions in, answers out, and an eye on the thread
 * (placement_private.h).
 */
#include "config.h"

#include "numa/placement.h"

#include "numa/placement_private.h"

#include <errno.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES_MAX 64u                  /* waiting or answered */
#define LIMIT_NS (2 * NSEC_PER_SEC)      /* at one process */
#define END_NS NSEC_PER_SEC              /* that placement_free() waits */
#define HUNG_MAX 8u                      /* threads left behind before no more are started */
#define JOBS_MAX 1024u                   /* surveys that wait */

struct placement {
	struct worker *w;        /* NULL: too many are left behind, or no thread could be started */
	struct batch_list left;  /* to be given out: answered, or never to be, since there is no worker any more */
	struct page_query query;
	pid_t hung[HUNG_MAX];    /* processes that are not asked any more */
	unsigned int nr_hung;
	uint64_t asked, answered, refused;
	uint64_t cpu_ns;         /* of workers left behind */
};

static int ask_kernel(void *ctx, pid_t pid, unsigned long n, void **addr, int *status)
{
	(void)ctx;
	return numa_move_pages(pid, n, addr, NULL, status, 0) < 0 ? -errno : 0;
}

int placement_new(const struct placement_config *c, struct placement **ret, struct err *e)
{
	AUTO(placement_free) struct placement *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(e, "what asks for nodes of pages");
	batch_list_init(&p->left);
	p->query = (struct page_query){ c->query ? c->query : ask_kernel, c->ctx };
	r = worker_new(&p->query, &p->w, e);
	if (r)
		return r;
	*ret = take_ptr(p);
	return 0;
}

void placement_free(struct placement *p)
{
	const struct timespec until = clock_timespec(clock_mono_ns() + END_NS);
	struct worker *w = p ? p->w : NULL;

	if (p)
		batch_list_free(&p->left);
	free(p);
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	while (!w->ended && !pthread_cond_timedwait(&w->idle, &w->lock, &until))
		;
	worker_unref_unlock(w);
}

static bool is_hung(const struct placement *p, pid_t pid)
{
	for (unsigned int i = 0; i < p->nr_hung; i++)
		if (p->hung[i] == pid)
			return true;
	return false;
}

/* The batch that takes the next question; with the lock. NULL: there are too many, or no memory. */
static struct batch *open_batch(struct worker *w)
{
	struct batch *b = w->waiting.first;

	while (b && b->n == BATCH)
		b = b->next;
	if (b || w->waiting.n + w->done.n >= BATCHES_MAX)
		return b;
	b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	b->began_ns = clock_mono_ns();
	b->n = 0;
	b->text.v = NULL;
	b->text.n = b->text.cap = 0;
	batch_push(&w->waiting, b);
	return b;
}

bool placement_ask(struct placement *p, pid_t pid, uint64_t addr, uint64_t sp, uint64_t tag)
{
	struct worker *w = is_hung(p, pid) ? NULL : p->w;
	struct batch *b = NULL;

	if (w) {
		pthread_mutex_lock(&w->lock);
		b = open_batch(w);
		if (b) {
			b->q[b->n] = (struct question){ .pid = pid, .addr = addr, .sp = sp, .tag = tag };
			b->a[b->n] = (struct page_answer){ .tag = tag, .node = NODE_UNKNOWN };
			b->path[b->n++] = NO_PATH;
			/* It sleeps until the first one comes, and then no longer than for a full batch. */
			if (b->n == 1 || b->n == BATCH)
				pthread_cond_signal(&w->work);
		}
		pthread_mutex_unlock(&w->lock);
	}
	p->asked += b != NULL;
	p->refused += !b;
	return b;
}

void placement_survey(struct placement *p, pid_t pid, uint64_t start_ns)
{
	struct worker *w = is_hung(p, pid) ? NULL : p->w;
	bool known = false;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->jobs.n; i++)
		known |= w->jobs.v[i].pid == pid;
	if (!known && w->jobs.n < JOBS_MAX && vec_reserve(&w->jobs, 1)) {
		*vec_push(&w->jobs) = (struct job){ pid, start_ns };
		pthread_cond_signal(&w->work);
	}
	pthread_mutex_unlock(&w->lock);
}

static void list_move(struct batch_list *to, struct batch_list *from)
{
	struct batch *b;

	while ((b = batch_pop(from)))
		batch_push(to, b);
}

/*
 * What the thread of FROM is working on, unanswered: it does not change any more what stands there. NULL: no memory.
 */
static struct batch *copy_running(const struct worker *from)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->n = from->running->n;
	for (size_t i = 0; i < b->n; i++) {
		b->a[i] = (struct page_answer){ .tag = from->running->q[i].tag, .node = NODE_UNKNOWN };
		b->path[i] = NO_PATH;
	}
	return b;
}

/* Moves all that is not begun from FROM, whose lock is held, to the new worker TO; and surveys that are not fetched. */
static void move_work(struct worker *to, struct worker *from)
{
	pthread_mutex_lock(&to->lock);
	list_move(&to->waiting, &from->waiting);
	for (size_t i = 0; i < from->jobs.n; i++)
		if (from->jobs.v[i].pid != from->at && vec_reserve(&to->jobs, 1))
			*vec_push(&to->jobs) = from->jobs.v[i];
	if (from->surveys.n && vec_reserve(&to->surveys, from->surveys.n))
		for (size_t i = 0; i < from->surveys.n; i++)
			*vec_push(&to->surveys) = from->surveys.v[i];
	if (to->surveys.n)
		from->surveys.n = 0;
	pthread_cond_signal(&to->work);
	pthread_mutex_unlock(&to->lock);
}

/*
 * Leaves the thread behind when it is at one process for too long. Questions are still answered:
 * "nowhere" when nobody can ask.
 */
static void mind_the_thread(struct placement *p)
{
	struct worker *old = p->w, *fresh = NULL;
	struct batch *unanswered = NULL;
	bool late;

	if (!old)
		return;
	pthread_mutex_lock(&old->lock);
	late = old->at && clock_mono_ns() - old->at_ns >= LIMIT_NS;
	if (late && old->running)
		unanswered = copy_running(old);
	/* Without memory it is tried again: nobody would ever hear of what is not taken over. */
	if (!late || (old->running && !unanswered)) {
		pthread_mutex_unlock(&old->lock);
		return;
	}
	p->hung[p->nr_hung++] = old->at;
	list_move(&p->left, &old->done);
	if (unanswered)
		batch_push(&p->left, unanswered);
	if (p->nr_hung < HUNG_MAX && !worker_new(&p->query, &fresh, NULL))
		move_work(fresh, old);
	list_move(&p->left, &old->waiting);
	p->cpu_ns += old->cpu_ns;
	old->stop = true;
	p->w = fresh;
	worker_unref_unlock(old);
}

/* Gives out and frees B. */
static unsigned int give_batch(struct batch *b, page_fn *each, void *ctx)
{
	const unsigned int n = (unsigned int)b->n;

	for (size_t i = 0; i < n; i++) {
		b->a[i].path = b->path[i] == NO_PATH ? NULL : b->text.v + b->path[i];
		each(ctx, &b->a[i]);
	}
	batch_free(b);
	return n;
}

unsigned int placement_poll(struct placement *p, page_fn *each, void *ctx)
{
	struct batch *b;
	unsigned int n = 0;

	mind_the_thread(p);
	if (p->w) {
		pthread_mutex_lock(&p->w->lock);
		list_move(&p->left, &p->w->done);
		pthread_mutex_unlock(&p->w->lock);
	}
	while ((b = batch_pop(&p->left)))
		n += give_batch(b, each, ctx);
	p->answered += n;
	return n;
}

bool placement_surveyed(struct placement *p, struct numa_process *ret)
{
	struct worker *w = p->w;
	bool got;

	if (!w)
		return false;
	pthread_mutex_lock(&w->lock);
	got = w->surveys.n;
	if (got) {
		*ret = w->surveys.v[0];
		memmove(&w->surveys.v[0], &w->surveys.v[1], --w->surveys.n * sizeof(*ret));
	}
	pthread_mutex_unlock(&w->lock);
	return got;
}

bool placement_surveying(const struct placement *p)
{
	bool r = false;

	if (p->w) {
		pthread_mutex_lock(&p->w->lock);
		r = p->w->jobs.n;
		pthread_mutex_unlock(&p->w->lock);
	}
	return r;
}

void placement_figures(const struct placement *p, struct placement_figures *ret)
{
	*ret = (struct placement_figures){
		.asked = p->asked, .answered = p->answered, .refused = p->refused, .cpu_ns = p->cpu_ns,
	};
	if (!p->w)
		return;
	pthread_mutex_lock(&p->w->lock);
	ret->cpu_ns += p->w->cpu_ns;
	pthread_mutex_unlock(&p->w->lock);
}
