/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parse.h - parses numbers, times and sizes that a person or a /proc file wrote, with all checks.
 * There is no atoi or strtol elsewhere.
 *
 * Every function takes the whole NUL-terminated S, refuses trailing rubbish, signs and overflow,
 * returns 0 or a negative errno (-EINVAL, -ERANGE) with a sentence that quotes S, and leaves its
 * output untouched on failure.
 */
#ifndef SBERF_BASE_PARSE_H
#define SBERF_BASE_PARSE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef VEC(uint32_t) u32_vec;

/* Decimal, MIN to MAX inclusive. WHAT names the value in the sentence ("rate"). */
int parse_u64(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *ret, struct err *e);

/*
 * A time: digits, optionally with a decimal fraction, and a unit ns, us, ms, s, m or h; no unit =
 * seconds. In nanoseconds; a fraction finer than that is refused.
 */
int parse_time(const char *s, const char *what, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns, struct err *e);

/* Percent: digits, optionally with a fraction of at most nine, and a "%"; MIN to MAX inclusive. In percent. */
int parse_percent(const char *s, const char *what, uint64_t min, uint64_t max, double *ret, struct err *e);
/* The same with "px". */
int parse_pixels(const char *s, const char *what, uint64_t min, uint64_t max, double *ret, struct err *e);

/*
 * A size: digits with an optional K, M or G (1024-based, either case; B, or iB after a letter, may
 * follow). In bytes.
 */
int parse_size(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *ret, struct err *e);

/*
 * "3", "1,4", "0-3,8": what is named joins what *RET holds already; afterwards all of it is
 * ascending and without duplicates. Each at most MAX. A list that names more than PARSE_LIST_MAX
 * values is refused (-ERANGE).
 */
#define PARSE_LIST_MAX (1u << 20)
int parse_list(const char *s, const char *what, uint32_t max, u32_vec *ret, struct err *e);

/*
 * Hexadecimal without prefix at *P, at most 16 digits; advances *P past it. False (nothing changed)
 * when there is no digit or it overflows. For /proc/PID/maps and perf maps.
 */
bool parse_hex(const char **p, const char *end, uint64_t *ret);
/* The same for decimal. */
bool parse_dec(const char **p, const char *end, uint64_t *ret);

#endif
