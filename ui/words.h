/* SPDX-License-Identifier: BSD-2-Clause */
/* words.h - a line of text that grows at its end and is cut where there is no more room. */
#ifndef SBERF_UI_WORDS_H
#define SBERF_UI_WORDS_H

#include "model/dict.h"

#include <stddef.h>

#define WORDS_DOT " \xC2\xB7 "   /* between things that are said one after the other */

struct words {
	char *dst;               /* always NUL-terminated */
	size_t size, n;          /* bytes there are, bytes in use without the NUL */
};

/* An empty line of SIZE > 0 bytes at DST. */
struct words words_in(char *dst, size_t size);
void words_put(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Takes note of what somebody else wrote behind words_end(). */
void words_grown(struct words *w);

/* "worker 1235", sanitised; "[unknown]" when D has no thread ID. */
void words_thread(struct words *w, const struct dict *d, thread_id id);

#define words_end(w) ((w)->dst + (w)->n)
#define words_room(w) ((w)->size - (w)->n)

#endif
