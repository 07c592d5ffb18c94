/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * panes.h - one table: what panes there are, in the order in which they stand, and which key shows or hides each.
 */
#ifndef SBERF_UI_PANES_PANES_H
#define SBERF_UI_PANES_PANES_H

#include "ui/keymap.h"

enum pane_id {
	PANE_TREE,               /* the call tree */
	PANE_FLAME,              /* the flame graph of the same */
	PANE_NUMA,               /* the view by node */
	PANE_THREADS,            /* the list of threads */
	PANE_FUNCS,              /* functions, flat */
	PANE_WAITS,              /* the list of waits */
	PANE_QUALITY,            /* how good figures are */
	PANE_TIME,               /* when it was */
	PANES
};

struct pane_info {
	const char *name;        /* one word; kept in files */
	enum ui_mode mode;       /* while it is in focus */
	enum action toggle;      /* what shows and hides it */
	unsigned int weight;     /* lines that it deserves (layout.h) */
};

/* P must be below PANES. */
const struct pane_info *pane_info(enum pane_id p);

#endif
