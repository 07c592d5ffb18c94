/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jsonwaits.c - the members of sberf's own JSON for waits and for the view by node
 * (docs/json-format.md).
 */
#include "config.h"

#include "export/json.h"

#include <string.h>

static const char *const level_names[] = {
	[WAIT_LEVEL_ALL] = "all", [WAIT_LEVEL_NODE] = "node", [WAIT_LEVEL_CLASS] = "class", [WAIT_LEVEL_CALL] = "call",
	[WAIT_LEVEL_STACK] = "stack", [WAIT_LEVEL_WAKER] = "waker",
};

json_t *json_length_ns(double ns)
{
	return jsonout_u64(ns < 9e18 ? (uint64_t)ns : INT64_MAX);
}

json_t *json_lengths(struct jsonout *j, const uint64_t hist[WAIT_BUCKETS])
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < WAIT_BUCKETS; i++)
		if (hist[i])
			jsonout_append(j, list, json_pack("[o, o]", jsonout_u64(wait_bucket_from_ns(i)),
							  jsonout_u64(hist[i])));
	return list;
}

static void set_call(struct jsonout *j, json_t *o, uint32_t call, const char *arch)
{
	char name[CALL_NAME_MAX];

	if (call != CALL_NONE)
		jsonout_set(j, o, "call", jsonout_string(call_name(call, arch, name)));
}

/* By name, in the order of their numbers. */
static json_t *jsonwaits_states(struct jsonout *j, uint16_t states)
{
	json_t *list = json_array();

	for (unsigned int state = WAIT_NONE + 1; state < WAIT_STATE_NR; state++)
		if (states >> state & 1)
			jsonout_append(j, list, json_string(wait_state_name((enum wait_state)state)));
	return list;
}

static json_t *wait_piece(struct jsonout *j, const struct waits *w, uint32_t i)
{
	const struct wait_row *r = &w->row[i];
	char label[LABEL_MAX];
	json_t *o = json_object();

	jsonout_set(j, o, "parent", r->parent == NODE_NONE ? json_null() : jsonout_u64(r->parent));
	jsonout_set(j, o, "level", json_string(level_names[r->level]));
	jsonout_set(j, o, "name", jsonout_string(wait_row_label(w, i, label, sizeof(label))));
	if (r->level >= WAIT_LEVEL_NODE && w->query.by_node)
		jsonout_set(j, o, "node", r->node < NODES_MAX ? jsonout_u64(r->node) : json_null());
	if (r->level >= WAIT_LEVEL_CLASS)
		jsonout_set(j, o, "class", json_string(wait_class_name(r->class)));
	if (r->level >= WAIT_LEVEL_CALL)
		set_call(j, o, r->call, w->query.arch);
	if (r->level >= WAIT_LEVEL_CALL && r->group)
		jsonout_set(j, o, "group", jsonout_string(strtab_get(dict_strings(w->dict), r->group)));
	if (r->level >= WAIT_LEVEL_STACK && r->thread != ID_NONE)
		jsonout_set(j, o, "thread", jsonout_u64(r->thread));
	if (r->level == WAIT_LEVEL_WAKER)
		jsonout_set(j, o, "waker", json_string(waker_context_name(r->context)));
	if (r->level == WAIT_LEVEL_WAKER && r->stack != STACK_ROOT)
		jsonout_set(j, o, "waker_stack", jsonout_string(wait_stack_label(w, r->stack, label, sizeof(label))));
	jsonout_set(j, o, "states", jsonwaits_states(j, r->states));
	jsonout_set(j, o, "total_ns", jsonout_u64(r->total_ns));
	jsonout_set_some(j, o, "runnable_ns", r->runnable_ns);
	jsonout_set_some(j, o, "blocked_ns", r->blocked_ns);
	jsonout_set_some(j, o, "open_ns", r->open_ns);
	jsonout_set_some(j, o, "estimated_ns", r->doubt_ns);
	jsonout_set(j, o, "count", jsonout_u64(r->count));
	jsonout_set(j, o, "threads", jsonout_u64(r->threads));
	jsonout_set(j, o, "longest_ns", json_length_ns(r->longest_ns));
	jsonout_set(j, o, "lengths", json_lengths(j, r->hist));
	return o;
}

static json_t *open_piece(struct jsonout *j, const struct waits *w, const struct wait_open *x)
{
	char label[LABEL_MAX];
	json_t *o = json_pack("{s:o, s:s}", "thread", jsonout_u64(x->thread), "state", wait_state_name(x->state));

	set_call(j, o, x->call, w->query.arch);
	jsonout_set(j, o, "waited_ns", json_length_ns(x->waited_ns));
	jsonout_set(j, o, "began_earlier", json_boolean(x->flags & EVENT_F_EARLIER));
	jsonout_set(j, o, "idle", json_boolean(x->idling));
	jsonout_set(j, o, "stack", jsonout_string(wait_stack_label(w, x->stack, label, sizeof(label))));
	return o;
}

void json_put_waits(struct jsonout *j, const struct waits *w)
{
	jsonout_begin(j, "waits", '[');
	for (uint32_t i = 0; i < w->n; i++)
		jsonout_put(j, NULL, wait_piece(j, w, i));
	jsonout_end(j, ']');
	jsonout_begin(j, "open_waits", '[');
	for (uint32_t i = 0; i < w->nr_open; i++)
		jsonout_put(j, NULL, open_piece(j, w, &w->open[i]));
	jsonout_end(j, ']');
}

static json_t *accesses_piece(struct jsonout *j, const struct numa_accesses *a)
{
	json_t *o = json_object();

	jsonout_set(j, o, "near_ns", jsonout_u64(a->near_ns));
	jsonout_set(j, o, "far_ns", jsonout_u64(a->far_ns));
	jsonout_set(j, o, "near_samples", jsonout_u64(a->near_count));
	jsonout_set(j, o, "far_samples", jsonout_u64(a->far_count));
	return o;
}

static json_t *jsonwaits_node_piece(struct jsonout *j, const struct numa_node_row *r)
{
	json_t *o = json_pack("{s:i}", "node", (int)r->id);

	if (r->node) {
		jsonout_set(j, o, "cpus", jsonout_text(r->node->cpus, strnlen(r->node->cpus, sizeof(r->node->cpus))));
		jsonout_set(j, o, "memory_bytes", jsonout_u64(r->node->size_bytes));
		jsonout_set(j, o, "free_bytes", jsonout_u64(r->node->free_bytes));
	}
	jsonout_set(j, o, "running_ns", jsonout_u64(r->running_ns));
	jsonout_set(j, o, "runnable_ns", jsonout_u64(r->runnable_ns));
	jsonout_set(j, o, "blocked_ns", jsonout_u64(r->blocked_ns));
	jsonout_set(j, o, "resident_bytes", jsonout_u64(r->resident_bytes));
	jsonout_set(j, o, "faults", jsonout_u64(r->faults));
	jsonout_set(j, o, "fault_samples", jsonout_u64(r->fault_samples));
	jsonout_set(j, o, "migrations_in", jsonout_u64(r->moves_in));
	jsonout_set(j, o, "migrations_out", jsonout_u64(r->moves_out));
	jsonout_set(j, o, "accesses_from", accesses_piece(j, &r->from));
	jsonout_set(j, o, "accesses_to", accesses_piece(j, &r->to));
	return o;
}

void json_put_nodes(struct jsonout *j, const struct numa_view *v)
{
	jsonout_begin(j, "nodes", '[');
	for (uint32_t i = 0; i < v->nr_nodes; i++)
		jsonout_put(j, NULL, jsonwaits_node_piece(j, &v->node[i]));
	jsonout_end(j, ']');
	jsonout_begin(j, "accesses", '[');
	for (uint32_t i = 0; i < v->nr_nodes * v->nr_nodes; i++) {
		const struct numa_cell *c = &v->cell[i];

		if (c->count)
			jsonout_put(j, NULL, json_pack("{s:i, s:i, s:o, s:o}", "from",
						       (int)v->node[i / v->nr_nodes].id, "to",
						       (int)v->node[i % v->nr_nodes].id, "ns",
						       jsonout_u64(c->ns), "samples", jsonout_u64(c->count)));
	}
	jsonout_end(j, ']');
}
