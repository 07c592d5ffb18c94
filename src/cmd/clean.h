/* SPDX-License-Identifier: BSD-2-Clause */
/* clean.h - prints foreign text. */
#ifndef SBERF_CMD_CLEAN_H
#define SBERF_CMD_CLEAN_H

/* Prints S, sanitised (base/text.h), to standard output; nothing when out of memory. */
void print_clean(const char *s);

#endif
