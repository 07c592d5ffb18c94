/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * baseline.c - builds the call tree that compares before and after a mark, or slow calls and others. The
 * two trees belong to one run, so nodes are the same when their keys are (baseline.h).
 */
#include "config.h"

#include "ui/baseline.h"

#include "base/hash.h"
#include "base/order.h"
#include "query/spandiff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	free(b->pair);
	free(b);
}

struct diff_change baseline_change(const struct baseline *b, uint32_t node)
{
	struct diff d = b->diff;
	struct diff_node whole = b->whole;

	d.node = &whole;
	return diff_judge(&d, &b->pair[node]);
}

/* A node of both trees, or a row of both lists, as one. */
struct merged {
	uint64_t key;
	uint32_t parent;
	uint32_t from;           /* its number on the later side; if GONE on the earlier, which alone has it */
	uint16_t depth;
	bool gone;
};

/* Both sides as one, being made: nodes of the later one first, and parents before children. */
struct merger {
	struct tree *tree[DIFF_SIDES];           /* owned, like LIST, of which either is NULL */
	struct flatlist *list[DIFF_SIDES];
	struct merged *node;
	struct diff_pair *pair;
	uint32_t n;
	struct hidx index;       /* by key */
};

static void merger_free(struct merger *m)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		tree_free(m->tree[side]);
		flatlist_free(m->list[side]);
	}
	free(m->node);
	free(m->pair);
	hidx_free(&m->index);
}

static uint32_t merger_n(const struct merger *m, int side)
{
	return m->list[side] ? m->list[side]->n : m->tree[side]->n;
}

/* Node I of SIDE; its parent is that of its own side. */
static struct merged merger_node(const struct merger *m, int side, uint32_t i)
{
	const struct tree_node *n;

	if (m->list[side])
		return (struct merged){ .key = m->list[side]->row[i].key, .parent = i ? 0 : NODE_NONE, .from = i,
					.depth = i ? 1 : 0, .gone = side == DIFF_BEFORE };
	n = &m->tree[side]->node[i];
	return (struct merged){ .key = n->key, .parent = n->parent, .from = i, .depth = n->depth,
				.gone = side == DIFF_BEFORE };
}

static uint64_t baseline_rehash(const void *ctx, uint32_t id)
{
	const struct merger *m = ctx;

	return m->node[id].key;
}

static uint32_t baseline_find(const struct merger *m, uint64_t key)
{
	uint32_t id;

	hidx_each(&m->index, key, id)
		if (m->node[id].key == key)
			return id;
	return HIDX_NONE;
}

/* What node I takes on SIDE: in all, or of a list by itself. */
static void set_side(const struct merger *m, int side, uint32_t i, struct diff_pair *p)
{
	if (m->list[side]) {
		const struct flat_row *r = &m->list[side]->row[i];

		p->ns[side] = i ? r->self_ns : r->total_ns;
		p->squares[side] = r->squares;
		memcpy(p->value[side], r->self.ns, sizeof(r->self.ns));
	} else {
		const struct tree_node *n = &m->tree[side]->node[i];

		p->ns[side] = n->total_ns;
		p->squares[side] = n->squares;
		tree_values(m->tree[side], i, p->value[side]);
	}
}

static bool baseline_add(struct merger *m, struct merged n)
{
	m->node[m->n] = n;
	return hidx_add(&m->index, n.key, m->n++, baseline_rehash, m);
}

static bool add_after(struct merger *m)
{
	for (uint32_t i = 0; i < merger_n(m, DIFF_AFTER); i++) {
		if (!baseline_add(m, merger_node(m, DIFF_AFTER, i)))
			return false;
		set_side(m, DIFF_AFTER, i, &m->pair[i]);
	}
	return true;
}

static bool add_before(struct merger *m, uint32_t *at)
{
	for (uint32_t i = 0; i < merger_n(m, DIFF_BEFORE); i++) {
		struct merged n = merger_node(m, DIFF_BEFORE, i);

		at[i] = i ? baseline_find(m, n.key) : 0;
		if (at[i] == HIDX_NONE) {
			at[i] = m->n;
			n.parent = at[n.parent];
			if (!baseline_add(m, n))
				return false;
		}
		set_side(m, DIFF_BEFORE, i, &m->pair[at[i]]);
	}
	return true;
}

/* In which order nodes are to stand: parents before children, siblings by falling change. */
struct place {
	uint32_t node;
	uint16_t depth;
	double most;             /* the largest change here or below */
	double share;            /* the larger one */
};

static int baseline_compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->depth != b->depth)
		return compare_numbers(a->depth, b->depth);
	if (a->most != b->most)
		return compare_numbers(b->most, a->most);
	if (a->share != b->share)
		return compare_numbers(b->share, a->share);
	return compare_numbers(a->node, b->node);
}

static void baseline_find_places(const struct merger *m, const struct baseline *b, struct place *place)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const double before = diff_share(&b->diff, DIFF_BEFORE, m->pair[i].ns[DIFF_BEFORE]);
		const double after = diff_share(&b->diff, DIFF_AFTER, m->pair[i].ns[DIFF_AFTER]);

		place[i] = (struct place){ .node = i, .depth = m->node[i].depth, .most = fabs(after - before),
					   .share = fmax(before, after) };
	}
	for (uint32_t i = m->n; i-- > 1;) {
		struct place *parent = &place[m->node[i].parent];

		parent->most = fmax(parent->most, place[i].most);
	}
}

/* Puts nodes and pairs in order. */
static bool baseline_put_in_order(struct merger *m, struct baseline *b)
{
	AUTO_FREE struct place *place = malloc(m->n * sizeof(*place));
	AUTO_FREE uint32_t *now = malloc(m->n * sizeof(*now));
	struct merged *node = malloc(m->n * sizeof(*node));

	b->pair = malloc(m->n * sizeof(*b->pair));
	if (!place || !now || !node || !b->pair) {
		free(node);
		return false;
	}
	baseline_find_places(m, b, place);
	qsort(place, m->n, sizeof(*place), baseline_compare_places);
	for (uint32_t i = 0; i < m->n; i++)
		now[place[i].node] = i;
	for (uint32_t i = 0; i < m->n; i++) {
		node[i] = m->node[place[i].node];
		node[i].parent = i ? now[node[i].parent] : NODE_NONE;
		b->pair[i] = m->pair[place[i].node];
	}
	free(m->node);
	m->node = node;
	return true;
}

/* Where the first slice of S begins that is behind MARK_NS; UINT64_MAX = there is none. */
static uint64_t baseline_first_behind(const struct snapshot *s, uint64_t mark_ns)
{
	uint64_t from_ns = UINT64_MAX;
	struct slice_view v = { 0 };

	while (snapshot_next(s, &v))
		if (v.from_ns >= mark_ns && v.from_ns < from_ns && !v.provisional)
			from_ns = v.from_ns;
	return from_ns;
}

/* The question that SIDE answers, and how long its time is. */
static uint64_t ask_before(const struct baseline_mark *m, struct query *q)
{
	q->from_ns = m->from_ns;
	q->to_ns = m->to_ns;
	return m->to_ns - m->from_ns;
}

static uint64_t ask_after(const struct baseline_mark *m, const struct snapshot *s, uint64_t end_ns, struct query *q)
{
	if (!q->to_ns) {                 /* no range was chosen */
		q->from_ns = baseline_first_behind(s, m->mark_ns);
		q->to_ns = UINT64_MAX;
		return end_ns > q->from_ns ? end_ns - q->from_ns : 0;
	}
	return q->to_ns - q->from_ns;
}

/* Adds what of V is time of its threads to SUM. */
static void add_times(const struct dict *d, const struct slice_view *v, uint64_t *sum, uint32_t threads)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct fact *f = &v->fact[i];

		if (f->thread < threads && KINDS_WALL & 1u << f->kind && dict_get_thread(d, f->thread)->tid)
			sum[f->thread] += f->weight;
	}
}

/*
 * *RET: the time that the slices Q asks S for are about: WALL_NS by the clock, or the time that one
 * thread has in them when that is more. What is told does not end where a second does: running time
 * comes in quarters of one, and what is not settled yet may have begun earlier. A moment after the
 * mark that is more than all that has passed since. False when out of memory.
 */
static bool baseline_find_unit(const struct snapshot *s, const struct query *q, uint64_t wall_ns, double *ret)
{
	const uint64_t to_ns = q->to_ns ? q->to_ns : UINT64_MAX;
	const uint32_t threads = dict_threads(snapshot_dict(s));
	AUTO_FREE uint64_t *sum = calloc(threads + 1ul, sizeof(*sum));
	struct slice_view v = { 0 };

	while (sum && wall_ns && snapshot_next(s, &v))
		if (v.from_ns < to_ns && v.to_ns > q->from_ns)
			add_times(snapshot_dict(s), &v, sum, threads);
	for (uint32_t i = 0; sum && i < threads; i++)
		wall_ns = sum[i] > wall_ns ? sum[i] : wall_ns;
	*ret = (double)wall_ns;
	return sum;
}

static int baseline_merge(struct merger *m, struct baseline *b, const uint64_t calls[DIFF_SIDES], struct err *e)
{
	const uint32_t most = merger_n(m, DIFF_BEFORE) + merger_n(m, DIFF_AFTER);
	AUTO_FREE uint32_t *at = malloc(most * sizeof(*at));

	m->pair = calloc(most, sizeof(*m->pair));
	m->node = malloc(most * sizeof(*m->node));
	if (!at || !m->pair || !m->node || !add_after(m) || !add_before(m, at))
		return err_nomem(e, "the difference");
	b->whole.total = m->pair[0];
	b->lead = measure_lead(&m->tree[DIFF_AFTER]->set);
	if (b->diff.norm == DIFF_BY_CALL)
		diff_set_units(&b->diff, b->whole.total.ns, calls);
	return baseline_put_in_order(m, b) ? 0 : err_nomem(e, "the difference");
}

/* Nodes that were there before and are not any more: nothing of them is from since. */
static struct tree_node gone_node(const struct tree_node *n)
{
	struct tree_node r = *n;

	r.self_ns = r.total_ns = r.open_ns = r.doubt_ns = r.count = 0;
	r.squares = 0;
	r.open_longest_ns = 0;
	memset(r.value, 0, sizeof(r.value));
	return r;
}

static struct flat_row gone_row(const struct flat_row *r)
{
	return (struct flat_row){ .key = r->key, .func = r->func, .place = r->place, .kind = r->kind };
}

/* Links N nodes that know their parents, each of which comes before them; siblings keep their order. */
static bool baseline_link(struct tree_node *node, uint32_t n)
{
	AUTO_FREE uint32_t *last = malloc(n * sizeof(*last));

	for (uint32_t i = 0; last && i < n; i++) {
		const uint32_t parent = node[i].parent;

		node[i].first_child = node[i].next_sibling = last[i] = NODE_NONE;
		node[i].nr_children = node[i].depth = 0;
		if (!i)
			continue;
		if (last[parent] == NODE_NONE)
			node[parent].first_child = i;
		else
			node[last[parent]].next_sibling = i;
		last[parent] = i;
		node[parent].nr_children++;
		node[i].depth = node[parent].depth + 1;
	}
	return last;
}

/* The nodes of M as a tree; NULL when out of memory. */
static struct tree *merged_tree(const struct merger *m)
{
	AUTO_FREE struct tree_node *node = malloc(m->n * sizeof(*node));
	AUTO_FREE uint64_t *more = calloc(m->n, MORE_VALUES * sizeof(*more));
	struct tree *t = calloc(1, sizeof(*t));

	for (uint32_t i = 0; node && more && i < m->n; i++) {
		const struct merged *n = &m->node[i];

		node[i] = n->gone ? gone_node(&m->tree[DIFF_BEFORE]->node[n->from]) :
			m->tree[DIFF_AFTER]->node[n->from];
		node[i].parent = n->parent;
		for (unsigned int k = 0; k < MORE_VALUES && !n->gone; k++)
			more[(size_t)i * MORE_VALUES + k] = tree_value(m->tree[DIFF_AFTER], n->from, NODE_VALUES + k);
	}
	if (!t || !node || !more || !baseline_link(node, m->n)) {
		free(t);
		return NULL;
	}
	*t = *m->tree[DIFF_AFTER];
	t->shared = 0;
	t->n = m->n;
	t->node = take_ptr(node);
	t->more = take_ptr(more);
	return t;
}

/* The same as a list. */
static struct flatlist *merged_list(const struct merger *m)
{
	struct flat_row *row = malloc(m->n * sizeof(*row));
	struct flatlist *l = calloc(1, sizeof(*l));

	if (!row || !l) {
		free(row);
		free(l);
		return NULL;
	}
	*l = *m->list[DIFF_AFTER];
	l->row = row;
	l->n = m->n;
	l->known = l->shown = m->n - 1;
	l->idle = NODE_NONE;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct merged *n = &m->node[i];

		row[i] = n->gone ? gone_row(&m->list[DIFF_BEFORE]->row[n->from]) : m->list[DIFF_AFTER]->row[n->from];
		l->idle = row[i].kind == NODE_IDLE ? i : l->idle;
	}
	return l;
}

/* What both sides are asked, and of what. */
struct asked_sides {
	struct query query[DIFF_SIDES];
	struct snapshot *snapshot[DIFF_SIDES];
};

/* Before and after the mark. 0, or a negative errno with a sentence. */
static int ask_mark(const struct baseline_question *ask, struct asked_sides *q, struct baseline *b, struct err *e)
{
	uint64_t wall_ns[DIFF_SIDES];

	q->query[DIFF_BEFORE] = q->query[DIFF_AFTER] = *ask->query;
	q->snapshot[DIFF_BEFORE] = ask->mark->snapshot;
	q->snapshot[DIFF_AFTER] = ask->snapshot;
	wall_ns[DIFF_BEFORE] = ask_before(ask->mark, &q->query[DIFF_BEFORE]);
	wall_ns[DIFF_AFTER] = ask_after(ask->mark, ask->snapshot, ask->end_ns, &q->query[DIFF_AFTER]);
	b->diff.norm = DIFF_BY_WALL;
	b->head[DIFF_BEFORE] = "before";
	b->head[DIFF_AFTER] = "now";
	for (int side = 0; side < DIFF_SIDES; side++)
		if (!baseline_find_unit(q->snapshot[side], &q->query[side], wall_ns[side], &b->diff.unit[side]))
			return err_nomem(e, "the difference");
	b->young = b->diff.unit[DIFF_AFTER] <= 0;
	return 0;
}

/* Slow calls and others. The same; *RET_CALLS: how many. */
static int ask_calls(const struct baseline_question *ask, struct asked_sides *q, struct baseline *b,
		     uint64_t ret_calls[DIFF_SIDES], struct err *e)
{
	struct span_sides sides;
	int r = span_sides(ask->snapshot, ask->names, ask->query, &sides, e);

	b->diff.norm = DIFF_BY_CALL;
	for (int side = 0; side < DIFF_SIDES && r >= 0; side++) {
		q->query[side] = sides.query[side];
		q->snapshot[side] = ask->snapshot;
		b->head[side] = span_side_name(ask->query, side);
		ret_calls[side] = sides.calls[side];
	}
	return r;
}

/* Compares both sides of M, which it fills: call trees, or FLAT lists. 0, or a negative errno with a sentence. */
static int baseline_compare(struct merger *m, const struct baseline_question *ask, bool flat, struct baseline *b,
			    struct err *e)
{
	uint64_t calls[DIFF_SIDES] = { 1, 1 };
	struct asked_sides q;
	int r = ask->mark->snapshot ? ask_mark(ask, &q, b, e) : ask_calls(ask, &q, b, calls, e);

	for (int side = 0; side < DIFF_SIDES && r >= 0; side++) {
		r = tree_build(q.snapshot[side], ask->names, &q.query[side], &m->tree[side], e);
		if (r >= 0 && flat)
			r = flatlist_functions(m->tree[side], &m->list[side], e);
	}
	return r < 0 ? r : baseline_merge(m, b, calls, e);
}

int baseline_tree(const struct baseline_question *ask, struct baseline **ret, struct tree **ret_tree, struct err *e)
{
	AUTO(baseline_free) struct baseline *b = calloc(1, sizeof(*b));
	struct merger m = { 0 };
	int r = b ? baseline_compare(&m, ask, false, b, e) : err_nomem(e, "the difference");
	struct tree *t = r < 0 ? NULL : merged_tree(&m);

	merger_free(&m);
	if (r < 0)
		return r;
	if (!t)
		return err_nomem(e, "the difference");
	*ret = take_ptr(b);
	*ret_tree = t;
	return 0;
}

int baseline_functions(const struct baseline_question *ask, struct baseline **ret, struct flatlist **ret_list,
		       struct err *e)
{
	AUTO(baseline_free) struct baseline *b = calloc(1, sizeof(*b));
	struct merger m = { 0 };
	int r = b ? baseline_compare(&m, ask, true, b, e) : err_nomem(e, "the difference");
	struct flatlist *l = r < 0 ? NULL : merged_list(&m);

	merger_free(&m);
	if (r < 0)
		return r;
	if (!l)
		return err_nomem(e, "the difference");
	*ret = take_ptr(b);
	*ret_list = l;
	return 0;
}
