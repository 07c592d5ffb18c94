/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header.c - decides what the header says, item by item. headerline.c lays the items out in lines.
 */
#include "config.h"

#include "ui/header_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "query/pressure_text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NEGLIGIBLE 0.0005                /* shares that would be printed as 0.0 % */
#define OWN_CPU_SPAN (2 * NSEC_PER_SEC)  /* own CPU is measured over at least this */
#define THIN_SPAN (HISTORY_NOW * NSEC_PER_SEC)   /* lost samples are counted over what "now" is the mean of */
#define THIN_SHARE 0.05                  /* of samples lost, from which on figures made of samples are a lower limit */
#define HIDDEN_NS (2 * NSEC_PER_SEC)     /* by then what waits has been listed more than once */
#define GAP_SHARE 0.005                  /* of time off the CPU: a smaller gap is not worth a word */

struct item *header_add(struct items *is, int line, enum rank rank, enum style style, const char *fmt, ...)
{
	struct item *it = &is->item[is->n < ITEMS_MAX ? is->n : ITEMS_MAX - 1];
	va_list ap;

	if (is->n < ITEMS_MAX)
		is->n++;
	*it = (struct item){ .line = (uint8_t)line, .rank = (uint8_t)rank, .style = (uint8_t)style };
	va_start(ap, fmt);
	text_vformat(it->text, sizeof(it->text), fmt, ap);
	va_end(ap);
	return it;
}

static uint64_t header_own_cpu_ns(const struct profile_meta *m)
{
	return (m->user_cpu_ns == META_UNKNOWN ? 0 : m->user_cpu_ns) +
		(m->bpf_cpu_ns == META_UNKNOWN ? 0 : m->bpf_cpu_ns);
}

/* Samples that were taken, or due, and did not reach the profile. Other losses say nothing of how much ran. */
static uint64_t lost_samples(const struct profile_meta *m)
{
	return m->lost.n[LOST_RING_FULL] + m->lost.n[LOST_NESTED] + m->lost.n[LOST_NO_RING] + m->lost.n[LOST_BACKLOG] +
	       m->lost.n[LOST_THROTTLED];
}

static bool is_thin(uint64_t samples, uint64_t lost)
{
	return (double)lost > THIN_SHARE * ((double)samples + (double)lost);
}

static void update_thin(struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const uint64_t lost = lost_samples(m);

	if (m->duration_ns < h->thin_duration_ns || m->samples < h->thin_samples || lost < h->thin_lost)
		h->thin_duration_ns = h->thin_samples = h->thin_lost = 0;
	if (h->thin_duration_ns && m->duration_ns < h->thin_duration_ns + THIN_SPAN)
		return;
	h->thin = is_thin(m->samples - h->thin_samples, lost - h->thin_lost);
	h->thin_duration_ns = m->duration_ns;
	h->thin_samples = m->samples;
	h->thin_lost = lost;
}

void header_update(struct header *h, const struct profile_meta *meta)
{
	const uint64_t cpu = header_own_cpu_ns(meta);

	h->meta = *meta;
	update_thin(h);
	if (meta->off_cpu && !h->ended)
		pulse_beat(&h->pulse, meta->duration_ns, (const uint64_t[]){ [TIME_RUNNING] = meta->oncpu_ns,
			   [TIME_RUNNABLE] = meta->runnable_ns, [TIME_BLOCKED] = meta->blocked_ns });
	if (!h->known || meta->duration_ns < h->base_duration_ns || cpu < h->base_cpu_ns) {
		h->base_duration_ns = 0;
		h->base_cpu_ns = 0;
		h->own_cores = -1;
	}
	h->known = true;
	if (meta->user_cpu_ns == META_UNKNOWN || meta->duration_ns < h->base_duration_ns + OWN_CPU_SPAN)
		return;
	h->own_cores = (double)(cpu - h->base_cpu_ns) / (double)(meta->duration_ns - h->base_duration_ns);
	h->base_duration_ns = meta->duration_ns;
	h->base_cpu_ns = cpu;
}

static const char *signal_name(int nr)
{
	static const struct {
		int nr;
		const char *name;
	} names[] = { { SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" }, { SIGILL, "SIGILL" },
		      { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" },
		      { SIGKILL, "SIGKILL" }, { SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		      { SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" }, { SIGXCPU, "SIGXCPU" },
		      { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].nr == nr)
			return names[i].name;
	}
	return NULL;
}

/*
 * A thread that is there runs, waits, or is about to run, and waits under way are listed once a
 * second. Of one that the kernel keeps from being traced, as some do with the agent of their
 * virtual machine, nothing of all that is told.
 */
static bool is_hidden(const struct profile_meta *m)
{
	return m->named && m->off_cpu && m->target_state == TARGET_WAITING && !m->oncpu_ns &&
		m->duration_ns >= HIDDEN_NS;
}

char *header_state(const struct profile_meta *m, char *dst, size_t size)
{
	switch (m->target_state) {
	case TARGET_WAITING:
		snprintf(dst, size, is_hidden(m) ? "hidden by the kernel" : "waiting for it");
		break;
	case TARGET_RUNNING:
		snprintf(dst, size, "running");
		break;
	case TARGET_EXITED:
		snprintf(dst, size, "exited with status %d", m->end_code);
		break;
	case TARGET_KILLED:
		if (signal_name(m->end_code))
			snprintf(dst, size, "killed by %s", signal_name(m->end_code));
		else
			snprintf(dst, size, "killed by signal %d", m->end_code);
		break;
	case TARGET_ENDED:
	default:
		snprintf(dst, size, "ended");
		break;
	}
	return dst;
}

static bool has_ended(const struct profile_meta *m)
{
	return m->target_state >= TARGET_EXITED;
}

/* A recording without its end: how it was doing then is known, but not what became of it. */
static bool is_cut_off(const struct header *h)
{
	return h->ended && !h->meta.complete && h->meta.file_bytes != META_UNKNOWN;
}

static bool saw_nothing(const struct profile_meta *m)
{
	return !m->samples && !m->waits;
}

/* "1.0k samples" or "1.0k samples and 12 waits". */
static char *seen_text(const struct profile_meta *m, char dst[3 * UNITS_MAX])
{
	char a[UNITS_MAX], b[UNITS_MAX];
	const size_t n = text_format(dst, 3 * UNITS_MAX, "%s sample%s", units_count(a, m->samples),
				     m->samples == 1 ? "" : "s");

	if (m->off_cpu)
		text_format(dst + n, 3 * UNITS_MAX - n, " and %s wait%s", units_count(b, m->waits),
			    m->waits == 1 ? "" : "s");
	return dst;
}

char *header_waiting(const struct header *h, char *dst, size_t size)
{
	const struct profile_meta *m = &h->meta;
	const char *target = m->target[0] ? m->target : "the target";
	char state[64], seen[3 * UNITS_MAX];

	if (!h->known)
		text_format(dst, size, "starting ...");
	else if (has_ended(m))
		text_format(dst, size, "%s %s and was never seen running", target,
			    header_state(m, state, sizeof(state)));
	else if (is_cut_off(h) && saw_nothing(m))
		text_format(dst, size, "the recording of %s was cut off before its first sample", target);
	else if (is_hidden(m))
		text_format(dst, size, "%s is there, but the kernel tells nothing of it, neither that it runs nor that "
			    "it waits. Some kernels "
			    "keep a process from being traced, such as the agent of a virtual machine.", target);
	else if (m->target_state == TARGET_WAITING && m->absent)
		text_format(dst, size, "waiting for a process called '%s' to start ...", target);
	else if (m->target_state == TARGET_WAITING)
		text_format(dst, size, m->off_cpu ? "waiting for %s to run or wait ..." :
			    "waiting for %s to run on a CPU ...", target);
	else if (saw_nothing(m))
		text_format(dst, size, m->off_cpu ? "waiting for the first sample or wait of %s ..." :
			    "waiting for the first sample of %s: it has not been caught on a CPU yet ...", target);
	else
		text_format(dst, size, "%s of %s so far, none in this view", seen_text(m, seen), target);
	return dst;
}

static void elapsed_text(char *dst, size_t size, uint64_t ns)
{
	const uint64_t s = ns / NSEC_PER_SEC;

	snprintf(dst, size, "%02" PRIu64 ":%02u:%02u", s / 3600, (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
}

static void add_rate(struct items *is, const struct profile_meta *m)
{
	struct item *it;

	if (!m->freq_asked)              /* an import does not say */
		return;
	if (m->freq_got) {
		it = header_add(is, 0, RANK_RATE, m->freq_got < m->freq_asked - m->freq_asked / 10 ?
			 STYLE_WARN : STYLE_TEXT, "%u of %u Hz", m->freq_got, m->freq_asked);
		snprintf(it->brief, sizeof(it->brief), "%u/%u Hz", m->freq_got, m->freq_asked);
	} else {
		it = header_add(is, 0, RANK_RATE, STYLE_TEXT, "%u Hz", m->freq_asked);
	}
	it->right = true;
}

static void add_recording(struct items *is, const struct recording_status *r)
{
	char bytes[UNITS_MAX], time[UNITS_MAX];
	struct item *it;

	units_bytes(bytes, r->bytes);
	switch (r->state) {
	case RECORDING_KEEPING:
		it = header_add(is, 0, RANK_RECORDING, STYLE_TEXT, "keeps %s: %s", units_time(time, r->keep_ns), bytes);
		snprintf(it->brief, sizeof(it->brief), "keeps %s", bytes);
		break;
	case RECORDING_GOING:
		it = header_add(is, 0, RANK_RECORDING, STYLE_WARN, "recording %s", bytes);
		snprintf(it->brief, sizeof(it->brief), "rec %s", bytes);
		break;
	case RECORDING_ENDING:
		it = header_add(is, 0, RANK_RECORDING, STYLE_WARN, "recording ends");
		snprintf(it->brief, sizeof(it->brief), "rec ends");
		break;
	case RECORDING_NONE:
	case RECORDING_FAILED:   /* a message says so */
		break;
	}
}

static void header_add_target(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char state[64], clock[32], count[UNITS_MAX];
	const enum rank rank = has_ended(m) || m->target_state == TARGET_WAITING ? RANK_ENDED : RANK_STATE;
	struct item *it;

	header_add(is, 0, RANK_TARGET, STYLE_TITLE, "%s", m->target[0] ? m->target : "target");
	if (has_ended(m) || !is_cut_off(h))
		header_add(is, 0, rank, has_ended(m) ? STYLE_ALERT : rank == RANK_ENDED ? STYLE_WARN : STYLE_RUNNING,
		    "%s", header_state(m, state, sizeof(state)));
	if (m->executed[0])
		header_add(is, 0, RANK_STATE, STYLE_WARN, "exec'd %s", m->executed);
	if (h->paused)
		header_add(is, 0, RANK_ENDED, STYLE_WARN, "view paused");
	if (h->baseline) {
		elapsed_text(clock, sizeof(clock), h->baseline_ns);
		header_add(is, 0, RANK_ENDED, STYLE_WARN, "baseline %s", clock);
	}
	if (h->range[0])
		header_add(is, 0, RANK_ENDED, STYLE_WARN, "%s", h->range);
	add_recording(is, &h->recording);
	if (is_cut_off(h)) {
		it = header_add(is, 0, RANK_LOST, STYLE_WARN, "recording was cut off");
		snprintf(it->brief, sizeof(it->brief), "recording cut off");
	}
	if (m->event[0])
		header_add(is, 0, RANK_EVENT, STYLE_TEXT, "%s", m->event)->right = true;
	add_rate(is, m);
	/* Of numbers of an import, nobody says what they count, and when it was. */
	if (m->event[0] || !m->unit[0])
		header_add(is, 0, RANK_SAMPLES, STYLE_TEXT, "%s sample%s", units_count(count, m->samples),
			   m->samples == 1 ? "" : "s")->right = true;
	if (m->unit[0] && !m->duration_ns)
		return;
	elapsed_text(clock, sizeof(clock), m->duration_ns);
	header_add(is, 0, RANK_ELAPSED, STYLE_TEXT, "%s", clock)->right = true;
}

/* True when the figures have time off the CPU beside running time. */
static bool header_off_cpu(const struct header *h)
{
	return h->meta.off_cpu;
}

/* CORES ran, as far as samples tell; LOW when many of them were lost. */
static void add_cores(struct items *is, bool low, double cores, const char *when)
{
	struct item *it = header_add(is, 1, RANK_CORES, low ? STYLE_WARN : STYLE_RUNNING, "%s%.2f cores %s",
				     low ? "at least " : "~", cores, when);

	snprintf(it->brief, sizeof(it->brief), "%s%.2f cores", low ? ">=" : "~", cores);
}

static void add_running(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const double now = history_now(&h->history, TIME_RUNNING);
	const double mean = m->duration_ns ? (double)m->oncpu_ns / (double)m->duration_ns : 0;
	const bool low = is_thin(m->samples, lost_samples(m));
	struct item *it;

	if (h->history.n) {
		it = header_add(is, 1, RANK_SPARK, STYLE_RUNNING, "%s", "");
		it->lead = "on-CPU";
		it->spark = true;
		it->kind = TIME_RUNNING;
	}
	if (now >= 0 && !h->ended) {
		add_cores(is, h->thin, now, "now");
		header_add(is, 1, RANK_MEAN, STYLE_TEXT, "%s%.2f on average", low ? "at least " : "~", mean);
	} else if (m->samples) {
		add_cores(is, low, mean, "on average");
	}
}

/* How many threads are at it, now or on average: exact, from the scheduler. */
static void add_kind(struct items *is, const struct header *h, enum time_kind kind, uint64_t total_ns)
{
	static const struct {
		const char *lead, *unit;
		enum rank rank;
		enum style style;
	} kinds[] = { [TIME_RUNNING] = { "running", " cores", RANK_CORES, STYLE_RUNNING },
		      [TIME_RUNNABLE] = { "runnable", "", RANK_RUNNABLE, STYLE_RUNNABLE },
		      [TIME_BLOCKED] = { "blocked", "", RANK_BLOCKED, STYLE_BLOCKED } };
	struct history levels;
	double level;
	struct item *it;

	history_overlay(&h->history, &h->pulse.history, &levels);
	level = history_now(&levels, kind);
	if (level < 0 || h->ended)
		level = h->meta.duration_ns ? (double)total_ns / (double)h->meta.duration_ns : 0;
	it = header_add(is, 1, kinds[kind].rank, kinds[kind].style, "%.2f%s%s", level, kinds[kind].unit,
			h->ended && kind == TIME_RUNNING ? " on average" : "");
	snprintf(it->brief, sizeof(it->brief), "%.2f", level);
	it->lead = kinds[kind].lead;
	it->spark = levels.n > 0;
	it->kind = (uint8_t)kind;
}

/* What an import counts that is no time. */
static void add_amount(struct items *is, const struct profile_meta *m)
{
	char all[UNITS_MAX];
	struct item *it;

	measure_text(measure_get(MEASURE_IMPORTED), m->oncpu_ns, all);
	it = header_add(is, 1, RANK_CORES, STYLE_RUNNING, "%s%s%s in all", all, m->event[0] ? " " : "",
			m->event[0] ? m->unit : "");
	snprintf(it->brief, sizeof(it->brief), "%s", all);
}

static void add_kinds(struct items *is, const struct header *h)
{
	if (h->meta.unit[0]) {
		add_amount(is, &h->meta);
		return;
	}
	if (!header_off_cpu(h)) {
		add_running(is, h);
		return;
	}
	add_kind(is, h, TIME_RUNNING, h->meta.oncpu_ns);
	add_kind(is, h, TIME_BLOCKED, h->meta.blocked_ns);
	add_kind(is, h, TIME_RUNNABLE, h->meta.runnable_ns);
}

static uint64_t header_cuts(const struct profile_meta *m, unsigned int reason)
{
	return m->cut[reason] + m->wait_cut[reason];
}

/* The reason that cut most stacks; CUT_COMPLETE when none did. */
static unsigned int worst_cut(const struct profile_meta *m)
{
	unsigned int worst = CUT_COMPLETE;

	for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++) {
		if (header_cuts(m, i) && (worst == CUT_COMPLETE || header_cuts(m, i) > header_cuts(m, worst)))
			worst = i;
	}
	return worst;
}

/* Samples and waits have stacks of different depth: what is complete of waits is told where it differs. */
static void add_complete(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const double samples = m->user_samples ? (double)m->cut[CUT_COMPLETE] / (double)m->user_samples : 1;
	const double waits = m->wait_stacks ? (double)m->wait_cut[CUT_COMPLETE] / (double)m->wait_stacks : 1;
	const double least = samples < waits ? samples : waits;
	const enum style style = least < 0.95 ? STYLE_ALERT : least < 0.99 ? STYLE_WARN : STYLE_TEXT;
	char a[UNITS_MAX], b[UNITS_MAX];
	struct item *it;

	units_percent(a, m->user_samples ? samples : waits);
	units_percent(b, m->wait_stacks ? waits : samples);
	if (strcmp(a, b)) {
		it = header_add(is, 2, RANK_STACKS, style, "stacks %s complete, of waits %s", a, b);
		snprintf(it->brief, sizeof(it->brief), "stacks %s, waits %s", a, b);
		return;
	}
	it = header_add(is, header_off_cpu(h) ? 2 : 1, RANK_STACKS, style, "stacks %s complete", a);
	snprintf(it->brief, sizeof(it->brief), "stacks %s", a);
	it->right = !header_off_cpu(h);
}

/*
 * Which share of frames is of code without unwind tables, if there are any: what is beyond them may
 * be missing without a word.
 */
static void add_no_table(struct items *is, const struct header *h)
{
	char share[UNITS_MAX];
	struct item *it;

	if (!h->frames.no_table)
		return;
	units_percent(share, (double)h->frames.no_table / (double)h->frames.frames);
	it = header_add(is, header_off_cpu(h) ? 2 : 1, RANK_PENDING, STYLE_TEXT,
			"%s of frames by frame pointer", share);
	snprintf(it->brief, sizeof(it->brief), "fp %s", share);
}

static void header_add_stacks(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	const unsigned int cut = worst_cut(m);
	char share[UNITS_MAX];

	if (!m->user_samples && !m->wait_stacks)
		return;
	add_complete(is, h);
	add_no_table(is, h);
	if (cut == CUT_COMPLETE)
		return;
	units_percent(share, (double)header_cuts(m, cut) / (double)(m->user_samples + m->wait_stacks));
	header_add(is, header_off_cpu(h) ? 2 : 1, RANK_DETAIL, STYLE_DOUBT, "%s %s%s%s", share, cut_info(cut)->name,
		   *cut_info(cut)->remedy ? ": " : "", cut_info(cut)->remedy)->right = true;
}

/* Which share of time off the CPU has a stack of its own, which is estimated from others, and which has none at all. */
static void add_sampled(struct items *is, const struct profile_meta *m)
{
	const double off = (double)m->blocked_ns + (double)m->runnable_ns;
	const double own = off > 0 ? (double)m->wait_own_ns / off : 0,
		none = off > 0 ? (double)m->wait_none_ns / off : 0;
	char a[UNITS_MAX], b[UNITS_MAX];
	struct item *it;

	if (off <= 0)
		return;
	units_percent(a, own < 1 ? own : 1);
	units_percent(b, own + none < 1 ? 1 - own - none : 0);
	if (1 - own - none < NEGLIGIBLE) {
		header_add(is, 2, RANK_PENDING, STYLE_TEXT, "off-CPU %s with stack", a);
	} else {
		it = header_add(is, 2, RANK_PENDING, STYLE_TEXT, "off-CPU %s with stack, ~%s estimated", a, b);
		snprintf(it->brief, sizeof(it->brief), "off-CPU %s with stack", a);
	}
	if (none >= GAP_SHARE)
		header_add(is, 2, RANK_DETAIL, STYLE_DOUBT, "%s without any", units_percent(a, none));
}

static void add_own(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char a[UNITS_MAX];
	double own = h->own_cores;

	if (own < 0 && m->duration_ns && m->user_cpu_ns != META_UNKNOWN)
		own = (double)header_own_cpu_ns(m) / (double)m->duration_ns;
	if (own >= 0 && !is_cut_off(h))
		header_add(is, 2, RANK_OWN, STYLE_TEXT, "sberf %s CPU%s", units_percent(a, own),
			   m->bpf_cpu_ns == META_UNKNOWN ? " without BPF" : "")->right = true;
	if (m->rss_bytes && m->rss_bytes != META_UNKNOWN && !is_cut_off(h))
		header_add(is, 2, RANK_OWN, STYLE_TEXT, "%s", units_bytes(a, m->rss_bytes))->right = true;
	if (m->file_bytes && m->file_bytes != META_UNKNOWN)
		header_add(is, 2, RANK_OWN, STYLE_TEXT, "file %s", units_bytes(a, m->file_bytes))->right = true;
}

static void add_quality(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char a[UNITS_MAX];

	if (!losses_total(&m->lost))
		header_add(is, 2, RANK_NO_LOSS, STYLE_TEXT, "lost 0");
	if (m->late)
		header_add(is, 2, RANK_PENDING, STYLE_DOUBT, "late %s", units_count(a, m->late));
	if (m->refused || m->folded)
		header_add(is, 2, RANK_PENDING, STYLE_DOUBT, "memory full: some stacks under (other)");
}

/*
 * What comes and goes stands behind what stays, and makes way for it: a few symbols are pending at
 * every other refresh, and must not displace figures at each.
 */
static void add_pending(struct items *is, const struct header *h)
{
	const struct profile_meta *m = &h->meta;
	char n[UNITS_MAX];

	if (is_cut_off(h))
		return;
	if (m->activity[0])
		header_add(is, 2, RANK_PENDING, STYLE_DOUBT, "%s", m->activity);
	else if (m->symbols_pending)
		header_add(is, 2, RANK_DETAIL, STYLE_DOUBT, "%s symbol%s pending", units_count(n, m->symbols_pending),
			   m->symbols_pending == 1 ? "" : "s");
}

static void add_loss(struct items *is, const struct profile_meta *m, unsigned int reason)
{
	const struct reason_info *info = lost_info(reason);
	char n[UNITS_MAX];
	struct item *it;

	units_thousands(n, m->lost.n[reason]);
	it = header_add(is, LOSS_LINE, RANK_LOST, STYLE_ALERT, "lost %s %s: %s", n, info->name,
			*info->remedy ? info->remedy : info->text);
	snprintf(it->brief, sizeof(it->brief), "lost %s %s", n, info->name);
}

/* One item for every loss that happened, on lines of their own; on a small screen one for all. */
static void header_add_losses(struct items *is, const struct profile_meta *m, bool small)
{
	const uint64_t total = losses_total(&m->lost);
	char n[UNITS_MAX];

	if (small && total)
		header_add(is, LOSS_LINE, RANK_LOST, STYLE_ALERT, "lost %s", units_count(n, total));
	for (unsigned int i = 0; i < LOST_NR && !small; i++) {
		if (m->lost.n[i])
			add_loss(is, m, i);
	}
}

/* What probes cost; where that is too much, that they are estimates, or that fewer stacks are taken. */
static void header_add_probes(struct items *is, const struct profile_meta *m)
{
	char hits[UNITS_MAX], share[UNITS_MAX];
	struct item *it;

	if (!m->probe_scale)
		return;
	units_count(hits, m->probe_hits_s);
	units_percent(share, (double)m->probe_share / 1e6);
	if (m->probe_scale > 1) {
		it = header_add(is, LOSS_LINE, RANK_LOST, STYLE_WARN,
				"probes: %s hits/s cost %s of a CPU, in place 1/%llu of the time: estimates (--budget)",
				hits, share, (unsigned long long)m->probe_scale);
		snprintf(it->brief, sizeof(it->brief), "probes 1/%llu", (unsigned long long)m->probe_scale);
	} else if (m->probe_thin > 1) {
		it = header_add(is, LOSS_LINE, RANK_LOST, STYLE_WARN,
				"probes: %s hits/s cost %s of a CPU, stacks of one in %llu: totals exact (--budget)",
				hits, share, (unsigned long long)m->probe_thin);
		snprintf(it->brief, sizeof(it->brief), "probes 1:%llu", (unsigned long long)m->probe_thin);
	} else {
		it = header_add(is, 2, RANK_DETAIL, STYLE_TEXT, "probes %s hits/s, %s of a CPU", hits, share);
		snprintf(it->brief, sizeof(it->brief), "probes %s/s", hits);
	}
}

/* Of the container or cgroup that the target is or is in. */
static void header_add_pressure(struct items *is, const struct profile_meta *m)
{
	char text[PRESSURE_TEXT_MAX];

	if (*pressure_text_now(m, text))
		header_add(is, 2, RANK_DETAIL, STYLE_TEXT, "%s", text);
}

/* What looks like a deadlock from outside is said as what is seen of it. */
static void add_standstill(struct items *is, const struct standstill *s, bool small)
{
	char time[UNITS_MAX];

	if (!s->threads)
		return;
	units_time(time, s->waited_ns);
	if (small)
		header_add(is, 2, RANK_LOST, STYLE_ALERT, "locks %s", time);
	else
		header_add(is, 2, RANK_LOST, STYLE_ALERT, "%u threads waiting for locks for %s", s->threads, time);
}

/* What is left out on purpose never leaves the header. */
static void add_filter(struct items *is, const struct header *h, bool small)
{
	struct item *it;

	if (!h->filter[0])
		return;
	it = header_add(is, 2, RANK_FILTER, STYLE_MATCH, "%s", small ? h->filter_brief : h->filter);
	snprintf(it->brief, sizeof(it->brief), "%s", small ? "" : h->filter_brief);
}

void header_collect(struct items *is, const struct header *h, bool small)
{
	is->n = 0;
	if (!h->known)
		return;
	header_add_target(is, h);
	add_kinds(is, h);
	if (!h->ended)
		add_standstill(is, &h->standstill, small);
	header_add_stacks(is, h);
	add_quality(is, h);
	add_filter(is, h, small);
	if (header_off_cpu(h))
		add_sampled(is, &h->meta);
	add_pending(is, h);
	header_add_losses(is, &h->meta, small);
	header_add_probes(is, &h->meta);
	header_add_pressure(is, &h->meta);
	add_own(is, h);
}
