/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treediff.c - merges two call trees into one that shows both sides. Both are walked parents first,
 * and each node looks for the merged node that is the same thing (diffmatch.c) under the same
 * parent. Sums and order come afterwards, as in tree.c.
 */
#include "config.h"

#include "query/treediff.h"

#include "base/keyed.h"
#include "base/order.h"
#include "base/text.h"
#include "base/vec.h"
#include "profile/slice.h"
#include "query/diffmatch.h"
#include "query/label.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	struct diff *d;
	KEYED(struct diff_node) nodes;
	uint32_t *at;                    /* by node of the tree that is walked: its node here */
	struct own *own;                 /* the same: what ends there */
};

struct own {
	uint64_t value[MEASURES_ASKED];
	double squares;
};

/* The child of PARENT that is WHAT, made when there is none, like N; NODE_NONE when out of memory. */
static uint32_t treediff_child(struct builder *b, uint32_t parent, uint32_t what, const struct tree_node *n)
{
	const struct diff_node want = {
		.parent = parent, .what = what, .depth = n->depth, .kind = n->kind, .inlined = n->inlined,
	};

	return keyed_get(&b->nodes, &want, first_child);
}

static void take_away(struct own *from, const struct tree *t, uint32_t child)
{
	from->squares -= t->node[child].squares;
	for (unsigned int k = 0; k < MEASURES_ASKED; k++) {
		const uint64_t value = tree_value(t, child, k);

		from->value[k] -= value < from->value[k] ? value : from->value[k];
	}
}

/* What ends at each node of T, by kind and squared: what it has, without what its children have. */
static void find_own(const struct tree *t, struct own *own)
{
	for (uint32_t i = 0; i < t->n; i++) {
		tree_values(t, i, own[i].value);
		own[i].squares = t->node[i].squares;
	}
	for (uint32_t i = 1; i < t->n; i++)
		take_away(&own[t->node[i].parent], t, i);
	for (uint32_t i = 0; i < t->n; i++)      /* they are sums of floating numbers */
		if (own[i].squares < 0 || !t->node[i].self_ns)
			own[i].squares = 0;
}

static bool add_side(struct builder *b, int side)
{
	const struct tree *t = b->d->tree[side];

	find_own(t, b->own);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tree_node *n = &t->node[i];
		struct diff_node *to;

		b->at[i] = treediff_child(b, i ? b->at[n->parent] : NODE_NONE, matches_what(b->d->matches, side, i), n);
		if (b->at[i] == NODE_NONE)
			return false;
		to = &b->nodes.v[b->at[i]];
		to->inlined &= n->inlined;
		if (n->kind == NODE_FUNC)
			to->kind = NODE_FUNC;
		to->self.ns[side] = add_capped(to->self.ns[side], n->self_ns);
		to->self.squares[side] += b->own[i].squares;
		for (unsigned int k = 0; k < MEASURES_ASKED; k++)
			to->self.value[side][k] = add_capped(to->self.value[side][k], b->own[i].value[k]);
	}
	return true;
}

void diff_add(struct diff_pair *to, const struct diff_pair *from)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		to->ns[side] = add_capped(to->ns[side], from->ns[side]);
		to->squares[side] += from->squares[side];
		for (unsigned int k = 0; k < MEASURES_ASKED; k++)
			to->value[side][k] = add_capped(to->value[side][k], from->value[side][k]);
	}
}

struct diff_pair diff_part(const struct diff_pair *p, unsigned int place)
{
	struct diff_pair r = { 0 };

	for (int side = 0; side < DIFF_SIDES; side++) {
		r.ns[side] = r.value[side][place] = p->value[side][place];
		if (p->ns[side])
			r.squares[side] = p->squares[side] * ((double)r.ns[side] / (double)p->ns[side]);
	}
	return r;
}

static void treediff_sum_up(struct diff_node *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i].total = v[i].self;
	for (uint32_t i = n - 1; i > 0; i--)
		diff_add(&v[v[i].parent].total, &v[i].total);
}

void diff_set_units(struct diff *d, const uint64_t all[DIFF_SIDES], const uint64_t whole[DIFF_SIDES])
{
	double call;

	for (int side = 0; side < DIFF_SIDES; side++) {
		d->calls[side] = d->norm == DIFF_BY_CALL && whole[side] ? whole[side] : 1;
		if (d->norm == DIFF_BY_WALL)
			d->unit[side] = (double)whole[side];
		else if (d->norm == DIFF_BY_NONE)
			d->unit[side] = (double)(all[DIFF_BEFORE] ? all[DIFF_BEFORE] : all[DIFF_AFTER]);
		else
			d->unit[side] = (double)all[side];
	}
	if (d->norm != DIFF_BY_CALL)
		return;
	call = (double)all[DIFF_AFTER] / (double)d->calls[DIFF_AFTER];
	d->unit[DIFF_BEFORE] = call * (double)d->calls[DIFF_BEFORE];
}

static void find_most(struct diff *d)
{
	for (uint32_t i = d->n; i-- > 0;) {
		struct diff_node *n = &d->node[i];
		const double change = fabs(diff_share(d, DIFF_AFTER, n->total.ns[DIFF_AFTER]) -
					   diff_share(d, DIFF_BEFORE, n->total.ns[DIFF_BEFORE]));

		if (change > n->most)
			n->most = change;
		if (i && n->most > d->node[n->parent].most)
			d->node[n->parent].most = n->most;
	}
}

static double larger_share(const struct diff *d, const struct diff_pair *p)
{
	return fmax(diff_share(d, DIFF_BEFORE, p->ns[DIFF_BEFORE]), diff_share(d, DIFF_AFTER, p->ns[DIFF_AFTER]));
}

static int treediff_compare_siblings(const void *va, const void *vb, void *ctx)
{
	const struct diff *d = ctx;
	const struct diff_node *a = &d->node[*(const uint32_t *)va], *b = &d->node[*(const uint32_t *)vb];
	const double la = larger_share(d, &a->total), lb = larger_share(d, &b->total);

	if (a->most != b->most)
		return compare_numbers(b->most, a->most);
	if (la != lb)
		return compare_numbers(lb, la);
	return a->what == b->what ? 0 : matches_compare(d->matches, a->what, b->what);
}

/* Links the children of each node, in order. FAMILY has room for all nodes. */
static void treediff_link_nodes(struct diff *d, uint32_t *family)
{
	struct diff_node *v = d->node;
	uint32_t at = 0;

	for (uint32_t i = 0; i < d->n; i++)
		v[i].nr_children = 0;
	for (uint32_t i = 1; i < d->n; i++)
		v[v[i].parent].nr_children++;
	for (uint32_t i = 0; i < d->n; i++) {
		v[i].first_child = at;
		at += v[i].nr_children;
		v[i].nr_children = 0;
	}
	for (uint32_t i = 1; i < d->n; i++)
		family[v[v[i].parent].first_child + v[v[i].parent].nr_children++] = i;
	v[0].next_sibling = NODE_NONE;
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t *child = &family[v[i].first_child];

		if (v[i].nr_children > 1)
			qsort_r(child, v[i].nr_children, sizeof(*child), treediff_compare_siblings, d);
		for (uint32_t c = 0; c < v[i].nr_children; c++)
			v[child[c]].next_sibling = c + 1 < v[i].nr_children ? child[c + 1] : NODE_NONE;
		v[i].first_child = v[i].nr_children ? child[0] : NODE_NONE;
	}
}

static bool treediff_build(struct diff *d, const uint64_t whole[DIFF_SIDES])
{
	const uint32_t most = d->tree[0]->n > d->tree[1]->n ? d->tree[0]->n : d->tree[1]->n;
	AUTO_FREE uint32_t *at = malloc(most * sizeof(*at));
	AUTO_FREE struct own *own = malloc(most * sizeof(*own));
	struct builder b = { .d = d, .at = at, .own = own };
	const bool ok = at && own && add_side(&b, DIFF_BEFORE) && add_side(&b, DIFF_AFTER);
	AUTO_FREE uint32_t *family = NULL;

	hidx_free(&b.nodes.index);
	d->node = b.nodes.v;
	d->n = (uint32_t)b.nodes.n;
	if (!ok)
		return false;
	family = malloc(d->n * sizeof(*family));
	if (!family)
		return false;
	treediff_sum_up(d->node, d->n);
	for (int side = 0; side < DIFF_SIDES; side++)
		d->parted |= tree_is_parted(d->tree[side]);
	diff_set_units(d, d->node[0].total.ns, whole);
	find_most(d);
	treediff_link_nodes(d, family);
	return true;
}

int diff_build(const struct tree *before, const struct tree *after, enum diff_norm norm,
	       const uint64_t whole[DIFF_SIDES], struct diff **ret, struct err *e)
{
	const struct tree *const tree[DIFF_SIDES] = { before, after };
	AUTO(diff_free) struct diff *d = calloc(1, sizeof(*d));

	if (!d)
		return err_nomem(e, "the difference");
	d->tree[DIFF_BEFORE] = before;
	d->tree[DIFF_AFTER] = after;
	d->norm = norm;
	d->matches = matches_new(tree);
	if (!d->matches || !treediff_build(d, whole))
		return err_nomem(e, "the difference");
	*ret = take_ptr(d);
	return 0;
}

uint64_t diff_scaled(const struct diff *d, uint64_t ns)
{
	const double scale = d->unit[DIFF_BEFORE] > 0 && d->unit[DIFF_AFTER] > 0 ?
		d->unit[DIFF_AFTER] / d->unit[DIFF_BEFORE] : 1;
	const double wanted = (double)ns * scale;

	if (scale == 1)
		return ns;
	return wanted < 1e19 ? (uint64_t)(wanted + 0.5) : UINT64_MAX;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	matches_free(d->matches);
	free(d->node);
	free(d);
}

/* "app-1 → app-2": two groups that were joined under different names. */
static void treediff_group_label(const struct diff *d, uint32_t what, char *dst, size_t size)
{
	const uint32_t before = matches_node(d->matches, DIFF_BEFORE, what),
		after = matches_node(d->matches, DIFF_AFTER, what);
	char other[LABEL_MAX];
	size_t at;

	if (before == NODE_NONE || after == NODE_NONE) {
		const int side = after == NODE_NONE ? DIFF_BEFORE : DIFF_AFTER;

		label_kin(d->tree[side], side == DIFF_AFTER ? after : before, dst, size);
		return;
	}
	label_kin(d->tree[DIFF_BEFORE], before, dst, size);
	label_kin(d->tree[DIFF_AFTER], after, other, sizeof(other));
	if (!strcmp(dst, other))
		return;
	at = label_put(dst, size, strlen(dst), " \xe2\x86\x92 ", 5);
	label_put(dst, size, at, other, strlen(other));
}

static void nameless_label(const struct tree *t, const struct tree_node *n, char *dst, size_t size)
{
	const module_id module = n->kind == NODE_FUNC ? names_func(t->names, n->func)->module :
							dict_get_frame(t->dict, n->frame)->module;
	const struct module *m = dict_get_module(t->dict, module);
	char file[LABEL_MAX];

	if (!m || m->kind == MODULE_ANON)
		snprintf(file, sizeof(file), "code made at run time");
	else if (m->kind == MODULE_KERNEL)
		snprintf(file, sizeof(file), "the kernel");
	else if (m->kind == MODULE_VDSO)
		snprintf(file, sizeof(file), "vdso");
	else
		label_file(t->dict, module_shown_path(m), file, sizeof(file));
	text_format(dst, size, "[no symbol in %.*s]", (int)text_whole(file, strnlen(file, LABEL_MAX - 32)), file);
}

uint32_t diff_named(const struct diff *d, uint32_t what, int *ret_side)
{
	return matches_named(d->matches, what, ret_side);
}

char *diff_label(const struct diff *d, uint32_t what, char *dst, size_t dst_size)
{
	int side;
	const uint32_t node = matches_named(d->matches, what, &side);
	const struct tree *t = d->tree[side];

	if (t->node[node].kind == NODE_GROUP)
		treediff_group_label(d, what, dst, dst_size);
	else if (matches_nameless(d->matches, what))
		nameless_label(t, &t->node[node], dst, dst_size);
	else
		tree_label(t, node, dst, dst_size);
	return dst;
}

const char *diff_suffix(const struct diff *d, uint32_t i)
{
	int side;
	const uint32_t node = matches_named(d->matches, d->node[i].what, &side);
	const char *suffix = tree_suffix(d->tree[side], node);

	/* Inlined here and there only: that is what the node says, and not the one that it is called by. */
	if (suffix[0] && strcmp(suffix, "_[i]"))
		return suffix;
	return d->node[i].inlined ? "_[i]" : "";
}
