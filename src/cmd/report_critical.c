/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_critical.c - reads the events of a recording again, finds the spans, and has their paths walked.
 *
 * Calls of a probe are known one by one from hits that were told by themselves; those that nobody could choose among,
 * as the probe has nothing to say, from events of one hit.
 */
#include "config.h"

#include "cmd/report_critical.h"

#include "base/parse.h"
#include "base/units.h"
#include "base/vec.h"
#include "cmd/filter_options.h"
#include "model/probes.h"
#include "query/critical.h"
#include "query/timerange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MAX (16u * 1024 * 1024)    /* that are kept; more are counted alone */
#define SPAN_TEXT_MAX (PROBES_TEXT_MAX + 64)

struct report_call {
	uint64_t from_ns, to_ns;
	uint32_t tid;                    /* where THREAD is not known */
	thread_id thread;
};

struct report_critical {
	struct critical *c;
	const struct options *o;
	bool of_probe;
	uint32_t probe;
	uint64_t hits;                   /* all calls of the probe */
	VEC(struct report_call) told, evented;
	bool failed;
};

static void report_critical_clear(struct report_critical *r)
{
	critical_free(r->c);
	vec_free(&r->told);
	vec_free(&r->evented);
}

static void report_critical_hit(void *ctx, const struct told_hit *h)
{
	struct report_critical *r = ctx;
	struct report_call *call;

	if (!r->of_probe || h->probe != r->probe || !h->timed || r->told.n >= CALLS_MAX)
		return;
	call = vec_push(&r->told);
	r->failed |= !call;
	if (call)
		*call = (struct report_call){ h->time_ns - h->latency_ns, h->time_ns, h->tid, ID_NONE };
}

static int report_critical_event(void *ctx, const struct event *ev)
{
	struct report_critical *r = ctx;
	const uint32_t count = ev->count ? ev->count : 1;
	struct report_call *call;

	if (ev->kind != EVENT_HIT)
		return critical_event(r->c, ev) ? 0 : -ENOMEM;
	if (!r->of_probe || ev->argument != r->probe)
		return 0;
	r->hits += count;
	if (count != 1 || ev->flags & EVENT_F_EXTRAPOLATED || r->evented.n >= CALLS_MAX || ev->weight > ev->time_ns)
		return 0;
	call = vec_push(&r->evented);
	if (!call)
		return -ENOMEM;
	*call = (struct report_call){ ev->time_ns - ev->weight, ev->time_ns, 0, ev->thread };
	return 0;
}

/* ---- which spans ---- */

/* The range of --time, in CLOCK_MONOTONIC. */
static int report_critical_time(const struct report_critical *r, const struct open_recording *l, uint64_t *ret_from_ns,
				uint64_t *ret_to_ns, struct err *e)
{
	struct time_range range;
	struct query q = { 0 };
	uint64_t from, to;
	int err;

	if (!critical_time(r->c, ret_from_ns, ret_to_ns))
		return err_set(e, EINVAL, "there are no samples and no waits in this recording");
	if (!r->o->time)
		return 0;
	err = time_range_parse(r->o->time, &range, e);
	if (err < 0)
		return err;
	if (!time_range_apply(&range, l->snapshot, &l->meta, &q, &from, &to))
		return err_set(e, EINVAL, "nothing was recorded in the time %s", r->o->time);
	*ret_from_ns = q.from_ns > *ret_from_ns ? q.from_ns : *ret_from_ns;
	*ret_to_ns = q.to_ns < *ret_to_ns ? q.to_ns : *ret_to_ns;
	return 0;
}

/* Calls that were all in the time from FROM_NS to TO_NS. */
static bool report_critical_add_calls(struct report_critical *r, uint64_t from_ns, uint64_t to_ns)
{
	const struct report_call *call = r->told.n ? r->told.v : r->evented.v;
	const size_t n = r->told.n ? r->told.n : r->evented.n;
	bool ok = !r->failed;

	for (size_t i = 0; i < n && ok; i++) {
		const thread_id thread = call[i].thread != ID_NONE ? call[i].thread :
			critical_thread(r->c, call[i].tid, call[i].to_ns);

		if (call[i].from_ns >= from_ns && call[i].to_ns <= to_ns)
			ok = critical_span(r->c, thread, call[i].from_ns, call[i].to_ns);
	}
	return ok;
}

/* Whether T is meant by TEXT: "main", a number, or a name. */
static bool report_critical_means(const struct dict *d, const struct thread *t, const char *text)
{
	uint64_t tid;

	if (!strcmp(text, "main"))
		return t->pid == t->tid;
	if (parse_u64(text, "thread", 1, INT32_MAX, &tid, NULL) >= 0 && (uint64_t)t->tid == tid)
		return true;
	return !strcmp(strtab_get(dict_strings(d), t->comm), text);
}

/* Threads for all of the time from FROM_NS to TO_NS. */
static bool report_critical_add_threads(struct report_critical *r, const struct open_recording *l, uint64_t from_ns,
					uint64_t to_ns)
{
	const struct dict *d = snapshot_dict(l->snapshot);
	const uint32_t n = dict_threads(d);
	AUTO_FREE bool *added = calloc(n + 1, sizeof(*added));
	bool ok = added;

	for (thread_id id = 0; id < n && ok; id++) {
		const struct thread *t = dict_get_thread(d, id);
		const thread_id same = report_critical_means(d, t, r->o->critical_path) ?
			critical_thread(r->c, (uint32_t)t->tid, to_ns) : ID_NONE;

		if (same == ID_NONE || added[same])
			continue;
		added[same] = true;
		ok = critical_life(r->c, same, from_ns, to_ns);
	}
	return ok;
}

static int report_critical_add(struct report_critical *r, const struct open_recording *l, struct err *e)
{
	uint64_t from_ns, to_ns;
	int err = report_critical_time(r, l, &from_ns, &to_ns, e);

	if (err < 0)
		return err;
	if (!(r->of_probe ? report_critical_add_calls(r, from_ns, to_ns) : report_critical_add_threads(r, l, from_ns,
												       to_ns)))
		return err_nomem(e, "the spans of a critical path");
	if (critical_spans(r->c))
		return 0;
	return r->of_probe ?
		err_set(e, EINVAL, "no call of %s was told by itself%s", probes_measure(r->probe)->name,
			r->o->time ? " in that time" : "") :
		err_set(e, EINVAL, "no thread is called '%s', or has that number, and no probe with calls begins so",
			r->o->critical_path);
}

/* ---- what is said ---- */

static void report_critical_say_what(const struct report_critical *r, const struct critical_figures *f)
{
	char spans[UNITS_MAX], hits[UNITS_MAX], ns[UNITS_MAX], ran[UNITS_MAX], queued[UNITS_MAX], waited[UNITS_MAX];
	const uint64_t waited_ns = f->ns - f->ran_ns - f->queued_ns;

	fprintf(stderr, "sberf report: critical path of %s ", units_thousands(spans, f->spans));
	if (!r->of_probe)
		fprintf(stderr, "thread%s (%s)", f->spans == 1 ? "" : "s", r->o->critical_path);
	else if (r->hits > f->spans)
		fprintf(stderr, "of %s calls of %s", units_thousands(hits, r->hits), probes_measure(r->probe)->name);
	else
		fprintf(stderr, "call%s of %s", f->spans == 1 ? "" : "s", probes_measure(r->probe)->name);
	fprintf(stderr, ", %s: %s running, %s in the run queue, %s waiting\n", units_time(ns, f->ns),
		units_percent(ran, (double)f->ran_ns / (double)f->ns),
		units_percent(queued, (double)f->queued_ns / (double)f->ns),
		units_percent(waited, (double)waited_ns / (double)f->ns));
}

static void report_critical_say_unknown(const struct open_recording *l, const struct critical_figures *f)
{
	static const char *const words[CRITICAL_UNKNOWNS] = {
		[CRITICAL_WAKER] = "is waits of which it is not known who ended them",
		[CRITICAL_BRIEF] = "is waits too short to be told one by one (record --every-wait tells them)",
		[CRITICAL_NOTHING] = "is time of threads of which nothing is known then",
	};
	char ns[UNITS_MAX], share[UNITS_MAX];

	if (!l->meta.off_cpu)
		fputs("sberf report: it was recorded without waits: what a thread waited for is not known\n", stderr);
	else if (!l->meta.wakers)
		fputs("sberf report: it was recorded without who ends waits: only holders of locks are followed "
		      "(record --every-wait, or --wakers)\n", stderr);
	for (int i = 0; i < CRITICAL_UNKNOWNS; i++)
		if (f->unknown_ns[i] > f->ns / 1000)
			fprintf(stderr, "sberf report: %s of it, %s, %s\n", units_time(ns, f->unknown_ns[i]),
				units_percent(share, (double)f->unknown_ns[i] / (double)f->ns), words[i]);
}

static int report_critical_read(struct report_critical *r, struct open_recording *l, struct err *e)
{
	int err;

	r->of_probe = filter_options_span(r->o->critical_path, &r->probe, NULL) >= 0;
	r->c = critical_new(l->profile, l->names, l->meta.arch);
	if (!r->c)
		return err_nomem(e, "the critical path");
	l->hit = report_critical_hit;
	err = open_recording_events(l, report_critical_event, r, e);
	l->hit = NULL;
	if (err >= 0 && !critical_ready(r->c))
		err = -ENOMEM;
	return err == -ENOMEM ? err_nomem(e, "the critical path") : err;
}

int report_critical(struct open_recording *l, const struct options *o, struct err *e)
{
	__attribute__((cleanup(report_critical_clear))) struct report_critical r = { .o = o };
	struct critical_figures figures;
	int err = report_critical_read(&r, l, e);

	err = err < 0 ? err : report_critical_add(&r, l, e);
	if (err < 0)
		return err;
	critical_keep_slowest(r.c, o->slowest);
	err = critical_write(r.c, &figures, e);
	if (err < 0)
		return err;
	report_critical_say_what(&r, &figures);
	report_critical_say_unknown(l, &figures);
	snapshot_unref(l->snapshot);
	l->snapshot = profile_snapshot(l->profile);
	return l->snapshot ? 0 : err_nomem(e, "the report");
}
