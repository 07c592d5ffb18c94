/* SPDX-License-Identifier: BSD-2-Clause */
/* units.c - the unit is chosen after rounding: 999.96 ms is "1.00 s", never "1000 ms". */
#include "config.h"

#include "base/units.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* N / D rounded half up; D > 0. */
static uint64_t div_round(uint64_t n, uint64_t d)
{
	return n / d + (n % d >= d - d / 2);
}

/* NS in a unit of EACH ns with three digits; false when that makes LIMIT units or more. */
static bool three_digits(char *dst, uint64_t ns, uint64_t each, uint64_t limit, const char *unit)
{
	const uint64_t hundredths = div_round(ns, each / 100), tenths = div_round(ns, each / 10),
		whole = div_round(ns, each);

	if (hundredths < 1000)
		snprintf(dst, UNITS_MAX, "%" PRIu64 ".%02" PRIu64 " %s", hundredths / 100, hundredths % 100, unit);
	else if (tenths < 1000 && tenths < 10 * limit)
		snprintf(dst, UNITS_MAX, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, unit);
	else if (tenths >= 1000 && whole < limit)
		snprintf(dst, UNITS_MAX, "%" PRIu64 " %s", whole, unit);
	else
		return false;
	return true;
}

char *units_time(char dst[UNITS_MAX], uint64_t ns)
{
	const uint64_t s = div_round(ns, NSEC_PER_SEC), m = div_round(ns, 60 * NSEC_PER_SEC);

	if (ns < 1000)
		snprintf(dst, UNITS_MAX, "%" PRIu64 " ns", ns);
	else if (three_digits(dst, ns, NSEC_PER_USEC, 1000, "us") || three_digits(dst, ns, NSEC_PER_MSEC, 1000, "ms") ||
		 three_digits(dst, ns, NSEC_PER_SEC, 60, "s"))
		return dst;
	else if (s < 3600)
		snprintf(dst, UNITS_MAX, "%" PRIu64 "m%02" PRIu64, s / 60, s % 60);
	else
		snprintf(dst, UNITS_MAX, "%" PRIu64 "h%02" PRIu64, m / 60, m % 60);
	return dst;
}

/*
 * N in steps of BASE: whole under BASE, then with one decimal under DECIMAL_UNDER units and whole above. SUFFIX[0] is
 * the unit itself; the last suffix is large enough for any uint64_t.
 */
static char *units_steps(char *dst, uint64_t n, uint64_t base, uint64_t decimal_under, const char *const *suffix)
{
	uint64_t each = 1, tenths;

	while (div_round(n, each) >= base) {
		each *= base;
		suffix++;
	}
	if (each > 1 && (tenths = n / each * 10 + div_round(n % each * 10, each)) < decimal_under * 10)
		snprintf(dst, UNITS_MAX, "%" PRIu64 ".%" PRIu64 "%s", tenths / 10, tenths % 10, *suffix);
	else
		snprintf(dst, UNITS_MAX, "%" PRIu64 "%s", div_round(n, each), *suffix);
	return dst;
}

char *units_bytes(char dst[UNITS_MAX], uint64_t bytes)
{
	static const char *const suffix[] = { " B", " KB", " MB", " GB", " TB", " PB", " EB" };

	return units_steps(dst, bytes, 1024, 10, suffix);
}

char *units_count(char dst[UNITS_MAX], uint64_t n)
{
	static const char *const suffix[] = { "", "k", "M", "G", "T", "P", "E" };

	return units_steps(dst, n, 1000, 100, suffix);
}

char *units_percent(char dst[UNITS_MAX], double fraction)
{
	const double percent = fraction * 100;

	if (!(percent >= 0))
		snprintf(dst, UNITS_MAX, "? %%");
	else if (percent > 0 && percent < 0.1)
		snprintf(dst, UNITS_MAX, "<0.1 %%");
	else if (percent < 100 && percent > 99.9)
		snprintf(dst, UNITS_MAX, "99.9 %%");
	else
		snprintf(dst, UNITS_MAX, "%.1f %%", percent < 1e9 ? percent : 1e9);
	return dst;
}

char *units_thousands(char dst[UNITS_MAX], uint64_t n)
{
	char digits[24];
	const int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *out = dst;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return dst;
}
