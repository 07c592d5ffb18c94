/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modulespane.c - the pane of modules: which executables and libraries the time went into,
 * themselves and with all that they call; the kernel is one, code without a file another.
 */
#include "config.h"

#include "ui/panes/flatpane.h"
#include "ui/view_private.h"

static void modulespane_derive(struct built *b, const struct tree *t)
{
	struct flatlist *l = NULL;

	flatlist_modules(t, &l, &b->err);
	flatpane_take(b, l);
}

static void modulespane_build(struct built *b, const struct names *names)
{
	AUTO(tree_free) struct tree *t = NULL;

	if (!tree_build(b->snapshot, names, &b->job.query, &t, &b->err))
		modulespane_derive(b, t);
}

static void modulespane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	char title[TITLE_MAX];

	flatpane_rule(p, cv, title_list(&p->built->job.query, p->look.kinds, flatpane_of(p->built)->shown, "module",
					v->options, title, sizeof(title)));
}

const struct pane_ops pane_modules = {
	.weight = 1,
	.kinds = MEASURES_WALL,
	.sort = SORT_SELF,
	.question = flatpane_question,
	.build = modulespane_build,
	.derives = flatpane_derives,
	.derive = modulespane_derive,
	.drop = flatpane_drop,
	.lines = &flatpane_lines,
	.rule = modulespane_rule,
	.rows = flatpane_rows,
	.status = flatpane_status,
	.head_at = flatpane_head_at,
};
