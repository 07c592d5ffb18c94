/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growth.bpf.h - memory that comes to be resident, and ceases to be, by the stack that makes it so; and
 * what is mapped and unmapped, or given back by an advice.
 *
 * The kernel counts the pages of a process that are resident: of files, anonymous, and shared. Each
 * change of these counters passes a tracepoint, whatever is behind it: a first touch, a huge page, pages
 * of a file around the one that was touched, or the end of a mapping. So the sum of what is told here is
 * the change of what /proc/PID/status shows.
 *
 * The tracepoint does not say by how much a counter has changed. Since Linux 6.2 (f1a7941243c1) a counter
 * is a sum and a part for each CPU, which goes into the sum when it is large enough. So what was seen
 * last is kept, of the sum and of the part of each CPU. Before, the tracepoint has the sum; there each
 * thread counts its own faults, and passes on what 64 of them have made: one stack stands for these.
 *
 * Where the parts cannot be read, it is so on later kernels, too: the stack at which a part goes into the sum
 * stands for all of it, 32 pages or more.
 *
 * Of a process that was there before, what a CPU had in its part is not known until it is seen once. Of
 * one that is new it is nothing: such a one is recognised while it is made, by fork(2) or execve(2).
 *
 * Changes are sampled by bytes, as blocks are (allocs.bpf.h). What others do to the memory of a process
 * (reclaim by the kernel) is followed, and not told: it is of no stack of the process.
 */
#ifndef SBERF_BPF_GROWTH_H
#define SBERF_BPF_GROWTH_H

#include "allocs.bpf.h"
#include "event.bpf.h"

/* By size class, as alloc_odds. User space sets it, at any time; all 0: none is told. */
__u32 growth_odds[SB_ALLOC_CLASSES] = { 0 };
/* Since when changes are seen: what was known before is not any more. User space sets it before they are. */
__u64 growth_from_ns = 0;
/*
 * How far from the run queue of a CPU, a variable of each CPU, two others are (capture/percpu.h): what is added
 * to pointers to such variables for that CPU, and its number, to compare; 0: not known.
 */
const volatile __s64 own_variables_at = 0, cpu_number_at = 0;

/* What was seen last of a memory: sums of its counters, and where its heap ends. */
struct resident {
	__s64 sum[SB_RSS_NR];
	__u64 brk;
	__u64 id;                /* when it was seen first: none that is at this address later has it */
	__u64 fresh;             /* all of it was seen: what is not known is 0 */
};

/* By struct mm_struct *. User space sets the size, as of the next one. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct resident);
} residents SEC(".maps");

struct part_key {
	__u64 mm, cpu;
};

/* The same of one CPU. */
struct resident_part {
	__u64 id;                /* of the memory that this was about */
	__s32 part[SB_RSS_NR];
	__u32 seen;              /* which of these are known, as a mask */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct part_key);
	__type(value, struct resident_part);
} resident_parts SEC(".maps");

/* On each CPU, of the memory whose counters were seen last: in place of its entry there, which is older. */
struct resident_last {
	__u64 mm;
	struct resident_part of;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct resident_last);
} resident_last SEC(".maps");

#define MAX_ERRNO 4095          /* results from -MAX_ERRNO on are errors */
/* include/uapi/asm-generic/mman-common.h: the advices by which memory is given back */
#define ADVICE_DONTNEED 4
#define ADVICE_FREE 8
#define ADVICE_REMOVE 9
#define ADVICE_PAGEOUT 21
#define ADVICE_DONTNEED_LOCKED 24
#define FRESH_PAGES 512          /* the first change that a new memory sees has at most so many: what one table has */

/* What is added to a pointer to a variable of each CPU, on this one, where TASK runs; 0 = not known. */
static __always_inline __u64 own_variables(struct task_struct *task)
{
	struct sb_cpu *c = this_cpu();
	__u64 queue, off = 0;
	__u32 number = 0;

	if (!own_variables_at || !c)
		return 0;
	if (c->own_variables)
		return c->own_variables;
	queue = (__u64)BPF_CORE_READ(task, se.cfs_rq, rq);
	if (bpf_probe_read_kernel(&number, sizeof(number), (void *)(queue + cpu_number_at)) ||
	    number != bpf_get_smp_processor_id() ||
	    bpf_probe_read_kernel(&off, sizeof(off), (void *)(queue + own_variables_at)))
		return 0;
	c->own_variables = off;
	return off;
}

/* The counter MEMBER of MM: its sum, and in *PART what this CPU has that is not in it yet, by OFF, own_variables(). */
static __always_inline __s64 rss_of(struct mm_struct *mm, __u32 member, __u64 off, __s32 *part)
{
	struct mm_struct___percpu *now = (void *)mm;
	struct mm_struct___passed *before = (void *)mm;
	struct percpu_counter *counter;
	__u64 parts;
	__s64 sum = 0;

	*part = 0;
	if (!bpf_core_field_exists(now->rss_stat)) {
		bpf_probe_read_kernel(&sum, sizeof(sum), (void *)((__u64)mm + bpf_core_field_offset(before->rss_stat) +
								   member * sizeof(sum)));
		return sum;
	}
	counter = (void *)((__u64)mm + bpf_core_field_offset(now->rss_stat) +
			   member * bpf_core_type_size(struct percpu_counter));
#ifdef SBERF_PLAIN_READS
	counter = bpf_rdonly_cast(counter, bpf_core_type_id_kernel(struct percpu_counter));
	parts = (__u64)counter->counters;
	sum = counter->count;
#else
	parts = (__u64)BPF_CORE_READ(counter, counters);
	sum = BPF_CORE_READ(counter, count);
#endif
	if (off)
		bpf_probe_read_kernel(part, sizeof(*part), (void *)(parts + off));
	return sum;
}

/*
 * Is MM, whose counter MEMBER is changed, one that is being made? Then nothing else of it is resident, and
 * nobody else uses it: TASK copies its own to it, or puts the first stack of a program there.
 */
static __always_inline bool is_new_memory(struct mm_struct *mm, struct task_struct *task, __u32 member)
{
	if (!task->mm || task->mm == mm || mm->mm_users.counter != 1)
		return false;
#pragma unroll
	for (__u32 i = 0; i < SB_RSS_NR; i++) {
		__s32 part;
		const __s64 sum = rss_of(mm, i, 0, &part);

		if (i == member ? sum > FRESH_PAGES : sum != 0)
			return false;
	}
	return true;
}

/* What is known of the memory KEY, a struct mm_struct *; NULL = nothing. */
static __always_inline struct resident *resident_of(__u64 key)
{
	struct resident *r = bpf_map_lookup_elem(&residents, &key);

	return r && r->id >= growth_from_ns ? r : NULL;
}

/* What is known of MM, whose counter MEMBER changes, and which the current TASK of the target uses or makes. */
static __always_inline struct resident *begin_resident(struct mm_struct *mm, struct task_struct *task, __u32 member)
{
	const __u64 key = (__u64)mm;
	struct resident r = { .brk = mm->brk, .id = bpf_ktime_get_ns() };
	__s32 part;

	r.fresh = is_new_memory(mm, task, member);
	if (!r.fresh && task->mm != mm)
		return NULL;
#pragma unroll
	for (__u32 i = 0; i < SB_RSS_NR; i++)
		r.sum[i] = r.fresh ? 0 : rss_of(mm, i, 0, &part);
	bpf_map_update_elem(&residents, &key, &r, BPF_ANY);
	return bpf_map_lookup_elem(&residents, &key);
}

/* What is known of the part that this CPU has in the counters of MM, R. NULL does not happen. */
static __always_inline struct resident_part *part_of(const struct resident *r, __u64 mm)
{
	struct part_key key = { .mm = mm, .cpu = bpf_get_smp_processor_id() };
	const __u32 zero = 0;
	struct resident_last *last = bpf_map_lookup_elem(&resident_last, &zero);
	const struct resident_part *p;

	if (!last)
		return NULL;
	if (last->mm == mm && last->of.id == r->id)
		return &last->of;
	if (last->mm) {
		key.mm = last->mm;
		bpf_map_update_elem(&resident_parts, &key, &last->of, BPF_ANY);
		key.mm = mm;
	}
	p = bpf_map_lookup_elem(&resident_parts, &key);
	last->mm = mm;
	if (p && p->id == r->id) {
		last->of = *p;
	} else {
		__builtin_memset(&last->of, 0, sizeof(last->of));
		last->of.id = r->id;
		last->of.seen = r->fresh ? (1u << SB_RSS_NR) - 1 : 0;
	}
	return &last->of;
}

/* By how many pages the counter MEMBER of MM has changed, of which R is known, by what TASK does. */
static __always_inline __s64 rss_change(struct resident *r, struct mm_struct *mm, __u32 member,
					struct task_struct *task)
{
	const __u64 off = own_variables(task);
	__s32 part;
	const __s64 sum = rss_of(mm, member, off, &part);
	struct resident_part *p;
	__s64 change = 0;

	if (!off)
		return sum - (__s64)__sync_lock_test_and_set(&r->sum[member], sum);
	p = part_of(r, (__u64)mm);
	if (!p)
		return 0;
	if (p->seen >> member & 1)
		change = part - p->part[member];
	p->seen |= 1u << member;
	p->part[member] = part;
	/* It has gone into the sum; or back to nothing, and then that is as it was. */
	if (!part)
		change += sum - (__s64)__sync_lock_test_and_set(&r->sum[member], sum);
	return change;
}

/* BYTES of memory have become something, PROBE, by what the current task does; WHAT: SB_RSS_* of it, or the advice. */
static __always_inline int tell_growth(void *ctx, __u32 probe, __u64 bytes, __u64 what, bool walk)
{
	struct hit hit = { .probe = probe, .value = 1, .nr = 2, .user = true, .arg = { bytes, what } };

	return is_sampled(growth_odds, bytes) ? tell_hit(ctx, &hit, NULL, walk) : 0;
}

/* CTX: the memory, and which of its counters has changed. */
static __always_inline int on_rss(__u64 *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct mm_struct *mm = (void *)ctx[0];
	const __u64 key = (__u64)mm;
	__u32 member = (__u32)ctx[1];
	struct resident *r = resident_of(key);
	const bool own = task->mm == mm && !(task->flags & PF_KTHREAD);
	struct sb_cpu *c = this_cpu();
	__s64 change;

	barrier_var(member);
	if (member >= SB_RSS_NR)
		return 0;
	if (!mm->mm_users.counter) {
		/* It comes to its end. */
		if (r)
			bpf_map_delete_elem(&residents, &key);
		return 0;
	}
	if (!c)
		return 0;
	if (!r && wanted_again(c, task, task->pid))
		r = begin_resident(mm, task, member);
	if (!r)
		return 0;
	change = rss_change(r, mm, member, task);
	if (!change || !own || member == SB_RSS_SWAPPED || !wanted_again(c, task, task->pid))
		return 0;
	if (change > 0)
		return tell_growth(ctx, SB_PROBE_GROWN, change * page_bytes, member, walk);
	return tell_growth(ctx, SB_PROBE_RETURNED, -change * page_bytes, member, walk);
}

PROBE_PROGRAMS("tp_btf/rss_stat", sb_rss, on_rss)

/* The heap of TASK, which is current, ends at BRK now. By how many bytes is that more than before? */
static __always_inline __s64 moved_brk(struct task_struct *task, __u64 brk)
{
	struct resident *r = resident_of((__u64)task->mm);
	__u64 before;

	if (!r) {
		begin_resident(task->mm, task, SB_RSS_ANON);
		return 0;
	}
	before = __sync_lock_test_and_set(&r->brk, brk);
	/* It was seen while it was made, when it had no heap. */
	return (__s64)(brk - (before ? before : task->mm->start_brk));
}

static __always_inline __u64 whole_pages(__u64 bytes)
{
	return (bytes + page_bytes - 1) & ~((__u64)page_bytes - 1);
}

static __always_inline bool gives_back(__u64 advice)
{
	const __u64 all = 1ull << ADVICE_DONTNEED | 1ull << ADVICE_FREE | 1ull << ADVICE_REMOVE |
			  1ull << ADVICE_PAGEOUT | 1ull << ADVICE_DONTNEED_LOCKED;

	return advice < 64 && all >> advice & 1;
}

/*
 * One of these calls returns, by the tracepoint of its own: those of all calls would be passed by all calls.
 */
static __always_inline int tell_mapping_call(void *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	const __s64 result = (__s64)sb_regs_result(regs);
	const __s32 call = sb_regs_call(regs);
	__u32 probe = SB_PROBE_MAPPED;
	__u64 arg[SB_CALL_ARGS], what = 0;
	__s64 change = 0;

	if ((result < 0 && result >= -MAX_ERRNO) || sb_regs_compat(regs) || !task->mm ||
	    !wanted(task, task->tgid, task->pid))
		return 0;
	sb_regs_to_call_args(regs, arg);
	if (call == SB_CALL_MMAP) {
		change = whole_pages(arg[1]);
	} else if (call == SB_CALL_MUNMAP) {
		change = -whole_pages(arg[1]);
	} else if (call == SB_CALL_MREMAP) {
		change = whole_pages(arg[2]) - whole_pages(arg[1]);
	} else if (call == SB_CALL_BRK) {
		change = moved_brk(task, result);
	} else if (call == SB_CALL_MADVISE && gives_back((__u32)arg[2])) {
		probe = SB_PROBE_ADVISED;
		what = (__u32)arg[2];
		change = whole_pages(arg[1]);
	}
	if (change < 0) {
		probe = SB_PROBE_UNMAPPED;
		change = -change;
	}
	return change ? tell_growth(ctx, probe, change, what, walk) : 0;
}

/* 1, or the kernel takes the hit from everybody who counts it by perf. */
static __always_inline int on_mapping_call(void *ctx, bool walk)
{
	tell_mapping_call(ctx, walk);
	return 1;
}

PROBE_PROGRAMS("tracepoint", sb_mapping_call, on_mapping_call)

#endif
