/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.c - computes the rectangles of open panes from the size of the screen. layout.h has the
 * rules.
 */
#include "config.h"

#include "ui/layout.h"

#include <string.h>

/* Columns of panes, and how many panes stand in each. */
struct columns {
	unsigned int n;
	unsigned int panes[LAYOUT_PANES_MAX];
};

static unsigned int layout_least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* How many columns ROOM can have, and how many panes one of them. */
static unsigned int most_columns(const struct rect *room)
{
	const int n = (room->w + 1) / (LAYOUT_COLS + 1);

	return n > 1 ? (unsigned int)n : 1;
}

static unsigned int most_rows(const struct rect *room)
{
	const int n = room->h / LAYOUT_LINES;

	return n > 1 ? (unsigned int)n : 1;
}

/*
 * Spreads N panes over the columns from FROM on; where they cannot be as many everywhere, the last
 * ones get one more.
 */
static void layout_spread(struct columns *c, unsigned int from, unsigned int n)
{
	const unsigned int columns = c->n - from;

	for (unsigned int i = 0; i < columns; i++)
		c->panes[from + i] = n / columns + (i >= columns - n % columns ? 1 : 0);
}

/* Whether the first of N panes can have a column of its own, and the others are still worth looking at. */
static bool first_alone(const struct rect *room, const struct columns *c, unsigned int n)
{
	const unsigned int others = c->n - 1;

	return others && n > c->n && room->h / (int)((n - 1 + others - 1) / others) >= LAYOUT_GOOD_LINES;
}

static struct columns columns_for(const struct rect *room, unsigned int n)
{
	struct columns c = { .n = layout_least(most_columns(room), n) };

	if (first_alone(room, &c, n)) {
		c.panes[0] = 1;
		layout_spread(&c, 1, n - 1);
	} else {
		layout_spread(&c, 0, n);
	}
	return c;
}

/* Shares the lines of AT, a column, among the N panes SHOWN of it. */
static void place_column(const struct rect *at, const unsigned int *weight, const unsigned int *shown, unsigned int n,
			 struct rect *ret)
{
	const int base = n > 1 ? LAYOUT_LINES : 0, spare = at->h - base * (int)n;
	unsigned int sum = 0, before = 0;
	int y = at->y;

	for (unsigned int i = 0; i < n; i++)
		sum += weight[shown[i]];
	for (unsigned int i = 0; i < n; i++) {
		const int from = spare * (int)before / (int)sum;

		before += weight[shown[i]];
		ret[shown[i]] = (struct rect){ at->x, y, at->w, base + spare * (int)before / (int)sum - from };
		y += ret[shown[i]].h;
	}
}

/* The panes that find room, in their order: the first ones, and the one in focus. */
static unsigned int layout_choose(unsigned int n, unsigned int room, unsigned int focus, unsigned int *shown)
{
	room = layout_least(room, n);
	for (unsigned int i = 0; i < room; i++)
		shown[i] = i;
	if (focus >= room)
		shown[room - 1] = focus;
	return room;
}

unsigned int layout_panes(const struct rect *room, const unsigned int *weight, unsigned int n, unsigned int focus,
			  struct rect *ret)
{
	unsigned int shown[LAYOUT_PANES_MAX], nr, done = 0;
	struct columns c;
	int x = room->x;

	memset(ret, 0, n * sizeof(*ret));
	if (room->w < 1 || room->h < 1)
		return 0;
	nr = layout_choose(n, most_columns(room) * most_rows(room), focus, shown);
	c = columns_for(room, nr);
	for (unsigned int i = 0; i < c.n; i++) {
		const int left = room->x + room->w - x, columns = (int)(c.n - i);
		/* the free ones in between are of LEFT */
		const struct rect at = { x, room->y, left / columns, room->h };

		place_column(&at, weight, shown + done, c.panes[i], ret);
		done += c.panes[i];
		x += at.w + 1;
	}
	return nr;
}
