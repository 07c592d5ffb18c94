// SPDX-License-Identifier: BSD-2-Clause
/*
 * uring.c - waits for an io_uring: a timer of 15 ms in ring_timer(), an fsync that a worker of the
 * kernel does in ring_fsync(), 20 of each in turns: uring [S] [FILE]. FILE is made and removed. The
 * worker is a thread of this process that never saw user mode.
 */
#include "truth.h"

#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <sys/mman.h>

#define ENTRIES 4u
#define TIMER_MS 15
#define TURN 20

static int ring, file;
static struct io_uring_params params;
static char *sq, *cq;
static struct io_uring_sqe *sqes;

static void set_up(void)
{
	ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &params);
	if (ring < 0) {
		perror("uring: io_uring_setup");
		exit(77);
	}
	sq = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		  MAP_SHARED, ring, IORING_OFF_SQ_RING);
	cq = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
		  MAP_SHARED, ring, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, params.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED)
		exit(1);
}

/* Queues SQE; the caller enters the kernel, so that the wait is its own. */
static inline void queue(const struct io_uring_sqe *sqe)
{
	uint32_t *tail = (uint32_t *)(sq + params.sq_off.tail), mask = *(uint32_t *)(sq + params.sq_off.ring_mask);
	uint32_t at = *tail & mask;

	sqes[at] = *sqe;
	((uint32_t *)(sq + params.sq_off.array))[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void submit_and_wait(void)
{
	uint32_t *head = (uint32_t *)(cq + params.cq_off.head);

	syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	/* What completed is not looked at. */
	__atomic_store_n(head, __atomic_load_n((uint32_t *)(cq + params.cq_off.tail), __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
	sink++;
}

NOINLINE void ring_timer(void)
{
	static struct __kernel_timespec ts = { .tv_nsec = TIMER_MS * NSEC_PER_MSEC };
	struct io_uring_sqe sqe = { .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&ts, .len = 1 };

	queue(&sqe);
	submit_and_wait();
}

NOINLINE void ring_fsync(void)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_FSYNC, .fd = file };

	queue(&sqe);
	submit_and_wait();
}

static void measured(struct truth *t, void (*wait)(void))
{
	truth_begin(t);
	wait();
	truth_end(t, 1);
}

int main(int argc, char **argv)
{
	struct truth timer = { .name = "ring_timer" }, sync = { .name = "ring_fsync" };
	const char *path = argc > 2 ? argv[2] : "uring.tmp";
	static char block[4096];

	set_up();
	file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return 1;
	unlink(path);
	tell_after(argc, argv);
	ready();
	while (!time_is_over) {
		for (int i = 0; i < TURN && !time_is_over; i++)
			measured(&timer, ring_timer);
		for (int i = 0; i < TURN && !time_is_over; i++) {
			block[0]++;
			if (pwrite(file, block, sizeof(block), 0) < 0)
				return 1;
			measured(&sync, ring_fsync);
		}
	}
	truth_tell(&timer);
	truth_tell(&sync);
	return 0;
}
