/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.c - decides which facts belong to a question. Two decisions need a pass over all facts
 * before the first fact can be judged, and are made only where they matter:
 *
 * A wait that was still open when it was reported may have ended since. A thread has one wait at a
 * time, so the wait has ended if a later slice knows something else of the thread. (A provisional
 * fact of another kind proves nothing: it may be running time from before the wait that no sample
 * stands for yet.) Within a slice the order is not known. But a wait that is under way is
 * provisional, and one that was open at the end of the capture is counted there, while its pieces
 * are not: a thread with neither of these does not wait any more.
 *
 * A thread belongs to a *pool* when POOL_BUSY_PERCENT or less of its time in the range asked for
 * goes into anything but idling.
 */
#include "config.h"

#include "query/filter.h"

#include "model/allocation.h"
#include "profile/carried.h"
#include "profile/slice.h"
#include "query/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_BUSY_PERCENT 10u

/* What a wait says, beside FACT_*: it idles in a pool, if its stack waits on a condition. */
#define WAIT_POOL 0x20u
#define WAIT_RUNNABLE_ONLY 0x40u     /* was never blocked */

static bool call_asked(const struct query *q, const uint32_t *compat, uint32_t call)
{
	for (uint32_t i = 0; i < q->nr_calls && i < QUERY_CALLS_MAX; i++)
		if (call == q->calls[i] || (compat[i] != CALL_NONE && call == compat[i]))
			return true;
	return !q->nr_calls;
}

static uint8_t filter_judge_wait(const struct filter *f, const struct wait *w)
{
	const struct query *q = f->q;
	const enum wait_class class = wait_class_of(w->call, w->state, q->arch);
	uint8_t r = 0;

	if ((!q->states || (w->state < 32 && q->states >> w->state & 1)) && call_asked(q, f->compat, w->call) &&
	    term_match_wait(&f->terms, w->call, w->state))
		r |= FACT_IN;
	if (class == WAIT_CLASS_EVENT || class == WAIT_CLASS_SLEEP || w->state == WAIT_IDLE)
		r |= FACT_IDLE;
	else if (class == WAIT_CLASS_LOCK && call_is_futex(w->call, q->arch))
		r |= WAIT_POOL;
	if (w->flags & EVENT_F_OPEN)
		r |= FACT_OPEN;
	if (w->flags & EVENT_F_EXTRAPOLATED)
		r |= FACT_DOUBT;
	if (wait_state_runnable(w->state))
		r |= WAIT_RUNNABLE_ONLY;
	return r;
}

/* Judges all waits; *RET is what any of them is. */
static bool judge_waits(struct filter *f, unsigned int *ret)
{
	f->wait = malloc(f->waits);
	if (!f->wait)
		return false;
	for (uint32_t i = 0; i < QUERY_CALLS_MAX; i++)
		f->compat[i] = i < f->q->nr_calls ? call_compat(f->q->calls[i], f->q->arch) : CALL_NONE;
	*ret = 0;
	for (wait_id id = 0; id < f->waits; id++)
		*ret |= f->wait[id] = filter_judge_wait(f, dict_get_wait(f->d, id));
	return true;
}

static bool filter_judge_threads(struct filter *f)
{
	AUTO_FREE uint32_t *terms = NULL;

	if (f->thread)
		return true;
	terms = calloc(f->threads + 1ul, sizeof(*terms));
	f->thread = malloc(f->threads + 1ul);
	if (!terms || !f->thread || (f->terms.threads && !term_match_threads(&f->q->terms, f->d, terms, f->threads)))
		return false;
	for (thread_id id = 0; id < f->threads; id++)
		f->thread[id] = !f->terms.threads || term_match_all(&f->q->terms, terms[id]) ? FILTER_THREAD_IN : 0;
	return true;
}

struct share {
	uint64_t idle_ns, busy_ns;
};

/* What is known by the slice before number NEXT, for comparing: more by a later one. */
static uint32_t known_by(size_t next, bool counted)
{
	return 2 * (uint32_t)next + counted;
}

/* Whether KIND is one of KINDS_WALL: said so since loops over all facts ask. */
static bool is_time(unsigned int kind)
{
	_Static_assert(KINDS_WALL == (1u << EVENT_SAMPLE | 1u << EVENT_BLOCKED | 1u << EVENT_RUNNABLE),
		       "and these are neighbours");
	return kind >= EVENT_SAMPLE && kind <= EVENT_RUNNABLE;
}

static bool may_idle(struct filter *f, const struct fact *x)
{
	const uint8_t is = EVENT_IS_WAIT(x->kind) ? f->wait[x->wait] : 0;
	stack_id stack = x->stack;

	if (is & WAIT_POOL)
		(void)dict_inside(f->d, &stack);
	return x->kind == EVENT_BLOCKED && (is & FACT_IDLE || (is & WAIT_POOL && idle_stack(&f->idle, stack)));
}

/* OPEN is when a thread was last known to wait. */
static void filter_look_at(struct filter *f, struct share *share, uint32_t *open, const struct slice_view *v)
{
	const bool in_time = share && filter_slice(f, v);

	for (size_t i = 0; i < v->n; i++) {
		const struct fact *x = &v->fact[i];
		const thread_id t = f->same[x->thread];

		/* no time, and no sign that the thread got on: samples and waits tell that */
		if (!is_time(x->kind))
			continue;
		if (open && EVENT_IS_WAIT(x->kind) && f->wait[x->wait] & FACT_OPEN) {
			if (known_by(v->next, x->count) > open[t])
				open[t] = known_by(v->next, x->count);
		} else if (open && !v->provisional) {
			f->moved[t] = known_by(v->next, false);
		}
		if (in_time && may_idle(f, x))
			share[t].idle_ns = add_capped(share[t].idle_ns, x->weight);
		else if (in_time)
			share[t].busy_ns = add_capped(share[t].busy_ns, x->weight);
	}
}

/* Marks the threads of pools by their SHARE. */
static bool find_pools(struct filter *f, const struct share *share)
{
	if (!filter_judge_threads(f))
		return false;
	for (thread_id id = 0; id < f->threads; id++) {
		const struct share *s = &share[f->same[id]];

		if ((double)s->busy_ns * 100 <= ((double)s->busy_ns + (double)s->idle_ns) * POOL_BUSY_PERCENT)
			f->thread[id] |= FILTER_THREAD_POOL;
	}
	return true;
}

/* Threads that do not wait have got on for good. */
static void find_waiting(struct filter *f, const uint32_t *open, bool provisional)
{
	const uint32_t least = provisional ? known_by(snapshot_slices(f->s), false) : 0;

	for (thread_id id = 0; id < f->threads; id++)
		if (open[id] <= f->moved[id] || open[id] < least)
			f->moved[id] = UINT32_MAX;
}

static bool look_at_all(struct filter *f, const struct names *names, unsigned int waits)
{
	const size_t n = f->threads + 1ul;
	AUTO_FREE struct share *share = NULL;
	AUTO_FREE uint32_t *open = NULL;
	struct slice_view v = { 0 };

	if (waits & WAIT_POOL) {
		share = calloc(n, sizeof(*share));
		if (!share || !idle_init(&f->idle, f->d, names))
			return false;
	}
	if (waits & FACT_OPEN) {
		f->moved = calloc(n, sizeof(*f->moved));
		open = calloc(n, sizeof(*open));
		if (!f->moved || !open)
			return false;
	}
	while ((share || open) && snapshot_next(f->s, &v))
		filter_look_at(f, share, open, &v);
	if (open)
		find_waiting(f, open, v.provisional);
	return share ? find_pools(f, share) : true;
}

/* Whether S is of an import that counts what is no time: then all of its facts do. */
static bool filter_is_imported(const struct snapshot *s)
{
	struct slice_view v = { 0 };

	while (!v.n && snapshot_next(s, &v))
		;
	return v.n && v.fact[0].kind == EVENT_COUNTED;
}

measure_mask query_measures(const struct query *q, const struct snapshot *s)
{
	const measure_mask asked = q->measures ? q->measures : filter_is_imported(s) ?
		MEASURES_IMPORTED : MEASURES_WALL;

	return query_only_waits(q) ? asked & ~(MEASURES_ON_CPU | MEASURES_IMPORTED) : asked;
}

static void filter_choose_measures(struct filter *f)
{
	f->set = measure_set(query_measures(f->q, f->s), f->q->lead);
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_in(&f->set, place);

		if (!m)
			continue;
		f->kinds |= m->kinds;
		f->choosy |= m->counts || m->probe ? m->kinds : 0;
		for (unsigned int kind = 0; kind < EVENT_KINDS_MAX; kind++)
			f->places[kind] |= (uint8_t)((m->kinds >> kind & 1) << place);
	}
}

static unsigned int places_of(const struct filter *f, const struct measured *x)
{
	unsigned int r = 0;

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_in(&f->set, place);

		r |= (unsigned int)(m && measure_counts(m, x)) << place;
	}
	return r;
}

unsigned int filter_places_chosen(const struct filter *f, const struct fact *x)
{
	struct measured m = { .kind = x->kind, .node = x->node, .place_node = NODE_UNKNOWN };

	if (carried_of(x->kind)->look)
		carried_of(x->kind)->look(f->d, x->carried, &m);
	return places_of(f, &m);
}

bool filter_size(const struct filter *f, const struct fact *x)
{
	return term_match_size(&f->terms, x->kind,
			       EVENT_IS_MEMORY(x->kind) ? dict_get_argument(f->d, x->argument) : 0);
}

struct query filter_whatever_counts(const struct query *q)
{
	struct query f = *q;

	f.measures = 0;
	f.states = 0;
	f.nr_calls = 0;
	terms_drop(&f.terms, TERM_STATE, false);
	terms_drop(&f.terms, TERM_SYSCALL, false);
	terms_drop(&f.terms, TERM_SIZE, false);
	f.by_node = f.fold_idle = false;
	return f;
}

bool filter_init(struct filter *f, const struct snapshot *s, const struct names *names, const struct query *q)
{
	unsigned int waits;

	*f = (struct filter){ .s = s, .d = snapshot_dict(s), .q = q, .from_ns = q->from_ns };
	f->has_inside = dict_has_inside(f->d);
	if (!span_filter_init(&f->span, s, names, q))
		return false;
	f->waits = dict_waits(f->d);
	f->threads = dict_threads(f->d);
	f->to_ns = q->to_ns ? q->to_ns : UINT64_MAX;
	term_match_init(&f->terms, q);
	filter_choose_measures(f);
	if (q->nr_within && !subtree_filter_init(&f->within, f->d, names, q))
		return false;
	if (!stack_filter_init(&f->stacks, f->d, names, q) || !judge_waits(f, &waits) ||
	    (f->terms.threads && !filter_judge_threads(f)))
		return false;
	/* A recording may hold waits of which nothing is known, and those are all the same one. */
	f->same = threads_same(f->s, f->threads);
	return f->same && (f->waits == WAIT_EMPTY + 1 || look_at_all(f, names, waits));
}

void filter_free(struct filter *f)
{
	free(f->wait);
	free(f->thread);
	free(f->same);
	free(f->moved);
	idle_free(&f->idle);
	stack_filter_free(&f->stacks);
	subtree_filter_free(&f->within);
}

bool filter_next_slice(struct filter *f, struct asked *a)
{
	a->at = 0;
	while (snapshot_next(f->s, &a->v)) {
		if (!filter_slice(f, &a->v))
			continue;
		a->end_ns = a->v.to_ns > a->end_ns ? a->v.to_ns : a->end_ns;
		return true;
	}
	a->v.n = 0;
	return false;
}

/* Adds what F asks for to *NS. */
static void sum_asked(struct filter *f, uint64_t *ns)
{
	struct asked a = { 0 };

	while (filter_next(f, &a))
		*ns = add_capped(*ns, measure_total(&f->set, a.fact->weight, a.fact->count));
}

int query_share(const struct snapshot *s, const struct names *names, const struct query *q, uint64_t *ret_ns,
		uint64_t *ret_all_ns, struct err *e)
{
	uint64_t ns[2] = { 0 };
	struct query each = *q;
	bool ok = true;

	for (unsigned int i = 0; ok && i < 2; i++) {
		struct filter f;

		ok = filter_init(&f, s, names, &each);
		if (ok)
			sum_asked(&f, &ns[i]);
		filter_free(&f);
		each.terms.n = 0;
	}
	if (!ok)
		return err_nomem(e, "the filter");
	*ret_ns = ns[0];
	*ret_all_ns = ns[1];
	return 0;
}

/* The terms about waits that some wait matches, as bits, whatever their NOT. */
static uint32_t waits_found(const struct filter *f)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < f->q->terms.n; i++) {
		const struct query q = { .arch = f->q->arch, .terms = { .n = 1, .v = { f->q->terms.v[i] } } };
		struct term_match m;

		term_match_init(&m, &q);
		for (wait_id id = 0; m.n && id < f->waits; id++) {
			const struct wait *w = dict_get_wait(f->d, id);

			if (term_match_wait(&m, w->call, w->state) != m.wait[0].not)
				r |= 1u << i;
		}
	}
	return r;
}

/* The terms about sizes of memory that some fact matches which may count, as bits, whatever their NOT. */
static uint32_t sizes_found(const struct filter *f)
{
	uint64_t sizes[TERMS_MAX] = { 0 };
	struct slice_view v = { 0 };
	uint32_t r = 0;

	for (uint32_t i = 0; i < f->q->terms.n; i++)
		if (f->q->terms.v[i].what == TERM_SIZE)
			(void)term_sizes(f->q->terms.v[i].text, NULL, &sizes[i], NULL);
	while (f->terms.has_sizes && snapshot_next(f->s, &v)) {
		for (size_t k = 0; k < v.n; k++) {
			const struct fact *x = &v.fact[k];

			if (!EVENT_IS_MEMORY(x->kind) || !(f->kinds >> x->kind & 1))
				continue;
			for (uint32_t i = 0; i < f->q->terms.n; i++)
				if (sizes[i] & term_size_bit(allocation_of(dict_get_argument(f->d, x->argument)).size))
					r |= 1u << i;
		}
	}
	return r;
}

static uint32_t threads_found(const uint32_t *terms, uint32_t n)
{
	uint32_t r = 0;

	for (uint32_t i = 0; i < n; i++)
		r |= terms[i];
	return r;
}

/*
 * The nodes of terms are not looked for: where nothing ran on one, that is an answer, and the only
 * one when nothing else is asked for.
 */
int query_unmatched(const struct snapshot *s, const struct names *names, const struct query *q)
{
	struct filter f;
	const bool ok = filter_init(&f, s, names, q);
	AUTO_FREE uint32_t *terms = calloc(f.threads + 1ul, sizeof(*terms));
	int r = q->terms.n == 1 && q->terms.v[0].what == TERM_NODE && !q->terms.v[0].not ? 0 : QUERY_ALL_MATCH;
	uint32_t found;

	if (!ok || !terms || !term_match_threads(&q->terms, f.d, terms, f.threads)) {
		filter_free(&f);
		return -ENOMEM;
	}
	found = stack_filter_found(&f.stacks) | threads_found(terms, f.threads) | waits_found(&f) |
		sizes_found(&f);
	for (uint32_t i = q->terms.n; i-- > 0;) {
		if (!(found >> i & 1) && !q->terms.v[i].not && q->terms.v[i].what != TERM_NODE)
			r = (int)i;
	}
	if (stack_filter_gave_up(&f.stacks) < TERMS_MAX)
		r = QUERY_TOO_LONG + (int)stack_filter_gave_up(&f.stacks);
	filter_free(&f);
	return r;
}

char *query_unmatched_text(const struct query *q, int which, char *dst, size_t size)
{
	static const char *const texts[TERM_NR] = {
		[TERM_FUNCTION] = "no function matches '%s' (it is a regular expression, and tells case apart)",
		[TERM_THREAD] = "no thread is called '%s' (all of the name or tid counts, * stands for any part)",
		[TERM_PROCESS] = "no process is called '%s' (all of the name or pid counts, * stands for any part)",
		[TERM_CGROUP] = "there is no cgroup with '%s' in its path",
		[TERM_CONTAINER] = "there is no container with '%s' in its name or image",
		[TERM_HOST] = "there is no host called '%s' (all of its name counts, * stands for any part)",
		[TERM_NODE] = "nothing ran on node %s",
		[TERM_STATE] = "there are no waits in state %s",
		[TERM_SYSCALL] = "there are no waits in %s",
		[TERM_SIZE] = "no memory of size %s is counted (it is with --metric allocated, for one)",
	};

	if (which >= QUERY_TOO_LONG && (uint32_t)which < QUERY_TOO_LONG + q->terms.n)
		snprintf(dst, size, "'%s' takes too long to be looked for: make it simpler",
			 q->terms.v[which - QUERY_TOO_LONG].text);
	else if (which < 0 || (uint32_t)which >= q->terms.n)
		snprintf(dst, size, "nothing is left by all filters together");
	else
		snprintf(dst, size, texts[q->terms.v[which].what], q->terms.v[which].text);
	return dst;
}

/* What a wait of KIND is, of which IS is known from the wait alone. */
static unsigned int wait_is(struct filter *f, unsigned int is, unsigned int kind, thread_id thread, stack_id stack)
{
	unsigned int r = is & (FACT_IN | FACT_DOUBT);
	bool idles;

	if (!(is & FACT_IN))
		return 0;
	idles = is & FACT_IDLE;
	/*
	 * An event of a recording that has grown since may be the first that could be of a pool:
	 * then nothing is known of pools.
	 */
	if (is & WAIT_POOL && f->idle.stack)
		idles |= f->thread[thread] & FILTER_THREAD_POOL && idle_stack(&f->idle, stack);
	if (kind == EVENT_BLOCKED)
		return r | FACT_COUNTS | (idles ? FACT_IDLE : 0);
	/* The wait is counted by its blocked part, unless it has none or that is not asked for. */
	if (is & WAIT_RUNNABLE_ONLY || !(f->kinds & 1u << EVENT_BLOCKED) || (idles && f->q->fold_idle))
		r |= FACT_COUNTS;
	return r;
}

unsigned int filter_wait(struct filter *f, const struct slice_view *v, const struct fact *x)
{
	const uint8_t is = f->wait[x->wait];
	const unsigned int r = wait_is(f, is, x->kind, x->thread, x->stack);

	return r && is & FACT_OPEN && known_by(v->next, false) >= f->moved[f->same[x->thread]] ? r | FACT_OPEN : r;
}

static unsigned int event_anywhere(struct filter *f, const struct event *ev)
{
	const struct wait w = { .call = ev->wait.call, .state = ev->wait.state,
				.flags = ev->flags & EVENT_F_EXTRAPOLATED };

	if (!filter_about(f, ev->kind, ev->thread, ev->node))
		return 0;
	if (f->stacks.stack && !stack_filter_has(&f->stacks, ev->stack))
		return 0;
	if (f->terms.has_sizes && !term_match_size(&f->terms, ev->kind, ev->argument))
		return 0;
	if (EVENT_IS_WAIT(ev->kind))
		return wait_is(f, filter_judge_wait(f, &w), ev->kind, ev->thread, ev->stack);
	return places_of(f, &(struct measured){ .kind = ev->kind, .node = ev->node, .place_node = ev->place.node,
						.argument = ev->argument,
						.probe = ev->kind == EVENT_HIT ? (uint32_t)ev->argument + 1 : 0 }) ?
		FACT_IN | FACT_COUNTS : 0;
}

unsigned int filter_event(struct filter *f, const struct event *ev)
{
	const unsigned int is = event_anywhere(f, ev);

	if (f->span.where != SPAN_ALL && !span_filter_has(&f->span, ev->inside))
		return 0;
	return is && f->q->nr_within && !filter_within(f, ev->thread, ev->node, ev->stack, ev->inside, is) ? 0 : is;
}
