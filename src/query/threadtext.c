/* SPDX-License-Identifier: BSD-2-Clause */
/* threadtext.c - the table. */
#include "config.h"

#include "query/threadtext.h"

#include "base/strtab.h"

#include <stddef.h>

#define OF(member) ((uint16_t)offsetof(struct thread, member))

static const struct thread_text texts[] = {
	{ .by = GROUP_EXE, .term = TERM_PROCESS, .path = true, .text = OF(exe), .none = "" },
	{ .by = GROUP_COMM, .term = TERM_THREAD, .text = OF(comm), .none = "" },
	{ .by = GROUP_CGROUP, .term = TERM_CGROUP, .alone = true, .part = true, .text = OF(cgroup), .none = "" },
	{ .by = GROUP_CONTAINER, .term = TERM_CONTAINER, .alone = true, .part = true, .text = OF(container),
	  .also = OF(image), .none = "no container" },
	{ .by = GROUP_HOST, .term = TERM_HOST, .alone = true, .text = OF(host), .none = "this host" },
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

const struct thread_text *thread_text_grouped(enum group_by by)
{
	for (size_t i = 0; i < TEXTS; i++)
		if (texts[i].by == by)
			return &texts[i];
	return NULL;
}

const struct thread_text *thread_text_filtered(enum term_what what)
{
	for (size_t i = 0; i < TEXTS; i++)
		if (texts[i].alone && texts[i].term == what)
			return &texts[i];
	return NULL;
}

static str_id text_at(const struct thread *t, size_t offset)
{
	return *(const str_id *)(const void *)((const char *)t + offset);
}

str_id thread_text_id(const struct thread_text *x, const struct thread *t)
{
	return text_at(t, x->text);
}

static bool text_has(const struct thread_text *x, const struct dict *d, str_id text, const char *pattern)
{
	return term_matches(pattern, strtab_get(dict_strings(d), text), strtab_len(dict_strings(d), text), x->part);
}

bool thread_text_matches(const struct thread_text *x, const struct dict *d, const struct thread *t,
			 const char *pattern)
{
	return text_has(x, d, text_at(t, x->text), pattern) ||
	       (x->also && text_has(x, d, text_at(t, x->also), pattern));
}
