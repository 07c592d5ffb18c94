/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawfile.h - a raw capture in a file: the output of a source, in its order, before unwinding. It
 * is for replays on the machine that wrote it (capture/replay.h); it is not a recording and not an
 * exchange format.
 *
 * A head, then records: size, type, and by type a wire record (bpf/wire.h) with what the source
 * added to it, a side-band event, the end of one reading of the source, or a part of an answer that
 * the source gave between two readings. Native byte order; each record is a multiple of 8 bytes and
 * at most RAWFILE_RECORD_MAX. A file cut short can be read up to the cut. Nothing in it is trusted.
 */
#ifndef SBERF_CAPTURE_RAWFILE_H
#define SBERF_CAPTURE_RAWFILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "capture/wire_encode.h"
#include "model/measure.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RAWFILE_RECORD_MAX (ENCODED_MAX + 64u)

/* The head of a raw capture. */
struct rawfile_head {
	uint64_t begun_ns;       /* CLOCK_MONOTONIC: when sampling began */
	uint32_t freq_hz;
	uint32_t stack_bytes;    /* first copy for an unknown executable: source_first_copy() */
	uint32_t nodes;          /* source_nodes() */
	uint32_t features;       /* of the kernel: a mask of rows of feature_infos (capture/features.h) */
	bool off_cpu, wakers;    /* of its plan */
	char event[16];          /* "cycles", "cpu-clock" */
};

/* The end of a reading. */
struct rawfile_turn {
	uint64_t seen_ns;        /* all events up to then have been read: source_seen_ns() */
	uint64_t from_ns, now_ns;        /* when the reading began and ended */
	uint64_t wait_period_ns, balancing_faults;
	struct source_stats stats;       /* so far, without texts and features */
};

/* A probe that somebody placed: hits are known by its number in the capture. */
struct rawfile_probe {
	uint32_t number;
	enum measure_unit unit;
	const char *text;
};

/* Which wait a stack was asked for. */
struct rawfile_asked {
	pid_t tid;
	uint64_t start_ns, id;
};

enum rawfile_what {
	RAWFILE_END,             /* end of the file, whole or not: see rawfile_cut() */
	RAWFILE_EVENT,           /* event */
	RAWFILE_TURN,            /* turn */
	RAWFILE_STOP,            /* ns: source_stop() was called */
	RAWFILE_PROBE,           /* probe: before its first hit */
	/* What is asked for between readings: items one by one, then the end of the list. */
	RAWFILE_TOTAL,           /* total */
	RAWFILE_TOTALS,          /* ns: up to when the totals are whole */
	RAWFILE_SUMS_TURN,       /* ns: of source_turn_sums() */
	RAWFILE_SUM,             /* sum */
	RAWFILE_OPEN,            /* open */
	RAWFILE_LOOK,            /* ns: the moment of the list of open waits */
	RAWFILE_STACK,           /* event: the stack of an open wait, at once ... */
	RAWFILE_COMES,           /* asked: ... or as an event of a later reading */
	RAWFILE_HOME,            /* home */
	RAWFILE_HOMES,           /* ns: 0 */
};

/* What a record says. */
struct rawfile_item {
	enum rawfile_what what;
	/* of an event: it tells what had happened before, and may stand between answers */
	bool told;
	bool further;            /* of an event: source_read_further() promised that it comes again */
	union {
		struct raw_event event;
		struct rawfile_turn turn;
		struct rawfile_probe probe;
		struct source_total total;
		struct source_sum sum;
		struct source_open open;
		struct source_home home;
		struct rawfile_asked asked;
		uint64_t ns;
	};
};

/*
 * Begins a file: writes its head. These writers return 0 or a negative errno; F is buffered, so
 * check its fclose() too.
 */
int rawfile_begin(FILE *f, const struct rawfile_head *head);
/* Sets begun_ns of the head, where F can be written anew; else it stays as it is. */
void rawfile_begun(FILE *f, uint64_t begun_ns);
/* Writes ITEM, which is not RAWFILE_END. BUF is scratch space of RAWFILE_RECORD_MAX bytes. */
int rawfile_put(FILE *f, const struct rawfile_item *item, void *buf);

struct rawfile;

/*
 * Reads the head of the file F. On success *RET owns F. -EBADMSG with a sentence when it is no raw
 * capture or one of another version.
 */
int rawfile_open(FILE *f, struct rawfile_head *head, struct rawfile **ret, struct err *e);
void rawfile_close(struct rawfile *r);           /* NULL is fine */
DEFINE_AUTO(rawfile_close, struct rawfile);

/*
 * Reads the next record into *ITEM, whose pointers live until the next call. Returns ITEM.what, or
 * -EBADMSG with a sentence when the rest cannot be read. Records of unknown type are skipped.
 */
int rawfile_next(struct rawfile *r, struct rawfile_item *item, struct err *e);
/* The record that rawfile_next() read last is read again by the next one. */
void rawfile_unread(struct rawfile *r);
/* Whether the file, read to its end, ends in the middle of a record. */
bool rawfile_cut(const struct rawfile *r);

/* A copy of the record that was read last, a RAWFILE_STACK: the caller's, to be freed; NULL when out of memory. */
void *rawfile_keep(const struct rawfile *r, size_t *ret_bytes);
/* The event of such a copy, into which it points. */
bool rawfile_kept(const void *record, struct raw_event *ret);

#endif
