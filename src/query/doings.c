/* SPDX-License-Identifier: BSD-2-Clause */
/* doings.c - sorts events by thread and time, puts waits that were told in pieces together, and looks them up. */
#include "config.h"

#include "query/doings.h"

#include "base/clock.h"
#include "base/order.h"
#include "query/threads.h"

#include <stdlib.h>

/* Of the time that no wait covers so much must be accounted for, before the rest is said to be unknown. */
#define SHARE_KNOWN 0.8
/* A thread ran for some time before its first sample: as much as that weighs, and at most so long. */
#define SAMPLE_ABOUT_NS (20 * NSEC_PER_MSEC)

struct doings *doings_new(const struct snapshot *s)
{
	AUTO(doings_free) struct doings *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->d = snapshot_dict(s);
	o->threads = dict_threads(o->d);
	o->same = threads_same(s, o->threads);
	o->from_ns = UINT64_MAX;
	return o->same ? take_ptr(o) : NULL;
}

void doings_free(struct doings *o)
{
	if (!o)
		return;
	free(o->same);
	vec_free(&o->wait);
	vec_free(&o->sample);
	keyed_free(&o->sums);
	free(o);
}

/* The sums of THREAD, which did something from FROM_NS to TO_NS; NULL when out of memory. */
static struct doing_sum *doings_sum_of(struct doings *o, thread_id thread, uint64_t from_ns, uint64_t to_ns)
{
	const struct doing_sum want = { .thread = thread, .from_ns = UINT64_MAX };
	const uint32_t id = keyed_get(&o->sums, &want, ran_ns);
	struct doing_sum *s = id == HIDX_NONE ? NULL : &o->sums.v[id];

	if (!s)
		return NULL;
	s->from_ns = from_ns < s->from_ns ? from_ns : s->from_ns;
	s->to_ns = to_ns > s->to_ns ? to_ns : s->to_ns;
	o->from_ns = from_ns < o->from_ns ? from_ns : o->from_ns;
	o->to_ns = to_ns > o->to_ns ? to_ns : o->to_ns;
	return s;
}

static bool doings_add_sample(struct doings *o, const struct event *ev, thread_id thread)
{
	const uint64_t about = ev->weight < SAMPLE_ABOUT_NS ? ev->weight : SAMPLE_ABOUT_NS;
	const uint64_t from = about < ev->time_ns ? ev->time_ns - about : ev->time_ns;
	struct doing_sum *sum = doings_sum_of(o, thread, from, ev->time_ns);
	struct doing_sample *s;

	if (!sum)
		return false;
	sum->ran_ns += ev->weight;
	/* What stands for time without a sample was nowhere at that moment. */
	if (ev->flags & EVENT_F_EXTRAPOLATED)
		return true;
	s = vec_push(&o->sample);
	if (s)
		*s = (struct doing_sample){ ev->time_ns, ev->weight, thread, ev->stack };
	return s;
}

static bool doings_add_wait(struct doings *o, const struct event *ev, thread_id thread)
{
	const uint64_t length_ns = ev->wait.own_ns < ev->weight ? ev->wait.own_ns : ev->weight;
	const bool told = length_ns && length_ns <= ev->time_ns;
	struct doing_sum *sum = doings_sum_of(o, thread, ev->time_ns - (told ? length_ns : 0), ev->time_ns);
	struct doing *w;

	if (!sum)
		return false;
	sum->brief_ns += ev->weight - length_ns;
	if (!told)
		return true;
	w = vec_push(&o->wait);
	if (!w)
		return false;
	*w = (struct doing){
		.from_ns = ev->time_ns - length_ns, .to_ns = ev->time_ns, .thread = thread, .stack = ev->stack,
		.waker = ev->wait.waker < o->threads ? o->same[ev->wait.waker] : ID_NONE, .lock = ev->wait.lock,
		.call = ev->wait.call, .kind = ev->kind, .state = ev->wait.state, .context = ev->wait.context,
		.open = ev->flags & EVENT_F_OPEN,
	};
	return true;
}

bool doings_add(struct doings *o, const struct event *ev)
{
	/* A recording that is being written may have grown since. */
	if (ev->thread >= o->threads || !(EVENT_IS_WAIT(ev->kind) || ev->kind == EVENT_SAMPLE))
		return true;
	return EVENT_IS_WAIT(ev->kind) ? doings_add_wait(o, ev, o->same[ev->thread]) :
					 doings_add_sample(o, ev, o->same[ev->thread]);
}

static int doings_compare_waits(const void *va, const void *vb)
{
	const struct doing *a = va, *b = vb;

	return a->thread != b->thread ? compare_numbers(a->thread, b->thread) :
		a->from_ns != b->from_ns ? compare_numbers(a->from_ns, b->from_ns) :
					   compare_numbers(a->to_ns, b->to_ns);
}

static int doings_compare_samples(const void *va, const void *vb)
{
	const struct doing_sample *a = va, *b = vb;

	return a->thread != b->thread ? compare_numbers(a->thread, b->thread) :
		a->time_ns != b->time_ns ? compare_numbers(a->time_ns, b->time_ns) :
					   compare_numbers(a->stack, b->stack);
}

/* Whether the wait A, whose stack may not have been known yet, goes on in B, and the same thread holds its lock. */
static bool doings_goes_on(const struct doing *a, const struct doing *b)
{
	return a->thread == b->thread && a->to_ns == b->from_ns && a->kind == EVENT_BLOCKED &&
	       b->kind == EVENT_BLOCKED && a->call == b->call && a->state == b->state && a->waker == ID_NONE &&
	       a->context == WAKER_UNKNOWN && (!a->lock || !b->lock || a->lock == b->lock);
}

/* Puts pieces together, and lets no wait of a thread begin before the last one has ended. */
static void doings_join(struct doings *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->wait.n; i++) {
		struct doing *last = n ? &o->wait.v[n - 1] : NULL, next = o->wait.v[i];

		if (last && doings_goes_on(last, &next)) {
			next.from_ns = last->from_ns;
			next.lock = next.lock ? next.lock : last->lock;
			*last = next;
			continue;
		}
		if (last && last->thread == next.thread && last->to_ns > next.from_ns)
			next.from_ns = last->to_ns;
		if (next.from_ns < next.to_ns)
			o->wait.v[n++] = next;
	}
	o->wait.n = n;
}

/* How the time of S that no wait covers is divided. */
static struct doing_shares doings_divide(const struct doing_sum *s)
{
	const uint64_t life = s->to_ns - s->from_ns, uncovered = life > s->waited_ns ? life - s->waited_ns : 0;
	double all = (double)(s->ran_ns + s->brief_ns);

	if (all < SHARE_KNOWN * (double)uncovered)
		all = (double)uncovered;
	if (all <= 0)
		return (struct doing_shares){ 0, 0 };
	return (struct doing_shares){ (double)s->ran_ns / all, (double)s->brief_ns / all };
}

bool doings_finish(struct doings *o)
{
	if (o->wait.n)
		qsort(o->wait.v, o->wait.n, sizeof(*o->wait.v), doings_compare_waits);
	if (o->sample.n)
		qsort(o->sample.v, o->sample.n, sizeof(*o->sample.v), doings_compare_samples);
	doings_join(o);
	for (size_t i = 0; i < o->wait.n; i++) {
		const struct doing *w = &o->wait.v[i];
		struct doing_sum *sum = doings_sum_of(o, w->thread, w->from_ns, w->to_ns);

		if (!sum)
			return false;
		sum->waited_ns += w->to_ns - w->from_ns;
	}
	for (size_t i = 0; i < o->sums.n; i++)
		o->sums.v[i].share = doings_divide(&o->sums.v[i]);
	return true;
}

size_t doings_last(const struct doings *o, thread_id thread, uint64_t ns)
{
	size_t low = 0, high = o->wait.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const struct doing *w = &o->wait.v[mid];

		if (w->thread < thread || (w->thread == thread && w->from_ns < ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low && o->wait.v[low - 1].thread == thread ? low - 1 : DOING_NONE;
}

/* The first sample of THREAD at NS or later, or of a thread behind it. */
static size_t doings_sample_from(const struct doings *o, thread_id thread, uint64_t ns)
{
	size_t low = 0, high = o->sample.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const struct doing_sample *s = &o->sample.v[mid];

		if (s->thread < thread || (s->thread == thread && s->time_ns < ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct doing_sample *doings_samples(const struct doings *o, thread_id thread, uint64_t from_ns, uint64_t to_ns,
					  size_t *ret_n)
{
	const size_t first = doings_sample_from(o, thread, from_ns);

	*ret_n = doings_sample_from(o, thread, to_ns) - first;
	return o->sample.v ? o->sample.v + first : NULL;
}

const struct doing_sum *doings_sum(const struct doings *o, thread_id thread)
{
	const struct doing_sum want = { .thread = thread };
	const uint32_t id = keyed_find(&o->sums, &want, ran_ns);

	return id == HIDX_NONE ? NULL : &o->sums.v[id];
}
