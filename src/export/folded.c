/* SPDX-License-Identifier: BSD-2-Clause */
/* folded.c - a tree as folded stacks. */
#include "config.h"

#include "export/export.h"

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

int export_folded(FILE *out, const struct tree *t, struct err *e)
{
	/* Under groups the root says nothing; what never found a group is marked. */
	const bool grouped = t->query.group_by != GROUP_NONE || t->query.by_node;
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
