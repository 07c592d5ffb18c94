/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unread.h - counts the files of which a part that names or stacks need could not be read, and
 * keeps the first few with the reason.
 */
#ifndef SBERF_MODEL_UNREAD_H
#define SBERF_MODEL_UNREAD_H

#include "base/err.h"

#include <stdint.h>

#define UNREAD_MAX 8u
#define UNREAD_TEXT 384u
/* how what is told begins of a file that is left alone, as reading it has ended sberf-worker twice */
#define UNREAD_LEFT "no more of it is read: sberf-worker ended twice while it read it"

struct unread {
	uint64_t n;
	/* "libfoo.so: its debug information is ...", sanitised; "" = no more of them are kept */
	char text[UNREAD_MAX][UNREAD_TEXT];
};

/* Adds the file at PATH, and the sentence of WHY. */
void unread_add(struct unread *u, const char *path, const struct err *why);
/* Adds what MORE has, as far as there is room for texts; those that are there already are not kept twice. */
void unread_join(struct unread *u, const struct unread *more);

#endif
