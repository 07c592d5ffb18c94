/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_private.h - what the files of the engine share. */
#ifndef SBERF_ENGINE_ENGINE_PRIVATE_H
#define SBERF_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/batching.h"
#include "engine/event_sink.h"
#include "engine/ingest.h"
#include "engine/numa_facts.h"
#include "engine/offcpu.h"
#include "engine/target.h"
#include "numa/state.h"
#include "process/process.h"
#include "record/recording.h"

#include <pthread.h>
#include <stdatomic.h>

#define FIGURES_NS (200 * NSEC_PER_MSEC)

struct engine {
	/* What it works on. The engine thread owns all of it between engine_start() and the end. */
	struct source *source;
	struct processes *ps;
	struct profile *profile;
	struct names *names;
	struct symbolizer *symbolizer;
	struct event_sink sink;          /* its recorder is the one of this capture; NULL = nothing is recorded */
	bool recorder_spare;             /* when it fails, the capture goes on */
	bool recorder_midway;            /* it was taken in while the capture went on; so it is spare, too */
	struct numa_state *numa_last;    /* a reference; NULL = none yet */
	struct ingest *ingest;
	struct target_watch *watch;
	uint64_t duration_ns, delay_ns, names_ns, keep_ns;
	VEC(pid_t) scan;                 /* processes to read at the start; none = all */
	struct batching turns;
	bool untold;                     /* the kernel half does not know that mappings have changed before it is taught so */
	uint64_t until_ns;               /* when what goes on now is to end, 0 = that is open */
	uint64_t started_ns, published_ns, figured_ns, metad_ns;
	uint64_t rss_ns;                 /* when memory of sberf itself was measured last */
	uint64_t stopped_ns;             /* 0 = it runs */
	uint64_t side_lost, doubted_ns;  /* records of the side band that were lost, and when mappings were doubted for it */
	uint64_t polled_ns;              /* when files that were loaded were taken in while events came */
	uint64_t retried_ns;             /* when what waits for files was tried again */
	uint64_t own_base_ns;            /* CPU time of this process before the capture */
	uint64_t rate_ns, rate_gaps, rate_gaps_ns;       /* since when, and from what, the rate is being measured */
	uint32_t rate_hz;
	unsigned int rate_changes, recorder_rate;        /* how often it was changed, and had been when the recorder came */
	uint64_t slept_samples;          /* samples when the names were last kicked */
	struct profile_meta meta;        /* the engine thread's own copy */
	bool turning;                    /* the engine thread has begun */
	bool telling_wakers;             /* the source does */
	uint64_t numa_next_ns;           /* not to be switched on or off before */

	int end_fd;                      /* an event descriptor */
	pthread_t thread;
	bool running;                    /* thread was created and not joined */
	atomic_bool stop, reset, hurry, ended, save;
	atomic_bool wakers;              /* are asked for */
	atomic_bool sampling_numa;       /* is asked for */
	_Atomic uint32_t wanted_hz;      /* another rate is asked for; 0 = none is */
	_Atomic uint64_t refresh_ns;
	_Atomic uint64_t published;

	pthread_mutex_t lock;            /* of what follows */
	pthread_cond_t changed;
	struct snapshot *snapshot;
	struct profile_meta shown;
	int result;
	struct err error;
	struct err rate_error;           /* why another rate could not be had */
	struct recorder_saved saved;     /* the last one */
	bool saved_new;
	struct {
		enum engine_recording_state state;       /* of a recording that was begun midway */
		struct recorder *fresh;  /* opened, to be taken in */
		struct recorder *done;   /* given away, to be closed */
		struct profile_meta done_meta;
		bool let_go;             /* the recorder is to be given away */
		bool keeping;            /* a flight recorder runs */
		uint64_t bytes;
		char path[512];
	} rec;
};

/* ---- engine.c ---- */

/* The capture has failed, and ends. */
void engine_fail(struct engine *en, int result, const struct err *e);

/* ---- recorder_slot.c: for the engine thread ---- */

/* The capture goes on when the recorder fails. */
bool engine_recorder_spare(const struct engine *en);
/* Takes in a recorder, or gives it away, when somebody asked for that. */
void engine_serve_recording(struct engine *en);
/* Tells the recorder the figures of now. Only with a recorder. */
void engine_record_meta(struct engine *en);
/* Passes on that what is kept is wanted, and what came of it. Only with a recorder. */
void engine_serve_save(struct engine *en);
/* Whether the recorder has failed in a way that ends the capture: E says why. One that is spare is given away. */
bool engine_recorder_failed(struct engine *en, struct err *e);
/* Ends the recording, at the end of the capture. */
void engine_recorder_finish(struct engine *en);
/* Closes what is left, when the thread is gone. */
void engine_recorder_free(struct engine *en);
/* Brings rec.keeping and rec.bytes up to date; with the lock. */
void engine_show_recording(struct engine *en);

/* ---- pace.c: for the engine thread ---- */

/* Changes the rate, when somebody asked for that. */
void engine_serve_rate(struct engine *en);
/* The figures of now, as they are true of what is being recorded. */
void engine_recorded_meta(const struct engine *en, struct profile_meta *ret);

/* ---- capture_figures.c ---- */

/* What is known before the capture begins. */
void engine_describe(struct engine *en, const struct engine_config *c);
/* The capture begins now. */
void engine_begin(struct engine *en);
/* Brings the engine thread's own figures up to date. */
void engine_measure(struct engine *en);
/* The same, for everybody to see. */
void engine_show_figures(struct engine *en);

#endif
