/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_late.c - probes that are placed while a capture runs. The programs of an object are loaded all at
 * once, and which they are was decided before the capture began. So programs for kinds of probes that
 * nobody had asked for are loaded from another object of the same source, when the first probe of the
 * kind comes. It shares all maps with the first object, the variables of the programs among them, so
 * targets, rules, rings and counters are the same. What it has of its own is the constants; and where
 * there were no probes before, the maps that only they need, so that a capture without probes does not
 * pay for them.
 */
#include "config.h"

#include "capture/bpf_side_private.h"

#include "capture/hold_ask.h"
#include "capture/percpu.h"
#include "capture/probe.h"
#include "capture/tracelink.h"
#include "model/probes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct programs *bpf_late_find(const struct bpf_side *k, enum program_attach how)
{
	const uint32_t n = k->nr_late;

	if (programs_chosen(&k->programs, how))
		return &k->programs;
	for (uint32_t i = 0; i < n; i++)
		if (programs_chosen(&k->late[i]->programs, how))
			return &k->late[i]->programs;
	return NULL;
}

/* The object S has AT, of another object, in place of a map of its own. */
static int share_map(const struct sberf_bpf *s, const struct bpf_map *at)
{
	struct bpf_map *map = bpf_object__find_map_by_name(s->obj, bpf_map__name(at));

	return map ? bpf_map__reuse_fd(map, bpf_map__fd(at)) : -ENOENT;
}

/* Is MAP of S one that is only for probes? */
static bool is_of_probes(const struct sberf_bpf *s, const struct bpf_map *map)
{
	return map == s->maps.scratches || map == s->maps.chunks || map == s->maps.plan_runs || map == s->maps.walks ||
	       map == s->maps.untold || map == s->maps.even_hits || map == s->maps.odd_hits ||
	       map == s->maps.filters || map == s->maps.loads;
}

/* Is it only for memory that grows? */
static bool is_of_growth(const struct sberf_bpf *s, const struct bpf_map *map)
{
	return map == s->maps.residents || map == s->maps.resident_parts || map == s->maps.resident_last;
}

/* Is it only for blocks of memory that are followed? */
static bool is_of_blocks(const struct sberf_bpf *s, const struct bpf_map *map)
{
	return map == s->maps.live_allocs;
}

/* The maps of S for memory that grows get their sizes. */
static int size_growth(const struct bpf_side *k, const struct sberf_bpf *s)
{
	struct map_sizes n = k->sizes;
	int r;

	map_sizes_growth(&n);
	r = bpf_map__set_max_entries(s->maps.residents, n.residents);
	return r ? r : bpf_map__set_max_entries(s->maps.resident_parts, n.resident_parts);
}

/* The maps of S for probes, which come to a capture that has none, get their sizes. */
static int size_late(const struct bpf_side *k, const struct sberf_bpf *s)
{
	struct map_sizes n = k->sizes;
	int r;

	map_sizes_late(&n, k->walks, k->sum_hits);
	r = bpf_map__set_max_entries(s->maps.scratches, n.scratches);
	r = r ? r : bpf_map__set_max_entries(s->maps.chunks, n.chunks);
	r = r ? r : bpf_map__set_max_entries(s->maps.plan_runs, n.chunks);
	r = r ? r : bpf_map__set_max_entries(s->maps.walks, n.walks);
	r = r ? r : bpf_map__set_max_entries(s->maps.untold, n.untold);
	r = r ? r : bpf_map__set_max_entries(s->maps.even_hits, n.hits);
	r = r ? r : bpf_map__set_max_entries(s->maps.odd_hits, n.hits);
	r = r ? r : bpf_map__set_max_entries(s->maps.filters, n.filters);
	r = r ? r : bpf_map__set_max_entries(s->maps.loads, n.loads);
	s->rodata->probe_first = n.probe_first;
	s->rodata->sum_hits = n.hits > 1;
	return r;
}

/*
 * The object S, for the conditions WHEN, gets the maps of the first one, and those for probes of the one that has
 * them. If it is the one for memory that grows, or for blocks, the maps for those are its own.
 */
static int share_maps(const struct bpf_side *k, const struct sberf_bpf *s, uint32_t when)
{
	const struct sberf_bpf *probes = k->probe_skel;
	const bool grows = when & WHEN_GROWTH, blocks = when & WHEN_ALLOCS;
	const struct bpf_map *at;
	int r = grows ? size_growth(k, s) : 0;

	r = r || !blocks ? r : bpf_map__set_max_entries(s->maps.live_allocs, BLOCKS);
	bpf_object__for_each_map(at, k->skel->obj) {
		if (r || at == k->skel->maps.rodata || (!probes && is_of_probes(k->skel, at)) ||
		    (grows && is_of_growth(k->skel, at)) || (blocks && is_of_blocks(k->skel, at)))
			continue;
		r = share_map(s, at);
	}
	if (!probes)
		return r ? r : size_late(k, s);
	bpf_object__for_each_map(at, probes->obj) {
		if (!r && probes != k->skel && is_of_probes(probes, at))
			r = share_map(s, at);
	}
	return r;
}

/* The constants are those of the object that has the maps for probes, as far as there is one. */
static void set_constants(const struct bpf_side *k, const struct sberf_bpf *s)
{
	const struct sberf_bpf *like = k->probe_skel ? k->probe_skel : k->skel;

	memcpy(s->rodata, like->rodata, sizeof(*s->rodata));
	s->rodata->filtered = s->rodata->spanned = true;
	s->rodata->raw_cookies = trace_cookies();
}

static void late_free(struct late_programs *l)
{
	if (!l)
		return;
	programs_free(&l->programs);
	if (l->skel)
		sberf_bpf__destroy(l->skel);
	free(l);
}

/* Loads the programs that need the conditions WHEN, for PLAN. */
static int late_load(struct bpf_side *k, uint32_t when, const struct capture_plan *plan, struct late_programs **ret,
		     struct err *e)
{
	struct late_programs *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_nomem(e, "probes");
	r = bpf_side_object(k, &l->skel, &l->programs, e);
	if (!r) {
		set_constants(k, l->skel);
		programs_choose_late(&l->programs, when, k->walks);
		if (when & WHEN_GROWTH && k->features.rss_parts)
			percpu_distances((int64_t *)&l->skel->rodata->own_variables_at,
					 (int64_t *)&l->skel->rodata->cpu_number_at);
		if (when & WHEN_ALLOCS)
			bpf_side_tell_blocks(l->skel, plan);
		r = share_maps(k, l->skel, when);
		r = r ? err_set(e, -r, "cannot share the maps of the capture: %s", strerror(-r)) :
			bpf_side_prepare_places(&l->programs, LINK_ENTRY, e);
	}
	if (!r) {
		r = sberf_bpf__load(l->skel);
		r = r ? probe_explain(PROBE_STEP_LOAD, -r, e) : 0;
	}
	if (r) {
		late_free(l);
		return r;
	}
	*ret = l;
	return 0;
}

/* Loads what the conditions ASKED, of PLAN, are the first to need. */
static int load_missing(struct bpf_side *k, uint32_t asked, const struct capture_plan *plan, struct err *e)
{
	const uint32_t when = asked & ~k->when, n = k->nr_late;
	int r;

	if (!when)
		return 0;
	if (n == LATE_MAX)
		return err_set(e, E2BIG, "there are too many kinds of probes");
	r = late_load(k, when, plan, &k->late[n], e);
	if (r)
		return r;
	k->when |= when;
	bpf_side_measure_own(k, &k->late[n]->programs, k->late[n]->skel);
	if (!k->probe_skel)
		k->probe_skel = k->late[n]->skel;
	k->nr_late = n + 1;
	return 0;
}

int bpf_side_add_probes(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	const struct programs *calls;
	int r = load_missing(k, bpf_side_probe_conditions(plan), plan, e);

	r = r ? r : bpf_side_fill_filters(k->probe_skel, plan, e);
	r = r ? r : bpf_side_tell_probes(k, plan, e);
	r = r ? r : bpf_side_attach_traces(k, plan->traces, plan->nr_traces, e);
	for (uint32_t i = 0; i < plan->nr_calls; i++)
		probes_note_own(plan->calls[i].probe, k->own.call);
	calls = r || !plan->nr_calls ? NULL : bpf_late_find(k, ATTACH_CALLS);
	if (calls)
		r = programs_attach((struct programs *)(uintptr_t)calls, ATTACH_CALLS, e);
	for (uint32_t i = 0; r && i < plan->nr_traces && !plan->more_traces; i++)
		bpf_side_remove_probe(k, plan->traces[i].probe);
	for (uint32_t i = 0; r && i < plan->nr_calls; i++)
		bpf_side_remove_probe(k, plan->calls[i].probe);
	return r;
}

uint64_t bpf_side_pointed(const struct bpf_side *k, source_pointed_fn *each, void *ctx)
{
	const struct sb_pointed *all = k->skel->bss->pointed;

	for (uint32_t i = 0; i < SB_POINTED; i++)
		if (all[i].key)
			each(ctx, SB_POINTED_NUMBER(all[i].key), SB_POINTED_TARGET(all[i].key), all[i].count);
	return k->skel->bss->pointed_full;
}

int bpf_side_set_growth(struct bpf_side *k, const struct capture_plan *plan, struct err *e)
{
	int r = 0;

	if (plan->growth_interval && !k->features.rss_stat)
		return err_set(e, EOPNOTSUPP, "this kernel (before 5.5) does not tell what makes memory resident");
	if (plan->growth_interval)
		r = load_missing(k, WHEN_GROWTH, plan, e);
	if (r)
		return r;
	bpf_side_tell_growth(k, plan->growth_interval);
	if (!plan->growth_interval) {
		bpf_side_detach_growth(k);
		return 0;
	}
	r = bpf_side_keep_mapping_calls(k, plan, e);
	r = r ? r : bpf_side_attach_growth(k, e);
	if (r)
		bpf_side_detach_growth(k);
	return r;
}

void bpf_side_remove_probe(struct bpf_side *k, uint32_t probe)
{
	uint8_t *of = k->skel->bss->call_probes;
	const struct programs *calls = bpf_late_find(k, ATTACH_CALLS);
	bool others = false;

	if (k->hold) {
		(void)hold_do(k->hold, HOLD_REMOVE, probe, NULL, NULL);
		return;
	}
	for (size_t i = k->trace_links.n; i--;)
		if (k->trace_links.v[i].probe == probe) {
			links_drop(k->trace_links.v[i].links);
			k->trace_links.v[i] = k->trace_links.v[--k->trace_links.n];
		}
	for (uint32_t nr = 0; nr < SB_CALLS_MAX; nr++) {
		of[nr] = of[nr] == probe + 1 ? 0 : of[nr];
		others |= of[nr];
	}
	/* Every system call of the machine passes them. */
	if (calls && !others)
		programs_detach((struct programs *)(uintptr_t)calls, ATTACH_CALLS, "sb_call_enter");
}

void bpf_late_stop(struct bpf_side *k)
{
	for (uint32_t i = 0; i < k->nr_late; i++)
		programs_detach(&k->late[i]->programs, ATTACH_CALLS, NULL);
	bpf_side_detach_growth(k);
}

void bpf_late_free(struct bpf_side *k)
{
	for (uint32_t i = 0; i < k->nr_late; i++)
		late_free(k->late[i]);
	k->nr_late = 0;
}
