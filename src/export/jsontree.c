/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jsontree.c - the members of sberf's own JSON for functions and for the call tree
 * (docs/json-format.md).
 */
#include "config.h"

#include "export/json.h"

#include "base/cleanup.h"
#include "query/funcs.h"
#include "query/spanfilter.h"

#include <stdlib.h>

struct writer {
	struct jsonout *j;
	const struct tree *t;
	struct funcs *funcs;
	char *label;             /* NAME_BYTES_MAX + 1 */
	const struct measure *lead;
	/*
	 * Of each place, what it has and what that is called, itself and in total; NULL = nothing,
	 * or what an import counts.
	 */
	struct {
		const struct measure *m;
		char self[JSON_KEY_MAX], total[JSON_KEY_MAX];
	} column[MEASURES_ASKED];
};

static void jsontree_name_columns(struct writer *w)
{
	w->lead = measure_lead(&w->t->set);
	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_column(&w->t->set, place);

		if (!m || m->unit == UNIT_OWN)
			continue;
		w->column[place].m = m;
		json_key(m, "self_", w->column[place].self);
		json_key(m, "", w->column[place].total);
	}
}

static const char *label_of(const struct writer *w, uint32_t node)
{
	return tree_label(w->t, node, w->label, NAME_BYTES_MAX + 1);
}

/* What nodes and functions both have: what is theirs and their total, and what these are made of. */
static void set_amounts(const struct writer *w, json_t *o, const struct tree_parts *self, uint64_t total_ns,
			const uint64_t total[MEASURES_ASKED])
{
	const bool time = w->lead->unit == UNIT_TIME;

	jsonout_set(w->j, o, time ? "self_ns" : "self", jsonout_amount(w->lead, tree_parts_sum(w->t, self)));
	jsonout_set(w->j, o, time ? "total_ns" : "total", jsonout_amount(w->lead, total_ns));
	for (unsigned int i = 0; i < MEASURES_ASKED; i++)
		if (w->column[i].m && total[i])
			jsonout_set(w->j, o, w->column[i].total, jsonout_amount(w->column[i].m, total[i]));
	for (unsigned int i = 0; i < MEASURES_ASKED; i++)
		if (w->column[i].m && self->ns[i])
			jsonout_set(w->j, o, w->column[i].self, jsonout_amount(w->column[i].m, self->ns[i]));
}

static const char *jsontree_func_kind(const struct tree *t, uint32_t node, const struct module *m)
{
	static const char *const kinds[] = {
		[FUNC_USER] = "user", [FUNC_KERNEL] = "kernel", [FUNC_JIT] = "jit", [FUNC_NOTE] = "note",
		[FUNC_SCRIPT] = "script",
	};
	const struct tree_node *n = &t->node[node];

	if (n->kind == NODE_FUNC)
		return kinds[names_func(t->names, n->func)->kind];
	switch (m ? m->kind : MODULE_NOTE) {
	case MODULE_KERNEL:
		return "kernel";
	case MODULE_ANON:
		return "jit";
	case MODULE_NOTE:
		return "note";
	case MODULE_SCRIPT:
		return "script";
	default:
		return "user";
	}
}

/* Where in its module: of a function where it begins, if that is known. */
static void jsontree_set_place(struct jsonout *j, json_t *o, const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	const struct func *f = n->kind == NODE_FUNC ? names_func(t->names, n->func) : NULL;

	if (f && f->size) {
		jsonout_set(j, o, "offset", jsonout_u64(f->start));
		jsonout_set(j, o, "size", jsonout_u64(f->size));
	} else if (!f) {
		jsonout_set(j, o, "offset", jsonout_u64(dict_get_frame(t->dict, n->frame)->offset));
	}
}

static json_t *func_piece(const struct writer *w, const struct func_row *f)
{
	const struct tree *t = w->t;
	struct jsonout *j = w->j;
	module_id id;
	const struct module *m = tree_module(t, f->heaviest, &id);
	json_t *o = json_object();
	uint32_t line;
	const char *file = tree_source(t, f->heaviest, &line);

	jsonout_set(j, o, "name", jsonout_string(label_of(w, f->heaviest)));
	jsonout_set(j, o, "kind", json_string(jsontree_func_kind(t, f->heaviest, m)));
	if (m)
		jsonout_set(j, o, "module", jsonout_u64(id));
	if (m && m->kind != MODULE_NOTE)
		jsontree_set_place(j, o, t, f->heaviest);
	if (file[0])
		jsonout_set(j, o, "file", jsonout_string(file));
	set_amounts(w, o, &f->self, tree_parts_sum(w->t, &f->total), f->total.ns);
	jsonout_set(j, o, "count", jsonout_u64(f->total_count));
	return o;
}

/* What NODE is: a function by its index, or by words what is none. */
static void set_what(const struct writer *w, json_t *o, uint32_t node)
{
	static const char *const kinds[] = {
		[NODE_ROOT] = "all", [NODE_GROUP] = "group", [NODE_NUMA] = "node", [NODE_IDLE] = "idle",
		[NODE_SPAN] = "span", [NODE_HOLDER] = "holder",
	};
	const struct tree_node *n = &w->t->node[node];
	struct jsonout *j = w->j;
	uint32_t line;

	if (w->funcs->of[node] != NODE_NONE) {
		jsonout_set(j, o, "function", jsonout_u64(w->funcs->of[node]));
		tree_source(w->t, node, &line);
		jsonout_set_some(j, o, "line", line);
		if (n->inlined)
			jsonout_set(j, o, "inlined", json_true());
		if (tree_no_table(w->t, node))
			jsonout_set(j, o, "no_table", json_true());
		return;
	}
	jsonout_set(j, o, "kind", json_string(kinds[n->kind]));
	jsonout_set(j, o, "name", jsonout_string(label_of(w, node)));
	if (n->kind == NODE_GROUP)
		jsonout_set(j, o, "thread", jsonout_u64(n->thread));
	else if (n->kind == NODE_NUMA)
		jsonout_set(j, o, "node", n->frame < NODES_MAX ? jsonout_u64(n->frame) : json_null());
	else if (n->kind == NODE_SPAN)
		jsonout_set(j, o, "inside", n->frame == SPAN_PLACE_NOT_KNOWN ? json_null() :
			    json_boolean(n->frame == SPAN_PLACE_INSIDE));
	else if (n->kind == NODE_IDLE)
		jsonout_set(j, o, "threads", jsonout_u64(n->frame));
}

static json_t *jsontree_node_piece(const struct writer *w, uint32_t node, uint32_t parent)
{
	const struct tree_node *n = &w->t->node[node];
	struct jsonout *j = w->j;
	json_t *o = json_object();
	uint64_t value[MEASURES_ASKED];

	tree_values(w->t, node, value);
	jsonout_set(j, o, "parent", parent == NODE_NONE ? json_null() : jsonout_u64(parent));
	set_what(w, o, node);
	set_amounts(w, o, &w->funcs->self[node], n->total_ns, value);
	jsonout_set_some(j, o, "open_ns", n->open_ns);
	jsonout_set_some(j, o, "estimated_ns", n->doubt_ns);
	jsonout_set(j, o, "count", jsonout_u64(n->count));
	return o;
}

/* PLACE is by node: where it stands in the list. */
static void jsontree_put_lists(const struct writer *w, uint32_t *place)
{
	struct jsonout *j = w->j;

	jsonout_begin(j, "functions", '[');
	for (uint32_t i = 0; i < w->funcs->functions; i++)
		jsonout_put(j, NULL, func_piece(w, &w->funcs->row[i]));
	jsonout_end(j, ']');
	jsonout_begin(j, "tree", '[');
	for (uint32_t i = 0; i < w->t->n; i++) {
		const uint32_t node = w->funcs->order[i];

		place[node] = i;
		jsonout_put(j, NULL, jsontree_node_piece(w, node, i ? place[w->t->node[node].parent] : NODE_NONE));
	}
	jsonout_end(j, ']');
}

void json_put_tree(struct jsonout *j, const struct tree *t)
{
	AUTO_FREE uint32_t *place = malloc(t->n * sizeof(*place));
	AUTO_FREE char *label = malloc(NAME_BYTES_MAX + 1);
	struct writer w = { .j = j, .t = t, .label = label };

	jsontree_name_columns(&w);
	if (place && label && !funcs_build(t, FUNCS_AND_NODES, &w.funcs, NULL))
		jsontree_put_lists(&w, place);
	else
		j->no_memory = true;
	funcs_free(w.funcs);
}
