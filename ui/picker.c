/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picker.c - the list of processes to pick one from: which lines there are, and what keys do.
 * pickerdraw.c draws it.
 */
#include "config.h"

#include "ui/picker.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void picker_free(struct picker *p)
{
	proclist_unref(take_ptr(p->list));
	vec_free(&p->order);
	search_free(&p->text);
}

/* ---- which lines, in which order ---- */

static size_t whole_lines(const struct picker *p)
{
	return p->text.len ? 0 : 1;
}

static size_t nr_lines(const struct picker *p)
{
	return whole_lines(p) + p->order.n;
}

static const struct proc_row *picker_row_at(const struct picker *p, size_t line)
{
	const size_t whole = whole_lines(p);

	return line < whole || line - whole >= p->order.n ? NULL : &p->list->row.v[p->order.v[line - whole]];
}

/* The list is sorted already, by whoever reads it: tens of thousands of processes would keep a key waiting. */
static void picker_list_lines(struct picker *p)
{
	const size_t n = p->list ? p->list->row.n : 0;

	p->order.n = p->all = 0;
	if (!vec_reserve(&p->order, n))
		return;
	for (size_t i = 0; i < n; i++) {
		const uint32_t row = p->list->order[p->sort][i];
		const struct proc_row *r = &p->list->row.v[row];

		if (r->kthread && !p->kernel)
			continue;
		p->all++;
		if (!p->text.len || strstr(r->find, p->text.text))
			p->order.v[p->order.n++] = row;
	}
}

/* Puts the cursor on LINE, or the nearest there is. */
static void picker_go_to(struct picker *p, size_t line)
{
	const size_t n = nr_lines(p);
	const struct proc_row *r;

	p->cursor = line < n ? line : n ? n - 1 : 0;
	r = picker_row_at(p, p->cursor);
	p->pid = r ? r->pid : 0;
	p->start_ticks = r ? r->start_ticks : 0;
}

/* Finds the process again that the cursor is on. */
static void follow_cursor(struct picker *p)
{
	size_t line = p->cursor;

	for (size_t i = 0; p->pid && i < p->order.n; i++) {
		const struct proc_row *r = &p->list->row.v[p->order.v[i]];

		if (r->pid == p->pid && r->start_ticks == p->start_ticks)
			line = i + whole_lines(p);
	}
	picker_go_to(p, p->pid ? line : 0);
}

void picker_give(struct picker *p, struct proclist *l)
{
	proclist_unref(p->list);
	p->list = l;
	picker_list_lines(p);
	follow_cursor(p);
}

/* ---- keys ---- */

void picker_move(struct picker *p, long by)
{
	picker_go_to(p, by < 0 && (size_t)-by > p->cursor ? 0 : p->cursor + (size_t)by);
}

bool picker_click(struct picker *p, int y)
{
	const int line = y - p->first_y;

	if (line < 0 || line >= p->lines || p->top + (size_t)line >= nr_lines(p))
		return false;
	picker_go_to(p, p->top + (size_t)line);
	return true;
}

/* What is typed has only the best line under the cursor. */
static void text_changed(struct picker *p)
{
	picker_list_lines(p);
	picker_go_to(p, 0);
}

static void clear_text(struct picker *p)
{
	search_erase(&p->text, true);
	picker_list_lines(p);
	follow_cursor(p);
}

static enum pick_reaction picker_leave(struct picker *p, bool *typed)
{
	if (!p->text.len && !*typed)
		return PICK_LEAVE;
	*typed = false;
	clear_text(p);
	return PICK_DRAW;
}

static void picker_type(struct picker *p, uint32_t key)
{
	if (key < 0x20 || key >= KEY_BASE)
		return;
	search_type(&p->text, key >= 'A' && key <= 'Z' ? key + ('a' - 'A') : key);
	text_changed(p);
}

enum pick_reaction picker_key(struct picker *p, enum action a, uint32_t key, bool *typed)
{
	const long page = p->lines > 1 ? p->lines - 1 : 1;

	switch (a) {
	case ACT_UP:
		picker_move(p, -1);
		break;
	case ACT_DOWN:
		picker_move(p, 1);
		break;
	case ACT_PGUP:
		picker_move(p, -page);
		break;
	case ACT_PGDN:
		picker_move(p, page);
		break;
	case ACT_FIRST:
		picker_go_to(p, 0);
		break;
	case ACT_LAST:
		picker_go_to(p, SIZE_MAX);
		break;
	case ACT_SORT:
		p->sort = (p->sort + 1) % PROC_ORDERS;
		picker_list_lines(p);
		follow_cursor(p);
		break;
	case ACT_KERNEL:
		p->kernel = !p->kernel;
		picker_list_lines(p);
		follow_cursor(p);
		break;
	case ACT_SEARCH:
		*typed = true;
		break;
	case ACT_ERASE:
	case ACT_ERASE_ALL:
		search_erase(&p->text, a == ACT_ERASE_ALL);
		text_changed(p);
		break;
	case ACT_ATTACH_ALL:
		p->pid = 0;
		return PICK_ATTACH;
	case ACT_ATTACH:
		return nr_lines(p) ? PICK_ATTACH : PICK_NONE;
	case ACT_CANCEL:
		return picker_leave(p, typed);
	default:
		if (!*typed)
			return PICK_NONE;
		picker_type(p, key);
	}
	return PICK_DRAW;
}

char *picker_name(const struct picker *p, char *dst, size_t size)
{
	const struct proc_row *r = p->pid ? picker_row_at(p, p->cursor) : NULL;

	if (!r)
		snprintf(dst, size, "%s", "the whole machine");
	else
		text_format(dst, size, "%s %d", r->name, (int)r->pid);
	return dst;
}
