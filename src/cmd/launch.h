/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch.h - shared by `top` and `record`: from options to a running engine, with the command
 * behind `--` if there is one.
 */
#ifndef SBERF_CMD_LAUNCH_H
#define SBERF_CMD_LAUNCH_H

#include "base/err.h"
#include "capture/mappingcalls.h"
#include "cmd/options.h"
#include "engine/child.h"
#include "engine/engine.h"
#include "engine/growth_facts.h"
#include "engine/placer.h"
#include "engine/placing.h"
#include "model/probes.h"
#include "system/caller.h"
#include "system/procfs.h"

#define KEEP_BYTES (256ull << 20)        /* default size of --keep */

struct launch {
	struct engine_config config;
	struct engine *engine;
	struct child child;
	struct calltable *calls; /* with probes, of which values are counted: of system calls; NULL = none */
	struct hitvalues *values;
	/* of each probe: hits that were told by themselves, and since when they are counted; the engine's thread */
	struct {
		uint64_t since_ns;
		uint32_t n;
	} told[PROBES_MAX];
	uint64_t values_known;   /* probes whose kind it knows, by their number; once it runs the engine's thread */
	struct engine_looker looker;     /* which does so */
	struct capture_trace mapping_calls[MAPPING_CALLS];       /* of config.plan */
	bool probes_memory;      /* places in programs are probed to follow memory */
	struct when_watch *when; /* of --when; NULL = none */
	struct placing *placing; /* what config.plan has of probes; NULL = none */
	/*
	 * what launch_probes.h has said: where probes were when they were placed first; the price; that they are in
	 * place at times only; that few hits are told; that all are, whatever they cost
	 */
	bool placed_said, price_said, slices_said, thin_said, unbounded_said;
	struct placer_figures placed;    /* with the first of these; all zero before */
	/* of --split (cmd/record_split.h): whether it is, who sberf becomes, and who holds the kernel half */
	bool split;
	const struct options *options;   /* borrowed: for what is looked at once privileges are given up */
	struct caller caller;
	uid_t split_uid;
	gid_t split_gid;
	struct hold *hold;
	bool live;               /* set before: probes may be added while it runs */
	char target_text[256];
	char cgroup[PROC_PATH_MAX];      /* of the target, when it was found by name */
	char note[128];          /* what the user should know of the target, a sentence for one line; "" = nothing */
	int status;              /* exit status for an error; 0 = the usual one */
};

#define LAUNCH_INIT { .child = CHILD_INIT }

/*
 * Resolves the target and starts the command held back. Set config.record and refresh_ns before.
 * DETACHED: the command must leave the terminal alone. 0 or a negative errno with a sentence; call
 * launch_close() in any case.
 */
int launch_resolve(struct launch *s, const struct options *o, bool detached, struct err *e);

/* Opens the engine of what is resolved; loading its programs into the kernel takes up to a second. The same results. */
int launch_load(struct launch *s, struct err *e);

/* Both of them. */
int launch_open(struct launch *s, const struct options *o, bool detached, struct err *e);

/*
 * Starts the engine, then releases the command. 0 or a negative errno with a sentence. If the
 * command cannot be executed, S->status is a shell's (127 not found, 126 not executable).
 */
int launch_start(struct launch *s, struct err *e);

/* The pid of the command; 0 when there is none or it has ended. */
pid_t launch_command(const struct launch *s);
/* Asks the command and its children to end, unless it has ended already. */
void launch_end_command(const struct launch *s);

/* S says that nothing is told of mapping, since tracefs cannot be read. */
void launch_note_mapping(struct launch *s);

/* The return value of a command function whose result is R: S->status if that is set, else R. */
int launch_exit(const struct launch *s, int r);

void launch_close(struct launch *s);

#endif
