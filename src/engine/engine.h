/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - the thread that owns all mutable state of a capture: it reads a source, follows
 * processes, unwinds, feeds the profile and the recorder, and never waits for a file or the screen.
 *
 * How a raw event becomes a fact, call by call, is in docs/architecture.md, "From the ring to the
 * profile"; event_sink.h is where all of them meet.
 *
 * Views and exporters ask for snapshots and status. The engine takes their lock only to hand over a
 * finished value.
 */
#ifndef SBERF_ENGINE_ENGINE_H
#define SBERF_ENGINE_ENGINE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "numa/placement.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "record/recording.h"
#include "symbol/runtime_names.h"
#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct placer_answer;
struct placer_figures;
struct source_span;
struct placing;
struct processes;
struct told_hit;

/* Sees each hit of the probes that somebody placed, on the engine's thread. */
struct engine_tracer {
	/*
	 * RAW was hit, with the stack EV->stack; EV is NULL without STACKS. RAW is valid during the
	 * call. NULL = no probe is placed.
	 */
	void (*hit)(void *ctx, const struct raw_event *raw, const struct event *ev);
	/* A sample RAW has the stack EV->stack; NULL = samples are not told. Only with STACKS */
	void (*sample)(void *ctx, const struct raw_event *raw, const struct event *ev);
	/* Every hit before NS has been told; of those whose stack waits for a file, the late ones come later. */
	void (*seen)(void *ctx, uint64_t ns);
	void *ctx;
	bool stacks;             /* hits are unwound, and counted in the profile; else they are only told */
};

/* Sees each event, and says when the flight recorder is to be written; on the engine's thread (session/when.h). */
struct engine_watcher {
	void (*event)(void *ctx, const struct event *ev);
	/* Every event before SETTLED_NS has been seen. true: it is to be written now, for what WHY says (SIZE bytes) */
	bool (*turn)(void *ctx, const struct engine *en, uint64_t settled_ns, char *why, size_t size);
	void *ctx;
	uint64_t least_wait_ns;  /* waits of that length are told one by one; 0 = it does not matter */
};

/* Sees each hit whose arguments are looked at (raw_hit.look), on the engine's thread. */
struct engine_looker {
	/* true: *RET is what is recorded of it */
	bool (*hit)(void *ctx, const struct raw_event *raw, struct told_hit *ret);
	void *ctx;
};

struct engine_config {
	struct capture_plan plan;        /* borrowed until engine_new() returns */
	struct symbolizer_options symbols;       /* but for its plug-ins */
	struct runtime_plugins plugins;
	struct recorder_config record;   /* no path = no recording */
	/* the capture survives a failed recording; engine_saved() reports it */
	bool record_spare;
	const struct placing *placing;   /* probes in programs; outlives the engine; NULL = none */
	/* what their hits may cost the target, in millionths of one CPU; BUDGET_NONE: no bound (budget.h) */
	uint32_t probe_budget;
	bool probes_everywhere;          /* in every process, not only in those of the target */
	/*
	 * with plan.probes_may_come: why none can be added in programs, a sentence; NULL = they can. It outlives
	 * the engine
	 */
	const char *no_programs;
	const struct engine_tracer *tracer;      /* outlives the engine; NULL = none */
	const struct engine_looker *looker;      /* the same; only with plan.look */
	const struct engine_watcher *watcher;    /* the same; only with record.keep_ns, and without TRACER */
	const char *target_text;         /* for the header: what the user asked for */
	const char *cmdline;             /* sberf's own, for the recording */
	uint64_t refresh_ns;             /* how often a snapshot is published; 0 = never (record) */
	/*
	 * nobody looks on: what is published may be a second older, and fewer waits are told one by one, in proportion
	 * to the sampling rate
	 */
	bool unattended;
	/* the command that sberf started; its end ends the capture; 0 = none */
	pid_t child;
	uint64_t duration_ns;            /* 0 = until stopped */
	uint64_t delay_ns;               /* before sampling starts, */
	uint64_t at_real_ns;             /* or when it starts, CLOCK_REALTIME; 0 = after the delay */
	/* what sberf may take, its BPF programs included, in millionths of one CPU (ceiling.h); 0 = what it takes */
	uint32_t max_cpu;
	uint32_t cpu_level;              /* the level to begin with */
	uint64_t profile_bytes;          /* memory limit of the profile; 0 = default */
	uint64_t slice_ns;               /* of its new slices; 0 = default */
	struct placement_config placement;       /* where pages are found; zeroed = ask the kernel */
};

/*
 * Opens everything, disabled, so that errors come before the terminal is touched. On success *RET
 * is the caller's; else a negative errno with a sentence.
 */
int engine_new(const struct engine_config *c, struct engine **ret, struct err *e);

/* Starts sampling and the engine thread. 0 or a negative errno with a sentence. */
int engine_start(struct engine *en, struct err *e);

/* Asks the engine to finish; async-signal-safe. Returns at once. */
void engine_stop(struct engine *en);

/* As engine_stop(), and does not wait for symbols still being looked up. Not async-signal-safe. */
void engine_hurry(struct engine *en);

/*
 * Waits for the end of the capture (stop, end of the target, duration), TIMEOUT_NS at most (0 = for
 * ever). True when it has ended.
 */
bool engine_wait(struct engine *en, uint64_t timeout_ns);

/*
 * A descriptor that is readable once the capture has ended, for callers that poll; owned by the
 * engine.
 */
int engine_end_fd(const struct engine *en);

/*
 * The outcome, once engine_wait() has returned true: 0, or a negative errno with a sentence (disk
 * full, source lost).
 */
int engine_result(struct engine *en, struct err *e);

/* The latest published snapshot; the caller drops the reference. NULL when there is none yet. */
struct snapshot *engine_snapshot(struct engine *en);
/* The number of snapshots published so far. */
uint64_t engine_published(const struct engine *en);

/* The present figures. */
void engine_status(struct engine *en, struct profile_meta *ret);

/* Valid as long as the engine. */
const struct dict *engine_dict(const struct engine *en);
const struct names *engine_names(const struct engine *en);
struct symbolizer *engine_symbolizer(const struct engine *en);

/* Only for processes_open_code() and processes_open_source(), which any thread may call. */
struct processes *engine_processes(const struct engine *en);

/* What was placed of the probes in programs; all zero when there are none. Any thread. */
void engine_probes(struct engine *en, struct placer_figures *ret);

/*
 * Probes while the capture runs, which was opened with plan.probes_may_come: as placer_add(),
 * placer_remove() and placer_told() (placer.h). Any thread.
 */
bool engine_takes_probes(const struct engine *en);
void engine_add_probe(struct engine *en, const char *text);
void engine_remove_probe(struct engine *en, uint32_t probe);
/*
 * As placer_growth(), by the interval of the capture; and whether memory is followed, in that way, which was
 * asked for last, or by allocation. Any thread.
 */
void engine_growth(struct engine *en, bool on);
bool engine_growing(const struct engine *en);
/* As placer_blocks(), by the interval of the capture, or the default one. Any thread. */
void engine_blocks(struct engine *en, bool on);
bool engine_probe_told(struct engine *en, struct placer_answer *ret);
/* The same as placer_targets(). */
void engine_targets(struct engine *en, u32_vec *ret);

/* Tells of the probes that are spans (capture/source.h). Any thread. */
void engine_spans(struct engine *en, void (*each)(void *ctx, uint32_t probe, const struct source_span *span),
		  void *ctx);

/* Commands, for any thread. They return at once; the engine thread carries them out. */
void engine_wakers(struct engine *en, bool on);  /* name who ends waits; no effect without off_cpu */
void engine_numa(struct engine *en, bool on);    /* sample addresses and faults; no effect with NUMA_OFF */
bool engine_can_numa(const struct engine *en);   /* plan.numa was not NUMA_OFF */
void engine_reset(struct engine *en);            /* forget everything seen so far */
void engine_set_rate(struct engine *en, uint32_t hz);    /* sampling rate, within the kernel's limits */
void engine_set_refresh(struct engine *en, uint64_t ns); /* interval between snapshots */
uint64_t engine_refresh(const struct engine *en);        /* that interval, ns */
/* Whether a change of the rate has failed since the last call; E says why. */
bool engine_rate_failed(struct engine *en, struct err *e);

/*
 * Writes the contents of the flight recorder (record.keep_ns) to a file. Async-signal-safe; returns
 * at once.
 */
void engine_save(struct engine *en);
/*
 * Whether, since the last call, an engine_save() has finished or failed, or a recording beside the
 * capture (record_spare, engine_record()) has failed or ended with it. *RET says how; of several,
 * the last.
 */
bool engine_saved(struct engine *en, struct recorder_saved *ret);

/* What is being recorded beside the capture. Never waits. */
void engine_recording(struct engine *en, struct recording_status *ret);

/*
 * Records into the new file PATH from now on, until engine_record_end() or the end of the capture.
 * Waits for the disk. Later failures do not end the capture. 0 or a negative errno with a sentence;
 * -EBUSY: a recording or a flight recorder is running.
 */
int engine_record(struct engine *en, const char *path, struct err *e);
/*
 * Ends the recording; *RET describes the file. Waits for the disk, and some seconds for symbols
 * still being looked up. 0, or a negative errno with a sentence; what was written before the
 * failure is readable.
 */
int engine_record_end(struct engine *en, struct recorder_saved *ret, struct err *e);

/* stops the capture first; NULL is fine; return all snapshots before */
void engine_free(struct engine *en);

DEFINE_AUTO(engine_free, struct engine);

#endif
