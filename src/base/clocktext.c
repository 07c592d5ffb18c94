/* SPDX-License-Identifier: BSD-2-Clause */
/* clocktext.c - each way to write a moment is read by one function; the calendar is the C library's. */
#include "config.h"

#include "base/clocktext.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>


/* Exactly DIGITS digits at *P, which goes on behind them. */
static bool clock_number(const char **p, unsigned int digits, int *ret)
{
	int v = 0;

	for (; digits; digits--, ++*p) {
		if (**p < '0' || **p > '9')
			return false;
		v = 10 * v + (**p - '0');
	}
	*ret = v;
	return true;
}

static bool clock_char(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

/* ".25", if there is such a thing: nanoseconds. What is beyond them is left out. */
static bool clock_fraction(const char **p, uint64_t *ret_ns)
{
	uint64_t scale = NSEC_PER_SEC;

	*ret_ns = 0;
	if (**p != '.')
		return true;
	if (*++*p < '0' || **p > '9')
		return false;
	for (; **p >= '0' && **p <= '9'; ++*p) {
		scale /= 10;
		*ret_ns += scale * (uint64_t)(**p - '0');
	}
	return true;
}

/* "15:04" or "15:04:05". */
static bool clock_time(const char **p, struct tm *ret)
{
	if (!clock_number(p, 2, &ret->tm_hour) || !clock_char(p, ':') || !clock_number(p, 2, &ret->tm_min))
		return false;
	if (**p == ':' && (++*p, !clock_number(p, 2, &ret->tm_sec)))
		return false;
	return ret->tm_hour < 24 && ret->tm_min < 60 && ret->tm_sec < 60;
}

/* "Z", "+01:00": seconds that the clock there is ahead of UTC. */
static bool clock_zone(const char **p, int *ret_s)
{
	const int sign = **p == '-' ? -1 : 1;
	int hours, minutes;

	*ret_s = 0;
	if (**p == 'Z' || **p == 'z') {
		++*p;
		return true;
	}
	if ((**p != '+' && **p != '-') || (++*p, !clock_number(p, 2, &hours)) || !clock_char(p, ':') ||
	    !clock_number(p, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret_s = sign * 60 * (60 * hours + minutes);
	return true;
}

static bool clock_date_and_time(const char *p, uint64_t *ret_ns)
{
	struct tm tm = { 0 };
	uint64_t fraction;
	int ahead_s, day, month;
	time_t t;

	if (!clock_number(&p, 4, &tm.tm_year) || !clock_char(&p, '-') || !clock_number(&p, 2, &tm.tm_mon) ||
	    !clock_char(&p, '-') || !clock_number(&p, 2, &tm.tm_mday) || !*p || !strchr("Tt ", *p++) ||
	    !clock_time(&p, &tm) || !clock_fraction(&p, &fraction) || !clock_zone(&p, &ahead_s) || *p)
		return false;
	month = tm.tm_mon--;
	tm.tm_year -= 1900;
	day = tm.tm_mday;
	/* timegm() makes the 3rd of March of a 31st of February, and so on. */
	t = timegm(&tm);
	if (month < 1 || month > 12 || tm.tm_mday != day || t < 0 || (t -= ahead_s) < 0)
		return false;
	*ret_ns = (uint64_t)t * NSEC_PER_SEC + fraction;
	return true;
}

/* The next moment after NOW_NS at which the local clock shows the time P. */
static bool clock_time_of_day(const char *p, uint64_t now_ns, uint64_t *ret_ns)
{
	const time_t now = (time_t)(now_ns / NSEC_PER_SEC);
	struct tm tm;
	uint64_t fraction;
	time_t t;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_sec = 0;
	if (!clock_time(&p, &tm) || !clock_fraction(&p, &fraction) || *p)
		return false;
	for (int i = 0; i < 2; i++, tm.tm_mday++) {
		struct tm then = tm;

		then.tm_isdst = -1;
		t = mktime(&then);
		*ret_ns = (uint64_t)t * NSEC_PER_SEC + fraction;
		if (t > 0 && *ret_ns > now_ns)
			return true;
	}
	return false;
}

static bool clock_seconds(const char *p, uint64_t *ret_ns)
{
	const char *end = p + strlen(p);
	uint64_t seconds, fraction;

	if (!parse_dec(&p, end, &seconds) || seconds > UINT64_MAX / NSEC_PER_SEC - 1 ||
	    !clock_fraction(&p, &fraction) || *p)
		return false;
	*ret_ns = seconds * NSEC_PER_SEC + fraction;
	return true;
}

int clocktext_parse(const char *text, uint64_t now_ns, uint64_t most_ns, uint64_t *ret_ns, struct err *e)
{
	char away[UNITS_MAX];
	uint64_t at;

	if (*text == '@' ? !clock_seconds(text + 1, &at) :
	    !clock_date_and_time(text, &at) && !clock_time_of_day(text, now_ns, &at))
		return err_set(e, EINVAL, "'%s' is no moment: write it as 15:04:05, 2026-11-29T15:04:05Z or "
			       "@1795961045", text);
	if (at <= now_ns)
		return err_set(e, ERANGE, "%s has passed: that was %s ago", text, units_time(away, now_ns - at));
	if (at - now_ns > most_ns)
		return err_set(e, ERANGE, "%s is too far away: in %s", text, units_time(away, at - now_ns));
	*ret_ns = at;
	return 0;
}
