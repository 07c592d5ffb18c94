/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pattern.h - extended regular expressions (regcomp(3)) of bounded cost, searched anywhere in a
 * text.
 *
 * Patterns that could run for ever or fill the memory are refused: back references, for which no
 * fast method is known, and nested repetitions (((a{99}){99}){99}). The library caches data while
 * it matches, and the cache grows with the time spent; so it is dropped now and then. A pattern
 * that has taken PATTERN_CPU_NS gives up.
 */
#ifndef SBERF_BASE_PATTERN_H
#define SBERF_BASE_PATTERN_H

#include "base/clock.h"
#include "base/err.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_SIZE_MAX 1000u   /* size limit of a pattern with its repetitions written out */
#define PATTERN_CPU_NS (2 * NSEC_PER_SEC)

struct pattern {
	regex_t regex;
	const char *text;        /* borrowed */
	size_t unclocked;        /* bytes searched since the clock was last read */
	uint64_t clock_ns;       /* CPU time of the thread then */
	uint64_t spent_ns;       /* total time, and time since the last compilation: */
	uint64_t since_ns;
	bool made;
	bool gave_up;            /* it took too long, or memory is out: it finds nothing any more */
};

/*
 * Checks whether TEXT is a usable pattern: 0, or -EINVAL with a sentence that names OPTION
 * ("--focus"; NULL = no name).
 */
int pattern_check(const char *text, const char *option, struct err *e);
/* Compiles TEXT, which must outlive P. False when it is not usable, or memory is out. */
bool pattern_init(struct pattern *p, const char *text);
void pattern_free(struct pattern *p);            /* zeroed is fine */
/*
 * Whether P is found in TEXT. The clock is the calling thread's CPU time, so that thread should do
 * little else meanwhile.
 */
bool pattern_in(struct pattern *p, const char *text);

#endif
