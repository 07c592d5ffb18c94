/* SPDX-License-Identifier: BSD-2-Clause */
/* runtime.c - see runtime.h. */
#include "config.h"

#include "capture/runtime.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>

static int allowed = -1;

void runtime_allow(void)
{
	if (allowed < 0)
		allowed = bpf_enable_stats(BPF_STATS_RUN_TIME);
}

int runtime_enable(void)
{
	const int fd = allowed < 0 ? -1 : fcntl(allowed, F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? bpf_enable_stats(BPF_STATS_RUN_TIME) : fd;
}

void runtime_begin(struct runtime *r, bool partly, uint64_t ran_ns, uint64_t now_ns)
{
	*r = (struct runtime){ .partly = partly, .on = true, .begun_ns = now_ns, .ran_ns = partly ? ran_ns : 0 };
}

bool runtime_due(const struct runtime *r, uint64_t now_ns)
{
	return r->partly && !r->ended && now_ns - r->begun_ns >= (r->on ? RUNTIME_LOOK_NS : RUNTIME_EACH_NS);
}

uint64_t runtime_ns(const struct runtime *r, uint64_t ran_ns, uint64_t now_ns)
{
	if (r->on || !r->partly)
		return r->sum_ns + ran_ns - r->ran_ns;
	if (r->ended)
		return r->sum_ns;
	return r->sum_ns + (uint64_t)((double)r->found_ns * (double)(now_ns - r->begun_ns) / (double)r->looked_ns);
}

void runtime_turn(struct runtime *r, uint64_t ran_ns, uint64_t now_ns)
{
	if (r->on) {
		r->found_ns = ran_ns - r->ran_ns;
		r->looked_ns = now_ns > r->begun_ns ? now_ns - r->begun_ns : 1;
	} else {
		r->sum_ns = runtime_ns(r, ran_ns, now_ns);
		r->begun_ns = now_ns;
		r->ran_ns = ran_ns;
	}
	r->on = !r->on;
}

void runtime_end(struct runtime *r, uint64_t ran_ns, uint64_t now_ns)
{
	if (!r->partly || r->ended)
		return;
	r->sum_ns = runtime_ns(r, ran_ns, now_ns);
	r->on = false;
	r->ended = true;
}
