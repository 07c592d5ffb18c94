/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * html.c - a flame graph and a table of it as one page, under a policy that lets nothing run or
 * load but what stands here: the script and the style are named by their hashes. So a name that
 * found its way into the page as an element could still do nothing.
 */
#include "config.h"

#include "export/exporter.h"
#include "export/flame_plan.h"

#include <string.h>

static void html_put_head(struct out *o, const struct flame_plan *p)
{
	const char *title;

	out_text(o, "<!DOCTYPE html>\n<html class=\"sberf\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	out_format(o, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		   "'sha256-%s'; ", flame_style_hash);
	if (p->o.no_script)
		out_text(o, "script-src 'none'; ");
	else
		out_format(o, "script-src 'sha256-%s' 'sha256-%s'; ", flame_script_first_hash, flame_script_html_hash);
	out_text(o, "base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	title = flame_clean(p, p->f->title, "flame graph");
	flame_escape(o, title, strlen(title));
	out_format(o, "</title>\n<style>%s</style>\n", flame_style);
	if (!p->o.no_script)
		out_format(o, "<script>%s</script>\n", flame_script_first);
	out_text(o, "</head>\n");
}

static void put_body(struct out *o, const struct flame_plan *p)
{
	out_format(o, "<body class=\"sberf-page\">\n<svg id=\"sberf-still\" xmlns=\"http://www.w3.org/2000/svg\" "
		   "width=\"100%%\" "
		   "height=\"%u\" font-family=\"monospace\" font-size=\"12\" fill=\"#16181d\">\n",
		   flame_still_height(p));
	flame_still(o, p, "let the script of this page run");
	out_text(o, "</svg>\n");
	if (!p->o.no_script) {
		out_text(o, "<script type=\"application/json\" id=\"sberf-data\">");
		flame_data(o, p);
		out_format(o, "</script>\n<script>%s</script>\n", flame_script_html);
	}
	out_text(o, "</body>\n</html>\n");
}

int flame_html(FILE *out, const struct flame *f, const struct flame_options *how, struct err *e)
{
	struct out o = { .file = out };
	struct flame_plan p;
	int r = flame_plan(&p, f, how, e);

	if (r >= 0) {
		html_put_head(&o, &p);
		put_body(&o, &p);
		r = out_end(&o, e);
	}
	flame_plan_free(&p);
	return r;
}

static int html_write(FILE *out, const struct export_view *v, struct err *e)
{
	return flame_write(out, v, flame_html, e);
}

static int html_write_diff(FILE *out, const struct diff_view *v, struct err *e)
{
	return export_diff_flame(out, v, flame_html, e);
}

const struct exporter exporter_html = {
	.name = "html", .extensions = "html,htm",
	.about = "the flame graph of svg as a page, with a table of the tree beside it",
	.reads = EXPORT_TREE_UNSORTED, .group_by = GROUP_COMM,
	.takes = EXPORT_TAKES_INVERTED | EXPORT_TAKES_FLAME,
	.write = html_write,
	.diff = {
		.about = "the flame graph of svg as a page, with a table of the tree beside it",
		.group_by = GROUP_PROCESS,
		.write = html_write_diff,
	},
	.save = {
		.letter = 'h', .place = 2, .word = "HTML", .help = "a flame graph and a table (HTML)",
		.use = "a flame graph and a table, to be opened in a web browser",
	},
};
