/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures.c - writes the figures of a profile (losses, costs, how stacks were unwound) under their
 * published names, for --format summary and JSON.
 */
#include "config.h"

#include "export/figures.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/kind.h"
#include "numa/state.h"
#include "query/frameshare.h"
#include "query/stripped.h"
#include "query/threads.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is counted in the facts rather than in the meta data. */
struct counted {
	uint64_t threads, stacks, other_ns;
	uint64_t near_ns, far_ns, accesses;      /* of accesses whose page is known */
	uint64_t faults, fault_samples, migrations;
	struct frame_share frames;
	uint64_t stripped;       /* files with functions that have no names */
};

struct sink {
	figure_fn *fn;
	void *ctx;
};

static void put_u64(struct sink *o, const char *name, uint64_t v)
{
	o->fn(o->ctx, &(struct figure){ .name = name,
					.type = v == META_UNKNOWN ? FIGURE_UNKNOWN : FIGURE_NUMBER, .v = v });
}

static void put_us(struct sink *o, const char *name, uint64_t ns)
{
	put_u64(o, name, ns == META_UNKNOWN ? ns : ns / 1000 + (ns % 1000 >= 500));
}

static void figures_put_fixed(struct sink *o, const char *name, uint64_t v, unsigned int digits)
{
	o->fn(o->ctx, &(struct figure){ .name = name, .type = FIGURE_FIXED, .v = v, .digits = digits });
}

static void put_seconds(struct sink *o, const char *name, uint64_t ns)
{
	if (ns == META_UNKNOWN)
		put_u64(o, name, ns);
	else
		figures_put_fixed(o, name, ns / NSEC_PER_MSEC + (ns % NSEC_PER_MSEC >= NSEC_PER_MSEC / 2), 3);
}

/* N / OF times SCALE, rounded down: 100 % means all of it. Not known when OF is 0. */
static void put_ratio(struct sink *o, const char *name, double n, double of, uint64_t scale, unsigned int digits)
{
	if (of > 0)
		figures_put_fixed(o, name, (uint64_t)fmin(floor(n / of * (double)scale), 1e18), digits);
	else
		put_u64(o, name, META_UNKNOWN);
}

/*
 * One of several shares of OF that make 100 % together; SUM is that of it and those before, and
 * *BEFORE what these came to, 0 at first. Sums are rounded down, not shares.
 */
static void figures_put_share(struct sink *o, const char *name, double sum, double of, uint64_t *before)
{
	const uint64_t upto = of > 0 ? (uint64_t)fmin(floor(sum / of * 10000), 1e18) : 0;

	if (of > 0)
		figures_put_fixed(o, name, upto - *before, 2);
	else
		put_u64(o, name, META_UNKNOWN);
	*before = upto;
}

static void figures_put_text(struct sink *o, const char *name, const char *text, size_t size)
{
	char safe[3 * UNREAD_TEXT + 1];

	text_sanitise(safe, sizeof(safe), text, strnlen(text, size));
	o->fn(o->ctx, &(struct figure){ .name = name, .type = safe[0] ? FIGURE_TEXT : FIGURE_UNKNOWN, .text = safe });
}

static void put_flag(struct sink *o, const char *name, bool v)
{
	o->fn(o->ctx, &(struct figure){ .name = name, .type = FIGURE_FLAG, .v = v });
}

/* "2026-01-31T12:00:00Z" */
static void figures_put_time(struct sink *o, const char *name, uint64_t real_ns)
{
	const time_t t = (time_t)(real_ns / NSEC_PER_SEC);
	char text[64] = "";
	struct tm tm;

	if (real_ns && gmtime_r(&t, &tm) && !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		text[0] = '\0';
	figures_put_text(o, name, text, sizeof(text));
}

/* PREFIX and NAME together. */
static void put_named(struct sink *o, const char *prefix, const char *name, uint64_t v)
{
	char both[64];

	snprintf(both, sizeof(both), "%s%s", prefix, name);
	put_u64(o, both, v);
}

static void put_reasons(struct sink *o, const struct profile_meta *m)
{
	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++)
		put_named(o, "cut_", cut_info(i)->name, m->cut[i]);
	for (unsigned int i = 0; i < LOST_NR; i++)
		put_named(o, "lost_", lost_info(i)->name, m->lost.n[i]);
}

static bool test_and_set(uint8_t *bits, uint32_t i)
{
	const bool was = bits[i / 8] >> i % 8 & 1;

	bits[i / 8] |= (uint8_t)(1u << i % 8);
	return was;
}

static bool is_other(const struct dict *d, stack_id stack)
{
	const struct frame *f = dict_get_frame(d, dict_get_stack(d, stack)->frame);

	return f && f->offset == NOTE_OTHER && dict_get_module(d, f->module)->kind == MODULE_NOTE;
}

static void count_place(const struct dict *d, const struct fact *f, struct counted *c)
{
	const uint16_t to = dict_get_place(d, f->place)->node;

	if (f->kind == EVENT_MIGRATION) {
		c->migrations += f->weight;
	} else if (f->kind == EVENT_FAULT) {
		c->faults += f->weight;
		c->fault_samples += f->count;
	} else if (to != NODE_UNKNOWN) {
		*(topology_is_far(f->node, to) ? &c->far_ns : &c->near_ns) += f->weight;
		c->accesses += f->count;
	}
}

static int count_stripped(const struct snapshot *s, const struct names *names, uint64_t *ret)
{
	stripped_vec files = { 0 };
	const int r = stripped_files(s, names, &files);

	*ret = files.n;
	vec_free(&files);
	return r;
}

static int figures_count(const struct snapshot *s, const struct names *names, struct counted *ret)
{
	const struct dict *d = snapshot_dict(s);
	const uint32_t nr_threads = dict_threads(d);
	AUTO_FREE uint8_t *stacks = calloc(dict_stacks(d) / 8 + 1, 1), *threads = calloc(nr_threads / 8 + 1, 1);
	AUTO_FREE thread_id *same = threads_same(s, nr_threads);
	struct counted c = { 0 };
	struct slice_view v = { 0 };

	if (!stacks || !threads || !same)
		return -ENOMEM;
	while (snapshot_next(s, &v)) {
		for (size_t k = 0; k < v.n; k++) {
			stack_id stack = v.fact[k].stack;

			if (kind_carries(v.fact[k].kind) == CARRIES_PLACE) {
				count_place(d, &v.fact[k], &c);
				continue;
			}
			(void)dict_inside(d, &stack);
			c.stacks += !test_and_set(stacks, stack);
			c.threads += !test_and_set(threads, same[v.fact[k].thread]);
			c.other_ns += is_other(d, stack) ? v.fact[k].weight : 0;
		}
	}
	if (frame_share_of(s, &c.frames) < 0 || count_stripped(s, names, &c.stripped) < 0)
		return -ENOMEM;
	*ret = c;
	return 0;
}

/* The published names, in the order in which they were published. */
static void put_published(struct sink *o, const struct profile_meta *m, const struct counted *c)
{
	put_u64(o, "oncpu_samples", m->samples);
	put_ratio(o, "oncpu_samples_per_second", (double)m->samples, (double)m->duration_ns / 1e9, 10, 1);
	put_us(o, "oncpu_weight_us", m->unit[0] ? META_UNKNOWN : m->oncpu_ns);
	put_ratio(o, "oncpu_complete_percent", (double)m->cut[CUT_COMPLETE], (double)m->user_samples, 10000, 2);
	put_u64(o, "threads", c->threads);
	put_u64(o, "unique_stacks", c->stacks);
	put_reasons(o, m);
	put_u64(o, "file_bytes", m->file_bytes);
	put_seconds(o, "user_cpu_seconds", m->user_cpu_ns);
	put_seconds(o, "bpf_cpu_seconds", m->bpf_cpu_ns);
	figures_put_text(o, "event", m->event, sizeof(m->event));
}

/*
 * The ways add up to 100: each is rounded down together with those before it, so what is 0 stays 0,
 * and the first one is not 100 unless it is all. Not known when nobody says.
 */
static void put_ways(struct sink *o, const struct unwound *u)
{
	const double all = (double)unwound_total(u);
	uint64_t before = 0;
	double sum = 0;

	for (unsigned int i = 0; i < WAY_NR; i++) {
		char name[64];

		snprintf(name, sizeof(name), "unwound_%s_percent", unwind_way_info((enum unwind_way)i)->name);
		sum += (double)u->way[i];
		figures_put_share(o, name, sum, all, &before);
	}
}

static void put_unwound(struct sink *o, const struct profile_meta *m)
{
	const struct unwound *u = &m->unwound;
	const double all = (double)unwound_total(u);
	const uint64_t none = all > 0 ? 0 : META_UNKNOWN;

	put_ways(o, u);
	put_ratio(o, "unwound_learned_percent", (double)u->learned, all, 10000, 2);
	for (unsigned int i = 0; i < WALK_NR; i++)
		put_named(o, "walk_", walk_info(i)->name, u->walk[i] | none);
	put_u64(o, "verify_checked", m->verify_checked | none);
	put_u64(o, "verify_different", m->verify_different | none);
	put_u64(o, "verify_incomplete", m->verify_incomplete | none);
	for (unsigned int i = 0; i < VERIFY_NR; i++)
		put_named(o, "verify_", verify_info((enum verify_cause)i)->name, m->verify_cause[i] | none);
	put_u64(o, "verify_kernel_checked", m->verify_kernel_checked | none);
	put_u64(o, "verify_kernel_different", m->verify_kernel_different | none);
	put_u64(o, "script_stacks", m->script_stacks | none);
	put_u64(o, "script_whole", m->script_whole | none);
	put_u64(o, "script_unread", m->script_unread | none);
	put_u64(o, "script_cut", m->script_cut | none);
	put_u64(o, "script_unmatched", m->script_unmatched | none);
	put_u64(o, "script_nameless", m->script_nameless | none);
	put_u64(o, "script_refused", m->script_refused | none);
	put_u64(o, "split_asked", m->split_asked | none);
	put_u64(o, "split_refused", m->split_refused | none);
	put_u64(o, "worker_ended", m->worker_ended | none);
	put_u64(o, "files_left", m->files_left | none);
	put_u64(o, "images_in_worker", m->images_in_worker | none);
	put_u64(o, "rows_asked", m->rows_asked | none);
	put_u64(o, "rows_late", m->rows_late | none);
	put_u64(o, "rules_pages", m->rules_pages);
	put_u64(o, "rules", m->rules);
	put_u64(o, "rules_processes", m->rules_processes);
	put_u64(o, "rules_evicted", m->rules_evicted);
	put_u64(o, "rules_bytes", m->rules_bytes);
}

/* Of the cgroup that the target is or is in. */
static void put_pressure(struct sink *o, const struct profile_meta *m)
{
	static const char *const kinds[META_PRESSURES] = { "cpu", "memory", "io" };
	const uint64_t none = m->pressure_of[0] ? 0 : META_UNKNOWN;

	figures_put_text(o, "pressure_of", m->pressure_of, sizeof(m->pressure_of));
	for (unsigned int i = 0; i < META_PRESSURES; i++) {
		char name[40];

		snprintf(name, sizeof(name), "pressure_%s_some_us", kinds[i]);
		put_us(o, name, m->pressure_some_ns[i] | none);
		snprintf(name, sizeof(name), "pressure_%s_full_us", kinds[i]);
		put_us(o, name, m->pressure_full_ns[i] | none);
	}
}

static void put_further(struct sink *o, const struct profile_meta *m, const struct counted *c)
{
	put_u64(o, "rate_asked_hz", m->freq_asked ? m->freq_asked : META_UNKNOWN);
	put_u64(o, "rate_got_hz", m->freq_got ? m->freq_got : META_UNKNOWN);
	put_u64(o, "cpus", m->cpus);
	put_seconds(o, "duration_seconds", m->duration_ns);
	figures_put_time(o, "start", m->start_real_ns);
	put_flag(o, "complete", m->complete);
	figures_put_text(o, "target", m->target, sizeof(m->target));
	figures_put_text(o, "host", m->host, sizeof(m->host));
	figures_put_text(o, "kernel", m->kernel, sizeof(m->kernel));
	figures_put_text(o, "kernel_without", m->kernel_without, sizeof(m->kernel_without));
	figures_put_text(o, "plugins", m->plugins, sizeof(m->plugins));
	figures_put_text(o, "arch", m->arch, sizeof(m->arch));
	figures_put_text(o, "version", m->version, sizeof(m->version));
	figures_put_text(o, "command", m->cmdline, sizeof(m->cmdline));
	if (m->written_when[0])
		figures_put_text(o, "written_when", m->written_when, sizeof(m->written_when));
	put_u64(o, "user_samples", m->user_samples);
	put_us(o, "other_weight_us", m->unit[0] ? META_UNKNOWN : c->other_ns);
	put_u64(o, "late_events", m->late);
	put_u64(o, "dictionary_refused", m->refused);
	put_u64(o, "facts_folded", m->folded);
	put_u64(o, "rss_bytes", m->rss_bytes);
	put_seconds(o, "engine_cpu_seconds", m->engine_cpu_ns);
	put_unwound(o, m);
}

/* Figures of waits are not known when they were not followed. */
static void put_offcpu(struct sink *o, const struct profile_meta *m)
{
	const uint64_t none = m->off_cpu ? 0 : META_UNKNOWN, ns = m->blocked_ns + m->runnable_ns;
	const uint64_t told = m->wait_own_ns + m->wait_none_ns;
	uint64_t before = 0;

	put_us(o, "offcpu_weight_us", ns | none);
	put_us(o, "offcpu_blocked_us", m->blocked_ns | none);
	put_us(o, "offcpu_runnable_us", m->runnable_ns | none);
	put_u64(o, "offcpu_waits", m->waits | none);
	put_ratio(o, "offcpu_complete_percent", (double)m->wait_cut[CUT_COMPLETE], (double)m->wait_stacks, 10000, 2);
	figures_put_share(o, "offcpu_sampled_percent", (double)m->wait_own_ns, (double)ns, &before);
	figures_put_share(o, "offcpu_extrapolated_percent", (double)(told < ns ? ns - m->wait_none_ns : m->wait_own_ns),
			  (double)ns, &before);
	figures_put_share(o, "offcpu_no_stack_percent", (double)(told < ns ? ns : told), (double)ns, &before);
	put_us(o, "offcpu_open_us", m->wait_open_ns | none);
	put_u64(o, "offcpu_open_waits", m->wait_open | none);
	put_us(o, "offcpu_short_us", m->wait_short_ns | none);
	put_u64(o, "offcpu_short_waits", m->wait_short | none);
	put_us(o, "offcpu_period_us", m->wait_period_ns | none);
	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++)
		put_named(o, "offcpu_cut_", cut_info(i)->name, m->wait_cut[i]);
	put_flag(o, "wakers", m->wakers);
	put_u64(o, "offcpu_outside_stacks", m->wait_outside | none);
	put_u64(o, "offcpu_outside_hung", m->wait_hung | none);
	put_u64(o, "offcpu_outside_denied", m->wait_denied | none);
	put_u64(o, "offcpu_inferred_switches", m->wait_inferred | none);
	put_u64(o, "offcpu_summed_waits", m->wait_summed | none);
	put_u64(o, "offcpu_unsummed_waits", m->wait_unsummed | none);
	put_u64(o, "offcpu_untold_handovers", m->wait_not_handed | none);
}

static void put_probes(struct sink *o, const struct profile_meta *m)
{
	const uint64_t none = m->probe_scale ? 0 : META_UNKNOWN;

	put_u64(o, "probe_hits_per_second", m->probe_hits_s | none);
	put_ratio(o, "probe_cost_percent", (double)m->probe_share, m->probe_scale ? 1e6 : 0, 10000, 2);
	put_u64(o, "probe_slices", m->probe_scale | none);
	put_u64(o, "probe_told_each", m->probe_thin ? m->probe_thin : META_UNKNOWN);
	put_u64(o, "probe_own_cost_ns", m->probe_own_ns ? m->probe_own_ns : META_UNKNOWN);
}

static void put_memory(struct sink *o, const struct profile_meta *m)
{
	const uint64_t none = m->mem_interval ? 0 : META_UNKNOWN;

	put_u64(o, "memory_sample_bytes", m->mem_interval | none);
	put_u64(o, "memory_blocks_sampled", m->mem_told | none);
	put_u64(o, "memory_blocks_living", m->mem_living | none);
	put_u64(o, "memory_in_use_bytes", m->mem_in_use | none);
	put_u64(o, "memory_peak_bytes", m->mem_peak | none);
	put_u64(o, "memory_dropped", m->mem_dropped | none);
	put_u64(o, "memory_missed_frees", m->mem_missed | none);
	put_u64(o, "memory_unknown_frees", m->mem_unknown | none);
	put_u64(o, "memory_unseen_processes", m->mem_unseen | none);
	put_us(o, "memory_not_followed_since_us", m->mem_unfollowed_ns ? m->mem_unfollowed_ns : META_UNKNOWN);
}

/* What was sampled is not known when nothing was, or nobody says so. */
static void put_numa(struct sink *o, const struct profile_meta *m, const struct numa_state *s, const struct counted *c)
{
	static const struct numa_figures nothing;
	const struct numa_figures *f = s ? &s->figures : &nothing;
	const uint64_t none = s ? 0 : META_UNKNOWN, no_samples = s && s->sampled ? 0 : META_UNKNOWN;
	const uint64_t no_moves = s && m->off_cpu ? 0 : META_UNKNOWN;    /* which waits tell */
	const double known = (double)f->near + (double)f->far + (double)f->miss[MISS_PAGE];

	put_u64(o, "numa_nodes", s ? s->topology.nr : META_UNKNOWN);
	if (s)
		put_flag(o, "numa_sampled", s->sampled);
	else
		put_u64(o, "numa_sampled", META_UNKNOWN);
	put_u64(o, "numa_samples", f->samples | no_samples);
	put_ratio(o, "numa_address_percent", known, (double)f->samples, 10000, 2);
	put_u64(o, "numa_accesses", c->accesses | (c->accesses ? 0 : no_samples));
	put_ratio(o, "numa_far_percent", (double)c->far_ns, (double)c->near_ns + (double)c->far_ns, 10000, 2);
	put_us(o, "numa_far_us", c->far_ns | (c->accesses ? 0 : no_samples));
	for (unsigned int i = MISS_NONE + 1; i < MISS_NR; i++)
		put_named(o, "numa_miss_", access_miss_word(i)->name, f->miss[i] | no_samples);
	put_u64(o, "numa_faults", c->faults | (c->fault_samples ? 0 : no_samples));
	put_u64(o, "numa_fault_samples", c->fault_samples | (c->fault_samples ? 0 : no_samples));
	put_u64(o, "numa_fault_misses", f->fault_misses | no_samples);
	put_u64(o, "numa_balancing_faults", f->balancing_faults | no_samples);
	put_u64(o, "numa_migrations", c->migrations | (c->migrations ? 0 : no_moves));
	put_u64(o, "numa_kernel_migrations", f->kernel_moves | no_moves);
	put_u64(o, "numa_too_large", m->numa_too_large);
	put_u64(o, "numa_threads_left", f->threads_left | none);
	put_u64(o, "numa_processes_left", f->processes_left | none);
}

/* As many as are kept by name, which begins with that of their file. */
static void put_unread(struct sink *o, const struct unread *u)
{
	put_u64(o, "unreadable", u->n);
	for (unsigned int i = 0; i < UNREAD_MAX && u->text[i][0]; i++) {
		char name[24];

		snprintf(name, sizeof(name), "unreadable_%u", i + 1);
		figures_put_text(o, name, u->text[i], sizeof(u->text[i]));
	}
}

int figures_each(const struct profile_meta *m, const struct snapshot *s, const struct names *names, figure_fn *fn,
		 void *ctx, struct err *e)
{
	struct sink o = { .fn = fn, .ctx = ctx };
	struct counted c;

	if (figures_count(s, names, &c) < 0)
		return err_nomem(e, "the figures of the profile");
	put_published(&o, m, &c);
	put_further(&o, m, &c);
	put_offcpu(&o, m);
	put_pressure(&o, m);
	put_probes(&o, m);
	put_memory(&o, m);
	put_numa(&o, m, snapshot_numa(s), &c);
	put_ratio(&o, FIGURE_NO_TABLE, (double)c.frames.no_table, (double)c.frames.frames, 10000, 2);
	put_unread(&o, &m->unread);
	put_u64(&o, "files_stripped", c.stripped);
	return 0;
}
