/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile.c - for each key what is left to emit of six figures, and a queue of events.
 *
 * What is *left* of a key is its totals minus what was emitted. For short waits and samples,
 * sharing lowers it; it is negative where something had to be emitted ahead of its total, and the
 * next totals make up for that. For long waits it is what is in transit: above 0 when the total
 * came first, below 0 when the wait did. Both pass. What stays above 0 for a whole window of
 * settlements was lost; what stays below will never be claimed.
 *
 * The *wish* of an event is what it stands for by itself: one period of time, whatever its length.
 * Sharing out all that is left at each settlement would be exact at every moment, but unfair where
 * few events are reported: a wait that is longer than others finds its own length in what is left,
 * and one from a busy time takes what a quiet time left behind (off by 70 to 90 % in simulations of
 * threads with two such functions). So n events with the sum W of wishes get about W, and what is
 * left is drawn gently towards a reserve that covers chance:
 *
 *	give = W + (left - W - RESERVE * W / n) * n / (n + INERTIA)
 *
 * and no more than is left. Sharing X among wishes w1 ... wn gives each X' * w / W', rounded, where
 * X' and W' are what the ones before it left over. The last one takes the rest, so nothing is lost
 * to rounding.
 */
#include "config.h"

#include "engine/reconcile_private.h"

#include "engine/task_thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELD_MAX (1u << 18)              /* events held: a quarter of a second of a million a second */
#define RESERVE 8.0                      /* events' worth that a key keeps back */
#define INERTIA 48.0                     /* events that it takes to get there */
/* what must be left for an event to be given anything, times what it stands for */
#define COVER 2.0
#define PATIENCE 16u                     /* settlements that it waits for that */

int reconcile_new(const struct reconcile_config *c, struct reconcile **ret, struct err *e)
{
	AUTO(reconcile_free) struct reconcile *a = calloc(1, sizeof(*a));

	if (!a)
		return err_nomem(e, "the account of time");
	a->config = *c;
	a->held_ns = UINT64_MAX;
	a->kin = calloc(KIN, sizeof(*a->kin));
	a->no_stack = dict_stack(c->dict, STACK_ROOT, dict_note(c->dict, NOTE_NO_STACK));
	if (!a->kin || a->no_stack == ID_NONE)
		return err_nomem(e, "the account of time");
	*ret = take_ptr(a);
	return 0;
}

void reconcile_free(struct reconcile *a)
{
	if (!a)
		return;
	reconcile_free_keys(a);
	vec_free(&a->held);
	free(a->kin);
	free(a);
}

stack_id reconcile_no_stack(const struct reconcile *a)
{
	return a->no_stack;
}

thread_id reconcile_thread(const struct reconcile *a, const struct reconcile_task *task)
{
	return task_thread(a->config.ps, a->config.dict, task);
}

void reconcile_figures_of(const struct reconcile *a, struct reconcile_figures *ret)
{
	*ret = a->figures;
	ret->keys = (uint32_t)(a->keys.n - a->free.n) - a->dropped;
}

/* ---- the queue ---- */

static struct held *reconcile_hold(struct reconcile *a, struct key *k, const struct event *ev)
{
	struct held *h = k && a->held.n < HELD_MAX ? vec_push(&a->held) : NULL;

	if (!h) {
		a->figures.lost++;
		return NULL;
	}
	*h = (struct held){ .key = (uint32_t)(k - a->keys.v), .ev = *ev };
	k->thread = ev->thread;
	k->held++;
	return h;
}

bool reconcile_sample(struct reconcile *a, const struct reconcile_task *task, const struct event *ev)
{
	return reconcile_hold(a, reconcile_key(a, task, EVENT_SAMPLE, CALL_NONE), ev);
}

bool reconcile_wait(struct reconcile *a, const struct reconcile_task *task, const struct event *ev,
		    const struct reconcile_wait *w)
{
	struct held *h = reconcile_hold(a, reconcile_key(a, task, EVENT_BLOCKED, ev->wait.call), ev);

	if (!h)
		return false;
	h->ev.kind = EVENT_BLOCKED;
	h->w = *w;
	if (h->w.told_blocked_ns > w->blocked_ns)
		h->w.told_blocked_ns = w->blocked_ns;
	if (h->w.told_runnable_ns > w->runnable_ns)
		h->w.told_runnable_ns = w->runnable_ns;
	return true;
}

bool reconcile_sum(struct reconcile *a, const struct reconcile_task *task, const struct event *ev,
		   const struct reconcile_wait *w)
{
	struct key *k;

	a->figures.blocked_ns += w->blocked_ns;
	a->figures.runnable_ns += w->runnable_ns;
	a->figures.waits += w->count;
	if (reconcile_wait(a, task, ev, w))
		return true;
	k = reconcile_key(a, task, EVENT_BLOCKED, ev->wait.call);
	if (k) {
		k->left[LONG_BLOCKED] += (int64_t)w->blocked_ns;
		k->left[LONG_RUNNABLE] += (int64_t)w->runnable_ns;
		k->left[LONG_COUNT] += w->count;
	}
	return false;
}

void reconcile_missed(struct reconcile *a, const struct reconcile_task *task, uint32_t call, uint64_t blocked_ns,
		    uint64_t runnable_ns)
{
	struct key *k = reconcile_key(a, task, EVENT_BLOCKED, call);

	if (!k)
		return;
	k->left[LONG_BLOCKED] -= (int64_t)blocked_ns;
	k->left[LONG_RUNNABLE] -= (int64_t)runnable_ns;
}

/* What H, which is not long, stands for by itself. */
static double wish_of(const struct held *h, int part)
{
	double many;

	if (!held_is_wait(h))
		return part == SHORT_BLOCKED ? (double)h->ev.weight : 0;
	many = (double)h->w.period_ns / (double)held_length(h);
	if (part == SHORT_COUNT)
		return many;
	return many * (double)(part == SHORT_BLOCKED ? h->w.blocked_ns : h->w.runnable_ns);
}

static struct giving for_good(struct reconcile *a)
{
	return (struct giving){ .to = a->config.sink, .figures = &a->figures };
}

/* ---- totals ---- */

static void reconcile_add_figures(struct reconcile_figures *sum, uint8_t kind, const uint64_t more[FIGURES])
{
	sum->short_ns += more[LEFT_OUT_NS];
	sum->short_count += more[LEFT_OUT_COUNT];
	if (kind == EVENT_SAMPLE) {
		sum->running_ns += more[SHORT_BLOCKED];
		return;
	}
	sum->blocked_ns += more[SHORT_BLOCKED] + more[LONG_BLOCKED];
	sum->runnable_ns += more[SHORT_RUNNABLE] + more[LONG_RUNNABLE];
	sum->waits += more[SHORT_COUNT] + more[LONG_COUNT];
}

void reconcile_total(struct reconcile *a, const struct source_total *t)
{
	const struct reconcile_task task = { .pid = t->pid, .tid = t->tid, .start_ns = t->start_ns };
	const bool running = t->kind == EVENT_SAMPLE;
	const uint64_t now[FIGURES] = { running ? t->running_ns : t->blocked_ns, running ? 0 : t->runnable_ns,
					running ? 0 : t->count, t->long_blocked_ns, t->long_runnable_ns, t->long_count,
					t->short_ns, t->short_count };
	struct key *k = reconcile_key(a, &task, t->kind, t->call);
	uint64_t more[FIGURES];

	if (!k)
		return;
	k->known = true;
	k->gone |= t->last;
	for (int i = 0; i < FIGURES; i++) {
		/* Less than before: the kernel half has begun anew. */
		more[i] = now[i] < k->told[i] ? now[i] : now[i] - k->told[i];
		k->told[i] = now[i];
		if (i < LEFT_OUT_NS)
			k->coming[i] += more[i];
	}
	reconcile_add_figures(&a->figures, k->kind, more);
}

static void take_coming(struct reconcile *a)
{
	for (struct key *k = a->keys.v; k < a->keys.v + a->keys.n; k++) {
		for (int i = 0; i < LEFT_OUT_NS; i++) {
			k->left[i] += (int64_t)k->coming[i];
			k->coming[i] = 0;
		}
	}
}

/* ---- settling ---- */

static double wish_time(const struct held *h)
{
	return wish_of(h, SHORT_BLOCKED) + wish_of(h, SHORT_RUNNABLE);
}

static int64_t left_time(const struct key *k)
{
	return k->left[SHORT_BLOCKED] + k->left[SHORT_RUNNABLE];
}

static enum turn turn_of(const struct reconcile *a, const struct key *k, const struct held *h, uint64_t time_ns)
{
	const int64_t left = left_time(k);

	if (h->ev.time_ns > time_ns)
		return TURN_LATER;
	if (held_is_long(h))
		return TURN_OWN;
	if (!k->known)
		return h->age < RECONCILE_GRACE && !a->ending ? TURN_LATER : TURN_AHEAD;
	if (a->ending || k->gone || (double)left >= COVER * wish_time(h) || (left > 0 && h->age >= PATIENCE))
		return TURN_SHARE;
	return TURN_LATER;
}

static int64_t to_give(const struct reconcile *a, const struct key *k, int part)
{
	const double left = (double)k->left[part], wish = k->wish[part], n = k->wishes[part];
	double give;

	if (!k->wishes[part] || k->left[part] <= 0)
		return 0;
	give = wish + (left - wish - RESERVE * wish / n) * n / (n + INERTIA);
	if (a->ending || k->gone || give >= left)
		return k->left[part];
	return give > 0 ? llround(give) : 0;
}

/* Decides what becomes of each event, and what every key gives. */
static void reconcile_plan(struct reconcile *a, uint64_t time_ns)
{
	for (struct held *h = a->held.v; h < a->held.v + a->held.n; h++) {
		struct key *k = &a->keys.v[h->key];

		h->turn = (uint8_t)turn_of(a, k, h, time_ns);
		for (int i = 0; i < PARTS && h->turn == TURN_SHARE; i++) {
			const double wish = wish_of(h, i);

			k->wish[i] += wish;
			k->wishes[i] += wish > 0;
			k->give[i] = -1;
		}
		if (h->ev.time_ns <= time_ns && !h->age)
			remember_stack(a, k, &h->ev, h->turn == TURN_OWN && !h->w.count);
		if (h->ev.time_ns <= time_ns && h->age < UINT8_MAX)
			h->age++;
	}
	for (const struct held *h = a->held.v; h < a->held.v + a->held.n; h++) {
		struct key *k = &a->keys.v[h->key];

		for (int i = 0; i < PARTS && h->turn == TURN_SHARE; i++)
			if (k->give[i] < 0)
				k->give[i] = to_give(a, k, i);
	}
}

/* Its share of what is to be given, which is taken from what is left. */
static uint64_t reconcile_share(struct key *k, const struct held *h, int part)
{
	const double wish = wish_of(h, part);
	int64_t give = k->give[part], got;

	if (!(wish > 0))
		return 0;
	got = k->wishes[part] == 1 ? give : llround((double)give * wish / k->wish[part]);
	if (got > give)
		got = give;
	if (part == SHORT_COUNT && got > UINT32_MAX)
		got = UINT32_MAX;
	/* Rounded sums of the last wishes may be a little less than they. */
	k->wish[part] = --k->wishes[part] ? fmax(k->wish[part] - wish, wish * 1e-9) : 0;
	k->give[part] -= got;
	k->left[part] -= got;
	return (uint64_t)got;
}

static uint64_t reconcile_ahead(struct key *k, const struct held *h, int part)
{
	const int64_t got = llround(wish_of(h, part));

	k->left[part] -= got;
	return (uint64_t)got;
}

static void give_long(struct reconcile *a, struct key *k, const struct held *h)
{
	const uint64_t rest[2] = { h->w.blocked_ns - h->w.told_blocked_ns, h->w.runnable_ns - h->w.told_runnable_ns };
	const struct giving g = for_good(a);

	/* No total knows of those that were summed. */
	if (!h->w.count) {
		k->left[LONG_BLOCKED] -= (int64_t)h->w.blocked_ns;
		k->left[LONG_RUNNABLE] -= (int64_t)h->w.runnable_ns;
		k->left[LONG_COUNT]--;
	}
	tell_wait(a, &g, h, rest, held_count(h));
}

static void reconcile_give(struct reconcile *a, struct key *k, const struct held *h)
{
	const struct giving g = for_good(a);
	uint64_t part[PARTS];

	k->held--;
	if (h->turn == TURN_OWN) {
		give_long(a, k, h);
		return;
	}
	for (int i = 0; i < PARTS; i++)
		part[i] = h->turn == TURN_SHARE ? reconcile_share(k, h, i) : reconcile_ahead(k, h, i);
	if (held_is_wait(h)) {
		tell_wait(a, &g, h, part, part[SHORT_COUNT]);
	} else {
		struct event ev = h->ev;

		ev.weight = part[0];
		tell_event(a, &g, &ev);
	}
}

/* Puts what is above 0 of three figures of K, from FIRST on, under stacks or none, for good. */
static void give_left(struct reconcile *a, struct key *k, int first, const int64_t *what, bool on_stacks,
		      uint64_t time_ns)
{
	const struct giving g = for_good(a);
	uint64_t part[PARTS];
	bool any = false;

	for (int i = 0; i < PARTS; i++) {
		part[i] = what[i] > 0 ? (uint64_t)what[i] : 0;
		k->left[first + i] -= (int64_t)part[i];
		any |= part[i] > 0;
	}
	if (any)
		tell_carried(a, &g, k, on_stacks, time_ns, part);
}

/*
 * Long waits: what was never told in this window will not be any more, nor will be asked for what
 * was told in excess.
 */
static void end_window(struct reconcile *a, struct key *k, uint64_t time_ns)
{
	give_left(a, k, LONG_BLOCKED, k->low, false, time_ns);
	for (int i = 0; i < PARTS; i++) {
		if (k->high[i] < 0)
			k->left[LONG_BLOCKED + i] -= k->high[i];
		k->low[i] = k->high[i] = k->left[LONG_BLOCKED + i];
	}
}

static void look_at_long(struct key *k)
{
	for (int i = 0; i < PARTS; i++) {
		const int64_t left = k->left[LONG_BLOCKED + i];

		k->low[i] = left < k->low[i] ? left : k->low[i];
		k->high[i] = left > k->high[i] ? left : k->high[i];
	}
}

static void close_key(struct reconcile *a, struct key *k, uint64_t time_ns)
{
	give_left(a, k, SHORT_BLOCKED, &k->left[SHORT_BLOCKED], true, time_ns);
	give_left(a, k, LONG_BLOCKED, &k->left[LONG_BLOCKED], false, time_ns);
}

/* A thread that is gone will soon be forgotten by others: now they still know who it was. */
static void name_gone(struct reconcile *a, struct key *k)
{
	if (k->gone && k->thread == ID_NONE)
		k->thread = reconcile_thread(a, &k->task);
}

static void look_at_keys(struct reconcile *a, uint64_t time_ns)
{
	const bool window = ++a->settled >= RECONCILE_WINDOW;

	for (struct key *k = a->keys.v; k < a->keys.v + a->keys.n; k++) {
		if (!k->kind)
			continue;
		name_gone(a, k);
		look_at_long(k);
		if (window)
			end_window(a, k, time_ns);
		/* Late events may still come for a thread that is gone. */
		k->idle = k->held || (k->known && !k->gone) ? 0 : (uint8_t)(k->idle + 1);
		if (k->idle > RECONCILE_WINDOW) {
			close_key(a, k, time_ns);
			reconcile_drop(a, k);
		}
	}
	if (window)
		a->settled = 0;
	reconcile_trim(a);
}

/* As of NOW_NS, gives what is held up to UNTIL_NS. */
static void reconcile_settle_until(struct reconcile *a, uint64_t until_ns, uint64_t now_ns)
{
	size_t kept = 0;

	take_coming(a);
	reconcile_plan(a, until_ns);
	for (size_t i = 0; i < a->held.n; i++) {
		if (a->held.v[i].turn == TURN_LATER)
			a->held.v[kept++] = a->held.v[i];
		else
			reconcile_give(a, &a->keys.v[a->held.v[i].key], &a->held.v[i]);
	}
	a->held.n = kept;
	a->held_ns = UINT64_MAX;
	for (size_t i = 0; i < kept; i++)
		if (a->held.v[i].ev.time_ns < a->held_ns)
			a->held_ns = a->held.v[i].ev.time_ns;
	look_at_keys(a, now_ns);
}

void reconcile_settle(struct reconcile *a, uint64_t time_ns)
{
	reconcile_settle_until(a, time_ns, time_ns);
}

uint64_t reconcile_held_ns(const struct reconcile *a)
{
	return a->held_ns;
}

void reconcile_rest(struct reconcile *a, uint64_t time_ns, struct event_sink *to)
{
	const struct giving g = { .to = to };

	for (const struct held *h = a->held.v; h < a->held.v + a->held.n; h++) {
		const struct key *k = &a->keys.v[h->key];
		uint64_t part[PARTS] = { h->w.blocked_ns - h->w.told_blocked_ns,
					 h->w.runnable_ns - h->w.told_runnable_ns, held_count(h) };

		/* One that waits for more to be left shows by what is left. */
		if (h->age && left_time(k) > 0)
			continue;
		for (int i = 0; i < PARTS && !held_is_long(h); i++)
			part[i] = (uint64_t)llround(wish_of(h, i));
		if (held_is_wait(h))
			tell_wait(a, &g, h, part, part[SHORT_COUNT]);
		else
			event_sink_add(to, &h->ev);
	}
	for (const struct key *k = a->keys.v; k < a->keys.v + a->keys.n; k++) {
		uint64_t part[PARTS];
		bool any = false;

		for (int i = 0; i < PARTS; i++) {
			const int64_t brief = k->left[SHORT_BLOCKED + i], lasting = k->left[LONG_BLOCKED + i];

			part[i] = (uint64_t)(brief > 0 ? brief : 0) + (uint64_t)(lasting > 0 ? lasting : 0);
			any |= part[i] > 0;
		}
		if (any)
			tell_carried(a, &g, k, true, time_ns, part);
	}
}

void reconcile_finish(struct reconcile *a, uint64_t time_ns)
{
	a->ending = true;
	reconcile_settle_until(a, UINT64_MAX, time_ns);
	for (struct key *k = a->keys.v; k < a->keys.v + a->keys.n; k++)
		if (k->kind)
			close_key(a, k, time_ns);
}
