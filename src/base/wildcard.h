/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wildcard.h - matches patterns with * and ?, like fnmatch(3), in time bounded by pattern times
 * text.
 */
#ifndef SBERF_BASE_WILDCARD_H
#define SBERF_BASE_WILDCARD_H

#include <stdbool.h>

/*
 * Whether all of TEXT is like PATTERN: * any characters, ? one, [a-z] [!a-z] one of (or none of)
 * these, \c the character itself. A bracket that is never closed is one.
 */
bool wildcard_matches(const char *pattern, const char *text);

#endif
