/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fdpaths.h - knows what the file descriptors of other processes stand for, a little later.
 *
 * When a hit is printed its descriptor may be closed, or stand for another file. So each hit says
 * which file it was (struct hit_file), and what /proc/PID/fd has now is believed only when that is
 * still the same. What is found is kept by process and file, so it is asked once. Where it comes too
 * late, the name that opened the file does, if that call was seen: this may be another name of it
 * than /proc would have, since links in it are not followed.
 *
 * Each open that is seen replaces what was known of its file: a number may stand for a new file.
 */
#ifndef SBERF_TRACE_FDPATHS_H
#define SBERF_TRACE_FDPATHS_H

#include "base/cleanup.h"
#include "trace/callargs.h"
#include "trace/calltext.h"
#include "trace/hit.h"

struct fdpaths;

/* PROC: where /proc is, "/proc". It must outlive the result. NULL when out of memory. */
struct fdpaths *fdpaths_new(const char *proc);
void fdpaths_free(struct fdpaths *f);            /* NULL is fine */

/* H of CALL (NULL is fine) happened: what it opened is known from now on. */
void fdpaths_learn(struct fdpaths *f, const struct callargs *call, const struct hit *h);

/* As calltext_files.name, with CTX a struct fdpaths. */
bool fdpaths_name(void *ctx, const struct hit *h, int fd, const struct hit_file *file, char dst[CALLTEXT_FILE_MAX]);

DEFINE_AUTO(fdpaths_free, struct fdpaths);

#endif
