/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpus.h - knows which CPUs there are, which are online, and to which ring each of them writes.
 *
 * A ring is shared by CPUs of one NUMA node, at most CPUS_PER_RING of them: producers of one ring
 * contend for a lock, and its memory should be near.
 */
#ifndef SBERF_SYSTEM_CPUS_H
#define SBERF_SYSTEM_CPUS_H

#include "base/err.h"
#include "base/parse.h"

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 65536u          /* far above any kernel's NR_CPUS */
#define CPUS_PER_RING 8u

struct cpu_layout {
	uint32_t nr_cpus;        /* possible CPUs: the highest number + 1 */
	uint32_t *node;          /* of each CPU, owned */
	uint32_t *ring;          /* of each CPU, owned */
	uint32_t nr_rings;
	uint32_t *ring_node;     /* of each ring, owned */
	uint32_t *ring_cpus;     /* how many CPUs write to it, owned */
};

/* Reads "0-3,8" from a file such as /sys/devices/system/cpu/online into *RET (appended). */
int cpus_read(const char *path, u32_vec *ret, struct err *e);
/* The same from the beginning of FD, which is PATH and stays open. */
int cpus_read_fd(int fd, const char *path, u32_vec *ret, struct err *e);

/* where the kernel tells of its CPUs and nodes; tests have folders like it */
#define SYSTEM_DIR "/sys/devices/system"

/*
 * Reads the layout of the machine that the folder SYSTEM tells of; one without NUMA information has
 * one node, 0. CPUs that are offline are on their node, too. Where a CPU will be that is not there
 * yet is not known: 0, and cpu_node_read() when it comes.
 */
int cpu_layout_read(const char *system, struct cpu_layout *ret, struct err *e);
/* The node of CPU, which is there; false when nothing is told of it. */
bool cpu_node_read(const char *system, uint32_t cpu, uint32_t *ret);

/* Deals CPUs out to rings: fills ring, nr_rings, ring_node and ring_cpus from nr_cpus and node. Pure. */
int cpu_layout_deal(struct cpu_layout *l, struct err *e);

uint32_t cpu_layout_nodes(const struct cpu_layout *l);   /* nodes that have CPUs */
/* Does the folder SYSTEM tell of more than one node that there may be, now or later? */
bool cpu_nodes_possible(const char *system);

void cpu_layout_free(struct cpu_layout *l);      /* zeroed is fine */

/*
 * Bytes of one ring that NR_CPUS share: room for a quarter of a second of full samples of
 * STACK_BYTES at FREQ_HZ, or, when ASKED (all rings together) is not 0, its share; a power of two
 * from RING_MIN to RING_MAX, and no more than the share of a limit of RINGS_MAX for all NR_RINGS.
 * Pure.
 */
#define RING_MIN (64u * 1024)
#define RING_MAX (1024u * 1024 * 1024)
#define RING_DEFAULT_MIN (4u * 1024 * 1024)
#define RING_DEFAULT_MAX (64u * 1024 * 1024)
#define RINGS_MAX (512ull * 1024 * 1024)
uint64_t cpu_ring_bytes(uint32_t nr_cpus, uint32_t nr_rings, uint32_t freq_hz, uint32_t stack_bytes, uint64_t asked);

/*
 * File descriptors that a capture of all CPUs takes: events, rings, and programs, maps and links, of
 * which a capture of all kinds has about a hundred.
 */
static inline uint64_t cpus_nofile(uint32_t nr_cpus, uint32_t nr_rings)
{
	return 3 * (uint64_t)nr_cpus + nr_rings + 128;
}

#endif
