/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picker.h - a list of processes to pick one from, as a value: lists and keys in, a canvas out; no
 * thread, no clock.
 *
 * The first line is the whole machine. The cursor stays on its process when the list is sorted
 * anew, and on its line when that process has ended. Text typed after / keeps only processes that
 * have it in pid, name, command line or container, in any case.
 */
#ifndef SBERF_UI_PICKER_H
#define SBERF_UI_PICKER_H

#include "system/proclist.h"
#include "ui/canvas.h"
#include "ui/keymap.h"
#include "ui/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct picker {
	struct proclist *list;           /* a reference; NULL = none yet */
	VEC(uint32_t) order;             /* the rows of the list that are lines, from the top */
	size_t all;                      /* rows that would be lines if nothing were searched for */
	struct search text;              /* what they have, in lower case */
	bool kernel;                     /* kernel threads are listed, too */
	enum proc_order sort;
	size_t cursor, top;              /* lines, the one of the whole machine included */
	pid_t pid;                       /* the process under the cursor; 0 = the whole machine */
	uint64_t start_ticks;
	int first_y, lines;              /* where they stood when it was drawn last, and how many there was room for */
};

enum pick_reaction {
	PICK_NONE,               /* nothing changed on screen */
	PICK_DRAW,
	PICK_ATTACH,             /* picker.pid is what was picked */
	PICK_LEAVE,              /* leave without picking */
};

/* A zeroed picker is an empty one. */
void picker_free(struct picker *p);

/* Shows L, whose reference P owns from now on. */
void picker_give(struct picker *p, struct proclist *l);

/*
 * What the key of A does, of MODE_PICK or, while text is *TYPED, of MODE_PICK_TEXT; KEY is typed
 * when it has none there.
 */
enum pick_reaction picker_key(struct picker *p, enum action a, uint32_t key, bool *typed);
/* Puts the cursor on the line at row Y of the canvas; false when none is there. */
bool picker_click(struct picker *p, int y);
/* Moves the cursor BY lines down. */
void picker_move(struct picker *p, long by);

/* Draws on all of CV; RULE: the first line is a rule. */
void picker_draw(struct picker *p, struct canvas *cv, bool rule);
/* Draws a line about the process under the cursor, or about the typed text, at row Y. */
void picker_status(const struct picker *p, struct canvas *cv, int y, bool typed);

/* Writes the name under the cursor, "redis-server 1234", to DST. Returns DST. */
char *picker_name(const struct picker *p, char *dst, size_t size);

#endif
