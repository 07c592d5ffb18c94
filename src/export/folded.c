/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folded.c - a tree as folded stacks, one line for each different stack, in the order of their
 * text:
 *
 *	comm;main;work_[i];do_syscall_64_[k] 10101
 *
 * The group comes first ("all" when there are none; behind its node, "node 0;comm", when the tree
 * has these), then frames as they are called, with tree_suffix() behind and ";" in names replaced
 * by ":", then microseconds. Rounding: fold.h. A difference has two numbers on a line.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/cleanup.h"
#include "export/fold.h"

#include <stdlib.h>
#include <string.h>

#define SUFFIX_MAX 8u            /* tree_suffix() */

typedef VEC(char) text_vec;

/* What NODE reads, in TEXT, which grows as names do; NULL when out of memory. */
static char *node_text(const struct tree *t, uint32_t node, text_vec *text)
{
	const size_t room = tree_label_room(t, node);

	text->n = 0;
	if (!vec_reserve(text, room + SUFFIX_MAX))
		return NULL;
	tree_label(t, node, text->v, room);
	return strcat(text->v, tree_suffix(t, node));
}

/* LINE is by node of the tree. */
static bool folded_add_nodes(struct fold *f, const struct tree *t, uint32_t *line, text_vec *text)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tree_node *n = &t->node[i];
		char *name = node_text(t, i, text);

		line[i] = name ? fold_node(f, i ? line[n->parent] : FOLD_NONE, name) : FOLD_NONE;
		if (line[i] == FOLD_NONE)
			return false;
		f->nodes.v[line[i]].self_ns[0] += n->self_ns;
	}
	return true;
}

static int folded_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct tree *t = v->tree;
	/* Under groups the root says nothing; what never found a group is marked. */
	const bool grouped = t->query.group_by != GROUP_NONE || t->query.by_node ||
			     t->query.by_span;
	AUTO_FREE uint32_t *line = malloc(t->n * sizeof(*line));
	struct out o = { .file = out };
	text_vec text = { 0 };
	struct fold f;
	const bool ok = fold_init(&f, measure_lead(&t->set)) && line && folded_add_nodes(&f, t, line, &text) &&
			fold_write(&f, &o, 1, grouped);

	vec_free(&text);
	fold_free(&f);
	return ok ? out_end(&o, e) : err_nomem(e, "the folded stacks");
}

/* LINE is by node; TEXT has NAME_BYTES_MAX + SUFFIX_MAX bytes. */
static bool folded_diff_add_nodes(struct fold *f, const struct diff *d, uint32_t *line, char *text)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct diff_node *n = &d->node[i];

		diff_label(d, n->what, text, NAME_BYTES_MAX);
		strcat(text, diff_suffix(d, i));
		line[i] = fold_node(f, i ? line[n->parent] : FOLD_NONE, text);
		if (line[i] == FOLD_NONE)
			return false;
		f->nodes.v[line[i]].self_ns[DIFF_BEFORE] += diff_scaled(d, n->self.ns[DIFF_BEFORE]);
		f->nodes.v[line[i]].self_ns[DIFF_AFTER] += n->self.ns[DIFF_AFTER];
	}
	return true;
}

/*
 * Two numbers, as flamegraph.pl and inferno-flamegraph draw them. What was before is scaled so that
 * both are of the same whole: that of after (its total, or its wall time), or not at all without
 * normalisation.
 */
static int folded_write_diff(FILE *out, const struct diff_view *v, struct err *e)
{
	const struct query *q = &v->diff->tree[DIFF_AFTER]->query;
	AUTO_FREE uint32_t *line = malloc(v->diff->n * sizeof(*line));
	AUTO_FREE char *text = malloc(NAME_BYTES_MAX + SUFFIX_MAX);
	struct out o = { .file = out };
	struct fold f;
	const bool ok = fold_init(&f, measure_lead(&v->diff->tree[DIFF_AFTER]->set)) && line && text &&
			folded_diff_add_nodes(&f, v->diff, line, text) &&
			fold_write(&f, &o, DIFF_SIDES, q->group_by != GROUP_NONE || q->by_node || q->by_span);

	fold_free(&f);
	return ok ? out_end(&o, e) : err_nomem(e, "the folded stacks");
}

/* A line has one number. */
const struct exporter exporter_folded = {
	.name = "folded", .extensions = "folded",
	.about = "one line for each stack: its functions, separated by semicolons, and its weight in microseconds at "
		"the end; kernel functions end in _[k], inlined ones in _[i], those of JIT compilers in _[j]. Names "
		"of any length are whole",
	.reads = EXPORT_TREE_UNSORTED, .group_by = GROUP_COMM,
	.measures = MEASURES_ON_CPU, .waits_too = true,
	.takes = EXPORT_TAKES_INVERTED,
	.write = folded_write,
	.diff = {
		.about = "a line for each stack with two numbers, microseconds before and after, for flamegraph.pl and "
			"inferno-flamegraph; both are in proportion to the whole after",
		.group_by = GROUP_COMM, .measures = MEASURES_ON_CPU,
		.write = folded_write_diff,
	},
	.save = {
		.letter = 'f', .place = 4, .word = "folded", .help = "folded stacks",
		.use = "a line for each stack, its weight in microseconds",
	},
};
