/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_layout.c - where panes stand: all of the room is used, nothing overlaps, the pane in focus
 * is there in any size.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "ui/layout.h"

#include <stdio.h>
#include <string.h>

static const unsigned int weight[] = { 3, 2, 2, 2, 2, 3, 2, 2 };
#define MOST (sizeof(weight) / sizeof(weight[0]))

/* "x,y wxh" of each of N panes in a room of W x H at (0, 3), or "-". */
static void places(int w, int h, unsigned int n, unsigned int focus, char *dst, size_t size)
{
	const struct rect room = { 0, 3, w, h };
	struct rect at[MOST];
	size_t used = 0;

	layout_panes(&room, weight, n, focus, at);
	*dst = '\0';
	for (unsigned int i = 0; i < n && used < size; i++) {
		const char *before = i ? " | " : "";

		if (at[i].h)
			used += (size_t)snprintf(dst + used, size - used, "%s%d,%d %dx%d", before, at[i].x,
						 at[i].y, at[i].w, at[i].h);
		else
			used += (size_t)snprintf(dst + used, size - used, "%s-", before);
	}
}

static void assert_places(int w, int h, unsigned int n, unsigned int focus, const char *want)
{
	char text[256];

	places(w, h, n, focus, text, sizeof(text));
	assert_string_equal(text, want);
}

/* Rooms of screens: less header, status line and footer. */
static void common_screens(void **state)
{
	/* 20x5 */
	assert_places(20, 2, 1, 0, "0,3 20x2");
	assert_places(20, 2, 2, 1, "- | 0,3 20x2");
	assert_places(20, 2, 8, 0, "0,3 20x2 | - | - | - | - | - | - | -");
	/* 80x24 */
	assert_places(80, 19, 1, 0, "0,3 80x19");
	assert_places(80, 19, 2, 0, "0,3 80x10 | 0,13 80x9");
	assert_places(80, 19, 3, 2, "0,3 80x6 | 0,9 80x6 | 0,15 80x7");
	assert_places(80, 19, 5, 0, "0,3 80x6 | 0,9 80x6 | 0,15 80x7 | - | -");
	assert_places(80, 19, 5, 4, "0,3 80x6 | 0,9 80x6 | - | - | 0,15 80x7");
	/* 120x40 */
	assert_places(120, 35, 2, 0, "0,3 120x20 | 0,23 120x15");
	assert_places(120, 35, 4, 0, "0,3 120x10 | 0,13 120x8 | 0,21 120x8 | 0,29 120x9");
	assert_places(120, 35, 8, 7, "0,3 120x5 | 0,8 120x5 | 0,13 120x5 | 0,18 120x5 | 0,23 120x5 | 0,28 120x5 | - | "
				     "0,33 120x5");
	/* 200x50 */
	assert_places(200, 45, 1, 0, "0,3 200x45");
	assert_places(200, 45, 2, 0, "0,3 100x45 | 101,3 99x45");
	assert_places(200, 45, 4, 0, "0,3 100x45 | 101,3 99x15 | 101,18 99x15 | 101,33 99x15");
	assert_places(200, 45, 8, 0, "0,3 100x13 | 0,16 100x10 | 0,26 100x11 | 0,37 100x11 | "
				     "101,3 99x10 | 101,13 99x13 | 101,26 99x11 | 101,37 99x11");
	/* 400x100 */
	assert_places(400, 95, 3, 0, "0,3 133x95 | 134,3 133x95 | 268,3 132x95");
	assert_places(400, 95, 8, 0, "0,3 100x95 | 101,3 99x47 | 101,50 99x48 | 201,3 99x47 | 201,50 99x48 | "
				     "301,3 99x39 | 301,42 99x28 | 301,70 99x28");
}

static bool overlap(const struct rect *a, const struct rect *b)
{
	return a->h && b->h && a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

/* Cells of ROOM that AT, N panes, do not cover. */
static int uncovered(const struct rect *room, const struct rect *at, unsigned int n)
{
	int cells = room->w * room->h;

	for (unsigned int i = 0; i < n; i++)
		cells -= at[i].w * at[i].h;
	return cells;
}

/* How many columns of panes there are. */
static int columns(const struct rect *at, unsigned int n)
{
	int columns = 0;

	for (unsigned int i = 0; i < n; i++) {
		bool first = at[i].h;

		for (unsigned int k = 0; k < i; k++)
			first &= !at[k].h || at[k].x != at[i].x;
		columns += first;
	}
	return columns;
}

static void check_room(const struct rect *room, unsigned int n, unsigned int focus)
{
	struct rect at[MOST];
	const unsigned int shown = layout_panes(room, weight, n, focus, at);
	unsigned int seen = 0;

	assert_int_not_equal(at[focus].h, 0);
	for (unsigned int i = 0; i < n; i++) {
		if (!at[i].h)
			continue;
		seen++;
		assert_true(at[i].x >= room->x && at[i].x + at[i].w <= room->x + room->w);
		assert_true(at[i].y >= room->y && at[i].y + at[i].h <= room->y + room->h);
		assert_true(at[i].h >= LAYOUT_LINES || at[i].h == room->h);      /* a low one has no pane below */
		for (unsigned int k = 0; k < i; k++)
			assert_false(overlap(&at[i], &at[k]));
	}
	assert_int_equal(seen, shown);
	assert_int_equal(uncovered(room, at, n), (columns(at, n) - 1) * room->h);
	for (unsigned int i = 0; i < n && columns(at, n) > 1; i++)
		assert_true(!at[i].h || at[i].w >= LAYOUT_COLS);
}

static void any_size(void **state)
{
	for (int w = 1; w <= 800; w += w < 200 ? 1 : 37) {
		for (int h = 1; h <= 200; h += h < 60 ? 1 : 23) {
			const struct rect room = { 5, 7, w, h };

			for (unsigned int n = 1; n <= MOST; n++) {
				for (unsigned int focus = 0; focus < n; focus++)
					check_room(&room, n, focus);
			}
		}
	}
}

static void no_room_shows_nothing(void **state)
{
	const struct rect none[] = { { 0, 0, 0, 10 }, { 0, 0, 10, 0 }, { 0, 0, -3, 5 } };
	struct rect at[MOST];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(layout_panes(&none[i], weight, 3, 1, at), 0);
		for (unsigned int p = 0; p < 3; p++)
			assert_int_equal(at[p].h, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_screens),
		cmocka_unit_test(any_size),
		cmocka_unit_test(no_room_shows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
