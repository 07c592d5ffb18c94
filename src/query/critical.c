/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * critical.c - walks each span back, from thread to thread.
 *
 * Running time is gathered by place and second first, and put on samples at the end: a single span seldom has any,
 * but many spans have, in the right proportions.
 */
#include "config.h"

#include "query/critical.h"

#include "base/clock.h"
#include "base/keyed.h"
#include "base/order.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/lock.h"
#include "model/wait.h"
#include "query/doings.h"
#include "query/label.h"
#include "query/locks.h"
#include "query/stackgraft.h"

#include <stdlib.h>

#define NESTED_MAX 8u            /* threads one below the other in the tree; those behind stand beside the last one */
#define CHAIN_MAX 500u           /* threads one behind the other, each waiting for the next */

struct critical_span {
	uint64_t from_ns, to_ns;
	thread_id thread;
};

/* Where a thread ran. */
struct critical_ran {
	stack_id at;
	thread_id thread, span;          /* who ran, and whose span it is */
	uint32_t second;                 /* + 1; 0 = all of them: only for samples */
	uint64_t ns;
	uint64_t weight;                 /* of the samples that were met there */
	uint64_t time_ns;                /* when, the last */
};

struct critical_met {
	uint32_t ran;                    /* in critical.ran */
	stack_id stack;
	uint64_t weight;
};

struct critical {
	struct profile *p;
	const char *arch;
	struct snapshot *s;
	struct stackgraft graft;
	struct doings *doings;
	VEC(struct critical_span) span;
	VEC(struct event) told;
	KEYED(struct critical_ran) ran;
	KEYED(struct critical_met) met;
	stack_kinds kinds;
	struct critical_figures figures;
	thread_id of;                    /* whose span is walked */
	unsigned int chain;              /* threads that are being followed */
};

/* Where the walk is: in a thread, for the time from FROM_NS to TO_NS. */
struct critical_at {
	thread_id thread;
	uint64_t from_ns, to_ns;
	stack_id place;                  /* below which what it did stands; notes say whose it is */
	unsigned int depth;              /* 0 = the thread of the span itself, which needs no note */
	bool holder;                     /* it had the lock; else it ended the wait */
	uint64_t lock;                   /* for which the one above waits, and its process; 0 = none */
	uint32_t pid;
};

struct critical *critical_new(struct profile *p, struct names *names, const char *arch)
{
	AUTO(critical_free) struct critical *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->p = p;
	c->arch = arch;
	c->s = profile_snapshot(p);
	c->doings = c->s ? doings_new(c->s) : NULL;
	if (!c->doings || !stackgraft_init(&c->graft, profile_dict(p), names))
		return NULL;
	return take_ptr(c);
}

void critical_free(struct critical *c)
{
	if (!c)
		return;
	snapshot_unref(c->s);
	stackgraft_free(&c->graft);
	doings_free(c->doings);
	vec_free(&c->span);
	vec_free(&c->told);
	keyed_free(&c->ran);
	keyed_free(&c->met);
	keyed_free(&c->kinds);
	free(c);
}

bool critical_event(struct critical *c, const struct event *ev)
{
	return doings_add(c->doings, ev);
}

bool critical_ready(struct critical *c)
{
	return doings_finish(c->doings);
}

bool critical_time(const struct critical *c, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	*ret_from_ns = c->doings->from_ns;
	*ret_to_ns = c->doings->to_ns;
	return c->doings->from_ns < c->doings->to_ns;
}

thread_id critical_thread(const struct critical *c, uint32_t tid, uint64_t ns)
{
	thread_id found = ID_NONE;
	uint64_t start = 0;

	for (thread_id id = 0; id < c->doings->threads; id++) {
		const struct thread *t = dict_get_thread(c->doings->d, id);

		if ((uint32_t)t->tid == tid && t->start_ns <= ns && (found == ID_NONE || t->start_ns >= start)) {
			found = c->doings->same[id];
			start = t->start_ns;
		}
	}
	return found;
}

bool critical_span(struct critical *c, thread_id thread, uint64_t from_ns, uint64_t to_ns)
{
	struct critical_span *s;

	from_ns = from_ns > c->doings->from_ns ? from_ns : c->doings->from_ns;
	to_ns = to_ns < c->doings->to_ns ? to_ns : c->doings->to_ns;
	if (thread >= c->doings->threads || from_ns >= to_ns)
		return true;
	s = vec_push(&c->span);
	if (s)
		*s = (struct critical_span){ from_ns, to_ns, c->doings->same[thread] };
	return s;
}

bool critical_life(struct critical *c, thread_id thread, uint64_t from_ns, uint64_t to_ns)
{
	const thread_id same = thread < c->doings->threads ? c->doings->same[thread] : ID_NONE;
	const struct doing_sum *sum = doings_sum(c->doings, same);

	return !sum || critical_span(c, thread, sum->from_ns > from_ns ? sum->from_ns : from_ns,
				     sum->to_ns < to_ns ? sum->to_ns : to_ns);
}

uint64_t critical_spans(const struct critical *c)
{
	return c->span.n;
}

static int critical_compare_slowest(const void *va, const void *vb)
{
	const struct critical_span *a = va, *b = vb;

	return a->to_ns - a->from_ns != b->to_ns - b->from_ns ?
		compare_numbers(b->to_ns - b->from_ns, a->to_ns - a->from_ns) : compare_numbers(a->from_ns, b->from_ns);
}

void critical_keep_slowest(struct critical *c, uint64_t n)
{
	if (!n || n >= c->span.n)
		return;
	qsort(c->span.v, c->span.n, sizeof(*c->span.v), critical_compare_slowest);
	c->span.n = n;
}

/* ---- what is told ---- */

/* NS, until TO_NS, were KIND at PLACE. W: the wait that it was; NULL = none. */
static void critical_tell(struct critical *c, stack_id place, enum event_kind kind, uint64_t ns, uint64_t to_ns,
			  const struct doing *w)
{
	struct event *ev = ns ? vec_push(&c->told) : NULL;

	c->graft.failed |= ns && !ev;
	if (!ev)
		return;
	*ev = (struct event){ .kind = (uint8_t)kind, .flags = EVENT_F_USER, .time_ns = to_ns, .weight = ns, .count = 1,
			      .thread = c->of, .stack = place, .cut_module = ID_NONE };
	ev->wait = (struct event_wait){ .waker = ID_NONE, .own_ns = kind == EVENT_SAMPLE ? 0 : ns };
	/* Without its call no wait is taken for an idle one: somebody waited for it. */
	ev->wait.state = w ? w->state : WAIT_NONE;
}

static stack_id critical_noted(struct critical *c, const struct critical_at *at, const char *what)
{
	const struct dict *d = c->doings->d;
	const struct thread *t = dict_get_thread(d, at->thread);
	char text[LABEL_MAX];

	if (!at->depth)
		return at->place;
	text_format(text, sizeof(text), "[%s by %s%s]", at->holder ? "held" : "woken",
		    t ? strtab_get(dict_strings(d), t->comm) : "a thread", what);
	return stackgraft_note(&c->graft, at->place, text);
}

static void critical_unknown(struct critical *c, stack_id place, enum critical_unknown why, uint64_t ns, uint64_t to_ns,
			     const struct doing *w)
{
	static const char *const words[CRITICAL_UNKNOWNS] = {
		[CRITICAL_WAKER] = "[who ended this wait is not known]",
		[CRITICAL_BRIEF] = "[waits that were too short to be told one by one]",
		[CRITICAL_NOTHING] = "[nothing is known of this time]",
	};

	c->figures.unknown_ns[why] += ns;
	critical_tell(c, stackgraft_note(&c->graft, place, words[why]), EVENT_BLOCKED, ns, to_ns, w);
}

/* The thread of AT ran for NS at PLACE: SECOND + 1 of them, or 0 for samples of all. HIDX_NONE when out of memory. */
static uint32_t critical_add_ran(struct critical *c, const struct critical_at *at, stack_id place, uint32_t second,
				 uint64_t ns, uint64_t to_ns)
{
	const struct critical_ran want = { .at = place, .thread = at->thread, .span = c->of, .second = second };
	const uint32_t id = keyed_get(&c->ran, &want, ns);

	c->graft.failed |= id == HIDX_NONE;
	if (id == HIDX_NONE)
		return id;
	c->ran.v[id].ns += ns;
	c->ran.v[id].time_ns = to_ns > c->ran.v[id].time_ns ? to_ns : c->ran.v[id].time_ns;
	return id;
}

static void critical_add_met(struct critical *c, uint32_t ran, const struct doing_sample *s)
{
	const struct critical_met want = { .ran = ran, .stack = s->stack };
	const uint32_t id = ran == HIDX_NONE ? HIDX_NONE : keyed_get(&c->met, &want, weight);

	c->graft.failed |= id == HIDX_NONE;
	if (id == HIDX_NONE)
		return;
	c->met.v[id].weight += s->weight;
	c->ran.v[ran].weight += s->weight;
}

/* The thread of AT ran for NS of the time from FROM_NS to TO_NS. */
static void critical_ran_for(struct critical *c, const struct critical_at *at, uint64_t from_ns, uint64_t to_ns,
			     uint64_t ns)
{
	const stack_id place = critical_noted(c, at, ", which ran");
	const uint32_t id = critical_add_ran(c, at, place, (uint32_t)(to_ns / NSEC_PER_SEC) + 1, ns, to_ns);
	const uint32_t all = critical_add_ran(c, at, place, 0, 0, to_ns);
	size_t n;
	const struct doing_sample *s = doings_samples(c->doings, at->thread, from_ns, to_ns, &n);

	c->figures.ran_ns += ns;
	for (size_t i = 0; i < n; i++) {
		critical_add_met(c, id, &s[i]);
		critical_add_met(c, all, &s[i]);
	}
}

/* No wait of the thread of AT covers the time from FROM_NS to TO_NS. */
static void critical_runs(struct critical *c, const struct critical_at *at, uint64_t from_ns, uint64_t to_ns)
{
	static const struct doing_sum none = { .from_ns = UINT64_MAX };
	const struct doing_sum *known = doings_sum(c->doings, at->thread), *sum = known ? known : &none;
	const uint64_t later = sum->from_ns < to_ns ? sum->from_ns : to_ns, begin = later > from_ns ? later : from_ns;
	const double ns = (double)(to_ns - begin);
	const uint64_t brief = (uint64_t)(ns * sum->share.brief), ran = (uint64_t)(ns * sum->share.ran);
	uint64_t nothing = to_ns - from_ns - (ran + brief);

	/* What rounding leaves is nothing to speak of. */
	nothing = nothing > 2 ? nothing : 0;
	if (brief)
		critical_unknown(c, critical_noted(c, at, ", which waited"), CRITICAL_BRIEF, brief, to_ns, NULL);
	if (nothing)
		critical_unknown(c, critical_noted(c, at, ""), CRITICAL_NOTHING, nothing, to_ns, NULL);
	if (to_ns - from_ns > brief + nothing)
		critical_ran_for(c, at, begin, to_ns, to_ns - from_ns - brief - nothing);
}

static int critical_compare_met(const void *va, const void *vb)
{
	const struct critical_met *a = va, *b = vb;

	return a->ran != b->ran ? compare_numbers(a->ran, b->ran) : compare_numbers(a->stack, b->stack);
}

/* Puts the time of R on the samples that were met at number FROM of critical.ran. */
static void critical_tell_ran(struct critical *c, const struct critical_ran *r, uint32_t from, uint64_t weight)
{
	uint64_t left = r->ns;
	size_t low = 0, high = c->met.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (c->met.v[mid].ran < from)
			low = mid + 1;
		else
			high = mid;
	}
	for (; weight && low < c->met.n && c->met.v[low].ran == from; low++) {
		const bool last = low + 1 == c->met.n || c->met.v[low + 1].ran != from;
		const uint64_t share = (uint64_t)((double)r->ns * ((double)c->met.v[low].weight / (double)weight));
		const uint64_t ns = last || share > left ? left : share;

		critical_tell(c, stackgraft_stack(&c->graft, r->at, c->met.v[low].stack), EVENT_SAMPLE, ns, r->time_ns,
			      NULL);
		left -= ns;
	}
	if (!left)
		return;
	c->figures.unsampled_ns += left;
	critical_tell(c, stackgraft_note(&c->graft, r->at, "[ran, where no sample tells]"), EVENT_SAMPLE, left,
		      r->time_ns, NULL);
}

/* In seconds without a sample a thread ran where it did in others. */
static void critical_tell_running(struct critical *c)
{
	if (c->met.n)
		qsort(c->met.v, c->met.n, sizeof(*c->met.v), critical_compare_met);
	for (uint32_t i = 0; i < c->ran.n && !c->graft.failed; i++) {
		const struct critical_ran *r = &c->ran.v[i];
		const struct critical_ran want = { .at = r->at, .thread = r->thread, .span = r->span };
		const uint32_t all = keyed_find(&c->ran, &want, ns);

		c->of = r->span;
		if (r->second)
			critical_tell_ran(c, r, r->weight ? i : all, r->weight ? r->weight : c->ran.v[all].weight);
	}
}

/* ---- the walk ---- */

static void critical_walk(struct critical *c, const struct critical_at *at);

/* What ended the wait W when no thread did. */
static const char *critical_cause(const struct critical *c, const struct doing *w)
{
	const enum wait_class class = wait_class_of(w->call, w->state, c->arch);
	const bool interrupt = w->context == WAKER_HARDIRQ || w->context == WAKER_SOFTIRQ;

	switch (class) {
	case WAIT_CLASS_SLEEP:
		return "[timer]";
	case WAIT_CLASS_IO:
		return "[device]";
	case WAIT_CLASS_STOPPED:
		return "[stopped by a signal]";
	case WAIT_CLASS_TRACED:
		return "[stopped by a debugger]";
	case WAIT_CLASS_FROZEN:
		return "[frozen]";
	case WAIT_CLASS_MEMORY:
		return "[memory limit]";
	case WAIT_CLASS_PIPE:
		return interrupt ? "[network or timer]" : w->open ? "[has not ended]" : NULL;
	default:
		return interrupt ? "[interrupt or timer]" : w->open ? "[has not ended]" : NULL;
	}
}

static enum lock_kind critical_lock_kind(struct critical *c, stack_id stack, lock_id lock)
{
	const enum lock_kind kind = locks_wait_kind(c->doings->d, c->graft.names, &c->kinds, stack, lock);

	c->graft.failed |= kind == LOCK_NONE;
	return kind;
}

/* Who is to be followed for the wait W; ID_NONE = no thread. *RET_HOLDER: it had the lock. */
static thread_id critical_who(struct critical *c, const struct doing *w, bool *ret_holder)
{
	const bool locked = w->lock && locks_is_wait(c->doings->d, w->call, w->lock, c->arch);
	const thread_id holder = !locked ? ID_NONE :
		locks_told_holder(c->doings->d, w->lock, critical_lock_kind(c, w->stack, w->lock));
	const thread_id same = holder < c->doings->threads ? c->doings->same[holder] : ID_NONE;
	const thread_id waker = w->context == WAKER_TASK ? w->waker : ID_NONE;
	const thread_id who = waker != ID_NONE ? waker : same;

	/* Whoever makes a lock free had it, wherever the owner of such a lock is known at all. */
	*ret_holder = same != ID_NONE;
	return who == w->thread ? ID_NONE : who;
}

/* The lock that W is for, and whose memory that is in; 0 = none. */
static uint64_t critical_lock(const struct critical *c, const struct doing *w, uint32_t *ret_pid)
{
	const struct held_lock *l = w->lock ? dict_get_lock(c->doings->d, w->lock) : NULL;

	*ret_pid = l && lock_is_of_kernel(l->guess) ? 0 : (uint32_t)dict_get_thread(c->doings->d, w->thread)->pid;
	return l ? l->address : 0;
}

/* Follows WHO, for the wait W that the thread of AT was in from FROM_NS to TO_NS. */
static void critical_follow(struct critical *c, const struct critical_at *at, const struct doing *w, thread_id who,
			    bool holder, uint64_t from_ns, uint64_t to_ns)
{
	struct critical_at next = { .thread = who, .from_ns = from_ns, .to_ns = to_ns, .holder = holder };
	bool beside;

	next.lock = critical_lock(c, w, &next.pid);
	/* One who had the lock before, or too deep a tree. */
	beside = at->depth && ((next.lock && next.lock == at->lock && next.pid == at->pid) || at->depth >= NESTED_MAX);
	next.depth = beside ? at->depth : at->depth + 1;
	next.place = beside ? at->place :
		stackgraft_stack(&c->graft, critical_noted(c, at, ", which waited"), w->stack);
	if (!doings_sum(c->doings, who)) {
		critical_tell(c, critical_noted(c, &next, ", which was not recorded"), EVENT_BLOCKED, to_ns - from_ns,
			      to_ns, w);
		return;
	}
	c->chain++;
	critical_walk(c, &next);
	c->chain--;
}

/* The thread of AT was in the wait W from FROM_NS to TO_NS. */
static void critical_waits(struct critical *c, const struct critical_at *at, const struct doing *w, uint64_t from_ns,
			   uint64_t to_ns)
{
	bool holder;
	const thread_id who = critical_who(c, w, &holder);
	const char *cause = who == ID_NONE ? critical_cause(c, w) : NULL;
	stack_id place;

	if (who != ID_NONE && c->chain < CHAIN_MAX) {
		critical_follow(c, at, w, who, holder, from_ns, to_ns);
		return;
	}
	place = stackgraft_stack(&c->graft, critical_noted(c, at, ", which waited"), w->stack);
	if (cause)
		critical_tell(c, stackgraft_note(&c->graft, place, cause), EVENT_BLOCKED, to_ns - from_ns, to_ns, w);
	else
		critical_unknown(c, place, CRITICAL_WAKER, to_ns - from_ns, to_ns, w);
}

static void critical_queued(struct critical *c, const struct critical_at *at, const struct doing *w, uint64_t from_ns,
			    uint64_t to_ns)
{
	const stack_id place = stackgraft_stack(&c->graft, critical_noted(c, at, ", in the run queue"), w->stack);
	const char *note = w->state == WAIT_THROTTLED ? "[throttled]" : "[run queue]";

	c->figures.queued_ns += to_ns - from_ns;
	critical_tell(c, stackgraft_note(&c->graft, place, note), EVENT_RUNNABLE, to_ns - from_ns, to_ns, w);
}

static void critical_walk(struct critical *c, const struct critical_at *at)
{
	uint64_t to = at->to_ns;
	size_t i = doings_last(c->doings, at->thread, to);

	while (to > at->from_ns && !c->graft.failed) {
		const struct doing *w = i == DOING_NONE ? NULL : &c->doings->wait.v[i];
		uint64_t from = at->from_ns;

		if (!w || w->thread != at->thread || w->to_ns <= from) {
			critical_runs(c, at, from, to);
			return;
		}
		if (w->to_ns < to) {
			critical_runs(c, at, w->to_ns, to);
			to = w->to_ns;
		}
		from = w->from_ns > from ? w->from_ns : from;
		if (w->kind == EVENT_RUNNABLE)
			critical_queued(c, at, w, from, to);
		else
			critical_waits(c, at, w, from, to);
		to = from;
		i = i ? i - 1 : DOING_NONE;
	}
}

static int critical_compare_told(const void *va, const void *vb)
{
	const struct event *a = va, *b = vb;

	return a->time_ns != b->time_ns ? compare_numbers(a->time_ns, b->time_ns) : compare_numbers(a->stack, b->stack);
}

int critical_write(struct critical *c, struct critical_figures *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < c->span.n && !c->graft.failed; i++) {
		const struct critical_span *s = &c->span.v[i];
		const struct critical_at at = { .thread = s->thread, .from_ns = s->from_ns, .to_ns = s->to_ns };

		c->of = s->thread;
		c->figures.spans++;
		c->figures.ns += s->to_ns - s->from_ns;
		critical_walk(c, &at);
	}
	critical_tell_running(c);
	if (c->graft.failed)
		return err_nomem(e, "the critical path");
	profile_provisional(c->p, 0, 0, NULL, 0);
	profile_clear(c->p);
	if (c->told.n)
		qsort(c->told.v, c->told.n, sizeof(*c->told.v), critical_compare_told);
	for (size_t i = 0; i < c->told.n && !r; i++)
		r = profile_add(c->p, &c->told.v[i]);
	*ret = c->figures;
	return r ? err_nomem(e, "the critical path") : 0;
}
