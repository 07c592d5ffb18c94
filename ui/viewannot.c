/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewannot.c - key a: shows the code of the function under the cursor over the panes. annotator.c
 * reads that code in a thread.
 */
#include "config.h"

#include "ui/view_private.h"

#include "annotate/which.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

#define BUILD_SHARE 20u          /* summing up may take 1/BUILD_SHARE of the time */
#define SIDE_COLS 8
#define WHEEL_ROWS 3

/*
 * What P asks, but that code has no part in how long it takes until a CPU is free; unless that is
 * all that is asked for.
 */
static void set_query(struct view *v, const struct pane *p)
{
	struct query *q = &v->annot.query;
	measure_mask measures;

	*q = p->built->job.query;
	measures = (q->measures ? q->measures : v->header.meta.unit[0] ? MEASURES_IMPORTED : MEASURES_WALL) &
		~MEASURE_BIT(MEASURE_RUNNABLE);
	q->measures = measures ? measures : MEASURE_BIT(MEASURE_RUNNABLE);
	q->within = NULL;
	q->nr_within = 0;
	v->annot.kinds = v->header.meta.off_cpu ? title_kinds(q) : 0;
}

void view_annot_begin(struct view *v)
{
	const struct pane *p = view_here(v);
	const uint32_t node = treeview_node(p->tv);
	struct annotview *an = &v->annot.view;
	const char *why = "files of code cannot be opened from here";
	struct listing_of of;
	struct tree_node one;
	struct tree row;
	bool which;

	if (node == NODE_NONE || !p->built)
		return;
	if (p->tv->list) {
		row = outline_as_tree(p->tv->list, node, &one);
		which = listing_which(&row, 0, &of, &why);
	} else {
		which = listing_which(p->tv->tree, node, &of, &why);
	}
	if (!which || !v->session->code.open) {
		view_say(v, why);
		return;
	}
	annotview_clear(an);
	an->of = of;
	an->shown = true;
	set_query(v, p);
	v->annot.next_ns = 0;
}

static struct snapshot *viewannot_newest(const struct view *v)
{
	const struct built *b = v->pane[v->focus].built;

	if (v->range.snapshot)
		return snapshot_ref(v->range.snapshot);
	return v->header.paused && b ? snapshot_ref(b->snapshot) : v->session->snapshot(v->session->ctx);
}

bool view_annot_job(struct view *v, uint64_t now_ns, struct annot_job *ret)
{
	const uint64_t published = v->session->published(v->session->ctx);
	const struct annotview *an = &v->annot.view;
	struct snapshot *s;

	if (!an->shown || an->why[0] || v->annot.building)
		return false;
	if (an->a && (v->header.paused || published == v->annot.seen_published || now_ns < v->annot.next_ns))
		return false;
	s = viewannot_newest(v);
	if (!s)
		return false;
	*ret = (struct annot_job){ .snapshot = s, .query = v->annot.query, .of = an->of };
	v->annot.seen_published = published;
	v->annot.building = true;
	return true;
}

static bool is_of(const struct listing_of *a, const struct listing_of *b)
{
	return a->module == b->module && a->start == b->start && a->size == b->size && !strcmp(a->inlined, b->inlined);
}

void view_annot_give(struct view *v, const struct annot_answer *answer, uint64_t now_ns)
{
	struct annotview *an = &v->annot.view;

	v->annot.building = false;
	v->annot.next_ns = now_ns + answer->took_ns * (BUILD_SHARE - 1);
	if (!answer->annotation)
		snprintf(an->why, sizeof(an->why), "%s", answer->err.text);
	else if (an->shown && is_of(&an->of, &answer->annotation->listing->of))
		annotview_show(an, answer->annotation);
	else
		annotation_free(answer->annotation);
}

/* Keys */

static void viewannot_move(struct annotview *an, enum action a)
{
	const long page = an->height > 1 ? (long)an->height - 1 : 1;

	switch (a) {
	case ACT_UP:
	case ACT_DOWN:
		annotview_move(an, a == ACT_UP ? -1 : 1);
		break;
	case ACT_PGUP:
	case ACT_PGDN:
		annotview_move(an, a == ACT_PGUP ? -page : page);
		break;
	case ACT_FIRST:
	case ACT_LAST:
		annotview_to_row(an, a == ACT_FIRST ? 0 : SIZE_MAX);
		break;
	case ACT_LEFT:
	case ACT_RIGHT:
		annotview_scroll(an, a == ACT_LEFT ? -SIDE_COLS : SIDE_COLS);
		break;
	default:
		break;
	}
}

static void viewannot_back(struct annotview *an)
{
	if (an->search.len)
		search_erase(&an->search, true);
	else
		annotview_clear(an);
}

enum reaction view_annot_act(struct view *v, enum action a)
{
	struct annotview *an = &v->annot.view;

	switch (a) {
	case ACT_BACK:
		viewannot_back(an);
		break;
	case ACT_CANCEL:
		annotview_clear(an);
		break;
	case ACT_HOTTEST:
		annotview_hottest(an);
		break;
	case ACT_NEXT:
	case ACT_PREV:
		annotview_next(an, a == ACT_PREV);
		break;
	case ACT_LAYOUT:
		annotview_set_layout(an, (an->layout + 1) % ANNOT_LAYOUTS);
		break;
	case ACT_SEARCH:
		v->over = MODE_SEARCH;
		v->annot.origin = an->cursor;
		search_erase(&an->search, true);
		break;
	case ACT_PAUSE:
	case ACT_HELP:
	case ACT_REDRAW:
		return view_act(v, a);
	default:
		viewannot_move(an, a);
	}
	return REACT_DRAW;
}

enum reaction view_annot_search_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_SEARCH, view_can(v));
	struct annotview *an = &v->annot.view;

	if (a == ACT_NONE && (key < 0x20 || key >= KEY_BASE))
		return REACT_NONE;
	switch (a) {
	case ACT_NEXT:
	case ACT_PREV:
		annotview_next(an, a == ACT_PREV);
		return REACT_DRAW;
	case ACT_ACCEPT:
		v->over = 0;
		return REACT_DRAW;
	case ACT_NONE:
		search_type(&an->search, key);
		break;
	default:
		search_erase(&an->search, a != ACT_ERASE);
	}
	if (a == ACT_CANCEL)
		v->over = 0;
	if (!annotview_find(an, v->annot.origin))
		annotview_to_row(an, v->annot.origin);
	return REACT_DRAW;
}

enum reaction view_annot_mouse(struct view *v, enum mouse what, int y)
{
	struct annotview *an = &v->annot.view;
	const size_t row = annotpane_at(an, y - v->room.y);

	if (what >= MOUSE_WHEEL_UP)
		annotview_move(an, what == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	else if (row != SIZE_MAX)
		annotview_to_row(an, row);
	return REACT_DRAW;
}

/* Drawing */

void view_annot_draw(struct view *v, struct canvas *cv)
{
	struct canvas part;

	if (v->room.h < 1)
		return;
	part = canvas_part(cv, &v->room);
	annotpane_draw(&v->annot.view, &part, measure_wall_title(v->annot.kinds), v->rules);
}

void view_annot_status(const struct view *v, struct canvas *cv, int y)
{
	const struct annotview *an = &v->annot.view;
	char count[UNITS_MAX];
	int x = 1;

	if (v->over != MODE_SEARCH && !an->search.len) {
		annotpane_status(an, cv, y);
		return;
	}
	x += canvas_put(cv, x, y, STYLE_KEY, "/");
	x += canvas_text_cut(cv, x, y, cv->w - x - 1, STYLE_TEXT, an->search.text, an->search.len);
	if (v->over == MODE_SEARCH)
		canvas_fill(cv, x++, y, 1, STYLE_CURSOR, ' ');
	if (an->search.len && an->matches)
		canvas_printf(cv, x + 2, y, STYLE_FAINT, "%s row%s", units_thousands(count, an->matches),
			      an->matches == 1 ? "" : "s");
	else if (an->search.len)
		canvas_put(cv, x + 2, y, STYLE_WARN, "no match");
}
