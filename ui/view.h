/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.h - the whole screen as a value: keys and snapshots in, a canvas out. No terminal, no clock, no thread.
 *
 * Whoever owns a view calls view_tick() at each refresh, builds what view_job() asks for (at once or in a thread), hands it
 * over with view_give(), passes keys to view_key(), and draws. Several *panes* (panes.h) can be open; one of them is in
 * focus, where keys go. One treeview is kept for each of them and each way of grouping, so that going there and back finds
 * everything as it was left.
 */
#ifndef SBERF_UI_VIEW_H
#define SBERF_UI_VIEW_H

#include "session/session.h"
#include "system/proclist.h"
#include "ui/annotator.h"
#include "ui/builder.h"
#include "ui/canvas.h"
#include "ui/keymap.h"
#include "ui/remember.h"
#include "ui/saver.h"
#include "ui/ui.h"

#include <stdbool.h>
#include <stdint.h>

struct view;

enum reaction {
	REACT_NONE,              /* nothing changed on screen */
	REACT_DRAW,
	REACT_REDRAW,            /* from scratch: the terminal may show something else */
	REACT_SAVE,              /* what is shown is to be saved: view_save_job(); say with view_say() what came of it */
	REACT_ATTACH,            /* feed.attach() is asked for with view_picked(), and may wait; say what came of it */
	REACT_RECORD,            /* feed.record() is asked for, and may wait; say with view_say() what came of it */
	REACT_QUIT,
};

/* FEED and O are borrowed. NULL when out of memory. */
struct view *view_new(const struct feed *feed, const struct ui_options *o);
void view_free(struct view *v);                  /* NULL is fine */

/* Opens the panes of WHAT that there is something for, in place of the tree alone, which looks as it says. Before the first view_tick(). */
void view_restore(struct view *v, const struct remembered *what);
/* Which panes are open now, and how the tree looks, without what the command line asks for. */
struct remembered view_panes(const struct view *v);

/* Takes over the figures of now. NOW_NS only grows (CLOCK_MONOTONIC). */
void view_tick(struct view *v, uint64_t now_ns);

/*
 * True when something is to be built, described in *RET (with a reference that is the caller's); to be called until it is
 * false. What open panes show is asked for together, from one snapshot, and again when all of it was given and building does
 * not take more than a twentieth of the time; what the user asks for, at once.
 */
bool view_job(struct view *v, uint64_t now_ns, struct build_job *ret);
/* Hands over what was built (may be NULL: out of memory). Answers to questions that nobody asks any more are dropped. */
void view_give(struct view *v, struct built *b, uint64_t now_ns);

/*
 * The same for the code of a function: true when it is to be read or summed up anew; what came of it, whose annotation is the
 * view's from then on.
 */
bool view_annot_job(struct view *v, uint64_t now_ns, struct annot_job *ret);
void view_annot_give(struct view *v, const struct annot_answer *answer, uint64_t now_ns);

/* Says that taking over the last tree cost the caller's thread SPENT_NS, so that the next one is asked for that much later. */
void view_spent(struct view *v, uint64_t spent_ns);

enum reaction view_key(struct view *v, uint32_t key);
/* X, Y on the canvas of the last view_draw(). */
enum reaction view_mouse(struct view *v, enum mouse what, int x, int y);

/* Draws everything anew into CV, whatever its size, and tells the feed which frames are on screen. */
void view_draw(struct view *v, struct canvas *cv);

/* True once a tree with at least one row was shown. */
bool view_has_tree(const struct view *v);

/*
 * After REACT_SAVE: what is to be saved, with a reference to its snapshot that is the caller's. What its question points at
 * stays the view's.
 */
void view_save_job(const struct view *v, struct save_job *ret);

/* How often view_tick() is to be called, ns; the user may change it. */
uint64_t view_refresh_ns(const struct view *v);

/* Picking another target: whether lists of processes are wanted now; one of them, whose reference becomes the view's. */
bool view_is_picking(const struct view *v);
void view_give_list(struct view *v, struct proclist *l);
/* After REACT_ATTACH: which process was picked, 0 = the whole machine; *RET_START_TICKS says when it began, as feed.attach() has it. */
pid_t view_picked(const struct view *v, uint64_t *ret_start_ticks);
/* V, which is new, goes on with another target as FROM was looked at: the same panes, order and question. */
void view_take_over(struct view *v, const struct view *from);

/* Says TEXT in the status line until the next key. */
void view_say(struct view *v, const char *text);

/* What is on screen, for tests: the treeview in focus. */
const struct treeview *view_tree(const struct view *v);

DEFINE_AUTO(view_free, struct view);

#endif
