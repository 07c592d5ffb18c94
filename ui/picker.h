/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picker.h - a list of processes to pick one from, as a value: lists, keys and a canvas, no thread and no clock.
 *
 * The first line stands for the whole machine. The cursor stays with its process while the lists are sorted anew, and on its
 * line when that has ended. What is typed after / leaves only what has it in its pid, name, command line or container, whatever
 * its case.
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
	bool kernel;                     /* kernel threads are lines, too */
	enum proc_order sort;
	size_t cursor, top;              /* lines, the one of the whole machine included */
	pid_t pid;                       /* who the cursor is on; 0 = the whole machine */
	uint64_t start_ticks;
	int first_y, lines;              /* where they stood when it was drawn last, and how many there was room for */
};

enum pick_reaction {
	PICK_NONE,               /* nothing changed on screen */
	PICK_DRAW,
	PICK_ATTACH,             /* picker.pid is what was picked */
	PICK_LEAVE,              /* nothing was */
};

/* A zeroed picker is an empty one. */
void picker_free(struct picker *p);

/* Shows L from now on, and takes the reference over. */
void picker_give(struct picker *p, struct proclist *l);

/* What the key of A does, of MODE_PICK or, while text is *TYPED, of MODE_PICK_TEXT; KEY is typed when it has none there. */
enum pick_reaction picker_key(struct picker *p, enum action a, uint32_t key, bool *typed);
/* Puts the cursor on the line at row Y of the canvas; false when none is there. */
bool picker_click(struct picker *p, int y);
/* BY lines down. */
void picker_move(struct picker *p, long by);

/* Draws it on all of CV, from a RULE on, if there is to be one. */
void picker_draw(struct picker *p, struct canvas *cv, bool rule);
/* What there is to say of the line under the cursor, or of what is being typed, in row Y. */
void picker_status(const struct picker *p, struct canvas *cv, int y, bool typed);

/* The name of what the cursor is on, "redis-server 1234", into DST. Returns DST. */
char *picker_name(const struct picker *p, char *dst, size_t size);

#endif
