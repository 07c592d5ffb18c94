/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topology.h - knows the NUMA nodes of a machine: their CPUs, their memory and their distances.
 *
 * Node numbers may have gaps, nodes may have memory and no CPU (CXL, HBM) or CPUs and no memory,
 * CPUs may be offline. So a node is always found by its number, never by its place in the table.
 * Pure but for topology_read(); tests make their own.
 */
#ifndef SBERF_SYSTEM_TOPOLOGY_H
#define SBERF_SYSTEM_TOPOLOGY_H

#include "base/err.h"
#include "model/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISTANCE_LOCAL 10u       /* ACPI 6.5, section 5.2.17 (SLIT): relative, 10 = the node itself */
#define DISTANCE_REMOTE 20u      /* where the firmware says nothing: REMOTE_DISTANCE of the kernel */

struct numa_node {
	uint16_t id;
	uint32_t nr_cpus;        /* online ones; 0 = memory only */
	char cpus[64];           /* "0-3,8"; a longer list is cut and ends in "..." */
	uint64_t size_bytes;     /* 0 = CPUs only */
	uint64_t free_bytes;     /* when it was read */
};

struct numa_topology {
	uint32_t nr;             /* nodes that are online; at least one once it is read */
	struct numa_node *node;  /* by id, owned */
	uint16_t *distance;      /* nr x nr, row: node of the CPU, column: of the memory; 0 = not known; owned */
};

/*
 * Reads that of which the folder SYSTEM (cpus.h) tells. A kernel without NUMA has one node, 0, with
 * all CPUs and memory. Call it again to follow CPUs and nodes that come and go, and free memory.
 */
int topology_read(const char *system, struct numa_topology *ret, struct err *e);
/* Makes room for NR nodes, all zero. -ENOMEM, or -EINVAL for more than NODES_MAX. */
int topology_make(struct numa_topology *ret, uint32_t nr, struct err *e);
/* What *DST held before is not freed. */
int topology_copy(struct numa_topology *dst, const struct numa_topology *src, struct err *e);
void topology_free(struct numa_topology *t);     /* zeroed is fine */

/* Where node ID is in the table; -1: not in it. */
int topology_index(const struct numa_topology *t, unsigned int id);
/*
 * How far the memory of node TO is from the CPUs of node FROM. What is not known: DISTANCE_LOCAL to
 * itself, else DISTANCE_REMOTE. Never 0.
 */
unsigned int topology_distance(const struct numa_topology *t, unsigned int from, unsigned int to);
/*
 * What an access costs, in local ones of the same CPU: distance / distance to its own memory, times
 * 1,000. Of a node without memory the nearest node with some counts as its own, since nothing is
 * nearer; 1,000 when that is TO.
 */
unsigned int topology_cost_permille(const struct numa_topology *t, unsigned int from, unsigned int to);
/* An access from FROM to TO is far: TO is known and is not FROM. */
bool topology_is_far(unsigned int from, unsigned int to);
/* "10/21/31": the different distances, rising, as many as fit. Returns DST. */
char *topology_distances(const struct numa_topology *t, char *dst, size_t size);

#endif
