/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.c - passes each call on to the operations of the source's kind, and supplies the default
 * where a kind has none. What is read and answered goes into the raw capture, too, if there is one:
 * no kind of source knows of that.
 */
#include "config.h"

#include "capture/source_ops.h"

#include "base/clock.h"
#include "capture/features.h"
#include "capture/live_source.h"
#include "capture/rawtee.h"
#include "capture/replay.h"

#include <errno.h>
#include <string.h>

static int source_open_tee(struct source *s, const struct capture_plan *plan, struct err *e)
{
	struct rawfile_head head = {
		.begun_ns = clock_mono_ns(), .stack_bytes = source_first_copy(s), .nodes = source_nodes(s),
		.off_cpu = plan->off_cpu, .wakers = plan->wakers,
	};
	struct source_stats st;

	source_stats(s, &st);
	for (size_t i = 0; i < nr_feature_infos; i++)
		head.features |= (uint32_t)feature_has(st.features, &feature_infos[i]) << i;
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

/* A replay has a clock of its own. */
static void source_tick(struct source *s)
{
	if (s->ops->of_now)
		s->now_ns = clock_mono_ns();
}

static void tee_moment(struct source *s, enum rawfile_what what, uint64_t ns)
{
	if (s->tee)
		rawtee_put(s->tee, &(struct rawfile_item){ .what = what, .ns = ns });
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
	const int r = s->ops->start(s, e);

	source_tick(s);
	if (!r && s->tee)
		rawtee_begun(s->tee, s->now_ns);
	return r;
}

void source_stop(struct source *s)
{
	s->ops->stop(s);
	source_tick(s);
	tee_moment(s, RAWFILE_STOP, s->now_ns);
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

/* Who asks, and what writes the same. */
struct both {
	struct source *s;
	void *ctx;
	union {
		raw_fn *event;
		source_total_fn *total;
		source_sum_fn *sum;
		source_open_fn *open;
		source_home_fn *home;
	};
};

/* Whether more of it is wanted, its taker says. */
static void tee_event(void *ctx, const struct raw_event *ev)
{
	const struct both *b = ctx;
	struct rawfile_item item = { .what = RAWFILE_EVENT, .event = *ev };

	b->s->further = false;
	b->event(b->ctx, ev);
	item.further = b->s->further;
	rawtee_put(b->s->tee, &item);
}

static int tee_turn(struct source *s, struct err *e)
{
	struct rawfile_turn turn = {
		.seen_ns = source_seen_ns(s), .from_ns = s->from_ns, .now_ns = s->now_ns,
		.wait_period_ns = source_wait_period(s), .balancing_faults = source_balancing_faults(s),
	};

	source_stats(s, &turn.stats);
	return rawtee_turn(s->tee, &turn, e);
}

int source_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	struct both b = { .s = s, .ctx = ctx, .event = each };
	int n, r;

	if (s->ops->of_now)
		s->from_ns = clock_mono_ns();
	n = s->tee ? s->ops->read(s, timeout_ms, flush, tee_event, &b, e)
		   : s->ops->read(s, timeout_ms, flush, each, ctx, e);
	source_tick(s);
	if (n < 0 || !s->tee)
		return n;
	r = tee_turn(s, e);
	return r ? r : n;
}

int source_place(struct source *s, const struct link_places *places, link_failed_fn *failed, void *ctx,
		 struct links **ret, struct err *e)
{
	return s->ops->place ? s->ops->place(s, places, failed, ctx, ret, e) :
		err_set(e, ENOTSUP, "this source cannot place probes");
}

int source_add_probes(struct source *s, const struct capture_plan *plan, struct err *e)
{
	return s->ops->add_probes ? s->ops->add_probes(s, plan, e) :
		err_set(e, ENOTSUP, "this source cannot take on probes");
}

int source_set_growth(struct source *s, const struct capture_plan *plan, struct err *e)
{
	return s->ops->set_growth ? s->ops->set_growth(s, plan, e) :
		err_set(e, ENOTSUP, "this source cannot follow memory");
}

uint64_t source_pointed(const struct source *s, source_pointed_fn *each, void *ctx)
{
	return s->ops->pointed ? s->ops->pointed(s, each, ctx) : 0;
}

void source_remove_probe(struct source *s, uint32_t probe)
{
	if (s->ops->remove_probe)
		s->ops->remove_probe(s, probe);
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

uint64_t source_from_ns(const struct source *s)
{
	return s->from_ns;
}

uint64_t source_now_ns(const struct source *s)
{
	return s->now_ns;
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

int source_set_plan(struct source *s, pid_t pid, const struct sb_plan *plan)
{
	return s->ops->set_plan ? s->ops->set_plan(s, pid, plan) : -ENOTSUP;
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

void source_on_birth(struct source *s, source_birth_fn *fn, void *ctx)
{
	if (s->ops->on_birth)
		s->ops->on_birth(s, fn, ctx);
}

void source_on_stranger(struct source *s, source_stranger_fn *fn, void *ctx)
{
	if (s->ops->on_stranger)
		s->ops->on_stranger(s, fn, ctx);
}

/* Off the CPU. */

static void tee_total(void *ctx, const struct source_total *t)
{
	const struct both *b = ctx;

	rawtee_put(b->s->tee, &(struct rawfile_item){ .what = RAWFILE_TOTAL, .total = *t });
	b->total(b->ctx, t);
}

int source_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e)
{
	struct both b = { .s = s, .ctx = ctx, .total = each };
	int n;

	if (!s->ops->totals)
		return 0;
	if (!s->tee)
		return s->ops->totals(s, each, ctx, ret_ns, e);
	n = s->ops->totals(s, tee_total, &b, ret_ns, e);
	if (n >= 0)
		tee_moment(s, RAWFILE_TOTALS, *ret_ns);
	return n;
}

bool source_turn_sums(struct source *s, uint64_t *ret_ns)
{
	if (!s->ops->totals || !s->ops->turn_sums(s, ret_ns))
		return false;
	tee_moment(s, RAWFILE_SUMS_TURN, *ret_ns);
	return true;
}

static void tee_sum(void *ctx, const struct source_sum *sum)
{
	const struct both *b = ctx;

	rawtee_put(b->s->tee, &(struct rawfile_item){ .what = RAWFILE_SUM, .sum = *sum });
	b->sum(b->ctx, sum);
}

int source_sums(struct source *s, source_sum_fn *each, void *ctx, struct err *e)
{
	struct both b = { .s = s, .ctx = ctx, .sum = each };

	if (!s->ops->totals)
		return 0;
	return s->tee ? s->ops->sums(s, tee_sum, &b, e) : s->ops->sums(s, each, ctx, e);
}

static void tee_open(void *ctx, const struct source_open *w)
{
	const struct both *b = ctx;

	rawtee_put(b->s->tee, &(struct rawfile_item){ .what = RAWFILE_OPEN, .open = *w });
	b->open(b->ctx, w);
}

bool source_turn_hits(struct source *s, uint64_t *ret_ns)
{
	return s->ops->turn_hits && s->ops->turn_hits(s, ret_ns);
}

int source_hits(struct source *s, source_sum_fn *each, void *ctx, struct err *e)
{
	return s->ops->hits ? s->ops->hits(s, each, ctx, e) : 0;
}

uint64_t source_allocs_seen(const struct source *s)
{
	return s->ops->allocs_seen ? s->ops->allocs_seen(s) : 0;
}

void source_hits_lost(const struct source *s, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR])
{
	memset(ret, 0, SB_HIT_LOST_NR * sizeof(*ret));
	if (s->ops->hits_lost)
		s->ops->hits_lost(s, probe, ret);
}

void source_hits_cost(const struct source *s, uint32_t probe, struct source_hits_cost *ret)
{
	*ret = (struct source_hits_cost){ .seen = 0 };
	if (s->ops->hits_cost)
		s->ops->hits_cost(s, probe, ret);
}

void source_thin_hits(struct source *s, uint32_t probe, uint32_t every)
{
	if (s->ops->thin_hits)
		s->ops->thin_hits(s, probe, every);
}

void source_scale_hits(struct source *s, uint32_t scale)
{
	if (s->ops->scale_hits)
		s->ops->scale_hits(s, scale);
}

int source_open_calls(struct source *s, source_open_call_fn *each, void *ctx, struct err *e)
{
	return s->ops->open_calls ? s->ops->open_calls(s, each, ctx, e) : 0;
}

void source_untold(struct source *s, source_untold_fn *each, void *ctx)
{
	if (s->ops->untold)
		s->ops->untold(s, each, ctx);
}

void source_spans(struct source *s, source_span_fn *each, void *ctx)
{
	if (s->ops->spans)
		s->ops->spans(s, each, ctx);
}

int source_open_waits(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
		      uint64_t *ret_ns, struct err *e)
{
	struct both b = { .s = s, .ctx = ctx, .open = each };
	int n;

	if (!s->ops->totals)
		return 0;
	if (!s->tee)
		return s->ops->open_waits(s, min_ns, up_to_ns, each, ctx, ret_ns, e);
	n = s->ops->open_waits(s, min_ns, up_to_ns, tee_open, &b, ret_ns, e);
	if (n >= 0)
		tee_moment(s, RAWFILE_LOOK, *ret_ns);
	return n;
}

enum source_stack source_open_stack(struct source *s, const struct source_open *w, struct raw_event *ret)
{
	const enum source_stack r = s->ops->totals ? s->ops->open_stack(s, w, ret) : SOURCE_STACK_NOT_NOW;

	if (s->tee && r == SOURCE_STACK_HERE)
		rawtee_put(s->tee, &(struct rawfile_item){ .what = RAWFILE_STACK, .event = *ret });
	else if (s->tee && r == SOURCE_STACK_COMES)
		rawtee_put(s->tee, &(struct rawfile_item){
			.what = RAWFILE_COMES, .asked = { .tid = w->tid, .start_ns = w->start_ns, .id = w->id } });
	return r;
}

bool source_read_further(struct source *s, const struct raw_event *raw)
{
	const bool more = s->ops->totals && s->ops->read_further(s, raw);

	s->further |= more;
	return more;
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

static void tee_home(void *ctx, const struct source_home *h)
{
	const struct both *b = ctx;

	rawtee_put(b->s->tee, &(struct rawfile_item){ .what = RAWFILE_HOME, .home = *h });
	b->home(b->ctx, h);
}

int source_homes(struct source *s, source_home_fn *each, void *ctx, struct err *e)
{
	struct both b = { .s = s, .ctx = ctx, .home = each };
	int n;

	if (!s->ops->nodes)
		return 0;
	if (!s->tee)
		return s->ops->homes(s, each, ctx, e);
	n = s->ops->homes(s, tee_home, &b, e);
	tee_moment(s, RAWFILE_HOMES, 0);
	return n;
}

uint32_t source_nodes(const struct source *s)
{
	return s->ops->nodes ? s->ops->nodes(s) : 1;
}
