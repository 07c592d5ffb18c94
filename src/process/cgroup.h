/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.h - the path of a cgroup v2 by its id, which is the inode of its directory.
 *
 * Three ways, cheapest first: the kernel opens the directory by its id (needs CAP_DAC_READ_SEARCH), the process that was
 * sampled says where it is (/proc/PID/cgroup, checked against the id), and the hierarchy is searched, bounded and not often.
 * What was found once is kept; a cgroup that is renamed or removed later keeps the path that it had.
 */
#ifndef SBERF_PROCESS_CGROUP_H
#define SBERF_PROCESS_CGROUP_H

#include "base/cleanup.h"
#include "base/strtab.h"

#include <stdint.h>
#include <sys/types.h>

struct cgroups;

/* STRINGS receives the paths. NULL when out of memory; without a cgroup v2 mount every path is "". */
struct cgroups *cgroups_new(struct strtab *strings);
void cgroups_free(struct cgroups *cg);           /* NULL is fine */

/* The path below the mount, starting with "/"; 0 ("") when ID is 0 or cannot be found. PID is a process that is in it. */
str_id cgroups_path(struct cgroups *cg, uint64_t id, pid_t pid);

DEFINE_AUTO(cgroups_free, struct cgroups);

#endif
