/* SPDX-License-Identifier: BSD-2-Clause */
/* formats.c - the table of formats, and what each counts and groups by when nothing is said. */
#include "config.h"

#include "base/clock.h"
#include "export/export.h"
#include "export/formats.h"
#include "query/numareport.h"
#include "query/waits.h"

#include <errno.h>
#include <string.h>

/* The tree that V asks for, complete, UNSORTED or not; grouped by GROUP when nothing was said. */
static int build_any_tree(const struct export_view *v, enum group_by group, uint32_t measures, bool unsorted, struct tree **ret,
			  struct err *e)
{
	struct query q = v->query;

	q.unsorted = unsorted;
	q.max_nodes = UINT32_MAX;
	if (!v->group_given)
		q.group_by = group;
	if (!q.measures && measures)
		q.measures = measures_known(measures, v->meta->unit[0]);
	return tree_build(v->snapshot, v->names, &q, ret, e);
}

static int formats_build_tree(const struct export_view *v, enum group_by group, uint32_t measures, struct tree **ret,
			      struct err *e)
{
	return build_any_tree(v, group, measures, false, ret, e);
}

static struct tree_text_options text_options(const struct export_view *v)
{
	return (struct tree_text_options){
		.min_percent = v->min_percent, .max_depth = v->max_depth, .ascii = v->ascii,
		.unit = v->meta->unit[0] ? v->meta->unit : NULL,
	};
}

static int format_tree(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree_text_options how = text_options(v);
	AUTO(tree_free) struct tree *t = NULL;
	int r = formats_build_tree(v, GROUP_PROCESS, 0, &t, e);

	return r < 0 ? r : export_tree(out, t, &how, e);
}

static int format_flat(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree_text_options how = text_options(v);
	AUTO(tree_free) struct tree *t = NULL;
	int r = formats_build_tree(v, GROUP_NONE, 0, &t, e);

	return r < 0 ? r : export_flat(out, t, &how, e);
}

/* Time on the CPU, unless another one was chosen. */
static int format_annotate(FILE *out, const struct export_view *v, struct err *e)
{
	struct export_view on_cpu = *v;
	AUTO(tree_free) struct tree *t = NULL;
	int r = formats_build_tree(v, GROUP_NONE, MEASURES_ON_CPU, &t, e);

	if (r < 0)
		return r;
	on_cpu.query = t->query;
	return export_annotated(out, &on_cpu, t, e);
}

/* One number a stack: time on the CPU, unless waits were chosen. */
static int format_folded(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	const uint32_t measures = query_only_waits(&v->query) ? MEASURES_OFF_CPU : MEASURES_ON_CPU;
	int r = build_any_tree(v, GROUP_COMM, measures, true, &t, e);

	return r < 0 ? r : export_folded(out, t, e);
}

/* Everything that is asked for, all of wall time, for DRAW. */
static int format_flame(FILE *out, const struct export_view *v,
			int (*draw)(FILE *, const struct flame *, const struct flame_options *, struct err *), struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct flame f;
	int r = build_any_tree(v, GROUP_COMM, 0, true, &t, e);

	if (r >= 0)
		r = flame_from_tree(&f, t, v->meta, e);
	if (r < 0)
		return r;
	if (v->title)
		r = flame_title(&f, v->title, e);
	if (r >= 0)
		r = draw(out, &f, &v->flame, e);
	flame_free(&f);
	return r;
}

static int format_svg(FILE *out, const struct export_view *v, struct err *e)
{
	return format_flame(out, v, flame_svg, e);
}

static int format_html(FILE *out, const struct export_view *v, struct err *e)
{
	return format_flame(out, v, flame_html, e);
}

static int format_waits(FILE *out, const struct export_view *v, struct err *e)
{
	const struct waits_text_options how = { .ascii = v->ascii };
	AUTO(waits_free) struct waits *w = NULL;
	int r = waits_build(v->snapshot, v->names, &v->query, &w, e);

	return r < 0 ? r : export_waits(out, w, &how, e);
}

static int format_numa(FILE *out, const struct export_view *v, struct err *e)
{
	const struct numa_text_options how = { .ascii = v->ascii, .seconds = (double)v->meta->duration_ns / NSEC_PER_SEC,
					       .no_waits = !v->meta->off_cpu };
	AUTO(numa_view_free) struct numa_view *n = NULL;
	int r = numa_view_build(v->snapshot, v->names, &v->query, &n, e);

	return r < 0 ? r : export_numa(out, n, &how, e);
}

static int format_summary(FILE *out, const struct export_view *v, struct err *e)
{
	return export_summary(out, v->meta, v->snapshot, e);
}

static int format_speedscope(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	int r = formats_build_tree(v, GROUP_COMM, 0, &t, e);

	return r < 0 ? r : export_speedscope(out, t, v->meta, e);
}

static int format_json(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	int r = formats_build_tree(v, GROUP_PROCESS, 0, &t, e);

	return r < 0 ? r : export_json(out, v, t, e);
}

static const struct {
	const char *extensions;
	int (*write)(FILE *out, const struct export_view *v, struct err *e);
} formats[FORMAT_NR] = {
#define X(id, name, extensions, write) [FORMAT_##id] = { extensions, write },
	EXPORT_FORMATS(X)
#undef X
};

/* Formats of single events know time alone. */
static int check_measures(enum format format, const struct export_view *v, struct err *e)
{
	const struct measure_set set = measure_set(query_measures(&v->query, v->snapshot));
	const struct measure *lead = measure_lead(&set);

	if (!format_needs_events(format) || lead->unit == UNIT_TIME || lead->unit == UNIT_OWN)
		return 0;
	return err_set(e, ENOTSUP, "this format has time only, and no %s: choose another one", lead->title);
}

int format_write(FILE *out, enum format format, const struct export_view *v, struct err *e)
{
	const int r = check_measures(format, v, e);

	if (r < 0)
		return r;
	return formats[format].write(out, v, e);
}

bool format_needs_events(enum format format)
{
	switch (format) {
	case FORMAT_PERF_SCRIPT:
	case FORMAT_PERF_DATA:
	case FORMAT_FIREFOX:
		return true;
	default:
		return false;
	}
}

/* Does the name BASE, behind something else, end in "." and the LEN bytes at EXTENSION? */
static bool formats_ends_in(const char *base, const char *extension, size_t len)
{
	const size_t base_len = strlen(base);

	return len && base_len > len + 1 && base[base_len - len - 1] == '.' && !memcmp(base + base_len - len, extension, len);
}

bool format_ends_in(const char *path, const char *extensions)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (const char *at = extensions;; at++) {
		const size_t len = strcspn(at, ",");

		if (formats_ends_in(base, at, len))
			return true;
		at += len;
		if (!*at)
			return false;
	}
}

enum format format_of_file(const char *path)
{
	for (enum format f = FORMAT_NONE + 1; f < FORMAT_NR; f++)
		if (format_ends_in(path, formats[f].extensions))
			return f;
	return FORMAT_NONE;
}
