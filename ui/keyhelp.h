/* SPDX-License-Identifier: BSD-2-Clause */
/* keyhelp.h - the help screen: the keys that are valid, as the key table says them, those that matter most first. */
#ifndef SBERF_UI_KEYHELP_H
#define SBERF_UI_KEYHELP_H

#include "ui/canvas.h"
#include "ui/keymap.h"

/*
 * Draws the keys of MODE into LINES lines from row Y on, from line *TOP of the list on, which is corrected to what exists.
 * Returns how many lines that list has.
 */
int keyhelp_draw(struct canvas *cv, int y, int lines, enum ui_mode mode, unsigned int can, int *top);

#endif
