/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listtext.h - writes lists such as "0-3,8" into a buffer of fixed size; what does not fit is
 * truncated at a comma, and "..." stands for it.
 */
#ifndef SBERF_SYSTEM_LISTTEXT_H
#define SBERF_SYSTEM_LISTTEXT_H

#include <stdbool.h>
#include <stddef.h>

struct list_text {
	char *dst;
	size_t size;             /* of DST, at least 8 */
	size_t len;              /* so far */
	size_t room;             /* length up to which "..." still fits */
	bool cut;                /* something did not fit; nothing is added any more */
};

/* An empty list in SIZE bytes at DST. */
struct list_text list_text(char *dst, size_t size);
/* Appends one item, behind a comma when it is not the first. */
void list_text_add(struct list_text *l, const char *item, size_t len);
/* Copies the list LIST of LEN bytes, items separated by commas, into SIZE bytes at DST; returns DST. */
char *list_text_copy(char *dst, size_t size, const char *list, size_t len);

#endif
