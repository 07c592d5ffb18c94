/* SPDX-License-Identifier: BSD-2-Clause */
/* order.c - see order.h. */
#include "config.h"

#include "base/order.h"

#include <stdlib.h>

uint32_t *in_order(size_t n, int (*compare)(const void *a, const void *b, void *ctx), void *ctx)
{
	uint32_t *order = malloc((n + 1) * sizeof(*order));

	for (size_t i = 0; order && i < n; i++)
		order[i] = (uint32_t)i;
	if (order && n)
		qsort_r(order, n, sizeof(*order), compare, ctx);
	return order;
}
