/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pickerdraw.c - draws the list of processes. Columns that do not fit are left out; the pid, the
 * CPU use and the name are the last to go.
 */
#include "config.h"

#include "ui/picker.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <string.h>

#define PID_COLS 8               /* the mark of the cursor, and 7 digits */
#define INSIDE_COLS 8
#define USER_COLS 10
#define THREADS_COLS 8
#define MEMORY_COLS 9
#define CPU_COLS 9
#define CPU_BRIEF 6
#define GROUP_COLS 21
#define NAME_COLS 17
#define HEAD_LINES 8             /* a picker of fewer lines has no heads */

/* Where columns begin; 0 = not there. Those of numbers end one column before the next one begins. */
struct layout {
	int inside_x, user_x, threads_x, memory_x, cpu_x, cpu_cols, group_x, name_x, name_cols, command_x;
};

static struct layout pickerdraw_lay_out(int w, bool inside)
{
	struct layout at = { .cpu_cols = w >= 72 ? CPU_COLS : CPU_BRIEF };
	int x = PID_COLS;

	if (inside && w >= 80) {
		at.inside_x = x;
		x += INSIDE_COLS;
	}
	if (w >= 56) {
		at.user_x = x + 1;
		x += USER_COLS;
	}
	if (w >= (inside ? 88 : 80)) {
		at.threads_x = x;
		x += THREADS_COLS;
	}
	if (w >= 36) {
		at.memory_x = x;
		x += MEMORY_COLS;
	}
	at.cpu_x = x;
	x += at.cpu_cols + (w >= 36 ? 2 : 1);
	if (w >= (inside ? 118 : 110)) {
		at.group_x = x;
		x += GROUP_COLS;
	}
	at.name_x = x;
	at.name_cols = w - x;
	if (w >= 72) {
		at.name_cols = NAME_COLS - 1;
		at.command_x = x + NAME_COLS;
	}
	return at;
}

static void put_right(struct canvas *cv, int x, int y, int cols, enum style style, const char *text)
{
	const int w = (int)text_width(text, strlen(text));

	canvas_put(cv, x + cols - w, y, style, text);
}

static const char *sort_name(enum proc_order sort)
{
	static const char *const names[PROC_ORDERS] = { "by CPU", "by memory", "by name", "by pid" };

	return names[sort];
}

/* "processes . 3 of 312 . by CPU of the last 1.00 s" */
static void draw_title(const struct picker *p, struct canvas *cv)
{
	char text[256], a[UNITS_MAX], b[UNITS_MAX];
	struct text_builder w = text_builder_in(text, sizeof(text));

	text_builder_put(&w, "processes");
	if (p->list && p->text.len)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s of %s", units_thousands(a, p->order.n),
				 units_thousands(b, p->all));
	else if (p->list)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s", units_thousands(a, p->order.n));
	if (p->list && p->list->cut)
		text_builder_put(&w, " and more");
	if (p->kernel)
		text_builder_put(&w, TEXT_BUILDER_DOT "kernel threads too");
	text_builder_put(&w, TEXT_BUILDER_DOT "%s", sort_name(p->sort));
	if (p->list && p->sort == PROC_BY_CPU && p->list->over_ns)
		text_builder_put(&w, " of the last %s", units_time(a, p->list->over_ns));
	else if (p->list && p->sort == PROC_BY_CPU)
		text_builder_put(&w, " since each began");
	pane_common_rule(cv, 0, cv->w, text);
}

static void pickerdraw_draw_heads(const struct picker *p, struct canvas *cv, const struct layout *at, int y)
{
	put_right(cv, 0, y, PID_COLS, p->sort == PROC_BY_PID ? STYLE_TITLE : STYLE_FAINT, "pid");
	if (at->inside_x)
		put_right(cv, at->inside_x, y, INSIDE_COLS, STYLE_FAINT, "inside");
	if (at->user_x)
		canvas_put(cv, at->user_x, y, STYLE_FAINT, "user");
	if (at->threads_x)
		put_right(cv, at->threads_x, y, THREADS_COLS, STYLE_FAINT, "threads");
	if (at->memory_x)
		put_right(cv, at->memory_x, y, MEMORY_COLS,
			  p->sort == PROC_BY_MEMORY ? STYLE_TITLE : STYLE_FAINT, "memory");
	put_right(cv, at->cpu_x, y, at->cpu_cols, p->sort == PROC_BY_CPU ? STYLE_TITLE : STYLE_FAINT, "CPU");
	if (at->group_x)
		canvas_put(cv, at->group_x, y, STYLE_FAINT, "container, cgroup");
	canvas_put(cv, at->name_x, y, p->sort == PROC_BY_NAME ? STYLE_TITLE : STYLE_FAINT, "name");
	if (at->command_x)
		canvas_put(cv, at->command_x, y, STYLE_FAINT, "command line");
}

/*
 * What all of them took; in sums of what they took lately it does not matter that not all of it was
 * at the same time.
 */
static void draw_whole(const struct picker *p, struct canvas *cv, const struct layout *at, int y)
{
	const int cols = cv->w - at->name_x;
	const char *name = cols >= 17 ? "the whole machine" : cols >= 13 ? "whole machine" : cols >= 7 ? "machine" : "";
	double cores = 0;

	for (size_t i = 0; p->list && i < p->list->row.n; i++) {
		const struct proc_row *r = &p->list->row.v[i];

		cores += r->over_ns ? (double)r->cpu_ns / (double)r->over_ns : 0;
	}
	put_right(cv, 0, y, PID_COLS, STYLE_TEXT, "all");
	if (p->list && p->list->over_ns)
		pane_common_percent(cv, at->cpu_x, y, at->cpu_cols, STYLE_RUNNING, (uint64_t)(cores * 1e6),
				    1000000, false);
	canvas_text_cut(cv, at->name_x, y, cols, STYLE_TITLE, name, strlen(name));
}

static void pickerdraw_draw_name(const struct picker *p, const struct proc_row *r, struct canvas *cv,
				 const struct layout *at, int y)
{
	const struct search *s = p->text.len ? &p->text : NULL;
	int cols = pane_common_list(cv, at->name_x, y, at->name_cols, r->kthread ? STYLE_FAINT : STYLE_TEXT, r->name);

	pane_common_matches(cv, at->name_x, y, cols, s, r->name);
	if (!at->command_x)
		return;
	cols = pane_common_list(cv, at->command_x, y, cv->w - at->command_x, STYLE_FAINT,
				r->kthread ? "kernel thread" : r->command);
	pane_common_matches(cv, at->command_x, y, cols, s, r->command);
}

static void draw_process(const struct picker *p, const struct proc_row *r, struct canvas *cv,
			 const struct layout *at, int y)
{
	char text[UNITS_MAX];

	snprintf(text, sizeof(text), "%d", (int)r->pid);
	put_right(cv, 0, y, PID_COLS, STYLE_TEXT, text);
	snprintf(text, sizeof(text), "%d", (int)r->inside);
	if (at->inside_x && r->inside)
		put_right(cv, at->inside_x, y, INSIDE_COLS, STYLE_FAINT, text);
	if (at->user_x)
		canvas_text_cut(cv, at->user_x, y, USER_COLS - 1, STYLE_FAINT, r->user, strlen(r->user));
	if (at->threads_x)
		put_right(cv, at->threads_x, y, THREADS_COLS, r->threads > 1 ? STYLE_TEXT : STYLE_FAINT,
			  units_thousands(text, r->threads));
	if (at->memory_x)
		put_right(cv, at->memory_x, y, MEMORY_COLS, STYLE_TEXT,
			  r->rss_bytes ? units_bytes(text, r->rss_bytes) : "\xC2\xB7");
	pane_common_percent(cv, at->cpu_x, y, at->cpu_cols, STYLE_RUNNING, r->cpu_ns, r->over_ns, false);
	if (at->group_x)
		canvas_text_cut(cv, at->group_x, y, GROUP_COLS - 2, STYLE_FAINT, r->group, strlen(r->group));
	pickerdraw_draw_name(p, r, cv, at, y);
}

/* Scrolls as far as needed for the cursor to be seen. */
static void pickerdraw_scroll(struct picker *p, size_t n)
{
	const size_t lines = p->lines > 0 ? (size_t)p->lines : 1;

	if (p->cursor < p->top)
		p->top = p->cursor;
	if (p->cursor >= p->top + lines)
		p->top = p->cursor - lines + 1;
	if (p->top + lines > n)
		p->top = n > lines ? n - lines : 0;
}

static void pickerdraw_draw_line(const struct picker *p, struct canvas *cv, const struct layout *at, int y, size_t line)
{
	const size_t whole = p->text.len ? 0 : 1;

	if (line < whole)
		draw_whole(p, cv, at, y);
	else
		draw_process(p, &p->list->row.v[p->order.v[line - whole]], cv, at, y);
	if (line == p->cursor)
		pane_common_mark(cv, y, cv->w);
}

void picker_draw(struct picker *p, struct canvas *cv, bool rule)
{
	const struct layout at = pickerdraw_lay_out(cv->w, p->list && p->list->inside);
	const size_t n = (p->text.len ? 0 : 1) + p->order.n;

	p->first_y = rule ? 1 : 0;
	if (rule)
		draw_title(p, cv);
	if (cv->h >= HEAD_LINES)
		pickerdraw_draw_heads(p, cv, &at, p->first_y++);
	p->lines = cv->h - p->first_y;
	pickerdraw_scroll(p, n);
	for (int i = 0; i < p->lines && p->top + (size_t)i < n; i++)
		pickerdraw_draw_line(p, cv, &at, p->first_y + i, p->top + (size_t)i);
	if (!n && p->lines > 0)
		canvas_put(cv, at.name_x < cv->w / 2 ? at.name_x : 1, p->first_y, STYLE_WARN, "none has that");
}

static void draw_typed(const struct picker *p, struct canvas *cv, int y)
{
	int x = 1;

	x += canvas_put(cv, x, y, STYLE_KEY, "/");
	x += canvas_text_cut(cv, x, y, cv->w - x - 1, STYLE_TEXT, p->text.text, p->text.len);
	canvas_fill(cv, x, y, 1, STYLE_CURSOR, ' ');
}

void picker_status(const struct picker *p, struct canvas *cv, int y, bool typed)
{
	const size_t whole = p->text.len ? 0 : 1;
	const struct proc_row *r;
	char text[2 * PROCLIST_COMMAND];

	if (typed) {
		draw_typed(p, cv, y);
		return;
	}
	if (p->cursor < whole || p->cursor - whole >= p->order.n) {
		snprintf(text, sizeof(text), "Enter looks at %s",
			 p->order.n || whole ? "all that runs" : "what is under the cursor");
	} else {
		r = &p->list->row.v[p->order.v[p->cursor - whole]];
		char inside[32] = "";

		if (r->inside)
			snprintf(inside, sizeof(inside), TEXT_BUILDER_DOT "pid %d inside", (int)r->inside);
		text_format(text, sizeof(text), "%s%s%s%s" TEXT_BUILDER_DOT "%s", r->user,
			    *r->group ? TEXT_BUILDER_DOT : "", r->group, inside, *r->command ? r->command : r->name);
	}
	canvas_text_cut(cv, 1, y, cv->w - 2, STYLE_TEXT, text, strlen(text));
}
