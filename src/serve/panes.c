/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * panes.c - the table of panes, and those that are no report: they ask the same queries, and print the same columns,
 * as the panes of the terminal.
 */
#include "config.h"

#include "serve/panes.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/units.h"
#include "export/exporter.h"
#include "export/jsonout.h"
#include "export/lockstext.h"
#include "model/probes.h"
#include "query/flatcolumns.h"
#include "query/flatlist.h"
#include "query/lockcolumns.h"
#include "query/locks.h"
#include "query/threadlist.h"
#include "query/waitcolumns.h"
#include "query/waits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a page asks for: idle waits are one row, but where nothing else is asked for. */
static struct query page_query(const struct export_view *v)
{
	struct query q = v->query;

	q.fold_idle = !query_only_inside(&q);
	q.max_nodes = SERVE_TREE_NODES;
	return q;
}

/* The call tree */

int serve_tree(struct flame *ret, const struct export_view *v, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct export_view with_tree = *v;
	int r;

	*ret = (struct flame){ 0 };
	with_tree.query = page_query(v);
	if (!v->group_given)
		with_tree.query.group_by = GROUP_PROCESS;
	with_tree.query.unsorted = true;
	r = tree_build(v->snapshot, v->names, &with_tree.query, &t, e);
	if (r < 0)
		return r;
	with_tree.tree = t;
	return flame_of(ret, &with_tree, e);
}

static int tree_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	struct flame f;
	int r = serve_tree(&f, v, e);

	if (r < 0)
		return r;
	fputs("\"flame\":", out);
	r = flame_viewer_data(out, &f, &v->flame, e);
	flame_free(&f);
	return r;
}

/* Lists */

static void list_begin(struct jsonout *j, const char *name)
{
	fputs("\"list\":", j->o.file);
	jsonout_begin(j, NULL, '{');
	jsonout_begin(j, "columns", '[');
	jsonout_put(j, NULL, json_string(name));
}

static void list_begin_rows(struct jsonout *j)
{
	jsonout_end(j, ']');
	jsonout_begin(j, "rows", '[');
}

/* Of N rows ROWS at most are there; the first TEXTS columns behind the names are words, not figures. */
static int list_end(struct jsonout *j, uint64_t n, uint64_t rows, unsigned int texts, struct err *e)
{
	jsonout_put(j, "more", jsonout_u64(n > rows ? n - rows : 0));
	jsonout_put(j, "texts", jsonout_u64(texts));
	jsonout_end(j, '}');
	return jsonout_finish(j, "a list", e);
}

static json_t *row_begin(struct jsonout *j, unsigned int level, const char *label)
{
	json_t *row = json_array();

	jsonout_append(j, row, json_integer((json_int_t)level));
	jsonout_append(j, row, jsonout_string(label));
	return row;
}

static void row_add(struct jsonout *j, json_t *row, const char *text)
{
	jsonout_append(j, row, jsonout_string(text));
}

static void row_figure(struct jsonout *j, json_t *row, const struct list_figure *f)
{
	char text[UNITS_MAX], guess[UNITS_MAX + 1];

	list_figure_text(f, text);
	snprintf(guess, sizeof(guess), "%s%s", f->doubt && text[0] ? "~" : "", text);
	row_add(j, row, guess);
}

/* The head of the column of M: of a probe there is room for all of its name. */
static const char *count_head(const struct measure *m)
{
	return m->probe ? m->title : m->head;
}

/* Functions and modules */

struct flat_page {
	struct flat_scale scale;
	struct list_column column[FLAT_COLUMNS];
};

static void flat_page_open(struct flat_page *p, const struct tree *t, const struct export_view *v)
{
	p->scale = (struct flat_scale){ .whole_ns = t->node[0].total_ns, .lead = measure_lead(&t->set) };
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		p->scale.part[place] = tree_whole(t, place);
	flat_columns(&t->set, tree_is_parted(t) ? (1u << MEASURES_ASKED) - 1 : 0, p->column);
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (p->column[FLAT_COLUMN_PARTS + place].head)
			p->column[FLAT_COLUMN_PARTS + place].head = count_head(measure_column(&t->set, place));
	p->column[FLAT_COLUMN_AMOUNT].head = p->scale.lead->probe ? p->scale.lead->title :
		tree_text_head(p->scale.lead, v->meta);
}

static void flat_page_row(struct jsonout *j, const struct flat_page *p, const struct flatlist *l, uint32_t i)
{
	const struct flat_row *r = &l->row[i];
	const struct flat_line line = { .scale = &p->scale, .self_ns = r->self_ns, .total_ns = r->total_ns,
					.doubt_ns = r->self_ns ? r->doubt_ns : 0, .self = &r->self };
	const struct list_figure none = { 0 };
	char label[LABEL_MAX];
	json_t *row = row_begin(j, i != 0, flatlist_label(l, i, label, sizeof(label)));

	for (const struct list_column *c = p->column; c < p->column + FLAT_COLUMNS; c++) {
		const struct list_figure f = c->head ? c->figure(&line) : (struct list_figure){ 0 };

		if (c->head)
			row_figure(j, row, f.value ? &f : &none);
	}
	jsonout_put(j, NULL, row);
}

/* The heaviest by itself first: that is what is looked for. Row 0, the whole, stays. */
static int by_self(const void *va, const void *vb)
{
	const struct flat_row *a = va, *b = vb;

	return a->self_ns != b->self_ns ? compare_numbers(b->self_ns, a->self_ns) :
		compare_numbers(b->total_ns, a->total_ns);
}

typedef int flat_builder(const struct tree *t, struct flatlist **ret, struct err *e);

static int flat_page_write(FILE *out, const struct export_view *v, flat_builder *build, const char *name,
			   uint32_t rows, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	AUTO(flatlist_free) struct flatlist *l = NULL;
	struct jsonout j = { .o.file = out };
	struct query q = page_query(v);
	struct flat_page p;
	int r = tree_build(v->snapshot, v->names, &q, &t, e);

	r = r < 0 ? r : build(t, &l, e);
	if (r < 0)
		return r;
	if (l->n > 1)
		qsort(&l->row[1], l->n - 1ul, sizeof(l->row[0]), by_self);
	flat_page_open(&p, t, v);
	list_begin(&j, name);
	for (const struct list_column *c = p.column; c < p.column + FLAT_COLUMNS; c++)
		if (c->head)
			jsonout_put(&j, NULL, json_string(c->head));
	list_begin_rows(&j);
	for (uint32_t i = 0; i < l->n && i < rows; i++)
		flat_page_row(&j, &p, l, i);
	jsonout_end(&j, ']');
	jsonout_put(&j, "sort", jsonout_u64(1));
	return list_end(&j, l->n, rows, 0, e);
}

static int functions_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	return flat_page_write(out, v, flatlist_functions, "function", rows, e);
}

static int modules_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	return flat_page_write(out, v, flatlist_modules, "module", rows, e);
}

/* Threads */

/* What it did at the end: "runs", "futex 1.30 s". */
static const char *panes_does_text(const struct threadlist *l, const struct thread_row *r, char *dst, size_t size)
{
	char call[CALL_NAME_MAX], time[UNITS_MAX];

	switch (r->does) {
	case THREAD_RUNS:
		return "runs";
	case THREAD_QUEUED:
		return "in the run queue";
	case THREAD_WAITS:
	case THREAD_IDLES:
		snprintf(dst, size, "%s%s %s", r->does == THREAD_IDLES ? "idle: " : "",
			 call_name(r->call, l->query.arch, call), units_time(time, r->waited_ns));
		return dst;
	default:
		return "";
	}
}

static void thread_row_write(struct jsonout *j, const struct threadlist *l, uint32_t i)
{
	const struct thread_row *r = &l->row[i];
	char text[CALL_NAME_MAX + 2 * UNITS_MAX], label[LABEL_MAX];
	json_t *row = row_begin(j, 0, thread_row_label(l, i, label, sizeof(label)));

	row_add(j, row, thread_row_process(l, i, label, sizeof(label)));
	row_add(j, row, panes_does_text(l, r, text, sizeof(text)));
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (measure_column(&l->set, place))
			row_add(j, row, r->value[place] ?
				measure_text(measure_column(&l->set, place), r->value[place], text) : "");
	row_add(j, row, r->idle_ns ? units_time(text, r->idle_ns) : "");
	jsonout_put(j, NULL, row);
}

static int threads_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	AUTO(threadlist_free) struct threadlist *l = NULL;
	struct jsonout j = { .o.file = out };
	const struct query q = page_query(v);
	int r = threadlist_build(v->snapshot, v->names, &q, &l, e);

	if (r < 0)
		return r;
	list_begin(&j, "thread");
	jsonout_put(&j, NULL, json_string("process"));
	jsonout_put(&j, NULL, json_string("at the end"));
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (measure_column(&l->set, place))
			jsonout_put(&j, NULL, json_string(count_head(measure_column(&l->set, place))));
	jsonout_put(&j, NULL, json_string("idle"));
	list_begin_rows(&j);
	for (uint32_t i = 0; i < l->n && i < rows; i++)
		thread_row_write(&j, l, i);
	jsonout_end(&j, ']');
	return list_end(&j, l->n, rows, 2, e);
}

/* Waits */

static bool waits_there(const struct export_view *v)
{
	return v->meta->off_cpu;
}

static unsigned int wait_depth(const struct waits *w, uint32_t i)
{
	unsigned int depth = 0;

	for (; w->row[i].parent != NODE_NONE; i = w->row[i].parent)
		depth++;
	return depth;
}

static int waits_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	AUTO(waits_free) struct waits *w = NULL;
	struct jsonout j = { .o.file = out };
	struct query q = page_query(v);
	char label[LABEL_MAX];
	int r;

	q.measures = MEASURES_OFF_CPU;
	r = waits_build(v->snapshot, v->names, &q, &w, e);
	if (r < 0)
		return r;
	list_begin(&j, "wait");
	for (unsigned int c = 0; c < WAIT_COLUMNS; c++)
		jsonout_put(&j, NULL, json_string(wait_columns[c].head));
	list_begin_rows(&j);
	for (uint32_t i = 0; i < w->n && i < rows; i++) {
		json_t *row = row_begin(&j, wait_depth(w, i), i ? wait_row_label(w, i, label, sizeof(label)) :
					"all waits");

		for (unsigned int c = 0; c < WAIT_COLUMNS; c++) {
			const struct list_figure f = wait_columns[c].figure(&w->row[i]);

			row_figure(&j, row, &f);
		}
		jsonout_put(&j, NULL, row);
	}
	jsonout_end(&j, ']');
	return list_end(&j, w->n, rows, 0, e);
}

/* Locks */

/* The lines of TEXT, as a list. */
static json_t *panes_lines(struct jsonout *j, const char *text)
{
	json_t *lines = json_array();

	for (const char *at = text, *next; at && *at; at = next) {
		const size_t line = strcspn(at, "\n");

		next = at + line + (at[line] != '\0');
		jsonout_append(j, lines, jsonout_text(at, line));
	}
	return lines;
}

/* R, a lock or what is known of a holder: only the first KNOWN columns. */
static void lock_figures(struct jsonout *j, json_t *row, const struct lock_row *r, unsigned int known)
{
	for (unsigned int c = 0; c < LOCK_COLUMNS; c++) {
		const struct list_figure f = c < known ? lock_columns[c].figure(r) : (struct list_figure){ 0 };

		row_figure(j, row, &f);
	}
	jsonout_put(j, NULL, row);
}

/* What is said about the row before, without figures. */
static void lock_remark(struct jsonout *j, unsigned int level, const char *text)
{
	if (*text)
		lock_figures(j, row_begin(j, level, text), NULL, 0);
}

static void lock_holder_row(struct jsonout *j, const struct locks *l, const struct lock_holder *h)
{
	const struct lock_row known = { .ns = h->ns, .count = h->count };
	char who[LABEL_MAX], where[LABEL_MAX], label[2 * LABEL_MAX];
	const bool has = h->how != HOLDER_UNKNOWN;

	lock_holder_label(l, h, who, sizeof(who));
	snprintf(label, sizeof(label), "%s%s%s", who, has ? ": " : "",
		 has ? locks_stack_label(l, h->stack, false, where, sizeof(where)) : "");
	lock_figures(j, row_begin(j, 1, label), &known, LOCK_COLUMN_COUNT + 1);
	lock_remark(j, 2, lock_inversion_label(h, who, sizeof(who)));
}

static void lock_rows(struct jsonout *j, const struct locks *l, uint32_t lock)
{
	const struct lock_row *r = &l->lock[lock];
	char name[LABEL_MAX], where[LABEL_MAX], label[2 * LABEL_MAX + 32], address[32] = "";

	if (r->place != STACK_ROOT)
		snprintf(address, sizeof(address), " (0x%" PRIx64 ")", r->address);
	snprintf(label, sizeof(label), "%s%s: %s", lock_label(l, lock, name, sizeof(name)), address,
		 locks_stack_label(l, r->stack, true, where, sizeof(where)));
	lock_figures(j, row_begin(j, 0, label), r, LOCK_COLUMNS);
	lock_remark(j, 1, lock_convoy_label(l, lock, name, sizeof(name)));
	for (uint32_t i = 0; locks_has_holders(l, lock) && i < r->nr_holders && i < LOCKSTEXT_HOLDERS; i++)
		lock_holder_row(j, l, &l->holder[r->first_holder + i]);
}

/* What stands above the list. */
static int lock_notes(struct jsonout *j, const struct locks *l, struct err *e)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f)
		lockstext_deadlocks(f, l, false);
	if (!f || fclose(f))
		return err_nomem(e, "locks");
	jsonout_end(j, ']');
	jsonout_put(j, "notes", panes_lines(j, text));
	jsonout_begin(j, "rows", '[');
	return 0;
}

static int locks_write(FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	AUTO(locks_free) struct locks *l = NULL;
	struct jsonout j = { .o.file = out };
	int r = locks_build(v->snapshot, v->names, &v->query, &l, e);

	if (r < 0)
		return r;
	list_begin(&j, "lock");
	for (unsigned int c = 0; c < LOCK_COLUMNS; c++)
		jsonout_put(&j, NULL, json_string(lock_columns[c].head));
	r = lock_notes(&j, l, e);
	for (uint32_t i = 0; r >= 0 && i < l->nr_locks && i < rows; i++)
		lock_rows(&j, l, i);
	jsonout_end(&j, ']');
	return r < 0 ? r : list_end(&j, l->nr_locks, rows, 0, e);
}

/* Reports */

static bool nodes_there(const struct export_view *v)
{
	return snapshot_numa(v->snapshot) != NULL;
}

static bool probes_there(const struct export_view *v)
{
	return probes_count() > 0;
}

static bool memory_there(const struct export_view *v)
{
	return snapshot_kinds(v->snapshot) & (1u << EVENT_ALLOC | 1u << EVENT_GROWN | 1u << EVENT_SIZE);
}

static int text_write(const char *format, FILE *out, const struct export_view *v, struct err *e)
{
	const struct exporter *x = exporter_named(EXPORT_BY_REPORT, format);
	struct jsonout j = { .o.file = out };
	AUTO_FREE char *text = NULL;
	size_t len = 0;
	FILE *report = open_memstream(&text, &len);
	int r = report && x ? exporter_write(report, x, v, e) : err_nomem(e, "the report");

	if (report && fclose(report) && r >= 0)
		r = err_nomem(e, "the report");
	fputs("\"text\":", out);
	jsonout_put(&j, NULL, panes_lines(&j, r < 0 ? NULL : text));
	return r < 0 ? r : jsonout_finish(&j, "the report", e);
}

static const struct serve_pane panes[] = {
	{ "tree", "tree and flame graph", NULL, true, true, tree_write, NULL },
	{ "functions", "functions", NULL, true, false, functions_write, NULL },
	{ "threads", "threads", NULL, true, false, threads_write, NULL },
	{ "waits", "waits", waits_there, false, false, waits_write, NULL },
	{ "locks", "locks", waits_there, false, false, locks_write, NULL },
	{ "numa", "NUMA", nodes_there, false, false, NULL, "numa" },
	{ "memory", "memory", memory_there, false, false, NULL, "memory" },
	{ "probes", "probes", probes_there, false, false, NULL, "probes" },
	{ "modules", "modules", NULL, true, false, modules_write, NULL },
	{ "figures", "figures", NULL, false, false, NULL, "summary" },
};

const struct serve_pane *serve_pane_get(unsigned int nr)
{
	return nr < sizeof(panes) / sizeof(panes[0]) ? &panes[nr] : NULL;
}

const struct serve_pane *serve_pane_named(const char *name)
{
	const struct serve_pane *p;

	for (unsigned int i = 0; (p = serve_pane_get(i)) && strcmp(p->name, name) != 0; i++)
		;
	return p;
}

int serve_pane_write(const struct serve_pane *p, FILE *out, const struct export_view *v, uint32_t rows, struct err *e)
{
	return p->write ? p->write(out, v, rows, e) : text_write(p->text, out, v, e);
}

/* What is counted */

measure_mask serve_counts(const struct export_view *v)
{
	measure_mask counts = MEASURES_WALL;
	uint32_t seen;

	if (v->meta->unit[0])
		return 0;
	seen = snapshot_kinds(v->snapshot);
	for (unsigned int id = TIME_NR; id < measures_count(); id++)
		if (measure_get(id)->kinds & seen && (measure_get(id)->about || measure_get(id)->probe))
			counts |= MEASURE_BIT(id);
	return counts;
}

const char *serve_count_default(const struct export_view *v)
{
	const struct measure_set set = measure_set(query_measures(&v->query, v->snapshot), v->query.lead);

	return measure_set_is_wall(&set) ? SERVE_COUNT_TIME : measure_lead(&set)->name;
}

measure_mask serve_count_named(const char *name)
{
	const unsigned int id = measure_named(name, strlen(name));

	return !strcmp(name, SERVE_COUNT_TIME) ? MEASURES_WALL : id == MEASURE_NONE ? 0 : MEASURE_BIT(id);
}
