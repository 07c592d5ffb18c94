/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_recording.h - opens a recording or an imported file for a command: a profile with its names,
 * figures and a snapshot.
 */
#ifndef SBERF_CMD_OPEN_RECORDING_H
#define SBERF_CMD_OPEN_RECORDING_H

#include "base/err.h"
#include "cmd/options.h"
#include "export/export_view.h"
#include "plugin/sandbox.h"
#include "record/recording.h"

#define RECORDING_USUAL "sberf.data"     /* where none is named */

struct progress;
struct told_hit;

struct open_recording {
	struct profile *profile;
	struct names *names;
	struct profile_meta meta;        /* includes what loading left out or found damaged */
	struct load_report report;
	struct snapshot *snapshot;
	/* set before open_recording_events(): gets hits that stand by themselves, with the context of that; or NULL */
	void (*hit)(void *ctx, const struct told_hit *h);
	bool fine;                       /* set before open_recording(): times are exact to 0.1 s, as with --time */
	bool twice;                      /* set before open_recording(): open_recording_events() will follow */
	/* set before open_recording(): what this process keeps once the file is open, and before it is read; or NULL */
	const struct sandbox_reading *keeps;
	int opened;                      /* the open file's descriptor plus one, 0 = none */
	uint64_t min_block_ns;           /* --min-block in force when it was read */
	/* progress of an output that depends on open_recording_events(); may be NULL */
	struct progress *writing;
};

/*
 * The path that INPUT of the command line means: sberf.data when it is NULL. "-" always means
 * standard input.
 */
const char *open_recording_path(const char *input);

/*
 * Reads PATH into L, which is zeroed, with the loading options of O. Reports damage, and waiting
 * for a pipe without a writer, on standard error. Call open_recording_free() in any case. 0 or a
 * negative errno with a sentence.
 */
int open_recording(struct open_recording *l, const char *path, const struct options *o, struct err *e);
void open_recording_free(struct open_recording *l);

/*
 * Reads the input of L, a struct open_recording, again and calls FN for each event. An
 * each_event_fn. It takes memory for a second profile, but none per event. Input that can be read
 * only once, such as a pipe, was copied to an unnamed file in $TMPDIR (or /var/tmp). During a long
 * run the progress of reading is shown in place of WRITING's, because its end is known.
 */
int open_recording_events(void *l, event_fn *fn, void *ctx, struct err *e);

#endif
