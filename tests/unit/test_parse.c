/* SPDX-License-Identifier: BSD-2-Clause */
/* test_parse.c - what is accepted, what is refused with which sentence, and that a refusal changes nothing. */
#include "config.h"

#include "base/parse.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0xfeedu

struct number_case {
	const char *text;
	int rc;
	uint64_t value;
};

static void whole_numbers(void **state)
{
	static const struct number_case cases[] = {
		{ "1", 0, 1 }, { "099", 0, 99 }, { "100", 0, 100 },
		{ "0", -ERANGE, 0 }, { "101", -ERANGE, 0 }, { "99999999999999999999", -ERANGE, 0 },
		{ "18446744073709551617", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { "-1", -EINVAL, 0 }, { "+1", -EINVAL, 0 }, { " 1", -EINVAL, 0 },
		  { "1 ", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 }, { "0x10", -EINVAL, 0 }, { "ten", -EINVAL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = UNTOUCHED;

		assert_int_equal(parse_u64(cases[i].text, "rate", 1, 100, &v, NULL), cases[i].rc);
		assert_int_equal(v, cases[i].rc ? UNTOUCHED : cases[i].value);
	}
}

static void times(void **state)
{
	static const struct number_case cases[] = {
		{ "5", 0, 5 * NSEC_PER_SEC }, { "5s", 0, 5 * NSEC_PER_SEC }, { "500ms", 0, 500 * NSEC_PER_MSEC },
		{ "250us", 0, 250 * NSEC_PER_USEC }, { "7ns", 0, 7 }, { "2m", 0, 120 * NSEC_PER_SEC },
		{ "1h", 0, 3600 * NSEC_PER_SEC },
		{ "1.5s", 0, 1500 * NSEC_PER_MSEC }, { "0.25", 0, 250 * NSEC_PER_MSEC },
		  { "1.5h", 0, 5400 * NSEC_PER_SEC },
		{ "0.000000001s", 0, 1 }, { "1.50000000000000000000s", 0, 1500 * NSEC_PER_MSEC }, { "1.0ns", 0, 1 },
		{ "0.0000000001s", -EINVAL, 0 }, { "1.5ns", -EINVAL, 0 }, { "", -EINVAL, 0 }, { "s", -EINVAL, 0 },
		{ ".5s", -EINVAL, 0 },
		{ "5.", -EINVAL, 0 }, { "5.s", -EINVAL, 0 }, { "1..5s", -EINVAL, 0 }, { "1.5.5s", -EINVAL, 0 },
		{ "5 s", -EINVAL, 0 },
		{ "5S", -EINVAL, 0 }, { "5sec", -EINVAL, 0 }, { "-5s", -EINVAL, 0 }, { "5d", -EINVAL, 0 },
		{ "5s5", -EINVAL, 0 },
		{ "0", -ERANGE, 0 }, { "25h", -ERANGE, 0 }, { "18446744073709551615h", -ERANGE, 0 },
		{ "99999999999999999999s", -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = UNTOUCHED;

		assert_int_equal(parse_time(cases[i].text, "delay", 1, 24 * 3600 * NSEC_PER_SEC, &v,
					    NULL), cases[i].rc);
		assert_int_equal(v, cases[i].rc ? UNTOUCHED : cases[i].value);
	}
}

static void sizes(void **state)
{
	static const struct number_case cases[] = {
		{ "4096", 0, 4096 }, { "4096B", 0, 4096 }, { "4K", 0, 4096 }, { "4k", 0, 4096 }, { "4KB", 0, 4096 },
		{ "4KiB", 0, 4096 },
		{ "1M", 0, 1 << 20 }, { "1MiB", 0, 1 << 20 }, { "1G", 0, 1 << 30 },
		{ "4iB", -EINVAL, 0 }, { "K", -EINVAL, 0 }, { "", -EINVAL, 0 }, { "4T", -EINVAL, 0 },
		  { "4KK", -EINVAL, 0 },
		{ "4 K", -EINVAL, 0 }, { "1.5K", -EINVAL, 0 }, { "4BB", -EINVAL, 0 }, { "-4K", -EINVAL, 0 },
		{ "4b", -EINVAL, 0 },
		{ "4095", -ERANGE, 0 }, { "2G", -ERANGE, 0 }, { "18446744073709551615G", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = UNTOUCHED;

		assert_int_equal(parse_size(cases[i].text, "stack size", 4096, 1 << 30, &v, NULL), cases[i].rc);
		assert_int_equal(v, cases[i].rc ? UNTOUCHED : cases[i].value);
	}
}

static void percentages(void **state)
{
	static const struct { const char *text; int rc; double value; } cases[] = {
		{ "5", 0, 5 }, { "0.5", 0, 0.5 }, { "0", 0, 0 }, { "99.999999999", 0, 99.999999999 },
		  { "100", 0, 100 }, { "5%", 0, 5 },
		{ "12.25%", 0, 12.25 }, { "100.0", 0, 100 },
		{ "", -EINVAL, 0 }, { "%", -EINVAL, 0 }, { ".5", -EINVAL, 0 }, { "5.", -EINVAL, 0 },
		  { "5.%", -EINVAL, 0 },
		{ "5%%", -EINVAL, 0 }, { "5 %", -EINVAL, 0 }, { "-5", -EINVAL, 0 }, { "+5", -EINVAL, 0 },
		  { "1e1", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 }, { "0.1.2", -EINVAL, 0 }, { "0.0000000001", -EINVAL, 0 },
		{ "101", -ERANGE, 0 }, { "100.1", -ERANGE, 0 }, { "99999999999999999999", -ERANGE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double v = -1;

		assert_int_equal(parse_percent(cases[i].text, "limit", 0, 100, &v, NULL), cases[i].rc);
		assert_true(v == (cases[i].rc ? -1 : cases[i].value));
	}
}

static void sentences(void **state)
{
	struct err e = ERR_INIT;
	u32_vec l = { 0 };
	uint64_t v;

	parse_u64("x", "rate", 1, 100, &v, &e);
	assert_string_equal(e.text, "rate 'x' is not a whole number");
	parse_u64("0", "rate", 1, UINT64_MAX, &v, &e);
	assert_string_equal(e.text, "rate '0' is out of range: it must be at least 1");
	parse_size("1", "stack size", 4096, 65536, &v, &e);
	assert_string_equal(e.text, "stack size '1' is out of range: it must be from 4K to 64K");
	parse_percent("200", "limit", 0, 100, &(double){ 0 }, &e);
	assert_string_equal(e.text, "limit '200' is out of range: it must be from 0% to 100%");
	parse_percent("some", "limit", 0, 100, &(double){ 0 }, &e);
	assert_string_equal(e.text, "limit 'some' is not a percentage such as 5 or 0.5");
	parse_time("1ms", "refresh", 100 * NSEC_PER_MSEC, 60 * NSEC_PER_SEC, &v, &e);
	assert_string_equal(e.text, "refresh '1ms' is out of range: it must be from 100ms to 1m");
	parse_time("soon", "refresh", 0, 1, &v, &e);
	assert_string_equal(e.text, "refresh 'soon' is not a time such as 500ms, 5s or 2m");
	parse_list("1-", "CPU list", 7, &l, &e);
	assert_string_equal(e.text, "CPU list '1-' is not a list such as 3 or 0-3,8");
	parse_list("1,8", "CPU list", 7, &l, &e);
	assert_string_equal(e.text, "CPU list '1,8' is out of range: it must be from 0 to 7");
	parse_u64("\033[2J", "rate", 1, 100, &v, &e);
	assert_string_equal(e.text, "rate '\xEF\xBF\xBD[2J' is not a whole number");
}

static void assert_list(const u32_vec *l, const uint32_t *want, size_t n)
{
	assert_int_equal(l->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(l->v[i], want[i]);
}

static void lists(void **state)
{
	u32_vec l = { 0 };

	assert_int_equal(parse_list("8,0-3", "CPU list", 8, &l, NULL), 0);
	assert_list(&l, (const uint32_t[]){ 0, 1, 2, 3, 8 }, 5);
	assert_int_equal(parse_list("2-5,5", "CPU list", 8, &l, NULL), 0);
	assert_list(&l, (const uint32_t[]){ 0, 1, 2, 3, 4, 5, 8 }, 7);
	vec_free(&l);
	assert_int_equal(parse_list("4294967295", "id", UINT32_MAX, &l, NULL), 0);
	assert_list(&l, (const uint32_t[]){ UINT32_MAX }, 1);
	vec_free(&l);
}

static void bad_lists_change_nothing(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1-", "-1", "3-1", "1--2", "1-2-3", "a", "1 ,2", "0-8,9", "99999999999999999999",
	};
	u32_vec l = { 0 };

	*vec_push(&l) = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(parse_list(bad[i], "CPU list", 8, &l, NULL) < 0);
		assert_list(&l, (const uint32_t[]){ 77 }, 1);
	}
	assert_int_equal(parse_list("0-4294967295", "id", UINT32_MAX, &l, NULL), -ERANGE);
	assert_int_equal(parse_list("0-1048575,0-1048575", "id", UINT32_MAX, &l, NULL), -ERANGE);
	assert_list(&l, (const uint32_t[]){ 77 }, 1);
	vec_free(&l);
}

static bool parse_a_list(void)
{
	u32_vec l = { 0 };
	const int rc = parse_list("1,2,3,100-200", "id", 1000, &l, NULL);

	assert_true(rc == 0 || rc == -ENOMEM);
	assert_int_equal(l.n, rc ? 0 : 104);
	vec_free(&l);
	return !rc;
}

static void lists_survive_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, parse_a_list))
		n++;
	assert_true(n > 1);
}

static void cursors(void **state)
{
	const char text[] = "7f00aB-ffffffffffffffff 10000000000000000 42x";
	const char *p = text, *end = text + strlen(text);
	uint64_t v = UNTOUCHED;

	assert_true(parse_hex(&p, end, &v));
	assert_int_equal(v, 0x7f00ab);
	assert_int_equal(*p, '-');
	assert_false(parse_hex(&p, end, &v));
	assert_int_equal(v, 0x7f00ab);
	p++;
	assert_true(parse_hex(&p, end, &v));
	assert_int_equal(v, UINT64_MAX);
	p++;
	assert_false(parse_hex(&p, end, &v));
	assert_int_equal(*p, '1');
	p = strrchr(text, ' ') + 1;
	assert_true(parse_dec(&p, end, &v));
	assert_int_equal(v, 42);
	assert_false(parse_dec(&p, end, &v));
	assert_int_equal(*p, 'x');
	p = text;
	assert_true(parse_hex(&p, text + 2, &v));
	assert_int_equal(v, 0x7f);
	assert_false(parse_hex(&p, p, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(times),
		cmocka_unit_test(sizes),
		cmocka_unit_test(percentages),
		cmocka_unit_test(sentences),
		cmocka_unit_test(lists),
		cmocka_unit_test(bad_lists_change_nothing),
		cmocka_unit_test(lists_survive_lack_of_memory),
		cmocka_unit_test(cursors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
