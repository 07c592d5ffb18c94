/* SPDX-License-Identifier: BSD-2-Clause */
/* placer_orders.c - probes, growth and blocks that come and go while the placer runs; see placer_private.h. */
#include "config.h"

#include "engine/placer_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "capture/mappingcalls.h"
#include "engine/budget.h"
#include "model/probes.h"
#include "probe/tracepoint.h"
#include "system/lookup.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

/* The processes in which probes in programs are to be placed now, into *RET. */
static int placer_pids(struct placer *p, u32_vec *ret, struct err *e)
{
	if (p->everywhere)
		return lookup_by_name(NULL, ret, e);
	placer_targets(p, ret);
	return 0;
}

/* Adds WHAT to the sets, and places what is in the kernel. */
static int placer_begin_set(struct placer *p, struct placing *what, struct err *e)
{
	struct capture_plan plan = { 0 };
	int r = 0;

	for (size_t i = 0; i < p->sets.n && !r; i++)
		r = placing_fits(what, p->sets.v[i].what, p->sets.v[i].off, e);
	placing_plan(what, &plan);
	r = r ? r : source_add_probes(p->source, &plan, e);
	if (r)
		return r;
	pthread_mutex_lock(&p->lock);
	r = vec_reserve(&p->sets, 1) ? 0 : err_nomem(e, "probes");
	if (!r)
		p->sets.v[p->sets.n++] = (struct probe_set){ .what = what, .own = what };
	pthread_mutex_unlock(&p->lock);
	for (uint32_t i = 0; r && i < PROBES_MAX; i++)
		if (placing_probes(what) >> i & 1)
			source_remove_probe(p->source, i);
	return r;
}

/* Forgets the set AT, which is the placer's own. */
static void placer_end_set(struct placer *p, struct probe_set *at)
{
	struct placing *own = at->own;

	for (size_t i = p->done.n; i--;)
		if (p->done.v[i].what == own)
			p->done.v[i] = p->done.v[--p->done.n];
	pthread_mutex_lock(&p->lock);
	*at = p->sets.v[--p->sets.n];
	pthread_mutex_unlock(&p->lock);
	placing_free(own);
}

static void placer_drop(struct placer *p, uint32_t probe)
{
	struct probe_set *set = placer_set_of(p, probe);

	source_remove_probe(p->source, probe);
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].probe == probe) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
	probes_set_off(probe, true);
	p->unpriced = p->unpriced == probe ? PROBE_NONE : p->unpriced;
	if (!set)
		return;
	if (set->own) {
		placer_end_set(p, set);
		return;
	}
	pthread_mutex_lock(&p->lock);
	set->off |= (uint64_t)1 << probe;
	pthread_mutex_unlock(&p->lock);
}

/* Whether TEXT can be placed in PIDS, or *RET_LATER: it gets no number before that is known. */
static int placer_try(struct placer *p, const char *text, const u32_vec *pids, bool *ret_later, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	uint64_t absent = 0;
	int r = placing_more(p->sets.v[0].what, text, true, &what, e);

	if (r || !placing_in_programs(what))
		return r;
	if (p->no_programs)
		return err_set(e, EOPNOTSUPP, "%s", p->no_programs);
	r = placing_check(what, pids->v, pids->n, p->everywhere ? &absent : NULL, e);
	*ret_later = absent;
	return r;
}

/* Places the probe TEXT; *RET is its number. */
static int placer_take_on(struct placer *p, const char *text, const u32_vec *pids, uint32_t *ret, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	bool in_programs, later = false;
	int r = placer_try(p, text, pids, &later, e);
	uint32_t probe = 0;

	r = r ? r : placing_more(p->sets.v[0].what, text, false, &what, e);
	if (r)
		return r;
	while (!(placing_probes(what) >> probe & 1))
		probe++;
	if (placer_set_of(p, probe))
		return err_set(e, EEXIST, "there is this probe already");
	r = placer_begin_set(p, what, e);
	if (r)
		return r;
	in_programs = placing_in_programs(take_ptr(what));
	if (in_programs) {
		p->in_the_way.code = 0;
		for (size_t i = 0; i < pids->n; i++)
			placer_look_for(p, p->sets.n - 1, (pid_t)pids->v[i], 0, 0);
	}
	if (p->in_the_way.code && !probes_places(probe).sites) {
		placer_drop(p, probe);
		*e = p->in_the_way;
		return -EEXIST;
	}
	probes_set_off(probe, false);
	if (later)
		probes_note_why(probe, PLACING_ABSENT);
	*ret = probe;
	return 0;
}

void placer_obey_growth(struct placer *p, uint32_t interval)
{
	struct capture_trace calls[MAPPING_CALLS];
	char tracefs[PATH_MAX];
	struct capture_plan plan = { .growth_interval = interval, .mapping_calls = calls };
	struct placer_answer a = { .probe = PROBE_NONE };

	plan.nr_mapping_calls = interval && tracefs_find(tracefs, NULL) >= 0 ? mapping_calls_find(tracefs, calls) : 0;
	if (!source_set_growth(p->source, &plan, &a.err))
		text_format(a.err.text, sizeof(a.err.text), "%s", interval ?
			    "from now on it is told what makes memory grow" :
			    "what makes memory grow is not told any more; what was seen stays");
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}

/* The set by which blocks are followed that came later; NULL. */
static struct probe_set *placer_blocks_set(struct placer *p)
{
	for (size_t i = 1; i < p->sets.n; i++)
		if (placing_follows_blocks(p->sets.v[i].what))
			return &p->sets.v[i];
	return NULL;
}

static void placer_end_blocks(struct placer *p, struct probe_set *set)
{
	for (size_t i = p->placed.n; i--;)
		if (p->placed.v[i].what == set->what) {
			placed_free(&p->placed.v[i]);
			p->placed.v[i] = p->placed.v[--p->placed.n];
		}
	placer_end_set(p, set);
	pthread_mutex_lock(&p->lock);
	p->figures.unfollowed = true;
	p->figures.blocks = false;
	pthread_mutex_unlock(&p->lock);
}

/* What happened before the first blocks does not matter to them. */
static void placer_show_blocks(struct placer *p)
{
	pthread_mutex_lock(&p->lock);
	p->figures.unfollowed &= p->had_blocks || p->off || p->scale > 1;
	p->figures.blocks = p->had_blocks = true;
	pthread_mutex_unlock(&p->lock);
}

static int placer_begin_blocks(struct placer *p, uint32_t interval, struct err *e)
{
	AUTO(placing_free) struct placing *what = NULL;
	u32_vec pids = { 0 };
	int r;

	placer_show_blocks(p);
	r = placing_blocks(p->sets.v[0].what, interval, !p->figures.unfollowed, &what, e);

	if (!r && p->no_programs)
		r = err_set(e, EOPNOTSUPP, "%s", p->no_programs);
	r = r < 0 ? r : placer_pids(p, &pids, e);
	r = r < 0 ? r : placing_check(what, pids.v, pids.n, NULL, e);
	r = r < 0 ? r : placer_begin_set(p, what, e);
	if (r >= 0) {
		take_ptr(what);
		for (size_t i = 0; i < pids.n; i++)
			placer_look_for(p, p->sets.n - 1, (pid_t)pids.v[i], 0, 0);
	}
	vec_free(&pids);
	if (r < 0) {
		pthread_mutex_lock(&p->lock);
		p->figures.blocks = false;
		pthread_mutex_unlock(&p->lock);
	}
	return r < 0 ? r : 0;
}

void placer_obey_blocks(struct placer *p, uint32_t interval)
{
	struct placer_answer a = { .probe = PROBE_NONE };
	struct probe_set *set = placer_blocks_set(p);
	const uint32_t before = p->figures.places;
	int r = 0;

	if (!interval && set)
		placer_end_blocks(p, set);
	else if (interval && !set && !p->figures.blocks)
		r = placer_begin_blocks(p, interval, &a.err);
	if (!interval && p->figures.blocks)
		text_format(a.err.text, sizeof(a.err.text), "blocks are followed by --memory until the capture ends");
	else if (!r && p->figures.blocks)
		text_format(a.err.text, sizeof(a.err.text), "blocks of memory are followed: %u functions are probed, "
			    "which costs up to 1 us a call, within --budget", p->figures.places - before);
	else if (!r)
		text_format(a.err.text, sizeof(a.err.text), "blocks are not followed any more; what was seen stays");
	if (!p->off && p->scale == 1)
		placer_begin(p, 1, clock_mono_ns(), BUDGET_FIRST_NS);
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}

void placer_obey(struct placer *p, const struct order *o)
{
	struct placer_answer a = { .probe = o->probe, .off = !o->text };
	u32_vec pids = { 0 };
	int r = 0;

	placer_note_spells(p, clock_mono_ns());
	if (!o->text) {
		placer_drop(p, o->probe);
	} else {
		r = placer_pids(p, &pids, &a.err);
		r = r < 0 ? r : placer_take_on(p, o->text, &pids, &a.probe, &a.err);
	}
	vec_free(&pids);
	placer_note_spells(p, clock_mono_ns());
	if (r < 0)
		a.probe = PROBE_NONE;
	else if (o->text)
		p->unpriced = a.probe;
	/* A slice that is under way goes on: its end tells the price, too. */
	if (!p->off && p->scale == 1)
		placer_begin(p, 1, clock_mono_ns(), BUDGET_FIRST_NS);
	else if (p->unpriced != PROBE_NONE)
		source_hits_cost(p->source, p->unpriced, &p->before[p->unpriced]);
	pthread_mutex_lock(&p->lock);
	placer_answer(p, &a);
	pthread_mutex_unlock(&p->lock);
}
