/* SPDX-License-Identifier: BSD-2-Clause */
/* golden.h - screens compared with those that are kept in tests/golden. */
#ifndef SBERF_TESTS_UNIT_GOLDEN_H
#define SBERF_TESTS_UNIT_GOLDEN_H

#include "ui/canvas.h"

/*
 * Fails the test when what is on CV is not what tests/golden/NAME.txt holds. With
 * SBERF_GOLDEN=write in the environment the file is written instead; review it as a diff.
 */
void golden_screen(const struct canvas *cv, const char *name);

/* Whether TEXT is somewhere on the screen CV; the second fails when it is not, and shows the screen. */
bool screen_has(const struct canvas *cv, const char *text);
void assert_screen_has(const struct canvas *cv, const char *text);

#endif
