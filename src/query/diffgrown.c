/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffgrown.c - for a comparison of two profiles (treediff.h), computes how much each function
 * changed, how far that may be chance, and which functions grew most.
 */
#include "config.h"

#include "base/order.h"

#include "query/treediff.h"

#include "query/diffmatch.h"

#include <stdlib.h>
#include <string.h>

/* The weight of what a side of P is made of, typically: a heavy wait, or a sample. */
static double diffgrown_typical(const struct diff_pair *p)
{
	const double ns = (double)p->ns[DIFF_BEFORE] + (double)p->ns[DIFF_AFTER];

	return ns > 0 ? (p->squares[DIFF_BEFORE] + p->squares[DIFF_AFTER]) / ns : 0;
}

/* The variance of the share that P has on SIDE; W: the weight of one more sample for it, and of one against. */
static double diffgrown_variance(const struct diff *d, const struct diff_pair *p, int side, double w)
{
	const struct diff_pair *all = &d->node[0].total;
	const double sum = (double)all->ns[side] + 2 * w, rest = all->squares[side] - p->squares[side];
	const double share = ((double)p->ns[side] + w) / sum, scale = diff_share(d, side, all->ns[side]);
	const double v = (1 - share) * (1 - share) * (p->squares[side] + w * w) +
		share * share * (fmax(rest, 0) + w * w);

	if (d->norm == DIFF_BY_CALL)
		return d->unit[side] > 0 ? (p->squares[side] + w * w) / (d->unit[side] * d->unit[side]) : 0;
	return sum > 0 ? v / (sum * sum) * scale * scale : 0;
}

struct diff_change diff_judge(const struct diff *d, const struct diff_pair *p)
{
	struct diff_change c = {
		.before = diff_share(d, DIFF_BEFORE, p->ns[DIFF_BEFORE]),
			.after = diff_share(d, DIFF_AFTER, p->ns[DIFF_AFTER]),
	};
	const double w = diffgrown_typical(p);

	c.change = c.after - c.before;
	c.sigma = sqrt(diffgrown_variance(d, p, DIFF_BEFORE, w) + diffgrown_variance(d, p, DIFF_AFTER, w));
	return c;
}

/* Functions. */

struct gather {
	const struct diff *d;
	struct diff_func *func;          /* by what they are */
	uint32_t *open;                  /* by what they are: how often above the node at hand */
};

static bool diffgrown_is_function(const struct diff_node *n)
{
	return n->kind == NODE_FUNC || n->kind == NODE_ADDR;
}

static void diffgrown_enter(struct gather *g, const struct diff_node *n)
{
	struct diff_func *f = &g->func[n->what];

	if (!diffgrown_is_function(n))
		return;
	f->what = n->what;
	f->kind = n->kind == NODE_FUNC ? NODE_FUNC : f->kind ? f->kind : n->kind;
	diff_add(&f->self, &n->self);
	if (!g->open[n->what]++)
		diff_add(&f->total, &n->total);
}

/* Depth first, by links alone: stacks are thousands of frames deep. */
static void diffgrown_walk(struct gather *g)
{
	const struct diff_node *v = g->d->node;
	uint32_t i = 0;

	for (;;) {
		diffgrown_enter(g, &v[i]);
		if (v[i].first_child != NODE_NONE) {
			i = v[i].first_child;
			continue;
		}
		for (;;) {
			if (diffgrown_is_function(&v[i]))
				g->open[v[i].what]--;
			if (!i)
				return;
			if (v[i].next_sibling != NODE_NONE)
				break;
			i = v[i].parent;
		}
		i = v[i].next_sibling;
	}
}

static double change_of(const struct diff *d, const struct diff_pair *p)
{
	return diff_share(d, DIFF_AFTER, p->ns[DIFF_AFTER]) - diff_share(d, DIFF_BEFORE, p->ns[DIFF_BEFORE]);
}

static double diffgrown_most_of(const struct diff *d, const struct diff_func *f)
{
	return fmax(fabs(change_of(d, &f->self)), fabs(change_of(d, &f->total)));
}

static int diffgrown_compare_functions(const void *va, const void *vb, void *ctx)
{
	const struct diff *d = ctx;
	const struct diff_func *a = va, *b = vb;
	const double ma = diffgrown_most_of(d, a), mb = diffgrown_most_of(d, b);
	const double la = fmax((double)a->self.ns[DIFF_BEFORE], (double)a->self.ns[DIFF_AFTER]);
	const double lb = fmax((double)b->self.ns[DIFF_BEFORE], (double)b->self.ns[DIFF_AFTER]);

	if (ma != mb)
		return compare_numbers(mb, ma);
	if (la != lb)
		return compare_numbers(lb, la);
	return a->what == b->what ? 0 : matches_compare(d->matches, a->what, b->what);
}

int diff_functions(const struct diff *d, struct diff_func **ret, size_t *ret_n, struct err *e)
{
	const uint32_t all = matches_count(d->matches);
	AUTO_FREE struct diff_func *func = calloc(all, sizeof(*func));
	AUTO_FREE uint32_t *open = calloc(all, sizeof(*open));
	struct gather g = { .d = d, .func = func, .open = open };
	size_t n = 0;

	if (!func || !open)
		return err_nomem(e, "the list of functions");
	diffgrown_walk(&g);
	for (uint32_t i = 0; i < all; i++)
		if (func[i].kind)
			func[n++] = func[i];
	qsort_r(func, n, sizeof(*func), diffgrown_compare_functions, (void *)d);
	*ret = take_ptr(func);
	*ret_n = n;
	return 0;
}

/*
 * How many standard errors a normal deviate exceeds with probability P, 0 < P < 0.5, to 0.00045: M.
 * Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.2.23.
 */
static double normal_quantile(double p)
{
	const double t = sqrt(-2 * log(p));

	return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

#define FALSE_ALARMS 0.01        /* the probability of any when nothing changed, with LEAST 0 */
#define NEARLY 0.8               /* of another function's growth: whose own share grew by that is to blame for it */

static void diffgrown_consider(const struct diff *d, const struct diff_func *f, bool self, double least, double z,
			       struct diff_growth *best)
{
	const struct diff_change c = diff_judge(d, self ? &f->self : &f->total);

	if (c.change - z * c.sigma > least && (!best->func || c.change > best->change.change))
		*best = (struct diff_growth){ .func = f, .self = self, .change = c };
}

struct diff_growth diff_grown(const struct diff *d, const struct diff_func *f, size_t n, double least)
{
	const double z = normal_quantile(FALSE_ALARMS / (2 * (double)(n ? n : 1)));
	struct diff_growth self = { 0 }, total = { 0 };

	for (size_t i = 0; i < n; i++) {
		diffgrown_consider(d, &f[i], true, least, z, &self);
		diffgrown_consider(d, &f[i], false, least, z, &total);
	}
	return self.func && (!total.func || self.change.change >= NEARLY * total.change.change) ? self : total;
}
