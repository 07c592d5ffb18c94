/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewspan.c - key I and what it leads to: of the time inside and outside of the calls of a probe, which is
 * shown, how long these calls took, and what the slow ones do that others do not.
 */
#include "config.h"

#include "ui/menu.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include "base/text.h"
#include "model/probes.h"
#include "query/spandiff.h"
#include "ui/panes/probesview.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLS 40             /* of the probe in the question */

/* The probe that is meant: that under the cursor, that of the question at hand, or the only one. */
static uint32_t viewspan_probe(const struct view *v)
{
	const struct treeview *tv = v->pane[v->focus].tv;
	const uint32_t node = v->focus == PANE_PROBES && tv->model ? treeview_node(tv) : NODE_NONE;
	uint32_t only = PROBE_NONE, n = 0;

	if (node != NODE_NONE)
		return probesview_probe(tv->model, node)->probe;
	if (v->query.span)
		return v->query.span - 1u;
	for (uint32_t probe = 0; probe < probes_count(); probe++) {
		if (probes_has_calls(probe)) {
			only = probe;
			n++;
		}
	}
	return n == 1 ? only : PROBE_NONE;
}

void view_span_begin(struct view *v)
{
	const uint32_t probe = viewspan_probe(v);

	if (probe == PROBE_NONE)
		view_say(v, "inside the calls of which probe? V shows them: there I is about the one under the cursor");
	else if (!probes_has_calls(probe))
		view_say(v, "nothing is inside of a hit: only call:, sys: and span: have a beginning and an end");
	else
		v->over = MODE_SPAN;
	v->span_probe = probe;
}

bool view_span_is_on(const struct view *v, enum action a)
{
	const struct query *q = &v->query;
	const bool here = q->span == v->span_probe + 1, limited = q->span_from.ns || q->span_from.percent;

	switch (a) {
	case ACT_INSIDE:
		return here && q->span_where == SPAN_INSIDE && !limited;
	case ACT_OUTSIDE:
		return here && q->span_where == SPAN_OUTSIDE;
	case ACT_SPLIT:
		return here && q->by_span;
	case ACT_SLOWER:
		return here && limited && !span_is_compared(q);
	case ACT_SLOW_DIFF:
		return here && span_is_compared(q);
	case ACT_NO_SPAN:
		return !q->span;
	default:
		return false;
	}
}

static bool viewspan_is_on(const void *ctx, enum action a)
{
	return view_span_is_on(ctx, a);
}

char *view_span_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size)
{
	const struct measure *m = probes_measure(v->span_probe);
	const char *begin[MENU_FORMS] = { NULL, "calls:", "calls:", "I" };
	char name[4 * NAME_COLS + 4], full[4 * NAME_COLS + 64];

	text_cut_middle(name, sizeof(name), m ? m->name : "", m ? strlen(m->name) : 0, NAME_COLS, v->options->ascii);
	snprintf(full, sizeof(full), "time in calls of %s:", name);
	begin[MENU_FULL] = full;
	return menu_prompt(MODE_SPAN, view_can(v), keys, begin, viewspan_is_on, v, cols, dst, size);
}

bool view_span_end(struct view *v)
{
	if (!v->query.span)
		return false;
	query_forget_span(&v->query);
	if (v->span_measures) {
		v->query.measures = v->span_measures;
		v->query.lead = v->span_lead;
		v->span_measures = 0;
	}
	v->span_given = false;
	view_filter_changed(v);
	return true;
}

/* Asks for time in the calls of the chosen probe, all of it or a part of it. */
static void viewspan_choose(struct view *v, enum span_where where, bool split)
{
	view_span_end(v);
	v->query.span = (uint8_t)(v->span_probe + 1);
	v->query.span_where = (uint8_t)where;
	v->query.by_span = split;
	/* Hits are calls, and not inside of them: where they alone are shown there would be nothing. */
	if (v->query.measures && !(v->query.measures & MEASURES_WALL)) {
		v->span_measures = v->query.measures;
		v->span_lead = v->query.lead;
		v->query.measures = v->query.lead = 0;
	}
	v->span_behind = v->query.terms.n;
	if (v->idle == IDLE_AUTO)
		v->query.fold_idle = !query_only_inside(&v->query);
	view_filter_changed(v);
}

static void viewspan_compare(struct view *v)
{
	view_baseline_end(v);
	viewspan_choose(v, SPAN_INSIDE, false);
	span_compare(&v->query, v->span_probe);
	view_filter_changed(v);
	view_say(v, "slow calls (p99 and more) beside median ones; 100 % is a slow call: Esc ends it");
}

static void viewspan_ask_length(struct view *v)
{
	prompt_begin(&v->length, "p99");
	v->prompt_error[0] = '\0';
	v->over = MODE_LENGTH;
}

enum reaction view_span_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_SPAN, view_can(v));

	if (a == ACT_NONE)
		return REACT_NONE;
	v->over = 0;
	v->message[0] = '\0';
	switch (a) {
	case ACT_INSIDE:
		viewspan_choose(v, SPAN_INSIDE, false);
		view_say(v, "only what happened inside its calls: Esc takes it back");
		break;
	case ACT_OUTSIDE:
		viewspan_choose(v, SPAN_OUTSIDE, false);
		view_say(v, "only what happened outside of its calls: Esc takes it back");
		break;
	case ACT_SPLIT:
		viewspan_choose(v, SPAN_ALL, true);
		view_say(v, "the tree is split: inside its calls, and outside");
		break;
	case ACT_SLOWER:
		viewspan_ask_length(v);
		break;
	case ACT_SLOW_DIFF:
		viewspan_compare(v);
		break;
	case ACT_NO_SPAN:
		view_say(v, view_span_end(v) ? "inside and outside are shown together again" :
			 "inside and outside are shown together");
		break;
	default:
		break;
	}
	return REACT_DRAW;
}

static void viewspan_accept(struct view *v)
{
	struct err e = ERR_INIT;
	struct span_limit from;

	if (span_limit_parse(v->length.text, &from, &e) < 0) {
		text_format(v->prompt_error, sizeof(v->prompt_error), "%s", e.text);
		v->length.suggested = false;
		return;
	}
	prompt_enter(&v->length);
	v->over = 0;
	viewspan_choose(v, SPAN_INSIDE, false);
	v->query.span_from = from;
	view_filter_changed(v);
	view_say(v, "only inside calls that took so long: Esc takes it back");
}

enum reaction view_length_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_LENGTH, view_can(v));
	struct prompt *p = &v->length;

	switch (a) {
	case ACT_ACCEPT:
		viewspan_accept(v);
		return REACT_DRAW;
	case ACT_CANCEL:
		v->over = 0;
		break;
	default:
		if (!view_prompt_key(p, a, key))
			return REACT_NONE;
		break;
	}
	v->prompt_error[0] = '\0';
	return REACT_DRAW;
}
