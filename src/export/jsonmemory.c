/* SPDX-License-Identifier: BSD-2-Clause */
/* jsonmemory.c - the member of sberf's own JSON for sites that allocate memory (docs/json-format.md). */
#include "config.h"

#include "export/json.h"

/* Triples of a power of two: where it begins, blocks, their bytes. */
static json_t *jsonmemory_powers(struct jsonout *j, const struct leak_amount hist[OCTAVE_POWERS])
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < OCTAVE_POWERS; p++)
		if (hist[p].blocks)
			jsonout_append(j, list, json_pack("[o, o, o]", jsonout_u64(p ? (uint64_t)1 << (p - 1) : 0),
							  jsonout_u64(hist[p].blocks), jsonout_u64(hist[p].bytes)));
	return list;
}

static json_t *jsonmemory_threads(struct jsonout *j, const struct leak_site *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->threads && i < LEAK_THREADS; i++) {
		json_t *o = json_object();

		jsonout_set(j, o, "thread", jsonout_u64(r->thread[i].thread));
		jsonout_set(j, o, r->grown ? "grown_bytes" : "allocated_bytes", jsonout_u64(r->thread[i].allocated));
		jsonout_set_some(j, o, "in_use_bytes", r->thread[i].in_use);
		jsonout_append(j, list, o);
	}
	return list;
}

static void jsonmemory_set_sums(struct jsonout *j, json_t *o, const struct leak_site *r)
{
	if (r->grown) {
		jsonout_set(j, o, "grown_bytes", jsonout_u64(r->allocated));
		jsonout_set_some(j, o, "grown_error_bytes", (uint64_t)r->allocated_error);
		jsonout_set_some(j, o, "returned_bytes", r->freed);
		jsonout_set(j, o, "growth_bytes_a_second", json_real(r->growth.per_s));
		jsonout_set(j, o, "growth_error_bytes_a_second", json_real(r->growth.error));
		jsonout_set(j, o, "sizes", jsonmemory_powers(j, r->sizes));
		return;
	}
	jsonout_set(j, o, "allocated_bytes", jsonout_u64(r->allocated));
	jsonout_set_some(j, o, "allocated_error_bytes", (uint64_t)r->allocated_error);
	jsonout_set(j, o, "allocated_blocks", jsonout_u64(r->allocated_blocks));
	jsonout_set(j, o, "sizes", jsonmemory_powers(j, r->sizes));
	if (r->unfollowed)
		return;
	jsonout_set(j, o, "in_use_bytes", jsonout_u64(r->in_use));
	jsonout_set_some(j, o, "in_use_error_bytes", (uint64_t)r->error);
	jsonout_set(j, o, "in_use_blocks", jsonout_u64(r->blocks));
	jsonout_set_some(j, o, "leaked_bytes", r->leaked);
	jsonout_set_some(j, o, "temporary_bytes", r->temporary);
	jsonout_set(j, o, "freed_bytes", jsonout_u64(r->freed));
	jsonout_set(j, o, "freed_blocks", jsonout_u64(r->freed_blocks));
	jsonout_set(j, o, "churn_bytes_a_second", jsonout_u64(leak_churn(r)));
	jsonout_set(j, o, "growth_bytes_a_second", json_real(r->growth.per_s));
	jsonout_set(j, o, "growth_error_bytes_a_second", json_real(r->growth.error));
	jsonout_set(j, o, "ages_ms", jsonmemory_powers(j, r->ages));
	jsonout_set(j, o, "lives_ms", jsonmemory_powers(j, r->lives));
}

static json_t *jsonmemory_site(struct jsonout *j, const struct leaks *l, const struct leak_site *r)
{
	char label[LABEL_MAX], verdict[LEAK_VERDICT_MAX];
	json_t *o = json_object();

	jsonout_set(j, o, "name", jsonout_string(leak_label(l, r, label, sizeof(label))));
	jsonmemory_set_sums(j, o, r);
	if (!r->unfollowed)
		jsonout_set(j, o, "verdict", jsonout_string(leak_verdict(r, verdict)));
	jsonout_set(j, o, "threads", jsonmemory_threads(j, r));
	jsonout_set(j, o, "threads_in_all", jsonout_u64(r->threads));
	return o;
}

/* Those that are known, by name. */
static json_t *jsonmemory_sizes(struct jsonout *j, const struct memory_sizes *s)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < SIZE_NR; i++)
		if (s->known >> i & 1)
			jsonout_set(j, o, memory_size_word(i)->name, jsonout_u64(s->bytes[i]));
	return o;
}

static void jsonmemory_put_history(struct jsonout *j, const struct memory_history *h)
{
	jsonout_begin(j, "sizes", '[');
	for (size_t i = 0; i < h->moment.n; i++) {
		const struct sizes_moment *m = &h->moment.v[i];
		json_t *o = json_object();

		jsonout_set(j, o, "from_ns", jsonout_u64(m->from_ns));
		jsonout_set(j, o, "to_ns", jsonout_u64(m->to_ns));
		jsonout_set(j, o, "bytes", jsonmemory_sizes(j, &m->sizes));
		jsonout_put(j, NULL, o);
	}
	jsonout_end(j, ']');
	jsonout_begin(j, "processes", '[');
	for (size_t i = 0; i < h->process.n; i++) {
		const struct sizes_process *p = &h->process.v[i];
		json_t *o = json_object();

		jsonout_set(j, o, "thread", jsonout_u64(p->thread));
		jsonout_set(j, o, "first_bytes", jsonmemory_sizes(j, &p->begin));
		jsonout_set(j, o, "last_bytes", jsonmemory_sizes(j, &p->end));
		jsonout_set(j, o, "resident_most_bytes", jsonout_u64(p->most));
		jsonout_put(j, NULL, o);
	}
	jsonout_end(j, ']');
}

void json_put_memory(struct jsonout *j, const struct leaks *l, const struct memory_history *h)
{
	json_t *sums = json_object();

	jsonmemory_set_sums(j, sums, &l->all);
	jsonout_begin(j, "memory", '{');
	jsonout_put(j, "all", sums);
	jsonout_begin(j, "sites", '[');
	for (size_t i = 0; i < l->n; i++)
		jsonout_put(j, NULL, jsonmemory_site(j, l, &l->row[i]));
	jsonout_end(j, ']');
	jsonmemory_put_history(j, h);
	jsonout_end(j, '}');
}
