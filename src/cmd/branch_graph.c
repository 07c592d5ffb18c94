/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_graph.c - see branch_graph.h. */
#include "config.h"

#include "cmd/branch_graph.h"

#include "base/keyed.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/clean.h"
#include "export/jsonout.h"
#include "probe/ktypes_all.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_MAX 4095          /* MAX_ERRNO of the kernel */

_Static_assert(PARAM_ARGS == BRANCH_ARGS, "all arguments have a parameter");

/* What is known of the function of a number. */
struct graph_function {
	uint32_t space, number;
	uint64_t address;
	const char *name;
	bool typed;              /* PARAM is what the kernel's types say */
	struct probe_param param[BRANCH_ARGS + 1];
};

struct branch_graph {
	struct ktypes_all types;
	enum graph_shown shown;
	KEYED(struct graph_function) function;
};

int branch_graph_new(enum graph_shown shown, struct branch_graph **ret, struct err *e)
{
	struct branch_graph *b = calloc(1, sizeof(*b));

	if (!b)
		return err_nomem(e, "call graphs");
	b->shown = shown;
	*ret = b;
	return 0;
}

void branch_graph_free(struct branch_graph *b)
{
	if (!b)
		return;
	ktypes_all_free(&b->types);
	keyed_free(&b->function);
	free(b);
}

/* What a function without types is taken to be: six arguments, and a result of 32 bits or more. */
static void graph_untyped(struct graph_function *f)
{
	for (unsigned int i = 0; i <= BRANCH_ARGS; i++) {
		f->param[i] = (struct probe_param){ .size = 8 };
		text_format(f->param[i].name, sizeof(f->param[i].name), i < BRANCH_ARGS ? "arg%u" : "retval", i);
	}
}

static void graph_typed(struct branch_graph *b, const char *symbol, struct graph_function *f)
{
	struct param_listed list[PARAM_ARGS + 1];
	struct ktypes *types;

	f->typed = !ktypes_all_of(&b->types, symbol, &types, NULL) &&
		ktypes_list(types, KTYPES_FUNCTION, f->name, list);
	if (!f->typed) {
		graph_untyped(f);
		return;
	}
	for (unsigned int i = 0; i <= BRANCH_ARGS; i++) {
		f->param[i] = (struct probe_param){ .size = list[i].size, .is_signed = list[i].is_signed,
						    .is_pointer = list[i].is_pointer };
		text_format(f->param[i].name, sizeof(f->param[i].name), "%s", list[i].name);
	}
}

/* The function of CALL of G; NULL when out of memory, or there is none. */
static const struct graph_function *graph_function_of(struct branch_graph *b, const struct graph *g,
						      const struct graph_call *call)
{
	const struct graph_function key = { .space = g->probe, .number = call->number };
	uint32_t id = keyed_find(&b->function, &key, address);
	struct probe_code code;

	if (id != HIDX_NONE)
		return &b->function.v[id];
	if (!probe_code_find(g->probe, call->number, &code))
		return NULL;
	id = keyed_get(&b->function, &key, address);
	if (id == HIDX_NONE)
		return NULL;
	b->function.v[id].address = code.start;
	b->function.v[id].name = code.name;
	graph_typed(b, code.symbol, &b->function.v[id]);
	return &b->function.v[id];
}

/* ---- results ---- */

/* The error that RESULT of F is, 1 to ERRORS_MAX; 0 = it is none. */
static int graph_error(const struct graph_function *f, uint64_t result)
{
	const struct probe_param *p = &f->param[BRANCH_ARGS];
	const int64_t value = p->size == 4 ? (int32_t)(uint32_t)result : (int64_t)result;

	if (!p->name[0] || p->size < 4 || (f->typed && !p->is_signed && !p->is_pointer))
		return 0;
	if (!f->typed && result >> 32 == 0 && (int32_t)(uint32_t)result < 0 && -(int32_t)(uint32_t)result <= ERRORS_MAX)
		return -(int32_t)(uint32_t)result;
	return value < 0 && value >= -ERRORS_MAX ? (int)-value : 0;
}

static uint64_t graph_outcome(const struct graph_function *f, const struct graph_call *call)
{
	const int error = graph_error(f, call->result);

	if (error)
		return (uint64_t)-(int64_t)error;
	return f->param[BRANCH_ARGS].is_pointer && !call->result ? GRAPH_RETURNS_NULL : GRAPH_RETURNS;
}

/* "-2 (ENOENT)" */
static void graph_error_text(int error, char *dst, size_t size)
{
	const char *name = strerrorname_np(error);

	text_format(dst, size, name ? "-%d (%s)" : "-%d", error, name);
}

bool branch_graph_outcome_text(uint64_t address, char *dst, size_t size)
{
	static const char *const known[] = {
		[GRAPH_RETURNS_NULL] = "return NULL", [GRAPH_RETURNS] = "return", [GRAPH_CALLS_NOTHING] = "no call",
	};
	char error[GRAPH_RESULT_BYTES];

	if (address && address < sizeof(known) / sizeof(known[0])) {
		text_format(dst, size, "%s", known[address]);
		return true;
	}
	if (address < (uint64_t)-ERRORS_MAX)
		return false;
	graph_error_text((int)-(int64_t)address, error, sizeof(error));
	text_format(dst, size, "return %s", error);
	return true;
}

/* What CALL of F returned, into DST; "" when that is not known, or nothing. */
static void graph_result_text(const struct graph_function *f, const struct graph_call *call,
			      const struct hitfields *fields, char dst[GRAPH_RESULT_BYTES])
{
	const int error = call->returned ? graph_error(f, call->result) : 0;

	if (error)
		graph_error_text(error, dst, GRAPH_RESULT_BYTES);
	else
		text_format(dst, GRAPH_RESULT_BYTES, "%s", call->returned ? fields->result : "");
}

/* ---- as a call with branches ---- */

static bool graph_add_branch(branch_vec *to, uint32_t space, uint64_t from, uint64_t target)
{
	struct branch *b = vec_push(to);

	if (b)
		*b = (struct branch){ .from = from, .to = target, .space = space, .how = BRANCH_TAKEN };
	return b;
}

/* What CALL of G returned. */
static bool graph_add_outcome(struct branch_graph *b, const struct graph *g, const struct graph_call *call,
			      struct branch_call *ret)
{
	const struct graph_function *f = call->returned && b->shown != GRAPH_SHOWS_CALLS ?
		graph_function_of(b, g, call) : NULL;

	return !f || graph_add_branch(&ret->branch, ret->space, f->address, graph_outcome(f, call));
}

/* That CALL of G was called by the one above it. */
static bool graph_add_entry(struct branch_graph *b, const struct graph *g, const struct graph_call *call,
			    struct branch_call *ret)
{
	const struct graph_function *f = graph_function_of(b, g, call);
	const uint64_t to = f ? f->address : 0;

	f = b->shown == GRAPH_SHOWS_RETURNS ? NULL : graph_function_of(b, g, &g->call.v[call->parent]);
	return !f || !to || graph_add_branch(&ret->branch, ret->space, f->address, to);
}

/* In the order of time: a call returns before the next one begins that is not below it. */
static bool graph_add_calls(struct branch_graph *b, const struct graph *g, struct branch_call *ret)
{
	const struct graph_call *all = g->call.v;
	uint32_t at = 0;
	const struct graph_function *first = graph_function_of(b, g, all);
	bool ok = g->call.n > 1 || !first ||
		graph_add_branch(&ret->branch, ret->space, first->address, GRAPH_CALLS_NOTHING);

	for (uint32_t i = 1; i <= g->call.n && ok; i++) {
		const uint32_t depth = i < g->call.n ? all[i].depth : 1;

		for (; at && all[at].depth >= depth && ok; at = all[at].parent)
			ok = graph_add_outcome(b, g, &all[at], ret);
		if (i < g->call.n)
			ok = ok && graph_add_entry(b, g, &all[i], ret);
		at = i;
	}
	return ok;
}

bool branch_graph_call(struct branch_graph *b, const struct graph *g, struct branch_call *ret)
{
	const struct graph_call *first = &g->call.v[0];
	struct probe_code code;

	*ret = (struct branch_call){
		.begun_ns = first->begun_ns, .ended_ns = first->ended_ns, .pid = g->pid, .tid = g->tid,
		.probe = g->probe, .result = first->result, .end = BRANCH_RETURNED, .dropped = g->dropped,
	};
	if (probe_code_find(g->probe, first->number, &code))
		ret->space = BRANCH_SPACE(g->probe, code.first);
	ret->stack = g->stack;
	memcpy(ret->comm, g->comm, sizeof(ret->comm));
	memcpy(ret->arg, first->arg, sizeof(ret->arg));
	return graph_add_calls(b, g, ret);
}

/* ---- writing ---- */

static bool graph_texts_of(struct branch_graph *b, const struct graph *g, const struct graph_call *call,
			   struct branch_graph_said *ret)
{
	const struct graph_function *f = graph_function_of(b, g, call);
	uint64_t arg[BRANCH_ARGS + 1];

	if (!f)
		return false;
	memcpy(arg, call->arg, sizeof(call->arg));
	arg[BRANCH_ARGS] = call->result;
	ret->name = f->name;
	hitfields_of_list(arg, BRANCH_ARGS + call->returned, f->param, &ret->fields);
	graph_result_text(f, call, &ret->fields, ret->result);
	if (b->shown == GRAPH_SHOWS_CALLS)
		ret->result[0] = '\0';
	return true;
}

static void graph_put_call(const struct branch_graph *b, const struct branch_show *s, const struct branch_graph_said *t)
{
	print_clean(s->out, t->name);
	fputc('(', s->out);
	print_clean(s->out, b->shown == GRAPH_SHOWS_RETURNS ? "" : t->fields.text);
	fputs(*t->result ? ") = " : ")", s->out);
	print_clean(s->out, t->result);
}

static bool graph_put_text(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
			   const struct branch_call_text *text)
{
	const bool meets = text->meets;
	struct branch_graph_said t;
	char took[UNITS_MAX];

	for (size_t i = 0; i < g->call.n; i++) {
		const struct graph_call *call = &g->call.v[i];

		if (!graph_texts_of(b, g, call, &t))
			return false;
		if (i && b->shown == GRAPH_SHOWS_RETURNS && !call->returned)
			continue;
		units_time(took, call->ended_ns - call->begun_ns);
		if (i)
			fprintf(s->out, "%10s  %*s", took, 2 * ((int)call->depth - 1), "");
		graph_put_call(b, s, &t);
		if (!i) {
			fputs("  ", s->out);
			print_clean(s->out, g->comm);
			fprintf(s->out, "/%d  %s%s", (int)g->tid, took, meets ? "  meets " : "");
			print_clean(s->out, meets ? s->condition : "");
		}
		fputc('\n', s->out);
		if (!i)
			branch_show_prints(s, text, 4);
	}
	if (g->dropped)
		fprintf(s->out, "%10s  and %" PRIu64 " more\n", "", g->dropped);
	branch_show_frames(s, text->frame, text->frames);
	return true;
}

/* An object for CALL, number AT of G; NULL when out of memory. */
static json_t *graph_json_call(const struct graph *g, const struct graph_call *call, const struct branch_graph_said *t)
{
	json_t *o = json_pack("{s:o,s:I,s:I,s:I,s:o}", "function", jsonout_string(t->name), "depth",
			      (json_int_t)call->depth, "after_ns",
			      (json_int_t)(call->begun_ns - g->call.v[0].begun_ns), "latency_ns",
			      (json_int_t)(call->ended_ns - call->begun_ns), "args", jsonout_string(t->fields.text));

	if (o && *t->result && json_object_set_new(o, "result", jsonout_string(t->result))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static bool graph_put_json(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
			   const struct branch_call_text *said)
{
	json_t *calls = json_array(), *o;
	struct branch_graph_said t;
	bool ok = calls;
	char *text;

	for (size_t i = 1; i < g->call.n && ok; i++)
		ok = graph_texts_of(b, g, &g->call.v[i], &t) &&
			!json_array_append_new(calls, graph_json_call(g, &g->call.v[i], &t));
	ok = ok && graph_texts_of(b, g, &g->call.v[0], &t);
	o = ok ? json_pack("{s:o,s:I,s:o,s:i,s:i,s:I,s:o,s:o}", "call", jsonout_string(t.name), "time_ns",
			   (json_int_t)(g->call.v[0].begun_ns + said->real_ns), "comm", jsonout_string(g->comm), "pid",
			   (int)g->pid, "tid", (int)g->tid, "latency_ns",
			   (json_int_t)(g->call.v[0].ended_ns - g->call.v[0].begun_ns), "args",
			   jsonout_string(t.fields.text), "result", jsonout_string(t.result)) : NULL;
	ok = o && (!s->condition || !json_object_set_new(o, "meets", json_boolean(said->meets))) &&
		(!said->prints || !json_object_set_new(o, "print", branch_show_prints_json(said))) &&
		(!said->frames || !json_object_set_new(o, "stack", branch_show_frames_json(said->frame,
											   said->frames))) &&
		(!g->dropped || !json_object_set_new(o, "dropped", json_integer((json_int_t)g->dropped))) &&
		!json_object_set(o, "calls", calls);
	text = ok ? json_dumps(o, JSON_COMPACT) : NULL;
	json_decref(o);
	json_decref(calls);
	if (!text)
		return false;
	fprintf(s->out, "%s\n", text);
	free(text);
	return true;
}

bool branch_graph_put(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
		      const struct branch_call_text *text)
{
	return s->json ? graph_put_json(b, s, g, text) : graph_put_text(b, s, g, text);
}

bool branch_graph_say(struct branch_graph *b, const struct graph *g, struct branch_graph_said *ret)
{
	return graph_texts_of(b, g, &g->call.v[0], ret);
}

const char *branch_graph_name(struct branch_graph *b, const struct graph *g)
{
	const struct graph_function *f = graph_function_of(b, g, &g->call.v[0]);

	return f ? f->name : "";
}

static bool graph_json_begun(const struct branch_show *s, const struct graph *g, const struct graph_call *call,
			     const struct branch_graph_said *t, const struct branch_call_text *said)
{
	json_t *o = json_pack("{s:o,s:I,s:o,s:i,s:i,s:I,s:o,s:s}", "call", jsonout_string(t->name), "time_ns",
			      (json_int_t)(call->begun_ns + said->real_ns), "comm", jsonout_string(g->comm), "pid",
			      (int)g->pid, "tid", (int)g->tid, "depth", (json_int_t)call->depth, "args",
			      jsonout_string(t->fields.text), "end", "begun");
	const bool ok = o && (!said->prints || !json_object_set_new(o, "print", branch_show_prints_json(said))) &&
		(!said->frames || !json_object_set_new(o, "stack",
			      branch_show_frames_json(said->frame, said->frames)));
	char *text = ok ? json_dumps(o, JSON_COMPACT) : NULL;

	json_decref(o);
	if (text)
		fprintf(s->out, "%s\n", text);
	free(text);
	return text;
}

bool branch_graph_put_begun(struct branch_graph *b, const struct branch_show *s, const struct graph *g,
			    const struct branch_call_text *text)
{
	const struct graph_call *call = &g->call.v[g->call.n - 1];
	struct branch_graph_said t;

	if (!graph_texts_of(b, g, call, &t))
		return false;
	if (s->json)
		return graph_json_begun(s, g, call, &t, text);
	fprintf(s->out, "%*s", 2 * (int)call->depth, "");
	graph_put_call(b, s, &t);
	fputs("  ", s->out);
	print_clean(s->out, g->comm);
	fprintf(s->out, "/%d\n", (int)g->tid);
	branch_show_prints(s, text, 4);
	branch_show_frames(s, text->frame, text->frames);
	return true;
}
