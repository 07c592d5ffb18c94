/* SPDX-License-Identifier: BSD-2-Clause */
/* mapsizes.c - see mapsizes.h. */
#include "config.h"

#include "capture/mapsizes.h"

#include "base/cleanup.h"
#include "bpf/wire.h"
#include "capture/rulebook.h"
#include "model/event.h"
#include "model/probes.h"
#include "system/maps.h"
#include "system/procfs.h"

#include <stdio.h>
#include <sys/stat.h>

#define SLOT_ALIGN 4096u
#define RESIDENT_CPUS 4u         /* that a process runs on, on average */
#define PROBE_PLACES 2u          /* as in bpf/maps.bpf.h */

static uint32_t mapsizes_within(uint64_t n, uint32_t least, uint32_t most)
{
	return n < least ? least : n > most ? most : (uint32_t)n;
}

/* For THREADS, and for those that may come: few when all of a target is KNOWN. */
static uint32_t mapsizes_slots(const struct cpu_layout *cpus, bool follows, bool known, uint32_t threads)
{
	uint32_t n = follows ? SLOTS_FEW : SLOTS_MANY;

	if (known)
		n = mapsizes_within((uint64_t)SLOTS_PER_THREAD * threads, SLOTS_LEAST, SLOTS_FEW);
	n = mapsizes_within(threads, n, SLOTS_MAX);
	return mapsizes_within((uint64_t)SLOTS_PER_CPU * cpus->nr_cpus, n, UINT32_MAX);
}

struct map_sizes map_sizes_of(const struct capture_plan *plan, const struct cpu_layout *cpus, struct target_size size)
{
	const bool follows = plan->target == TARGET_PIDS || plan->target == TARGET_TIDS;
	const bool known = follows && size.code_bytes;
	struct map_sizes s = {
		.cpus = cpus->nr_cpus, .scratches = cpus->nr_cpus, .probe_first = UINT32_MAX, .rings = cpus->nr_rings,
			.chunks = 2 * cpus->nr_cpus, .walks = 1, .slots = 1, .totals = 1,
		.sums = 1, .hits = 1, .untold = 1, .rates = plan->hits_every > 1 || plan->hits_rate ? PROBES_MAX : 1,
			.filters = !plan->nr_filters ? 1 : plan->spans ? 2 * SB_PROBES : PROBES_MAX,
		.loads = plan->loads ? SB_LOAD_SETS : 1,
		.blocks = 1, .residents = 1, .resident_parts = 1, .pages = 1, .rules = 1, .spaces = 1, .mapped = 1,
	};

	s.slot_bytes = (plan->stack_bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN + SLOT_EXTRA;
	if (plan->off_cpu) {
		s.slots = mapsizes_slots(cpus, follows, known, size.threads);
		s.totals = mapsizes_within((uint64_t)TOTALS_PER_THREAD * size.threads,
					   follows ? TOTALS_FEW : TOTALS_MANY, TOTALS_MAX);
	}
	if (capture_walks(plan)) {
		s.walks = 2 * cpus->nr_cpus;
		s.pages = known ? mapsizes_within((2 * size.code_bytes + CODE_TO_COME) / SB_TEXT_BYTES, 1,
						  RULEBOOK_PAGES) : RULEBOOK_PAGES;
		s.rules = SB_RULES;
		s.spaces = known ? mapsizes_within((uint64_t)SPACES_PER_PROCESS * size.processes, SPACES_LEAST,
				   RULEBOOK_SPACES) : RULEBOOK_SPACES;
		s.mapped = MAPPED_MAX + SPARE_PER_CPU * cpus->nr_cpus;
	}
	if (plan->alloc_frees)
		s.blocks = BLOCKS;
	if (plan->growth_interval)
		map_sizes_growth(&s);
	if ((plan->kinds & 1u << EVENT_FORK) || plan->nr_calls || plan->nr_traces || plan->nr_places ||
	    plan->places_to_come || plan->growth_interval) {
		s.probe_first = cpus->nr_cpus;
		s.untold = PROBES_MAX;
		s.scratches += PROBE_PLACES * cpus->nr_cpus;
		s.chunks += PROBE_PLACES * cpus->nr_cpus;
		s.walks += capture_walks(plan) ? PROBE_PLACES * cpus->nr_cpus : 0;
	}
	if (s.probe_first != UINT32_MAX && plan->probes_may_come) {
		s.filters = 2 * SB_PROBES;
		s.loads = SB_LOAD_SETS;
	}
	if (capture_walks(plan) && plan->off_cpu)
		s.sums = SUMS;
	if (capture_walks(plan) && plan->sum_hits && s.probe_first != UINT32_MAX)
		s.hits = SUMS;
	return s;
}

void map_sizes_growth(struct map_sizes *s)
{
	s->residents = RESIDENT_MAX + SPARE_PER_CPU * s->cpus;
	s->resident_parts = RESIDENT_MAX * RESIDENT_CPUS + SPARE_PER_CPU * s->cpus;
}

void map_sizes_late(struct map_sizes *s, bool walks, bool sum_hits)
{
	s->probe_first = 0;
	s->scratches = s->chunks = s->walks = PROBE_PLACES * s->cpus;
	s->untold = PROBES_MAX;
	s->hits = walks && sum_hits ? SUMS : 1;
	s->filters = 2 * SB_PROBES;
	s->loads = SB_LOAD_SETS;
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

/* Adds the bytes of a mapping of code; more than there can be rules for need not be told apart. */
static void mapsizes_add_code(void *ctx, const struct maps_line *m)
{
	uint64_t *bytes = ctx;

	if (m->exec && m->end > m->start && *bytes <= UINT32_MAX)
		*bytes += m->end - m->start;
}

struct target_size map_sizes_target(const struct capture_plan *plan)
{
	const bool whole = !plan->to_come && !plan->name && !plan->nr_threads;
	struct target_size s = { .threads = plan->nr_threads };

	if (!s.threads && plan->target == TARGET_TIDS)
		s.threads = (uint32_t)plan->ids.n;
	else if (!s.threads && plan->target != TARGET_PIDS)
		s.threads = threads_of_machine();
	if (plan->target != TARGET_PIDS && plan->target != TARGET_TIDS)
		return s;
	for (size_t i = 0; i < plan->ids.n && !plan->nr_threads && plan->target == TARGET_PIDS; i++)
		s.threads += threads_of_process(plan->ids.v[i]);
	s.processes = (uint32_t)plan->ids.n;
	for (size_t i = 0; i < plan->ids.n && whole && s.code_bytes < RULEBOOK_PAGES * (uint64_t)SB_TEXT_BYTES; i++)
		if (proc_read_exec_maps((pid_t)plan->ids.v[i], mapsizes_add_code, &s.code_bytes) < 0)
			return (struct target_size){ .threads = s.threads, .processes = s.processes };
	return s;
}
