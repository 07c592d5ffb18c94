// SPDX-License-Identifier: BSD-2-Clause
/*
 * named.c - for each number N that it reads from standard input, N times: calls handle() with a structure, whose path,
 * tag and number turn, and which returns one of two structures; plain() with one of three texts; twice() and its
 * caller, into both of which inner() is inlined; and opens /etc/passwd or /etc/hosts in turn. Then it says "done".
 */
#include "workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct reply {
	int status;
	char name[24];
	const char *text;
};

struct asked {
	int n;
	const char *path;
	char tag[16];
};

NOINLINE const struct reply *handle(const struct asked *r, const char *how, int i)
{
	static const struct reply replies[] = { { 200, "good", "fine" }, { 404, "bad", "missing" } };

	/* Else the caller does not write what this does not read. */
	__asm__ volatile("" : : "r"(r), "r"(how) : "memory");
	return &replies[(r->n + i) & 1];
}

NOINLINE long plain(const char *s)
{
	sink++;
	return s[0];
}

static inline __attribute__((always_inline)) void inner(unsigned long i)
{
	sink += i * 3;           /* the line of inner() */
	sink ^= i;
}

NOINLINE void twice(unsigned long i)
{
	sink++;
	inner(i);
	sink += 7;
	inner(i + 1);
}

static NOINLINE void turn(int i)
{
	static const char *const paths[] = {
		"/etc/passwd", "/etc/hosts", "/",
		"/a-name-that-is-exactly-as-long-as-a-text-can-be-in-a-condition",
		"/a-name-that-is-exactly-as-long-as-a-text-can-be-in-a-condition-and-longer",
	};
	struct asked r = { 0, paths[i % 5], "tag0" };
	int fd;

	r.tag[3] = (char)('0' + i % 10);
	sink += (unsigned long)handle(&r, i % 4 ? "get" : "put", i)->status;
	sink += (unsigned long)plain(paths[i % 3]);
	twice((unsigned long)i);
	inner((unsigned long)i);
	fd = open(i % 2 ? "/etc/passwd" : "/etc/hosts", O_RDONLY);
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	int n;

	ready();
	while (scanf("%d", &n) == 1) {
		for (int i = 0; i < n; i++)
			turn(i);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
