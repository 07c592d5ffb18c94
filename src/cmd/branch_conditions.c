/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_conditions.c - see branch_conditions.h. */
#include "config.h"

#include "cmd/branch_conditions.h"

#include "base/text.h"
#include "model/probevalues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BPF_PREFIX "bpf:"
#define WORD_BITS 64u
#define GRAPH_DEPTH 3u           /* calls below the function, unless --depth says something else */

/* ---- functions ---- */

/*
 * Whether a comma at AT separates functions: then the kind of another one stands behind it. Names of C++ have commas,
 * too.
 */
static bool wish_ends(const char *at)
{
	const size_t len = strcspn(at + 1, ":");

	return at[1 + len] == ':' && (probe_kind_find(at + 1, len) != PROBE_KINDS || !strncmp(at + 1, BPF_PREFIX, 4));
}

/*
 * The kernel half evaluates a condition before it follows a call, and so without what is known at the end of it. *LATE:
 * it asks for that, and is judged here.
 */
static int wish_parse_kernel(const char *text, struct spec *ret, bool *late, struct err *e)
{
	const char *condition = strstr(text, " /");
	char part[SPEC_TEXT_MAX];
	struct err why = ERR_INIT;
	const int r = spec_parse(text, ret, &why);
	struct spec call;

	*late = false;
	if (!r)
		return 0;
	/* The condition as if it was one of a program, whose calls have results and times. */
	if (!condition || text_format(part, sizeof(part), "call:x:x%s", condition) >= sizeof(part) - 1 ||
	    spec_parse(part, &call, NULL))
		return err_set(e, -r, "%s", why.text);
	text_format(part, sizeof(part), "%.*s", (int)(condition - text), text);
	if (spec_parse(part, ret, NULL))
		return err_set(e, -r, "%s", why.text);
	*late = true;
	ret->point[0].when = call.point[0].when;
	return 0;
}

/* Only what has a return knows all values; so the probe is read as if it was one of calls. */
static int wish_parse(const char *text, struct spec *ret, struct err *e)
{
	const char *colon = strchr(text, ':');
	char call[SPEC_TEXT_MAX];
	enum probe_kind kind;

	if (!colon)
		return err_set(e, EINVAL, "'%.100s' says not where the function is: write u:FILE:NAME", text);
	kind = probe_kind_find(text, (size_t)(colon - text));
	if (kind != PROBE_ENTRY && kind != PROBE_CALL)
		return err_set(e, EINVAL, "'%.100s' is no function whose branches could be followed: write u:FILE:NAME",
			       text);
	if (text_format(call, sizeof(call), "call%s", colon) >= sizeof(call) - 1)
		return err_set(e, E2BIG, "'%.100s' is too long", text);
	return spec_parse(call, ret, e);
}

/* TEXT, whose calls are told when they begin: the kernel half evaluates its condition then, also behind pointers. */
static int wish_parse_begin(const char *text, struct spec *ret, struct err *e)
{
	const int r = spec_parse(text, ret, e);

	if (r)
		return err_prefix(e, "with --entry");
	if (ret->point[0].kind != PROBE_KPROBE && ret->point[0].kind != PROBE_ENTRY && ret->point[0].kind != PROBE_CALL)
		return err_set(e, EINVAL, "'%.100s' is no function whose calls could be told: write u:FILE:NAME or "
			       "k:NAME", text);
	if (ret->point[0].kind == PROBE_CALL)
		ret->point[0].kind = PROBE_ENTRY;
	return 0;
}

/* Whether X, a condition on calls, can be judged when they begin. */
static int condition_check_begin(const struct spec_expr *x, struct err *e)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->step[i].op == SPEC_RETVAL || x->step[i].op == SPEC_LATENCY)
			return err_set(e, EINVAL, "--entry tells calls when they begin, before their %s is known",
				       x->step[i].op == SPEC_RETVAL ? "result" : "latency");
	return 0;
}

/* Says which names of X can be looked up: parameters, and unless they are FOLLOWED no members of them. */
static int condition_check(const struct spec_expr *x, bool followed, struct err *e)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct spec_path_step step;
		const char *at = x->pool + x->step[i].value;

		if (x->step[i].op == SPEC_CPU)
			return err_set(e, EINVAL, "a call is on no particular CPU: leave 'cpu' out");
		if (!followed && x->step[i].op == SPEC_PATH && spec_path_next(&at, &step) && spec_path_next(&at, &step))
			return err_set(e, EOPNOTSUPP, "'%s' cannot be followed: a condition on whole calls knows "
				       "arguments and the result, not what they point to", x->pool + x->step[i].value);
		if (x->step[i].text && (x->step[i].op == SPEC_ARG || x->step[i].op == SPEC_RETVAL ||
					x->step[i].op == SPEC_PATH))
			return err_set(e, EOPNOTSUPP, "a condition on whole calls does not read strings: compare "
				       "numbers");
	}
	return 0;
}

static bool wish_is_kernel(const char *text)
{
	return probe_kind_find(text, strcspn(text, ":")) == PROBE_KPROBE;
}

/*
 * What is followed from its entry to its return, TEXT: a BPF program, "12:sub /retval == 1/", or a function of the
 * KERNEL with branch records.
 */
static int wish_take_whole(const char *text, bool kernel, bool begin, struct branch_wish *ret, struct err *e)
{
	const char *condition = strstr(text, " /");
	char probe[SPEC_TEXT_MAX];
	struct spec s = { .points = 0 };
	int r = 0;

	*ret = (struct branch_wish){ .program = !kernel, .kernel = kernel };
	if (condition && text_format(probe, sizeof(probe), "call:x:x%s", condition) >= sizeof(probe) - 1)
		return err_set(e, E2BIG, "'%.100s' is too long", text);
	if (condition)
		r = spec_parse(probe, &s, e);
	if (!r && condition && s.measure != SPEC_DEFAULT)
		r = err_set(e, EINVAL, "'%.100s' has to be one function, by its name, with nothing but a "
			    "/condition/", text);
	if (!r && condition) {
		ret->when = s.point[0].when;
		r = condition_check(&ret->when, true, e);
		r = r || !begin ? r : condition_check_begin(&ret->when, e);
	}
	if (!r)
		ret->probe = strndup(text, condition ? (size_t)(condition - text) : strlen(text));
	return r ? r : !ret->probe ? err_nomem(e, "functions") : *ret->probe ? 0 :
		err_set(e, EINVAL, kernel ? "say which function: k:NAME" :
			"say which BPF program: bpf:ID or bpf:NAME (sberf bpf lists them)");
}

static int wish_take(const char *text, const struct options *o, struct branch_wish *ret, struct err *e)
{
	struct spec_point *point = &ret->spec.point[0];
	const bool begin = o->branch_entry;
	bool kernel, late = !begin;
	int r;

	if (!strncmp(text, BPF_PREFIX, strlen(BPF_PREFIX)))
		return wish_take_whole(text + strlen(BPF_PREFIX), false, begin, ret, e);
	kernel = wish_is_kernel(text);
	if (kernel && o->how == BRANCHES_LBR)
		return wish_take_whole(strchr(text, ':') + 1, true, begin, ret, e);
	memset(ret, 0, sizeof(*ret));
	r = begin ? wish_parse_begin(text, &ret->spec, e) : kernel ? wish_parse_kernel(text, &ret->spec, &late, e) :
		wish_parse(text, &ret->spec, e);
	if (r)
		return r;
	ret->kernel = kernel;
	ret->several = kernel && spec_is_pattern(point);
	if (point->match == SPEC_REGEX && kernel)
		return err_set(e, EOPNOTSUPP, "'%.100s': functions of the kernel are followed by a name, a wildcard, "
			       "[MODULE] or a source file, not by a regular expression", text);
	if ((point->match != SPEC_EXACT && !ret->several) || ret->spec.measure != SPEC_DEFAULT)
		return err_set(e, EINVAL, "'%.100s' has to be one function, by its name, with nothing but a "
			       "/condition/%s", text, kernel ? "" : "; wildcards are for functions of the kernel, k:");
	if (!late)
		return 0;
	ret->when = point->when;
	r = condition_check(&point->when, false, e);
	memset(&point->when, 0, sizeof(point->when));
	return r;
}

/* Notes of which module the function of W is, whose calls are told when they begin. */
static void wish_note_symbol(struct branch_wish *w)
{
	kernel_functions found = { 0 };

	if (find_kernel_functions(KALLSYMS_PATH, &w->spec.point[0], &found, NULL) > 0)
		(void)kernel_function_symbol(&found.v[0], w->symbol);
	vec_free(&found);
}

/* The probe of W, now that it is known HOW what O asks for is followed. */
static int wish_settle(struct branch_wish *w, enum branch_way how, const struct options *o, struct err *e)
{
	const uint32_t depth = o->depth ? o->depth : GRAPH_DEPTH;
	struct spec_point *point = &w->spec.point[0];
	char text[SPEC_TEXT_MAX];

	if (!w->kernel && how == BRANCHES_GRAPH)
		return err_set(e, EOPNOTSUPP, "--how graph is about functions of the kernel: '%.100s' is followed by "
			       "--how step", spec_text(&w->spec, text));
	if (w->several && how == BRANCHES_STEP)
		return err_set(e, EOPNOTSUPP, "--how step is about one function: '%.100s' may be several, which are "
			       "followed by --how graph", spec_text(&w->spec, text));
	point->kind = w->kernel ? PROBE_KPROBE : PROBE_ENTRY;
	if (w->kernel && !w->several && o->branch_entry)
		wish_note_symbol(w);
	/* Where a call begins there is one place, without more. */
	if (how == BRANCHES_GRAPH || !o->branch_entry)
		point->match = how == BRANCHES_GRAPH ? SPEC_GRAPH : SPEC_BRANCHES;
	point->number = how == BRANCHES_GRAPH && !w->several ? depth : 0;
	w->probe = strdup(spec_text(&w->spec, text));
	return w->probe ? 0 : err_nomem(e, "functions");
}

/* The cheapest way that there is for W. */
static enum branch_way wishes_choose(const branch_wishes *w, enum branch_way asked)
{
	if (asked != BRANCHES_AUTO)
		return asked;
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].several)
			return BRANCHES_GRAPH;
	return BRANCHES_STEP;
}

int branch_wishes_read(const struct options *o, branch_wishes *ret, enum branch_way *how, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < o->branches_of.n; i++) {
		char *text = strdup(o->branches_of.v[i]);

		for (char *from = text, *to = text; !r && from; to = from) {
			struct branch_wish *w = vec_reserve(ret, 1) ? &ret->v[ret->n] : NULL;

			while ((to = strchr(to, ',')) && !wish_ends(to))
				to++;
			if (to)
				*to = '\0';
			r = w ? wish_take(from, o, w, e) : err_nomem(e, "functions");
			ret->n += !r;
			from = to ? to + 1 : NULL;
		}
		free(text);
		r = !text ? err_nomem(e, "functions") : r;
	}
	*how = wishes_choose(ret, (enum branch_way)o->how);
	for (size_t i = 0; !r && i < ret->n; i++)
		r = ret->v[i].probe ? 0 : wish_settle(&ret->v[i], *how, o, e);
	return r;
}

void branch_wishes_free(branch_wishes *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].probe);
	vec_free(w);
}

int branch_condition_read(const char *text, struct spec_expr *ret, struct err *e)
{
	char probe[SPEC_TEXT_MAX];
	struct spec s;
	int r;

	if (text_format(probe, sizeof(probe), "call:x:x /%s/", text) >= sizeof(probe) - 1)
		return err_set(e, E2BIG, "the condition is too long");
	r = spec_parse(probe, &s, e);
	if (r)
		return err_prefix(e, "--part '%.100s'", text);
	*ret = s.point[0].when;
	return condition_check(ret, false, e);
}

/* ---- evaluation ---- */

/*
 * Argument AT of PROBE, which is VALUE in its register, as a number. Where nothing says how large it is, a negative
 * number of 32 bits is taken for one.
 */
static int64_t condition_number(uint32_t probe, unsigned int at, uint64_t value)
{
	const struct probe_param p = probe_param_get(probe, at);
	const unsigned int bits = 8u * p.size;

	if (!bits || (bits == WORD_BITS && !p.is_signed && !p.is_pointer))
		return value >> 31 == 1 ? (int32_t)(uint32_t)value : (int64_t)value;
	if (bits >= WORD_BITS)
		return (int64_t)value;
	value <<= WORD_BITS - bits;
	return p.is_signed ? (int64_t)value >> (WORD_BITS - bits) : (int64_t)(value >> (WORD_BITS - bits));
}

/* Which argument of PROBE is called NAME; BRANCH_ARGS = none is. */
static unsigned int condition_named(uint32_t probe, const char *name)
{
	unsigned int i = 0;

	while (i < BRANCH_ARGS && strcmp(probe_param_get(probe, i).name, name))
		i++;
	return i;
}

static bool condition_look(void *ctx, const struct spec_expr *x, const struct spec_step *step, bool text,
			   int64_t *ret, const char **ret_text)
{
	const struct branch_call *call = ctx;
	unsigned int at = BRANCH_ARGS;

	switch (step->op) {
	case SPEC_COMM:
		*ret_text = call->comm;
		return text;
	case SPEC_ARG:
		at = (unsigned int)step->value;
		break;
	case SPEC_PATH:
		at = condition_named(call->probe, x->pool + step->value);
		break;
	case SPEC_RETVAL:
		*ret = condition_number(call->probe, BRANCH_ARGS, call->result);
		return !text && call->end == BRANCH_RETURNED;
	case SPEC_LATENCY:
		*ret = (int64_t)(call->ended_ns - call->begun_ns);
		return !text;
	case SPEC_PID:
		*ret = call->pid;
		return !text;
	case SPEC_TID:
		*ret = call->tid;
		return !text;
	default:
		return false;
	}
	if (text || at >= BRANCH_ARGS)
		return false;
	*ret = condition_number(call->probe, at, call->arg[at]);
	return true;
}

enum branch_verdict branch_condition_of(const struct spec_expr *x, const struct branch_call *call)
{
	int64_t value = 1;

	if (x->n && !spec_eval(x, condition_look, (void *)(uintptr_t)call, &value))
		return VERDICT_UNKNOWN;
	return value ? VERDICT_YES : VERDICT_NO;
}
