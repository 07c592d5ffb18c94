/* SPDX-License-Identifier: BSD-2-Clause */
/* rawfile_private.h - records of a raw capture (capture/rawfile.h): rawfile.c has events, rawanswers.c the rest. */
#ifndef SBERF_CAPTURE_RAWFILE_PRIVATE_H
#define SBERF_CAPTURE_RAWFILE_PRIVATE_H

#include "capture/rawfile.h"

/* Numbers of the format. */
enum record_type {
	REC_WIRE = 1, REC_MMAP, REC_COMM, REC_FORK, REC_EXIT, REC_TURN, REC_STOP, REC_PROBE, REC_TOTAL, REC_TOTALS,
	REC_SUMS_TURN, REC_SUM, REC_OPEN, REC_LOOK, REC_COMES, REC_HOME, REC_HOMES,
};

struct record_head {
	uint32_t size;           /* this included, a multiple of 8 bytes */
	uint16_t type;           /* enum record_type */
	uint16_t flags;
};

int rawfile_put_bytes(FILE *f, const void *p, size_t n);

/* ---- rawanswers.c ---- */

/* Writes what is no event and no end of a reading; as rawfile_put(). */
int rawanswers_put(FILE *f, const struct rawfile_item *item, void *buf);
/*
 * Reads the record H, whole as its size says. False when it is damaged; ITEM.what is RAWFILE_END when it is of
 * unknown type.
 */
bool rawanswers_read(const struct record_head *h, struct rawfile_item *item);

#endif
