/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.c - see replay.h. A reading delivers events up to its end in the file, and takes in the
 * answers behind it. All that is kept of them is bounded: what is over is counted as lost.
 */
#include "config.h"

#include "capture/replay.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vec.h"
#include "capture/features.h"
#include "capture/rawfile.h"
#include "capture/source_ops.h"
#include "model/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ANSWERS_MAX (1u << 20)           /* of a kind */
#define STACKS_MAX 65536u                /* that wait to be asked for, ... */
#define STACKS_BYTES_MAX (256u << 20)    /* ... and of all of them */
#define FURTHER_MAX 256u

/* A wait of the last look. */
struct replay_open {
	struct source_open w;
	size_t kernel;           /* where its addresses begin in replay.kernel */
};

typedef VEC(struct replay_open) replay_opens;
typedef VEC(uint64_t) replay_addrs;
typedef VEC(struct source_home) replay_home_list;

/* The answer to a source_open_stack(). */
struct replay_stack {
	struct rawfile_asked asked;
	void *record;            /* rawfile_kept(), owned; NULL = it comes */
	size_t bytes;
};

struct replay {
	struct source source;
	struct rawfile *file;
	struct rawfile_head head;
	char event[64];                  /* of head, sanitised */
	struct features features;        /* of head */
	bool stopped;                    /* source_stop() was called, here; ... */
	bool at_stop;                    /* ... and there, at stop_ns: what follows is read after that only */
	bool at_end;
	uint64_t stop_ns, samples, dropped;
	struct rawfile_turn turn;        /* the last one */
	uint32_t probe[PROBES_MAX];      /* our numbers of its probes; PROBE_NONE = none */
	VEC(struct source_total) totals; /* since they were asked for */
	uint64_t totals_ns;
	VEC(struct source_sum) sums;     /* the same */
	uint64_t sums_ns;
	bool summing;                    /* sums were turned */
	replay_opens fresh, open;        /* the look at hand, and the last whole one */
	replay_addrs fresh_kernel, kernel;
	uint64_t look_ns;
	VEC(struct replay_stack) stacks;
	size_t stack_bytes;              /* of them */
	size_t next_stack;               /* they are asked for in their order, mostly */
	void *given;                     /* the record that replay_open_stack() gave, owned */
	replay_home_list fresh_homes, homes;
	struct rawfile_asked further[FURTHER_MAX];       /* whose stack comes again, the last ones */
	uint32_t nr_further;
};

static struct replay *replay_of(const struct source *s)
{
	return (struct replay *)(uintptr_t)s;
}

static int replay_prepare(struct source *s, struct err *e)
{
	(void)s;
	(void)e;
	return 0;
}

static int replay_start(struct source *s, struct err *e)
{
	(void)e;
	s->now_ns = replay_of(s)->head.begun_ns;
	return 0;
}

static void replay_stop(struct source *s)
{
	struct replay *r = replay_of(s);

	r->stopped = true;
	if (r->at_stop)
		s->now_ns = r->stop_ns;
}

/* ---- answers, as they are read ---- */

static bool replay_same_asked(const struct rawfile_asked *a, const struct rawfile_asked *b)
{
	return a->tid == b->tid && a->start_ns == b->start_ns && a->id == b->id;
}

static struct rawfile_asked replay_asked_of(const struct raw_event *ev)
{
	return (struct rawfile_asked){ .tid = ev->tid, .start_ns = ev->sample.start_ns, .id = ev->wait.id };
}

#define REPLAY_KEEP(r, list, value)                                                                 \
	do {                                                                                        \
		if ((r)->list.n < ANSWERS_MAX && vec_reserve(&(r)->list, 1))                        \
			(r)->list.v[(r)->list.n++] = (value);                                       \
		else                                                                                \
			(r)->dropped++;                                                             \
	} while (0)

static void replay_keep_open(struct replay *r, const struct source_open *w)
{
	const struct replay_open o = { .w = *w, .kernel = r->fresh_kernel.n };

	if (r->fresh_kernel.n + w->nr_kernel > 8 * (size_t)ANSWERS_MAX ||
	    !vec_reserve(&r->fresh_kernel, w->nr_kernel + 1)) {
		r->dropped++;
		return;
	}
	if (w->nr_kernel)
		memcpy(r->fresh_kernel.v + r->fresh_kernel.n, w->kernel, w->nr_kernel * sizeof(*w->kernel));
	r->fresh_kernel.n += w->nr_kernel;
	REPLAY_KEEP(r, fresh, o);
}

/* Stacks of waits that nobody asked for by the next look are dropped. */
static void replay_drop_stacks(struct replay *r)
{
	for (size_t i = 0; i < r->stacks.n; i++)
		free(r->stacks.v[i].record);
	r->stacks.n = r->next_stack = 0;
	r->stack_bytes = 0;
}

static void replay_end_look(struct replay *r, uint64_t look_ns)
{
	vec_free(&r->open);
	vec_free(&r->kernel);
	r->open = r->fresh;
	r->kernel = r->fresh_kernel;
	r->fresh = (replay_opens){ 0 };
	r->fresh_kernel = (replay_addrs){ 0 };
	for (size_t i = 0; i < r->open.n; i++)
		r->open.v[i].w.kernel = r->kernel.v + r->open.v[i].kernel;
	r->look_ns = look_ns;
	replay_drop_stacks(r);
}

static void replay_keep_stack(struct replay *r, struct rawfile_asked asked, bool comes)
{
	struct replay_stack s = { .asked = asked };

	if (r->stacks.n >= STACKS_MAX || r->stack_bytes >= STACKS_BYTES_MAX || !vec_reserve(&r->stacks, 1) ||
	    (!comes && !(s.record = rawfile_keep(r->file, &s.bytes)))) {
		r->dropped++;
		return;
	}
	r->stack_bytes += s.bytes;
	r->stacks.v[r->stacks.n++] = s;
}

static void replay_end_homes(struct replay *r)
{
	vec_free(&r->homes);
	r->homes = r->fresh_homes;
	r->fresh_homes = (replay_home_list){ 0 };
}

static void replay_learn_probe(struct replay *r, const struct rawfile_probe *p)
{
	if (p->number < PROBES_MAX)
		r->probe[p->number] = probes_add(p->text, strlen(p->text), p->unit);
}

static void replay_take_answer(struct replay *r, const struct rawfile_item *item)
{
	switch (item->what) {
	case RAWFILE_PROBE:
		replay_learn_probe(r, &item->probe);
		break;
	case RAWFILE_TOTAL:
		REPLAY_KEEP(r, totals, item->total);
		break;
	case RAWFILE_TOTALS:
		r->totals_ns = item->ns;
		break;
	case RAWFILE_SUMS_TURN:
		r->sums_ns = item->ns;
		r->summing = true;
		break;
	case RAWFILE_SUM:
		REPLAY_KEEP(r, sums, item->sum);
		break;
	case RAWFILE_OPEN:
		replay_keep_open(r, &item->open);
		break;
	case RAWFILE_LOOK:
		replay_end_look(r, item->ns);
		break;
	case RAWFILE_STACK:
		replay_keep_stack(r, replay_asked_of(&item->event), false);
		break;
	case RAWFILE_COMES:
		replay_keep_stack(r, item->asked, true);
		break;
	case RAWFILE_HOME:
		REPLAY_KEEP(r, fresh_homes, item->home);
		break;
	case RAWFILE_HOMES:
		replay_end_homes(r);
		break;
	default:
		break;
	}
}

/* ---- events ---- */

/* A hit of a probe that the file does not name is none that anything counts. */
static void replay_number_hit(const struct replay *r, struct raw_hit *hit)
{
	const uint32_t number = hit->probe - RAW_PROBE_PLACED;
	const uint32_t ours = number < PROBES_MAX ? r->probe[number] : PROBE_NONE;

	if (hit->probe >= RAW_PROBE_PLACED)
		hit->probe = RAW_PROBE_PLACED + (ours != PROBE_NONE ? ours : PROBES_MAX);
}

/* The same of the calls that a sample was inside of: CALL, 0 = there is none. */
static uint64_t replay_number_call(const struct replay *r, uint64_t call)
{
	const uint32_t number = raw_inside_probe(call);
	const uint32_t ours = number < PROBES_MAX ? r->probe[number] : PROBE_NONE;

	if (!call || call == RAW_INSIDE_UNKNOWN)
		return call;
	return ours == PROBE_NONE ? 0 : (uint64_t)ours << RAW_INSIDE_AT | raw_inside_begun_ns(call);
}

static void replay_number_inside(const struct replay *r, struct raw_event *ev)
{
	uint64_t *inside = ev->sample.inside;
	unsigned int n = 0;

	if (ev->kind == RAW_INSIDE)
		ev->inside.call = replay_number_call(r, ev->inside.call);
	for (unsigned int i = 0; i < RAW_INSIDE_MAX; i++) {
		const uint64_t call = replay_number_call(r, inside[i]);

		inside[i] = 0;
		if (call)
			inside[n++] = call;
	}
}

static void replay_deliver(struct replay *r, struct rawfile_item *item, raw_fn *each, void *ctx)
{
	struct raw_event *ev = &item->event;

	if (ev->kind == RAW_EVENT)
		replay_number_hit(r, &ev->hit);
	if (ev->kind == RAW_SAMPLE || ev->kind == RAW_WAIT || ev->kind == RAW_WAIT_STACK || ev->kind == RAW_INSIDE)
		replay_number_inside(r, ev);
	if (item->further && ev->kind == RAW_WAIT_STACK)
		r->further[r->nr_further++ % FURTHER_MAX] = replay_asked_of(ev);
	/* The numbers of modules were those of another run. */
	if (ev->kind != RAW_MMAP && ev->kind != RAW_COMM && ev->kind != RAW_FORK && ev->kind != RAW_EXIT)
		ev->sample.user.unchecked = true;
	r->samples += ev->kind == RAW_SAMPLE;
	each(ctx, ev);
}

static void replay_end_turn(struct replay *r, const struct rawfile_turn *turn)
{
	r->turn = *turn;
	r->source.from_ns = turn->from_ns;
	r->source.now_ns = turn->now_ns;
}

/* One reading of the source that was captured, and what it was asked before the next one, or was stopped. */
static int replay_read_turn(struct replay *r, raw_fn *each, void *ctx, struct err *e)
{
	struct rawfile_item item;
	bool reading = true;
	int what, n = 0;

	while ((what = rawfile_next(r->file, &item, e)) > 0) {
		if (!reading && (what == RAWFILE_TURN || (what == RAWFILE_EVENT && !item.told))) {
			rawfile_unread(r->file);
			return n;
		}
		if (what == RAWFILE_EVENT) {
			replay_deliver(r, &item, each, ctx);
			n++;
		} else if (what == RAWFILE_TURN) {
			replay_end_turn(r, &item.turn);
			reading = false;
		} else if (what == RAWFILE_STOP) {
			r->at_stop = true;
			r->stop_ns = item.ns;
			return n;
		} else {
			replay_take_answer(r, &item);
		}
	}
	r->at_end = true;
	return what < 0 ? what : n;
}

/* No more is read than the source had read when it was stopped, until it is stopped here. */
static bool replay_may_read(const struct replay *r)
{
	return !r->at_end && (!r->at_stop || r->stopped);
}

static int replay_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	struct replay *r = replay_of(s);
	int n = 0;

	(void)timeout_ms;
	/* What is flushed ends with a reading that had nothing: there may be others behind. */
	do {
		n = replay_may_read(r) ? replay_read_turn(r, each, ctx, e) : 0;
	} while (!n && flush && replay_may_read(r));
	return n;
}

static bool replay_ended(const struct source *s)
{
	const struct replay *r = replay_of(s);

	return r->at_end || r->at_stop;
}

static uint64_t replay_seen_ns(const struct source *s)
{
	return replay_of(s)->turn.seen_ns;
}

static void replay_stats(const struct source *s, struct source_stats *ret)
{
	const struct replay *r = replay_of(s);

	*ret = r->turn.stats;
	ret->lost.n[LOST_BACKLOG] += r->dropped;
	ret->samples = r->samples;
	ret->freq_hz = ret->freq_hz ? ret->freq_hz : r->head.freq_hz;
	ret->event = r->event;
	ret->features = &r->features;
}

static uint64_t replay_side_lost(const struct source *s)
{
	return replay_of(s)->turn.stats.lost.n[LOST_SIDE_BAND];
}

static uint32_t replay_first_copy(const struct source *s)
{
	return replay_of(s)->head.stack_bytes;
}

/* It never waits. */
static int replay_call_on(struct source *s, int fd, struct err *e)
{
	(void)s;
	(void)fd;
	(void)e;
	return 0;
}

static void replay_wake(struct source *s)
{
	(void)s;
}

/* ---- answers, as they are asked for ---- */

static int replay_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e)
{
	struct replay *r = replay_of(s);
	const int n = (int)r->totals.n;

	(void)e;
	*ret_ns = r->totals_ns;
	for (size_t i = 0; i < r->totals.n; i++)
		each(ctx, &r->totals.v[i]);
	r->totals.n = 0;
	return n;
}

static bool replay_turn_sums(struct source *s, uint64_t *ret_ns)
{
	const struct replay *r = replay_of(s);

	*ret_ns = r->sums_ns;
	return r->summing;
}

static int replay_sums(struct source *s, source_sum_fn *each, void *ctx, struct err *e)
{
	struct replay *r = replay_of(s);
	const int n = (int)r->sums.n;

	(void)e;
	for (size_t i = 0; i < r->sums.n; i++)
		each(ctx, &r->sums.v[i]);
	r->sums.n = 0;
	return n;
}

static int replay_open_waits(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
			     uint64_t *ret_ns, struct err *e)
{
	const struct replay *r = replay_of(s);

	(void)min_ns;
	(void)up_to_ns;
	(void)e;
	*ret_ns = r->look_ns;
	for (size_t i = 0; i < r->open.n; i++)
		each(ctx, &r->open.v[i].w);
	return (int)r->open.n;
}

static enum source_stack replay_open_stack(struct source *s, const struct source_open *w, struct raw_event *ret)
{
	const struct rawfile_asked asked = { .tid = w->tid, .start_ns = w->start_ns, .id = w->id };
	struct replay *r = replay_of(s);

	for (size_t i = 0; i < r->stacks.n; i++) {
		struct replay_stack *stack = &r->stacks.v[r->next_stack++ % r->stacks.n];

		if (!replay_same_asked(&stack->asked, &asked))
			continue;
		stack->asked = (struct rawfile_asked){ 0 };
		if (!stack->record)
			return SOURCE_STACK_COMES;
		free(r->given);
		r->given = take_ptr(stack->record);
		r->stack_bytes -= stack->bytes;
		if (!rawfile_kept(r->given, ret))
			return SOURCE_STACK_NOT_NOW;
		ret->sample.user.unchecked = true;
		return SOURCE_STACK_HERE;
	}
	return SOURCE_STACK_NOT_NOW;
}

static bool replay_read_further(struct source *s, const struct raw_event *raw)
{
	const struct rawfile_asked asked = replay_asked_of(raw);
	struct replay *r = replay_of(s);

	for (uint32_t i = 0; i < r->nr_further && i < FURTHER_MAX; i++)
		if (replay_same_asked(&r->further[i], &asked)) {
			r->further[i] = (struct rawfile_asked){ 0 };
			return true;
		}
	return false;
}

static bool replay_stacks_pending(const struct source *s)
{
	(void)s;
	return false;
}

/* Commands have had their effect already. */
static void replay_set_wait_period(struct source *s, uint64_t ns)
{
	(void)s;
	(void)ns;
}

static uint64_t replay_wait_period(const struct source *s)
{
	return replay_of(s)->turn.wait_period_ns;
}

static void replay_set_wakers(struct source *s, bool on)
{
	(void)s;
	(void)on;
}

static int replay_set_faults(struct source *s, bool on, struct err *e)
{
	(void)s;
	(void)on;
	(void)e;
	return 0;
}

static uint64_t replay_balancing_faults(const struct source *s)
{
	return replay_of(s)->turn.balancing_faults;
}

static int replay_homes(struct source *s, source_home_fn *each, void *ctx, struct err *e)
{
	const struct replay *r = replay_of(s);

	(void)e;
	for (size_t i = 0; i < r->homes.n; i++)
		each(ctx, &r->homes.v[i]);
	return (int)r->homes.n;
}

static uint32_t replay_nodes(const struct source *s)
{
	const struct replay *r = replay_of(s);

	return r->head.nodes ? r->head.nodes : 1;
}

/* ---- life ---- */

static void replay_free(struct source *s)
{
	struct replay *r = replay_of(s);

	rawfile_close(r->file);
	replay_drop_stacks(r);
	vec_free(&r->stacks);
	free(r->given);
	vec_free(&r->totals);
	vec_free(&r->sums);
	vec_free(&r->fresh);
	vec_free(&r->open);
	vec_free(&r->fresh_kernel);
	vec_free(&r->kernel);
	vec_free(&r->fresh_homes);
	vec_free(&r->homes);
	free(s);
}

static const struct source_ops replay_ops = {
	.prepare = replay_prepare,
	.start = replay_start,
	.stop = replay_stop,
	.free = replay_free,
	.read = replay_read,
	.ended = replay_ended,
	.seen_ns = replay_seen_ns,
	.stats = replay_stats,
	.side_lost = replay_side_lost,
	.call_on = replay_call_on,
	.wake = replay_wake,
	.first_copy = replay_first_copy,
	.totals = replay_totals,
	.turn_sums = replay_turn_sums,
	.sums = replay_sums,
	.open_waits = replay_open_waits,
	.open_stack = replay_open_stack,
	.read_further = replay_read_further,
	.stacks_pending = replay_stacks_pending,
	.set_wait_period = replay_set_wait_period,
	.wait_period = replay_wait_period,
	.set_wakers = replay_set_wakers,
	.set_faults = replay_set_faults,
	.balancing_faults = replay_balancing_faults,
	.homes = replay_homes,
	.nodes = replay_nodes,
};

static int replay_open_file(const char *path, struct rawfile_head *head, struct rawfile **ret, struct err *e)
{
	FILE *f = fopen(path, "re");
	int error;

	if (!f)
		return err_set(e, errno, "cannot open '%s': %s", path, strerror(errno));
	error = rawfile_open(f, head, ret, e);
	if (error)
		err_prefix(e, "cannot replay '%s'", path);
	return error;
}

int replay_open(const char *path, struct source **ret, struct err *e)
{
	AUTO(source_free) struct source *s = calloc(1, sizeof(struct replay));
	struct replay *r = s ? replay_of(s) : NULL;
	int error;

	if (!r)
		return err_nomem(e, "the raw capture");
	s->ops = &replay_ops;
	for (uint32_t i = 0; i < PROBES_MAX; i++)
		r->probe[i] = PROBE_NONE;
	error = replay_open_file(path, &r->head, &r->file, e);
	if (error)
		return error;
	for (size_t i = 0; i < nr_feature_infos; i++)
		*(bool *)((char *)&r->features + feature_infos[i].at) = r->head.features >> i & 1;
	s->now_ns = r->head.begun_ns;
	text_sanitise(r->event, sizeof(r->event), r->head.event, strlen(r->head.event));
	*ret = take_ptr(s);
	return 0;
}

int replay_plan(struct capture_plan *plan, struct err *e)
{
	AUTO(rawfile_close) struct rawfile *file = NULL;
	struct rawfile_head head;
	const int error = replay_open_file(plan->replay, &head, &file, e);

	if (error)
		return error;
	plan->freq_hz = head.freq_hz;
	plan->off_cpu &= head.off_cpu;
	plan->wakers = plan->off_cpu && head.wakers;
	return 0;
}
