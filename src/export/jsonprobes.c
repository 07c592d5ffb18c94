/* SPDX-License-Identifier: BSD-2-Clause */
/* jsonprobes.c - the member of sberf's own JSON for probes (docs/json-format.md). */
#include "config.h"

#include "export/json.h"

static json_t *jsonprobes_piece(struct jsonout *j, const struct probe_report *p, const struct probe_row *r)
{
	char label[LABEL_MAX];
	json_t *o = json_object();

	jsonout_set(j, o, "name", jsonout_string(r->measure->name));
	jsonout_set(j, o, "hits", jsonout_u64(r->hits));
	jsonout_set_some(j, o, "dropped", r->others);
	if (r->timed)
		jsonout_set(j, o, "total_ns", jsonout_u64(r->value));
	jsonout_set_some(j, o, "own_ns", r->own_ns);
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
