/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitrows.h - the rows of a list of waits while they are made: found by what they stand for, filled, added up and put in
 * order. Private to queries.
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

/* Begins with the row of all waits. False when out of memory: to be freed all the same. */
bool rows_init(struct wait_rows *rows);
void rows_free(struct wait_rows *rows);

/* The row under WANT->parent that IDENTITY tells from its siblings; NODE_NONE when there is none. */
uint32_t rows_find(const struct wait_rows *rows, uint32_t parent, uint64_t identity);
/* The same, made like WANT when there is none; NODE_NONE when out of memory. */
uint32_t rows_get(struct wait_rows *rows, const struct wait_row *want, uint64_t identity);

/* Adds F, of the wait W and with what filter_fact() says of it, to R. */
void row_fill(struct wait_row *r, const struct wait *w, const struct fact *f, unsigned int is);

/* Adds up the rows, but for wakers and threads, and puts them into OUT, depth first. False when out of memory. */
bool rows_finish(struct wait_rows *rows, struct wait_row *out);

#endif
