/* SPDX-License-Identifier: BSD-2-Clause */
/* live_nodes.c - NUMA of the live source: sampled page faults, and the home nodes of threads. */
#include "config.h"

#include "capture/live_private.h"

#include "base/cleanup.h"
#include "bpf/wire.h"

#include <errno.h>
#include <string.h>

_Static_assert(SOURCE_POLICY_NODES == SB_HOME_NODES * 64, "nodes of a policy cross as they are");

uint32_t live_nodes(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return cpu_layout_nodes(&s->layout);
}

int live_set_faults(struct source *base, bool on, struct err *e)
{
	struct live_source *s = live_of(base);
	int r;

	if (!bpf_side_has_faults(s->kernel))
		return on ? err_set(e, EINVAL, "page faults are not prepared for") : 0;
	bpf_side_watch_balancing(s->kernel, on);
	r = live_cpus_set_faults(s, on, e);
	if (r)
		bpf_side_watch_balancing(s->kernel, false);
	return r;
}

uint64_t live_balancing_faults(const struct source *base)
{
	const struct live_source *s = live_of(base);
	uint64_t n = 0;

	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
		n += s->cpus[cpu].balancing_faults;
	return n;
}

struct telling {
	source_home_fn *each;
	void *ctx;
};

static int tell_home(void *ctx, const void *item, struct err *e)
{
	const struct telling *to = ctx;
	const struct sb_home *h = item;
	struct source_home one = { .pid = (pid_t)h->pid, .tid = (pid_t)h->tid, .start_ns = h->start_ns, .home = h->home,
				   .node = h->node, .policy = h->policy };

	memcpy(one.nodes, h->nodes, sizeof(one.nodes));
	to->each(to->ctx, &one);
	return 0;
}

int live_homes(struct source *base, source_home_fn *each, void *ctx, struct err *e)
{
	struct live_source *s = live_of(base);
	struct telling to = { .each = each, .ctx = ctx };
	AUTO_FD int fd = bpf_side_homes(s->kernel, e);

	return fd < 0 ? fd : live_read_list(fd, sizeof(struct sb_home), NULL, tell_home, &to, e);
}
