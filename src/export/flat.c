/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flat.c - functions by what they take themselves:
 *
 *	   self   total      time  module    function
 *	 55.0 %  80.0 %    660 ms  app       work
 *	 24.6 %  24.6 %    295 ms  [kernel]  ksys_read [k]
 *
 * Self, total (in stacks that have it at all, once however often), running, runnable and blocked
 * time of self where there is such. All copies of a function are one, inlined or not. Self adds up
 * to the whole.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/text.h"
#include "base/units.h"
#include "export/out.h"
#include "query/funcs.h"
#include "query/label.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_COLS 20u

struct flat {
	const struct tree *t;
	const struct export_view *v;
	struct out o;
	struct funcs *funcs;
	char *label[2];          /* NAME_BYTES_MAX + 1 */
	const struct measure *lead;
	bool parted;
};

/* What R is called, in the room of that number. */
static const char *row_label(const struct flat *f, const struct func_row *r, unsigned int room)
{
	return tree_label(f->t, r->node, f->label[room], NAME_BYTES_MAX + 1);
}

static int flat_compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct func_row *a = va, *b = vb;
	const struct flat *f = ctx;
	int r;

	if (a->self_ns != b->self_ns)
		return (a->self_ns < b->self_ns) - (a->self_ns > b->self_ns);
	if (a->total_ns != b->total_ns)
		return (a->total_ns < b->total_ns) - (a->total_ns > b->total_ns);
	r = strcmp(row_label(f, a, 0), row_label(f, b, 1));
	return r ? r : (a->node > b->node) - (a->node < b->node);
}

static char *flat_share(const struct flat *f, uint64_t ns, char dst[UNITS_MAX])
{
	const uint64_t all = f->t->node[0].total_ns;

	return units_percent(dst, all ? (double)ns / (double)all : 0);
}

static int flat_amount_width(const struct flat *f)
{
	const char *head = tree_text_head(f->lead, f->v->meta);

	return f->lead->unit == UNIT_TIME ? 10 : strlen(head) > 14 ? (int)strlen(head) : 14;
}

static void flat_put_part(struct flat *f, unsigned int place, uint64_t value)
{
	const uint64_t all = tree_whole(f->t, place);
	char text[UNITS_MAX];

	if (value)
		out_format(&f->o, "%9s", units_percent(text, all ? (double)value / (double)all : 0));
	else
		out_format(&f->o, "%8s%s", "", f->v->ascii ? "." : "·");
}

static void flat_put_figures(struct flat *f, const struct func_row *r)
{
	char self[UNITS_MAX], total[UNITS_MAX], time[UNITS_MAX];

	out_guess(&f->o, 8, r->self_ns, r->doubt_ns, flat_share(f, r->self_ns, self));
	out_format(&f->o, "%9s", func_row_is_function(f->funcs, r) ? flat_share(f, r->total_ns, total) : "");
	for (unsigned int place = 0; f->parted && place < MEASURES_ASKED; place++)
		if (measure_column(&f->t->set, place))
			flat_put_part(f, place, r->self.ns[place]);
	out_guess(&f->o, flat_amount_width(f) + 1, r->self_ns, r->doubt_ns, measure_text(f->lead, r->self_ns, time));
}

/* The module of N, cut to its column. */
static void flat_put_module(struct flat *f, const struct tree_node *n)
{
	const struct tree *t = f->t;
	const struct module *m = NULL;
	char label[LABEL_MAX] = "", cut[LABEL_MAX];
	size_t cols;

	if (n->kind == NODE_FUNC)
		m = dict_get_module(t->dict, names_func(t->names, n->func)->module);
	else if (n->kind == NODE_ADDR)
		m = dict_get_module(t->dict, dict_get_frame(t->dict, n->frame)->module);
	if (m && m->kind == MODULE_KERNEL)
		strcpy(label, "[kernel]");
	else if (m && m->kind == MODULE_ANON)
		strcpy(label, "[anon]");
	else if (m && m->kind != MODULE_NOTE && strtab_len(dict_strings(t->dict), m->path))
		label_file(t->dict, module_shown_path(m), label, sizeof(label));
	cols = text_cut_middle(cut, sizeof(cut), label, strlen(label), MODULE_COLS, f->v->ascii);
	out_format(&f->o, "  %s%*s  ", cut, (int)(MODULE_COLS - cols), "");
}

static void flat_put_row(struct flat *f, const struct func_row *r)
{
	const struct tree_node *n = &f->t->node[r->node];
	const char *suffix = n->inlined ? "" : tree_suffix(f->t, r->node);

	flat_put_figures(f, r);
	flat_put_module(f, n);
	out_text(&f->o, func_row_is_function(f->funcs, r) ? row_label(f, r, 0) : "(no function)");
	if (suffix[0])
		out_format(&f->o, " %s", suffix + 1);
	if (tree_no_table(f->t, r->node))
		out_text(&f->o, " [fp]");
	out_text(&f->o, "\n");
}

static void flat_put_header(struct flat *f)
{
	out_format(&f->o, "%8s%9s", "self", "total");
	for (unsigned int place = 0; f->parted && place < MEASURES_ASKED; place++)
		if (measure_column(&f->t->set, place))
			out_format(&f->o, "%9s", measure_column(&f->t->set, place)->head);
	out_format(&f->o, "%*s  %-*s  %s\n", flat_amount_width(f) + 1, tree_text_head(f->lead, f->v->meta),
		   (int)MODULE_COLS, "module", "function");
}

static void flat_put_rows(struct flat *f)
{
	const double least = (double)f->t->node[0].total_ns * fmin(f->v->min_percent, 100) / 100;
	struct func_row rest = { 0 };
	uint32_t n = 0;

	flat_put_header(f);
	for (uint32_t i = 0; i < f->funcs->n; i++) {
		const struct func_row *r = &f->funcs->row[i];

		if (!func_row_is_function(f->funcs, r) && !r->self_ns)
			continue;
		if ((double)(func_row_is_function(f->funcs, r) ? r->total_ns : r->self_ns) >= least) {
			flat_put_row(f, r);
			continue;
		}
		n++;
		rest.self_ns += r->self_ns;
		rest.doubt_ns += r->doubt_ns;
		for (unsigned int place = 0; place < MEASURES_ASKED; place++)
			rest.self.ns[place] += r->self.ns[place];
	}
	if (!n)
		return;
	flat_put_figures(f, &rest);
	out_format(&f->o, "  %*s  %s %" PRIu32 " more\n", (int)MODULE_COLS, "", f->v->ascii ? "..." : "…", n);
}

static int flat_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	AUTO(funcs_free) struct funcs *funcs = NULL;
	AUTO_FREE char *a = malloc(NAME_BYTES_MAX + 1), *b = malloc(NAME_BYTES_MAX + 1);
	struct flat f = { .t = t, .v = v, .o = { .file = out }, .label = { a, b } };

	if (!a || !b)
		return err_nomem(e, "the list of functions");
	if (funcs_build(t, &funcs, e) < 0)
		return -ENOMEM;
	f.funcs = funcs;
	f.lead = measure_lead(&t->set);
	f.parted = tree_is_parted(t);
	qsort_r(funcs->row, funcs->n, sizeof(*funcs->row), flat_compare_rows, &f);
	flat_put_rows(&f);
	return out_end(&f.o, e);
}

const struct exporter exporter_flat = {
	.name = "flat", .extensions = "",
	.about = "functions by their own time, with their total time beside it",
	.reads = EXPORT_TREE, .group_by = GROUP_NONE,
	.takes = EXPORT_TAKES_PERCENT,
	.write = flat_write,
	.diff = {
		.about = "functions by their own time and their total time, with the columns of tree",
		.group_by = GROUP_PROCESS,
		.write = export_diff_flat,
	},
};
