/* SPDX-License-Identifier: BSD-2-Clause */
/* test_keyvalue.c - each kind of value as text and back, at its bounds; and that a refusal changes nothing. */
#include "config.h"

#include "base/keyvalue.h"

#include "tests/unit/cmocka_all.h"

#include <string.h>

struct row {
	uint8_t byte;
	uint16_t two;
	uint32_t four;
	uint64_t eight, counted, perhaps;
	int32_t home;
	bool yes;
	char text[8], word[8];
	struct part part;
};

#define AT(member, kind, ...) { #member, kind, VALUE_AT(struct row, member), __VA_ARGS__ }

static const struct value_key keys[] = {
	AT(byte, VALUE_UNSIGNED, 2, UINT8_MAX, VALUE_REQUIRED),
	AT(two, VALUE_UNSIGNED, 0, 1023, VALUE_OPTIONAL),
	AT(four, VALUE_UNSIGNED, 0, UINT32_MAX, VALUE_OPTIONAL),
	AT(eight, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_OPTIONAL),
	AT(counted, VALUE_UNSIGNED, 0, UINT64_MAX, VALUE_WRITTEN),
	AT(perhaps, VALUE_OR_UNKNOWN, 0, UINT64_MAX, VALUE_OPTIONAL),
	AT(home, VALUE_SIGNED, -1, 1023, VALUE_OPTIONAL),
	AT(yes, VALUE_UNSIGNED, 0, 1, VALUE_OPTIONAL),
	AT(text, VALUE_TEXT, 0, 0, VALUE_OPTIONAL),
	AT(word, VALUE_ESCAPED, 0, 0, VALUE_OPTIONAL),
	AT(part, VALUE_PART, 0, 0, VALUE_OPTIONAL),
};

static struct part part_of(const char *text)
{
	return (struct part){ text, strlen(text) };
}

static const struct value_key *key(const char *name)
{
	return value_key(keys, sizeof(keys) / sizeof(keys[0]), part_of(name));
}

static bool reads(struct row *row, const char *name, const char *value)
{
	return value_read(key(name), part_of(value), row);
}

static void assert_prints(const struct row *row, const char *name, const char *value)
{
	char text[VALUE_PRINT_MAX];

	assert_int_equal(value_print(key(name), row, text), strlen(value));
	assert_string_equal(text, value);
}

static void both_ways(void **state)
{
	static const struct {
		const char *name, *value;
	} pairs[] = {
		{ "byte", "2" }, { "byte", "255" }, { "two", "1023" }, { "four", "4294967295" },
		{ "eight", "18446744073709551615" }, { "perhaps", "0" }, { "perhaps", "unknown" }, { "home", "-1" },
		{ "home", "1023" }, { "yes", "0" }, { "yes", "1" }, { "text", "" }, { "text", "a b%20" },
		{ "word", "" }, { "word", "a%20b%25" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct row row;

		memset(&row, 0xA5, sizeof(row));
		assert_true(reads(&row, pairs[i].name, pairs[i].value));
		assert_prints(&row, pairs[i].name, pairs[i].value);
	}
}

static void refused_and_unchanged(void **state)
{
	static const struct {
		const char *name, *value;
	} pairs[] = {
		{ "byte", "1" }, { "byte", "256" }, { "byte", "" }, { "byte", "-3" }, { "byte", "+3" },
		{ "byte", "3 " },
		{ "two", "1024" }, { "two", "65537" }, { "four", "4294967296" }, { "eight", "18446744073709551616" },
		{ "eight", "unknown" }, { "perhaps", "unknowns" }, { "perhaps", "unknow" }, { "counted", "1" },
		{ "home", "-2" }, { "home", "1024" }, { "home", "-" }, { "home", "--1" }, { "home", "4294967295" },
		{ "home", "-4294967295" }, { "yes", "2" }, { "word", "%" }, { "word", "%2" }, { "word", "a%2" },
		{ "word", "%2G" }, { "word", "%G2" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct row row, before;

		memset(&row, 0xA5, sizeof(row));
		memset(&before, 0xA5, sizeof(before));
		assert_false(reads(&row, pairs[i].name, pairs[i].value));
		assert_memory_equal(&row, &before, sizeof(row));
	}
	assert_null(key(""));
	assert_null(key("byt"));
	assert_null(key("bytes"));
}

static void foreign_text(void **state)
{
	struct row row = { .counted = 7 };
	char text[VALUE_PRINT_MAX];

	assert_prints(&row, "counted", "7");
	/* What is read is sanitised and cut to its field; "%1B" is an escape character. */
	assert_true(reads(&row, "word", "a%1Bb"));
	assert_string_equal(row.word, "a\xEF\xBF\xBD" "b");
	assert_true(reads(&row, "text", "much too long"));
	assert_string_equal(row.text, "much to");
	assert_true(reads(&row, "word", "much%20too long"));
	assert_string_equal(row.word, "much to");
	/* A field that is full has no NUL. */
	memset(row.word, ' ', sizeof(row.word));
	assert_int_equal(value_print(key("word"), &row, text), 3 * sizeof(row.word));
	memset(row.text, '\x1B', sizeof(row.text));
	assert_int_equal(value_print(key("text"), &row, text), 3 * sizeof(row.text));
	assert_true(reads(&row, "part", "1,2"));
	assert_true(part_is(row.part, "1,2"));
	assert_prints(&row, "part", "");
}

static void longest_text(void **state)
{
	static const struct value_key long_key = { "text", VALUE_ESCAPED, 0, VALUE_TEXT_MAX, 0, 0, VALUE_OPTIONAL };
	char row[VALUE_TEXT_MAX], again[VALUE_TEXT_MAX], text[VALUE_PRINT_MAX];
	size_t n;

	memset(row, ' ', sizeof(row));
	n = value_print(&long_key, row, text);
	assert_int_equal(n, VALUE_PRINT_MAX - 1);
	assert_true(value_read(&long_key, (struct part){ text, n }, again));
	row[sizeof(row) - 1] = '\0';
	assert_string_equal(again, row);
}

static void parts(void **state)
{
	struct part in = part_of("a=b=c"), none = { NULL, 0 };
	uint64_t v = 5;

	assert_true(part_is(part_cut(&in, '='), "a"));
	assert_true(part_is(in, "b=c"));
	assert_true(part_is(part_cut(&in, '\n'), "b=c"));
	assert_int_equal(in.len, 0);
	assert_true(part_is(part_cut(&in, '='), ""));
	assert_int_equal(part_cut(&none, '=').len, 0);
	in = part_of("=");
	assert_int_equal(part_cut(&in, '=').len, 0);
	assert_int_equal(in.len, 0);
	assert_false(part_number(none, &v));
	assert_false(part_number(part_of("12a"), &v));
	assert_int_equal(v, 5);
	assert_true(part_number((struct part){ "129", 2 }, &v));
	assert_int_equal(v, 12);
	assert_true(part_begins(part_of("abc"), "ab") && part_begins(part_of("abc"), "") && part_begins(none, ""));
	assert_false(part_begins(part_of("a"), "ab") || part_begins(none, "a"));
	assert_true(part_ends(part_of("abc"), "bc") && part_ends(part_of("abc"), "abc"));
	assert_false(part_ends(part_of("bc"), "abc") || part_ends(none, "c"));
	assert_true(part_same(none, part_of("")) && !part_same(none, part_of("a")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(refused_and_unchanged),
		cmocka_unit_test(foreign_text),
		cmocka_unit_test(longest_text),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
