/* SPDX-License-Identifier: BSD-2-Clause */
/* placing.c - see placing.h. */
#include "config.h"

#include "engine/placing_private.h"

#include "base/text.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "capture/tracelink.h"
#include "engine/filters.h"
#include "engine/kernel_code.h"
#include "engine/loads.h"
#include "engine/pointers.h"
#include "model/probecode.h"
#include "model/probes.h"
#include "probe/allocators.h"
#include "probe/catalog.h"
#include "model/probevalues.h"
#include "probe/find_syscalls.h"
#include "probe/functions.h"
#include "probe/kernel_functions.h"
#include "probe/kinds.h"
#include "probe/ktypes_all.h"
#include "probe/leaves.h"
#include "probe/probed_blocks.h"
#include "probe/site.h"
#include "probe/spec.h"
#include "probe/tracepoint.h"
#include "probe/usdt.h"
#include "symbol/params.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* tracepoints and functions of the kernel of all probes together: each takes it some milliseconds */
#define TRACES_MAX 256u
#define FOLLOWED_MAX 2048u       /* the same, with places in functions whose calls are followed */
#define TOGETHER_MAX 4000u       /* functions of one pattern that are followed, each of which has two places */

/* The number of S; PROBE_NONE. */
static uint32_t placing_number(const struct spec *s)
{
	char text[SPEC_TEXT_MAX];

	spec_text(s, text);
	return probes_add(text, strlen(text), s->measure != SPEC_COUNT && s->measure != SPEC_SUM &&
			  spec_has_latency(s) ? UNIT_TIME : UNIT_COUNT);
}

/* TRIES: it gets no number. */
static int placing_read(const char *text, bool tries, struct spec *s, uint32_t *ret, struct err *e)
{
	const int r = spec_parse(text, s, e);

	if (r < 0)
		return r;
	*ret = tries ? 0 : placing_number(s);
	if (*ret != PROBE_NONE)
		return 0;
	return err_set(e, ENOSPC, "probe '%.100s' has no place: there can be %u probes, with %u bytes of text each",
		       text, PROBES_MAX, PROBES_TEXT_MAX - 1);
}

int placing_measure(const char *text, unsigned int *ret, struct err *e)
{
	struct spec s;
	uint32_t probe;
	const int r = placing_read(text, false, &s, &probe, e);

	if (!r)
		*ret = probes_measure_id(probe);
	return r;
}

/* Is P about functions up to their return? */
bool placing_returns(const struct spec_point *p)
{
	return p->kind == PROBE_CALL || p->kind == PROBE_RETURN;
}

/* What is to be placed. */
struct wanted {
	const struct spec *spec; /* of it the first point */
	const char *text;        /* of the whole probe */
	uint32_t probe;          /* its number */
	uint32_t span;           /* SB_SPAN_* */
	const struct filter_names *names;        /* in its condition and its sum */
};

_Static_assert(PLACING_PRINTS_MAX == SB_PRINTS, "what can be asked for can be told");

/*
 * The set of what is told when the function WHAT, "f" or "f [module]", begins, or has RETURNED, to *RET; 0 = nothing.
 * Of SEVERAL functions some do not have what is asked for.
 */
static int placing_prints_of(struct placing *p, const char *what, bool returned, bool several, uint32_t *ret,
			     struct err *e)
{
	struct sb_loads set = { 0 };
	struct ktypes *types = NULL;
	bool any = false;
	int r = p->prints ? ktypes_all_of(&p->types, what, &types, e) : 0;

	*ret = 0;
	if (r && several && r != -ENOMEM)
		return 0;
	for (size_t i = 0; !r && p->prints && i < p->prints->n; i++) {
		struct ktypes_value v;
		struct sb_load load;

		r = load_of_print(p->prints->expr[i], types, what, &load, &v, several ? NULL : e);
		if (r && several) {
			r = 0;
			continue;
		}
		if (r)
			return err_prefix(e, "--print '%.100s'", p->prints->expr[i]);
		if (v.is_result != returned || !load.size)
			continue;
		set.load[i] = load;
		any = true;
	}
	p->printed |= any;
	r = r || !any ? r : load_sets_add(p->loads, &set, e);
	*ret = r > 0 ? (uint32_t)r : 0;
	return r < 0 ? r : 0;
}

/* The number of a set with nothing but what is told of WHAT when it has returned; 0 = nothing is. */
static int placing_return_loads(struct placing *p, const char *what, bool several, struct err *e)
{
	struct sb_loads loads = { 0 };
	const int r = placing_prints_of(p, what, true, several, &loads.print, e);

	return r || !loads.print ? r : load_sets_add(p->loads, &loads, e);
}

/* The number of the set that says where the names of W are in what the kernel calls WHAT; 0 = it has none. */
static int placing_kernel_loads(struct placing *p, const struct wanted *w, enum ktypes_of of, const char *what,
				struct err *e)
{
	const bool several = spec_is_pattern(&w->spec->point[0]);
	struct sb_loads loads = { 0 };
	struct ktypes *types = NULL;
	int r = w->names->n ? ktypes_all_of(&p->types, what, &types, e) : 0;

	if (!w->names->n && !p->prints)
		return 0;
	if (!r && w->names->n)
		r = loads_of_kernel(w->names, types, of, what, &loads, e);
	if (r)
		return err_prefix(e, "probe '%.100s'", w->text);
	if (of == KTYPES_FUNCTION)
		r = placing_prints_of(p, what, false, several, &loads.print, e);
	return r || (!w->names->n && !loads.print) ? r : load_sets_add(p->loads, &loads, e);
}

/* Where the names of W are at the system call NAME. */
static int placing_call_loads(struct placing *p, const struct wanted *w, const char *name, uint32_t *ret, struct err *e)
{
	struct tracepoint format = { 0 };
	struct ktypes *types = NULL;
	struct sb_loads loads;
	char tracefs[PATH_MAX];
	int r = tracefs_find(tracefs, e);

	r = r < 0 ? r : tracepoint_read_call(tracefs, name, &format, e);
	if (!r && loads_need_types(w->names))
		r = ktypes_all_of(&p->types, name, &types, e);
	r = r ? r : loads_of_call(w->names, &format, types, &loads, e);
	tracepoint_free(&format);
	r = r ? err_prefix(e, "probe '%.100s'", w->text) : load_sets_add(p->loads, &loads, e);
	*ret = r > 0 ? (uint32_t)r : 0;
	return r < 0 ? r : 0;
}

static int placing_calls(struct placing *p, const struct wanted *w, struct err *e)
{
	const size_t before = p->calls.n;
	found_syscalls found = { 0 };
	int r = find_syscalls(&w->spec->point[0], NULL, &found, e);

	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		struct capture_call call = { .nr = found.v[i].number, .probe = w->probe };

		for (size_t k = 0; k < p->calls.n; k++)
			if (p->calls.v[k].nr == call.nr)
				r = err_set(e, EEXIST, "probes '%.100s' and '%.100s' are both about %s: leave one of "
					    "them out", w->text,
					    probes_measure(p->calls.v[k].probe)->name, found.v[i].name);
		if (r >= 0 && w->names->n)
			r = placing_call_loads(p, w, found.v[i].name, &call.loads, e);
		/* Of many calls those are meant that have such an argument. */
		if (r == -ENOENT && found.n > 1) {
			r = 0;
			continue;
		}
		if (r >= 0 && !vec_reserve(&p->calls, 1))
			r = err_nomem(e, "probes");
		if (r >= 0)
			p->calls.v[p->calls.n++] = call;
	}
	vec_free(&found);
	if (r >= 0 && p->calls.n == before)
		r = err_set(e, ENOENT, "probe '%.100s': none of these system calls has an argument '%s'", w->text,
			    w->names->name[0]);
	return r < 0 ? r : 0;
}

/* Where nothing says how parameters are called, those up to the sixth are registers. */
void placing_params_unknown(struct param_listed list[PARAM_ARGS + 1])
{
	for (unsigned int i = 0; i <= PARAM_ARGS; i++) {
		list[i] = (struct param_listed){ .size = sizeof(uint64_t) };
		if (i < PARAM_ARGS)
			text_format(list[i].name, sizeof(list[i].name), "arg%u", i);
		else
			text_format(list[i].name, sizeof(list[i].name), "retval");
	}
}

/* LIST is what the arguments of hits of PROBE are, of which those in the mask SEEN can be seen. */
void placing_params_note(uint32_t probe, const struct param_listed list[PARAM_ARGS + 1], unsigned int seen)
{
	for (unsigned int i = 0; i <= PARAM_ARGS; i++) {
		struct probe_param param = { .size = list[i].size, .is_signed = list[i].is_signed,
					     .is_pointer = list[i].is_pointer };

		text_format(param.name, sizeof(param.name), "%s", list[i].name);
		probe_param_note(probe, i, seen >> i & 1 && param.name[0] ? &param : NULL);
	}
}

/* The same of what the kernel calls NAME, for W. */
static void note_kernel_params(struct placing *p, const struct wanted *w, enum ktypes_of of, const char *name)
{
	const unsigned int result = 1u << PARAM_ARGS;
	struct param_listed list[PARAM_ARGS + 1];
	struct ktypes *types;

	if (p->tries || w->span != SB_SPAN_NONE)
		return;
	if (ktypes_all_of(&p->types, name, &types, NULL) || !ktypes_list(types, of, name, list))
		placing_params_unknown(list);
	placing_params_note(w->probe, list, w->spec->point[0].kind == PROBE_KRETPROBE ? result : result - 1 +
		    (spec_is_followed(&w->spec->point[0]) ? result : 0));
}

/* Adds the place TRACE in the kernel for W. */
static int add_trace(struct placing *p, const struct wanted *w, const struct capture_trace *trace, struct err *e)
{
	struct capture_trace *at = vec_push(&p->traces);

	if (!at)
		return err_nomem(e, "probes");
	*at = *trace;
	at->probe = w->probe;
	at->span = w->span;
	return 0;
}

/* Whether N more places in the kernel, WHAT, for W are not too many. */
static int check_traces(const struct placing *p, size_t n, const char *what, const struct wanted *w, struct err *e)
{
	const struct spec_point *point = &w->spec->point[0];
	const uint32_t most = point->match == SPEC_GRAPH && !point->number ? 2 * TOGETHER_MAX :
		spec_is_followed(point) ? FOLLOWED_MAX : TRACES_MAX;

	if (p->traces.n + n <= most)
		return 0;
	return err_set(e, E2BIG, "probe '%.100s' means %zu %s, and there can be %u in all: name fewer", w->text, n,
		       what, most);
}

/* Adds the tracepoint NAME below TRACEFS for W; with RAW by its name alone. */
static int placing_trace(struct placing *p, const struct wanted *w, const char *tracefs,
			 const struct tracepoint_name *name, bool raw, struct err *e)
{
	struct capture_trace trace = { .how = raw ? CAPTURE_TRACE_RAW : CAPTURE_TRACE_FORMATTED };
	struct tracepoint format = { 0 };
	struct sb_loads loads;
	int r = raw ? 0 : tracepoint_read(tracefs, name, &format, e);

	if (!r && !raw && w->names->n) {
		r = loads_of_tracepoint(w->names, &format, &loads, e);
		r = r ? err_prefix(e, "probe '%.100s'", w->text) : load_sets_add(p->loads, &loads, e);
		trace.loads = (uint32_t)r;
	}
	if (raw) {
		r = placing_kernel_loads(p, w, KTYPES_TRACEPOINT, name->name, e);
		trace.loads = (uint32_t)r;
		note_kernel_params(p, w, KTYPES_TRACEPOINT, name->name);
	}
	trace.id = format.id;
	tracepoint_free(&format);
	if (r < 0)
		return r;
	snprintf(trace.name, sizeof(trace.name), "%s%s%s", raw ? "" : name->category, raw ? "" : ":", name->name);
	return add_trace(p, w, &trace, e);
}

static int placing_traces(struct placing *p, const struct wanted *w, struct err *e)
{
	const struct spec_point *point = &w->spec->point[0];
	const bool raw = point->kind == PROBE_RAW_TRACEPOINT;
	const size_t before = p->traces.n;
	tracepoint_names found = { 0 };
	char tracefs[PATH_MAX];
	int r = tracefs_find(tracefs, e);

	if (r >= 0)
		r = find_tracepoints(tracefs, point, &found, e);
	r = r < 0 ? r : check_traces(p, found.n, "tracepoints", w, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		/* Those of single system calls are made by tracefs: the kernel passes nothing to them. */
		if (!raw || strcmp(found.v[i].category, "syscalls"))
			r = placing_trace(p, w, tracefs, &found.v[i], raw, e);
	vec_free(&found);
	if (r >= 0 && p->traces.n == before)
		r = err_set(e, ENOENT, "probe '%.100s' is about tracepoints of single system calls, which "
			    "have no raw form: "
			    "use tracepoint:syscalls:%.100s", w->text, point->name);
	return r < 0 ? r : 0;
}

/* Adds what the cookie says by MORE, at ADDRESS of the function F, whose calls W follows. */
static int add_followed(struct placing *p, const struct wanted *w, const struct kernel_function *f, uint64_t address,
			const struct capture_trace *like, uint64_t more, struct err *e)
{
	const bool returned = more & SB_COOKIE_RETURNED;
	struct capture_trace trace = *like;

	trace.how = returned ? CAPTURE_TRACE_FOLLOWED_RETURN : CAPTURE_TRACE_FOLLOWED;
	trace.id = address;
	trace.more = SB_COOKIE_BRANCH | more;
	snprintf(trace.name, sizeof(trace.name), "%s", f->name);
	return add_trace(p, w, &trace, e);
}

/* Adds all that is probed of CODE, which is that of F. LIKE: of its places what they share. */
static int add_followed_blocks(struct placing *p, const struct wanted *w, const struct kernel_function *f,
			       const struct probe_code *code, struct capture_trace *like, struct err *e)
{
	const int set = placing_return_loads(p, code->symbol, false, e);
	const struct capture_trace returned = { .loads = set > 0 ? (uint32_t)set : 0 };
	int r = set < 0 ? set : 0;

	if (!r && code->returns)
		r = add_followed(p, w, f, f->address, &returned, SB_COOKIE(SB_COOKIE_RETURNED, code->first), e);
	for (uint32_t i = 0; !r && i < code->n; i++) {
		const struct code_block *b = &code->block[i];
		const uint64_t more = (i ? 0 : SB_COOKIE_ROOT) | (b->end == CODE_RETURN ? SB_COOKIE_LEFT : 0);

		if (b->probed)
			r = add_followed(p, w, f, b->vaddr + b->at, i && more & SB_COOKIE_LEFT && !code->returns ?
					 &returned : like, SB_COOKIE(more, code->first + i), e);
		/* What is read is so where the call begins, and what the result leads to where it ends. */
		like->loads = 0;
	}
	return r;
}

/* Adds the basic blocks of the function F, which are told apart by their numbers (model/probecode.h). */
static int placing_kernel_blocks(struct placing *p, const struct wanted *w, const struct kernel_function *f,
				 struct capture_trace *like, struct err *e)
{
	char symbol[KERNEL_SYMBOL_MAX];
	struct probe_code code = { .path = KERNEL_CODE_PATH, .symbol = kernel_function_symbol(f, symbol),
				   .name = f->name, .start = f->address };
	code_blocks blocks = { 0 };
	int r = p->kernel ? 0 : kernel_code_open(&p->kernel, e);

	if (r)
		return r;
	r = kernel_code_blocks(p->kernel, f->address, &blocks, &code.returns, e);
	if (r == -EOPNOTSUPP || r == -E2BIG || r == -EBUSY)
		err_prefix(e, "the branches of '%.100s' cannot be followed", f->name);
	code.block = blocks.v;
	code.n = (uint32_t)blocks.n;
	code.dearest_ns = catalog_kernel_ns(PROBE_KPROBE);
	for (uint32_t i = 0; i < code.n; i++)
		code.all_ns += blocks.v[i].probed ? code.dearest_ns : 0;
	r = r ? r : check_traces(p, code.n, "places in the kernel", w, e);
	code.first = r || p->tries ? 0 : probe_code_note(w->probe, &code);
	if (!r && code.first == CODE_NUMBERS_MAX)
		r = err_set(e, E2BIG, "probe '%.100s' has more than %u basic blocks: name fewer functions", w->text,
			    CODE_NUMBERS_MAX);
	r = r ? r : add_followed_blocks(p, w, f, &code, like, e);
	vec_free(&blocks);
	return r;
}

/* Adds the places in the kernel TRACES for W. */
static int add_traces(struct placing *p, const struct wanted *w, const traces_vec *traces, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < traces->n && !r; i++)
		r = add_trace(p, w, &traces->v[i], e);
	return r;
}

/* Adds entries and returns of ALL, each of which gets a number. */
static int placing_kernel_called(struct placing *p, const struct wanted *w, kernel_callees *all, struct err *e)
{
	traces_vec traces = { 0 };
	int r = check_traces(p, 2 * all->n, "functions and returns of the kernel", w, e);

	/* What its result leads to is told when the first function has returned. */
	for (size_t i = 0; i < all->n && r >= 0; i++) {
		struct kernel_callee *of = &all->v[i];

		r = of->depth ? 0 : placing_return_loads(p, of->symbol, spec_is_pattern(&w->spec->point[0]), e);
		of->returned = r > 0 ? (uint32_t)r : 0;
	}
	r = r < 0 ? r :
		pointers_place_called(w->probe, KERNEL_GRAPH_PATH, all->v, all->n, p->tries, w->text, &traces, e);
	r = r ? r : add_traces(p, w, &traces, e);
	vec_free(&traces);
	return r;
}

/* Adds the calls by pointers SITES of the graph that ALL are, which is DEPTH calls deep. */
static int placing_kernel_pointers(struct placing *p, const struct wanted *w, uint32_t depth, const kernel_callees *all,
				   const kernel_pointers *sites, struct err *e)
{
	traces_vec traces = { 0 };
	int r;

	p->pointers = p->pointers ? p->pointers : pointers_new(p->kernel);
	if (!p->pointers)
		return err_nomem(e, "functions of the kernel");
	r = pointers_graph(p->pointers, w->probe, depth, all, sites, &traces, e);
	r = r ? r : add_traces(p, w, &traces, e);
	vec_free(&traces);
	return r;
}

/* Adds the function F and what it calls. LIKE: of the place where it begins. */
static int placing_kernel_graph(struct placing *p, const struct wanted *w, const struct kernel_function *f,
				const struct capture_trace *like, struct err *e)
{
	const uint32_t depth = (uint32_t)w->spec->point[0].number;
	kernel_pointers sites = { 0 };
	kernel_callees all = { 0 };
	uint32_t dropped;
	int r = p->kernel ? 0 : kernel_code_open(&p->kernel, e);

	r = r ? r : kernel_code_graph(p->kernel, f->address, 0, depth, &all, &sites, &dropped, e);
	if (!r && all.n)
		all.v[0].loads = like->loads;
	r = r ? r : placing_kernel_called(p, w, &all, e);
	if (!r && !p->tries)
		r = placing_kernel_pointers(p, w, depth, &all, &sites, e);
	vec_free(&all);
	vec_free(&sites);
	return r;
}

/*
 * Those of FOUND that the kernel lets be traced, to RET. A graph begins with each that has what the condition of W asks
 * for; others are of the graphs in which they are called.
 */
static int placing_choose_together(struct placing *p, const struct wanted *w, const kernel_functions *found,
				   kernel_callees *ret, struct err *e)
{
	bool begins = false;
	int r = 0;

	for (size_t i = 0; i < found->n && r >= 0; i++) {
		const struct kernel_function *f = &found->v[i];
		char symbol[KERNEL_SYMBOL_MAX];
		struct kernel_callee *at;

		if (!kernel_code_traceable(p->kernel, f->name))
			continue;
		r = placing_kernel_loads(p, w, KTYPES_FUNCTION, kernel_function_symbol(f, symbol), e);
		at = r >= 0 || r == -ENOENT ? vec_push(ret) : NULL;
		if (!at)
			return r < 0 && r != -ENOENT ? r : err_nomem(e, "functions of the kernel");
		*at = (struct kernel_callee){ .address = f->address, .depth = r < 0,
					      .loads = r < 0 ? 0 : (uint32_t)r };
		text_format(at->name, sizeof(at->name), "%s", f->name);
		text_format(at->symbol, sizeof(at->symbol), "%s", symbol);
		begins |= r >= 0;
		r = 0;
	}
	if (r >= 0 && ret->n && !begins)
		return err_set(e, ENOENT, "probe '%.100s': none of these %zu functions has a parameter '%s'", w->text,
			       ret->n, w->names->name[0]);
	if (r >= 0 && !ret->n)
		return err_set(e, EOPNOTSUPP, "the kernel lets none of the %zu functions be traced that '%.100s' means",
			       found->n, w->text);
	return r < 0 ? r : 0;
}

/* Adds all functions FOUND, each of which may be called by the others, or begin a graph. */
static int placing_kernel_together(struct placing *p, const struct wanted *w, const kernel_functions *found,
				   struct err *e)
{
	kernel_callees all = { 0 };
	int r = p->kernel ? 0 : kernel_code_open(&p->kernel, e);

	r = r ? r : placing_choose_together(p, w, found, &all, e);
	r = r ? r : placing_kernel_called(p, w, &all, e);
	vec_free(&all);
	return r;
}

static int placing_kernel_functions(struct placing *p, const struct wanted *w, struct err *e)
{
	const bool graph = w->spec->point[0].match == SPEC_GRAPH;
	const bool follows = graph || w->spec->point[0].match == SPEC_BRANCHES;
	kernel_functions found = { 0 };
	const size_t before = p->traces.n;
	int r = trace_check_functions(e);

	r = r ? r : find_kernel_functions(KALLSYMS_PATH, &w->spec->point[0], &found, e);
	if (r >= 0 && graph && !w->spec->point[0].number) {
		r = placing_kernel_together(p, w, &found, e);
		vec_free(&found);
		return r;
	}
	r = r < 0 ? r : check_traces(p, found.n, "functions of the kernel", w, e);
	if (follows && found.n > 1)
		r = err_set(e, E2BIG, "there are %zu functions of the kernel called %.100s", found.n, found.v[0].name);
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		struct capture_trace trace = { .how = CAPTURE_TRACE_FUNCTION, .id = found.v[i].address };
		char symbol[KERNEL_SYMBOL_MAX];

		r = placing_kernel_loads(p, w, KTYPES_FUNCTION, kernel_function_symbol(&found.v[i], symbol), e);
		/* Of many functions those are meant that have such a parameter. */
		if (r == -ENOENT && (p->traces.n > before || i + 1 < found.n)) {
			r = 0;
			continue;
		}
		if (r < 0)
			break;
		trace.loads = (uint32_t)r;
		if (w->spec->point[0].kind == PROBE_KRETPROBE)
			trace.how = CAPTURE_TRACE_RETURN;
		snprintf(trace.name, sizeof(trace.name), "%s", found.v[i].name);
		r = graph ? placing_kernel_graph(p, w, &found.v[i], &trace, e) :
			follows ? placing_kernel_blocks(p, w, &found.v[i], &trace, e) : add_trace(p, w, &trace, e);
		note_kernel_params(p, w, KTYPES_FUNCTION, symbol);
	}
	vec_free(&found);
	return r < 0 ? r : 0;
}

static int placing_faults(struct placing *p, const struct wanted *w, struct err *e)
{
	const struct capture_trace major = { .name = "page faults", .how = CAPTURE_TRACE_FAULT, .id = 1 };
	const struct capture_trace minor = { .name = "page faults", .how = CAPTURE_TRACE_FAULT };
	const int r = add_trace(p, w, &major, e);

	return r || w->spec->point[0].major ? r : add_trace(p, w, &minor, e);
}

static int placing_signals(struct placing *p, const struct wanted *w, struct err *e)
{
	const struct capture_trace trace = { .name = "signals", .how = CAPTURE_TRACE_SIGNAL };

	for (size_t i = 0; i < p->traces.n; i++)
		if (p->traces.v[i].how == CAPTURE_TRACE_SIGNAL)
			return err_set(e, EEXIST, "probes '%.100s' and '%.100s' are both about signals: leave one of "
				       "them out", w->text, probes_measure(p->traces.v[i].probe)->name);
	return add_trace(p, w, &trace, e);
}

static int placing_point(struct placing *p, const struct wanted *w, struct err *e)
{
	struct in_program *at = vec_push(&p->points);

	if (!at)
		return err_nomem(e, "probes");
	*at = (struct in_program){ .spec = *w->spec, .probe = w->probe, .span = w->span, .names = *w->names };
	for (size_t i = 0; p->prints && i < p->prints->n; i++)
		text_format(at->print[at->prints++], sizeof(at->print[0]), "%s", p->prints->expr[i]);
	p->printed |= at->prints;
	p->valued |= w->spec->point[0].kind == PROBE_USDT;
	/* Until something is found, or it is known better. */
	if (!p->tries)
		probes_note_why(w->probe, "no file that the target executes is called so");
	if (strchr(w->spec->point[0].target, '/'))
		at->target = realpath(w->spec->point[0].target, NULL);
	return 0;
}

/* The condition of POINT of S, which is TEXT; of the last one with the sum. *RET_NAMES: those in them. */
static int placing_filter(struct placing *p, const struct spec *s, uint32_t point, const char *text, uint32_t probe,
			  struct filter_names *ret_names, struct err *e)
{
	struct capture_filter *at;
	int r;

	ret_names->n = 0;
	if (!filter_in_spec(s, point))
		return 0;
	at = vec_push(&p->filters);
	if (!at)
		return err_nomem(e, "probes");
	at->probe = point + 1 < s->points ? SB_BEGIN_FILTER(probe) : probe;
	r = filter_of_spec(s, point, &at->filter, ret_names, e);
	p->valued |= ret_names->n;
	return r ? err_prefix(e, "probe '%.100s'", text) : 0;
}

/* Places W, or notes what is to be placed in programs. */
static int placing_add(struct placing *p, const struct wanted *w, struct err *e)
{
	switch (w->spec->point[0].kind) {
	case PROBE_SYSCALL:
		return placing_calls(p, w, e);
	case PROBE_TRACEPOINT:
	case PROBE_RAW_TRACEPOINT:
		return placing_traces(p, w, e);
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
		return placing_kernel_functions(p, w, e);
	case PROBE_FAULT:
		return placing_faults(p, w, e);
	case PROBE_SIGNAL:
		return placing_signals(p, w, e);
	default:
		return placing_point(p, w, e);
	}
}

/*
 * POINT of a span, which is TEXT, becomes a moment: of a system call its tracepoint at entry, or at
 * return when the span ENDs there; of a function its entry.
 */
static int span_moment(struct spec_point *point, bool end, const char *text, struct err *e)
{
	char name[SPEC_NAME_MAX];

	if (point->kind == PROBE_RETURN || (point->kind == PROBE_CALL && end))
		return err_set(e, EOPNOTSUPP, "span '%.100s' cannot go to, or from, the return of a function yet: use "
			       "a uprobe of what comes behind it", text);
	if (point->kind == PROBE_CALL)
		point->kind = PROBE_ENTRY;
	if (point->kind != PROBE_SYSCALL)
		return 0;
	if (point->match != SPEC_EXACT && point->match != SPEC_WILDCARD)
		return err_set(e, EOPNOTSUPP, "in span '%.100s' a system call has a name or a wildcard", text);
	if (snprintf(name, sizeof(name), "sys_%s_%s", end ? "exit" : "enter", point->name) >= (int)sizeof(name))
		return err_set(e, ENAMETOOLONG, "in span '%.100s' the name of a system call is too long", text);
	point->kind = PROBE_TRACEPOINT;
	point->provider_match = SPEC_EXACT;
	snprintf(point->provider, sizeof(point->provider), "syscalls");
	snprintf(point->name, sizeof(point->name), "%s", name);
	return 0;
}

static int placing_span(struct placing *p, const struct spec *asked, const char *text, uint32_t probe, struct err *e)
{
	struct spec s = *asked;
	int r = 0;

	for (uint32_t i = 0; i < s.points && !r; i++)
		r = span_moment(&s.point[i], i, text, e);
	for (uint32_t i = 0; i < s.points && !r; i++) {
		struct spec one = s;
		struct filter_names names;
		const struct wanted w = { &one, text, probe, i ? SB_SPAN_END : SB_SPAN_BEGIN, &names };

		/* The arguments that are asked for are those of this point. */
		one.point[0] = s.point[i];
		one.points = 1;
		if (!i)
			memset(&one.sum, 0, sizeof(one.sum));
		r = placing_filter(p, &s, i, text, probe, &names, e);
		r = r ? r : placing_add(p, &w, e);
	}
	p->spans = true;
	return r;
}

static int placing_take(struct placing *p, const char *text, struct err *e)
{
	struct spec s;
	struct filter_names names;
	uint32_t probe = PROBE_NONE;
	int r = placing_read(text, p->tries, &s, &probe, e);
	const struct wanted w = { &s, text, probe, SB_SPAN_NONE, &names };

	if (!r && s.span)
		r = placing_span(p, &s, text, probe, e);
	else if (!r)
		r = placing_filter(p, &s, 0, text, probe, &names, e);
	if (!r)
		p->probes |= (uint64_t)1 << probe;
	if (!p->tries)
		probes_ask(probe);
	return r || s.span ? r : placing_add(p, &w, e);
}

int placing_new(const char *const *texts, size_t n, const struct placing_prints *prints, struct placing **ret,
		struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));
	int r = 0;

	if (p)
		p->loads = calloc(1, sizeof(*p->loads));
	if (!p || !p->loads)
		return err_nomem(e, "probes");
	p->prints = prints && prints->n ? prints : NULL;
	for (size_t i = 0; i < n && !r; i++)
		r = placing_take(p, texts[i], e);
	p->prints = NULL;
	if (r)
		return r;
	*ret = take_ptr(p);
	return 0;
}

int placing_more(const struct placing *first, const char *text, bool tries, struct placing **ret, struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(e, "probes");
	p->loads = first->loads;
	p->shared = true;
	p->tries = tries ? text : NULL;
	r = placing_take(p, text, e);
	if (r)
		return r;
	*ret = take_ptr(p);
	return 0;
}

bool placing_is_call(const struct placing *p, uint32_t probe)
{
	for (size_t i = 0; i < p->calls.n; i++)
		if (p->calls.v[i].probe == probe)
			return true;
	return false;
}

uint32_t placing_kernel_ns(const struct placing *p, uint32_t probe)
{
	static const enum probe_kind kinds[CAPTURE_TRACE_HOWS] = {
		[CAPTURE_TRACE_FORMATTED] = PROBE_TRACEPOINT, [CAPTURE_TRACE_RAW] = PROBE_RAW_TRACEPOINT,
		[CAPTURE_TRACE_FUNCTION] = PROBE_KPROBE, [CAPTURE_TRACE_RETURN] = PROBE_KRETPROBE,
		[CAPTURE_TRACE_FAULT] = PROBE_FAULT, [CAPTURE_TRACE_SIGNAL] = PROBE_SIGNAL,
		[CAPTURE_TRACE_FOLLOWED] = PROBE_KPROBE, [CAPTURE_TRACE_FOLLOWED_RETURN] = PROBE_KRETPROBE,
		[CAPTURE_TRACE_CALLED] = PROBE_KPROBE, [CAPTURE_TRACE_CALLED_RETURN] = PROBE_KRETPROBE,
		[CAPTURE_TRACE_POINTER] = PROBE_KPROBE,
	};
	uint32_t ns = placing_is_call(p, probe) ? catalog_kernel_ns(PROBE_SYSCALL) : 0;

	for (size_t i = 0; i < p->traces.n; i++)
		if (p->traces.v[i].probe == probe && catalog_kernel_ns(kinds[p->traces.v[i].how]) > ns)
			ns = catalog_kernel_ns(kinds[p->traces.v[i].how]);
	/* A span that begins or ends in a program has the price of that. */
	for (size_t i = 0; i < p->points.n; i++)
		if (p->points.v[i].probe == probe)
			return 0;
	return ns;
}

struct pointers *placing_pointers(const struct placing *p)
{
	return p->pointers;
}

uint64_t placing_probes(const struct placing *p)
{
	return p->probes;
}

static bool placing_has_how(const struct placing *p, enum capture_trace_how how, uint64_t off)
{
	for (size_t i = 0; i < p->traces.n; i++)
		if (p->traces.v[i].how == how && !(off >> p->traces.v[i].probe & 1))
			return true;
	return false;
}

int placing_fits(const struct placing *p, const struct placing *there, uint64_t off, struct err *e)
{
	for (size_t i = 0; i < p->calls.n; i++)
		for (size_t k = 0; k < there->calls.n; k++)
			if (p->calls.v[i].nr == there->calls.v[k].nr && !(off >> there->calls.v[k].probe & 1))
				return err_set(e, EEXIST, "'%.100s' is about the same system call: take that off first",
					       probes_measure(there->calls.v[k].probe)->name);
	if (placing_has_how(p, CAPTURE_TRACE_SIGNAL, 0) && placing_has_how(there, CAPTURE_TRACE_SIGNAL, off))
		return err_set(e, EEXIST, "there is a probe about signals already: take that off first");
	if (placing_has_how(p, CAPTURE_TRACE_RAW, 0) && placing_has_how(there, CAPTURE_TRACE_RAW, off) &&
	    !trace_cookies())
		return err_set(e, EEXIST, "this kernel (before 6.10) can have one probe of kind rawtracepoint: use "
			       "tracepoint:");
	return 0;
}

void placing_free(struct placing *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->points.n; i++)
		free(p->points.v[i].target);
	vec_free(&p->points);
	vec_free(&p->calls);
	vec_free(&p->traces);
	vec_free(&p->filters);
	ktypes_all_free(&p->types);
	pointers_free(p->pointers);
	kernel_code_free(p->kernel);
	vec_free(&p->own);
	if (!p->shared)
		free(p->loads);
	free(p);
}

void placing_plan(const struct placing *p, struct capture_plan *plan)
{
	plan->calls = p->calls.v;
	plan->nr_calls = (uint32_t)p->calls.n;
	plan->filters = p->filters.v;
	plan->nr_filters = (uint32_t)p->filters.n;
	plan->loads = p->valued || p->told || p->printed ? p->loads->set : NULL;
	plan->prints = p->printed;
	plan->nr_loads = p->loads->n;
	plan->traces = p->traces.v;
	plan->nr_traces = (uint32_t)p->traces.n;
	plan->spans = p->spans;
	plan->alloc_interval = p->interval;
	plan->alloc_frees = p->frees;
	plan->allocs_told = p->told;
	plan->places_to_come = placing_in_programs(p);
	for (size_t i = 0; i < p->points.n; i++)
		plan->functions_to_come |= placing_returns(&p->points.v[i].spec.point[0]);
}

void placing_memory(struct placing *p, uint32_t interval, bool frees, bool told)
{
	p->interval = interval;
	p->frees = frees;
	p->told = told;
}

int placing_blocks(const struct placing *first, uint32_t interval, bool frees, struct placing **ret, struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));

	if (!p || !vec_reserve(&p->own, first->own.n))
		return err_nomem(e, "probes");
	for (size_t i = 0; i < first->own.n; i++)
		p->own.v[p->own.n++] = first->own.v[i];
	p->loads = first->loads;
	p->shared = true;
	placing_memory(p, interval, frees, false);
	*ret = take_ptr(p);
	return 0;
}

bool placing_follows_blocks(const struct placing *p)
{
	return p->interval && !p->told;
}

bool placing_follows_told(const struct placing *p)
{
	return p->interval && p->told;
}

int placing_allocator(struct placing *p, const char *text, struct err *e)
{
	struct own_allocator own, *at;
	const int r = own_allocator_read(text, &own, e);

	if (r < 0)
		return r;
	if (p->own.n >= ALLOCATORS_OWN_MAX)
		return err_set(e, E2BIG, "there can be %u allocators that are named", ALLOCATORS_OWN_MAX);
	at = vec_push(&p->own);
	if (!at)
		return err_nomem(e, "allocators");
	*at = own;
	return 0;
}

bool placing_in_programs(const struct placing *p)
{
	return p->points.n || p->interval;
}

const char *placing_first(const struct placing *p)
{
	return p->points.n ? probes_measure(p->points.v[0].probe)->name : "";
}

bool placing_in_kernel(const struct placing *p)
{
	return p->calls.n || p->traces.n;
}
