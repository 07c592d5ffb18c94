/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * basecells.c - draws the columns of a tree that is compared with a baseline. 100 % is one thread
 * that runs all the time; where calls are compared, what a slow one takes.
 */
#include "config.h"

#include "ui/panes/basecells.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/panes/pane_common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BRIEF_COLS 8             /* without a sign of percent */
#define POINTS_LEAST 0.05        /* less reads as nothing */

int basecells_lay_out(struct basecells *c, int w)
{
	int end = w;

	*c = (struct basecells){ .cols = w >= 56 ? PANE_COMMON_PERCENT_COLS : BRIEF_COLS };
	if (w >= 14)
		c->change_x = end -= c->cols;
	if (w >= 36)
		c->now_x = end -= c->cols;
	if (w >= 56)
		c->before_x = end -= c->cols;
	return end;
}

void basecells_heads(const struct basecells *c, const struct baseline *b, struct canvas *cv, int y, bool sorted)
{
	if (c->before_x)
		pane_common_head(cv, c->before_x, y, c->cols, b->head[DIFF_BEFORE], false);
	if (c->now_x)
		pane_common_head(cv, c->now_x, y, c->cols, b->head[DIFF_AFTER], false);
	if (c->change_x)
		pane_common_head(cv, c->change_x, y, c->cols,
				 c->cols < PANE_COMMON_PERCENT_COLS ? "diff" : "change", sorted);
}

/* "+12.2", "~-0.4", "-<0.1" */
static void change_text(const struct diff_change *d, char *dst, size_t size)
{
	const double points = 100 * d->change;
	const char *mark = diff_is_noise(d) ? "~" : "";

	if (fabs(points) < POINTS_LEAST)
		snprintf(dst, size, "%s%c<0.1", mark, points < 0 ? '-' : '+');
	else
		snprintf(dst, size, fabs(points) < 1000 ? "%s%+.1f" : "%s%+.0f", mark, points);
}

static enum style change_style(const struct diff_change *d)
{
	if (diff_is_noise(d))
		return STYLE_DOUBT;
	return d->change > 0 ? STYLE_ALERT : STYLE_RUNNING;
}

void basecells_draw(const struct basecells *c, const struct baseline *b, uint32_t node, struct canvas *cv, int y)
{
	const struct diff_change d = baseline_change(b, node);
	const uint64_t *ns = b->pair[node].ns;
	char text[32];
	int cols;

	if (c->before_x)
		pane_common_percent(cv, c->before_x, y, c->cols, STYLE_TEXT, ns[DIFF_BEFORE],
				    (uint64_t)b->diff.unit[DIFF_BEFORE], false);
	if (c->now_x && !b->young)
		pane_common_percent(cv, c->now_x, y, c->cols, STYLE_TEXT, ns[DIFF_AFTER],
				    (uint64_t)b->diff.unit[DIFF_AFTER], false);
	if (!c->change_x || b->young || d.change == 0)
		return;
	change_text(&d, text, sizeof(text));
	cols = (int)strlen(text);
	if (cols < c->cols)
		canvas_put(cv, c->change_x + c->cols - cols, y, change_style(&d), text);
}

/* What NODE has on SIDE: a share, or the time of one call. */
static char *side_text(const struct baseline *b, uint32_t node, int side, double share, char dst[UNITS_MAX])
{
	if (b->diff.norm != DIFF_BY_CALL)
		return units_percent(dst, share);
	return measure_text(b->lead, diff_amount(&b->diff, side, b->pair[node].ns[side]), dst);
}

void basecells_words(const struct baseline *b, uint32_t node, struct text_builder *w)
{
	const struct diff_change d = baseline_change(b, node);
	char text[32];

	for (int side = 0; side < DIFF_SIDES; side++) {
		if (side == DIFF_AFTER && b->young)
			return;
		text_builder_put(w, side ? TEXT_BUILDER_DOT "%s %s" : "%s %s", b->head[side],
				 side_text(b, node, side, side == DIFF_BEFORE ? d.before : d.after, text));
	}
	change_text(&d, text, sizeof(text));
	text_builder_put(w, TEXT_BUILDER_DOT "%s \xC2\xB1%.1f points", text, 100 * DIFF_Z * d.sigma);
}
