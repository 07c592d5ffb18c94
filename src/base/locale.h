/* SPDX-License-Identifier: BSD-2-Clause */
/* locale.h - which characters whoever reads our text can read. */
#ifndef SBERF_BASE_LOCALE_H
#define SBERF_BASE_LOCALE_H

#include <stdbool.h>

/* Sets the character set of the environment (LC_CTYPE); true when it is UTF-8. */
bool locale_use(void);

#endif
