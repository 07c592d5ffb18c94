/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jsondiff.c - a difference of two profiles as JSON: its tree and its functions, each with what it took on both
 * sides, and by how much the change may be off. docs/json-format.md describes it, docs/sberf-diff.schema.json says
 * it to programs.
 */
#include "config.h"

#include "export/diff_view.h"
#include "export/json.h"

#include "base/cleanup.h"

#include <stdlib.h>

#define JSONDIFF_VERSION 1

struct jsondiff {
	struct jsonout *j;
	const struct diff *d;
	char *label;             /* NAME_BYTES_MAX + 1 */
};

static const struct measure *jsondiff_lead(const struct diff *d, int side)
{
	return measure_lead(&d->tree[side]->set);
}

/* BEFORE and AFTER as amounts of M, on each side where there is something. */
static void jsondiff_set_sides(struct jsonout *j, json_t *o, const struct measure *const m[DIFF_SIDES],
			       uint64_t before, uint64_t after)
{
	if (before)
		jsonout_set(j, o, "before", jsonout_amount(m[DIFF_BEFORE], before));
	if (after)
		jsonout_set(j, o, "after", jsonout_amount(m[DIFF_AFTER], after));
}

/* What the figure P is made of, by measures; NULL = of one. */
static json_t *jsondiff_parts(const struct jsondiff *x, const struct diff_pair *p)
{
	json_t *o;

	if (!x->d->parted)
		return NULL;
	o = json_object();
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_column(&x->d->tree[DIFF_AFTER]->set, place);
		const struct measure *const both[DIFF_SIDES] = { m, m };
		char key[JSON_KEY_MAX];
		json_t *part;

		if (!m || m->unit == UNIT_OWN || (!p->value[DIFF_BEFORE][place] && !p->value[DIFF_AFTER][place]))
			continue;
		part = json_object();
		jsondiff_set_sides(x->j, part, both, p->value[DIFF_BEFORE][place], p->value[DIFF_AFTER][place]);
		jsonout_set(x->j, o, json_key(m, "", key), part);
	}
	return o;
}

static json_t *jsondiff_pair(const struct jsondiff *x, const struct diff_pair *p)
{
	const struct measure *const lead[DIFF_SIDES] = {
		jsondiff_lead(x->d, DIFF_BEFORE), jsondiff_lead(x->d, DIFF_AFTER),
	};
	const struct diff_change c = diff_judge(x->d, p);
	json_t *o = json_object(), *parts = jsondiff_parts(x, p);

	jsondiff_set_sides(x->j, o, lead, p->ns[DIFF_BEFORE], p->ns[DIFF_AFTER]);
	jsonout_set(x->j, o, "share_before", json_real(c.before));
	jsonout_set(x->j, o, "share_after", json_real(c.after));
	jsonout_set(x->j, o, "change", json_real(c.change));
	jsonout_set(x->j, o, "error", json_real(DIFF_Z * c.sigma));
	if (diff_is_noise(&c))
		jsonout_set(x->j, o, "by_chance", json_true());
	if (parts)
		jsonout_set(x->j, o, "parts", parts);
	return o;
}

static bool jsondiff_is_nothing(const struct diff_pair *p)
{
	return !p->ns[DIFF_BEFORE] && !p->ns[DIFF_AFTER];
}

/* What nodes and functions both have. */
static json_t *jsondiff_piece(const struct jsondiff *x, uint32_t what, const struct diff_pair *self,
			      const struct diff_pair *total)
{
	json_t *o = json_object();

	jsonout_set(x->j, o, "name", jsonout_string(diff_label(x->d, what, x->label, NAME_BYTES_MAX + 1)));
	if (!jsondiff_is_nothing(self))
		jsonout_set(x->j, o, "self", jsondiff_pair(x, self));
	jsonout_set(x->j, o, "total", jsondiff_pair(x, total));
	return o;
}

static const char *jsondiff_kind(uint8_t kind)
{
	static const char *const kinds[] = {
		[NODE_ROOT] = "all", [NODE_GROUP] = "group", [NODE_NUMA] = "node", [NODE_IDLE] = "idle",
		[NODE_SPAN] = "span", [NODE_HOLDER] = "holder", [NODE_FUNC] = "function", [NODE_ADDR] = "address",
	};

	return kinds[kind];
}

static void jsondiff_put_tree(const struct jsondiff *x)
{
	jsonout_begin(x->j, "tree", '[');
	for (uint32_t i = 0; i < x->d->n; i++) {
		const struct diff_node *n = &x->d->node[i];
		json_t *o = jsondiff_piece(x, n->what, &n->self, &n->total);

		jsonout_set(x->j, o, "parent", n->parent == NODE_NONE ? json_null() : jsonout_u64(n->parent));
		jsonout_set(x->j, o, "kind", json_string(jsondiff_kind(n->kind)));
		if (n->inlined)
			jsonout_set(x->j, o, "inlined", json_true());
		jsonout_put(x->j, NULL, o);
	}
	jsonout_end(x->j, ']');
}

/* Those of a tree whose leaves are at its root are not known. */
static int jsondiff_put_functions(const struct jsondiff *x, struct err *e)
{
	AUTO_FREE struct diff_func *f = NULL;
	size_t n = 0;
	int r = x->d->tree[DIFF_AFTER]->query.inverted ? 0 : diff_functions(x->d, &f, &n, e);

	if (r < 0)
		return r;
	jsonout_begin(x->j, "functions", '[');
	for (size_t i = 0; i < n; i++)
		jsonout_put(x->j, NULL, jsondiff_piece(x, f[i].what, &f[i].self, &f[i].total));
	jsonout_end(x->j, ']');
	return 0;
}

/* What SIDE is, and how much of it there is. */
static void jsondiff_put_side(const struct jsondiff *x, const struct diff_view *v, int side)
{
	const struct tree *t = x->d->tree[side];
	json_t *o = json_object();

	jsonout_set(x->j, o, "name", jsonout_string(v->name[side]));
	jsonout_set(x->j, o, "called", jsonout_string(diff_view_head(v, side)));
	jsonout_set_some(x->j, o, "recorded_ns", v->wall_ns[side]);
	jsonout_set(x->j, o, "count", jsonout_u64(t->node[0].count));
	jsonout_set(x->j, o, "total", jsonout_amount(jsondiff_lead(x->d, side), x->d->node[0].total.ns[side]));
	if (x->d->norm == DIFF_BY_CALL)
		jsonout_set(x->j, o, "calls", jsonout_u64(x->d->calls[side]));
	jsonout_put(x->j, side == DIFF_BEFORE ? "before" : "after", o);
}

int export_diff_json(FILE *out, const struct diff_view *v, struct err *e)
{
	static const char *const wholes[] = {
		[DIFF_BY_TOTAL] = "total", [DIFF_BY_WALL] = "recorded", [DIFF_BY_NONE] = "total_before",
		[DIFF_BY_CALL] = "call_after",
	};
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);
	struct jsonout j = { .o.file = out };
	const struct jsondiff x = { .j = &j, .d = v->diff, .label = label };
	const struct measure *lead = jsondiff_lead(v->diff, DIFF_AFTER);
	int r;

	if (!label)
		return err_nomem(e, "the difference as JSON");
	jsonout_begin(&j, NULL, '{');
	jsonout_put(&j, "format", json_string("sberf-diff"));
	jsonout_put(&j, "version", json_integer(JSONDIFF_VERSION));
	jsonout_put(&j, "unit", json_string(lead->unit == UNIT_OWN ? "own" : measure_unit_name(lead->unit)));
	jsonout_put(&j, "measure", jsonout_string(lead->name));
	jsonout_put(&j, "share_of", json_string(wholes[v->diff->norm]));
	for (int side = 0; side < DIFF_SIDES; side++)
		jsondiff_put_side(&x, v, side);
	r = jsondiff_put_functions(&x, e);
	if (r < 0)
		return r;
	jsondiff_put_tree(&x);
	jsonout_end(&j, '}');
	return jsonout_finish(&j, "the difference as JSON", e);
}
