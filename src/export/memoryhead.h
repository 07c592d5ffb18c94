/* SPDX-License-Identifier: BSD-2-Clause */
/* memoryhead.h - what the texts about memory begin with. Private to exporters. */
#ifndef SBERF_EXPORT_MEMORYHEAD_H
#define SBERF_EXPORT_MEMORYHEAD_H

#include "export/export_view.h"
#include "export/out.h"
#include "query/leaks.h"

/* What V asks for of the sites that allocate. */
struct leaks_wish leaks_wish_of(const struct export_view *v);

/*
 * The sums of L in one to three lines, and an empty one; or, when nothing is known of blocks, what
 * to do about that.
 */
void memoryhead_put(struct out *o, const struct leaks *l, const struct export_view *v);

#endif
