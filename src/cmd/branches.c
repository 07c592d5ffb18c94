/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches.c - `sberf branches`: which branches calls of a function took, and where calls that meet a condition part
 * from the others.
 *
 * The engine's thread only copies hits (trace/hitorder.h). This one puts them together to calls, in order of time,
 * judges each call, counts it, and writes. So whoever reads slowly loses hits, which are counted, and never stops the
 * target.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "branch/calls.h"
#include "branch/graph.h"
#include "branch/show.h"
#include "branch/sums.h"
#include "capture/branchrecords.h"
#include "cmd/branch_conditions.h"
#include "cmd/branch_graph.h"
#include "cmd/branch_listing.h"
#include "cmd/branch_names.h"
#include "cmd/branch_programs.h"
#include "cmd/launch.h"
#include "cmd/launch_probes.h"
#include "cmd/lineout.h"
#include "cmd/options.h"
#include "cmd/signals.h"
#include "engine/placing.h"
#include "query/stacktext.h"
#include "trace/calltable.h"
#include "trace/hitfields.h"
#include "trace/hitorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS (100 * NSEC_PER_MSEC)    /* how late signals and the end are seen */
#define REFRESH_NS (200 * NSEC_PER_MSEC)
#define NAMES_NS (5 * NSEC_PER_SEC)      /* that names of a stack are waited for */
#define WAITING_BYTES (128u << 20)       /* of hits that wait for their turn */
#define RING_BYTES (64u << 20)
#define FUNCTION_BYTES 512u
#define FUNCTIONS_MAX 4096u              /* whose times are kept apart */

/* The calls of one function. */
struct counted_function {
	uint64_t space;
	struct branch_times times;
};

struct branches {
	const struct options *o;
	struct launch launch;
	struct engine_tracer tracer;
	struct calltable *table;
	struct hitorder *order;
	struct branch_calls *calls;
	struct graphs *graphs;           /* in place of them, with --how graph */
	struct branch_graph *graph;
	struct branch_programs *programs;        /* in place of both: of BPF programs, or with records of the CPU */
	uint32_t called;                 /* functions that are probed for these */
	struct branch_sums *sums;
	struct branch_names *names;
	branch_wishes wish;
	enum branch_way how;
	struct spec_expr part;
	struct branch_show show;
	struct hitfields fields;         /* of the call at hand */
	VEC(struct counted_function) function;
	VEC(struct branch_call) last;    /* as a ring, from last_at on */
	VEC(struct graph) last_graph;    /* the same */
	size_t last_at;
	struct stacktext stack;          /* of the call at hand */
	uint32_t priced[PROBES_MAX];     /* functions whose price was said */
	uint64_t real_ns;                /* to be added to CLOCK_MONOTONIC */
	/* calls: that do not meet the condition of their function, that cannot be judged, for which was no memory */
	uint64_t unmet, unknown, untold;
	int error;                       /* of writing, positive; 0 = none */
};

/* ---- calls ---- */

static const struct branch_wish *branches_wish(const struct branches *b, uint32_t probe)
{
	for (size_t i = 0; i < b->wish.n; i++)
		if (b->wish.v[i].number == probe)
			return &b->wish.v[i];
	return NULL;
}

/* How CODE is called, without its parameters, which have their values. Returns DST. */
static const char *branches_called(const struct probe_code *code, char dst[FUNCTION_BYTES])
{
	const char *at = code->name;

	while (*at && (*at != '(' || !strncmp(at, "(anonymous", 10)))
		at += strncmp(at, "operator()", 10) ? 1 : 10;
	text_format(dst, FUNCTION_BYTES, "%.*s", (int)(at - code->name), code->name);
	return *dst ? dst : code->symbol;
}

/*
 * RESULT of CALL, with the name of the error, into DST, where it is one of the kernel, or of what it means for a BPF
 * program. Returns what to show.
 */
static const char *branches_error(const struct branches *b, const struct branch_call *call, const char *result,
				  char dst[48])
{
	const int64_t code = -(int64_t)(int32_t)call->result;
	struct probe_code of;
	const char *name = code > 0 && code < 4096 && *result == '-' ? strerrorname_np((int)code) : NULL;

	if (b->programs) {
		const char *verdict = branch_programs_verdict(b->programs, call);

		if (*verdict)
			text_format(dst, 48, "%s (%s)", result, verdict);
		return *verdict ? dst : result;
	}
	if (!name || !probe_code_find(call->probe, BRANCH_SPACE_NUMBER(call->space), &of) ||
	    !branch_names_is_kernel(&of))
		return result;
	text_format(dst, 48, "%s (%s)", result, name);
	return dst;
}

/* Has the frames of STACK in TEXT, until the next question. */
static void branches_stack(struct branches *b, stack_id stack, struct branch_call_text *text)
{
	struct engine *en = b->launch.engine;

	if (!b->o->branch_stacks || !en || stack == ID_NONE)
		return;
	symbolizer_kick(engine_symbolizer(en));
	symbolizer_wait(engine_symbolizer(en), NAMES_NS);
	if (!stacktext_of(&b->stack, engine_dict(en), engine_names(en), stack)) {
		b->untold++;
		return;
	}
	text->frame = (const char *const *)b->stack.frame.v;
	text->frames = (uint32_t)b->stack.frame.n;
}

/* Writes CALL. */
static void branches_put(struct branches *b, const struct branch_call *call)
{
	struct hit params = { .probe = call->probe, .nr_args = BRANCH_ARGS + (call->end == BRANCH_RETURNED) };
	struct branch_call_text text = { .function = "", .args = "", .result = "", .real_ns = b->real_ns };
	char called[FUNCTION_BYTES], error[48];
	struct probe_code code;

	memcpy(params.arg, call->arg, sizeof(call->arg));
	params.arg[BRANCH_ARGS] = call->result;
	hitfields_of_params(&params, &b->fields);
	text.args = b->fields.text;
	text.result = branches_error(b, call, b->fields.result, error);
	if (b->programs)
		text.function = branch_programs_name(b->programs, call->probe);
	else if (probe_code_find(call->probe, BRANCH_SPACE_NUMBER(call->space), &code))
		text.function = branches_called(&code, called);
	text.meets = b->part.n && branch_condition_of(&b->part, call) == VERDICT_YES;
	branches_stack(b, call->stack, &text);
	if (!branch_show_call(&b->show, call, &text))
		b->untold++;
}

/* Keeps CALL as one of the last. */
static void branches_keep(struct branches *b, const struct branch_call *call)
{
	struct branch_call copy = *call, *at;

	copy.branch = (branch_vec){ 0 };
	if (call->branch.n && !vec_reserve(&copy.branch, call->branch.n)) {
		b->untold++;
		return;
	}
	if (call->branch.n)
		memcpy(copy.branch.v, call->branch.v, call->branch.n * sizeof(*call->branch.v));
	copy.branch.n = call->branch.n;
	if (b->last.n < b->o->last) {
		at = vec_push(&b->last);
	} else {
		at = &b->last.v[b->last_at];
		vec_free(&at->branch);
	}
	if (!at) {
		vec_free(&copy.branch);
		b->untold++;
		return;
	}
	*at = copy;
	b->last_at = (b->last_at + 1) % b->o->last;
}

/* A call of the function of SPACE took NS. */
static void branches_time(struct branches *b, uint32_t space, uint64_t ns)
{
	struct counted_function *at = NULL;

	for (size_t i = 0; i < b->function.n && !at; i++)
		if (b->function.v[i].space == space)
			at = &b->function.v[i];
	if (!at && b->function.n < FUNCTIONS_MAX) {
		at = vec_push(&b->function);
		if (at)
			*at = (struct counted_function){ .space = space };
	}
	if (!at) {
		b->untold++;
		return;
	}
	branch_times_add(&at->times, ns);
}

/* Whether CALL counts. If so it is counted, and *RET_MEETS says on which side it is. */
static bool branches_judge(struct branches *b, const struct branch_call *call, bool *ret_meets)
{
	const struct branch_wish *w = branches_wish(b, call->probe);
	const enum branch_verdict wanted = w ? branch_condition_of(&w->when, call) : VERDICT_NO;
	const enum branch_verdict side = b->part.n ? branch_condition_of(&b->part, call) : VERDICT_NO;

	if (wanted == VERDICT_NO) {
		b->unmet++;
		return false;
	}
	if (wanted == VERDICT_UNKNOWN || side == VERDICT_UNKNOWN) {
		b->unknown++;
		return false;
	}
	*ret_meets = side == VERDICT_YES;
	if (b->sums && !branch_sums_add(b->sums, call, *ret_meets ? SIDE_MEETS : SIDE_OTHER))
		b->untold++;
	return true;
}

static void branches_ended(void *ctx, const struct branch_call *call)
{
	struct branches *b = ctx;
	bool meets;

	if (!branches_judge(b, call, &meets))
		return;
	if (b->o->branch_count)
		branches_time(b, call->space, call->ended_ns - call->begun_ns);
	if (b->o->last)
		branches_keep(b, call);
	else if (!b->sums)
		branches_put(b, call);
}

/* Keeps G as one of the last. */
static void branches_keep_graph(struct branches *b, const struct graph *g)
{
	struct graph copy = *g, *at = b->last_graph.n < b->o->last ? vec_push(&b->last_graph) :
		&b->last_graph.v[b->last_at];

	memset(&copy.call, 0, sizeof(copy.call));
	if (!at || !vec_reserve(&copy.call, g->call.n)) {
		b->last_graph.n -= at && b->last_graph.n < b->o->last;
		b->untold++;
		return;
	}
	memcpy(copy.call.v, g->call.v, g->call.n * sizeof(*g->call.v));
	copy.call.n = g->call.n;
	if (b->last_graph.n == b->o->last && at == &b->last_graph.v[b->last_at])
		vec_free(&at->call);
	*at = copy;
	b->last_at = (b->last_at + 1) % b->o->last;
}

static void branches_put_graph(struct branches *b, const struct graph *g, bool meets)
{
	struct branch_call_text text = { .real_ns = b->real_ns, .meets = meets };

	branches_stack(b, g->stack, &text);
	if (!branch_graph_put(b->graph, &b->show, g, &text))
		b->untold++;
}

static void branches_graph_ended(void *ctx, const struct graph *g)
{
	struct branches *b = ctx;
	struct branch_call call;
	bool meets;

	if (!branch_graph_call(b->graph, g, &call))
		b->untold++;
	else if (branches_judge(b, &call, &meets)) {
		for (size_t i = 0; b->o->branch_count && i < g->call.n; i++)
			branches_time(b, BRANCH_SPACE(g->probe, g->call.v[i].number),
				      g->call.v[i].ended_ns - g->call.v[i].begun_ns);
		if (b->o->last)
			branches_keep_graph(b, g);
		else if (!b->sums)
			branches_put_graph(b, g, meets);
	}
	vec_free(&call.branch);
}

/* The first function of a probe is the one that was noted first (placing.c); of several each may be. */
static bool branches_is_first(void *ctx, uint32_t probe, uint32_t number)
{
	const struct branch_wish *w = branches_wish(ctx, probe);
	struct probe_code code;

	if (w && w->several)
		return true;
	return probe_code_get(probe, 0, &code) && code.first == number;
}

static bool branches_code(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret)
{
	(void)ctx;
	return probe_code_find(probe, number, ret);
}

static void branches_hit(struct branches *b, const struct hit *h)
{
	struct branch_hit hit = {
		.time_ns = h->time_ns, .pid = h->pid, .tid = h->tid, .comm = h->comm, .scale = h->count,
		.probe = h->probe, .stack = h->stack,
	};
	struct hit_branch at;

	if (!hit_of_branch(h, &at))
		return;
	hit.number = at.number;
	hit.sp = at.sp;
	hit.result = at.result;
	hit.returned = at.returned;
	memcpy(hit.arg, h->arg, sizeof(hit.arg));
	if (b->graphs)
		graphs_hit(b->graphs, &hit);
	else
		branch_calls_hit(b->calls, &hit);
}

/* ---- what is said beside the lines ---- */

static void branches_say_price(const struct branches *b, const struct probe_code *code)
{
	char dearest[UNITS_MAX], all[UNITS_MAX], name[256];
	uint32_t places = code->returns;

	for (uint32_t i = 0; i < code->n; i++)
		places += code->block[i].probed;
	text_sanitise(name, sizeof(name), code->name, strlen(code->name));
	fprintf(stderr, "sberf branches: %s: %u probes at %u basic blocks; a hit costs up to %s, a call that comes to "
		"each of them once %s more\n", name, places, code->n, units_time(dearest, code->dearest_ns),
		units_time(all, code->all_ns));
	if (b->names)
		branch_names_open(b->names, code);
}

/* Which way was chosen, and why, where that was left open. */
static void branches_say_way(const struct branches *b)
{
	struct branchrecords_facts facts;
	struct err why = ERR_INIT;
	char text[SPEC_TEXT_MAX];

	if (b->o->how != BRANCHES_AUTO)
		return;
	for (size_t i = 0; i < b->wish.n; i++)
		if (b->wish.v[i].several) {
			text_sanitise(text, sizeof(text), b->wish.v[i].probe, strlen(b->wish.v[i].probe));
			fprintf(stderr, "sberf branches: by --how graph, since %s may be several functions\n", text);
			return;
		}
	branchrecords_gather(&facts);
	(void)branchrecords_judge(&facts, &why);
	fprintf(stderr, "sberf branches: by --how step%s%s\n", why.text[0] ? ": " : "", why.text);
}

/* Says of each function that is found what its probes cost, once. */
static void branches_say_prices(struct branches *b)
{
	uint32_t called = 0, each_ns = 0;
	struct probe_code code;
	char each[UNITS_MAX];

	for (size_t i = 0; i < b->wish.n; i++) {
		const uint32_t probe = b->wish.v[i].number;

		while (probe < PROBES_MAX && probe_code_get(probe, b->priced[probe], &code)) {
			if (branch_names_is_graph(&code)) {
				called = ++b->called;
				branch_names_open(b->names, &code);
			} else {
				branches_say_price(b, &code);
			}
			b->priced[probe]++;
			each_ns = code.dearest_ns;
		}
	}
	if (called)
		fprintf(stderr, "sberf branches: %u function%s of the kernel %s probed at entry and return; a call of "
			"one costs up to %s\n", called, called == 1 ? "" : "s", called == 1 ? "is" : "are",
			units_time(each, each_ns));
}

static void branches_say_n(const struct branches *b, const char *what, uint64_t n)
{
	char text[UNITS_MAX];

	if (!n)
		return;
	fprintf(stderr, "sberf branches: %s: %s\n", what, units_thousands(text, n));
	if (b->o->trace_json)
		fprintf(b->show.out, "{\"what\":\"%s\",\"count\":%llu}\n", what, (unsigned long long)n);
}

/* Says that there was nothing, and why, where that is known. */
static void branches_say_nothing(struct branches *b)
{
	struct placer_figures f;

	engine_probes(b->launch.engine, &f);
	fprintf(stderr, "sberf branches: no call has ended while it was looked at%s\n",
		b->launch.child.pid && !f.places ?
		": the command was over before there were probes; let it run for longer, or use -p" : "");
}

/* What figures of graphs mean as those of calls. */
static void branches_graph_figures(const struct branches *b, struct branch_calls_figures *ret)
{
	struct graphs_figures g;

	graphs_figures(b->graphs, &g);
	*ret = (struct branch_calls_figures){ .calls = g.graphs, .open = g.open, .unbegun = g.unbegun,
					      .refused = g.refused };
	branches_say_n(b, "calls left out, since their return was not seen", g.left);
	branches_say_n(b, "calls within others whose return was not seen", g.unreturned);
	branches_say_n(b, "calls left out, of graphs with more than 8,192", g.dropped);
}

/* What is missing in what was shown, and what was left out of it. */
static void branches_say_end(struct branches *b)
{
	struct branch_calls_figures f;
	struct hitorder_figures h;
	struct profile_meta m;

	if (b->graphs)
		branches_graph_figures(b, &f);
	else
		branch_calls_figures(b->calls, &f);
	hitorder_figures(b->order, &h);
	engine_status(b->launch.engine, &m);
	if (!f.calls)
		branches_say_nothing(b);
	branches_say_n(b, "lost hits, whose calls have gaps or are missing", losses_total(&m.lost) + h.dropped);
	branches_say_n(b, "hits that came too late to be in order", h.late);
	branches_say_n(b, "hits of calls that had begun before", f.unbegun);
	branches_say_n(b, "calls left without a return (exceptions, longjmp)", f.left);
	branches_say_n(b, "calls left out, since their end was not seen: probes were off by then", f.unended);
	branches_say_n(b, "calls that had not ended", f.open);
	branches_say_n(b, "times that the way between two blocks is not known", f.gaps);
	branches_say_n(b, "branches left out, of calls with more than 16,384", f.dropped);
	branches_say_n(b, "hits left out for want of room", f.refused);
	branches_say_n(b, "calls that do not meet the condition of their function", b->unmet);
	branches_say_n(b, "calls left out, of which the condition asks for what is not known: a result without a "
		       "return, or a parameter without debug information", b->unknown);
	branches_say_n(b, "calls or branches left out for want of memory", b->untold);
}

/* ---- the end ---- */

static void branches_put_last(struct branches *b)
{
	const size_t first = b->last.n < b->o->last ? 0 : b->last_at;
	const size_t first_graph = b->last_graph.n < b->o->last ? 0 : b->last_at;

	for (size_t i = 0; i < b->last.n; i++)
		branches_put(b, &b->last.v[(first + i) % b->last.n]);
	for (size_t i = 0; i < b->last_graph.n; i++)
		branches_put_graph(b, &b->last_graph.v[(first_graph + i) % b->last_graph.n], false);
}

/* Those that took longest together come first. */
static int branches_compare_times(const void *a, const void *b)
{
	const struct counted_function *x = a, *y = b;

	return (x->times.total_ns < y->times.total_ns) - (x->times.total_ns > y->times.total_ns);
}

static void branches_put_times(struct branches *b)
{
	char called[FUNCTION_BYTES];

	if (b->function.n)
		qsort(b->function.v, b->function.n, sizeof(*b->function.v), branches_compare_times);

	for (size_t i = 0; i < b->function.n; i++) {
		const uint32_t space = (uint32_t)b->function.v[i].space;
		struct probe_code code;

		const char *name = b->programs ? branch_programs_name(b->programs, BRANCH_SPACE_PROBE(space)) :
			probe_code_find(BRANCH_SPACE_PROBE(space), BRANCH_SPACE_NUMBER(space), &code) ?
			branches_called(&code, called) : NULL;

		if (name && !branch_show_times(&b->show, name, &b->function.v[i].times))
			b->untold++;
	}
}

static void branches_put_listings(struct branches *b)
{
	struct probe_code code;

	for (size_t i = 0; i < b->wish.n; i++)
		for (uint32_t k = 0; probe_code_get(b->wish.v[i].number, k, &code); k++) {
			struct err why = ERR_INIT;

			if (branch_listing(&b->show, &code, b->sums, &why) < 0)
				fprintf(stderr, "sberf branches: no instructions: %s\n", why.text);
		}
}

/* Everything that is shown in the end. */
static void branches_put_all(struct branches *b)
{
	bool ok = true;

	branches_put_last(b);
	branches_put_times(b);
	if (b->o->branch_count)
		ok = branch_show_counts(&b->show, b->sums);
	if (b->o->branch_disasm)
		branches_put_listings(b);
	if (b->o->part)
		ok &= branch_show_part(&b->show, b->sums);
	if (!ok)
		b->untold++;
}

/* ---- running ---- */

static void branches_take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct branches *b = ctx;

	hitorder_put(b->order, hit_new(raw, false, ev ? ev->stack : ID_NONE));
}

static void branches_seen(void *ctx, uint64_t ns)
{
	struct branches *b = ctx;

	hitorder_flush(b->order, ns);
}

/* Handles all hits whose turn has come. False when nothing can be written any more. */
static bool branches_turn(struct branches *b)
{
	struct hit *h;

	hitorder_wait(b->order, POLL_NS);
	while (!b->error && (h = hitorder_take(b->order))) {
		branches_hit(b, h);
		hit_free(h);
		if (ferror(b->show.out))
			b->error = errno ? errno : EIO;
	}
	fflush(b->show.out);
	if (!b->error && ferror(b->show.out))
		b->error = errno ? errno : EIO;
	return !b->error;
}

static void branches_until_end(struct branches *b, const sigset_t *set)
{
	const struct timespec now = { 0 };
	struct engine *en = b->launch.engine;
	bool ended = false, go_on = true;

	while (!ended && go_on) {
		ended = engine_wait(en, 1);
		if (ended)
			hitorder_end(b->order);
		branches_say_prices(b);
		launch_say_placed(&b->launch, "branches");
		go_on = branches_turn(b);
		launch_say_price(&b->launch, "branches");
		if (signals_take(&b->launch, set, &now))
			engine_stop(en);
	}
	engine_stop(en);
	engine_wait(en, 0);
}

static int branches_status(const struct branches *b)
{
	struct profile_meta m;

	engine_status(b->launch.engine, &m);
	return m.target_state == TARGET_EXITED ? m.end_code : m.target_state == TARGET_KILLED ? 128 + m.end_code : 0;
}

/* The numbers of the probes that were placed. */
static int branches_know_probes(struct branches *b, struct err *e)
{
	for (size_t i = 0; i < b->wish.n; i++) {
		unsigned int id;
		const int r = placing_measure(b->wish.v[i].probe, &id, e);

		if (r)
			return r;
		b->wish.v[i].number = probes_count();
		for (uint32_t k = 0; k < probes_count(); k++)
			if (probes_measure_id(k) == id)
				b->wish.v[i].number = k;
	}
	return 0;
}

static int branches_prepare(struct branches *b, struct err *e)
{
	const struct options *o = b->o;
	const struct branch_calls_ops ops = { branches_code, branches_ended, b };
	const struct graphs_ops graphs = { branches_is_first, branches_graph_ended, b };
	FILE *out = NULL;
	int r = lineout_open(o, &out, e);

	if (r)
		return r;
	b->show = (struct branch_show){
		.out = out, .name = branch_names_of, .condition = o->part, .json = o->trace_json,
		.source = b->how != BRANCHES_GRAPH && (o->branch_lines || (o->part && !o->trace_json)) ?
			branch_names_source : NULL,
	};
	r = branch_names_new(o, &b->names, e);
	if (r)
		return r;
	b->show.ctx = b->names;
	if (b->how == BRANCHES_GRAPH) {
		r = branch_graph_new(o->branch_calls ? GRAPH_SHOWS_CALLS : o->branch_returns ? GRAPH_SHOWS_RETURNS :
				     GRAPH_SHOWS_ALL, &b->graph, e);
		b->graphs = r ? NULL : graphs_new(&graphs);
		if (!b->graphs)
			return r ? r : err_nomem(e, "call graphs");
	}
	b->table = calltable_new(NULL);
	b->order = hitorder_new(WAITING_BYTES);
	b->calls = branch_calls_new(&ops);
	b->sums = o->part || o->branch_count || o->branch_disasm ? branch_sums_new() : NULL;
	if (!b->table || !b->order || !b->calls || (!b->sums && (o->part || o->branch_count || o->branch_disasm)))
		return err_nomem(e, "branches");
	return 0;
}

static bool branches_take_stacks(const struct branches *b)
{
	return b->o->branch_stacks || b->o->branch_record;
}

/* What O asks for, as a capture that only traces: one sample a second is the least that there is. */
static int branches_options(const struct branches *b, struct options *ret, struct err *e)
{
	*ret = *b->o;
	ret->freq_hz = 1;
	ret->event = EVENT_CPU_CLOCK;
	ret->off_cpu = false;
	ret->numa = NUMA_OFF;
	ret->call_graph = branches_take_stacks(b) ? b->o->call_graph : CALL_GRAPH_OFF;
	ret->ring_bytes = b->o->ring_bytes ? b->o->ring_bytes : RING_BYTES;
	ret->probes = (text_vec){ 0 };
	if (!vec_reserve(&ret->probes, b->wish.n))
		return err_nomem(e, "probes");
	for (size_t i = 0; i < b->wish.n; i++)
		ret->probes.v[ret->probes.n++] = b->wish.v[i].probe;
	return 0;
}

static int branches_open(struct branches *b, const struct options *asked, struct err *e)
{
	int r = branches_prepare(b, e);

	if (r)
		return r;
	b->tracer = (struct engine_tracer){ branches_take, branches_seen, b, branches_take_stacks(b) };
	b->launch.config.tracer = &b->tracer;
	b->launch.config.refresh_ns = REFRESH_NS;
	b->launch.config.plan.call_wishes = calltable_wishes(b->table);
	b->real_ns = clock_real_at(0);
	r = launch_open(&b->launch, asked, false, e);
	return r < 0 ? r : branches_know_probes(b, e);
}

/* What was recorded, or why not all of it. */
static void branches_end_record(const struct branches *b)
{
	struct recorder_saved saved;
	struct err why = ERR_INIT;
	char name[SPEC_TEXT_MAX];

	if (!b->o->branch_record)
		return;
	if (engine_record_end(b->launch.engine, &saved, &why) < 0) {
		fprintf(stderr, "sberf branches: %s\n", why.text);
		return;
	}
	for (size_t i = 0; i < b->wish.n; i++) {
		text_sanitise(name, sizeof(name), b->wish.v[i].probe, strlen(b->wish.v[i].probe));
		fprintf(stderr, "sberf branches: calls are recorded: sberf report --metric '%s' %s\n", name,
			b->o->branch_record);
	}
}

static int branches_run(struct branches *b, const struct options *asked, struct err *e)
{
	sigset_t set;
	int r = branches_open(b, asked, e);

	if (r < 0)
		return r;
	signals_block(&set, false);
	branches_say_prices(b);
	branches_say_way(b);
	r = launch_start(&b->launch, e);
	r = r < 0 || !b->o->branch_record ? r : engine_record(b->launch.engine, b->o->branch_record, e);
	if (r < 0)
		return r;
	if (b->launch.note[0])
		fprintf(stderr, "sberf branches: %s\n", b->launch.note);
	branches_until_end(b, &set);
	branches_put_all(b);
	branches_end_record(b);
	branches_say_end(b);
	launch_say_probes(&b->launch, "branches");
	launch_end_command(&b->launch);
	r = engine_result(b->launch.engine, e);
	return r < 0 || !b->launch.child.pid ? r : branches_status(b);
}

static int branches_live(struct branches *b, struct err *e)
{
	struct options asked;
	int r = branches_options(b, &asked, e);

	if (!r)
		r = branches_run(b, &asked, e);
	launch_close(&b->launch);
	vec_free(&asked.probes);
	return launch_exit(&b->launch, r);
}

/* ---- BPF programs, and records of the CPU ---- */

static void branches_say_missing(void *ctx, const char *what, uint64_t n)
{
	branches_say_n(ctx, what, n);
}

static void branches_programs_end(struct branches *b)
{
	branch_programs_end(b->programs);
	b->show.partial = branch_programs_turns(b->programs);
	branches_put_all(b);
	if (!branch_programs_calls(b->programs))
		fprintf(stderr, "sberf branches: no call has ended while it was looked at\n");
	branch_programs_missing(b->programs, branches_say_missing, b);
	branches_say_n(b, "calls that do not meet the condition of their function", b->unmet);
	branches_say_n(b, "calls left out, of which the condition asks for what is not known", b->unknown);
	branches_say_n(b, "calls or branches left out for want of memory", b->untold);
}

/* Follows BPF programs, or with RECORDS also functions of the kernel, until a signal or the end of --duration. */
static int branches_of_programs(struct branches *b, bool records, struct err *e)
{
	const struct branch_programs_ops ops = { branches_ended, b };
	const struct timespec now = { 0 };
	int r = branches_prepare(b, e);
	uint64_t until_ns;
	sigset_t set;

	signals_block(&set, false);
	b->real_ns = clock_real_at(0);
	r = r ? r : branch_programs_find(b->o, &b->wish, b->names, records, &ops, &b->programs, e);
	if (r)
		return r;
	r = branch_programs_begin(b->programs, e);
	/* What cannot be followed has instructions all the same. */
	if (r && b->o->branch_disasm)
		branches_put_listings(b);
	if (r)
		return r;
	until_ns = b->o->duration_ns ? clock_mono_ns() + b->o->duration_ns : UINT64_MAX;
	while (!b->error && clock_mono_ns() < until_ns && sigtimedwait(&set, NULL, &now) < 0) {
		branch_programs_turn(b->programs);
		fflush(b->show.out);
		if (ferror(b->show.out))
			b->error = errno ? errno : EIO;
	}
	branches_programs_end(b);
	return 0;
}

/* How it is done. */
enum branches_way {
	WAY_PROBES,
	WAY_BREAKPOINTS,         /* BPF programs */
	WAY_RECORDS,
};

/* Whether the CPU has records of branches that can be taken: 0; else a sentence about what can be done without them. */
static int branches_check_records(const struct branches *b, struct err *e)
{
	struct branchrecords_facts facts;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < b->wish.n; i++)
		if (!b->wish.v[i].program && !b->wish.v[i].kernel)
			return err_set(e, EOPNOTSUPP, "--how lbr is about functions of the kernel and BPF programs: "
				       "functions of programs are followed by --how step");
	branchrecords_gather(&facts);
	if (!branchrecords_judge(&facts, &why))
		return 0;
	return err_set(e, EOPNOTSUPP, "%s; functions of programs and of the kernel, and BPF programs, are followed "
		       "without them (u:FILE:NAME, k:NAME, bpf:NAME, with --how step)", why.text);
}

/* Whether what is to be shown is something that the way knows. RECORDS: it is that by records of the CPU. */
static int branches_check_shown(const struct branches *b, bool records, struct err *e)
{
	const bool graph = !records && b->how == BRANCHES_GRAPH;

	if ((b->o->branch_calls || b->o->branch_returns) && !graph && !records)
		return err_set(e, EOPNOTSUPP, "--how step follows the jumps within a function: --%s is for --how "
			       "graph and lbr", b->o->branch_calls ? "calls" : "returns");
	if (b->o->branch_disasm && graph)
		return err_set(e, EINVAL, "--disasm shows branches, which --how graph does not follow: name one "
			       "function without a wildcard, or leave --disasm out");
	return 0;
}

/* Whether what was asked for can be had in the way that was asked for: *RET. */
static int branches_check_way(const struct branches *b, enum branches_way *ret, struct err *e)
{
	bool programs = false, others = false;
	int r = 0;

	for (size_t i = 0; i < b->wish.n; i++) {
		programs |= b->wish.v[i].program;
		others |= !b->wish.v[i].program;
	}
	*ret = b->o->how == BRANCHES_LBR ? WAY_RECORDS : programs ? WAY_BREAKPOINTS : WAY_PROBES;
	if (*ret == WAY_RECORDS)
		r = branches_check_records(b, e);
	else if (*ret == WAY_BREAKPOINTS && b->o->how == BRANCHES_AUTO && !branches_check_records(b, NULL))
		*ret = WAY_RECORDS;
	r = r ? r : branches_check_shown(b, *ret == WAY_RECORDS, e);
	if (r || *ret == WAY_PROBES)
		return r;
	if (*ret == WAY_BREAKPOINTS && others)
		return err_set(e, EINVAL, "BPF programs are followed by themselves: leave out the other functions");
	if (b->o->how == BRANCHES_GRAPH)
		return err_set(e, EOPNOTSUPP, "--how graph is about functions of the kernel: BPF programs are followed "
			       "by --how step");
	if (b->o->target != OPT_TARGET_NONE && b->o->target != OPT_TARGET_ALL)
		return err_set(e, EINVAL, "BPF programs, and functions with --how lbr, are followed wherever they run: "
			       "leave out the target, and write a condition for one process: 'bpf:NAME /pid == N/'");
	return 0;
}

static void branches_free(struct branches *b)
{
	hitorder_free(b->order);
	branch_calls_free(b->calls);
	graphs_free(b->graphs);
	branch_graph_free(b->graph);
	branch_programs_free(b->programs);
	branch_sums_free(b->sums);
	branch_names_free(b->names);
	branch_wishes_free(&b->wish);
	calltable_free(b->table);
	stacktext_free(&b->stack);
	vec_free(&b->function);
	for (size_t i = 0; i < b->last.n; i++)
		vec_free(&b->last.v[i].branch);
	vec_free(&b->last);
	for (size_t i = 0; i < b->last_graph.n; i++)
		vec_free(&b->last_graph.v[i].call);
	vec_free(&b->last_graph);
}

int cmd_branches(const struct options *o, struct err *e)
{
	struct branches b = { .o = o, .launch = LAUNCH_INIT };
	enum branches_way way = WAY_PROBES;
	int r = branch_wishes_read(o, &b.wish, &b.how, e);

	r = r ? r : branches_check_way(&b, &way, e);
	if (!r && way == WAY_PROBES && o->target == OPT_TARGET_NONE)
		r = err_set(e, EINVAL, "say whose calls: -p PID, -t TID, -n NAME, --cgroup PATH, or -- COMMAND to "
			    "start one");
	if (!r && o->part)
		r = branch_condition_read(o->part, &b.part, e);
	if (!r)
		r = way == WAY_PROBES ? branches_live(&b, e) : branches_of_programs(&b, way == WAY_RECORDS, e);
	if (b.show.out && fclose(b.show.out) && !b.error)
		b.error = errno;
	r = lineout_result(o, r, b.error, e);
	branches_free(&b);
	return r;
}
