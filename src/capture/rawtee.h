/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawtee.h - writes what a source gives into a raw capture (capture/rawfile.h) on its way, and with
 * it what a replay cannot read from /proc any more: of each process that there was before, when it
 * is first met, what it has mapped.
 */
#ifndef SBERF_CAPTURE_RAWTEE_H
#define SBERF_CAPTURE_RAWTEE_H

#include "base/cleanup.h"
#include "capture/rawfile.h"

struct rawtee;

/* Begins the file PATH, which is made anew. */
int rawtee_open(const char *path, const struct rawfile_head *head, struct rawtee **ret, struct err *e);
/*
 * The side band has begun: what PIDS, N of them, have mapped now, which events tell no more. Others
 * are looked at when they are met.
 */
void rawtee_begin(struct rawtee *t, const uint32_t *pids, size_t n);
/* Writes EV. What cannot be written is told by the next rawtee_turn(). */
void rawtee_put(struct rawtee *t, const struct raw_event *ev);
/*
 * A reading has ended: rawfile_put_turn(). 0, or a negative errno with a sentence when something
 * could not be written.
 */
int rawtee_turn(struct rawtee *t, uint64_t seen_ns, const struct losses *lost, struct err *e);
void rawtee_close(struct rawtee *t);             /* NULL is fine */

DEFINE_AUTO(rawtee_close, struct rawtee);

#endif
