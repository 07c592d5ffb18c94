/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_outfile.c - a file that is being written when a signal comes leaves nothing behind; and the
 * line that tells how far it is.
 */
#include "config.h"

#include "base/clock.h"
#include "base/progress.h"
#include "export/outfile.h"
#include "tests/unit/cmocka_all.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/sberf-test-outfile.XXXXXX";

/* Whoever runs the tests in the background, or without a terminal, may ignore signals for them. */
static int make_dir(void **state)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	return mkdtemp(dir) ? 0 : -1;
}

/* Fails when something is left. */
static int remove_dir(void **state)
{
	return rmdir(dir);
}

static _Noreturn void write_until(const char *path, int sig)
{
	struct outfile out;

	if (outfile_open(&out, path, NULL, NULL) || fputs("half of it", out.file) < 0 || fflush(out.file))
		_exit(1);
	raise(sig);
	_exit(2);
}

static void ended_by_a_signal(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	char path[64];

	snprintf(path, sizeof(path), "%s/out", dir);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		const pid_t pid = fork();
		int status;

		if (!pid)
			write_until(path, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(access(path, F_OK), -1);
		/* What was written beside it is gone: the directory is empty. */
		assert_int_equal(rmdir(dir), 0);
		assert_int_equal(mkdir(dir, 0700), 0);
	}
}

/* Whoever ignores a signal, or has a handler, keeps it, and afterwards everything is as it was. */
static void signals_of_others(void **state)
{
	struct sigaction old;
	struct outfile out;
	char path[64];

	snprintf(path, sizeof(path), "%s/out", dir);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(outfile_open(&out, path, NULL, NULL), 0);
	sigaction(SIGHUP, NULL, &old);
	assert_true(old.sa_handler == SIG_IGN);
	raise(SIGHUP);
	assert_int_equal(outfile_close(&out, 0, NULL), 0);
	assert_int_equal(access(path, F_OK), 0);
	sigaction(SIGINT, NULL, &old);
	assert_true(old.sa_handler == SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	unlink(path);
}

static void the_line(void **state)
{
	struct progress p = { .what = "sberf report: reading", .total = 100u << 20 };
	char text[PROGRESS_TEXT_MAX];

	assert_string_equal(progress_text(text, &p, 25u << 20, NSEC_PER_SEC),
			    "sberf report: reading  25.0 %, 25 MB of 100 MB, 25 MB/s, 3.00 s left");
	p.total = 0;
	assert_string_equal(progress_text(text, &p, 50u << 20, 2 * NSEC_PER_SEC),
			    "sberf report: reading  50 MB, 25 MB/s");
	assert_non_null(strstr(progress_text(text, &p, 0, 0), "reading  0 B"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_by_a_signal),
		cmocka_unit_test(signals_of_others),
		cmocka_unit_test(the_line),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
