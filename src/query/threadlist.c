/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threadlist.c - builds the list of threads: their time by kind, where each ran last, and what it
 * was doing at the end.
 */
#include "config.h"

#include "query/threadlist.h"

#include "base/clock.h"
#include "base/order.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/label.h"
#include "query/threads.h"

#include <stdlib.h>

#define LATELY_NS (2 * NSEC_PER_SEC)     /* who had a sample since then runs */

/* What is known of a thread beside its row. */
struct last {
	uint64_t ran_ns;         /* end of the slice in which it last ran; 0 = never */
	uint64_t node_ns;        /* how long it ran there on its node */
	uint64_t open_ns;        /* end of the slice that last told an open wait; 0 = none */
};

struct builder {
	struct filter filter;
	const struct snapshot *s;
	thread_id *same;
	struct thread_row *row;          /* by thread id */
	struct last *last;
	bool *seen;
};

static void note_run(struct thread_row *r, struct last *l, const struct slice_view *v, const struct fact *x)
{
	if (l->ran_ns == v->to_ns && x->weight <= l->node_ns)
		return;
	r->node = x->node;
	l->ran_ns = v->to_ns;
	l->node_ns = x->weight;
}

/* Of a wait that has been ended but whose thread does not run yet both parts are told: what counts is the second. */
static void threadlist_note_open(struct thread_row *r, struct last *l, const struct slice_view *v, const struct fact *x,
				 const struct wait *w, unsigned int is)
{
	if (l->open_ns == v->to_ns && r->does == THREAD_QUEUED)
		return;
	l->open_ns = v->to_ns;
	r->does = x->kind == EVENT_RUNNABLE ? THREAD_QUEUED : is & FACT_IDLE ? THREAD_IDLES : THREAD_WAITS;
	r->state = w->state;
	r->call = w->call;
	r->waited_ns = (uint64_t)x->longest_ns;
}

static void threadlist_add_places(struct thread_row *r, const struct measure_set *set, unsigned int places,
				  const struct fact *x)
{
	if (places & set->lead)
		r->total_ns = add_capped(r->total_ns, measure_total(set, x->weight, x->count));
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (places >> place & 1)
			r->value[place] = add_capped(r->value[place], measure_value(set, place, x->weight, x->count));
}

static void threadlist_add_fact(struct builder *b, const struct slice_view *v, const struct fact *x, unsigned int is)
{
	const thread_id id = b->same[x->thread];
	struct thread_row *r = &b->row[id];

	b->seen[id] = true;
	r->count += is & FACT_COUNTS && filter_places(&b->filter, x) & b->filter.set.lead ? x->count : 0;
	if (is & FACT_IDLE && b->filter.q->fold_idle)
		r->idle_ns = add_capped(r->idle_ns, x->weight);
	else
		threadlist_add_places(r, &b->filter.set, filter_places(&b->filter, x), x);
	if (is & FACT_DOUBT && !(is & FACT_IDLE && b->filter.q->fold_idle))
		r->doubt_ns = add_capped(r->doubt_ns, x->weight);
	if (!EVENT_IS_WAIT(x->kind))
		note_run(r, &b->last[id], v, x);
	else if (is & FACT_OPEN)
		threadlist_note_open(r, &b->last[id], v, x, dict_get_wait(b->filter.d, x->wait), is);
}

static void add_slices(struct builder *b)
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a))
		threadlist_add_fact(b, &a.v, a.fact, a.is);
}

static uint64_t threadlist_end_of(const struct snapshot *s)
{
	struct slice_view v;

	return snapshot_last(s, &v) ? v.to_ns : 0;
}

/* Who waited once and had samples since, runs. */
static void threadlist_settle(struct thread_row *r, const struct last *l, uint64_t end_ns)
{
	const bool lately = l->ran_ns && l->ran_ns + LATELY_NS >= end_ns;

	if (r->does != THREAD_QUIET && l->open_ns + LATELY_NS >= end_ns && l->open_ns >= l->ran_ns)
		return;
	r->does = lately ? THREAD_RUNS : THREAD_QUIET;
	r->call = CALL_NONE;
	r->waited_ns = 0;
}

uint64_t thread_row_ns(const struct thread_row *r)
{
	return r->total_ns;
}

static int threadlist_compare(const void *va, const void *vb, void *ctx)
{
	const struct thread_row *a = va, *b = vb;
	const struct dict *d = ctx;
	const struct thread *ta = dict_get_thread(d, a->thread), *tb = dict_get_thread(d, b->thread);
	int r = compare_numbers(thread_row_ns(b), thread_row_ns(a));

	r = r ? r : compare_numbers((uint64_t)ta->pid, (uint64_t)tb->pid);
	r = r ? r : compare_numbers((uint64_t)ta->tid, (uint64_t)tb->tid);
	return r ? r : compare_numbers(a->thread, b->thread);
}

static bool of_several(const struct threadlist *l)
{
	uint32_t i = 1;

	while (i < l->n && dict_get_thread(l->dict, l->row[i].thread)->pid == dict_get_thread(l->dict,
		l->row[0].thread)->pid)
		i++;
	return i < l->n;
}

static struct threadlist *threadlist_collect(struct builder *b)
{
	struct threadlist *l = calloc(1, sizeof(*l));
	uint32_t n = 0;

	if (!l)
		return NULL;
	for (thread_id id = 0; id < b->filter.threads; id++) {
		if (!b->seen[id])
			continue;
		threadlist_settle(&b->row[id], &b->last[id], threadlist_end_of(b->s));
		b->row[n++] = b->row[id];
	}
	l->dict = b->filter.d;
	l->query = *b->filter.q;
	l->set = b->filter.set;
	l->row = take_ptr(b->row);
	l->n = n;
	qsort_r(l->row, n, sizeof(*l->row), threadlist_compare, (void *)(uintptr_t)l->dict);
	l->several = of_several(l);
	return l;
}

static bool threadlist_begin(struct builder *b, const struct names *names, const struct query *q)
{
	size_t n;

	if (!filter_init(&b->filter, b->s, names, q))
		return false;
	n = b->filter.threads + 1ul;
	b->same = threads_same(b->s, b->filter.threads);
	b->row = calloc(n, sizeof(*b->row));
	b->last = calloc(n, sizeof(*b->last));
	b->seen = calloc(n, sizeof(*b->seen));
	for (thread_id id = 0; b->row && id < b->filter.threads; id++) {
		b->row[id].thread = id;
		b->row[id].node = NODE_UNKNOWN;
		b->row[id].call = CALL_NONE;
	}
	return b->same && b->row && b->last && b->seen;
}

int threadlist_build(const struct snapshot *s, const struct names *names, const struct query *q,
		     struct threadlist **ret, struct err *e)
{
	struct builder b = { .s = s };
	struct threadlist *l = NULL;

	if (threadlist_begin(&b, names, q)) {
		add_slices(&b);
		l = threadlist_collect(&b);
	}
	filter_free(&b.filter);
	free(b.same);
	free(b.row);
	free(b.last);
	free(b.seen);
	if (!l)
		return err_nomem(e, "the list of threads");
	*ret = l;
	return 0;
}

void threadlist_free(struct threadlist *l)
{
	if (!l)
		return;
	free(l->row);
	free(l);
}

char *thread_row_label(const struct threadlist *l, uint32_t i, char *dst, size_t size)
{
	dst[0] = '\0';
	label_thread(l->dict, dict_get_thread(l->dict, l->row[i].thread), dst, size);
	return dst;
}

char *thread_row_process(const struct threadlist *l, uint32_t i, char *dst, size_t size)
{
	dst[0] = '\0';
	label_process(l->dict, dict_get_thread(l->dict, l->row[i].thread), dst, size);
	return dst;
}
