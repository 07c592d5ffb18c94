/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotated.c - the code of the heaviest functions as text, with what its lines and instructions take:
 *
 *	work  /usr/bin/app  66.7 % of all
 *	1.00 s with calls, 800 ms itself, 80 samples; they stand on the instruction after what took the time
 *
 *	   total     self
 *	                    /src/app.c
 *	  30.0 %   30.0 %     12                  v[i] = mix(v[i] + i);
 *	  30.0 %   30.0 %    401004:  movl    (%rdi, %rcx, 4), %edx
 *	  15.0 %             401014:  callq   0x2000 <note>
 */
#include "config.h"

#include "export/exporter.h"

#include "annotate/annotation.h"
#include "annotate/which.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "export/out.h"
#include "query/funcs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_PERCENT 1u         /* of the whole that a function takes itself, to be shown */
#define FUNCTIONS_MAX 50u

struct writer {
	const struct export_view *v;
	const struct tree *t;
	struct out o;
	struct err *e;
};

static int annotated_by_self(const void *pa, const void *pb)
{
	const struct func_row *a = pa, *b = pb;

	if (a->self_ns != b->self_ns)
		return compare_numbers(b->self_ns, a->self_ns);
	return compare_numbers(a->node, b->node);
}

static const char *annotated_share(char dst[UNITS_MAX], uint64_t ns, uint64_t all)
{
	return ns && all ? units_percent(dst, (double)ns / (double)all) : "";
}

static void annotated_put_rows(struct writer *w, const struct annotation *a)
{
	char text[ANNOT_TEXT_MAX + PATH_MAX], total[UNITS_MAX], self[UNITS_MAX];
	const uint64_t all = a->hits->all.total_ns;

	out_format(&w->o, "\n%8s%9s\n", "total", "self");
	for (size_t i = 0; i < a->layout[ANNOT_BOTH].row.n; i++) {
		const struct annot_row *r = &a->layout[ANNOT_BOTH].row.v[i];

		out_format(&w->o, "%8s%9s  ", annotated_share(total, r->hit.total_ns, all),
			   annotated_share(self, r->hit.self_ns, all));
		out_text(&w->o, annotation_text(a, r, text, sizeof(text)));
		out_text(&w->o, "\n");
	}
}

static void annotated_put_head(struct writer *w, const struct listing_of *of, const struct instruction_costs *h)
{
	char path[ERR_TEXT_MAX], text[UNITS_MAX], self[UNITS_MAX];

	text_sanitise(path, sizeof(path), of->path, strnlen(of->path, sizeof(of->path)));
	out_format(&w->o, "%s  %s  %s of all\n", of->name, path,
		   units_percent(text, (double)h->all.total_ns / (double)(h->asked_ns ? h->asked_ns : 1)));
	out_format(&w->o, "%s with calls, %s itself", units_time(text, h->all.total_ns),
		   units_time(self, h->all.self_ns));
	out_format(&w->o, ", %s samples; they stand on the instruction after what took the time\n",
		   units_thousands(text, h->count));
}

static int annotated_put_function(struct writer *w, const struct listing_of *of)
{
	static const _Atomic bool never = false;
	AUTO(annotation_free) struct annotation *a = NULL;
	struct listing *l = NULL;
	int r = listing_read(w->v->code, of, &never, &l, w->e);

	if (!r)
		r = annotation_build(l, w->v->snapshot, w->v->names, &w->v->query, &a, w->e);
	listing_free(l);
	if (r)
		return r;
	annotated_put_head(w, of, a->hits);
	annotated_put_rows(w, a);
	return 0;
}

/* What an inlined function takes is shown with that which it is a part of, once. */
static bool was_shown(const struct listing_of *shown, unsigned int n, const struct listing_of *of)
{
	for (unsigned int i = 0; i < n; i++)
		if (shown[i].module == of->module && shown[i].start == of->start)
			return true;
	return false;
}

static int put_functions(struct writer *w, const struct funcs *f, struct listing_of *shown)
{
	const uint64_t least = w->t->node[0].total_ns / 100 * LEAST_PERCENT;
	unsigned int n = 0;
	const char *why;
	int r = 0;

	for (uint32_t i = 0; i < f->n && n < FUNCTIONS_MAX && !r && f->row[i].self_ns &&
	     f->row[i].self_ns >= least; i++) {
		struct listing_of *of = &shown[n];

		if (!listing_which(w->t, f->row[i].node, of, &why) || was_shown(shown, n, of))
			continue;
		out_text(&w->o, n++ ? "\n" : "");
		r = annotated_put_function(w, of);
	}
	if (!n && !r)
		out_text(&w->o, "there is no function with code that takes 1 % of the time itself\n");
	return r;
}

static int annotated_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	AUTO_FREE struct listing_of *shown = calloc(FUNCTIONS_MAX, sizeof(*shown));
	struct writer w = { .v = v, .t = t, .o = { .file = out }, .e = e };
	AUTO(funcs_free) struct funcs *f = NULL;
	int r;

	if (!v->code)
		return err_set(e, EINVAL, "files of code cannot be opened from here");
	if (!shown)
		return err_nomem(e, "the list of functions");
	r = funcs_build(t, FUNCS_ROWS, &f, e);
	if (r < 0)
		return r;
	qsort(f->row, f->n, sizeof(*f->row), annotated_by_self);
	r = put_functions(&w, f, shown);
	return r < 0 ? r : out_end(&w.o, e);
}

const struct exporter exporter_annotate = {
	.name = "annotate", .extensions = "",
	.about = "the source and the instructions of the functions that take at least 1 % of the time on the CPU "
		"themselves, with the share of each line and instruction in the time of its function; their files "
		"must be here, with the build-ids that were recorded",
	.reads = EXPORT_TREE, .opens_code = true, .group_by = GROUP_NONE,
	.measures = MEASURES_ON_CPU,
	.write = annotated_write,
};
