/* SPDX-License-Identifier: BSD-2-Clause */
/* clean.h - prints foreign text. */
#ifndef SBERF_CMD_CLEAN_H
#define SBERF_CMD_CLEAN_H

#include <stdio.h>

/* Prints S, sanitised (base/text.h), to F; nothing when out of memory. */
void print_clean(FILE *f, const char *s);

#endif
