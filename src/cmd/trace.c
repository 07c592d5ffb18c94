/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - `sberf trace`: a line for each hit of a probe, in order of time, while it happens; or
 * for each that a recording has.
 *
 * The engine's thread only copies hits (trace/hitorder.h); this one waits for names, looks up
 * descriptors, and writes. So whoever reads the lines slowly loses lines, which are counted, and
 * never stops the target.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/lineout.h"
#include "cmd/mapped.h"
#include "cmd/open_recording.h"
#include "cmd/options.h"
#include "cmd/launch.h"
#include "cmd/launch_probes.h"
#include "cmd/records.h"
#include "cmd/signals.h"
#include "model/probenotes.h"
#include "probe/spec.h"
#include "probe/tracepoint.h"
#include "query/stacktext.h"
#include "trace/callsums.h"
#include "trace/calltable.h"
#include "trace/fdpaths.h"
#include "trace/hitfields.h"
#include "trace/hitline.h"
#include "trace/hitorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_NS (100 * NSEC_PER_MSEC)    /* how late signals and the end are seen */
#define REFRESH_NS (200 * NSEC_PER_MSEC) /* as a view: the engine's turns are short then, and losses known soon */
#define NAMES_NS NSEC_PER_SEC            /* that names of stacks are waited for, once for what came together */
#define WAITING_BYTES (128u << 20)       /* of hits that wait for their turn */
#define RING_BYTES (64u << 20)           /* when nothing is said: two seconds of 100,000 calls, without stacks */
#define FLUSH_BYTES 32768u               /* of whole lines, before the buffer is full */
#define TRACEPOINTS_APART 32u            /* so many probes at most when each tracepoint of a wildcard is one */
#define RECORDED_NS (5 * NSEC_PER_SEC)   /* by how much events of a recording may be out of order */
#define RECORDED_HITS 32768u             /* of a recording, before they are put into order */

struct trace {
	const struct options *o;
	struct launch launch;
	struct engine_tracer tracer;
	struct calltable *table;
	struct hitorder *order;
	struct fdpaths *paths;
	struct mapped *mapped;
	struct hitfields fields;         /* of the line at hand */
	struct calltext_files files;
	struct callsums *sums;
	struct stacktext stack;
	VEC(char *) tracepoint;          /* probes of one each, in place of several at once */
	bool several;                    /* some probe is at several functions */
	struct strtab *function;         /* their names, for sums */
	char name[SPEC_TEXT_MAX];        /* of the line at hand */
	FILE *out;
	uint64_t real_ns;                /* to be added to CLOCK_MONOTONIC */
	const struct dict *dict;
	const struct names *names;
	uint64_t recorded;               /* hits of a recording so far */
	int error;                       /* of writing, positive; 0 = none */
	uint64_t no_memory;
	struct losses told;              /* that were said */
	uint64_t told_dropped;
	struct {
		bool told;               /* a recording has hits of it by themselves: these are the lines */
		bool call;               /* of system calls */
		bool registers;          /* what the arguments of a function may be stands in registers ... */
		bool returns;            /* ... and its result behind them */
		/* owned: what stands before the name of one of its functions, "call:app:"; NULL = it is at no others */
		char *several;
		uint8_t kind;            /* enum probe_kind */
		struct hitrecord record; /* of one tracepoint; n 0 = it is about something else */
	} probe[PROBES_MAX];
};

/* ---- lines ---- */

static const char *trace_probe_name(uint32_t probe)
{
	const struct measure *m = probes_measure(probe);

	return m ? m->name : "unknown probe";
}

/* May P be at several functions, so that its name does not say at which one it was hit? */
static bool trace_is_several(const struct spec_point *p)
{
	switch (p->kind) {
	case PROBE_ENTRY:
	case PROBE_RETURN:
	case PROBE_CALL:
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
		return p->match == SPEC_WILDCARD || p->match == SPEC_REGEX;
	default:
		return false;
	}
}

/* What stands before the name of a function of P, for the caller to free; NULL when out of memory. */
static char *trace_prefix(const struct spec_point *p)
{
	char text[SPEC_TEXT_MAX];

	text_format(text, sizeof(text), "%s:%s%s", probe_kind_info(p->kind)->name, p->target, *p->target ? ":" : "");
	return strdup(text);
}

/* What is known of each probe. */
static void trace_know_probes(struct trace *t)
{
	for (uint32_t i = 0; i < probes_count() && i < PROBES_MAX; i++) {
		struct spec s;
		uint8_t kind;

		if (spec_parse(trace_probe_name(i), &s, NULL) < 0)
			continue;
		/* The arguments of a span are those at its end. */
		kind = s.point[s.points - 1].kind;
		t->probe[i].kind = kind;
		t->probe[i].call = !s.span && kind == PROBE_SYSCALL;
		(void)record_of_probe(&s, &t->probe[i].record);
		t->probe[i].returns = !s.span && (kind == PROBE_CALL || kind == PROBE_RETURN);
		t->probe[i].registers = kind == PROBE_ENTRY || kind == PROBE_KPROBE || t->probe[i].returns;
		if (!s.span && trace_is_several(&s.point[0]))
			t->probe[i].several = trace_prefix(&s.point[0]);
		t->several |= t->probe[i].several != NULL;
	}
}

/* The system call that HIT is, or its probe. CALL: that of the hit, or a number of trace_function(). */
static const char *trace_name(const struct trace *t, uint32_t probe, uint32_t call)
{
	if (call == HIT_NO_CALL)
		return trace_probe_name(probe);
	return probe < PROBES_MAX && t->probe[probe].several ? strtab_get(t->function, call) :
		calltable_name(t->table, call);
}

/* Which of the functions of its probe H is at, by the innermost frame of T's stack, as "call:app:f"; NULL = unknown. */
static const char *trace_function(struct trace *t, const struct hit *h)
{
	const char *several = h->probe < PROBES_MAX ? t->probe[h->probe].several : NULL;

	for (size_t i = 0; several && i < t->stack.frame.n; i++) {
		const char *frame = t->stack.frame.v[i], *end = strstr(frame, " (");

		/* What was inlined where the function begins is no function of the probe. */
		if (end && !strcmp(end, " (inlined)"))
			continue;
		snprintf(t->name, sizeof(t->name), "%s%.*s", several,
			 (int)(end ? end - frame : (ptrdiff_t)strlen(frame)), frame);
		return t->name;
	}
	return NULL;
}

/* Notes the first failure of writing. */
static void trace_note_error(struct trace *t)
{
	if (!t->error && ferror(t->out))
		t->error = errno ? errno : EIO;
}

static void trace_flush(struct trace *t)
{
	fflush(t->out);
	trace_note_error(t);
}

static void trace_put(struct trace *t, const struct hitline *l)
{
	if (!t->o->trace_json)
		hitline_text(t->out, l);
	else if (!hitline_json(t->out, l))
		t->no_memory++;
	trace_note_error(t);
	/* Whoever reads gets whole lines. */
	if (__fpending(t->out) > FLUSH_BYTES)
		trace_flush(t);
}

/* What the arguments of H mean, if they are not those of a system call; NULL = it is not known. */
static const struct hitfields *trace_fields(struct trace *t, const struct hit *h)
{
	const unsigned int kind = h->probe < PROBES_MAX && h->nr_args ? t->probe[h->probe].kind : PROBE_KINDS;

	if (h->probe < PROBES_MAX && t->probe[h->probe].record.n && hit_text_of(h, SB_TEXT_RECORD)) {
		hitfields_of_record(h, &t->probe[h->probe].record, &t->fields);
		return &t->fields;
	}
	if (kind == PROBE_FAULT && !t->mapped)
		t->mapped = mapped_new();
	if (kind == PROBE_FAULT)
		hitfields_of_fault(h, t->mapped ? mapped_name(t->mapped, h->pid, h->arg[0], clock_mono_ns()) : NULL,
				   &t->fields);
	else if (kind == PROBE_SIGNAL)
		hitfields_of_signal(h, &t->fields);
	else if (kind != PROBE_SYSCALL)
		hitfields_of_params(h, &t->fields);
	else
		return NULL;
	return t->fields.n ? &t->fields : NULL;
}

/* H, which is at FUNCTION, if its probe is at several. False when out of memory. */
static bool trace_add_sum(struct trace *t, const struct hit *h, const char *function)
{
	const bool failed = h->call != HIT_NO_CALL && calltext_error(h->result);
	const uint32_t call = function ? strtab_adds(t->function, function) : h->call;

	return callsums_add(t->sums, h->probe, call, failed, h->latency_ns, h->count);
}

static void trace_put_hit(struct trace *t, const struct hit *h)
{
	const struct callargs *call = h->call == HIT_NO_CALL ? NULL : calltable_args(t->table, h->call);
	const bool stack = (t->o->trace_stacks || t->several) && stacktext_of(&t->stack, t->dict, t->names, h->stack);
	const char *function = stack ? trace_function(t, h) : NULL;
	struct hitline l = {
		.hit = h, .said = hit_text_of(h, HIT_SAID), .real_ns = h->time_ns + t->real_ns,
		.name = function ? function : trace_name(t, h->probe, h->call),
		.is_call = h->call != HIT_NO_CALL, .call = call, .files = t->paths ? &t->files : NULL,
		.returns = h->probe < PROBES_MAX && t->probe[h->probe].returns && h->nr_args > HIT_CALL_ARGS,
		.fields = t->o->trace_sums_only ? NULL : trace_fields(t, h),
	};

	l.registers = !l.fields && h->probe < PROBES_MAX && t->probe[h->probe].registers;
	if (t->sums && !h->open && !l.said && !trace_add_sum(t, h, function))
		t->no_memory++;
	if (t->o->trace_sums_only || (!l.said && h->probe < PROBES_MAX && t->probe[h->probe].told))
		return;
	if (t->paths)
		fdpaths_learn(t->paths, call, h);
	if (stack && t->o->trace_stacks) {
		l.frame = (const char *const *)t->stack.frame.v;
		l.nr_frames = (uint32_t)t->stack.frame.n;
	}
	trace_put(t, &l);
}

/* Writes all hits whose turn has come. False when they cannot be written any more. */
static bool trace_put_all(struct trace *t)
{
	struct hit *h;

	while (!t->error && (h = hitorder_take(t->order))) {
		trace_put_hit(t, h);
		hit_free(h);
	}
	trace_flush(t);
	return !t->error;
}

static void trace_put_sums(struct trace *t)
{
	const struct callsum *s;
	size_t n;

	if (!t->sums)
		return;
	s = callsums_sorted(t->sums, &n);
	if (n && !t->o->trace_json)
		hitline_sum_head(t->out);
	for (size_t i = 0; i < n; i++) {
		const char *name = trace_name(t, s[i].probe, s[i].call);

		if (!t->o->trace_json)
			hitline_sum_text(t->out, name, &s[i]);
		else if (!hitline_sum_json(t->out, name, &s[i]))
			t->no_memory++;
	}
	trace_flush(t);
}

/* ---- what is missing ---- */

static void say_missing(const struct trace *t, uint64_t n, const char *why, const char *remedy)
{
	char text[UNITS_MAX];

	fflush(t->out);
	if (t->o->trace_json)
		fprintf(t->out, "{\"lost\":%llu,\"why\":\"%s\"}\n", (unsigned long long)n, why);
	fprintf(stderr, "sberf trace: lost %s: %s%s%s\n", units_thousands(text, n), why, *remedy ? "; " : "", remedy);
}

/* Says what has been lost since it was said the last time. */
static void say_lost(struct trace *t)
{
	struct hitorder_figures f;
	struct profile_meta m;

	hitorder_figures(t->order, &f);
	if (f.dropped > t->told_dropped)
		say_missing(t, f.dropped - t->told_dropped, "lines were not read fast enough", "");
	t->told_dropped = f.dropped;
	if (!t->launch.engine)
		return;
	engine_status(t->launch.engine, &m);
	for (unsigned int i = 0; i < LOST_NR; i++) {
		if (m.lost.n[i] > t->told.n[i])
			say_missing(t, m.lost.n[i] - t->told.n[i], lost_info(i)->text, lost_info(i)->remedy);
		t->told.n[i] = m.lost.n[i];
	}
}

/* What is said at the end, of all of it. */
static void say_end(struct trace *t)
{
	struct hitorder_figures f;
	uint64_t lost;
	char text[UNITS_MAX];

	say_lost(t);
	hitorder_figures(t->order, &f);
	lost = losses_total(&t->told) + f.dropped;
	if (lost)
		fprintf(stderr, "sberf trace: in all %s are missing in these lines%s\n", units_thousands(text, lost),
			t->sums ? " and sums" : "");
	if (f.late)
		fprintf(stderr, "sberf trace: %s lines stand behind later ones\n", units_thousands(text, f.late));
	if (t->no_memory)
		fprintf(stderr, "sberf trace: for %s there was no memory\n", units_thousands(text, t->no_memory));
}

/* ---- a running target ---- */

static void trace_take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct trace *t = ctx;
	const uint32_t probe = raw->hit.probe - RAW_PROBE_PLACED;

	hitorder_put(t->order, hit_new(raw, probe < PROBES_MAX && t->probe[probe].call, ev ? ev->stack : ID_NONE));
}

static void trace_seen(void *ctx, uint64_t ns)
{
	struct trace *t = ctx;

	hitorder_flush(t->order, ns);
}

/*
 * Adds to TO each tracepoint that TEXT means by a wildcard as a probe of its own, as its lines have its name and fields
 * then, if there is room. Returns how many.
 */
static size_t trace_add_tracepoints(struct trace *t, const char *text, text_vec *to)
{
	tracepoint_names found = { 0 };
	char tracefs[PATH_MAX];
	size_t n = 0;
	struct spec s;

	if (spec_parse(text, &s, NULL) < 0 || s.span || s.point[0].kind != PROBE_TRACEPOINT ||
	    (s.point[0].match == SPEC_EXACT && s.point[0].provider_match == SPEC_EXACT) ||
	    tracefs_find(tracefs, NULL) < 0 || find_tracepoints(tracefs, &s.point[0], &found, NULL) < 0)
		return 0;
	if (to->n + found.n <= TRACEPOINTS_APART && vec_reserve(to, found.n) && vec_reserve(&t->tracepoint, found.n)) {
		s.point[0].match = s.point[0].provider_match = SPEC_EXACT;
		for (; n < found.n; n++) {
			char one[SPEC_TEXT_MAX], *probe;

			text_format(s.point[0].provider, sizeof(s.point[0].provider), "%s", found.v[n].category);
			text_format(s.point[0].name, sizeof(s.point[0].name), "%s", found.v[n].name);
			probe = strdup(spec_text(&s, one));
			if (!probe)
				break;
			*vec_push(&t->tracepoint) = probe;
			*vec_push(to) = probe;
		}
	}
	vec_free(&found);
	return n;
}

/* What O asks for, as a capture that only traces: one sample a second is the least that there is. */
static int trace_options(struct trace *t, const struct options *o, struct options *ret, struct err *e)
{
	*ret = *o;
	ret->freq_hz = 1;
	ret->event = EVENT_CPU_CLOCK;
	ret->off_cpu = false;
	ret->numa = NUMA_OFF;
	ret->call_graph = o->trace_stacks ? o->call_graph : CALL_GRAPH_OFF;
	ret->ring_bytes = o->ring_bytes ? o->ring_bytes : RING_BYTES;
	ret->probes = (text_vec){ 0 };
	for (size_t i = 0; i < o->probes.n || !i; i++) {
		if (i < o->probes.n && trace_add_tracepoints(t, o->probes.v[i], &ret->probes))
			continue;
		if (!vec_reserve(&ret->probes, 1))
			return err_nomem(e, "probes");
		*vec_push(&ret->probes) = o->probes.n ? o->probes.v[i] : "sys:*";
	}
	return 0;
}

static int trace_prepare(struct trace *t, struct err *e)
{
	const bool sums = t->o->trace_sums || t->o->trace_sums_only;

	t->table = calltable_new(NULL);
	t->order = hitorder_new(WAITING_BYTES);
	t->sums = sums ? callsums_new() : NULL;
	t->function = sums ? strtab_new() : NULL;
	if (!t->table || !t->order || (sums && (!t->sums || !t->function)))
		return err_nomem(e, "the trace");
	return lineout_open(t->o, &t->out, e);
}

static int trace_open(struct trace *t, const struct options *asked, struct err *e)
{
	int r = trace_prepare(t, e);

	if (r)
		return r;
	t->paths = fdpaths_new("/proc");
	if (!t->paths)
		return err_nomem(e, "the trace");
	t->files = (struct calltext_files){ fdpaths_name, t->paths };
	for (size_t i = 0; i < asked->probes.n; i++) {
		struct spec s;

		t->several |= spec_parse(asked->probes.v[i], &s, NULL) >= 0 && !s.span && trace_is_several(&s.point[0]);
	}
	t->tracer = (struct engine_tracer){ .hit = trace_take, .seen = trace_seen, .ctx = t,
					    .stacks = t->o->trace_stacks || t->several };
	t->launch.config.tracer = &t->tracer;
	t->launch.config.refresh_ns = REFRESH_NS;
	t->launch.config.plan.call_wishes = calltable_wishes(t->table);
	r = launch_open(&t->launch, asked, false, e);
	if (r < 0)
		return r;
	trace_know_probes(t);
	t->dict = engine_dict(t->launch.engine);
	t->names = engine_names(t->launch.engine);
	t->real_ns = clock_real_at(0);
	return 0;
}

/* Waits for what comes next, and writes it. False when it cannot be written any more. */
static bool trace_turn(struct trace *t)
{
	const bool came = hitorder_wait(t->order, POLL_NS);

	if (came && (t->o->trace_stacks || t->several)) {
		symbolizer_kick(engine_symbolizer(t->launch.engine));
		symbolizer_wait(engine_symbolizer(t->launch.engine), NAMES_NS);
	}
	return trace_put_all(t);
}

/* Until the capture has ended; a signal stops it, and so does the end of who reads. */
static void trace_until_end(struct trace *t, const sigset_t *set)
{
	const struct timespec now = { 0 };
	struct engine *en = t->launch.engine;
	bool ended = false, read_on = true;
	int signals = 0;

	while (!ended && read_on) {
		ended = engine_wait(en, 1);
		if (ended)
			hitorder_end(t->order);
		launch_say_placed(&t->launch, "trace");
		read_on = trace_turn(t);
		say_lost(t);
		launch_say_price(&t->launch, "trace");
		if (signals_take(&t->launch, set, &now)) {
			if (signals++)
				break;
			engine_stop(en);
		}
	}
	engine_stop(en);
	engine_wait(en, 0);
}

/* The exit status of a command that has ended, as a shell tells it. */
static int trace_status(const struct trace *t)
{
	struct profile_meta m;

	engine_status(t->launch.engine, &m);
	return m.target_state == TARGET_EXITED ? m.end_code : m.target_state == TARGET_KILLED ? 128 + m.end_code : 0;
}

static int trace_run(struct trace *t, const struct options *asked, struct err *e)
{
	sigset_t set;
	int r = trace_open(t, asked, e);

	if (r < 0)
		return r;
	signals_block(&set, false);
	r = launch_start(&t->launch, e);
	if (r < 0)
		return r;
	if (t->o->wait && !t->launch.config.plan.ids.n)
		fprintf(stderr, "sberf trace: waiting for a process called '%s' (Ctrl-C ends that)\n",
			t->launch.target_text);
	if (t->launch.note[0])
		fprintf(stderr, "sberf trace: %s\n", t->launch.note);
	trace_until_end(t, &set);
	trace_put_sums(t);
	say_end(t);
	launch_say_probes(&t->launch, "trace");
	launch_say_spans(&t->launch, "trace");
	launch_end_command(&t->launch);
	r = engine_result(t->launch.engine, e);
	return r < 0 || !t->launch.child.pid ? r : trace_status(t);
}

static int trace_live(struct trace *t, struct err *e)
{
	struct options asked;
	int r = trace_options(t, t->o, &asked, e);

	if (!r)
		r = trace_run(t, &asked, e);
	launch_close(&t->launch);
	vec_free(&asked.probes);
	return launch_exit(&t->launch, r);
}

/* ---- a recording ---- */

/* A recording tells of each hit when it was, who, and how long it took. */
static int trace_recorded_event(void *ctx, const struct event *ev)
{
	struct trace *t = ctx;
	const struct thread *who = dict_get_thread(t->dict, ev->thread);
	const struct measure *m = ev->kind == EVENT_HIT ? probes_measure((uint32_t)ev->argument) : NULL;
	struct raw_event raw = { .kind = RAW_EVENT, .cpu = ev->cpu, .time_ns = ev->time_ns };
	const char *comm;

	if (!m)
		return 0;
	comm = strtab_get(dict_strings(t->dict), who->comm);
	strncpy(raw.sample.comm, comm, sizeof(raw.sample.comm) - 1);
	raw.pid = who->pid;
	raw.tid = who->tid;
	raw.hit = (struct raw_hit){ .probe = RAW_PROBE_PLACED + (uint32_t)ev->argument, .value = ev->weight,
				    .count = ev->count,
				    .begun_ns = m->unit == UNIT_TIME ? ev->time_ns - ev->weight : 0 };
	hitorder_put(t->order, hit_new(&raw, false, ev->stack));
	if (++t->recorded % RECORDED_HITS == 0 && ev->time_ns > RECORDED_NS) {
		hitorder_flush(t->order, ev->time_ns - RECORDED_NS);
		hitorder_wait(t->order, 0);
		return trace_put_all(t) ? 0 : -EPIPE;
	}
	return 0;
}

/* Of some hits there is more than their event: as they were chosen by chance, they stand for others. */
static void trace_recorded_hit(void *ctx, const struct told_hit *told)
{
	struct trace *t = ctx;
	struct raw_event raw = { .kind = RAW_EVENT, .cpu = told->cpu, .time_ns = told->time_ns, .pid = (pid_t)told->pid,
				 .tid = (pid_t)told->tid };

	raw.hit = (struct raw_hit){
		.probe = RAW_PROBE_PLACED + told->probe, .value = told->latency_ns, .count = told->look,
		.begun_ns = told->timed ? told->time_ns - told->latency_ns : 0, .nr_texts = 1,
		.text = { { .arg = HIT_SAID, .len = (uint16_t)strlen(told->text), .bytes = told->text } },
	};
	memcpy(raw.sample.comm, told->comm, sizeof(told->comm));
	hitorder_put(t->order, hit_new(&raw, false, ID_NONE));
}

/* Which probes have hits by themselves, in place of those that were told with a stack or added up. */
static void trace_know_told(struct trace *t, const struct probe_notes *notes)
{
	for (size_t i = 0; notes && i < notes->probe.n; i++)
		if (notes->probe.v[i].probe < PROBES_MAX)
			t->probe[notes->probe.v[i].probe].told = notes->probe.v[i].seen.looked;
}

/* The lines of some probes are a sample. */
static void say_sampled(const struct probe_notes *notes)
{
	for (size_t i = 0; notes && i < notes->probe.n; i++) {
		const struct probe_note *n = &notes->probe.v[i];
		char looked[UNITS_MAX], all[UNITS_MAX];

		if (n->seen.looked < n->seen.looked_for)
			fprintf(stderr, "sberf trace: %s: the recording has %s of about %s hits by themselves\n",
				trace_probe_name(n->probe), units_thousands(looked, n->seen.looked),
				units_thousands(all, n->seen.looked_for));
	}
}

static int trace_put_recording(struct trace *t, struct open_recording *l, struct err *e)
{
	int r;

	trace_know_probes(t);
	for (uint32_t i = 0; i < PROBES_MAX; i++)
		t->probe[i].registers = t->probe[i].returns = false;
	t->dict = snapshot_dict(l->snapshot);
	t->names = l->names;
	t->real_ns = l->meta.start_real_ns - l->meta.start_mono_ns;
	/* With stacks the lines are those hits that were told with one. */
	if (!t->o->trace_stacks) {
		trace_know_told(t, snapshot_probes(l->snapshot));
		l->hit = trace_recorded_hit;
	}
	r = open_recording_events(l, trace_recorded_event, t, e);
	if (r)
		return r == -EPIPE ? 0 : r;
	hitorder_flush(t->order, UINT64_MAX);
	hitorder_wait(t->order, 0);
	trace_put_all(t);
	if (!t->recorded)
		fprintf(stderr, "sberf trace: no probe was hit in this recording (record --probe places some)\n");
	trace_put_sums(t);
	if (!t->o->trace_stacks && !t->o->trace_sums_only)
		say_sampled(snapshot_probes(l->snapshot));
	say_end(t);
	return 0;
}

static int trace_recording(struct trace *t, struct err *e)
{
	/* What it writes is open by then. */
	static const struct sandbox_reading nothing;
	struct open_recording l = { .twice = true, .keeps = &nothing };
	int r = trace_prepare(t, e);

	if (!r)
		r = open_recording(&l, open_recording_path(t->o->input), t->o, e);
	if (r >= 0)
		r = trace_put_recording(t, &l, e);
	open_recording_free(&l);
	return r < 0 ? r : 0;
}

/* ---- the command ---- */

int cmd_trace(const struct options *o, struct err *e)
{
	struct trace t = { .o = o, .launch = LAUNCH_INIT };
	int r = o->input ? trace_recording(&t, e) : trace_live(&t, e);

	if (t.out && fclose(t.out) && !t.error)
		t.error = errno;
	r = lineout_result(o, r, t.error, e);
	hitorder_free(t.order);
	fdpaths_free(t.paths);
	mapped_free(t.mapped);
	callsums_free(t.sums);
	strtab_free(t.function);
	for (uint32_t i = 0; i < PROBES_MAX; i++)
		free(t.probe[i].several);
	calltable_free(t.table);
	stacktext_free(&t.stack);
	for (size_t i = 0; i < t.tracepoint.n; i++)
		free(t.tracepoint.v[i]);
	vec_free(&t.tracepoint);
	return r;
}
