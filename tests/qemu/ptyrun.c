/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptyrun.c - gives a program a terminal, presses keys when it has drawn what is waited for, and
 * keeps what it drew:
 *
 *	ptyrun COLUMNS LINES FILE SECONDS [TEXT KEYS]... -- COMMAND [ARGS...]
 *
 * Each KEYS is typed when TEXT has come since the keys before it. Before the last KEYS are typed,
 * all output up to then goes to FILE: what a terminal of that size shows after it is what was on
 * the screen. Ends with 1 when TEXT does not come within SECONDS, else with the status of COMMAND, and
 * says on standard error how long after the last KEYS it ended.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (4u << 20)

static char output[OUTPUT_MAX];
static size_t used;

/* Reads what comes within 100 ms. False at the end of the program. */
static bool read_some(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, 100) <= 0)
		return true;
	n = used < sizeof(output) ? read(fd, output + used, sizeof(output) - used) : -1;
	if (n <= 0)
		return false;
	used += (size_t)n;
	return true;
}

static bool wait_for(int fd, const char *text, size_t from, time_t until)
{
	while (time(NULL) < until) {
		if (memmem(output + from, used - from, text, strlen(text)))
			return true;
		if (!read_some(fd))
			return false;
	}
	return false;
}

static bool save(const char *path)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(output, 1, used, f) == used;

	if (f && fclose(f))
		ok = false;
	return ok;
}

/* Whatever is being drawn is drawn to its end: nothing comes for half a second. */
static void let_it_draw(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (poll(&p, 1, 500) > 0 && read_some(fd))
		;
}

int main(int argc, char **argv)
{
	struct timespec typed, ended;
	struct winsize size = { 0 };
	size_t from = 0;
	time_t until;
	int fd, status, i;
	pid_t pid;

	if (argc < 7)
		return 2;
	size.ws_col = (unsigned short)atoi(argv[1]);
	size.ws_row = (unsigned short)atoi(argv[2]);
	for (i = 5; i < argc && strcmp(argv[i], "--"); i++)
		;
	pid = forkpty(&fd, NULL, NULL, &size);
	if (!pid) {
		execvp(argv[i + 1], argv + i + 1);
		_exit(127);
	}
	if (pid < 0)
		return 2;
	until = time(NULL) + atoi(argv[4]);
	for (int k = 5; k + 1 < i; k += 2) {
		if (!wait_for(fd, argv[k], from, until)) {
			fprintf(stderr, "ptyrun: '%s' did not come\n", argv[k]);
			save(argv[3]);
			kill(pid, SIGKILL);
			return 1;
		}
		let_it_draw(fd);
		if (k + 3 >= i && !save(argv[3]))
			return 2;
		from = used;
		if (write(fd, argv[k + 1], strlen(argv[k + 1])) < 0)
			return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &typed);
	while (read_some(fd) && !waitpid(pid, &status, WNOHANG))
		;
	clock_gettime(CLOCK_MONOTONIC, &ended);
	fprintf(stderr, "ptyrun: it ended %ld ms after the last keys\n",
		(ended.tv_sec - typed.tv_sec) * 1000 + (ended.tv_nsec - typed.tv_nsec) / 1000000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
