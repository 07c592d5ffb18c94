/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.h - the whole screen as a value: keys and snapshots in, a canvas out. No terminal, no clock, no thread.
 *
 * Whoever owns a view calls view_tick() at each refresh, builds the tree that view_job() asks for (at once or in a thread),
 * hands it over with view_give(), passes keys to view_key(), and draws. One treeview is kept for each way of grouping, so that
 * going there and back finds everything as it was left.
 */
#ifndef SBERF_UI_VIEW_H
#define SBERF_UI_VIEW_H

#include "ui/builder.h"
#include "ui/canvas.h"
#include "ui/feed.h"
#include "ui/keymap.h"

#include <stdbool.h>
#include <stdint.h>

struct view;

enum reaction {
	REACT_NONE,              /* nothing changed on screen */
	REACT_DRAW,
	REACT_REDRAW,            /* from scratch: the terminal may show something else */
	REACT_QUIT,
};

enum mouse {
	MOUSE_CLICK,
	MOUSE_DOUBLE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

/* FEED and O are borrowed. NULL when out of memory. */
struct view *view_new(const struct feed *feed, const struct ui_options *o);
void view_free(struct view *v);                  /* NULL is fine */

/* Takes over the figures of now. NOW_NS only grows (CLOCK_MONOTONIC). */
void view_tick(struct view *v, uint64_t now_ns);

/*
 * True when a tree is to be built, described in *RET (with a reference that is the caller's). At most one is asked for at a
 * time unless the question changed, and never so often that building takes more than a twentieth of the time.
 */
bool view_job(struct view *v, uint64_t now_ns, struct build_job *ret);
/* Hands over what was built (may be NULL: out of memory). Answers to questions that nobody asks any more are dropped. */
void view_give(struct view *v, struct built *b, uint64_t now_ns);

/* Says that taking over the last tree cost the caller's thread SPENT_NS, so that the next one is asked for that much later. */
void view_spent(struct view *v, uint64_t spent_ns);

enum reaction view_key(struct view *v, uint32_t key);
/* X, Y on the canvas of the last view_draw(). */
enum reaction view_mouse(struct view *v, enum mouse what, int x, int y);

/* Draws everything anew into CV, whatever its size, and tells the feed which frames are on screen. */
void view_draw(struct view *v, struct canvas *cv);

/* True once a tree with at least one row was shown. */
bool view_has_tree(const struct view *v);

/* What is on screen, for tests: the treeview that is shown. */
const struct treeview *view_tree(const struct view *v);

DEFINE_AUTO(view_free, struct view);

#endif
