/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcpu.c - schedules queries to the source and passes the answers to the account and to the open
 * waits.
 */
#include "config.h"

#include "engine/offcpu.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/numa_facts.h"
#include "engine/openwaits.h"
#include "engine/reconcile.h"
#include "engine/wait_sums.h"

#include <stdlib.h>

#define READ_NS (250 * NSEC_PER_MSEC)    /* between readings of totals */
/* the same while threads end by the thousand: they leave room in the table then */
#define STORM_NS (50 * NSEC_PER_MSEC)
#define STORM 1000u                      /* totals told for the last time by one reading */
#define LATE_NS (10 * NSEC_PER_MSEC)     /* an event may come so much later than its time */
#define LOOK_NS NSEC_PER_SEC             /* between looks at waits under way */
#define FRESH_NS (250 * NSEC_PER_MSEC)   /* a look as old as this is good enough to be shown */
#define SOON_NS (20 * NSEC_PER_MSEC)     /* after stacks were read from outside: did their waits go on? */
#define SUMS_NS NSEC_PER_SEC             /* between readings of sums: a slice of the profile */
#define OPEN_NS (250 * NSEC_PER_MSEC)    /* shorter waits are not looked at: most end soon */
#define HELD_MAX_NS (5 * NSEC_PER_SEC)   /* what waits longer for a total will come too late: PATIENCE of reconcile.c */
#define FAILURES 8u                      /* readings that may fail, one after the other */

#define WAITS_PER_S 1000u                /* to be told one by one; from 70 to 130 percent of it nothing changes */
#define WAITS_SELDOM_MIN 64u             /* the same where nobody looks on: at least, */
#define WAITS_SELDOM_HZ 4u               /* and so many times the sampling rate */
#define PERIOD_FIRST (10 * NSEC_PER_MSEC)
#define PERIOD_EVERY NSEC_PER_USEC       /* waits that are shorter are none */
#define PERIOD_MIN NSEC_PER_MSEC
#define PERIOD_MAX NSEC_PER_SEC

struct offcpu {
	struct offcpu_config config;
	struct reconcile *account;
	struct openwaits *waits;
	struct wait_sums *sums;
	unsigned int answered;           /* stacks that came since the last turn */
	uint64_t totals_ns;              /* up to when the totals read last are whole; 0 = they are settled */
	uint64_t seen_ns;                /* every event up to then has been handed on */
	uint64_t start_ns, settled_ns, read_ns, next_look_ns, look_ns;
	uint64_t turned_ns;              /* when sums were turned last */
	uint64_t turning_ns;             /* the same, as long as they have not been read; 0 = they have */
	uint64_t summed_ns;              /* up to when sums have been read; UINT64_MAX = there are none */
	unsigned int failures;
	unsigned int gone;               /* totals that the latest reading told for the last time */
	uint64_t rate_ns, rate_waits;    /* when the period was last set, and how many waits had been told */
	uint32_t per_s;                  /* waits to be told in a second, */
	uint32_t level;                  /* and how often that is halved */
	uint64_t stop_ns;                /* 0 = it runs */
	struct openwaits_figures at_end;
};

/* ---- stacks of waits under way ---- */

/* False when the stack of W cannot be had now. */
static bool offcpu_take_stack(struct offcpu *oc, const struct source_open *w)
{
	struct raw_event raw;

	switch (source_open_stack(oc->config.source, w, &raw)) {
	case SOURCE_STACK_HERE:
		ingest_raw(oc->config.ingest, &raw);
		return true;
	case SOURCE_STACK_COMES:
		return true;
	default:
		return false;
	}
}

static void offcpu_ask_stacks(struct offcpu *oc)
{
	const struct source_open *w;
	size_t at = 0;

	while ((w = openwaits_wanted(oc->waits, &at)))
		if (!offcpu_take_stack(oc, w))
			openwaits_refused(oc->waits, at);
}

/* ---- life ---- */

static uint32_t waits_per_s(const struct offcpu_config *c)
{
	const uint64_t n = c->seldom ? (uint64_t)c->freq_hz * WAITS_SELDOM_HZ : WAITS_PER_S;

	return n < WAITS_SELDOM_MIN ? WAITS_SELDOM_MIN : n < WAITS_PER_S ? (uint32_t)n : WAITS_PER_S;
}

int offcpu_new(const struct offcpu_config *c, struct offcpu **ret, struct err *e)
{
	AUTO(offcpu_free) struct offcpu *oc = calloc(1, sizeof(*oc));
	const struct reconcile_config account = { .dict = profile_dict(c->profile), .sink = c->sink, .ps = c->ps };
	struct openwaits_config waits = { .sink = c->sink, .ps = c->ps };
	int r;

	if (!oc)
		return err_nomem(e, "the account of time");
	oc->config = *c;
	oc->per_s = waits_per_s(c);
	r = reconcile_new(&account, &oc->account, e);
	if (r < 0)
		return r;
	waits.account = oc->account;
	oc->sums = wait_sums_new(oc->account);
	if (!oc->sums)
		return err_nomem(e, "the account of time");
	r = openwaits_new(&waits, &oc->waits, e);
	if (r < 0)
		return r;
	*ret = take_ptr(oc);
	return 0;
}

void offcpu_free(struct offcpu *oc)
{
	if (!oc)
		return;
	openwaits_free(oc->waits);
	wait_sums_free(oc->sums);
	reconcile_free(oc->account);
	free(oc);
}

void offcpu_start(struct offcpu *oc)
{
	const uint64_t now = source_now_ns(oc->config.source);

	oc->start_ns = oc->settled_ns = oc->read_ns = oc->rate_ns = oc->next_look_ns = oc->turned_ns =
		oc->summed_ns = now;
	oc->gone = STORM;        /* until the first reading tells */
	source_set_wait_period(oc->config.source, oc->config.every_wait ? PERIOD_EVERY : PERIOD_FIRST);
}

/* ---- events ---- */

static struct reconcile_task offcpu_task_of(const struct raw_event *raw)
{
	return (struct reconcile_task){ .pid = raw->pid, .tid = raw->tid, .start_ns = raw->sample.start_ns };
}

void offcpu_sample(struct offcpu *oc, const struct raw_event *raw, const struct event *ev)
{
	const struct reconcile_task task = offcpu_task_of(raw);

	(void)reconcile_sample(oc->account, &task, ev);
}

void offcpu_wait(struct offcpu *oc, const struct raw_event *raw, const struct event *ev)
{
	const struct reconcile_task task = offcpu_task_of(raw);
	struct reconcile_wait w = { .blocked_ns = raw->wait.blocked_ns, .runnable_ns = raw->wait.runnable_ns,
				  .period_ns = raw->wait.period_ns };
	struct event end = *ev;

	if (raw->wait.sum && ev->stack != ID_NONE)
		wait_sums_first(oc->sums, &task, raw->wait.sum, ev);
	if (!openwaits_over(oc->waits, &task, raw->wait.id, &end, &w))
		return;
	(void)reconcile_wait(oc->account, &task, &end, &w);
	if (oc->config.sink->numa)
		numa_facts_wait(oc->config.sink->numa, raw, &end);
}

void offcpu_stack(struct offcpu *oc, const struct raw_event *raw, const struct event *ev)
{
	const struct reconcile_task task = offcpu_task_of(raw);

	openwaits_stack(oc->waits, &task, raw->wait.id, ev);
}

/* ---- the clockwork ---- */

/*
 * Waits that began after this are not looked at. The list is made while time goes on, so it has
 * younger ones than the moment when it was asked for; and only up to seen_ns it is known which
 * files their stacks go through.
 */
static uint64_t look_up_to(const struct offcpu *oc)
{
	const uint64_t old = oc->look_ns - OPEN_NS, told = oc->seen_ns > LATE_NS ? oc->seen_ns - LATE_NS : 0;

	if (oc->stop_ns)
		return UINT64_MAX;
	return old < told ? old : told;
}

static void take_total(void *ctx, const struct source_total *t)
{
	struct offcpu *oc = ctx;

	oc->gone += t->last;
	reconcile_total(oc->account, t);
	if (oc->config.sink->numa)
		numa_facts_total(oc->config.sink->numa, t);
}

static int offcpu_read_totals(struct offcpu *oc, struct err *e)
{
	uint64_t whole_ns;
	int r;

	oc->gone = 0;
	r = source_totals(oc->config.source, take_total, oc, &whole_ns, e);
	oc->failures = r < 0 ? oc->failures + 1 : 0;
	if (r < 0)
		return oc->failures > FAILURES ? r : 0;
	oc->totals_ns = whole_ns;
	if (oc->config.sink->numa)
		numa_facts_totals_read(oc->config.sink->numa, whole_ns);
	return 0;
}

static int offcpu_look(struct offcpu *oc, uint64_t now_ns, struct err *e)
{
	const uint64_t min_ns = oc->stop_ns || now_ns - oc->start_ns < NSEC_PER_SEC ? 0 : OPEN_NS;
	uint64_t look_ns;
	int r;

	oc->look_ns = now_ns;
	oc->next_look_ns = now_ns + (now_ns - oc->start_ns < OPEN_NS ? OPEN_NS : LOOK_NS);
	openwaits_begin(oc->waits, look_up_to(oc));
	r = source_open_waits(oc->config.source, min_ns, look_up_to(oc), openwaits_see, oc->waits, &look_ns, e);
	oc->failures = r < 0 ? oc->failures + 1 : 0;
	if (r < 0)
		return oc->failures > FAILURES ? r : 0;
	/* A capture ends when it was stopped, however long ago that is. */
	oc->look_ns = oc->stop_ns ? oc->stop_ns : look_ns;
	openwaits_end(oc->waits, oc->look_ns);
	offcpu_ask_stacks(oc);
	openwaits_pieces(oc->waits);
	return 0;
}

/*
 * Each told wait costs some microseconds here; a thousand a second cost a percent of a CPU, and
 * tell functions apart that take a percent of the time. Their number is inverse to the period as
 * far as they are short ones. It changes by two at most, once a second, since the waits of one
 * second say little about those of the next. A hundred, over the ten seconds that an agent pushes,
 * tell as much.
 */
static void adapt_period(struct offcpu *oc, uint64_t now_ns)
{
	const uint64_t period = source_wait_period(oc->config.source), passed = now_ns - oc->rate_ns;
	const uint64_t few = (oc->per_s * 7 / 10) >> oc->level, many = (oc->per_s * 13 / 10) >> oc->level;
	struct source_stats st;
	uint64_t rate, wanted;

	if (passed < NSEC_PER_SEC || oc->config.every_wait)
		return;
	source_stats(oc->config.source, &st);
	rate = (st.waits - oc->rate_waits) * NSEC_PER_SEC / passed;
	oc->rate_ns = now_ns;
	oc->rate_waits = st.waits;
	if (rate > few && rate < many)
		return;
	wanted = (period / oc->per_s * rate) << oc->level;
	wanted = wanted < period / 2 ? period / 2 : wanted > period * 2 ? period * 2 : wanted;
	wanted = wanted < PERIOD_MIN << oc->level ? PERIOD_MIN << oc->level : wanted > PERIOD_MAX ? PERIOD_MAX : wanted;
	if (oc->config.longest_period_ns && wanted > oc->config.longest_period_ns)
		wanted = oc->config.longest_period_ns;
	if (wanted != period)
		source_set_wait_period(oc->config.source, wanted);
}

/*
 * Once a slice the sums are turned, and read as soon as all that was told before has been handed
 * on: each of them had its first wait told.
 */
static int read_sums(struct offcpu *oc, uint64_t seen_ns, uint64_t now_ns, struct err *e)
{
	int r = 0;

	if (oc->turning_ns && seen_ns >= oc->turning_ns + LATE_NS) {
		r = source_sums(oc->config.source, wait_sums_take, oc->sums, e);
		oc->failures = r < 0 ? oc->failures + 1 : 0;
		wait_sums_turned(oc->sums);
		oc->summed_ns = oc->turning_ns;
		oc->turning_ns = 0;
	}
	if (!oc->turning_ns && now_ns - oc->turned_ns >= SUMS_NS) {
		oc->turned_ns = now_ns;
		if (!source_turn_sums(oc->config.source, &oc->turning_ns))
			oc->summed_ns = UINT64_MAX;
	}
	return r < 0 && oc->failures > FAILURES ? r : 0;
}

static void offcpu_settle(struct offcpu *oc)
{
	reconcile_settle(oc->account, oc->totals_ns);
	oc->settled_ns = oc->totals_ns;
	oc->totals_ns = 0;
}

void offcpu_answered(struct offcpu *oc)
{
	oc->answered++;
}

int offcpu_turn(struct offcpu *oc, struct err *e)
{
	/* What the reading found was there when it began. */
	const uint64_t now = source_now_ns(oc->config.source), seen_ns = source_from_ns(oc->config.source);
	const unsigned int answered = oc->answered;
	int r = 0;

	if (oc->stop_ns)
		return 0;
	oc->answered = 0;
	oc->seen_ns = seen_ns;
	if (oc->totals_ns && seen_ns >= oc->totals_ns + LATE_NS)
		offcpu_settle(oc);
	if (!oc->totals_ns && now - oc->read_ns >= (oc->gone < STORM ? READ_NS : STORM_NS)) {
		oc->read_ns = now;
		r = offcpu_read_totals(oc, e);
	}
	if (r >= 0)
		r = read_sums(oc, seen_ns, now, e);
	if (answered) {
		offcpu_ask_stacks(oc);
		if (oc->next_look_ns > now + SOON_NS)
			oc->next_look_ns = now + SOON_NS;
	}
	if (r >= 0 && now >= oc->next_look_ns)
		r = offcpu_look(oc, now, e);
	adapt_period(oc, now);
	return r;
}

void offcpu_seldom(struct offcpu *oc, uint32_t level)
{
	oc->level = level;
}

uint64_t offcpu_settled_ns(const struct offcpu *oc)
{
	const uint64_t held_ns = reconcile_held_ns(oc->account), sum_ns = oc->summed_ns;
	const uint64_t all_ns = oc->settled_ns < sum_ns ? oc->settled_ns : sum_ns;

	return all_ns < held_ns ? all_ns : held_ns + HELD_MAX_NS < all_ns ? all_ns - HELD_MAX_NS : held_ns;
}

/* ---- what is shown before it is told ---- */

uint64_t offcpu_rest(struct offcpu *oc, struct event_sink *rest)
{
	const uint64_t now = source_now_ns(oc->config.source);

	if (now - oc->look_ns > FRESH_NS)
		(void)offcpu_look(oc, now, NULL);
	reconcile_rest(oc->account, now, rest);
	openwaits_rest(oc->waits, now, rest);
	return oc->settled_ns;
}

void offcpu_reset(struct offcpu *oc)
{
	openwaits_commit(oc->waits, source_now_ns(oc->config.source));
}

/* ---- the end ---- */

void offcpu_last(struct offcpu *oc, uint64_t stop_ns)
{
	oc->stop_ns = stop_ns;
	(void)offcpu_read_totals(oc, NULL);
	(void)offcpu_look(oc, stop_ns, NULL);
}

void offcpu_finish(struct offcpu *oc)
{
	uint64_t ignored;

	openwaits_figures(oc->waits, oc->stop_ns, &oc->at_end);
	/* Both: they may have been turned without having been read. */
	for (int i = 0; i < 2 && source_turn_sums(oc->config.source, &ignored); i++)
		(void)source_sums(oc->config.source, wait_sums_take, oc->sums, NULL);
	wait_sums_finish(oc->sums);
	oc->summed_ns = UINT64_MAX;
	/* What is open comes last: whoever reads the events in order sees that nothing followed. */
	openwaits_give_up(oc->waits);
	reconcile_finish(oc->account, oc->stop_ns);
	openwaits_finish(oc->waits, oc->stop_ns);
	oc->settled_ns = source_now_ns(oc->config.source);
}

void offcpu_figures(const struct offcpu *oc, struct profile_meta *m)
{
	struct openwaits_figures open;
	struct reconcile_figures a;

	reconcile_figures_of(oc->account, &a);
	openwaits_figures(oc->waits, oc->stop_ns ? oc->stop_ns : source_now_ns(oc->config.source), &open);
	m->wait_own_ns = a.own_ns + open.own_ns;
	m->wait_none_ns = a.none_ns + open.none_ns;
	/* What has not ended stays so. */
	if (oc->at_end.n)
		open = oc->at_end;
	m->off_cpu = true;
	m->oncpu_ns = a.running_ns;
	m->blocked_ns = a.blocked_ns + open.blocked_ns;
	m->runnable_ns = a.runnable_ns + open.runnable_ns;
	m->waits = a.waits + open.n;
	m->wait_open = open.n;
	m->wait_open_ns = open.blocked_ns + open.runnable_ns;
	m->wait_short_ns = a.short_ns;
	m->wait_short = a.short_count;
	m->wait_period_ns = source_wait_period(oc->config.source);
	m->lost.n[LOST_BACKLOG] += a.lost;
}
