/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.h - is the target still there, and if not, how did it end?
 *
 * Only the processes or threads that were asked for are watched, not their children. How somebody else's child ended is told
 * by kernels that keep the exit status behind a pidfd (PIDFD_GET_INFO with PIDFD_INFO_EXIT, Linux 6.15) and is unknown elsewhere.
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
 * Watches the ids of PLAN (nothing for TARGET_ALL and TARGET_CGROUP), and once these have ended, whoever has PLAN->name by then, which is
 * borrowed. CHILD, when not 0, is a child of ours: it alone counts.
 */
int target_watch_new(const struct capture_plan *plan, pid_t child, struct target_watch **ret, struct err *e);
void target_watch_free(struct target_watch *w);          /* NULL is fine */
DEFINE_AUTO(target_watch_free, struct target_watch);

/*
 * Looks again; never waits. True once everything watched has ended; then *STATE and *CODE (exit status or signal) say how the
 * last one did. Reaps CHILD.
 */
bool target_watch_ended(struct target_watch *w, enum target_state *state, int *code);

/* True from when something watched was found to have ended until it is known how, or nobody will tell. */
bool target_watch_ending(const struct target_watch *w);

/* EACH gets every descriptor that becomes readable when something watched ends; threads have none. Ends with what EACH returned, if not 0. */
typedef int target_fd_fn(void *ctx, int fd, struct err *e);
int target_watch_each(const struct target_watch *w, target_fd_fn *each, void *ctx, struct err *e);

/*
 * Whether EV says that what is watched, when it is one process, has executed another program: its name is put into NAME (SIZE bytes),
 * sanitised. That CHILD executes its command is no news.
 */
bool target_watch_exec(struct target_watch *w, const struct raw_event *ev, char *name, size_t size);

#endif
