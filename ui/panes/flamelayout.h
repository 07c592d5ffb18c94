/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamelayout.h - the frames of a flame graph in so many columns, and where they begin and end.
 * Pure: tree and width in, frames out.
 *
 * The frame of a node begins where its parent's does, or where the sibling before it ends, and is
 * as wide as its share of the whole; its ends are rounded down to columns, so rounding never adds
 * up. The self time of a node is the part with nothing below it. Siblings stand by falling weight.
 * Those narrower than a column are *merged*: one frame stands for all of them and has nothing
 * below. So only as many nodes are visited as can be seen, however large the tree is: at most one
 * frame for each column of each level.
 */
#ifndef SBERF_UI_PANES_FLAMELAYOUT_H
#define SBERF_UI_PANES_FLAMELAYOUT_H

#include "base/vec.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NONE UINT32_MAX

struct flame_frame {
	uint32_t node;           /* of the tree; when merged the heaviest one, or the one that is kept */
	uint32_t parent;         /* number of the frame that it stands below; FLAME_NONE: it is the first one */
	uint32_t end;            /* number of the first frame that is not below it */
	uint32_t level;          /* 0 = the top */
	uint32_t merged;         /* so many siblings it stands for; 1 = itself alone */
	/* the heaviest of these; the others follow it, and folded idle waits may be among them */
	uint32_t first;
	int x, w;                /* columns; W is at least 1 */
	uint64_t ns;             /* what it stands for in all */
};

struct flame_layout {
	VEC(struct flame_frame) frame;   /* each before those below it, siblings from left to right; [0] is the top */
	uint64_t whole_ns;       /* what all columns are; 0: there is nothing, and no frame */
	uint64_t narrow_ns;      /* what was merged */
	uint32_t levels;         /* that have frames */
	VEC(uint32_t) keep;      /* to work with: the nodes that lead to the one that is kept, from below the top on */
};

/* To be freed also after it failed; zeroed is fine. */
void flame_layout_free(struct flame_layout *l);

/*
 * Places BASE of T, and all below but for idle waits that were folded (NODE_IDLE), in WIDTH
 * columns, in place of what L had.
 *
 * KEEP, if it is below BASE, is given a frame however narrow it is, as are the nodes that lead to
 * it: in the frame that it is merged into, or, where that has no column, in the last one of its
 * parent, over what is there, and one column wide below that. NODE_NONE = none. False when out of
 * memory: L has what there was room for.
 */
bool flame_layout_make(struct flame_layout *l, const struct tree *t, uint32_t base, int width, uint32_t keep);

/* The frame at column X of LEVEL; FLAME_NONE where there is none. */
uint32_t flame_layout_at(const struct flame_layout *l, int x, uint32_t level);

#endif
