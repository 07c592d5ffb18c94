/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewfilter.c - filters of a view: typing one (key f), the list of those that are active (key F),
 * and taking them back one by one. They are query.terms. The first of them may come from the
 * command line; only the list removes these.
 *
 * Nothing here looks at what is filtered: that is the builder's.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define HEADER_COLS 56           /* of filters in the header, */
#define HEADER_TERM_COLS 28      /* of one of them */
#define HEADER_SPAN_COLS 48      /* of calls that it is inside of */

_Static_assert(PROMPT_MAX >= TERM_WRITTEN_MAX, "every filter can be typed");

char *view_filter_label(const struct filter_term *t, char *dst, size_t size)
{
	char text[TERM_WRITTEN_MAX];

	term_text(t, text);
	text_sanitise(dst, size, text, strlen(text));
	return dst;
}

/* Adds LABEL, cut to MOST columns, to the header, if it fits beside what is there, of COLS columns. */
static bool viewfilter_add_label(const struct view *v, struct header *h, size_t *cols, const char *label, size_t most)
{
	const size_t n = strlen(h->filter);
	char cut[4 * HEADER_SPAN_COLS + 4];

	text_cut_middle(cut, sizeof(cut), label, strlen(label), most, v->options->ascii);
	*cols += 1 + text_width(cut, strlen(cut));
	if (n && (*cols > HEADER_COLS || n + strlen(cut) + 8 > sizeof(h->filter)))
		return false;
	text_format(h->filter + n, sizeof(h->filter) - n, "%s %s", n ? "" : "filter:", cut);
	return true;
}

bool view_filter_has_span(const struct view *v)
{
	return v->query.span && !v->query.by_span;
}

uint32_t view_filters_count(const struct view *v)
{
	return v->query.terms.n + view_filter_has_span(v);
}

/* "filter: inside call:app:handle thread:redis-* !call +2": as many as fit, and how many there are. */
void view_filter_changed(struct view *v)
{
	const struct terms *ts = &v->query.terms;
	const bool span = view_filter_has_span(v);
	const unsigned int all = view_filters_count(v);
	struct header *h = &v->header;
	char label[3 * TERM_WRITTEN_MAX];
	unsigned int n = span;
	size_t cols = 0;

	h->filter[0] = h->filter_brief[0] = '\0';
	if (span)
		viewfilter_add_label(v, h, &cols, title_span(&v->query, label, sizeof(label)), HEADER_SPAN_COLS);
	while (n < all && viewfilter_add_label(v, h, &cols, view_filter_label(&ts->v[n - span], label, sizeof(label)),
					       HEADER_TERM_COLS))
		n++;
	if (n < all)
		text_format(h->filter + strlen(h->filter), sizeof(h->filter) - strlen(h->filter), " +%u", all - n);
	if (all)
		snprintf(h->filter_brief, sizeof(h->filter_brief), "%u filter%s", all, all == 1 ? "" : "s");
}

void view_filter_init(struct view *v)
{
	v->given_terms = v->query.terms.n;
	v->span_given = v->query.span;
	view_filter_changed(v);
}

static void remove_term(struct view *v, uint32_t i)
{
	v->given_terms -= i < v->given_terms;
	terms_remove(&v->query.terms, i);
	view_filter_changed(v);
}

/* Appends T, and says so. False when there is no room. */
static bool viewfilter_add_term(struct view *v, const struct filter_term *t)
{
	for (uint32_t i = v->query.terms.n; i-- > 0;) {
		if (term_same(&v->query.terms.v[i], t))
			remove_term(v, i);
	}
	if (!terms_add(&v->query.terms, t))
		return false;
	view_filter_changed(v);
	return true;
}

static void say_filter(struct view *v, const char *before, const struct filter_term *t, const char *behind)
{
	char label[3 * TERM_WRITTEN_MAX];

	text_format(v->message, sizeof(v->message), "%s%s%s", before,
		    view_filter_label(t, label, sizeof(label)), behind);
}

/* Picking */

static const char *no_longer(const struct filter_term *t)
{
	return t->what == TERM_NODE ? "no node is left out any more" : "no thread is left out any more";
}

bool view_filter_pick(struct view *v, enum term_what what, unsigned int id)
{
	struct filter_term t = { .what = (uint8_t)what, .picked = true };
	struct terms *ts = &v->query.terms;

	snprintf(t.text, sizeof(t.text), "%u", id);
	for (uint32_t i = v->given_terms; i < ts->n; i++) {
		if (!ts->v[i].picked || !term_same(&ts->v[i], &t))
			continue;
		remove_term(v, i);
		view_say(v, no_longer(&t));
		return false;
	}
	terms_drop(ts, what, true);
	if (viewfilter_add_term(v, &t))
		return true;
	view_say(v, "there are too many filters: F removes some");
	return false;
}

bool view_filter_back(struct view *v)
{
	struct filter_term t;

	if (v->range.snapshot && v->query.terms.n <= v->range_behind) {
		view_all_time(v);
		view_say(v, "all time is shown again");
		return true;
	}
	if (!v->span_given && v->query.terms.n <= v->span_behind && view_span_end(v)) {
		view_say(v, "inside and outside are shown together again");
		return true;
	}
	if (v->query.terms.n <= v->given_terms)
		return false;
	t = v->query.terms.v[v->query.terms.n - 1];
	remove_term(v, v->query.terms.n - 1);
	if (t.picked)
		view_say(v, no_longer(&t));
	else
		say_filter(v, "not filtered by ", &t, " any more");
	return true;
}

/* The prompt */

/* What is under the cursor as a filter; false when that is nothing in particular. */
static bool view_filter_here(const struct view *v, struct filter_term *t)
{
	const struct pane *p = &v->pane[v->focus];
	const uint32_t node = treeview_node(p->tv);

	return node != NODE_NONE && p->ops->here && p->ops->here(p->tv, node, t);
}

void view_filter_begin(struct view *v)
{
	struct filter_term t;
	char text[TERM_WRITTEN_MAX] = "";

	if (view_filter_here(v, &t))
		term_text(&t, text);
	prompt_begin(&v->prompt, text);
	v->prompt_error[0] = '\0';
	v->changes = 0;
	v->over = MODE_FILTER;
}

static void viewfilter_accept(struct view *v)
{
	struct err e = ERR_INIT;
	struct filter_term t;

	if (!v->prompt.text[strspn(v->prompt.text, " ")]) {
		v->over = 0;
		return;
	}
	if (term_parse(v->prompt.text, v->query.arch, &t, &e) < 0) {
		text_format(v->prompt_error, sizeof(v->prompt_error), "%s", e.text);
		v->prompt.suggested = false;
		return;
	}
	if (v->changes)
		remove_term(v, v->changes - 1);
	if (!viewfilter_add_term(v, &t)) {
		snprintf(v->prompt_error, sizeof(v->prompt_error), "there are too many filters: F removes some");
		return;
	}
	prompt_enter(&v->prompt);
	v->over = 0;
	say_filter(v, "filtered by ", &t, ": Esc takes it back");
}

/*
 * The keyword that was begun, up to its colon. Without a text the first of them all; what is
 * complete gives way to the next.
 */
static void viewfilter_complete(struct view *v)
{
	struct prompt *p = &v->prompt;
	const bool not = p->text[0] == '!';
	const char *word = p->text + not, *found;
	char text[PROMPT_MAX];
	size_t len;
	bool only;

	found = p->suggested || strchr(word, ':') ? NULL : term_complete(word, strlen(word), &len, &only);
	p->suggested = false;
	if (!found || (!only && !len))
		return;
	snprintf(text, sizeof(text), "%s%.*s%s", not ? "!" : "", (int)len, found, only ? ":" : "");
	prompt_set(p, text);
}

bool view_prompt_key(struct prompt *p, enum action a, uint32_t key)
{
	switch (a) {
	case ACT_PREV:
	case ACT_NEXT:
		prompt_recall(p, a == ACT_PREV ? 1 : -1);
		return true;
	case ACT_ERASE:
	case ACT_ERASE_ALL:
		prompt_erase(p, a == ACT_ERASE_ALL);
		return true;
	default:
		if (key < KEY_BASE)
			prompt_type(p, key);
		return key < KEY_BASE;
	}
}

enum reaction view_filter_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_FILTER, view_can(v));
	struct prompt *p = &v->prompt;

	switch (a) {
	case ACT_ACCEPT:
		viewfilter_accept(v);
		return REACT_DRAW;
	case ACT_CANCEL:
		v->over = 0;
		break;
	case ACT_COMPLETE:
		viewfilter_complete(v);
		break;
	default:
		if (!view_prompt_key(p, a, key))
			return REACT_NONE;
		break;
	}
	v->prompt_error[0] = '\0';
	return REACT_DRAW;
}

/* The list */

void view_filters_begin(struct view *v)
{
	if (!view_filters_count(v)) {
		view_say(v, "there are no filters: f adds one");
		return;
	}
	v->filters_at = view_filters_count(v) - 1;
	v->over = MODE_FILTERS;
}

/* Whatever was removed, the cursor stays on what there is; without any the list has nothing to show. */
static void viewfilter_settle(struct view *v)
{
	const uint32_t n = view_filters_count(v);

	if (!n)
		v->over = 0;
	else if (v->filters_at >= n)
		v->filters_at = n - 1;
}

static bool viewfilter_at_span(const struct view *v)
{
	return v->filters_at >= v->query.terms.n;
}

static void remove_here(struct view *v)
{
	struct filter_term t;

	if (viewfilter_at_span(v)) {
		view_span_end(v);
		view_say(v, "inside and outside are shown together again");
	} else {
		t = v->query.terms.v[v->filters_at];
		remove_term(v, v->filters_at);
		say_filter(v, "not filtered by ", &t, " any more");
	}
	viewfilter_settle(v);
}

/* Takes the filter under the cursor into the prompt; of calls that are filtered by, asks what of them is shown. */
static void change_here(struct view *v)
{
	char text[TERM_WRITTEN_MAX];

	if (viewfilter_at_span(v)) {
		v->span_probe = v->query.span - 1u;
		v->over = MODE_SPAN;
		return;
	}
	view_filter_begin(v);
	v->changes = v->filters_at + 1;
	prompt_set(&v->prompt, term_text(&v->query.terms.v[v->filters_at], text));
}

enum reaction view_filters_key(struct view *v, uint32_t key)
{
	switch (keymap_action(key, MODE_FILTERS, view_can(v))) {
	case ACT_UP:
		v->filters_at -= v->filters_at > 0;
		break;
	case ACT_DOWN:
		v->filters_at += v->filters_at + 1 < view_filters_count(v);
		break;
	case ACT_REMOVE:
		remove_here(v);
		break;
	case ACT_REMOVE_ALL:
		while (v->query.terms.n)
			remove_term(v, v->query.terms.n - 1);
		if (view_filter_has_span(v))
			view_span_end(v);
		view_say(v, "nothing is filtered any more");
		viewfilter_settle(v);
		break;
	case ACT_CHANGE:
		change_here(v);
		break;
	case ACT_FILTER:
		view_filter_begin(v);
		break;
	case ACT_CANCEL:
		v->message[0] = '\0';
		v->over = 0;
		break;
	default:
		return REACT_NONE;
	}
	return REACT_DRAW;
}
