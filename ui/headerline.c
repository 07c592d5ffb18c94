/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * headerline.c - lays the items of the header out in lines. What does not fit loses its sparkline,
 * is shortened, or is left out, the least important first. Losses get lines of their own.
 */
#include "config.h"

#include "ui/header_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define SPARK_COLS 14
#define SEPARATOR " \xC2\xB7 "
#define WIDE_ROWS 16                     /* a screen of at least so many rows has three lines of header */
#define NARROW_COLS 50
#define MORE_COLS 14                     /* for "and 12 more" */
#define TARGET_COLS 18                   /* a longer name is cut before event, rate or samples leave */

static int headerline_cols(const struct item *it)
{
	const int text = (int)text_width(it->text, strlen(it->text));
	int sum = it->lead ? (int)strlen(it->lead) : 0;

	if (it->spark)
		sum += (sum ? 1 : 0) + SPARK_COLS;
	return sum + (sum && text ? 1 : 0) + text;
}

static int line_cols(const struct items *is, int line)
{
	int sum = 0, n = 0;

	for (int i = 0; i < is->n; i++) {
		if (is->item[i].line == line && !is->item[i].gone)
			sum += headerline_cols(&is->item[i]), n++;
	}
	return sum + (n > 1 ? (n - 1) * 3 : 0);
}

/* The least important item of LINE that can still shorten (BRIEF) or go; NULL when there is none. */
static struct item *headerline_least(struct items *is, int line, bool brief)
{
	struct item *found = NULL;

	for (int i = 0; i < is->n; i++) {
		struct item *it = &is->item[i];

		if (it->line == line && !it->gone &&
		    (brief ? it->brief[0] && it->rank > RANK_FILTER : it->rank > RANK_LOST) &&
		    (!found || it->rank >= found->rank))
			found = it;
	}
	return found;
}

/*
 * Cuts the target's name so that what must stay beside it fits, to no less than SHORTEST columns.
 * True when it got shorter.
 */
static bool squeeze_target(struct items *is, int line, int w, int shortest)
{
	struct item *it = &is->item[0];
	const int over = line_cols(is, line) - w, had = headerline_cols(it),
		  want = had - over > shortest ? had - over : shortest;
	char text[ITEM_TEXT + 4];

	if (!is->n || it->rank != RANK_TARGET || it->line != line || over <= 0 || want >= had)
		return false;
	text_cut_middle(text, sizeof(text), it->text, strlen(it->text), (size_t)want, false);
	text_format(it->text, sizeof(it->text), "%s", text);
	return headerline_cols(it) < had;
}

static void headerline_shorten(struct item *it)
{
	memcpy(it->text, it->brief, sizeof(it->brief));
	it->brief[0] = '\0';
}

/* Filters shorten last of all. */
static bool shorten_filter(struct items *is, int line)
{
	for (int i = 0; i < is->n; i++) {
		if (is->item[i].line == line && is->item[i].rank == RANK_FILTER && is->item[i].brief[0]) {
			headerline_shorten(&is->item[i]);
			return true;
		}
	}
	return false;
}

/* The last item of LINE that says something without its sparkline too loses it. False when there is none. */
static bool drop_spark(struct items *is, int line)
{
	for (int i = is->n - 1; i >= 0; i--) {
		struct item *it = &is->item[i];

		if (it->line == line && !it->gone && it->spark && it->text[0]) {
			it->spark = false;
			return true;
		}
	}
	return false;
}

static void fit_line(struct items *is, int line, int w)
{
	struct item *it;

	while (line_cols(is, line) > w) {
		if (drop_spark(is, line))
			continue;
		it = headerline_least(is, line, false);
		if (it && it->rank >= RANK_LUXURY) {
			it->gone = true;
		} else if (headerline_least(is, line, true)) {
			headerline_shorten(headerline_least(is, line, true));
		} else if (it && (it->rank > RANK_EVENT || !squeeze_target(is, line, w, TARGET_COLS))) {
			it->gone = true;
		} else if (!it && !shorten_filter(is, line)) {
			squeeze_target(is, line, w, 1);
			return;
		}
	}
}

/* The last SPARK_COLS seconds, as high as the highest of them. */
static void draw_spark(const struct history *h, enum time_kind kind, struct canvas *cv, int x, int y, enum style style)
{
	double top = 0;

	for (unsigned int i = 0; i < h->n && i < SPARK_COLS; i++) {
		if (h->level[kind][i] > top)
			top = h->level[kind][i];
	}
	for (unsigned int i = 0; i < SPARK_COLS && i < h->n; i++)
		canvas_spark(cv, x + (int)(SPARK_COLS - 1 - i), y, style, top > 0 ? h->level[kind][i] / top : 0);
}

static int draw_item(const struct header *h, struct canvas *cv, const struct item *it, int x, int y)
{
	const int start = x;
	struct history levels;

	if (it->lead)
		x += canvas_put(cv, x, y, STYLE_TEXT, it->lead);
	if (it->spark) {
		x += x > start ? 1 : 0;
		history_overlay(&h->history, &h->pulse.history, &levels);
		draw_spark(&levels, (enum time_kind)it->kind, cv, x, y, (enum style)it->style);
		x += SPARK_COLS;
	}
	if (it->text[0]) {
		x += x > start ? 1 : 0;
		x += canvas_text_cut(cv, x, y, cv->w - x - 1, (enum style)it->style, it->text, strlen(it->text));
	}
	return x - start;
}

static void draw_side(const struct header *h, struct canvas *cv, const struct items *is, int line,
		      bool right, int x, int y)
{
	bool first = true;

	for (int i = 0; i < is->n; i++) {
		const struct item *it = &is->item[i];

		if (it->line != line || it->gone || it->right != right)
			continue;
		if (!first)
			x += canvas_put(cv, x, y, STYLE_FAINT, SEPARATOR);
		first = false;
		x += draw_item(h, cv, it, x, y);
	}
}

static int side_cols(const struct items *is, int line, bool right)
{
	struct items side = { .n = 0 };

	for (int i = 0; i < is->n; i++) {
		if (is->item[i].right == right)
			side.item[side.n++] = is->item[i];
	}
	return line_cols(&side, line);
}

static void headerline_draw_line(const struct header *h, struct canvas *cv, struct items *is, int line, int y)
{
	int left, x;

	fit_line(is, line, cv->w - 2);
	left = side_cols(is, line, false);
	draw_side(h, cv, is, line, false, 1, y);
	x = cv->w - 1 - side_cols(is, line, true);
	if (left && x < 1 + left + 3)
		x = 1 + left + canvas_put(cv, 1 + left, y, STYLE_FAINT, x < cv->w - 1 ? SEPARATOR : "");
	draw_side(h, cv, is, line, true, x, y);
}

/* Lines as wide as W that the losses take. */
static int loss_lines(const struct items *is, int w)
{
	int lines = 0, used = w;

	for (int i = 0; i < is->n; i++) {
		const int need = headerline_cols(&is->item[i]);

		if (is->item[i].line != LOSS_LINE)
			continue;
		if (used + 3 + need > w) {
			lines++;
			used = need;
		} else {
			used += 3 + need;
		}
	}
	return lines;
}

/*
 * Name and count of every loss go before remedies: these are cut from the last loss on until all
 * fits into MOST lines.
 */
static void shorten_losses(struct items *is, int w, int most)
{
	for (int i = is->n - 1; i >= 0 && loss_lines(is, w) > most; i--) {
		if (is->item[i].line == LOSS_LINE && is->item[i].brief[0])
			headerline_shorten(&is->item[i]);
	}
}

/*
 * Packs the losses into lines as wide as W, at most MOST of them; returns how many. What is left
 * over is counted in one.
 */
static int wrap_losses(struct items *is, int w, int most)
{
	int line = LOSS_LINE, used = 0, left = 0, last = -1, reserve;

	shorten_losses(is, w, most);
	reserve = loss_lines(is, w) > most ? MORE_COLS : 0;
	for (int i = 0; i < is->n; i++) {
		struct item *it = &is->item[i];

		if (it->line != LOSS_LINE)
			continue;
		if (used && used + 3 + headerline_cols(it) > w - (line - LOSS_LINE + 1 == most ? reserve : 0)) {
			line++;
			used = 0;
		}
		used += (used ? 3 : 0) + headerline_cols(it);
		it->line = (uint8_t)line;
		it->gone = line - LOSS_LINE >= most;
		left += it->gone;
		last = i;
	}
	if (left)
		header_add(is, LOSS_LINE + most - 1, RANK_LOST, STYLE_ALERT, "and %d more", left);
	return last < 0 ? 0 : line - LOSS_LINE + 1 < most ? line - LOSS_LINE + 1 : most;
}

static int base_lines(int w, int rows)
{
	return rows >= WIDE_ROWS && w >= NARROW_COLS ? 3 : rows >= 8 ? 2 : 1;
}

int header_lines(const struct header *h, int w, int rows)
{
	const int base = base_lines(w, rows);
	struct items is;

	header_collect(&is, h, base < 3);
	return base < 3 ? base : base + wrap_losses(&is, w - 2, rows / 4);
}

void header_draw(const struct header *h, struct canvas *cv, int y, int lines)
{
	struct items is;

	header_collect(&is, h, lines < 3);
	if (lines > 3)
		wrap_losses(&is, cv->w - 2, lines - 3);
	for (int i = 0; i < is.n; i++) {
		if (is.item[i].line >= lines)
			is.item[i].line = (uint8_t)(lines - 1);
	}
	for (int line = 0; line < lines; line++)
		headerline_draw_line(h, cv, &is, line, y + line);
}
