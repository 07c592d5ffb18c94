/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawfile.h - a raw capture in a file: what a source gave, in its order, before anything was
 * unwound. For replays on the machine that wrote it (capture/replay.h); no recording, and no format
 * for others to read.
 *
 * A head, then records: a size, a type, and by type a wire record (bpf/wire.h) with what the source
 * added to it, an event of the side band, or where a reading of the source ended. Native-endian;
 * every record is a multiple of 8 bytes and RAWFILE_RECORD_MAX at most. A file whose end is missing
 * can be read up to there. It is believed in nothing.
 */
#ifndef SBERF_CAPTURE_RAWFILE_H
#define SBERF_CAPTURE_RAWFILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/wire_encode.h"
#include "model/raw.h"
#include "model/reasons.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RAWFILE_RECORD_MAX (ENCODED_MAX + 64u)

/* What a raw capture says of itself. */
struct rawfile_head {
	uint64_t begun_ns;       /* CLOCK_MONOTONIC */
	uint32_t freq_hz;
	uint32_t stack_bytes;    /* of the first copies: source_first_copy() */
	char event[16];          /* "cycles", "cpu-clock" */
};

/*
 * Begins a file: its head. These return 0 or a negative errno; F buffers, so who closes it asks as
 * well.
 */
int rawfile_begin(FILE *f, const struct rawfile_head *head);
/*
 * An event of the source. A kind that a file has no place for (a wait's stack) is left out. BUF is
 * scratch of RAWFILE_RECORD_MAX bytes.
 */
int rawfile_put(FILE *f, const struct raw_event *ev, void *buf);
/* The end of a reading: all up to SEEN_NS has been given, and so much was lost. */
int rawfile_put_turn(FILE *f, uint64_t seen_ns, const struct losses *lost);

struct rawfile;

/*
 * Reads the head of the file behind F, which becomes its own. -EBADMSG with a sentence for what is
 * no raw capture, or of another version.
 */
int rawfile_open(FILE *f, struct rawfile_head *head, struct rawfile **ret, struct err *e);
void rawfile_close(struct rawfile *r);           /* NULL is fine */
DEFINE_AUTO(rawfile_close, struct rawfile);

enum rawfile_what {
	RAWFILE_END,             /* of the file, whether or not it is whole: rawfile_cut() */
	RAWFILE_EVENT,
	RAWFILE_TURN,
};

/*
 * The next one to *EV, whose pointers live until the next call, or to *SEEN_NS and *LOST. Returns
 * an enum rawfile_what, or -EBADMSG with a sentence: what follows cannot be read. Records of
 * unknown type are skipped.
 */
int rawfile_next(struct rawfile *r, struct raw_event *ev, uint64_t *seen_ns, struct losses *lost, struct err *e);
/* Whether its end, which was reached, is in the middle of a record. */
bool rawfile_cut(const struct rawfile *r);

#endif
