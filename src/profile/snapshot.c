/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - a snapshot is a list of references to slices, plus small copies of what still
 * changes: the facts of the open slice and the quality table. So it costs little, however much the
 * slices hold. What is provisional is a slice too, the last one.
 */
#include "config.h"

#include "profile/snapshot.h"

#include "base/order.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "profile/heat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct snapshot {
	_Atomic uint32_t refs;
	const struct dict *dict;
	struct quality_row *row;
	size_t rows;
	struct numa_state *numa; /* a reference; NULL = nothing known */
	struct probe_notes *probes;      /* the same */
	struct heat heat;
	bool provisional;        /* the last slice is */
	uint64_t settled_ns;     /* profile_advance() */
	size_t n;
	struct slice *slice[];
};

/* Heaviest first; equal ones by their key, so that the order is always the same. */
static int snapshot_compare_rows(const void *va, const void *vb)
{
	const struct quality_row *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->kind != b->kind)
		return compare_numbers(a->kind, b->kind);
	if (a->cut != b->cut)
		return compare_numbers(a->cut, b->cut);
	return compare_numbers(a->module, b->module);
}

struct snapshot *snapshot_new(const struct dict *dict, struct slice *const *slices, size_t n, struct slice *open,
			      struct slice *provisional, const struct quality_row *row, size_t rows)
{
	struct snapshot *s = malloc(sizeof(*s) + (n + 2) * sizeof(s->slice[0]));
	struct quality_row *copy = malloc((rows + 1) * sizeof(*copy));

	if (!s || !copy) {
		free(s);
		free(copy);
		return NULL;
	}
	atomic_init(&s->refs, 1);
	s->dict = dict;
	s->numa = NULL;
	s->probes = NULL;
	s->heat = (struct heat){ 0 };
	s->row = copy;
	s->rows = rows;
	if (rows) {
		memcpy(copy, row, rows * sizeof(*copy));
		qsort(copy, rows, sizeof(*copy), snapshot_compare_rows);
	}
	for (s->n = 0; s->n < n; s->n++)
		s->slice[s->n] = slice_ref(slices[s->n]);
	if (open)
		s->slice[s->n++] = open;
	s->provisional = provisional;
	if (provisional)
		s->slice[s->n++] = slice_ref(provisional);
	return s;
}

struct snapshot *snapshot_ref(struct snapshot *s)
{
	if (s)
		atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void snapshot_unref(struct snapshot *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < s->n; i++)
		slice_unref(s->slice[i]);
	numa_state_unref(s->numa);
	probe_notes_unref(s->probes);
	heat_free(&s->heat);
	free(s->row);
	free(s);
}

void snapshot_keep_settled(struct snapshot *s, uint64_t settled_ns)
{
	s->settled_ns = settled_ns;
}

uint64_t snapshot_settled_ns(const struct snapshot *s)
{
	return s->settled_ns;
}

void snapshot_keep_numa(struct snapshot *s, struct numa_state *state)
{
	s->numa = numa_state_ref(state);
}

const struct numa_state *snapshot_numa(const struct snapshot *s)
{
	return s->numa;
}

void snapshot_keep_probes(struct snapshot *s, struct probe_notes *state)
{
	s->probes = probe_notes_ref(state);
}

const struct probe_notes *snapshot_probes(const struct snapshot *s)
{
	return s->probes;
}

bool snapshot_keep_heat(struct snapshot *s, const struct heat *heat)
{
	return heat_share(&s->heat, heat);
}

const struct heat *snapshot_heat(const struct snapshot *s)
{
	return &s->heat;
}

const struct dict *snapshot_dict(const struct snapshot *s)
{
	return s->dict;
}

size_t snapshot_slices(const struct snapshot *s)
{
	return s->n;
}

void snapshot_slice(const struct snapshot *s, size_t i, struct slice_view *ret)
{
	const struct slice *slice = s->slice[i];

	*ret = (struct slice_view){ .from_ns = slice->from_ns, .to_ns = slice->to_ns,
				    .fact = slice->fact, .n = slice->n,
				    .provisional = s->provisional && i == s->n - 1, .next = i + 1 };
}

bool snapshot_next(const struct snapshot *s, struct slice_view *v)
{
	if (v->next == s->n)
		return false;
	snapshot_slice(s, v->next, v);
	return true;
}

bool snapshot_last(const struct snapshot *s, struct slice_view *ret)
{
	if (!s->n)
		return false;
	snapshot_slice(s, s->n - 1, ret);
	return true;
}

bool snapshot_has(const struct snapshot *s, enum event_kind kind)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->slice[i]->n; k++)
			if (s->slice[i]->fact[k].kind == kind)
				return true;
	return false;
}

uint32_t snapshot_kinds(const struct snapshot *s)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->slice[i]->n; k++)
			kinds |= 1u << s->slice[i]->fact[k].kind;
	return kinds;
}

size_t snapshot_quality(const struct snapshot *s, const struct quality_row **ret)
{
	*ret = s->row;
	return s->rows;
}
