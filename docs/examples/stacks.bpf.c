// SPDX-License-Identifier: BSD-2-Clause
/* stacks.bpf.c - a probe of a function, a system call and a tracepoint: each tells the stack of who came by. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <sberf/bpf.h>

const volatile int only;                 /* process */

static int told(unsigned long long cookie)
{
	if (bpf_get_current_pid_tgid() >> 32 == only)
		sberf_capture(cookie);
	return 0;
}

SEC("uprobe")
int of_function(void *ctx)
{
	return told(1);
}

SEC("tracepoint/syscalls/sys_enter_write")
int of_call(void *ctx)
{
	return told(2);
}

SEC("tracepoint/sched/sched_process_exit")
int of_exit(void *ctx)
{
	return told(3);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
