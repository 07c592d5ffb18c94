/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * encoder.h - turns events into tables: it numbers what events use, and describes everything before
 * it is used.
 *
 * Only what events use is described, each thing once in an *epoch*. A new epoch starts the
 * numbering afresh and so repeats what is still in use: what a damaged block took away comes back,
 * and a recording of days does not depend on its first minute. No clock, no file: pure.
 */
#ifndef SBERF_RECORD_ENCODER_H
#define SBERF_RECORD_ENCODER_H

#include "base/cleanup.h"
#include "model/dict.h"
#include "model/event.h"
#include "model/names.h"
#include "record/bytes.h"
#include "record/format.h"

struct encoder;

/* Reads DICT and NAMES, which must stay. NULL when out of memory. */
struct encoder *encoder_new(const struct dict *dict, const struct names *names);
void encoder_free(struct encoder *enc);          /* NULL is fine */

/* Takes EV in, and what it uses. False when out of memory: the encoder is of no more use then. */
bool encoder_event(struct encoder *enc, const struct event *ev);

/* Takes in the hit H by itself. The same. */
struct told_hit;
bool encoder_hit(struct encoder *enc, const struct told_hit *h);

/*
 * Takes in the names that became known, or better, since they were last written, of the frames used
 * so far. Looks at no more than BUDGET frames and stops when encoder_full(). *RET_DONE: there was
 * nothing left to look at. False when out of memory.
 */
bool encoder_names(struct encoder *enc, size_t budget, bool *ret_done);

/* True when it is time to take the blocks out, for size. */
bool encoder_full(const struct encoder *enc);

/* Starts a new epoch. What was taken in must have been taken out. */
void encoder_next_epoch(struct encoder *enc);
/* Starts a recording afresh, from its first event on. What was taken in must have been taken out. */
void encoder_restart(struct encoder *enc);
/* Whether each frame that was used in this epoch has a name. */
bool encoder_all_named(const struct encoder *enc);
uint32_t encoder_epoch(const struct encoder *enc);

/* Gets one payload that is ready; N bytes at PAYLOAD, for the time of the call. False: stop. */
typedef bool payload_fn(void *ctx, enum block_type type, const uint8_t *payload, size_t n);

/* Hands what was taken in to EACH, in order. False when EACH said so or memory ran out. */
bool encoder_take(struct encoder *enc, payload_fn *each, void *ctx);

uint64_t encoder_events(const struct encoder *enc);      /* taken in so far */

DEFINE_AUTO(encoder_free, struct encoder);

#endif
