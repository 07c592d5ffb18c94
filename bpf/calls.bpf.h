/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls.bpf.h - system calls that are probed: each one of the target from its entry to its return,
 * with its arguments, its result and the time between.
 *
 * Both tracepoints are passed by every system call of the machine while they are on; those that no
 * probe asks for cost a look at one byte.
 *
 * Where somebody traces, each is told with more: strings and the begin of data that its arguments
 * point to, and which files its descriptors stand for. Strings are read at entry, before the call
 * can change anything, and at return where they were not in memory by then: the kernel has read
 * them meanwhile.
 */
#ifndef SBERF_BPF_CALLS_H
#define SBERF_BPF_CALLS_H

#include "event.bpf.h"

/* By number: which probe it is of, as SB_PROBE_PLACED + N + 1; 0 = none. User space sets it, at any time. */
__u8 call_probes[SB_CALLS_MAX] = { 0 };

/* By number, SB_COOKIE_LOADS() of it: where the named values of its filter are. User space sets it before. */
__u16 call_loads[SB_CALLS_MAX] = { 0 };

/* By number, what is told of it where somebody traces. User space sets it before. */
struct sb_call_wish call_wishes[SB_CALLS_MAX] = { 0 };

/* A call under way. */
struct call {
	__u64 begun_ns;
	__u64 arg[SB_CALL_ARGS];
	__u32 probe;
	__u32 nr;
	__u32 look;              /* take_look() */
	__u32 pad;
	struct sb_inside told;
};

/* What is kept of it for a trace. */
#define NOT_READ 0xffffu
struct call_text {
	__u64 file[2];
	__u16 got[SB_CALL_TEXTS];        /* bytes; NOT_READ = none could be read, or are wanted */
	__u16 flags[SB_CALL_TEXTS];
	__u64 word[SB_CALL_TEXTS][SB_TEXT_MAX / 8];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call_text);
} call_texts SEC(".maps");

/*
 * What is wanted of CALL. Index and pointer are bounded in one go: the verifier of 6.1 forgets what it
 * knew about a number that was spilled to the stack, but not about a pointer.
 */
static __always_inline const struct sb_call_wish *wish_of(const struct call *call)
{
	__u32 nr = call->nr;
	const struct sb_call_wish *wish;

	_Static_assert((SB_CALLS_MAX & (SB_CALLS_MAX - 1)) == 0, "a mask bounds it");
	barrier_var(nr);
	wish = &call_wishes[nr & (SB_CALLS_MAX - 1)];
	barrier_var(wish);
	return wish;
}

/* Where argument ARG of CALL, below SB_CALL_ARGS, is; the same applies. */
static __always_inline const __u64 *arg_of(const struct call *call, __u32 arg)
{
	const __u64 *at;

	barrier_var(arg);
	if (arg >= SB_CALL_ARGS)
		return NULL;
	at = &call->arg[arg];
	barrier_var(at);
	return at;
}

/* Which file descriptor FD of TASK stands for, in ID: what SB_CALL_FILE says. */
static __always_inline void tell_file(struct task_struct *task, __u32 fd, __u64 id[2])
{
	struct files_struct *files = plain(task)->files;
	struct fdtable *fdt = files ? files->fdt : NULL;
	struct file *file = NULL;
	struct inode *inode;

	id[0] = id[1] = 0;
	if (!fdt || fd >= fdt->max_fds || bpf_probe_read_kernel(&file, sizeof(file), fdt->fd + fd) || !file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	id[0] = BPF_CORE_READ(inode, i_ino);
	/* All that has no place in a file system (eventfd, epoll, ...) has one inode. */
	id[1] = ((__u64)BPF_CORE_READ(inode, i_sb, s_dev) << 32 | BPF_CORE_READ(inode, i_generation)) ^
		(__u64)BPF_CORE_READ(file, f_op) * MIX;
}

/* Bytes at ADDR, which are WANT, into text I of T. */
static __always_inline void read_data(struct call_text *t, unsigned int i, __u64 addr, __u64 want)
{
	__u32 n = want < SB_DATA_MAX ? (__u32)want : SB_DATA_MAX;

	barrier_var(n);
	if (n > SB_DATA_MAX || bpf_probe_read_user(t->word[i], n, (void *)addr))
		return;
	t->got[i] = n;
	t->flags[i] = want > n ? SB_TEXT_CUT : 0;
}

/* The string at ADDR into text I of T. */
static __always_inline void read_string(struct call_text *t, unsigned int i, __u64 addr)
{
	const long got = bpf_probe_read_user_str(t->word[i], SB_TEXT_MAX, (void *)addr);

	if (got <= 0 || got > SB_TEXT_MAX)
		return;
	t->got[i] = (__u16)got - 1;
	t->flags[i] = got == SB_TEXT_MAX ? SB_TEXT_CUT : 0;
}

/*
 * Reads into T what is wanted of CALL and has not been read, at its entry, or when it has RETURNED
 * with RESULT.
 */
static __always_inline void read_texts(struct call_text *t, const struct call *call, const struct sb_call_wish *wish,
				       bool returned, long result)
{
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_TEXTS; i++) {
		const __u32 how = wish->text[i];
		const __u64 *arg = arg_of(call, (how & SB_WISH_ARG) - 1);

		if (!arg || t->got[i] != NOT_READ || (!returned && how & SB_WISH_OUT))
			continue;
		if (how & SB_WISH_OUT)
			read_data(t, i, *arg, result > 0 ? result : 0);
		else if (how & SB_WISH_IN)
			read_data(t, i, *arg, arg[1]);
		else
			read_string(t, i, *arg);
	}
}

/* CALL of TASK begins. */
static __always_inline void trace_call(struct task_struct *task, const struct call *call)
{
	struct call_text *t = bpf_task_storage_get(&call_texts, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	const struct sb_call_wish *wish = wish_of(call);
	const __u64 *fd = arg_of(call, wish->file - 1u);

	if (!t)
		return;
	t->got[0] = t->got[1] = NOT_READ;
	t->file[0] = t->file[1] = 0;
	if (fd)
		tell_file(task, (__u32)*fd, t->file);
	read_texts(t, call, wish, false, 0);
}

/* CALL of TASK, which has returned, is told with what is known of its files. */
static __always_inline void trace_return(struct task_struct *task, const struct call *call, struct hit *hit)
{
	struct call_text *t = bpf_task_storage_get(&call_texts, task, NULL, 0);
	const struct sb_call_wish *wish = wish_of(call);
	const long result = (long)hit->arg[SB_CALL_RESULT];

	hit->nr = SB_ARGS_MAX;
	hit->arg[SB_CALL_NUMBER] = call->nr;
	if (!t)
		return;
	hit->arg[SB_CALL_FILE] = t->file[0];
	hit->arg[SB_CALL_FILE + 1] = t->file[1];
	if (wish->more & SB_WISH_MADE && result >= 0)
		tell_file(task, (__u32)result, &hit->arg[SB_CALL_MADE]);
	read_texts(t, call, wish, true, result);
}

static __always_inline __u32 put_call_texts(struct scratch *s, __u32 off, struct task_struct *task)
{
	struct call_text *t = bpf_task_storage_get(&call_texts, task, NULL, 0);
	struct call *call = bpf_task_storage_get(&calls, task, NULL, 0);
	const struct sb_call_wish *wish;

	if (!t || !call)
		return off;
	wish = wish_of(call);
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_TEXTS; i++) {
		const __u32 got = t->got[i];
		struct sb_part_text *p;

		barrier_var(off);
		if (got >= SB_TEXT_MAX || off > RECORD_MAX - TEXT_BYTES)
			continue;
		p = (void *)(s->rec + off);
		p->part.size = sizeof(*p) + ((got + 7) & ~7u);
		p->part.type = SB_PART_TEXT;
		p->part.flags = t->flags[i];
		p->arg = (wish->text[i] & SB_WISH_ARG) - 1;
		p->got = got;
		p->pad = 0;
		__builtin_memcpy(p + 1, t->word[i], SB_TEXT_MAX);
		off += sizeof(*p) + ((got + 7) & ~7u);
	}
	return off;
}

/* Tells that CALL of TASK has begun. */
static __always_inline void tell_begun(struct task_struct *task, const struct call *call)
{
	struct hit hit = { .probe = call->probe, .nr = SB_ARGS_MAX, .call = true };
	const struct weight weight = { .count = 1 };
	struct sb_cpu *c = this_cpu();
	__u32 place;
	struct scratch *s = c ? take_probe_scratch(c, &place) : NULL;
	struct sb_part_event *event;

	if (!s)
		return;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		hit.arg[i] = call->arg[i];
	hit.arg[SB_CALL_NUMBER] = call->nr;
	put_hit(s, &hit, &weight, task, bpf_ktime_get_ns());
	event = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES);
	event->part.flags = SB_EVENT_OPEN;
	send_scratch(c, s, EVENT_HEAD_BYTES);
	give_scratch(s);
}

/*
 * What is kept of a call of TASK, which is current; NULL when it is not of the target, or there is no memory for it: C
 * counts that. Who has one is of the target as long as it lives, unless that is a cgroup, which tasks leave.
 */
static __always_inline struct call *call_of(struct task_struct *task, __u32 probe)
{
	struct call *call = NULL;
	struct sb_cpu *c;

	if (target != TARGET_CGROUP)
		call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (call || !wanted(task, task->tgid, task->pid))
		return call;
	call = bpf_task_storage_get(&calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (call)
		return call;
	c = this_cpu();
	if (c)
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
	lose_hit(probe, SB_HIT_LOST_WHOLE);
	return NULL;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sb_call_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct call *call;
	__u8 probe;

	if ((__u64)id >= SB_CALLS_MAX)
		return 0;
	probe = call_probes[id];
	/* Numbers of the 32-bit ABI are others. */
	if (!probe || sb_regs_compat(regs))
		return 0;
	call = call_of(task, SB_PROBE_PLACED + probe - 1u);
	if (!call)
		return 0;
	sb_regs_to_call_args(regs, call->arg);
	call->probe = SB_PROBE_PLACED + probe - 1u;
	call->nr = (__u32)id;
	if (tracing && call_wishes[id].more & SB_WISH_BEGUN) {
		tell_begun(task, call);
		return 0;
	}
	call->look = 0;
	if (looking && !tracing)
		call->look = take_look(call->probe);
	if (tracing || call->look)
		trace_call(task, call);
	note_begun();
	call->begun_ns = bpf_ktime_get_ns();
	return 0;
}

/* CTX: the registers, and what the call returned. */
static __always_inline int on_call_exit(__u64 *ctx, bool walk)
{
	const __u64 now = bpf_ktime_get_ns();
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct call *call = bpf_task_storage_get(&calls, task, NULL, 0);
	struct hit hit = { .nr = SB_CALL_ARGS + 1, .call = true };

	if (!call || !call->begun_ns)
		return 0;
	hit.probe = call->probe;
	hit.begun_ns = call->begun_ns;
	hit.now_ns = now;
	hit.own_ns = own_call_ns;
	hit.told = insides && take_told(&call->told, inside_of(call->probe, call->begun_ns));
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		hit.arg[i] = call->arg[i];
	hit.arg[SB_CALL_RESULT] = ctx[1];
	call->begun_ns = 0;
	if (filtered)
		hit.loads = call_loads[call->nr & (SB_CALLS_MAX - 1)];
	hit.look = call->look;
	if (tracing || call->look)
		trace_return(task, call, &hit);
	return tell_hit(ctx, &hit, NULL, walk);
}

PROBE_PROGRAMS("tp_btf/sys_exit", sb_call_exit, on_call_exit)

#endif
