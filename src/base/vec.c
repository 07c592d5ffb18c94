/* SPDX-License-Identifier: BSD-2-Clause */
/* vec.c - the one place where growable arrays grow: by doubling, so that n pushes cost O(n). */
#include "config.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

bool vec_grow_(void **v, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;
	void *p;

	while (n < want) {
		if (n > SIZE_MAX / 2)
			return false;
		n *= 2;
	}
	if (n > SIZE_MAX / size)
		return false;
	p = realloc(*v, n * size);
	if (!p)
		return false;
	*v = p;
	*cap = n;
	return true;
}
