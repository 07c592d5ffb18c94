/* SPDX-License-Identifier: BSD-2-Clause */
/* unread.c - see unread.h. Paths and sentences hold names that somebody else chose. */
#include "config.h"

#include "model/unread.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where the next text goes; NULL = TEXT is there already, or there is no more room. */
static char *unread_place(struct unread *u, const char *text)
{
	for (unsigned int i = 0; i < UNREAD_MAX; i++) {
		if (!u->text[i][0])
			return u->text[i];
		if (!strcmp(u->text[i], text))
			return NULL;
	}
	return NULL;
}

static void unread_keep(struct unread *u, const char *text)
{
	char *place = unread_place(u, text);

	if (place)
		snprintf(place, UNREAD_TEXT, "%s", text);
}

void unread_add(struct unread *u, const char *path, const struct err *why)
{
	const char *slash = strrchr(path, '/');
	char raw[UNREAD_TEXT], clean[UNREAD_TEXT];
	size_t n;

	u->n++;
	n = text_format(raw, sizeof(raw), "%s: %s", slash ? slash + 1 : path, why->text);
	text_sanitise(clean, sizeof(clean), raw, n);
	unread_keep(u, clean);
}

void unread_join(struct unread *u, const struct unread *more)
{
	u->n += more->n;
	for (unsigned int i = 0; i < UNREAD_MAX && more->text[i][0]; i++)
		unread_keep(u, more->text[i]);
}
