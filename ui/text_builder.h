/* SPDX-License-Identifier: BSD-2-Clause */
/* text_builder.h - a line of text that grows at its end and is cut at the size of its buffer. */
#ifndef SBERF_UI_TEXT_BUILDER_H
#define SBERF_UI_TEXT_BUILDER_H

#include "model/dict.h"

#include <stddef.h>

#define TEXT_BUILDER_DOT " \xC2\xB7 "   /* between statements */

struct text_builder {
	char *dst;               /* always NUL-terminated */
	size_t size, n;          /* bytes there are, bytes in use without the NUL */
};

/* An empty line of SIZE > 0 bytes at DST. */
struct text_builder text_builder_in(char *dst, size_t size);
void text_builder_put(struct text_builder *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes note of text that was written behind text_builder_end(). */
void text_builder_grown(struct text_builder *w);

/* "worker 1235", sanitised; "[unknown]" when D has no thread ID. */
void text_builder_thread(struct text_builder *w, const struct dict *d, thread_id id);

#define text_builder_end(w) ((w)->dst + (w)->n)
#define text_builder_room(w) ((w)->size - (w)->n)

#endif
