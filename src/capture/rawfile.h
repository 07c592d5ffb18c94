/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawfile.h - a raw capture in a file: the output of a source, in its order, before unwinding. It
 * is for replays on the machine that wrote it (capture/replay.h); it is not a recording and not an
 * exchange format.
 *
 * A head, then records: size, type, and by type a wire record (bpf/wire.h) with what the source
 * added to it, a side-band event, or the end of one reading of the source. Native byte order; each
 * record is a multiple of 8 bytes and at most RAWFILE_RECORD_MAX. A file cut short can be read up
 * to the cut. Nothing in it is trusted.
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

/* The head of a raw capture. */
struct rawfile_head {
	uint64_t begun_ns;       /* CLOCK_MONOTONIC */
	uint32_t freq_hz;
	uint32_t stack_bytes;    /* first copy for an unknown executable: source_first_copy() */
	char event[16];          /* "cycles", "cpu-clock" */
};

/*
 * Begins a file: writes its head. These writers return 0 or a negative errno; F is buffered, so
 * check its fclose() too.
 */
int rawfile_begin(FILE *f, const struct rawfile_head *head);
/*
 * Writes an event of the source. A kind that the file cannot hold (a wait's stack) is left out. BUF
 * is scratch space of RAWFILE_RECORD_MAX bytes.
 */
int rawfile_put(FILE *f, const struct raw_event *ev, void *buf);
/*
 * Marks the end of a reading: everything up to SEEN_NS (CLOCK_MONOTONIC) has been written, and LOST
 * counts the losses so far.
 */
int rawfile_put_turn(FILE *f, uint64_t seen_ns, const struct losses *lost);

struct rawfile;

/*
 * Reads the head of the file F. On success *RET owns F. -EBADMSG with a sentence when it is no raw
 * capture or one of another version.
 */
int rawfile_open(FILE *f, struct rawfile_head *head, struct rawfile **ret, struct err *e);
void rawfile_close(struct rawfile *r);           /* NULL is fine */
DEFINE_AUTO(rawfile_close, struct rawfile);

enum rawfile_what {
	RAWFILE_END,             /* end of the file, whole or not: see rawfile_cut() */
	RAWFILE_EVENT,
	RAWFILE_TURN,
};

/*
 * Reads the next record: into *EV, whose pointers live until the next call, or into *SEEN_NS and
 * *LOST. Returns an enum rawfile_what, or -EBADMSG with a sentence when the rest cannot be read.
 * Records of unknown type are skipped.
 */
int rawfile_next(struct rawfile *r, struct raw_event *ev, uint64_t *seen_ns, struct losses *lost, struct err *e);
/* Whether the file, read to its end, ends in the middle of a record. */
bool rawfile_cut(const struct rawfile *r);

#endif
