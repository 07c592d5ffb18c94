/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outfile.h - a file that appears under its name only when it is whole.
 *
 * It is written beside its final name and renamed, so that whoever fails, or is ended, leaves no half of one behind. A recording is
 * never replaced: an export holds less than what it was made from.
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
	char *beside;            /* what is renamed in the end; NULL = nothing is: a device, a pipe, standard output */
	/* private: */
	FILE *below;             /* the file itself, when FILE is followed */
	struct progress *progress;
	uint64_t written;
};

/* Does the file PATH begin as a recording does? Not for what can be read only once. */
bool outfile_is_recording(const char *path);

/*
 * Opens PATH for writing; NULL and "-" are standard output. INPUT, which may be NULL, is what is being read ("-": standard input) and must not be replaced,
 * as no recording is (-EEXIST). A device or a pipe is written to as it is: renaming onto it would put a file in its place. PATH is
 * borrowed until outfile_close(). A negative errno with a sentence: nothing is open.
 */
int outfile_open(struct outfile *o, const char *path, const char *input, struct err *e);

/*
 * Tells P, begun and borrowed until outfile_close(), how much has been written to O, which must stay where it is until then;
 * nobody has written to it. False when there is nobody to show it to, or O is no file: what reads at the other end of a pipe
 * may draw on the same terminal.
 */
bool outfile_follow(struct outfile *o, struct progress *p);

/*
 * Ends the writing, of which STATUS came, a negative errno when it failed (with its sentence in E already): then what was written is
 * removed, and STATUS returned. Else the file gets its name; a negative errno with a sentence when that fails, or writing had. A
 * reader of standard output that has seen enough (-EPIPE) is no error.
 */
int outfile_close(struct outfile *o, int status, struct err *e);

#endif
