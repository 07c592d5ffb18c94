/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocs.bpf.h - blocks of memory that the target allocates, sampled by bytes, and frees of those.
 *
 * The trap of the probe is the price of a call, sampled or not. So what is done for those that are not
 * sampled is little: a random number is compared with one from a table, by size. Where the kernel has
 * sessions (capture/link.h), the return of a call that is not sampled is not probed at all.
 *
 * A sampled call is noted by its thread, by the slot of its return address, until it returns with the
 * pointer. Its stack is told as it was at the entry (functions.bpf.h). Calls that were left without a
 * return are forgotten by their slots.
 *
 * Frees of blocks that were not sampled cost a look into a hash table.
 *
 * A program that samples by itself says so by static probes, otel_memory:alloc(address, bytes, bytes that it
 * stands for) and otel_memory:free(address): these are told as they come.
 */
#ifndef SBERF_BPF_ALLOCS_H
#define SBERF_BPF_ALLOCS_H

#include "event.bpf.h"

/* By size class: in how many of 2^32 cases a block of its least size is sampled. User space sets it before. */
const volatile __u32 alloc_odds[SB_ALLOC_CLASSES] = { 0 };
const volatile bool allocs_freed = false;        /* frees are followed */

#define OPEN_ALLOCS 4u                   /* of one task: an allocator that calls another one */

struct open_alloc {
	__u64 slot, pc, size, old;
	__u32 sampled, pad;              /* else only OLD is of interest, or that what it calls is part of it */
};

struct open_allocs {
	__u32 nr, pad;
	struct open_alloc at[OPEN_ALLOCS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct open_allocs);
} open_allocs SEC(".maps");

struct alloc_key {
	__u64 addr;
	__u32 tgid, pad;
};

/* Sampled blocks that live. User space sets its size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct alloc_key);
	__type(value, __u32);
} live_allocs SEC(".maps");

/* The number of the highest bit in V, which is not 0. */
static __always_inline __u32 top_bit(__u32 v)
{
	__u32 top = 0;

#pragma unroll
	for (__u32 step = 16; step; step /= 2)
		if (v >> (top + step))
			top += step;
	return top;
}

/* The odds by ODDS of a block of SIZE bytes; between the borders of a class on a straight line. */
static __always_inline __u32 odds_of(const volatile __u32 *odds, __u64 size)
{
	__u32 at, bits;
	__u64 lo, hi;

	if (size < SB_ALLOC_STEPS)
		return odds[size & (SB_ALLOC_STEPS - 1)];
	if (size >> SB_ALLOC_TOP_MAX)
		return ~0u;
	bits = top_bit((__u32)size) - SB_ALLOC_STEP_BITS;
	at = SB_ALLOC_STEPS * (bits + 1) + (__u32)(size >> bits & (SB_ALLOC_STEPS - 1));
	barrier_var(at);
	lo = odds[at & (SB_ALLOC_CLASSES - 1)];
	hi = odds[(at + 1) & (SB_ALLOC_CLASSES - 1)];
	return (__u32)(lo + ((hi - lo) * (size & ((1ull << bits) - 1)) >> bits));
}

static __always_inline bool is_sampled(const volatile __u32 *odds, __u64 size)
{
	const __u32 of = odds_of(odds, size);

	return of == ~0u || bpf_get_prandom_u32() < of;
}

/* The arguments of the call at REGS, read one by one: a choice between places in REGS would be refused. */
static __always_inline void read_alloc_args(struct sb_ctx_regs *regs, __u64 arg[SB_CALL_ARGS])
{
	sb_regs_to_args(regs, arg);
#pragma unroll
	for (__u32 i = 0; i < SB_CALL_ARGS; i++)
		barrier_var(arg[i]);
}

/* Argument I of the call, from 1 on, of ARG; 0 = it has none such. */
static __always_inline __u64 alloc_arg(const __u64 *arg, __u32 i)
{
	switch (i & 7) {
	case 1:
		return arg[0];
	case 2:
		return arg[1];
	case 3:
		return arg[2];
	case 4:
		return arg[3];
	case 5:
		return arg[4];
	case 6:
		return arg[5];
	default:
		return 0;
	}
}

static __always_inline struct open_alloc *last_alloc(struct open_allocs *o)
{
	__u32 last = o->nr - 1;

	barrier_var(last);
	if (last >= OPEN_ALLOCS)
		return NULL;
	barrier_var(last);
	return &o->at[last];
}

/* Forgets the calls of O that did not return: those below SLOT. */
static __always_inline void forget_allocs(struct open_allocs *o, __u64 slot)
{
#pragma unroll
	for (__u32 i = 0; i < OPEN_ALLOCS; i++) {
		struct open_alloc *last = last_alloc(o);

		if (last && last->slot < slot)
			o->nr--;
	}
}

/* Is TASK, where the registers are REGS, in a call that is noted, of which the one that begins is a part? */
static __always_inline bool is_inner_alloc(struct task_struct *task, const struct sb_ctx_regs *regs)
{
	struct open_allocs *o = bpf_task_storage_get(&open_allocs, task, NULL, 0);
	const struct open_alloc *last;

	if (!o || !o->nr)
		return false;
	forget_allocs(o, regs->sp);
	last = last_alloc(o);
	/* At the same slot where that one ends by a jump to this one. If it is the same function, it was left. */
	if (!last || (last->slot == regs->sp && last->pc == regs->ip))
		return false;
	return true;
}

static __always_inline bool note_alloc(struct sb_cpu *c, struct task_struct *task, const struct open_alloc *call)
{
	struct open_allocs *o = bpf_task_storage_get(&open_allocs, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u32 nr;

	if (!o) {
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
		return false;
	}
	forget_allocs(o, call->slot + 1);
	nr = o->nr;
	barrier_var(nr);
	if (nr >= OPEN_ALLOCS) {
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
		return false;
	}
	barrier_var(nr);
	o->at[nr] = *call;
	o->nr = nr + 1;
	return true;
}

/* Is the block of TASK at ADDR one that was sampled? */
static __always_inline bool is_alive(struct task_struct *task, __u64 addr)
{
	const struct alloc_key key = { .addr = addr, .tgid = task->tgid };

	return addr && bpf_map_lookup_elem(&live_allocs, &key);
}

/* A call begins with REGS. Is its return of interest? */
static __always_inline bool alloc_begins(struct sb_ctx_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u32 how = SB_COOKIE_TEXT(bpf_get_attach_cookie(regs));
	struct sb_cpu *c = this_cpu();
	struct open_alloc call = { .slot = regs->sp, .pc = regs->ip };
	__u64 arg[SB_CALL_ARGS];

	if (!c || !wanted(task, task->tgid, task->pid))
		return false;
	c->allocs++;
	if (is_inner_alloc(task, regs))
		return false;
	read_alloc_args(regs, arg);
	call.size = alloc_arg(arg, SB_ALLOC_SIZE(how));
	if (SB_ALLOC_TIMES(how))
		call.size *= alloc_arg(arg, SB_ALLOC_TIMES(how));
	/* One block of this thread is temporary no more. */
	if (c->alloc_tid == task->pid)
		c->alloc_tid = 0;
	call.sampled = is_sampled(alloc_odds, call.size);
	if (allocs_freed && SB_ALLOC_OLD(how) && is_alive(task, alloc_arg(arg, SB_ALLOC_OLD(how))))
		call.old = alloc_arg(arg, SB_ALLOC_OLD(how));
	/* Where the pointer is put, is not both. */
	if (call.sampled && SB_ALLOC_OUT(how))
		call.old = alloc_arg(arg, SB_ALLOC_OUT(how));
	if (!call.sampled && !call.old && !(how & SB_ALLOC_OUTER))
		return false;
	return note_alloc(c, task, &call);
}

/* The block at ADDR, which is in the table, is freed by the current task. Global, as it is called in many places. */
__noinline int sb_tell_freed(__u64 addr)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const struct alloc_key key = { .addr = addr, .tgid = task->tgid };
	const struct weight weight = { .value = 1, .count = 1 };
	struct hit hit = { .probe = SB_PROBE_FREE, .nr = 2, .arg = { addr } };
	struct sb_cpu *c = this_cpu();
	struct scratch *s;
	__u32 place = 0;

	if (!c)
		return 0;
	hit.arg[1] = c->alloc_tid == task->pid && c->alloc_addr == addr;
	bpf_map_delete_elem(&live_allocs, &key);
	s = take_probe_scratch(c, &place);
	if (!s)
		return 0;
	put_hit(s, &hit, &weight, task, bpf_ktime_get_ns());
	((struct sb_hdr *)s->rec)->flags |= SB_F_NO_USER;
	send_scratch(c, s, EVENT_HEAD_BYTES);
	give_scratch(s);
	return 0;
}

/* A call has returned, to where REGS are. */
static __always_inline int alloc_returns(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct open_allocs *o = bpf_task_storage_get(&open_allocs, task, NULL, 0);
	const __u32 how = SB_COOKIE_TEXT(bpf_get_attach_cookie(regs));
	const __u64 slot = regs->sp - sizeof(slot);
	struct hit hit = { .probe = SB_PROBE_ALLOC, .value = 1, .nr = 3, .placed = true, .slot = slot,
			   .return_to = regs->ip };
	struct sb_cpu *c = this_cpu();
	struct open_alloc *call;
	struct alloc_key key = { .addr = sb_regs_result(regs), .tgid = task->tgid };
	const __u32 tid = task->pid;
	__u64 old;
	bool sampled;

	if (!c || !o || !o->nr)
		return 0;
	forget_allocs(o, slot);
	call = last_alloc(o);
	if (!call || call->slot != slot)
		return 0;
	o->nr--;
	old = call->old;
	sampled = call->sampled;
	hit.pc = call->pc;
	hit.arg[1] = call->size;
	if (SB_ALLOC_OUT(how)) {
		/* It returns 0 when it was successful. */
		if ((__u32)key.addr || bpf_probe_read_user(&key.addr, sizeof(key.addr), (void *)old))
			return 0;
		old = 0;
	}
	/* realloc(p, 0) frees; where there is no memory p stays as it was. It may have called free(). */
	if (old && (key.addr || !hit.arg[1]) && is_alive(task, old))
		sb_tell_freed(old);
	if (!sampled || !key.addr)
		return 0;
	hit.arg[0] = key.addr;
	/* Its free may come while no probe is there; or it finds no room. */
	hit.arg[2] = !allocs_freed || hits_scale > 1 || bpf_map_update_elem(&live_allocs, &key, &tid, BPF_ANY);
	c->alloc_tid = task->pid;
	c->alloc_addr = key.addr;
	return tell_hit(regs, &hit, regs, walk);
}

SEC("kprobe")
int sb_alloc_enter(struct sb_ctx_regs *regs)
{
	alloc_begins(regs);
	return 0;
}

PROBE_PROGRAMS("kprobe", sb_alloc_return, alloc_returns)

/* Runs at both: at the entry the task is where the probe is. If it returns 1 there, it does not run at the return. */
static __always_inline int on_alloc(struct sb_ctx_regs *regs, bool walk)
{
	if (regs->ip != bpf_get_func_ip(regs))
		return alloc_returns(regs, walk);
	return !alloc_begins(regs);
}

PROBE_PROGRAMS("kprobe", sb_alloc, on_alloc)

SEC("kprobe")
int sb_freed(struct sb_ctx_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u32 how = SB_COOKIE_TEXT(bpf_get_attach_cookie(regs));
	struct sb_cpu *c = this_cpu();
	__u64 arg[SB_CALL_ARGS], old;

	if (!c)
		return 0;
	c->allocs++;
	read_alloc_args(regs, arg);
	old = alloc_arg(arg, SB_ALLOC_OLD(how));
	if (is_alive(task, old))
		sb_tell_freed(old);
	return 0;
}

/*
 * A function of Go's runtime allocates, whose first argument is where others return. Its return must not be probed:
 * stacks of Go move. So there is no address, and the collector frees blocks without a call.
 */
static __always_inline int on_go_alloc(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct hit hit = { .probe = SB_PROBE_ALLOC, .value = 1, .nr = 2, .placed = true };
	struct sb_cpu *c = this_cpu();

	if (!c || !wanted(task, task->tgid, task->pid))
		return 0;
	c->allocs++;
	hit.arg[1] = sb_regs_result(regs);
	return hit.arg[1] && is_sampled(alloc_odds, hit.arg[1]) ? tell_hit(regs, &hit, regs, walk) : 0;
}

PROBE_PROGRAMS("kprobe", sb_go_alloc, on_go_alloc)

#define NOTE_ARGS 3u                     /* of the static probes, and more than free has */

/* Reads the arguments of the static probe at REGS into V; those that it has not are 0. */
static __always_inline bool read_note(struct sb_cpu *c, struct sb_ctx_regs *regs, __u64 v[NOTE_ARGS])
{
	__u32 place = 0;
	struct scratch *s = take_probe_scratch(c, &place);
	struct evaluation *ev = s ? (void *)s->rec : NULL;
	bool read;

	if (!ev)
		return false;
	ev->when = LOADS_ALL;
	ev->base[SB_LOAD_NOTHING] = 0;
	sb_regs_to_dwarf(regs, &ev->base[SB_LOAD_REG]);
#pragma unroll
	for (__u32 i = 0; i < NOTE_ARGS; i++)
		ev->input[SB_INPUT_LOAD + i] = 0;
	read = load_values(place, SB_COOKIE_LOADS(bpf_get_attach_cookie(regs)));
#pragma unroll
	for (__u32 i = 0; i < NOTE_ARGS; i++)
		v[i] = ev->input[SB_INPUT_LOAD + i];
	give_scratch(s);
	if (!read)
		__sync_fetch_and_add(&c->lost[SB_LOST_VALUE], 1);
	return read;
}

static __always_inline int on_told_alloc(struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct hit hit = { .probe = SB_PROBE_ALLOC, .value = 1, .nr = 4, .placed = true };
	struct alloc_key key = { .tgid = task->tgid };
	const __u32 tid = task->pid;
	struct sb_cpu *c = this_cpu();
	__u64 v[NOTE_ARGS];

	if (!c || !wanted(task, task->tgid, task->pid))
		return 0;
	c->allocs++;
	if (!read_note(c, regs, v) || !v[0])
		return 0;
	key.addr = hit.arg[0] = v[0];
	hit.arg[1] = v[1];
	hit.arg[2] = !allocs_freed || hits_scale > 1 || bpf_map_update_elem(&live_allocs, &key, &tid, BPF_ANY);
	hit.arg[3] = v[2];
	return tell_hit(regs, &hit, regs, walk);
}

PROBE_PROGRAMS("kprobe", sb_told_alloc, on_told_alloc)

SEC("kprobe")
int sb_told_free(struct sb_ctx_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct sb_cpu *c = this_cpu();
	__u64 v[NOTE_ARGS];

	if (!c || !wanted(task, task->tgid, task->pid))
		return 0;
	c->allocs++;
	if (!read_note(c, regs, v) || !is_alive(task, v[0]))
		return 0;
	/* Whether the thread has allocated since, knows the program alone, which may have told. */
	c->alloc_tid = v[1] ? task->pid : 0;
	c->alloc_addr = v[0];
	return sb_tell_freed(v[0]);
}

#endif
