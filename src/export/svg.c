/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * svg.c - a flame graph as one SVG file: a still picture, all frames as data, and the viewer, which
 * draws what can be seen of them.
 *
 * Without scripts (in <img>, under a strict policy, in other programs) the still picture is what is
 * seen.
 */
#include "config.h"

#include "export/exporter.h"
#include "export/flame_plan.h"

#include <string.h>

int flame_svg(FILE *out, const struct flame *f, const struct flame_options *how, struct err *e)
{
	struct out o = { .file = out };
	struct flame_plan p;
	const char *title;
	int r = flame_plan(&p, f, how, e);

	if (r < 0) {
		flame_plan_free(&p);
		return r;
	}
	title = flame_clean(&p, f->title, "flame graph");
	out_format(&o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "class=\"sberf\" "
		   "width=\"%u\" height=\"%u\" font-family=\"monospace\" font-size=\"12\">\n<title>",
		   FLAME_WIDTH, flame_still_height(&p));
	flame_escape(&o, title, strlen(title));
	out_format(&o, "</title>\n<style><![CDATA[\n%s]]></style>\n", flame_style);
	if (!p.o.no_script)
		out_format(&o, "<script><![CDATA[%s]]></script>\n", flame_script_first);
	out_text(&o, "<g id=\"sberf-still\" fill=\"#16181d\">\n"
		     "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	flame_still(&o, &p, "open this file in a web browser");
	out_text(&o, "</g>\n");
	if (!p.o.no_script) {
		out_text(&o, "<script type=\"application/json\" id=\"sberf-data\"><![CDATA[");
		flame_data(&o, &p);
		out_format(&o, "]]></script>\n<script><![CDATA[\n%s]]></script>\n", flame_script_svg);
	}
	out_text(&o, "</svg>\n");
	r = out_end(&o, e);
	flame_plan_free(&p);
	return r;
}

static int svg_write(FILE *out, const struct export_view *v, struct err *e)
{
	return flame_write(out, v, flame_svg, e);
}

static int svg_write_diff(FILE *out, const struct diff_view *v, struct err *e)
{
	return export_diff_flame(out, v, flame_svg, e);
}

const struct exporter exporter_svg = {
	.name = "svg", .extensions = "svg",
	.about = "a flame graph for a web browser: one file that holds every frame and loads nothing. A click zooms "
		"into a frame, a search by regular expression tells its exact share, and ? shows the keys",
	.reads = EXPORT_TREE_UNSORTED, .group_by = GROUP_COMM,
	.takes = EXPORT_TAKES_INVERTED | EXPORT_TAKES_FLAME,
	.write = svg_write,
	.diff = {
		.about = "one flame graph of both sides: a frame is as wide as it is on average, red where it "
			"grew and blue "
			"where it shrank; what vanished is in it, too",
		.group_by = GROUP_PROCESS,
		.write = svg_write_diff,
	},
	.save = {
		.letter = 's', .place = 1, .word = "SVG", .help = "a flame graph (SVG)",
		.use = "a flame graph, to be opened in a web browser",
	},
};
