/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * holders.h - what waits for locks were really for: their time as that of what the holders did.
 *
 * A wait for a lock whose holder is known (locks.h) is divided among what the holder did in the same
 * slice of time, by how long it did each: samples, waits for other things, time in the run queue, but
 * not its own waits for that lock. What the holder waited for itself is divided in the same way, down to
 * eight holders; a chain that comes back to a thread ends there, and says so. So a wait has exactly the
 * time that it had, under stacks that are longer: a note stands between a wait and what its holder did,
 * "[held by worker, which ran]".
 */
#ifndef SBERF_QUERY_HOLDERS_H
#define SBERF_QUERY_HOLDERS_H

#include "base/err.h"
#include "model/names.h"
#include "profile/profile.h"

enum holders_view {
	HOLDERS_BELOW,           /* all time, and below each wait for a lock what its holder did */
	/*
	 * who made others wait: the stacks of holders, under their threads, weighed by the time that others waited for
	 * them. Waits whose holder is not known are one note of the thread that waited
	 */
	HOLDERS_ALONE,
};

/*
 * Replaces what P holds by that. Other kinds of facts than those of time, and what P tells of how stacks ended, are
 * gone then. ARCH is profile_meta.arch. P, its dictionary and NAMES must have no other writer. -ENOMEM: P holds
 * nothing or a part.
 */
int holders_rewrite(struct profile *p, struct names *names, const char *arch, enum holders_view how, struct err *e);

#endif
