/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reorder.h - merges many streams that are nearly in order into one that is in order. Pure: time is
 * an argument.
 *
 * Items are references: the bytes stay where they are (in the kernel's ring, or in a copy) until
 * the item is taken out. An item comes out when the *watermark* has passed its time: the moment up
 * to which everything that happened is known to have been put in. Items of equal time come out in
 * the order in which they were put in. An item that arrives after the watermark has passed it comes
 * out at once and is counted as late.
 */
#ifndef SBERF_CAPTURE_REORDER_H
#define SBERF_CAPTURE_REORDER_H

#include "base/vec.h"

#include <stdint.h>

struct reorder_item {
	uint64_t time_ns;
	const void *data;        /* the record; its owner is the stream */
	uint32_t len;
	uint32_t stream;         /* which one it came from, the caller's numbering */
	uint64_t tag;            /* the caller's */
	uint64_t seq;            /* filled in by reorder_put() */
};

/* All zero is empty and usable. */
struct reorder {
	VEC(struct reorder_item) heap;   /* a binary heap, earliest first */
	uint64_t seq;
	uint64_t passed_ns;              /* the time of the latest item taken out */
	uint64_t late;                   /* items that came out after an item with a later time; only grows */
};

/* Puts *IT in. False when out of memory, nothing changed. */
bool reorder_put(struct reorder *r, const struct reorder_item *it);

/* Takes out the earliest item if its time is at most WATERMARK_NS. False when there is none. */
bool reorder_take(struct reorder *r, uint64_t watermark_ns, struct reorder_item *ret);

/* Frees the index, not what it refers to. */
void reorder_free(struct reorder *r);

#endif
