/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.h - a raw capture as a source: what another one gave is given again, reading by reading,
 * as fast as it is asked for.
 *
 * It has no waits, no nodes and no rules, takes no commands, and ends by itself. The files of the
 * target are those that are there now.
 */
#ifndef SBERF_CAPTURE_REPLAY_H
#define SBERF_CAPTURE_REPLAY_H

#include "capture/source.h"

/* Opens the raw capture PATH. On success *RET is owned by the caller: source_free(). */
int replay_open(const char *path, struct source **ret, struct err *e);

#endif
