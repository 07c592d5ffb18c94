/* SPDX-License-Identifier: BSD-2-Clause */
/* baseline.c - see baseline.h. */
#include "config.h"

#include "ui/baseline.h"

#include "base/hash.h"
#include "ui/panes/funcsview.h"
#include "ui/panes/listtree.h"

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

/* Both trees as one, being made: nodes of the later one first, and parents before children. */
struct merger {
	const struct tree *tree[DIFF_SIDES];
	struct tree_node *node;
	struct diff_pair *pair;
	uint32_t n;
	struct hidx index;       /* by key */
	bool flat;
};

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

/* What N took on SIDE. */
static void set_side(const struct merger *m, int side, const struct tree_node *n, bool root, struct diff_pair *p)
{
	p->ns[side] = m->flat && !root ? n->self_ns : n->total_ns;
	p->squares[side] = n->squares;
	memcpy(p->value[side], n->value, sizeof(n->value));
}

static bool baseline_add(struct merger *m, const struct tree_node *n, uint32_t parent)
{
	m->node[m->n] = *n;
	m->node[m->n].parent = parent;
	return hidx_add(&m->index, n->key, m->n++, baseline_rehash, m);
}

/* Nodes that were there before and are not any more: nothing of them is from since. */
static struct tree_node baseline_gone(const struct tree_node *n)
{
	struct tree_node r = *n;

	r.self_ns = r.total_ns = r.open_ns = r.doubt_ns = r.count = 0;
	r.squares = 0;
	r.open_longest_ns = 0;
	memset(r.value, 0, sizeof(r.value));
	return r;
}

static bool add_after(struct merger *m)
{
	const struct tree *t = m->tree[DIFF_AFTER];

	for (uint32_t i = 0; i < t->n; i++) {
		if (!baseline_add(m, &t->node[i], t->node[i].parent))
			return false;
		set_side(m, DIFF_AFTER, &t->node[i], !i, &m->pair[i]);
	}
	return true;
}

static bool add_before(struct merger *m, uint32_t *at)
{
	const struct tree *t = m->tree[DIFF_BEFORE];

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tree_node n = baseline_gone(&t->node[i]);

		at[i] = i ? baseline_find(m, n.key) : 0;
		if (at[i] == HIDX_NONE) {
			at[i] = m->n;
			if (!baseline_add(m, &n, at[n.parent]))
				return false;
		}
		set_side(m, DIFF_BEFORE, &t->node[i], !i, &m->pair[at[i]]);
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
		return (a->depth > b->depth) - (a->depth < b->depth);
	if (a->most != b->most)
		return (a->most < b->most) - (a->most > b->most);
	if (a->share != b->share)
		return (a->share < b->share) - (a->share > b->share);
	return (a->node > b->node) - (a->node < b->node);
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
	struct tree_node *node = malloc(m->n * sizeof(*node));

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
		node[i].nr_children = 0;
		node[i].depth = 0;
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
	struct slice_view v;

	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		if (v.from_ns >= mark_ns && v.from_ns < from_ns && !v.provisional)
			from_ns = v.from_ns;
	}
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
	struct slice_view v;

	for (size_t i = 0; sum && wall_ns && i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		if (v.from_ns < to_ns && v.to_ns > q->from_ns)
			add_times(snapshot_dict(s), &v, sum, threads);
	}
	for (uint32_t i = 0; sum && i < threads; i++)
		wall_ns = sum[i] > wall_ns ? sum[i] : wall_ns;
	*ret = (double)wall_ns;
	return sum;
}

static int one_side(struct snapshot *s, const struct names *names, const struct query *q, bool flat,
		    struct tree **ret, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct funcsview v;

	if (tree_build(s, names, q, &t, e) < 0)
		return -ENOMEM;
	if (flat)
		return funcsview_tree(t, &v, ret, e);
	*ret = take_ptr(t);
	return 0;
}

static int baseline_merge(struct merger *m, struct baseline *b, struct tree **ret, struct err *e)
{
	const uint32_t most = m->tree[DIFF_BEFORE]->n + m->tree[DIFF_AFTER]->n;
	AUTO_FREE uint32_t *at = malloc(most * sizeof(*at));
	AUTO_FREE struct diff_pair *pair = calloc(most, sizeof(*pair));
	struct tree what = *m->tree[DIFF_AFTER];
	bool ok;

	m->pair = pair;
	m->node = malloc(most * sizeof(*m->node));
	ok = at && pair && m->node && add_after(m) && add_before(m, at);
	hidx_free(&m->index);
	if (ok) {
		b->whole.total = pair[0];
		ok = baseline_put_in_order(m, b);
	}
	if (ok) {
		what.n = m->n;
		*ret = listtree_new(&what, take_ptr(m->node));
		ok = *ret;
	}
	free(m->node);
	return ok ? 0 : err_nomem(e, "the difference");
}

int baseline_build(const struct baseline_mark *mark, struct snapshot *s, uint64_t end_ns, const struct names *names,
		   const struct query *q, bool flat, struct baseline **ret, struct tree **ret_tree, struct err *e)
{
	AUTO(tree_free) struct tree *before = NULL;
	AUTO(tree_free) struct tree *after = NULL;
	AUTO(baseline_free) struct baseline *b = calloc(1, sizeof(*b));
	struct query qb = *q, qa = *q;
	struct merger m = { .flat = flat };
	uint64_t wall_ns[DIFF_SIDES];

	if (!b)
		return err_nomem(e, "the difference");
	b->flat = flat;
	b->diff.norm = DIFF_BY_WALL;
	wall_ns[DIFF_BEFORE] = ask_before(mark, &qb);
	wall_ns[DIFF_AFTER] = ask_after(mark, s, end_ns, &qa);
	if (!baseline_find_unit(mark->snapshot, &qb, wall_ns[DIFF_BEFORE], &b->diff.unit[DIFF_BEFORE]) ||
	    !baseline_find_unit(s, &qa, wall_ns[DIFF_AFTER], &b->diff.unit[DIFF_AFTER]))
		return err_nomem(e, "the difference");
	b->young = b->diff.unit[DIFF_AFTER] <= 0;
	if (one_side(mark->snapshot, names, &qb, flat, &before, e) < 0 || one_side(s, names, &qa, flat, &after, e) < 0)
		return -ENOMEM;
	m.tree[DIFF_BEFORE] = before;
	m.tree[DIFF_AFTER] = after;
	if (baseline_merge(&m, b, ret_tree, e) < 0)
		return -ENOMEM;
	*ret = take_ptr(b);
	return 0;
}
