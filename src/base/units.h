/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * units.h - writes numbers as people read them, in columns of constant width.
 *
 * Each writes at most UNITS_MAX - 1 bytes and a NUL into DST and returns DST.
 */
#ifndef SBERF_BASE_UNITS_H
#define SBERF_BASE_UNITS_H

#include <stdint.h>

#define UNITS_MAX 32

char *units_time(char dst[UNITS_MAX], uint64_t ns);              /* "987 ns" "20.7 ms" "1.00 s" "3m20" "2h11" */
char *units_bytes(char dst[UNITS_MAX], uint64_t bytes);          /* "512 B" "21 MB" "3.2 GB" (1024-based) */
char *units_count(char dst[UNITS_MAX], uint64_t n);              /* "999" "12.4k" "3.1M" */
/*
 * 0.418 -> "41.8 %", 1.31 -> "131.0 %". Never rounds up to 100.0 or down to 0.0: 0.9999 -> "99.9
 * %", 0.0001 -> "<0.1 %". What is no share (negative, NaN) is "? %".
 */
char *units_percent(char dst[UNITS_MAX], double fraction);
char *units_thousands(char dst[UNITS_MAX], uint64_t n);          /* "1,204" */

#endif
