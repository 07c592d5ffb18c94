/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c - the life of a capture: open, start, turn, end.
 *
 * One turn reads what the source has, lets finished loads in, advances the profile and, when it is time, publishes a snapshot
 * and figures. The end drains the source, finishes parked samples, waits a bounded time for names and closes the recording, in
 * this order, so that nothing captured is lost.
 */
#include "config.h"

#include "engine/engine_private.h"

#include "base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TURN_MS 50               /* a turn waits this long for data at most */
#define TURN_BUSY_MS 5           /* while modules are being loaded or stacks read */
#define SETTLE_NS (2 * NSEC_PER_SEC)      /* for loads under way when the capture ends */
#define NAMES_NS (60 * NSEC_PER_SEC)      /* for names that a recording still lacks */
#define FETCH_NS (1800 * NSEC_PER_SEC)    /* the same when debug files are fetched from a network */

static void publish(struct engine *en)
{
	struct snapshot *fresh, *old;

	fresh = profile_snapshot(en->profile);
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

/* An event that weighs what it weighs. */
static void take_event(void *ctx, const struct event *ev)
{
	struct engine *en = ctx;

	if (profile_add(en->profile, ev) < 0)
		en->no_memory++;
	else if (en->recorder && !recorder_event(en->recorder, ev))
		en->recorder_lost++;
}

static void take_sample(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct engine *en = ctx;

	en->sampled_ns += ev->weight_ns;
	if (en->offcpu)
		offcpu_sample(en->offcpu, raw, ev);
	else
		take_event(en, ev);
}

static void take_wait(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct engine *en = ctx;

	offcpu_wait(en->offcpu, raw, ev);
}

static void walk_open_wait(void *ctx, const struct raw_event *raw)
{
	struct engine *en = ctx;

	ingest_raw(en->ingest, raw);
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
		return en->meta.samples + en->meta.waits > 0 && now - en->started_ns > NSEC_PER_SEC / 4;
	return now - en->published_ns >= en->refresh_ns;
}

static void set_wakers(struct engine *en)
{
	const bool on = en->offcpu && atomic_load(&en->wakers);

	if (on != en->telling_wakers)
		source_set_wakers(en->source, on);
	en->telling_wakers = on;
}

static void housekeeping(struct engine *en, uint64_t now)
{
	if (atomic_exchange(&en->reset, false)) {
		if (en->offcpu)
			offcpu_reset(en->offcpu);
		profile_clear(en->profile);
	}
	set_wakers(en);
	/* What is held back until it is settled belongs to slices that are better left open. */
	profile_advance(en->profile, en->offcpu ? offcpu_settled_ns(en->offcpu) : now);
	if (now - en->figured_ns >= FIGURES_NS) {
		en->figured_ns = now;
		engine_show_figures(en);
		if (en->meta.samples != en->slept_samples)
			symbolizer_kick(en->symbolizer);
		en->slept_samples = en->meta.samples;
	}
	if (refresh_due(en, now)) {
		en->published_ns = now;
		if (en->offcpu)
			offcpu_provisional(en->offcpu);
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
	const uint64_t from = clock_mono_ns();
	const bool busy = wait || (en->offcpu && offcpu_pending(en->offcpu));
	int r = source_read(en->source, flush ? 0 : busy ? TURN_BUSY_MS : TURN_MS, flush, ingest_raw, en->ingest, e);

	if (processes_poll(en->ps) || wait)
		ingest_retry(en->ingest, clock_mono_ns());
	if (r >= 0 && en->offcpu) {
		const int s = offcpu_turn(en->offcpu, from, e);

		r = s < 0 ? s : r;
	}
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
	engine_begin(en);
	return r < 0 ? r : source_start(en->source, e);
}

/* A recording gets its names before it is closed. What is being fetched can be seen meanwhile, and given up. */
static void wait_for_names(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + en->names_ns;

	while (!symbolizer_wait(en->symbolizer, FIGURES_NS) && !atomic_load(&en->hurry) && clock_mono_ns() < until)
		engine_show_figures(en);
}

static void finish(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + SETTLE_NS;
	struct err e = ERR_INIT;
	struct stat st;
	int r;

	source_stop(en->source);
	en->stopped_ns = clock_mono_ns();
	if (en->offcpu)
		offcpu_last(en->offcpu, en->stopped_ns);
	do {
		r = turn(en, true, &e);
	} while ((r > 0 || (r == 0 && loading(en))) && clock_mono_ns() < until);
	ingest_settle(en->ingest);
	if (en->offcpu)
		offcpu_finish(en->offcpu);
	profile_advance(en->profile, clock_mono_ns());
	symbolizer_kick(en->symbolizer);
	if (en->recorder)
		wait_for_names(en);
	engine_measure(en);
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
	if (r >= 0 && en->offcpu)
		offcpu_start(en->offcpu);
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
		.dict = profile_dict(en->profile),
		.sample = take_sample,
		.wait = plan->off_cpu ? take_wait : NULL,
		.set_stack_cap = plan->stack_fixed ? NULL : set_stack_cap,
		.stack_bytes = plan->stack_bytes,
		.ctx = en,
	};

	return ingest_new(&c, &en->ingest, e);
}

static int build_offcpu(struct engine *en, const struct capture_plan *plan, struct err *e)
{
	const struct offcpu_config c = {
		.source = en->source,
		.ps = en->ps,
		.profile = en->profile,
		.stack_bytes = plan->stack_bytes,
		.each = take_event,
		.walk = walk_open_wait,
		.ctx = en,
	};

	en->telling_wakers = plan->wakers;
	atomic_init(&en->wakers, plan->wakers);
	return plan->off_cpu ? offcpu_new(&c, &en->offcpu, e) : 0;
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
	r = build_offcpu(en, &c->plan, e);
	return r < 0 ? r : build_ingest(en, &c->plan, e);
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
	engine_describe(en, c);
	r = build(en, c, e);
	if (r < 0)
		return r;
	engine_show_figures(en);
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
	engine_begin(en);
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

void engine_wakers(struct engine *en, bool on)
{
	atomic_store(&en->wakers, on);
	source_wake(en->source);
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
	offcpu_free(en->offcpu);
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
