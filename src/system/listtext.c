/* SPDX-License-Identifier: BSD-2-Clause */
/* listtext.c - see listtext.h. */
#include "config.h"

#include "system/listtext.h"

#include <string.h>

#define DOTS "..."
#define DOTS_LEN (sizeof(DOTS) - 1)

struct list_text list_text(char *dst, size_t size)
{
	dst[0] = '\0';
	return (struct list_text){ .dst = dst, .size = size };
}

void list_text_add(struct list_text *l, const char *item, size_t len)
{
	const size_t comma = l->len ? 1 : 0;

	if (l->cut)
		return;
	if (len >= l->size - l->len - comma) {
		/* What is cut is cut for good: a shorter item behind it would stand in the wrong place. */
		l->len = l->room;
		if (l->len)
			l->dst[l->len++] = ',';
		memcpy(l->dst + l->len, DOTS, DOTS_LEN + 1);
		l->len += DOTS_LEN;
		l->cut = true;
		return;
	}
	if (comma)
		l->dst[l->len++] = ',';
	memcpy(l->dst + l->len, item, len);
	l->len += len;
	l->dst[l->len] = '\0';
	/* ",..." and the NUL. */
	if (l->len + 1 + DOTS_LEN < l->size)
		l->room = l->len;
}

char *list_text_copy(char *dst, size_t size, const char *list, size_t len)
{
	struct list_text l = list_text(dst, size);
	const char *end = list + len;

	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *item_end = comma ? comma : end;

		list_text_add(&l, list, (size_t)(item_end - list));
		list = item_end + (comma ? 1 : 0);
	}
	return dst;
}
