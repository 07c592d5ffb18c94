/* SPDX-License-Identifier: BSD-2-Clause */
/* find_match.c - see find_match.h. */
#include "config.h"

#include "probe/find_match.h"

#include "base/wildcard.h"

#include <errno.h>
#include <string.h>

int find_match_init(struct find_match *m, enum spec_match match, const char *text, struct err *e)
{
	*m = (struct find_match){ .match = match, .text = text };
	if (match != SPEC_REGEX)
		return 0;
	if (pattern_check(text, NULL, e) < 0)
		return -EINVAL;
	return pattern_init(&m->regex, text) ? 0 : err_nomem(e, "a regular expression");
}

void find_match_free(struct find_match *m)
{
	if (m->match == SPEC_REGEX)
		pattern_free(&m->regex);
}

bool find_match_is(struct find_match *m, const char *name)
{
	switch (m->match) {
	case SPEC_ANY:
		return true;
	case SPEC_WILDCARD:
		return wildcard_matches(m->text, name);
	case SPEC_REGEX:
		return pattern_in(&m->regex, name);
	default:
		return !strcmp(m->text, name);
	}
}
