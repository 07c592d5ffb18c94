// SPDX-License-Identifier: BSD-2-Clause
/*
 * toucher.c - touches memory for the first time, page by page: toucher MB [MS]. Sleeps MS
 * milliseconds in the end.
 *
 * Before that it finds null pointers as run-time compilers do, by faulting at address 0, where no
 * page comes to be.
 *
 * No huge pages: each touch is a fault. Prints the faults that the kernel counted meanwhile:
 * "truth: first_touch count N".
 */
#include "workload.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE 4096u
#define NULLS 1000u

static sigjmp_buf back;
static volatile uintptr_t nowhere;       /* 0, which the compiler does not know */

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void find_nulls(void)
{
	signal(SIGSEGV, on_fault);
	for (volatile unsigned int i = 0; i < NULLS; i++)
		if (!sigsetjmp(back, 1))
			(void)*(volatile char *)nowhere;
	signal(SIGSEGV, SIG_DFL);
}

NOINLINE void first_touch(volatile char *p, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		p[i * PAGE] = 1;
}

static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt + u.ru_majflt;
}

int main(int argc, char **argv)
{
	const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before;

	if (p == MAP_FAILED)
		return 1;
	(void)madvise(p, bytes, MADV_NOHUGEPAGE);
	find_nulls();
	before = faults();
	first_touch(p, bytes / PAGE);
	printf("truth: first_touch count %ld\n", faults() - before);
	fflush(stdout);
	usleep((useconds_t)(argc > 2 ? atoi(argv[2]) : 0) * 1000);
	return 0;
}
