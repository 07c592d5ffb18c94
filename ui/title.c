/* SPDX-License-Identifier: BSD-2-Clause */
/* title.c - builds the title of a pane: kinds of time, grouping, filters. */
#include "config.h"

#include "ui/title.h"

#include "base/text.h"
#include "base/units.h"
#include "model/probes.h"
#include "query/spandiff.h"
#include "ui/panes/numaview.h"
#include "ui/text_builder.h"

#include <string.h>

static struct measure_set title_asked(const struct query *q)
{
	return measure_set(q->measures ? q->measures : MEASURES_WALL, q->lead);
}

unsigned int title_kinds(const struct query *q)
{
	const struct measure_set set = title_asked(q);
	unsigned int places = 0;

	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		places |= (unsigned int)(measure_in(&set, place) != NULL) << place;
	if (query_only_waits(q) && set.at[TIME_RUNNING] == MEASURE_RUNNING)
		places &= ~(1u << TIME_RUNNING);
	return measure_set_is_wall(&set) || places != set.lead ? places : 0;
}

unsigned int title_columns(const struct query *q, bool off_cpu)
{
	return off_cpu || q->measures & ~MEASURES_WALL ? title_kinds(q) : 0;
}

/* What is counted: KINDS of time, or another measure; OWN is what an import calls its. */
static void put_measures(struct text_builder *w, const struct query *q, unsigned int kinds, const char *own)
{
	const struct measure_set set = title_asked(q);
	char text[TITLE_MAX];

	if (q->measures & ~MEASURES_WALL)
		text_builder_put(w, "%s", measure_set_title(&set, own, text, sizeof(text)));
	else
		text_builder_put(w, "%s", own && own[0] ? own : measure_wall_title(kinds));
}

static void title_put_states(struct text_builder *w, uint32_t states)
{
	const char *before = TEXT_BUILDER_DOT "state ";

	for (unsigned int s = 0; s < 32; s++) {
		if (states & 1u << s) {
			text_builder_put(w, "%s%s", before, wait_state_name(s));
			before = ",";
		}
	}
}

static void put_calls(struct text_builder *w, const struct query *q)
{
	char name[CALL_NAME_MAX];

	for (uint32_t i = 0; i < q->nr_calls && i < QUERY_CALLS_MAX; i++)
		text_builder_put(w, "%s%s", i ? "," : TEXT_BUILDER_DOT "in ", call_name(q->calls[i], q->arch, name));
}

/* " . node 1", " . nodes 0-1,3" */
static void title_put_nodes(struct text_builder *w, const struct nodeset *s)
{
	const char *before = "";

	if (nodeset_empty(s))
		return;
	text_builder_put(w, numaview_only(s) >= 0 ? TEXT_BUILDER_DOT "node " : TEXT_BUILDER_DOT "nodes ");
	for (unsigned int i = 0, last; i < NODES_MAX; i = last + 1) {
		last = i;
		if (!nodeset_has(s, i))
			continue;
		while (nodeset_has(s, last + 1))
			last++;
		text_builder_put(w, last > i ? "%s%u-%u" : "%s%u", before, i, last);
		before = ",";
	}
}

/* " above p99", " above 10.0 ms" */
static void title_put_limit(struct text_builder *w, const char *word, const struct span_limit *l)
{
	char ns[UNITS_MAX];

	if (l->percent)
		text_builder_put(w, " %s p%u", word, l->percent);
	else if (l->ns)
		text_builder_put(w, " %s %s", word, units_time(ns, l->ns));
}

char *title_span(const struct query *q, char *dst, size_t size)
{
	const struct measure *m = q->span ? probes_measure(q->span - 1u) : NULL;
	struct text_builder w = text_builder_in(dst, size);

	if (!m)
		return dst;
	text_builder_put(&w, "%s%s", q->span_where == SPAN_OUTSIDE ? "outside " : q->span_where == SPAN_INSIDE ?
			 "inside " : "by ", m->name);
	title_put_limit(&w, "above", &q->span_from);
	title_put_limit(&w, "below", &q->span_to);
	if (span_is_compared(q))
		text_builder_put(&w, " against %s", span_side_name(q, DIFF_BEFORE));
	return dst;
}

static void put_filters(struct text_builder *w, const struct query *q, const struct ui_options *o)
{
	char least[UNITS_MAX], span[TITLE_MAX];

	if (q->span)
		text_builder_put(w, TEXT_BUILDER_DOT "%s", title_span(q, span, sizeof(span)));
	title_put_nodes(w, &q->nodes);
	title_put_states(w, q->states);
	put_calls(w, q);
	if (o->min_block_ns)
		text_builder_put(w, TEXT_BUILDER_DOT "waits from %s", units_time(least, o->min_block_ns));
}

/* Which frames are left out. */
static void put_hidden(struct text_builder *w, const struct query *q)
{
	if (q->hide_kernel)
		text_builder_put(w, TEXT_BUILDER_DOT "no kernel");
	if (q->hide_libraries)
		text_builder_put(w, TEXT_BUILDER_DOT "no libraries");
	if (q->scripts)
		text_builder_put(w, TEXT_BUILDER_DOT "%s", q->scripts == SCRIPTS_ONLY ? "Python alone" : "no Python");
	if (q->no_inlines)
		text_builder_put(w, TEXT_BUILDER_DOT "no inlined");
	if (q->fold_recursion)
		text_builder_put(w, TEXT_BUILDER_DOT "recursion folded");
}

char *title_tree(const struct query *q, unsigned int kinds, const struct ui_options *o, char *dst, size_t size)
{
	static const char *const groups[] = { "all together", "by process", "by executable",
					      "by command name", "by thread", "by cgroup", "by container",
					      "by host" };
	struct text_builder w = text_builder_in(dst, size);

	put_measures(&w, q, kinds, o->unit);
	text_builder_put(&w, TEXT_BUILDER_DOT "%s%s%s", q->by_node ? "by node, " : "",
		  groups[q->group_by], q->inverted ? TEXT_BUILDER_DOT "inverted" : "");
	if (q->holders)
		text_builder_put(&w, TEXT_BUILDER_DOT "holders");
	put_hidden(&w, q);
	put_filters(&w, q, o);
	return dst;
}

char *title_funcs(const struct query *q, unsigned int kinds, const struct flatlist *funcs, const struct ui_options *o,
		  char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char all[UNITS_MAX], some[UNITS_MAX];

	if (funcs->shown < funcs->known)
		text_builder_put(&w, "%s of ", units_thousands(some, funcs->shown));
	text_builder_put(&w, "%s function%s" TEXT_BUILDER_DOT, units_thousands(all, funcs->known),
			 funcs->known == 1 ? "" : "s");
	put_measures(&w, q, kinds, NULL);
	put_hidden(&w, q);
	put_filters(&w, q, o);
	return dst;
}

char *title_list(const struct query *q, unsigned int kinds, uint32_t n, const char *noun,
		 const struct ui_options *o, char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char all[UNITS_MAX];

	text_builder_put(&w, "%s %s%s" TEXT_BUILDER_DOT, units_thousands(all, n), noun, n == 1 ? "" : "s");
	put_measures(&w, q, kinds, NULL);
	put_filters(&w, q, o);
	return dst;
}

char *title_waits(const struct query *q, uint64_t idle_ns, const struct ui_options *o, char *dst, size_t size)
{
	const measure_mask kinds = q->measures & MEASURES_OFF_CPU;
	struct text_builder w = text_builder_in(dst, size);
	char idle[UNITS_MAX];

	text_builder_put(&w, "waits%s", kinds == MEASURE_BIT(MEASURE_BLOCKED) ? TEXT_BUILDER_DOT "blocked" :
		  kinds == MEASURE_BIT(MEASURE_RUNNABLE) ? TEXT_BUILDER_DOT "run queue" : "");
	if (q->by_node)
		text_builder_put(&w, TEXT_BUILDER_DOT "by node");
	if (idle_ns)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s%s idle%s", q->fold_idle ? "" : "with ",
			  units_time(idle, idle_ns), q->fold_idle ? " hidden" : "");
	put_filters(&w, q, o);
	return dst;
}

char *title_locks(const struct query *q, const struct locks *l, uint32_t deadlocks, const struct ui_options *o,
		  char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char n[UNITS_MAX];

	text_builder_put(&w, "%s lock%s", units_thousands(n, l->nr_locks), l->nr_locks == 1 ? "" : "s");
	if (deadlocks)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s deadlock%s", units_thousands(n, deadlocks),
				 deadlocks == 1 ? "" : "s");
	put_filters(&w, q, o);
	return dst;
}

char *title_probes(const struct query *q, uint32_t n, const struct ui_options *o, char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char all[UNITS_MAX];

	text_builder_put(&w, "%s probe%s", units_thousands(all, n), n == 1 ? "" : "s");
	put_filters(&w, q, o);
	return dst;
}

char *title_memory(const struct query *q, const struct leaks *l, const struct ui_options *o, char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char bytes[UNITS_MAX];

	text_builder_put(&w, "memory");
	if (l->n)
		text_builder_put(&w, l->all.grown ? TEXT_BUILDER_DOT "%s grown" : TEXT_BUILDER_DOT "%s allocated",
				 units_bytes(bytes, l->all.allocated));
	if (l->n && !l->all.unfollowed)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s in use", units_bytes(bytes, l->all.in_use));
	else if (l->n && l->unfollowed_ns)
		text_builder_put(&w, TEXT_BUILDER_DOT "not followed since %s", units_time(bytes, l->unfollowed_ns));
	put_filters(&w, q, o);
	return dst;
}

/* How full a title of the view by node is. */
enum form {
	FORM_WEIGHED,            /* with what is far weighed by distance, too */
	FORM_FULL,
	FORM_SHORT,
	FORM_BRIEF,              /* no distances any more */
	FORM_LEAST,
	FORMS
};

/* How many nodes there are, and how far apart. */
static void put_topology(struct text_builder *w, const struct numa_view *v, enum form form)
{
	char distances[64], n[UNITS_MAX];

	text_builder_put(w, "numa");
	if (form >= FORM_LEAST || !v->nr_nodes)
		return;
	text_builder_put(w, TEXT_BUILDER_DOT "%s node%s", units_thousands(n, v->nr_nodes), v->nr_nodes == 1 ? "" : "s");
	if (v->state && v->nr_nodes > 1 && form < FORM_BRIEF)
		text_builder_put(w, ", distances %s",
				 topology_distances(&v->state->topology, distances, sizeof(distances)));
}

static void title_put_far(struct text_builder *w, const struct numa_view *v, enum form form)
{
	const uint64_t n = v->all.near_count + v->all.far_count;
	const char *plural = n == 1 ? "" : "s";
	char far[UNITS_MAX], weighed[UNITS_MAX], count[UNITS_MAX];

	units_percent(far, v->far_share);
	units_thousands(count, n);
	if (!n)
		text_builder_put(w, form < FORM_LEAST ? TEXT_BUILDER_DOT "no accesses sampled" : "");
	else if (v->nr_nodes <= 1)
		text_builder_put(w, TEXT_BUILDER_DOT "%s addressed sample%s", count, plural);
	else if (form >= FORM_SHORT)
		text_builder_put(w, TEXT_BUILDER_DOT "far ~%s of %s%s%s", far, count,
			  form == FORM_SHORT ? " sample" : "", form == FORM_SHORT ? plural : "");
	else if (form == FORM_FULL || !v->all.far_ns)
		text_builder_put(w, TEXT_BUILDER_DOT "far accesses ~%s of %s addressed sample%s", far, count, plural);
	else
		text_builder_put(w, TEXT_BUILDER_DOT "far accesses ~%s, by distance ~%s, of %s addressed sample%s", far,
			  units_percent(weighed, v->far_weighed), count, plural);
}

char *title_numa(const struct numa_view *v, int cols, const struct ui_options *o, char *dst, size_t size)
{
	struct text_builder w;

	for (unsigned int form = 0; form < FORMS; form++) {
		w = text_builder_in(dst, size);
		put_topology(&w, v, (enum form)form);
		title_put_far(&w, v, (enum form)form);
		put_filters(&w, &v->query, o);
		if (text_width(dst, w.n) <= (size_t)(cols > 0 ? cols : 0))
			break;
	}
	return dst;
}
