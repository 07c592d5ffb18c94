/* SPDX-License-Identifier: BSD-2-Clause */
/* viewsave.c - key S: asks for a format and saves what is shown as a file. */
#include "config.h"

#include "base/units.h"
#include "export/exporter.h"
#include "ui/menu.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

/* What is saved: the one in focus, if it shows the call tree in some way, else that as lines. */
static const struct pane *viewsave_saved(const struct view *v)
{
	return &v->pane[pane_is(&v->pane[v->focus], PANE_CALL_TREE) ? v->focus : PANE_HOME];
}

void view_save_begin(struct view *v)
{
	const struct pane *p = viewsave_saved(v);

	if (!p->built || !p->built->tree || !(p->tv->rows.n || view_has_idle(p)))
		view_say(v, "there is nothing to save yet");
	else
		v->over = MODE_SAVE;
}

enum reaction view_save_key(struct view *v, uint32_t key)
{
	const struct binding *b = keymap_binding(key, MODE_SAVE, view_can(v));

	if (!b)
		return REACT_NONE;
	v->over = 0;
	if (b->action == ACT_CANCEL)
		return REACT_DRAW;
	v->save_as = exporter_get(EXPORT_BY_SAVE, b->footer - 1u);
	return REACT_SAVE;
}

char *view_save_prompt(const struct view *v, int cols, bool keys, char *dst, size_t size)
{
	static const char *const begin[MENU_FORMS] = { "save what is shown as:", "save as:", "save as:", "as" };

	return menu_prompt(MODE_SAVE, view_can(v), keys, begin, NULL, NULL, cols, dst, size);
}

/*
 * "redis-server 1234: blocked . by process . in main", as far as there is room. A file has one side
 * of a comparison: what was since the mark.
 */
static void name_picture(const struct view *v, char *dst, size_t size)
{
	const struct pane *p = viewsave_saved(v);
	const uint32_t base = treeview_base(p->tv);
	struct text_builder w = text_builder_in(dst, size);
	char text[TITLE_MAX], label[LABEL_MAX], since[UNITS_MAX];

	text_builder_put(&w, "%s: %s", v->header.meta.target,
			 title_tree(&p->built->job.query, p->look.kinds, v->options, text, sizeof(text)));
	if (base)
		text_builder_put(&w, TEXT_BUILDER_DOT "in %s", tree_label(p->tv->tree, base, label, sizeof(label)));
	if (v->range.snapshot)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s", v->header.range);
	if (p->built->baseline && p->built->job.mark.mark_ns)
		text_builder_put(&w, TEXT_BUILDER_DOT "only the last %s", units_time(since, v->header.baseline_ns));
}

void view_save_job(const struct view *v, struct save_job *ret)
{
	const struct treeview *tv = viewsave_saved(v)->tv;
	const struct built *b = viewsave_saved(v)->built;

	*ret = (struct save_job){
		.exporter = v->save_as, .snapshot = snapshot_ref(b->snapshot), .query = b->tree->query,
			.meta = v->header.meta,
	};
	meta_of_file(&ret->meta);
	ret->query.max_nodes = 0;
	ret->query.within = tv->zoom.v;
	ret->query.nr_within = tv->tree->node[treeview_base(tv)].depth;
	name_picture(v, ret->title, sizeof(ret->title));
}
