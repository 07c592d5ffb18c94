/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * menu.h - a question that is answered by one key, on one line: the choices are the rows of a mode
 * (keymap.h).
 */
#ifndef SBERF_UI_MENU_H
#define SBERF_UI_MENU_H

#include "ui/keymap.h"

#include <stdbool.h>
#include <stddef.h>

/* Forms of a question, from the longest to the shortest. */
enum menu_form {
	MENU_FULL,
	MENU_KEYS,               /* less air */
	MENU_LETTERS,            /* keys without words */
	MENU_LEAST,
	MENU_FORMS,
};

/*
 * Writes the question that begins with BEGIN to DST, in the longest form that fits into COLS
 * columns, with the choices of MODE for a source that can CAN. KEYS: with the keys of the choices;
 * else only in forms shorter than the full one. A star follows choices that ON says are on (its
 * first argument is CTX; NULL = none is). Returns DST.
 */
typedef bool menu_on_fn(const void *ctx, enum action a);
char *menu_prompt(enum ui_mode mode, unsigned int can, bool keys, const char *const begin[MENU_FORMS], menu_on_fn *on,
		  const void *ctx, int cols, char *dst, size_t size);

#endif
