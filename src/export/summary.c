/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary.c - "name: value" lines for scripts. Names are published: new ones come at the end of
 * their kind, none changes or goes. What is not known is "unknown". Fractions are written from
 * integers: a locale's decimal comma would break scripts.
 */
#include "config.h"

#include "export/exporter.h"

#include "export/figures.h"
#include "export/out.h"

#include <inttypes.h>

static void summary_put_fixed(struct out *o, const struct figure *f)
{
	uint64_t scale = 1;

	for (unsigned int i = 0; i < f->digits; i++)
		scale *= 10;
	out_format(o, "%" PRIu64 ".%0*" PRIu64 "\n", f->v / scale, (int)f->digits, f->v % scale);
}

static void summary_put_figure(void *ctx, const struct figure *f)
{
	struct out *o = ctx;

	out_format(o, "%s: ", f->name);
	if (f->type == FIGURE_NUMBER)
		out_format(o, "%" PRIu64 "\n", f->v);
	else if (f->type == FIGURE_FIXED)
		summary_put_fixed(o, f);
	else if (f->type == FIGURE_FLAG)
		out_text(o, f->v ? "yes\n" : "no\n");
	else
		out_format(o, "%s\n", f->type == FIGURE_TEXT ? f->text : "unknown");
}

static int summary_write(FILE *out, const struct export_view *v, struct err *e)
{
	struct out o = { .file = out };
	int r = figures_each(v->meta, v->snapshot, v->names, summary_put_figure, &o, e);

	return r < 0 ? r : out_end(&o, e);
}

const struct exporter exporter_summary = {
	.name = "summary", .extensions = "",
	.about = "one \"name: value\" line for each figure of the capture (see below)",
	.subject = EXPORT_CAPTURE,
	.write = summary_write,
};
