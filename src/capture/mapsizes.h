/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapsizes.h - how large the maps of the BPF programs are: fixed when they are loaded, as samplers run where memory cannot be had.
 *
 * docs/sizes.md says what follows for small and for large machines; tests/live/sizes.sh compares it with what the kernel made.
 */
#ifndef SBERF_CAPTURE_MAPSIZES_H
#define SBERF_CAPTURE_MAPSIZES_H

#include "capture/source.h"
#include "system/cpus.h"

#include <stdint.h>

#define SLOTS_LEAST 64u                  /* stacks of waits under way that are kept at a time: of threads active within a second */
#define SLOTS_PER_THREAD 8u              /* of those that the target begins with, as more may come, but */
#define SLOTS_FEW 512u                   /* no more than that for this reason */
#define SLOTS_MANY 1024u                 /* for a whole machine or cgroup */
#define SLOTS_PER_CPU 4u                 /* at least: who runs has one too */
#define SLOTS_MAX 4096u                  /* for many threads; 160 MB */
#define SLOT_EXTRA 8192u                 /* of a slot, for all that is not stack bytes */
#define SUMS 8192u                       /* kinds of short waits in a second: in each of two maps */
#define MAPPED_MAX 8192u                 /* processes of which is kept when they mapped code */
/*
 * The kernel keeps free entries of a map that forgets what is of least use with each CPU, up to so many, and before 6.17 forgets entries
 * that are of use while other CPUs have those (d4adf1c9ee77, "bpf: Adjust free target to avoid global starvation of LRU map").
 */
#define SPARE_PER_CPU 128u
#define TOTALS_FEW 16384u                /* threads times the calls they wait in */
#define TOTALS_MANY 65536u
#define TOTALS_PER_THREAD 4u             /* at least: its running time, and a few calls */
#define TOTALS_MAX (1024u * 1024)        /* some 180 MB; all of them are read four times a second */
/*
 * Rules are for all code that a known target has now, twice, and for CODE_TO_COME of what it may load and of what its children may run;
 * its processes, and as many children as they may have one after another, find room for their mappings.
 */
#define CODE_TO_COME (8u << 20)          /* bytes */
#define SPACES_LEAST 192u
#define SPACES_PER_PROCESS 8u

/* Elements of the maps, and bytes of those that have no fixed size. What is not used has one element. */
struct map_sizes {
	uint32_t cpus, rings;
	uint32_t chunks, walks;          /* two for each CPU */
	uint32_t slots, slot_bytes;
	uint32_t totals, sums;
	uint32_t pages, rules, spaces;
	uint32_t mapped;                 /* a map that forgets */
};

/* What a target is when its capture begins. */
struct target_size {
	uint32_t threads;        /* 0 = cannot be read */
	uint32_t processes;
	uint64_t code_bytes;     /* mapped executable, that of each process for itself; 0 = unknown, so as large as can be */
};

/* For PLAN on CPUS, with a target of SIZE. Pure. */
struct map_sizes map_sizes_of(const struct capture_plan *plan, const struct cpu_layout *cpus, struct target_size size);

/*
 * What the target of PLAN is now. Of a target that is not processes or threads, the threads of the machine; of one that is to come, and
 * where PLAN says how many threads, no code.
 */
struct target_size map_sizes_target(const struct capture_plan *plan);

#endif
