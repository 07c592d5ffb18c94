/* SPDX-License-Identifier: BSD-2-Clause */
/* view_private.h - the state of a view, shared by view.c (what keys do) and viewdraw.c (how it looks). */
#ifndef SBERF_UI_VIEW_PRIVATE_H
#define SBERF_UI_VIEW_PRIVATE_H

#include "ui/header.h"
#include "ui/search.h"
#include "ui/treepane.h"
#include "ui/treeview.h"
#include "ui/title.h"
#include "ui/waitspane.h"
#include "ui/view.h"

#define GROUPS (GROUP_CGROUP + 1u)

#define TYPED_MAX 32u

enum idle_mode {
	IDLE_AUTO,               /* nobody said: hidden as soon as there is anything else */
	IDLE_SAID,               /* as the user said */
};

struct view {
	const struct feed *feed;
	const struct ui_options *options;
	struct header header;
	enum ui_mode mode;
	enum ui_mode home;               /* the pane that is asked for: MODE_TREE or MODE_WAITS */
	struct query query;              /* what the user wants to see */
	char arch[32];                   /* what query.arch points at, once known */
	enum idle_mode idle;
	bool wakers;                     /* who ends waits is told */
	uint64_t reset_ns;               /* when the user last had all forgotten, on the clock of the capture; 0 = never */

	struct treeview tree[2 * GROUPS];        /* by group_by; inverted ones behind */
	struct treeview waits;           /* the list of waits */
	struct treeview *tv;             /* the one on screen */
	struct built *built;             /* what it shows, NULL = nothing yet */
	struct tree_look look;           /* how */
	struct built *parked;            /* newer, waits for the search to end */

	bool asked, building;            /* a tree was ever asked for; is being built */
	struct query asked_query;
	enum ui_mode asked_home;
	uint64_t seen_published, seen_generation, next_build_ns;
	uint64_t now_ns, first_tick_ns;

	uint32_t typed[TYPED_MAX];       /* keys for a pane that has been asked for and is not there yet */
	unsigned int nr_typed;

	struct search search;
	uint32_t origin;                 /* the node that the search began on */
	size_t origin_top;
	bool origin_first;

	char message[ERR_TEXT_MAX];      /* in the status line until the next key */
	int help_top;
	int w, page, pane_y;             /* of the last view_draw(): columns, lines of the pane and where they begin */
	VEC(frame_id) preferred;         /* what the feed was told */
};

/* True when idle waits were folded into a line of their own. */
bool view_has_idle(const struct view *v);

/* What the source of data can do now: a mask of enum ui_can. */
unsigned int view_can(const struct view *v);

#endif
