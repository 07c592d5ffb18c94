// SPDX-License-Identifier: BSD-2-Clause
/*
 * stays.c - a stack that is always deeper than any copy of it: as many frames as the second
 * argument says of 544 bytes, or of 64 KiB each (third argument "large"), or one function with a
 * buffer of 60000, 65536 or 70001 bytes that is all in use. Below them it works; with the fourth
 * argument "waits" it sleeps 2 ms at a time instead, with "asleep" for as long as it lives, and
 * with "turns" it works, touches new pages, wakes another thread, which is called "answers", waits
 * for it, and sleeps.
 */
#include "workload.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define SMALL 512u
#define LARGE 65536u
#define PAGE 4096u
#define PAGES 16u
static volatile int stop;        /* never set */
static int waits, asleep, turns;
static int question[2], answer[2];
static char *pages;

static void *answers(void *arg)
{
	char c;

	(void)arg;
	prctl(PR_SET_NAME, "answers");
	while (read(question[0], &c, 1) == 1)
		if (write(answer[1], &c, 1) != 1)
			_exit(1);
	return NULL;
}

static void prepare_turns(void)
{
	pthread_t thread;

	pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || pipe(question) || pipe(answer) || pthread_create(&thread, NULL, answers, NULL))
		_exit(1);
}

static inline __attribute__((always_inline)) void take_turn(const struct timespec *nap)
{
	char c = 0;

	burn(4000000);
	madvise(pages, (size_t)PAGES * PAGE, MADV_DONTNEED);
	for (unsigned int i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * PAGE] = 1;
	if (write(question[1], &c, 1) != 1 || read(answer[0], &c, 1) != 1)
		_exit(1);
	nanosleep(nap, NULL);
}

NOINLINE uint64_t innermost(void)
{
	static const struct timespec nap = { .tv_nsec = 2000000 }, rest = { .tv_nsec = 40000000 };

	ready();
	while (!stop)
		if (asleep)
			pause();
		else if (waits)
			nanosleep(&nap, NULL);
		else if (turns)
			take_turn(&rest);
		else
			burn(1000000);
	return sink;
}

NOINLINE uint64_t stay_small(unsigned int depth)
{
	volatile char frame[SMALL];

	frame[depth % SMALL] = (char)depth;
	sink = depth <= 1 ? innermost() : stay_small(depth - 1);
	return sink + (uint64_t)frame[depth % SMALL];
}

/* Of its buffer only one byte is ever touched. */
NOINLINE uint64_t stay_large(unsigned int depth)
{
	volatile char frame[LARGE];

	frame[depth % LARGE] = (char)depth;
	sink = depth <= 1 ? innermost() : stay_large(depth - 1);
	return sink + (uint64_t)frame[depth % LARGE];
}

/* One function whose buffer alone is more than is copied. */
#define ONE(bytes) \
	NOINLINE uint64_t one_##bytes(int fill) \
	{ \
		char buffer[bytes]; \
\
		memset(buffer, fill, sizeof(buffer)); \
		__asm__ volatile("" : : "r"(buffer) : "memory"); \
		sink = innermost(); \
		return sink + (uint64_t)buffer[sink % sizeof(buffer)]; \
	}
ONE(60000)
ONE(65536)
ONE(70001)

static inline __attribute__((always_inline)) uint64_t stay(unsigned int depth, const char *size)
{
	switch (atoi(size)) {
	case 60000:
		return one_60000((int)depth);
	case 65536:
		return one_65536((int)depth);
	case 70001:
		return one_70001((int)depth);
	default:
		return strcmp(size, "large") == 0 ? stay_large(depth) : stay_small(depth);
	}
}

int main(int argc, char **argv)
{
	const unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 1000;

	end_after(argc, argv);
	waits = argc > 4 && strcmp(argv[4], "waits") == 0;
	asleep = argc > 4 && strcmp(argv[4], "asleep") == 0;
	turns = argc > 4 && strcmp(argv[4], "turns") == 0;
	if (turns)
		prepare_turns();
	sink = stay(depth, argc > 3 ? argv[3] : "small");
	return 0;
}
