/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.h - watches whether the target still runs, and how it ended.
 *
 * Only the processes or threads that the user named are watched, not their children. The end of a
 * process that is not our child is known where the kernel keeps the exit status behind a pidfd
 * (PIDFD_GET_INFO with PIDFD_INFO_EXIT, Linux 6.15), and unknown elsewhere.
 */
#ifndef SBERF_ENGINE_TARGET_H
#define SBERF_ENGINE_TARGET_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "model/raw.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <sys/types.h>

struct target_watch;

/*
 * Watches the ids of PLAN (none for TARGET_ALL and TARGET_CGROUP). When these have ended, it
 * watches the processes that have the name PLAN->name by then; the name is borrowed. CHILD, when
 * not 0, is a child of ours: only it counts. On success *RET is the caller's; else a negative errno
 * with a sentence.
 */
int target_watch_new(const struct capture_plan *plan, pid_t child, struct target_watch **ret, struct err *e);
void target_watch_free(struct target_watch *w);          /* NULL is fine */
DEFINE_AUTO(target_watch_free, struct target_watch);

/*
 * Checks again, without waiting. True once everything watched has ended; *STATE and *CODE (exit
 * status or signal) then say how the last one ended. Reaps CHILD.
 */
bool target_watch_ended(struct target_watch *w, enum target_state *state, int *code);

/* Whether something watched has ended and it is not yet known how. */
bool target_watch_ending(const struct target_watch *w);

/*
 * Has a waiting source_read() of S return when something watched ends, as source_call_on(). Not for
 * threads, which have no descriptors.
 */
int target_watch_call(const struct target_watch *w, struct source *s, struct err *e);

/*
 * Whether EV says that the watched process, if there is just one, has executed another program: its
 * name goes to NAME (SIZE bytes), sanitised. The first exec of CHILD, its command, does not count.
 */
bool target_watch_exec(struct target_watch *w, const struct raw_event *ev, char *name, size_t size);

#endif
