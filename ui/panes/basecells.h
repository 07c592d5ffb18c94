/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * basecells.h - the columns of a tree that is compared with a baseline: before, now, and the change
 * with its sign.
 */
#ifndef SBERF_UI_PANES_BASECELLS_H
#define SBERF_UI_PANES_BASECELLS_H

#include "ui/baseline.h"
#include "ui/canvas.h"
#include "ui/text_builder.h"

/* Where columns stand; 0 = no such column. */
struct basecells {
	int before_x, now_x, change_x;
	int cols;                /* of each */
};

/* Places the columns at the right of W; returns where names end. */
int basecells_lay_out(struct basecells *c, int w);
/* Their heads in the rule at row Y; an arrow where lines are SORTED by the change. */
void basecells_heads(const struct basecells *c, const struct baseline *b, struct canvas *cv, int y, bool sorted);
/* The figures of NODE at row Y. */
void basecells_draw(const struct basecells *c, const struct baseline *b, uint32_t node, struct canvas *cv, int y);
/* "before 1.2 % . now 13.4 % . +12.2 +-4.1 points" of NODE; of calls with the times of one. */
void basecells_words(const struct baseline *b, uint32_t node, struct text_builder *w);

#endif
