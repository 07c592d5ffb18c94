/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metatext.h - writes and reads the figures of a recording as lines "key=value".
 *
 * Readers leave out keys that they do not know; later lines win over earlier ones. What follows
 * from the events (samples, cut reasons, weights) is not written: the reader counts it, so that it
 * fits what could be read.
 */
#ifndef SBERF_RECORD_METATEXT_H
#define SBERF_RECORD_METATEXT_H

#include "profile/meta.h"
#include "record/bytes.h"

/* Appends every key of M to DST, always the same keys in the same order. False when out of memory. */
bool meta_text(const struct profile_meta *m, byte_vec *dst);

/* Appends the lines of NOW that differ from those of BEFORE (both by meta_text(); BEFORE may be empty). */
bool meta_changed(const byte_vec *before, const byte_vec *now, byte_vec *dst);

/* Sets in M what the N bytes of TEXT say; text is sanitised. Values that make no sense are left out. */
void meta_parse(struct profile_meta *m, const uint8_t *text, size_t n);

/* Everything unknown, as at the start of reading. */
void meta_init(struct profile_meta *m);

/* The number behind KEY in the lines of TEXT; false when it is not there. */
bool meta_number(const uint8_t *text, size_t n, const char *key, uint64_t *ret);

#endif
