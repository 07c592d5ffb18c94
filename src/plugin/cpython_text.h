/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython_text.h - reads what a code object of CPython says of itself: its name, its file, the line of
 * an instruction. Everything is read through the host, checked, and bounded.
 */
#ifndef SBERF_PLUGIN_CPYTHON_TEXT_H
#define SBERF_PLUGIN_CPYTHON_TEXT_H

#include <sberf/plugin.h>

#include "plugin/cpython_layout.h"

#include <stddef.h>
#include <stdint.h>

#define CPYTHON_LINES_MAX 65536u         /* bytes of a table of lines that are read */

/*
 * The string object at ADDRESS to DST as UTF-8, cut to SIZE with its end; TYPE is the address of its type, 0 = not
 * known. 0, or a negative errno (-EBADMSG: it is no string).
 */
int cpython_text(const struct sberf_host *host, const struct cpython_layout *l, uint64_t type, uint64_t address,
		 char *dst, size_t size);

/*
 * The line of the instruction at AT, in bytes from the first one, by the table of LENGTH bytes at TABLE of a
 * function that begins at line FIRST. 0 = it has none.
 */
uint32_t cpython_line(enum cpython_lines how, const uint8_t *table, size_t length, uint32_t first, int64_t at);

#endif
