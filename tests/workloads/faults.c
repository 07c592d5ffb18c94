// SPDX-License-Identifier: BSD-2-Clause
/*
 * faults.c - page faults that wait for a disk: faults [S] [FILE] [MB]. FILE is made and removed.
 *
 * A mapped file is thrown out of memory and touched again, a page of each 2 MB in an order that no
 * read-ahead guesses; what is read around a page makes the wait for it long enough to be measured.
 * The faults that really blocked are counted by the kernel: "truth: major count N".
 */
#include "truth.h"

#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE 4096u
#define AROUND (2u << 20)        /* as far apart as the most that is read around a page */
#define STEP 7u                  /* prime to the number of places: visits every one once */

NOINLINE void touch_pages(const volatile char *map, size_t places)
{
	size_t at = 0;

	for (size_t i = 0; i < places && !time_is_over; i++) {
		sink += (uint64_t)map[at * AROUND + AROUND / 2];
		at = (at + STEP) % places;
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
	const size_t bytes = argument(argc, argv, 3, 64) << 20;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	uint64_t before;

	if (fd < 0)
		return 1;
	unlink(path);
	fill(fd, bytes / PAGE);
	tell_after(argc, argv);
	before = major_faults();
	ready();
	while (!time_is_over) {
		char *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

		/* Asks for as much as possible around each page; a kernel without large folios reads less. */
		(void)madvise(map, bytes, MADV_HUGEPAGE);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		if (map == MAP_FAILED || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return 1;
		truth_begin(&t);
		touch_pages(map, bytes / AROUND);
		truth_end(&t, bytes / AROUND);
		munmap(map, bytes);
	}
	truth_tell(&t);
	printf("truth: major count %" PRIu64 "\n", major_faults() - before);
	return 0;
}
