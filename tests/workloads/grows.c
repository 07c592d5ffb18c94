/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grows.c - makes its memory grow in known ways: by malloc(3), mmap(2), brk(2), by huge pages and by memory
 * that is shared; gives some of it back; and forks a child that writes to what it has inherited.
 *
 *	grows [wait|stay]	"ready" is printed, and a line read, before it begins; "stay" reads another one in
 *				the end
 *
 * Lines of what it says: "SITE BYTES" of each function that touches memory, "begin PID BYTES" and "end PID BYTES"
 * of what of a process is resident.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1024ul * 1024)
#define HUGE_BYTES (2 * MB)

/* What is resident of this process, without memory that the C library would need for that. */
static unsigned long resident(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kb = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "VmRSS: %lu", &kb) != 1)
		;
	if (f)
		fclose(f);
	return kb * 1024;
}

__attribute__((noinline)) static void touch(char *p, unsigned long n)
{
	for (unsigned long i = 0; i < n; i += 4096)
		((volatile char *)p)[i] = 1;
}

static char *map(unsigned long n, int flags)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

__attribute__((noinline)) static char *by_malloc(void)
{
	char *p = malloc(20 * MB);

	if (p)
		touch(p, 20 * MB);
	printf("by_malloc %lu\n", 20 * MB);
	return p;
}

__attribute__((noinline)) static char *by_mmap(void)
{
	char *p = map(40 * MB, MAP_PRIVATE);

	touch(p, 30 * MB);
	printf("by_mmap %lu\n", 30 * MB);
	return p;
}

__attribute__((noinline)) static void by_brk(void)
{
	char *p = sbrk(10 * MB);

	if (p != (char *)-1)
		touch(p, 10 * MB);
	printf("by_brk %lu\n", 10 * MB);
}

__attribute__((noinline)) static char *by_huge(void)
{
	char *p = map(64 * MB + HUGE_BYTES, MAP_PRIVATE);

	p += -(unsigned long)p & (HUGE_BYTES - 1);
	madvise(p, 64 * MB, MADV_HUGEPAGE);
	touch(p, 64 * MB);
	printf("by_huge %lu\n", 64 * MB);
	return p;
}

__attribute__((noinline)) static void by_sharing(void)
{
	touch(map(6 * MB, MAP_SHARED), 6 * MB);
	printf("by_sharing %lu\n", 6 * MB);
}

__attribute__((noinline)) static void by_child(void)
{
	touch(map(12 * MB, MAP_PRIVATE), 12 * MB);
	printf("by_child %lu\n", 12 * MB);
}

/* Pages of its own in place of those of its parent: no more is resident of it than before. */
__attribute__((noinline)) static void by_copying(char *p)
{
	touch(p, 8 * MB);
	printf("by_copying 0\n");
}

/* Of what is offered a third was never resident. What is offered lazily stays resident, for good once it is touched. */
__attribute__((noinline)) static void give_back(char *huge)
{
	char *never = map(9 * MB, MAP_PRIVATE);

	madvise(huge, 15 * MB, MADV_DONTNEED);
	madvise(huge + 40 * MB, 4 * MB, MADV_FREE);
	touch(huge + 40 * MB, 4 * MB);
	madvise(never, 9 * MB - 100, MADV_DONTNEED);
	/* No memory is given back by these. */
	madvise(huge + 50 * MB, 10 * MB, MADV_WILLNEED);
	madvise(huge + 50 * MB, 10 * MB, MADV_HUGEPAGE);
	/* Nor by one that fails: at no page. */
	madvise(huge + 1, 20 * MB, MADV_DONTNEED);
	munmap(never, 9 * MB);
}

static void say_resident(const char *when)
{
	printf("%s %d %lu\n", when, (int)getpid(), resident());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *block, *mapped, *huge, line[8];
	pid_t child;

	/* What these need is there before. */
	resident();
	if (argc > 1) {
		puts("ready");
		say_resident("begin");
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	block = by_malloc();
	mapped = by_mmap();
	by_brk();
	huge = by_huge();
	by_sharing();
	give_back(huge);
	munmap(mapped, 40 * MB);
	fflush(stdout);
	child = fork();
	if (!child) {
		say_resident("begin");
		by_copying(block);
		by_child();
		say_resident("end");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	say_resident("end");
	if (argc > 1 && !strcmp(argv[1], "stay") && !fgets(line, sizeof(line), stdin))
		return 1;
	return 0;
}
