/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_split.h - `--split`: from the moment at which all is attached, sberf runs as the user who called sudo
 * and without privileges, and asks sberf-collector (collector/ask.h) for files of the target that this user may not
 * open.
 */
#ifndef SBERF_CMD_RECORD_SPLIT_H
#define SBERF_CMD_RECORD_SPLIT_H

#include "base/err.h"
#include "cmd/launch.h"
#include "cmd/options.h"

/*
 * Plans that for the capture S of O, which is resolved. 0, or a negative errno with a sentence: what O asks for takes
 * privileges later, or nobody has called sudo.
 */
int split_plan(struct launch *s, const struct options *o, struct err *e);

/* What was refused by the collector, and how the worker fared, which M has; if there is anything, to standard error. */
void split_say(const char *command, const struct profile_meta *m);

/* Ends the collector, if there is one. */
void split_end(void);

#endif
