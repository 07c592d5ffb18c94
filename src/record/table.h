/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - writes and reads tables, the payload of most blocks: rows kept as columns.
 *
 *	varint base      the id, or the number, of the first row: it goes on where the table before ended
 *	varint rows      at most TABLE_ROWS_MAX
 *	columns          each: varint tag, u8 encoding and flags, varint length, that many bytes
 *
 * A reader leaves out columns that it does not know, and a column that is absent is all zero: so
 * columns can be added. The writer takes the shortest of three encodings for each column of
 * numbers.
 */
#ifndef SBERF_RECORD_TABLE_H
#define SBERF_RECORD_TABLE_H

#include "record/bytes.h"
#include "record/format.h"

struct table_column {
	size_t zeros;            /* as long as there is nothing else: a column that nobody needs costs nothing */
	VEC(uint64_t) values;    /* empty, or everything */
	byte_vec bytes;          /* of a COLUMN_BYTES column */
};

/* A table being written. A zeroed one is empty. */
struct table {
	uint64_t base;
	uint32_t rows;
	size_t values;           /* numbers kept in all columns, for the size */
	size_t bytes;            /* bytes in all columns */
	struct table_column column[COLUMNS_MAX];
};

/* Appends to column TAG; false when out of memory. The caller counts rows. */
bool table_add(struct table *t, unsigned int tag, uint64_t value);
bool table_add_bytes(struct table *t, unsigned int tag, const void *bytes, size_t n);

/* About how many bytes the payload will have. */
static inline size_t table_size(const struct table *t)
{
	return t->values * 2 + t->bytes;
}

/* Appends the payload to DST; false when out of memory. */
bool table_encode(const struct table *t, byte_vec *dst);

/* Empties it, with memory kept, and sets base behind its rows. */
void table_next(struct table *t);

void table_free(struct table *t);                /* a zeroed table is fine */

/* A column being read. */
struct column {
	struct cursor in;
	uint64_t value, left;    /* COLUMN_RUNS, COLUMN_DELTA: the value; COLUMN_RUNS: repeats left */
	uint8_t encoding;
	bool present;
};

/* A table being read: views into the payload, which must stay. */
struct table_view {
	uint64_t base;
	uint32_t rows;
	bool unknown;            /* it has columns that are not known here */
	struct column column[COLUMNS_MAX];
};

enum table_result {
	TABLE_OK,
	TABLE_MALFORMED,
	TABLE_NEWER,             /* a critical column, or the encoding of a known one, is not known here */
};

/* Opens the N bytes of PAYLOAD, of which the columns 1 .. KNOWN (under COLUMNS_MAX) are of interest. */
enum table_result table_open(struct table_view *t, unsigned int known, const uint8_t *payload, size_t n);

/* The next number of column TAG (0 for ever when the column is absent); false at its end or when it is malformed. */
bool table_get(struct table_view *t, unsigned int tag, uint64_t *ret);
/* The same for a number that must not exceed MAX. */
bool table_get_max(struct table_view *t, unsigned int tag, uint64_t max, uint64_t *ret);
/* The next N bytes of column TAG; NULL at its end. */
const uint8_t *table_get_bytes(struct table_view *t, unsigned int tag, size_t n);

#endif
