/* SPDX-License-Identifier: BSD-2-Clause */
/* viewfilterdraw.c - draws the prompts for a filter, a probe and a length, and the list of active filters. */
#include "config.h"

#include "ui/panes/pane_common.h"
#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define HINT_COLS 12             /* of the text, which a hint leaves room for */

static const char *const filter_hints[] = {
	"a function, !function, thread: process: cgroup: container: node: state: syscall:, or !",
	"function, !function, thread: process: cgroup: container: node: state: syscall:",
	"text !text thread: process: container: node: state:",
	"text !text thread: process: node: ...",
	"text !text thread:",
	"",
};

static const char *const probe_hints[] = {
	"sys:openat  call:libc.so.6:malloc  u:./app:handle  t:sched:*  'name /arg0 > 4096/ sum(arg0)'",
	"sys:openat  call:libc.so.6:malloc  u:./app:handle  t:sched:*",
	"sys:openat  call:libc.so.6:malloc  t:sched:*",
	"sys:openat  call:./app:handle",
	"",
};

static const char *const length_hints[] = { "p99, or a time: 10ms", "p99, 10ms", "" };

/* The line that is typed: what it is called, and what can be written. */
static struct typed {
	const struct prompt *prompt;
	const char *lead;
	const char *const *hints;
} typed_line(const struct view *v)
{
	switch (v->over) {
	case MODE_PROBE:
		return (struct typed){ &v->probe, "probe: ", probe_hints };
	case MODE_LENGTH:
		return (struct typed){ &v->length, "inside calls of at least: ", length_hints };
	default:
		return (struct typed){ &v->prompt, "filter: ", filter_hints };
	}
}

/* What can be written, as fully as fits into COLS columns; "" when nothing does. */
static const char *viewfilterdraw_hint(const char *const *hints, int cols)
{
	size_t i = 0;

	while (hints[i][0] && (int)strlen(hints[i]) > cols)
		i++;
	return hints[i];
}

/* The end of TEXT that fits into COLS columns. */
static const char *viewfilterdraw_tail(const char *text, int cols)
{
	while (*text && (int)text_width(text, strlen(text)) > cols) {
		text++;
		while (((unsigned char)*text & 0xC0) == 0x80)
			text++;
	}
	return text;
}

void view_filter_draw(const struct view *v, struct canvas *cv, int y, bool errors)
{
	const bool probe = v->over == MODE_PROBE;
	const struct typed line = typed_line(v);
	const struct prompt *p = line.prompt;
	const char *text, *words;
	int x = 1, room = cv->w - 3 - (int)strlen(line.lead);

	if (errors && v->prompt_error[0]) {
		canvas_text_cut(cv, 1, y, cv->w - 2, STYLE_WARN, v->prompt_error, strlen(v->prompt_error));
		return;
	}
	if (room >= HINT_COLS)
		x += canvas_put(cv, x, y, STYLE_KEY, line.lead);
	else
		room = cv->w - 3;
	text = viewfilterdraw_tail(p->text, room > 0 ? room : 0);
	x += canvas_text(cv, x, y, cv->w - x - 1, p->suggested ? STYLE_CURSOR : STYLE_TEXT, text, strlen(text));
	if (!p->suggested)
		canvas_fill(cv, x++, y, 1, STYLE_CURSOR, ' ');
	words = probe && v->placing ? "placing ..." : probe && p->len ? "" :
		viewfilterdraw_hint(line.hints, cv->w - x - 3);
	canvas_put(cv, x + 2, y, STYLE_FAINT, words);
}

bool view_filter_draw_error(const struct view *v, struct canvas *cv, int y)
{
	if (v->over == MODE_PROBE && v->probe_hint[0] && !v->prompt_error[0]) {
		canvas_text(cv, 1, y, cv->w - 2, STYLE_TEXT, v->probe_hint, strlen(v->probe_hint));
		return true;
	}
	if ((v->over != MODE_FILTER && v->over != MODE_PROBE && v->over != MODE_LENGTH) || !v->prompt_error[0])
		return false;
	canvas_text_cut(cv, 1, y, cv->w - 2, STYLE_WARN, v->prompt_error, strlen(v->prompt_error));
	return true;
}

void view_filters_draw(const struct view *v, struct canvas *cv)
{
	const struct terms *ts = &v->query.terms;
	const uint32_t n = view_filters_count(v);
	const int top = (int)v->filters_at >= cv->h ? (int)v->filters_at - cv->h + 1 : 0;
	char label[3 * TERM_WRITTEN_MAX];

	for (int y = 0; y < cv->h && (uint32_t)(top + y) < n; y++) {
		const uint32_t i = (uint32_t)(top + y);
		int x = 1 + canvas_printf(cv, 1, y, STYLE_FAINT, "%2u  ", (unsigned int)i + 1);

		if (i < ts->n)
			view_filter_label(&ts->v[i], label, sizeof(label));
		else
			title_span(&v->query, label, sizeof(label));
		x += canvas_text_cut(cv, x, y, cv->w - x - 1, STYLE_TEXT, label, strlen(label));
		if (i < ts->n ? i < v->given_terms : v->span_given)
			canvas_put(cv, x + 2, y, STYLE_FAINT, "(command line)");
		if (i == v->filters_at)
			canvas_restyle(cv, 0, y, cv->w, STYLE_CURSOR);
	}
}
