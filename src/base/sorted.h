/* SPDX-License-Identifier: BSD-2-Clause */
/* sorted.h - finds a place in an array that is sorted by a number. */
#ifndef SBERF_BASE_SORTED_H
#define SBERF_BASE_SORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * How many of the N elements at V, whose MEMBER (a uint64_t) never falls, have VALUE or less there:
 * so the last of them is V[count - 1], and the first that has more is V[count]. V may be NULL when
 * N is 0.
 */
#define count_upto(v, n, member, value) \
	search_((v), (n), sizeof(*(v)), _Generic((v)->member, uint64_t: offsetof(__typeof__(*(v)), member)), true, \
		(value))

/*
 * How many of the N elements at V, whose MEMBER (a 32-bit signed integer, such as a pid_t) rises,
 * have less than VALUE there: so where the one that has VALUE is, or belongs. V may be NULL when N
 * is 0.
 */
#define count_below(v, n, member, value) \
	search_((v), (n), sizeof(*(v)), _Generic((v)->member, int32_t: offsetof(__typeof__(*(v)), member)), false, \
		search_key_(value) - 1)

/* Orders signed numbers as unsigned ones, from 1 on: there is one before each. */
static inline uint64_t search_key_(int32_t number)
{
	return (uint64_t)((int64_t)number - INT32_MIN) + 1;
}

/* How many have KEY or less: of numbers of 64 bits themselves when WIDE, else of search_key_(). */
static inline size_t search_(const void *v, size_t n, size_t size, size_t offset, bool wide, uint64_t key)
{
	const char *at = v;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		uint64_t have = 0;
		int32_t number;

		if (wide) {
			memcpy(&have, at + mid * size + offset, sizeof(have));
		} else {
			memcpy(&number, at + mid * size + offset, sizeof(number));
			have = search_key_(number);
		}
		if (have <= key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
