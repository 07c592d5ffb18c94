// SPDX-License-Identifier: BSD-2-Clause
/*
 * badstack.c - a thread that waits on a stack that cannot be read at once: badstack [S] MODE [FILE]
 *
 *	userfault        16 pages in the middle of the stack are missing, and who touches them waits for an
 *	                 answer that never
 *	                 comes, as on a file of a FUSE server that hangs. The thread waits from before
 *	                 "ready" on, for ever.
 *	userfault_naps   the same, but it naps 20 ms at a time
 *	pagedout         the stack is a mapping of FILE (made and removed); all of it but the last page was
 *	                 written out and
 *	                 dropped. Reading it takes the disk. The thread waits from before "ready" on, for ever.
 *
 * thread_on_bad_stack -> with_room -> waits_beyond; the 16 pages are with_room's array, which
 * nobody needs.
 */
#include "truth.h"

#include <alloca.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define PAGE 4096u
#define STACK_BYTES (64u * PAGE)
#define ROOM_PAGES 16u

enum mode { USERFAULT, USERFAULT_NAPS, PAGEDOUT };

static enum mode mode;
static unsigned char *stack;
static pid_t tid;
static int stack_fd = -1;

static void give_up(const char *what)
{
	perror(what);
	exit(77);
}

/* Pages from FROM on answer no more. */
static void make_unanswered(unsigned char *from, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)from, bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || madvise(from, bytes, MADV_DONTNEED) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		give_up("badstack: userfaultfd");
}

/* The pages above FROM, up to where the C library keeps what belongs to the thread, go to their file. */
static void page_out(unsigned char *from)
{
	const size_t bytes = (size_t)(stack + STACK_BYTES - 2 * PAGE - from);

	/* Unmapped first, then dropped. */
	if (fsync(stack_fd) || madvise(from, bytes, MADV_PAGEOUT) || posix_fadvise(stack_fd, 0, 0, POSIX_FADV_DONTNEED))
		give_up("badstack: MADV_PAGEOUT");
}

static size_t resident_pages(void)
{
	unsigned char in[STACK_BYTES / PAGE];
	size_t n = 0;

	if (mincore(stack, STACK_BYTES, in))
		give_up("badstack: mincore");
	for (size_t i = 0; i < sizeof(in); i++)
		n += in[i] & 1;
	return n;
}

NOINLINE void waits_beyond(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	while (mode == USERFAULT_NAPS) {
		sleep_ns(20 * NSEC_PER_MSEC);
		sink++;
	}
	pthread_mutex_lock(&mutex);
	__atomic_store_n(&tid, gettid(), __ATOMIC_RELEASE);
	for (;;)
		pthread_cond_wait(&never, &mutex);
}

NOINLINE void with_room(void)
{
	unsigned char *room = alloca((mode == PAGEDOUT ? 1 : ROOM_PAGES + 1) * PAGE);
	unsigned char *first = (unsigned char *)(((uintptr_t)room + PAGE - 1) & ~(uintptr_t)(PAGE - 1));

	__asm__ volatile("" : : "r"(room) : "memory");
	if (mode != PAGEDOUT)
		make_unanswered(first, ROOM_PAGES * PAGE);
	if (mode == USERFAULT_NAPS)
		__atomic_store_n(&tid, gettid(), __ATOMIC_RELEASE);
	waits_beyond();
	sink++;
}

NOINLINE void *thread_on_bad_stack(void *arg)
{
	with_room();
	return arg;
}

static void map_stack(const char *path)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (mode == PAGEDOUT) {
		stack_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (stack_fd < 0 || unlink(path) || ftruncate(stack_fd, STACK_BYTES))
			give_up(path);
		flags = MAP_SHARED;
	}
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, flags, stack_fd, 0);
	if (stack == MAP_FAILED)
		give_up("badstack: mmap");
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t t;

	if (argc < 3)
		return 2;
	mode = !strcmp(argv[2], "pagedout") ? PAGEDOUT : !strcmp(argv[2], "userfault") ? USERFAULT : USERFAULT_NAPS;
	end_after(argc, argv);
	map_stack(argc > 3 ? argv[3] : "badstack.tmp");
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, STACK_BYTES) || pthread_create(&t, &attr, thread_on_bad_stack, NULL))
		give_up("badstack: a thread");
	pthread_setname_np(t, "badstack-thread");
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sleep_ns(NSEC_PER_MSEC);
	until_asleep(tid);
	if (mode == PAGEDOUT)
		/* It sleeps: nothing touches its stack any more, whose frames fill few pages below the top. */
		page_out(stack);
	ready();
	printf("truth: pages resident %zu of %u\n", resident_pages(), STACK_BYTES / PAGE);
	fflush(stdout);
	pthread_join(t, NULL);
	return 0;
}
