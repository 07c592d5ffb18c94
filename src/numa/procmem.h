/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procmem.h - knows the memory of one process as /proc and the kernel show it: its mappings, kept
 * for a while, and surveys of where it is.
 *
 * For one thread, which may have to wait: everything here takes the lock of the target's address
 * space.
 */
#ifndef SBERF_NUMA_PROCMEM_H
#define SBERF_NUMA_PROCMEM_H

#include "base/clock.h"
#include "numa/areas.h"
#include "numa/residency.h"
#include "numa/state.h"
#include "system/hugedevs.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* numa_maps walks all pages: 95 ns each; bigger processes are not asked */
#define POLICIES_RSS_MAX (512ull << 20)
/* and whenever the process has grown by half, as one that begins does */
#define POLICIES_EVERY_NS (30 * NSEC_PER_SEC)

/* Where pages are: as struct placement_config. */
struct page_query {
	int (*fn)(void *ctx, pid_t pid, unsigned long n, void **addr, int *status);
	void *ctx;
};

struct procmem {
	pid_t pid;
	uint64_t start_ticks;    /* of /proc/PID/stat, 0 = never read: another process may get the number */
	uint64_t used_ns;        /* for whoever keeps many */
	bool gone, denied;       /* as of the last reading */
	struct areas areas;
	dev_vec devs;            /* of huge pages */
	uint64_t read_ns;        /* when its mappings were read; 0 = never */
	uint64_t tried_ns, cost_ns;      /* when that was last tried, and how long it took */
	struct residency small, huge;
	uint32_t surveys;
	unsigned int threads_seen;       /* where to go on looking for stacks */
	uint64_t policies_ns, policies_rss;      /* when they were read, and how much was in memory then; 0 = never */
	bool policies_read;
	char mapped_policy[NUMA_LIST_MAX];
};

/* Nothing known yet of PID. KERNEL_DEVS: hugedevs_of_kernel(). NULL when out of memory. */
struct procmem *procmem_new(pid_t pid, const dev_vec *kernel_devs);
void procmem_free(struct procmem *m);            /* NULL is fine */

/*
 * The mapping that covers ADDR, NULL when none is known to. Reads the mappings when that is due:
 * not in them, or they are a second old; but no more often than ten times a second, and so that it
 * takes a twentieth of the time at most.
 */
const struct area *procmem_find(struct procmem *m, uint64_t addr);
/* A thread's stack pointer was SP. */
void procmem_saw_stack(struct procmem *m, uint64_t sp);

/*
 * Where its memory is. *RET must be zeroed; its first fields (pid, start_ns) are left alone. False:
 * the process has ended, or memory is out.
 */
bool procmem_survey(struct procmem *m, const struct page_query *q, struct numa_process *ret);

size_t procmem_bytes(const struct procmem *m);

DEFINE_AUTO(procmem_free, struct procmem);

#endif
