// SPDX-License-Identifier: BSD-2-Clause
/*
 * faults.c - page faults that wait for a disk: faults [S] [FILE] [MB]. FILE is made and removed.
 *
 * A mapped file is thrown out of memory and touched again, page by page in an order that no read-ahead guesses. The faults that
 * really blocked are counted by the kernel: "truth: major N".
 */
#include "truth.h"

#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE 4096u
#define STEP 1031u               /* a prime: visits every page once */

NOINLINE void touch_pages(const volatile char *map, size_t pages)
{
	size_t at = 0;

	for (size_t i = 0; i < pages && !time_is_over; i++) {
		sink += (uint64_t)map[at * PAGE];
		at = (at + STEP) % pages;
	}
}

static void fill(int fd, size_t pages)
{
	char page[PAGE];

	for (size_t i = 0; i < pages; i++) {
		memset(page, (int)i, sizeof(page));
		if (write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			exit(1);
	}
	if (fsync(fd))
		exit(1);
}

static uint64_t major_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_majflt;
}

int main(int argc, char **argv)
{
	struct truth t = { .name = "touch_pages" };
	const char *path = argc > 2 ? argv[2] : "faults.tmp";
	const size_t pages = argument(argc, argv, 3, 64) << 20 >> 12;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	uint64_t before;

	if (fd < 0)
		return 1;
	unlink(path);
	fill(fd, pages);
	tell_after(argc, argv);
	before = major_faults();
	ready();
	while (!time_is_over) {
		char *map = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

		if (map == MAP_FAILED || madvise(map, pages * PAGE, MADV_RANDOM) ||
		    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return 1;
		truth_begin(&t);
		touch_pages(map, pages);
		truth_end(&t, pages);
		munmap(map, pages * PAGE);
	}
	truth_tell(&t);
	printf("truth: major count %" PRIu64 "\n", major_faults() - before);
	return 0;
}
