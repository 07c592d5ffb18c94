/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded.c - folded stacks. Nodes of the tree that read the same under parents that read the same become one *line node*; the
 * line nodes are then walked in the order of their text.
 */
#include "config.h"

#include "export/export.h"

#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "export/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line_node {
	uint32_t parent;
	str_id text;
	uint64_t self_ns;
	uint32_t children, first;        /* in folded.family */
	uint32_t at;                     /* the next child to be walked */
};

struct folded {
	const struct tree *t;
	struct strtab *texts;
	VEC(struct line_node) nodes;     /* parents before children; 0 = the root of the tree */
	struct hidx index;               /* of nodes, by parent and text */
	uint32_t *line_of;               /* by node of the tree */
	uint32_t *family;                /* nodes, siblings together, in order of text */
	uint64_t done_ns, written_us;
};

static uint64_t node_hash(uint32_t parent, str_id text)
{
	return hash_u64((uint64_t)parent << 32 | text);
}

static uint64_t node_rehash(const void *ctx, uint32_t id)
{
	const struct folded *f = ctx;

	return node_hash(f->nodes.v[id].parent, f->nodes.v[id].text);
}

/* The child of PARENT that reads TEXT; NODE_NONE when out of memory. */
static uint32_t line_node(struct folded *f, uint32_t parent, str_id text)
{
	const uint64_t h = node_hash(parent, text);
	uint32_t id;

	for (uint32_t at = hidx_first(&f->index, h); (id = hidx_id(&f->index, at)) != HIDX_NONE; at = hidx_next(&f->index, at))
		if (hidx_same(&f->index, at, h) && f->nodes.v[id].parent == parent && f->nodes.v[id].text == text)
			return id;
	if (!vec_reserve(&f->nodes, 1))
		return NODE_NONE;
	f->nodes.v[f->nodes.n] = (struct line_node){ .parent = parent, .text = text };
	if (!hidx_add(&f->index, h, (uint32_t)f->nodes.n, node_rehash, f))
		return NODE_NONE;
	return (uint32_t)f->nodes.n++;
}

static str_id node_text(struct folded *f, uint32_t node)
{
	char text[LABEL_MAX + 8];

	tree_label(f->t, node, text, LABEL_MAX);
	for (char *c = text; (c = strchr(c, ';'));)
		*c = ':';
	strcat(text, tree_suffix(f->t, node));
	return strtab_adds(f->texts, text);
}

/* Maps every node of the tree to its line node and sums what ends there. */
static bool merge(struct folded *f)
{
	for (uint32_t i = 0; i < f->t->n; i++) {
		const struct tree_node *n = &f->t->node[i];
		const str_id text = node_text(f, i);

		f->line_of[i] = text == STR_NONE ? NODE_NONE : line_node(f, i ? f->line_of[n->parent] : NODE_NONE, text);
		if (f->line_of[i] == NODE_NONE)
			return false;
		f->nodes.v[f->line_of[i]].self_ns += n->self_ns;
	}
	return true;
}

static int compare_texts(const void *va, const void *vb, void *ctx)
{
	const struct folded *f = ctx;
	const str_id a = f->nodes.v[*(const uint32_t *)va].text, b = f->nodes.v[*(const uint32_t *)vb].text;

	return strcmp(strtab_get(f->texts, a), strtab_get(f->texts, b));
}

/* Gathers siblings and sorts them. */
static bool sort_families(struct folded *f)
{
	struct line_node *v = f->nodes.v;
	uint32_t at = 0;

	f->family = malloc(f->nodes.n * sizeof(*f->family));
	if (!f->family)
		return false;
	for (size_t i = 1; i < f->nodes.n; i++)
		v[v[i].parent].children++;
	for (size_t i = 0; i < f->nodes.n; i++) {
		v[i].first = v[i].at = at;
		at += v[i].children;
	}
	for (size_t i = 1; i < f->nodes.n; i++)
		f->family[v[v[i].parent].at++] = (uint32_t)i;
	for (size_t i = 0; i < f->nodes.n; i++) {
		v[i].at = 0;
		if (v[i].children > 1)
			qsort_r(&f->family[v[i].first], v[i].children, sizeof(*f->family), compare_texts, f);
	}
	return true;
}

/* The microseconds of the next NS nanoseconds, so that all of them add up to the whole rounded once. */
static uint64_t next_us(struct folded *f, uint64_t ns)
{
	uint64_t us, before = f->written_us;

	f->done_ns += ns;
	us = f->done_ns / 1000 + (f->done_ns % 1000 >= 500);
	f->written_us = us;
	return us - before;
}

static void write_line(struct folded *f, struct out *o, const uint32_t *path, uint32_t depth, uint64_t ns)
{
	/* Under groups the root says nothing; what never found a group is marked. */
	const bool grouped = f->t->query.group_by != GROUP_NONE;

	if (grouped && !depth)
		out_text(o, "(other)");
	for (uint32_t i = grouped; i <= depth; i++) {
		if (i > grouped)
			out_text(o, ";");
		out_text(o, strtab_get(f->texts, f->nodes.v[path[i]].text));
	}
	out_format(o, " %" PRIu64 "\n", next_us(f, ns));
}

/* Walks the line nodes depth first. PATH has room for the deepest. */
static void write_lines(struct folded *f, struct out *o, uint32_t *path)
{
	uint32_t depth = 0;

	path[0] = 0;
	for (;;) {
		struct line_node *n = &f->nodes.v[path[depth]];

		if (!n->at && (n->self_ns || (!n->children && depth)))
			write_line(f, o, path, depth, n->self_ns);
		if (n->at < n->children) {
			path[++depth] = f->family[n->first + n->at++];
			continue;
		}
		if (!depth--)
			return;
		/* A parent with children to go has AT > 0 and is not written again. */
	}
}

static uint32_t deepest(const struct tree *t)
{
	uint32_t d = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->node[i].depth > d)
			d = t->node[i].depth;
	return d;
}

int export_folded(FILE *out, const struct tree *t, struct err *e)
{
	struct folded f = { .t = t, .texts = strtab_new(), .line_of = malloc(t->n * sizeof(*f.line_of)) };
	AUTO_FREE uint32_t *path = malloc((deepest(t) + 1ul) * sizeof(*path));
	struct out o = { .file = out };
	const bool ok = f.texts && f.line_of && path && merge(&f) && sort_families(&f);

	if (ok)
		write_lines(&f, &o, path);
	strtab_free(f.texts);
	vec_free(&f.nodes);
	hidx_free(&f.index);
	free(f.line_of);
	free(f.family);
	return ok ? out_end(&o, e) : err_nomem(e, "the folded stacks");
}
