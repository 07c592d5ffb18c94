/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.h - a raw capture as a source: delivers again what another source delivered, reading by
 * reading, as fast as it is asked.
 *
 * It has no waits, no NUMA nodes and no rules, takes no commands, and ends by itself. Files of the
 * target are read as they are now.
 */
#ifndef SBERF_CAPTURE_REPLAY_H
#define SBERF_CAPTURE_REPLAY_H

#include "capture/source.h"

/*
 * Opens the raw capture PATH. On success *RET is the caller's, to be freed by source_free(); else a
 * negative errno with a sentence.
 */
int replay_open(const char *path, struct source **ret, struct err *e);

#endif
