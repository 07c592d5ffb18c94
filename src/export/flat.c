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

#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "export/out.h"
#include "query/flatcolumns.h"
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
	struct flat_scale scale;
	struct list_column column[FLAT_COLUMNS];
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
		return compare_numbers(b->self_ns, a->self_ns);
	if (a->total_ns != b->total_ns)
		return compare_numbers(b->total_ns, a->total_ns);
	r = strcmp(row_label(f, a, 0), row_label(f, b, 1));
	return r ? r : compare_numbers(a->node, b->node);
}

/* What is shown of T, and as what. */
static void flat_choose_columns(struct flat *f)
{
	const struct tree *t = f->t;
	struct list_column *amount = &f->column[FLAT_COLUMN_AMOUNT];
	size_t head;

	f->scale = (struct flat_scale){ .whole_ns = t->node[0].total_ns, .lead = measure_lead(&t->set) };
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		f->scale.part[place] = tree_whole(t, place);
	flat_columns(&t->set, tree_is_parted(t) ? (1u << MEASURES_ASKED) - 1 : 0, f->column);
	amount->text_head = tree_text_head(f->scale.lead, f->v->meta);
	head = strlen(amount->text_head);
	amount->text_cols = (uint8_t)(f->scale.lead->unit == UNIT_TIME ? 11 : (head > 14 ? head : 14) + 1);
}

static void flat_put_figures(struct flat *f, const struct func_row *r)
{
	const struct flat_line line = { .scale = &f->scale, .self_ns = r->self_ns, .total_ns = r->total_ns,
					.doubt_ns = r->doubt_ns, .self = &r->self,
					.no_total = !func_row_is_function(f->funcs, r) };

	for (const struct list_column *c = f->column; c < f->column + FLAT_COLUMNS; c++) {
		const struct list_figure figure = c->text_head ? c->figure(&line) : (struct list_figure){ 0 };

		if (!c->text_head)
			continue;
		if (c->dot && !figure.value)
			out_format(&f->o, "%*s%s", (int)c->text_cols - 1, "", f->v->ascii ? "." : "·");
		else
			out_figure(&f->o, c->text_cols, &figure);
	}
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
	for (const struct list_column *c = f->column; c < f->column + FLAT_COLUMNS; c++)
		if (c->text_head)
			out_format(&f->o, "%*s", (int)c->text_cols, c->text_head);
	out_format(&f->o, "  %-*s  %s\n", (int)MODULE_COLS, "module", "function");
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
	if (funcs_build(t, FUNCS_ROWS, &funcs, e) < 0)
		return -ENOMEM;
	f.funcs = funcs;
	flat_choose_columns(&f);
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
