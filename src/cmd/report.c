/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - `sberf report`: writes a recording in any format (export/exporter.h), or shows it in
 * the terminal view.
 */
#include "config.h"

#include "base/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/filter_options.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "cmd/report_critical.h"
#include "cmd/report_spans.h"
#include "query/holders.h"
#include "query/timerange.h"
#include "export/exporter.h"
#include "export/outfile.h"
#include "model/probenotes.h"
#include "model/probes.h"
#include "numa/state.h"
#include "session/backends.h"
#include "system/listtext.h"
#include "query/spandiff.h"
#include "ui/ui.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is asked for is about waits, and nobody followed any. */
static void say_no_waits(const struct open_recording *l, const struct options *o, const struct exporter *x)
{
	const bool asked = x->subject == EXPORT_WAITS || o->states || o->syscalls ||
		(o->measures & MEASURES_OFF_CPU && !(o->measures & ~MEASURES_OFF_CPU));

	if (asked && !l->meta.off_cpu)
		fputs("sberf report: there are no waits in this recording: it was made without them\n", stderr);
}

/* What is asked for is where accesses went that were far, and none is. */
static void say_no_accesses(const struct open_recording *l, const struct options *o)
{
	const struct numa_state *numa = snapshot_numa(l->snapshot);

	if (!o->far && o->measures != MEASURES_FAR)
		return;
	if (!snapshot_has(l->snapshot, EVENT_ACCESS))
		fprintf(stderr, "sberf report: there are no accesses to memory in this recording: %s\n",
			numa && numa->sampled ? "no sample gave an address" : "it was made without --numa");
	else if (numa && numa->topology.nr == 1)
		fputs("sberf report: nothing is far in this recording: its machine has one NUMA node\n", stderr);
	else if (numa && !numa->figures.far)
		fputs("sberf report: no access in this recording went to memory of another node\n", stderr);
}

/* Nodes are asked for that the machine did not have. */
static void say_no_nodes(const struct open_recording *l, const struct options *o)
{
	const struct numa_state *numa = snapshot_numa(l->snapshot);
	char nodes[NUMA_LIST_MAX], id[16];
	struct list_text list = list_text(nodes, sizeof(nodes));

	for (uint32_t i = 0; numa && i < numa->topology.nr; i++) {
		snprintf(id, sizeof(id), "%u", (unsigned int)numa->topology.node[i].id);
		list_text_add(&list, id, strlen(id));
	}
	for (size_t i = 0; numa && i < o->nodes.n; i++) {
		if (topology_index(&numa->topology, o->nodes.v[i]) >= 0)
			continue;
		fprintf(stderr, "sberf report: the machine of this recording has no node %u; it has %s\n",
			o->nodes.v[i], nodes);
		return;
	}
}

/* Narrows Q to --time, and says what that is. */
static int report_choose_time(const struct open_recording *l, const struct options *o, struct query *q, struct err *e)
{
	char from[UNITS_MAX], to[UNITS_MAX], all[UNITS_MAX];
	struct time_range range;
	uint64_t from_ns, to_ns;
	int r = time_range_parse(o->time, &range, e);

	if (r < 0)
		return r;
	if (time_range_apply(&range, l->snapshot, &l->meta, q, &from_ns, &to_ns))
		fprintf(stderr, "sberf report: shown: from %s to %s, of %s\n", units_time(from, from_ns),
			units_time(to, to_ns < l->meta.duration_ns ? to_ns : l->meta.duration_ns),
			units_time(all, l->meta.duration_ns));
	else
		fprintf(stderr, "sberf report: nothing was recorded in the time %s, of %s\n", o->time,
			units_time(all, l->meta.duration_ns));
	return 0;
}

/* The options that are among the terms of Q, "--focus and --thread". */
static void name_options(const struct query *q, char *dst, size_t size)
{
	static const char *const names[] = { "--process", "--cgroup", "--thread", "--focus", "--ignore", "--size",
					     "--container", "--host" };
	unsigned int given = 0, left;
	size_t n = 0;

	for (uint32_t i = 0; i < q->terms.n; i++) {
		const struct filter_term *t = &q->terms.v[i];

		given |= 1u << (t->what == TERM_PROCESS ? 0 : t->what == TERM_CGROUP ? 1 : t->what == TERM_THREAD ? 2 :
				t->what == TERM_SIZE ? 5 : t->what == TERM_CONTAINER ? 6 : t->what == TERM_HOST ? 7 :
				t->not ? 4 : 3);
	}
	left = (unsigned int)__builtin_popcount(given);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (given & 1u << i)
			n += text_format(dst + n, size - n, "%s%s", names[i], --left > 1 ? ", " : left ? " and " : "");
}

/* What patterns leave of all that is shown otherwise. */
static int say_share(const struct open_recording *l, const struct query *q, struct err *e)
{
	char share[UNITS_MAX], options[64];
	uint64_t ns, all_ns;
	int r;

	if (!q->terms.n)
		return 0;
	r = query_share(l->snapshot, l->names, q, &ns, &all_ns, e);
	if (r < 0)
		return r;
	name_options(q, options, sizeof(options));
	fprintf(stderr, "sberf report: shown: %s of what is shown without %s\n",
		all_ns ? units_percent(share, (double)ns / (double)all_ns) : "nothing", options);
	return 0;
}

/* What filters leave of what X counts (NULL: the view), and why that is nothing. */
static int say_filters(const struct open_recording *l, const struct options *o, const struct query *q,
		       const struct exporter *x, struct err *e)
{
	struct query asked = *q;
	char why[ERR_TEXT_MAX];
	int r;

	if (x)
		asked.measures = exporter_measures(x, q, l->meta.unit[0]);
	r = say_share(l, &asked, e);
	if (r >= 0)
		r = filter_options_why_nothing(o, &asked, l->snapshot, l->names, why, sizeof(why), e);
	if (r > 0)
		fprintf(stderr, "sberf report: %s\n", why);
	return r < 0 ? r : 0;
}

/* What is asked for: by filters, and by time. */
static int report_ask(const struct open_recording *l, const struct options *o, const struct exporter *x,
		      struct query *q, struct err *e)
{
	int r = filter_options_query(o, l->meta.arch, q, e);

	/* An import counts one thing. */
	if (l->meta.unit[0])
		q->measures = 0;
	if (r >= 0 && o->time)
		r = report_choose_time(l, o, q, e);
	r = r < 0 ? r : report_spans_say(l, q, e);
	return r < 0 ? r : say_filters(l, o, q, x, e);
}

static int write_report(struct open_recording *l, const struct options *o, const struct exporter *x,
			const char *input, struct err *e)
{
	struct export_view v = {
		.snapshot = l->snapshot, .names = l->names, .meta = &l->meta, .ascii = o->ascii,
			.group_given = o->group_given,
		.min_percent = o->percent_limit, .max_depth = o->depth, .each_event = l->twice ? open_recording_events :
		NULL, .source = l, .title = o->title,
		.older_ns = o->older_ns, .min_bytes = o->min_bytes,
		/* 0 asks for all that there is, not for the default. */
		.flame = { .min_width = o->min_width > 0 ? o->min_width : 0.001, .upwards = o->upwards,
			   .no_script = o->no_script },
	};
	struct still still = { .snapshot = l->snapshot, .meta = l->meta, .names = l->names };
	const struct code_access code = code_of_still(&still);
	struct progress progress;
	struct outfile out;
	int r = report_ask(l, o, x, &v.query, e);

	if (r < 0)
		return r;
	v.query.group_by = o->group_by;
	v.code = &code;
	say_no_waits(l, o, x);
	say_no_accesses(l, o);
	say_no_nodes(l, o);
	r = outfile_open(&out, o->output, input, e);
	if (r < 0)
		return r;
	progress_begin(&progress, "sberf report: writing", 0);
	if (outfile_follow(&out, &progress))
		l->writing = &progress;
	r = span_is_compared(&v.query) ? report_spans_compare(out.file, x, &v, e) :
					 exporter_write(out.file, x, &v, e);
	r = outfile_close(&out, r, e);
	progress_end(&progress);
	return r;
}

static int report_show(struct open_recording *l, const struct options *o, struct err *e)
{
	struct ui_options ui = {
		.refresh_ns = o->refresh_ns, .ascii = o->ascii, .no_color = o->no_color, .title = "sberf report",
		.min_block_ns = o->min_block_ns, .unit = l->meta.unit,
		.otherwise = "sberf report --format tree prints text",
	};
	struct still still = { .snapshot = l->snapshot, .meta = l->meta, .names = l->names };
	struct session session = session_from_still(&still);
	int r = report_ask(l, o, NULL, &ui.filter, e);

	filter_options_as_terms(o, &ui.filter);
	return r < 0 ? r : ui_run(&session, &ui, -1, e);
}

/* Nothing is asked for that only a text or a file has. */
static bool for_terminal(const struct options *o)
{
	return !o->format && !o->output && !o->inverted && !o->depth && o->percent_limit <= 0;
}

/* Puts what holders of locks did in the place of waits for locks, where that is asked for. */
static int report_holders(struct open_recording *l, const struct options *o, struct err *e)
{
	int r;

	if (!o->holders && !o->by_holder)
		return 0;
	snapshot_unref(l->snapshot);
	l->snapshot = NULL;
	r = holders_rewrite(l->profile, l->names, l->meta.arch, o->by_holder ? HOLDERS_ALONE : HOLDERS_BELOW, e);
	if (r < 0)
		return r;
	l->snapshot = profile_snapshot(l->profile);
	return l->snapshot ? 0 : err_nomem(e, "the report");
}

/* Puts critical paths in the place of everything, where they are asked for, and what is left to ask in *LEFT. */
static int report_path(struct open_recording *l, const struct options *o, struct options *left, struct err *e)
{
	*left = *o;
	if (!o->critical_path)
		return report_holders(l, o, e);
	left->time = NULL;
	if (!left->measures)
		left->measures = MEASURES_WALL;
	return report_critical(l, o, e);
}

/*
 * What a recording is about that has hits of probes and nothing else, as of `sberf branches --record`; 0 = it has
 * something else, or X, which may be NULL, does not let anything be chosen.
 */
static measure_mask report_probes_alone(const struct open_recording *l, const struct exporter *x)
{
	const struct probe_notes *notes = snapshot_probes(l->snapshot);
	measure_mask mask = 0;

	if (l->meta.unit[0] || (x && x->subject != EXPORT_COUNTED) || !snapshot_has(l->snapshot, EVENT_HIT) ||
	    snapshot_has(l->snapshot, EVENT_SAMPLE) || snapshot_has(l->snapshot, EVENT_BLOCKED))
		return 0;
	for (size_t i = 0; notes && i < notes->probe.n; i++) {
		const measure_mask one = MEASURE_BIT(probes_measure_id(notes->probe.v[i].probe));

		if (measures_fit(mask | one))
			mask |= one;
	}
	return mask;
}

int cmd_report(const struct options *o, struct err *e)
{
	const char *input = open_recording_path(o->input);
	const struct exporter *x = options_exporter(o, EXPORT_BY_REPORT);
	struct open_recording l = { .twice = !o->import && (x->reads == EXPORT_EVENTS || o->critical_path) };
	const bool shown = for_terminal(o) && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	const struct sandbox_reading keeps = { .writes = { o->output }, .stays = shown || x->opens_code };
	struct options left;
	int r;

	l.keeps = &keeps;
	r = open_recording(&l, input, o, e);
	if (r >= 0)
		r = report_path(&l, o, &left, e);
	if (r >= 0 && !left.measures)
		left.measures = report_probes_alone(&l, for_terminal(o) ? NULL : x);
	if (r >= 0 && shown)
		r = report_show(&l, &left, e);
	else if (r >= 0)
		r = write_report(&l, &left, x, input, e);
	open_recording_free(&l);
	return r;
}
