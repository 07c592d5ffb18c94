/* SPDX-License-Identifier: BSD-2-Clause */
/* test_term.c - the terminal library driven on /dev/null: what a canvas becomes, and what is refused. */
#include "config.h"

#include "base/locale.h"
#include "tests/unit/cmocka_all.h"
#include "ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int null_fd;

static struct term_options options(const char *type)
{
	return (struct term_options){ .title = "sberf top", .type = type, .in_fd = null_fd, .out_fd = null_fd,
				      .any_file = true };
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
	const bool utf8 = locale_use();
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
	} cases[] = { { "xterm-256color", false, 256 }, { "xterm", false, 8 }, { "linux", false, 8 },
		      { "vt100", false, 0 },
		      { "xterm-256color", true, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(term_close) struct terminal *t = opened(cases[i].type, cases[i].no_color);

		assert_int_equal(term_colours(t), cases[i].colours);
	}
}

/*
 * What a terminal TYPE is sent for one green word is SENT. One that this machine does not describe
 * is passed over: those of ncurses-term are not everywhere.
 */
static void assert_green(const char *type, const char *sent)
{
	const int fd = memfd_create("terminal", MFD_CLOEXEC);
	struct term_options o = options(type);
	struct terminal *t = NULL;
	struct err e = ERR_INIT;
	AUTO(canvas_free) struct canvas *cv = canvas_new(20, 3, true);
	char bytes[4096] = "";

	assert_true(fd >= 0);
	o.out_fd = fd;
	if (term_open(&o, &t, &e)) {
		print_message("# %s\n", e.text);
		close(fd);
		return;
	}
	assert_int_equal(term_colours(t), 256);
	canvas_put(cv, 0, 0, STYLE_RUNNING, "green");
	term_draw(t, cv);
	term_close(t);
	assert_true(pread(fd, bytes, sizeof(bytes) - 1, 0) > 0);
	close(fd);
	if (!strstr(bytes, sent))
		fail_msg("%s is not sent ESC%s but %s", type, sent + 1, bytes);
}

/* Colour 28 of 256 is 0, 0x87, 0. */
static void direct_colour_is_sent_as_such(void **state)
{
	assert_green("xterm-256color", "\033[38;5;28m");
	assert_green("xterm-direct", "\033[38:2::0:135:0m");
	assert_green("xterm-direct2", "\033[38:2:0:135:0m");
	assert_green("xterm-direct256", "\033[38:2::0:135:0m");
	assert_green("kitty-direct", "\033[38:2:0:135:0m");
	assert_green("st-direct", "\033[38;2;0;135;0m");
}

/*
 * What CAPABILITIES say of RGB and colours, in each of the ways that user_caps(5) has, decides what
 * green is SENT as. False: there is no tic.
 */
static bool is_sent(const char *capabilities, const char *sent)
{
	char dir[] = "/tmp/test_term.XXXXXX", command[256];
	FILE *f;
	bool made;

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "tic -x -o %s - 2>/dev/null", dir);
	f = popen(command, "w");
	assert_non_null(f);
	fprintf(f, "%s|as said,\n\t%s, pairs#0x10000, setaf=\\E[F%%p1%%dm, setab=\\E[B%%p1%%dm, use=xterm,\n",
		strrchr(dir, '/') + 1, capabilities);
	made = !pclose(f);
	setenv("TERMINFO", dir, true);
	if (made)
		assert_green(strrchr(dir, '/') + 1, sent);
	unsetenv("TERMINFO");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	return made;
}

static void depth_is_as_terminfo_says(void **state)
{
	if (!is_sent("RGB, colors#0x1000000", "\033[F34560m"))   /* 135 << 8 */
		skip();
	is_sent("RGB#5, colors#0x8000", "\033[F512m");           /* 135 * 31 / 255 = 16, << 5 */
	is_sent("RGB=5/6/5, colors#0x10000", "\033[F1056m");     /* 135 * 63 / 255 = 33, << 5 */
	is_sent("RGB=5/x, colors#0x10000", "\033[F28m");
	is_sent("RGB, colors#0x100", "\033[F28m");
	is_sent("colors#0x10000", "\033[F28m");
}

/* They count where the terminal does not know its size, and never make it fail. */
static void sizes_of_the_environment_are_bounded(void **state)
{
	static const struct {
		const char *said;
		int lines;
	} cases[] = { { "33", 33 }, { "99999", CANVAS_SIDE_MAX }, { "99999999999999999999", 24 }, { "-3", 24 },
		      { "0", 24 }, { "no", 24 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct terminal *t;
		int w, h;

		setenv("LINES", cases[i].said, true);
		setenv("COLUMNS", cases[i].said, true);
		t = opened("xterm", false);
		term_size(t, &w, &h);
		assert_int_equal(h, cases[i].lines);
		assert_int_equal(w, cases[i].lines == 24 ? 80 : cases[i].lines);
		term_close(t);
	}
	unsetenv("LINES");
	unsetenv("COLUMNS");
}

static void wide_and_combining(void **state)
{
	const bool utf8 = locale_use();
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
		cmocka_unit_test(direct_colour_is_sent_as_such),
		cmocka_unit_test(depth_is_as_terminfo_says),
		cmocka_unit_test(sizes_of_the_environment_are_bounded),
		cmocka_unit_test(wide_and_combining),
		cmocka_unit_test(refusals_are_sentences),
		cmocka_unit_test(signals_are_events_and_given_back),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
