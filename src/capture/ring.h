/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - reads one BPF ring buffer without copying.
 *
 * Records are collected first and released later, in any order. Until then their bytes stay in the
 * ring, which is mapped twice in a row so that no record is split. The kernel gets the space back
 * when the oldest records are released. So a reader that waits (for the watermark) needs no memory
 * of its own, and when one is too slow, the kernel drops records and counts them.
 */
#ifndef SBERF_CAPTURE_RING_H
#define SBERF_CAPTURE_RING_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

/* A record of LEN bytes at DATA (8-byte aligned), valid until ring_done() is called with TAG. */
typedef void ring_fn(void *ctx, const void *data, uint32_t len, uint64_t tag);

/* Maps the ring buffer map FD of SIZE bytes (its max_entries). FD is borrowed and must outlive the result. */
int ring_open(int fd, size_t size, struct ring **ret, struct err *e);
void ring_free(struct ring *r);          /* NULL is fine */

/*
 * Calls FN for each record that is new since the last call. False when it met a record that is
 * still being written: that one and those behind it come with a later call.
 */
bool ring_collect(struct ring *r, ring_fn *fn, void *ctx);

/* Releases the record TAG. */
void ring_done(struct ring *r, uint64_t tag);

size_t ring_used(const struct ring *r);          /* bytes not released yet */

/* How often a record had an impossible length; what was left in the ring was skipped then. */
uint64_t ring_bad(const struct ring *r);

DEFINE_AUTO(ring_free, struct ring);

#endif
