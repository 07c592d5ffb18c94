/* SPDX-License-Identifier: BSD-2-Clause */
/* wait_sums.c - two generations of first waits, and a list of sums that wait for theirs. */
#include "config.h"

#include "engine/wait_sums.h"

#include "base/vec.h"
#include "engine/hit_sums.h"

#include <stdlib.h>

#define FIRSTS_MAX 65536u
#define PENDING_MAX 16384u
#define PATIENCE 2u                      /* turns */

struct first {
	struct reconcile_task task;
	uint64_t id;
	struct event ev;
};

struct generation {
	VEC(struct first) v;
	struct hidx index;
};

struct pending {
	struct source_sum sum;
	unsigned int turns;              /* that it has waited */
};

struct wait_sums {
	struct reconcile *account;       /* NULL: they are hits */
	struct hit_sums *hits;
	struct generation now, before;
	VEC(struct pending) pending;
	uint64_t orphans;
};

struct wait_sums *wait_sums_new(struct reconcile *account)
{
	struct wait_sums *s = calloc(1, sizeof(*s));

	if (s)
		s->account = account;
	return s;
}

struct wait_sums *wait_sums_of_hits(struct hit_sums *hits)
{
	struct wait_sums *s = wait_sums_new(NULL);

	if (s)
		s->hits = hits;
	return s;
}

static void wait_sums_clear(struct generation *g)
{
	vec_free(&g->v);
	hidx_free(&g->index);
	*g = (struct generation){ 0 };
}

void wait_sums_free(struct wait_sums *s)
{
	if (!s)
		return;
	wait_sums_clear(&s->now);
	wait_sums_clear(&s->before);
	vec_free(&s->pending);
	free(s);
}

static uint64_t wait_sums_rehash(const void *ctx, uint32_t i)
{
	const struct generation *g = ctx;

	return reconcile_task_hash(&g->v.v[i].task, g->v.v[i].id);
}

static struct first *wait_sums_find(const struct generation *g, const struct reconcile_task *task, uint64_t id)
{
	uint32_t i;

	hidx_each(&g->index, reconcile_task_hash(task, id), i)
		if (g->v.v[i].id == id && reconcile_task_same(&g->v.v[i].task, task))
			return &g->v.v[i];
	return NULL;
}

void wait_sums_first(struct wait_sums *s, const struct reconcile_task *task, uint64_t id, const struct event *ev)
{
	struct generation *g = &s->now;
	struct first *f = wait_sums_find(g, task, id);

	if (!f && g->v.n < FIRSTS_MAX) {
		f = vec_push(&g->v);
		if (f)
			*f = (struct first){ .task = *task, .id = id };
		if (f && !hidx_add(&g->index, reconcile_task_hash(task, id), (uint32_t)(g->v.n - 1),
				   wait_sums_rehash, g)) {
			g->v.n--;
			f = NULL;
		}
	}
	if (f)
		f->ev = *ev;
}

static struct reconcile_task wait_sums_task_of(const struct source_sum *sum)
{
	return (struct reconcile_task){ .pid = sum->pid, .tid = sum->tid, .start_ns = sum->start_ns };
}

/* Waits of SUM that are like EV, in its part AT. */
static void wait_sums_tell(struct wait_sums *s, const struct source_sum *sum, const struct event *ev, uint64_t time_ns,
			   const struct source_sum_part *part, uint32_t at)
{
	const struct reconcile_wait w = { .blocked_ns = part->blocked_ns,
					.runnable_ns = part->runnable_ns, .period_ns = 1,
					.count = part->count };
	const struct reconcile_task task = wait_sums_task_of(sum);
	struct event one = *ev;

	if (!part->count)
		return;
	one.time_ns = time_ns;
	one.cpu = sum->cpu;
	one.node = (uint16_t)sum->node;
	if (s->hits)
		hit_sums_add(s->hits, &one, part, at);
	else
		(void)reconcile_sum(s->account, &task, &one, &w);
}

/* The longest apart: it is of interest as it is. It is in the last part. */
static void wait_sums_tell_sum(struct wait_sums *s, const struct source_sum *sum, const struct event *ev)
{
	const struct source_sum_part longest = { sum->longest_blocked_ns, sum->longest_runnable_ns, 1 };

	for (uint32_t i = 0; i < sum->n; i++) {
		struct source_sum_part rest = sum->part[i];

		if (i == sum->n - 1 && rest.count && rest.blocked_ns >= longest.blocked_ns &&
		    rest.runnable_ns >= longest.runnable_ns) {
			rest.blocked_ns -= longest.blocked_ns;
			rest.runnable_ns -= longest.runnable_ns;
			rest.count--;
			wait_sums_tell(s, sum, ev, sum->longest_ns, &longest, i);
		}
		wait_sums_tell(s, sum, ev, sum->last_ns, &rest, i);
	}
}

static bool wait_sums_try(struct wait_sums *s, const struct source_sum *sum)
{
	const struct reconcile_task task = wait_sums_task_of(sum);
	const struct first *f = wait_sums_find(&s->now, &task, sum->id);

	if (!f)
		f = wait_sums_find(&s->before, &task, sum->id);
	if (f)
		wait_sums_tell_sum(s, sum, &f->ev);
	return f;
}

static void tell_orphan(struct wait_sums *s, const struct source_sum *sum)
{
	const struct reconcile_task task = wait_sums_task_of(sum);
	const struct event ev = {
		.thread = s->hits ? hit_sums_thread(s->hits, &task) : reconcile_thread(s->account, &task),
		.stack = s->hits ? STACK_ROOT : reconcile_no_stack(s->account), .cut_module = ID_NONE,
		.wait = { .call = sum->call, .state = sum->state, .waker = ID_NONE },
		.place = { .node = NODE_UNKNOWN, .file = ID_NONE },
	};

	s->orphans++;
	if (ev.thread != ID_NONE)
		wait_sums_tell_sum(s, sum, &ev);
}

void wait_sums_take(void *wait_sums, const struct source_sum *sum)
{
	struct wait_sums *s = wait_sums;
	struct pending *p;

	if (wait_sums_try(s, sum))
		return;
	p = s->pending.n < PENDING_MAX ? vec_push(&s->pending) : NULL;
	if (p)
		*p = (struct pending){ .sum = *sum };
	else
		tell_orphan(s, sum);
}

void wait_sums_turned(struct wait_sums *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->pending.n; i++) {
		struct pending *p = &s->pending.v[i];

		if (p->turns && wait_sums_try(s, &p->sum))
			continue;
		if (p->turns++ < PATIENCE)
			s->pending.v[kept++] = *p;
		else
			tell_orphan(s, &p->sum);
	}
	s->pending.n = kept;
	wait_sums_clear(&s->before);
	s->before = s->now;
	s->now = (struct generation){ 0 };
}

void wait_sums_finish(struct wait_sums *s)
{
	for (size_t i = 0; i < s->pending.n; i++)
		if (!wait_sums_try(s, &s->pending.v[i].sum))
			tell_orphan(s, &s->pending.v[i].sum);
	s->pending.n = 0;
}

uint64_t wait_sums_orphans(const struct wait_sums *s)
{
	return s->orphans;
}
