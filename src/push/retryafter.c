/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "push/retryafter.h"

#include "base/clock.h"
#include "base/parse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define LONGEST_S 3600u

/* "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale. The other forms of dates are not sent any more. */
static bool http_date(const char *text, time_t *ret)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4];
	const char *at;
	struct tm tm = { 0 };
	int end = 0;

	if (sscanf(text, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &tm.tm_mday, month, &tm.tm_year,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &end) != 6 || !end || text[end] || strlen(month) != 3)
		return false;
	at = strstr(months, month);
	if (!at || (at - months) % 3 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_year < 1970 || tm.tm_hour > 23 ||
	    tm.tm_hour < 0 || tm.tm_min > 59 || tm.tm_min < 0 || tm.tm_sec > 60 || tm.tm_sec < 0)
		return false;
	tm.tm_mon = (int)(at - months) / 3;
	tm.tm_year -= 1900;
	*ret = timegm(&tm);
	return *ret >= 0;
}

bool retry_after(const char *text, uint64_t real_ns, uint64_t *ret)
{
	uint64_t seconds;
	const char *at = text;
	time_t date;

	if (!text)
		return false;
	if (!parse_dec(&at, at + strlen(at), &seconds) || *at) {
		if (!http_date(text, &date))
			return false;
		seconds = (uint64_t)date > real_ns / NSEC_PER_SEC ? (uint64_t)date - real_ns / NSEC_PER_SEC : 0;
	}
	*ret = (seconds < LONGEST_S ? seconds : LONGEST_S) * NSEC_PER_SEC;
	return true;
}
