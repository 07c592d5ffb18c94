/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer.c - an event or a snapshot is one object:
 *
 *	{"head":{...}, "strip":{...}, "flame":{...}}
 *
 * head says what is profiled and how it is with it, strip how much ran and waited when, and the third member is that
 * of the pane (panes.h); of a stream that follows the tree it is what has changed in it since the event before. Times
 * are in nanoseconds since the beginning of the capture.
 */
#include "config.h"

#include "serve/answer.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "export/exporter.h"
#include "export/jsonout.h"
#include "query/timeview.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STRIP_MAX 480u           /* pieces of the strip */
#define TAKES 8u                 /* of a snapshot with its number, while others are published */

/* What one number is told of twice is the same: a snapshot that came between is not told by the number before it. */
void serve_moment_take(const struct session *se, struct serve_moment *ret)
{
	*ret = (struct serve_moment){ .ended = se->ended(se->ctx) };
	for (unsigned int i = 0; i < TAKES && (!i || ret->published != se->published(se->ctx)); i++) {
		snapshot_unref(ret->snapshot);
		ret->published = se->published(se->ctx);
		ret->snapshot = se->snapshot(se->ctx);
	}
	se->status(se->ctx, &ret->meta);
	/* What goes on is not cut off. */
	ret->meta.complete |= se->reset != NULL;
}

struct serve_bytes *serve_bytes_ref(struct serve_bytes *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	return b;
}

void serve_bytes_unref(struct serve_bytes *b)
{
	if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(b->data);
	free(b);
}

/* The head */

static json_t *pair(struct jsonout *j, const char *name, const char *title)
{
	json_t *list = json_array();

	jsonout_append(j, list, json_string(name));
	jsonout_append(j, list, json_string(title));
	return list;
}

/* The panes that have something to show, [name, title]. */
static void head_panes(struct jsonout *j, const struct export_view *v)
{
	const struct serve_pane *p;

	jsonout_begin(j, "panes", '[');
	for (unsigned int i = 0; (p = serve_pane_get(i)); i++)
		if (!p->there || p->there(v))
			jsonout_put(j, NULL, pair(j, p->name, p->title));
	jsonout_end(j, ']');
}

/* The formats that can be written, [extension, name]. */
static void head_exports(struct jsonout *j, const struct export_view *v)
{
	const struct exporter *x;

	jsonout_begin(j, "exports", '[');
	for (unsigned int i = 0; (x = exporter_get(EXPORT_BY_REPORT, i)); i++) {
		const size_t len = strcspn(x->extensions, ",");
		char extension[48];

		if (x->reads == EXPORT_EVENTS && !v->each_event)
			continue;
		snprintf(extension, sizeof(extension), "%.*s", len ? (int)len : 40, len ? x->extensions : x->name);
		jsonout_put(j, NULL, pair(j, extension, x->name));
	}
	jsonout_end(j, ']');
}

/* What can be counted, [name, title], and what is when nobody chooses. */
static void head_counts(struct jsonout *j, const struct export_view *v)
{
	const measure_mask counts = serve_counts(v);

	jsonout_begin(j, "counts", '[');
	if (counts)
		jsonout_put(j, NULL, pair(j, SERVE_COUNT_TIME, SERVE_COUNT_TIME));
	for (unsigned int id = TIME_NR; id < measures_count(); id++)
		if (counts >> id & 1)
			jsonout_put(j, NULL, pair(j, measure_get(id)->name, measure_get(id)->title));
	jsonout_end(j, ']');
	jsonout_put(j, "counted", jsonout_string(serve_count_default(v)));
}

static uint64_t losses_of(const struct profile_meta *m)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < LOST_NR; i++)
		n += m->lost.n[i];
	return n;
}

static uint64_t since_start(const struct profile_meta *m, uint64_t ns)
{
	return ns > m->start_mono_ns ? ns - m->start_mono_ns : 0;
}

static void put_head(FILE *out, const struct export_view *v, const struct serve_moment *m)
{
	static const char *const states[] = {
		[TARGET_WAITING] = "waiting for it", [TARGET_RUNNING] = "running", [TARGET_EXITED] = "exited",
		[TARGET_KILLED] = "killed", [TARGET_ENDED] = "ended",
	};
	struct jsonout j = { .o.file = out };

	fputs("\"head\":", out);
	jsonout_begin(&j, NULL, '{');
	jsonout_put(&j, "target", jsonout_string(m->meta.target));
	jsonout_put(&j, "host", jsonout_string(m->meta.host));
	jsonout_put(&j, "state", json_string(states[m->meta.target_state]));
	jsonout_put(&j, "ended", json_boolean(m->ended));
	jsonout_put(&j, "published", jsonout_u64(m->published));
	jsonout_put(&j, "duration", jsonout_u64(m->meta.duration_ns));
	jsonout_put(&j, "samples", jsonout_u64(m->meta.samples));
	jsonout_put(&j, "lost", jsonout_u64(losses_of(&m->meta)));
	head_panes(&j, v);
	head_counts(&j, v);
	head_exports(&j, v);
	jsonout_end(&j, '}');
}

/* The strip */

static bool asks_less(const struct query *q)
{
	return q->terms.n || q->states || q->nr_calls || !nodeset_empty(&q->nodes) || q->span;
}

/* A piece is as long as it takes for STRIP_MAX of them: 20 ms, or twice that, and so on, so that pieces seldom move. */
static uint64_t strip_step(uint64_t duration_ns)
{
	uint64_t step = HEAT_ROW_NS;

	while (duration_ns / step >= STRIP_MAX)
		step *= 2;
	return step;
}

/* What Q counts, if it was told, where one measure is shown. */
static void count_as_asked(struct query *query, const struct serve_question *q, bool counts)
{
	if (!q->count || !counts)
		return;
	query->measures = q->count;
	query->lead = 0;
}

/* Threads on average, in hundredths. */
static json_t *strip_level(double ns, uint64_t step)
{
	return json_real(round(ns / (double)step * 100) / 100);
}

static int put_strip(FILE *out, const struct export_view *v, const struct serve_moment *m, struct err *e)
{
	static const char *const names[TIME_NR] = { "running", "runnable", "blocked" };
	const uint64_t start = m->meta.start_mono_ns, step = strip_step(m->meta.duration_ns);
	const bool less = asks_less(&v->query);
	AUTO(timeview_free) struct timeview *tv = timeview_new(m->snapshot, v->names, less ? &v->query : NULL);
	const struct heat *heat = tv ? (less ? &tv->asked : &tv->heat) : NULL;
	struct jsonout j = { .o.file = out };

	if (!tv)
		return err_nomem(e, "the strip of time");
	fputs(",\"strip\":", out);
	jsonout_begin(&j, NULL, '{');
	jsonout_put(&j, "step", jsonout_u64(step));
	for (unsigned int k = 0; k < TIME_NR; k++) {
		json_t *levels = json_array();

		for (uint64_t at = 0; at < m->meta.duration_ns; at += step) {
			double ns[TIME_NR];

			heat_sum(heat, start + at, start + at + step, ns);
			jsonout_append(&j, levels, strip_level(ns[k], step));
		}
		jsonout_put(&j, names[k], levels);
	}
	jsonout_end(&j, '}');
	return jsonout_finish(&j, "the strip of time", e);
}

/* The range that is shown, when one is asked for. */
static void put_range(FILE *out, uint64_t from_ns, uint64_t to_ns)
{
	struct jsonout j = { .o.file = out };
	json_t *range = json_array();

	fputs(",\"range\":", out);
	jsonout_append(&j, range, jsonout_u64(from_ns));
	jsonout_append(&j, range, jsonout_u64(to_ns));
	jsonout_put(&j, NULL, range);
}

/* What has changed in the tree since what the reader of the stream has. */
static int put_growth(FILE *out, const struct export_view *v, const struct serve_moment *m,
		      const struct serve_question *q, struct growths *g, struct flame_mark *ret_mark, struct err *e)
{
	bool made;
	struct flame_growth *growth = growths_get(g, q->count, m->published, m->ended, &made);
	struct flame f;
	int r = growth ? 0 : err_nomem(e, "the call tree");

	if (r >= 0 && !made) {
		r = serve_tree(&f, v, e);
		r = r < 0 ? r : flame_growth_take(growth, &f, e);
		flame_free(&f);
	}
	if (r < 0)
		return r;
	growths_made(g, q->count, m->published, m->ended);
	fputs("\"growth\":", out);
	return flame_growth_write(out, growth, &q->have, ret_mark, e);
}

static int put_object(FILE *out, struct export_view *v, const struct serve_moment *m, const struct serve_question *q,
		      struct growths *g, struct flame_mark *ret_mark, struct err *e)
{
	uint64_t from_ns, to_ns;
	int r;

	fputc('{', out);
	put_head(out, v, m);
	r = put_strip(out, v, m, e);
	if (r >= 0 && q->ranged) {
		time_range_show(&q->range, m->snapshot, &m->meta, &v->query, &from_ns, &to_ns);
		put_range(out, from_ns, to_ns);
	}
	if (r >= 0 && q->pane) {
		fputc(',', out);
		count_as_asked(&v->query, q, q->pane->counts);
		r = q->pane->grows && q->what == SERVE_LIVE ? put_growth(out, v, m, q, g, ret_mark, e) :
			serve_pane_write(q->pane, out, v, (uint32_t)q->rows, e);
	}
	fputs("}", out);
	return r;
}

/* Files */

static int put_export(FILE *out, struct export_view *v, const struct serve_moment *m, const struct serve_question *q,
		      struct err *e)
{
	uint64_t from_ns, to_ns;

	if (q->exporter->reads == EXPORT_EVENTS && !v->each_event)
		return err_set(e, ENOTSUP, "%s has single events, which only a recording has: use sberf record",
			       q->exporter->name);
	count_as_asked(&v->query, q, q->exporter->subject != EXPORT_NODES && q->exporter->subject != EXPORT_PROBES &&
		       q->exporter->subject != EXPORT_MEMORY);
	if (q->ranged)
		time_range_apply(&q->range, m->snapshot, &m->meta, &v->query, &from_ns, &to_ns);
	return exporter_write(out, q->exporter, v, e);
}

/* What is counted of memory: blocks where they are followed, else what made it grow. */
static measure_mask memory_measures(const struct snapshot *s)
{
	if (snapshot_has(s, EVENT_ALLOC))
		return MEASURE_BIT(MEASURE_ALLOCATED) | MEASURE_BIT(MEASURE_IN_USE);
	return snapshot_has(s, EVENT_GROWN) ? measures_of_kind(EVENT_GROWN) : 0;
}

/* The range of M is what the profile is of. */
static void narrow(struct export_view *v, struct profile_meta *meta, const struct serve_moment *m)
{
	struct time_range range = {
		.from.ns = since_start(&m->meta, m->from_ns), .to.ns = since_start(&m->meta, m->to_ns),
	};
	uint64_t from_ns, to_ns;

	if (!m->to_ns)
		return;
	time_range_apply(&range, m->snapshot, &m->meta, &v->query, &from_ns, &to_ns);
	meta->start_real_ns += range.from.ns;
	meta->start_mono_ns += range.from.ns;
	meta->duration_ns = range.to.ns - range.from.ns;
}

static int put_pull(FILE *out, struct export_view *v, const struct serve_moment *m, const struct serve_question *q,
		    struct err *e)
{
	AUTO_FREE struct profile_meta *meta = malloc(sizeof(*meta));

	if (!meta)
		return err_nomem(e, "the profile");
	*meta = m->meta;
	v->meta = meta;
	if (m->meta.unit[0])
		return err_set(e, ENOTSUP, "an import has no such profile: ask for /export.pb.gz");
	switch (q->pull) {
	case PULL_MEMORY:
		v->query.measures = memory_measures(m->snapshot);
		if (!v->query.measures)
			return err_set(e, ENODATA, "memory is not followed: begin with --memory=growth or "
				       "--memory=allocs");
		break;
	case PULL_OFFCPU:
		if (!m->meta.off_cpu)
			return err_set(e, ENODATA, "waits are not followed: begin without --no-off-cpu");
		v->query.measures = MEASURES_OFF_CPU;
		v->query.fold_idle = v->without_idle = true;
		narrow(v, meta, m);
		break;
	default:
		v->query.measures = MEASURES_ON_CPU;
		narrow(v, meta, m);
	}
	return exporter_write(out, exporter_named(EXPORT_BY_REPORT, "pprof"), v, e);
}

static int serve_put(FILE *out, struct export_view *v, const struct serve_moment *m, const struct serve_question *q,
		     struct growths *g, struct flame_mark *ret_mark, struct err *e)
{
	switch (q->what) {
	case SERVE_EXPORT:
		return put_export(out, v, m, q, e);
	case SERVE_PULL:
		return put_pull(out, v, m, q, e);
	default:
		return put_object(out, v, m, q, g, ret_mark, e);
	}
}

/* The LEN bytes at DATA as one event with the number ID: each line is one of its data. Takes DATA over. */
static int make_event(char **data, size_t *len, uint64_t id, struct err *e)
{
	AUTO_FREE char *event = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&event, &size);

	if (!out)
		return err_nomem(e, "an event");
	fprintf(out, "id: %llu\n", (unsigned long long)id);
	for (const char *at = *data, *end = at + *len; at < end;) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((line ? line : end) - at);

		fputs("data: ", out);
		fwrite(at, 1, n, out);
		fputc('\n', out);
		at += n + 1;
	}
	fputc('\n', out);
	if (fclose(out))
		return err_nomem(e, "an event");
	free(*data);
	*data = take_ptr(event);
	*len = size;
	return 0;
}

int serve_answer(const struct serve_source *src, const struct serve_moment *m, const struct serve_question *q,
		 struct growths *g, struct serve_bytes **ret, struct err *e)
{
	struct export_view v = {
		.snapshot = m->snapshot, .names = src->names, .meta = &m->meta, .query = src->query,
		.group_given = src->group_given, .each_event = src->each_event, .source = src->events,
		.code = src->code,
	};
	struct flame_mark mark = { 0 };
	AUTO_FREE char *data = NULL;
	struct serve_bytes *b;
	size_t len = 0;
	FILE *out = open_memstream(&data, &len);
	int r = out ? serve_put(out, &v, m, q, g, &mark, e) : err_nomem(e, "an answer");

	if (out && fclose(out) && r >= 0)
		r = err_nomem(e, "an answer");
	if (r >= 0 && q->what == SERVE_LIVE)
		r = make_event(&data, &len, m->published, e);
	b = r < 0 ? NULL : calloc(1, sizeof(*b));
	if (!b)
		return r < 0 ? r : err_nomem(e, "an answer");
	*b = (struct serve_bytes){ .refs = 1, .len = len, .data = take_ptr(data), .mark = mark };
	*ret = b;
	return 0;
}
