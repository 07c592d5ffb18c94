/* SPDX-License-Identifier: BSD-2-Clause */
/* diff.c - `sberf diff`: compares two recordings, as text, as a picture, or as a test in CI. */
#include "config.h"

#include "base/progress.h"
#include "base/text.h"
#include "cmd/filter_options.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "query/timerange.h"
#include "export/exporter.h"
#include "export/outfile.h"
#include "query/treediff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct sides {
	const char *path[DIFF_SIDES];
	struct open_recording loaded[DIFF_SIDES];
	struct tree *tree[DIFF_SIDES];
	uint64_t wall_ns[DIFF_SIDES];
	struct diff *diff;
};

/* Whether SIDE counts what is no time. */
static bool diff_is_imported(const struct sides *s, int side)
{
	return s->loaded[side].meta.unit[0];
}

static bool diff_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino &&
		S_ISREG(sa.st_mode);
}

static int diff_load(struct sides *s, const struct options *o, struct err *e)
{
	int r;

	if (diff_same_file(s->path[DIFF_BEFORE], s->path[DIFF_AFTER]))
		return err_set(e, EINVAL, "'%s' and '%s' are the same file: name the recording before and "
			       "the one after", s->path[DIFF_BEFORE], s->path[DIFF_AFTER]);
	r = sandbox_reading(&(struct sandbox_reading){ .opens = true, .writes = { o->output } }, e);
	if (r)
		return r;
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct options of_side = *o;

		if (o->import && outfile_is_recording(s->path[side]))
			of_side.import = IMPORT_NONE;
		r = open_recording(&s->loaded[side], s->path[side], &of_side, e);
		if (r < 0)
			return r;
		s->wall_ns[side] = s->loaded[side].meta.duration_ns;
	}
	return 0;
}

/* What is counted on both sides: time that only one of them knows of is no difference. */
static measure_mask diff_choose_measures(const struct sides *s, const struct options *o, const struct exporter *x)
{
	const bool *waits[DIFF_SIDES] = { &s->loaded[DIFF_BEFORE].meta.off_cpu, &s->loaded[DIFF_AFTER].meta.off_cpu };

	if (o->measures || o->far)
		return o->measures | (o->far ? MEASURES_FAR : 0);
	if (x->diff.of_sides)
		return x->diff.measures;
	if (o->states || o->syscalls)
		return MEASURES_OFF_CPU;
	if (*waits[DIFF_BEFORE] != *waits[DIFF_AFTER])
		fprintf(stderr, "sberf diff: there are no waits in '%s': running time is compared\n",
			s->path[*waits[DIFF_BEFORE] ? DIFF_AFTER : DIFF_BEFORE]);
	return *waits[DIFF_BEFORE] != *waits[DIFF_AFTER] ? MEASURES_ON_CPU : x->diff.measures;
}

/* Without inlined calls where they are asked for and only one side knows them. */
static int choose_inlines(const struct sides *s, const struct options *o, bool *ret_no_inlines, struct err *e)
{
	const struct dict *dict[DIFF_SIDES];
	const struct names *names[DIFF_SIDES];
	int r;

	for (int side = 0; side < DIFF_SIDES; side++) {
		dict[side] = snapshot_dict(s->loaded[side].snapshot);
		names[side] = s->loaded[side].names;
	}
	*ret_no_inlines = o->no_inline;
	r = o->no_inline ? 0 : diff_inlines_differ(dict, names, ret_no_inlines, e);
	if (r >= 0 && !o->no_inline && *ret_no_inlines)
		fputs("sberf diff: debug information was there for one of the recordings only: compared without "
		      "inlined functions\n", stderr);
	return r;
}

/* Narrows Q to the --time of SIDE, which is then what its wall time is. */
static int diff_choose_time(struct sides *s, int side, const struct options *o, struct query *q, struct err *e)
{
	const struct open_recording *l = &s->loaded[side];
	uint64_t from_ns, to_ns;
	struct time_range range;
	int r = o->time ? time_range_parse(o->time, &range, e) : 0;

	if (r < 0 || !o->time)
		return r;
	s->wall_ns[side] = time_range_apply(&range, l->snapshot, &l->meta, q, &from_ns, &to_ns) ? to_ns - from_ns : 0;
	return 0;
}

/* Nothing of SIDE is what Q asks for: which filter is why, when one is. */
static int say_nothing(const struct sides *s, int side, const struct options *o, const struct query *q, struct err *e)
{
	char why[ERR_TEXT_MAX];
	const int r = filter_options_why_nothing(o, q, s->loaded[side].snapshot, s->loaded[side].names, why,
						 sizeof(why), e);

	if (r >= 0)
		fprintf(stderr, "sberf diff: nothing in '%s' is what was asked for%s%s\n", s->path[side],
			r ? ": " : "", r ? why : "");
	return r < 0 ? r : 0;
}

static int diff_build_both(struct sides *s, const struct options *o, const struct exporter *x, struct err *e)
{
	const measure_mask measures = diff_choose_measures(s, o, x);
	bool no_inlines;
	int r;

	if (o->norm != DIFF_BY_TOTAL && (diff_is_imported(s, DIFF_BEFORE) || diff_is_imported(s, DIFF_AFTER)))
		return err_set(e, EINVAL, "what is imported does not say how long anything took: only --normalize "
			       "total compares it");
	r = choose_inlines(s, o, &no_inlines, e);
	if (r < 0)
		return r;
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct open_recording *l = &s->loaded[side];
		struct query q;

		r = filter_options_query(o, l->meta.arch, &q, e);
		if (r >= 0)
			r = diff_choose_time(s, side, o, &q, e);
		if (r < 0)
			return r;
		q.measures = l->meta.unit[0] ? 0 : measures;
		q.no_inlines = no_inlines;
		q.max_nodes = UINT32_MAX;
		q.group_by = o->group_given ? o->group_by : x->diff.group_by;
		r = tree_build(l->snapshot, l->names, &q, &s->tree[side], e);
		if (r < 0)
			return r;
		if (!s->tree[side]->node[0].total_ns && !x->diff.of_sides)
			r = say_nothing(s, side, o, &q, e);
		if (r < 0)
			return r;
		if (o->norm == DIFF_BY_WALL && !s->wall_ns[side])
			return err_set(e, EINVAL, "'%s' does not say how long it was recorded: choose another "
				       "--normalize", s->path[side]);
	}
	return diff_build(s->tree[DIFF_BEFORE], s->tree[DIFF_AFTER], o->norm, s->wall_ns, &s->diff, e);
}

/* The file that is written is called like a format of one profile. */
static int diff_check_name(const struct options *o, struct err *e)
{
	if (o->format || !o->output || exporter_of_file(EXPORT_BY_DIFF, o->output) ||
	    !exporter_of_file(EXPORT_BY_REPORT, o->output))
		return 0;
	return err_set(e, EINVAL, "'%s' is called like a format that has no room for two recordings: choose another "
		       "name, or --format", o->output);
}

/* SIDE as a report has it. */
static struct export_view diff_side_view(const struct sides *s, int side, const struct options *o)
{
	const struct open_recording *l = &s->loaded[side];

	return (struct export_view){ .snapshot = l->snapshot, .names = l->names, .meta = &l->meta,
				     .query = s->tree[side]->query, .ascii = o->ascii };
}

static int write_diff(const struct sides *s, const struct options *o, const struct exporter *x, struct err *e)
{
	const struct export_view of[DIFF_SIDES] = {
		diff_side_view(s, DIFF_BEFORE, o), diff_side_view(s, DIFF_AFTER, o),
	};
	const struct diff_view v = {
		.of = { &of[DIFF_BEFORE], &of[DIFF_AFTER] }, .diff = s->diff, .name = { o->before, o->after },
			.wall_ns = { s->wall_ns[DIFF_BEFORE], s->wall_ns[DIFF_AFTER] },
		.min_percent = o->percent_limit, .max_depth = o->depth, .ascii = o->ascii, .title = o->title,
		/* 0 asks for all that there is, not for the default. */
		.flame = { .min_width = o->min_width > 0 ? o->min_width : 0.001, .upwards = o->upwards,
			   .no_script = o->no_script },
	};
	const int read = o->output && diff_same_file(o->output, s->path[DIFF_AFTER]) ? DIFF_AFTER : DIFF_BEFORE;
	struct progress progress;
	struct outfile out;
	int r = outfile_open(&out, o->output, s->path[read], e);

	if (r < 0)
		return r;
	progress_begin(&progress, "sberf diff: writing", 0);
	(void)outfile_follow(&out, &progress);
	r = outfile_close(&out, x->diff.write(out.file, &v, e), e);
	progress_end(&progress);
	return r;
}

/* EXIT_GREW with a sentence when a function grew by more than --fail-above, else 0. */
static int diff_judge_all(const struct sides *s, const struct options *o, struct err *e)
{
	AUTO_FREE struct diff_func *f = NULL;
	struct diff_growth g;
	char label[LABEL_MAX];
	size_t n;
	int r;

	/* A gate whose filters match nothing would be passed for ever. */
	if (!s->tree[DIFF_BEFORE]->node[0].total_ns && !s->tree[DIFF_AFTER]->node[0].total_ns)
		return err_set(e, ENODATA, "--fail-above has nothing to compare: neither recording has what "
			       "was asked for; "
			       "look at the filters, such as --focus and --metric");
	r = diff_functions(s->diff, &f, &n, e);
	if (r < 0)
		return r;
	g = diff_grown(s->diff, f, n, o->fail_above / 100);
	if (!g.func)
		return 0;
	diff_label(s->diff, g.func->what, label, sizeof(label));
	err_set(e, ERANGE, "%.*s %s %.1f points more than before: %.1f %% instead of %.1f %%, with an error of %.1f; "
		"--fail-above allows %g",
		(int)text_whole(label, strnlen(label, 200)), label, g.self ? "itself takes" : "and what it calls take",
		100 * g.change.change, 100 * g.change.after, 100 * g.change.before,
		100 * DIFF_Z * g.change.sigma, o->fail_above);
	return EXIT_GREW;
}

static void sides_free(struct sides *s)
{
	diff_free(s->diff);
	for (int side = 0; side < DIFF_SIDES; side++) {
		tree_free(s->tree[side]);
		open_recording_free(&s->loaded[side]);
	}
}

int cmd_diff(const struct options *o, struct err *e)
{
	struct sides s = { .path = { open_recording_path(o->before), open_recording_path(o->after) } };
	const struct exporter *x = options_exporter(o, EXPORT_BY_DIFF);
	int r = diff_check_name(o, e);

	if (r >= 0)
		r = diff_load(&s, o, e);
	if (r >= 0)
		r = diff_build_both(&s, o, x, e);
	if (r >= 0)
		r = write_diff(&s, o, x, e);
	if (r >= 0 && o->fail_given)
		r = diff_judge_all(&s, o, e);
	sides_free(&s);
	return r;
}
