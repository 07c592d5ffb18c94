/* SPDX-License-Identifier: BSD-2-Clause */
/* placer_budget.c - what hits of probes cost, and for which part of the time that is paid; see placer_private.h. */
#include "config.h"

#include "engine/placer_private.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/budget.h"
#include "model/probes.h"
#include "probe/catalog.h"

#include <pthread.h>

#define TIMED_ENOUGH 16u         /* hits that were timed, to know what one costs */
#define UNTIMED_NS 60u           /* what a program in the kernel takes before it is timed, of a call at its entry */

struct probe_set *placer_set_of(const struct placer *p, uint32_t probe)
{
	for (size_t i = 0; i < p->sets.n; i++)
		if ((placing_probes(p->sets.v[i].what) & ~p->sets.v[i].off) >> probe & 1)
			return &p->sets.v[i];
	return NULL;
}

/* All hits of probes in programs so far, also of those that are being placed or taken off. */
static uint64_t placer_trapped(const struct placer *p)
{
	uint64_t r = source_allocs_seen(p->source);

	for (uint32_t i = 0; i < probes_count(); i++) {
		const struct probe_set *set = placer_set_of(p, i);
		struct source_hits_cost now;

		if (!set || placing_kernel_ns(set->what, i))
			continue;
		source_hits_cost(p->source, i, &now);
		r += now.seen;
	}
	return r;
}

void placer_begin(struct placer *p, uint32_t scale, uint64_t now_ns, uint64_t ns)
{
	for (uint32_t i = 0; i < probes_count(); i++)
		source_hits_cost(p->source, i, &p->before[i]);
	p->allocs_seen = source_allocs_seen(p->source);
	p->trapped = placer_trapped(p);
	p->scale = scale;
	p->begun_ns = now_ns;
	p->until_ns = now_ns + ns;
	p->due_ns = now_ns + (ns < BUDGET_CHECK_NS ? ns : BUDGET_CHECK_NS);
}

void placer_answer(struct placer *p, const struct placer_answer *a)
{
	struct placer_answer *at = vec_push(&p->answers);

	if (at)
		*at = *a;
}

/* What the hits of a probe were since it was begun to count. */
struct priced {
	uint64_t hits;
	uint64_t trap_ns;        /* what they cost by where they are, of a probe in a program */
	uint64_t busy_ns;        /* and what the kernel half took for them, beside counting */
	struct budget_hits in_kernel;    /* of a probe that is there, instead; else zeroes */
	uint64_t in_kernel_ns;   /* of it, what they have cost */
	uint32_t told_ns;        /* what one costs that is told */
};

/* What the kernel half takes for a hit that is told, and for another one, and how many of all are told. */
struct busy {
	double told_ns, untold_ns, told;
};

static double timed_mean(const struct source_timed *t, double otherwise)
{
	return t->n ? (double)t->ns / (double)t->n : otherwise;
}

/* By what was timed since BEFORE, or in all where that is too little. */
static struct busy placer_busy(const struct source_hits_cost *now, const struct source_hits_cost *before)
{
	struct source_hits_cost c = *now;
	struct busy r;
	uint64_t n;

	if (c.told.n + c.untold.n - before->told.n - before->untold.n >= TIMED_ENOUGH) {
		c.told = (struct source_timed){ c.told.n - before->told.n, c.told.ns - before->told.ns };
		c.untold = (struct source_timed){ c.untold.n - before->untold.n, c.untold.ns - before->untold.ns };
	}
	n = c.told.n + c.untold.n;
	r.told = n ? (double)c.told.n / (double)n : 1;
	/* What was not seen now was seen before, maybe. */
	r.untold_ns = timed_mean(&c.untold, timed_mean(&now->untold, CATALOG_COUNTED_NS));
	r.told_ns = timed_mean(&c.told, timed_mean(&now->told, r.untold_ns));
	r.told_ns = r.told_ns > r.untold_ns ? r.told_ns : r.untold_ns;
	return r;
}

/* The price of PROBE. */
static struct priced placer_priced(const struct placer *p, uint32_t probe)
{
	const struct probe_set *set = placer_set_of(p, probe);
	const uint32_t counted = set ? placing_kernel_ns(set->what, probe) : 0;
	const uint32_t thin = p->thin[probe] ? p->thin[probe] : 1;
	struct source_hits_cost now;
	struct priced r = { 0 };
	struct busy busy;
	double way, all;

	source_hits_cost(p->source, probe, &now);
	busy = placer_busy(&now, &p->before[probe]);
	r.hits = now.seen - p->before[probe].seen;
	if (!counted) {
		all = busy.told * busy.told_ns + (1 - busy.told) * busy.untold_ns - CATALOG_COUNTED_NS;
		r.trap_ns = r.hits * p->figures.cost_ns[probe];
		r.busy_ns = all > 0 && r.trap_ns ? (uint64_t)((double)r.hits * all) : 0;
		r.told_ns = p->figures.cost_ns[probe];
		return r;
	}
	way = counted - CATALOG_COUNTED_NS;
	if (now.call_way_ns && placing_is_call(set->what, probe))
		way = now.call_way_ns + UNTIMED_NS;
	else if (now.trace_way_ns)
		way = now.trace_way_ns + UNTIMED_NS;
	/* If all that are wanted were told. */
	all = busy.told * thin < 1 ? busy.told * thin : 1;
	r.in_kernel.rest_ns = (uint64_t)((double)r.hits * (way + busy.untold_ns));
	r.in_kernel.told_ns = (uint64_t)((double)r.hits * all * (busy.told_ns - busy.untold_ns));
	r.in_kernel_ns = r.in_kernel.rest_ns +
		(uint64_t)((double)r.hits * busy.told * (busy.told_ns - busy.untold_ns));
	r.told_ns = (uint32_t)(way + busy.told_ns);
	return r;
}

/* Tells the price PRICED of the probe that was added last, if that waits for it. The lock is held. */
static void placer_price(struct placer *p, const struct priced *priced, uint64_t ns)
{
	const uint32_t probe = p->unpriced;
	struct placer_answer a = { .probe = probe, .priced = true, .hits_per_s = priced->hits * NSEC_PER_SEC / ns };

	a.cost_ns = priced->told_ns;
	a.share = budget_share(priced->trap_ns + priced->busy_ns + priced->in_kernel_ns, ns);
	a.scale = priced->trap_ns ? p->next_scale : 1;
	a.thin = p->thin[probe] ? p->thin[probe] : 1;
	placer_answer(p, &a);
	p->unpriced = PROBE_NONE;
}

/* Of the hits in the kernel, PRICED, in NS, so many are told from now on as the budget allows beside SHARE. */
static void placer_thin(struct placer *p, const struct priced *priced, uint64_t ns, uint32_t share)
{
	const uint32_t budget = p->thins ? budget_rest(p->budget, share / p->scale) : BUDGET_NONE;
	struct budget_hits hits[PROBES_MAX];
	const uint32_t n = probes_count();
	uint64_t rest = 0;

	for (uint32_t i = 0; i < n; i++) {
		hits[i] = priced[i].in_kernel;
		rest += hits[i].rest_ns;
	}
	budget_thin(hits, n, ns, budget);
	p->figures.floor = budget != BUDGET_NONE && budget_share(rest, ns) > budget ? budget_share(rest, ns) : 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t every = p->thin[i] ? p->thin[i] : 1;

		/* Of one that is not hit now nothing is known. */
		if (!priced[i].in_kernel.rest_ns || !budget_differs(every, hits[i].every))
			continue;
		p->thin[i] = hits[i].every;
		source_thin_hits(p->source, i, hits[i].every);
	}
	p->figures.most_thin = p->figures.most_thin ? p->figures.most_thin : 1;
	for (uint32_t i = 0; i < n; i++)
		if (p->thin[i] > p->figures.most_thin)
			p->figures.most_thin = p->thin[i];
}

/* All hits since what is under way began, and what they have cost. */
struct paid {
	uint64_t hits;
	uint64_t placed_ns;      /* of those in programs */
	uint64_t kernel_ns;      /* and of those in the kernel */
};

/* By probe, *PRICED, and in all. */
static struct paid placer_paid(const struct placer *p, struct priced priced[PROBES_MAX])
{
	struct paid r = { .hits = source_allocs_seen(p->source) - p->allocs_seen };

	r.placed_ns = r.hits * p->alloc_cost_ns;
	for (uint32_t i = 0; i < probes_count(); i++) {
		priced[i] = placer_priced(p, i);
		r.hits += priced[i].hits;
		r.placed_ns += priced[i].trap_ns + priced[i].busy_ns;
		r.kernel_ns += priced[i].in_kernel_ns;
	}
	return r;
}

/* What hits in programs may cost in NS, in which those in the kernel do as PAID says. */
static uint32_t placer_budget(const struct placer *p, const struct paid *paid, uint64_t ns)
{
	return budget_rest(p->budget, budget_share(paid->kernel_ns, ns));
}

/* Have probes that are always in place cost what they may until the next look at them? */
static bool placer_is_over(const struct placer *p)
{
	struct priced priced[PROBES_MAX] = { 0 };
	const struct paid paid = placer_paid(p, priced);

	return budget_share(paid.placed_ns, BUDGET_LOOK_NS) > placer_budget(p, &paid, BUDGET_LOOK_NS);
}

/* What hits have cost since that began, up to NOW_NS: the price is known, and what follows is chosen by it. */
static void placer_measure(struct placer *p, uint64_t now_ns)
{
	const uint64_t ns = now_ns - p->begun_ns + 1;
	struct priced priced[PROBES_MAX] = { 0 };
	struct paid paid;
	uint32_t placed;

	pthread_mutex_lock(&p->lock);
	paid = placer_paid(p, priced);
	for (uint32_t i = 0; i < probes_count(); i++) {
		if (!priced[i].in_kernel.rest_ns)
			continue;
		p->figures.cost_ns[i] = priced[i].told_ns;
		probes_set_cost(i, priced[i].told_ns);
	}
	placed = budget_share(paid.placed_ns, ns);
	p->next_scale = budget_scale(placed, placer_budget(p, &paid, ns),
				     p->figures.blocks ? p->spent * BUDGET_BLOCKS_PART : p->spent);
	p->figures.unfollowed |= p->next_scale > 1;
	placer_thin(p, priced, ns, placed);
	p->figures.share = budget_share(paid.placed_ns + paid.kernel_ns, ns);
	p->figures.hits_per_s = paid.hits * NSEC_PER_SEC / ns;
	if (p->unpriced != PROBE_NONE)
		placer_price(p, &priced[p->unpriced], ns);
	pthread_mutex_unlock(&p->lock);
}

static void placer_show_scale(struct placer *p, uint32_t scale)
{
	pthread_mutex_lock(&p->lock);
	if (scale > p->figures.most_scale)
		p->figures.most_scale = scale;
	pthread_mutex_unlock(&p->lock);
}

void placer_note_spells(struct placer *p, uint64_t now_ns)
{
	const bool sliced = p->off || p->scale > 1 || p->next_scale > 1;

	for (uint32_t i = 0; i < probes_count(); i++) {
		const struct probe_set *set = placer_set_of(p, i);
		struct probe_spell *s = &p->spell[i];
		const bool off = probes_asked(i) && probes_is_off(i);

		if (!off && !(sliced && set && !placing_kernel_ns(set->what, i))) {
			s->from_ns = 0;
			continue;
		}
		if (!s->from_ns)
			*s = (struct probe_spell){ .from_ns = now_ns, .to_ns = now_ns };
		s->on_ns += off || p->off ? 0 : now_ns - s->to_ns;
		s->to_ns = now_ns;
		probes_note_spell(i, s);
	}
}

void placer_turn(struct placer *p, uint64_t now_ns)
{
	if (!p->off && now_ns < p->until_ns && !(p->scale == 1 && placer_is_over(p))) {
		p->due_ns = now_ns + BUDGET_CHECK_NS < p->until_ns ? now_ns + BUDGET_CHECK_NS : p->until_ns;
		return;
	}
	placer_note_spells(p, now_ns);
	if (p->off) {
		const uint64_t trapped = placer_trapped(p);

		p->spent = budget_spent(p->spent, p->in_slice, trapped - p->trapped_before);
		p->trapped_before = trapped;
		placer_put_back(p);
		source_scale_hits(p->source, p->next_scale);
		now_ns = clock_mono_ns();
		placer_begin(p, p->next_scale, now_ns, p->next_scale > 1 ? BUDGET_SLICE_NS : BUDGET_LOOK_NS);
		return;
	}
	placer_measure(p, now_ns);
	placer_show_scale(p, p->next_scale);
	if (p->scale > 1) {
		source_scale_hits(p->source, 0);
		p->in_slice = placer_trapped(p) - p->trapped;
		p->due_ns = p->begun_ns + (clock_mono_ns() - p->begun_ns) * p->scale;
		placer_take_off(p);
	} else {
		p->trapped_before = placer_trapped(p);
		placer_note_spells(p, now_ns);
		source_scale_hits(p->source, p->next_scale);
		placer_begin(p, p->next_scale, now_ns, p->next_scale > 1 ? BUDGET_SLICE_FIRST_NS : BUDGET_LOOK_NS);
	}
}
