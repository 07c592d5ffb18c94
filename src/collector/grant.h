/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grant.h - opens what is asked for, as far as the policy (collector_policy.h) allows it: the inside of
 * sberf-collector.
 *
 * A process is known by the handle of its directory in /proc, which stays with it, and by when it began, which is
 * compared before and after. Paths are resolved beneath the root of the process, and no magic link is followed.
 */
#ifndef SBERF_COLLECTOR_GRANT_H
#define SBERF_COLLECTOR_GRANT_H

#include "collector/collector_policy.h"

#include <sys/types.h>

struct grant {
	enum collector_target target;
	int list;                /* as COLLECTOR_LIST; borrowed; -1 = none */
	const char *cgroup;      /* of COLLECTOR_CGROUP */
	bool reads_memory;       /* COLLECTOR_MEMORY is served: plug-ins are on */
	pid_t own[2];            /* sberf and the collector: nobody may ask about them; 0 = none */
	bool no_openat2;         /* the kernel, or a filter of system calls, does not have it: grant_has_openat2() */
};

/* Can paths be resolved by openat2(2)? Where they cannot, no symbolic link is followed. */
bool grant_has_openat2(void);

/* Answers Q: RET, all of it, and a file, which is the caller's, or -1. */
int grant_request(const struct grant *s, const struct collector_request *q, struct collector_answer *ret);

#endif
