/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapane_private.h - the columns of the view by node, shared by numapane.c (where they stand), numafigures.c (what they say),
 * numacells.c (those that there are for each node) and numastatus.c (the line below).
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

/* What stands in one column of one line: text, or a bar of two parts. */
struct numa_figure {
	char text[UNITS_MAX];    /* "" = nothing at all */
	uint8_t style;
	bool doubt;              /* it is estimated: "~" in front */
	double share, more;      /* of a bar: its part, and what others have of the same */
};

struct numa_column {
	uint8_t part;            /* enum numa_part */
	uint8_t when;            /* mask of NUMA_WHEN_* */
	uint8_t cols;
	uint8_t rank;            /* the highest goes first where there is no room */
	const char *head;        /* "" = a bar */
	void (*figure)(const struct numa_view *v, const struct numa_line *l, struct numa_figure *ret);
};

#define NUMA_WHEN_ONE 1u         /* on one node, */
#define NUMA_WHEN_SEVERAL 2u     /* on several */

/* All columns, those of a part from left to right; *RET_N of them. */
const struct numa_column *numa_columns(size_t *ret_n);

/* The accesses of a function, a call path, a thread, a kind of memory; NULL = LINE is none. */
const struct numa_accesses *numa_accesses_of(const struct numa_view *v, const struct numa_line *line);
/* How often accesses were sampled. */
uint64_t numa_accesses_count(const struct numa_accesses *a);

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
 * The cells for NR nodes in ROOM columns before column END, no wider than MOST columns each. Where they are a MUST, several
 * nodes share one rather than that there are none.
 */
struct numa_cells numa_cells_for(uint32_t nr, int room, int end, int most, bool must);
/* Their heads, for the rows of PART. */
void numa_cells_heads(const struct numa_cells *c, const struct numa_view *v, enum numa_part part, struct canvas *cv, int y);
/* What they say of LINE: numbers are drawn before the cursor is, heights (HEAT) after. */
void numa_cells_draw(const struct numa_cells *c, const struct numaview *nv, const struct numa_line *l, struct canvas *cv, int y,
		     bool heat);

#endif
