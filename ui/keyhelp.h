/* SPDX-License-Identifier: BSD-2-Clause */
/* keyhelp.h - the help screen: the valid keys from the key table, the most important ones first. */
#ifndef SBERF_UI_KEYHELP_H
#define SBERF_UI_KEYHELP_H

#include "ui/canvas.h"
#include "ui/keymap.h"

/*
 * Draws the keys of MODE, with a source that can CAN, into LINES lines from row Y on, beginning
 * with line *TOP of the list; corrects *TOP to an existing line. Returns the length of the list in
 * lines.
 */
int keyhelp_draw(struct canvas *cv, int y, int lines, enum ui_mode mode, unsigned int can, int *top);

#endif
