/* SPDX-License-Identifier: BSD-2-Clause */
/* menu.h - a question that one key answers, as one line: the rows of a mode (keymap.h) that can be chosen from. */
#ifndef SBERF_UI_MENU_H
#define SBERF_UI_MENU_H

#include "ui/keymap.h"

#include <stdbool.h>
#include <stddef.h>

/* How a question is put, from the fullest form to the shortest. */
enum menu_form {
	MENU_FULL,
	MENU_KEYS,               /* less air */
	MENU_LETTERS,            /* keys without words */
	MENU_LEAST,
	MENU_FORMS,
};

/*
 * The question BEGIN, in words, as fully as fits into COLS columns; with what MODE has to choose from, where the source CAN, when KEYS, else only in forms
 * that are shorter than the full one. A star stands behind what ON says is on (CTX is its first argument; NULL = nothing is on or off).
 * Returns DST.
 */
typedef bool menu_on_fn(const void *ctx, enum action a);
char *menu_prompt(enum ui_mode mode, unsigned int can, bool keys, const char *const begin[MENU_FORMS], menu_on_fn *on, const void *ctx,
		  int cols, char *dst, size_t size);

#endif
