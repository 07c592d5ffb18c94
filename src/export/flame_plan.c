/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_plan.c - puts the frames of a flame graph in the order in which they are drawn and written:
 * totals, siblings by weight, nodes in pre-order. It also holds the viewer (script and style) as
 * strings.
 */
#include "config.h"

#include "export/flame_plan.h"

#include "base/order.h"
#include "base/text.h"
#include "src/export/flame_viewer.h"

#include <stdlib.h>
#include <string.h>

static int compare_labels(const void *va, const void *vb, void *ctx)
{
	const struct flame *f = ctx;
	const struct flame_label *a = &f->labels.v[*(const uint32_t *)va], *b = &f->labels.v[*(const uint32_t *)vb];
	const size_t la = strtab_len(f->texts, a->text), lb = strtab_len(f->texts, b->text);
	const int c = memcmp(strtab_get(f->texts, a->text), strtab_get(f->texts, b->text), la < lb ? la : lb);

	if (c)
		return c;
	return la != lb ? compare_numbers(la, lb) : compare_numbers(a->kind, b->kind);
}

static bool sort_labels(struct flame_plan *p)
{
	const size_t n = p->f->labels.n;

	p->label_at = malloc((n + 1) * sizeof(*p->label_at));
	p->rank = malloc((n + 1) * sizeof(*p->rank));
	if (!p->label_at || !p->rank)
		return false;
	for (size_t i = 0; i < n; i++)
		p->label_at[i] = (uint32_t)i;
	qsort_r(p->label_at, n, sizeof(*p->label_at), compare_labels, (void *)p->f);
	for (size_t i = 0; i < n; i++)
		p->rank[p->label_at[i]] = (uint32_t)i;
	return true;
}

static double flame_plan_sum_of(const uint64_t part[TIME_NR])
{
	return (double)part[TIME_RUNNING] + (double)part[TIME_RUNNABLE] + (double)part[TIME_BLOCKED];
}

/* What 100 % is on each side of a comparison. */
static void flame_plan_wholes(const struct flame *f, double *before, double *after)
{
	*before = (double)f->before_whole;
	*after = (double)f->after_whole;
	for (size_t i = 0; i < f->nodes.n; i++) {
		if (!f->before_whole)
			*before += flame_plan_sum_of(f->nodes.v[i].before);
		if (!f->after_whole)
			*after += flame_plan_sum_of(f->nodes.v[i].self);
	}
	*before = *before > 0 ? *before : 1;
	*after = *after > 0 ? *after : 1;
}

static bool flame_plan_weigh(struct flame_plan *p)
{
	const struct flame *f = p->f;
	double before = 1, after = 1;

	p->weight = malloc(f->nodes.n * sizeof(*p->weight));
	if (!p->weight)
		return false;
	if (f->compared)
		flame_plan_wholes(f, &before, &after);
	for (size_t i = 0; i < f->nodes.n; i++) {
		p->weight[i] = flame_plan_sum_of(f->nodes.v[i].self);
		if (f->compared)
			p->weight[i] = (p->weight[i] / after + flame_plan_sum_of(f->nodes.v[i].before) / before) / 2;
	}
	for (size_t i = f->nodes.n - 1; i > 0; i--)
		p->weight[f->nodes.v[i].parent] += p->weight[i];
	return true;
}

static int compare_nodes(const void *va, const void *vb, void *ctx)
{
	const struct flame_plan *p = ctx;
	const uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const uint32_t ra = p->rank[p->f->nodes.v[a].label], rb = p->rank[p->f->nodes.v[b].label];

	if (p->weight[a] != p->weight[b])
		return compare_numbers(p->weight[b], p->weight[a]);
	return ra != rb ? compare_numbers(ra, rb) : compare_numbers(a, b);
}

/* Children of node i are family[first[i]] to family[first[i + 1] - 1]. */
static void flame_plan_gather(const struct flame_plan *p, uint32_t *first, uint32_t *family)
{
	const struct flame_node *v = p->f->nodes.v;

	for (uint32_t i = 1; i < p->n; i++)
		first[v[i].parent + 2]++;
	for (uint32_t i = 2; i <= p->n; i++)
		first[i] += first[i - 1];
	/* first[i + 1] is where the next child of i goes now, and where they end then. */
	for (uint32_t i = 1; i < p->n; i++)
		family[first[v[i].parent + 1]++] = i;
	for (uint32_t i = 0; i < p->n; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(&family[first[i]], first[i + 1] - first[i], sizeof(*family), compare_nodes, (void *)p);
}

/* Weights are sums: a frame in which nothing ends and that called one other weighs exactly what that one does. */
static bool is_run(const struct flame_plan *p, uint32_t i, uint32_t parent)
{
	const struct flame_node *v = p->f->nodes.v;

	return v[i].label == v[parent].label && p->weight[i] == p->weight[parent] &&
	       !strcmp(strtab_get(p->f->texts, p->f->labels.v[v[i].label].text), FLAME_UNKNOWN);
}

/* Fills p->row; parents come first. */
static bool flame_plan_count_rows(struct flame_plan *p)
{
	p->row = malloc(p->n * sizeof(*p->row));
	if (!p->row)
		return false;
	for (uint32_t at = 0; at < p->n; at++) {
		const uint32_t i = p->node[at], parent = p->f->nodes.v[i].parent;

		p->row[i] = at ? p->row[parent] + !(p->node[at - 1] == parent && is_run(p, i, parent)) : 0;
	}
	return true;
}

bool flame_follows(const struct flame_plan *p, uint32_t at)
{
	return at && p->row[p->node[at]] == p->row[p->f->nodes.v[p->node[at]].parent];
}

/*
 * Pre-order, from a stack of nodes to be visited, the next one last. A node's depth is kept where
 * the node will be found.
 */
static bool flame_plan_order(struct flame_plan *p)
{
	AUTO_FREE uint32_t *first = calloc(p->n + 3ul, sizeof(*first)), *family = malloc(p->n * sizeof(*family));
	AUTO_FREE uint32_t *stack = malloc(p->n * sizeof(*stack)), *level = calloc(p->n, sizeof(*level));
	size_t top = 0;

	p->node = malloc(p->n * sizeof(*p->node));
	p->depth = malloc(p->n * sizeof(*p->depth));
	if (!first || !family || !stack || !level || !p->node || !p->depth)
		return false;
	flame_plan_gather(p, first, family);
	stack[top++] = 0;
	for (uint32_t at = 0; top; at++) {
		const uint32_t i = stack[--top];

		p->node[at] = i;
		p->depth[at] = level[i];
		p->deepest = level[i] > p->deepest ? level[i] : p->deepest;
		for (uint32_t c = first[i + 1]; c > first[i]; c--) {
			level[family[c - 1]] = level[i] + 1;
			stack[top++] = family[c - 1];
		}
	}
	return true;
}

static void find_parts(struct flame_plan *p)
{
	for (unsigned int k = 0; k < TIME_NR; k++)
		for (size_t i = 0; i < p->f->nodes.n; i++)
			if (p->f->nodes.v[i].self[k] || p->f->nodes.v[i].before[k]) {
				p->part[p->parts++] = (uint8_t)k;
				break;
			}
	if (!p->parts)
		p->part[p->parts++] = TIME_RUNNING;
}

int flame_plan(struct flame_plan *p, const struct flame *f, const struct flame_options *o, struct err *e)
{
	*p = (struct flame_plan){ .f = f, .n = (uint32_t)f->nodes.n };
	if (o)
		p->o = *o;
	if (!(p->o.min_width > 0))
		p->o.min_width = FLAME_MIN_WIDTH_DEFAULT;
	p->text = malloc(FLAME_TEXT_MAX + 1);
	p->other = malloc(FLAME_TEXT_MAX + 1);
	if (!p->text || !p->other || !sort_labels(p) || !flame_plan_weigh(p) || !flame_plan_order(p) ||
	    !flame_plan_count_rows(p))
		return err_nomem(e, "the flame graph");
	find_parts(p);
	return 0;
}

void flame_plan_free(struct flame_plan *p)
{
	free(p->node);
	free(p->depth);
	free(p->row);
	free(p->weight);
	free(p->label_at);
	free(p->rank);
	free(p->text);
	free(p->other);
	*p = (struct flame_plan){ 0 };
}

size_t flame_text(const struct flame_plan *p, uint32_t label, char *dst)
{
	const str_id text = p->f->labels.v[label].text;

	return text_sanitise(dst, FLAME_TEXT_MAX + 1, strtab_get(p->f->texts, text), strtab_len(p->f->texts, text));
}

const char *flame_clean(const struct flame_plan *p, str_id text, const char *otherwise)
{
	const size_t len = strtab_len(p->f->texts, text);

	if (!len)
		return otherwise;
	text_sanitise(p->text, FLAME_TEXT_MAX + 1, strtab_get(p->f->texts, text), len);
	return p->text;
}

void flame_escape(struct out *o, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '&':
			out_text(o, "&amp;");
			break;
		case '<':
			out_text(o, "&lt;");
			break;
		case '>':
			out_text(o, "&gt;");
			break;
		case '"':
			out_text(o, "&quot;");
			break;
		case '\'':
			out_text(o, "&#39;");
			break;
		default:
			putc_unlocked(text[i], o->file);
			break;
		}
	}
}
