/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placement_worker.c - the thread that asks. Questions are gathered for a moment and asked process
 * by process, without the lock.
 */
#include "config.h"

#include "numa/placement_private.h"

#include "base/order.h"
#include "base/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_MAX 64u                    /* processes whose mappings are kept */
#define KNOWN_BYTES (64u << 20)          /* what they may take, but for the last one used */
#define STACK_BYTES (1u << 20)           /* of the thread */

/* Lists. */

void batch_list_init(struct batch_list *l)
{
	*l = (struct batch_list){ .last = &l->first };
}

void batch_push(struct batch_list *l, struct batch *b)
{
	b->next = NULL;
	*l->last = b;
	l->last = &b->next;
	l->n++;
}

struct batch *batch_pop(struct batch_list *l)
{
	struct batch *b = l->first;

	if (!b)
		return NULL;
	l->first = b->next;
	if (!l->first)
		l->last = &l->first;
	l->n--;
	return b;
}

void batch_free(struct batch *b)
{
	if (b)
		vec_free(&b->text);
	free(b);
}

void batch_list_free(struct batch_list *l)
{
	struct batch *b;

	while ((b = batch_pop(l)))
		batch_free(b);
}

/* What is known of processes. */

static size_t known_bytes(const struct worker *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->known.n; i++)
		n += procmem_bytes(w->known.v[i]);
	return n;
}

/* Forgets the process that was not asked for for the longest time. */
static void forget_one(struct worker *w)
{
	size_t oldest = 0;

	for (size_t i = 1; i < w->known.n; i++)
		if (w->known.v[i]->used_ns < w->known.v[oldest]->used_ns)
			oldest = i;
	procmem_free(w->known.v[oldest]);
	w->known.v[oldest] = w->known.v[--w->known.n];
}

/* What is known of PID; NULL when out of memory. */
static struct procmem *memory_of(struct worker *w, pid_t pid)
{
	struct procmem *m = NULL;

	for (size_t i = 0; i < w->known.n && !m; i++)
		if (w->known.v[i]->pid == pid)
			m = w->known.v[i];
	if (!m) {
		while (w->known.n >= KNOWN_MAX || (w->known.n && known_bytes(w) > KNOWN_BYTES))
			forget_one(w);
		m = vec_reserve(&w->known, 1) ? procmem_new(pid, &w->kernel_devs) : NULL;
		if (!m)
			return NULL;
		*vec_push(&w->known) = m;
	}
	m->used_ns = clock_mono_ns();
	return m;
}

/* The thread. */

/* Says which process the thread turns to, 0 = none any more. False: it shall end. */
static bool turn_to(struct worker *w, pid_t pid)
{
	bool go_on;

	pthread_mutex_lock(&w->lock);
	w->at = pid;
	w->at_ns = pid ? clock_mono_ns() : 0;
	go_on = !w->stop;
	pthread_mutex_unlock(&w->lock);
	return go_on;
}

/* Keeps the path of AREA in B, in which LAST is that of the question before. */
static uint32_t placement_worker_add_path(struct batch *b, const struct procmem *m,
					  const struct area *area, uint32_t last)
{
	const char *path = area_path(&m->areas, area);
	const size_t size = strlen(path) + 1;

	if (last != NO_PATH && !strcmp(b->text.v + last, path))
		return last;
	if (b->text.n > NO_PATH / 2 || !vec_reserve(&b->text, size))
		return NO_PATH;
	memcpy(b->text.v + b->text.n, path, size);
	b->text.n += size;
	return (uint32_t)(b->text.n - size);
}

/*
 * Answers question I of B by what the kernel says (STATUS) and by M, which may be NULL. LAST as above, for the next one
 * returned.
 */
static uint32_t placement_worker_answer(struct batch *b, size_t i, struct procmem *m, int status, uint32_t last)
{
	const struct question *q = &b->q[i];
	const struct area *area;

	if (m && q->sp)
		procmem_saw_stack(m, q->sp);
	area = m && status != -ESRCH ? procmem_find(m, q->addr) : NULL;
	if (status >= 0 && (unsigned int)status < NODES_MAX)
		b->a[i].node = (uint16_t)status;
	b->a[i].mapping = (uint8_t)area_kind(area, q->addr);
	b->a[i].gone = status == -ESRCH || (m && m->gone);
	if (!area || !area->ino)
		return last;
	b->a[i].dev = area->dev;
	b->a[i].ino = area->ino;
	b->path[i] = placement_worker_add_path(b, m, area, last);
	return b->path[i];
}

/* Asks the N questions of B that are listed at ORDER, all of one process. */
static void ask_process(struct worker *w, struct batch *b, const uint16_t *order, size_t n)
{
	const pid_t pid = b->q[order[0]].pid;
	struct procmem *m = memory_of(w, pid);
	uint32_t last = NO_PATH;
	void *addr[BATCH];
	int status[BATCH], r;

	for (size_t i = 0; i < n; i++)
		addr[i] = (void *)(uintptr_t)b->q[order[i]].addr;
	r = w->query.fn(w->query.ctx, pid, n, addr, status);
	for (size_t i = 0; i < n; i++)
		last = placement_worker_answer(b, order[i], m, r < 0 ? r : status[i], last);
}

static int compare_questions(const void *va, const void *vb, void *ctx)
{
	const struct batch *b = ctx;
	const struct question *p = &b->q[*(const uint16_t *)va], *q = &b->q[*(const uint16_t *)vb];

	return p->pid != q->pid ? compare_numbers(p->pid, q->pid) : compare_numbers(p->addr, q->addr);
}

/* Answers B, process by process. False: the thread shall end, and B is not its own any more. */
static bool ask_batch(struct worker *w, struct batch *b)
{
	uint16_t order[BATCH];

	for (size_t i = 0; i < b->n; i++)
		order[i] = (uint16_t)i;
	qsort_r(order, b->n, sizeof(*order), compare_questions, b);
	for (size_t at = 0, end; at < b->n; at = end) {
		for (end = at + 1; end < b->n && b->q[order[end]].pid == b->q[order[at]].pid; end++)
			;
		if (!turn_to(w, b->q[order[at]].pid))
			return false;
		ask_process(w, b, order + at, end - at);
	}
	return turn_to(w, 0);
}

static void end_job(struct worker *w, const struct job *j, struct numa_process *p, bool ok)
{
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->jobs.n; i++)
		if (w->jobs.v[i].pid == j->pid) {
			memmove(&w->jobs.v[i], &w->jobs.v[i + 1], (--w->jobs.n - i) * sizeof(*j));
			break;
		}
	ok = ok && !w->stop && vec_reserve(&w->surveys, 1);
	if (ok)
		*vec_push(&w->surveys) = *p;
	pthread_mutex_unlock(&w->lock);
	if (!ok)
		numa_process_clear(p);
}

static bool placement_worker_survey(struct worker *w, const struct job *j)
{
	struct numa_process p = { .pid = j->pid, .start_ns = j->start_ns };
	struct procmem *m;
	bool ok;

	if (!turn_to(w, j->pid))
		return false;
	m = memory_of(w, j->pid);
	ok = m && procmem_survey(m, &w->query, &p);
	end_job(w, j, &p, ok);
	return turn_to(w, 0);
}

/* Whether the first batch that waits need not wait for more; *RET_UNTIL: else until when. */
static bool is_ready(const struct worker *w, uint64_t *ret_until)
{
	const struct batch *b = w->waiting.first;

	*ret_until = b ? b->began_ns + GATHER_NS : 0;
	return b && (b->n == BATCH || clock_mono_ns() >= *ret_until);
}

/* Waits for something to do, with the lock. False: the end. */
static bool placement_worker_wait_for_work(struct worker *w)
{
	uint64_t until;

	while (!w->stop && !w->jobs.n && !is_ready(w, &until)) {
		const struct timespec ts = clock_timespec(until);

		if (until)
			pthread_cond_timedwait(&w->work, &w->lock, &ts);
		else
			pthread_cond_wait(&w->work, &w->lock);
	}
	return !w->stop;
}

void worker_unref_unlock(struct worker *w)
{
	const bool last = !--w->refs;

	pthread_mutex_unlock(&w->lock);
	if (!last)
		return;
	for (size_t i = 0; i < w->surveys.n; i++)
		numa_process_clear(&w->surveys.v[i]);
	for (size_t i = 0; i < w->known.n; i++)
		procmem_free(w->known.v[i]);
	vec_free(&w->known);
	vec_free(&w->kernel_devs);
	vec_free(&w->surveys);
	vec_free(&w->jobs);
	batch_list_free(&w->waiting);
	batch_list_free(&w->done);
	batch_free(w->running);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->idle);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/*
 * Does what there is to do, once: a batch, and then a survey, which the answers do not wait for.
 * With the lock, let go meanwhile.
 */
static void work_once(struct worker *w)
{
	struct job job;
	uint64_t until;
	bool go_on = true;

	w->running = is_ready(w, &until) ? batch_pop(&w->waiting) : NULL;
	if (w->running) {
		pthread_mutex_unlock(&w->lock);
		go_on = ask_batch(w, w->running);
		pthread_mutex_lock(&w->lock);
		if (go_on)
			batch_push(&w->done, take_ptr(w->running));
	}
	if (go_on && w->jobs.n) {
		job = w->jobs.v[0];
		pthread_mutex_unlock(&w->lock);
		placement_worker_survey(w, &job);
		pthread_mutex_lock(&w->lock);
	}
	w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void *placement_worker_work(void *arg)
{
	struct worker *w = arg;

	hugedevs_of_kernel(&w->kernel_devs);
	pthread_mutex_lock(&w->lock);
	while (placement_worker_wait_for_work(w))
		work_once(w);
	w->ended = true;
	pthread_cond_signal(&w->idle);
	worker_unref_unlock(w);
	return NULL;
}

static void init_conds(struct worker *w)
{
	thread_mutex_init(&w->lock);
	thread_cond_init(&w->work);
	thread_cond_init(&w->idle);
}

int worker_new(const struct page_query *q, struct worker **ret, struct err *e)
{
	struct worker *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return err_nomem(e, "what asks for nodes of pages");
	init_conds(w);
	batch_list_init(&w->waiting);
	batch_list_init(&w->done);
	w->query = *q;
	w->refs = 2;
	r = thread_start(placement_worker_work, w, STACK_BYTES);
	if (r) {
		w->refs = 1;
		pthread_mutex_lock(&w->lock);
		worker_unref_unlock(w);
		return err_set(e, r, "cannot start the thread that asks for nodes of pages: %s", strerror(r));
	}
	*ret = w;
	return 0;
}
