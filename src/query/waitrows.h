/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitrows.h - the rows of a list of waits while it is built: found by identity, filled, summed and
 * sorted. Private to queries.
 */
#ifndef SBERF_QUERY_WAITROWS_H
#define SBERF_QUERY_WAITROWS_H

#include "base/hash.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "query/waits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wait_rows {
	VEC(struct wait_row) v;  /* parents before children, siblings in any order; the first is its own parent */
	struct hidx index;       /* by key */
};

/* Begins with the row of all waits. False when out of memory; call rows_free() in any case. */
bool rows_init(struct wait_rows *rows);
void rows_free(struct wait_rows *rows);

/* The row below PARENT with IDENTITY; NODE_NONE when there is none. */
uint32_t rows_find(const struct wait_rows *rows, uint32_t parent, uint64_t identity);
/*
 * The row below WANT->parent with IDENTITY, created as a copy of WANT when missing; NODE_NONE when
 * out of memory.
 */
uint32_t rows_get(struct wait_rows *rows, const struct wait_row *want, uint64_t identity);

/* Adds the fact F of the wait W to R; IS are its flags from filter_fact(). */
void row_fill(struct wait_row *r, const struct wait *w, const struct fact *f, unsigned int is);

/*
 * Sums up the rows, except wakers and threads, and writes them to OUT, depth first. False when out
 * of memory.
 */
bool rows_finish(struct wait_rows *rows, struct wait_row *out);

#endif
