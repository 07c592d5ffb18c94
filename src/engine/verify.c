/* SPDX-License-Identifier: BSD-2-Clause */
/* verify.c - see verify.h. */
#include "config.h"

#include "engine/verify.h"

enum verify_cause verify_compare(const struct chain *walked, const struct chain *copied)
{
	const struct chain *a = walked, *b = copied;

	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		if (a->frame[i].module != b->frame[i].module)
			return VERIFY_MODULE;
		if (a->frame[i].offset != b->frame[i].offset)
			return VERIFY_PLACE;
	}
	return a->n < b->n ? VERIFY_SHORTER : a->n > b->n ? VERIFY_LONGER : VERIFY_NR;
}
