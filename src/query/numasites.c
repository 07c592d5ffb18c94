/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numasites.c - the sites of the view by node: where memory was first touched, and where threads
 * changed nodes, as rows of their call paths.
 */
#include "config.h"

#include "query/numareport_private.h"

#include <stdlib.h>

static struct numa_path path_of(const struct numa_bunch *u)
{
	return (struct numa_path){ .key = u->reading, .stack = u->stack, .thread = ID_NONE, .count = u->sum.weight,
				   .samples = u->sum.samples };
}

static void numasites_count_rows(struct numa_build *b, const uint32_t *order)
{
	for (size_t i = 0; i < b->bunches.n; i++) {
		struct numa_bunch *u = &b->bunches.v[order[i]];
		uint32_t *n = u->kind == EVENT_FAULT ? &b->v->nr_sites : &b->v->nr_moves;

		if (u->kind != EVENT_ACCESS && *n < NUMA_ROWS)
			u->row = (*n)++;
	}
}

static bool site_row(struct numa_build *b, const struct numa_bunch *u)
{
	struct numa_site_row *r = &b->v->site[u->row];

	*r = (struct numa_site_row){ .path = path_of(u), .away_count = u->sum.away };
	r->node_count = numa_block(b, b->v->nr_nodes, sizeof(uint64_t));
	return r->node_count;
}

bool numa_sites_rows(struct numa_build *b, const uint32_t *order)
{
	struct numa_view *v = b->v;

	numasites_count_rows(b, order);
	v->site = numa_block(b, v->nr_sites, sizeof(*v->site));
	v->move = numa_block(b, v->nr_moves, sizeof(*v->move));
	b->site_mapping = calloc(v->nr_sites + 1ul, sizeof(*b->site_mapping));
	if (!v->site || !v->move || !b->site_mapping)
		return false;
	for (size_t i = 0; i < b->bunches.n; i++) {
		const struct numa_bunch *u = &b->bunches.v[i];

		if (u->row == ROW_NONE || u->kind == EVENT_ACCESS)
			continue;
		if (u->kind == EVENT_MIGRATION)
			v->move[u->row] = (struct numa_move_row){ .path = path_of(u) };
		else if (!site_row(b, u))
			return false;
	}
	return true;
}

void numa_sites_fill(struct numa_build *b, const struct numa_fact *x, uint32_t row)
{
	struct numa_site_row *r = &b->v->site[row];
	uint64_t *n = x->to < 0 ? &r->unknown_count : &r->node_count[x->to];
	uint64_t *mapping = &b->site_mapping[row][x->place->mapping < MAPPING_NR ? x->place->mapping : MAPPING_UNKNOWN];

	*n = add_capped(*n, x->f->weight);
	*mapping = add_capped(*mapping, x->f->weight);
}

void numa_sites_end(struct numa_build *b)
{
	for (uint32_t i = 0; i < b->v->nr_sites; i++) {
		uint64_t most = 0;

		for (unsigned int k = 0; k < MAPPING_NR; k++) {
			if (b->site_mapping[i][k] > most) {
				most = b->site_mapping[i][k];
				b->v->site[i].mapping = (uint8_t)k;
			}
		}
	}
}
