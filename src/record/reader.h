/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - reads a recording from anything that gives bytes; recording_load() does it from a
 * file.
 */
#ifndef SBERF_RECORD_READER_H
#define SBERF_RECORD_READER_H

#include "record/decode.h"
#include "record/input.h"

/* As recording_load(), from READ(CTX, ...); NAME stands in sentences. */
int recording_read(const char *name, input_fn *read, void *ctx, const struct load_target *t, struct err *e);

#endif
