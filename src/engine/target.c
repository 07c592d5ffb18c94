/* SPDX-License-Identifier: BSD-2-Clause */
/* target.c - pidfds for processes, /proc for threads, waitpid() for our own child. */
#include "config.h"

#include "engine/target.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "capture/features.h"
#include "system/lookup.h"
#include "system/procfs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* include/uapi/linux/pidfd.h, struct pidfd_info as of Linux 6.15: 64 bytes (PIDFD_INFO_SIZE_VER0). */
struct pidfd_exit_info {
	uint64_t mask, cgroupid;
	uint32_t ids[11];        /* pid, tgid, ppid and eight credentials */
	int32_t exit_code;       /* a wait status */
};
_Static_assert(sizeof(struct pidfd_exit_info) == 64, "its size is part of the ioctl number");
#define PIDFD_WANT_EXIT (1ull << 3)
#define PIDFD_GET_INFO_EXIT _IOWR(0xff, 11, struct pidfd_exit_info)

#define STATUS_NS (NSEC_PER_SEC / 2)      /* how long an ended target may take to have a status */

struct watched {
	pid_t id;
	int pidfd;               /* -1: a thread, or no pidfd to be had */
	uint64_t ended_ns;       /* when its end was first seen, 0 = not yet */
	bool ended;
};

struct target_watch {
	pid_t child;
	int child_fd;            /* a pidfd, -1 = there is none to be had */
	bool child_ended;
	bool forever;            /* nothing in particular is watched */
	pid_t process;           /* the only one that is watched; 0 = there are others, or it is a thread */
	bool begun;              /* CHILD has executed its command */
	size_t left;
	enum target_state state;
	int code;
	const char *name;        /* processes that got it since count, too; NULL = none do */
	VEC(struct watched) list;
};

static bool target_add(struct target_watch *tw, uint32_t id, bool process)
{
	struct watched *w = vec_push(&tw->list);

	if (!w)
		return false;
	*w = (struct watched){ .id = (pid_t)id, .pidfd = process ? (int)syscall(SYS_pidfd_open, (pid_t)id, 0) : -1 };
	tw->left++;
	return true;
}

int target_watch_new(const struct capture_plan *plan, pid_t child, struct target_watch **ret, struct err *e)
{
	const bool processes = plan->target == TARGET_PIDS, ids = processes || plan->target == TARGET_TIDS;
	const size_t n = ids && !child ? plan->ids.n : 0;
	AUTO(target_watch_free) struct target_watch *tw = calloc(1, sizeof(*tw));

	if (!tw)
		return err_nomem(e, "the target watch");
	tw->child = child;
	tw->child_fd = child ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
	tw->forever = !child && (!n || plan->stay);
	tw->name = plan->name;
	tw->state = TARGET_ENDED;
	tw->process = child ? child : n == 1 && processes ? (pid_t)plan->ids.v[0] : 0;
	tw->begun = !child;
	for (size_t i = 0; i < n; i++)
		if (!target_add(tw, plan->ids.v[i], processes))
			return err_nomem(e, "the target watch");
	*ret = take_ptr(tw);
	return 0;
}

void target_watch_free(struct target_watch *tw)
{
	if (!tw)
		return;
	if (tw->child_fd >= 0)
		close(tw->child_fd);
	for (size_t i = 0; i < tw->list.n; i++)
		if (tw->list.v[i].pidfd >= 0)
			close(tw->list.v[i].pidfd);
	vec_free(&tw->list);
	free(tw);
}

static void take_status(struct target_watch *tw, int status)
{
	tw->state = WIFSIGNALED(status) ? TARGET_KILLED : TARGET_EXITED;
	tw->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static bool child_ended(struct target_watch *tw)
{
	int status;

	if (!tw->child_ended && waitpid(tw->child, &status, WNOHANG) == tw->child) {
		tw->child_ended = true;
		take_status(tw, status);
	}
	return tw->child_ended;
}

/* A thread or process without a pidfd: gone, zombie or dead by its /proc entry. */
static bool proc_ended(pid_t id)
{
	AUTO_FD int dir = proc_open(id);
	struct proc_stat stat;
	const int r = dir < 0 ? dir : proc_read_stat(dir, &stat);

	return r == -ENOENT || r == -ESRCH || (!r && stat.zombie);
}

static bool one_ended(struct target_watch *tw, struct watched *w)
{
	struct pollfd p = { .fd = w->pidfd, .events = POLLIN };
	struct pidfd_exit_info info = { .mask = PIDFD_WANT_EXIT };

	if (w->pidfd < 0)
		return proc_ended(w->id);
	if (poll(&p, 1, 0) <= 0)
		return false;
	if (features_allow("exit_code") && !ioctl(w->pidfd, PIDFD_GET_INFO_EXIT, &info) &&
	    (info.mask & PIDFD_WANT_EXIT)) {
		take_status(tw, info.exit_code);
		return true;
	}
	/*
	 * The status is told once its parent has taken it, which is a moment later; not every
	 * parent does, nor every kernel.
	 */
	if (!w->ended_ns)
		w->ended_ns = clock_mono_ns();
	return clock_mono_ns() - w->ended_ns >= STATUS_NS;
}

int target_watch_call(const struct target_watch *tw, struct source *s, struct err *e)
{
	int r = tw->child_fd < 0 ? 0 : source_call_on(s, tw->child_fd, e);

	for (size_t i = 0; i < tw->list.n && !r; i++)
		r = tw->list.v[i].pidfd < 0 ? 0 : source_call_on(s, tw->list.v[i].pidfd, e);
	return r;
}

bool target_watch_ending(const struct target_watch *tw)
{
	for (size_t i = 0; i < tw->list.n; i++)
		if (tw->list.v[i].ended_ns && !tw->list.v[i].ended)
			return true;
	return false;
}

/* All have ended: are there others of the name by now? */
static void watch_successors(struct target_watch *tw)
{
	u32_vec ids = { 0 };

	(void)lookup_by_name(tw->name, &ids, NULL);
	for (size_t i = 0; i < ids.n; i++)
		(void)target_add(tw, ids.v[i], true);
	vec_free(&ids);
}

bool target_watch_ended(struct target_watch *tw, enum target_state *state, int *code)
{
	bool ended;

	if (tw->child) {
		ended = child_ended(tw);
	} else {
		for (size_t i = 0; i < tw->list.n; i++) {
			if (tw->list.v[i].ended || !one_ended(tw, &tw->list.v[i]))
				continue;
			tw->list.v[i].ended = true;
			tw->left--;
		}
		if (!tw->forever && !tw->left && tw->name)
			watch_successors(tw);
		ended = !tw->forever && !tw->left;
	}
	if (ended) {
		*state = tw->state;
		*code = tw->code;
	}
	return ended;
}

bool target_watch_exec(struct target_watch *tw, const struct raw_event *ev, char *name, size_t size)
{
	const bool news = tw->begun;

	if (ev->kind != RAW_COMM || !ev->comm.exec || !tw->process || ev->pid != tw->process)
		return false;
	tw->begun = true;
	if (news)
		text_sanitise(name, size, ev->comm.comm, strlen(ev->comm.comm));
	return news;
}
