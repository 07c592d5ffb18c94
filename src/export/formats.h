/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * formats.h - every format that a profile can be written in: its name, its extension, its exporter.
 *
 * One table feeds --format, its completion, and what `-o x.EXTENSION` means. A new format is a line here and a file beside.
 */
#ifndef SBERF_EXPORT_FORMATS_H
#define SBERF_EXPORT_FORMATS_H

#include "base/err.h"
#include "export/export_view.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * X(ID, NAME, EXTENSIONS, WRITE): FORMAT_ID is chosen by --format NAME, or by an output file that ends in "." and one of EXTENSIONS,
 * which are separated by commas ("" = by none), and written by WRITE.
 */
#define EXPORT_FORMATS(X) \
	X(TREE, "tree", "txt", format_tree) \
	X(FOLDED, "folded", "folded", format_folded) \
	X(SVG, "svg", "svg", format_svg) \
	X(HTML, "html", "html", format_html) \
	X(FLAT, "flat", "", format_flat) \
	X(WAITS, "waits", "", format_waits) \
	X(NUMA, "numa", "", format_numa) \
	X(PPROF, "pprof", "pb.gz,pprof", export_pprof) \
	X(PERF_SCRIPT, "perf-script", "perf", export_perf_script) \
	X(PERF_DATA, "perf-data", "perf.data", export_perf_data) \
	X(SUMMARY, "summary", "", format_summary) \
	X(SPEEDSCOPE, "speedscope", "speedscope.json", format_speedscope) \
	X(FIREFOX, "firefox", "firefox.json", export_firefox) \
	X(JSON, "json", "json", format_json) \
	X(ANNOTATE, "annotate", "", format_annotate)

enum format {
	FORMAT_NONE,             /* not given: the command decides */
#define X(id, name, extension, write) FORMAT_##id,
	EXPORT_FORMATS(X)
#undef X
	FORMAT_NR,
};

/*
 * Writes V to OUT in FORMAT, as export.h says for each: flushed, or a negative errno with a sentence. The same view gives the same
 * bytes.
 */
int format_write(FILE *out, enum format format, const struct export_view *v, struct err *e);

/* Whether FORMAT asks the view for single events (export_view.each_event). */
bool format_needs_events(enum format format);

/* Does PATH, behind a name, end in "." and one of EXTENSIONS, which have commas between them? Never in "". */
bool format_ends_in(const char *path, const char *extensions);

/* The format that a file called PATH is to have by its extension; FORMAT_NONE when it says nothing. */
enum format format_of_file(const char *path);

#endif
