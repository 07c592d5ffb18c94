/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_tty.c - how long a program of the terminal makes one wait, from outside: it gets a
 * terminal, and what it writes is timed.
 *
 *	bench_tty start TIMES COMMAND [ARGS...]          from the start to the first screen, and to the first tree
 *	bench_tty keys TIMES KEYS COMMAND [ARGS...]      from a key to the first byte of the answer, and to the last one
 *
 * The first screen has "quit" in its footer, and a tree has marks of what is open. Each of KEYS is
 * pressed TIMES times, one after the other, once the tree is there: "." waits for a second, so that
 * something goes on meanwhile. A key that nothing answers within a second is told and does not
 * count; of a view that goes on by itself a key that changes nothing is answered by its next
 * refresh, so only keys that change something tell anything. CPU time of the program is told, too.
 */
#define _GNU_SOURCE
#include "config.h"

#include "base/clock.h"
#include "base/thread.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COLUMNS 160
#define LINES 50
#define QUIET_MS 40              /* a screen that has been quiet for so long is complete */
#define ANSWER_MS 1000
#define START_MS 60000
#define TIMES_MAX 1000u

struct screen {
	int fd;
	pid_t pid;
	char text[1 << 16];              /* what came last */
	size_t n;
};

struct times {
	uint64_t ns[TIMES_MAX];
	size_t n;
};

static void note(struct times *t, uint64_t ns)
{
	if (t->n < TIMES_MAX)
		t->ns[t->n++] = ns;
}

static int compare(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void print(const char *what, struct times *t)
{
	if (!t->n) {
		printf("%-22s never\n", what);
		return;
	}
	qsort(t->ns, t->n, sizeof(*t->ns), compare);
	printf("%-22s %4zu times: %7.1f ms in the middle, %7.1f of a hundred all but one, %7.1f at most\n", what, t->n,
	       (double)t->ns[t->n / 2] / 1e6, (double)t->ns[t->n * 99 / 100] / 1e6, (double)t->ns[t->n - 1] / 1e6);
}

static void start(struct screen *s, char **command)
{
	struct winsize size = { .ws_row = LINES, .ws_col = COLUMNS };

	s->n = 0;
	s->pid = forkpty(&s->fd, NULL, NULL, &size);
	if (s->pid < 0) {
		perror("bench_tty");
		exit(1);
	}
	if (s->pid)
		return;
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("XDG_CONFIG_HOME", "/dev/null", 1);
	execvp(command[0], command);
	_exit(127);
}

/* Reads what comes within MS. False when nothing does. */
static bool read_some(struct screen *s, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	if (s->n > sizeof(s->text) / 2) {
		memmove(s->text, s->text + s->n - 256, 256);
		s->n = 256;
	}
	n = read(s->fd, s->text + s->n, sizeof(s->text) - s->n);
	if (n <= 0) {
		fprintf(stderr, "bench_tty: the program has ended: %.*s\n", (int)s->n, s->text);
		exit(1);
	}
	s->n += (size_t)n;
	return true;
}

static bool has(const struct screen *s, const char *text)
{
	return memmem(s->text, s->n, text, strlen(text));
}

static bool has_tree(const struct screen *s)
{
	return has(s, "\xE2\x96\xBE") || has(s, "\xE2\x96\xB8");
}

static void wait_for(struct screen *s, uint64_t began, bool (*there)(const struct screen *))
{
	while (!there(s)) {
		read_some(s, 100);
		if (clock_mono_ns() - began > START_MS * NSEC_PER_MSEC) {
			fprintf(stderr, "bench_tty: what is waited for does not come\n");
			kill(s->pid, SIGTERM);
			exit(1);
		}
	}
}

static bool has_footer(const struct screen *s)
{
	return has(s, "quit");
}

static void press(const struct screen *s, char key)
{
	if (write(s->fd, &key, 1) != 1)
		exit(1);
}

static void stop(struct screen *s)
{
	kill(s->pid, SIGTERM);           /* whatever keys mean now */
	while (waitpid(s->pid, NULL, WNOHANG) == 0) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };

		if (poll(&p, 1, 10) > 0 && read(s->fd, s->text, sizeof(s->text)) < 0)
			poll(NULL, 0, 1);
	}
	close(s->fd);
}

static void print_memory(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	printf("%-22s %.0f MiB\n", "memory at most", (double)u.ru_maxrss / 1024);
}

static void time_start(unsigned int times, char **command)
{
	static struct screen s;
	struct times screen = { .n = 0 }, tree = { .n = 0 };

	for (unsigned int i = 0; i < times; i++) {
		const uint64_t began = clock_mono_ns();

		start(&s, command);
		wait_for(&s, began, has_footer);
		note(&screen, clock_mono_ns() - began);
		wait_for(&s, began, has_tree);
		note(&tree, clock_mono_ns() - began);
		stop(&s);
	}
	print("the first screen", &screen);
	print("the first tree", &tree);
	print_memory();
}

static void settle(struct screen *s)
{
	while (read_some(s, QUIET_MS))
		;
}

static double cpu_seconds(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? 0 : (double)clock_ns(clock) / 1e9;
}

static void time_keys(unsigned int times, const char *keys, char **command)
{
	static struct screen s;
	struct times first = { .n = 0 }, last = { .n = 0 };
	const uint64_t began = clock_mono_ns();
	unsigned int unanswered = 0;

	start(&s, command);
	wait_for(&s, began, has_tree);
	settle(&s);
	for (unsigned int i = 0; i < times; i++) {
		for (const char *k = keys; *k; k++) {
			uint64_t at, until;

			if (*k == '.') {
				poll(NULL, 0, 1000);
				settle(&s);
				continue;
			}
			at = clock_mono_ns();
			press(&s, *k);
			if (!read_some(&s, ANSWER_MS)) {
				unanswered++;
				continue;
			}
			until = clock_mono_ns();
			note(&first, until - at);
			while (read_some(&s, QUIET_MS))
				until = clock_mono_ns();
			note(&last, until - at);
		}
	}
	print("first byte", &first);
	print("last byte", &last);
	if (unanswered)
		printf("%-22s %u keys\n", "nothing answered", unanswered);
	printf("%-22s %.1f %% of a CPU over %.0f s\n", "its own time",
	       cpu_seconds(s.pid) / ((double)(clock_mono_ns() - began) / 1e9) * 100,
	       (double)(clock_mono_ns() - began) / 1e9);
	stop(&s);
	print_memory();
}

int main(int argc, char **argv)
{
	const unsigned int times = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;

	/* else its own waiting is measured, too; the program that it starts does not inherit it */
	thread_run_first();
	if (argc > 3 && times && times <= TIMES_MAX && !strcmp(argv[1], "start")) {
		time_start(times, argv + 3);
		return 0;
	}
	if (argc > 4 && times && times <= TIMES_MAX && !strcmp(argv[1], "keys")) {
		time_keys(times, argv[3], argv + 4);
		return 0;
	}
	fprintf(stderr, "usage: bench_tty start TIMES COMMAND [ARGS...] | keys TIMES KEYS COMMAND [ARGS...]\n");
	return 2;
}
