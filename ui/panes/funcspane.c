/* SPDX-License-Identifier: BSD-2-Clause */
/* funcspane.c - the pane of functions (funcsview.h), which is drawn as a call tree of one level is. */
#include "config.h"

#include "base/units.h"
#include "ui/panes/funcsview.h"
#include "ui/panes/treepane.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void funcspane_derive(struct built *b, const struct tree *t)
{
	struct funcsview *f = calloc(1, sizeof(*f));

	b->model = f;
	if (!f)
		err_nomem(&b->err, "the list of functions");
	else
		funcsview_tree(t, f, &b->tree, &b->err);
}

static void funcspane_build(struct built *b, const struct names *names)
{
	AUTO(tree_free) struct tree *t = NULL;

	if (!tree_build(b->snapshot, names, &b->job.query, &t, &b->err))
		funcspane_derive(b, t);
}

struct funcsview funcspane_of(const struct built *b)
{
	const struct funcsview *f = b->model;

	/* What is compared with a baseline is listed by that. */
	return f ? *f : (struct funcsview){ .functions = b->tree->n - 1, .shown = b->tree->n - 1 };
}

static void funcspane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct built *b = p->built;
	const struct funcsview f = funcspane_of(b);
	const uint64_t whole = b->tree->node[0].total_ns;
	char title[TITLE_MAX + 64], words[TITLE_MAX], outside[64] = "", share[UNITS_MAX];

	if (f.outside_ns)
		snprintf(outside, sizeof(outside), TEXT_BUILDER_DOT "%s in none",
			 units_percent(share, whole ? (double)f.outside_ns / (double)whole : 0));
	snprintf(title, sizeof(title), "%s%s", title_funcs(&b->job.query, p->look.kinds, &f, v->options,
							   words, sizeof(words)),
		 b->baseline ? TEXT_BUILDER_DOT "self against baseline" : outside);
	treepane_rule(p->tv, &p->look, cv, title);
}

/* To the place in the tree where the function under the cursor takes most. */
static void funcspane_in_tree(struct view *v, struct pane *p)
{
	const uint32_t node = treeview_node(p->tv);

	if (node != NODE_NONE)
		view_show_in_tree(v, p->tv->tree->node[node].key);
}

static bool funcspane_act(struct view *v, struct pane *p, enum action a)
{
	if (a == ACT_IN_TREE)
		funcspane_in_tree(v, p);
	return a == ACT_IN_TREE;
}

const struct pane_ops pane_functions = {
	.traits = PANE_COMPARES | PANE_FLAT,
	.weight = 2,
	.kinds = MEASURES_WALL,
	.sort = SORT_SELF,
	.question = pane_flat_question,
	.build = funcspane_build,
	.derives = pane_flat_derives,
	.derive = funcspane_derive,
	.drop = pane_flat_drop,
	.rule = funcspane_rule,
	.rows = treepane_draw,
	.status = treepane_status,
	.act = funcspane_act,
	.twice = funcspane_in_tree,
	.head_at = treepane_head_at,
	.here = treepane_here,
};
