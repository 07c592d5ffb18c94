/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope.c - the file format of speedscope (file-format-schema.json of that project): frames
 * once, then for each measure a "sampled" profile, whose samples are the stacks that a tree has
 * something of its own for, weighed in its unit. What is imported and no time is weighed in numbers
 * of it, and its profile is called as they are.
 *
 * A stack is one sample however often it was seen, since the tree has sums, and samples stand in
 * the order of the tree: so speedscope's "time order" shows a flame graph. Groups are frames, as in
 * folded stacks.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "export/jsonout.h"
#include "query/funcs.h"

#include <stdlib.h>
#include <string.h>

struct speedscope {
	const struct tree *t;
	const char *unit;        /* profile_meta.unit */
	struct funcs *funcs;
	/* by node: the index of its frame; NULL = it is none. One for all nodes of a function */
	json_t **number;
	VEC(uint32_t) path;
	char *label;             /* NAME_BYTES_MAX + 1 */
	struct jsonout j;
};

/* The root says nothing where there are groups. */
static bool shows_root(const struct tree *t)
{
	return t->query.group_by == GROUP_NONE && !t->query.by_node && !t->query.by_span;
}

/* NODE as a frame. Its file is that of the source, else the binary. */
static json_t *speedscope_frame_of(struct speedscope *x, uint32_t node)
{
	const struct strtab *strings = dict_strings(x->t->dict);
	module_id id;
	const struct module *m = tree_module(x->t, node, &id);
	json_t *frame = json_object();
	uint32_t line;
	const char *file = tree_source(x->t, node, &line);

	jsonout_set(&x->j, frame, "name", jsonout_string(tree_label(x->t, node, x->label, NAME_BYTES_MAX + 1)));
	if (file[0])
		jsonout_set(&x->j, frame, "file", jsonout_string(file));
	else if (m && m->kind == MODULE_KERNEL)
		jsonout_set(&x->j, frame, "file", jsonout_string("[kernel]"));
	else if (m && strtab_len(strings, m->path))
		jsonout_set(&x->j, frame, "file", jsonout_text(strtab_get(strings, m->path),
							       strtab_len(strings, m->path)));
	if (line)
		jsonout_set(&x->j, frame, "line", jsonout_u64(line));
	return frame;
}

/* Writes all frames, and numbers them: functions first, then what else nodes stand for. */
static bool speedscope_put_frames(struct speedscope *x)
{
	AUTO_FREE json_t **of_func = calloc(x->funcs->functions + 1ul, sizeof(json_t *));
	uint32_t n = 0;

	if (!of_func)
		return false;
	jsonout_begin(&x->j, "shared", '{');
	jsonout_begin(&x->j, "frames", '[');
	for (uint32_t i = 0; i < x->funcs->functions; i++) {
		of_func[i] = jsonout_u64(n++);
		jsonout_put(&x->j, NULL, speedscope_frame_of(x, x->funcs->row[i].heaviest));
	}
	for (uint32_t i = 0; i < x->t->n; i++) {
		if (x->funcs->of[i] != NODE_NONE) {
			x->number[i] = json_incref(of_func[x->funcs->of[i]]);
		} else if (i || shows_root(x->t) || tree_parts_sum(x->t, &x->funcs->self[0])) {
			x->number[i] = jsonout_u64(n++);
			jsonout_put(&x->j, NULL,
				    i || shows_root(x->t) ? speedscope_frame_of(x, i) :
				    json_pack("{s:s}", "name", "(other)"));
		}
	}
	for (uint32_t i = 0; i < x->funcs->functions; i++)
		json_decref(of_func[i]);
	jsonout_end(&x->j, ']');
	jsonout_end(&x->j, '}');
	return true;
}

/* The frames from the outermost to NODE; NULL when out of memory. */
static json_t *speedscope_stack_of(struct speedscope *x, uint32_t node)
{
	json_t *stack = json_array();

	x->path.n = 0;
	for (uint32_t at = node; at || shows_root(x->t) || at == node; at = x->t->node[at].parent) {
		uint32_t *slot = vec_push(&x->path);

		if (!slot) {
			json_decref(stack);
			return NULL;
		}
		*slot = at;
		if (!at)
			break;
	}
	while (x->path.n)
		jsonout_append(&x->j, stack, json_incref(x->number[x->path.v[--x->path.n]]));
	return stack;
}

/* What weights of M are, as speedscope knows it. */
static const char *unit_of(const struct measure *m)
{
	static const char *const units[UNIT_NR] = {
		[UNIT_TIME] = "nanoseconds", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "none", [UNIT_OWN] = "none",
	};

	return units[m->unit];
}

/* One profile: what each node has of the measure in PLACE for itself. */
static void speedscope_put_profile(struct speedscope *x, unsigned int place)
{
	const struct measure *m = measure_column(&x->t->set, place);
	const uint64_t all = tree_value(x->t, 0, place);

	jsonout_begin(&x->j, NULL, '{');
	jsonout_put(&x->j, "type", json_string("sampled"));
	jsonout_put(&x->j, "name", jsonout_string(m->unit == UNIT_OWN ? x->unit : m->title));
	jsonout_put(&x->j, "unit", json_string(unit_of(m)));
	jsonout_put(&x->j, "startValue", json_integer(0));
	jsonout_put(&x->j, "endValue", jsonout_amount(m, all));
	jsonout_begin(&x->j, "samples", '[');
	for (uint32_t i = 0; i < x->t->n; i++)
		if (x->funcs->self[x->funcs->order[i]].ns[place])
			jsonout_put(&x->j, NULL, speedscope_stack_of(x, x->funcs->order[i]));
	jsonout_end(&x->j, ']');
	jsonout_begin(&x->j, "weights", '[');
	for (uint32_t i = 0; i < x->t->n; i++)
		if (x->funcs->self[x->funcs->order[i]].ns[place])
			jsonout_put(&x->j, NULL, jsonout_amount(m, x->funcs->self[x->funcs->order[i]].ns[place]));
	jsonout_end(&x->j, ']');
	jsonout_end(&x->j, '}');
}

static void put_profiles(struct speedscope *x)
{
	bool any = false;

	jsonout_begin(&x->j, "profiles", '[');
	for (unsigned int i = 0; i < MEASURES_ASKED; i++) {
		const unsigned int place = measure_place_shown(i);

		if (!tree_value(x->t, 0, place))
			continue;
		speedscope_put_profile(x, place);
		any = true;
	}
	/* A file without a profile is refused. */
	if (!any)
		speedscope_put_profile(x, measure_column(&x->t->set, 0) ? 0 : x->t->set.first);
	jsonout_end(&x->j, ']');
}

static bool speedscope_put_all(struct speedscope *x, const struct profile_meta *m)
{
	jsonout_begin(&x->j, NULL, '{');
	jsonout_put(&x->j, "$schema", json_string("https://www.speedscope.app/file-format-schema.json"));
	jsonout_put(&x->j, "exporter", jsonout_string("sberf " PACKAGE_VERSION));
	jsonout_put(&x->j, "name", jsonout_text(m->target, strnlen(m->target, sizeof(m->target))));
	jsonout_put(&x->j, "activeProfileIndex", json_integer(0));
	if (!speedscope_put_frames(x))
		return false;
	put_profiles(x);
	jsonout_end(&x->j, '}');
	return true;
}

static int speedscope_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	struct speedscope x = {
		.t = t, .unit = v->meta->unit, .number = calloc(t->n, sizeof(json_t *)),
			.label = malloc(NAME_BYTES_MAX + 1), .j.o.file = out,
	};

	if (!x.number || !x.label || funcs_build(t, FUNCS_AND_NODES, &x.funcs, NULL) ||
	    !speedscope_put_all(&x, v->meta))
		x.j.no_memory = true;
	for (uint32_t i = 0; x.number && i < t->n; i++)
		json_decref(x.number[i]);
	free(x.number);
	free(x.label);
	funcs_free(x.funcs);
	vec_free(&x.path);
	return jsonout_finish(&x.j, "the speedscope profile", e);
}

const struct exporter exporter_speedscope = {
	.name = "speedscope", .extensions = "speedscope.json",
	.about = "the JSON of the viewer of this name: profiles of on-CPU, blocked and runnable time. What is "
		"imported and is not time is a count",
	.reads = EXPORT_TREE, .group_by = GROUP_COMM,
	.takes = EXPORT_TAKES_INVERTED,
	.write = speedscope_write,
};
