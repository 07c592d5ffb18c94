/* SPDX-License-Identifier: BSD-2-Clause */
/* forks.bpf.h - reports tasks that create processes and threads, with their stacks. */
#ifndef SBERF_BPF_FORKS_H
#define SBERF_BPF_FORKS_H

#include "event.bpf.h"

static __always_inline int on_fork(__u64 *ctx, bool walk)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct hit hit = {
		.probe = SB_PROBE_FORK, .value = 1, .nr = 2, .arg = { child->tgid != parent->tgid, child->pid },
	};

	return wanted(parent, parent->tgid, parent->pid) ? tell_hit(ctx, &hit, NULL, walk) : 0;
}

/* The parent is current. */
PROBE_PROGRAMS("tp_btf/sched_process_fork", sb_forks, on_fork)

#endif
