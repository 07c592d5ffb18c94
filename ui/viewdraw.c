/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewdraw.c - the screen from top to bottom: header, panes (or help), status line, footer. What
 * does not fit leaves in the order footer, rules, status line, so that even one line says
 * something.
 *
 * Each pane draws on its part of the canvas, a rule and its lines, as if that were all. Where there
 * are several, the rule of the one in focus is heavy, and the others are faint, as is their cursor.
 */
#include "config.h"

#include "ui/keyhelp.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"
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
#define MESSAGE_SHARE 4          /* a message takes 1/MESSAGE_SHARE of the lines at most */
#define FRAMES_A_LINE 24u        /* of a stack on one line, worth naming first */
#define HINT_NS (3 * NSEC_PER_SEC)

struct plan {
	int header_lines;
	struct rect room;                        /* of panes, with their rules */
	bool rules;
	int status, footer;                      /* rows, -1 = not there */
};

static struct plan plan_screen(const struct view *v, const struct canvas *cv)
{
	struct plan p = { .header_lines = v->session->none ? 0 : header_lines(&v->header, cv->w, cv->h),
			  .status = -1, .footer = -1 };
	int bottom = cv->h;

	if (cv->h >= FOOTER_ROWS)
		p.footer = --bottom;
	if (cv->h >= STATUS_ROWS)
		p.status = --bottom;
	p.rules = cv->h >= RULE_ROWS;
	p.room = (struct rect){ 0, p.header_lines, cv->w, bottom > p.header_lines ? bottom - p.header_lines : 0 };
	return p;
}

static void viewdraw_draw_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	if (p->built || pane_is(p, PANE_CALL_TREE))
		p->ops->rule(v, p, cv);
	else
		pane_common_rule(cv, 0, cv->w, pane_info(p->id)->name);
}

/* Tells the rule of the pane in focus, at row 0 of CV, from those of others. */
static void mark_rule(const struct pane *p, struct canvas *cv)
{
	const uint32_t rule = cv->ascii ? '-' : PANE_COMMON_RULE;

	for (int x = 0; !p->tv->aside && x < cv->w; x++) {
		if (canvas_at(cv, x, 0)->ch == rule && canvas_at(cv, x, 0)->style == STYLE_FAINT)
			canvas_fill(cv, x, 0, 1, STYLE_FAINT, PANE_COMMON_RULE_HEAVY);
	}
	if (p->tv->aside)
		canvas_restyle(cv, 0, 0, cv->w, STYLE_FAINT);
}

/*
 * A message that does not fit into row Y takes what it needs of those above, as long as it is
 * there: it may say what to do.
 */
static void draw_message(const struct view *v, struct canvas *cv, int y)
{
	const int w = cv->w - 2;
	int lines = 0;

	for (const char *at = v->message; *at; at = pane_common_after(at, w))
		lines++;
	if (lines == 1 || lines > cv->h / MESSAGE_SHARE || w < 1) {
		canvas_text_cut(cv, 1, y, w, STYLE_WARN, v->message, strlen(v->message));
		return;
	}
	for (int i = 0; i < lines; i++)
		canvas_fill(cv, 0, y - i, cv->w, STYLE_TEXT, ' ');
	pane_common_wrapped(cv, 1, y - lines + 1, w, lines, STYLE_WARN, v->message);
}

/* What may be the reason that P shows nothing; NULL = none that is known. */
static const char *why_nothing(const struct view *v, const struct pane *p)
{
	const struct profile_meta *m = &v->header.meta;

	if (v->header.known && !m->samples && !m->off_cpu && m->target_state <= TARGET_RUNNING &&
	    v->now_ns - v->first_tick_ns >= HINT_NS)
		return "What sleeps takes no samples; it appears here as soon as it runs.";
	if (p->built && p->built->nothing[0])
		return p->built->nothing;
	if (p->built && p->ops->nothing && p->ops->nothing(p))
		return p->ops->nothing(p);
	if (p->built && p->built->job.query.measures == MEASURES_FAR)
		return "Only accesses to memory of another node count here; 3 shows the nodes and all accesses.";
	if (p->built && !nodeset_empty(&p->built->job.query.nodes))
		return "Only what CPUs of the chosen nodes did counts here; 3 shows which nodes there are.";
	return NULL;
}

/* What takes back the filter that WHY, the sentence of P, is about: Esc leaves alone what the command line gave. */
static const char *filter_key(const struct view *v, const struct pane *p, const char *why)
{
	if (!p->built || why != p->built->nothing)
		return "";
	return v->query.terms.n > v->given_terms ? "; Esc takes the latest filter back." :
		"; F lists the filters, to remove any.";
}

static void viewdraw_draw_waiting(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const int x = cv->w >= 40 ? 3 : 1, y = cv->h > 4 ? 1 : 0;
	const char *why = why_nothing(v, p);
	char text[HEADER_TEXT], whole[sizeof(p->built->nothing) + 64];
	int used;

	used = pane_common_wrapped(cv, x, y, cv->w - 2 * x, cv->h - y, STYLE_TITLE,
				   header_waiting(&v->header, text, sizeof(text)));
	if (!why)
		return;
	text_format(whole, sizeof(whole), "%s%s", why, filter_key(v, p, why));
	pane_common_wrapped(cv, x, y + used + 1, cv->w - 2 * x, cv->h - y - used - 1, STYLE_FAINT, whole);
}

/* What is searched for and where among the matches the cursor is. */
static void search_text(const struct search *s, char *dst, size_t size)
{
	char a[UNITS_MAX], b[UNITS_MAX], share[UNITS_MAX];
	struct text_builder w = text_builder_in(dst, size);

	if (!s->matches) {
		text_builder_put(&w, "no match");
		return;
	}
	text_builder_put(&w, "%s of %s", units_thousands(a, s->at), units_thousands(b, s->matches));
	if (s->of_ns)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s",
				 units_percent(share, (double)s->matched_ns / (double)s->of_ns));
}

static void draw_search(const struct view *v, struct canvas *cv, int y)
{
	const struct search *s = &v->search;
	char count[4 * UNITS_MAX];
	int x = 1;

	x += canvas_put(cv, x, y, STYLE_KEY, "/");
	x += canvas_text_cut(cv, x, y, cv->w - x - 1, STYLE_TEXT, s->text, s->len);
	if (v->over == MODE_SEARCH)
		canvas_fill(cv, x++, y, 1, STYLE_CURSOR, ' ');
	if (!s->len)
		return;
	search_text(s, count, sizeof(count));
	canvas_put(cv, x + 2, y, s->matches ? STYLE_FAINT : STYLE_WARN, count);
}

static void draw_place(const struct view *v, struct canvas *cv, int y)
{
	const struct pane *p = &v->pane[v->focus];

	if (p->built)
		p->ops->status(v, p, cv, y);
}

/* What is asked for, with the keys where there is no footer that has them. */
static void draw_question(const struct view *v, struct canvas *cv, int y)
{
	const bool keys = cv->h < FOOTER_ROWS;
	char text[256];

	if (v->over == MODE_SAVE)
		view_save_prompt(v, cv->w - 2, keys, text, sizeof(text));
	else if (v->over == MODE_SPAN)
		view_span_prompt(v, cv->w - 2, keys, text, sizeof(text));
	else
		view_options_prompt(v, cv->w - 2, keys, text, sizeof(text));
	canvas_text_cut(cv, 1, y, cv->w - 2, STYLE_TITLE, text, strlen(text));
}

/* A line is typed, in a prompt. */
static bool is_typed(const struct view *v)
{
	return v->over == MODE_FILTER || v->over == MODE_PROBE || v->over == MODE_LENGTH;
}

static void draw_status(const struct view *v, struct canvas *cv, int y)
{
	if (v->over == MODE_HELP)
		return;
	if (v->annot.view.shown && !v->message[0])
		view_annot_status(v, cv, y);
	else if (v->over == MODE_SEARCH)
		draw_search(v, cv, y);
	else if (is_typed(v))
		view_filter_draw(v, cv, y, cv->h < FOOTER_ROWS);
	else if (v->over == MODE_SAVE || v->over == MODE_OPTIONS || v->over == MODE_SPAN)
		draw_question(v, cv, y);
	else if (v->picking && (!v->message[0] || v->over == MODE_PICK_TEXT))
		picker_status(&v->picker, cv, y, v->over == MODE_PICK_TEXT);
	else if (v->message[0])
		draw_message(v, cv, y);
	else if (v->over != MODE_FILTERS)
		draw_place(v, cv, y);
}

/*
 * Writes TEXT so that it ends before column END of row Y, in half of it at most; returns where the
 * next one to the left ends.
 */
static int put_at_end(struct canvas *cv, int end, int y, enum style style, const char *text)
{
	int cols = (int)text_width(text, strlen(text));

	cols = cols > cv->w / 2 ? cv->w / 2 : cols;
	canvas_text_cut(cv, end - cols, y, cols, style, text, strlen(text));
	return end - cols - 2;
}

static void add_spot(struct view *v, int x, int cols, uint32_t key)
{
	if (v->nr_spots < SPOTS)
		v->spot[v->nr_spots++] = (struct spot){ x, cols, key };
}

/* What is kept stands at the right end of the footer: a search, and panes that are open but find no room. */
static int draw_kept(struct view *v, struct canvas *cv, int y)
{
	const unsigned int hidden = view_hidden(v);
	int end = cv->w - 1;
	char text[SEARCH_MAX + 4 * UNITS_MAX + 3], count[4 * UNITS_MAX] = "";

	if (v->over || v->annot.view.shown)
		return end;
	if (v->search.counted)
		search_text(&v->search, count, sizeof(count));
	if (v->search.len) {
		snprintf(text, sizeof(text), "/%s%s%s", v->search.text, *count ? "  " : "", count);
		end = put_at_end(cv, end, y, STYLE_MATCH, text);
	}
	if (hidden) {
		snprintf(text, sizeof(text), "%u more: Tab", hidden);
		end = put_at_end(cv, end, y, STYLE_WARN, text);
		add_spot(v, end + 2, (int)strlen(text), UI_KEY_TAB);
	}
	return end;
}

static void draw_footer(struct view *v, struct canvas *cv, int y)
{
	const struct binding *b[SPOTS];
	const size_t n = keymap_footer(view_mode(v), view_can(v), b, sizeof(b) / sizeof(b[0]));
	const int end = draw_kept(v, cv, y);
	int x = 1;

	if (view_filter_draw_error(v, cv, y))
		return;
	for (size_t i = 0; i < n; i++) {
		const int keys = (int)strcspn(b[i]->shown, " ");         /* the first of its keys will do */
		const int cols = keys + 1 + (int)strlen(b[i]->brief);
		const bool on = (v->over == MODE_OPTIONS && view_option_is_on(v, b[i]->action)) ||
			(v->over == MODE_SPAN && view_span_is_on(v, b[i]->action));

		if (x + cols > end)
			break;
		add_spot(v, x, cols, b[i]->key[0]);
		x += canvas_text(cv, x, y, keys, STYLE_KEY, b[i]->shown, strlen(b[i]->shown)) + 1;
		x += cols > keys + 1 ? canvas_put(cv, x, y, on ? STYLE_TITLE : STYLE_FAINT, b[i]->brief) + 2 : 0;
		/* Else it is named with the next. */
	}
}

/* The frames of the nodes on the LINES rows that are on screen, at most one each. */
static size_t node_frames(const struct treeview *tv, int lines, frame_id *ret)
{
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const frame_id f = treeview_place(tv, tv->rows.v[i].node);

		if (f != ID_NONE)
			ret[n++] = f;
	}
	return n;
}

/* The frames that P has on screen, at most FRAMES_A_LINE for each of its lines. */
static size_t pane_frames(const struct pane *p, frame_id *ret)
{
	const int lines = view_lines(p);
	const size_t max = (size_t)lines * FRAMES_A_LINE;

	return p->ops->frames ? p->ops->frames(p, lines, ret, max) : node_frames(p->tv, lines, ret);
}

/* Tells the session which frames are on screen, when they are others than last time. */
static void viewdraw_prefer(struct view *v)
{
	AUTO_FREE frame_id *frame = NULL;
	size_t lines = 0, n = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		lines += view_lines(&v->pane[p]) > 0 ? (size_t)view_lines(&v->pane[p]) : 0;
	if (!v->session->prefer || !lines || !(frame = calloc(lines * FRAMES_A_LINE, sizeof(*frame))))
		return;
	for (enum pane_id p = 0; p < PANES; p++) {
		if (view_lines(&v->pane[p]) > 0)
			n += pane_frames(&v->pane[p], frame + n);
	}
	if (!n || (n == v->preferred.n && !memcmp(frame, v->preferred.v, n * sizeof(*frame))))
		return;
	v->preferred.n = 0;
	if (vec_reserve(&v->preferred, n)) {
		memcpy(v->preferred.v, frame, n * sizeof(*frame));
		v->preferred.n = n;
	}
	v->session->prefer(v->session->ctx, frame, n);
}

/* The lines of P below its rule; CV has nothing else. */
static void draw_lines(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct search *s = v->search.len ? &v->search : NULL;

	if (p->tv->rows.n || view_has_idle(p) || (p->built && pane_is(p, PANE_DRAWS_ALL)))
		p->ops->rows(v, p, cv, s);
	else if (p->built || !view_has_tree(v))
		viewdraw_draw_waiting(v, p, cv);
}

static void draw_pane(const struct view *v, struct pane *p, struct canvas *cv)
{
	struct canvas part = canvas_part(cv, &p->at), below;
	struct rect lines = { 0, p->rule ? 1 : 0, p->at.w, view_lines(p) };

	if (p->rule) {
		viewdraw_draw_rule(v, p, &part);
		if (v->open & (v->open - 1))
			mark_rule(p, &part);
	}
	if (lines.h < 1)
		return;
	below = canvas_part(&part, &lines);
	draw_lines(v, p, &below);
}

/* Draws what parts the columns of panes. */
static void draw_between(const struct view *v, struct canvas *cv)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct rect *r = &v->pane[p].at;

		for (int y = r->y; r->x > 0 && y < r->y + r->h; y++)
			canvas_fill(cv, r->x - 1, y, 1, STYLE_FAINT, PANE_COMMON_BETWEEN);
	}
}

static void draw_panes(struct view *v, struct canvas *cv)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		struct pane *pane = &v->pane[p];

		pane->tv->aside = p != v->focus;
		if (pane->at.h)
			draw_pane(v, pane, cv);
	}
	draw_between(v, cv);
}

static void draw_help(struct view *v, struct canvas *cv)
{
	char title[64] = "keys";
	struct canvas part;
	int lines, last;

	if (v->room.h > v->rules) {
		part = canvas_part(cv, &(struct rect){ 0, v->room.y + v->rules, cv->w, v->room.h - v->rules });
		lines = keyhelp_draw(&part, 0, part.h, view_help_mode(v), view_can(v), &v->help_top);
		last = v->help_top + part.h;
		if (lines > part.h)
			snprintf(title, sizeof(title), "keys" TEXT_BUILDER_DOT "%d-%d of %d%s",
				 v->help_top + 1, last, lines, last < lines ? TEXT_BUILDER_DOT "Space: more" : "");
	}
	if (v->rules)
		pane_common_rule(cv, v->room.y, cv->w, title);
}

static void draw_picker(struct view *v, struct canvas *cv)
{
	struct canvas part;

	if (v->room.h <= 0)
		return;
	part = canvas_part(cv, &v->room);
	picker_draw(&v->picker, &part, v->rules);
}

static void draw_filters(const struct view *v, struct canvas *cv)
{
	struct canvas part;

	if (v->rules)
		pane_common_rule(cv, v->room.y, cv->w, "filters: all of them must hold");
	if (v->room.h <= v->rules)
		return;
	part = canvas_part(cv, &(struct rect){ 0, v->room.y + v->rules, cv->w, v->room.h - v->rules });
	view_filters_draw(v, &part);
}

void view_draw(struct view *v, struct canvas *cv)
{
	const struct plan p = plan_screen(v, cv);

	v->room = p.room;
	v->rules = p.rules;
	v->footer = p.footer;
	v->nr_spots = 0;
	view_place(v);
	view_search_recount(v);
	canvas_clear(cv);
	if (p.header_lines)
		header_draw(&v->header, cv, 0, p.header_lines);
	if (v->over == MODE_HELP)
		draw_help(v, cv);
	else if (v->picking)
		draw_picker(v, cv);
	else if (v->annot.view.shown)
		view_annot_draw(v, cv);
	else if (v->over == MODE_FILTERS)
		draw_filters(v, cv);
	else
		draw_panes(v, cv);
	if (p.status >= 0)
		draw_status(v, cv, p.status);
	else if (v->over == MODE_SEARCH && v->annot.view.shown)
		view_annot_status(v, cv, cv->h - 1);
	else if (v->over == MODE_SEARCH)
		draw_search(v, cv, cv->h - 1);
	else if (is_typed(v))
		view_filter_draw(v, cv, cv->h - 1, true);
	else if (v->over == MODE_SAVE || v->over == MODE_OPTIONS || v->over == MODE_SPAN)
		draw_question(v, cv, cv->h - 1);
	if (p.footer >= 0)
		draw_footer(v, cv, p.footer);
	viewdraw_prefer(v);
}
