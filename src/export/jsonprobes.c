/* SPDX-License-Identifier: BSD-2-Clause */
/* jsonprobes.c - the member of sberf's own JSON for probes (docs/json-format.md). */
#include "config.h"

#include "export/json.h"

/* Processes that ran without it for a time. */
static json_t *jsonprobes_unseen(struct jsonout *j, const struct probe_note *n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n->nr_unseen; i++) {
		json_t *o = json_object();

		jsonout_set(j, o, "pid", jsonout_u64(n->unseen[i].pid));
		jsonout_set(j, o, "comm", jsonout_string(n->unseen[i].comm));
		jsonout_set(j, o, "ns", jsonout_u64(n->unseen[i].ns));
		jsonout_append(j, list, o);
	}
	return list;
}

/* Times in which it was not always in place, since the capture began. */
static json_t *jsonprobes_spells(struct jsonout *j, const struct probe_report *p, const struct probe_note *n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n->nr_spells; i++) {
		const struct probe_spell *s = &n->spell[i];
		const uint64_t from = s->from_ns > p->start_ns ? s->from_ns - p->start_ns : 0;
		json_t *o = json_object();

		jsonout_set(j, o, "from_ns", jsonout_u64(from));
		jsonout_set(j, o, "to_ns", jsonout_u64(from + (s->to_ns - s->from_ns)));
		jsonout_set(j, o, "in_place_ns", jsonout_u64(s->on_ns));
		jsonout_append(j, list, o);
	}
	return list;
}

/* The values of its arguments that were seen most. */
static json_t *jsonprobes_arguments(struct jsonout *j, const struct probe_seen *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->n; i++) {
		json_t *o = json_object(), *values = json_array();

		for (uint32_t k = 0; k < s->list[i].n; k++) {
			const struct probe_value *v = &s->list[i].v[k];
			json_t *one = json_object();

			jsonout_set(j, one, "value", jsonout_string(v->text));
			jsonout_set(j, one, "hits", jsonout_u64(v->count));
			jsonout_set_some(j, one, "too_many_by_at_most", v->error);
			jsonout_append(j, values, one);
		}
		jsonout_set(j, o, "name", jsonout_string(s->list[i].name));
		jsonout_set(j, o, "hits", jsonout_u64(s->list[i].total));
		jsonout_set(j, o, "values", values);
		jsonout_append(j, list, o);
	}
	return list;
}

/* What is known of it beside its hits. */
static void jsonprobes_note(struct jsonout *j, json_t *o, const struct probe_report *p, const struct probe_note *n)
{
	jsonout_set_some(j, o, "cost_ns", n->cost_ns);
	jsonout_set_some(j, o, "places", n->places.sites);
	jsonout_set_some(j, o, "processes", n->places.processes);
	jsonout_set_some(j, o, "refused_places", n->places.failed);
	if (n->why[0] && (!n->places.sites || n->places.failed))
		jsonout_set(j, o, "not_placed", jsonout_string(n->why));
	jsonout_set_some(j, o, "open", n->open.calls);
	jsonout_set_some(j, o, "open_oldest_ns", n->open.oldest_ns);
	jsonout_set_some(j, o, "unseen_longest_ns", n->places.unseen_ns);
	jsonout_set_some(j, o, "looked_at", n->seen.looked);
	jsonout_set_some(j, o, "looked_at_for", n->seen.looked_for);
	if (n->seen.n)
		jsonout_set(j, o, "arguments", jsonprobes_arguments(j, &n->seen));
	if (n->nr_unseen)
		jsonout_set(j, o, "unseen", jsonprobes_unseen(j, n));
	if (n->nr_spells)
		jsonout_set(j, o, "not_always_in_place", jsonprobes_spells(j, p, n));
	jsonout_set_some(j, o, "lost_stacks", n->lost[PROBE_LOST_STACK]);
	jsonout_set_some(j, o, "lost_values", n->lost[PROBE_LOST_VALUE]);
	jsonout_set_some(j, o, "lost_hits", n->lost[PROBE_LOST_HIT]);
	jsonout_set_some(j, o, "lost_records", n->lost[PROBE_LOST_RECORD]);
}

static json_t *jsonprobes_piece(struct jsonout *j, const struct probe_report *p, const struct probe_row *r)
{
	char label[LABEL_MAX];
	json_t *o = json_object();

	jsonout_set(j, o, "name", jsonout_string(r->measure->name));
	jsonout_set(j, o, "hits", jsonout_u64(r->hits));
	jsonout_set_some(j, o, "dropped", r->others);
	jsonprobes_note(j, o, p, &r->note);
	if (r->timed)
		jsonout_set(j, o, "total_ns", jsonout_u64(r->value));
	jsonout_set_some(j, o, "own_ns", r->note.own_ns);
	if (r->summed)
		jsonout_set(j, o, "sum", jsonout_u64(r->value));
	if (!r->timed || r->longest_thread == ID_NONE)
		return o;
	jsonout_set(j, o, "longest_ns", json_length_ns(r->longest_ns));
	jsonout_set(j, o, "longest_thread", jsonout_u64(r->longest_thread));
	jsonout_set(j, o, "longest_stack",
		    jsonout_string(probe_stack_label(p, r->longest_stack, label, sizeof(label))));
	jsonout_set(j, o, "lengths", json_lengths(j, r->hist));
	return o;
}

void json_put_probes(struct jsonout *j, const struct probe_report *p)
{
	jsonout_begin(j, "probes", '[');
	for (uint32_t i = 0; i < p->n; i++)
		jsonout_put(j, NULL, jsonprobes_piece(j, p, &p->row[i]));
	jsonout_end(j, ']');
}
