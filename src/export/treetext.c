/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treetext.c - the call tree as indented text:
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
 * A tree with time off the CPU has it in columns, which add up to the total. "~" stands before what
 * is mostly extrapolated:
 *
 *	   total     self  running runnable  blocked       time
 *	 100.0 %    0.0 %   20.0 %    1.0 %   79.0 %     6.00 s  all
 *	  79.0 %   79.0 %        ·        ·   79.0 %     4.74 s  - fsync  still waiting for 1.20 s
 *	 ~21.0 %  ~21.0 %   20.0 %    1.0 %        ·    ~1.26 s  - work
 *
 * One of far accesses has only estimates, and how many samples they come from:
 *
 *	  total    self       far  samples
 *	100.0 %   0.0 %   ~1.20 s      119  all
 *	100.0 % 100.0 %   ~1.20 s      119  lookup
 *
 * Only a branch indents and marks its children; an only child stands right under its parent, so
 * that stacks of a hundred frames stay readable. Children come heaviest first, so what is too light
 * to be shown is the rest of a family, and gets one line. Frames "[unknown]" of which each called
 * but the next one, and took no time itself, are one line: "[unknown] ×100".
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "export/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDENT_MAX 60u           /* levels; deeper ones say which they are instead */

/* What a line says in figures: of a node, or of several. */
struct figures {
	uint64_t total_ns, doubt_ns;
	uint64_t self_ns, self_doubt_ns;
	uint64_t value[MEASURES_ASKED];
	uint64_t count;
};

struct text {
	const struct tree *t;
	const struct measure *lead;      /* what the total is of */
	bool parted;             /* there are several measures: each has a column */
	const struct export_view *v;
	struct out o;
	uint64_t least_ns;       /* to be shown */
	unsigned int max_depth;  /* of nodes */
	uint16_t *level;         /* by depth, of the last node seen there: branches above it */
	char *label;             /* NAME_BYTES_MAX + 1 */
};

static char *treetext_share(const struct text *x, uint64_t ns, char dst[UNITS_MAX])
{
	const uint64_t all = x->t->node[0].total_ns;

	return units_percent(dst, all ? (double)ns / (double)all : 0);
}

/* Where the node I begins: LEVEL has that of its parent. MARK stands before one of several children. */
static void treetext_put_indent(struct text *x, uint32_t i, const char *mark)
{
	const struct tree_node *n = &x->t->node[i];
	const bool branch = i && x->t->node[n->parent].nr_children > 1;
	unsigned int level = n->depth ? x->level[n->depth - 1] + branch : 0,
		shown = level < INDENT_MAX ? level : INDENT_MAX;

	x->level[n->depth] = (uint16_t)level;
	out_format(&x->o, "%*s%s", (int)(2 * (shown - (branch && shown))), "", branch ? mark : "");
	if (level > shown)
		out_format(&x->o, "[%u] ", level);
}

static void treetext_put_part(struct text *x, unsigned int place, uint64_t value)
{
	const uint64_t all = tree_whole(x->t, place);
	char text[UNITS_MAX];

	if (value)
		out_format(&x->o, "%9s", units_percent(text, all ? (double)value / (double)all : 0));
	else
		out_format(&x->o, "%8s%s", "", x->v->ascii ? "." : "·");
}

/* The columns of a tree of several measures; without SELF that one and the amount stay empty. */
static void treetext_put_parts(struct text *x, const struct figures *f, bool self)
{
	char text[UNITS_MAX];

	out_guess(&x->o, 8, f->total_ns, f->doubt_ns, treetext_share(x, f->total_ns, text));
	out_guess(&x->o, 9, f->self_ns, self ? f->self_doubt_ns : 0, self ? treetext_share(x, f->self_ns, text) : "");
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (measure_column(&x->t->set, place))
			treetext_put_part(x, place, f->value[place]);
	out_guess(&x->o, 11, f->total_ns, self ? f->doubt_ns : 0, self ? measure_text(x->lead, f->total_ns, text) : "");
	out_text(&x->o, "  ");
}

static int estimate_width(const struct text *x)
{
	return x->lead->unit == UNIT_TIME ? 10 : 15;
}

/* One of estimates. */
static void put_estimate(struct text *x, const struct figures *f, bool self)
{
	char total[UNITS_MAX], own[UNITS_MAX], text[UNITS_MAX];

	out_format(&x->o, "%7s %7s", treetext_share(x, f->total_ns, total),
		   self ? treetext_share(x, f->self_ns, own) : "");
	out_guess(&x->o, estimate_width(x), f->total_ns, self ? f->total_ns : 0,
		  self ? measure_text(x->lead, f->total_ns, text) : "");
	out_format(&x->o, "%9s  ", self ? units_thousands(text, f->count) : "");
}

static int treetext_amount_width(const struct text *x)
{
	const char *head = tree_text_head(x->lead, x->v->meta);

	return x->lead->unit == UNIT_TIME ? 9 : strlen(head) > 14 ? (int)strlen(head) : 14;
}

static void treetext_put_figures(struct text *x, const struct figures *f, bool self)
{
	char total[UNITS_MAX], own[UNITS_MAX], time[UNITS_MAX];

	if (x->parted)
		treetext_put_parts(x, f, self);
	else if (x->lead->estimate)
		put_estimate(x, f, self);
	else
		out_format(&x->o, "%7s %7s %*s  ", treetext_share(x, f->total_ns, total),
			   self ? treetext_share(x, f->self_ns, own) : "", treetext_amount_width(x),
			   self ? measure_text(x->lead, f->total_ns, time) : "");
}

/*
 * Adds the figures of node I; what its children have is not its own. *RET_OPEN_NS: in waits here
 * that have not ended.
 */
static void add_node(const struct tree *t, uint32_t i, struct figures *f, uint64_t *ret_open_ns)
{
	const struct tree_node *n = &t->node[i];
	uint64_t doubt = n->doubt_ns, open = n->open_ns;

	for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling) {
		doubt -= t->node[c].doubt_ns < doubt ? t->node[c].doubt_ns : doubt;
		open -= t->node[c].open_ns < open ? t->node[c].open_ns : open;
	}
	f->total_ns += n->total_ns;
	f->doubt_ns += n->doubt_ns;
	f->self_ns += n->self_ns;
	f->self_doubt_ns += doubt < n->self_ns ? doubt : n->self_ns;
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		f->value[place] += tree_value(t, i, place);
	f->count += n->count;
	*ret_open_ns = open;
}

static bool treetext_is_unknown(const struct tree *t, uint32_t i)
{
	const struct tree_node *n = &t->node[i];
	const struct func *f = n->kind == NODE_FUNC ? names_func(t->names, n->func) : NULL;

	return f && f->kind == FUNC_NOTE && !strcmp(names_text(t->names, f->name), FLAME_UNKNOWN);
}

/* The last one of the run that begins with I, which is on the line of I: the same in all figures. */
static uint32_t treetext_run_end(const struct text *x, uint32_t i)
{
	const struct tree_node *node = x->t->node;

	while (node[i].nr_children == 1 && !node[i].self_ns && node[i].depth < x->max_depth &&
	       treetext_is_unknown(x->t, i) && treetext_is_unknown(x->t, node[i].first_child))
		i = node[i].first_child;
	return i;
}

/* A line for FIRST and what else is in its run. Returns the end of that. */
static uint32_t treetext_put_run(struct text *x, uint32_t first)
{
	const uint32_t i = treetext_run_end(x, first);
	const unsigned int frames = 1u + x->t->node[i].depth - x->t->node[first].depth;
	const char *suffix = tree_suffix(x->t, i);
	char time[UNITS_MAX];
	struct figures f = { 0 };
	uint64_t open_ns;

	add_node(x->t, i, &f, &open_ns);
	treetext_put_figures(x, &f, true);
	treetext_put_indent(x, first, "- ");
	x->level[x->t->node[i].depth] = x->level[x->t->node[first].depth];
	out_text(&x->o, tree_label(x->t, i, x->label, NAME_BYTES_MAX + 1));
	if (frames > 1)
		out_format(&x->o, " %s%s", x->v->ascii ? "x" : "×", units_thousands(time, frames));
	if (suffix[0])
		out_format(&x->o, " %s", suffix + 1);    /* "_[k]" */
	if (tree_no_table(x->t, i))
		out_text(&x->o, " [fp]");
	if (open_ns)
		out_format(&x->o, "  still waiting for %s", units_time(time, (uint64_t)x->t->node[i].open_longest_ns));
	out_text(&x->o, "\n");
	return i;
}

/* One line for FIRST and the siblings after it. */
static void treetext_put_rest(struct text *x, uint32_t first)
{
	struct figures f = { 0 };
	uint64_t open_ns;
	uint32_t n = 0;

	for (uint32_t i = first; i != NODE_NONE; i = x->t->node[i].next_sibling, n++)
		add_node(x->t, i, &f, &open_ns);
	treetext_put_figures(x, &f, false);
	treetext_put_indent(x, first, "");
	out_format(&x->o, "%s %" PRIu32 " more\n", x->v->ascii ? "..." : "…", n);
}

static bool treetext_fits(const struct text *x, uint32_t i)
{
	return x->t->node[i].total_ns >= x->least_ns && x->t->node[i].depth <= x->max_depth;
}

/* What comes after I, depth first; 0 = nothing. A node that does not fit stood for the rest of its family. */
static uint32_t treetext_next_node(const struct text *x, uint32_t i)
{
	const struct tree_node *node = x->t->node;

	if (treetext_fits(x, i) && node[i].first_child != NODE_NONE)
		return node[i].first_child;
	while (i && (!treetext_fits(x, i) || node[i].next_sibling == NODE_NONE))
		i = node[i].parent;
	return i ? node[i].next_sibling : 0;
}

static unsigned int treetext_deepest(const struct tree *t)
{
	unsigned int d = 0;

	for (uint32_t i = 0; i < t->n; i++)
		d = t->node[i].depth > d ? t->node[i].depth : d;
	return d;
}

static void treetext_put_header(struct text *x)
{
	const char *head = tree_text_head(x->lead, x->v->meta);

	if (x->parted) {
		out_format(&x->o, "%8s%9s", "total", "self");
		for (unsigned int place = 0; place < MEASURES_ASKED; place++)
			if (measure_column(&x->t->set, place))
				out_format(&x->o, "%9s", measure_column(&x->t->set, place)->head);
		out_format(&x->o, "%11s\n", head);
	} else if (x->lead->estimate) {
		out_format(&x->o, "%7s %7s%*s%9s\n", "total", "self", estimate_width(x), x->lead->head, "samples");
	} else {
		out_format(&x->o, "%7s %7s %*s\n", "total", "self", treetext_amount_width(x), head);
	}
}

static int treetext_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	struct text x = { .t = t, .v = v, .o = { .file = out }, .max_depth = UINT16_MAX };
	const unsigned int groups = (t->query.group_by == GROUP_NONE ? 0 : t->query.group_by == GROUP_THREAD ? 2 : 1) +
		t->query.by_node + t->query.by_span;
	AUTO_FREE uint16_t *level = malloc((treetext_deepest(t) + 1ul) * sizeof(*level));
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);
	const struct figures cut = { .total_ns = t->cut_ns };
	uint32_t i = 0;

	if (!level || !label)
		return err_nomem(e, "the text of the call tree");
	x.level = level;
	x.label = label;
	if (v->min_percent > 0)
		x.least_ns = (uint64_t)fmin((double)t->node[0].total_ns * fmin(v->min_percent, 100) / 100, 1e19);
	if (v->max_depth)
		x.max_depth = v->max_depth < UINT16_MAX ? v->max_depth + groups : UINT16_MAX;
	x.lead = measure_lead(&t->set);
	x.parted = tree_is_parted(t);
	treetext_put_header(&x);
	do {
		if (treetext_fits(&x, i))
			i = treetext_put_run(&x, i);
		else
			treetext_put_rest(&x, i);
		i = treetext_next_node(&x, i);
	} while (i);
	if (t->cut_ns) {
		treetext_put_figures(&x, &cut, false);
		out_format(&x.o, "is counted with callers: the tree has no more than %" PRIu32 " nodes\n", t->n);
	}
	return out_end(&x.o, e);
}

const struct exporter exporter_tree = {
	.name = "tree", .extensions = "txt",
	.about = "a call tree to read; frames [unknown] of which each called only the next one, and took no time "
		"itself, are one line with their number, as in flame graphs",
	.reads = EXPORT_TREE, .group_by = GROUP_PROCESS,
	.takes = EXPORT_TAKES_PERCENT | EXPORT_TAKES_DEPTH | EXPORT_TAKES_INVERTED,
	.write = treetext_write,
	.diff = {
		.about = "a call tree with the shares before and after, the change, by how much the change "
			"may be off, and "
			"both times; the largest change comes first. Where there is off-CPU time, columns "
			"say how much of "
			"the change is running, runnable and blocked time",
		.group_by = GROUP_PROCESS,
		.write = export_diff_tree,
	},
	.batch = { .name = "text", .about = "the header and the call tree of the view, to read" },
};
