/* SPDX-License-Identifier: BSD-2-Clause */
/* outline.c - builds the rows of a list in the form that a treeview can show (outline.h). */
#include "config.h"

#include "ui/outline.h"

#include <stdlib.h>

#define ROOM_FIRST 64u

_Static_assert(sizeof(struct outline_row) == 48, "a row of an outline is small");

struct outline *outline_new(const struct dict *dict, const struct names *names, const struct query *query)
{
	struct outline *o = calloc(1, sizeof(*o));

	if (o)
		*o = (struct outline){ .dict = dict, .names = names, .query = query };
	return o;
}

void outline_free(struct outline *o)
{
	if (!o)
		return;
	free(o->row);
	free(o);
}

static bool outline_grow(struct outline *o)
{
	const size_t room = o->room ? 2 * o->room : ROOM_FIRST;
	struct outline_row *row = o->failed || room >= NODE_NONE ? NULL : realloc(o->row, room * sizeof(*row));

	if (!row) {
		o->failed = true;
		return false;
	}
	o->row = row;
	o->room = room;
	return true;
}

uint32_t outline_add(struct outline *o, uint32_t parent, struct outline_row row)
{
	const uint32_t id = o->n;

	if (o->failed || (o->n == o->room && !outline_grow(o)))
		return 0;
	row.parent = parent;
	row.first_child = row.last_child = row.next_sibling = NODE_NONE;
	row.nr_children = 0;
	row.depth = 0;
	if (parent != NODE_NONE) {
		struct outline_row *above = &o->row[parent];

		row.depth = above->depth + 1;
		if (above->last_child == NODE_NONE)
			above->first_child = id;
		else
			o->row[above->last_child].next_sibling = id;
		above->last_child = id;
		above->nr_children++;
	}
	o->row[o->n++] = row;
	return id;
}

size_t outline_functions(const struct outline *o, stack_id stack, uint32_t first, struct outline_row *ret, size_t max)
{
	size_t n = 0;

	for (; stack != STACK_ROOT && n < max; stack = dict_get_stack(o->dict, stack)->parent, first = 0) {
		const frame_id frame = dict_get_stack(o->dict, stack)->frame;
		const struct frame_names *fn = names_get(o->names, frame);
		const uint32_t last = fn ? fn->n - 1u : 0;

		for (uint32_t i = o->query && o->query->no_inlines ? last : first; i <= last && n < max; i++) {
			ret[n] = (struct outline_row){ .kind = NODE_ADDR, .frame = frame, .place = frame };
			if (fn) {
				ret[n].kind = NODE_FUNC;
				ret[n].func = fn->name[i].func;
				ret[n].inlined = i < last;
			}
			n++;
		}
	}
	return n;
}

struct outline *outline_whole(struct outline *o)
{
	if (o && !o->failed)
		return o;
	outline_free(o);
	return NULL;
}

struct tree outline_as_tree(const struct outline *o, uint32_t i, struct tree_node *node)
{
	const struct outline_row *r = &o->row[i];
	struct tree t = { .dict = o->dict, .names = o->names, .node = node, .n = 1 };

	*node = (struct tree_node){ .key = r->key, .parent = NODE_NONE, .first_child = NODE_NONE,
				    .next_sibling = NODE_NONE, .kind = r->kind, .inlined = r->inlined, .func = r->func,
				    .place = r->place };
	if (o->query)
		t.query = *o->query;
	return t;
}
