/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listcolumns.c - chooses the columns of a list that fit the screen, and draws their heads and
 * cells.
 */
#include "config.h"

#include "ui/panes/listcolumns.h"

#include "ui/panes/measurestyle.h"
#include "ui/panes/pane_common.h"

#include <string.h>

#define NOTHING "\xC2\xB7"

struct list_layout listcolumns_lay_out(const struct list_column *c, size_t n, int w, int end)
{
	struct list_layout l = { .name_end = end };

	for (size_t i = n; i-- > 0;) {
		l.cols[i] = c[i].wide_w && w < c[i].wide_w ? c[i].brief_cols : c[i].cols;
		if (w >= c[i].least_w)
			l.x[i] = l.name_end -= l.cols[i];
	}
	return l;
}

void listcolumns_heads(const struct list_column *c, size_t n, const struct list_layout *l, struct canvas *cv,
		       int y, int sorted)
{
	for (size_t i = 0; i < n; i++) {
		if (l->x[i])
			pane_common_head(cv, l->x[i], y, l->cols[i], c[i].head, (int)i == sorted);
	}
}

/* FIGURE, right-aligned in the COLS columns from X on; a number that is too long is rounded. */
static void listcolumns_put(const struct list_figure *figure, struct canvas *cv, int x, int y, int cols,
			    enum style style)
{
	char text[UNITS_MAX];

	if (figure->unit == LIST_SHARE) {
		pane_common_percent(cv, x, y, cols, style, figure->value, figure->whole, figure->doubt);
		return;
	}
	list_figure_text(figure, text);
	if (figure->unit == LIST_COUNT && (int)strlen(text) >= cols)
		units_count(text, figure->value);
	x += cols - (int)strlen(text);
	if (figure->doubt)
		canvas_put(cv, x - 1, y, STYLE_DOUBT, "~");
	canvas_put(cv, x, y, style, text);
}

static enum style listcolumns_style(const struct list_column *c, enum style lead)
{
	return c->lead ? lead : c->measure ? measure_style(c->measure) : STYLE_TEXT;
}

void listcolumns_draw(const struct list_column *c, size_t n, const struct list_layout *l, const void *row,
		      enum style lead, struct canvas *cv, int y)
{
	for (size_t i = 0; i < n; i++) {
		const struct list_figure figure = l->x[i] ? c[i].figure(row) : (struct list_figure){ 0 };

		if (figure.unit != LIST_NONE)
			listcolumns_put(&figure, cv, l->x[i], y, l->cols[i], listcolumns_style(&c[i], lead));
		else if (l->x[i] && c[i].dot)
			canvas_put(cv, l->x[i] + l->cols[i] - 1, y, STYLE_FAINT, NOTHING);
	}
}
