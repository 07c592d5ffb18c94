/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_style.c - the table of colours: can it be read on black and on white, and does it fall back
 * to what a terminal has.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "ui/style.h"

#include <math.h>

#define READABLE 3.0             /* WCAG 2.1, 1.4.11 */

struct rgb {
	double r, g, b;
};

/*
 * As xterm has them: of all palettes in use that with the brightest colours, so hardest to read on
 * white, and darkest blue.
 */
static struct rgb colour(int i)
{
	static const unsigned char low[16][3] = {
		{ 0, 0, 0 }, { 0xCD, 0, 0 }, { 0, 0xCD, 0 }, { 0xCD, 0xCD, 0 }, { 0, 0, 0xEE }, { 0xCD, 0, 0xCD },
		{ 0, 0xCD, 0xCD }, { 0xE5, 0xE5, 0xE5 }, { 0x7F, 0x7F, 0x7F }, { 0xFF, 0, 0 }, { 0, 0xFF, 0 },
		{ 0xFF, 0xFF, 0 }, { 0x5C, 0x5C, 0xFF }, { 0xFF, 0, 0xFF }, { 0, 0xFF, 0xFF }, { 0xFF, 0xFF, 0xFF },
	};
	static const unsigned char step[6] = { 0, 0x5F, 0x87, 0xAF, 0xD7, 0xFF };

	if (i < 16)
		return (struct rgb){ low[i][0], low[i][1], low[i][2] };
	if (i >= 232)
		return (struct rgb){ 8 + 10 * (i - 232), 8 + 10 * (i - 232), 8 + 10 * (i - 232) };
	return (struct rgb){ step[(i - 16) / 36], step[(i - 16) / 6 % 6], step[(i - 16) % 6] };
}

static void components_are_those_of_xterm(void **state)
{
	for (int i = 16; i < 256; i++) {
		const struct rgb want = colour(i);
		unsigned char got[3];

		style_rgb(i, got);
		if (got[0] != want.r || got[1] != want.g || got[2] != want.b)
			fail_msg("colour %d is %d %d %d", i, got[0], got[1], got[2]);
	}
}

static void every_colour_of_256_has_components(void **state)
{
	for (unsigned int s = 0; s < STYLE_NR; s++)
		assert_true(style_colour(s, 256, false) == COLOUR_NONE || style_colour(s, 256, false) >= 16);
}

static double linear(double channel)
{
	const double c = channel / 255;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(int i)
{
	const struct rgb c = colour(i);

	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double contrast(int a, int b)
{
	const double x = luminance(a), y = luminance(b);

	return ((x > y ? x : y) + 0.05) / ((x > y ? y : x) + 0.05);
}

static void assert_readable(unsigned int style, int fg, int bg)
{
	if (fg != COLOUR_NONE && contrast(fg, bg) < READABLE)
		fail_msg("style %u ('%c'): colour %d on %d has a contrast of %.2f:1", style,
			 style_info(style)->letter, fg, bg, contrast(fg, bg));
}

static void contrast_is_that_of_wcag(void **state)
{
	assert_true(fabs(contrast(0, 15) - 21) < 1e-9);
	assert_true(contrast(11, 15) < 1.1);             /* yellow on white */
	assert_true(fabs(contrast(8, 15) - 4.0) < 0.05); /* #7f7f7f */
}

static void colours_can_be_read_on_black_and_on_white(void **state)
{
	static const int counts[] = { 256, 16, 8 };

	for (unsigned int s = 0; s < STYLE_NR; s++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			assert_readable(s, style_colour(s, counts[i], false), 0);
			assert_readable(s, style_colour(s, counts[i], false), 15);
			assert_readable(s, style_colour(s, counts[i], true), 0);
		}
	}
}

/* In bars nothing but its look tells one kind of time from another. */
static void kinds_of_time_differ(void **state)
{
	static const unsigned int kinds[3][3] = {
		{ STYLE_RUNNING, STYLE_RUNNABLE, STYLE_BLOCKED },
		{ STYLE_FLAME_RUNNING, STYLE_FLAME_RUNNABLE, STYLE_FLAME_BLOCKED },
		{ STYLE_FLAME_RUNNING2, STYLE_FLAME_RUNNABLE2, STYLE_FLAME_BLOCKED2 },
	};
	static const int counts[] = { 256, 16, 8 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		for (int dark = 0; dark < 2; dark++) {
			for (size_t k = 0; k < 9; k++) {
				const unsigned int a = kinds[k / 3][k % 3], b = kinds[k / 3][(k + 1) % 3];

				assert_true(style_colour(a, counts[i], dark) != style_colour(b, counts[i], dark) ||
					    style_look(a, counts[i], dark) != style_look(b, counts[i], dark));
			}
		}
	}
}

static void no_more_colours_than_there_are(void **state)
{
	for (unsigned int s = 0; s < STYLE_NR; s++) {
		assert_true(style_colour(s, 256, false) < 256);
		assert_int_equal(style_colour(s, 256, true), style_colour(s, 256, false));
		assert_true(style_colour(s, 16, true) < 16 && style_colour(s, 8, true) < 8);
		assert_int_equal(style_colour(s, 0, true), COLOUR_NONE);
		assert_int_equal(style_look(s, 0, false), style_info(s)->look_mono);
	}
	assert_int_equal(style_colour(STYLE_RUNNING, 8, true), 2);
	assert_int_equal(style_look(STYLE_FAINT, 8, true), LOOK_DIM);    /* there is no grey among 8 */
	assert_int_equal(style_info(STYLE_NR + 7)->letter, style_info(STYLE_TEXT)->letter);
}

static void the_background_as_far_as_it_is_known(void **state)
{
	assert_true(style_on_dark("dark", "0;15", "xterm"));
	assert_false(style_on_dark("light", "15;0", "linux"));
	assert_true(style_on_dark(NULL, "15;0", "rxvt"));
	assert_true(style_on_dark("", "15;default;8", "rxvt"));
	assert_false(style_on_dark(NULL, "0;15", "linux"));
	assert_false(style_on_dark(NULL, "0;7", NULL));
	assert_true(style_on_dark("auto", "0;", "linux-16color"));
	assert_false(style_on_dark(NULL, "15;default", "xterm"));
	assert_false(style_on_dark(NULL, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(components_are_those_of_xterm),
		cmocka_unit_test(every_colour_of_256_has_components),
		cmocka_unit_test(contrast_is_that_of_wcag),
		cmocka_unit_test(colours_can_be_read_on_black_and_on_white),
		cmocka_unit_test(kinds_of_time_differ),
		cmocka_unit_test(no_more_colours_than_there_are),
		cmocka_unit_test(the_background_as_far_as_it_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
