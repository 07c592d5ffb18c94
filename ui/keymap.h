/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keymap.h - one table from keys to actions, with their texts in help, footer and man page.
 *
 * Which keys are valid depends on the *mode* (the pane in focus, typing a search, choosing a format
 * or an option, picking a process, the help screen), on what the data source can do (a recording
 * cannot be paused or reset), and on what is open. Dispatch, footer, help screen and man page read
 * the same rows, so they always agree. Knows nothing of terminals.
 */
#ifndef SBERF_UI_KEYMAP_H
#define SBERF_UI_KEYMAP_H

#include "ui/panes/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is a Unicode character, or one of these. */
#define KEY_BASE 0x200000u
enum key {
	UI_KEY_UP = KEY_BASE,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_PGUP,
	UI_KEY_PGDN,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_ENTER,
	UI_KEY_BACKSPACE,
	UI_KEY_DELETE,
	UI_KEY_TAB,
	UI_KEY_BACKTAB,
	UI_KEY_F1,               /* F2 = UI_KEY_F1 + 1, ... */
	UI_KEY_F12 = UI_KEY_F1 + 11,
	UI_KEY_UNKNOWN,          /* the terminal sent something that is no key of ours */
};
#define UI_KEY_ESC 0x1Bu
#define UI_KEY_CTRL(letter) ((uint32_t)(letter) & 0x1Fu)

/* Of panes that of their place in the list, of what has the keys in their stead those behind. */
enum ui_mode {
#define X(id, name, key, shown, needs, footer, brief, help, where) MODE_##id = 1u << PANE_##id,
	PANE_LIST(X)
#undef X
	MODE_SEARCH = 1u << 20,
	MODE_HELP = 1u << 21,
	MODE_SAVE = 1u << 22,
	MODE_OPTIONS = 1u << 23,
	MODE_FILTER = 1u << 24,
	MODE_FILTERS = 1u << 25,
	MODE_PICK = 1u << 26,
	MODE_PICK_TEXT = 1u << 27,       /* ... and typing what to search for */
	MODE_ANNOTATE = 1u << 28,
	MODE_PROBE = 1u << 29,           /* a probe is typed */
	MODE_SPAN = 1u << 30,            /* what of the time in the calls of a probe is to be shown */
	MODE_LENGTH = 1u << 31,          /* how long these calls took is typed */
};
#define MODE_PANES ((1u << PANES) - 1)   /* all of them */
_Static_assert(MODE_PANES < MODE_SEARCH, "there are bits for all panes");

enum ui_can {                    /* what the source of data can do */
	CAN_PAUSE = 1,
	CAN_RESET = 2,
	CAN_OFF_CPU = 4,         /* waits were followed */
	CAN_WAKERS = 8,          /* and who ends them can be told from now on */
	CAN_TAB = 16,            /* several panes are open */
	CAN_RECORD = 32,         /* what comes can be recorded */
	CAN_PACE = 64,           /* rate and refresh can be changed */
	CAN_ATTACH = 128,        /* another target can be gone on with */
	CAN_PROBE = 256,         /* probes can be added and taken off */
	CAN_SCRIPTS = 512,       /* there are frames of an interpreted language */
	CAN_SERVE = 1024,        /* browsers can be answered */
};

enum action {
	ACT_NONE,
	/* moving */
	ACT_UP, ACT_DOWN, ACT_LEFT, ACT_RIGHT, ACT_PGUP, ACT_PGDN, ACT_FIRST, ACT_LAST,
	ACT_HOTTEST, ACT_HEAVIEST, ACT_PARENT, ACT_NEXT_SIBLING, ACT_PREV_SIBLING,
	/* folding */
	ACT_TOGGLE, ACT_OPEN, ACT_CLOSE, ACT_OPEN_LEVEL, ACT_CLOSE_LEVEL, ACT_OPEN_ALL, ACT_CLOSE_ALL,
	/* looking */
	ACT_ZOOM, ACT_IN_TREE, ACT_BACK, ACT_SORT, ACT_INVERT, ACT_GROUP, ACT_KERNEL, ACT_INLINED,
	ACT_LIBRARIES, ACT_SCRIPTS, ACT_RECURSION, ACT_NAMES,
	ACT_ANNOTATE, ACT_LAYOUT,
	/* panes: showing or hiding each of them */
#define X(id, name, key, shown, needs, footer, brief, help, where) ACT_##id,
	PANE_LIST(X)
#undef X
	ACT_NEXT_PANE, ACT_PREV_PANE, ACT_ALONE,
	/* time off the CPU */
	ACT_RUNNING, ACT_BLOCKED, ACT_RUNNABLE, ACT_IDLE, ACT_WAKERS,
	/* nodes */
	ACT_BY_NODE, ACT_HOLDERS,
	/* threads */
	ACT_THREAD,
	/* time */
	ACT_MARK, ACT_HEAT,
	/* searching */
	ACT_SEARCH, ACT_NEXT, ACT_PREV, ACT_ACCEPT, ACT_CANCEL, ACT_ERASE, ACT_ERASE_ALL,
	/* rate and refresh */
	ACT_RATE_UP, ACT_RATE_DOWN, ACT_REFRESH_LESS, ACT_REFRESH_MORE,
	/* picking a process */
	ACT_PICK, ACT_ATTACH, ACT_ATTACH_ALL,
	/* probes */
	ACT_PROBE, ACT_PROBE_OFF, ACT_BLOCKS,
	/* time in the calls of a probe */
	ACT_SPAN, ACT_INSIDE, ACT_OUTSIDE, ACT_SPLIT, ACT_SLOWER, ACT_SLOW_DIFF, ACT_NO_SPAN,
	/* filters */
	ACT_FILTER, ACT_FILTERS, ACT_COMPLETE, ACT_REMOVE, ACT_REMOVE_ALL, ACT_CHANGE,
	/* saving */
	ACT_SAVE_AS,
	/* the program */
	ACT_PAUSE, ACT_BASELINE, ACT_RESET, ACT_SAVE, ACT_RECORD, ACT_SERVE, ACT_OPTIONS, ACT_REDRAW, ACT_HELP,
		ACT_CLOSE_HELP, ACT_QUIT,
};

enum mouse {
	MOUSE_CLICK,
	MOUSE_DOUBLE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
	MOUSE_RELEASE,           /* of what a click pressed, wherever */
};

struct binding {
	uint32_t key[3];         /* 0 = none */
	enum action action;
	uint32_t modes;          /* mask of enum ui_mode */
	uint16_t needs;          /* mask of enum ui_can, all needed */
	uint8_t footer;          /* place in the footer from 1, 0 = not there */
	const char *shown;       /* how help and footer write the keys */
	/* the footer's word, "" = none, or with a place in the footer: that of the next row stands for both */
	const char *brief;
	const char *help;        /* one line */
};

/*
 * The rows, in the order of help; *RET_N of them. The save menu's rows are made from the exporters
 * that have a place there. Call it from one thread.
 */
const struct binding *keymap(size_t *ret_n);

/* True when B is valid in MODE with a source that can CAN. */
bool binding_valid(const struct binding *b, enum ui_mode mode, unsigned int can);

/* The row of KEY; NULL when it is not valid here. */
const struct binding *keymap_binding(uint32_t key, enum ui_mode mode, unsigned int can);

/* What KEY does; ACT_NONE when it is not valid here. */
enum action keymap_action(uint32_t key, enum ui_mode mode, unsigned int can);

/* The rows of the footer for MODE in their order, at most MAX into RET. Returns how many. */
size_t keymap_footer(enum ui_mode mode, unsigned int can, const struct binding **ret, size_t max);

#endif
