/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keymap.c - the table of keys and actions, and the functions that read it for dispatch, footer and
 * help.
 */
#include "config.h"

#include "ui/keymap.h"

#include "base/order.h"
#include "export/exporter.h"

#include <stdlib.h>
#include <string.h>

#define TIMES (MODE_TREE | MODE_WAITS)
#define FOLDING (TIMES | MODE_NUMA | MODE_QUALITY | MODE_PROBES | MODE_MEMORY | MODE_LOCKS)
#define ROWS (MODE_PANES & ~(MODE_FLAME | MODE_TIME))
#define LIST (ROWS | MODE_FLAME)
#define CALLS (MODE_TREE | MODE_FLAME | MODE_NUMA | MODE_FUNCS)
#define ANY (ROWS | MODE_HELP | MODE_PICK | MODE_ANNOTATE)
#define PANE MODE_PANES
#define SAVES_MAX 16u            /* formats of the menu S */

/*
 * A row without an action stands for those that show and hide panes: from one of the list to, but
 * for, another; by their keys.
 */
#define KEYS_OF_PANES(from, to) { .key = { from, to }, .action = ACT_NONE }

static const struct binding fixed[] = {
	{ { UI_KEY_UP, 'k' }, ACT_UP, ANY, 0, 0, "Up k", "", "one line up" },
	{ { UI_KEY_DOWN, 'j' }, ACT_DOWN, ANY, 0, 0, "Down j", "", "one line down" },
	{ { UI_KEY_RIGHT, 'l' }, ACT_RIGHT, FOLDING, 0, 0, "Right l", "", "open, or go to the first child" },
	{ { UI_KEY_LEFT, 'h' }, ACT_LEFT, FOLDING, 0, 0, "Left h", "", "close, or go to the parent" },
	{ { UI_KEY_UP, 'k', 'x' }, ACT_UP, MODE_FLAME, 0, 0, "Up k x", "", "to the parent" },
	{ { UI_KEY_DOWN, 'j', 'L' }, ACT_DOWN, MODE_FLAME, 0, 0, "Down j L", "", "to the heaviest child" },
	{ { UI_KEY_RIGHT, 'l', ']' }, ACT_RIGHT, MODE_FLAME, 0, 0, "Right l ]", "", "to the next sibling" },
	{ { UI_KEY_LEFT, 'h', '[' }, ACT_LEFT, MODE_FLAME, 0, 0, "Left h [", "", "to the previous sibling" },
	{ { UI_KEY_PGDN, ' ', UI_KEY_CTRL('f') }, ACT_PGDN, ANY, 0, 0, "PgDn Space", "", "one page down" },
	{ { UI_KEY_PGUP, UI_KEY_CTRL('b') }, ACT_PGUP, ANY, 0, 0, "PgUp", "", "one page up" },
	{ { 'g', UI_KEY_HOME }, ACT_FIRST, ANY, 0, 0, "g Home", "", "first line" },
	{ { 'G', UI_KEY_END }, ACT_LAST, ANY, 0, 0, "G End", "", "last line" },
	{ { 'H' }, ACT_HOTTEST, TIMES, 0, 0, "H", "", "follow the hottest path down" },
	{ { 'L' }, ACT_HEAVIEST, TIMES, 0, 0, "L", "", "to the heaviest child" },
	{ { 'x', UI_KEY_BACKSPACE, 0x7F }, ACT_PARENT, FOLDING, 0, 0, "x Backspace", "", "to the parent" },
	{ { ']' }, ACT_NEXT_SIBLING, FOLDING, 0, 0, "]", "", "to the next sibling" },
	{ { '[' }, ACT_PREV_SIBLING, FOLDING, 0, 0, "[", "", "to the previous sibling" },
	{ { UI_KEY_PGDN, ' ', UI_KEY_CTRL('f') }, ACT_PGDN, MODE_FLAME, 0, 0, "PgDn Space", "", "one page deeper" },
	{ { UI_KEY_PGUP, UI_KEY_CTRL('b') }, ACT_PGUP, MODE_FLAME, 0, 0, "PgUp", "", "one page up" },
	{ { 'g', UI_KEY_HOME }, ACT_FIRST, MODE_FLAME, 0, 0, "g Home", "", "to the top" },
	{ { 'G', UI_KEY_END, 'H' }, ACT_LAST, MODE_FLAME, 0, 0, "G End H", "", "to the end of the heaviest path" },
	{ { UI_KEY_ENTER }, ACT_TOGGLE, TIMES | MODE_LOCKS | MODE_QUALITY, 0, 3, "Enter", "open",
	  "open or close the line" },
	{ { UI_KEY_ENTER }, ACT_TOGGLE, MODE_PROBES, 0, 10, "Enter", "open", "open or close the line" },
	{ { UI_KEY_ENTER }, ACT_TOGGLE, MODE_NUMA, 0, 3, "Enter", "open", "open or close; on a node: only it" },
	{ { UI_KEY_ENTER }, ACT_IN_TREE, MODE_FUNCS | MODE_MEMORY, 0, 3, "Enter", "in tree",
	  "show its place in the tree" },
	{ { UI_KEY_ENTER }, ACT_THREAD, MODE_THREADS, 0, 3, "Enter", "only it", "show only this thread, in all panes" },
	{ { '+' }, ACT_OPEN, MODE_TREE, 0, 0, "+", "", "open the line, then its parts" },
	{ { '+' }, ACT_OPEN, FOLDING & ~MODE_TREE, 0, 0, "+", "", "open the line" },
	{ { '-' }, ACT_CLOSE, FOLDING, 0, 0, "-", "", "close the line" },
	{ { 'e' }, ACT_OPEN_LEVEL, FOLDING, 0, 0, "e", "", "open one more level" },
	{ { 'c' }, ACT_CLOSE_LEVEL, FOLDING, 0, 0, "c", "", "close the deepest open level" },
	{ { 'E' }, ACT_OPEN_ALL, FOLDING, 0, 0, "E", "", "open everything" },
	{ { 'C' }, ACT_CLOSE_ALL, FOLDING, 0, 0, "C", "", "close everything" },
	{ { 'A' }, ACT_PROBE, MODE_PROBES, CAN_PROBE, 3, "A", "add", "add a probe: type it, Tab completes" },
	{ { 'I' }, ACT_SPAN, MODE_PROBES, 0, 11, "I", "inside", "inside its calls: then a letter" },
	{ { 'd', UI_KEY_DELETE }, ACT_PROBE_OFF, MODE_PROBES, CAN_PROBE, 6, "d Del", "off",
	  "take the probe off, or put it back" },
	{ { 'z' }, ACT_ZOOM, MODE_TREE, 0, 10, "z", "zoom", "zoom in: the line becomes the root" },
	{ { UI_KEY_ENTER, 'z' }, ACT_ZOOM, MODE_FLAME, 0, 3, "Enter z", "zoom", "zoom in; on the top frame: out" },
	{ { 'a' }, ACT_ANNOTATE, MODE_TREE | MODE_FLAME | MODE_FUNCS | MODE_MEMORY, 0, 28, "a", "annotate",
	  "show source and instructions" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_TREE, 0, 0, "Esc", "", "leave search, then zoom, filters" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_FLAME, 0, 0, "Esc", "", "leave search, zoom, filters, pane" },
	{ { UI_KEY_LEFT, 'h' }, ACT_LEFT, MODE_TIME, 0, 0, "Left h", "", "one column back in time" },
	{ { UI_KEY_RIGHT, 'l' }, ACT_RIGHT, MODE_TIME, 0, 0, "Right l", "", "one column forward" },
	{ { UI_KEY_PGUP, UI_KEY_CTRL('b') }, ACT_PGUP, MODE_TIME, 0, 0, "PgUp", "", "one page back" },
	{ { UI_KEY_PGDN, UI_KEY_CTRL('f') }, ACT_PGDN, MODE_TIME, 0, 0, "PgDn", "", "one page forward" },
	{ { UI_KEY_HOME, 'g' }, ACT_FIRST, MODE_TIME, 0, 0, "g Home", "", "to the beginning" },
	{ { UI_KEY_END, 'G' }, ACT_LAST, MODE_TIME, 0, 12, "G End", "now", "to the newest, and follow it" },
	{ { UI_KEY_ENTER, ' ', 'v' }, ACT_MARK, MODE_TIME, 0, 3, "Enter v", "range",
	  "begin a range; again: show only it" },
	{ { 'H' }, ACT_HEAT, MODE_TIME, 0, 9, "H", "heat map", "heat map of seconds, or the strip" },
	{ { '1' }, ACT_RUNNING, MODE_TIME, 0, 0, "1", "", "heat map of running time" },
	{ { '2' }, ACT_BLOCKED, MODE_TIME, CAN_OFF_CPU, 0, "2", "", "heat map of blocked time" },
	{ { 'u' }, ACT_RUNNABLE, MODE_TIME, CAN_OFF_CPU, 0, "u", "", "heat map of time in the run queue" },
	{ { '+' }, ACT_OPEN, MODE_TIME, 0, 10, "+", "finer", "shorter columns" },
	{ { '-' }, ACT_CLOSE, MODE_TIME, 0, 11, "-", "coarser", "longer columns" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_TIME, 0, 0, "Esc", "", "leave range, filters, then pane" },
	{ { '/' }, ACT_SEARCH, LIST, 0, 7, "/", "search", "search, also in what is closed" },
	{ { 'f' }, ACT_FILTER, LIST, 0, 9, "f", "filter", "filter by function, thread, node" },
	{ { 'f' }, ACT_FILTER, MODE_TIME, 0, 13, "f", "filter", "filter by function, thread, node" },
	{ { 'F' }, ACT_FILTERS, PANE, 0, 0, "F", "", "list, change or remove filters" },
	{ { 'n' }, ACT_NEXT, LIST, 0, 0, "n", "", "next match" },
	{ { 'N' }, ACT_PREV, LIST, 0, 0, "N", "", "previous match" },
	{ { 's' }, ACT_SORT, MODE_TREE, 0, 11, "s", "sort", "sort by total, self, kind, name" },
	{ { 's' }, ACT_SORT, MODE_FUNCS | MODE_MODULES, 0, 11, "s", "sort", "sort by self, kind, name, total" },
	{ { 's' }, ACT_SORT, MODE_THREADS, 0, 11, "s", "sort", "sort by kind, name, total" },
	{ { 'U' }, ACT_BLOCKS, MODE_MEMORY, CAN_PROBE, 10, "U", "in use", "who uses it: follow blocks, or not" },
	{ { 's' }, ACT_SORT, MODE_MEMORY, 0, 11, "s", "sort", "sort by in use, alloc, churn, ..." },
	{ { 'i' }, ACT_INVERT, MODE_TREE | MODE_FLAME, 0, 12, "i", "inverted", "invert: callers under functions" },
	{ { 't' }, ACT_GROUP, MODE_TREE | MODE_FLAME, 0, 13, "t", "group", "group roots by process, thread, ..." },
	{ { 'T' }, ACT_BY_NODE, TIMES | MODE_FLAME, 0, 0, "T", "", "split by NUMA node, or not" },
	{ { 'O' }, ACT_HOLDERS, MODE_TREE | MODE_FLAME, CAN_OFF_CPU, 0, "O", "", "holders of locks, below waits" },
	{ { 'K' }, ACT_KERNEL, CALLS, 0, 14, "K", "kernel", "hide or show kernel frames" },
	KEYS_OF_PANES(PANE_HOME, PANE_HOME + 1),
	{ { '1' }, ACT_RUNNING, LIST, CAN_OFF_CPU, 0, "1", "", "show or hide running time" },
	{ { '2' }, ACT_BLOCKED, LIST, CAN_OFF_CPU, 0, "2", "", "show or hide blocked time" },
	{ { 'u' }, ACT_RUNNABLE, LIST, CAN_OFF_CPU, 0, "u", "", "show or hide time in the run queue" },
	{ { 'w' }, ACT_IDLE, LIST & ~MODE_PROBES, CAN_OFF_CPU, 6, "w", "idle", "show or hide idle waits" },
	{ { 'w' }, ACT_IDLE, MODE_PROBES, CAN_OFF_CPU, 0, "w", "", "show or hide idle waits" },
	KEYS_OF_PANES(PANE_HOME + 1, PANES),
	{ { UI_KEY_TAB }, ACT_NEXT_PANE, PANE, CAN_TAB, 4, "Tab", "pane", "go to the next pane" },
	{ { UI_KEY_BACKTAB }, ACT_PREV_PANE, PANE, CAN_TAB, 0, "Shift-Tab", "", "go to the previous pane" },
	{ { 'm' }, ACT_ALONE, PANE, CAN_TAB, 0, "m", "", "show this pane alone, or all again" },
	{ { UI_KEY_ESC }, ACT_BACK, ROWS & ~MODE_TREE, 0, 0, "Esc", "", "leave search, filters, then pane" },
	{ { 'W' }, ACT_WAKERS, TIMES | MODE_LOCKS, CAN_WAKERS, 0, "W", "", "wakers: who ends waits; costs more" },
	{ { 'p' }, ACT_PAUSE, PANE, CAN_PAUSE, 15, "p", "pause", "pause the view, not the capture" },
	{ { 'b' }, ACT_BASELINE, PANE, 0, 27, "b", "baseline", "baseline: compare with this moment" },
	{ { 'I' }, ACT_SPAN, PANE & ~MODE_PROBES, 0, 0, "I", "", "time in calls of a probe: a letter" },
	{ { 'A' }, ACT_PROBE, PANE & ~MODE_PROBES, CAN_PROBE, 0, "A", "", "add a probe, of this function" },
	{ { 'r' }, ACT_RESET, PANE, CAN_RESET, 16, "r", "reset", "reset: forget all data so far" },
	{ { 'S' }, ACT_SAVE, MODE_TREE | MODE_FLAME, 0, 0, "S", "", "save what is shown: then a letter" },
	{ { 'P' }, ACT_PICK, PANE, CAN_ATTACH, 0, "P", "", "pick another process" },
	{ { 'R' }, ACT_RECORD, PANE, CAN_RECORD, 0, "R", "", "record or stop; with --keep: save" },
	{ { 'U' }, ACT_SERVE, PANE & ~MODE_MEMORY, CAN_SERVE, 0, "U", "", "address of a page for a browser" },
	{ { 'o' }, ACT_OPTIONS, PANE, 0, 25, "o", "options", "options: then a letter" },
	{ { UI_KEY_RIGHT, 'l' }, ACT_RIGHT, MODE_ANNOTATE, 0, 0, "Right l", "", "the right end of long lines" },
	{ { UI_KEY_LEFT, 'h' }, ACT_LEFT, MODE_ANNOTATE, 0, 0, "Left h", "", "back to their beginning" },
	{ { 'H' }, ACT_HOTTEST, MODE_ANNOTATE, 0, 3, "H", "hottest", "to the hottest line" },
	{ { 'n' }, ACT_NEXT, MODE_ANNOTATE, 0, 4, "n", "next", "next match, or next hottest line" },
	{ { 'N' }, ACT_PREV, MODE_ANNOTATE, 0, 0, "N", "", "previous match, or hotter line" },
	{ { 's' }, ACT_LAYOUT, MODE_ANNOTATE, 0, 5, "s", "source", "source, instructions, or both" },
	{ { '/' }, ACT_SEARCH, MODE_ANNOTATE, 0, 6, "/", "search", "search" },
	{ { UI_KEY_ESC }, ACT_BACK, MODE_ANNOTATE, 0, 2, "Esc", "back", "leave the search, then the code" },
	{ { 'a', 'q' }, ACT_CANCEL, MODE_ANNOTATE, 0, 0, "a q", "", "back to where you were" },
	{ { 'p' }, ACT_PAUSE, MODE_ANNOTATE, CAN_PAUSE, 7, "p", "pause", "pause the view, not the capture" },
	{ { '?', UI_KEY_F1 }, ACT_HELP, MODE_ANNOTATE, 0, 1, "? F1", "help", "this help" },
	{ { UI_KEY_CTRL('l') }, ACT_REDRAW, PANE | MODE_HELP | MODE_PICK | MODE_ANNOTATE, 0, 0, "^L", "",
	  "redraw the screen" },
	{ { '?', UI_KEY_F1 }, ACT_HELP, PANE, 0, 1, "? F1", "help", "this help" },
	{ { 'q' }, ACT_QUIT, PANE, 0, 2, "q", "quit", "quit" },

	{ { UI_KEY_ENTER }, ACT_ATTACH, MODE_PICK, 0, 1, "Enter", "look at it", "look at the selected process" },
	{ { 'a' }, ACT_ATTACH_ALL, MODE_PICK, 0, 2, "a", "all", "look at the whole machine" },
	{ { '/' }, ACT_SEARCH, MODE_PICK, 0, 3, "/", "search", "only processes with this text" },
	{ { 's' }, ACT_SORT, MODE_PICK, 0, 4, "s", "sort", "sort by CPU, memory, name, pid" },
	{ { 'K' }, ACT_KERNEL, MODE_PICK, 0, 5, "K", "kernel", "hide or show kernel threads" },
	{ { UI_KEY_ESC, 'q' }, ACT_CANCEL, MODE_PICK, 0, 7, "Esc q", "leave", "leave the search, then the list" },
	{ { '?', UI_KEY_F1 }, ACT_HELP, MODE_PICK, 0, 6, "? F1", "help", "this help" },

	{ { UI_KEY_ENTER }, ACT_ACCEPT, MODE_SEARCH, 0, 1, "Enter", "keep", "keep the match" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_SEARCH, 0, 2, "Esc", "cancel", "go back to where the search began" },
	{ { UI_KEY_DOWN }, ACT_NEXT, MODE_SEARCH, 0, 3, "Down", "next", "next match" },
	{ { UI_KEY_UP }, ACT_PREV, MODE_SEARCH, 0, 4, "Up", "previous", "previous match" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_SEARCH, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_SEARCH, 0, 5, "^U", "erase", "erase everything" },

	{ { UI_KEY_ENTER }, ACT_ATTACH, MODE_PICK_TEXT, 0, 1, "Enter", "look at it", "look at the selected process" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_PICK_TEXT, 0, 2, "Esc", "all again", "show all processes again" },
	{ { UI_KEY_DOWN }, ACT_DOWN, MODE_PICK_TEXT, 0, 3, "Down", "next", "one line down" },
	{ { UI_KEY_UP }, ACT_UP, MODE_PICK_TEXT, 0, 4, "Up", "previous", "one line up" },
	{ { UI_KEY_PGDN }, ACT_PGDN, MODE_PICK_TEXT, 0, 0, "PgDn", "", "one page down" },
	{ { UI_KEY_PGUP }, ACT_PGUP, MODE_PICK_TEXT, 0, 0, "PgUp", "", "one page up" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_PICK_TEXT, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_PICK_TEXT, 0, 5, "^U", "erase", "erase everything" },

	{ { UI_KEY_ENTER }, ACT_ACCEPT, MODE_FILTER, 0, 1, "Enter", "filter", "show only this; with !: all but it" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_FILTER, 0, 2, "Esc", "cancel", "change nothing" },
	{ { UI_KEY_TAB }, ACT_COMPLETE, MODE_FILTER, 0, 3, "Tab", "complete", "complete thread: process: ..." },
	{ { UI_KEY_UP }, ACT_PREV, MODE_FILTER, 0, 4, "Up", "earlier", "an earlier filter" },
	{ { UI_KEY_DOWN }, ACT_NEXT, MODE_FILTER, 0, 0, "Down", "", "a later filter" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_FILTER, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_FILTER, 0, 5, "^U", "erase", "erase everything" },

	{ { UI_KEY_ENTER }, ACT_ACCEPT, MODE_PROBE, 0, 1, "Enter", "place", "place the probe" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_PROBE, 0, 2, "Esc", "cancel", "change nothing" },
	{ { UI_KEY_TAB }, ACT_COMPLETE, MODE_PROBE, 0, 3, "Tab", "complete", "complete what can be probed" },
	{ { UI_KEY_UP }, ACT_PREV, MODE_PROBE, 0, 4, "Up", "earlier", "an earlier probe" },
	{ { UI_KEY_DOWN }, ACT_NEXT, MODE_PROBE, 0, 0, "Down", "", "a later probe" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_PROBE, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_PROBE, 0, 5, "^U", "erase", "erase everything" },

	{ { UI_KEY_UP, 'k' }, ACT_UP, MODE_FILTERS, 0, 0, "Up k", "", "one line up" },
	{ { UI_KEY_DOWN, 'j' }, ACT_DOWN, MODE_FILTERS, 0, 0, "Down j", "", "one line down" },
	{ { 'd', UI_KEY_DELETE, UI_KEY_BACKSPACE }, ACT_REMOVE, MODE_FILTERS, 0, 1, "d Del", "remove",
	  "remove the filter" },
	{ { UI_KEY_ENTER, 'e' }, ACT_CHANGE, MODE_FILTERS, 0, 2, "Enter e", "change", "change the filter" },
	{ { 'f' }, ACT_FILTER, MODE_FILTERS, 0, 3, "f", "add", "add a filter" },
	{ { 'C' }, ACT_REMOVE_ALL, MODE_FILTERS, 0, 4, "C", "remove all", "remove all filters" },
	{ { UI_KEY_ESC, 'F', 'q' }, ACT_CANCEL, MODE_FILTERS, 0, 5, "Esc", "back", "back to where you were" },

	/* Before it come the formats: keymap(). */
	{ { UI_KEY_ESC, 'q' }, ACT_CANCEL, MODE_SAVE, 0, SAVES_MAX + 1, "Esc", "back", "nothing" },

	{ { 'k', 'K' }, ACT_KERNEL, MODE_OPTIONS, 0, 1, "k", "kernel", "hide or show kernel frames" },
	{ { 'l' }, ACT_LIBRARIES, MODE_OPTIONS, 0, 2, "l", "libs", "hide or show frames of libraries" },
	{ { 'r' }, ACT_RECURSION, MODE_OPTIONS, 0, 3, "r", "fold", "fold functions that call themselves" },
	{ { 'p' }, ACT_SCRIPTS, MODE_OPTIONS, CAN_SCRIPTS, 0, "p", "",
	  "Python and native frames, or one" },
	{ { 'n' }, ACT_NAMES, MODE_OPTIONS, 0, 5, "n", "names", "C++ names short or in full" },
	{ { 'i' }, ACT_INLINED, MODE_OPTIONS, 0, 4, "i", "inlined", "hide or show inlined functions" },
	{ { '-' }, ACT_RATE_DOWN, MODE_OPTIONS, CAN_PACE, 21, "-", "", "fewer samples a second" },
	{ { '+' }, ACT_RATE_UP, MODE_OPTIONS, CAN_PACE, 22, "+", "rate", "more samples a second" },
	{ { '<' }, ACT_REFRESH_MORE, MODE_OPTIONS, CAN_PACE, 23, "<", "", "refresh more often" },
	{ { '>' }, ACT_REFRESH_LESS, MODE_OPTIONS, CAN_PACE, 24, ">", "refresh", "refresh less often" },
	{ { UI_KEY_ESC, 'o', 'q' }, ACT_CANCEL, MODE_OPTIONS, 0, 30, "Esc", "back", "change nothing" },

	{ { 'i' }, ACT_INSIDE, MODE_SPAN, 0, 1, "i", "inside", "only what is inside its calls" },
	{ { 'o' }, ACT_OUTSIDE, MODE_SPAN, 0, 2, "o", "outside", "only what is outside of them" },
	{ { 's' }, ACT_SPLIT, MODE_SPAN, 0, 3, "s", "split", "the tree split: inside, outside" },
	{ { '>' }, ACT_SLOWER, MODE_SPAN, 0, 4, ">", "slower", "only inside slower calls: p99, 10ms" },
	{ { 'd' }, ACT_SLOW_DIFF, MODE_SPAN, 0, 5, "d", "diff", "slow calls against median ones" },
	{ { 'a' }, ACT_NO_SPAN, MODE_SPAN, 0, 6, "a", "all", "inside and outside together" },
	{ { UI_KEY_ESC, 'I', 'q' }, ACT_CANCEL, MODE_SPAN, 0, 7, "Esc I q", "back", "change nothing" },

	{ { UI_KEY_ENTER }, ACT_ACCEPT, MODE_LENGTH, 0, 1, "Enter", "show", "show only slower calls" },
	{ { UI_KEY_ESC }, ACT_CANCEL, MODE_LENGTH, 0, 2, "Esc", "cancel", "change nothing" },
	{ { UI_KEY_UP }, ACT_PREV, MODE_LENGTH, 0, 3, "Up", "earlier", "an earlier length" },
	{ { UI_KEY_DOWN }, ACT_NEXT, MODE_LENGTH, 0, 0, "Down", "", "a later length" },
	{ { UI_KEY_BACKSPACE, 0x7F, 0x08 }, ACT_ERASE, MODE_LENGTH, 0, 0, "Backspace", "", "erase one character" },
	{ { UI_KEY_CTRL('u') }, ACT_ERASE_ALL, MODE_LENGTH, 0, 4, "^U", "erase", "erase everything" },

	{ { '?', UI_KEY_F1, UI_KEY_ESC }, ACT_CLOSE_HELP, MODE_HELP, 0, 1, "? F1 Esc", "back",
	  "back to where you were" },
	{ { 'q' }, ACT_CLOSE_HELP, MODE_HELP, 0, 0, "q", "", "back to where you were" },
};

#define NR_FIXED (sizeof(fixed) / sizeof(fixed[0]))

static struct binding table[NR_FIXED + PANES + SAVES_MAX];
static char save_keys[SAVES_MAX][sizeof("s Enter")];

/* The row of X, which is number NR of the menu S. */
static struct binding save_binding(const struct exporter *x, unsigned int nr)
{
	struct binding b = { { (unsigned char)x->save.letter }, ACT_SAVE_AS, MODE_SAVE, 0, (uint8_t)(nr + 1),
			     save_keys[nr], x->save.word, x->save.help };

	/* S twice, and Enter, are the first one. */
	if (!nr) {
		b.key[1] = 'S';
		b.key[2] = UI_KEY_ENTER;
	}
	snprintf(save_keys[nr], sizeof(save_keys[nr]), "%c%s", x->save.letter, nr ? "" : " Enter");
	return b;
}

static const struct binding of_panes[PANES] = {
#define X(id, name, key, shown, needs, footer, brief, help, where) { { key }, ACT_##id, PANE, needs, footer, \
	shown, brief, help },
	PANE_LIST(X)
#undef X
};

static int by_key(const void *va, const void *vb)
{
	const struct binding *a = va, *b = vb;

	return compare_numbers(a->key[0], b->key[0]);
}

/* Puts the rows at AT that ROW stands for; returns how many. */
static size_t keymap_fill_panes(const struct binding *row, struct binding *at)
{
	const size_t n = row->key[1] - row->key[0];

	memcpy(at, &of_panes[row->key[0]], n * sizeof(*at));
	qsort(at, n, sizeof(*at), by_key);
	return n;
}

/* Puts the table together, once. */
static size_t keymap_fill(void)
{
	size_t n = 0;

	for (size_t i = 0; i < NR_FIXED; i++) {
		const struct exporter *x = NULL;

		for (unsigned int k = 0; fixed[i].modes == MODE_SAVE && k < SAVES_MAX &&
		     (x = exporter_get(EXPORT_BY_SAVE, k)); k++)
			table[n++] = save_binding(x, k);
		if (fixed[i].action == ACT_NONE)
			n += keymap_fill_panes(&fixed[i], &table[n]);
		else
			table[n++] = fixed[i];
	}
	return n;
}

const struct binding *keymap(size_t *ret_n)
{
	static size_t n;

	if (!n)
		n = keymap_fill();
	*ret_n = n;
	return table;
}

bool binding_valid(const struct binding *b, enum ui_mode mode, unsigned int can)
{
	return (b->modes & mode) && (b->needs & can) == b->needs;
}

const struct binding *keymap_binding(uint32_t key, enum ui_mode mode, unsigned int can)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n && key; i++)
		if ((b[i].key[0] == key || b[i].key[1] == key || b[i].key[2] == key) && binding_valid(&b[i], mode, can))
			return &b[i];
	return NULL;
}

enum action keymap_action(uint32_t key, enum ui_mode mode, unsigned int can)
{
	const struct binding *b = keymap_binding(key, mode, can);

	return b ? b->action : ACT_NONE;
}

size_t keymap_footer(enum ui_mode mode, unsigned int can, const struct binding **ret, size_t max)
{
	size_t n = 0, rows;
	const struct binding *b = keymap(&rows);

	for (unsigned int place = 1; place <= rows && n < max; place++) {
		for (size_t i = 0; i < rows && n < max; i++) {
			if (b[i].footer == place && binding_valid(&b[i], mode, can))
				ret[n++] = &b[i];
		}
	}
	return n;
}
