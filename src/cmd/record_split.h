/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_split.h - `--split`: sberf runs as the user who called it and without privileges before it looks at
 * anything of the target. One sberf-collector loads and attaches the kernel half (capture/hold_ask.h), others open
 * files of the target that this user may not open (collector/ask.h).
 */
#ifndef SBERF_CMD_RECORD_SPLIT_H
#define SBERF_CMD_RECORD_SPLIT_H

#include "base/err.h"
#include "cmd/launch.h"
#include "cmd/options.h"

#include <limits.h>
#include <stdbool.h>

/*
 * Where sberf-collector is; false: nowhere. *RET_SET_UP: and this user, who is not root, may execute it, and it has
 * capabilities of its own.
 */
bool split_find(char program[PATH_MAX], bool *ret_set_up);

/*
 * Is a capture of O split without being asked for? Where that is the only way. For who calls sudo, where the target is
 * not the whole machine, or sberf serves browsers; unless that user could not write the recording, or this kernel wants
 * more for O than a collector has. It may fork, and test what the kernel can do.
 */
bool split_is_usual(const struct options *o);

/*
 * Plans that for the capture S of O, which is resolved. 0, or a negative errno with a sentence: what O asks for takes
 * privileges that no collector has, or root is nobody but root.
 */
int split_plan(struct launch *s, const struct options *o, struct err *e);

/*
 * Does what was planned for S, whose target is resolved: starts the collectors, has the kernel half loaded, and
 * gives up all privileges, for good. 0 or a negative errno with a sentence.
 */
int split_load(struct launch *s, struct err *e);

/* The target of S is one from now on: files of it may be looked at. 0 or a negative errno with a sentence. */
int split_aim(struct launch *s, struct err *e);

/* What was refused by the collector, and how the worker fared, which M has; if there is anything, to standard error. */
void split_say(const char *command, const struct profile_meta *m);

/* Ends the collectors of S, if there are any. */
void split_end(struct launch *s);

#endif
