/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapane_private.h - shared by numapane.c (where columns stand; what they say is in
 * query/numacolumns.c), numacells.c (those that there are for each node) and numastatus.c (the line
 * below).
 */
#ifndef SBERF_UI_PANES_NUMAPANE_PRIVATE_H
#define SBERF_UI_PANES_NUMAPANE_PRIVATE_H

#include "base/units.h"
#include "ui/canvas.h"
#include "ui/panes/numaview.h"
#include "ui/treeview.h"

#include <stdbool.h>
#include <stdint.h>

/* What the rows of TV stand for; NULL = it shows nothing. */
static inline const struct numaview *numapane_of(const struct treeview *tv)
{
	return tv->model;
}

/* What L stands for in its table. */
static inline struct numa_row numapane_row(const struct numa_view *v, const struct numa_line *l)
{
	return (struct numa_row){ .v = v, .part = l->part, .i = l->i,
				  .path = l->level == NUMA_LEVEL_PATH ? l->sub : ID_NONE };
}

/* The columns at the right that there are for each node, or for several nodes together. */
enum numa_cell_mode {
	NUMA_CELLS_NONE,
	NUMA_CELLS_HEAT,         /* a column of a height for each */
	NUMA_CELLS_NUMBERS,      /* percentages */
	NUMA_CELLS_DISTANCES,    /* with distances beside */
};

struct numa_cells {
	uint8_t mode;            /* enum numa_cell_mode */
	int x, cols;             /* where they begin; columns of one */
	uint32_t n, per;         /* how many; nodes in one */
};

#define NUMA_CELLS_GAP 2         /* columns in front of them */
#define NUMA_CELL_COLS 6         /* of a percentage */
#define NUMA_DISTANCE_COLS 9     /* with the distance beside it */

/*
 * The cells for NR nodes in ROOM columns before column END, no wider than MOST columns each. Where
 * they are a MUST, several nodes share one rather than that there are none.
 */
struct numa_cells numa_cells_for(uint32_t nr, int room, int end, int most, bool must);
/* Their heads, for the rows of PART. */
void numa_cells_heads(const struct numa_cells *c, const struct numa_view *v, enum numa_part part,
		      struct canvas *cv, int y);
/* What they say of LINE: numbers are drawn before the cursor is, heights (HEAT) after. */
void numa_cells_draw(const struct numa_cells *c, const struct numaview *nv, const struct numa_line *l,
		     struct canvas *cv, int y, bool heat);

#endif
