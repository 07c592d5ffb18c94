/* SPDX-License-Identifier: BSD-2-Clause */
/* test_clocktext.c - moments as people write them, around midnight, in zones, and those that are none. */
#include "config.h"

#include "base/clock.h"
#include "base/clocktext.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW 1795961045ull                        /* 2026-11-29T14:04:05Z */
#define DAY (24 * 3600 * NSEC_PER_SEC)

static uint64_t parsed(const char *text)
{
	struct err e = ERR_INIT;
	uint64_t at = 0;

	if (clocktext_parse(text, NOW * NSEC_PER_SEC, DAY, &at, &e))
		fail_msg("%s: %s", text, e.text);
	return at;
}

static void assert_refused(const char *text, int error, const char *says)
{
	struct err e = ERR_INIT;
	uint64_t at = 77;

	assert_int_equal(clocktext_parse(text, NOW * NSEC_PER_SEC, DAY, &at, &e), -error);
	assert_int_equal(at, 77);
	assert_non_null(strstr(e.text, says));
	assert_non_null(strstr(e.text, text));
}

static void dates(void **state)
{
	(void)state;
	assert_int_equal(parsed("2026-11-29T14:04:06Z"), (NOW + 1) * NSEC_PER_SEC);
	assert_int_equal(parsed("2026-11-29t14:04:06z"), (NOW + 1) * NSEC_PER_SEC);
	assert_int_equal(parsed("2026-11-29 14:05Z"), (NOW + 55) * NSEC_PER_SEC);
	assert_int_equal(parsed("2026-11-29T15:04:05.250+01:00"), NOW * NSEC_PER_SEC + 250000000);
	assert_int_equal(parsed("2026-11-29T10:34:05.000000001-03:30"), NOW * NSEC_PER_SEC + 1);
	assert_int_equal(parsed("2026-11-30T00:00:00Z"), (NOW + 35755) * NSEC_PER_SEC);
}

static void times_of_day(void **state)
{
	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	assert_int_equal(parsed("14:04:06"), (NOW + 1) * NSEC_PER_SEC);
	assert_int_equal(parsed("14:05"), (NOW + 55) * NSEC_PER_SEC);
	assert_int_equal(parsed("14:04:05.5"), NOW * NSEC_PER_SEC + 500000000);
	/* It has been so late today. */
	assert_int_equal(parsed("14:04:05"), (NOW + 86400) * NSEC_PER_SEC);
	assert_int_equal(parsed("00:00:00"), (NOW + 35755) * NSEC_PER_SEC);
	setenv("TZ", "EST5", 1);
	tzset();
	assert_int_equal(parsed("09:04:06"), (NOW + 1) * NSEC_PER_SEC);
}

static void seconds(void **state)
{
	(void)state;
	assert_int_equal(parsed("@1795961046"), (NOW + 1) * NSEC_PER_SEC);
	assert_int_equal(parsed("@1795961045.000001"), NOW * NSEC_PER_SEC + 1000);
}

static void none(void **state)
{
	static const char *const no_moment[] = {
		"", "now", "5", "5s", "14", "14:", "24:00", "14:60:00", "14:04:60", "14:04:05x", "1:02:03", "@", "@x",
		"@1.", "@-1", "@99999999999999999999", "2026-11-29", "2026-11-29T14:04:06", "2026-11-29T14:04:06+1",
		"2026-11-29T14:04:06Zz", "2026-02-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z",
		"1969-12-31T23:59:59Z", "2026-11-29T14:04:06.Z", "2026-11-29T14:04:06+24:00",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(no_moment) / sizeof(*no_moment); i++)
		assert_refused(no_moment[i], EINVAL, "is no moment");
	assert_refused("2026-11-29T14:04:05Z", ERANGE, "has passed");
	assert_refused("@1795957445", ERANGE, "1h00 ago");
	assert_refused("2026-11-30T14:04:06Z", ERANGE, "too far away");
	assert_refused("@18446744072", ERANGE, "too far away");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates),
		cmocka_unit_test(times_of_day),
		cmocka_unit_test(seconds),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
