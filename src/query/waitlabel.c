/* SPDX-License-Identifier: BSD-2-Clause */
/* waitlabel.c - builds the texts for rows of the list of waits: system calls, stacks, wakers. */
#include "config.h"

#include "query/waits.h"

#include "base/text.h"
#include "query/label.h"
#include "query/stack_signature.h"

#include <stdio.h>
#include <string.h>

static struct stack_signature reading_of(const struct waits *w)
{
	return (struct stack_signature){ .d = w->dict, .names = w->names, .no_inlines = w->query.no_inlines,
				 .entry = w->entry, .funcs = w->funcs };
}

char *wait_stack_label(const struct waits *w, stack_id stack, char *dst, size_t size)
{
	const struct stack_signature r = reading_of(w);

	return stack_signature_text(&r, stack, dst, size);
}

struct wait_first wait_stack_first(const struct waits *w, stack_id stack)
{
	const struct stack_signature r = reading_of(w);
	struct wait_first first;

	first.stack = stack_signature_first(&r, stack, &first.name);
	return first;
}

/* "worker 1235 (redis-server 1234)", "redis-server 1234" */
static void waker_label(const struct waits *w, const struct wait_row *r, char *dst, size_t size)
{
	const struct thread *t = dict_get_thread(w->dict, r->thread);
	char process[LABEL_MAX];
	size_t at;

	if (r->context != WAKER_TASK || !t) {
		snprintf(dst, size, "%s%s", r->context == WAKER_TASK ? "unknown " : "", waker_context_name(r->context));
		return;
	}
	at = label_thread(w->dict, t, dst, size);
	if (t->tid == t->pid)
		return;
	label_process(w->dict, t, process, sizeof(process));
	text_format(dst + at, size - at, " (%s)", process);
}

/* "cpu.max of web": the limit that waits of R are for. */
static void limit_label(const struct waits *w, const struct wait_row *r, char *dst, size_t size)
{
	const char *group = strtab_get(dict_strings(w->dict), r->group);
	size_t at = text_format(dst, size, "%s", r->class == WAIT_CLASS_MEMORY ? "memory.high" : "cpu.max");

	if (!*group || !strcmp(group, "/"))
		return;
	at += text_format(dst + at, size - at, " of ");
	text_sanitise(dst + at, size - at, group, strlen(group));
}

char *wait_row_label(const struct waits *w, uint32_t i, char *dst, size_t size)
{
	const struct wait_row *r = &w->row[i];
	char name[CALL_NAME_MAX];

	if (!size)
		return dst;
	switch (r->level) {
	case WAIT_LEVEL_STACK:
		return wait_stack_label(w, r->stack, dst, size);
	case WAIT_LEVEL_WAKER:
		waker_label(w, r, dst, size);
		break;
	case WAIT_LEVEL_CALL:
		if (r->class == WAIT_CLASS_THROTTLED || r->class == WAIT_CLASS_MEMORY) {
			limit_label(w, r, dst, size);
			break;
		}
		snprintf(dst, size, "%s", call_name(r->call, w->query.arch, name));
		break;
	case WAIT_LEVEL_NODE:
		label_numa(r->node, dst, size);
		break;
	case WAIT_LEVEL_CLASS:
		snprintf(dst, size, "%s", wait_class_name(r->class));
		break;
	default:
		snprintf(dst, size, "all");
		break;
	}
	return dst;
}
