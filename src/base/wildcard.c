/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wildcard.c - see wildcard.h. What a * stands for is tried from the shortest on, and only for the
 * last one that was met: an earlier one that took more would leave less for the same rest.
 * fnmatch(3) tries all of them.
 */
#include "config.h"

#include "base/wildcard.h"

#include "base/text.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ONE_MAX 256              /* bytes of a bracket expression */

/* Behind the bracket expression at AT, NULL when it is not closed. */
static const char *wildcard_bracket_end(const char *at)
{
	const char *end = at + 1;

	end += *end == '!' || *end == '^';
	end += *end == ']';
	while (*end && *end != ']') {
		const char kind = end[0] == '[' && end[1] && strchr(":.=", end[1]) ? end[1] : '\0';

		end += kind ? 2 : 1;
		while (kind && *end && !(end[0] == kind && end[1] == ']'))
			end++;
		end += kind && *end ? 2 : 0;
	}
	return *end && end + 1 - at < ONE_MAX ? end + 1 : NULL;
}

static bool bracket_has(const char *at, const char *end, const char *text, size_t len)
{
	char pattern[ONE_MAX], one[8];

	memcpy(pattern, at, (size_t)(end - at));
	pattern[end - at] = '\0';
	memcpy(one, text, len);
	one[len] = '\0';
	return !fnmatch(pattern, one, 0);
}

/* Whether what is at *PATTERN, no star, is like the character at *TEXT; both are moved behind it. */
static bool take_one(const char **pattern, const char **text)
{
	const char *p = *pattern, *end = *p == '[' ? wildcard_bracket_end(p) : NULL;
	uint32_t cp;
	size_t len;

	if (!*p || !**text)
		return false;
	len = text_decode(*text, strnlen(*text, 4), &cp);
	if (*p == '?' || end) {
		if (end && !bracket_has(p, end, *text, len))
			return false;
		*pattern = end ? end : p + 1;
		*text += len;
		return true;
	}
	p += p[0] == '\\' && p[1];
	if (*p != **text)
		return false;
	*pattern = p + 1;
	*text += 1;
	return true;
}

bool wildcard_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;   /* behind the last star, and where what it stands for ends */

	while (*text || *pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (!take_one(&pattern, &text)) {
			if (!star || !*from)
				return false;
			pattern = star;
			text = ++from;
		}
	}
	return true;
}
