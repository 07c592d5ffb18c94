/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memoryview.h - what is resident of the processes over time, and the sites that allocate memory, as rows
 * that a treeview can show: below the first each size that the kernel tells, and what is resident by kind of
 * mapping; below a site the verdict, histograms of sizes and ages, its threads, and the functions of its path.
 *
 * Nothing is copied: the number of a row leads to its content.
 */
#ifndef SBERF_UI_PANES_MEMORYVIEW_H
#define SBERF_UI_PANES_MEMORYVIEW_H

#include "base/cleanup.h"
#include "query/leaks.h"
#include "query/memorysizes.h"
#include "ui/outline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_level {
	MEMORY_LEVEL_RESIDENT,   /* of all processes together, over time */
	MEMORY_LEVEL_SIZE,       /* below that: SUB, an enum memory_size */
	MEMORY_LEVEL_ALL,        /* everything together: what is in use over time */
	MEMORY_LEVEL_SITE,
	MEMORY_LEVEL_VERDICT,
	MEMORY_LEVEL_SIZES,      /* of blocks allocated */
	MEMORY_LEVEL_AGES,       /* of those in use */
	MEMORY_LEVEL_LIVES,      /* of others when they were freed */
	MEMORY_LEVEL_THREADS,
	MEMORY_LEVEL_PLACE,      /* one function of its path: the row of the outline tells */
};

struct memory_line {
	uint8_t level;           /* enum memory_level */
	uint8_t sub;
	uint32_t site;           /* of the list */
};

struct memoryview {
	struct leaks *leaks;     /* owned, like the others */
	struct memory_history *sizes;    /* without moments where nothing is known */
	struct memory_line *line;        /* by row; that of the root means nothing */
	struct outline *rows;
};

/* Takes over LEAKS and SIZES, also when out of memory: NULL. To be freed with memoryview_free(). */
struct memoryview *memoryview_new(struct leaks *leaks, struct memory_history *sizes);
void memoryview_free(struct memoryview *mv);     /* NULL is fine */

/* The site that row NODE is about; of MEMORY_LEVEL_ALL all of them. */
const struct leak_site *memoryview_site(const struct memoryview *mv, uint32_t node);
/* The histogram that row NODE shows; NULL = none. */
const struct leak_amount *memoryview_histogram(const struct memoryview *mv, uint32_t node);
/* What row NODE was in each part of the time, for a picture of that; false when it has none. */
bool memoryview_series(const struct memoryview *mv, uint32_t node, double ret[GROWTH_BINS]);
/* What a row with a picture is called, in few columns: "sizes"; "" for others. */
const char *memoryview_word(const struct memoryview *mv, uint32_t node);
/* What row NODE is called, sanitised; of one with a picture what stands behind that. Returns DST. */
char *memoryview_label(const struct memoryview *mv, uint32_t node, char *dst, size_t size);

DEFINE_AUTO(memoryview_free, struct memoryview);

#endif
