/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proctext.h - reads what /proc/PID/status and numa_maps say about nodes, and /proc/TID/syscall
 * about a stack; text in, values out.
 *
 * The formats are those of proc(5), proc_pid_status(5) and numa(7).
 */
#ifndef SBERF_NUMA_PROCTEXT_H
#define SBERF_NUMA_PROCTEXT_H

#include "numa/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_status {
	char mems[NUMA_LIST_MAX], cpus[NUMA_LIST_MAX];   /* as in struct numa_process; "" = not told */
	bool huge_known;
	uint64_t huge_bytes;     /* in pages of hugetlbfs */
};

/* TEXT is that of status, NUL-terminated. What is not in it is left empty. */
void node_status_parse(const char *text, struct node_status *ret);

/* Pages in memory by the second number of statm. False: TEXT is none. */
bool statm_parse(const char *text, size_t len, uint64_t *ret_pages);

/* The stack pointer in the text of a thread's syscall file. False: it runs, or the text is none. */
bool syscall_parse_sp(const char *text, size_t len, uint64_t *ret_sp);

#define POLICIES_MAX 16u         /* different ones of one process */
#define POLICY_TEXT 40u

/* Bytes in memory by the policy of their mapping. */
struct policies {
	struct {
		char name[POLICY_TEXT];
		uint64_t bytes;
	} v[POLICIES_MAX];
	unsigned int n;
	bool more;               /* there were more */
	char own[POLICY_TEXT];   /* that of the thread itself, which mappings without one show; "" = not told */
};

/* Adds a line of numa_maps. Anything else is left out. */
void policies_add(struct policies *p, const char *line, size_t len);

/*
 * "interleave:0-1 412 MB, bind:1 3 MB": the policies other than that of the thread, most memory
 * first, cut to SIZE bytes with "...". "" = there is none. Returns DST.
 */
char *policies_text(const struct policies *p, char *dst, size_t size);

#endif
