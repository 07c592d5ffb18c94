/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.h - a raw capture as a source: delivers again what another source delivered, reading by
 * reading, as fast as it is asked, and gives the same answers between the same readings.
 *
 * It takes no commands, has no rules, and ends by itself. Files of the target are read as they are
 * now. What is asked for at another moment than in the capture is answered as of the last reading:
 * totals, sums and homes are those that stood last, open waits and their stacks those of the last
 * look.
 */
#ifndef SBERF_CAPTURE_REPLAY_H
#define SBERF_CAPTURE_REPLAY_H

#include "capture/source.h"

/*
 * Opens the raw capture PATH. On success *RET is the caller's, to be freed by source_free(); else a
 * negative errno with a sentence.
 */
int replay_open(const char *path, struct source **ret, struct err *e);

/*
 * Leaves in PLAN, of which replay is set, only what the raw capture can give: waits, and who ends
 * them; and sets its rate. 0, or a negative errno with a sentence.
 */
int replay_plan(struct capture_plan *plan, struct err *e);

#endif
