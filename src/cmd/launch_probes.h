/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch_probes.h - what a command says of its probes on standard error: where they are, what they cost, and what of
 * them did not end.
 */
#ifndef SBERF_CMD_LAUNCH_PROBES_H
#define SBERF_CMD_LAUNCH_PROBES_H

#include "cmd/launch.h"

#include <stdbool.h>

/*
 * Says once, as COMMAND does, where the probes of S are, as soon as they are in place: in a target that runs that is
 * so when launch_start() has returned, in a command or a process to come as soon as it has a file that is probed.
 * Whoever waits for the line "sberf COMMAND: probes placed ..." misses no hit. False as long as it has not been said;
 * it is to be called again soon then. True also when there are no probes.
 */
bool launch_say_placed(struct launch *s, const char *command);

/*
 * Says at the end in the same way what has become of probes in programs: where they were in all, if that was not said
 * yet, or why nowhere; and how many calls did not return.
 */
void launch_say_probes(struct launch *s, const char *command);

/*
 * Says of each probe that is a span, on standard error as COMMAND does, how many had not ended, and
 * how many ends had no begin, if there were any.
 */
void launch_say_spans(struct launch *s, const char *command);

/*
 * Says in the same way what hits of probes cost, as soon as that is known; and again when more than --budget is to
 * be paid, and what is done then. To be called now and then while the capture runs.
 */
void launch_say_price(struct launch *s, const char *command);

#endif
