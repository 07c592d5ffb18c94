/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pane.h - a pane is a table of operations: its question, what is built from the answer, how that
 * is drawn, and what keys and the mouse do in it. Code that needs to know something about a pane
 * looks in its table; no code asks which pane it is.
 *
 * list.h lists the panes. The operations are explained below; NULL is what most panes do.
 */
#ifndef SBERF_UI_PANES_PANE_H
#define SBERF_UI_PANES_PANE_H

#include "query/terms.h"
#include "ui/builder.h"
#include "ui/canvas.h"
#include "ui/keymap.h"
#include "ui/panes/list.h"
#include "ui/search.h"
#include "ui/treeview.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct baseline_question;
struct view;
struct pane;

/* What the columns are about. */
struct tree_look {
	struct measure_set set;  /* what was asked for */
	/* its places that have a column, as a mask; 0 = there is one measure, which needs none */
	unsigned int kinds;
	uint64_t elapsed_ns;     /* what 100 % is with KINDS */
};

/* What is true of a pane. */
enum pane_trait {
	/* it shows the call tree that the question is about, so it is also what is saved of it */
	PANE_CALL_TREE = 1,
	PANE_ALL_TIME = 2,       /* whatever range of time is chosen */
	PANE_NO_IDLE_LINE = 4,   /* what was folded as idle has no line below the rows */
	PANE_DRAWS_ALL = 8,      /* it has no rows: it draws what it has built */
};

struct pane_ops {
	unsigned int traits;             /* a mask of enum pane_trait */
	unsigned int weight;             /* lines that it deserves (layout.h) */
	/* kinds of time that it can show: a mask of measures, 0 = none in particular */
	uint32_t kinds;
	unsigned int no_sort;            /* a mask of 1 << enum sort_by: orders that make no sense here */

	/* Its lines: so many treeviews are kept, for questions that differ in what way() tells apart; 0 = one. */
	unsigned int ways;
	unsigned int (*way)(const struct query *q);
	enum sort_by sort;               /* at first */
	/* Makes TV, one of them, that is empty, what it has to be. False when out of memory. */
	bool (*init)(struct treeview *tv);
	void (*fini)(struct treeview *tv);

	/* Reduces *Q, the question of the user, to what makes a difference in this pane; NULL = all of it does. */
	void (*question)(struct query *q);
	/*
	 * In the builder's thread: makes B->model and its lines, B->tree or B->list, from
	 * B->snapshot; or else fills B->err.
	 */
	void (*build)(struct built *b, const struct names *names);
	/*
	 * The same from a call tree that another pane has built already. derives() gets the
	 * question *Q of that tree, and changes it into the question of this pane that the tree
	 * answers, too; false when there is none. NULL = no tree helps.
	 */
	bool (*derives)(struct query *q);
	void (*derive)(struct built *b, const struct tree *t);
	/* The same compared with a baseline, as ASK says: B->baseline too. NULL = it is never compared. */
	void (*compare)(struct built *b, const struct baseline_question *ask);
	/* Frees B's model; its lines are freed after that. NULL = there is no model. */
	void (*drop)(struct built *b);
	/* False when P must be built again because its width has changed (p->at.w; p->asked_w). */
	bool (*fits)(const struct pane *p);
	const struct treeview_ops *lines;        /* of its rows; NULL = nodes of a call tree, as they are */
	/* Before B is shown in TV, one of the pane's, which still has what was shown before. */
	void (*shows)(struct treeview *tv, const struct built *b);
	void (*shown)(struct view *v);           /* after that */
	void (*opened)(struct view *v, struct pane *p);  /* it was opened: by a key, or as it was the last time */

	/*
	 * Each draws on a canvas that has nothing else, P's rule at its row 0, or its lines; the
	 * status line at row Y.
	 */
	void (*rule)(const struct view *v, const struct pane *p, struct canvas *cv);
	void (*rows)(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s);
	void (*status)(const struct view *v, const struct pane *p, struct canvas *cv, int y);
	/* Returns a sentence that says why there is nothing to show; NULL = that is not known. */
	const char *(*nothing)(const struct pane *p);
	/* Writes the frames on its LINES lines to RET, at most MAX; returns how many. NULL = one a row at most. */
	size_t (*frames)(const struct pane *p, int lines, frame_id *ret, size_t max);

	/* Does A; false when A does here what it does in any pane. */
	bool (*act)(struct view *v, struct pane *p, enum action a);
	/* Esc, before the pane is closed: false when there is nothing to leave. */
	bool (*leave)(struct pane *p);
	/* The button of the mouse was released at column X of the screen. True when that has an effect. */
	bool (*release)(struct view *v, struct pane *p, int x);
	/* WHAT at column X of line LINE, 0 = below the rule; the wheel, BY lines. False as for act(). */
	bool (*click)(struct view *v, struct pane *p, enum mouse what, int x, int line);
	bool (*wheel)(struct view *v, struct pane *p, long by);
	/* A double click on a row, which is under the cursor by then; NULL = it is opened or closed. */
	void (*twice)(struct view *v, struct pane *p);
	/* True when column X of LINE is on the fold mark of that row. */
	bool (*on_mark)(const struct pane *p, int x, int line);
	/* What lines of P are sorted by with SORT, in words; NULL = there is no such order. NULL: as a tree is. */
	const char *(*sort_name)(const struct pane *p, enum sort_by sort);
	/* What the column whose head is at X of the rule is sorted by; SORT_NR = there is none. */
	enum sort_by (*head_at)(const struct pane *p, int x);
	/* Sets *T to the filter that keeps only what the row NODE of TV is about; false when there is none. */
	bool (*here)(const struct treeview *tv, uint32_t node, struct filter_term *t);
};

/* What is said of P in list.h. */
struct pane_info {
	const char *name;
	enum ui_mode mode;               /* while it is in focus */
	enum action toggle;              /* what shows and hides it */
	unsigned int needs;              /* a mask of enum ui_can */
	const struct pane_ops *ops;
};

/* P must be below PANES. */
const struct pane_info *pane_info(enum pane_id p);

/* One pane of a view: open or not, it keeps the places of its cursors. */
struct pane {
	enum pane_id id;
	const struct pane_ops *ops;
	struct treeview *lines;          /* ops->ways of them */
	struct treeview *tv;             /* the one that is shown */
	struct built *built;             /* what it shows, NULL = nothing yet */
	struct tree_look look;           /* how */
	struct rect at;                  /* where it stands, its rule included; h = 0: not on screen */
	bool rule;                       /* its first line is a rule */

	bool asked, building;            /* something was ever asked for; is being built */
	struct query asked_query;
	uint64_t asked_mark_ns;          /* baseline that it was compared with, 0 = none */
	int asked_w;                     /* columns that it had when it was asked for */
	uint64_t seen_published, seen_generation;
};

/* Makes P, zeroed, the pane ID, with all of its lines empty. False when out of memory: pane_fini() all the same. */
bool pane_init(struct pane *p, enum pane_id id);
void pane_fini(struct pane *p);                  /* frees what P has, not P */
/* Those of P's lines in which the answer to Q is shown. */
struct treeview *pane_lines_for(struct pane *p, const struct query *q);
/* Sorts all of P's lines by SORT from now on. */
void pane_sort(struct pane *p, enum sort_by sort);
/* True when P is TRAIT, whether it has been built or not. */
static inline bool pane_is(const struct pane *p, enum pane_trait trait)
{
	return p->ops->traits & trait;
}

/* What lists ask: no tree, no grouping, no names that they do not have. For pane_ops.question. */
void pane_list_question(struct query *q);

#endif
