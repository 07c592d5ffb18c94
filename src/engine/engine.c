/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c - the life of a capture: open, start, turn, end.
 *
 * One turn reads what the source has, lets finished loads in, advances the profile and, when it is time, publishes a snapshot
 * and figures. The end drains the source, finishes parked samples, waits a bounded time for names and closes the recording, in
 * this order, so that nothing captured is lost.
 */
#include "config.h"

#include "engine/engine.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/cleanup.h"
#include "engine/ingest.h"
#include "engine/target.h"
#include "process/process.h"
#include "record/recording.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define TURN_MS 50               /* a turn waits this long for data at most */
#define TURN_LOADING_MS 5        /* while modules are being loaded */
#define FIGURES_NS (200 * NSEC_PER_MSEC)
#define RATE_GAPS 20             /* distances between samples that make a rate */
#define SETTLE_NS (2 * NSEC_PER_SEC)      /* for loads under way when the capture ends */
#define NAMES_NS (60 * NSEC_PER_SEC)      /* for names that a recording still lacks */
#define FETCH_NS (1800 * NSEC_PER_SEC)    /* the same when debug files are fetched from a network */

struct engine {
	/* What it works on. The engine thread owns all of it between engine_start() and the end. */
	struct source *source;
	struct processes *ps;
	struct profile *profile;
	struct names *names;
	struct symbolizer *symbolizer;
	struct recorder *recorder;
	struct ingest *ingest;
	struct target_watch *watch;
	char *record_path;               /* NULL = no recording */
	uint64_t refresh_ns, duration_ns, delay_ns, names_ns;
	VEC(pid_t) scan;                 /* processes to read at the start; none = all */
	uint64_t started_ns, published_ns, figured_ns, metad_ns;
	uint64_t recorder_lost;          /* events that the recorder refused */
	uint64_t rate_ns, rate_gaps, rate_gaps_ns;       /* since when, and from what, the rate is being measured */
	uint32_t rate_hz;
	uint64_t slept_samples;          /* samples when the names were last kicked */
	struct profile_meta meta;        /* the engine thread's own copy */
	bool turning;                    /* the engine thread has begun */

	pthread_t thread;
	bool running;                    /* thread was created and not joined */
	atomic_bool stop, reset, hurry, ended;
	_Atomic uint64_t published;

	pthread_mutex_t lock;            /* of what follows */
	pthread_cond_t changed;
	struct snapshot *snapshot;
	struct profile_meta shown;
	int result;
	struct err error;
};

/* ---- figures ---- */

static void copy_text(char *dst, size_t size, const char *src)
{
	text_sanitise(dst, size, src ? src : "", src ? strlen(src) : 0);
}

static void describe(struct engine *en, const struct engine_config *c)
{
	struct profile_meta *m = &en->meta;
	struct utsname u;

	if (!uname(&u)) {
		copy_text(m->host, sizeof(m->host), u.nodename);
		copy_text(m->kernel, sizeof(m->kernel), u.release);
		copy_text(m->arch, sizeof(m->arch), u.machine);
	}
	copy_text(m->version, sizeof(m->version), PACKAGE_VERSION);
	copy_text(m->target, sizeof(m->target), c->target_text);
	copy_text(m->cmdline, sizeof(m->cmdline), c->cmdline);
	m->freq_asked = c->plan.freq_hz;
	m->start_real_ns = clock_ns(CLOCK_REALTIME);
	m->start_mono_ns = clock_mono_ns();
	m->file_bytes = META_UNKNOWN;
	m->bpf_cpu_ns = META_UNKNOWN;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return META_UNKNOWN;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * NSEC_PER_USEC;
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

/* Brings the engine thread's figures up to date. */
static void measure(struct engine *en)
{
	struct profile_meta *m = &en->meta;
	struct ingest_figures in;
	struct profile_stats ps;
	struct source_stats st;
	char activity[sizeof(m->activity)];

	source_stats(en->source, &st);
	ingest_figures(en->ingest, &in);
	copy_text(m->event, sizeof(m->event), st.event);
	m->freq_got = rate_got(en, &st);
	m->cpus = st.cpus_sampled;
	m->samples = in.samples;
	m->user_samples = in.user_samples;
	memcpy(m->cut, in.cut, sizeof(m->cut));
	m->oncpu_ns = in.weight_ns;
	m->lost = st.lost;
	m->lost.n[LOST_NO_MEMORY] += in.no_memory;
	m->lost.n[LOST_RECORDER] += en->recorder_lost;
	m->late = st.late;
	profile_stats(en->profile, &ps);
	m->refused = ps.refused;
	m->folded = ps.facts_folded;
	m->bpf_cpu_ns = st.bpf_ns;
	m->user_cpu_ns = own_cpu_ns();
	if (en->turning)
		m->engine_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	m->rss_bytes = own_rss_bytes();
	m->symbols_pending = symbolizer_pending(en->symbolizer);
	symbolizer_progress(en->symbolizer, activity, sizeof(activity));
	copy_text(m->activity, sizeof(m->activity), activity);
	m->duration_ns = clock_mono_ns() - m->start_mono_ns;
	if (en->recorder)
		m->file_bytes = recorder_bytes(en->recorder);
	if (m->target_state == TARGET_WAITING && m->samples)
		m->target_state = TARGET_RUNNING;
}

static void show_figures(struct engine *en)
{
	measure(en);
	pthread_mutex_lock(&en->lock);
	en->shown = en->meta;
	pthread_mutex_unlock(&en->lock);
}

static void publish(struct engine *en)
{
	struct snapshot *fresh = profile_snapshot(en->profile), *old;

	if (!fresh)
		return;
	pthread_mutex_lock(&en->lock);
	old = en->snapshot;
	en->snapshot = fresh;
	pthread_mutex_unlock(&en->lock);
	snapshot_unref(old);
	atomic_fetch_add(&en->published, 1);
}

/* ---- the engine thread ---- */

static void fail(struct engine *en, int result, const struct err *e)
{
	pthread_mutex_lock(&en->lock);
	if (!en->result) {
		en->result = result;
		en->error = *e;
	}
	pthread_mutex_unlock(&en->lock);
	atomic_store(&en->stop, true);
}

static void take_event(void *ctx, const struct event *ev)
{
	struct engine *en = ctx;

	if (en->recorder && !recorder_event(en->recorder, ev))
		en->recorder_lost++;
}

static void check_recorder(struct engine *en)
{
	struct err e = ERR_INIT;
	int r = en->recorder ? recorder_status(en->recorder, &e) : 0;

	if (r < 0)
		fail(en, r, &e);
}

static bool refresh_due(const struct engine *en, uint64_t now)
{
	if (!en->refresh_ns)
		return false;
	/* The first picture is shown as soon as there is one. */
	if (!en->published_ns)
		return en->meta.samples > 0 && now - en->started_ns > NSEC_PER_SEC / 4;
	return now - en->published_ns >= en->refresh_ns;
}

static void housekeeping(struct engine *en, uint64_t now)
{
	if (atomic_exchange(&en->reset, false))
		profile_clear(en->profile);
	profile_advance(en->profile, now);
	if (now - en->figured_ns >= FIGURES_NS) {
		en->figured_ns = now;
		show_figures(en);
		if (en->meta.samples != en->slept_samples)
			symbolizer_kick(en->symbolizer);
		en->slept_samples = en->meta.samples;
	}
	if (refresh_due(en, now)) {
		en->published_ns = now;
		publish(en);
	}
	if (en->recorder && now - en->metad_ns >= NSEC_PER_SEC) {
		en->metad_ns = now;
		recorder_meta(en->recorder, &en->meta);
		check_recorder(en);
	}
}

static bool loading(const struct engine *en)
{
	struct ingest_figures in;

	ingest_figures(en->ingest, &in);
	return in.parked > 0;
}

static int turn(struct engine *en, bool flush, struct err *e)
{
	const bool wait = loading(en);
	const int r = source_read(en->source, flush ? 0 : wait ? TURN_LOADING_MS : TURN_MS, flush, ingest_raw, en->ingest, e);

	if (processes_poll(en->ps) || wait)
		ingest_retry(en->ingest, clock_mono_ns());
	return r;
}

static bool over(struct engine *en, uint64_t now)
{
	enum target_state state;
	int code = 0;

	if (atomic_load(&en->stop))
		return true;
	if (target_watch_ended(en->watch, &state, &code)) {
		en->meta.target_state = state;
		en->meta.end_code = code;
		return true;
	}
	return en->duration_ns && now - en->started_ns >= en->duration_ns;
}

/* Follows processes until the delay has passed. */
static int sit_out_delay(struct engine *en, struct err *e)
{
	const uint64_t end = en->started_ns + en->delay_ns;
	int r = 0;

	while (r >= 0 && clock_mono_ns() < end) {
		if (over(en, en->started_ns))
			return 0;
		r = turn(en, false, e);
	}
	en->started_ns = clock_mono_ns();
	return r < 0 ? r : source_start(en->source, e);
}

/* A recording gets its names before it is closed. What is being fetched can be seen meanwhile, and given up. */
static void wait_for_names(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + en->names_ns;

	while (!symbolizer_wait(en->symbolizer, FIGURES_NS) && !atomic_load(&en->hurry) && clock_mono_ns() < until)
		show_figures(en);
}

static void finish(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + SETTLE_NS;
	struct err e = ERR_INIT;
	struct stat st;
	int r;

	source_stop(en->source);
	do {
		r = turn(en, true, &e);
	} while ((r > 0 || (r == 0 && loading(en))) && clock_mono_ns() < until);
	ingest_settle(en->ingest);
	profile_advance(en->profile, clock_mono_ns());
	symbolizer_kick(en->symbolizer);
	if (en->recorder)
		wait_for_names(en);
	measure(en);
	if (en->recorder) {
		struct recorder *rec = take_ptr(en->recorder);

		en->meta.complete = true;
		r = recorder_close(rec, &en->meta, &e);
		if (r < 0)
			fail(en, r, &e);
		if (!stat(en->record_path, &st))
			en->meta.file_bytes = (uint64_t)st.st_size;
	}
	publish(en);
	pthread_mutex_lock(&en->lock);
	en->shown = en->meta;
	atomic_store(&en->ended, true);
	pthread_cond_broadcast(&en->changed);
	pthread_mutex_unlock(&en->lock);
}

static void *engine_main(void *arg)
{
	struct engine *en = arg;
	struct err e = ERR_INIT;
	int r = 0;

	en->turning = true;
	if (en->delay_ns)
		r = sit_out_delay(en, &e);
	while (r >= 0 && !over(en, clock_mono_ns())) {
		r = turn(en, false, &e);
		housekeeping(en, clock_mono_ns());
	}
	if (r < 0)
		fail(en, r, &e);
	finish(en);
	return NULL;
}

/* ---- life ---- */

static int open_module(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	struct processes *ps = ctx;

	return processes_open_symbols(ps, module, ret_uid, e);
}

/* A few processes are read from /proc at the start, instead of all, when only they are asked for. */
static int list_processes(struct engine *en, const struct capture_plan *plan, struct err *e)
{
	if (plan->target != TARGET_PIDS)
		return 0;
	if (!vec_reserve(&en->scan, plan->ids.n))
		return err_nomem(e, "the target list");
	for (size_t i = 0; i < plan->ids.n; i++)
		en->scan.v[en->scan.n++] = (pid_t)plan->ids.v[i];
	return 0;
}

static void set_stack_cap(void *ctx, uint64_t exe_id, uint32_t bytes)
{
	struct engine *en = ctx;

	source_set_stack_cap(en->source, exe_id, bytes);
}

static int build_ingest(struct engine *en, const struct capture_plan *plan, struct err *e)
{
	const struct ingest_config c = {
		.ps = en->ps,
		.profile = en->profile,
		.each = take_event,
		.set_stack_cap = plan->stack_fixed ? NULL : set_stack_cap,
		.stack_bytes = plan->stack_bytes,
		.ctx = en,
	};

	return ingest_new(&c, &en->ingest, e);
}

static int build(struct engine *en, const struct engine_config *c, struct err *e)
{
	const struct profile_limits limits = { .bytes = c->profile_bytes };
	struct module_opener opener = { .open = open_module };
	int r = source_open(&c->plan, &en->source, e);

	if (r < 0)
		return r;
	r = list_processes(en, &c->plan, e);
	if (r < 0)
		return r;
	en->profile = profile_new(&limits);
	en->names = names_new();
	if (!en->profile || !en->names)
		return err_nomem(e, "the profile");
	en->ps = processes_new(profile_dict(en->profile), e);
	if (!en->ps)
		return -ENOMEM;
	opener.ctx = en->ps;
	r = symbolizer_new(profile_dict(en->profile), en->names, &opener, &c->symbols, &en->symbolizer, e);
	if (r < 0)
		return r;
	r = target_watch_new(&c->plan, c->child, &en->watch, e);
	if (r < 0)
		return r;
	if (c->record_path && !(en->record_path = strdup(c->record_path)))
		return err_nomem(e, "the recording");
	if (c->record_path)
		r = recorder_open(c->record_path, profile_dict(en->profile), en->names, &en->meta, &en->recorder, e);
	if (r < 0)
		return r;
	return build_ingest(en, &c->plan, e);
}

int engine_new(const struct engine_config *c, struct engine **ret, struct err *e)
{
	AUTO(engine_free) struct engine *en = calloc(1, sizeof(*en));
	pthread_condattr_t attr;
	int r;

	if (!en)
		return err_nomem(e, "the engine");
	pthread_mutex_init(&en->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&en->changed, &attr);
	pthread_condattr_destroy(&attr);
	en->refresh_ns = c->refresh_ns;
	en->duration_ns = c->duration_ns;
	en->delay_ns = c->delay_ns;
	en->names_ns = c->symbols.debuginfod ? FETCH_NS : NAMES_NS;
	describe(en, c);
	r = build(en, c, e);
	if (r < 0)
		return r;
	show_figures(en);
	*ret = take_ptr(en);
	return 0;
}

int engine_start(struct engine *en, struct err *e)
{
	sigset_t all, old;
	int r = source_prepare(en->source, e);

	if (r >= 0)
		r = processes_scan(en->ps, en->scan.v, en->scan.n, e);
	if (r < 0)
		return r;
	en->started_ns = clock_mono_ns();
	if (!en->delay_ns)
		r = source_start(en->source, e);
	if (r < 0)
		return r;
	/* Signals are for the threads that asked for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&en->thread, NULL, engine_main, en);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return err_set(e, r, "cannot start the engine thread: %s", strerror(r));
	en->running = true;
	return 0;
}

void engine_stop(struct engine *en)
{
	atomic_store(&en->stop, true);
	source_wake(en->source);
}

void engine_hurry(struct engine *en)
{
	atomic_store(&en->hurry, true);
	symbolizer_cancel(en->symbolizer);
	engine_stop(en);
}

bool engine_wait(struct engine *en, uint64_t timeout_ns)
{
	const uint64_t until = clock_mono_ns() + timeout_ns;
	const struct timespec ts = { .tv_sec = (time_t)(until / NSEC_PER_SEC), .tv_nsec = (long)(until % NSEC_PER_SEC) };
	int r = 0;

	pthread_mutex_lock(&en->lock);
	while (!atomic_load(&en->ended) && r != ETIMEDOUT)
		r = timeout_ns ? pthread_cond_timedwait(&en->changed, &en->lock, &ts) : pthread_cond_wait(&en->changed, &en->lock);
	pthread_mutex_unlock(&en->lock);
	return atomic_load(&en->ended);
}

int engine_result(struct engine *en, struct err *e)
{
	int r;

	pthread_mutex_lock(&en->lock);
	r = en->result;
	if (r && e)
		*e = en->error;
	pthread_mutex_unlock(&en->lock);
	return r;
}

struct snapshot *engine_snapshot(struct engine *en)
{
	struct snapshot *s;

	pthread_mutex_lock(&en->lock);
	s = snapshot_ref(en->snapshot);
	pthread_mutex_unlock(&en->lock);
	return s;
}

uint64_t engine_published(const struct engine *en)
{
	return atomic_load(&en->published);
}

void engine_status(struct engine *en, struct profile_meta *ret)
{
	pthread_mutex_lock(&en->lock);
	*ret = en->shown;
	pthread_mutex_unlock(&en->lock);
}

const struct names *engine_names(const struct engine *en)
{
	return en->names;
}

struct symbolizer *engine_symbolizer(const struct engine *en)
{
	return en->symbolizer;
}

void engine_reset(struct engine *en)
{
	atomic_store(&en->reset, true);
	source_wake(en->source);
}

void engine_free(struct engine *en)
{
	if (!en)
		return;
	if (en->running) {
		engine_hurry(en);
		pthread_join(en->thread, NULL);
	}
	/* A recorder is left only when the thread was never started. */
	if (en->recorder)
		recorder_close(en->recorder, &en->meta, NULL);
	snapshot_unref(en->snapshot);
	ingest_free(en->ingest);
	symbolizer_free(en->symbolizer);
	target_watch_free(en->watch);
	processes_free(en->ps);
	names_free(en->names);
	profile_free(en->profile);
	source_free(en->source);
	free(en->record_path);
	free(en->scan.v);
	pthread_cond_destroy(&en->changed);
	pthread_mutex_destroy(&en->lock);
	free(en);
}
