/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapsizes.h - chooses the sizes of the BPF maps. They are fixed at load time, because samplers run
 * where memory cannot be allocated.
 *
 * docs/sizes.md says what follows for small and large machines; tests/live/sizes.sh compares it
 * with the kernel's figures.
 */
#ifndef SBERF_CAPTURE_MAPSIZES_H
#define SBERF_CAPTURE_MAPSIZES_H

#include "capture/source.h"
#include "system/cpus.h"

#include <stdint.h>

/* stacks kept of waits under way, at least: one for each thread active within a second */
#define SLOTS_LEAST 64u
#define SLOTS_PER_THREAD 8u              /* of the initial target, since more may come, but for this reason */
#define RESIDENT_MAX 1024u               /* processes whose resident memory is followed */
#define SLOTS_FEW 512u                   /* never more than these */
#define SLOTS_MANY 1024u                 /* for a whole machine or a cgroup */
#define SLOTS_PER_CPU 4u                 /* at least: a running thread has one too */
#define SLOTS_MAX 4096u                  /* for many threads; 160 MB */
#define SLOT_EXTRA 8192u                 /* bytes of a slot beside those of the stack */
#define SUMS 8192u                       /* kinds of short waits within a second, in each of two maps */
#define MAPPED_MAX 8192u                 /* processes whose last mapping of code is remembered */
/*
 * An LRU map keeps up to this many free entries for each CPU. Before 6.17 the kernel evicts used
 * entries while other CPUs hold free ones (d4adf1c9ee77, "bpf: Adjust free target to avoid global
 * starvation of LRU map").
 */
#define SPARE_PER_CPU 128u
#define TOTALS_FEW 16384u                /* threads times the calls they wait in */
#define TOTALS_MANY 65536u
#define TOTALS_PER_THREAD 4u             /* at least: its running time, and a few calls */
#define TOTALS_MAX (1024u * 1024)        /* some 180 MB; all of them are read four times a second */
/*
 * Rules: for all code that a known target has mapped now, twice, plus CODE_TO_COME for what it may
 * load and its children may run. Spaces: for its processes and for as many short-lived children.
 */
#define CODE_TO_COME (8u << 20)          /* bytes */
#define BLOCKS (1024u * 1024)            /* sampled blocks of memory that live; 110 MB when there are as many */
#define SPACES_LEAST 192u
#define SPACES_PER_PROCESS 8u

/*
 * Numbers of elements of the maps, and bytes of those whose elements have no fixed size. An unused
 * map has one element.
 */
struct map_sizes {
	uint32_t cpus, rings;
	uint32_t scratches;              /* one for each CPU; where there are probes, two more */
	uint32_t chunks, walks;          /* two for each CPU; the same */
	uint32_t hits;                   /* sums of hits, in each of two maps */
	uint32_t untold;                 /* one for each probe that there can be */
	uint32_t rates;                  /* the same, if not all hits are told one by one */
	uint32_t filters;                /* one for each probe that there can be, if some has a condition */
	uint32_t loads;                  /* where their named values are, at different places */
	uint32_t probe_first;            /* scratch buffers from this one on are for probes; UINT32_MAX = none */
	uint32_t blocks;                 /* of memory, that are followed to their ends */
	uint32_t residents, resident_parts;      /* LRU maps: of processes, and of each on each CPU */
	uint32_t slots, slot_bytes;
	uint32_t totals, sums;
	uint32_t pages, rules, spaces;
	uint32_t mapped;                 /* of an LRU map */
};

/* How large a target is when its capture begins. */
struct target_size {
	uint32_t threads;        /* 0 = unknown */
	uint32_t processes;
	/* executable mappings, summed over processes; 0 = unknown, so the largest size is taken */
	uint64_t code_bytes;
};

/* Chooses sizes for PLAN on CPUS with a target of SIZE. Pure. */
struct map_sizes map_sizes_of(const struct capture_plan *plan, const struct cpu_layout *cpus, struct target_size size);

/* The same of maps of growth, where it is followed. */
void map_sizes_growth(struct map_sizes *s);

/*
 * Changes S into the sizes of the maps of programs for probes that come later, into a capture that has
 * none: only those for probes, in which nothing else is. WALKS: stacks are walked by rules; SUM_HITS as
 * in the plan.
 */
void map_sizes_late(struct map_sizes *s, bool walks, bool sum_hits);

/*
 * The size of PLAN's target now. A target that is neither processes nor threads counts as all
 * threads of the machine. code_bytes is 0 for a command yet to be started, and when PLAN gives the
 * number of threads.
 */
struct target_size map_sizes_target(const struct capture_plan *plan);

#endif
