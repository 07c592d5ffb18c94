/* SPDX-License-Identifier: BSD-2-Clause */
/* placing.c - see placing.h. */
#include "config.h"

#include "engine/placing.h"

#include "base/text.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "capture/tracelink.h"
#include "engine/filters.h"
#include "engine/kernel_code.h"
#include "engine/loads.h"
#include "model/machine.h"
#include "model/probecode.h"
#include "model/probes.h"
#include "probe/allocators.h"
#include "probe/catalog.h"
#include "model/probevalues.h"
#include "probe/find_syscalls.h"
#include "probe/functions.h"
#include "probe/kernel_functions.h"
#include "probe/kinds.h"
#include "probe/ktypes.h"
#include "probe/leaves.h"
#include "probe/memory_notes.h"
#include "probe/probed_blocks.h"
#include "probe/site.h"
#include "probe/spec.h"
#include "probe/tracepoint.h"
#include "probe/unreturning.h"
#include "probe/usdt.h"
#include "symbol/details.h"
#include "symbol/dwarf.h"
#include "symbol/elffile.h"
#include "symbol/params.h"
#include "system/lookup.h"
#include "system/procfs.h"
#include "unwind/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* tracepoints and functions of the kernel of all probes together: each takes it some milliseconds */
#define TRACES_MAX 256u
#define FOLLOWED_MAX 2048u       /* the same, with places in functions whose calls are followed */
#define PARAMS_OF 8u             /* functions of one probe and file whose parameters are looked up */
#define COMM_BYTES 16u           /* of the name of a process, with its end */
#define ALLOCATORS_OWN_MAX 64u
#define FILES_MAX 4096u          /* executable files of one process that are looked at */

/* A probe in programs, or one of the two of a span. */
struct in_program {
	struct spec spec;        /* its first point is what is placed */
	uint32_t probe;          /* its number */
	uint32_t span;           /* SB_SPAN_* of bpf/wire.h */
	char *target;            /* its file without symbolic links, where it is named by a path; NULL */
	struct filter_names names;       /* in its condition and its sum */
};

struct placing {
	VEC(struct capture_call) calls;
	VEC(struct capture_trace) traces;
	VEC(struct capture_filter) filters;
	VEC(struct in_program) points;
	struct load_sets *loads; /* where names of filters are */
	bool shared;             /* they are another one's */
	struct ktypes *types;    /* of the kernel; NULL = nobody has asked yet */
	struct kernel_code *kernel;      /* the same */
	/* it only tries whether this probe, borrowed, can be placed, which gets no number; NULL = it is to be placed */
	const char *tries;
	bool spans;              /* there are some */
	bool valued;             /* LOADS says where something is: names in filters, arguments of static probes */
	uint64_t probes;         /* their numbers, as a mask */
	uint32_t interval;       /* of placing_memory(); 0 = no memory */
	VEC(struct own_allocator) own;   /* of placing_allocator() */
	bool frees;
	bool told;
};

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
static bool placing_returns(const struct spec_point *p)
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

static int placing_types(struct placing *p, struct err *e)
{
	return p->types ? 0 : ktypes_open(&p->types, e);
}

/* The number of the set that says where the names of W are in what the kernel calls WHAT; 0 = it has none. */
static int placing_kernel_loads(struct placing *p, const struct wanted *w, enum ktypes_of of, const char *what,
				struct err *e)
{
	struct sb_loads loads;
	int r = w->names->n ? placing_types(p, e) : 0;

	if (r || !w->names->n)
		return r;
	r = loads_of_kernel(w->names, p->types, of, what, &loads, e);
	return r ? err_prefix(e, "probe '%.100s'", w->text) : load_sets_add(p->loads, &loads, e);
}

/* Where the names of W are at the system call NAME. */
static int placing_call_loads(struct placing *p, const struct wanted *w, const char *name, uint32_t *ret, struct err *e)
{
	struct tracepoint format = { 0 };
	struct sb_loads loads;
	char tracefs[PATH_MAX];
	int r = tracefs_find(tracefs, e);

	r = r < 0 ? r : tracepoint_read_call(tracefs, name, &format, e);
	if (!r && loads_need_types(w->names))
		r = placing_types(p, e);
	r = r ? r : loads_of_call(w->names, &format, p->types, &loads, e);
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
static void unknown_params(struct param_listed list[PARAM_ARGS + 1])
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
static void note_listed(uint32_t probe, const struct param_listed list[PARAM_ARGS + 1], unsigned int seen)
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

	if (p->tries || w->span != SB_SPAN_NONE)
		return;
	if (placing_types(p, NULL) || !ktypes_list(p->types, of, name, list))
		unknown_params(list);
	note_listed(w->probe, list, w->spec->point[0].kind == PROBE_KRETPROBE ? result : result - 1 +
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
	const uint32_t most = spec_is_followed(&w->spec->point[0]) ? FOLLOWED_MAX : TRACES_MAX;

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
	int r = code->returns ? add_followed(p, w, f, f->address, like, SB_COOKIE(SB_COOKIE_RETURNED, code->first), e) :
		0;

	for (uint32_t i = 0; !r && i < code->n; i++) {
		const struct code_block *b = &code->block[i];
		const uint64_t more = (i ? 0 : SB_COOKIE_ROOT) | (b->end == CODE_RETURN ? SB_COOKIE_LEFT : 0);

		if (b->probed)
			r = add_followed(p, w, f, b->vaddr + b->at, like, SB_COOKIE(more, code->first + i), e);
		/* What is read is so where the call begins. */
		like->loads = 0;
	}
	return r;
}

/* Adds the basic blocks of the function F, which are told apart by their numbers (model/probecode.h). */
static int placing_kernel_blocks(struct placing *p, const struct wanted *w, const struct kernel_function *f,
				 struct capture_trace *like, struct err *e)
{
	struct probe_code code = { .path = KERNEL_CODE_PATH, .symbol = f->name, .name = f->name, .start = f->address };
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

/* Adds entry and return of CALLEE, which has NUMBER and is called below the first function, of W. */
static int add_called(struct placing *p, const struct wanted *w, const struct kernel_callee *callee, uint32_t number,
		      bool returned, const struct capture_trace *like, struct err *e)
{
	struct capture_trace trace = {
		.how = returned ? CAPTURE_TRACE_CALLED_RETURN : CAPTURE_TRACE_CALLED, .id = callee->address,
		.more = SB_COOKIE(SB_COOKIE_BRANCH | (callee->depth ? 0 : SB_COOKIE_ROOT), number),
	};

	if (!callee->depth && !returned)
		trace.loads = like->loads;
	snprintf(trace.name, sizeof(trace.name), "%s", callee->name);
	return add_trace(p, w, &trace, e);
}

/* Gives the N functions ALL numbers, each as if it was one basic block: *NUMBERS, which is freed by the caller. */
static int number_called(const struct placing *p, const struct wanted *w, const struct kernel_callee *all, size_t n,
			 uint32_t **ret, struct err *e)
{
	*ret = calloc(n, sizeof(**ret));
	if (!*ret)
		return err_nomem(e, "functions of the kernel");
	for (size_t i = 0; i < n && !p->tries; i++) {
		const struct code_block block = { .vaddr = all[i].address, .size = 1, .end = CODE_END, .probed = true };
		const struct probe_code code = {
			.path = KERNEL_GRAPH_PATH, .symbol = all[i].name, .name = all[i].name, .start = all[i].address,
			.n = 1, .block = &block, .returns = true, .dearest_ns = catalog_kernel_ns(PROBE_KRETPROBE),
		};

		(*ret)[i] = probe_code_note(w->probe, &code);
		if ((*ret)[i] == CODE_NUMBERS_MAX)
			return err_set(e, E2BIG, "probe '%.100s' has too many functions: name fewer", w->text);
	}
	return 0;
}

/* Adds the function F and what it calls, each of which has a number. */
static int placing_kernel_graph(struct placing *p, const struct wanted *w, const struct kernel_function *f,
				const struct capture_trace *like, struct err *e)
{
	const uint32_t depth = (uint32_t)w->spec->point[0].number;
	kernel_callees all = { 0 };
	AUTO_FREE uint32_t *number = NULL;
	uint32_t dropped;
	int r = p->kernel ? 0 : kernel_code_open(&p->kernel, e);

	r = r ? r : kernel_code_graph(p->kernel, f->address, depth, &all, &dropped, e);
	r = r ? r : check_traces(p, 2 * all.n, "functions and returns of the kernel", w, e);
	r = r ? r : number_called(p, w, all.v, all.n, &number, e);
	/* Returns first: a call is followed only once its end can be seen. */
	for (unsigned int turn = 0; turn < 2 && !r; turn++)
		for (size_t i = all.n; i-- && !r;)
			r = add_called(p, w, &all.v[i], number[i], !turn, like, e);
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
	r = r < 0 ? r : check_traces(p, found.n, "functions of the kernel", w, e);
	if (follows && found.n > 1)
		r = err_set(e, E2BIG, "there are %zu functions of the kernel called %.100s", found.n, found.v[0].name);
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		struct capture_trace trace = { .how = CAPTURE_TRACE_FUNCTION, .id = found.v[i].address };

		r = placing_kernel_loads(p, w, KTYPES_FUNCTION, found.v[i].name, e);
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
		note_kernel_params(p, w, KTYPES_FUNCTION, found.v[i].name);
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

int placing_new(const char *const *texts, size_t n, struct placing **ret, struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));
	int r = 0;

	if (p)
		p->loads = calloc(1, sizeof(*p->loads));
	if (!p || !p->loads)
		return err_nomem(e, "probes");
	for (size_t i = 0; i < n && !r; i++)
		r = placing_take(p, texts[i], e);
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
	ktypes_free(p->types);
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
	plan->loads = p->valued || p->told ? p->loads->set : NULL;
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

bool placing_in_kernel(const struct placing *p)
{
	return p->calls.n || p->traces.n;
}

/* A file that a process executes, and where it is mapped: what is in /proc/PID/map_files. */
struct executed {
	struct placing_file id;
	uint64_t start, end;
	char *path;
};

typedef VEC(struct executed) executed_vec;

static void add_executed(void *ctx, const struct maps_line *m)
{
	executed_vec *files = ctx;
	struct executed *at;

	if (!m->exec || !m->ino || files->n >= FILES_MAX)
		return;
	for (size_t i = 0; i < files->n; i++)
		if (files->v[i].id.ino == m->ino && files->v[i].id.maj == m->maj && files->v[i].id.min == m->min)
			return;
	at = vec_push(files);
	if (at)
		*at = (struct executed){ .id = { m->maj, m->min, m->ino }, .start = m->start, .end = m->end,
					 .path = strndup(m->name, map_name_len(m->name, m->name_len, NULL)) };
}

/* Places of probes in one file. */
struct places_in_file {
	VEC(uint64_t) offset;
	VEC(uint64_t) semaphore;
	VEC(uint64_t) cookie;
	VEC(uint32_t) cost_ns;           /* of a hit; 0 = not known, or of another place of the same call */
};

static void free_places(struct places_in_file *p)
{
	vec_free(&p->offset);
	vec_free(&p->semaphore);
	vec_free(&p->cookie);
	vec_free(&p->cost_ns);
}

static int add_place(struct places_in_file *to, uint64_t offset, uint64_t semaphore, uint32_t cost_ns, uint64_t cookie,
		     struct err *e)
{
	uint64_t *o, *s, *c;
	uint32_t *n;

	if (to->offset.n >= LINK_PLACES_MAX)
		return err_set(e, E2BIG, "the probes mean more than %u places in one file: name fewer",
			       LINK_PLACES_MAX);
	o = vec_push(&to->offset);
	s = vec_push(&to->semaphore);
	c = vec_push(&to->cookie);
	n = vec_push(&to->cost_ns);
	if (!o || !s || !c || !n)
		return err_nomem(e, "probes");
	*o = offset;
	*s = semaphore;
	*c = cookie;
	*n = cost_ns;
	return 0;
}

/* A file that is looked into. */
struct file_at_hand {
	struct elf_file *elf;
	int fd;
	struct image *image;             /* its unwind tables, when functions are followed to their return; NULL */
	struct fde_starts *pieces;       /* the same */
	const char *walkers;             /* the same: unreturning_file() */
	bool passed;                     /* exceptions may pass functions of it that call others */
	struct load_sets *loads;         /* where names of filters are */
	const char *name;                /* its path, as the process sees it */
	bool tries;                      /* nothing is noted of its parameters, and of its code */
	pid_t pid;                       /* of the process */
	struct elf_file *debug;          /* its debug file, where its debug information is not in itself; NULL */
	int debug_fd;
	struct params *params;           /* of its functions; NULL = not asked for */
	/*
	 * of the probes in it: those that are moments; functions up to their return; and where others
	 * begin, and are left, which would not survive a return probe
	 */
	struct places_in_file moments, calls, begins, ends;
	struct places_in_file returned;          /* where functions begin whose branches are followed to their return */
	struct places_in_file allocs, frees;     /* functions that allocate memory, and that only free it, */
	struct places_in_file go_allocs;         /* and one of Go's runtime that allocates */
};

static size_t nr_places(const struct file_at_hand *f)
{
	return f->moments.offset.n + f->calls.offset.n + f->begins.offset.n + f->allocs.offset.n +
	       f->go_allocs.offset.n + f->frees.offset.n;
}

/* Whether the probe PROBE of FN at OFFSET is one of ALL: 1; 0 = it is not; -EEXIST when it is another probe's. */
static int is_placed(const struct places_in_file *all, uint64_t offset, uint32_t probe,
		     const struct found_function *fn, struct err *e)
{
	for (size_t i = 0; i < all->offset.n; i++)
		if (all->offset.v[i] == offset)
			return SB_COOKIE_PROBE(all->cookie.v[i]) == SB_PROBE_PLACED + probe ? 1 :
				err_set(e, EEXIST, "two probes are about the calls of '%.100s': leave one of them out",
					fn->name);
	return 0;
}

/* What a cookie says of SITE, or of the entry of its function, where something may begin. */
static uint64_t placing_begin(const struct probe_site *site, bool entry)
{
	const uint32_t insn = entry ? site->entry_insn : site->insn;

	return SB_COOKIE_OF_BEGIN(!insn ? SB_BEGIN_NONE : site_insn_info((enum site_insn)insn)->emulated ?
				  SB_BEGIN_EMULATED : SB_BEGIN_STEPPED);
}

/* Adds the calls of a function, which begin at SITE, where a hit costs COST_NS, and end at N places LEFT. */
static int add_left(struct file_at_hand *f, uint64_t site, uint32_t cost_ns, const struct leave *left, size_t n,
		    uint32_t probe, uint64_t more, struct err *e)
{
	const uint32_t end_ns = site_insn_info(n && left[0].jumps ? SITE_JUMP : SITE_RETURN)->cost_ns;
	int r = add_place(&f->begins, site, 0, cost_ns + end_ns, SB_COOKIE(SB_PROBE_PLACED + probe, 0) | more, e);

	for (size_t i = 0; !r && i < n; i++)
		r = add_place(&f->ends, left[i].offset, 0, 0, SB_COOKIE(SB_PROBE_PLACED + probe, left[i].jumps ?
			      SB_LEAVES_JUMP : SB_LEAVES_RETURN) | SB_COOKIE_OF_LOADS(SB_COOKIE_LOADS(more)), e);
	return r;
}

/*
 * A function that would not survive a return probe is followed by one where it begins and one at each
 * instruction that leaves it. What cannot be followed is left out: E says why.
 */
static int placing_add_left(struct file_at_hand *f, const struct functions *all, const struct found_function *fn,
			    const struct in_program *x, const struct probe_site *site, uint64_t loads,
			    struct err *e)
{
	const char *why = unreturning_stack(f->elf, fn->symbol);
	leaves left = { 0 };
	uint64_t at = site->offset;
	int r = why ? err_set(e, EOPNOTSUPP, "%s", why) :
		leaves_find(f->elf, all, fn, f->image, f->pieces, &left, e);

	/* Where it begins its first instruction is probed, not a cheaper one that leaves it. */
	for (size_t i = 0; !r && i < left.n; i++) {
		at = left.v[i].offset == at ? fn->offset : at;
		if (left.v[i].offset == fn->offset)
			r = err_set(e, EOPNOTSUPP, "its first instruction leaves it");
		else if (left.v[i].jumps && site_result_of(&x->spec))
			r = err_set(e, EOPNOTSUPP, "it ends by a jump to another function, where its result is not "
				    "known: leave retval out");
	}
	if (r)
		err_prefix(e, "the return of '%.100s' cannot be probed (uprobe: counts its entries)", fn->name);
	else
		r = is_placed(&f->begins, at, x->probe, fn, e);
	if (!r)
		r = add_left(f, at, at == site->offset ? site->cost_ns : site->entry_cost_ns, left.v, left.n, x->probe,
			     loads | placing_begin(site, at != site->offset), e);
	vec_free(&left);
	return r == -EOPNOTSUPP || r > 0 ? 0 : r;
}

/*
 * A function is followed by one probe: the kernel half tells calls that are under way apart by where
 * they were made from (bpf/functions.bpf.h). What cannot be followed is left out: E says why.
 */
static int placing_add_call(struct file_at_hand *f, const struct functions *all, const struct found_function *fn,
			    const struct in_program *x, const struct probe_site *site, uint64_t loads,
			    struct err *e)
{
	int r;

	if (!site->return_ok) {
		err_set(e, EOPNOTSUPP, "the return of '%.100s' cannot be probed: no unwind table says that its return "
			"address is at the stack pointer there", fn->name);
		return 0;
	}
	if (f->walkers || unreturning_function(fn->symbol) ||
	    (f->passed && unreturning_caller(f->name, fn->symbol) && leaves_calls(f->elf, fn)))
		return placing_add_left(f, all, fn, x, site, loads, e);
	r = is_placed(&f->calls, site->offset, x->probe, fn, e);
	if (r)
		return r < 0 ? r : 0;
	return add_place(&f->calls, site->offset, 0, site->cost_ns ? site->cost_ns + SITE_RETURN_NS : 0,
			 SB_COOKIE(SB_PROBE_PLACED + x->probe, 0) | loads | placing_begin(site, false), e);
}

/*
 * The cheapest site of FN where the arguments of WISH are in the registers that they were passed in:
 * that is where the kernel half reads them.
 */
static int find_site(const struct file_at_hand *f, const struct found_function *fn, struct site_wish *wish,
		     struct probe_site *ret, struct err *e)
{
	struct found_function fixed = *fn;
	int r = site_of_function(f->elf, fn, wish, ret, e);
	bool moved = false;

	for (unsigned int i = 0; i < SITE_ARGS && r >= 0 && ret->behind; i++)
		moved |= wish->args >> i & 1 && ret->arg_reg[i] != site_arg_register(f->elf->eh.e_machine, i);
	if (!moved)
		return r;
	/* A function of unknown size is not moved. */
	fixed.size = 0;
	return site_of_function(f->elf, &fixed, wish, ret, e);
}

/* Opens the debug information of F for the names of parameters, unless it is. */
static int open_params(struct file_at_hand *f, struct err *e)
{
	const struct debug_places where = { .root = -1 };

	if (f->params)
		return 0;
	if (!f->debug && !dwarf_info_present(f->elf))
		f->debug = details_file(f->elf, f->name, &where, &f->debug_fd);
	return params_open(f->debug ? f->debug : f->elf, &f->params, e);
}

/* The number of the set that says where the names of X are when FN begins; 0 = it has none. */
static int function_loads(struct file_at_hand *f, const struct in_program *x, const struct found_function *fn,
			  struct err *e)
{
	struct sb_loads loads;
	int r;

	if (!x->names.n || fn->resolver)
		return 0;
	if (!fn->at_entry && loads_need_params(&x->names))
		return err_set(e, EOPNOTSUPP, "'%s' cannot be read: parameters are known where a function begins, and "
			       "not within '%.100s'", x->names.name[0], fn->name);
	r = loads_need_params(&x->names) ? open_params(f, e) : 0;
	if (r == -ENOENT)
		return err_set(e, ENOENT, "'%s' cannot be looked up in %.200s: it has no debug information, which "
			       "would know the names of parameters: use arg0 to arg5", x->names.name[0], f->name);
	if (r)
		return err_prefix(e, "'%s' cannot be looked up in %.200s", x->names.name[0], f->name);
	r = loads_of_function(&x->names, f->params, f->elf->eh.e_machine, fn->vaddr, &loads, e);
	return r ? r : load_sets_add(f->loads, &loads, e);
}

/*
 * How the parameters of FN are called, which is function number NR of X at hand, for what is told of their
 * values. Only what is in its register at SITE is seen. Of many functions they are not the same.
 */
static void note_params(struct file_at_hand *f, const struct found_function *fn, const struct in_program *x,
			const struct probe_site *site, size_t nr)
{
	struct param_listed list[PARAM_ARGS + 1] = { 0 };
	unsigned int seen = 1u << PARAM_ARGS;
	uint8_t regs[PARAM_ARGS];

	/* The arguments of a span are those at its end. */
	if (f->tries || x->span == SB_SPAN_BEGIN)
		return;
	for (unsigned int i = 0; i < PARAM_ARGS; i++) {
		regs[i] = site_arg_register(f->elf->eh.e_machine, i);
		seen |= (unsigned int)(site->arg_reg[i] == regs[i]) << i;
	}
	if (nr < PARAMS_OF && fn->at_entry && open_params(f, NULL))
		unknown_params(list);
	else if (nr < PARAMS_OF && fn->at_entry)
		params_list(f->params, fn->vaddr, regs, list);
	note_listed(x->probe, list, seen);
}

/* The places in F, whose functions are ALL, that only debug information knows: of a line, and inlined calls. */
static int find_inlined(struct file_at_hand *f, const struct in_program *x, struct functions *all, found_functions *ret,
			struct err *e)
{
	const struct spec_point *p = &x->spec.point[0];
	int r = open_params(f, e);

	r = r ? r : find_code_places(all, f->elf, f->params, p, ret, e);
	if (r == -ENOENT && p->match == SPEC_LINE && !f->params)
		return err_set(e, ENOENT, "line '%.100s:%llu' cannot be looked up in %.200s: it has no debug "
			       "information, which would know lines: name a function, or install that of the program",
			       p->name, (unsigned long long)p->number, f->name);
	return r < 0 && p->match == SPEC_LINE ? err_prefix(e, "line '%.100s:%llu' cannot be looked up", p->name,
							   (unsigned long long)p->number) : r;
}

/* All places in F, whose functions are ALL, that X means. */
static int find_places(struct file_at_hand *f, const struct in_program *x, struct functions *all, found_functions *ret,
		       struct err *e)
{
	const struct spec_point *p = &x->spec.point[0];
	struct err why = ERR_INIT;
	int r, inlined;

	if (p->match == SPEC_LINE)
		return find_inlined(f, x, all, ret, e);
	r = find_functions(all, p, ret, &why);
	inlined = p->match == SPEC_EXACT && (r == -ENOENT || (p->kind == PROBE_ENTRY && dwarf_info_present(f->elf))) ?
		find_inlined(f, x, all, ret, NULL) : 0;
	if (r == -ENOENT && inlined > 0 && placing_returns(p)) {
		ret->n -= (size_t)inlined;
		return err_set(e, ENOENT, "'%.100s' is inlined everywhere, at %d place%s, where it does not return: "
			       "uprobe: counts these", p->name, inlined, inlined == 1 ? "" : "s");
	}
	if (inlined > 0)
		return (int)ret->n;
	if (r < 0 && e)
		*e = why;
	return r;
}

/* The number of the set of names for each of FOUND, into RET. All or none, as of static probes. */
static int find_loads(struct file_at_hand *f, const struct in_program *x, const found_functions *found, u32_vec *ret,
		      struct err *e)
{
	if (!vec_reserve(ret, found->n))
		return err_nomem(e, "probes");
	for (size_t i = 0; i < found->n; i++) {
		const int r = function_loads(f, x, &found->v[i], e);

		if (r < 0)
			return r;
		ret->v[ret->n++] = (uint32_t)r;
	}
	return 0;
}

/* Adds the place FN of X, the one of number NR at hand, whose names are in the set of number SET. */
static int placing_add_function(struct file_at_hand *f, const struct in_program *x, const struct functions *all,
				const struct found_function *fn, size_t nr, uint32_t set, struct err *e)
{
	const bool returns = placing_returns(&x->spec.point[0]);
	struct site_wish wish = { .args = site_args_of(&x->spec), .returns = returns, .cfi = f->image };
	const uint64_t loads = SB_COOKIE_OF_LOADS(set);
	struct found_function at = *fn;
	struct probe_site site;
	int r;

	/* A resolver runs once, and is not what was meant. */
	if (fn->resolver)
		return 0;
	/* Behind the first instruction a function may have changed what its parameters lead to. */
	at.size = x->names.n ? 0 : at.size;
	r = find_site(f, &at, &wish, &site, e);
	if (r < 0)
		return r;
	note_params(f, fn, x, &site, nr);
	if (returns)
		return placing_add_call(f, all, fn, x, &site, loads, e);
	return add_place(&f->moments, site.offset, 0, site.cost_ns,
			 SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + x->probe, x->span) | loads |
			 placing_begin(&site, false) | (fn->inlined ? SB_COOKIE_INLINED : 0), e);
}

/* Adds block NR of CODE to TO, at the place AT of it, with what its cookie has MORE; its cost is noted. */
static int place_block(struct file_at_hand *f, const struct in_program *x, struct probe_code *code, uint32_t nr,
		     const struct found_function *at, uint64_t more, struct places_in_file *to, struct err *e)
{
	const struct site_wish wish = { .cfi = f->image };
	struct probe_site site;
	const int r = site_of_function(f->elf, at, &wish, &site, e);
	const uint32_t cost_ns = more & SB_COOKIE_RETURNED ? SITE_RETURN_NS : site.cost_ns;

	if (r)
		return r;
	code->all_ns += cost_ns;
	code->dearest_ns = cost_ns > code->dearest_ns ? cost_ns : code->dearest_ns;
	return add_place(to, at->offset, 0, cost_ns,
			 SB_COOKIE(SB_PROBE_PLACED + x->probe, nr) | SB_COOKIE_BRANCH | more, e);
}

/* The places of the blocks of CODE, of which the first one is probed at ENTRY, as is the return. */
static int place_blocks(struct file_at_hand *f, const struct in_program *x, const struct probe_site *entry,
		      struct probe_code *code, struct places_in_file *to, struct places_in_file *returned,
		      struct err *e)
{
	struct found_function at = { .offset = entry->offset, .name = code->name };
	int r = code->returns ? place_block(f, x, code, 0, &at, SB_COOKIE_RETURNED, returned, e) : 0;

	r = r ? r : place_block(f, x, code, 0, &at, 0, to, e);
	for (uint32_t i = 1; !r && i < code->n; i++) {
		const struct code_block *b = &code->block[i];

		if (!b->probed)
			continue;
		if (!elf_file_offset(f->elf, b->vaddr + b->at, &at.offset))
			return err_set(e, EIO, "the code of '%.100s' cannot be read", code->name);
		r = place_block(f, x, code, i, &at, 0, to, e);
	}
	return r;
}

/* Adds ALL to TO, whose numbers become those from FIRST on. */
static int move_blocks(struct places_in_file *to, const struct places_in_file *all, uint32_t first, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < all->offset.n; i++)
		r = add_place(to, all->offset.v[i], 0, all->cost_ns.v[i], all->cookie.v[i] + SB_COOKIE(0, first), e);
	return r;
}

/* Can the return of FN be probed, at SITE, without harm to exceptions? */
static bool may_return(const struct file_at_hand *f, const struct found_function *fn, const struct probe_site *site)
{
	return site->return_ok && !f->walkers && !unreturning_function(fn->symbol) &&
		!(f->passed && unreturning_caller(f->name, fn->symbol) && leaves_calls(f->elf, fn));
}

/* Chooses which of the BLOCKS of CODE are probed, by what hits at them cost. */
static int choose_blocks(struct file_at_hand *f, const struct probe_code *code, struct code_block *blocks,
			 struct err *e)
{
	const struct site_wish wish = { .cfi = f->image };
	AUTO_FREE uint32_t *cost_ns = calloc(code->n, sizeof(*cost_ns));

	for (uint32_t i = 0; cost_ns && i < code->n; i++) {
		struct found_function at = { .name = code->name };
		struct probe_site site;

		if (elf_file_offset(f->elf, blocks[i].vaddr + blocks[i].at, &at.offset) &&
		    !site_of_function(f->elf, &at, &wish, &site, NULL))
			cost_ns[i] = site.cost_ns;
	}
	return cost_ns && probed_blocks_choose(blocks, code->n, cost_ns, code->returns) ? 0 :
		err_nomem(e, "the code of a function");
}

/* All basic blocks of FN of X, which are told apart by their numbers (model/probecode.h). */
static int placing_add_branches(struct file_at_hand *f, const struct in_program *x, const struct functions *all,
				const struct found_function *fn, struct err *e)
{
	struct probe_code code = { .path = f->name, .symbol = fn->symbol, .name = fn->name, .pid = f->pid,
				   .start = fn->start };
	struct site_wish wish = { .args = (1u << SITE_ARGS) - 1, .returns = true, .cfi = f->image };
	struct places_in_file places = { 0 }, returned = { 0 };
	struct probe_site entry;
	code_blocks blocks = { 0 };
	int r = fn->resolver ? -EOPNOTSUPP : leaves_blocks(f->elf, all, fn, f->image, f->pieces, &blocks, e);

	r = r ? r : find_site(f, fn, &wish, &entry, e);
	if (!r)
		note_params(f, fn, x, &entry, 0);
	code.block = blocks.v;
	code.n = (uint32_t)blocks.n;
	code.returns = !r && may_return(f, fn, &entry);
	r = r ? r : choose_blocks(f, &code, blocks.v, e);
	if (!fn->resolver && (r == -EOPNOTSUPP || r == -E2BIG))
		err_prefix(e, "the branches of '%.100s' cannot be followed", fn->name);
	r = r ? r : place_blocks(f, x, &entry, &code, &places, &returned, e);
	code.first = r || f->tries ? 0 : probe_code_note(x->probe, &code);
	if (!r && code.first == CODE_NUMBERS_MAX)
		r = err_set(e, E2BIG, "probe '%.100s' has more than %u basic blocks: name fewer functions",
			    probes_measure(x->probe)->name, CODE_NUMBERS_MAX);
	r = r ? r : move_blocks(&f->returned, &returned, code.first, e);
	r = r ? r : move_blocks(&f->moments, &places, code.first, e);
	free_places(&places);
	free_places(&returned);
	vec_free(&blocks);
	return r == -EOPNOTSUPP || r == -E2BIG ? 0 : r;
}

static int add_functions(struct file_at_hand *f, const struct in_program *x, struct err *e)
{
	AUTO(functions_free) struct functions *all = NULL;
	found_functions found = { 0 };
	u32_vec sets = { 0 };
	int r = functions_new(f->elf, NULL, &all, e);

	if (r >= 0 && (placing_returns(&x->spec.point[0]) || x->spec.point[0].match == SPEC_BRANCHES) && !f->image) {
		f->walkers = unreturning_file(f->elf);
		f->pieces = f->pieces ? f->pieces : fde_starts_new(f->elf);
		r = image_open(f->fd, &f->image, e);
	}
	r = r < 0 ? r : find_places(f, x, all, &found, e);
	r = r < 0 ? r : find_loads(f, x, &found, &sets, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		r = x->spec.point[0].match == SPEC_BRANCHES ? placing_add_branches(f, x, all, &found.v[i], e) :
			placing_add_function(f, x, all, &found.v[i], i, sets.v[i], e);
	vec_free(&sets);
	vec_free(&found);
	return r;
}

/*
 * The number of the set that says where the names of X are at SITE, and what its arguments are; 0 = it has neither.
 * Where there is no room for more sets, nobody sees the arguments.
 */
static int usdt_loads(struct file_at_hand *f, const struct in_program *x, const struct usdt_site *site, struct err *e)
{
	struct sb_loads loads = { 0 }, args;
	int r = x->names.n ? loads_of_usdt(&x->names, site, &loads, e) : 0;

	if (r)
		return r;
	r = loads_of_usdt_args(site, &args) && x->span != SB_SPAN_BEGIN ? load_sets_add(f->loads, &args, NULL) : 0;
	loads.args = r > 0 ? (uint32_t)r : 0;
	r = x->names.n || loads.args ? load_sets_add(f->loads, &loads, e) : 0;
	return r < 0 && !x->names.n ? 0 : r;
}

/*
 * What the arguments of X are called, whose places in a file are ALL: as notes have no names, by their numbers. What
 * each place has is told, all of 64 bits; what one cannot tell is left out.
 */
static void note_usdt_args(const struct file_at_hand *f, const struct in_program *x, const usdt_sites *all)
{
	struct param_listed list[PARAM_ARGS + 1];
	unsigned int seen = (1u << PARAM_ARGS) - 1;

	unknown_params(list);
	for (size_t i = 0; i < all->n; i++)
		for (unsigned int k = 0; k < PARAM_ARGS; k++) {
			list[k].is_signed |= all->v[i].arg[k].is_signed && k < all->v[i].nr_args;
			if (k >= all->v[i].nr_args || all->v[i].arg[k].where == USDT_UNKNOWN)
				seen &= ~(1u << k);
		}
	if (!f->tries && x->span != SB_SPAN_BEGIN)
		note_listed(x->probe, list, seen);
}

static int add_static_probe(struct file_at_hand *f, const struct in_program *x, const struct usdt_site *site,
			    uint32_t loads, struct err *e)
{
	return add_place(&f->moments, site->offset, site->semaphore, site_insn_info(SITE_NOP)->cost_ns,
			 SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + x->probe, x->span) | SB_COOKIE_OF_LOADS(loads) |
			 SB_COOKIE_OF_BEGIN(SB_BEGIN_EMULATED), e);
}

static int add_static_probes(struct file_at_hand *f, const struct in_program *x, struct err *e)
{
	usdt_sites found = { 0 };
	u32_vec sets = { 0 };
	int r = find_usdt(f->elf, &x->spec.point[0], &found, NULL, e);

	if (!r)
		r = err_set(e, ENOENT, "it has no static probes");
	if (r >= 0 && !vec_reserve(&sets, found.n))
		r = err_nomem(e, "probes");
	/* All places or none: a sum of some of them would be wrong. */
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		r = usdt_loads(f, x, &found.v[i], e);
		if (r >= 0)
			sets.v[sets.n++] = (uint32_t)r;
	}
	if (r >= 0)
		note_usdt_args(f, x, &found);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		r = add_static_probe(f, x, &found.v[i], sets.v[i], e);
	vec_free(&sets);
	vec_free(&found);
	return r;
}

/* Adds FN, where its arguments are in their registers. */
static int add_allocator(struct file_at_hand *f, const struct allocator_function *fn, struct err *e)
{
	const struct allocator_args *args = &fn->args;
	const uint8_t used[] = { args->size, args->times, args->old, args->out };
	struct site_wish wish = { .returns = args->size, .cfi = f->image };
	const uint64_t how = SB_ALLOC_HOW(args->size, args->times, args->old, args->out) |
		(fn->outer ? SB_ALLOC_OUTER : 0);
	struct found_function at = fn->at;
	struct probe_site site;
	int r;

	for (size_t i = 0; i < sizeof(used); i++)
		wish.args |= used[i] ? (uint8_t)(1u << (used[i] - 1)) : 0;
	r = find_site(f, &at, &wish, &site, e);
	if (r >= 0 && wish.returns && !site.return_ok) {
		/* Without an unwind table it is known where a function begins, as who calls it has put it there. */
		at.size = 0;
		r = find_site(f, &at, &wish, &site, e);
	}
	return r < 0 ? r : add_place(args->size ? &f->allocs : &f->frees, site.offset, 0, site.cost_ns,
				     SB_COOKIE(args->size ? SB_PROBE_ALLOC : SB_PROBE_FREE, how), e);
}

#define GO_FIRST_ARGUMENT (1u << 0)      /* rax, by DWARF number */

static int add_go_allocator(struct file_at_hand *f, const struct allocator_function *fn, struct err *e)
{
	struct site_wish wish = { .keep = GO_FIRST_ARGUMENT };
	struct probe_site site;
	const int r = find_site(f, &fn->at, &wish, &site, e);

	return r < 0 ? r : add_place(&f->go_allocs, site.offset, 0, site.cost_ns, SB_COOKIE(SB_PROBE_ALLOC, 0), e);
}

/* The function of Go in F that has no symbol, unless one of FOUND is it. */
static void add_go_by_table(struct file_at_hand *f, const allocator_functions *found, struct err *e)
{
	struct allocator_function fn;

	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].go)
			return;
	if (find_go_allocator(f->elf, f->image, &fn))
		(void)add_go_allocator(f, &fn, e);
}

/* Adds to *MET which of P's own allocators there are, as a mask. */
static void add_allocators(struct file_at_hand *f, const struct placing *p, uint64_t *met, struct err *e)
{
	allocator_functions found = { 0 };
	int r = find_allocators(f->elf, f->name, p->own.v, p->own.n, &found, e);

	if (!r && (found.n || allocators_are_go(f->elf)) && !f->image)
		r = image_open(f->fd, &f->image, e);
	/* It may be stripped, or of C and Go. */
	if (r >= 0 && f->image)
		add_go_by_table(f, &found, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		if (found.v[i].go)
			(void)add_go_allocator(f, &found.v[i], e);
		else if ((p->frees || found.v[i].args.size) && add_allocator(f, &found.v[i], e) >= 0 && found.v[i].own)
			*met |= (uint64_t)1 << (found.v[i].own - 1) % ALLOCATORS_OWN_MAX;
	vec_free(&found);
}

/* Adds SITE, where a program tells of a block. Only the arguments that it has are read. */
static int add_told(struct file_at_hand *f, const struct usdt_site *site, bool begins, struct err *e)
{
	struct filter_names names = { .n = begins ? MEMORY_NOTES_ALLOC_ARGS : MEMORY_NOTES_FREE_ARGS };
	const uint32_t least = begins ? 2 : 1;
	struct sb_loads loads;
	int r;

	names.n = site->nr_args < names.n ? site->nr_args : names.n;
	if (names.n < least)
		return err_set(e, EINVAL, "its static probe %s:%s has %u arguments and should have %u", site->provider,
			       site->name, names.n, least);
	for (uint32_t i = 0; i < names.n; i++)
		snprintf(names.name[i], sizeof(names.name[i]), "arg%u", i);
	r = loads_of_usdt(&names, site, &loads, e);
	r = r ? r : load_sets_add(f->loads, &loads, e);
	return r < 0 ? r : add_place(begins ? &f->allocs : &f->frees, site->offset, site->semaphore,
				     site_insn_info(SITE_NOP)->cost_ns,
				     SB_COOKIE(begins ? SB_PROBE_ALLOC : SB_PROBE_FREE, 0) |
				     SB_COOKIE_OF_LOADS(r), e);
}

/* The places of F where it tells of blocks that it has sampled. */
static void add_all_told(struct file_at_hand *f, bool frees, struct err *e)
{
	usdt_sites found = { 0 };

	if (memory_notes_find(f->elf, &found, e) >= 0)
		for (size_t i = 0; i < found.n; i++) {
			const bool begins = !strcmp(found.v[i].name, MEMORY_NOTES_ALLOC);

			if (begins || (frees && !strcmp(found.v[i].name, MEMORY_NOTES_FREE)))
				(void)add_told(f, &found.v[i], begins, e);
		}
	vec_free(&found);
}

/* Is what X is about in the file PATH? */
static bool is_about(const struct in_program *x, const char *path)
{
	return probe_target_is(x->spec.point[0].target, path) || (x->target && !strcmp(x->target, path));
}

/*
 * Where redis-server is a link to redis-check-rdb, who runs by that name is meant by it: is X about the program of a
 * process that is called COMM? The kernel keeps 15 bytes of it.
 */
static bool is_about_program(const struct in_program *x, const char *comm)
{
	const char *target = x->spec.point[0].target;

	return target[0] && !strchr(target, '/') && !strncmp(target, comm, COMM_BYTES - 1) &&
		(strlen(comm) == COMM_BYTES - 1 || strlen(comm) == strlen(target));
}

bool placing_is_about(const struct placing *p, const char *path, const char *comm)
{
	if (p->interval)
		return true;
	for (size_t i = 0; i < p->points.n; i++)
		if ((path && is_about(&p->points.v[i], path)) || (comm && is_about_program(&p->points.v[i], comm)))
			return true;
	return false;
}

/* One process that is looked at. */
struct looking {
	const struct placing *p;
	pid_t pid;
	const struct placing_visitor *v;
	/* probes of which there are places, by their number, as a mask: the second of ends of spans */
	uint64_t met[2];
	uint64_t about[2];       /* the same of those that are about a file of the process, whatever is in it */
	int places;
	bool allocates;          /* it has functions that do */
	uint64_t own_met;        /* which of placing.own there are, as a mask */
	bool unwinds;            /* it can throw exceptions */
	bool preloaded;          /* the library of ours is in it, which tells of all blocks */
	/* its executable, and what it is called itself, which a link to it may have named; own: as a probe says */
	char exe[PATH_MAX], comm[64];
	bool own;
	struct err *e;
};

/* Tells of what was found in the file ID, which is at PATH: its places of KIND, ALL from number FROM on. */
static void tell_places(struct looking *l, const struct placing_file *id, const char *path,
			const struct places_in_file *all, size_t from, enum link_kind kind, enum link_of of)
{
	struct link_places places = {
		.kind = kind, .of = of, .path = path, .pid = l->pid, .n = (uint32_t)(all->offset.n - from),
		.loads = l->p->loads->set,
	};

	if (!places.n)
		return;
	places.offset = all->offset.v + from;
	places.semaphore = all->semaphore.v + from;
	places.cookie = all->cookie.v + from;
	places.cost_ns = all->cost_ns.v + from;
	if (l->v && l->v->place)
		l->v->place(l->v->ctx, id, &places);
}

/* Opens X, at PATH, unless it is. */
static bool placing_open(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	if (f->elf)
		return true;
	if (f->fd < 0)
		f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (f->fd < 0) {
		err_set(l->e, errno, "cannot open %s of process %d: %s", x->path, (int)l->pid, strerror(errno));
		return false;
	}
	return elf_file_open(f->fd, &f->elf, l->e) >= 0;
}

/* WHY a probe has no place, or not all of them, in a file of L. */
static void placing_note_why(struct looking *l, uint32_t probe, const struct err *why)
{
	if (!why->text[0])
		return;
	if (l->e)
		*l->e = *why;
	if (l->v && l->v->missed)
		l->v->missed(l->v->ctx, probe, why->text);
}

/* How many places of each kind F has. */
struct places_before {
	size_t moments, calls, begins, ends, returned;
};

static struct places_before places_in(const struct file_at_hand *f)
{
	return (struct places_before){ f->moments.offset.n, f->calls.offset.n, f->begins.offset.n, f->ends.offset.n,
				       f->returned.offset.n };
}

/* Tells of the places of one probe in F, which is X at PATH: those that have come since BEFORE. */
static void tell_probe(struct looking *l, const struct executed *x, const char *path, const struct file_at_hand *f,
		       const struct places_before *before)
{
	/* A return without an entry is left out; an entry without its return would look like an exception. */
	tell_places(l, &x->id, path, &f->returned, before->returned, LINK_RETURN, LINK_OF_MOMENTS);
	tell_places(l, &x->id, path, &f->moments, before->moments, LINK_ENTRY, LINK_OF_MOMENTS);
	/* In this order each return belongs to an entry that was seen ... */
	tell_places(l, &x->id, path, &f->calls, before->calls, LINK_ENTRY, LINK_OF_BEGINS);
	tell_places(l, &x->id, path, &f->calls, before->calls, LINK_RETURN, LINK_OF_ENDS);
	/* ... and each entry that is seen has its end seen. */
	tell_places(l, &x->id, path, &f->ends, before->ends, LINK_ENTRY, LINK_OF_ENDS);
	tell_places(l, &x->id, path, &f->begins, before->begins, LINK_ENTRY, LINK_OF_BEGINS);
}

static bool placing_is_ours(const struct executed *x)
{
	return x->path && probe_target_is(MEMORY_NOTES_LIBRARY, x->path);
}

/* The places of F where it tells of blocks that it has sampled, unless another one does of the same blocks. */
static void tell_told(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	if (l->preloaded && !placing_is_ours(x))
		return;
	add_all_told(f, l->p->frees, l->e);
	l->allocates |= f->allocs.offset.n;
	/* As of functions: no block that is known stays for ever. */
	tell_places(l, &x->id, path, &f->frees, 0, LINK_ENTRY, LINK_OF_TOLD_FREES);
	tell_places(l, &x->id, path, &f->allocs, 0, LINK_ENTRY, LINK_OF_TOLD_ALLOCS);
}

/* The functions of F that allocate memory. */
static void tell_allocators(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	const bool pairs = link_way_of(LINK_SESSION) == LINK_NOT;

	add_allocators(f, l->p, &l->own_met, l->e);
	l->allocates |= f->allocs.offset.n || f->go_allocs.offset.n;
	tell_places(l, &x->id, path, &f->go_allocs, 0, LINK_ENTRY, LINK_OF_GO_ALLOCS);
	/* A free that comes between is of nothing that is known; a block that does would stay for ever. */
	tell_places(l, &x->id, path, &f->frees, 0, LINK_ENTRY, LINK_OF_FREES);
	if (pairs)
		tell_places(l, &x->id, path, &f->allocs, 0, LINK_RETURN, LINK_OF_ALLOC_ENDS);
	tell_places(l, &x->id, path, &f->allocs, 0, pairs ? LINK_ENTRY : LINK_SESSION, LINK_OF_ALLOCS);
}

static void look_into(struct looking *l, const struct executed *x)
{
	struct file_at_hand f = { .fd = -1, .debug_fd = -1, .loads = l->p->loads, .name = x->path,
				  .passed = l->unwinds, .tries = l->p->tries, .pid = l->pid };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)l->pid, (unsigned long long)x->start,
		 (unsigned long long)x->end);
	for (size_t i = 0; i < l->p->points.n; i++) {
		const struct in_program *point = &l->p->points.v[i];
		const struct places_before before = places_in(&f);
		const size_t had = nr_places(&f);
		struct err why = ERR_INIT;

		if (!is_about(point, x->path) &&
		    !(l->own && !strcmp(l->exe, x->path) && is_about_program(point, l->comm)))
			continue;
		if (!placing_open(l, x, path, &f))
			break;
		l->about[point->span == SB_SPAN_END] |= (uint64_t)1 << point->probe;
		(void)(point->spec.point[0].kind == PROBE_USDT ? add_static_probes(&f, point, &why) :
		       add_functions(&f, point, &why));
		placing_note_why(l, point->probe, &why);
		if (nr_places(&f) > had)
			l->met[point->span == SB_SPAN_END] |= (uint64_t)1 << point->probe;
		tell_probe(l, x, path, &f, &before);
	}
	if (l->p->interval && placing_open(l, x, path, &f))
		(l->p->told ? tell_told : tell_allocators)(l, x, path, &f);
	l->places += (int)nr_places(&f);
	if (l->v && l->v->gone && access(path, F_OK))
		l->v->gone(l->v->ctx, &x->id);
	free_places(&f.moments);
	free_places(&f.returned);
	free_places(&f.allocs);
	free_places(&f.frees);
	free_places(&f.go_allocs);
	free_places(&f.calls);
	free_places(&f.begins);
	free_places(&f.ends);
	fde_starts_free(f.pieces);
	image_free(f.image);
	params_free(f.params);
	elf_file_free(f.debug);
	if (f.debug_fd >= 0)
		close(f.debug_fd);
	elf_file_free(f.elf);
	if (f.fd >= 0)
		close(f.fd);
}

/* Can PID, which executes FILES, throw exceptions? By its libraries, or what is linked into it. */
static bool executed_unwinds(pid_t pid, const executed_vec *files)
{
	struct elf_file *elf = NULL;
	bool r = false;
	char path[32];
	int fd;

	for (size_t i = 0; i < files->n && !r; i++)
		r = files->v[i].path && unreturning_library(files->v[i].path);
	if (r)
		return r;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	r = fd >= 0 && elf_file_open(fd, &elf, NULL) >= 0 && unreturning_file(elf);
	elf_file_free(elf);
	if (fd >= 0)
		close(fd);
	return r;
}

static int look_at(struct looking *l)
{
	executed_vec files = { 0 };
	AUTO_FD int dir = proc_open(l->pid);
	const ssize_t r = dir < 0 ? dir : proc_read_maps(dir, add_executed, &files);
	const ssize_t n = dir < 0 ? -1 : readlinkat(dir, "exe", l->exe, sizeof(l->exe) - 1);

	l->exe[n > 0 ? n : 0] = '\0';
	lookup_comm(l->pid, l->comm, sizeof(l->comm));
	l->own = placing_is_about(l->p, NULL, l->comm);
	l->unwinds = (l->v && l->v->everywhere) || executed_unwinds(l->pid, &files);
	for (size_t i = 0; i < files.n; i++)
		l->preloaded |= placing_is_ours(&files.v[i]);
	for (size_t i = 0; i < files.n; i++) {
		const struct executed *x = &files.v[i];

		if (r >= 0 && x->path && (!l->v || !l->v->wants || l->v->wants(l->v->ctx, &x->id, l->own)))
			look_into(l, x);
		free(x->path);
	}
	vec_free(&files);
	return r < 0 ? err_set(l->e, (int)-r, "cannot read what process %d has mapped: %s", (int)l->pid,
			       strerror((int)-r)) : 0;
}

bool placing_unwinds(pid_t pid)
{
	executed_vec files = { 0 };
	AUTO_FD int dir = proc_open(pid);
	const bool r = dir >= 0 && proc_read_maps(dir, add_executed, &files) >= 0 && executed_unwinds(pid, &files);

	for (size_t i = 0; i < files.n; i++)
		free(files.v[i].path);
	vec_free(&files);
	return r;
}

int placing_look(const struct placing *p, pid_t pid, const struct placing_visitor *v, struct err *e)
{
	struct looking l = { .p = p, .pid = pid, .v = v, .e = e };
	const int r = look_at(&l);

	return r < 0 ? r : l.places;
}

int placing_check(const struct placing *p, const uint32_t *pids, size_t n, uint64_t *ret_absent, struct err *e)
{
	struct err why = ERR_INIT;
	uint64_t met[2] = { 0, 0 }, about[2] = { 0, 0 };
	bool allocates = false;
	uint64_t own_met = 0;

	for (size_t i = 0; i < n; i++) {
		struct err last = ERR_INIT;
		struct looking l = { .p = p, .pid = (pid_t)pids[i], .e = &last };

		/* Among all processes of a machine some end meanwhile. */
		if ((!look_at(&l) || !ret_absent) && last.code)
			why = last;
		for (unsigned int k = 0; k < 2; k++) {
			met[k] |= l.met[k];
			about[k] |= l.about[k];
		}
		allocates |= l.allocates;
		own_met |= l.own_met;
	}
	if (ret_absent)
		*ret_absent = 0;
	if (p->told && !allocates)
		return err_set(e, ENOENT, "nothing in the target samples its memory by the static probes "
			       MEMORY_NOTES_PROVIDER ":" MEMORY_NOTES_ALLOC "(address, bytes, weight) and "
			       MEMORY_NOTES_PROVIDER ":" MEMORY_NOTES_FREE "(address): start it by sberf record "
			       "--memory=preload -- COMMAND, or use --memory=allocs%s%s", why.text[0] ? ": " : "",
			       why.text);
	for (size_t i = 0; i < p->own.n; i++)
		if (!(own_met >> i & 1))
			return err_set(e, ENOENT, "no function '%.*s' that can be probed is found in '%.*s' of the "
				       "target, which --allocator names%s%s", (int)p->own.v[i].function_len,
				       p->own.v[i].function, (int)p->own.v[i].target_len, p->own.v[i].target,
				       why.text[0] ? ": " : "", why.text);
	if (p->interval && !allocates)
		return err_set(e, ENOENT, "no function that allocates memory is found in the target, by the names of "
			       "malloc(3)%s%s", why.text[0] ? ": " : "", why.text);
	for (size_t i = 0; i < p->points.n; i++) {
		const struct in_program *x = &p->points.v[i];
		const bool end = x->span == SB_SPAN_END;

		if (met[end] >> x->probe & 1)
			continue;
		if (ret_absent && !(about[end] >> x->probe & 1)) {
			*ret_absent |= (uint64_t)1 << x->probe;
			continue;
		}
		/* Where it was typed nobody has to be told which one it is. */
		if (p->tries)
			return err_set(e, ENOENT, "%s", why.text[0] ? why.text :
				       "no file that the target executes is called so");
		return err_set(e, ENOENT, "probe '%.100s' has no place in the target%s%s",
			       probes_measure(x->probe)->name,
			       why.text[0] ? ": " : ": no file that it executes is called so", why.text);
	}
	return 0;
}
