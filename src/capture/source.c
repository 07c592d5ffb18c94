/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.c - passes each call on to the operations of the source's kind, and supplies the default
 * where a kind has none.
 */
#include "config.h"

#include "capture/source_ops.h"

#include "base/clock.h"
#include "capture/live_source.h"
#include "capture/rawtee.h"
#include "capture/replay.h"

#include <errno.h>
#include <string.h>

static int source_open_tee(struct source *s, const struct capture_plan *plan, struct err *e)
{
	struct rawfile_head head = { .begun_ns = clock_mono_ns(), .stack_bytes = source_first_copy(s) };
	struct source_stats st;

	source_stats(s, &st);
	head.freq_hz = st.freq_hz;
	strncpy(head.event, st.event, sizeof(head.event) - 1);
	for (size_t i = 0; plan->target == TARGET_PIDS && i < plan->ids.n; i++) {
		uint32_t *pid = vec_push(&s->tee_pids);

		if (!pid)
			return err_nomem(e, "the target list");
		*pid = plan->ids.v[i];
	}
	return rawtee_open(plan->raw_capture, &head, &s->tee, e);
}

int source_open(const struct capture_plan *plan, struct source **ret, struct err *e)
{
	AUTO(source_free) struct source *s = NULL;
	int r = plan->replay ? replay_open(plan->replay, &s, e) : live_open(plan, &s, e);

	if (!r && plan->raw_capture)
		r = source_open_tee(s, plan, e);
	if (r)
		return r;
	*ret = take_ptr(s);
	return 0;
}

int source_prepare(struct source *s, struct err *e)
{
	const int r = s->ops->prepare(s, e);

	if (!r && s->tee)
		rawtee_begin(s->tee, s->tee_pids.v, s->tee_pids.n);
	return r;
}

int source_start(struct source *s, struct err *e)
{
	return s->ops->start(s, e);
}

void source_stop(struct source *s)
{
	s->ops->stop(s);
}

void source_finish(struct source *s)
{
	if (s->ops->finish)
		s->ops->finish(s);
}

void source_free(struct source *s)
{
	if (!s)
		return;
	rawtee_close(s->tee);
	vec_free(&s->tee_pids);
	s->ops->free(s);
}

/* Who reads, and who gets the same. */
struct both {
	struct rawtee *tee;
	raw_fn *each;
	void *ctx;
};

static void take_both(void *ctx, const struct raw_event *ev)
{
	const struct both *b = ctx;

	rawtee_put(b->tee, ev);
	b->each(b->ctx, ev);
}

static int source_read_both(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	struct both b = { s->tee, each, ctx };
	const int n = s->ops->read(s, timeout_ms, flush, take_both, &b, e);
	struct source_stats st;
	int r;

	if (n < 0)
		return n;
	source_stats(s, &st);
	r = rawtee_turn(s->tee, source_seen_ns(s), &st.lost, e);
	return r ? r : n;
}

int source_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	return s->tee ? source_read_both(s, timeout_ms, flush, each, ctx, e)
		      : s->ops->read(s, timeout_ms, flush, each, ctx, e);
}

int source_place(struct source *s, const struct link_places *places, link_failed_fn *failed, void *ctx,
		 struct links **ret, struct err *e)
{
	return s->ops->place ? s->ops->place(s, places, failed, ctx, ret, e) :
		err_set(e, ENOTSUP, "this source cannot place probes");
}

bool source_ended(const struct source *s)
{
	return s->ops->ended && s->ops->ended(s);
}

bool source_of_now(const struct source *s)
{
	return s->ops->of_now;
}

uint64_t source_seen_ns(const struct source *s)
{
	return s->ops->seen_ns(s);
}

void source_stats(const struct source *s, struct source_stats *ret)
{
	s->ops->stats(s, ret);
}

uint64_t source_side_lost(const struct source *s)
{
	return s->ops->side_lost(s);
}

uint64_t source_bpf_ns(const struct source *s)
{
	return s->ops->bpf_ns ? s->ops->bpf_ns(s) : UINT64_MAX;
}

int source_call_on(struct source *s, int fd, struct err *e)
{
	return s->ops->call_on(s, fd, e);
}

void source_wake(struct source *s)
{
	s->ops->wake(s);
}

int source_set_rate(struct source *s, uint32_t freq_hz, struct err *e)
{
	if (!s->ops->set_rate)
		return err_set(e, ENOTSUP, "the rate of what was captured before cannot be changed");
	return s->ops->set_rate(s, freq_hz, e);
}

int source_set_stack_cap(struct source *s, uint64_t exe_id, uint32_t bytes)
{
	return s->ops->set_stack_cap ? s->ops->set_stack_cap(s, exe_id, bytes) : 0;
}

uint32_t source_first_copy(const struct source *s)
{
	return s->ops->first_copy(s);
}

struct rulebook *source_rulebook(const struct source *s)
{
	return s->ops->rulebook ? s->ops->rulebook(s) : NULL;
}

void source_on_stranger(struct source *s, source_stranger_fn *fn, void *ctx)
{
	if (s->ops->on_stranger)
		s->ops->on_stranger(s, fn, ctx);
}

/* Off the CPU. */

int source_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e)
{
	return s->ops->totals ? s->ops->totals(s, each, ctx, ret_ns, e) : 0;
}

bool source_turn_sums(struct source *s, uint64_t *ret_ns)
{
	return s->ops->totals && s->ops->turn_sums(s, ret_ns);
}

int source_sums(struct source *s, source_sum_fn *each, void *ctx, struct err *e)
{
	return s->ops->totals ? s->ops->sums(s, each, ctx, e) : 0;
}

int source_open_waits(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
		      uint64_t *ret_ns, struct err *e)
{
	return s->ops->totals ? s->ops->open_waits(s, min_ns, up_to_ns, each, ctx, ret_ns, e) : 0;
}

enum source_stack source_open_stack(struct source *s, const struct source_open *w, struct raw_event *ret)
{
	return s->ops->totals ? s->ops->open_stack(s, w, ret) : SOURCE_STACK_NOT_NOW;
}

bool source_read_further(struct source *s, const struct raw_event *raw)
{
	return s->ops->totals && s->ops->read_further(s, raw);
}

bool source_stacks_pending(const struct source *s)
{
	return s->ops->totals && s->ops->stacks_pending(s);
}

void source_set_wait_period(struct source *s, uint64_t ns)
{
	if (s->ops->totals)
		s->ops->set_wait_period(s, ns);
}

uint64_t source_wait_period(const struct source *s)
{
	return s->ops->totals ? s->ops->wait_period(s) : 0;
}

void source_set_wakers(struct source *s, bool on)
{
	if (s->ops->totals)
		s->ops->set_wakers(s, on);
}

/* Nodes. */

int source_set_faults(struct source *s, bool on, struct err *e)
{
	return s->ops->nodes ? s->ops->set_faults(s, on, e) : 0;
}

uint64_t source_balancing_faults(const struct source *s)
{
	return s->ops->nodes ? s->ops->balancing_faults(s) : 0;
}

int source_homes(struct source *s, source_home_fn *each, void *ctx, struct err *e)
{
	return s->ops->nodes ? s->ops->homes(s, each, ctx, e) : 0;
}

uint32_t source_nodes(const struct source *s)
{
	return s->ops->nodes ? s->ops->nodes(s) : 1;
}
