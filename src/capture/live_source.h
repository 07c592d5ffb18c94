/* SPDX-License-Identifier: BSD-2-Clause */
/* live_source.h - the running kernel as a source: see source.h. */
#ifndef SBERF_CAPTURE_LIVE_SOURCE_H
#define SBERF_CAPTURE_LIVE_SOURCE_H

#include "capture/source.h"

/*
 * Opens the running kernel as a source for PLAN, switched off: source_open() without plan.replay.
 * On success *RET is the caller's.
 */
int live_open(const struct capture_plan *plan, struct source **ret, struct err *e);

#endif
