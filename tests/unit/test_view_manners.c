/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_view_manners.c - what holds for every pane: help lists the keys that are valid there and no
 * others, however small the screen; the status line keeps the number of the row; 40x10 says
 * something.
 */
#include "config.h"

#include "model/probes.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/keys.h"
#include "tests/unit/madenuma.h"

#include "ui/view_private.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_KEYS_COLS 14

#define CALL "call:redis-server:call"

struct world {
	struct made_session f;
	struct driver d;
};

static void begin(struct world *w, int cols, int rows)
{
	madesession_init(&w->f);
	madesession_off_cpu(&w->f);
	madenuma_session(&w->f, "bb");
	madesession_memory(&w->f);
	madesession_locks(&w->f);
	made_hits(&w->f.m, MADE_START_NS + 1, made_thread(&w->f.m, 1234, 1234, "redis-server"), "main;call",
		  probes_add(CALL, strlen(CALL), UNIT_TIME), 9, 9000000);
	driver_init(&w->d, &w->f, cols, rows, false);
}

static void end(struct world *w)
{
	driver_free(&w->d);
	madesession_free(&w->f);
}

/* Shows P alone, in focus. */
static void look_at(struct world *w, enum pane_id p)
{
	w->d.view->open = 1u << p;
	view_focus(w->d.view, p);
	driver_refresh(&w->d);
	driver_refresh(&w->d);
}

/* Line Y of the screen, to be freed. */
static char *line_of(const struct world *w, int y)
{
	AUTO_FREE char *screen = canvas_dump(w->d.canvas);
	const char *at = screen;

	while (y-- > 0)
		at = strchr(at, '\n') + 1;
	return strndup(at, strcspn(at, "\n"));
}

static unsigned int count(const char *in, const char *text)
{
	unsigned int n = 0;

	for (const char *at = in; (at = strstr(at, text)); at += strlen(text))
		n++;
	return n;
}

/* All of help, scrolled from its top to its end; to be freed. */
static char *read_help(struct world *w)
{
	char *all = calloc(1, 1 << 20), *before = strdup("");
	AUTO_FREE char *screen = NULL;

	assert_true(all && before);
	driver_press(&w->d, "?<Home>");
	for (screen = canvas_dump(w->d.canvas); strcmp(screen, before) != 0; screen = canvas_dump(w->d.canvas)) {
		strcat(all, screen);
		free(before);
		before = screen;
		driver_press(&w->d, "<Down>");
	}
	free(before);
	driver_press(&w->d, "<Esc>");
	return all;
}

/* How help says B. */
static char *entry(const struct binding *b)
{
	char *text = calloc(1, 256);

	assert_non_null(text);
	snprintf(text, 256, "%-*s%s", HELP_KEYS_COLS - 1, b->shown, " ");
	snprintf(text + strlen(text), 256 - strlen(text), "%s", b->help);
	return text;
}

static bool says_the_same(enum ui_mode mode, unsigned int can, const char *text)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *other = entry(&b[i]);

		if (binding_valid(&b[i], mode, can) && !strncmp(other, text, strlen(text)))
			return true;
	}
	return false;
}

static void assert_help(struct world *w, enum pane_id p)
{
	const enum ui_mode mode = pane_info(p)->mode;
	const unsigned int can = view_can(w->d.view);
	AUTO_FREE char *help = read_help(w);
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *text = entry(&b[i]);

		if (binding_valid(&b[i], mode, can) && !strstr(help, text))
			fail_msg("help of %s at %dx%d does not say: %s", pane_info(p)->name, w->d.canvas->w,
				 w->d.canvas->h, text);
		if (!binding_valid(&b[i], mode, can) && strstr(help, text) && !says_the_same(mode, can, text))
			fail_msg("help of %s says what is not valid there: %s", pane_info(p)->name, text);
	}
}

static void help_lists_what_is_valid(void **state)
{
	static const struct {
		int w, h;
	} sizes[] = { { 80, 24 }, { 100, 30 }, { 200, 60 }, { 80, 9 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct world w;

		begin(&w, sizes[i].w, sizes[i].h);
		for (enum pane_id p = 0; p < PANES; p++) {
			look_at(&w, p);
			assert_help(&w, p);
		}
		end(&w);
	}
}

/* No key twice with two meanings: which one counts would be a matter of order. */
static void a_key_has_one_meaning(void **state)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++) {
			for (unsigned int k = 0; k < 9; k++) {
				if (b[i].key[k / 3] && b[i].key[k / 3] == b[j].key[k % 3] && b[i].modes & b[j].modes)
					fail_msg("%s is \"%s\" and \"%s\"", b[i].shown, b[i].help, b[j].help);
			}
		}
	}
}

/* The last thing of the status line is the number of the row, whole, whatever else wants to stand there. */
static void the_row_is_told(void **state)
{
	regex_t row;

	assert_int_equal(regcomp(&row, " ([0-9,]+ of [0-9,]+( [a-z]+)?|[0-9,]+/[0-9,]+)$", REG_EXTENDED | REG_NOSUB),
			 0);
	for (enum pane_id p = 0; p < PANES; p++) {
		struct world w;

		begin(&w, 120, 30);
		look_at(&w, p);
		for (int cols = 20; cols <= 120; cols++) {
			driver_resize(&w.d, cols, 30);
			driver_refresh(&w.d);
			driver_press(&w.d, "<Home>");
			for (unsigned int i = 0; i < 6 && i < view_tree(w.d.view)->rows.n; i++,
			     driver_press(&w.d, "<Down>")) {
				AUTO_FREE char *line = line_of(&w, 28);

				if (regexec(&row, line, 0, NULL, 0) != 0)
					fail_msg("%s, %d columns: \"%s\" does not end in the row",
						 pane_info(p)->name, cols, line);
			}
		}
		end(&w);
	}
	regfree(&row);
}

/* At 40x10 a pane has lines of its own, and at least one with a figure. */
static void small_panes_say_something(void **state)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		unsigned int lines = 0, figures = 0;
		struct world w;

		begin(&w, 40, 10);
		look_at(&w, p);
		for (int y = w.d.view->room.y + 1; y < 8; y++) {
			AUTO_FREE char *line = line_of(&w, y);

			lines += strspn(line, " ") < strlen(line);
			figures += strpbrk(line, "0123456789") != NULL;
		}
		if (lines < 4 || !figures) {
			AUTO_FREE char *screen = canvas_dump(w.d.canvas);

			print_message("%s\n", screen);
			fail_msg("%s has %u lines at 40x10, %u with figures", pane_info(p)->name, lines, figures);
		}
		end(&w);
	}
}

/* Every footer has help and how to leave; help and quit are first. */
static void footers_begin_alike(void **state)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		struct world w;

		begin(&w, 80, 24);
		look_at(&w, p);
		for (int cols = 40; cols <= 120; cols += 40) {
			AUTO_FREE char *line = NULL;

			driver_resize(&w.d, cols, 24);
			line = line_of(&w, 23);
			if (strncmp(line, " ? help  q quit  ", 17) != 0 || count(line, "help") != 1)
				fail_msg("%s: \"%s\"", pane_info(p)->name, line);
		}
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_lists_what_is_valid),
		cmocka_unit_test(a_key_has_one_meaning),
		cmocka_unit_test(the_row_is_told),
		cmocka_unit_test(small_panes_say_something),
		cmocka_unit_test(footers_begin_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
