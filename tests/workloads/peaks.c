/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peaks.c - allocates and frees in a way that looks random and is always the same, and counts all of it:
 *
 *	site_table 100000 5000 8000 0
 *
 * are the bytes that a site has allocated, those in use at the end, those in use when most were, and those freed
 * before anything else was allocated. One site allocates in a signal handler. A child that was forked frees what
 * it has inherited, which changes nothing here, and executes another program.
 *
 * Arguments: how many steps, 1000; and how many milliseconds it waits before, twice.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define KEPT 64u

enum { TABLE, BUFFER, GROWS, SIGNAL, SITES };

static const char *const names[SITES] = { "site_table", "site_buffer", "site_grows", "site_signal" };
static uint64_t allocated[SITES], live[SITES], at_peak[SITES], temporary[SITES], all, peak;

static struct kept {
	void *p;
	size_t size;
	unsigned int site;
} kept[KEPT];
static const void *last;                 /* block that was allocated last, if it was not freed */
static char out[4096];
static uint32_t seed = 1;

static uint32_t any(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* P of SIZE bytes was allocated by SITE, and is kept in K. */
NOINLINE static void got(struct kept *k, void *p, size_t size, unsigned int site)
{
	KEEP(p);
	*k = (struct kept){ p, size, site };
	last = p;
	allocated[site] += size;
	live[site] += size;
	all += size;
	if (all <= peak)
		return;
	peak = all;
	for (unsigned int i = 0; i < SITES; i++)
		at_peak[i] = live[i];
}

/* The block of K is about to be freed. */
static void freed(struct kept *k)
{
	temporary[k->site] += k->p == last ? k->size : 0;
	last = k->p == last ? NULL : last;
	live[k->site] -= k->size;
	all -= k->size;
}

static void drop(struct kept *k)
{
	void *p = k->p;

	if (!p)
		return;
	freed(k);
	k->p = NULL;
	free(p);
}

NOINLINE static void site_table(struct kept *k, size_t size)
{
	got(k, calloc(3, size), 3 * size, TABLE);
}

NOINLINE static void site_buffer(struct kept *k, size_t size, unsigned int odds)
{
	got(k, malloc(size), size, BUFFER);
	if (any(odds))
		drop(k);
}

NOINLINE static void site_grows(struct kept *k, size_t size, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		void *p;

		if (k->p)
			freed(k);
		p = realloc(k->p, size + i * 100);
		got(k, p, size + i * 100, GROWS);
	}
}

NOINLINE static void site_signal(int nr)
{
	struct kept *k = &kept[any(KEPT)];

	(void)nr;
	drop(k);
	got(k, malloc(700), 700, SIGNAL);
}

static void step(void)
{
	struct kept *k = &kept[any(KEPT)];

	drop(k);
	switch (any(8)) {
	case 0:
		site_table(k, 1 + any(2000));
		break;
	case 1:
		site_grows(k, 1 + any(500), 4);
		break;
	case 2:
		raise(SIGUSR1);
		break;
	default:
		site_buffer(k, 1 + any(9000), 3);
		break;
	}
}

/* Each site once, without a free: whoever looks has time to know the code by then. */
static void warm(useconds_t us)
{
	usleep(us);
	site_table(&kept[0], 10);
	site_buffer(&kept[1], 20, 1);
	site_grows(&kept[2], 30, 1);
	raise(SIGUSR1);
	usleep(us);
}

/* Its frees, and what it allocates, are its own. */
static void child(const char *self)
{
	for (unsigned int i = 0; i < KEPT; i++)
		free(kept[i].p);
	KEEP(malloc(100));
	execl(self, self, "0", "0", (char *)NULL);
	_exit(1);
}

int main(int argc, char **argv)
{
	const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	pid_t pid;

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	signal(SIGUSR1, site_signal);
	if (!steps)
		return 0;
	warm((useconds_t)(argc > 2 ? strtoul(argv[2], NULL, 10) * 1000 : 0));
	for (unsigned long i = 0; i < steps; i++)
		step();
	pid = fork();
	if (!pid)
		child(argv[0]);
	waitpid(pid, NULL, 0);
	for (unsigned int i = 0; i < SITES; i++)
		printf("%s %llu %llu %llu %llu\n", names[i], (unsigned long long)allocated[i],
		       (unsigned long long)live[i], (unsigned long long)at_peak[i], (unsigned long long)temporary[i]);
	return 0;
}
