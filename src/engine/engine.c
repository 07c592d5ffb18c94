/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c - the life of a capture: open, start, turn, end.
 *
 * One turn reads what the source has, lets finished loads in, advances the profile and, when it is
 * time, publishes a snapshot and figures. The end drains the source, finishes parked samples, waits
 * a bounded time for names and closes the recording, in this order, so that nothing captured is
 * lost.
 */
#include "config.h"

#include "engine/engine_private.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/thread.h"
#include "capture/features.h"
#include "collector/ask.h"
#include "engine/alloc_facts.h"
#include "engine/growth_facts.h"
#include "engine/insides.h"
#include "engine/lock_turns.h"
#include "engine/parked.h"
#include "engine/size_readings.h"
#include "system/container.h"
#include "system/lookup.h"
#include "unwind/image_worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* the longest turn while somebody looks on, it has just begun, or what is late is dropped ... */
#define TURN_SOON_MS 50
#define TURN_WAITS_MS 100        /* ... while waits are followed, whose totals are read four times a second ... */
#define TURN_MS 250              /* ... and else */
#define BEGUN_NS NSEC_PER_SEC
/* with a ceiling of what sberf takes, a start takes so long, and longer while there are names to be read */
#define START_NS (5 * NSEC_PER_SEC)
#define START_MAX_NS (60 * NSEC_PER_SEC)
#define NUMA_RETRY_NS (2 * NSEC_PER_SEC)  /* before what could not be switched on is tried again */
#define POLL_NS (5 * NSEC_PER_MSEC)      /* while events are taken in, files that were loaded are looked for so often */
/* what waits for a file is tried again when one is there, and so often: all of it is walked */
#define RETRY_NS (20 * NSEC_PER_MSEC)
#define SETTLE_NS (2 * NSEC_PER_SEC)      /* for loads under way when the capture ends */
#define NAMES_NS (60 * NSEC_PER_SEC)      /* for names that a recording still lacks */
#define FETCH_NS (1800 * NSEC_PER_SEC)    /* the same when debug files are fetched from a network */

static void engine_publish(struct engine *en)
{
	struct snapshot *fresh, *old;

	fresh = profile_snapshot(en->profile);
	if (!fresh)
		return;
	pthread_mutex_lock(&en->lock);
	old = en->snapshot;
	en->snapshot = fresh;
	/* Both at once, for who asks for the number before and after the snapshot. */
	atomic_fetch_add(&en->published, 1);
	pthread_mutex_unlock(&en->lock);
	snapshot_unref(old);
}

/* ---- the engine thread ---- */

void engine_fail(struct engine *en, int result, const struct err *e)
{
	pthread_mutex_lock(&en->lock);
	if (!en->result) {
		en->result = result;
		en->error = *e;
	}
	pthread_mutex_unlock(&en->lock);
	atomic_store(&en->stop, true);
}

static void check_recorder(struct engine *en)
{
	struct err e = ERR_INIT;

	if (engine_recorder_failed(en, &e))
		engine_fail(en, -e.code, &e);
}

static bool refresh_due(const struct engine *en, uint64_t now)
{
	const uint64_t refresh_ns = engine_refresh(en);

	if (!refresh_ns)
		return false;
	/* The first picture is shown as soon as there is one. */
	if (!en->published_ns)
		return en->meta.samples + en->meta.waits > 0 && now - en->started_ns > NSEC_PER_SEC / 4;
	return now - en->published_ns >= refresh_ns;
}

static void set_wakers(struct engine *en)
{
	const bool on = en->sink.offcpu && atomic_load(&en->wakers);

	if (on != en->telling_wakers)
		source_set_wakers(en->source, on);
	en->telling_wakers = on;
}

static void set_numa(struct engine *en, uint64_t now)
{
	/*
	 * It was prepared for, so it fails only for lack of memory or descriptors: then nothing is
	 * sampled, the state says so, and it is tried again later, since trying costs some system
	 * calls for each CPU.
	 */
	if (en->sink.numa && now >= en->numa_next_ns &&
	    numa_facts_set(en->sink.numa, atomic_load(&en->sampling_numa), NULL) < 0)
		en->numa_next_ns = now + NUMA_RETRY_NS;
}

/* Who looks on sees figures, and names, that are fresh; a recording has them once a second, and names at its end. */
static uint64_t figures_due(const struct engine *en)
{
	return engine_refresh(en) && !en->unattended ? FIGURES_NS : NSEC_PER_SEC;
}

/* Up to when all events have been added. */
static uint64_t engine_settled_ns(const struct engine *en)
{
	const uint64_t seen = en->sink.offcpu ? offcpu_settled_ns(en->sink.offcpu) : source_seen_ns(en->source);
	const uint64_t summed = en->sink.hits ? hit_sums_settled_ns(en->sink.hits) : UINT64_MAX;

	return seen < summed ? seen : summed;
}

/* Shows what is under way and cannot be told yet: waits that have not ended, blocks of memory that are in use. */
static void engine_show_open(struct engine *en)
{
	struct event_sink rest = { .profile = en->profile, .provisional = &en->open, .insides = en->sink.insides,
				   .turns = en->sink.turns };
	const uint64_t now = source_now_ns(en->source);
	/* Who comes for windows that are over gets waits under way in pieces, once a second. */
	const bool waits = en->sink.offcpu && !en->unattended;
	uint64_t from_ns = now;

	if (!waits && !en->sink.allocs && !en->sink.insides)
		return;
	en->open.n = 0;
	if (waits)
		from_ns = offcpu_rest(en->sink.offcpu, &rest);
	if (en->sink.allocs)
		alloc_facts_in_use(en->sink.allocs, now, &rest);
	if (en->sink.insides)
		insides_rest(en->sink.insides, &rest);
	(void)profile_provisional(en->profile, from_ns, now, en->open.v, en->open.n);
}

/* What goes into the profile, besides what has been walked. */
static void engine_tell_watcher(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	const struct engine *en = ctx;

	if (!raw)
		en->watcher->event(en->watcher->ctx, ev);
}

static void engine_watch(struct engine *en)
{
	char why[META_TEXT];
	bool untold;

	/* One file after the other, and somebody hears of each. */
	pthread_mutex_lock(&en->lock);
	untold = en->saved_new;
	pthread_mutex_unlock(&en->lock);
	if (untold || en->meta.written_when[0])
		return;
	if (!en->watcher->turn(en->watcher->ctx, en, engine_settled_ns(en), why, sizeof(why)))
		return;
	text_format(en->meta.written_when, sizeof(en->meta.written_when), "%s", why);
	atomic_store(&en->save, true);
}

/* Have names been read of what ran when it began? */
static bool engine_has_begun(const struct engine *en, uint64_t now)
{
	const uint64_t passed = now - en->started_ns;

	return passed >= START_MAX_NS || (passed >= START_NS && !en->meta.symbols_pending);
}

/*
 * Rates of the level that what sberf takes has brought about. Until it has begun, files are read that would be read at
 * any rate, by other threads than this one.
 */
static void engine_keep_below(struct engine *en, uint64_t now)
{
	struct profile_meta *m = &en->meta;
	const uint64_t bpf_ns = m->bpf_cpu_ns == META_UNKNOWN ? 0 : m->bpf_cpu_ns;
	uint64_t own_ns;
	uint32_t hz;

	if (!en->ceiling.most)
		return;
	if (!en->ceiling.began && engine_has_begun(en, now))
		ceiling_began(&en->ceiling);
	own_ns = en->ceiling.began ? m->user_cpu_ns : m->engine_cpu_ns;
	if (!ceiling_look(&en->ceiling, own_ns + bpf_ns, now))
		return;
	hz = en->full_hz >> en->ceiling.level;
	atomic_store(&en->wanted_hz, hz ? hz : 1);
	if (en->sink.offcpu)
		offcpu_seldom(en->sink.offcpu, en->ceiling.level);
}

static void engine_housekeeping(struct engine *en, uint64_t now)
{
	if (atomic_exchange(&en->reset, false)) {
		if (en->sink.offcpu)
			offcpu_reset(en->sink.offcpu);
		profile_clear(en->profile);
	}
	set_wakers(en);
	set_numa(en, now);
	if (en->sink.sizes && atomic_load(&en->growing))
		sizes_turn(en->sink.sizes, now);
	engine_serve_rate(en);
	/*
	 * Not up to now: what is held back until it is settled, or waits in the rings, belongs to
	 * slices that are better left open. Each closed one is made anew for what comes late, so
	 * who is late would become later and later.
	 */
	profile_advance(en->profile, engine_settled_ns(en));
	if (now - en->figured_ns >= figures_due(en)) {
		en->figured_ns = now;
		engine_show_figures(en);
		engine_keep_below(en, now);
		if (en->meta.samples != en->slept_samples)
			symbolizer_kick(en->symbolizer);
		en->slept_samples = en->meta.samples;
	}
	if (refresh_due(en, now)) {
		en->published_ns = now;
		engine_show_open(en);
		engine_publish(en);
	}
	engine_serve_recording(en);
	if (en->watcher)
		engine_watch(en);
	if (en->sink.recorder)
		engine_serve_save(en);
	if (en->sink.recorder && now - en->metad_ns >= NSEC_PER_SEC) {
		en->metad_ns = now;
		engine_record_meta(en);
		check_recorder(en);
	}
}

/* Takes in the files that have been loaded, and walks what waited for them. */
static void take_loaded(struct engine *en, uint64_t now_ns)
{
	en->polled_ns = now_ns;
	if (processes_poll(en->ps))
		ingest_retry(en->ingest, now_ns);
}

static bool is_placed_hit(const struct raw_event *ev)
{
	return ev->kind == RAW_EVENT && ev->hit.probe >= RAW_PROBE_PLACED;
}

/* Until the command has executed its program, its process is one of sberf. */
static bool is_before_command(const struct engine *en, const struct raw_event *ev)
{
	return en->child && !en->commanded && ev->pid == en->child;
}

/* A hit whose stack has been walked. */
static void engine_tell_walked(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	const struct engine *en = ctx;

	if (raw && is_placed_hit(raw))
		en->tracer->hit(en->tracer->ctx, raw, ev);
	if (raw && raw->kind == RAW_SAMPLE && en->tracer->sample)
		en->tracer->sample(en->tracer->ctx, raw, ev);
}

/*
 * Until the kernel half is taught, all that comes is copied, and where a CPU is hard to get that
 * may be seconds of work at once: what is learnt in the middle of it must not wait for its end.
 */
static void look_at_hit(struct engine *en, const struct raw_event *ev)
{
	struct told_hit told;

	if (en->looker->hit(en->looker->ctx, ev, &told) && en->sink.recorder && !recorder_hit(en->sink.recorder, &told))
		probes_lose(told.probe, PROBE_LOST_RECORD, 1);
}

static void take_raw(void *ctx, const struct raw_event *ev)
{
	struct engine *en = ctx;
	const uint64_t now = clock_mono_ns();

	if (en->tracer && is_placed_hit(ev)) {
		if (is_before_command(en, ev))
			return;
		if (!en->tracer->stacks || ev->hit.told_only) {
			en->tracer->hit(en->tracer->ctx, ev, NULL);
			return;
		}
	}
	if (en->looker && is_placed_hit(ev) && ev->hit.look && !is_before_command(en, ev))
		look_at_hit(en, ev);
	/* It is no more than that. */
	if (ev->kind == RAW_EVENT && ev->hit.args_only)
		return;
	if (now - en->polled_ns >= POLL_NS)
		take_loaded(en, now);
	en->commanded |= ev->kind == RAW_COMM && ev->comm.exec && ev->pid == en->child;
	target_watch_exec(en->watch, ev, en->meta.executed, sizeof(en->meta.executed));
	if (en->placer)
		placer_event(en->placer, ev);
	if (en->sink.allocs)
		alloc_facts_process(en->sink.allocs, ev);
	if (en->sink.sizes)
		sizes_process(en->sink.sizes, ev);
	if (ev->kind == RAW_WAIT_STACK && en->sink.offcpu)
		offcpu_answered(en->sink.offcpu);
	if (en->scripts)
		scripts_event(en->scripts, ev);
	ingest_raw(en->ingest, ev);
}

static bool engine_loading(const struct engine *en)
{
	struct ingest_figures in;

	ingest_figures(en->ingest, &in);
	return in.parked > 0;
}

/* Tells the tracer up to when it has seen all, which hits that wait for a file hold back for a while. */
static void engine_tell_seen(struct engine *en)
{
	const uint64_t seen_ns = source_seen_ns(en->source);
	const bool held = en->tracer->stacks && engine_loading(en);
	const uint64_t until_ns = held && seen_ns > PARKED_TIME_NS ? seen_ns - PARKED_TIME_NS : seen_ns;

	if (!held || until_ns > en->traced_ns)
		en->traced_ns = until_ns;
	en->tracer->seen(en->tracer->ctx, en->traced_ns);
}

/* A mapping may be among what the side band has lost. At most once a second: each process costs a reading of /proc. */
static void doubt_mappings(struct engine *en, uint64_t now)
{
	const uint64_t lost = source_side_lost(en->source);

	if (lost == en->side_lost || now - en->doubted_ns < NSEC_PER_SEC)
		return;
	en->side_lost = lost;
	en->doubted_ns = now;
	processes_doubt(en->ps);
}

/* Where probes are in programs, a process that is forked has them soon. */
static void engine_born(void *ctx, const struct raw_event *ev)
{
	struct engine *en = ctx;

	if (en->placer)
		placer_event(en->placer, ev);
}

static uint32_t longest_turn(const struct engine *en, uint64_t now)
{
	const bool looked_at = engine_refresh(en) && !en->unattended;

	if ((looked_at && !en->ceiling.level) || en->untold || now - en->started_ns < BEGUN_NS)
		return TURN_SOON_MS;
	return en->sink.offcpu && !en->unattended ? TURN_WAITS_MS : TURN_MS;
}

/*
 * How long the turn that begins NOW waits: not beyond until_ns, and not long while something that
 * was asked for is to come.
 */
static uint32_t turn_ms(struct engine *en, uint64_t now, bool is_loading)
{
	const uint32_t ms = batching_next(&en->turns, ingest_lessons(en->ingest), longest_turn(en, now));
	const uint64_t left = en->until_ns > now ? (en->until_ns - now) / NSEC_PER_MSEC + 1 : 0;

	if (is_loading || target_watch_ending(en->watch) || source_stacks_pending(en->source))
		return BATCHING_MIN_MS;
	return en->until_ns && left < ms ? (uint32_t)left : ms;
}

/*
 * Events of another time do not wait for files by themselves: what is loading when they come has to
 * be there before the next ones do, or the last of them would come first.
 */
static void await_files(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + PARKED_TIME_NS;
	struct pollfd loaded = { .fd = processes_fd(en->ps), .events = POLLIN };

	while (engine_loading(en) && clock_mono_ns() < until) {
		(void)poll(&loaded, 1, RETRY_NS / NSEC_PER_MSEC);
		(void)processes_poll(en->ps);
		ingest_retry(en->ingest, clock_mono_ns());
	}
}

static int engine_turn(struct engine *en, bool flush, struct err *e)
{
	const bool wait = engine_loading(en);
	const uint64_t from = clock_mono_ns();
	int r = source_read(en->source, flush ? 0 : (int)turn_ms(en, from, wait), flush, take_raw, en, e);

	doubt_mappings(en, from);
	if (!source_of_now(en->source))
		await_files(en);
	if (processes_poll(en->ps) || (wait && from - en->retried_ns >= RETRY_NS)) {
		en->retried_ns = from;
		ingest_retry(en->ingest, clock_mono_ns());
	}
	if (r >= 0 && en->sink.offcpu) {
		const int s = offcpu_turn(en->sink.offcpu, e);

		r = s < 0 ? s : r;
	}
	if (r >= 0 && en->sink.hits) {
		const int s = hit_sums_turn(en->sink.hits, from, e);

		r = s < 0 ? s : r;
	}
	if (en->sink.insides)
		insides_tell(en->sink.insides, &en->sink, false);
	if (en->sink.numa)
		numa_facts_turn(en->sink.numa, source_now_ns(en->source));
	if (en->tracer)
		engine_tell_seen(en);
	return r;
}

static bool engine_over(struct engine *en, uint64_t now)
{
	enum target_state state;
	int code = 0;

	if (atomic_load(&en->stop) || source_ended(en->source))
		return true;
	if (target_watch_ended(en->watch, &state, &code)) {
		en->meta.target_state = state;
		en->meta.end_code = code;
		return true;
	}
	return en->duration_ns && now - en->started_ns >= en->duration_ns;
}

/* Does sampling start later than the capture? */
static bool engine_is_later(const struct engine *en)
{
	return en->delay_ns || en->at_real_ns;
}

/* Follows processes until the delay has passed, or the moment has come. */
static int sit_out_delay(struct engine *en, struct err *e)
{
	int r = 0;

	en->until_ns = en->at_real_ns ? en->at_real_ns - clock_real_at(0) : en->started_ns + en->delay_ns;
	while (r >= 0 && clock_mono_ns() < en->until_ns) {
		if (engine_over(en, en->started_ns))
			return 0;
		r = engine_turn(en, false, e);
	}
	engine_begin(en);
	r = r < 0 ? r : source_start(en->source, e);
	if (r >= 0)
		set_numa(en, clock_mono_ns());
	return r;
}

/* A recording gets its names before it is closed. What is being fetched can be seen meanwhile, and given up. */
static void wait_for_names(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + en->names_ns;

	while (!symbolizer_wait(en->symbolizer, FIGURES_NS) && !atomic_load(&en->hurry) && clock_mono_ns() < until)
		engine_show_figures(en);
}

/* Takes the probes off; what they were is known afterwards. */
static void engine_end_placing(struct engine *en)
{
	struct placer *placer = en->placer;

	if (!placer)
		return;
	placer_end(placer);
	pthread_mutex_lock(&en->lock);
	placer_figures(placer, &en->placed);
	en->placer = NULL;
	pthread_mutex_unlock(&en->lock);
	placer_free(placer);
}

void engine_probes(struct engine *en, struct placer_figures *ret)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer)
		placer_figures(en->placer, ret);
	else
		*ret = en->placed;
	pthread_mutex_unlock(&en->lock);
}

bool engine_takes_probes(const struct engine *en)
{
	return en->takes_probes;
}

void engine_add_probe(struct engine *en, const char *text)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer)
		placer_add(en->placer, text);
	pthread_mutex_unlock(&en->lock);
}

void engine_growth(struct engine *en, bool on)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer) {
		placer_growth(en->placer, on ? en->sink.growth_interval : 0);
		atomic_store(&en->growing, on);
	}
	pthread_mutex_unlock(&en->lock);
}

void engine_blocks(struct engine *en, bool on)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer)
		placer_blocks(en->placer, on ? en->sink.alloc_interval : 0);
	pthread_mutex_unlock(&en->lock);
}

bool engine_growing(const struct engine *en)
{
	return atomic_load(&en->growing);
}

void engine_remove_probe(struct engine *en, uint32_t probe)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer)
		placer_remove(en->placer, probe);
	pthread_mutex_unlock(&en->lock);
}

bool engine_probe_told(struct engine *en, struct placer_answer *ret)
{
	bool any;

	pthread_mutex_lock(&en->lock);
	any = en->placer && placer_told(en->placer, ret);
	pthread_mutex_unlock(&en->lock);
	return any;
}

void engine_targets(struct engine *en, u32_vec *ret)
{
	pthread_mutex_lock(&en->lock);
	if (en->placer)
		placer_targets(en->placer, ret);
	pthread_mutex_unlock(&en->lock);
}

static void engine_count_left(struct engine *en)
{
	struct source_stats st;

	source_stats(en->source, &st);
	pthread_mutex_lock(&en->lock);
	en->placed.left = st.left;
	pthread_mutex_unlock(&en->lock);
}

void engine_spans(struct engine *en, source_span_fn *each, void *ctx)
{
	source_spans(en->source, each, ctx);
}

static void engine_finish(struct engine *en)
{
	const uint64_t until = clock_mono_ns() + SETTLE_NS;
	struct err e = ERR_INIT;
	int r;

	engine_serve_recording(en);
	if (en->sink.hits)
		hit_sums_stop(en->sink.hits);
	engine_end_placing(en);
	source_stop(en->source);
	engine_count_left(en);
	en->stopped_ns = source_now_ns(en->source);
	/* The last look has stacks walked: what was mapped before the end has to be known by then. */
	(void)source_read(en->source, 0, true, take_raw, en, NULL);
	if (en->sink.offcpu)
		offcpu_last(en->sink.offcpu, en->stopped_ns);
	do {
		r = engine_turn(en, true, &e);
	} while ((r > 0 || (r == 0 && engine_loading(en))) && clock_mono_ns() < until);
	ingest_settle(en->ingest);
	ingest_end(en->ingest);
	if (en->tracer)
		en->tracer->seen(en->tracer->ctx, UINT64_MAX);
	if (en->sink.offcpu)
		offcpu_finish(en->sink.offcpu);
	if (en->sink.hits)
		hit_sums_finish(en->sink.hits);
	if (en->sink.allocs)
		alloc_facts_finish(en->sink.allocs, en->stopped_ns);
	if (en->sink.sizes && atomic_load(&en->growing))
		sizes_finish(en->sink.sizes, en->stopped_ns);
	(void)profile_provisional(en->profile, 0, 0, NULL, 0);
	if (en->sink.numa)
		numa_facts_finish(en->sink.numa);
	if (en->sink.insides)
		insides_tell(en->sink.insides, &en->sink, true);
	source_finish(en->source);
	profile_advance(en->profile, clock_mono_ns());
	symbolizer_look_again(en->symbolizer);
	if (en->sink.recorder && !recorder_status(en->sink.recorder, NULL))
		wait_for_names(en);
	engine_measure(en);
	if (en->sink.recorder)
		engine_recorder_finish(en);
	engine_publish(en);
	pthread_mutex_lock(&en->lock);
	en->shown = en->meta;
	atomic_store(&en->ended, true);
	pthread_cond_broadcast(&en->changed);
	pthread_mutex_unlock(&en->lock);
	/* It cannot fail: the value is far from its end. */
	(void)eventfd_write(en->end_fd, 1);
}

static void *engine_main(void *arg)
{
	struct engine *en = arg;
	struct err e = ERR_INIT;
	int r = 0;

	/*
	 * Whoever looks at the threads of sberf finds the one that costs, and knows that all is in
	 * place when it is there.
	 */
	pthread_setname_np(pthread_self(), "sberf-engine");
	en->turning = true;
	ingest_begin(en->ingest);
	if (engine_is_later(en))
		r = sit_out_delay(en, &e);
	if (r >= 0 && en->sink.offcpu)
		offcpu_start(en->sink.offcpu);
	en->until_ns = en->duration_ns ? en->started_ns + en->duration_ns : 0;
	while (r >= 0 && !engine_over(en, clock_mono_ns())) {
		r = engine_turn(en, false, &e);
		engine_housekeeping(en, clock_mono_ns());
	}
	if (r < 0)
		engine_fail(en, r, &e);
	engine_finish(en);
	return NULL;
}

/* ---- life ---- */

static int open_root(void *ctx, module_id module)
{
	return processes_open_root(ctx, module);
}

static enum script_answer open_script(void *ctx, uint64_t offset, struct script_name *ret)
{
	return scripts_name(ctx, offset, ret);
}

static int open_process(void *ctx, module_id module)
{
	return processes_open_process(ctx, module);
}

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

static int build_ingest(struct engine *en, const struct capture_plan *plan, struct err *e)
{
	const struct ingest_config c = {
		.ps = en->ps,
		.dict = profile_dict(en->profile),
		.sink = &en->sink,
		.source = en->source,
		.waits = plan->off_cpu,
		.numa = plan->numa != NUMA_OFF,
		.stack_fixed = plan->stack_fixed,
		.stack_bytes = source_first_copy(en->source),
		.of_now = !plan->replay, .tables_only = plan->tables_only, .no_callers = plan->no_callers,
		.book = source_rulebook(en->source),
		.scripts = en->scripts,
	};

	const int r = ingest_new(&c, &en->ingest, e);

	if (r >= 0)
		source_on_stranger(en->source, ingest_stranger, en->ingest);
	source_on_birth(en->source, engine_born, en);
	return r;
}

static int build_offcpu(struct engine *en, const struct capture_plan *plan, struct err *e)
{
	const struct offcpu_config c = {
		.source = en->source,
		.ps = en->ps,
		.profile = en->profile,
		.ingest = en->ingest,
		.sink = &en->sink,
		.every_wait = plan->every_wait,
		.seldom = en->unattended,
		.freq_hz = plan->freq_hz,
		.longest_period_ns = en->watcher ? en->watcher->least_wait_ns : 0,
	};

	en->telling_wakers = plan->wakers;
	atomic_init(&en->wakers, plan->wakers);
	if (!plan->off_cpu)
		return 0;
	en->sink.turns = lock_turns_new(profile_dict(en->profile));
	return en->sink.turns ? offcpu_new(&c, &en->sink.offcpu, e) : err_nomem(e, "holders of locks");
}

static int engine_build_numa(struct engine *en, const struct engine_config *c, struct err *e)
{
	struct numa_facts_config n = {
		.source = en->source,
		.ps = en->ps,
		.profile = en->profile,
		.sink = &en->sink,
		.placement = c->placement,
	};
	int r;

	if (c->plan.numa == NUMA_OFF)
		return 0;
	if (!n.placement.query && collector_is_there())
		n.placement.query = ask_pages;
	r = numa_facts_new(&n, &en->sink.numa, e);
	if (r >= 0)
		atomic_init(&en->sampling_numa, c->plan.numa == NUMA_ON || numa_facts_has_nodes(en->sink.numa));
	return r;
}

/* Will stacks be walked by mappings that have changed, until that has had its turn? */
static bool walks_untold(const struct engine *en)
{
	struct source_stats st;

	source_stats(en->source, &st);
	return source_rulebook(en->source) && !st.features->mmap_lock;
}

/* The end of what is watched is seen at once. */
static int build_watch(struct engine *en, const struct engine_config *c, struct err *e)
{
	const int r = target_watch_new(&c->plan, c->child, &en->watch, e);

	return r < 0 ? r : target_watch_call(en->watch, en->source, e);
}

static int engine_open_recorder(struct engine *en, const struct recorder_config *c, struct err *e)
{
	return c->path ? recorder_open(c, profile_dict(en->profile), en->names, &en->meta, &en->sink.recorder, e) : 0;
}

static int engine_build(struct engine *en, const struct engine_config *c, struct err *e)
{
	const struct profile_limits limits = { .bytes = c->profile_bytes, .slice_ns = c->slice_ns };
	struct module_opener opener = { .open = open_module, .root = open_root, .process = open_process };
	struct symbolizer_options symbols = c->symbols;
	int r = runtime_plugins_new(&c->plugins, &en->plugins, e);

	r = r < 0 ? r : source_open(&c->plan, &en->source, e);
	if (r < 0)
		return r;
	r = list_processes(en, &c->plan, e);
	if (r < 0)
		return r;
	en->profile = en->sink.profile = profile_new(&limits);
	en->names = names_new();
	if (!en->profile || !en->names)
		return err_nomem(e, "the profile");
	if (c->symbols.in_worker) {
		image_worker_use();
		en->uses_image_worker = true;
	}
	en->ps = processes_new(profile_dict(en->profile), e);
	if (!en->ps)
		return -ENOMEM;
	if (source_of_now(en->source)) {
		processes_name_containers(en->ps, container_name_cgroup);
		en->pressure = pressure_figures_new(&c->plan);
	} else {
		processes_recorded(en->ps);
	}
	opener.ctx = en->ps;
	if (source_of_now(en->source) && !c->plan.no_callers) {
		r = scripts_new(en->source, profile_dict(en->profile), en->ps, en->plugins, &en->scripts, e);
		if (r < 0)
			return r;
		opener.script = open_script;
		opener.script_ctx = en->scripts;
	}
	symbols.plugins = en->plugins;
	r = symbolizer_new(profile_dict(en->profile), en->names, &opener, &symbols, &en->symbolizer, e);
	if (r < 0)
		return r;
	en->untold = walks_untold(en);
	r = build_watch(en, c, e);
	if (r < 0)
		return r;
	r = engine_open_recorder(en, &c->record, e);
	if (r < 0)
		return r;
	r = build_ingest(en, &c->plan, e);
	r = r < 0 ? r : build_offcpu(en, &c->plan, e);
	if (r >= 0 && c->plan.sum_hits) {
		en->sink.hits = hit_sums_new(en->source, en->ps, &en->sink);
		r = en->sink.hits ? r : err_nomem(e, "probes");
	}
	atomic_init(&en->growing, c->plan.growth_interval || c->plan.alloc_interval);
	en->sink.alloc_interval = c->plan.alloc_interval ? c->plan.alloc_interval : ALLOC_INTERVAL_DEFAULT;
	en->sink.growth_interval = c->plan.growth_interval ? c->plan.growth_interval : growth_interval_of(&c->plan);
	if (r >= 0 && (c->plan.growth_interval || c->plan.alloc_interval || c->plan.probes_may_come) &&
	    source_of_now(en->source)) {
		en->sink.sizes = sizes_new(en->ps, profile_dict(en->profile), &en->sink);
		r = en->sink.sizes ? r : err_nomem(e, "sizes of memory");
		for (size_t i = 0; r >= 0 && i < en->scan.n; i++)
			sizes_add(en->sink.sizes, en->scan.v[i]);
	}
	if (r >= 0 && c->plan.alloc_interval) {
		en->sink.allocs = alloc_facts_new(&(struct alloc_facts_config){
			.interval = c->plan.alloc_interval, .frees = c->plan.alloc_frees, .sink = &en->sink });
		r = en->sink.allocs ? r : err_nomem(e, "blocks of memory");
	}
	if (r >= 0 && (capture_tells_insides(&c->plan) || !source_of_now(en->source))) {
		en->sink.insides = insides_new();
		r = en->sink.insides ? r : err_nomem(e, "probes");
	}
	return r < 0 ? r : engine_build_numa(en, c, e);
}

int engine_new(const struct engine_config *c, struct engine **ret, struct err *e)
{
	AUTO(engine_free) struct engine *en = calloc(1, sizeof(*en));
	int r;

	if (!en)
		return err_nomem(e, "the engine");
	en->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	thread_mutex_init(&en->lock);
	thread_cond_init(&en->changed);
	atomic_init(&en->refresh_ns, c->refresh_ns);
	en->duration_ns = c->duration_ns;
	en->delay_ns = c->delay_ns;
	en->at_real_ns = c->at_real_ns;
	en->keep_ns = c->record.keep_ns;
	en->recorder_spare = c->record_spare;
	en->takes_probes = c->placing && c->plan.probes_may_come;
	en->placing = c->placing;
	en->no_programs = c->no_programs;
	en->probe_budget = c->probe_budget;
	en->hits_bounded = c->plan.hits_bounded;
	en->probes_everywhere = c->probes_everywhere;
	en->tracer = c->tracer;
	en->looker = c->looker;
	en->watcher = c->watcher;
	en->ceiling.most = c->max_cpu;
	en->unattended = c->unattended;
	en->full_hz = c->plan.freq_hz;
	en->child = c->child;
	if (c->tracer && c->tracer->stacks) {
		en->sink.observer = engine_tell_walked;
		en->sink.observer_ctx = en;
	}
	if (c->watcher) {
		en->sink.observer = engine_tell_watcher;
		en->sink.observer_ctx = en;
	}
	en->names_ns = c->symbols.debuginfod ? FETCH_NS : NAMES_NS;
	engine_describe(en, c);
	if (en->end_fd < 0)
		return err_set(e, errno, "cannot make an event descriptor: %s", strerror(errno));
	r = engine_build(en, c, e);
	if (r < 0)
		return r;
	if (c->cpu_level) {
		en->ceiling.level = c->cpu_level;
		atomic_store(&en->wanted_hz, en->full_hz >> c->cpu_level ? en->full_hz >> c->cpu_level : 1);
		if (en->sink.offcpu)
			offcpu_seldom(en->sink.offcpu, c->cpu_level);
	}
	engine_show_figures(en);
	*ret = take_ptr(en);
	return 0;
}

static int begin_placing(struct engine *en, struct err *e)
{
	struct placer_config c = {
		.what = en->placing, .source = en->source, .pids = (const uint32_t *)en->scan.v, .n = en->scan.n,
		.budget = en->probe_budget, .thins = en->hits_bounded,
		.everywhere = en->probes_everywhere, .no_programs = en->no_programs,
	};
	u32_vec all = { 0 };
	int r = 0;

	if (c.everywhere && placing_in_programs(en->placing)) {
		r = lookup_by_name(NULL, &all, e);
		c.pids = all.v;
		c.n = all.n;
	}
	r = r < 0 ? r : placer_new(&c, &en->placer, e);
	vec_free(&all);
	return r;
}

int engine_start(struct engine *en, struct err *e)
{
	sigset_t all, old;
	int r = source_prepare(en->source, e);

	/* A collector looks at none but targets, which they are from here on. */
	if (r >= 0 && en->scripts)
		scripts_expect(en->scripts, en->scan.v, en->scan.n);
	if (r >= 0)
		r = processes_scan(en->ps, en->scan.v, en->scan.n, e);
	if (r >= 0 && en->placing)
		r = begin_placing(en, e);
	if (r < 0)
		return r;
	engine_begin(en);
	if (!engine_is_later(en))
		r = source_start(en->source, e);
	if (r < 0)
		return r;
	/* Before a command goes: what it touches first, it touches soon. */
	if (!engine_is_later(en))
		set_numa(en, clock_mono_ns());
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
	const struct timespec ts = clock_timespec(clock_mono_ns() + timeout_ns);
	int r = 0;

	pthread_mutex_lock(&en->lock);
	while (!atomic_load(&en->ended) && r != ETIMEDOUT)
		r = timeout_ns ? pthread_cond_timedwait(&en->changed, &en->lock, &ts) :
			pthread_cond_wait(&en->changed, &en->lock);
	pthread_mutex_unlock(&en->lock);
	return atomic_load(&en->ended);
}

int engine_end_fd(const struct engine *en)
{
	return en->end_fd;
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

const struct dict *engine_dict(const struct engine *en)
{
	return profile_dict(en->profile);
}

const struct names *engine_names(const struct engine *en)
{
	return en->names;
}

struct symbolizer *engine_symbolizer(const struct engine *en)
{
	return en->symbolizer;
}

struct processes *engine_processes(const struct engine *en)
{
	return en->ps;
}

void engine_wakers(struct engine *en, bool on)
{
	atomic_store(&en->wakers, on);
	source_wake(en->source);
}

void engine_numa(struct engine *en, bool on)
{
	atomic_store(&en->sampling_numa, on);
	source_wake(en->source);
}

bool engine_can_numa(const struct engine *en)
{
	return en->sink.numa;
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
	placer_free(en->placer);
	engine_recorder_free(en);
	snapshot_unref(en->snapshot);
	ingest_free(en->ingest);
	offcpu_free(en->sink.offcpu);
	hit_sums_free(en->sink.hits);
	alloc_facts_free(en->sink.allocs);
	sizes_free(en->sink.sizes);
	vec_free(&en->open);
	insides_free(en->sink.insides);
	lock_turns_free(en->sink.turns);
	numa_facts_free(en->sink.numa);
	symbolizer_free(en->symbolizer);
	scripts_free(en->scripts);
	plugins_free(en->plugins);
	pressure_figures_free(en->pressure);
	target_watch_free(en->watch);
	processes_free(en->ps);
	if (en->uses_image_worker)
		image_worker_end();
	names_free(en->names);
	profile_free(en->profile);
	source_free(en->source);
	free(en->scan.v);
	if (en->end_fd >= 0)
		close(en->end_fd);
	pthread_cond_destroy(&en->changed);
	pthread_mutex_destroy(&en->lock);
	free(en);
}
