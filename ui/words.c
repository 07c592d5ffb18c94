/* SPDX-License-Identifier: BSD-2-Clause */
/* words.c - see words.h. */
#include "config.h"

#include "ui/words.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words words_in(char *dst, size_t size)
{
	dst[0] = '\0';
	return (struct words){ .dst = dst, .size = size };
}

void words_put(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vformat(words_end(w), words_room(w), fmt, ap);
	va_end(ap);
	words_grown(w);
}

void words_grown(struct words *w)
{
	w->n += strlen(words_end(w));
}

void words_thread(struct words *w, const struct dict *d, thread_id id)
{
	const struct thread *t = dict_get_thread(d, id);
	const struct strtab *st = dict_strings(d);

	if (!t) {
		words_put(w, "[unknown]");
		return;
	}
	text_sanitise(words_end(w), words_room(w), strtab_get(st, t->comm), strtab_len(st, t->comm));
	words_grown(w);
	words_put(w, " %d", (int)t->tid);
}
