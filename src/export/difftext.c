/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * difftext.c - a difference as an indented tree, and as a list of functions:
 *
 *	  before     after    change    error     before     after
 *	 100.0 %   100.0 %         ·              2.01 s    1.99 s  all
 *	 100.0 %   100.0 %         ·              2.01 s    1.99 s  main
 *	  20.1 %    33.4 %     +13.3     ±4.1     404 ms    665 ms  - burn_20
 *	  50.2 %    41.5 %      -8.7     ±4.6     1.01 s    826 ms  - burn_50
 *	  29.7 %    25.1 %     ~-4.6     ±5.1     597 ms    499 ms  - burn_30
 *
 * Where there is time off the CPU, three columns say how much of the change is running, runnable and blocked time:
 *
 *	   before    after   change    error  running runnable  blocked     before      after
 *	   20.1 %   33.4 %    +13.3     ±4.1     +2.0    ~+0.1    +11.2     404 ms     665 ms  - fsync
 *
 * Branches are drawn as in treetext.c: only one indents and marks its children.
 */
#include "config.h"

#include "export/diff_view.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/units.h"
#include "export/out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define INDENT_MAX 60u           /* levels; deeper ones say which they are instead */

struct text {
	const struct diff_view *v;
	const struct diff *d;
	struct out o;
	double least;            /* change to be shown, as a share */
	unsigned int max_depth;  /* of nodes */
	uint16_t *level;         /* by depth, of the last node seen there: branches above it */
	char *label;             /* NAME_BYTES_MAX + 1 */
};

static const char *difftext_nothing(const struct text *x)
{
	return x->v->ascii ? "." : "\xc2\xb7";
}

/* TEXT right-aligned in WIDTH columns. */
static void difftext_put_cell(struct text *x, int width, const char *text)
{
	const int len = (int)text_width(text, strlen(text));

	out_format(&x->o, "%*s%s", width > len ? width - len : 0, "", text);
}

static void difftext_put_share(struct text *x, int side, const struct diff_pair *p)
{
	char text[UNITS_MAX];

	difftext_put_cell(x, 10, p->ns[side] ? units_percent(text, diff_share(x->d, side, p->ns[side])) :
			  difftext_nothing(x));
}

/* The measure whose change has the column of PLACE: one that adds up to the total, of which shares are. */
static const struct measure *part_of(const struct text *x, unsigned int place)
{
	const struct measure_set *set = &x->d->tree[DIFF_AFTER]->set;
	const struct measure *m = measure_column(set, place);

	return m && (m->wall || set->lead >> place & 1) ? m : NULL;
}

static int parts_shown(const struct text *x)
{
	int n = 0;

	for (unsigned int place = 0; x->d->parted && place < MEASURES_ASKED; place++)
		n += part_of(x, place) != NULL;
	return n;
}

/* What the total of SIDE is. */
static void put_amount(struct text *x, int side, uint64_t ns)
{
	char text[UNITS_MAX];

	difftext_put_cell(x, 11, ns ? measure_text(measure_lead(&x->d->tree[side]->set), diff_amount(x->d, side, ns),
						   text) : difftext_nothing(x));
}

/* "+13.3", "~-0.4", or "-<0.1" for what would read as nothing. */
static void put_change(struct text *x, const struct diff_change *c)
{
	const double points = 100 * c->change;
	const char *mark = diff_is_noise(c) ? "~" : "";
	char text[64];

	if (points == 0)
		snprintf(text, sizeof(text), "%s", difftext_nothing(x));
	else if (fabs(points) < 0.05)
		snprintf(text, sizeof(text), "%s%c<0.1", mark, points < 0 ? '-' : '+');
	else
		snprintf(text, sizeof(text), "%s%+.1f", mark, points);
	difftext_put_cell(x, 10, text);
}

static void put_error(struct text *x, const struct diff_change *c)
{
	const double points = 100 * DIFF_Z * c->sigma;
	char text[64] = "";

	if (c->change != 0 && points < 0.05)
		snprintf(text, sizeof(text), "<0.1");
	else if (c->change != 0)
		snprintf(text, sizeof(text), "%s%.1f", x->v->ascii ? "+-" : "\xc2\xb1", points);
	difftext_put_cell(x, 9, text);
}

/* What the change of P is made of, where there are several measures. */
static void difftext_put_parts(struct text *x, const struct diff_pair *p)
{
	for (unsigned int place = 0; x->d->parted && place < MEASURES_ASKED; place++) {
		const struct diff_pair part = diff_part(p, place);
		const struct diff_change c = diff_judge(x->d, &part);

		if (part_of(x, place))
			put_change(x, &c);
	}
}

/* The columns of P; without ALL those that a sum has not stay empty. */
static void difftext_put_figures(struct text *x, const struct diff_pair *p, bool all)
{
	const struct diff_change c = diff_judge(x->d, p);

	difftext_put_share(x, DIFF_BEFORE, p);
	difftext_put_share(x, DIFF_AFTER, p);
	put_change(x, &c);
	if (all)
		put_error(x, &c);
	else
		out_format(&x->o, "%9s", "");
	difftext_put_parts(x, p);
	if (all) {
		put_amount(x, DIFF_BEFORE, p->ns[DIFF_BEFORE]);
		put_amount(x, DIFF_AFTER, p->ns[DIFF_AFTER]);
	} else {
		out_format(&x->o, "%22s", "");
	}
	out_text(&x->o, "  ");
}

/* Where the node I begins, as in treetext.c. */
static void difftext_put_indent(struct text *x, uint32_t i, const char *mark)
{
	const struct diff_node *n = &x->d->node[i];
	const bool branch = i && x->d->node[n->parent].nr_children > 1;
	const unsigned int level = n->depth ? x->level[n->depth - 1] + branch : 0,
		shown = level < INDENT_MAX ? level : INDENT_MAX;

	x->level[n->depth] = (uint16_t)level;
	out_format(&x->o, "%*s%s", (int)(2 * (shown - (branch && shown))), "", branch ? mark : "");
	if (level > shown)
		out_format(&x->o, "[%u] ", level);
}

/* "  (appeared)", "  (vanished)" or "": also for what was too rare to be seen on both sides. */
static const char *difftext_fate(const struct diff *d, const struct diff_pair *p)
{
	const struct diff_change c = diff_judge(d, p);

	if (!p->ns[DIFF_BEFORE] == !p->ns[DIFF_AFTER] || diff_is_noise(&c))
		return "";
	return p->ns[DIFF_BEFORE] ? "  (vanished)" : "  (appeared)";
}

static void put_label(struct text *x, uint32_t what)
{
	static const char arrow[] = "\xe2\x86\x92";
	char *at;

	diff_label(x->d, what, x->label, NAME_BYTES_MAX + 1);
	while (x->v->ascii && (at = strstr(x->label, arrow))) {
		memcpy(at, "->", 2);
		memmove(at + 2, at + 3, strlen(at + 3) + 1);
	}
	out_text(&x->o, x->label);
}

static bool difftext_is_unknown(struct text *x, uint32_t i)
{
	return !strcmp(diff_label(x->d, x->d->node[i].what, x->label, NAME_BYTES_MAX + 1), FLAME_UNKNOWN);
}

/* The last one of the run of "[unknown]" that begins with I and is one line, as in treetext.c. */
static uint32_t difftext_run_end(struct text *x, uint32_t i)
{
	const struct diff_node *v = x->d->node;

	while (v[i].nr_children == 1 && !v[i].self.ns[DIFF_BEFORE] && !v[i].self.ns[DIFF_AFTER] &&
	       v[i].depth < x->max_depth && difftext_is_unknown(x, i) && difftext_is_unknown(x, v[i].first_child))
		i = v[i].first_child;
	return i;
}

/* A line for I and what else is in its run. Returns the end of that. */
static uint32_t difftext_put_run(struct text *x, uint32_t i)
{
	const struct diff_node *n = &x->d->node[i];
	const char *suffix = diff_suffix(x->d, i);
	const uint32_t last = difftext_run_end(x, i);
	char frames[UNITS_MAX];

	difftext_put_figures(x, &n->total, true);
	difftext_put_indent(x, i, "- ");
	x->level[x->d->node[last].depth] = x->level[n->depth];
	put_label(x, n->what);
	if (last != i)
		out_format(&x->o, " %s%s", x->v->ascii ? "x" : "\xc3\x97",
			   units_thousands(frames, 1u + x->d->node[last].depth - n->depth));
	if (suffix[0])
		out_format(&x->o, " %s", suffix + 1);    /* "_[k]" */
	if (i && !difftext_fate(x->d, &x->d->node[n->parent].total)[0])
		out_text(&x->o, difftext_fate(x->d, &n->total));
	out_text(&x->o, "\n");
	return last;
}

/* One line for FIRST and the siblings after it. */
static void difftext_put_rest(struct text *x, uint32_t first)
{
	struct diff_pair sum = { 0 };
	uint32_t n = 0;

	for (uint32_t i = first; i != NODE_NONE; i = x->d->node[i].next_sibling, n++)
		diff_add(&sum, &x->d->node[i].total);
	difftext_put_figures(x, &sum, false);
	difftext_put_indent(x, first, "");
	out_format(&x->o, "%s %" PRIu32 " more\n", x->v->ascii ? "..." : "\xe2\x80\xa6", n);
}

static bool difftext_fits(const struct text *x, uint32_t i)
{
	return x->d->node[i].most >= x->least && x->d->node[i].depth <= x->max_depth;
}

/* What comes after I, depth first; 0 = nothing. A node that does not fit stood for the rest of its family. */
static uint32_t difftext_next_node(const struct text *x, uint32_t i)
{
	const struct diff_node *v = x->d->node;

	if (difftext_fits(x, i) && v[i].first_child != NODE_NONE)
		return v[i].first_child;
	while (i && (!difftext_fits(x, i) || v[i].next_sibling == NODE_NONE))
		i = v[i].parent;
	return i ? v[i].next_sibling : 0;
}

/* Which file is which, and what shares are of: two graphs that look alike are easily read the wrong way round. */
static bool difftext_is_imported(const struct text *x, int side)
{
	return measure_lead(&x->d->tree[side]->set)->unit == UNIT_OWN;
}

static void put_heading(struct text *x)
{
	static const char *const whole[] = {
		[DIFF_BY_TOTAL] = "of the total on each side",
		[DIFF_BY_WALL] = "of the time for which each side was recorded",
		[DIFF_BY_NONE] = "of the total before, on both sides",
		[DIFF_BY_CALL] = "of a slow call on average, and times of one call",
	};

	for (int side = 0; side < DIFF_SIDES; side++) {
		const int own = (int)strlen(diff_view_head(x->v, side));
		const int cols = (int)strlen(diff_view_head(x->v, !side));
		char name[LABEL_MAX], text[UNITS_MAX];

		text_sanitise(name, sizeof(name), x->v->name[side], strlen(x->v->name[side]));
		out_format(&x->o, "%s:%*s%s, ", diff_view_head(x->v, side), cols > own ? cols - own + 1 : 1, "", name);
		out_format(&x->o, "%s %s", units_thousands(text, x->d->tree[side]->node[0].count),
			   tree_counted(x->d->tree[side], 0));
		if (x->v->wall_ns[side])
			out_format(&x->o, " in %s", units_time(text, x->v->wall_ns[side]));
		out_text(&x->o, "\n");
	}
	if (difftext_is_imported(x, DIFF_BEFORE) || difftext_is_imported(x, DIFF_AFTER))
		out_text(&x->o, "What is imported is taken to count samples: if it counts anything else, errors are "
			 "not what is said here.\n");
	out_format(&x->o, "Shares are %s; change is in points of these.\n"
		   "~ is before what differs no more than sampling differs by chance, 95 times of 100.\n\n",
		   whole[x->d->norm]);
}

/* Levels of groups in the tree. */
static unsigned int group_levels(const struct query *q)
{
	return (q->group_by == GROUP_NONE ? 0 : q->group_by == GROUP_THREAD ? 2 : 1) + q->by_node + q->by_span;
}

static void put_part_names(struct text *x)
{
	for (unsigned int place = 0; x->d->parted && place < MEASURES_ASKED; place++)
		if (part_of(x, place))
			out_format(&x->o, "%10s", part_of(x, place)->head);
}

/* LABEL: NAME_BYTES_MAX + 1. */
static void difftext_begin(struct text *x, FILE *out, const struct diff_view *v, char *label)
{
	*x = (struct text){
		.v = v, .d = v->diff, .o = { .file = out }, .max_depth = UINT16_MAX,
			.least = v->min_percent / 100, .label = label,
	};
	if (v->max_depth && v->max_depth < UINT16_MAX)
		x->max_depth = v->max_depth + group_levels(&v->diff->tree[DIFF_AFTER]->query);
	put_heading(x);
}

int export_diff_tree(FILE *out, const struct diff_view *v, struct err *e)
{
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);
	AUTO_FREE uint16_t *level = NULL;
	unsigned int deepest = 0;
	struct text x;
	uint32_t i = 0;

	for (uint32_t k = 0; k < v->diff->n; k++)
		deepest = v->diff->node[k].depth > deepest ? v->diff->node[k].depth : deepest;
	level = malloc((deepest + 1ul) * sizeof(*level));
	if (!level || !label)
		return err_nomem(e, "the text of the difference");
	difftext_begin(&x, out, v, label);
	x.level = level;
	out_format(&x.o, "%10s%10s%10s%9s", diff_view_head(v, DIFF_BEFORE), diff_view_head(v, DIFF_AFTER),
		   "change", "error");
	put_part_names(&x);
	out_format(&x.o, "%11s%11s\n", diff_view_head(v, DIFF_BEFORE), diff_view_head(v, DIFF_AFTER));
	do {
		if (!i || difftext_fits(&x, i))
			i = difftext_put_run(&x, i);
		else
			difftext_put_rest(&x, i);
		i = difftext_next_node(&x, i);
	} while (i);
	return out_end(&x.o, e);
}

/* A function's own figures, or those with what it calls. */
static void put_change_of(struct text *x, const struct diff_pair *p)
{
	const struct diff_change c = diff_judge(x->d, p);

	difftext_put_share(x, DIFF_BEFORE, p);
	difftext_put_share(x, DIFF_AFTER, p);
	put_change(x, &c);
	difftext_put_parts(x, p);
}

static void difftext_put_function(struct text *x, const struct diff_func *f)
{
	put_change_of(x, &f->self);
	out_text(&x->o, " ");
	put_change_of(x, &f->total);
	out_text(&x->o, "  ");
	put_label(x, f->what);
	out_text(&x->o, difftext_fate(x->d, &f->total));
	out_text(&x->o, "\n");
}

static void put_flat_head(struct text *x)
{
	const int more = 10 * parts_shown(x);

	out_format(&x->o, "%10s%*s %10s\n", "self", 20 + more, "", "total");
	for (int i = 0; i < 2; i++) {
		out_format(&x->o, "%s%10s%10s%10s", i ? " " : "", diff_view_head(x->v, DIFF_BEFORE),
			   diff_view_head(x->v, DIFF_AFTER), "change");
		put_part_names(x);
	}
	out_text(&x->o, "\n");
}

static bool changed_enough(const struct text *x, const struct diff_func *f)
{
	return fmax(fabs(diff_judge(x->d, &f->self).change), fabs(diff_judge(x->d, &f->total).change)) >= x->least;
}

int export_diff_flat(FILE *out, const struct diff_view *v, struct err *e)
{
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);
	AUTO_FREE struct diff_func *func = NULL;
	struct text x;
	size_t n, i;
	int r = label ? diff_functions(v->diff, &func, &n, e) : err_nomem(e, "the text of the difference");

	if (r < 0)
		return r;
	difftext_begin(&x, out, v, label);
	put_flat_head(&x);
	for (i = 0; i < n && changed_enough(&x, &func[i]); i++)
		difftext_put_function(&x, &func[i]);
	if (i < n)
		out_format(&x.o, "%*s%s %zu more\n", 63 + 20 * parts_shown(&x), "",
			   v->ascii ? "..." : "\xe2\x80\xa6", n - i);
	return out_end(&x.o, e);
}
