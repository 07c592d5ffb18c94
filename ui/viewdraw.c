/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewdraw.c - the screen from top to bottom: header, rule, tree (or help), status line, footer. What does not fit leaves in
 * the order footer, rule, status line, so that even one line says something.
 */
#include "config.h"

#include "ui/help.h"
#include "ui/lines.h"
#include "ui/view_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOOTER_ROWS 10           /* a screen of fewer rows has no footer, */
#define RULE_ROWS 8              /* no rule, */
#define STATUS_ROWS 4            /* no status line */
#define IDLE_LINES 3             /* a pane of at least so many lines has one for idle waits */
#define FRAMES_A_LINE 24u        /* of a stack on one line, worth naming first */
#define HINT_NS (3 * NSEC_PER_SEC)

struct plan {
	int header, rule, pane, status, footer;  /* first row of each, -1 = not there */
	int header_lines, pane_lines;
};

static struct plan plan_screen(const struct view *v, const struct canvas *cv)
{
	struct plan p = { .header = 0, .rule = -1, .status = -1, .footer = -1 };
	int bottom = cv->h, top;

	p.header_lines = header_lines(&v->header, cv->w, cv->h);
	top = p.header_lines;
	if (cv->h >= FOOTER_ROWS)
		p.footer = --bottom;
	if (cv->h >= STATUS_ROWS)
		p.status = --bottom;
	if (cv->h >= RULE_ROWS)
		p.rule = top++;
	p.pane = top;
	p.pane_lines = bottom - top;
	return p;
}

/* So many different stacks that the lightest found no line of their own: said, not hidden. */
static void say_unsplit(const struct tree *t, char *dst, size_t size)
{
	char share[UNITS_MAX];

	snprintf(dst, size, " \xC2\xB7 %s not split further",
		 units_percent(share, (double)t->cut_ns / (double)(t->node[0].total_ns ? t->node[0].total_ns : 1)));
}

static void draw_tree_rule(const struct view *v, struct canvas *cv, int y)
{
	const struct query *q = v->built ? &v->built->tree->query : &v->query;
	const unsigned int kinds = v->built ? v->look.kinds : v->header.meta.off_cpu ? title_kinds(q) : 0;
	const struct tree_look look = { .kinds = kinds, .elapsed_ns = v->look.elapsed_ns };
	char title[TITLE_MAX + LABEL_MAX + 128], words[TITLE_MAX], zoom[LABEL_MAX] = "", unsplit[64] = "";
	const uint32_t base = v->tv->tree ? treeview_base(v->tv) : 0;
	const bool idle = v->built && v->built->tree->idle_ns && !q->fold_idle;

	if (base)
		tree_label(v->tv->tree, base, zoom, sizeof(zoom));
	if (v->built && v->built->tree->cut_ns)
		say_unsplit(v->built->tree, unsplit, sizeof(unsplit));
	snprintf(title, sizeof(title), "%s%s%s%s%s", title_tree(q, kinds, v->options, words, sizeof(words)),
		 idle ? " \xC2\xB7 with idle" : "", unsplit, base ? " \xC2\xB7 in " : "", zoom);
	treepane_rule(v->tv, &look, cv, y, title);
}

static void draw_rule(const struct view *v, struct canvas *cv, int y)
{
	char title[TITLE_MAX];

	if (v->mode == MODE_HELP)
		lines_rule(cv, y, cv->w, "keys");
	else if (v->built && v->built->waits)
		waitspane_rule(v->tv, cv, y, title_waits(&v->built->job.query, v->built->waits->idle_ns, v->options, title,
							 sizeof(title)));
	else
		draw_tree_rule(v, cv, y);
}

/* Draws TEXT in lines of at most W columns, broken at blanks; returns how many lines it took. */
static int draw_wrapped(struct canvas *cv, int x, int y, int w, int lines, enum style style, const char *text)
{
	int line = 0;

	for (const char *at = text; *at && line < lines; line++) {
		size_t len = strlen(at), fits = 0;

		for (size_t i = 1; i <= len; i++) {
			if ((i == len || at[i] == ' ') && text_width(at, i) <= (size_t)w)
				fits = i;
		}
		if (!fits)
			fits = len;
		canvas_text_cut(cv, x, y + line, w, style, at, fits);
		at += fits;
		while (*at == ' ')
			at++;
	}
	return line;
}

static void draw_waiting(const struct view *v, struct canvas *cv, const struct plan *p)
{
	const int x = cv->w >= 40 ? 3 : 1, y = p->pane + (p->pane_lines > 4 ? 1 : 0);
	char text[HEADER_TEXT];
	int used;

	used = draw_wrapped(cv, x, y, cv->w - 2 * x, p->pane + p->pane_lines - y, STYLE_TITLE,
			    header_waiting(&v->header, text, sizeof(text)));
	if (v->header.known && !v->header.meta.samples && !v->header.meta.off_cpu &&
	    v->header.meta.target_state <= TARGET_RUNNING && v->now_ns - v->first_tick_ns >= HINT_NS)
		draw_wrapped(cv, x, y + used + 1, cv->w - 2 * x, p->pane + p->pane_lines - y - used - 1, STYLE_FAINT,
			     "What sleeps takes no samples; it appears here as soon as it runs.");
	if (v->built && v->built->waits && v->built->waits->idle_ns && v->built->job.query.fold_idle)
		draw_wrapped(cv, x, y + used + 1, cv->w - 2 * x, p->pane + p->pane_lines - y - used - 1, STYLE_FAINT,
			     "Idle waits are hidden: w shows them.");
}

/* What is searched for and where among the matches the cursor is. */
static void search_text(const struct search *s, char *dst, size_t size)
{
	char a[UNITS_MAX], b[UNITS_MAX];

	if (!s->matches)
		snprintf(dst, size, "no match");
	else
		snprintf(dst, size, "%s of %s", units_thousands(a, s->at), units_thousands(b, s->matches));
}

static void draw_search(const struct view *v, struct canvas *cv, int y)
{
	const struct search *s = &v->search;
	char count[3 * UNITS_MAX];
	int x = 1;

	x += canvas_put(cv, x, y, STYLE_KEY, "/");
	x += canvas_text_cut(cv, x, y, cv->w - x - 1, STYLE_TEXT, s->text, s->len);
	if (v->mode == MODE_SEARCH)
		canvas_fill(cv, x++, y, 1, STYLE_CURSOR, ' ');
	if (!s->len)
		return;
	search_text(s, count, sizeof(count));
	canvas_put(cv, x + 2, y, s->matches ? STYLE_FAINT : STYLE_WARN, count);
}

static void draw_place(const struct view *v, struct canvas *cv, int y)
{
	if (v->tv->waits)
		waitspane_status(v->tv, cv, y);
	else
		treepane_status(v->tv, &v->look, cv, y);
}

static void draw_status(const struct view *v, struct canvas *cv, int y)
{
	if (v->mode == MODE_HELP)
		return;
	if (v->mode == MODE_SEARCH)
		draw_search(v, cv, y);
	else if (v->message[0])
		canvas_text_cut(cv, 1, y, cv->w - 2, STYLE_WARN, v->message, strlen(v->message));
	else
		draw_place(v, cv, y);
}

/* The search that is kept stands at the right end of the footer. */
static void draw_footer(const struct view *v, struct canvas *cv, int y)
{
	const struct binding *b[32];
	const size_t n = keymap_footer(v->mode, view_can(v), b, sizeof(b) / sizeof(b[0]));
	int x = 1, end = cv->w - 1;

	if (v->mode == v->home && v->search.len) {
		char count[3 * UNITS_MAX], text[SEARCH_MAX + sizeof(count) + 2];
		int cols;

		search_text(&v->search, count, sizeof(count));
		snprintf(text, sizeof(text), "/%s  %s", v->search.text, count);
		cols = (int)text_width(text, strlen(text));
		cols = cols > cv->w / 2 ? cv->w / 2 : cols;
		end -= cols;
		canvas_text_cut(cv, end, y, cols, STYLE_MATCH, text, strlen(text));
		end -= 2;
	}

	for (size_t i = 0; i < n; i++) {
		const int keys = (int)strcspn(b[i]->shown, " ");         /* the first of its keys will do */
		const int cols = keys + 1 + (int)strlen(b[i]->brief);

		if (x + cols > end)
			break;
		x += canvas_text(cv, x, y, keys, STYLE_KEY, b[i]->shown, strlen(b[i]->shown)) + 1;
		x += canvas_put(cv, x, y, STYLE_FAINT, b[i]->brief) + 2;
	}
}

/* The frames of the nodes on the LINES rows that are on screen, at most one each. */
static size_t node_frames(const struct treeview *tv, int lines, frame_id *ret)
{
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const struct tree_node *node = &tv->tree->node[tv->rows.v[i].node];
		const frame_id f = node->kind == NODE_ADDR ? node->frame : node->place;

		if (f != ID_NONE && node->kind != NODE_GROUP)
			ret[n++] = f;
	}
	return n;
}

/* Tells the feed which frames are on screen, when they are others than last time. */
static void prefer(struct view *v, int lines)
{
	const size_t max = (size_t)(lines > 0 ? lines : 0) * FRAMES_A_LINE;
	AUTO_FREE frame_id *frame = NULL;
	size_t n;

	if (!v->feed->prefer || !max || !(frame = calloc(max, sizeof(*frame))))
		return;
	n = v->tv->waits ? waitspane_frames(v->tv, lines, frame, max) : node_frames(v->tv, lines, frame);
	if (!n || (n == v->preferred.n && !memcmp(frame, v->preferred.v, n * sizeof(*frame))))
		return;
	v->preferred.n = 0;
	if (vec_reserve(&v->preferred, n)) {
		memcpy(v->preferred.v, frame, n * sizeof(*frame));
		v->preferred.n = n;
	}
	v->feed->prefer(v->feed->ctx, frame, n);
}

/* Idle waits keep the last line of the pane, where there are others for the rest. */
static int idle_lines(const struct view *v, const struct plan *p)
{
	return view_has_idle(v) && p->pane_lines >= IDLE_LINES ? 1 : 0;
}

static void draw_tree(const struct view *v, struct canvas *cv, const struct plan *p)
{
	const int idle = idle_lines(v, p);

	if (v->tv->waits)
		waitspane_rows(v->tv, cv, p->pane, p->pane_lines, v->search.len ? &v->search : NULL);
	else if (v->tv->rows.n)
		treepane_rows(v->tv, &v->look, cv, p->pane, p->pane_lines - idle, v->search.len ? &v->search : NULL);
	else
		draw_wrapped(cv, cv->w >= 40 ? 3 : 1, p->pane, cv->w - 6, p->pane_lines - idle, STYLE_TITLE,
			     "Nothing but idle waits so far: w shows them.");
	if (idle)
		treepane_idle(v->tv, &v->look, cv, p->pane + p->pane_lines - 1);
}

static void draw_pane(struct view *v, struct canvas *cv, const struct plan *p)
{
	const struct rect pane = { 0, p->pane, cv->w, p->pane_lines };

	canvas_clip(cv, &pane);
	if (v->mode == MODE_HELP)
		help_draw(cv, p->pane, p->pane_lines, v->home, view_can(v), &v->help_top);
	else if (view_has_tree(v))
		draw_tree(v, cv, p);
	else
		draw_waiting(v, cv, p);
	canvas_clip(cv, NULL);
}

void view_draw(struct view *v, struct canvas *cv)
{
	const struct plan p = plan_screen(v, cv);

	v->w = cv->w;
	v->page = p.pane_lines > 0 ? p.pane_lines : 1;
	v->pane_y = p.pane;
	treeview_set_height(v->tv, (size_t)(v->page - idle_lines(v, &p)));
	canvas_clear(cv);
	header_draw(&v->header, cv, p.header, p.header_lines);
	if (p.rule >= 0)
		draw_rule(v, cv, p.rule);
	if (p.pane_lines > 0)
		draw_pane(v, cv, &p);
	if (p.status >= 0)
		draw_status(v, cv, p.status);
	else if (v->mode == MODE_SEARCH)
		draw_search(v, cv, cv->h - 1);
	if (p.footer >= 0)
		draw_footer(v, cv, p.footer);
	prefer(v, p.pane_lines);
}
