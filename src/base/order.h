/* SPDX-License-Identifier: BSD-2-Clause */
/* order.h - compares numbers, and sorts numbers by a comparison. */
#ifndef SBERF_BASE_ORDER_H
#define SBERF_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Compares two numbers of one type, for comparators that sort by rising A: negative, 0 or positive.
 * With A and B the other way round they sort by falling ones.
 */
#define compare_numbers(a, b) ({ \
	const __typeof__((a) + 0) a_ = (a); \
	const __typeof__((b) + 0) b_ = (b); \
	(a_ > b_) - (a_ < b_); \
})

/*
 * Returns the numbers 0 to N - 1 in the order of COMPARE, to be freed with free(); NULL when out of
 * memory.
 */
uint32_t *in_order(size_t n, int (*compare)(const void *a, const void *b, void *ctx), void *ctx);

#endif
