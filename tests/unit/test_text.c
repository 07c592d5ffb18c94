/* SPDX-License-Identifier: BSD-2-Clause */
/* test_text.c - what passes, what becomes U+FFFD, widths, and cutting in the middle. */
#include "config.h"

#include "base/text.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

#define BAD "\xEF\xBF\xBD"

static void sanitises(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "caf\xC3\xA9 \xE6\x97\xA5\xF0\x9F\x98\x80", "caf\xC3\xA9 \xE6\x97\xA5\xF0\x9F\x98\x80" },
		{ "a\tb\nc\033[31m\x7F", "a" BAD "b" BAD "c" BAD "[31m" BAD },
		{ "\xC2\x9B" "31m", BAD "31m" },                              /* C1 CSI */
		{ "\xE2\x80\xAE" "x", BAD "x" },                              /* right-to-left override */
		{ "\xE2\x80\x8B\xE2\x81\xA6\xD8\x9C\xEF\xBB\xBF", BAD BAD BAD BAD },
		{ "\xED\xA0\x80", BAD BAD BAD },                              /* a surrogate is no UTF-8 */
		{ "\xC0\x80\xE0\x80\x80", BAD BAD BAD BAD BAD },              /* overlong */
		{ "\xF4\x90\x80\x80", BAD BAD BAD BAD },                      /* above U+10FFFF */
		{ "\xEF\xBF\xBE\xEF\xB7\x90", BAD BAD },                      /* non-characters */
		{ "\xE6\x97", BAD BAD },                                      /* cut off */
		{ "\xE6\x97" "a", BAD BAD "a" },
		{ "\xFF\x80", BAD BAD },
		{ BAD, BAD },
	};
	char out[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t len = strlen(cases[i].in);

		assert_int_equal(text_sanitise(out, sizeof(out), cases[i].in, len), strlen(cases[i].out));
		assert_string_equal(out, cases[i].out);
		assert_int_equal(text_is_clean(cases[i].in, len), !strcmp(cases[i].in, cases[i].out));
	}
}

static void nul_is_a_control(void **state)
{
	char out[16];

	assert_int_equal(text_sanitise(out, sizeof(out), "a\0b", 3), 5);
	assert_string_equal(out, "a" BAD "b");
	assert_false(text_is_clean("a\0b", 3));
}

static void cuts_at_characters(void **state)
{
	char out[8];

	memset(out, 'x', sizeof(out));
	assert_int_equal(text_sanitise(out, 4, "ab\xC3\xA9", 4), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(text_sanitise(out, 5, "ab\xC3\xA9", 4), 4);
	assert_int_equal(text_sanitise(out, 3, "\033", 1), 0);
	assert_int_equal(text_sanitise(out, 1, "ab", 2), 0);
	assert_string_equal(out, "");
	out[0] = 'x';
	assert_int_equal(text_sanitise(out, 0, "ab", 2), 0);
	assert_int_equal(out[0], 'x');
}

static void every_byte_pair_comes_out_clean(void **state)
{
	char in[2], out[16];

	for (int i = 0; i < 65536; i++) {
		in[0] = (char)(i >> 8);
		in[1] = (char)i;
		assert_true(text_is_clean(out, text_sanitise(out, sizeof(out), in, 2)));
	}
}

/* What a byte is among others that are harmless is what it is alone, wherever it stands. */
static void bytes_among_others(void **state)
{
	char in[20], out[64];

	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		const char alone = (char)byte;
		const bool clean = text_is_clean(&alone, 1);

		for (size_t at = 0; at < sizeof(in); at++) {
			size_t len;

			memcpy(in, " ~0aZ}!/:@[`{^_=,.-x", sizeof(in));
			in[at] = alone;
			assert_int_equal(text_is_clean(in, sizeof(in)), clean);
			len = text_sanitise(out, sizeof(out), in, sizeof(in));
			assert_int_equal(len, sizeof(in) + (clean ? 0 : 2));
			assert_memory_equal(out, in, at);
			assert_memory_equal(out + at, clean ? &alone : BAD, clean ? 1 : 3);
			assert_memory_equal(out + len - (sizeof(in) - at - 1), in + at + 1, sizeof(in) - at - 1);
		}
	}
}

static void widths(void **state)
{
	assert_int_equal(text_cp_width('a'), 1);
	assert_int_equal(text_cp_width(0xE9), 1);
	assert_int_equal(text_cp_width(0x301), 0);
	assert_int_equal(text_cp_width(0x65E5), 2);
	assert_int_equal(text_cp_width(0xFF21), 2);
	assert_int_equal(text_cp_width(0x1F600), 2);
	assert_int_equal(text_cp_width(0x2588), 1);
	assert_int_equal(text_cp_width(0xFE0F), 0);
	assert_int_equal(text_width("e\xCC\x81\xE6\x97\xA5x", 7), 4);
	assert_int_equal(text_width("", 0), 0);
}

static void assert_cut(const char *s, size_t cols, bool ascii, const char *want)
{
	char out[64];
	const size_t used = text_cut_middle(out, sizeof(out), s, strlen(s), cols, ascii);

	assert_string_equal(out, want);
	assert_int_equal(used, text_width(want, strlen(want)));
}

static void cuts_the_middle(void **state)
{
	assert_cut("short", 5, false, "short");
	assert_cut("abcdefghij", 9, false, "abcd\xE2\x80\xA6ghij");
	assert_cut("abcdefghij", 8, false, "abcd\xE2\x80\xA6hij");
	assert_cut("abcdefghij", 8, true, "abc..hij");
	assert_cut("abcdefghij", 2, true, "..");
	assert_cut("abcdefghij", 1, true, "");
	assert_cut("abcdefghij", 1, false, "\xE2\x80\xA6");
	assert_cut("abcdefghij", 0, false, "");
	assert_cut("\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5", 4, false, "\xE6\x97\xA5\xE2\x80\xA6");
	assert_cut("\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5", 5, false, "\xE6\x97\xA5\xE2\x80\xA6\xE6\x97\xA5");
	/* A mark goes with the letter before it. */
	assert_cut("ae\xCC\x81" "bcdxe\xCC\x81", 4, false, "ae\xCC\x81\xE2\x80\xA6" "e\xCC\x81");
	assert_cut("abcdez\xCC\x81y", 3, false, "a\xE2\x80\xA6y");
}

static void cut_respects_its_room(void **state)
{
	char out[8] = "x";

	assert_int_equal(text_cut_middle(out, 0, "abc", 3, 3, false), 0);
	assert_string_equal(out, "x");
	assert_int_equal(text_cut_middle(out, 3, "abc", 3, 3, false), 0);
	assert_string_equal(out, "");
	assert_int_equal(text_cut_middle(out, 4, "abc", 3, 3, false), 3);
}

/* U+00E9, U+65E5, U+1F600: however many bytes there is room for, no part of a character is left. */
static void formats_whole_characters(void **state)
{
	static const char text[] = "a\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80z";
	static const size_t whole[sizeof(text)] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	char out[sizeof(text) + 1];

	for (size_t n = 0; n < sizeof(text); n++) {
		memset(out, 'x', sizeof(out));
		assert_int_equal(text_whole(text, n), whole[n]);
		assert_int_equal(text_format(out, n + 1, "%s", text), whole[n]);
		assert_memory_equal(out, text, whole[n]);
		assert_int_equal(out[whole[n]], '\0');
		assert_int_equal(out[n + 1], 'x');
	}
	memset(out, 'x', sizeof(out));
	assert_int_equal(text_format(out, 0, "%s", text), 0);
	assert_int_equal(out[0], 'x');
}

/* Foreign bytes are kept as they are, but for a beginning at the end. */
static void whole_of_no_text(void **state)
{
	assert_int_equal(text_whole("", 0), 0);
	assert_int_equal(text_whole("\x80\x80\x80\x80\x80", 5), 5);
	assert_int_equal(text_whole("a\x80\x80", 3), 3);
	assert_int_equal(text_whole("\xFF", 1), 1);
	assert_int_equal(text_whole("\xF0", 1), 0);
	assert_int_equal(text_whole("\x80\xF0\x80\x80", 4), 1);
}

/* A list is made longer until nothing fits any more, and then by nothing. */
static void formats_a_list_that_is_too_long(void **state)
{
	char out[32];
	size_t at = 0;

	for (int i = 0; i < 1000; i++) {
		at += text_format(out + at, sizeof(out) - at, "%s%d \xC3\xA9", at ? ", " : "", i);
		assert_true(at < sizeof(out) && strlen(out) == at && text_is_clean(out, at));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sanitises),
		cmocka_unit_test(nul_is_a_control),
		cmocka_unit_test(cuts_at_characters),
		cmocka_unit_test(every_byte_pair_comes_out_clean),
		cmocka_unit_test(bytes_among_others),
		cmocka_unit_test(widths),
		cmocka_unit_test(cuts_the_middle),
		cmocka_unit_test(cut_respects_its_room),
		cmocka_unit_test(formats_whole_characters),
		cmocka_unit_test(whole_of_no_text),
		cmocka_unit_test(formats_a_list_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
