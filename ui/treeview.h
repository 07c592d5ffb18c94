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
	/* this and the next two: by the measure in the first place, the second, the third (measure_set()) */
	SORT_RUNNING,
	SORT_RUNNABLE,
	SORT_BLOCKED,
	SORT_NAME,
	SORT_NR,
};

struct baseline;
struct treeview;

/*
 * What a row is called when functions of a call path are at its end: which, from the name FIRST of
 * the innermost frame on.
 */
struct row_path {
	stack_id stack;          /* STACK_ROOT = there are none */
	uint32_t first;
};

/*
 * What the rows of a treeview are where they are not the nodes of a call tree, line by line. Whoever
 * shows something of that kind has such a table; what the rows stand for is treeview.model. NODE is
 * a row of the outline, or a node of the tree, that is shown.
 */
struct treeview_ops {
	/* What NODE is called, sanitised; returns DST. NULL = as in a call tree. */
	char *(*label)(const struct treeview *tv, uint32_t node, char *dst, size_t size);
	/*
	 * For searching, where that is many functions: true when NODE is called by what is at DST
	 * and by those functions. All rows are asked when ALL_PATHS; else, and without it, nodes
	 * that are functions are called by these.
	 */
	bool (*path)(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret);
	bool all_paths;
	bool label_places;       /* addresses without a name are not called the same everywhere */
	bool long_lists;         /* rows depend on the height */
	/* What rows of an outline are sorted by: SORT is self or a kind of time. NULL = they stay in their order. */
	uint64_t (*value)(const struct treeview *tv, uint32_t node, enum sort_by sort);
	/*
	 * Lists rows of its own, the first of them for all there is; they depend on the cursor.
	 * NULL = lines, as they are open.
	 */
	void (*list)(struct treeview *tv, const uint8_t *marks);
	/* Takes note of the width, true when rows depend on it; and of the cursor having moved or the height. */
	bool (*set_width)(struct treeview *tv, int width);
	void (*follow)(struct treeview *tv);
	/* What all of it weighs, where matches of a search are weighed. */
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
	struct folds folds;              /* what the user said */
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

/* An empty view with HEIGHT lines. A zeroed struct is none. */
void treeview_init(struct treeview *tv, size_t height);
void treeview_free(struct treeview *tv);

/* Shows TREE (borrowed until the next call; NULL = none). The tree shown before must still be alive during the call. */
void treeview_show(struct treeview *tv, const struct tree *tree);
/* The same for what may be an outline, and for rows that stand for MODEL, which is borrowed as they are. */
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
/* What NODE is sorted by when that is SORT: 0 for all where that makes no difference, and for totals and names. */
uint64_t treeview_value(const struct treeview *tv, uint32_t node, enum sort_by sort);
/* What NODE is called, sanitised. Returns DST, which holds LABEL_MAX bytes if all of it is wanted. */
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
/* Changes the number of columns, which makes a difference to some. */
void treeview_set_width(struct treeview *tv, int width);

/* Where NODE is in the code, ID_NONE for what is nowhere. */
frame_id treeview_place(const struct treeview *tv, uint32_t node);
/* The node under the cursor, NODE_NONE when there are no rows. */
uint32_t treeview_node(const struct treeview *tv);
/* The node of T that idle waits were folded into, NODE_NONE when there is none. */
uint32_t treeview_idle(const struct tree *t);
/* What all of T weighs without it. */
uint64_t treeview_work_ns(const struct tree *t);
/* The node that N keys lead to, from under the root, or as far as they lead; *RET_FOUND says how many were found. */
uint32_t treeview_path(const struct treeview *tv, const uint64_t *key, size_t n, size_t *ret_found);
/* The node that is shown as root: 0 when not zoomed. */
uint32_t treeview_base(const struct treeview *tv);
bool treeview_is_open(const struct treeview *tv, uint32_t node);
/* The last node of the line that NODE is in, which is the one of its row; and the first one. */
uint32_t treeview_line_end(const struct treeview *tv, uint32_t node);
uint32_t treeview_line_start(const struct treeview *tv, uint32_t node);
/* What the line of NODE, which is a row, is called: all its functions, the outermost first. */
char *treeview_line_label(const struct treeview *tv, uint32_t node, char *dst, size_t size);
/* The NODE_MORE of a long list, NODE_NONE when NODE is none. */
uint32_t treeview_more(const struct treeview *tv, uint32_t node);
/* The NODE_MORE of the long list that NODE is too far down in to be a row; NODE_NONE = it is not hidden so. */
uint32_t treeview_hidden_by(const struct treeview *tv, uint32_t node);
/* So many lines the children of NODE take when it is opened. */
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
 * The shallowest closed level under the cursor; false, and nothing, when that would make more than
 * OPEN_ROWS_MAX rows.
 */
bool treeview_open_level(struct treeview *tv);
void treeview_close_level(struct treeview *tv);  /* the deepest open level under the cursor */
/*
 * Opens or closes all; of a very large tree what weighs at least tv->least_open_ns, which is 0 when
 * it is everything.
 */
void treeview_all(struct treeview *tv, bool open);
/*
 * That weight for S, seen from BASE: the lowest with which there are at most OPEN_ROWS_MAX rows, to
 * a sixteenth; 0 = all fit.
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
/* The same, and leaves no more lines blank than must be: after what the user did. */
void treeview_fill(struct treeview *tv);
/* The same: opens the hottest paths until the screen is full, and closes nothing. */
void treeview_unfold(struct treeview *tv);

#endif
