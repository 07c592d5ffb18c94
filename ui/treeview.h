/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treeview.h - a call tree or an outline (outline.h) as lines: what is open, where the cursor is,
 * what is on screen. Knows nothing of cells or keys.
 *
 * The *rows* are the visible nodes from top to bottom; *top* is the first row on screen, the
 * *cursor* one of the rows. When a newer tree comes, the cursor stays on its node and its node on
 * its line of the screen, and everything that was open stays open, also when names that arrived in
 * between changed what the nodes are called. To keep the line where it is, nodes that were above
 * the cursor stay above it and those below stay below; within both, order is by what the user asked
 * for. A view that nobody has touched yet follows the hottest path by itself, and its cursor stays
 * on the first row; what has opened so stays open, and once the user has moved or folded something
 * nothing opens by itself any more.
 *
 * What was folded as idle (NODE_IDLE) is no row: whoever draws shows it in a place of its own.
 *
 * Functions through which the kernel is entered (model/kernel_entry.h) share a *line* when they
 * only repeat each other: each calls only the next one, and takes no time itself. The row of the
 * line is that of the innermost function, so all others count as open. The user takes such a line
 * apart by opening it when it is open already; closing its first function puts it together again.
 * *Light* interrupts, which weigh hardly anything, do not open because everything does.
 *
 * A *long list* is a node whose last child is a NODE_MORE. While that is closed, only the first few
 * of its siblings are rows, and those that are open or under the cursor; how many depends on the
 * height, unless its count says so.
 */
#ifndef SBERF_UI_TREEVIEW_H
#define SBERF_UI_TREEVIEW_H

#include "base/vec.h"
#include "query/query.h"
#include "ui/folds.h"
#include "ui/outline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sort_by {
	SORT_TOTAL,
	SORT_SELF,
	/* this and the next five: by the measure in that place of the set that was asked for (measure_set()) */
	SORT_RUNNING,
	SORT_RUNNABLE,
	SORT_BLOCKED,
	SORT_FOURTH,
	SORT_FIFTH,
	SORT_SIXTH,
	SORT_NAME,
	SORT_NR,
};

_Static_assert(SORT_NAME == SORT_RUNNING + MEASURES_ASKED, "one for each place");

/* The place whose measure SORT is by; MEASURES_ASKED or more when it is by none. */
static inline unsigned int sort_place(enum sort_by sort)
{
	return sort >= SORT_RUNNING && sort < SORT_NAME ? sort - SORT_RUNNING : MEASURES_ASKED;
}

struct baseline;
struct treeview;

/*
 * The functions of a call path at the end of a row's label: those of STACK, from the name number
 * FIRST of its innermost frame on.
 */
struct row_path {
	stack_id stack;          /* STACK_ROOT = there are none */
	uint32_t first;
};

/*
 * Operations on rows that are not simply the nodes of a call tree, one a line. A pane that shows
 * such rows has such a table; treeview.model is what they stand for. NODE is a row of the outline,
 * or a node of the tree, that is shown.
 */
struct treeview_ops {
	/* Writes the label of NODE, sanitised, to DST (SIZE bytes), which it returns. NULL = as in a call tree. */
	char *(*label)(const struct treeview *tv, uint32_t node, char *dst, size_t size);
	/*
	 * For searching in labels that end with many functions: writes what stands before these to
	 * DST, sets *RET to the functions, and returns true. All rows are asked when ALL_PATHS is
	 * set. Otherwise, and where path is NULL, the label of a node that is a function is its name.
	 */
	bool (*path)(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret);
	bool all_paths;
	bool label_places;       /* addresses without a name are not called the same everywhere */
	bool long_lists;         /* rows depend on the height */
	/* The value that rows of an outline are sorted by; SORT is self or a kind of time. NULL = they are unsorted. */
	uint64_t (*value)(const struct treeview *tv, uint32_t node, enum sort_by sort);
	/*
	 * Makes TV's rows itself, for views whose rows depend on the cursor; the first row stands for
	 * the whole. NULL = a row for each open line.
	 */
	void (*list)(struct treeview *tv, const uint8_t *marks);
	/* The width has changed: true when rows depend on it. The cursor has moved, or the height has changed. */
	bool (*set_width)(struct treeview *tv, int width);
	void (*follow)(struct treeview *tv);
	/* The weight of the whole, of which the matches of a search are a share. */
	uint64_t (*whole_ns)(const struct treeview *tv);
};

#define LIST_ROWS_MIN 3u         /* of a long list that is not wanted whole */
#define LIST_ROWS_MAX 10u
#define OPEN_ROWS_MAX 10000u     /* rows of "open everything": beyond these only what weighs most is opened */

struct tree_row {
	uint32_t node;
	uint32_t depth;          /* 0 = a root of this view */
};

/* A fold that a search changed in passing, to be put back. */
struct lent_fold {
	uint64_t key;
	uint8_t before;          /* enum fold */
};

struct treeview {
	const struct tree *tree;         /* borrowed; NULL = an outline is shown, or nothing yet */
	const struct outline *list;      /* the same: NULL = a tree, or nothing */
	const struct treeview_ops *ops;  /* NULL = the nodes of a call tree */
	const void *model;               /* borrowed: what the rows stand for, for ops; NULL = nothing but themselves */
	void *own;                       /* of ops, for the life of the view */
	const struct baseline *base;     /* borrowed: what the tree is compared with (baseline.h); NULL = nothing */
	struct folds folds;              /* lines that the user opened or closed */
	struct folds autos;              /* what following the hottest path opened */
	/* what weighs less is not open because everything is (treeview_least_open()), */
	uint64_t least_open_ns;
	uint64_t light_ns;               /* nor are interrupts that weigh less than this */
	enum sort_by sort;
	bool touched;                    /* the user moved or folded something */
	bool at_first;                   /* the cursor belongs to the first row, not to a node */
	bool aside;                      /* keys go elsewhere: its cursor does not stand out */
	VEC(struct tree_row) rows;
	size_t cursor;                   /* < rows.n, or 0 */
	size_t top;                      /* first row on screen */
	size_t height;                   /* lines on screen, at least 1 */
	VEC(uint64_t) path;              /* keys from under the root to the node that the cursor belongs to */
	/* keys from under the root to the node that is shown as root; empty = the whole */
	VEC(uint64_t) zoom;
	VEC(size_t) zooms;               /* lengths of zoom, outermost first */
	VEC(struct lent_fold) lent;
};

/* Makes TV an empty view with HEIGHT lines, which is needed before anything else. */
void treeview_init(struct treeview *tv, size_t height);
void treeview_free(struct treeview *tv);         /* frees what TV has, not TV */

/* Shows TREE (borrowed until the next call; NULL = none). The tree shown before must still be alive during the call. */
void treeview_show(struct treeview *tv, const struct tree *tree);
/* The same for a tree or an outline, whose rows stand for MODEL; both are borrowed until the next call. */
void treeview_show_model(struct treeview *tv, const void *model, struct shown next);

/* What TV shows. */
static inline struct shown treeview_shown(const struct treeview *tv)
{
	return (struct shown){ tv->tree, tv->list };
}
/* Node or row NODE of it. */
static inline struct outline_row treeview_at(const struct treeview *tv, uint32_t node)
{
	return shown_at(treeview_shown(tv), node);
}
/* The value by which NODE is sorted under SORT; 0 for totals, names, and where values make no difference. */
uint64_t treeview_value(const struct treeview *tv, uint32_t node, enum sort_by sort);
/* Writes the label of NODE, sanitised, to DST, and returns DST. LABEL_MAX bytes hold nearly every label whole. */
char *treeview_label(const struct treeview *tv, uint32_t node, char *dst, size_t size);
/* True when lines are in the order that the tree has by itself: by total, or by change where there is a baseline. */
static inline bool treeview_own_order(const struct treeview *tv)
{
	return tv->sort == SORT_TOTAL || (tv->base && tv->sort == SORT_SELF);
}
/* Changes the number of lines; the cursor stays on screen. */
void treeview_set_height(struct treeview *tv, size_t height);
/* True when rows are listed by tv->ops: there is no line for each node. */
static inline bool treeview_lists_own(const struct treeview *tv)
{
	return tv->ops && tv->ops->list;
}
/* Changes the number of columns; in some views rows depend on it. */
void treeview_set_width(struct treeview *tv, int width);

/* The frame that says where NODE is in the code; ID_NONE when it is no place. */
frame_id treeview_place(const struct treeview *tv, uint32_t node);
/* The node under the cursor, NODE_NONE when there are no rows. */
uint32_t treeview_node(const struct treeview *tv);
/* The node of T that idle waits were folded into, NODE_NONE when there is none. */
uint32_t treeview_idle(const struct tree *t);
/* The weight of all of T without these idle waits. */
uint64_t treeview_work_ns(const struct tree *t);
/* The node that N keys lead to, from under the root, or as far as they lead; *RET_FOUND says how many were found. */
uint32_t treeview_path(const struct treeview *tv, const uint64_t *key, size_t n, size_t *ret_found);
/* The node that is shown as root: 0 when not zoomed. */
uint32_t treeview_base(const struct treeview *tv);
bool treeview_is_open(const struct treeview *tv, uint32_t node);        /* by the user, or by itself */
/* The last node of the line that NODE is in, which is the one of its row; and the first one. */
uint32_t treeview_line_end(const struct treeview *tv, uint32_t node);
uint32_t treeview_line_start(const struct treeview *tv, uint32_t node);
/* Writes the label of the line of NODE, which is a row: all its functions, the outermost first. Returns DST. */
char *treeview_line_label(const struct treeview *tv, uint32_t node, char *dst, size_t size);
/* The NODE_MORE of a long list, NODE_NONE when NODE is none. */
uint32_t treeview_more(const struct treeview *tv, uint32_t node);
/* The NODE_MORE of the long list that NODE is too far down in to be a row; NODE_NONE = it is not hidden so. */
uint32_t treeview_hidden_by(const struct treeview *tv, uint32_t node);
/* How many lines the children of NODE take when it is opened. */
size_t treeview_lines_below(const struct treeview *tv, uint32_t node);

/* Moves the cursor by BY rows, or to row ROW; both stop at the ends. */
void treeview_move(struct treeview *tv, long by);
void treeview_to_row(struct treeview *tv, size_t row);
void treeview_first(struct treeview *tv);        /* and stays first */
void treeview_right(struct treeview *tv);        /* opens, or goes to the first child */
void treeview_left(struct treeview *tv);         /* closes, or goes to the parent */

/*
 * Moves the cursor along the tree; false when there is nothing of that kind, and it stays. The
 * sibling is the row BY (1 or -1) places further on the same level. What is heaviest is told by the
 * kind of time that the view is sorted by, else by the total: treeview_heaviest() goes to the
 * heaviest child, treeview_hottest() further on until no child has half of it any more, and opens
 * what it comes to, so that one sees what it splits into.
 */
bool treeview_parent(struct treeview *tv);
bool treeview_sibling(struct treeview *tv, int by);
bool treeview_heaviest(struct treeview *tv);
bool treeview_hottest(struct treeview *tv);

void treeview_toggle(struct treeview *tv);
void treeview_open(struct treeview *tv);
void treeview_open_further(struct treeview *tv); /* a line that is open already is taken apart */
void treeview_close(struct treeview *tv);
/*
 * Opens the shallowest closed level under the cursor; false, with nothing opened, when there would
 * be more than OPEN_ROWS_MAX rows.
 */
bool treeview_open_level(struct treeview *tv);
void treeview_close_level(struct treeview *tv);  /* closes the deepest open level under the cursor */
/*
 * Opens or closes everything. Of a very large tree only what weighs at least tv->least_open_ns is
 * opened; that is 0 when everything is.
 */
void treeview_all(struct treeview *tv, bool open);
/*
 * Returns that weight for S, seen from BASE: the lowest, to a sixteenth, with which there are at most
 * OPEN_ROWS_MAX rows; 0 = all fit.
 */
uint64_t treeview_least_open(struct shown s, uint32_t base);

void treeview_zoom(struct treeview *tv);
bool treeview_unzoom(struct treeview *tv);       /* false when not zoomed */

void treeview_sort(struct treeview *tv, enum sort_by sort);

/*
 * Moves the cursor to NODE, opening what hides it, and taking the line apart that it is in the
 * midst of; what an earlier treeview_visit() opened is put back first. treeview_settle() keeps it
 * open. Leaves the zoom when NODE is not under it.
 */
void treeview_visit(struct treeview *tv, uint32_t node);
void treeview_settle(struct treeview *tv);

typedef VEC(uint32_t) node_vec;
/*
 * Appends the children of NODE to *RET in the order of this view. MARKS, when not NULL, has one
 * byte per node (below) and keeps marked nodes together. Out of memory appends fewer.
 */
#define MARK_PATH 1u             /* the cursor's node or an ancestor of it */
#define MARK_ABOVE 2u            /* child of such an ancestor, to be kept above the cursor */
void treeview_children(const struct treeview *tv, uint32_t node, const uint8_t *marks, node_vec *ret);

/* Between the files of a treeview: whether NODE shares its line with its only child. */
bool treeview_joins(const struct treeview *tv, uint32_t node);
/* The same: whose fold says that the line which begins with the node of KEY is apart. */
uint64_t treeview_apart_key(uint64_t key);
/* The same: the first node of the line that NODE is in, or would be if it were not apart. */
uint32_t treeview_line_head(const struct treeview *tv, uint32_t node);
/* The same: is NODE a light interrupt? */
bool treeview_is_light(const struct treeview *tv, uint32_t node);
/* Between treeview.c and treekeep.c: lists the rows anew. Cursor and top are left as they are. */
void treeview_list(struct treeview *tv, const uint8_t *marks);
/* The same: finds out what "open everything" opens of the tree there is. */
void treeview_weigh(struct treeview *tv);
/* The same: remembers the node under the cursor as the one that the cursor belongs to. */
void treeview_remember(struct treeview *tv);
/* The same: where old rows, cursor and folds are found again in NEXT. */
void treeview_migrate(struct treeview *tv, struct shown next);
/*
 * The same: puts the cursor into the rows, and its row on the screen. Blank lines at the bottom are
 * fine after a refresh.
 */
void treeview_clamp(struct treeview *tv);
/* The same: opens the hottest paths until the screen is full, and closes nothing. */
void treeview_unfold(struct treeview *tv);

#endif
