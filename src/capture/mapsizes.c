/* SPDX-License-Identifier: BSD-2-Clause */
/* mapsizes.c - see mapsizes.h. */
#include "config.h"

#include "capture/mapsizes.h"

#include "base/cleanup.h"
#include "bpf/wire.h"
#include "capture/rulebook.h"

#include <stdio.h>
#include <sys/stat.h>

#define SLOT_ALIGN 4096u

static uint32_t mapsizes_within(uint64_t n, uint32_t least, uint32_t most)
{
	return n < least ? least : n > most ? most : (uint32_t)n;
}

struct map_sizes map_sizes_of(const struct capture_plan *plan, const struct cpu_layout *cpus, uint32_t threads)
{
	const bool follows = plan->target == TARGET_PIDS || plan->target == TARGET_TIDS;
	const bool walks = capture_walks(plan);
	struct map_sizes s = {
		.cpus = cpus->nr_cpus, .rings = cpus->nr_rings, .chunks = 2 * cpus->nr_cpus, .walks = 1, .slots = 1, .totals = 1,
		.sums = 1, .pages = 1, .rules = 1, .spaces = 1, .mapped = 1,
	};

	s.slot_bytes = (plan->stack_bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN + SLOT_EXTRA;
	if (plan->off_cpu) {
		s.slots = mapsizes_within(threads, follows ? SLOTS_FEW : SLOTS_MANY, SLOTS_MAX);
		s.slots = mapsizes_within((uint64_t)SLOTS_PER_CPU * cpus->nr_cpus, s.slots, UINT32_MAX);
		s.totals =
			mapsizes_within((uint64_t)TOTALS_PER_THREAD * threads, follows ? TOTALS_FEW : TOTALS_MANY, TOTALS_MAX);
	}
	if (walks) {
		s.walks = 2 * cpus->nr_cpus;
		s.pages = RULEBOOK_PAGES;
		s.rules = SB_RULES;
		s.spaces = RULEBOOK_SPACES;
		s.mapped = MAPPED_MAX + SPARE_PER_CPU * cpus->nr_cpus;
	}
	if (walks && plan->off_cpu)
		s.sums = SUMS;
	return s;
}

static uint32_t threads_of_machine(void)
{
	AUTO_FILE FILE *f = fopen("/proc/loadavg", "re");
	unsigned int threads;

	/* "0.20 0.18 0.12 1/80 11206": those that can run, and all. */
	return f && fscanf(f, "%*s %*s %*s %*u/%u", &threads) == 1 ? threads : 0;
}

/* A folder has a link for each folder in it, and two more. */
static uint32_t threads_of_process(uint32_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return stat(path, &st) || st.st_nlink < 2 ? 0 : (uint32_t)st.st_nlink - 2;
}

uint32_t map_sizes_threads(const struct capture_plan *plan)
{
	uint32_t n = 0;

	if (plan->target == TARGET_TIDS)
		return (uint32_t)plan->ids.n;
	if (plan->target != TARGET_PIDS)
		return threads_of_machine();
	for (size_t i = 0; i < plan->ids.n; i++)
		n += threads_of_process(plan->ids.v[i]);
	return n;
}
