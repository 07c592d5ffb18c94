/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline.h - the closed slices of a profile in order of time, and how they get fewer. Private to
 * the store.
 *
 * Slices lie on a grid of slice_ns and never overlap; a time in which nothing happened has none.
 * The older a slice, the wider the bucket of the grid within which it is merged with its
 * neighbours: keep_ns old, 2 slices; twice that, 4; and so on, so that the number of slices grows
 * with the logarithm of time. Under pressure buckets widen step by step (`coarser`), because a
 * stack that comes back costs once a slice; only when that is not enough the lightest stacks fold
 * into "(other)".
 */
#ifndef SBERF_PROFILE_TIMELINE_H
#define SBERF_PROFILE_TIMELINE_H

#include "base/vec.h"
#include "profile/slice.h"

#include <stddef.h>
#include <stdint.h>

#define TIMELINE_COARSER_MAX 12u

struct timeline {
	VEC(struct slice *) slices;      /* oldest first, a reference each */
	size_t bytes;                    /* of the slices */
	uint64_t slice_ns, keep_ns;
	/* facts at most in a merged slice, so that merging never needs much memory at once */
	size_t merge_max;
	unsigned int coarser;            /* doublings of every bucket since pressure began, 0 to TIMELINE_COARSER_MAX */
	uint64_t folded;                 /* facts that went into "(other)" */
};

/* A fact that came after the slice of its time was closed. */
struct late_fact {
	uint64_t time_ns;
	struct fact fact;
};

void timeline_free(struct timeline *t);

/* The end of the newest slice, 0 when there is none: what is earlier is late. */
uint64_t timeline_end(const struct timeline *t);

/* Appends S, whose reference it takes. -ENOMEM: it does not take it. */
int timeline_append(struct timeline *t, struct slice *s);

/*
 * Puts late facts, all before END_NS, where they belong. Sorts LATE. Returns how many it could
 * place, from the front: fewer than N when out of memory.
 */
size_t timeline_late(struct timeline *t, struct late_fact *late, size_t n, uint64_t end_ns);

/* Merges what has become old at NOW_NS, in moderation. Best effort: without memory slices just stay fine for longer. */
void timeline_age(struct timeline *t, uint64_t now_ns);

/*
 * Brings the slices down to MAX_BYTES: coarser slices, then folding stacks older than keep_ns into
 * the stack "(other)" of D, then all of them, then the other stacks of single threads into its
 * other thread. Best effort.
 */
void timeline_shrink(struct timeline *t, uint64_t now_ns, size_t max_bytes, struct dict *d);

#endif
