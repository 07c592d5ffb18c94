/* SPDX-License-Identifier: BSD-2-Clause */
/* rowfilter.c - makes the filter that key f suggests from the row under the cursor. */
#include "config.h"

#include "ui/panes/rowfilter.h"

#include "base/text.h"
#include "query/label.h"
#include "query/threadtext.h"

#include <stdio.h>
#include <string.h>

bool rowfilter_number(struct filter_term *t, enum term_what what, long id)
{
	*t = (struct filter_term){ .what = (uint8_t)what };
	snprintf(t->text, sizeof(t->text), "%ld", id);
	return id >= 0;
}

bool rowfilter_thread(struct filter_term *t, const struct dict *d, thread_id id)
{
	const struct thread *thread = dict_get_thread(d, id);

	return thread && thread->tid && rowfilter_number(t, TERM_THREAD, thread->tid);
}

bool rowfilter_name(struct filter_term *t, enum term_what what, const char *name)
{
	*t = (struct filter_term){ .what = (uint8_t)what };
	if (!text_is_clean(name, strlen(name)))
		return false;
	return what == TERM_FUNCTION ? term_exactly(name, t->text) : term_literally(name, t->text);
}

bool rowfilter_path(struct filter_term *t, char *label)
{
	char *end = strstr(label, " \xE2\x80\xBA ");

	if (end)
		*end = '\0';
	return rowfilter_name(t, TERM_FUNCTION, label);
}

static bool rowfilter_group(struct filter_term *t, const struct tree *tree, const struct tree_node *n)
{
	const struct thread_text *text = thread_text_grouped(tree->query.group_by);
	const struct thread *thread = dict_get_thread(tree->dict, n->thread);
	const char *name, *slash;

	if (!thread)
		return false;
	if (text) {
		name = strtab_get(dict_strings(tree->dict), thread_text_id(text, thread));
		slash = text->path ? strrchr(name, '/') : NULL;
		return rowfilter_name(t, text->term, slash ? slash + 1 : name);
	}
	if (tree->query.group_by == GROUP_THREAD && n->parent && tree->node[n->parent].kind == NODE_GROUP)
		return rowfilter_thread(t, tree->dict, n->thread);
	return thread->pid && rowfilter_number(t, TERM_PROCESS, thread->pid);
}

bool rowfilter_node(struct filter_term *t, const struct tree *tree, uint32_t node)
{
	const struct tree_node *n = &tree->node[node];
	char label[TERM_TEXT_MAX];

	switch (n->kind) {
	case NODE_GROUP:
		return rowfilter_group(t, tree, n);
	case NODE_NUMA:
		return n->frame < NODES_MAX && rowfilter_number(t, TERM_NODE, (long)n->frame);
	case NODE_FUNC:
		return rowfilter_name(t, TERM_FUNCTION,
				      names_text(tree->names, names_func(tree->names, n->func)->name));
	case NODE_ADDR:
		return rowfilter_name(t, TERM_FUNCTION, tree_label(tree, node, label, sizeof(label)));
	default:
		return false;
	}
}
