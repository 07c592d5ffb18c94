/* SPDX-License-Identifier: BSD-2-Clause */
/* vec.c - the one place where growable arrays grow: by doubling, so that n pushes cost O(n). */
#include "config.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

bool vec_grow_(void **v, size_t *cap, size_t n, size_t more, size_t size)
{
	size_t fit = *cap ? *cap : 8;
	void *p;

	if (more > PTRDIFF_MAX / size || n > PTRDIFF_MAX / size - more)
		return false;
	/* No overflow: n + more is at most half of SIZE_MAX. */
	while (fit < n + more)
		fit *= 2;
	if (fit > PTRDIFF_MAX / size)
		fit = n + more;
	p = realloc(*v, fit * size);
	if (!p)
		return false;
	*v = p;
	*cap = fit;
	return true;
}
