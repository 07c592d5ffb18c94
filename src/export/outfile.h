/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outfile.h - an output file that appears under its name only when it is complete.
 *
 * It is written beside its final name and renamed, so that a failure or a signal leaves no half
 * file behind. A recording is never replaced: an export holds less than the recording that it was
 * made from.
 */
#ifndef SBERF_EXPORT_OUTFILE_H
#define SBERF_EXPORT_OUTFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress;

struct outfile {
	FILE *file;              /* to write to; NULL when not open */
	const char *path;        /* borrowed; NULL = standard output */
	/* the temporary file that is renamed in the end; NULL = none: a device, a pipe, standard output */
	char *beside;
	/* private: */
	FILE *below;             /* the file itself, when FILE is followed */
	struct progress *progress;
	uint64_t written;
};

/* Whether the file PATH begins like a recording. Not for pipes, which can be read only once. */
bool outfile_is_recording(const char *path);

/*
 * Opens PATH for writing; NULL and "-" are standard output. INPUT, which may be NULL, is the file
 * being read ("-": standard input); neither it nor a recording may be replaced (-EEXIST). Devices
 * and pipes are written to directly, because a rename would replace them. PATH is borrowed until
 * outfile_close(). 0, or a negative errno with a sentence and nothing open.
 */
int outfile_open(struct outfile *o, const char *path, const char *input, struct err *e);

/*
 * Reports to P, which is begun and borrowed until outfile_close(), how much has been written to O.
 * Call it before anything is written; O must not move until then. False when there is nobody to
 * show it to, or O is not a file: the reader of a pipe may draw on the same terminal.
 */
bool outfile_follow(struct outfile *o, struct progress *p);

/*
 * Ends the writing. If STATUS is a negative errno (its sentence in E), the file is removed, and
 * STATUS returned. Else the file gets its name; a negative errno with a sentence when that or the
 * writing failed. A reader of standard output that stops early (-EPIPE) is no error.
 */
int outfile_close(struct outfile *o, int status, struct err *e);

#endif
