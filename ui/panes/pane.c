/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pane.c - the table of all panes, and what each open pane keeps: a treeview for each grouping, and
 * its order.
 */
#include "config.h"

#include "ui/panes/pane.h"

#include <stdlib.h>

#define X(id, name, key, shown, needs, footer, brief, help, where) extern const struct pane_ops pane_##name;
PANE_LIST(X)
#undef X

static const struct pane_info infos[PANES] = {
#define X(id, name, key, shown, needs, footer, brief, help, where) \
	[PANE_##id] = { #name, MODE_##id, ACT_##id, needs, &pane_##name },
	PANE_LIST(X)
#undef X
};

const struct pane_info *pane_info(enum pane_id p)
{
	return &infos[p];
}

/* How many treeviews P keeps. */
static unsigned int pane_ways(const struct pane *p)
{
	return p->ops->ways ? p->ops->ways : 1;
}

bool pane_init(struct pane *p, enum pane_id id)
{
	p->id = id;
	p->ops = pane_info(id)->ops;
	p->lines = calloc(pane_ways(p), sizeof(*p->lines));
	for (unsigned int i = 0; p->lines && i < pane_ways(p); i++) {
		struct treeview *tv = &p->lines[i];

		treeview_init(tv, 1);
		tv->ops = p->ops->lines;
		tv->sort = p->ops->sort;
		if (p->ops->init && !p->ops->init(tv))
			return false;
	}
	p->tv = p->lines;
	return p->lines;
}

void pane_fini(struct pane *p)
{
	for (unsigned int i = 0; p->lines && i < pane_ways(p); i++) {
		treeview_free(&p->lines[i]);
		if (p->ops->fini)
			p->ops->fini(&p->lines[i]);
	}
	free(take_ptr(p->lines));
	built_free(take_ptr(p->built));
}

struct treeview *pane_lines_for(struct pane *p, const struct query *q)
{
	return &p->lines[p->ops->way ? p->ops->way(q) : 0];
}

void pane_sort(struct pane *p, enum sort_by sort)
{
	for (unsigned int i = 0; i < pane_ways(p); i++)
		p->lines[i].sort = sort;
}

void pane_list_question(struct query *q)
{
	q->group_by = GROUP_NONE;
	q->inverted = q->by_node = q->holders = false;
	q->hide_kernel = q->hide_libraries = q->short_names = false;
	q->scripts = SCRIPTS_MERGED;
	q->fold_recursion = false;       /* a function counts once there, whatever it calls */
}
