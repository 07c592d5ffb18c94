/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults.bpf.h - page faults: which address was touched, by which stack.
 *
 * The first touch of a page decides on which node the page will be. The kernel runs this program for
 * every Nth fault of a CPU (PERF_COUNT_SW_PAGE_FAULTS_MIN and _MAJ with a fixed period), after it has
 * handled the fault. So the node of the page can be asked for by then.
 *
 * Automatic NUMA balancing makes present pages inaccessible, to see who uses them. Such a fault is
 * no first touch. While the kernel handles it, it asks mpol_misplaced() where the page should be;
 * then it counts the fault among those of the task, and runs this program. So that count tells
 * whether mpol_misplaced() was asked for this very fault. A page that was moved may be read-only
 * (since 6.2), and the next fault of the task, at the same page, makes it writable. (When a task
 * changes CPUs in between, both faults are taken for first touches.)
 *
 * Faults come in storms, so those of the target are thinned out: in each window of time the first
 * FAULTS_STEP faults are reported, then FAULTS_STEP times one of two, then of four and so on, and each
 * says how many faults it stands for. Which one of them is left to chance, so that nothing that repeats
 * is met at the same point each time; that it is one of each block makes the total exact but for the
 * block that the window ends in. (Reported each with that probability, a storm of a tenth of a second
 * was found a quarter too large.) A storm ten times as heavy costs some tens of records more. (A sampling
 * frequency, which the kernel keeps by changing the period, follows all tasks of the CPU: estimates for
 * one task of many were off by half.)
 */
#ifndef SBERF_BPF_FAULTS_H
#define SBERF_BPF_FAULTS_H

#include "oncpu.bpf.h"

#define FAULTS_WINDOW_NS 100000000ull
#define FAULTS_STEP 16u
#define FAULTS_SHIFT_MAX 16u
#define HUGE_BYTES (2ull << 20)

/* How many faults the one at hand stands for, of PERIOD that the kernel let pass; 0 = it is not told. */
static __always_inline __u64 thin_out(struct sb_cpu *c, __u64 now, __u64 period)
{
	__u64 shift;

	if (now - c->faults_ns >= FAULTS_WINDOW_NS) {
		c->faults_ns = now;
		c->faults_told = 0;
		c->faults_left = 0;
	}
	if (!c->faults_left) {
		shift = c->faults_told / FAULTS_STEP;
		if (shift > FAULTS_SHIFT_MAX)
			shift = FAULTS_SHIFT_MAX;
		c->faults_block = c->faults_left = 1ull << shift;
		c->faults_pick = bpf_get_prandom_u32() & (c->faults_block - 1);
	}
	if (--c->faults_left != c->faults_pick)
		return 0;
	c->faults_told++;
	return period * c->faults_block;
}

/* Faults of TASK that the kernel has handled. */
static __always_inline __u64 faults_of(struct task_struct *task)
{
	return task->min_flt + task->maj_flt;
}

/* Runs while the kernel handles a fault by which balancing sees who uses the page, or huge page, at ADDR. */
SEC("fentry/mpol_misplaced")
int BPF_PROG(sb_balance, void *page, void *vma, unsigned long addr)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct sb_cpu *c = this_cpu();

	if (c) {
		c->balanced_tid = task->pid;
		c->balanced_at = faults_of(task);
		c->balanced_addr = addr;
	}
	return 0;
}

/* Is ADDR in the page at PAGE, or in a huge page that begins there? */
static __always_inline bool is_in_page(__u64 addr, __u64 page)
{
	const __u64 size = page & (HUGE_BYTES - 1) ? page_bytes : HUGE_BYTES;

	return ((addr ^ page) & ~(size - 1)) == 0;
}

/* Is the fault of TASK at ADDR, which has been handled, one of balancing, or did it follow from one? */
static __always_inline bool is_balancing(struct sb_cpu *c, struct task_struct *task, __u64 addr)
{
	__u64 since = faults_of(task) - c->balanced_at;

	return c->balanced_tid == task->pid && (since == 1 || (since == 2 && is_in_page(addr, c->balanced_addr)));
}

static __always_inline int fault(struct sb_perf_ctx *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns(), stands_for;
	struct sb_cpu *c = this_cpu();
	struct scratch *s;

	/* No page comes to be at address 0: run-time compilers let programs fault there to find null pointers. */
	if (!c || !task->pid || !ctx->addr || !wanted(task, task->tgid, task->pid))
		return 0;
	if (is_balancing(c, task, ctx->addr)) {
		c->balancing_faults += ctx->sample_period;
		return 0;
	}
	stands_for = thin_out(c, now, ctx->sample_period);
	if (!stands_for)
		return 0;
	s = take_scratch(c, SB_LOST_NESTED);
	if (!s)
		return 0;
	send_scratch(c, s, put_addr(s, put_sample(s, SB_REC_FAULT, ctx, task, now, stands_for, 0, false,
						  walk), ctx->addr));
	give_scratch(s);
	return 0;
}

SEC("perf_event")
int sb_fault(struct sb_perf_ctx *ctx)
{
	return fault(ctx, false);
}

/*
 * The same, with stacks walked by learnt rules where these do. Whoever has the scratch buffer may
 * use the sampler's walk.
 */
SEC("perf_event")
int sb_fault_walk(struct sb_perf_ctx *ctx)
{
	return fault(ctx, true);
}

#endif
