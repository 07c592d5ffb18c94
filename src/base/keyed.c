/* SPDX-License-Identifier: BSD-2-Clause */
/* keyed.c - what an index of elements asks when it grows. */
#include "config.h"

#include "base/keyed.h"

uint64_t keyed_rehash_(const void *ctx, uint32_t id)
{
	const struct keyed_elements_ *e = ctx;

	return keyed_hash_(e->v + id * e->size, e->key);
}
