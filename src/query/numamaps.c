/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numamaps.c - the memory of the view by node, by kind of mapping and by file: accesses are summed
 * from the facts, residency comes from the state that the engine read.
 */
#include "config.h"

#include "base/order.h"

#include "query/numareport_private.h"

#include <stdlib.h>

static uint64_t mapping_key(uint8_t mapping, module_id file)
{
	return hash_u64((uint64_t)mapping << 32 | file);
}

static uint64_t mapping_hash(const void *ctx, uint32_t id)
{
	const struct numa_build *b = ctx;

	return mapping_key(b->mappings.v[id].mapping, b->mappings.v[id].file);
}

/* The row of MAPPING and FILE, made when there is none; NULL when out of memory. */
static struct numa_mapping_row *get_row(struct numa_build *b, uint8_t mapping, module_id file)
{
	const uint64_t h = mapping_key(mapping, file);
	struct numa_mapping_row *r;
	uint32_t id;

	hidx_each(&b->mapping_index, h, id)
		if (b->mappings.v[id].mapping == mapping && b->mappings.v[id].file == file)
			return &b->mappings.v[id];
	id = (uint32_t)b->mappings.n;
	r = vec_push(&b->mappings);
	if (!r)
		return NULL;
	*r = (struct numa_mapping_row){ .mapping = mapping, .file = file };
	return hidx_add(&b->mapping_index, h, id, mapping_hash, b) ? r : NULL;
}

bool numa_mappings_sum(struct numa_build *b, const struct numa_fact *x)
{
	struct numa_mapping_row *r = get_row(b, x->place->mapping, x->place->file);

	if (r)
		numa_add_access(&r->accesses, x);
	return r;
}

static bool add_residency(struct numa_build *b)
{
	const struct numa_state *state = b->v->state;

	for (size_t i = 0; state && i < state->process.n; i++) {
		for (size_t k = 0; k < state->process.v[i].resident.n; k++) {
			const struct numa_resident *of = &state->process.v[i].resident.v[k];
			struct numa_mapping_row *r = get_row(b, of->mapping, ID_NONE);

			if (!r)
				return false;
			r->resident_bytes = add_capped(r->resident_bytes, of->bytes);
		}
	}
	return true;
}

static bool numamaps_counts(const struct numa_mapping_row *r)
{
	return r->accesses.near_count || r->accesses.far_count || r->resident_bytes;
}

static int compare_mappings(const void *va, const void *vb, void *ctx)
{
	const struct numa_build *b = ctx;
	const struct numa_mapping_row *a = &b->mappings.v[*(const uint32_t *)va],
		*o = &b->mappings.v[*(const uint32_t *)vb];
	int r = numamaps_counts(o) - numamaps_counts(a);

	if (!r)
		r = compare_numbers(add_capped(o->accesses.near_ns, o->accesses.far_ns),
				add_capped(a->accesses.near_ns, a->accesses.far_ns));
	if (!r)
		r = compare_numbers(o->resident_bytes, a->resident_bytes);
	if (!r)
		r = compare_numbers(a->mapping, o->mapping);
	return r ? r : compare_numbers(a->file, o->file);
}

/* Which row, by kind, is that without file; -1 = none. */
static void rows_of_kinds(const struct numa_view *v, int32_t row[UINT8_MAX + 1])
{
	for (unsigned int i = 0; i <= UINT8_MAX; i++)
		row[i] = -1;
	for (uint32_t i = 0; i < v->nr_mappings; i++)
		if (v->mapping[i].file == ID_NONE)
			row[v->mapping[i].mapping] = (int32_t)i;
}

static void fill_nodes(struct numa_build *b)
{
	const struct numa_state *state = b->v->state;
	int32_t row[UINT8_MAX + 1];

	rows_of_kinds(b->v, row);
	for (size_t i = 0; state && i < state->process.n; i++) {
		for (size_t k = 0; k < state->process.v[i].resident.n; k++) {
			const struct numa_resident *of = &state->process.v[i].resident.v[k];
			const int node = of->node < NODES_MAX ? b->index[of->node] : -1;
			uint64_t *bytes = node < 0 || row[of->mapping] < 0 ? NULL :
					  &b->v->mapping[row[of->mapping]].node_bytes[node];

			if (bytes)
				*bytes = add_capped(*bytes, of->bytes);
		}
	}
}

bool numa_mappings_rows(struct numa_build *b)
{
	AUTO_FREE uint32_t *order = NULL;
	struct numa_view *v = b->v;

	if (!add_residency(b))
		return false;
	order = in_order(b->mappings.n, compare_mappings, b);
	if (!order)
		return false;
	while (v->nr_mappings < b->mappings.n && v->nr_mappings < NUMA_ROWS &&
	       numamaps_counts(&b->mappings.v[order[v->nr_mappings]]))
		v->nr_mappings++;
	v->mapping = numa_block(b, v->nr_mappings, sizeof(*v->mapping));
	for (uint32_t i = 0; v->mapping && i < v->nr_mappings; i++) {
		v->mapping[i] = b->mappings.v[order[i]];
		v->mapping[i].node_bytes = numa_block(b, v->nr_nodes, sizeof(uint64_t));
		if (!v->mapping[i].node_bytes)
			return false;
	}
	if (!v->mapping)
		return false;
	fill_nodes(b);
	return true;
}
