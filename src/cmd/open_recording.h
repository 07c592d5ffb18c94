/* SPDX-License-Identifier: BSD-2-Clause */
/* open_recording.h - a recording, or what is imported, as commands that read one have it: a profile with its names, figures and a snapshot. */
#ifndef SBERF_CMD_OPEN_RECORDING_H
#define SBERF_CMD_OPEN_RECORDING_H

#include "base/err.h"
#include "cmd/options.h"
#include "export/export_view.h"
#include "record/recording.h"

struct progress;

struct open_recording {
	struct profile *profile;
	struct names *names;
	struct profile_meta meta;        /* with what loading left out or found damaged */
	struct load_report report;
	struct snapshot *snapshot;
	bool twice;                      /* set before open_recording(): open_recording_events() will be called */
	int again;                       /* when TWICE: what was read, open; plus one, 0 = nothing */
	uint64_t min_block_ns;           /* that it was read with */
	struct progress *writing;        /* set when what open_recording_events() reads is written where that may be shown */
};

/* What is read when INPUT of the command line is NULL: sberf.data. "-" is standard input, everywhere. */
const char *open_recording_path(const char *input);

/*
 * Reads PATH into L, a zeroed one, with what O says of loading. Damage is told on standard error, as is waiting for a pipe that
 * nobody writes to yet. open_recording_free() in any case. A negative errno with a sentence.
 */
int open_recording(struct open_recording *l, const char *path, const struct options *o, struct err *e);
void open_recording_free(struct open_recording *l);

/*
 * An each_event_fn: reads again what L, a struct open_recording, was read from. That takes memory for another profile, but none for events:
 * they may be any number. What can be read only once, such as a pipe, was copied into a file in $TMPDIR (or /var/tmp) that has no
 * name. When that is long, what was read is shown instead
 * of what was written (WRITING): its end is known.
 */
int open_recording_events(void *l, event_fn *fn, void *ctx, struct err *e);

#endif
