/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_private.h - shared by the files of the engine. */
#ifndef SBERF_ENGINE_ENGINE_PRIVATE_H
#define SBERF_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/batching.h"
#include "engine/ceiling.h"
#include "engine/event_sink.h"
#include "engine/hit_sums.h"
#include "engine/ingest.h"
#include "engine/numa_facts.h"
#include "engine/offcpu.h"
#include "engine/placer.h"
#include "engine/pressure_figures.h"
#include "engine/scripts.h"
#include "engine/target.h"
#include "numa/state.h"
#include "process/process.h"
#include "record/recording.h"

#include <pthread.h>
#include <stdatomic.h>

#define FIGURES_NS (200 * NSEC_PER_MSEC)

struct engine {
	/* The engine thread owns these from engine_start() to the end. */
	struct source *source;
	struct processes *ps;
	bool uses_image_worker;
	struct profile *profile;
	struct names *names;
	struct symbolizer *symbolizer;
	struct plugins *plugins;         /* the same for any thread */
	struct event_sink sink;          /* its recorder is that of this capture; NULL = no recording */
	fact_list open;                  /* what is shown before it is told, in the making */
	bool recorder_spare;             /* the capture survives its failure */
	bool recorder_midway;            /* it joined a running capture; so it is spare, too */
	struct ingest *ingest;
	struct scripts *scripts;         /* NULL = frames of scripts are not looked for */
	struct target_watch *watch;
	struct pressure_figures *pressure;       /* NULL = none */
	const struct placing *placing;   /* what PLACER is to place; NULL = nothing */
	uint32_t probe_budget;           /* engine_config.probe_budget */
	bool hits_bounded;               /* engine_config.plan.hits_bounded */
	bool probes_everywhere;          /* engine_config.probes_everywhere */
	const char *no_programs;         /* engine_config.no_programs */
	bool takes_probes;               /* plan.probes_may_come */
	struct placer *placer;           /* from engine_start() on; NULL = none */
	struct placer_figures placed;    /* of it, when it has ended */
	const struct engine_tracer *tracer;      /* NULL = none */
	const struct engine_looker *looker;      /* NULL = none */
	struct ceiling ceiling;          /* of what sberf takes */
	bool unattended;                 /* engine_config.unattended */
	uint32_t full_hz;                /* the rate at its level 0 */
	const struct engine_watcher *watcher;    /* NULL = none */
	uint64_t traced_ns;              /* every hit before has been told to it */
	pid_t child;                     /* the command that sberf started; 0 = none */
	bool commanded;                  /* it has executed its program */
	uint64_t duration_ns, delay_ns, at_real_ns, names_ns, keep_ns;
	VEC(pid_t) scan;                 /* processes to read at the start; none = all */
	struct batching turns;
	/* the kernel half does not hear of changed mappings unless it is taught */
	bool untold;
	uint64_t until_ns;               /* end of the present phase, 0 = open */
	uint64_t started_ns, published_ns, figured_ns, metad_ns;
	uint64_t rss_ns;                 /* when sberf's own memory was last measured */
	uint64_t stopped_ns;             /* 0 = it runs */
	/* lost side-band records, and when mappings were last doubted because of them */
	uint64_t side_lost, doubted_ns;
	uint64_t polled_ns;              /* when loaded files were last taken in while events came */
	uint64_t retried_ns;             /* when parked events were last retried */
	uint64_t own_base_ns;            /* CPU time before the capture, with that of those that work for sberf */
	uint64_t spawned_ns;             /* of these alone (base/spawn.h), when rss_ns was */
	/* measuring the effective rate: since when, from which figures */
	uint64_t rate_ns, rate_gaps, rate_gaps_ns;
	uint32_t rate_hz;
	/* changes of the rate, in all and when the recorder came */
	unsigned int rate_changes, recorder_rate;
	uint64_t slept_samples;          /* samples when the names were last kicked */
	struct profile_meta meta;        /* the engine thread's own copy */
	bool turning;                    /* the engine thread has begun */
	bool telling_wakers;             /* the source names wakers */
	uint64_t numa_next_ns;           /* not to be switched before this time */

	int end_fd;                      /* an event descriptor */
	pthread_t thread;
	bool running;                    /* thread was created and not joined */
	atomic_bool stop, reset, hurry, ended, save;
	atomic_bool growing;             /* growth of memory is followed, or was asked for */
	atomic_bool wakers;              /* wanted */
	atomic_bool sampling_numa;       /* wanted */
	_Atomic uint32_t wanted_hz;      /* a new rate; 0 = no change */
	_Atomic uint64_t refresh_ns;
	_Atomic uint64_t published;

	pthread_mutex_t lock;            /* protects what follows */
	pthread_cond_t changed;
	struct snapshot *snapshot;
	struct profile_meta shown;
	int result;
	struct err error;
	struct err rate_error;           /* why the rate could not be changed */
	struct recorder_saved saved;     /* the last one */
	bool saved_new;
	struct {
		enum recording_state state;      /* of a recording begun in a running capture */
		struct recorder *fresh;  /* opened, for the engine to take in */
		struct recorder *done;   /* released by the engine, to be closed */
		struct profile_meta done_meta;
		bool let_go;             /* the engine shall release its recorder */
		bool keeping;            /* a flight recorder runs */
		uint64_t bytes;
	} rec;
};

/* ---- engine.c ---- */

/* The time as the source has it. */
static inline uint64_t engine_now(const struct engine *en)
{
	return !en->source || source_of_now(en->source) ? clock_mono_ns() : source_now_ns(en->source);
}

/* Ends the capture with RESULT, a negative errno, and the sentence E. */
void engine_fail(struct engine *en, int result, const struct err *e);

/* ---- recorder_slot.c: for the engine thread ---- */

/* Whether the capture goes on when the recorder fails. */
bool engine_recorder_spare(const struct engine *en);
/* Takes in a recorder, or releases it, when another thread has asked for that. */
void engine_serve_recording(struct engine *en);
/* Gives the recorder the present figures. Only with a recorder. */
void engine_record_meta(struct engine *en);
/* Passes an engine_save() on to the recorder, and its outcome back. Only with a recorder. */
void engine_serve_save(struct engine *en);
/*
 * Whether the recorder has failed in a way that ends the capture; E says why. A spare one that
 * failed is released.
 */
bool engine_recorder_failed(struct engine *en, struct err *e);
/* Ends the recording at the end of the capture. */
void engine_recorder_finish(struct engine *en);
/* Closes what is left, after the engine thread has ended. */
void engine_recorder_free(struct engine *en);
/* Updates rec.keeping and rec.bytes; call with the lock held. */
void engine_show_recording(struct engine *en);

/* ---- pace.c: for the engine thread ---- */

/* Changes the rate, when another thread has asked for that. */
void engine_serve_rate(struct engine *en);
/* The present figures as they hold for the recording. */
void engine_recorded_meta(const struct engine *en, struct profile_meta *ret);

/* ---- capture_figures.c ---- */

/* Fills in the figures known before the capture begins. */
void engine_describe(struct engine *en, const struct engine_config *c);
/* Call when the capture begins. */
void engine_begin(struct engine *en);
/* Updates the engine thread's own figures. */
void engine_measure(struct engine *en);
/* Publishes them to other threads. */
void engine_show_figures(struct engine *en);

#endif
