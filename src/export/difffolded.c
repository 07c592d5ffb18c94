/* SPDX-License-Identifier: BSD-2-Clause */
/* difffolded.c - a difference as folded stacks with two numbers. */
#include "config.h"

#include "export/diff_view.h"

#include "base/cleanup.h"
#include "export/fold.h"

#include <stdlib.h>
#include <string.h>

#define SUFFIX_MAX 8u            /* tree_suffix() */

/* NS of before, scaled to the whole of after. */
static uint64_t difffolded_scaled(const struct diff *d, uint64_t ns)
{
	const double scale = d->unit[DIFF_BEFORE] > 0 && d->unit[DIFF_AFTER] > 0 ? d->unit[DIFF_AFTER] / d->unit[DIFF_BEFORE] : 1;
	const double wanted = (double)ns * scale;

	if (scale == 1)
		return ns;
	return wanted < 1e19 ? (uint64_t)(wanted + 0.5) : UINT64_MAX;
}

/* LINE is by node; TEXT has NAME_BYTES_MAX + SUFFIX_MAX bytes. */
static bool difffolded_add_nodes(struct fold *f, const struct diff *d, uint32_t *line, char *text)
{
	for (uint32_t i = 0; i < d->n; i++) {
		const struct diff_node *n = &d->node[i];

		diff_label(d, n->what, text, NAME_BYTES_MAX);
		strcat(text, diff_suffix(d, i));
		line[i] = fold_node(f, i ? line[n->parent] : FOLD_NONE, text);
		if (line[i] == FOLD_NONE)
			return false;
		f->nodes.v[line[i]].self_ns[DIFF_BEFORE] += difffolded_scaled(d, n->self.ns[DIFF_BEFORE]);
		f->nodes.v[line[i]].self_ns[DIFF_AFTER] += n->self.ns[DIFF_AFTER];
	}
	return true;
}

int export_diff_folded(FILE *out, const struct diff_view *v, struct err *e)
{
	const struct query *q = &v->diff->tree[DIFF_AFTER]->query;
	AUTO_FREE uint32_t *line = malloc(v->diff->n * sizeof(*line));
	AUTO_FREE char *text = malloc(NAME_BYTES_MAX + SUFFIX_MAX);
	struct out o = { .file = out };
	struct fold f;
	const bool ok = fold_init(&f, measure_lead(&v->diff->tree[DIFF_AFTER]->set)) && line && text &&
			difffolded_add_nodes(&f, v->diff, line, text) &&
			fold_write(&f, &o, DIFF_SIDES, q->group_by != GROUP_NONE || q->by_node);

	fold_free(&f);
	return ok ? out_end(&o, e) : err_nomem(e, "the folded stacks");
}
