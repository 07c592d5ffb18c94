/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late_allocs.c - loads late_allocator.so, a library with a malloc() and free() of its own, while it runs,
 * and allocates there once these are probed; and on the heap, beside children of vfork(2) that execute
 * another program. It says
 *
 *	late_kept 100000 100000
 *
 * the bytes that a site has allocated and those in use at the end.
 *
 * Arguments: how many blocks of each site, 1000; and how many milliseconds it waits before, twice.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define SIZE 100u
#define CODE 64u                         /* bytes of a function, among which a probe is */

static void *(*late_malloc)(size_t);
static void (*late_free)(void *);

NOINLINE static void late_kept(int n)
{
	for (int i = 0; i < n; i++)
		KEEP(late_malloc(SIZE));
}

NOINLINE static void late_freed(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = late_malloc(SIZE);

		KEEP(p);
		late_free(p);
	}
}

/* The child has the memory of its parent until it executes. */
NOINLINE static void vfork_kept(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = malloc(SIZE);

		KEEP(p);
		if (i % (n / 10 + 1) == 0) {
			const pid_t pid = vfork();

			if (!pid) {
				execl("/bin/true", "true", (char *)NULL);
				_exit(127);
			}
			waitpid(pid, NULL, 0);
		}
		if (i % 2)
			free(p);
	}
}

/* Waits until the code of FN, which was as in BEFORE, has changed. */
static int probed(const void *fn, const uint8_t before[CODE])
{
	for (int i = 0; i < 3000; i++) {
		if (memcmp(fn, before, CODE))
			return 1;
		usleep(10000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1000, wait_ms = argc > 2 ? atoi(argv[2]) : 0;
	uint8_t code[2][CODE];
	char path[4096];
	void *lib;

	snprintf(path, sizeof(path), "%.*slate_allocator.so", (int)(strrchr(argv[0], '/') + 1 - argv[0]), argv[0]);
	usleep((useconds_t)wait_ms * 1000);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	late_malloc = lib ? (void *(*)(size_t))dlsym(lib, "malloc") : NULL;
	late_free = lib ? (void (*)(void *))dlsym(lib, "free") : NULL;
	if (!late_malloc || !late_free)
		return 1;
	memcpy(code[0], (const void *)late_malloc, CODE);
	memcpy(code[1], (const void *)late_free, CODE);
	if (wait_ms && (!probed((const void *)late_malloc, code[0]) || !probed((const void *)late_free, code[1])))
		return 2;
	late_kept(n);
	late_freed(n);
	vfork_kept(n);
	printf("late_kept %u %u\nlate_freed %u 0\nvfork_kept %u %u\n", SIZE * n, SIZE * n, SIZE * n, SIZE * n,
	       SIZE * (n - n / 2));
	fflush(stdout);
	usleep((useconds_t)wait_ms * 1000);
	_exit(0);
}
