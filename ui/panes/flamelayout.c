/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamelayout.c - computes which frames of a flame graph can be seen in so many columns. The walk
 * keeps its own stack, since call trees are as deep as the program recurses. flamelayout.h has the
 * rules.
 */
#include "config.h"

#include "ui/panes/flamelayout.h"

#include <stdlib.h>

/* A frame to be, and where it begins, of the whole. */
struct pending {
	struct flame_frame frame;
	uint64_t from_ns;
	bool kept_only;          /* narrower than a column: only what leads to the kept node stands below it */
};

/* One layout under way. */
struct maker {
	struct flame_layout *l;
	const struct tree *t;
	int width;
	VEC(struct pending) stack;       /* the next one last */
	bool ok;
};

void flame_layout_free(struct flame_layout *l)
{
	vec_free(&l->frame);
	vec_free(&l->keep);
}

/* The column in which NS from the left is. It grows with NS, also where rounding comes in. */
static int flamelayout_column(const struct maker *m, uint64_t ns)
{
	const int at = (int)((double)ns * m->width / (double)m->l->whole_ns);

	return ns >= m->l->whole_ns || at > m->width ? m->width : at;
}

static bool is_idle(const struct maker *m, uint32_t node)
{
	return m->t->node[node].kind == NODE_IDLE;
}

/* What NODE weighs without the idle waits that were folded, which are children of the root. */
static uint64_t flamelayout_weight(const struct maker *m, uint32_t node, uint32_t *ret_children)
{
	const struct tree_node *n = &m->t->node[node];
	uint64_t ns = n->total_ns;

	*ret_children = n->nr_children;
	for (uint32_t c = node ? NODE_NONE : n->first_child; c != NODE_NONE; c = m->t->node[c].next_sibling) {
		if (is_idle(m, c)) {
			ns -= m->t->node[c].total_ns;
			--*ret_children;
		}
	}
	return ns;
}

/* Lists what leads to NODE, when that is below BASE. */
static void list_kept(struct maker *m, uint32_t base, uint32_t node)
{
	const struct tree_node *v = m->t->node;
	struct flame_layout *l = m->l;
	uint32_t at = node;

	l->keep.n = 0;
	while (at != NODE_NONE && v[at].depth > v[base].depth)
		at = v[at].parent;
	if (at != base || node == base)
		return;
	if (!vec_reserve(&l->keep, v[node].depth - v[base].depth)) {
		m->ok = false;
		return;
	}
	l->keep.n = v[node].depth - v[base].depth;
	for (at = node; at != base; at = v[at].parent)
		l->keep.v[v[at].depth - v[base].depth - 1] = at;
}

/* The node of LEVEL that is kept, if it is below PARENT. */
static uint32_t flamelayout_kept(const struct maker *m, uint32_t level, uint32_t parent)
{
	const uint32_t node = level && level <= m->l->keep.n ? m->l->keep.v[level - 1] : NODE_NONE;

	return node != NODE_NONE && m->t->node[node].parent == parent ? node : NODE_NONE;
}

static struct pending *flamelayout_push(struct maker *m, const struct flame_frame *parent,
					uint32_t number, uint32_t node)
{
	struct pending *p = vec_push(&m->stack);

	if (!p) {
		m->ok = false;
		return NULL;
	}
	*p = (struct pending){ .frame = { .node = node, .first = node, .parent = number, .level = parent->level + 1,
					  .merged = 1, .x = parent->x, .w = 1, .ns = m->t->node[node].total_ns } };
	return p;
}

/*
 * N children of PARENT are too narrow, NS from FROM_NS on: NODE is the first of them. KEEP is one
 * of them, or NODE_NONE.
 */
static void push_merged(struct maker *m, const struct flame_frame *parent, uint32_t number,
			uint32_t node, uint32_t keep, uint32_t n, uint64_t from_ns, uint64_t ns)
{
	const int x = flamelayout_column(m, from_ns), w = flamelayout_column(m, from_ns + ns) - x,
		  last = parent->x + parent->w - 1;
	struct pending *p;

	m->l->narrow_ns += ns;
	if (w < 1 && keep == NODE_NONE)
		return;
	p = flamelayout_push(m, parent, number, keep != NODE_NONE ? keep : node);
	if (!p)
		return;
	p->kept_only = true;
	p->frame.merged = n;
	p->frame.first = node;
	p->frame.ns = ns;
	p->frame.x = x < last ? x : last;
	p->frame.w = w < 1 ? 1 : w;
}

/* Puts the children of the frame NUMBER on the stack, from left to right. */
static void push_children(struct maker *m, uint32_t number, uint64_t from_ns)
{
	const struct flame_frame parent = m->l->frame.v[number];
	const struct tree_node *v = m->t->node;
	uint32_t left, c = v[parent.node].first_child, keep = flamelayout_kept(m, parent.level + 1, parent.node);
	uint64_t rest_ns = flamelayout_weight(m, parent.node, &left) - v[parent.node].self_ns;

	for (; c != NODE_NONE; c = v[c].next_sibling) {
		const int x = flamelayout_column(m, from_ns), w = flamelayout_column(m, from_ns + v[c].total_ns) - x;
		struct pending *p;

		if (is_idle(m, c))
			continue;
		/* Those behind it weigh no more: they are not even looked at. */
		if (w < 1 || (double)v[c].total_ns * m->width < (double)m->l->whole_ns)
			break;
		p = flamelayout_push(m, &parent, number, c);
		if (!p)
			return;
		p->from_ns = from_ns;
		p->frame.x = x;
		p->frame.w = w;
		from_ns += v[c].total_ns;
		rest_ns -= v[c].total_ns;
		left--;
		keep = keep == c ? NODE_NONE : keep;
	}
	if (c != NODE_NONE && left)
		push_merged(m, &parent, number, c, keep, left, from_ns, rest_ns);
}

static void push_kept(struct maker *m, uint32_t number)
{
	const struct flame_frame parent = m->l->frame.v[number];
	const uint32_t node = flamelayout_kept(m, parent.level + 1, parent.node);
	struct pending *p = node == NODE_NONE ? NULL : flamelayout_push(m, &parent, number, node);

	if (p)
		p->kept_only = true;
}

static void flamelayout_reverse(struct pending *v, size_t n)
{
	for (size_t a = 0; a + 1 < n - a; a++) {
		const struct pending t = v[a];

		v[a] = v[n - 1 - a];
		v[n - 1 - a] = t;
	}
}

static void flamelayout_place(struct maker *m)
{
	struct flame_layout *l = m->l;

	while (m->ok && m->stack.n) {
		const struct pending p = m->stack.v[--m->stack.n];
		const size_t below = m->stack.n;
		const uint32_t number = (uint32_t)l->frame.n;
		struct flame_frame *f = vec_push(&l->frame);

		if (!f) {
			m->ok = false;
			break;
		}
		*f = p.frame;
		if (p.frame.level >= l->levels)
			l->levels = p.frame.level + 1;
		if (p.kept_only)
			push_kept(m, number);
		else
			push_children(m, number, p.from_ns);
		flamelayout_reverse(m->stack.v + below, m->stack.n - below);
	}
}

/* Each frame comes before those below it. */
static void find_ends(struct flame_layout *l)
{
	for (size_t i = 0; i < l->frame.n; i++)
		l->frame.v[i].end = (uint32_t)i + 1;
	for (size_t i = l->frame.n; i-- > 1;) {
		struct flame_frame *parent = &l->frame.v[l->frame.v[i].parent];

		if (parent->end < l->frame.v[i].end)
			parent->end = l->frame.v[i].end;
	}
}

bool flame_layout_make(struct flame_layout *l, const struct tree *t, uint32_t base, int width, uint32_t keep)
{
	struct maker m = { .l = l, .t = t, .width = width > 1 ? width : 1, .ok = true };
	uint32_t children;
	struct pending *p;

	l->frame.n = l->keep.n = 0;
	l->levels = 0;
	l->narrow_ns = 0;
	l->whole_ns = base < t->n ? flamelayout_weight(&m, base, &children) : 0;
	if (!l->whole_ns)
		return true;
	list_kept(&m, base, keep);
	p = vec_push(&m.stack);
	if (!p)
		return false;
	*p = (struct pending){ .frame = { .node = base, .first = base, .parent = FLAME_NONE, .merged = 1, .w = m.width,
					  .ns = l->whole_ns } };
	flamelayout_place(&m);
	find_ends(l);
	vec_free(&m.stack);
	return m.ok;
}

uint32_t flame_layout_at(const struct flame_layout *l, int x, uint32_t level)
{
	uint32_t found = FLAME_NONE;

	/* What is kept stands over others: the last one counts. */
	for (uint32_t i = 0; i < l->frame.n;) {
		const struct flame_frame *f = &l->frame.v[i];
		const bool here = x >= f->x && x < f->x + f->w;

		if (here && f->level == level)
			found = i;
		i = here && f->level < level ? i + 1 : f->end;
	}
	return found;
}
