/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owncost.bpf.h - how much of the time between two hits is the probes' own: the way of the kernel
 * out of the first one, and into the second one. Programs on places of sberf's own code note when
 * they are run, and how long ago the one before was (src/capture/owncost.c); nothing is between
 * these places. What was found is taken off each time of a call.
 */
#ifndef SBERF_BPF_OWNCOST_H
#define SBERF_BPF_OWNCOST_H

#include "maps.bpf.h"

#define OWN_TIMES 1024u                  /* a power of two */

/* By where something begins, and where it ends: together it is what is taken off. User space sets it. */
__s32 own_begin_ns[SB_BEGINS] = { 0 };
__s32 own_end_ns[SB_ENDS] = { 0 };
__u32 own_call_ns = 0;                   /* of a system call */

__u64 own_begun_ns = 0;
__u32 own_nr = 0;
__u32 own_took_ns[OWN_TIMES] = { 0 };

/* What is taken off the time of something that began at a place BEGIN and ended at one END. */
static __always_inline __u64 own_ns(__u32 begin, __u32 end)
{
	__s32 ns = own_begin_ns[begin & (SB_BEGINS - 1)] + own_end_ns[end & (SB_ENDS - 1)];

	return begin && end && ns > 0 ? ns : 0;
}

static __always_inline void own_ended(__u64 now)
{
	const __u32 nr = own_nr;

	if (own_begun_ns)
		own_took_ns[nr & (OWN_TIMES - 1)] = now - own_begun_ns;
	own_nr = nr + !!own_begun_ns;
	own_begun_ns = 0;
}

/* Is the current task sberf, where this is measured? */
static __always_inline bool is_sberf(void)
{
	return bpf_get_current_pid_tgid() >> 32 == own_tgid;
}

SEC("kprobe")
int sb_own_begin(void *ctx)
{
	if (is_sberf())
		own_begun_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("kprobe")
int sb_own_end(void *ctx)
{
	const __u64 now = bpf_ktime_get_ns();

	if (is_sberf())
		own_ended(now);
	return 0;
}

/* A system call that does not exist: nothing is between its entry and its return. */
SEC("tp_btf/sys_enter")
int BPF_PROG(sb_own_call_enter, struct pt_regs *regs, long id)
{
	if (id == -1 && is_sberf())
		own_begun_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int sb_own_call_exit(void *ctx)
{
	const __u64 now = bpf_ktime_get_ns();

	if (is_sberf())
		own_ended(now);
	return 0;
}

#endif
