/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.c - sberf's own JSON: everything that other formats have no place for, under names that
 * stay. docs/json-format.md describes it, docs/sberf-profile.schema.json says it to programs.
 *
 * The tree is a list of nodes that name their parent by its place, not objects in objects: parsers
 * of JSON have limits of depth that real stacks pass.
 */
#include "config.h"

#include "export/json.h"

#include "export/diff_view.h"
#include "export/exporter.h"
#include "export/figures.h"
#include "export/memoryhead.h"
#include "model/probes.h"
#include "query/filter.h"
#include "query/label.h"

#include <stdio.h>
#include <string.h>

#define JSON_VERSION 1

static json_t *figure_value(const struct figure *f)
{
	double scale = 1;

	for (unsigned int i = 0; i < f->digits; i++)
		scale *= 10;
	switch (f->type) {
	case FIGURE_NUMBER:
		return jsonout_u64(f->v);
	case FIGURE_FIXED:
		return json_real((double)f->v / scale);
	case FIGURE_FLAG:
		return json_boolean(f->v);
	case FIGURE_TEXT:
		return jsonout_string(f->text);
	default:
		return json_null();
	}
}

static void json_put_figure(void *ctx, const struct figure *f)
{
	jsonout_put(ctx, f->name, figure_value(f));
}

/* "figures", "question": the figures of the profile, and the query that made T. */
static void json_put_figures(struct jsonout *j, const struct export_view *v)
{
	struct err none = ERR_INIT;

	jsonout_begin(j, "figures", '{');
	if (figures_each(v->meta, v->snapshot, v->names, json_put_figure, j, &none) < 0)
		j->no_memory = true;
	jsonout_end(j, '}');
}

char *json_key(const struct measure *m, const char *of, char dst[JSON_KEY_MAX])
{
	static const char *const behind[UNIT_NR] = { [UNIT_TIME] = "_ns", [UNIT_BYTES] = "_bytes", [UNIT_COUNT] = "",
						     [UNIT_OWN] = "" };

	snprintf(dst, JSON_KEY_MAX, "%s%s%s", of, m->json, behind[m->unit]);
	return dst;
}

/* What was asked for: parts of wall time also where what is chosen leaves them out. */
static json_t *metrics_of(struct jsonout *j, const struct tree *t)
{
	const measure_mask asked = t->query.measures ? t->query.measures : MEASURES_WALL;
	const struct measure_set set = measure_set(asked, t->query.lead);
	json_t *list = json_array();

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_in(&set, place);

		if (m && m->unit != UNIT_OWN)
			jsonout_append(j, list, json_string(m->json));
	}
	return list;
}

static json_t *states_of(struct jsonout *j, const struct query *q)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < WAIT_STATE_NR; i++)
		if (q->states >> i & 1)
			jsonout_append(j, list, json_string(wait_state_name(i)));
	return list;
}

static json_t *calls_of(struct jsonout *j, const struct query *q)
{
	char name[CALL_NAME_MAX];
	json_t *list = json_array();

	for (uint32_t i = 0; i < q->nr_calls && i < QUERY_CALLS_MAX; i++)
		jsonout_append(j, list, jsonout_string(call_name(q->calls[i], q->arch, name)));
	return list;
}

static json_t *nodes_of(struct jsonout *j, const struct query *q)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < NODES_MAX; i++)
		if (!nodeset_empty(&q->nodes) && nodeset_has(&q->nodes, i))
			jsonout_append(j, list, json_integer((json_int_t)i));
	return list;
}

/* The pattern of the threads asked for, when there is one such term. */
static json_t *json_thread_of(const struct query *q)
{
	const char *text = NULL;
	unsigned int n = 0;

	for (uint32_t i = 0; i < q->terms.n; i++) {
		if (q->terms.v[i].what == TERM_THREAD && !q->terms.v[i].not && !n++)
			text = q->terms.v[i].text;
	}
	return n == 1 ? jsonout_text(text, strlen(text)) : json_null();
}

static json_t *filters_of(struct jsonout *j, const struct query *q)
{
	json_t *list = json_array();
	char text[TERM_WRITTEN_MAX];

	for (uint32_t i = 0; i < q->terms.n; i++) {
		term_text(&q->terms.v[i], text);
		jsonout_append(j, list, jsonout_text(text, strlen(text)));
	}
	return list;
}

static json_t *span_limit_of(const struct span_limit *l)
{
	char percent[8];

	if (!l->percent)
		return l->ns ? jsonout_u64(l->ns) : json_null();
	snprintf(percent, sizeof(percent), "p%u", l->percent);
	return json_string(percent);
}

/* Of which calls it is the inside or the outside. */
static json_t *span_of(struct jsonout *j, const struct query *q)
{
	static const char *const places[] = {
		[SPAN_ALL] = "all", [SPAN_INSIDE] = "inside", [SPAN_OUTSIDE] = "outside",
	};
	const struct measure *m = probes_measure(q->span - 1u);
	json_t *o = json_object();

	jsonout_set(j, o, "probe", jsonout_string(m ? m->name : ""));
	jsonout_set(j, o, "where", json_string(places[q->span_where]));
	jsonout_set(j, o, "above", span_limit_of(&q->span_from));
	jsonout_set(j, o, "below", span_limit_of(&q->span_to));
	return o;
}

static void json_put_question(struct jsonout *j, const struct tree *t)
{
	const struct query *q = &t->query;
	static const char *const groups[] = {
		[GROUP_NONE] = "none", [GROUP_PROCESS] = "process", [GROUP_EXE] = "exe", [GROUP_COMM] = "comm",
		[GROUP_THREAD] = "thread", [GROUP_CGROUP] = "cgroup",
		[GROUP_CONTAINER] = "container", [GROUP_HOST] = "host",
	};
	json_t *o = json_object();

	jsonout_set(j, o, "metrics", metrics_of(j, t));
	jsonout_set(j, o, "states", states_of(j, q));
	jsonout_set(j, o, "syscalls", calls_of(j, q));
	jsonout_set(j, o, "nodes", nodes_of(j, q));
	jsonout_set(j, o, "thread", json_thread_of(q));
	jsonout_set(j, o, "filters", filters_of(j, q));
	jsonout_set(j, o, "group_by", json_string(groups[q->group_by]));
	jsonout_set(j, o, "by_node", json_boolean(q->by_node));
	if (q->span)
		jsonout_set(j, o, "span", span_of(j, q));
	jsonout_set(j, o, "inverted", json_boolean(q->inverted));
	jsonout_set(j, o, "kernel", json_boolean(!q->hide_kernel));
	jsonout_set(j, o, "libraries", json_boolean(!q->hide_libraries));
	jsonout_set(j, o, "scripts", json_string(q->scripts == SCRIPTS_ONLY ? "only" :
						 q->scripts == SCRIPTS_NATIVE ? "native" : "both"));
	jsonout_set(j, o, "recursion_folded", json_boolean(q->fold_recursion));
	jsonout_set(j, o, "inlined", json_boolean(!q->no_inlines));
	jsonout_set(j, o, "idle_folded", json_boolean(q->fold_idle));
	jsonout_set(j, o, "far", json_boolean(measure_lead(&t->set) == measure_get(MEASURE_FAR)));
	jsonout_set(j, o, "from_ns", q->from_ns ? jsonout_u64(q->from_ns) : json_null());
	jsonout_set(j, o, "to_ns", q->to_ns ? jsonout_u64(q->to_ns) : json_null());
	jsonout_put(j, "question", o);
}

/*
 * "modules", "threads": the dictionaries, by id, so that other members refer to them by index;
 * threads with their amounts of what T counts.
 */
static void json_put_modules(struct jsonout *j, const struct dict *d)
{
	static const char *const kinds[] = {
		[MODULE_FILE] = "file", [MODULE_VDSO] = "vdso", [MODULE_KERNEL] = "kernel", [MODULE_ANON] = "anonymous",
		[MODULE_NOTE] = "note", [MODULE_SCRIPT] = "script",
	};
	const struct strtab *strings = dict_strings(d);

	jsonout_begin(j, "modules", '[');
	for (module_id id = 0; id < dict_modules(d); id++) {
		const struct module *m = dict_get_module(d, id);
		json_t *o = json_pack("{s:s}", "kind", kinds[m->kind]);
		char hex[2 * BUILD_ID_MAX + 1];

		if (strtab_len(strings, m->path))
			jsonout_set(j, o, "path", jsonout_text(strtab_get(strings, m->path),
							       strtab_len(strings, m->path)));
		label_build_id(m, hex);
		if (hex[0])
			jsonout_set(j, o, "build_id", json_string(hex));
		jsonout_set_some(j, o, "pid", (uint64_t)m->pid);
		jsonout_put(j, NULL, o);
	}
	jsonout_end(j, ']');
}

struct thread_sum {
	uint64_t value[MEASURES_ASKED], count;
};

/* What each thread has of what Q asks for, by id; NULL when out of memory. */
static struct thread_sum *sum_threads(const struct export_view *v, const struct query *q, uint32_t n)
{
	struct thread_sum *sums = calloc(n + 1ul, sizeof(*sums));
	struct asked a = { 0 };
	struct filter f;
	bool ok = filter_init(&f, v->snapshot, v->names, q) && sums;

	while (ok && filter_next(&f, &a)) {
		struct thread_sum *to = &sums[a.fact->thread];
		const unsigned int places = filter_places(&f, a.fact);

		for (unsigned int place = 0; place < MEASURES_ASKED; place++)
			to->value[place] += places >> place & 1 ?
				measure_value(&f.set, place, a.fact->weight, a.fact->count) : 0;
		to->count += a.is & FACT_COUNTS && places & f.set.lead ? a.fact->count : 0;
	}
	filter_free(&f);
	return ok ? sums : (free(sums), NULL);
}

static void set_string(struct jsonout *j, json_t *o, const char *key, const struct dict *d, str_id id)
{
	const struct strtab *strings = dict_strings(d);

	if (strtab_len(strings, id))
		jsonout_set(j, o, key, jsonout_text(strtab_get(strings, id), strtab_len(strings, id)));
}

static void set_sum(struct jsonout *j, json_t *o, const struct thread_sum *sum, const struct measure_set *set)
{
	char key[JSON_KEY_MAX];

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_column(set, place);

		if (m && sum->value[place])
			jsonout_set(j, o, m->unit == UNIT_OWN ? "total" : json_key(m, "", key),
				    jsonout_amount(m, sum->value[place]));
	}
	jsonout_set_some(j, o, "count", sum->count);
}

static void json_put_threads(struct jsonout *j, const struct export_view *v, const struct tree *t)
{
	const struct dict *d = snapshot_dict(v->snapshot);
	const uint32_t n = dict_threads(d);
	AUTO_FREE struct thread_sum *sums = sum_threads(v, &t->query, n);

	jsonout_begin(j, "threads", '[');
	for (thread_id id = 0; sums && id < n; id++) {
		const struct thread *thread = dict_get_thread(d, id);
		json_t *o = json_pack("{s:i, s:i}", "pid", (int)thread->pid, "tid", (int)thread->tid);

		jsonout_set_some(j, o, "pid_inside", (uint64_t)thread->pid_inside);
		jsonout_set_some(j, o, "tid_inside", (uint64_t)thread->tid_inside);
		set_string(j, o, "name", d, thread->comm);
		set_string(j, o, "exe", d, thread->exe);
		set_string(j, o, "cgroup", d, thread->cgroup);
		if (thread->container)
			set_string(j, o, "container", d, thread->container);
		if (thread->image)
			set_string(j, o, "image", d, thread->image);
		/* That of all of them stands with the figures. */
		if (thread->host && strcmp(strtab_get(dict_strings(d), thread->host), v->meta->host) != 0)
			set_string(j, o, "host", d, thread->host);
		set_sum(j, o, &sums[id], &t->set);
		jsonout_put(j, NULL, o);
	}
	jsonout_end(j, ']');
	if (!sums)
		j->no_memory = true;
}

/* What is about waits, nodes, probes and memory; nothing of what there is nothing known of. */
static int json_put_lists(struct jsonout *j, const struct export_view *v, const struct tree *t, struct err *e)
{
	const struct query *q = &t->query;
	AUTO(waits_free) struct waits *w = NULL;
	AUTO(numa_view_free) struct numa_view *n = NULL;
	AUTO(probe_report_free) struct probe_report *p = NULL;
	AUTO(leaks_free) struct leaks *l = NULL;
	AUTO(memory_history_free) struct memory_history *h = NULL;
	const struct leaks_wish wish = leaks_wish_of(v);
	int r = v->meta->off_cpu && measure_set_is_wall(&t->set) ? waits_build(v->snapshot, v->names, q, &w, e) : 0;

	if (r >= 0 && snapshot_numa(v->snapshot))
		r = numa_view_build(v->snapshot, v->names, q, &n, e);
	if (r >= 0 && probes_count())
		r = probe_report_build(v->snapshot, v->names, q, &p, e);
	if (r >= 0 && (snapshot_has(v->snapshot, EVENT_ALLOC) || snapshot_has(v->snapshot, EVENT_GROWN) ||
		       snapshot_has(v->snapshot, EVENT_SIZE)))
		r = leaks_build(v->snapshot, v->names, q, &wish, &l, e);
	if (r >= 0 && l)
		r = memory_history_build(v->snapshot, v->names, q, &h, e);
	if (r < 0)
		return r;
	if (w)
		json_put_waits(j, w);
	if (n)
		json_put_nodes(j, n);
	if (p)
		json_put_probes(j, p);
	if (l)
		json_put_memory(j, l, h);
	return 0;
}

/* Which document of several it is, and what the target does. */
static void put_live(struct jsonout *j, const struct export_view *v)
{
	static const char *const states[] = {
		[TARGET_WAITING] = "waiting", [TARGET_RUNNING] = "running", [TARGET_EXITED] = "exited",
		[TARGET_KILLED] = "killed", [TARGET_ENDED] = "ended",
	};
	const enum target_state state = v->meta->target_state;
	json_t *o = json_object();

	jsonout_set(j, o, "document", jsonout_u64(v->live->document));
	jsonout_set(j, o, "target_state", json_string(states[state]));
	if (state == TARGET_EXITED || state == TARGET_KILLED)
		jsonout_set(j, o, state == TARGET_EXITED ? "status" : "signal", json_integer(v->meta->end_code));
	jsonout_put(j, "live", o);
}

static int json_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	const struct measure *lead = measure_lead(&t->set);
	struct jsonout j = { .o.file = out };
	int r;

	jsonout_begin(&j, NULL, '{');
	jsonout_put(&j, "format", json_string("sberf-profile"));
	jsonout_put(&j, "version", json_integer(JSON_VERSION));
	jsonout_put(&j, "unit", jsonout_string(lead->unit == UNIT_OWN ? v->meta->unit : measure_unit_name(lead->unit)));
	if (v->live)
		put_live(&j, v);
	json_put_figures(&j, v);
	json_put_question(&j, t);
	json_put_modules(&j, snapshot_dict(v->snapshot));
	json_put_threads(&j, v, t);
	json_put_tree(&j, t);
	r = json_put_lists(&j, v, t, e);
	if (r < 0)
		return r;
	jsonout_end(&j, '}');
	return jsonout_finish(&j, "the profile as JSON", e);
}

const struct exporter exporter_json = {
	.name = "json", .extensions = "json",
	.about = "everything, for scripts; docs/json-format.md of the source describes it for people, and "
		"docs/sberf-profile.schema.json for programs. The unit of what is imported and is not time is named",
	.reads = EXPORT_TREE, .group_by = GROUP_PROCESS,
	.write = json_write,
	.diff = {
		.about = "functions and the call tree with what each took before and after, the change, and by how "
			"much it may be off, for scripts; docs/json-format.md of the source describes it for "
			"people, and docs/sberf-diff.schema.json for programs",
		.group_by = GROUP_PROCESS,
		.write = export_diff_json,
	},
	.batch = {
		.name = "json",
		.about = "one object after the other. Each is complete, as sberf report --format json writes "
		"it, and has one "
			"member more, which says which document it is and how the target is. "
			"docs/json-format.md of the "
			"source describes it",
	},
};
