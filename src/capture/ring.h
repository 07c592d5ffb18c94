/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - the reading end of one BPF ring buffer, without copying.
 *
 * Records are collected first and given back later, in any order: until then their bytes stay in the ring, which is mapped
 * twice in a row so that none is split. The kernel gets space back as soon as the oldest records are done. So a reader that
 * waits (for the watermark) needs no memory of its own, and one that is too slow loses records in the kernel, where they
 * are counted.
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
 * Hands each record that is new since the last call to FN. False when a record was met that its writer has not finished
 * yet: it and those behind it come with a later call.
 */
bool ring_collect(struct ring *r, ring_fn *fn, void *ctx);

/* The record TAG is no longer needed. */
void ring_done(struct ring *r, uint64_t tag);

size_t ring_used(const struct ring *r);          /* bytes not given back yet */

/* Records whose length was impossible: the rest of what was there has been skipped. */
uint64_t ring_bad(const struct ring *r);

DEFINE_AUTO(ring_free, struct ring);

#endif
