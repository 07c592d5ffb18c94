/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzout.h - a FILE that is written as gzip (RFC 1952) by zlib, with the first failure remembered. Private to exporters. There is neither
 * a name nor a time in it: the same bytes give the same bytes.
 */
#ifndef SBERF_EXPORT_GZOUT_H
#define SBERF_EXPORT_GZOUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

struct gzout;

/* To FILE, which is borrowed. NULL when out of memory. */
struct gzout *gzout_open(FILE *file);

/* Nothing is written after a failure. */
void gzout_write(struct gzout *g, const void *data, size_t n);

/*
 * Writes what is left and frees G, unless it is NULL; with STATUS, a negative errno when what was to be written failed (with its
 * sentence in E), only frees it. STATUS, or a negative errno with a sentence when writing has failed.
 */
int gzout_close(struct gzout *g, int status, struct err *e);

#endif
