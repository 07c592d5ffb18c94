/* SPDX-License-Identifier: BSD-2-Clause */
/* policy.h - writes and reads memory policies as text: "default", "bind:0-1", "interleave:0,2". */
#ifndef SBERF_NUMA_POLICY_H
#define SBERF_NUMA_POLICY_H

#include <stddef.h>
#include <stdint.h>

/*
 * MODE is MPOL_* of set_mempolicy(2), flags left out; NODES a bit for each of NR nodes (a multiple
 * of 64). SIZE is at least 32; a list that does not fit is cut at a comma and ends in "...".
 * Returns DST.
 */
char *policy_text(char *dst, size_t size, unsigned int mode, const uint64_t *nodes, unsigned int nr);

#endif
