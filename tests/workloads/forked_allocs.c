/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forked_allocs.c - a child that is forked allocates, and what it executes then does, each at a site of its own:
 *
 *	site_executed 70000 35000
 *
 * are the bytes that the site has allocated, and those in use at the end. Each of them begins when its malloc() is
 * probed, which it sees by the code of that: a breakpoint that was inherited goes with the first call, when nobody
 * wants it in this process.
 *
 * Arguments: how many blocks, 100; and how many milliseconds the parent waits before.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define CODE 16                          /* bytes from where a function begins, in which the probe is */
#define PATIENCE 20000                   /* milliseconds */

static char out[4096];

static void read_code(unsigned char code[CODE])
{
	const volatile unsigned char *at = (const volatile unsigned char *)(size_t)malloc;

	for (unsigned int i = 0; i < CODE; i++)
		code[i] = at[i];
}

/* Until the code of malloc() is not PLAIN. */
static void await_probe(const unsigned char plain[CODE])
{
	unsigned char code[CODE];

	read_code(code);
	for (unsigned int i = 0; i < PATIENCE && !memcmp(code, plain, CODE); i++) {
		usleep(1000);
		read_code(code);
	}
}

/* Allocates N blocks, of which every other one is freed, and none is left where another program is executed. */
#define SITE(name, size, left) \
	NOINLINE static void name(unsigned long n) \
	{ \
		for (unsigned long i = 0; i < n; i++) { \
			void *p = malloc(size); \
			KEEP(p); \
			if (i % 2) \
				free(p); \
		} \
		printf(#name " %lu %lu\n", n * (size), (left) ? (n + 1) / 2 * (size) : 0); \
		fflush(stdout); \
	}

SITE(site_forked, 400ul, false)
SITE(site_executed, 700ul, true)

static void child(const char *self, const char *times)
{
	unsigned char plain[CODE];
	char text[2 * CODE + 1];

	free(malloc(1));
	read_code(plain);
	await_probe(plain);
	site_forked(strtoul(times, NULL, 10));
	for (unsigned int i = 0; i < CODE; i++)
		snprintf(text + 2 * i, 3, "%02x", plain[i]);
	execl(self, self, times, "0", text, (char *)NULL);
	_exit(1);
}

static void executed(const char *text, const char *times)
{
	unsigned char plain[CODE] = { 0 };

	for (unsigned int i = 0; i < CODE; i++) {
		unsigned int byte = 0;

		sscanf(text + 2 * i, "%2x", &byte);
		plain[i] = (unsigned char)byte;
	}
	await_probe(plain);
	site_executed(strtoul(times, NULL, 10));
}

int main(int argc, char **argv)
{
	const char *times = argc > 1 ? argv[1] : "100";
	pid_t pid;

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (argc > 3) {
		executed(argv[3], times);
		return 0;
	}
	usleep((useconds_t)(argc > 2 ? strtoul(argv[2], NULL, 10) * 1000 : 0));
	pid = fork();
	if (!pid)
		child(argv[0], times);
	return waitpid(pid, NULL, 0) != pid;
}
