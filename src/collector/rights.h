/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rights.h - what the processes of a capture whose privileges are split may do. There is no way back.
 *
 *	                 user          capabilities            system calls
 *	sberf            the caller    none                    all but those that only privileges are for
 *	sberf-collector  the caller    policy_caps(), or       those that it needs to open files and answer
	                               policy_caps_to_hold()
 *	sberf-worker     the same      none                    plugin/sandbox.h; no file can be opened
 */
#ifndef SBERF_COLLECTOR_RIGHTS_H
#define SBERF_COLLECTOR_RIGHTS_H

#include "base/err.h"
#include "system/caller.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Of this process, sberf, with all its threads: it becomes C, where that is another user; C is not root. 0 or a
 * negative errno with a sentence.
 */
int rights_of_sberf(const struct caller *c, struct err *e);

/* Those of the capabilities CAPS, 1 << CAP_*, that this process may not use. */
uint64_t rights_lacking(uint64_t caps);

/*
 * Of this process, a collector, which has one thread: the user UID, who is not root, and the capabilities CAPS. 0 or a
 * negative errno.
 */
int rights_of_collector(uid_t uid, gid_t gid, uint64_t caps);
/* The same of system calls: those that answering takes, of a collector that HOLDS the kernel half, or of another. */
int rights_of_answers(bool holds);

/* Could C create the file PATH, or write over it? It forks. */
bool rights_suffice_for_file(const struct caller *c, const char *path);

#endif
