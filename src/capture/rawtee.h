/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawtee.h - writes what a source delivers and answers into a raw capture (capture/rawfile.h) as it
 * passes. It adds what a replay can no longer read from /proc, the mappings of processes older than
 * the capture, when each is first met; and what the numbers of probes mean.
 */
#ifndef SBERF_CAPTURE_RAWTEE_H
#define SBERF_CAPTURE_RAWTEE_H

#include "base/cleanup.h"
#include "capture/rawfile.h"

struct rawtee;

/*
 * Creates the file PATH, replacing an old one. On success *RET is the caller's; else a negative
 * errno with a sentence.
 */
int rawtee_open(const char *path, const struct rawfile_head *head, struct rawtee **ret, struct err *e);
/*
 * Call when the side band has begun: writes the present mappings of the N processes PIDS, which no
 * event will report. Those of other processes are written when they are first met.
 */
void rawtee_begin(struct rawtee *t, const uint32_t *pids, size_t n);
/* Call when sampling has begun, at BEGUN_NS. */
void rawtee_begun(struct rawtee *t, uint64_t begun_ns);
/* Writes ITEM. The next rawtee_turn() reports a failure. */
void rawtee_put(struct rawtee *t, const struct rawfile_item *item);
/*
 * Marks the end of a reading. 0, or a negative errno with a sentence when something since the last
 * turn could not be written.
 */
int rawtee_turn(struct rawtee *t, const struct rawfile_turn *turn, struct err *e);
void rawtee_close(struct rawtee *t);             /* NULL is fine */

DEFINE_AUTO(rawtee_close, struct rawtee);

#endif
