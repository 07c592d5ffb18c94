/* SPDX-License-Identifier: BSD-2-Clause */
/* recording_out.h - what a view asks for as a recording: of a capture that nobody records, from its sums. */
#ifndef SBERF_EXPORT_RECORDING_OUT_H
#define SBERF_EXPORT_RECORDING_OUT_H

#include "base/err.h"
#include "export/export_view.h"

#include <stdio.h>

/*
 * Writes to OUT, and flushes, a recording whose events make the facts that V asks for: the same stacks, threads, waits and
 * weights. Times are those of slices, so a second at best, and which CPU it was is not known any more. Figures of losses and of
 * sberf itself are those of the whole. A wait of its own is an event, others stand in one, as do samples. 0, or a negative
 * errno with a sentence.
 */
int export_recording(FILE *out, const struct export_view *v, struct err *e);

#endif
