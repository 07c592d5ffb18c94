/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind.c - the text that callgrind of valgrind writes, for KCachegrind, QCachegrind and
 * callgrind_annotate: for each function, by line, what it took itself, and what each call from
 * there took with all that it called.
 *
 *	ob=(1) /usr/bin/app
 *	fl=(1) /src/app.c
 *	fn=(1) work
 *	12 800000 0 100
 *	cfn=(2) mix
 *	calls=30 0
 *	14 300000 0 0
 *
 * Numbers of calls are not known: what stands there is how many samples and waits were seen below.
 * A call that a stack has twice, as recursion does, counts once. Inlined functions are called, as
 * in every format. What is not known is "???".
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/keyed.h"
#include "base/order.h"
#include "base/strtab.h"
#include "base/text.h"
#include "export/frames.h"
#include "export/label_sums.h"
#include "export/out.h"
#include "profile/slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX        /* as a callee: what the function took itself */
#define UNKNOWN "???"

struct function {
	str_id name, file, object;
};

/* A function at a line. */
struct place {
	uint32_t function, line;
};

/* What a function took at a line, by itself or by calling. */
struct cost {
	struct place at;
	uint32_t callee;
	uint32_t stack;          /* number of the last sum that was added, from 1 on */
	uint64_t count;
	uint64_t value[MEASURES_ASKED];
};

struct callgrind {
	const struct dict *d;
	const struct names *names;
	struct stack_sums sums;
	struct frame_reader frames;
	struct strtab *texts;
	KEYED(struct function) functions;
	KEYED(struct cost) costs;
	VEC(struct place) places;        /* of frames, innermost first */
	VEC(struct place) path;          /* of the stack that is added */
	uint32_t *first;         /* by frame: of its places, plus one; 0 = not known yet */
	bool *told[3];           /* of files, objects by text, and of functions: their number has been said */
	struct out out;
};

/* The number of the function; NOBODY when out of memory. */
static uint32_t callgrind_function(struct callgrind *x, const char *name, const char *file, const char *object)
{
	const struct function f = {
		strtab_adds(x->texts, name), strtab_adds(x->texts, *file ? file : UNKNOWN),
			strtab_adds(x->texts, *object ? object : UNKNOWN),
	};

	return f.name == STR_NONE || f.file == STR_NONE || f.object == STR_NONE ? NOBODY :
		keyed_get_whole(&x->functions, &f);
}

/* Gathers the places of FRAME, whose functions are those that were inlined there and the one around them. */
static bool callgrind_add_places(struct callgrind *x, frame_id frame, const struct frame_text *t)
{
	const struct strtab *strings = dict_strings(x->d);
	char object[LABEL_MAX] = "[kernel]", file[LABEL_MAX];

	if (t->module->kind != MODULE_KERNEL)
		text_sanitise(object, sizeof(object), strtab_get(strings, t->module->path),
			      strtab_len(strings, t->module->path));
	x->first[frame] = (uint32_t)x->places.n + 1;
	for (unsigned int i = 0; i < t->n; i++) {
		const char *source = t->name ? names_text(x->names, t->name[i].file) : "";
		const char *name = frame_label(&x->frames, frame, t, i);
		struct place *p = name ? vec_push(&x->places) : NULL;

		if (!p)
			return false;
		text_sanitise(file, sizeof(file), source, strlen(source));
		*p = (struct place){ callgrind_function(x, name, file, object), t->name ? t->name[i].line : 0 };
		if (p->function == NOBODY)
			return false;
	}
	return true;
}

/* Fills the path with STACK, innermost first. */
static bool callgrind_find_path(struct callgrind *x, stack_id stack)
{
	x->path.n = 0;
	if (!frames_of(&x->frames, stack))
		return false;
	for (size_t i = 0; i < x->frames.path.n; i++) {
		const frame_id frame = x->frames.path.v[i];
		const struct frame_text t = frame_text(&x->frames, frame);

		if ((!x->first[frame] && !callgrind_add_places(x, frame, &t)) || !vec_reserve(&x->path, t.n))
			return false;
		memcpy(&x->path.v[x->path.n], &x->places.v[x->first[frame] - 1], t.n * sizeof(struct place));
		x->path.n += t.n;
	}
	return true;
}

/* Adds S, sum NR of all, to what is taken AT a place by CALLEE. */
static bool callgrind_add_cost(struct callgrind *x, const struct stack_sum *s, uint32_t nr, struct place at,
			       uint32_t callee)
{
	const struct cost want = { .at = at, .callee = callee };
	const uint32_t id = keyed_get(&x->costs, &want, stack);
	struct cost *c;

	if (id == HIDX_NONE)
		return false;
	c = &x->costs.v[id];
	if (c->stack == nr)
		return true;
	c->stack = nr;
	c->count = add_capped(c->count, s->count);
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (s->places >> place & 1)
			c->value[place] = add_capped(c->value[place],
						     measure_value(&x->sums.set, place, s->ns, s->count));
	return true;
}

/* Adds S: to the innermost function, and to each call that led there. */
static bool callgrind_add_sum(struct callgrind *x, const struct stack_sum *s, uint32_t nr)
{
	if (!callgrind_find_path(x, s->stack))
		return false;
	if (!x->path.n) {
		const struct place none = { callgrind_function(x, "[no stack]", "", ""), 0 };

		return none.function != NOBODY && callgrind_add_cost(x, s, nr, none, NOBODY);
	}
	if (!callgrind_add_cost(x, s, nr, x->path.v[0], NOBODY))
		return false;
	for (size_t i = 1; i < x->path.n; i++)
		if (!callgrind_add_cost(x, s, nr, x->path.v[i], x->path.v[i - 1].function))
			return false;
	return true;
}

static bool callgrind_add_idle(struct callgrind *x)
{
	const struct stack_sum s = { .places = 1u << TIME_BLOCKED, .count = x->sums.idle_count, .ns = x->sums.idle_ns };
	const struct place idle = { x->sums.idle_threads ? callgrind_function(x, "[idle]", "", "") : 0, 0 };

	return !x->sums.idle_threads || (idle.function != NOBODY &&
					 callgrind_add_cost(x, &s, UINT32_MAX, idle, NOBODY));
}

static int compare_costs(const void *va, const void *vb)
{
	const struct cost *a = va, *b = vb;

	if (a->at.function != b->at.function)
		return a->at.function < b->at.function ? -1 : 1;
	if (a->at.line != b->at.line)
		return a->at.line < b->at.line ? -1 : 1;
	/* What is its own comes first. */
	return compare_numbers(a->callee + 1, b->callee + 1);
}

/* "fn=(3) name"; the name only once. WHICH of x->told has the number ID. */
static void put_name(struct callgrind *x, const char *key, unsigned int which, uint32_t id, str_id text)
{
	out_format(&x->out, "%s=(%" PRIu32 ")", key, id + 1);
	if (!x->told[which][id])
		out_format(&x->out, " %s", strtab_get(x->texts, text));
	x->told[which][id] = true;
	out_text(&x->out, "\n");
}

static void callgrind_put_values(struct callgrind *x, const uint64_t value[MEASURES_ASKED])
{
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (x->sums.places >> place & 1)
			out_format(&x->out, " %" PRIu64,
				   measure_whole(measure_column(&x->sums.set, place), value[place]));
	out_text(&x->out, "\n");
}

static void callgrind_put_function(struct callgrind *x, uint32_t id)
{
	const struct function *f = &x->functions.v[id];

	out_text(&x->out, "\n");
	put_name(x, "ob", 1, f->object, f->object);
	put_name(x, "fl", 0, f->file, f->file);
	put_name(x, "fn", 2, id, f->name);
}

static void callgrind_put_call(struct callgrind *x, const struct cost *c)
{
	const struct function *to = &x->functions.v[c->callee];

	put_name(x, "cob", 1, to->object, to->object);
	put_name(x, "cfi", 0, to->file, to->file);
	put_name(x, "cfn", 2, c->callee, to->name);
	out_format(&x->out, "calls=%" PRIu64 " 0\n", c->count);
}

/* A word for each event; what an import counts may be called by several. */
static const char *event_word(const struct measure *m)
{
	return m->unit == UNIT_OWN ? "weight" : m->json;
}

static void callgrind_put_head(struct callgrind *x, const struct profile_meta *m)
{
	char target[LABEL_MAX], unit[LABEL_MAX];

	text_sanitise(target, sizeof(target), m->target, strnlen(m->target, sizeof(m->target)));
	text_sanitise(unit, sizeof(unit), m->unit, strnlen(m->unit, sizeof(m->unit)));
	out_format(&x->out, "# callgrind format\nversion: 1\ncreator: sberf %s\ncmd: %s\npositions: line\n",
		   PACKAGE_VERSION, target);
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *is = measure_column(&x->sums.set, place);

		if (x->sums.places >> place & 1)
			out_format(&x->out, "event: %s : %s%s\n", event_word(is),
				   is->unit == UNIT_OWN ? unit : is->title, is->unit == UNIT_TIME ? " (ns)" : "");
	}
	out_text(&x->out, "events:");
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (x->sums.places >> place & 1)
			out_format(&x->out, " %s", event_word(measure_column(&x->sums.set, place)));
	out_text(&x->out, "\n");
}

/* Sorted, by function. */
static void callgrind_put_costs(struct callgrind *x)
{
	uint64_t sum[MEASURES_ASKED] = { 0 };

	if (x->costs.n)
		qsort(x->costs.v, x->costs.n, sizeof(*x->costs.v), compare_costs);
	for (size_t i = 0; i < x->costs.n; i++) {
		const struct cost *c = &x->costs.v[i];

		if (!i || c->at.function != c[-1].at.function)
			callgrind_put_function(x, c->at.function);
		if (c->callee != NOBODY)
			callgrind_put_call(x, c);
		out_format(&x->out, "%" PRIu32, c->at.line);
		callgrind_put_values(x, c->value);
		for (unsigned int place = 0; place < MEASURES_ASKED && c->callee == NOBODY; place++)
			sum[place] = add_capped(sum[place], c->value[place]);
	}
	out_text(&x->out, "\ntotals:");
	callgrind_put_values(x, sum);
}

static bool callgrind_add_all(struct callgrind *x)
{
	x->texts = strtab_new();
	x->first = calloc(dict_frames(x->d) + 1ul, sizeof(*x->first));
	if (!x->texts || !x->first)
		return false;
	for (size_t i = 0; i < x->sums.v.n; i++)
		if (!callgrind_add_sum(x, &x->sums.v.v[i], (uint32_t)i + 1))
			return false;
	if (!callgrind_add_idle(x))
		return false;
	for (unsigned int i = 0; i < 3; i++) {
		x->told[i] = calloc(i < 2 ? strtab_count(x->texts) + 1ul : x->functions.n + 1, sizeof(bool));
		if (!x->told[i])
			return false;
	}
	return true;
}

static int callgrind_write(FILE *out, const struct export_view *v, struct err *e)
{
	struct callgrind x = { .d = snapshot_dict(v->snapshot), .names = v->names, .out = { .file = out } };
	int r = stack_sums_build(&x.sums, v, &v->query, e);

	x.frames = (struct frame_reader){ .d = x.d, .names = v->names, .q = &v->query };
	if (r >= 0 && !x.sums.places)
		x.sums.places = 1u << x.sums.set.first;
	if (r >= 0 && callgrind_add_all(&x)) {
		callgrind_put_head(&x, v->meta);
		callgrind_put_costs(&x);
		r = out_end(&x.out, e);
	} else if (r >= 0) {
		r = err_nomem(e, "the costs of functions");
	}
	stack_sums_free(&x.sums);
	frames_free(&x.frames);
	strtab_free(x.texts);
	keyed_free(&x.functions);
	keyed_free(&x.costs);
	vec_free(&x.places);
	vec_free(&x.path);
	free(x.first);
	for (unsigned int i = 0; i < 3; i++)
		free(x.told[i]);
	return r;
}

const struct exporter exporter_callgrind = {
	.name = "callgrind", .extensions = "callgrind",
	.about = "what callgrind of valgrind writes, for KCachegrind, QCachegrind and callgrind_annotate: functions by "
	"line, with what they took "
		"themselves and what each call from there took. Numbers of calls are not known; samples and waits "
		"stand in their place",
	.write = callgrind_write,
};
