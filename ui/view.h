/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.h - the whole screen as a value: keys and snapshots in, a canvas out. No terminal, no clock,
 * no thread.
 *
 * The owner calls view_tick() at each refresh, builds what view_job() asks for (at once or in a
 * thread), returns it by view_give(), passes keys to view_key(), and draws. Several *panes*
 * (panes/pane.h) can be open; keys go to the one in focus. Each pane keeps a treeview for each
 * grouping, so that coming back finds everything as it was left.
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
	REACT_SAVE,              /* save what is shown: view_save_job(); report the result by view_say() */
	REACT_ATTACH,            /* call session.attach() with view_picked(), which may wait; report the result */
	REACT_RECORD,            /* call session.record(), which may wait; report the result by view_say() */
	REACT_QUIT,
};

/* SESSION and O are borrowed. NULL when out of memory. */
struct view *view_new(const struct session *session, const struct ui_options *o);
void view_free(struct view *v);                  /* NULL is fine */

/*
 * Opens those panes of WHAT that have something to show, instead of the tree alone, and gives the
 * tree its look. Call it before the first view_tick().
 */
void view_restore(struct view *v, const struct remembered *what);
/* The open panes and the look of the tree, without what the command line asks for. */
struct remembered view_panes(const struct view *v);

/* Takes the present figures. NOW_NS (CLOCK_MONOTONIC) only grows. */
void view_tick(struct view *v, uint64_t now_ns);

/*
 * True when something is to be built: *RET describes it, with a reference that is the caller's.
 * Call it until it is false. The content of all open panes is asked for together, from one
 * snapshot; again when all of it was given and building does not take more than a twentieth of the
 * time; and at once when the user asks.
 */
bool view_job(struct view *v, uint64_t now_ns, struct build_job *ret);
/* Takes what was built (NULL: out of memory). Answers to outdated questions are dropped. */
void view_give(struct view *v, struct built *b, uint64_t now_ns);

/*
 * The same for the code of a function: view_annot_job() is true when it is to be read or summed up
 * again; view_annot_give() takes the answer, whose annotation the view owns from then on.
 */
bool view_annot_job(struct view *v, uint64_t now_ns, struct annot_job *ret);
void view_annot_give(struct view *v, const struct annot_answer *answer, uint64_t now_ns);

/*
 * Tells that the last tree cost the caller's thread SPENT_NS, so that the next one is asked for
 * that much later.
 */
void view_spent(struct view *v, uint64_t spent_ns);

enum reaction view_key(struct view *v, uint32_t key);
/* X, Y on the canvas of the last view_draw(). */
enum reaction view_mouse(struct view *v, enum mouse what, int x, int y);

/* Draws everything into CV, whatever its size, and tells the session which frames are visible. */
void view_draw(struct view *v, struct canvas *cv);

/* True once a tree with at least one row was shown. */
bool view_has_tree(const struct view *v);

/*
 * After REACT_SAVE: what to save, with a reference to its snapshot that is the caller's. What its
 * query points to stays the view's.
 */
void view_save_job(const struct view *v, struct save_job *ret);

/* How often view_tick() is to be called, ns; the user may change it. */
uint64_t view_refresh_ns(const struct view *v);

/*
 * Picking another target: whether lists of processes are wanted now; takes such a list, whose
 * reference the view owns from then on.
 */
bool view_is_picking(const struct view *v);
void view_give_list(struct view *v, struct proclist *l);
/*
 * After REACT_ATTACH: the process that was picked, 0 = the whole machine; *RET_START_TICKS is its
 * start time, for session.attach().
 */
pid_t view_picked(const struct view *v, uint64_t *ret_start_ticks);
/*
 * Lets V, which is new, show its target as FROM showed another: the same panes, order and question.
 */
void view_take_over(struct view *v, const struct view *from);

/*
 * Takes what came of probes that were asked for; true when something did. view_probe_expects() is true
 * while an answer is about to come, so that this is worth calling often.
 */
bool view_probe_news(struct view *v);
bool view_probe_expects(const struct view *v, uint64_t now_ns);

/* Shows TEXT in the status line until the next key. */
void view_say(struct view *v, const char *text);

DEFINE_AUTO(view_free, struct view);

#endif
