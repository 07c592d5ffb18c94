/* SPDX-License-Identifier: BSD-2-Clause */
/* funcspane.c - the pane of functions. All that it does is in flatpane.c. */
#include "config.h"

#include "base/units.h"
#include "ui/baseline.h"
#include "ui/panes/flatpane.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>

static void funcspane_derive(struct built *b, const struct tree *t)
{
	struct flatlist *l = NULL;

	flatlist_functions(t, &l, &b->err);
	flatpane_take(b, l);
}

static void funcspane_build(struct built *b, const struct names *names)
{
	AUTO(tree_free) struct tree *t = NULL;

	if (!tree_build(b->snapshot, names, &b->job.query, &t, &b->err))
		funcspane_derive(b, t);
}

static void funcspane_compare(struct built *b, const struct baseline_question *ask)
{
	struct flatlist *l = NULL;

	baseline_functions(ask, &b->baseline, &l, &b->err);
	flatpane_take(b, l);
}

static void funcspane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct built *b = p->built;
	const struct flatlist *l = flatpane_of(b);
	const uint64_t whole = l->row[0].total_ns;
	char title[TITLE_MAX + 64], words[TITLE_MAX], outside[64] = "", share[UNITS_MAX];

	if (l->outside_ns)
		snprintf(outside, sizeof(outside), TEXT_BUILDER_DOT "%s in none",
			 units_percent(share, whole ? (double)l->outside_ns / (double)whole : 0));
	snprintf(title, sizeof(title), "%s%s",
		 title_funcs(&b->job.query, p->look.kinds, l, v->options, words, sizeof(words)),
		 !b->baseline ? outside : b->baseline->diff.norm == DIFF_BY_CALL ? TEXT_BUILDER_DOT "self" :
		 TEXT_BUILDER_DOT "self against baseline");
	flatpane_rule(p, cv, title);
}

/* To the place in the tree where the function under the cursor takes most. */
static void funcspane_in_tree(struct view *v, struct pane *p)
{
	const uint32_t node = treeview_node(p->tv);

	if (node != NODE_NONE)
		view_show_in_tree(v, treeview_at(p->tv, node).key);
}

static bool funcspane_act(struct view *v, struct pane *p, enum action a)
{
	if (a == ACT_IN_TREE)
		funcspane_in_tree(v, p);
	return a == ACT_IN_TREE;
}

static bool funcspane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	struct tree_node one;
	const struct tree row = outline_as_tree(tv->list, node, &one);

	return rowfilter_node(t, &row, 0);
}

const struct pane_ops pane_functions = {
	.weight = 2,
	.kinds = MEASURES_WALL,
	.sort = SORT_SELF,
	.question = flatpane_question,
	.build = funcspane_build,
	.derives = flatpane_derives,
	.derive = funcspane_derive,
	.compare = funcspane_compare,
	.drop = flatpane_drop,
	.lines = &flatpane_lines,
	.rule = funcspane_rule,
	.rows = flatpane_rows,
	.status = flatpane_status,
	.act = funcspane_act,
	.twice = funcspane_in_tree,
	.head_at = flatpane_head_at,
	.here = funcspane_here,
};
