/* SPDX-License-Identifier: BSD-2-Clause */
/* snapshot.h - how the store makes snapshots. Private to it; what may be asked of one is in profile.h. */
#ifndef SBERF_PROFILE_SNAPSHOT_H
#define SBERF_PROFILE_SNAPSHOT_H

#include "profile/profile.h"
#include "profile/slice.h"

#include <stddef.h>

/*
 * A snapshot with one reference. It takes references to the N slices at SLICES and to PROVISIONAL
 * (NULL = none), takes over OPEN (NULL = none), and copies the ROWS rows at ROW. DICT must outlive
 * it. NULL when out of memory, and OPEN is still the caller's.
 */
struct snapshot *snapshot_new(const struct dict *dict, struct slice *const *slices, size_t n, struct slice *open,
			      struct slice *provisional, const struct quality_row *row, size_t rows);

/* S takes a reference to STATE (NULL is fine). At most once for each snapshot, before another thread has it. */
void snapshot_keep_numa(struct snapshot *s, struct numa_state *state);

/* What snapshot_settled_ns() says. */
void snapshot_keep_settled(struct snapshot *s, uint64_t settled_ns);

/* As snapshot_keep_numa(), for what is known of probes. */
void snapshot_keep_probes(struct snapshot *s, struct probe_notes *state);

/* S keeps a copy of HEAT. The same; false when out of memory. */
bool snapshot_keep_heat(struct snapshot *s, const struct heat *heat);

#endif
