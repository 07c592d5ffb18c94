/* SPDX-License-Identifier: BSD-2-Clause */
/* keeping.h - the flight recorder of `record` and `agent`: what it writes to, and what is said of it. */
#ifndef SBERF_CMD_KEEPING_H
#define SBERF_CMD_KEEPING_H

#include "cmd/launch.h"
#include "cmd/options.h"

/* What is recorded of a capture by the options of O: to -o, or sberf.data. */
void keeping_config(const struct options *o, struct recorder_config *ret);

/* Says once, as COMMAND does, what came of SIGUSR2 or of --when. */
void keeping_say(struct engine *en, const char *command);

/* Says at the end how often a condition of --when was met, if there is one. */
void keeping_say_end(const struct launch *s, const char *command);

#endif
