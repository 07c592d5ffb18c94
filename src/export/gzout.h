/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzout.h - writes a gzip stream (RFC 1952) to a FILE by zlib, and remembers the first failure.
 * Private to exporters. The stream has neither name nor time, so that the same input gives the same
 * bytes.
 */
#ifndef SBERF_EXPORT_GZOUT_H
#define SBERF_EXPORT_GZOUT_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

struct gzout;

/* Begins a stream to FILE, which is borrowed. NULL when out of memory. */
struct gzout *gzout_open(FILE *file);

/* Writes N bytes; does nothing after a failure. */
void gzout_write(struct gzout *g, const void *data, size_t n);

/*
 * Ends the stream and frees G (NULL is fine). If STATUS is a negative errno (its sentence in E),
 * because the content failed, it only frees G. Returns STATUS, or a negative errno with a sentence
 * when writing has failed.
 */
int gzout_close(struct gzout *g, int status, struct err *e);

#endif
