/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * metasum.h - adds up the figures of several recordings, and makes those of a part of one.
 *
 * Figures that follow from the events (metatext.h) are left alone: whoever reads the events counts
 * them.
 */
#ifndef SBERF_RECORD_METASUM_H
#define SBERF_RECORD_METASUM_H

#include "numa/state.h"
#include "profile/meta.h"

/*
 * Adds what SRC counted to DST. Texts that differ stand behind one another ("a; b", cut with
 * "..."), rates that differ are 0, a target's end that differs is TARGET_ENDED. Times, and how many
 * CPUs there were, are the caller's.
 */
void meta_add(struct profile_meta *dst, const struct profile_meta *src);

/* Makes of NOW, figures since the beginning, those since THEN, which came before: counters, beginning and duration. */
void meta_since(struct profile_meta *now, const struct profile_meta *then);

/* The same for what became of the samples that were asked for addresses. */
void numa_figures_add(struct numa_figures *dst, const struct numa_figures *src);
void numa_figures_since(struct numa_figures *now, const struct numa_figures *then);

#endif
