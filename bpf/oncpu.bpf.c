/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oncpu.bpf.c - which task runs, with which stacks: one record per sample of a task of the target.
 *
 * The sampler is attached to a perf event on each CPU. It builds a record of wire.h in a scratch buffer of its CPU (records
 * are larger than the BPF stack and of variable length) and copies it into the ring of that CPU. User registers and stack
 * bytes are taken wherever the sample lands: in user mode from the event's context, else from the frame that the entry to
 * the kernel left.
 *
 * The target is decided here. Processes and threads stand in a table that the fork tracepoint extends before a child can
 * run, so no child is missed, and each entry is bound to the start time of its task, so a reused number does not match.
 *
 * Every record that cannot be sent is counted (struct sb_cpu).
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define PAGE_BYTES 4096u
#define PIECES (SB_STACK_MAX / PAGE_BYTES + 2)           /* page-bounded pieces of a copy: both ends may be partial */
#define ADDRS_BYTES (sizeof(struct sb_part_addrs) + SB_KSTACK_MAX * 8)
#define SEGMENT_BYTES (sizeof(struct sb_part_segment) + SB_STACK_MAX)
#define REGS_BYTES (sizeof(struct sb_part_regs) + SB_NR_REGS * 8)
#define HEAD_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + sizeof(struct sb_part_sample))
#define RECORD_MAX (HEAD_BYTES + REGS_BYTES + 2 * ADDRS_BYTES + 2 * SEGMENT_BYTES)

#define SCAN_BYTES 1024u                                 /* of a signal stack, looked through at a time */
#define SCAN_STEPS (SB_SIGFRAME_REACH / SCAN_BYTES)

#define TARGETS_MAX 32768u

/* What is fixed for a run; user space sets it before loading. The values of target are those of enum target_kind. */
#define TARGET_ALL 0
#define TARGET_PIDS 1
#define TARGET_TIDS 2
#define TARGET_CGROUP 3
const volatile __u32 target = TARGET_ALL;
const volatile bool kernel_frames = true;
const volatile bool frame_pointers = false;
const volatile __u32 walk_max = SB_KSTACK_MAX;           /* frames that the kernel walks at most, kernel.perf_event_max_stack */

/* What may change while it runs. */
__u32 stack_cap = SB_STACK_MIN;                          /* bytes of a stack copied when nothing is learnt for the executable */
__u64 wake_bytes = 0;                                    /* bytes in a ring at which its reader is woken */
__u32 own_tgid = 0;                                      /* sberf itself, as the kernel numbers it */

struct scratch {
	__u64 busy;
	__u64 chunk[(SCAN_BYTES + 2 * SB_SIGFRAME_ALIGN) / 8];
	__u8 rec[RECORD_MAX + PAGE_BYTES];
};

/* Element counts of those indexed by CPU or ring are set by user space before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cpu_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} rings SEC(".maps");

/* tgid or tid -> start time of that task, 0 = not known yet. Preallocated: samplers run where memory cannot be had. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TARGETS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* exe_id -> bytes of stack worth copying, learnt from how deep its stacks turned out to be. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, __u32);
} caps SEC(".maps");

static __always_inline struct sb_cpu *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

/* Is the entry of KEY there and about the task that started at START_NS? */
static __always_inline bool is_target(__u32 key, __u64 start_ns)
{
	__u64 *bound = bpf_map_lookup_elem(&targets, &key);

	if (!bound)
		return false;
	if (!*bound)
		*bound = start_ns;
	return *bound == start_ns;
}

static __always_inline bool wanted(struct task_struct *task, __u32 tgid, __u32 tid)
{
	switch (target) {
	case TARGET_PIDS:
		return is_target(tgid, task->group_leader->start_time);
	case TARGET_TIDS:
		return is_target(tid, task->start_time);
	case TARGET_CGROUP:
		return tgid != own_tgid && bpf_current_task_under_cgroup(&cgroups, 0) == 1;
	default:
		return tgid != own_tgid;
	}
}

static __always_inline __u64 exe_id(struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	struct file *file = mm ? mm->exe_file : NULL;
	struct inode *inode = file ? file->f_inode : NULL;
	struct super_block *sb = inode ? inode->i_sb : NULL;

	return sb ? (__u64)sb->s_dev << 32 ^ inode->i_ino : 0;
}

static __always_inline __u64 cgroup_id(struct task_struct *task)
{
	struct css_set *css = task->cgroups;
	struct cgroup *cgrp = css ? css->dfl_cgrp : NULL;
	struct kernfs_node *kn = cgrp ? cgrp->kn : NULL;

	return kn ? kn->id : 0;
}

static __always_inline __u32 cap_of(__u64 exe)
{
	__u32 *learnt = bpf_map_lookup_elem(&caps, &exe);
	__u32 cap = learnt ? *learnt : stack_cap;

	if (cap < SB_STACK_MIN)
		cap = SB_STACK_MIN;
	if (cap > SB_STACK_MAX)
		cap = SB_STACK_MAX;
	return cap & ~7u;
}

/* Fills header, task and sample parts. */
static __always_inline void put_head(struct scratch *s, struct sb_perf_ctx *ctx, struct task_struct *task, __u64 now)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_task *t = (void *)(h + 1);
	struct sb_part_sample *p = (void *)(t + 1);

	h->kind = SB_REC_SAMPLE;
	h->flags = 0;
	h->time_ns = now;
	h->cpu = bpf_get_smp_processor_id();
	h->node = bpf_get_numa_node_id();

	t->part.size = sizeof(*t);
	t->part.type = SB_PART_TASK;
	t->part.flags = 0;
	t->pid = task->tgid;
	t->tid = task->pid;
	t->start_ns = task->start_time;
	t->cgroup_id = cgroup_id(task);
	t->exe_id = exe_id(task);
	bpf_get_current_comm(t->comm, sizeof(t->comm));

	p->part.size = sizeof(*p);
	p->part.type = SB_PART_SAMPLE;
	p->part.flags = 0;
	p->period = ctx->sample_period;
	p->ip = ctx->regs.ip;
}

/*
 * The addresses of the kernel's side (FLAGS 0) or, by frame pointers, of the user's (BPF_F_USER_STACK), as a part of TYPE at
 * OFF. Returns the offset behind it.
 */
static __always_inline __u32 put_addrs(struct scratch *s, __u32 off, void *ctx, __u16 type, __u64 flags)
{
	struct sb_part_addrs *a;
	long got;
	__u32 nr;

	barrier_var(off);
	if (off > RECORD_MAX - ADDRS_BYTES)
		return off;
	a = (void *)(s->rec + off);
	got = bpf_get_stack(ctx, a + 1, SB_KSTACK_MAX * 8, flags);
	a->error = got < 0 ? (__s32)got : 0;
	nr = got < 0 ? 0 : (__u32)got / 8;
	if (nr > SB_KSTACK_MAX)
		nr = SB_KSTACK_MAX;
	a->nr = nr;
	a->part.size = sizeof(*a) + nr * 8;
	a->part.type = type;
	a->part.flags = nr >= walk_max ? SB_ADDRS_FULL : 0;
	return off + sizeof(*a) + nr * 8;
}

/*
 * The functions from here to sb_interrupted_sp() are global: the verifier looks at each of them once and alone, for any
 * arguments. Inlined, their branches and loops multiply with each other and with all that follows.
 */

/*
 * Copies what lies at user address ADDR up to the end of its page, at most ROOM bytes, to offset AT of the scratch record of
 * CPU. Returns the bytes copied, 0 when the page cannot be read.
 */
__noinline int sb_copy(__u32 cpu, __u32 at, __u32 room, __u64 addr)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	__u32 n = PAGE_BYTES - (addr & (PAGE_BYTES - 1));

	if (n > room)
		n = room;
	barrier_var(at);
	barrier_var(n);
	if (!s || at > RECORD_MAX || n > PAGE_BYTES)
		return 0;
	return bpf_probe_read_user(s->rec + at, n, (void *)addr) ? 0 : n;
}

/*
 * Copies up to WANT bytes of the stack whose pointer is SP as a segment part at OFF of the scratch record of CPU, page by
 * page: a read that crosses into a page which cannot be read fails as a whole. Returns the bytes copied.
 */
__noinline int sb_put_segment(__u32 cpu, __u32 off, __u64 sp, __u32 want, __u32 flags)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	__u64 addr = (sp - SB_RED_ZONE) & ~7ull;
	struct sb_part_segment *seg;
	__u32 got, n;

	if (!s)
		return 0;
	got = sb_copy(cpu, off + sizeof(*seg), want, addr);
	if (!got && addr < (sp & ~(__u64)(PAGE_BYTES - 1))) {
		/* The page below sp need not exist yet; without it only the red zone is short. */
		addr = sp & ~(__u64)(PAGE_BYTES - 1);
		got = sb_copy(cpu, off + sizeof(*seg), want, addr);
	}
	n = got;
	for (int i = 1; i < PIECES && n && got < want; i++) {
		n = sb_copy(cpu, off + sizeof(*seg) + got, want - got, addr + got);
		got += n;
	}
	/* Checked here and not above: the verifier of 6.1 forgets what it knew about a value that was spilled to the stack. */
	barrier_var(off);
	if (off > RECORD_MAX - SEGMENT_BYTES)
		return 0;
	seg = (void *)(s->rec + off);
	seg->part.size = sizeof(*seg) + got;
	seg->part.type = SB_PART_SEGMENT;
	seg->part.flags = flags;
	seg->addr = addr;
	seg->want = want;
	seg->got = got;
	return got;
}

/*
 * Looks through SCAN_BYTES of the alternate stack SS, SS + SIZE, from the top down, for the copy of these two numbers that a
 * signal's frame carries. Returns its address, 0 = none.
 */
__noinline __u64 sb_scan(__u32 cpu, __u64 low, __u64 ss, __u64 size)
{
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);

	if (!s || bpf_probe_read_user(s->chunk, sizeof(s->chunk), (void *)low))
		return 0;
	for (int at = SCAN_BYTES / 8; at >= 0; at -= SB_SIGFRAME_ALIGN / 8)
		if (s->chunk[at] == ss && s->chunk[at + SB_SS_SIZE_AT / 8] == size)
			return low + at * 8;
	return 0;
}

/*
 * The stack pointer that a signal handler on the alternate stack SS, SS + SIZE interrupted, 0 = not found. The first frame
 * from the top is that of the signal which entered this stack; those below it came later.
 */
__noinline __u64 sb_interrupted_sp(__u32 cpu, __u64 ss, __u64 size)
{
	__u64 low = ((ss + size) & ~(__u64)(SB_SIGFRAME_ALIGN - 1)) - 2 * SB_SIGFRAME_ALIGN;

	for (int step = 0; step < SCAN_STEPS && low > ss; step++) {
		__u64 frame, sp = 0;

		low -= SCAN_BYTES;
		frame = sb_scan(cpu, low, ss, size);
		if (!frame)
			continue;
		if (bpf_probe_read_user(&sp, sizeof(sp), (void *)(frame + SB_SS_RSP_AT)) || sp - ss <= size)
			return 0;
		return sp;
	}
	return 0;
}

/* Adds a segment; see sb_put_segment(). Returns the offset behind it. */
static __always_inline __u32 put_segment(__u32 off, __u64 sp, __u32 want, __u16 flags, __u32 *ret_got)
{
	*ret_got = sb_put_segment(bpf_get_smp_processor_id(), off, sp, want, flags);
	return off + sizeof(struct sb_part_segment) + *ret_got;
}

/* The stack bytes for SP: one segment, or two when SP lies on the alternate signal stack. */
static __always_inline __u32 put_stacks(struct scratch *s, __u32 off, struct task_struct *task, __u64 sp, __u32 *got)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_task *t = (void *)(h + 1);
	__u64 ss = task->sas_ss_sp, ss_size = task->sas_ss_size, below;
	__u32 cap = cap_of(t->exe_id), ignored;

	/* on_sig_stack() of the kernel: the stack grows down, so its top belongs to it and its lowest address does not. */
	if (!ss_size || sp <= ss || sp - ss > ss_size)
		return put_segment(off, sp, cap, 0, got);
	h->flags |= SB_F_ALTSTACK;
	below = ss + ss_size - ((sp - SB_RED_ZONE) & ~7ull);
	off = put_segment(off, sp, below < cap ? (__u32)below & ~7u : cap, 0, got);
	sp = sb_interrupted_sp(bpf_get_smp_processor_id(), ss, ss_size);
	return sp ? put_segment(off, sp, cap, SB_SEG_INTERRUPTED, &ignored) : off;
}

/* Registers and stack of the user's side. Returns the offset behind what was added. */
static __always_inline __u32 put_user(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx, struct task_struct *task,
				      bool user)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_regs *r = (void *)(s->rec + HEAD_BYTES);
	__u64 *v = (void *)(r + 1);
	__u32 got = 0, end;

	if (user) {
		if (sb_regs_compat(&ctx->regs))
			h->flags |= SB_F_COMPAT;
		sb_regs_to_dwarf(&ctx->regs, v);
		barrier();       /* else clang merges the loads of both branches into one through a computed address */
	} else {
		struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

		if (sb_regs_compat(regs))
			h->flags |= SB_F_COMPAT;
		sb_regs_to_dwarf(regs, v);
	}
	if (h->flags & SB_F_COMPAT)
		return off;
	if (!v[SB_DWARF_SP]) {
		/* Workers of io_uring and vhost have an mm but never came from user mode: their frame is zeroed. */
		h->flags |= SB_F_NO_USER;
		return off;
	}
	r->part.size = REGS_BYTES;
	r->part.type = SB_PART_REGS;
	r->part.flags = SB_REGS_FULL | (user ? 0 : SB_REGS_SYSCALL);
	r->machine = SB_EM_MACHINE;
	r->nr = SB_NR_REGS;
	end = off + REGS_BYTES;
	if (frame_pointers)
		return put_addrs(s, end, ctx, SB_PART_WALKED, BPF_F_USER_STACK);
	end = put_stacks(s, end, task, v[SB_DWARF_SP], &got);
	if (!got && !user && BPF_CORE_READ_BITFIELD(task, in_execve)) {
		/* exec has dropped the old memory, and these are the registers of the program that is gone. */
		h->flags = (h->flags & ~SB_F_ALTSTACK) | SB_F_NO_USER;
		return off;
	}
	return end;
}

static __always_inline void send(struct scratch *s, struct sb_cpu *c, __u32 size)
{
	struct sb_hdr *h = (void *)s->rec;
	__u32 cpu = bpf_get_smp_processor_id(), *index;
	__u64 flags = BPF_RB_NO_WAKEUP;
	void *ring;

	index = bpf_map_lookup_elem(&cpu_ring, &cpu);
	ring = index ? bpf_map_lookup_elem(&rings, index) : NULL;
	if (!ring) {
		c->lost[SB_LOST_NO_RING]++;
		return;
	}
	barrier_var(size);
	if (size > RECORD_MAX)
		return;
	h->size = size;
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + size >= wake_bytes)
		flags = BPF_RB_FORCE_WAKEUP;
	if (bpf_ringbuf_output(ring, s->rec, size, flags))
		c->lost[SB_LOST_RING_FULL]++;
	else
		c->samples++;
}

/* Builds the record in S and sends it. */
static __always_inline void sample(struct scratch *s, struct sb_cpu *c, struct sb_perf_ctx *ctx, struct task_struct *task,
				   __u64 now, __u64 since)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_sample *p = (void *)(s->rec + sizeof(struct sb_hdr) + sizeof(struct sb_part_task));
	bool user = sb_ctx_user_mode(ctx);
	__u32 off = HEAD_BYTES;

	put_head(s, ctx, task, now);
	p->since_ns = since;
	if (!user)
		h->flags |= SB_F_KERNEL;
	if (task->flags & PF_KTHREAD)
		h->flags |= SB_F_KTHREAD;
	else if (!task->mm)
		h->flags |= SB_F_NO_USER;
	else
		off = put_user(s, off, ctx, task, user);
	if (!user && kernel_frames)
		off = put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	send(s, c, off);
}

SEC("perf_event")
int sb_oncpu(struct sb_perf_ctx *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 cpu = bpf_get_smp_processor_id(), tid = task->pid;
	__u64 now = bpf_ktime_get_ns(), since;
	struct sb_cpu *c = this_cpu();
	struct scratch *s;

	if (!c)
		return 0;
	since = c->last_ns ? now - c->last_ns : 0;
	c->last_ns = now;
	c->runs++;
	if (!tid || !wanted(task, task->tgid, tid))
		return 0;
	s = bpf_map_lookup_elem(&scratches, &cpu);
	if (!s)
		return 0;
	if (s->busy) {
		c->lost[SB_LOST_NESTED]++;
		return 0;
	}
	s->busy = 1;
	sample(s, c, ctx, task, now, since);
	s->busy = 0;
	return 0;
}

static __always_inline void follow(__u32 key, __u64 start_ns)
{
	struct sb_cpu *c;

	if (bpf_map_update_elem(&targets, &key, &start_ns, BPF_ANY)) {
		c = this_cpu();
		if (c)
			__sync_fetch_and_add(&c->unfollowed, 1);
	}
}

/* Runs before the child can. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(sb_fork, struct task_struct *parent, struct task_struct *child)
{
	if (target == TARGET_TIDS) {
		if (is_target(parent->pid, parent->start_time))
			follow(child->pid, child->start_time);
	} else if (child->tgid != parent->tgid && is_target(parent->tgid, parent->group_leader->start_time)) {
		follow(child->tgid, child->start_time);
	}
	return 0;
}

/* A thread that is not the leader takes the leader's number, and its start time, when it executes a program. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(sb_exec, struct task_struct *task, int old_tid)
{
	__u32 key = old_tid;

	if (task->pid != old_tid && bpf_map_lookup_elem(&targets, &key)) {
		bpf_map_delete_elem(&targets, &key);
		follow(task->pid, task->start_time);
	}
	return 0;
}

/* The number may already belong to another task: only the entry bound to this one goes. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(sb_free, struct task_struct *task)
{
	__u32 key = task->pid;
	__u64 *bound = bpf_map_lookup_elem(&targets, &key);

	if (bound && (!*bound || *bound == task->start_time))
		bpf_map_delete_elem(&targets, &key);
	return 0;
}

/* Run once by user space: the number that the kernel has for it, which a pid namespace hides. */
SEC("raw_tp")
int sb_whoami(void *ctx)
{
	own_tgid = bpf_get_current_pid_tgid() >> 32;
	return 0;
}
