/* SPDX-License-Identifier: BSD-2-Clause */
/* locale.h - finds out whether the reader of our text can read UTF-8. */
#ifndef SBERF_BASE_LOCALE_H
#define SBERF_BASE_LOCALE_H

#include <stdbool.h>

/* Sets the character set of the environment (LC_CTYPE); true when it is UTF-8. */
bool locale_use(void);

#endif
