/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox.c - a "processed profile" of the Firefox Profiler, version 54, which later versions of it
 * upgrade when they load it.
 *
 * Each thread has samples with times, one for each event: of running time and of both parts of
 * waits, weighed in milliseconds. What the thread did is told by the category of the innermost
 * frame. Waits are intervals besides (fxmarkers.h). Events come in the order of the recording,
 * threads all at once; so they are gathered (24 bytes each, and 40 for a wait), sorted, and written
 * thread by thread.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/order.h"
#include "base/vec.h"
#include "export/events.h"
#include "export/fxmarkers.h"
#include "export/fxtables.h"
#include "query/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSED_VERSION 54
#define GECKO_VERSION 29         /* of the format that this one is made from in Firefox; from that time */

struct fx_sample {
	uint64_t time_ns, weight;
	thread_id thread;
	stack_id stack : 30;
	uint32_t doing : 2;      /* index of doings[] */
};

static const enum fx_category doings[] = { FX_OTHER, FX_BLOCKED, FX_RUNNABLE, FX_IDLE };
enum { DOING_RUN, DOING_BLOCKED, DOING_RUNNABLE, DOING_IDLE };

struct firefox {
	const struct export_view *v;
	const struct dict *d;
	struct frame_reader reader;
	VEC(struct fx_sample) samples;
	struct fx_markers markers;
	size_t marker;           /* the first that has not been written */
	uint32_t *lib;           /* by module */
	struct jsonout j;
};

static int firefox_gather(void *ctx, const struct event *ev, unsigned int is)
{
	struct firefox *x = ctx;
	struct fx_sample *s;

	if (is & FACT_IDLE && x->v->query.fold_idle)
		return 0;
	s = vec_push(&x->samples);
	if (!s)
		return -ENOMEM;
	*s = (struct fx_sample){
		.time_ns = ev->time_ns, .weight = ev->weight, .thread = ev->thread, .stack = ev->stack,
		.doing = is & FACT_IDLE ? DOING_IDLE : ev->kind == EVENT_BLOCKED ? DOING_BLOCKED :
			 ev->kind == EVENT_RUNNABLE ? DOING_RUNNABLE : DOING_RUN,
	};
	return fx_markers_add(&x->markers, ev, doings[s->doing]) ? 0 : -ENOMEM;
}

static int compare_samples(const void *va, const void *vb)
{
	const struct fx_sample *a = va, *b = vb;

	if (a->thread != b->thread)
		return compare_numbers(a->thread, b->thread);
	if (a->time_ns != b->time_ns)
		return compare_numbers(a->time_ns, b->time_ns);
	if (a->stack != b->stack)
		return compare_numbers(a->stack, b->stack);
	return a->doing != b->doing ? compare_numbers(a->doing, b->doing) :
				      compare_numbers(a->weight, b->weight);
}

static json_t *fixed_text(const char *text, size_t size)
{
	return jsonout_text(text, strnlen(text, size));
}

static json_t *firefox_categories(struct jsonout *j)
{
	json_t *list = json_array();

#define X(id, name, color) \
	jsonout_append(j, list, json_pack("{s:s, s:s, s:[s]}", "name", name, "color", color, "subcategories", "Other"));
	FX_CATEGORIES(X)
#undef X
	return list;
}

static void put_meta(struct firefox *x)
{
	const struct profile_meta *m = x->v->meta;
	const uint32_t hz = m->freq_got ? m->freq_got : m->freq_asked ? m->freq_asked : 1000;
	struct jsonout *j = &x->j;
	json_t *o = json_pack("{s:i, s:i, s:i, s:i, s:i}", "version", GECKO_VERSION, "preprocessedProfileVersion",
			      PROCESSED_VERSION, "processType", 0, "stackwalk", 1, "debug", 0);

	jsonout_set(j, o, "interval", json_real(1000.0 / hz));
	jsonout_set(j, o, "startTime", json_real((double)m->start_real_ns / 1e6));
	jsonout_set(j, o, "product", m->target[0] ? fixed_text(m->target, sizeof(m->target)) : json_string("sberf"));
	jsonout_set(j, o, "importedFrom", json_string("sberf"));
	jsonout_set(j, o, "arguments", fixed_text(m->cmdline, sizeof(m->cmdline)));
	jsonout_set(j, o, "oscpu", fixed_text(m->kernel, sizeof(m->kernel)));
	jsonout_set(j, o, "abi", fixed_text(m->arch, sizeof(m->arch)));
	jsonout_set(j, o, "symbolicated", json_true());
	jsonout_set(j, o, "usesOnlyOneStackType", json_true());
	jsonout_set(j, o, "sourceCodeIsNotOnSearchfox", json_true());
	jsonout_set(j, o, "sampleUnits", json_pack("{s:s, s:s, s:s}", "time", "ms", "eventDelay", "ms",
						   "threadCPUDelta", "ns"));
	jsonout_set(j, o, "categories", firefox_categories(j));
	jsonout_set(j, o, "markerSchema", json_pack("[o]", fx_marker_schema()));
	jsonout_put(j, "meta", o);
}

/* Files with their build-ids. A breakpad id is a build-id of 16 bytes and an age. */
static void put_libs(struct firefox *x)
{
	const struct strtab *strings = dict_strings(x->d);
	struct jsonout *j = &x->j;
	uint32_t n = 0;

	jsonout_begin(j, "libs", '[');
	for (module_id id = 0; id < dict_modules(x->d); id++) {
		const struct module *m = dict_get_module(x->d, id);
		const size_t len = strtab_len(strings, m->path);
		char hex[2 * BUILD_ID_MAX + 1], name[LABEL_MAX];
		json_t *o;

		x->lib[id] = FX_NONE;
		if (m->kind != MODULE_FILE || !len)
			continue;
		x->lib[id] = n++;
		label_build_id(m, hex);
		label_file(x->d, m->path, name, sizeof(name));
		o = json_pack("{s:s, s:s, s:s, s:s}", "name", name, "debugName", name, "arch", "", "breakpadId", "");
		jsonout_set(j, o, "path", jsonout_text(strtab_get(strings, m->path), len));
		jsonout_set(j, o, "debugPath", jsonout_text(strtab_get(strings, m->path), len));
		jsonout_set(j, o, "codeId", hex[0] ? json_string(hex) : json_null());
		jsonout_put(j, NULL, o);
	}
	jsonout_end(j, ']');
}

/* The N samples at S, whose stacks T gets. False when out of memory. */
static bool firefox_put_samples(struct firefox *x, struct fx_tables *t, const struct fx_sample *s, size_t n)
{
	const uint64_t start = x->v->meta->start_mono_ns;
	struct jsonout *j = &x->j;

	jsonout_begin(j, "samples", '{');
	jsonout_put(j, "weightType", json_string("tracing-ms"));
	jsonout_begin(j, "stack", '[');
	for (size_t i = 0; i < n; i++) {
		uint32_t row;

		if (!fx_stack(t, s[i].stack, doings[s[i].doing], &row))
			return false;
		jsonout_put(j, NULL, json_integer(row));
	}
	jsonout_end(j, ']');
	jsonout_begin(j, "time", '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(j, NULL, json_real(((double)s[i].time_ns - (double)start) / 1e6));
	jsonout_end(j, ']');
	jsonout_begin(j, "weight", '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(j, NULL, json_real((double)s[i].weight / 1e6));
	jsonout_end(j, ']');
	jsonout_put(j, "length", json_integer((json_int_t)n));
	jsonout_end(j, '}');
	return true;
}

static void put_thread_words(struct firefox *x, const struct thread *t)
{
	const struct strtab *strings = dict_strings(x->d);
	struct jsonout *j = &x->j;
	char process[LABEL_MAX], pid[16];

	label_process(x->d, t, process, sizeof(process));
	snprintf(pid, sizeof(pid), "%d", (int)t->pid);
	jsonout_put(j, "name", jsonout_text(strtab_get(strings, t->comm), strtab_len(strings, t->comm)));
	jsonout_put(j, "processName", json_string(process));
	jsonout_put(j, "processType", json_string("default"));
	jsonout_put(j, "isMainThread", json_boolean(t->pid == t->tid));
	jsonout_put(j, "pid", json_string(pid));
	jsonout_put(j, "tid", json_integer(t->tid));
	jsonout_put(j, "processStartupTime", json_integer(0));
	jsonout_put(j, "processShutdownTime", json_null());
	jsonout_put(j, "registerTime", json_integer(0));
	jsonout_put(j, "unregisterTime", json_null());
	jsonout_put(j, "pausedRanges", json_array());
}

static void firefox_put_thread(struct firefox *x, const struct fx_sample *s, size_t n)
{
	struct fx_tables t;

	jsonout_begin(&x->j, NULL, '{');
	put_thread_words(x, dict_get_thread(x->d, s->thread));
	if (fx_tables_init(&t, &x->reader) && firefox_put_samples(x, &t, s, n) &&
	    fx_markers_put(&x->markers, &x->marker, s->thread, &t, x->v->meta, &x->j))
		fx_tables_put(&t, x->lib, &x->j);
	else
		x->j.no_memory = true;
	fx_tables_free(&t);
	jsonout_end(&x->j, '}');
}

static void firefox_put_threads(struct firefox *x)
{
	const struct fx_sample *s = x->samples.v;
	size_t end;

	if (x->samples.n)
		qsort(x->samples.v, x->samples.n, sizeof(*s), compare_samples);
	fx_markers_sort(&x->markers);
	jsonout_begin(&x->j, "threads", '[');
	for (size_t at = 0; at < x->samples.n && !x->j.no_memory && !x->j.o.error; at = end) {
		for (end = at; end < x->samples.n && s[end].thread == s[at].thread; end++)
			;
		firefox_put_thread(x, s + at, end - at);
	}
	jsonout_end(&x->j, ']');
}

static void firefox_put_profile(struct firefox *x)
{
	jsonout_begin(&x->j, NULL, '{');
	put_meta(x);
	put_libs(x);
	jsonout_put(&x->j, "pages", json_array());
	firefox_put_threads(x);
	jsonout_end(&x->j, '}');
}

static int firefox_write(FILE *out, const struct export_view *v, struct err *e)
{
	struct firefox x = { .v = v, .d = snapshot_dict(v->snapshot), .j.o.file = out };
	int r;

	x.reader = (struct frame_reader){ .d = x.d, .names = v->names, .q = &v->query };
	r = events_each(v, &v->query, firefox_gather, &x, e);
	if (r == -ENOMEM)
		r = err_nomem(e, "the events of the profile");
	x.lib = malloc((dict_modules(x.d) + 1ul) * sizeof(*x.lib));
	if (!x.lib)
		x.j.no_memory = true;
	else if (r >= 0)
		firefox_put_profile(&x);
	frames_free(&x.reader);
	vec_free(&x.samples);
	fx_markers_free(&x.markers);
	free(x.lib);
	return r < 0 ? r : jsonout_finish(&x.j, "the profile for Firefox", e);
}

const struct exporter exporter_firefox = {
	.name = "firefox", .extensions = "firefox.json",
	.about = "a profile for profiler.firefox.com, which loads it in the browser and sends it nowhere: each thread "
		"over time, with categories for user, kernel and JIT code, blocked, runnable and idle, and a marker "
		"for each wait with its system call, its state and who ended it",
	.reads = EXPORT_EVENTS,
	.write = firefox_write,
};
