/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pattern.h - regular expressions of bounded cost: regcomp(3), extended, that find something anywhere in a text or not.
 *
 * What would take for ever or fill the memory is refused: back references, for which no fast way is known, and repetitions that
 * multiply (((a{99}){99}){99}). What the library remembers of texts while it matches grows with the time that this takes, so it is
 * thrown away now and then. A pattern that still takes PATTERN_CPU_NS gives up.
 */
#ifndef SBERF_QUERY_PATTERN_H
#define SBERF_QUERY_PATTERN_H

#include "base/clock.h"
#include "base/err.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_SIZE_MAX 1000u   /* characters of a pattern whose repetitions are written out */
#define PATTERN_CPU_NS (2 * NSEC_PER_SEC)

struct pattern {
	regex_t regex;
	const char *text;        /* borrowed */
	size_t unclocked;        /* bytes that were looked at since the clock was read last */
	uint64_t clock_ns;       /* CPU time of the thread then */
	uint64_t spent_ns;       /* what it took in all, and since it was made: */
	uint64_t since_ns;
	bool made;
	bool gave_up;            /* it took too long, or there was no memory: nothing is found any more */
};

/*
 * Whether TEXT can be a pattern: 0, or -EINVAL with a sentence that names OPTION ("--focus"; NULL = nothing is named).
 */
int pattern_check(const char *text, const char *option, struct err *e);
/* Makes a pattern of TEXT, which must outlive it. False when it can be none, or there is no memory. */
bool pattern_init(struct pattern *p, const char *text);
void pattern_free(struct pattern *p);            /* zeroed is fine */
/* Whether it is found in TEXT. By one thread, which may do little else meanwhile. */
bool pattern_in(struct pattern *p, const char *text);

#endif
