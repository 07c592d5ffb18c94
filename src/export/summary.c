/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.c - "name: value" lines. Fractions are written from integers: a locale's decimal comma would break scripts. */
#include "config.h"

#include "export/export.h"

#include "base/clock.h"
#include "base/text.h"
#include "export/out.h"
#include "profile/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is counted in the facts rather than in the meta data. */
struct counted {
	uint64_t threads, stacks, other_ns;
};

static void put_u64(struct out *o, const char *name, uint64_t v)
{
	if (v == META_UNKNOWN)
		out_format(o, "%s: unknown\n", name);
	else
		out_format(o, "%s: %" PRIu64 "\n", name, v);
}

static void put_us(struct out *o, const char *name, uint64_t ns)
{
	put_u64(o, name, ns == META_UNKNOWN ? ns : ns / 1000 + (ns % 1000 >= 500));
}

/* V in units of 1 / SCALE, with DIGITS decimals; SCALE = 10 to the power of DIGITS. */
static void put_fixed(struct out *o, const char *name, uint64_t v, uint64_t scale, int digits)
{
	out_format(o, "%s: %" PRIu64 ".%0*" PRIu64 "\n", name, v / scale, digits, v % scale);
}

static void put_seconds(struct out *o, const char *name, uint64_t ns)
{
	if (ns == META_UNKNOWN)
		put_u64(o, name, ns);
	else
		put_fixed(o, name, ns / NSEC_PER_MSEC + (ns % NSEC_PER_MSEC >= NSEC_PER_MSEC / 2), 1000, 3);
}

/* N / OF times SCALE, rounded down: 100 % means all of it. "unknown" when OF is 0. */
static void put_ratio(struct out *o, const char *name, double n, double of, uint64_t scale, int digits)
{
	if (of > 0)
		put_fixed(o, name, (uint64_t)fmin(floor(n / of * (double)scale), 1e18), digits == 1 ? 10 : 100, digits);
	else
		put_u64(o, name, META_UNKNOWN);
}

static void put_text(struct out *o, const char *name, const char *text, size_t size)
{
	char safe[3 * META_TEXT + 1];

	text_sanitise(safe, sizeof(safe), text, strnlen(text, size));
	out_format(o, "%s: %s\n", name, safe[0] ? safe : "unknown");
}

/* "2026-01-31T12:00:00Z" */
static void put_time(struct out *o, const char *name, uint64_t real_ns)
{
	const time_t t = (time_t)(real_ns / NSEC_PER_SEC);
	char text[64];
	struct tm tm;

	if (real_ns && gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		out_format(o, "%s: %s\n", name, text);
	else
		put_u64(o, name, META_UNKNOWN);
}

static void put_reasons(struct out *o, const struct profile_meta *m)
{
	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++)
		out_format(o, "cut_%s: %" PRIu64 "\n", cut_info(i)->name, m->cut[i]);
	for (unsigned int i = 0; i < LOST_NR; i++)
		out_format(o, "lost_%s: %" PRIu64 "\n", lost_info(i)->name, m->lost.n[i]);
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

static int count(const struct snapshot *s, struct counted *ret)
{
	const struct dict *d = snapshot_dict(s);
	const uint32_t nr_threads = dict_threads(d);
	AUTO_FREE uint8_t *stacks = calloc(dict_stacks(d) / 8 + 1, 1), *threads = calloc(nr_threads / 8 + 1, 1);
	AUTO_FREE thread_id *same = threads_same(d, nr_threads);
	struct counted c = { 0 };
	struct slice_view v;

	if (!stacks || !threads || !same)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++) {
			c.stacks += !test_and_set(stacks, v.fact[k].stack);
			c.threads += !test_and_set(threads, same[v.fact[k].thread]);
			c.other_ns += is_other(d, v.fact[k].stack) ? v.fact[k].weight_ns : 0;
		}
	}
	*ret = c;
	return 0;
}

/* The published names, in the order in which they were published. */
static void put_published(struct out *o, const struct profile_meta *m, const struct counted *c)
{
	put_u64(o, "oncpu_samples", m->samples);
	put_ratio(o, "oncpu_samples_per_second", (double)m->samples, (double)m->duration_ns / 1e9, 10, 1);
	put_us(o, "oncpu_weight_us", m->oncpu_ns);
	put_ratio(o, "oncpu_complete_percent", (double)m->cut[CUT_COMPLETE], (double)m->user_samples, 10000, 2);
	put_u64(o, "threads", c->threads);
	put_u64(o, "unique_stacks", c->stacks);
	put_reasons(o, m);
	put_u64(o, "file_bytes", m->file_bytes);
	put_seconds(o, "user_cpu_seconds", m->user_cpu_ns);
	put_seconds(o, "bpf_cpu_seconds", m->bpf_cpu_ns);
	put_text(o, "event", m->event, sizeof(m->event));
}

static void put_further(struct out *o, const struct profile_meta *m, const struct counted *c)
{
	put_u64(o, "rate_asked_hz", m->freq_asked);
	put_u64(o, "rate_got_hz", m->freq_got ? m->freq_got : META_UNKNOWN);
	put_u64(o, "cpus", m->cpus);
	put_seconds(o, "duration_seconds", m->duration_ns);
	put_time(o, "start", m->start_real_ns);
	put_text(o, "complete", m->complete ? "yes" : "no", 3);
	put_text(o, "target", m->target, sizeof(m->target));
	put_text(o, "host", m->host, sizeof(m->host));
	put_text(o, "kernel", m->kernel, sizeof(m->kernel));
	put_text(o, "arch", m->arch, sizeof(m->arch));
	put_text(o, "version", m->version, sizeof(m->version));
	put_text(o, "command", m->cmdline, sizeof(m->cmdline));
	put_u64(o, "user_samples", m->user_samples);
	put_us(o, "other_weight_us", c->other_ns);
	put_u64(o, "late_events", m->late);
	put_u64(o, "dictionary_refused", m->refused);
	put_u64(o, "facts_folded", m->folded);
	put_u64(o, "rss_bytes", m->rss_bytes);
	put_seconds(o, "engine_cpu_seconds", m->engine_cpu_ns);
}

/* Figures of waits are not known when they were not followed. */
static void put_offcpu(struct out *o, const struct profile_meta *m)
{
	const uint64_t none = m->off_cpu ? 0 : META_UNKNOWN, ns = m->blocked_ns + m->runnable_ns;
	const uint64_t told = m->wait_own_ns + m->wait_none_ns;

	put_us(o, "offcpu_weight_us", ns | none);
	put_us(o, "offcpu_blocked_us", m->blocked_ns | none);
	put_us(o, "offcpu_runnable_us", m->runnable_ns | none);
	put_u64(o, "offcpu_waits", m->waits | none);
	put_ratio(o, "offcpu_complete_percent", (double)m->wait_cut[CUT_COMPLETE], (double)m->wait_stacks, 10000, 2);
	put_ratio(o, "offcpu_sampled_percent", (double)m->wait_own_ns, (double)ns, 10000, 2);
	put_ratio(o, "offcpu_extrapolated_percent", told < ns ? (double)(ns - told) : 0, (double)ns, 10000, 2);
	put_ratio(o, "offcpu_no_stack_percent", (double)m->wait_none_ns, (double)ns, 10000, 2);
	put_us(o, "offcpu_open_us", m->wait_open_ns | none);
	put_u64(o, "offcpu_open_waits", m->wait_open | none);
	put_us(o, "offcpu_short_us", m->wait_short_ns | none);
	put_u64(o, "offcpu_short_waits", m->wait_short | none);
	put_us(o, "offcpu_period_us", m->wait_period_ns | none);
	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++)
		out_format(o, "offcpu_cut_%s: %" PRIu64 "\n", cut_info(i)->name, m->wait_cut[i]);
	put_text(o, "wakers", m->wakers ? "yes" : "no", 3);
	put_u64(o, "offcpu_outside_stacks", m->wait_outside | none);
	put_u64(o, "offcpu_outside_hung", m->wait_hung | none);
	put_u64(o, "offcpu_outside_denied", m->wait_denied | none);
	put_u64(o, "offcpu_inferred_switches", m->wait_inferred | none);
}

int export_summary(FILE *out, const struct profile_meta *m, const struct snapshot *s, struct err *e)
{
	struct out o = { .file = out };
	struct counted c;

	if (count(s, &c) < 0)
		return err_nomem(e, "the summary");
	put_published(&o, m, &c);
	put_further(&o, m, &c);
	put_offcpu(&o, m);
	return out_end(&o, e);
}
