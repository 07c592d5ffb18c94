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

#define SLOTS_FEW 512u                   /* stacks of waits under way that are kept at a time: of threads active within a second */
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

/* Elements of the maps, and bytes of those that have no fixed size. What is not used has one element. */
struct map_sizes {
	uint32_t cpus, rings;
	uint32_t chunks, walks;          /* two for each CPU */
	uint32_t slots, slot_bytes;
	uint32_t totals, sums;
	uint32_t pages, rules, spaces;
	uint32_t mapped;                 /* a map that forgets */
};

/* For PLAN on CPUS, with THREADS in its target when it begins. Pure. */
struct map_sizes map_sizes_of(const struct capture_plan *plan, const struct cpu_layout *cpus, uint32_t threads);

/* Threads that the target of PLAN has now, or the whole machine, when it is not processes or threads; 0 when that cannot be read. */
uint32_t map_sizes_threads(const struct capture_plan *plan);

#endif
