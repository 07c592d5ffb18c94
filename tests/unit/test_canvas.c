/* SPDX-License-Identifier: BSD-2-Clause */
/* test_canvas.c - cells: clipping, wide and combining characters, hostile bytes, bars, dumps. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "ui/canvas.h"

#include <stdlib.h>
#include <string.h>

static void expect(const struct canvas *cv, const char *want)
{
	AUTO_FREE char *got = canvas_dump(cv);

	assert_string_equal(got, want);
}

static void text_is_clipped(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(6, 3, false);
	const struct rect r = { 1, 1, 3, 1 };

	assert_int_equal(canvas_put(cv, 4, 0, STYLE_TEXT, "abcdef"), 6);
	canvas_put(cv, -2, 2, STYLE_TEXT, "vwxyz");
	canvas_put(cv, 0, 3, STYLE_TEXT, "below");
	canvas_put(cv, 0, -1, STYLE_TEXT, "above");
	expect(cv, "    ab\n\nxyz\n");
	canvas_clear(cv);
	canvas_clip(cv, &r);
	for (int y = 0; y < 3; y++)
		canvas_put(cv, 0, y, STYLE_TEXT, "abcdef");
	expect(cv, "\n bcd\n\n");
	canvas_clip(cv, &(struct rect){ -5, -5, 7, 7 });
	canvas_put(cv, 0, 0, STYLE_TEXT, "abcdef");
	expect(cv, "ab\n bcd\n\n");
	canvas_clip(cv, &(struct rect){ 50, 50, 7, 7 });
	canvas_fill(cv, 0, 0, 6, STYLE_TEXT, 'x');
	expect(cv, "ab\n bcd\n\n");
}

static void columns_are_limited(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(20, 1, false);

	assert_int_equal(canvas_text(cv, 0, 0, 4, STYLE_TEXT, "abcdef", 6), 4);
	assert_int_equal(canvas_text(cv, 5, 0, 0, STYLE_TEXT, "abcdef", 6), 0);
	assert_int_equal(canvas_text_cut(cv, 6, 0, 5, STYLE_TEXT, "abcdefgh", 8), 5);
	assert_int_equal(canvas_text_cut(cv, 12, 0, -3, STYLE_TEXT, "abcdefgh", 8), 0);
	expect(cv, "abcd  ab\xE2\x80\xA6gh\n");
}

static void wide_characters_stay_whole(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(5, 1, false);

	assert_int_equal(canvas_put(cv, 0, 0, STYLE_TEXT, "\xE6\xBC\xA2\xE5\xAD\x97"), 4);
	assert_int_equal(canvas_at(cv, 1, 0)->width, 0);
	canvas_put(cv, 1, 0, STYLE_TEXT, "x");   /* the other half goes */
	expect(cv, " x\xE5\xAD\x97\n");
	canvas_put(cv, 2, 0, STYLE_TEXT, "y");
	expect(cv, " xy\n");
	canvas_put(cv, 4, 0, STYLE_TEXT, "\xE6\xBC\xA2");        /* does not fit */
	expect(cv, " xy\n");
	assert_int_equal(canvas_text(cv, 0, 0, 3, STYLE_TEXT, "\xE6\xBC\xA2\xE5\xAD\x97", 6), 2);
}

static void marks_join_the_cell_before(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(4, 1, false);

	assert_int_equal(canvas_put(cv, 0, 0, STYLE_TEXT, "e\xCC\x81x\xCC\x80\xCC\x81\xCC\x82\xCC\x83"), 2);
	expect(cv, "e\xCC\x81x\xCC\x80\xCC\x81\n");
	canvas_put(cv, 0, 0, STYLE_TEXT, "\xCC\x81" "a");
	expect(cv, "ax\xCC\x80\xCC\x81\n");
	canvas_put(cv, 0, 0, STYLE_TEXT, "\xE6\xBC\xA2\xCC\x81");        /* on a wide one: on its left half */
	assert_int_equal(canvas_at(cv, 0, 0)->mark[0], 0x301);
	expect(cv, "\xE6\xBC\xA2\xCC\x81\n");
}

/* No byte string at all may put a control character into a cell; ASCII canvases hold ASCII. */
static void hostile_bytes_never_get_through(void **state)
{
	AUTO(canvas_free) struct canvas *utf8 = canvas_new(300, 1, false), *ascii = canvas_new(300, 1, true);
	unsigned int seed = 1;

	for (int round = 0; round < 2000; round++) {
		char bytes[1200];
		const size_t n = (size_t)rand_r(&seed) % sizeof(bytes);

		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)(rand_r(&seed) >> 3);
		canvas_clear(utf8);
		canvas_clear(ascii);
		canvas_text(utf8, rand_r(&seed) % 300, 0, 300, STYLE_TEXT, bytes, n);
		canvas_text_cut(ascii, 0, 0, rand_r(&seed) % 300, STYLE_TEXT, bytes, n);
		for (int x = 0; x < 300; x++) {
			const uint32_t u = canvas_at(utf8, x, 0)->ch, a = canvas_at(ascii, x, 0)->ch;

			assert_true(u >= 0x20 ? u < 0x7F || u >= 0xA0 : canvas_at(utf8, x, 0)->width == 0);
			assert_false(u >= 0x202A && u <= 0x202E);
			assert_in_range(a, 0x20, 0x7E);
		}
	}
}

static void long_text_is_cut_at_characters(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(1000, 1, false);
	char text[2001];

	for (size_t i = 0; i < 2000; i += 2)
		memcpy(text + i, "\xC3\xA9", 2);
	text[0] = 'a';                           /* so that chunks end in the middle of a character */
	text[1] = 'b';
	assert_int_equal(canvas_text(cv, 0, 0, 1000, STYLE_TEXT, text, 1999), 1000);
	for (int x = 2; x < 1000; x++)
		assert_int_equal(canvas_at(cv, x, 0)->ch, 0xE9);
}

static void bars(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(4, 6, false), *ascii = canvas_new(4, 6, true);
	const double fractions[] = { 0, 0.1, 0.5, 0.97, 7, -1 };

	for (int y = 0; y < 6; y++) {
		canvas_bar(cv, 0, y, 4, STYLE_RUNNING, fractions[y]);
		canvas_bar(ascii, 0, y, 4, STYLE_RUNNING, fractions[y]);
	}
	expect(cv, "\n\xE2\x96\x8D\n\xE2\x96\x88\xE2\x96\x88\n\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x89\n"
		   "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\n\n");
	expect(ascii, "\n\n##\n####\n####\n\n");
	canvas_clear(cv);
	canvas_clear(ascii);
	for (int x = 0; x < 4; x++) {
		canvas_spark(cv, x, 0, STYLE_RUNNING, x / 3.0);
		canvas_spark(ascii, x, 0, STYLE_RUNNING, x / 3.0);
	}
	expect(cv, "\xE2\x96\x81\xE2\x96\x83\xE2\x96\x86\xE2\x96\x88\n\n\n\n\n\n");
	expect(ascii, " :+#\n\n\n\n\n\n");
}

static void parts_of_a_bar_share_columns(void **state)
{
	static const struct bar_part thirds[] = { { STYLE_RUNNING, 0.4 }, { STYLE_RUNNABLE, 0.05 },
						  { STYLE_BLOCKED, 0.4 } };
	static const struct bar_part much[] = { { STYLE_RUNNING, 0.6 }, { STYLE_BLOCKED, 3 } };
	static const struct bar_part nothing[] = { { STYLE_RUNNING, 0 }, { STYLE_BLOCKED, -1 } };
	AUTO(canvas_free) struct canvas *cv = canvas_new(10, 4, false), *ascii = canvas_new(10, 4, true);
	AUTO_FREE char *styles = NULL;

	canvas_bars(cv, 0, 0, 10, thirds, 3);
	canvas_bars(cv, 0, 1, 10, much, 2);
	canvas_bars(cv, 0, 2, 10, nothing, 2);
	canvas_bars(cv, 0, 3, 10, thirds, 0);
	canvas_bars(ascii, 0, 0, 10, thirds, 3);
	expect(cv, "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
		   "\xE2\x96\x8C\n"
		   "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
		   "\xE2\x96\x88"
		   "\xE2\x96\x88\n\n\n");
	expect(ascii, "#########\n\n\n\n");
	styles = canvas_dump_styles(cv);
	assert_string_equal(styles, "ggggyrrrr\nggggggrrrr\n\n\n");
}

static void styles_follow_the_cursor(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(6, 1, false);
	AUTO_FREE char *styles = NULL;

	canvas_put(cv, 0, 0, STYLE_TITLE, "ab");
	canvas_put(cv, 2, 0, STYLE_MATCH, "cd");
	canvas_restyle(cv, 1, 0, 2, STYLE_CURSOR);
	canvas_restyle(cv, -5, 0, 3, STYLE_ALERT);
	styles = canvas_dump_styles(cv);
	assert_string_equal(styles, "t#%f\n");
}

static void sizes_are_bounded(void **state)
{
	AUTO(canvas_free) struct canvas *cv = canvas_new(-3, 0, false);

	assert_int_equal(cv->w, 1);
	assert_int_equal(cv->h, 1);
	assert_true(canvas_resize(cv, 100000, 1));
	assert_int_equal(cv->w, CANVAS_SIDE_MAX);
	canvas_fill(cv, 0, 0, INT32_MAX, STYLE_TEXT, 'x');
	assert_int_equal(canvas_at(cv, CANVAS_SIDE_MAX - 1, 0)->ch, 'x');
	assert_true(cell_same(canvas_at(cv, 0, 0), canvas_at(cv, 9, 0)));
	canvas_put(cv, 9, 0, STYLE_KEY, "x");
	assert_false(cell_same(canvas_at(cv, 0, 0), canvas_at(cv, 9, 0)));
	canvas_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped),
		cmocka_unit_test(columns_are_limited),
		cmocka_unit_test(wide_characters_stay_whole),
		cmocka_unit_test(marks_join_the_cell_before),
		cmocka_unit_test(hostile_bytes_never_get_through),
		cmocka_unit_test(long_text_is_cut_at_characters),
		cmocka_unit_test(bars),
		cmocka_unit_test(parts_of_a_bar_share_columns),
		cmocka_unit_test(styles_follow_the_cursor),
		cmocka_unit_test(sizes_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
