/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placement.h - asks the kernel, away from the engine and in batches, on which node pages are, in
 * what kind of mapping they are, and where a process has its memory.
 *
 * Both questions, move_pages(2) without a destination and /proc/PID/maps, take the lock of the
 * target's address space, which somebody else may hold for long. So a thread of its own asks; a
 * process that does not answer for two seconds is given up and not asked again. It needs the
 * permission that ptrace(2) asks for (PTRACE_MODE_READ_REALCREDS).
 *
 * Residency is estimated from a bounded sample of pages (RESIDENT_PAGES), spread over the mappings
 * by their size and by how much of them was found in memory before, and fitted to what the kernel
 * says is resident: its cost does not grow with the memory (residency.h).
 *
 * One thread (the engine) calls.
 */
#ifndef SBERF_NUMA_PLACEMENT_H
#define SBERF_NUMA_PLACEMENT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "numa/state.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RESIDENT_PAGES 1000u     /* of one process, asked for at a time */

struct placement;

struct placement_config {
	/*
	 * Where pages are: fills STATUS with node numbers or negative errnos, as numa_move_pages(3)
	 * without destination. 0, or a negative errno for all. NULL = the kernel. Called by the
	 * thread that asks.
	 */
	int (*query)(void *ctx, pid_t pid, unsigned long n, void **addr, int *status);
	void *ctx;
};

int placement_new(const struct placement_config *c, struct placement **ret, struct err *e);
void placement_free(struct placement *p);        /* NULL is fine; waits for a question under way, a second at most */

/*
 * Asks for the page of ADDR in process PID; TAG comes back with the answer. SP is the stack pointer
 * of the thread at that moment, 0 = not known: maps do not tell the stacks of threads from other
 * anonymous memory, so a mapping is taken for one when a stack pointer was seen in it and a guard
 * lies below it. False: too many are waiting, or the process was given up. What was taken is
 * answered, some milliseconds later, in any order.
 */
bool placement_ask(struct placement *p, pid_t pid, uint64_t addr, uint64_t sp, uint64_t tag);

/* An answer. */
struct page_answer {
	uint64_t tag;
	uint16_t node;           /* NODE_UNKNOWN = it is nowhere: never touched, swapped out, unmapped, or denied */
	uint8_t mapping;         /* enum mapping_kind */
	bool gone;               /* the process is no more */
	uint64_t dev, ino;       /* of a file, also of one in memory (/dev/shm, memfd); 0 = none */
	/* of that: raw bytes, without " (deleted)", NUL-terminated, valid during the call; NULL = none */
	const char *path;
};
typedef void page_fn(void *ctx, const struct page_answer *a);

/* Gives the answers that have come to EACH; returns how many. Never waits. */
unsigned int placement_poll(struct placement *p, page_fn *each, void *ctx);

/*
 * Asks where process PID (which began at START_NS, only passed on) has its memory. One question at
 * a time for a process; a second one is ignored until the first is answered. Fills of struct
 * numa_process everything but what is of threads: the policy of the first thread is left "". What
 * resident says of all kinds but huge pages adds up to rss_bytes, or less when no page of the
 * sample was found of some of it. A process that has ended gives no answer.
 */
void placement_survey(struct placement *p, pid_t pid, uint64_t start_ns);
/* The surveys that have come, one per call, owned by the caller (numa_process_clear()); false when there is none. */
bool placement_surveyed(struct placement *p, struct numa_process *ret);
/* Some are still to come, or to be found impossible. */
bool placement_surveying(const struct placement *p);

struct placement_figures {
	uint64_t asked, answered;
	uint64_t refused;        /* placement_ask() was false */
	uint64_t cpu_ns;         /* of the thread */
};
void placement_figures(const struct placement *p, struct placement_figures *ret);

DEFINE_AUTO(placement_free, struct placement);

#endif
