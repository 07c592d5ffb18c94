/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans.h - finds which of many address ranges, which may nest, covers an address most closely.
 *
 * Add in any order, seal once, then search in O(log n). Of ranges that cover the address, the one
 * that starts last wins; of those, the shortest; of those, the one added last. So when ranges nest
 * properly, the innermost wins.
 */
#ifndef SBERF_SYMBOL_SPANS_H
#define SBERF_SYMBOL_SPANS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define SPAN_NONE UINT32_MAX

struct span {
	uint64_t start, end;         /* end exclusive */
	uint32_t value;              /* the caller's */
	uint32_t outer;              /* nearest earlier span that ends behind our start */
};

typedef VEC(struct span) spans;      /* zeroed = empty; vec_free() it */

/* Adds [START, END); an empty one is left out. False when out of memory. */
bool spans_add(spans *s, uint64_t start, uint64_t end, uint32_t value);
void spans_seal(spans *s);
/* The span that covers ADDR; NULL when none does. */
const struct span *spans_find(const spans *s, uint64_t addr);
/* Of all that cover ADDR the one with the greatest value. */
const struct span *spans_find_last(const spans *s, uint64_t addr);

#endif
