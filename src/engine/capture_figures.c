/* SPDX-License-Identifier: BSD-2-Clause */
/* capture_figures.c - gathers the figures of a capture from the modules that count them. */
#include "config.h"

#include "engine/engine_private.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/spawn.h"
#include "base/text.h"
#include "capture/features.h"
#include "capture/rulebook.h"
#include "collector/ask.h"
#include "engine/alloc_facts.h"
#include "model/probenotes.h"
#include "unwind/image_worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RATE_GAPS 20             /* distances between samples that make a rate */

static void capture_figures_copy_text(char *dst, size_t size, const char *src)
{
	text_sanitise(dst, size, src ? src : "", src ? strlen(src) : 0);
}

void engine_begin(struct engine *en)
{
	pressure_figures_begin(en->pressure);
	en->started_ns = clock_mono_ns();
	en->meta.start_mono_ns = engine_now(en);
	/* The clock of a replay is another one. */
	en->meta.start_real_ns = clock_real_at(en->meta.start_mono_ns - en->started_ns < NSEC_PER_SEC ?
					       en->meta.start_mono_ns : en->started_ns);
}

static uint64_t capture_figures_own_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void engine_describe(struct engine *en, const struct engine_config *c)
{
	struct profile_meta *m = &en->meta;
	struct utsname u;

	if (!uname(&u)) {
		capture_figures_copy_text(m->host, sizeof(m->host), u.nodename);
		capture_figures_copy_text(m->kernel, sizeof(m->kernel), u.release);
		capture_figures_copy_text(m->arch, sizeof(m->arch), u.machine);
	}
	capture_figures_copy_text(m->version, sizeof(m->version), PACKAGE_VERSION);
	capture_figures_copy_text(m->target, sizeof(m->target), c->target_text);
	m->named = !c->child && c->plan.ids.n && (c->plan.target == TARGET_PIDS || c->plan.target == TARGET_TIDS);
	m->absent = !c->child && c->plan.target == TARGET_PIDS && !c->plan.ids.n;
	capture_figures_copy_text(m->cmdline, sizeof(m->cmdline), c->cmdline);
	m->freq_asked = c->plan.freq_hz;
	m->mem_interval = c->plan.alloc_interval;
	/* there may have been captures before in this process */
	en->spawned_ns = spawn_cpu_ns();
	en->own_base_ns = capture_figures_own_cpu_ns() + en->spawned_ns;
	engine_begin(en);
	m->file_bytes = META_UNKNOWN;
	m->bpf_cpu_ns = META_UNKNOWN;
}

static uint64_t own_rss_bytes(void)
{
	AUTO_FILE FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, resident;

	if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2)
		return 0;
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The rate that busy CPUs had in the last second or so; what the kernel granted as long as that is not known. */
static uint32_t rate_got(struct engine *en, const struct source_stats *st)
{
	const uint64_t now = clock_mono_ns(), gaps = st->gaps - en->rate_gaps, ns = st->gaps_ns - en->rate_gaps_ns;

	if (!en->rate_hz)
		en->rate_hz = st->freq_hz;
	if (now - en->rate_ns < NSEC_PER_SEC || gaps < RATE_GAPS)
		return en->rate_hz;
	en->rate_hz = (uint32_t)((double)gaps * 1e9 / (double)ns + 0.5);
	en->rate_ns = now;
	en->rate_gaps = st->gaps;
	en->rate_gaps_ns = st->gaps_ns;
	return en->rate_hz;
}

static void measure_rules(struct engine *en, const struct ingest_figures *in, const struct source_stats *st)
{
	const struct rulebook *book = source_rulebook(en->source);
	struct profile_meta *m = &en->meta;
	struct rulebook_stats s = { .bytes = 0 };

	if (book)
		rulebook_stats(book, &s);
	m->rules_pages = book ? s.pages : META_UNKNOWN;
	m->rules = book ? s.rules : META_UNKNOWN;
	m->rules_processes = book ? s.spaces : META_UNKNOWN;
	m->rules_evicted = book ? s.evicted : META_UNKNOWN;
	m->rules_bytes = s.bytes + in->rule_bytes;
	m->verify_checked = in->verified;
	m->verify_incomplete = in->unverified;
	m->verify_different = 0;
	for (unsigned int i = 0; i < VERIFY_NR; i++)
		m->verify_different += m->verify_cause[i] = in->different[i];
	m->verify_kernel_checked = st->kstacks_checked;
	m->verify_kernel_different = st->kstacks_different;
}

static void measure_scripts(struct engine *en, const struct ingest_figures *in)
{
	struct profile_meta *m = &en->meta;
	struct scripts_figures s;

	if (in->scripts_left)
		text_format(m->script_said, sizeof(m->script_said), "frames of Python are left out of %" PRIu64
			    " stacks: a raw capture has no names of them", in->scripts_left);
	if (!en->scripts)
		return;
	scripts_figures(en->scripts, &s);
	m->script_stacks = s.stacks;
	m->script_whole = s.whole;
	m->script_unread = s.unread;
	m->script_cut = s.cut;
	m->script_unmatched = s.unmatched;
	m->script_nameless = s.nameless;
	m->script_refused = s.refused;
	text_format(m->script_said, sizeof(m->script_said), "%s", s.said);
}

/*
 * What sberf itself takes. Files of /proc take longer to read than all other figures together, so
 * that is done once a second.
 */
static void measure_own(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	const uint64_t now = clock_mono_ns();

	if (!en->turning || en->stopped_ns || now - en->rss_ns >= NSEC_PER_SEC) {
		en->rss_ns = now;
		en->spawned_ns = spawn_cpu_ns();
		m->rss_bytes = own_rss_bytes();
	}
	m->bpf_cpu_ns = source_bpf_ns(en->source);
	m->user_cpu_ns = capture_figures_own_cpu_ns() + en->spawned_ns - en->own_base_ns;
	if (en->turning)
		m->engine_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	m->own_share = en->ceiling.share;
	m->own_level = en->ceiling.level;
	m->own_exceeded = en->ceiling.exceeded;
}

static void measure_placed(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct placer_figures f;

	for (uint32_t i = 0; i < probes_count(); i++)
		m->probe_own_ns = m->probe_own_ns < probes_own_ns(i) ? probes_own_ns(i) : m->probe_own_ns;
	if (!en->placing)
		return;
	engine_probes(en, &f);
	m->probe_hits_s = f.hits_per_s;
	m->probe_share = f.share;
	m->probe_scale = f.most_scale;
	m->probe_thin = f.most_thin;
}

static void measure_memory(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct blocks_figures f;

	struct placer_figures placed;

	if (!en->sink.allocs)
		return;
	engine_probes(en, &placed);
	m->mem_interval = en->sink.alloc_interval;
	if (placed.unfollowed)
		alloc_facts_unfollow(en->sink.allocs, engine_now(en));
	alloc_facts_figures(en->sink.allocs, &f);
	m->mem_told = f.told;
	m->mem_living = f.living;
	m->mem_in_use = f.in_use;
	m->mem_peak = f.peak;
	m->mem_dropped = f.dropped;
	m->mem_missed = f.missed_frees;
	m->mem_unknown = f.unknown_frees;
	m->mem_unseen = placed.unseen;
	if (alloc_facts_unfollowed_ns(en->sink.allocs) > m->start_mono_ns)
		m->mem_unfollowed_ns = alloc_facts_unfollowed_ns(en->sink.allocs) - m->start_mono_ns;
}

/* What is known of probes now goes into profile and recording. */
static void note_probes(struct engine *en)
{
	AUTO(probe_notes_unref) struct probe_notes *s = NULL;

	for (uint32_t i = 0; i < probes_count(); i++) {
		uint64_t lost[SB_HIT_LOST_NR];

		if (!probes_asked(i))
			continue;
		source_hits_lost(en->source, i, lost);
		probes_set_lost(i, PROBE_LOST_STACK, lost[SB_HIT_LOST_STACK]);
		probes_set_lost(i, PROBE_LOST_VALUE, lost[SB_HIT_LOST_VALUE]);
		probes_set_lost(i, PROBE_LOST_HIT, lost[SB_HIT_LOST_WHOLE]);
	}
	s = probe_notes_now(engine_now(en));
	if (s && s->probe.n)
		event_sink_probes(&en->sink, s);
}

/* What the plug-in P has named, and what it failed at, behind the AT bytes that TEXT has. How many it has then. */
static size_t measure_plugin(const struct plugin_info *p, char *text, size_t size, size_t at)
{
	char trouble[sizeof(p->trouble)];

	/* a semicolon begins the next one */
	snprintf(trouble, sizeof(trouble), "%s", p->trouble);
	for (char *c = trouble; *c; c++)
		*c = *c == ';' ? ',' : *c;
	at += text_format(text + at, size - at, "%s%s: ", at ? "; " : "",
			  p->name[0] ? p->name : p->path[0] ? p->path : "plug-ins");
	if (p->names)
		at += text_format(text + at, size - at, "%" PRIu64 " %s in %" PRIu64 " %s%s", p->names,
				  p->names == 1 ? "name" : "names", p->processes,
				  p->processes == 1 ? "process" : "processes", trouble[0] ? ", " : "");
	return at + text_format(text + at, size - at, "%s", trouble);
}

static void measure_plugins(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct plugin_info p;
	size_t at = 0;

	m->plugins[0] = '\0';
	m->plugin_faults = false;
	for (size_t i = 0; i < plugins_count(en->plugins); i++) {
		plugins_info(en->plugins, i, &p);
		m->plugin_faults |= p.trouble[0];
		if (p.names || p.trouble[0])
			at = measure_plugin(&p, m->plugins, sizeof(m->plugins), at);
	}
}

/* Names of all features at once, with a comma behind each. */
#define X(name, since, use, without) #name ","
_Static_assert(sizeof(FEATURES(X)) <= sizeof(((struct profile_meta *)0)->kernel_without), "all of them have room");
#undef X

/* What the other processes of a capture were asked, and how they fared. */
static void measure_split(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct symbolizer_stats symbols;
	struct image_worker_figures images = { 0 };
	struct ask_figures asked;

	symbolizer_stats(en->symbolizer, &symbols);
	if (en->uses_image_worker)
		image_worker_figures(&images);
	m->worker_ended = symbols.workers_ended + images.ended;
	m->files_left = symbols.files_left + images.left;
	m->images_in_worker = images.images;
	m->rows_asked = images.asked;
	m->rows_late = images.late;
	unread_join(&m->unread, &images.unread);
	ask_figures(&asked);
	m->split_asked = asked.asked;
	m->split_refused = asked.refused;
}

void engine_measure(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct ingest_figures in;
	struct profile_stats ps;
	struct source_stats st;
	char activity[sizeof(m->activity)];

	source_stats(en->source, &st);
	symbolizer_unread(en->symbolizer, &m->unread);
	unread_join(&m->unread, processes_unread(en->ps));
	measure_plugins(en);
	measure_split(en);
	ingest_figures(en->ingest, &in);
	capture_figures_copy_text(m->event, sizeof(m->event), st.event);
	features_missing(st.features, m->kernel_without, sizeof(m->kernel_without));
	m->freq_got = rate_got(en, &st);
	m->cpus = st.cpus_sampled;
	m->samples = in.samples;
	m->user_samples = in.user_samples;
	m->unwound = in.unwound;
	m->wait_unwound = in.wait_unwound;
	measure_rules(en, &in, &st);
	memcpy(m->cut, in.cut, sizeof(m->cut));
	m->wait_stacks = in.wait_stacks;
	memcpy(m->wait_cut, in.wait_cut, sizeof(m->wait_cut));
	m->oncpu_ns = en->sink.sampled_ns;
	m->lost = st.lost;
	m->lost.n[LOST_NO_MEMORY] += in.no_memory + en->sink.no_memory;
	m->lost.n[LOST_RECORDER] += en->sink.not_recorded;
	m->late = st.late;
	m->wait_outside = st.stacks_read;
	m->wait_hung = st.stacks_hung;
	m->wait_denied = st.stacks_denied;
	m->wait_inferred = st.inferred;
	m->wait_summed = st.summed;
	m->wait_unsummed = st.unsummed;
	m->wait_not_handed = st.not_handed;
	profile_stats(en->profile, &ps);
	m->refused = ps.refused;
	m->folded = ps.facts_folded;
	measure_scripts(en, &in);
	measure_own(en);
	pressure_figures_measure(en->pressure, en->stopped_ns, m);
	measure_placed(en);
	measure_memory(en);
	note_probes(en);
	m->symbols_pending = symbolizer_pending(en->symbolizer);
	symbolizer_progress(en->symbolizer, activity, sizeof(activity));
	capture_figures_copy_text(m->activity, sizeof(m->activity), activity);
	m->duration_ns = (en->stopped_ns ? en->stopped_ns : engine_now(en)) - m->start_mono_ns;
	if (en->sink.recorder && !engine_recorder_spare(en))
		m->file_bytes = recorder_bytes(en->sink.recorder);
	if (en->sink.offcpu)
		offcpu_figures(en->sink.offcpu, m);
	m->wakers = en->sink.offcpu && atomic_load(&en->wakers);
	if (m->target_state == TARGET_WAITING && (m->samples || m->waits))
		m->target_state = TARGET_RUNNING;
}

void engine_show_figures(struct engine *en)
{
	engine_measure(en);
	pthread_mutex_lock(&en->lock);
	en->shown = en->meta;
	engine_show_recording(en);
	pthread_mutex_unlock(&en->lock);
}
