/* SPDX-License-Identifier: BSD-2-Clause */
/* order.h - sorts numbers by a comparison. Private to queries. */
#ifndef SBERF_QUERY_ORDER_H
#define SBERF_QUERY_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Compares two numbers, for comparators: negative, 0 or positive. */
static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * Returns the numbers 0 to N - 1 in the order of COMPARE, to be freed with free(); NULL when out of
 * memory.
 */
uint32_t *in_order(size_t n, int (*compare)(const void *a, const void *b, void *ctx), void *ctx);

#endif
