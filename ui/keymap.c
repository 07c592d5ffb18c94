/* SPDX-License-Identifier: BSD-2-Clause */
/* keymap.c - the table behind keymap.h. */
#include "config.h"

#include "ui/keymap.h"

#include <string.h>

#define LIST (MODE_TREE | MODE_WAITS)
#define ANY (LIST | MODE_HELP)

static const struct binding table[] = {
	{ { UI_KEY_UP, 'k' }, ACT_UP, ANY, 0, 0, "Up k", "", "one line up" },
	{ { UI_KEY_DOWN, 'j' }, ACT_DOWN, ANY, 0, 0, "Down j", "", "one line down" },
	{ { UI_KEY_RIGHT, 'l' }, ACT_RIGHT, LIST, 0, 0, "Right l", "", "open, or go to the first child" },
	{ { UI_KEY_LEFT, 'h' }, ACT_LEFT, LIST, 0, 0, "Left h", "", "close, or go to the parent" },
	{ { UI_KEY_PGDN, ' ', UI_KEY_CTRL('f') }, ACT_PGDN, ANY, 0, 0, "PgDn Space", "", "one page down" },
	{ { UI_KEY_PGUP, UI_KEY_CTRL('b') }, ACT_PGUP, ANY, 0, 0, "PgUp", "", "one page up" },
	{ { 'g', UI_KEY_HOME }, ACT_FIRST, ANY, 0, 0, "g Home", "", "first line" },
	{ { 'G', UI_KEY_END }, ACT_LAST, ANY, 0, 0, "G End", "", "last line" },
	{ { UI_KEY_ENTER }, ACT_TOGGLE, LIST, 0, 3, "Enter", "open", "open or close the line" },
	{ { '+' }, ACT_OPEN, LIST, 0, 0, "+", "", "open the line" },
	{ { '-' }, ACT_CLOSE, LIST, 0, 0, "-", "", "close the line" },
	{ { 'e' }, ACT_OPEN_LEVEL, LIST, 0, 0, "e", "", "open one level more" },
	{ { 'c' }, ACT_CLOSE_LEVEL, LIST, 0, 0, "c", "", "close the deepest open level" },
	{ { 'E' }, ACT_OPEN_ALL, LIST, 0, 0, "E", "", "open everything" },
	{ { 'C' }, ACT_CLOSE_ALL, LIST, 0, 0, "C", "", "close everything" },
	{ { 'z' }, ACT_ZOOM, MODE_TREE, 0, 7, "z", "zoom", "zoom in: the line becomes the root" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_TREE, 0, 0, "Esc", "", "leave the search, then the zoom" },
	{ { '/' }, ACT_SEARCH, LIST, 0, 6, "/", "search", "search, also in what is closed" },
	{ { 'n' }, ACT_NEXT, LIST, 0, 0, "n", "", "next match" },
	{ { 'N' }, ACT_PREV, LIST, 0, 0, "N", "", "previous match" },
	{ { 's' }, ACT_SORT, MODE_TREE, 0, 8, "s", "sort", "sort by total, self, kind, name" },
	{ { 'i' }, ACT_INVERT, MODE_TREE, 0, 9, "i", "inverted", "invert: callers under functions" },
	{ { 't' }, ACT_GROUP, MODE_TREE, 0, 10, "t", "group", "next way of grouping roots" },
	{ { 'K' }, ACT_KERNEL, MODE_TREE, 0, 11, "K", "kernel", "hide or show kernel frames" },
	{ { '1' }, ACT_RUNNING, MODE_TREE, CAN_OFF_CPU, 0, "1", "", "show or hide time on a CPU" },
	{ { '2' }, ACT_BLOCKED, LIST, CAN_OFF_CPU, 0, "2", "", "show or hide blocked time" },
	{ { 'u' }, ACT_RUNNABLE, LIST, CAN_OFF_CPU, 0, "u", "", "show or hide time in the run queue" },
	{ { 'w' }, ACT_IDLE, LIST, CAN_OFF_CPU, 5, "w", "idle", "show or hide idle waits" },
	{ { '6' }, ACT_WAITS, MODE_TREE, CAN_OFF_CPU, 4, "6", "waits", "the list of waits" },
	{ { '6' }, ACT_TREE, MODE_WAITS, 0, 4, "6", "tree", "back to the tree" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_WAITS, 0, 0, "Esc", "", "leave the search, then the waits" },
	{ { 'W' }, ACT_WAKERS, LIST, CAN_WAKERS, 0, "W", "", "tell who ends waits: costs more" },
	{ { 'p' }, ACT_PAUSE, LIST, CAN_PAUSE, 12, "p", "pause", "pause the view, not the capture" },
	{ { 'r' }, ACT_RESET, LIST, CAN_RESET, 13, "r", "reset", "forget what was seen so far" },
	{ { UI_KEY_CTRL('l') }, ACT_REDRAW, ANY, 0, 0, "^L", "", "draw the screen anew" },
	{ { '?', UI_KEY_F1 }, ACT_HELP, LIST, 0, 1, "? F1", "help", "this help" },
	{ { 'q' }, ACT_QUIT, LIST, 0, 2, "q", "quit", "quit" },

	{ { UI_KEY_ENTER }, ACT_ACCEPT, MODE_SEARCH, 0, 1, "Enter", "keep", "keep the match" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_SEARCH, 0, 2, "Esc", "cancel", "go back to where the search began" },
	{ { UI_KEY_DOWN }, ACT_NEXT, MODE_SEARCH, 0, 3, "Down", "next", "next match" },
	{ { UI_KEY_UP }, ACT_PREV, MODE_SEARCH, 0, 4, "Up", "previous", "previous match" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_SEARCH, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_SEARCH, 0, 5, "^U", "erase", "erase everything" },

	{ { '?', UI_KEY_F1, UI_KEY_ESC }, ACT_CLOSE_HELP, MODE_HELP, 0, 1, "? F1 Esc", "back", "back to where you were" },
	{ { 'q' }, ACT_CLOSE_HELP, MODE_HELP, 0, 0, "q", "", "back to where you were" },
};

#define NR (sizeof(table) / sizeof(table[0]))

const struct binding *keymap(size_t *ret_n)
{
	*ret_n = NR;
	return table;
}

bool binding_valid(const struct binding *b, enum ui_mode mode, unsigned int can)
{
	return (b->modes & mode) && (b->needs & can) == b->needs;
}

enum action keymap_action(uint32_t key, enum ui_mode mode, unsigned int can)
{
	for (size_t i = 0; i < NR && key; i++) {
		const struct binding *b = &table[i];

		if ((b->key[0] == key || b->key[1] == key || b->key[2] == key) && binding_valid(b, mode, can))
			return b->action;
	}
	return ACT_NONE;
}

size_t keymap_footer(enum ui_mode mode, unsigned int can, const struct binding **ret, size_t max)
{
	size_t n = 0;

	for (unsigned int place = 1; place <= NR && n < max; place++) {
		for (size_t i = 0; i < NR && n < max; i++) {
			if (table[i].footer == place && binding_valid(&table[i], mode, can))
				ret[n++] = &table[i];
		}
	}
	return n;
}

static void print_mode(FILE *out, enum ui_mode mode, const char *name)
{
	for (size_t i = 0; i < NR; i++) {
		if (table[i].modes & mode)
			fprintf(out, "%s\t%s\t%s\n", name, table[i].shown, table[i].help);
	}
}

void keymap_print(FILE *out)
{
	print_mode(out, MODE_TREE, "tree");
	print_mode(out, MODE_WAITS, "waits");
	print_mode(out, MODE_SEARCH, "search");
	print_mode(out, MODE_HELP, "help");
}
