/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pane_common.c - draws what all panes with a treeview have: the rule with its heads, fold marks,
 * matches, and the cursor.
 */
#include "config.h"

#include "ui/panes/pane_common.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/panes/measurestyle.h"
#include "ui/text_builder.h"
#include "ui/title.h"

#include <stdio.h>
#include <string.h>

#define MARK_OPEN 0x25BE
#define MARK_CLOSED 0x25B8
#define MARK_CURSOR 0x258C
#define ELLIPSIS 0x2026
#define FAINT_SHARE 0.005
#define STRIPPED_W 132           /* from so many columns on, what helps has room beside a name and its figures */
#define ARROW "\xE2\x86\x93"
#define DOT TEXT_BUILDER_DOT

/*
 * Writes TITLE to DST. When it has more than COLS columns, parts of it, from the second one on, make
 * way for an ellipsis. First and last part stay: when they alone are too long, letters have to be cut.
 */
static void fit_title(char *dst, size_t size, const char *title, size_t cols)
{
	const char *dot = strstr(title, DOT), *rest = dot, *last = NULL;
	const int first = dot ? (int)(dot - title) : 0;

	text_format(dst, size, "%s", title);
	while (rest && text_width(dst, strlen(dst)) > cols) {
		rest = strstr(rest + strlen(DOT), DOT);
		last = rest ? rest : last;
		if (rest)
			text_format(dst, size, "%.*s" DOT "\xE2\x80\xA6%s", first, title, rest);
	}
	if (!rest && last)
		text_format(dst, size, "%.*s%s", first, title, last);
}

int pane_common_indent(uint32_t depth, int end)
{
	const int indent = (int)depth * LINE_STEP, most = end - LINE_NAME_X - LINE_STEP - LINE_NAME_MIN;

	return indent > most ? (most > 0 ? most : 0) : indent;
}

bool pane_common_on_mark(const struct treeview *tv, int x, int line, int end)
{
	const size_t row = tv->top + (size_t)(line < 0 ? 0 : line);
	int mark;

	if (row >= tv->rows.n)
		return false;
	mark = LINE_NAME_X + pane_common_indent(tv->rows.v[row].depth, end);
	return x >= mark && x < mark + LINE_STEP;
}

size_t pane_common_frames(const struct dict *d, stack_id stack, size_t most, frame_id *ret, size_t n, size_t max)
{
	for (size_t f = 0; f < most && stack != STACK_ROOT && n < max; f++) {
		const struct stack *s = dict_get_stack(d, stack);

		ret[n++] = s->frame;
		stack = s->parent;
	}
	return n;
}

void pane_common_rule(struct canvas *cv, int y, int end, const char *title)
{
	const int cols = end - PANE_COMMON_RULE_COLS;
	char text[TITLE_MAX];
	int used;

	fit_title(text, sizeof(text), title, cols > 0 ? (size_t)cols : 0);
	canvas_fill(cv, 0, y, cv->w, STYLE_FAINT, PANE_COMMON_RULE);
	used = canvas_text_cut(cv, 3, y, cols, STYLE_TITLE, text, strlen(text));
	if (used > 0) {
		canvas_fill(cv, 2, y, 1, STYLE_FAINT, ' ');
		canvas_fill(cv, 3 + used, y, 1, STYLE_FAINT, ' ');
	}
}

/*
 * The same for lines that are SORTED by what no head says: then the end of the title does, which is
 * the last to be cut.
 */
static void pane_common_rule_sorted(struct canvas *cv, int y, int end, const char *title, const struct measure_set *set,
				    enum sort_by sorted)
{
	static const char *const names[SORT_NR] = { [SORT_TOTAL] = "total", [SORT_SELF] = "self",
						    [SORT_NAME] = "name" };
	const struct measure *m = measure_column(set, sort_place(sorted));
	char text[TITLE_MAX + 32];

	snprintf(text, sizeof(text), "%s" TEXT_BUILDER_DOT ARROW "%s", title, m ? m->head : names[sorted]);
	pane_common_rule(cv, y, end, text);
}

void pane_common_head(struct canvas *cv, int x, int y, int cols, const char *head, bool sorted)
{
	const int w = (int)strlen(head) + (sorted ? 1 : 0);

	canvas_fill(cv, x + cols - w - 1, y, w + 2, STYLE_FAINT, ' ');
	if (sorted)
		canvas_put(cv, x + cols - w, y, STYLE_TITLE, ARROW);
	canvas_put(cv, x + cols - (int)strlen(head), y, sorted ? STYLE_TITLE : STYLE_FAINT, head);
}

void pane_common_fold(const struct treeview *tv, struct canvas *cv, int x, int y, uint32_t node)
{
	if (treeview_at(tv, node).first_child != NODE_NONE)
		canvas_fill(cv, x, y, 1, STYLE_FAINT, treeview_is_open(tv, node) ? MARK_OPEN : MARK_CLOSED);
}

void pane_common_matches(struct canvas *cv, int x, int y, int cols, const struct search *s, const char *label)
{
	const char *at = label;
	size_t len;

	while (s && (at = search_in(s, at, &len))) {
		const int from = (int)text_width(label, (size_t)(at - label));
		const int n = (int)text_width(at, len);

		if (from + n <= cols)
			canvas_restyle(cv, x + from, y, n, STYLE_MATCH);
		at += len;
	}
}

int pane_common_list(struct canvas *cv, int x, int y, int cols, enum style style, const char *label)
{
	const size_t len = strlen(label);

	if (cols < 2 || text_width(label, len) <= (size_t)cols)
		return canvas_text(cv, x, y, cols, style, label, len);
	cols = canvas_text(cv, x, y, cols - 1, style, label, len);
	canvas_fill(cv, x + cols, y, 1, style, ELLIPSIS);
	return cols + 1;
}

/* SHARE in COLS columns, one of them a blank: as precise as there is room for. */
static void fit_percent(char dst[UNITS_MAX], double share, int cols, bool doubt)
{
	const char *sign = cols < PANE_COMMON_PERCENT_COLS ? "" : " %";
	const size_t room = (size_t)cols - 1 - doubt;
	size_t len;

	units_percent(dst, share);
	len = strlen(dst);
	if (!*sign && len > 2)
		dst[len -= 2] = '\0';
	if (len > room)
		len = (size_t)snprintf(dst, UNITS_MAX, "%.0f%s", share * 100, sign);
	if (len > room)
		snprintf(dst, UNITS_MAX, "%.0fk%s", share / 10, sign);
}

void pane_common_add_head(struct pane_heads *h, int x, int cols, const char *text, enum sort_by sort)
{
	if (x && h->n < PANE_COMMON_HEADS)
		h->v[h->n++] = (struct pane_head){ x, cols, text, sort };
}

void pane_common_rule_heads(struct canvas *cv, int end, const char *title, const struct pane_heads *h,
			    const struct measure_set *set, enum sort_by sorted, bool told)
{
	for (unsigned int i = 0; i < h->n; i++)
		told |= h->v[i].sort == sorted;
	if (told)
		pane_common_rule(cv, 0, end, title);
	else
		pane_common_rule_sorted(cv, 0, end, title, set, sorted);
	for (unsigned int i = 0; i < h->n; i++)
		pane_common_head(cv, h->v[i].x, 0, h->v[i].cols, h->v[i].text, h->v[i].sort == sorted);
}

enum sort_by pane_common_head_at(const struct pane_heads *h, int x)
{
	for (unsigned int i = 0; i < h->n; i++) {
		if (x >= h->v[i].x && x < h->v[i].x + h->v[i].cols)
			return h->v[i].sort;
	}
	return SORT_NR;
}

void pane_common_percent(struct canvas *cv, int x, int y, int cols, enum style style, uint64_t part,
			 uint64_t whole, bool doubt)
{
	const double share = whole ? (double)part / (double)whole : 0;
	char text[UNITS_MAX];

	if (!part) {
		canvas_put(cv, x + cols - (cols < PANE_COMMON_PERCENT_COLS ? 1 : 3), y, STYLE_FAINT, "\xC2\xB7");
		return;
	}
	fit_percent(text, share, cols, doubt);
	x += cols - (int)strlen(text);
	if (doubt)
		canvas_put(cv, x - 1, y, STYLE_DOUBT, "~");
	canvas_put(cv, x, y, share < FAINT_SHARE ? STYLE_FAINT : style, text);
}

void pane_common_mark(struct canvas *cv, int y, int cols)
{
	canvas_restyle(cv, 0, y, cols, STYLE_CURSOR);
	canvas_fill(cv, 0, y, 1, STYLE_TEXT, MARK_CURSOR);
}

void pane_common_cursor(const struct treeview *tv, struct canvas *cv, int y, int cols)
{
	if (tv->aside)
		canvas_fill(cv, 0, y, 1, STYLE_FAINT, MARK_CURSOR);
	else
		pane_common_mark(cv, y, cols);
}

int pane_common_place(const struct treeview *tv, struct canvas *cv, int y)
{
	char text[3 * UNITS_MAX], a[UNITS_MAX], b[UNITS_MAX];
	int x;

	units_thousands(a, tv->cursor + 1);
	units_thousands(b, tv->rows.n);
	snprintf(text, sizeof(text), cv->w >= 60 ? "%s of %s rows" : "%s/%s", a, b);
	x = cv->w - 1 - (int)strlen(text);
	canvas_put(cv, x, y, STYLE_FAINT, text);
	return x;
}

/* How many bytes of TEXT fit into W columns, broken at a blank; all of it when there is none. */
static size_t pane_common_fitting(const char *text, int w)
{
	const size_t len = strlen(text);
	size_t fits = 0;

	for (size_t i = 1; i <= len; i++) {
		if ((i == len || text[i] == ' ') && text_width(text, i) <= (size_t)w)
			fits = i;
	}
	return fits ? fits : len;
}

const char *pane_common_after(const char *text, int w)
{
	text += pane_common_fitting(text, w);
	while (*text == ' ')
		text++;
	return text;
}

int pane_common_wrapped(struct canvas *cv, int x, int y, int w, int lines, enum style style, const char *text)
{
	int line = 0;

	for (; *text && line < lines; text = pane_common_after(text, w))
		canvas_text_cut(cv, x, y + line++, w, style, text, pane_common_fitting(text, w));
	return line;
}

char *pane_common_tag(const struct tree *t, uint32_t node, char dst[PANE_COMMON_TAG_MAX])
{
	const char *suffix = tree_suffix(t, node), *mark = tree_no_table(t, node) ? "fp" : "";

	snprintf(dst, PANE_COMMON_TAG_MAX, "%s%s%s", *suffix == '_' ? suffix + 1 : suffix, *suffix && *mark ? " " : "",
		 mark);
	return dst;
}

void pane_common_bar(struct canvas *cv, int x, int y, int cols, const struct measure_set *set,
		     const uint64_t value[MEASURES_ASKED], uint64_t sum, uint64_t whole)
{
	struct bar_part part[MEASURES_ASKED];
	int parts = 0;

	if (!set) {
		canvas_bar(cv, x, y, cols, STYLE_RUNNING, whole ? (double)sum / (double)whole : 0);
		return;
	}
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_column(set, place);

		if (m && (m->wall || set->lead >> place & 1))
			part[parts++] = (struct bar_part){ measure_style(m),
							   whole ? (double)value[place] / (double)whole : 0 };
	}
	canvas_bars(cv, x, y, cols, part, parts);
}

void pane_common_idle(struct canvas *cv, int y, int end, uint32_t threads)
{
	static const char *const forms[] = { "\xE2\x8B\xAF idle waits of %s thread%s (w shows)",
					     "\xE2\x8B\xAF idle: %s thread%s", "\xE2\x8B\xAF idle" };
	char text[128], n[UNITS_MAX];

	units_thousands(n, threads);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(text, sizeof(text), forms[i], n, threads == 1 ? "" : "s");
		if ((int)text_width(text, strlen(text)) <= end - LINE_NAME_X)
			break;
	}
	canvas_text_cut(cv, LINE_NAME_X, y, end - LINE_NAME_X, STYLE_FAINT, text, strlen(text));
}

void pane_common_idle_end(struct canvas *cv, int y, int end, int bar_x)
{
	canvas_restyle(cv, end, y, cv->w - end, STYLE_FAINT);    /* however much it is */
	if (bar_x)
		canvas_put(cv, bar_x, y, STYLE_FAINT, "idle");
}

void pane_common_all_idle(struct canvas *cv, int lines)
{
	pane_common_wrapped(cv, cv->w >= 40 ? 3 : 1, 0, cv->w - 6, lines, STYLE_TITLE,
			    "Nothing but idle waits so far: w shows them.");
}

void pane_common_say_stripped(const struct tree *t, uint32_t node, int w, char *place, size_t size)
{
	const struct tree_node *n = &t->node[node];

	if (!*place && n->kind == NODE_FUNC && names_by_place(t->names, names_func(t->names, n->func)))
		text_format(place, size, "stripped%s", w < STRIPPED_W ? "" :
			    ": install its debug symbols, or use --debuginfod");
}

/* The columns that TEXT takes behind what stands before it; 0 = none: it is empty, or there is no ROOM for it. */
static int status_part(const char *text, int room)
{
	const int cols = (int)text_width(text, strlen(text)) + 3;

	return *text && room >= cols + LINE_NAME_MIN ? cols : 0;
}

int pane_common_status_room(const struct treeview *tv, struct canvas *cv, int y, char *place, char *figures)
{
	int room = pane_common_place(tv, cv, y) - 2, cols;

	cols = cv->w >= 40 ? status_part(figures, room) : 0;
	if (!cols)
		*figures = '\0';
	room -= cols;
	cols = status_part(place, room);
	if (!cols)
		*place = '\0';
	return room - cols;
}

void pane_common_status(struct canvas *cv, int y, int room, const char *label, const char *place,
			const char *figures)
{
	int x = 1 + canvas_text_cut(cv, 1, y, room, STYLE_TITLE, label, strlen(label));

	for (int i = 0; i < 2; i++) {
		const char *text = i ? figures : place;

		if (!*text)
			continue;
		x += canvas_put(cv, x, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		x += canvas_put(cv, x, y, STYLE_TEXT, text);
	}
}
