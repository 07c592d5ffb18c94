/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * label.c - builds the texts for nodes of a call tree, and some that waits share: functions, places
 * without a name, files, notes. All foreign text goes through text_sanitise().
 */
#include "config.h"

#include "query/query.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "model/memory.h"
#include "query/group.h"
#include "query/label.h"
#include "query/shortname.h"
#include "query/spanfilter.h"
#include "query/holderparts.h"
#include "query/threadtext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

void label_file(const struct dict *d, str_id path, char *dst, size_t size)
{
	put_base_name(d, dst, size, path, "[unknown]");
}

static void note_label(uint64_t note, char *dst, size_t size)
{
	static const char *const of_memory[] = { "in the heap", "on the first stack", "in memory without a file",
						 "in shared memory" };

	if (note == NOTE_OTHER)
		snprintf(dst, size, "(other)");
	else if (note == NOTE_LOST)
		snprintf(dst, size, "[lost]");
	else if (note == NOTE_NO_STACK)
		snprintf(dst, size, "[no stack]");
	else if (note >= NOTE_HEAP && note <= NOTE_SHARED)
		snprintf(dst, size, "%s", of_memory[note - NOTE_HEAP]);
	else if (note >= NOTE_CUT && note - NOTE_CUT <= UINT8_MAX)
		snprintf(dst, size, "[cut: %s]", cut_info((unsigned int)(note - NOTE_CUT))->name);
	else
		snprintf(dst, size, "[unknown]");
}

/* As printf's %x, but searching writes a hundred thousand of them for a key. */
static void put_hex(char *dst, size_t size, uint64_t v)
{
	size_t n = 1;

	while (n < 16 && v >> 4 * n)
		n++;
	for (size_t i = 0; i < n && i + 1 < size; i++)
		dst[i] = "0123456789abcdef"[v >> 4 * (n - 1 - i) & 15];
	dst[n < size ? n : size - 1] = '\0';
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
		at = put_base_name(d, dst, size, module_shown_path(m), m->kind == MODULE_VDSO ? "[vdso]" : "[unknown]");
	at = label_put(dst, size, at, "+0x", strlen("+0x"));
	put_hex(dst + at, size - at, m->kind == MODULE_ANON ? f->offset : f->offset & ~FRAME_DATA);
}

void label_build_id(const struct module *m, char dst[2 * BUILD_ID_MAX + 1])
{
	dst[0] = '\0';
	for (unsigned int i = 0; i < m->build_id_len && i < BUILD_ID_MAX; i++)
		snprintf(dst + 2ul * i, 3, "%02x", m->build_id[i]);
}

/* "redis-server" of label_process(). Returns the length. */
static size_t label_put_process(const struct dict *d, const struct thread *thread, char *dst, size_t size)
{
	size_t at = 0;

	if (thread->tid != thread->pid)
		at = put_base_name(d, dst, size, thread->exe, "");
	return at ? at : put_str(d, dst, size, 0, thread->comm);
}

/* " 4711", or " 4711 (1 inside)" where the number is another one in a pid namespace of its own. */
static void label_put_number(char *dst, size_t size, size_t at, pid_t number, pid_t inside)
{
	const char *space = at ? " " : "";

	if (number && inside)
		snprintf(dst + at, size - at, "%s%d (%d inside)", space, (int)number, (int)inside);
	else if (number)
		snprintf(dst + at, size - at, "%s%d", space, (int)number);
}

void label_process(const struct dict *d, const struct thread *thread, char *dst, size_t size)
{
	label_put_number(dst, size, label_put_process(d, thread, dst, size), thread->pid, thread->pid_inside);
}

size_t label_thread(const struct dict *d, const struct thread *thread, char *dst, size_t size)
{
	label_put_number(dst, size, put_str(d, dst, size, 0, thread->comm), thread->tid, thread->tid_inside);
	return strlen(dst);
}

void label_numa(uint32_t node, char *dst, size_t size)
{
	if (node < NODES_MAX)
		snprintf(dst, size, "node %" PRIu32, node);
	else
		snprintf(dst, size, "unknown node");
}

static void label_of_group(const struct tree *t, const struct tree_node *n, char *dst, size_t size)
{
	const struct thread_text *text = thread_text_grouped(t->query.group_by);
	const struct thread *thread = dict_get_thread(t->dict, n->thread);

	if (group_is_process(&t->query, n->depth))
		label_process(t->dict, thread, dst, size);
	else if (!text)
		label_thread(t->dict, thread, dst, size);
	else if (!put_str(t->dict, dst, size, 0, thread_text_id(text, thread)))
		snprintf(dst, size, "%s", text->none);
}

void label_kin(const struct tree *t, uint32_t node, char *dst, size_t size)
{
	const struct tree_node *n = &t->node[node];
	const struct thread *thread = dict_get_thread(t->dict, n->thread);

	dst[0] = '\0';
	if (group_is_process(&t->query, n->depth))
		label_put_process(t->dict, thread, dst, size);
	else if (t->query.group_by == GROUP_THREAD)
		put_str(t->dict, dst, size, 0, thread->comm);
	else
		label_of_group(t, n, dst, size);
	if (!dst[0])
		label_put(dst, size, 0, "[unknown]", strlen("[unknown]"));
}

static void idle_label(uint32_t threads, char *dst, size_t size)
{
	if (threads == 1)
		snprintf(dst, size, "idle: 1 thread waits for events, for work, or sleeps");
	else
		snprintf(dst, size, "idle: %" PRIu32 " threads wait for events, for work, or sleep", threads);
}

/* The name of a function, short when asked for and there is memory for that. */
static void func_label(const struct tree *t, const struct tree_node *n, char *dst, size_t size)
{
	const char *text = names_text(t->names, names_func(t->names, n->func)->name);
	const size_t len = strlen(text);
	AUTO_FREE char *room = NULL;
	char small[LABEL_MAX];
	char *brief = small;

	if (!t->query.short_names) {
		label_put(dst, size, 0, text, len);
		return;
	}
	if (len >= sizeof(small))
		brief = room = malloc(len + 1);
	if (brief)
		label_put(dst, size, 0, brief, shortname(text, len, brief));
	else
		label_put(dst, size, 0, text, len);
}

char *tree_label(const struct tree *t, uint32_t node, char *dst, size_t dst_size)
{
	const struct tree_node *n = &t->node[node];

	if (!dst_size)
		return dst;
	dst[0] = '\0';
	switch (n->kind) {
	case NODE_ROOT:
		label_put(dst, dst_size, 0, "all", strlen("all"));
		break;
	case NODE_GROUP:
		label_of_group(t, n, dst, dst_size);
		break;
	case NODE_NUMA:
		label_numa(n->frame, dst, dst_size);
		break;
	case NODE_SPAN:
		span_place_label(&t->query, (enum span_place)n->frame, dst, dst_size);
		break;
	case NODE_HOLDER:
		holder_note(t->dict, n->thread, (enum holder_how)n->inlined, dst, dst_size);
		break;
	case NODE_IDLE:
		idle_label(n->frame, dst, dst_size);
		break;
	case NODE_FUNC:
		func_label(t, n, dst, dst_size);
		break;
	default:
		label_place(t->dict, n->frame, dst, dst_size);
		break;
	}
	if (!dst[0])
		label_put(dst, dst_size, 0, "[unknown]", strlen("[unknown]"));
	return dst;
}

static size_t thread_text_len(const struct dict *d, const struct thread *t)
{
	const struct strtab *st = dict_strings(d);

	return strtab_len(st, t->comm) + strtab_len(st, t->exe) + strtab_len(st, t->cgroup) +
		strtab_len(st, t->container) + strtab_len(st, t->host);
}

size_t tree_label_room(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	size_t len = 0;

	if (n->kind == NODE_FUNC)
		len = strlen(names_text(t->names, names_func(t->names, n->func)->name));
	else if (n->kind == NODE_GROUP)
		len = thread_text_len(t->dict, dict_get_thread(t->dict, n->thread));
	return 3 * len + LABEL_MAX;      /* text_sanitise() makes three bytes of one */
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

const char *tree_counted(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];
	const struct measure *lead = measure_lead(&t->set);
	const bool wall = measure_set_is_wall(&t->set), waits = wall && n->value[TIME_RUNNING] < n->total_ns;

	if (waits && n->value[TIME_RUNNING])
		return "samples and waits";
	if (waits)
		return n->count == 1 ? "wait" : "waits";
	if (wall || lead->estimate || lead->unit == UNIT_OWN)
		return n->count == 1 ? "sample" : "samples";
	return n->count == 1 ? "event" : "events";
}

bool tree_no_table(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->node[node];

	if (n->kind != NODE_ADDR && (n->kind != NODE_FUNC || n->inlined))
		return false;
	return dict_frame_flags(t->dict, n->place) & FRAME_F_NO_TABLE;
}

/* The entry of FN that made the node N; NULL when names have changed since. */
static const struct name *label_name_of(const struct tree *t, const struct tree_node *n, const struct frame_names *fn)
{
	const struct func *want = names_func(t->names, n->func);

	for (uint32_t i = 0; i < fn->n; i++) {
		const struct func *f = names_func(t->names, fn->name[i].func);

		if (f && f->name == want->name && f->module == want->module && (i < fn->n - 1u) == n->inlined)
			return &fn->name[i];
	}
	return NULL;
}

const char *tree_source(const struct tree *t, uint32_t node, uint32_t *ret_line)
{
	const struct tree_node *n = &t->node[node];
	const struct frame_names *fn = n->kind == NODE_FUNC && n->place != ID_NONE ?
		names_get(t->names, n->place) : NULL;
	const struct name *name = fn ? label_name_of(t, n, fn) : NULL;

	*ret_line = name ? name->line : 0;
	return name ? names_text(t->names, name->file) : "";
}

char *tree_line(const struct tree *t, uint32_t node, char *dst, size_t dst_size)
{
	uint32_t line;
	const char *file = tree_source(t, node, &line);
	size_t len = strlen(file), at;

	if (dst_size)
		dst[0] = '\0';
	if (!len || !dst_size)
		return dst;
	file = base_name(file, &len);
	at = label_put(dst, dst_size, 0, file, len);
	if (line)
		snprintf(dst + at, dst_size - at, ":%" PRIu32, line);
	return dst;
}
