/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_private.h - what the files of the engine share. */
#ifndef SBERF_ENGINE_ENGINE_PRIVATE_H
#define SBERF_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/ingest.h"
#include "engine/offcpu.h"
#include "engine/target.h"
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
	struct recorder *recorder;
	struct ingest *ingest;
	struct offcpu *offcpu;           /* NULL: waits are not followed */
	struct target_watch *watch;
	char *record_path;               /* NULL = no recording */
	uint64_t refresh_ns, duration_ns, delay_ns, names_ns;
	VEC(pid_t) scan;                 /* processes to read at the start; none = all */
	uint64_t started_ns, published_ns, figured_ns, metad_ns;
	uint64_t stopped_ns;             /* 0 = it runs */
	uint64_t recorder_lost;          /* events that the recorder refused */
	uint64_t no_memory;              /* that the profile had no memory for */
	uint64_t sampled_ns;             /* what samples stand for by themselves */
	uint64_t rate_ns, rate_gaps, rate_gaps_ns;       /* since when, and from what, the rate is being measured */
	uint32_t rate_hz;
	uint64_t slept_samples;          /* samples when the names were last kicked */
	struct profile_meta meta;        /* the engine thread's own copy */
	bool turning;                    /* the engine thread has begun */
	bool telling_wakers;             /* the source does */

	pthread_t thread;
	bool running;                    /* thread was created and not joined */
	atomic_bool stop, reset, hurry, ended;
	atomic_bool wakers;              /* are asked for */
	_Atomic uint64_t published;

	pthread_mutex_t lock;            /* of what follows */
	pthread_cond_t changed;
	struct snapshot *snapshot;
	struct profile_meta shown;
	int result;
	struct err error;
};

/* ---- figures.c ---- */

/* What is known before the capture begins. */
void engine_describe(struct engine *en, const struct engine_config *c);
/* The capture begins now. */
void engine_begin(struct engine *en);
/* Brings the engine thread's own figures up to date. */
void engine_measure(struct engine *en);
/* The same, for everybody to see. */
void engine_show_figures(struct engine *en);

#endif
