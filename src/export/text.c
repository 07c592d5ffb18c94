/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c - the call tree as indented text:
 *
 *	  total    self      time
 *	100.0 %   0.0 %    1.20 s  all
 *	 80.0 %   0.0 %    960 ms  - app
 *	 80.0 %   0.0 %    960 ms    main
 *	 55.0 %  55.0 %    660 ms    - work
 *	 24.6 %  24.6 %    295 ms    - read
 *	  0.4 %                    … 3 more
 *	 20.0 %  20.0 %    240 ms  - other
 *
 * Only a branch indents and marks its children; an only child stands right under its parent, so that stacks of a hundred
 * frames stay readable. Children come heaviest first, so what is too light to be shown is the rest of a family, and gets one
 * line.
 */
#include "config.h"

#include "export/export.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "export/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INDENT_MAX 60u           /* levels; deeper ones say which they are instead */

struct text {
	const struct tree *t;
	const struct tree_text_options *options;
	struct out o;
	uint64_t least_ns;       /* to be shown */
	unsigned int max_depth;  /* of nodes */
	uint16_t *level;         /* by depth, of the last node seen there: branches above it */
};

static char *share(const struct text *x, uint64_t ns, char dst[UNITS_MAX])
{
	const uint64_t all = x->t->node[0].total_ns;

	return units_percent(dst, all ? (double)ns / (double)all : 0);
}

/* Where the node I begins: LEVEL has that of its parent. MARK stands before one of several children. */
static void put_indent(struct text *x, uint32_t i, const char *mark)
{
	const struct tree_node *n = &x->t->node[i];
	const bool branch = i && x->t->node[n->parent].nr_children > 1;
	unsigned int level = n->depth ? x->level[n->depth - 1] + branch : 0, shown = level < INDENT_MAX ? level : INDENT_MAX;

	x->level[n->depth] = (uint16_t)level;
	out_format(&x->o, "%*s%s", (int)(2 * (shown - (branch && shown))), "", branch ? mark : "");
	if (level > shown)
		out_format(&x->o, "[%u] ", level);
}

static void put_node(struct text *x, uint32_t i)
{
	const struct tree_node *n = &x->t->node[i];
	char total[UNITS_MAX], self[UNITS_MAX], time[UNITS_MAX], label[LABEL_MAX];
	const char *suffix = tree_suffix(x->t, i);

	out_format(&x->o, "%7s %7s %9s  ", share(x, n->total_ns, total), share(x, n->self_ns, self),
		   units_time(time, n->total_ns));
	put_indent(x, i, "- ");
	out_text(&x->o, tree_label(x->t, i, label, sizeof(label)));
	if (suffix[0])
		out_format(&x->o, " %s", suffix + 1);    /* "_[k]" */
	if (x->options->lines && tree_line(x->t, i, label, sizeof(label))[0])
		out_format(&x->o, "  %s", label);
	out_text(&x->o, "\n");
}

/* One line for FIRST and the siblings after it. */
static void put_rest(struct text *x, uint32_t first)
{
	char total[UNITS_MAX];
	uint64_t ns = 0;
	uint32_t n = 0;

	for (uint32_t i = first; i != NODE_NONE; i = x->t->node[i].next_sibling, n++)
		ns += x->t->node[i].total_ns;
	out_format(&x->o, "%7s %7s %9s  ", share(x, ns, total), "", "");
	put_indent(x, first, "");
	out_format(&x->o, "%s %" PRIu32 " more\n", x->options->ascii ? "..." : "…", n);
}

static bool fits(const struct text *x, uint32_t i)
{
	return x->t->node[i].total_ns >= x->least_ns && x->t->node[i].depth <= x->max_depth;
}

/* What comes after I, depth first; 0 = nothing. A node that does not fit stood for the rest of its family. */
static uint32_t next_node(const struct text *x, uint32_t i)
{
	const struct tree_node *node = x->t->node;

	if (fits(x, i) && node[i].first_child != NODE_NONE)
		return node[i].first_child;
	while (i && (!fits(x, i) || node[i].next_sibling == NODE_NONE))
		i = node[i].parent;
	return i ? node[i].next_sibling : 0;
}

static unsigned int deepest(const struct tree *t)
{
	unsigned int d = 0;

	for (uint32_t i = 0; i < t->n; i++)
		d = t->node[i].depth > d ? t->node[i].depth : d;
	return d;
}

int export_tree(FILE *out, const struct tree *t, const struct tree_text_options *o, struct err *e)
{
	static const struct tree_text_options all;
	struct text x = { .t = t, .options = o ? o : &all, .o = { .file = out }, .max_depth = UINT16_MAX };
	const unsigned int groups = t->query.group_by == GROUP_NONE ? 0 : t->query.group_by == GROUP_THREAD ? 2 : 1;
	AUTO_FREE uint16_t *level = malloc((deepest(t) + 1ul) * sizeof(*level));
	char cut[UNITS_MAX];
	uint32_t i = 0;

	if (!level)
		return err_nomem(e, "the text of the call tree");
	x.level = level;
	if (x.options->min_percent > 0)
		x.least_ns = (uint64_t)fmin((double)t->node[0].total_ns * fmin(x.options->min_percent, 100) / 100, 1e19);
	if (x.options->max_depth)
		x.max_depth = x.options->max_depth < UINT16_MAX ? x.options->max_depth + groups : UINT16_MAX;
	out_format(&x.o, "%7s %7s %9s\n", "total", "self", "time");
	do {
		if (fits(&x, i))
			put_node(&x, i);
		else
			put_rest(&x, i);
		i = next_node(&x, i);
	} while (i);
	if (t->cut_ns)
		out_format(&x.o, "%7s %7s %9s  is counted with callers: the tree has no more than %" PRIu32 " nodes\n",
			   share(&x, t->cut_ns, cut), "", "", t->n);
	return out_end(&x.o, e);
}
