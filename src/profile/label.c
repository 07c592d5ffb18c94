/* SPDX-License-Identifier: BSD-2-Clause */
/* label.c - the words for the nodes of a tree, some of them for waits too. All that is foreign goes through text_sanitise(). */
#include "config.h"

#include "profile/query.h"

#include "base/text.h"
#include "profile/group.h"
#include "profile/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t label_put(char *dst, size_t size, size_t at, const char *text, size_t len)
{
	return at + text_sanitise(dst + at, size - at, text, len);
}

static size_t put_str(const struct dict *d, char *dst, size_t size, size_t at, str_id id)
{
	return label_put(dst, size, at, strtab_get(dict_strings(d), id), strtab_len(dict_strings(d), id));
}

/* The last component of the LEN bytes at PATH. */
static const char *base_name(const char *path, size_t *len)
{
	const char *slash = memrchr(path, '/', *len);

	if (!slash || slash + 1 == path + *len)
		return path;
	*len -= (size_t)(slash + 1 - path);
	return slash + 1;
}

static size_t put_base_name(const struct dict *d, char *dst, size_t size, str_id path, const char *otherwise)
{
	size_t len = strtab_len(dict_strings(d), path);
	const char *s = base_name(strtab_get(dict_strings(d), path), &len);

	return len ? label_put(dst, size, 0, s, len) : label_put(dst, size, 0, otherwise, strlen(otherwise));
}

static void note_label(uint64_t note, char *dst, size_t size)
{
	if (note == NOTE_OTHER)
		snprintf(dst, size, "(other)");
	else if (note == NOTE_LOST)
		snprintf(dst, size, "[lost]");
	else if (note == NOTE_NO_STACK)
		snprintf(dst, size, "[no stack]");
	else if (note >= NOTE_CUT && note - NOTE_CUT <= UINT8_MAX)
		snprintf(dst, size, "[cut: %s]", cut_info((unsigned int)(note - NOTE_CUT))->name);
	else
		snprintf(dst, size, "[unknown]");
}

void label_place(const struct dict *d, frame_id id, char *dst, size_t size)
{
	const struct frame *f = dict_get_frame(d, id);
	const struct module *m = dict_get_module(d, f->module);
	size_t at;

	if (m->kind == MODULE_NOTE) {
		note_label(f->offset, dst, size);
		return;
	}
	if (m->kind == MODULE_KERNEL)
		at = label_put(dst, size, 0, "[kernel]", strlen("[kernel]"));
	else if (m->kind == MODULE_ANON)
		at = label_put(dst, size, 0, "[anon]", strlen("[anon]"));
	else
		at = put_base_name(d, dst, size, m->path, m->kind == MODULE_VDSO ? "[vdso]" : "[unknown]");
	snprintf(dst + at, size - at, "+0x%" PRIx64, f->offset);
}

void label_process(const struct dict *d, const struct thread *thread, char *dst, size_t size)
{
	size_t at = 0;

	if (thread->tid != thread->pid)
		at = put_base_name(d, dst, size, thread->exe, "");
	if (!at)
		at = put_str(d, dst, size, 0, thread->comm);
	if (thread->pid)
		snprintf(dst + at, size - at, "%s%d", at ? " " : "", (int)thread->pid);
}

size_t label_thread(const struct dict *d, const struct thread *thread, char *dst, size_t size)
{
	size_t at = put_str(d, dst, size, 0, thread->comm);

	if (thread->tid)
		snprintf(dst + at, size - at, "%s%d", at ? " " : "", (int)thread->tid);
	return strlen(dst);
}

static void group_label(const struct tree *t, const struct tree_node *n, char *dst, size_t size)
{
	const struct thread *thread = dict_get_thread(t->dict, n->thread);

	if (group_is_process(t->query.group_by, n->depth))
		label_process(t->dict, thread, dst, size);
	else if (t->query.group_by == GROUP_EXE)
		put_str(t->dict, dst, size, 0, thread->exe);
	else if (t->query.group_by == GROUP_CGROUP)
		put_str(t->dict, dst, size, 0, thread->cgroup);
	else if (t->query.group_by == GROUP_THREAD)
		label_thread(t->dict, thread, dst, size);
	else
		put_str(t->dict, dst, size, 0, thread->comm);
}

static void idle_label(uint32_t threads, char *dst, size_t size)
{
	if (threads == 1)
		snprintf(dst, size, "idle: 1 thread waits for events, for work, or sleeps");
	else
		snprintf(dst, size, "idle: %" PRIu32 " threads wait for events, for work, or sleep", threads);
}

char *tree_label(const struct tree *t, uint32_t node, char *dst, size_t dst_size)
{
	const struct tree_node *n = &t->node[node];
	const char *text;

	if (!dst_size)
		return dst;
	dst[0] = '\0';
	switch (n->kind) {
	case NODE_ROOT:
		label_put(dst, dst_size, 0, "all", strlen("all"));
		break;
	case NODE_GROUP:
		group_label(t, n, dst, dst_size);
		break;
	case NODE_IDLE:
		idle_label(n->frame, dst, dst_size);
		break;
	case NODE_FUNC:
		text = names_text(t->names, names_func(t->names, n->func)->name);
		label_put(dst, dst_size, 0, text, strlen(text));
		break;
	default:
		label_place(t->dict, n->frame, dst, dst_size);
		break;
	}
	if (!dst[0])
		label_put(dst, dst_size, 0, "[unknown]", strlen("[unknown]"));
	return dst;
}

static const char *func_suffix(const struct tree_node *n, const struct func *f)
{
	if (f->kind == FUNC_KERNEL)
		return "_[k]";
	if (n->inlined)
		return "_[i]";
	return f->kind == FUNC_JIT ? "_[j]" : "";
}

const char *tree_suffix(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	const struct module *m;

	if (n->kind == NODE_FUNC)
		return func_suffix(n, names_func(t->names, n->func));
	if (n->kind != NODE_ADDR)
		return "";
	m = dict_get_module(t->dict, dict_get_frame(t->dict, n->frame)->module);
	return m->kind == MODULE_KERNEL ? "_[k]" : m->kind == MODULE_ANON ? "_[j]" : "";
}

/* The entry of FN that made the node N; NULL when names have changed since. */
static const struct name *name_of(const struct tree *t, const struct tree_node *n, const struct frame_names *fn)
{
	const struct func *want = names_func(t->names, n->func);

	for (uint32_t i = 0; i < fn->n; i++) {
		const struct func *f = names_func(t->names, fn->name[i].func);

		if (f && f->name == want->name && f->module == want->module && (i < fn->n - 1u) == n->inlined)
			return &fn->name[i];
	}
	return NULL;
}

char *tree_line(const struct tree *t, uint32_t node, char *dst, size_t dst_size)
{
	const struct tree_node *n = &t->node[node];
	const struct frame_names *fn = n->kind == NODE_FUNC && n->place != ID_NONE ? names_get(t->names, n->place) : NULL;
	const struct name *name = fn ? name_of(t, n, fn) : NULL;
	const char *file;
	size_t len, at;

	if (dst_size)
		dst[0] = '\0';
	if (!name || !dst_size)
		return dst;
	file = names_text(t->names, name->file);
	len = strlen(file);
	if (!len)
		return dst;
	file = base_name(file, &len);
	at = label_put(dst, dst_size, 0, file, len);
	if (name->line)
		snprintf(dst + at, dst_size - at, ":%" PRIu32, name->line);
	return dst;
}
