/* SPDX-License-Identifier: BSD-2-Clause */
/* find_match.h - whether a name is what a point of a probe asks for. Private to find_*.c and to whoever lists. */
#ifndef SBERF_PROBE_FIND_MATCH_H
#define SBERF_PROBE_FIND_MATCH_H

#include "base/err.h"
#include "base/pattern.h"
#include "probe/spec.h"

#include <stdbool.h>

/* A name or pattern that is ready to be compared. */
struct find_match {
	enum spec_match match;
	const char *text;        /* borrowed */
	struct pattern regex;    /* SPEC_REGEX alone */
};

/*
 * Prepares for TEXT, meant as MATCH (SPEC_ANY, _EXACT, _WILDCARD or _REGEX; others compare exactly).
 * TEXT must outlive M. -EINVAL with a sentence when it is no regular expression. Free it afterwards.
 */
int find_match_init(struct find_match *m, enum spec_match match, const char *text, struct err *e);
void find_match_free(struct find_match *m);

/* Whether NAME is what M asks for. Not const: regular expressions keep count of their time. */
bool find_match_is(struct find_match *m, const char *name);

#endif
