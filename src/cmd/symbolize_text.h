/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_text.h - what `sberf symbolize` reads and prints on the command line and as a service. */
#ifndef SBERF_CMD_SYMBOLIZE_TEXT_H
#define SBERF_CMD_SYMBOLIZE_TEXT_H

#include <sberf/symbolize.h>
#include <stdint.h>
#include <stdio.h>

#define BUILD_ID_BYTES 20u       /* of the longest */

/* The build-id of LEN bytes, BUILD_ID_BYTES at most, whose hexadecimal digits are at TEXT. */
void symbolize_read_id(const char *text, size_t len, uint8_t *ret);

/* Prints the file of FN, sanitised, with the folder that it is relative to; nothing when it is unknown. */
void symbolize_print_file(FILE *f, const struct sberf_function *fn);

#endif
