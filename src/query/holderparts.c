/* SPDX-License-Identifier: BSD-2-Clause */
/* holderparts.c - keeps what threads did by thread and slice, and looks it up for each wait. */
#include "config.h"

#include "query/holderparts.h"

#include "base/order.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/lock.h"
#include "model/wait.h"
#include "query/locks.h"

#include <stdlib.h>

#define PIECES_MAX 64u           /* into which a wait is divided at each holder */
#define SHARE_MIN 1000u          /* a part is at least a thousandth of the wait */

/* What a thread did in a slice. */
struct holder_activity {
	thread_id thread;        /* as filter.same says */
	size_t slice;
	struct fact fact;
};

struct holder_parts {
	const struct dict *d;
	const struct names *names;
	struct query query;
	struct filter filter;
	VEC(struct holder_activity) did;         /* by thread and slice, the longest first */
	size_t provisional;      /* the number of that slice; SIZE_MAX = there is none */
	/* of the wait that is being divided */
	const struct holder_sink *to;
	uint64_t least_ns;
	thread_id chain[HOLDERS_DEEP + 1];       /* who waits, and the holders down to here, */
	bool other_end[HOLDERS_DEEP + 1];        /* those that are at the other end of something */
	unsigned int depth;
	bool told;
};

char *holder_note(const struct dict *d, thread_id holder, enum holder_how how, char *dst, size_t size)
{
	static const char *const words[HOLDER_HOWS] = {
		[HOLDER_RAN] = ", which ran", [HOLDER_WAITED] = ", which waited",
		[HOLDER_WAS_STOPPED] = ", which was stopped",
		[HOLDER_QUEUED] = ", in the run queue", [HOLDER_LET_GO] = ", released in",
		[HOLDER_NOT_KNOWN] = "", [HOLDER_ABOVE] = ", which is above",
	};
	const struct thread *t = dict_get_thread(d, holder);
	const unsigned int what = how & ~(unsigned int)HOLDER_OTHER_END;

	text_format(dst, size, "[%s %s%s]", how & HOLDER_OTHER_END ? "other end:" : "held by",
		    t ? strtab_get(dict_strings(d), t->comm) : "a thread", what < HOLDER_HOWS ? words[what] : "");
	return dst;
}

static int holderparts_compare(const void *va, const void *vb)
{
	const struct holder_activity *a = va, *b = vb;

	return a->thread != b->thread ? compare_numbers(a->thread, b->thread) :
		a->slice != b->slice ? compare_numbers(a->slice, b->slice) :
		a->fact.weight != b->fact.weight ? compare_numbers(b->fact.weight, a->fact.weight) :
						   compare_numbers(a->fact.stack, b->fact.stack);
}

/* All facts of wall time. */
static bool holderparts_look(struct holder_parts *p)
{
	struct asked a = { 0 };

	while (filter_next(&p->filter, &a)) {
		struct holder_activity *did;

		if (a.v.provisional)
			p->provisional = a.v.next - 1;
		if (a.fact->kind != EVENT_SAMPLE && !EVENT_IS_WAIT(a.fact->kind))
			continue;
		did = vec_push(&p->did);
		if (!did)
			return false;
		*did = (struct holder_activity){ p->filter.same[a.fact->thread], a.v.next - 1, *a.fact };
	}
	if (p->did.n)
		qsort(p->did.v, p->did.n, sizeof(*p->did.v), holderparts_compare);
	return true;
}

struct holder_parts *holder_parts_new(const struct snapshot *s, const struct names *names, const struct query *q)
{
	AUTO(holder_parts_free) struct holder_parts *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->d = snapshot_dict(s);
	p->names = names;
	p->query = (struct query){ .arch = q->arch, .from_ns = q->from_ns, .to_ns = q->to_ns };
	p->provisional = SIZE_MAX;
	if (!filter_init(&p->filter, s, names, &p->query) || !holderparts_look(p))
		return NULL;
	return take_ptr(p);
}

void holder_parts_free(struct holder_parts *p)
{
	if (!p)
		return;
	filter_free(&p->filter);
	vec_free(&p->did);
	free(p);
}

thread_id holder_parts_holder(const struct holder_parts *p, const struct fact *f, const struct held_lock **ret_lock)
{
	const struct wait *w = f->kind == EVENT_BLOCKED ? dict_get_wait(p->d, f->wait) : NULL;
	bool inferred;
	thread_id holder;

	*ret_lock = w && w->lock && (locks_is_wait(p->d, w->call, w->lock, p->query.arch) ||
				     locks_is_channel(p->d, w->lock)) ? dict_get_lock(p->d, w->lock) : NULL;
	if (!*ret_lock)
		return ID_NONE;
	holder = locks_holder(p->d, w, locks_wait_kind(p->d, p->names, NULL, f->stack, w->lock), p->filter.threads,
			      &inferred);
	holder = holder == ID_NONE ? ID_NONE : p->filter.same[holder];
	return f->thread < p->filter.threads && holder == p->filter.same[f->thread] ? ID_NONE : holder;
}

/* The first activity of THREAD in SLICE or later. */
static size_t holderparts_first(const struct holder_parts *p, thread_id thread, size_t slice)
{
	size_t low = 0, high = p->did.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const struct holder_activity *a = &p->did.v[mid];

		if (a->thread < thread || (a->thread == thread && a->slice < slice))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether activity number I is of THREAD in SLICE. */
static bool holderparts_is(const struct holder_parts *p, size_t i, thread_id thread, size_t slice)
{
	return i < p->did.n && p->did.v[i].thread == thread && p->did.v[i].slice == slice;
}

/* Whether A, of a holder of L, is something that it may have done while it held that. */
static bool holderparts_may_hold(const struct holder_parts *p, const struct holder_activity *a,
				 const struct held_lock *l)
{
	const struct wait *w = EVENT_IS_WAIT(a->fact.kind) ? dict_get_wait(p->d, a->fact.wait) : NULL;
	const struct held_lock *own = w && w->lock ? dict_get_lock(p->d, w->lock) : NULL;

	return a->fact.stack != STACK_ROOT && !(own && own->address == l->address);
}

/* How long the holder of L did all that in SLICE. */
static uint64_t holderparts_all(const struct holder_parts *p, thread_id holder, const struct held_lock *l, size_t slice)
{
	uint64_t all = 0;

	for (size_t i = holderparts_first(p, holder, slice); holderparts_is(p, i, holder, slice); i++)
		if (holderparts_may_hold(p, &p->did.v[i], l))
			all += p->did.v[i].fact.weight;
	return all;
}

static void holderparts_tell(struct holder_parts *p, uint32_t at, uint64_t ns)
{
	p->to->tell(p->to->ctx, at, ns, !p->told);
	p->told = true;
}

static uint32_t holderparts_note(const struct holder_parts *p, uint32_t at, thread_id holder, enum holder_how how)
{
	const unsigned int end = p->other_end[p->depth] ? HOLDER_OTHER_END : 0;

	return p->to->note(p->to->ctx, at, holder, (enum holder_how)(how | end), p->depth);
}

static void holderparts_divide(struct holder_parts *p, uint32_t at, uint64_t ns, const struct held_lock *l,
			       size_t slice, const struct fact *wait);

static enum holder_how holderparts_how(const struct holder_parts *p, const struct fact *f)
{
	if (f->kind == EVENT_SAMPLE)
		return HOLDER_RAN;
	if (f->kind == EVENT_RUNNABLE)
		return HOLDER_QUEUED;
	return wait_state_stopped(dict_get_wait(p->d, f->wait)->state) ? HOLDER_WAS_STOPPED : HOLDER_WAITED;
}

/* NS of the wait: A, what the holder did. */
static void holderparts_piece(struct holder_parts *p, uint32_t at, uint64_t ns, const struct holder_activity *a)
{
	const enum holder_how how = holderparts_how(p, &a->fact);
	const struct held_lock *l;
	const thread_id holder = holder_parts_holder(p, &a->fact, &l);

	at = holderparts_note(p, at, p->chain[p->depth], how);
	at = p->to->stack(p->to->ctx, at, a->fact.stack);
	if (holder == ID_NONE || p->depth == HOLDERS_DEEP) {
		holderparts_tell(p, at, ns);
		return;
	}
	p->depth++;
	p->other_end[p->depth] = lock_is_channel(l->guess);
	for (unsigned int i = 0; i < p->depth; i++)
		if (p->chain[i] == holder) {
			holderparts_tell(p, holderparts_note(p, at, holder, HOLDER_ABOVE), ns);
			p->depth--;
			return;
		}
	p->chain[p->depth] = holder;
	holderparts_divide(p, at, ns, l, a->slice, &a->fact);
	p->depth--;
}

/* Where HOLDER woke the thread of WAIT, which ended so; STACK_ROOT = that is not known. */
static stack_id holderparts_released(const struct holder_parts *p, const struct fact *wait, thread_id holder)
{
	const struct wait *w = dict_get_wait(p->d, wait->wait);

	return w && w->context == WAKER_TASK && w->waker < p->filter.threads && p->filter.same[w->waker] == holder ?
		w->waker_stack : STACK_ROOT;
}

/* NS of WAIT, of which is not known what its holder did: below AT. */
static void holderparts_rest(struct holder_parts *p, uint32_t at, uint64_t ns, const struct fact *wait, bool nothing)
{
	const thread_id holder = p->chain[p->depth];
	const stack_id released = nothing ? holderparts_released(p, wait, holder) : STACK_ROOT;

	at = holderparts_note(p, at, holder, released == STACK_ROOT ? HOLDER_NOT_KNOWN : HOLDER_LET_GO);
	holderparts_tell(p, released == STACK_ROOT ? at : p->to->stack(p->to->ctx, at, released), ns);
}

/* Divides NS of WAIT for L, which p->chain[p->depth] held, among what that did in SLICE. */
static void holderparts_divide(struct holder_parts *p, uint32_t at, uint64_t ns, const struct held_lock *l,
			       size_t slice, const struct fact *wait)
{
	const thread_id holder = p->chain[p->depth];
	uint64_t all = holderparts_all(p, holder, l, slice), left = ns;
	unsigned int n = 0;

	/* Waits that last are in a slice of their own, in which nobody runs. */
	if (!all && slice && slice == p->provisional)
		all = holderparts_all(p, holder, l, --slice);
	for (size_t i = holderparts_first(p, holder, slice); all && holderparts_is(p, i, holder, slice) &&
	     n < PIECES_MAX; i++) {
		const struct holder_activity *a = &p->did.v[i];
		const uint64_t part = (uint64_t)((double)ns * ((double)a->fact.weight / (double)all));

		if (!holderparts_may_hold(p, a, l) || !part || part < p->least_ns || part > left)
			continue;
		left -= part;
		n++;
		holderparts_piece(p, at, part, a);
	}
	if (left)
		holderparts_rest(p, at, left, wait, !all);
}

void holder_parts_divide(struct holder_parts *p, const struct fact *f, size_t slice, uint32_t at,
			 const struct holder_sink *to)
{
	const struct held_lock *l;

	p->to = to;
	p->told = false;
	p->least_ns = f->weight / SHARE_MIN;
	p->depth = 1;
	p->chain[0] = p->filter.same[f->thread];
	p->chain[1] = holder_parts_holder(p, f, &l);
	p->other_end[1] = lock_is_channel(l->guess);
	holderparts_divide(p, at, f->weight, l, slice, f);
}
