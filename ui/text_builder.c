/* SPDX-License-Identifier: BSD-2-Clause */
/* text_builder.c - appends formatted text to a line of bounded size. */
#include "config.h"

#include "ui/text_builder.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text_builder text_builder_in(char *dst, size_t size)
{
	dst[0] = '\0';
	return (struct text_builder){ .dst = dst, .size = size };
}

void text_builder_put(struct text_builder *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vformat(text_builder_end(w), text_builder_room(w), fmt, ap);
	va_end(ap);
	text_builder_grown(w);
}

void text_builder_grown(struct text_builder *w)
{
	w->n += strlen(text_builder_end(w));
}

void text_builder_thread(struct text_builder *w, const struct dict *d, thread_id id)
{
	const struct thread *t = dict_get_thread(d, id);
	const struct strtab *st = dict_strings(d);

	if (!t) {
		text_builder_put(w, "[unknown]");
		return;
	}
	text_sanitise(text_builder_end(w), text_builder_room(w), strtab_get(st, t->comm), strtab_len(st, t->comm));
	text_builder_grown(w);
	text_builder_put(w, " %d", (int)t->tid);
}
