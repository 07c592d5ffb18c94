/* SPDX-License-Identifier: BSD-2-Clause */
/* test_term.c - the terminal library driven on /dev/null: what a canvas becomes, and what is refused. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static int null_fd;

static struct term_options options(const char *type)
{
	return (struct term_options){ .title = "sberf top", .type = type, .in_fd = null_fd, .out_fd = null_fd, .any_file = true };
}

static struct terminal *opened(const char *type, bool no_color)
{
	struct term_options o = options(type);
	struct terminal *t = NULL;
	struct err e = ERR_INIT;

	o.no_color = no_color;
	if (term_open(&o, &t, &e))
		fail_msg("%s", e.text);
	return t;
}

static void a_canvas_becomes_a_screen(void **state)
{
	const bool utf8 = term_use_locale();
	AUTO(term_close) struct terminal *t = opened("xterm-256color", false);
	AUTO(canvas_free) struct canvas *cv = NULL;
	char text[4096], looks[4096];
	int w, h;

	term_size(t, &w, &h);
	assert_true(w >= 20 && h >= 5);
	assert_int_equal(term_colours(t), 256);
	cv = canvas_new(w, h, !utf8);
	canvas_put(cv, 0, 1, STYLE_TEXT, "plain ");
	canvas_put(cv, 6, 1, STYLE_RUNNING, "green");
	canvas_put(cv, 11, 1, STYLE_CURSOR, "cursor");
	term_draw(t, cv);
	term_read_back(t, 1, text, sizeof(text), looks, sizeof(looks));
	assert_int_equal(strncmp(text, "plain greencursor   ", 20), 0);
	assert_int_equal(strncmp(looks, "      ", 6), 0);
	assert_true(looks[6] > 'A' && looks[6] == looks[10]);
	assert_int_equal(looks[11], 'r');
	canvas_clear(cv);
	canvas_put(cv, 2, 1, STYLE_TEXT, "x");
	term_draw(t, cv);
	term_read_back(t, 1, text, sizeof(text), looks, sizeof(looks));
	assert_int_equal(strncmp(text, "  x     ", 8), 0);
	assert_int_equal(strncmp(looks, "                 ", 17), 0);
}

static void colours_as_the_terminal_has_them(void **state)
{
	static const struct {
		const char *type;
		bool no_color;
		int colours;
	} cases[] = { { "xterm-256color", false, 256 }, { "xterm", false, 8 }, { "linux", false, 8 }, { "vt100", false, 0 },
		      { "xterm-256color", true, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(term_close) struct terminal *t = opened(cases[i].type, cases[i].no_color);

		assert_int_equal(term_colours(t), cases[i].colours);
	}
}

static void wide_and_combining(void **state)
{
	const bool utf8 = term_use_locale();
	AUTO(term_close) struct terminal *t = opened("xterm-256color", false);
	AUTO(canvas_free) struct canvas *cv = canvas_new(20, 3, !utf8);
	char text[4096], looks[4096];

	if (!utf8)
		skip();
	canvas_put(cv, 0, 0, STYLE_TEXT, "e\xCC\x81\xE6\xBC\xA2x");
	canvas_put(cv, 0, 1, STYLE_TEXT, "\xE2\x96\x88\xE2\x96\x8C|");
	term_draw(t, cv);
	term_read_back(t, 0, text, sizeof(text), looks, sizeof(looks));
	assert_non_null(strstr(text, "e\xCC\x81"));
	assert_non_null(strstr(text, "\xE6\xBC\xA2"));
	term_read_back(t, 1, text, sizeof(text), looks, sizeof(looks));
	assert_int_equal(strncmp(text, "\xE2\x96\x88\xE2\x96\x8C|", 7), 0);
}

static void refusals_are_sentences(void **state)
{
	static const struct {
		const char *type;
		bool any_file;
		int code;
		const char *says;
	} cases[] = { { "dumb", true, EINVAL, "TERM=dumb" }, { "", true, EINVAL, "TERM is not set" },
		      { "no-such-terminal", true, EINVAL, "TERM=no-such-terminal is unknown" },
		      { "xterm", false, ENOTTY, "standard output is none" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct term_options o = options(cases[i].type);
		struct terminal *t = NULL;
		struct err e = ERR_INIT;

		o.any_file = cases[i].any_file;
		assert_int_equal(term_open(&o, &t, &e), -cases[i].code);
		assert_null(t);
		assert_non_null(strstr(e.text, cases[i].says));
		assert_non_null(strstr(e.text, "sberf top"));
	}
}

static void ignore(int sig)
{
}

static void signals_are_events_and_given_back(void **state)
{
	struct sigaction mine = { .sa_handler = ignore }, after;
	struct terminal *t;
	struct term_event ev;

	sigaction(SIGTERM, &mine, NULL);
	sigaction(SIGSEGV, &mine, NULL);
	t = opened("xterm", false);
	raise(SIGWINCH);
	term_next(t, &ev);
	assert_int_equal(ev.type, TERM_REDRAW);
	raise(SIGTERM);
	term_next(t, &ev);
	assert_int_equal(ev.type, TERM_QUIT);
	term_next(t, &ev);
	assert_int_equal(ev.type, TERM_LOST);    /* /dev/null reads as an ended file */
	term_close(t);
	sigaction(SIGTERM, NULL, &after);
	assert_ptr_equal(after.sa_handler, ignore);
	sigaction(SIGSEGV, NULL, &after);
	assert_ptr_equal(after.sa_handler, ignore);
	signal(SIGTERM, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	term_close(NULL);
}

static int setup(void **state)
{
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return null_fd < 0;
}

static int teardown(void **state)
{
	return close(null_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_canvas_becomes_a_screen),
		cmocka_unit_test(colours_as_the_terminal_has_them),
		cmocka_unit_test(wide_and_combining),
		cmocka_unit_test(refusals_are_sentences),
		cmocka_unit_test(signals_are_events_and_given_back),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
