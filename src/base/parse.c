/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parse.c - one digit loop with an overflow check under every number, and one sentence for every
 * way of being wrong.
 */
#include "config.h"

#include "base/parse.h"

#include "base/clock.h"
#include "base/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t each;
};

/* From large to small, so that limits are printed in the largest unit that fits. */
static const struct unit times[] = {
	{ "h", 3600 * NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "s", NSEC_PER_SEC },
	{ "ms", NSEC_PER_MSEC }, { "us", NSEC_PER_USEC }, { "ns", 1 },
};
static const struct unit sizes[] = { { "G", 1u << 30 }, { "M", 1u << 20 }, { "K", 1u << 10 }, { "", 1 } };
static const struct unit plain[] = { { "", 1 } };

#define UNITS(table) table, sizeof(table) / sizeof((table)[0])

static const char *text_end(const char *s)
{
	return s + strlen(s);
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* What *P stops at and what was read, however it ended: DIGITS_NONE, DIGITS_OVERFLOW or DIGITS_OK. */
enum digits { DIGITS_OK, DIGITS_NONE, DIGITS_OVERFLOW };

static enum digits read_digits(const char **p, const char *end, int base, uint64_t *ret)
{
	const char *at = *p;
	uint64_t v = 0;

	for (; at < end && digit_value(*at) < base; at++)
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit_value(*at), &v))
			return DIGITS_OVERFLOW;
	if (at == *p)
		return DIGITS_NONE;
	*p = at;
	*ret = v;
	return DIGITS_OK;
}

bool parse_hex(const char **p, const char *end, uint64_t *ret)
{
	const char *at = *p;
	uint64_t v;

	if (read_digits(&at, end, 16, &v) != DIGITS_OK || at - *p > 16)
		return false;
	*p = at;
	*ret = v;
	return true;
}

bool parse_dec(const char **p, const char *end, uint64_t *ret)
{
	return read_digits(p, end, 10, ret) == DIGITS_OK;
}

/* V in the largest of UNITS that divides it. */
static const char *parse_exact(char *dst, size_t dst_size, uint64_t v, const struct unit *units, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && (!v || v % units[i].each))
		i++;
	snprintf(dst, dst_size, "%" PRIu64 "%s", v / units[i].each, units[i].name);
	return dst;
}

static int out_of_range(const char *s, const char *what, uint64_t min, uint64_t max, const struct unit *units, size_t n,
			struct err *e)
{
	char lo[40], hi[40];

	parse_exact(lo, sizeof(lo), min, units, n);
	parse_exact(hi, sizeof(hi), max, units, n);
	if (max == UINT64_MAX)
		return err_set(e, ERANGE, "%s '%s' is out of range: it must be at least %s", what, s, lo);
	return err_set(e, ERANGE, "%s '%s' is out of range: it must be from %s to %s", what, s, lo, hi);
}

static int parse_malformed(const char *s, const char *what, const char *example, struct err *e)
{
	return err_set(e, EINVAL, "%s '%s' is not %s", what, s, example);
}

int parse_u64(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *ret, struct err *e)
{
	const char *p = s;
	uint64_t v = 0;
	const enum digits d = read_digits(&p, text_end(s), 10, &v);

	if (d == DIGITS_NONE || (d == DIGITS_OK && *p))
		return parse_malformed(s, what, "a whole number", e);
	if (d == DIGITS_OVERFLOW || v < min || v > max)
		return out_of_range(s, what, min, max, UNITS(plain), e);
	*ret = v;
	return 0;
}

/* ".25" of a unit of EACH ns. False when it is no fraction or finer than a nanosecond. */
static bool read_fraction(const char **p, uint64_t each, uint64_t *ret)
{
	const char *at = *p + 1;
	uint64_t v = 0;

	if (digit_value(*at) > 9)
		return false;
	for (; digit_value(*at) <= 9; at++) {
		if (each % 10 && *at != '0')
			return false;
		each /= 10;
		v += (uint64_t)digit_value(*at) * each;
	}
	*p = at;
	*ret = v;
	return true;
}

static const struct unit *parse_find_unit(const char *name, const struct unit *units, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

int parse_time(const char *s, const char *what, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns, struct err *e)
{
	const char *p = s, *example = "a time such as 500ms, 5s or 2m";
	uint64_t v = 0, fraction = 0;
	const enum digits d = read_digits(&p, text_end(s), 10, &v);
	const struct unit *u;

	if (d == DIGITS_NONE)
		return parse_malformed(s, what, example, e);
	if (d == DIGITS_OVERFLOW)
		return out_of_range(s, what, min_ns, max_ns, UNITS(times), e);
	u = parse_find_unit(p[strspn(p, ".0123456789")] ? p + strspn(p, ".0123456789") : "s", UNITS(times));
	if (!u || (*p == '.' && !read_fraction(&p, u->each, &fraction)))
		return parse_malformed(s, what, example, e);
	if (*p && strcmp(p, u->name))
		return parse_malformed(s, what, example, e);
	if (__builtin_mul_overflow(v, u->each, &v) || __builtin_add_overflow(v, fraction, &v) ||
	    v < min_ns || v > max_ns)
		return out_of_range(s, what, min_ns, max_ns, UNITS(times), e);
	*ret_ns = v;
	return 0;
}

/* Digits, perhaps with a fraction, perhaps with UNIT's name behind. EXAMPLE says so. */
static int parse_decimal(const char *s, const char *what, uint64_t min, uint64_t max, const struct unit *unit,
			 const char *example, double *ret, struct err *e)
{
	const uint64_t each = 1000000000;
	const char *p = s;
	uint64_t v = 0, fraction = 0;
	const enum digits d = read_digits(&p, text_end(s), 10, &v);
	const bool ok = d != DIGITS_NONE && (*p != '.' || read_fraction(&p, each, &fraction)) &&
		(!*p || !strcmp(p, unit->name));

	if (d != DIGITS_OVERFLOW && !ok)
		return parse_malformed(s, what, example, e);
	if (d == DIGITS_OVERFLOW || v < min || v > max || (v == max && fraction))
		return out_of_range(s, what, min, max, unit, 1, e);
	*ret = (double)v + (double)fraction / (double)each;
	return 0;
}

int parse_percent(const char *s, const char *what, uint64_t min, uint64_t max, double *ret, struct err *e)
{
	static const struct unit percent = { .name = "%", .each = 1 };

	return parse_decimal(s, what, min, max, &percent, "a percentage such as 5 or 0.5", ret, e);
}

int parse_pixels(const char *s, const char *what, uint64_t min, uint64_t max, double *ret, struct err *e)
{
	static const struct unit px = { .name = "px", .each = 1 };

	return parse_decimal(s, what, min, max, &px, "a number of pixels such as 2 or 0.5", ret, e);
}

/* The unit that SUFFIX names ("", "k", "M", "GiB", "B" ...), NULL when none. */
static const struct unit *size_unit(const char *suffix)
{
	const char letter[] = { *suffix >= 'a' && *suffix <= 'z' ? (char)(*suffix - 'a' + 'A') : *suffix, '\0' };
	const struct unit *u = parse_find_unit(letter, UNITS(sizes));

	if (!u)
		return !strcmp(suffix, "B") ? parse_find_unit("", UNITS(sizes)) : NULL;
	if (*suffix)
		suffix++;
	return !*suffix || (u->each > 1 && (!strcmp(suffix, "B") || !strcmp(suffix, "iB"))) ? u : NULL;
}

int parse_size(const char *s, const char *what, uint64_t min, uint64_t max, uint64_t *ret, struct err *e)
{
	const char *p = s;
	uint64_t v = 0;
	const enum digits d = read_digits(&p, text_end(s), 10, &v);
	const struct unit *u = d == DIGITS_OK ? size_unit(p) : NULL;

	if (d != DIGITS_OVERFLOW && !u)
		return parse_malformed(s, what, "a size such as 4096, 32K or 1M", e);
	if (d == DIGITS_OVERFLOW || __builtin_mul_overflow(v, u->each, &v) || v < min || v > max)
		return out_of_range(s, what, min, max, UNITS(sizes), e);
	*ret = v;
	return 0;
}

/* Appends "7" or "3-5" at *P to L and moves *P behind it. */
static int read_range(const char **p, const char *s, const char *what, uint32_t max, u32_vec *l, struct err *e)
{
	const char *example = "a list such as 3 or 0-3,8";
	uint64_t first = 0, last;
	enum digits d = read_digits(p, text_end(*p), 10, &first);

	last = first;
	if (d == DIGITS_OK && **p == '-') {
		++*p;
		d = read_digits(p, text_end(*p), 10, &last);
	}
	if (d == DIGITS_NONE || (d == DIGITS_OK && **p && **p != ',') || (d == DIGITS_OK && last < first))
		return parse_malformed(s, what, example, e);
	if (d == DIGITS_OVERFLOW || last > max)
		return out_of_range(s, what, 0, max, UNITS(plain), e);
	if (last - first >= PARSE_LIST_MAX - l->n)
		return err_set(e, ERANGE, "%s '%s' names more than %u values", what, s, PARSE_LIST_MAX);
	if (!vec_reserve(l, (size_t)(last - first) + 1))
		return err_nomem(e, what);
	for (uint64_t v = first; v <= last; v++)
		*vec_push(l) = (uint32_t)v;
	return 0;
}

static int parse_compare_u32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_numbers(x, y);
}

static void sort_unique(u32_vec *l)
{
	size_t out = 0;

	qsort(l->v, l->n, sizeof(*l->v), parse_compare_u32);
	for (size_t i = 0; i < l->n; i++)
		if (!i || l->v[i] != l->v[i - 1])
			l->v[out++] = l->v[i];
	l->n = out;
}

int parse_list(const char *s, const char *what, uint32_t max, u32_vec *ret, struct err *e)
{
	u32_vec all = { 0 };
	int rc = 0;

	if (!vec_reserve(&all, ret->n))
		return err_nomem(e, what);
	for (size_t i = 0; i < ret->n; i++)
		*vec_push(&all) = ret->v[i];
	for (const char *p = s;; p++) {
		rc = read_range(&p, s, what, max, &all, e);
		if (rc || !*p)
			break;
	}
	if (rc) {
		vec_free(&all);
		return rc;
	}
	sort_unique(&all);
	vec_free(ret);
	*ret = all;
	return 0;
}
