/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights.h - what the processes of a capture whose privileges are split may do. There is no way back.
 *
 *	                 user          capabilities            system calls
 *	sberf            the caller    none                    all but those that only privileges are for
 *	sberf-collector  the caller    policy_caps()           those that it needs to open files and answer
 *	sberf-worker     the same      none                    plugin/sandbox.h; no file can be opened
 */
#ifndef SBERF_COLLECTOR_RIGHTS_H
#define SBERF_COLLECTOR_RIGHTS_H

#include "base/err.h"
#include "system/caller.h"

#include <stdbool.h>
#include <stdint.h>

/* Of this process, sberf, with all its threads. C is another user than root. 0 or a negative errno with a sentence. */
int rights_of_sberf(const struct caller *c, struct err *e);

/* Capabilities, 1 << CAP_*, that a collector started by this process would lack. */
uint64_t rights_lacking(void);

/* Of this process, the collector, which has one thread. 0 or a negative errno. */
int rights_of_collector(uid_t uid, gid_t gid);

/*
 * Can a process without privileges use BPF maps that it holds? Since Linux 5.19 (commit c8644cd0efe7), or where
 * kernel.unprivileged_bpf_disabled is 0. It forks.
 */
bool rights_suffice_for_maps(const struct caller *c);

#endif
