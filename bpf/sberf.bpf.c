/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf.bpf.c - the kernel half: one object, so that its programs share their maps; each question
 * has a file of its own.
 *
 *	target.bpf.h    which tasks are of the target
 *	record.bpf.h    building records and sending them
 *	returns.bpf.h   return addresses that probes replaced
 *	walk.bpf.h      unwinding user stacks by learned rules
 *	space.bpf.h     which memory the rules are for
 *	oncpu.bpf.h     which task runs, with which stacks
 *	sums.bpf.h      short waits that are added up
 *	kstack.bpf.h    recognising kernel stacks of sleeping tasks
 *	hops.bpf.h      unwinding kernel stacks of running tasks, by learned distances
 *	totals.bpf.h    what each task has spent in what way
 *	klocks.bpf.h    locks of the kernel, and who has them
 *	channels.bpf.h  pipes and sockets, and who is at their other ends
 *	offcpu.bpf.h    waits: their stacks, lengths, reasons, wakers
 *	entered.bpf.h   user registers at the entry to the kernel
 *	event.bpf.h     hits of probes
 *	thin.bpf.h      of many hits some
 *	hitsums.bpf.h   hits that are added up
 *	filter.bpf.h    conditions of probes, and sums
 *	spans.bpf.h     from a hit of one probe to a hit of another one
 *	calls.bpf.h     system calls from entry to return
 *	inside.bpf.h    which calls of probes a task is in
 *	told.bpf.h      the ends of calls in which something was told
 *	forks.bpf.h     tasks that create processes and threads
 *	traces.bpf.h    tracepoints and functions of the kernel
 *	followed.bpf.h  what calls of functions of the kernel do
 *	mapped.bpf.h    what an address is of
 *	placed.bpf.h    who comes by a place in a program
 *	functions.bpf.h functions from entry to return
 *	allocs.bpf.h    blocks of memory that are allocated and freed
 *	growth.bpf.h    memory that comes to be resident, and what is mapped
 *	opencalls.bpf.h calls of both that have not ended
 *	owncost.bpf.h   how much of a time is that of the probes
 *	faults.bpf.h    which addresses are touched first, with which stacks
 *	nodes.bpf.h     on which NUMA nodes tasks are, and when they are moved
 *	tasks.bpf.h     the tasks that are there, and those that wait
 *
 * User space loads only the programs that it needs.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "wire.h"

#if defined(__TARGET_ARCH_x86)
#include "arch_x86_64.h"
#else
#error "no registers are known for this architecture: write bpf/arch_NAME.h"
#endif

#include "maps.bpf.h"
#include "oncpu.bpf.h"
#include "allocs.bpf.h"
#include "calls.bpf.h"
#include "faults.bpf.h"
#include "followed.bpf.h"
#include "forks.bpf.h"
#include "functions.bpf.h"
#include "growth.bpf.h"
#include "offcpu.bpf.h"
#include "placed.bpf.h"
#include "tasks.bpf.h"
#include "traces.bpf.h"
#include "opencalls.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Run once by user space: the number that the kernel has for it, which a pid namespace hides. */
SEC("raw_tp")
int sb_whoami(void *ctx)
{
	own_tgid = bpf_get_current_pid_tgid() >> 32;
	return 0;
}
