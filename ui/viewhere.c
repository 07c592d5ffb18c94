/* SPDX-License-Identifier: BSD-2-Clause */
/* viewhere.c - the line under the cursor as a filter: what the prompt of key f begins with. */
#include "config.h"

#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static bool pick_number(struct filter_term *t, enum term_what what, long id)
{
	*t = (struct filter_term){ .what = (uint8_t)what };
	snprintf(t->text, sizeof(t->text), "%ld", id);
	return id >= 0;
}

static bool pick_thread(struct filter_term *t, const struct dict *d, thread_id id)
{
	const struct thread *thread = dict_get_thread(d, id);

	return thread && thread->tid && pick_number(t, TERM_THREAD, thread->tid);
}

/* A name that can be shown as it is; what cannot is no suggestion. */
static bool pick_name(struct filter_term *t, enum term_what what, const char *name)
{
	*t = (struct filter_term){ .what = (uint8_t)what };
	if (!text_is_clean(name, strlen(name)))
		return false;
	return what == TERM_FUNCTION ? term_exactly(name, t->text) : term_literally(name, t->text);
}

static bool pick_group(struct filter_term *t, const struct tree *tree, const struct tree_node *n)
{
	const struct thread *thread = dict_get_thread(tree->dict, n->thread);
	const struct strtab *st = dict_strings(tree->dict);
	const char *exe;

	if (!thread)
		return false;
	switch (tree->query.group_by) {
	case GROUP_COMM:
		return pick_name(t, TERM_THREAD, strtab_get(st, thread->comm));
	case GROUP_CGROUP:
		return pick_name(t, TERM_CGROUP, strtab_get(st, thread->cgroup));
	case GROUP_EXE:
		exe = strrchr(strtab_get(st, thread->exe), '/');
		return pick_name(t, TERM_PROCESS, exe ? exe + 1 : strtab_get(st, thread->exe));
	case GROUP_THREAD:
		if (n->parent && tree->node[n->parent].kind == NODE_GROUP)
			return pick_thread(t, tree->dict, n->thread);
		break;
	case GROUP_NONE:
	case GROUP_PROCESS:
		break;
	}
	return thread->pid && pick_number(t, TERM_PROCESS, thread->pid);
}

static bool pick_node(struct filter_term *t, const struct tree *tree, uint32_t node)
{
	const struct tree_node *n = &tree->node[node];
	char label[TERM_TEXT_MAX];

	switch (n->kind) {
	case NODE_GROUP:
		return pick_group(t, tree, n);
	case NODE_NUMA:
		return n->frame < NODES_MAX && pick_number(t, TERM_NODE, (long)n->frame);
	case NODE_FUNC:
		return pick_name(t, TERM_FUNCTION, names_text(tree->names, names_func(tree->names, n->func)->name));
	case NODE_ADDR:
		return pick_name(t, TERM_FUNCTION, tree_label(tree, node, label, sizeof(label)));
	default:
		return false;
	}
}

/* The function that a call path is called after, the first of them. */
static bool pick_path(struct filter_term *t, char *label)
{
	char *end = strstr(label, " \xE2\x80\xBA ");

	if (end)
		*end = '\0';
	return pick_name(t, TERM_FUNCTION, label);
}

static bool pick_wait(struct filter_term *t, const struct waits *w, uint32_t node)
{
	const struct wait_row *r = waitsview_row(w, node);
	const struct wait_open *o = waitsview_open(w, node);
	char name[CALL_NAME_MAX], label[LABEL_MAX];

	if (o)
		return pick_thread(t, w->dict, o->thread);
	switch (r ? r->level : WAIT_LEVEL_ALL) {
	case WAIT_LEVEL_NODE:
		return r->node < NODES_MAX && pick_number(t, TERM_NODE, r->node);
	case WAIT_LEVEL_CALL:
		return call_find(call_name(r->call, w->query.arch, name), w->query.arch) == r->call && pick_name(t, TERM_SYSCALL, name);
	case WAIT_LEVEL_STACK:
		return pick_path(t, waitsview_label(w, node, label, sizeof(label)));
	default:
		return false;
	}
}

static bool pick_numa(struct filter_term *t, const struct numaview *nv, uint32_t node)
{
	const struct numa_line *l = &nv->line[node];
	const int i = numaview_node(l);
	char label[LABEL_MAX];

	if (i >= 0)
		return pick_number(t, TERM_NODE, nv->v->node[i].id);
	if (l->level == NUMA_LEVEL_PLACE)
		return pick_node(t, nv->tree, node);
	if (l->level != NUMA_LEVEL_ROW)
		return false;
	switch (l->part) {
	case NUMA_PART_FUNCS:
		return pick_name(t, TERM_FUNCTION, numa_func_label(nv->v, l->i, label, sizeof(label)));
	case NUMA_PART_THREADS:
		return pick_thread(t, nv->v->dict, nv->v->thread[l->i].thread);
	case NUMA_PART_PROCESSES:
		return nv->v->state && pick_number(t, TERM_PROCESS, nv->v->state->process.v[l->i].pid);
	default:
		return false;
	}
}

bool view_filter_here(const struct view *v, struct filter_term *t)
{
	const struct treeview *tv = v->pane[v->focus].tv;
	const uint32_t node = tv->tree ? treeview_node(tv) : NODE_NONE;
	const struct thread_row *row;

	if (node == NODE_NONE || v->focus == PANE_TIME || tv->quality)
		return false;
	if (tv->threads) {
		row = threadspane_row(tv->threads, node);
		return row && pick_thread(t, tv->threads->dict, row->thread);
	}
	if (tv->numa)
		return pick_numa(t, tv->numa, node);
	return tv->waits ? pick_wait(t, tv->waits, node) : pick_node(t, tv->tree, node);
}
