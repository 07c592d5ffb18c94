/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcpu.bpf.h - when a task of the target leaves its CPU and when it is back, what it waited for,
 * and who woke it.
 *
 * How long a wait will be is known when it ends, but the stack can only be read while the task is
 * current, when it begins. So each wait's registers and stack go into the task's *slot* at once (a
 * copy of some kilobytes costs less than a microsecond), and what becomes of it is decided at the
 * end: a wait of wait_period_ns and more is always told, a shorter one with a probability of length
 * / period. Then each told wait stands for max(length, period) without any bias, the number of
 * records is bounded by the time waited, and every stack belongs to the very wait that it is shown
 * for. (Sampling with probability proportional to size: Duffield, Lund, Thorup, "Learn more, sample
 * less", IEEE Trans. Inf. Theory 51(5), 2005.) Totals count every wait.
 *
 * Waking is taken from sched_waking, which runs in the context of the waker (sched_wakeup may run
 * on the CPU of the woken). That may be an interrupt, and then the current task has nothing to do
 * with it. No program can ask the kernel for that everywhere (the counter that knows is a per-CPU
 * variable that few kernels name), but the kernel's stack shows it: user space looks there.
 */
#ifndef SBERF_BPF_OFFCPU_H
#define SBERF_BPF_OFFCPU_H

#include "channels.bpf.h"
#include "entered.bpf.h"
#include "handover.bpf.h"
#include "inside.bpf.h"
#include "kstack.bpf.h"
#include "plan.bpf.h"
#include "quota.bpf.h"
#include "record.bpf.h"
#include "sums.bpf.h"
#include "target.bpf.h"
#include "totals.bpf.h"
#include "walk.bpf.h"

/* futex(2): without flags, and as a mask those that wait: FUTEX_WAIT, LOCK_PI, WAIT_BITSET, LOCK_PI2 */
#define SB_FUTEX_WAITS (1u << 0 | 1u << 6 | 1u << 9 | 1u << 13)

#define CHANCE_BITS 24
/* the end of a stack is looked for again when none of these bits of the chance is set */
#define STACK_END_AGAIN 63u
#define MOVES_WINDOW_NS 100000000ull     /* in which a CPU tells at most MOVES_TOLD moves between nodes by themselves */
#define MOVES_TOLD 30u
#define STRANGE_NS 20000000ull           /* a stack of a wait that began longer ago makes nobody a stranger */
#define SWITCHING(next) (1ull << 32 | (__u32)(next)->pid)        /* of sb_cpu */
#define CLOCK_SLACK_NS 100000u           /* by which two programs may see the same moment apart */

/*
 * Is a task of these FLAGS, which goes to sleep in state S, made to by the freezer of its cgroup?
 * That of v1 has a state of its own since Linux 6.1 (f5d39b020809), and had a flag before; that of
 * v2 lets the task sleep as if it could be interrupted, while JOBCTL asks it to stop, which it
 * cannot while it sleeps for anything else: that counts as a signal.
 */
static __always_inline bool is_frozen(__u32 s, __u32 flags, __u64 jobctl)
{
	if (s & TASK_FROZEN)
		return true;
	if (s & TASK_UNINTERRUPTIBLE)
		return (flags & (PF_FROZEN | PF_KTHREAD)) == PF_FROZEN;
	return s & TASK_INTERRUPTIBLE && jobctl & JOBCTL_TRAP_FREEZE;
}

/*
 * By mask, since bits are combined (futex and nanosleep sleep as INTERRUPTIBLE|FREEZABLE since 6.1,
 * killable is WAKEKILL|UNINTERRUPTIBLE). A task that is preempted on its way to sleep is still
 * runnable, whatever its state says. Global, so that the verifier looks at it alone, and not with
 * each way through what follows.
 */
__noinline int sb_decode_state(__u32 preempt, __u32 s, __u32 flags, __u64 jobctl, __u32 throttled)
{
	if (s & TASK_DEAD)
		return SB_STATE_EXITING;
	if (s & TASK_NEW)
		return SB_STATE_NEW;     /* seen by the iterator only */
	if (preempt || !s)
		return throttled ? SB_STATE_THROTTLED : SB_STATE_PREEMPTED;
	if (is_frozen(s, flags, jobctl))
		return SB_STATE_FROZEN;
	if (s & TASK_UNINTERRUPTIBLE)
		return s & TASK_NOLOAD ? SB_STATE_IDLE : s & TASK_WAKEKILL ? SB_STATE_KILLABLE :
			SB_STATE_UNINTERRUPTIBLE;
	if (s & TASK_INTERRUPTIBLE)
		return SB_STATE_INTERRUPTIBLE;
	if (s & TASK_TRACED_BIT)
		return SB_STATE_TRACED;
	if (s & TASK_STOPPED_BIT)
		return SB_STATE_STOPPED;
	return s & TASK_PARKED ? SB_STATE_IDLE : SB_STATE_UNINTERRUPTIBLE;
}

static __always_inline __u8 decode_state(struct task_struct *task, bool preempt, __u32 s)
{
	return sb_decode_state(preempt, s, task->flags, task->jobctl, throttled_by(task));
}

/* Was the wait of ST never blocked: could the task have run all along? */
static __always_inline bool runnable_only(const struct sb_task *st)
{
	return st->state == SB_STATE_PREEMPTED || st->state == SB_STATE_NEW || st->state == SB_STATE_THROTTLED;
}

/* Is a wait of LENGTH among those that are told one by one? */
static __always_inline bool is_told(const struct sb_task *st, __u64 length, __u64 period)
{
	return length >= min_wait_ns &&
	       (length >= period || st->chance * (period & CHANCE_PERIOD_MASK) >> CHANCE_BITS < length);
}

/* How often TASK has left a CPU. The kernel counts that before it tells of the switch (__schedule()). */
static __always_inline __u32 times_left(const struct task_struct *task)
{
	return (__u32)(task->nvcsw + task->nivcsw);
}

/* A wait of TASK, with the state ST, begins NOW, after CPU of NODE, with an id whose low byte is LOW. */
static __always_inline void begin_wait(struct sb_task *st, const struct task_struct *task, __u8 state, __u8 flags,
				       __u64 now, __u8 low, __u32 cpu, __u32 node)
{
	st->id = now << 8 | low;
	st->left = times_left(task);
	st->state = state;
	st->flags = flags;
	st->chance = bpf_get_prandom_u32() >> (32 - CHANCE_BITS);
	st->cpu = cpu;
	st->node = node;
}

/* Under what the wait of ST counts. */
static __always_inline __s32 total_key_of(const struct sb_task *st)
{
	if (runnable_only(st))
		return st->state == SB_STATE_NEW ? SB_TOTAL_NEW : SB_TOTAL_PREEMPTED;
	return st->flags & SB_WAIT_COMPAT && st->call >= 0 ? st->call | SB_TOTAL_COMPAT : st->call;
}

/*
 * By what a task in STATE, whose registers are at REGS, came into the kernel, when that was no system call. Global, as
 * above.
 */
__noinline int sb_way_in(__u32 state, __u64 regs)
{
	__u64 below = 0, ss = 0;

	if (state == SB_STATE_PREEMPTED || state == SB_STATE_NEW || state == SB_STATE_THROTTLED)
		return SB_CALL_FAULT;
	if (state == SB_STATE_STOPPED)
		return SB_CALL_STOPPED;
	if (state == SB_STATE_TRACED)
		return SB_CALL_TRACED;
	if (state == SB_STATE_FROZEN)
		return SB_CALL_FROZEN;
	if (!fault_return || bpf_probe_read_kernel(&below, sizeof(below), (void *)(regs - sizeof(below))) ||
	    bpf_probe_read_kernel(&ss, sizeof(ss), (void *)(regs + SB_SS_AT)))
		return SB_CALL_UNKNOWN;
	return (ss >> SB_FRED_BITS ? SB_FRED_FAULT(ss) : below == fault_return) ? SB_CALL_FAULT : SB_CALL_RETURN;
}

/* What TASK asked the kernel for. Its registers may be read: it is current, or it sleeps. */
static __always_inline void set_call(struct sb_task *st, struct task_struct *task)
{
	struct pt_regs *regs;

	st->call = SB_CALL_KERNEL;
	if (task->flags & PF_KTHREAD || !plain(task)->mm)
		return;
	regs = (void *)bpf_task_pt_regs(task);
	if (!regs->sp)
		return;          /* a worker that never came from user mode */
	st->call = sb_regs_call(regs);
	if (st->call < 0) {
		/* Through memory, so that the verifier takes it for a number. */
		st->regs = (__u64)regs;
		st->call = sb_way_in(st->state, *(volatile __u64 *)&st->regs);
	}
	if (sb_regs_compat(regs))
		st->flags |= SB_WAIT_COMPAT;
}

static __always_inline struct sb_slot *slot_at(__u32 index)
{
	return bpf_map_lookup_elem(&slots, &index);
}

/* The slot of ST, taken from the free ones if it has none yet and made BUSY; NULL when there is none. */
static __always_inline struct sb_slot *begin_slot(struct sb_task *st)
{
	struct sb_slot *slot;
	__u32 index;

	if (!st->slot) {
		if (bpf_map_pop_elem(&free_slots, &index))
			return NULL;
		st->slot = index + 1;
	}
	slot = slot_at(st->slot - 1);
	if (slot && __sync_val_compare_and_swap(&slot->state, SB_SLOT_IDLE, SB_SLOT_BUSY) == SB_SLOT_IDLE)
		return slot;
	st->slot = 0;
	return NULL;
}

/* Takes the slot of ST back from waiting. NULL when user space has it now, or there was none. */
static __always_inline struct sb_slot *end_slot(struct sb_task *st)
{
	struct sb_slot *slot = st->slot ? slot_at(st->slot - 1) : NULL;

	if (slot && __sync_val_compare_and_swap(&slot->state, st->id, SB_SLOT_IDLE) == st->id)
		return slot;
	st->slot = 0;
	return NULL;
}

/*
 * The stack of TASK at OFF, which is EXTRA bytes behind its registers. Most stacks are shallow, so
 * that the copy runs into the end of their mapping, and that exception costs more than the copy.
 * The end is remembered; now and then it is looked for again, since a page may come.
 */
static __always_inline __u32 put_known_stack(struct sb_task *st, __u32 extra, struct sb_hdr *h,
					     struct task_struct *task, __u64 sp, __u64 stop)
{
	struct copying c = { .sp = sp, .stop = stop, .known_end = st->chance & STACK_END_AGAIN ? st->stack_end : 0,
			     .room = SLOT_STACK_ROOM - extra - (*(volatile __u32 *)&planned ? PLAN_SLOT_ROOM : 0) };
	__u32 place = PLACE_SLOT | (st->slot - 1), at = WAIT_HEAD_BYTES + REGS_BYTES + extra, off;
	struct sb_part_segment *seg;

	if (extra > WALK_BYTES || extra > SLOT_STACK_ROOM / 2 || c.room > SLOT_STACK_ROOM)
		return at;
	off = put_stacks(place, at, h, task, &c);
	seg = segment_at(place, at);
	if (!seg)
		return at;
	st->stack_end = c.end ? seg->addr + seg->got : 0;
	return off;
}

/*
 * The user's side of TASK behind the registers R in SLOT: walked by rules when these are used
 * (WALK) and do, else copied.
 */
static __always_inline __u32 put_wait_user(struct sb_task *st, struct sb_slot *slot, struct sb_part_regs *r,
					   struct sb_hdr *h, struct task_struct *task, __u64 now, bool walk)
{
	const __u64 *v = (void *)(r + 1);
	__u64 stop = 0;
	bool walked = false;
	__u32 extra = 0;

	if (no_callers)
		return WAIT_HEAD_BYTES + REGS_BYTES;
	if (walk) {
		struct sb_part_walk *p = (void *)(slot->rec + WAIT_HEAD_BYTES + REGS_BYTES);

		extra = put_walk(h, (void *)p, SLOT_FRAMES, WALK_OF_SWITCH(bpf_get_smp_processor_id()), task,
				 v, now, &walked, &stop);
		if (!p->part.flags)
			slot->stack = sum_fold(p->check, p->space) | 1;
		if (walked)
			return WAIT_HEAD_BYTES + REGS_BYTES + extra;
	}
	return put_known_stack(st, extra, h, task, v[SB_DWARF_SP], stop);
}

/*
 * Is what the current task waits for, by the record of its slot INDEX, in the lock of an interpreter? Then it becomes
 * that lock, with the thread that has it. Global, so that the verifier looks at it alone.
 */
__noinline int sb_put_interpreter(__u32 index)
{
	const __u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct sb_plan *p = bpf_map_lookup_elem(&plans, &tgid);
	struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);
	struct sb_lock *l;

	if (!p || !slot)
		return 0;
	l = lock_of(slot);
	if (!l->address || l->address - p->lock_start >= p->lock_bytes)
		return 0;
	l->address = p->lock_start;
	l->flags = SB_LOCK_OF_INTERPRETER;
	l->from = SB_LOCK_BYTES;
	/* Who has just let it go may wait for another thread to take it: that is nobody's. */
	l->holder = interpreter_holder(p, sb_thread_pointer(plain((struct task_struct *)bpf_get_current_task_btf())));
	return 0;
}

/*
 * Which lock the current task waits for, by its registers V, and what stands in the memory around it: who holds it,
 * in some of them. Only a thread that sleeps comes by here, so locks that nobody waits for cost nothing.
 */
static __always_inline void put_lock(struct sb_lock *l, const struct sb_task *st, const __u64 *v)
{
	const __u32 command = v[SB_DWARF_SI] & SB_FUTEX_COMMAND;

	l->address = 0;
	if (st->call != SB_CALL_FUTEX || st->flags & SB_WAIT_COMPAT || !(SB_FUTEX_WAITS >> (command & 31) & 1))
		return;
	l->address = v[SB_DWARF_DI];
	l->op = v[SB_DWARF_SI];
	l->value = v[SB_DWARF_DX];
	l->from = l->flags = 0;
	l->holder = 0;
	if (!bpf_probe_read_user(l->bytes, sizeof(l->bytes), (void *)(l->address - SB_LOCK_BEFORE)))
		return;
	/* It may stand at the begin of the first page of a mapping. */
	l->from = SB_LOCK_BEFORE;
	if (bpf_probe_read_user(l->bytes + SB_LOCK_BEFORE, sizeof(l->bytes) - SB_LOCK_BEFORE, (void *)l->address))
		l->from = SB_LOCK_BYTES;
}

/* Writes the record of the wait that begins into the slot of TASK, which is current. */
static __always_inline void keep_stack(struct sb_task *st, struct task_struct *task, __u64 now, bool walk)
{
	struct sb_slot *slot = begin_slot(st);
	__u32 off = WAIT_HEAD_BYTES;
	struct sb_part_task *t;
	struct sb_part_wait *w;
	struct sb_part_regs *r;
	struct sb_hdr *h;

	st->lock = 0;
	if (!slot)
		return;
	h = (void *)slot->rec;
	t = (void *)(h + 1);
	put_head(h, SB_REC_WAIT, task, now);
	bpf_get_current_comm(t->comm, sizeof(t->comm));
	r = (void *)(slot->rec + WAIT_HEAD_BYTES);
	w = (void *)(t + 1);
	/* User space may take the record before the wait ends. */
	w->inside = st->inside;
	w->lock.address = 0;
	slot->stack = 0;
	if (has_user(h, task) && put_entry_regs(r, h, task)) {
		const __u32 place = PLACE_SLOT | (st->slot - 1);

		put_lock(&w->lock, st, (void *)(r + 1));
		if (*(volatile __u32 *)&planned)
			sb_put_interpreter(st->slot - 1);
		off = put_wait_user(st, slot, r, h, task, now, walk);
		if (!no_callers)
			off = put_taken(place, off, (void *)(r + 1));
		if (slot->stack && *(volatile __u32 *)&planned)
			slot->stack = sum_fold(slot->stack, taken_fold(place)) | 1;
		/* Waits of one thread at one place for one lock are summed; those of an interpreter by holder. */
		if (slot->stack && w->lock.address)
			slot->stack = sum_fold(slot->stack, w->lock.address + ((__u64)w->lock.holder << 32)) | 1;
	} else if (h->flags & SB_F_KTHREAD) {
		slot->stack = 1;
	}
	st->lock = w->lock.address;
	if (kernel_locks)
		sb_put_klock(st->slot - 1, st->state);
	if (*(volatile bool *)&wakers && !w->lock.address && off > WAIT_HEAD_BYTES)
		sb_put_channel(st->slot - 1);
	slot->size = off;
	/* A full barrier: what was written above is seen by whoever sees the id. */
	__sync_lock_test_and_set(&slot->state, st->id);
}

static __always_inline void put_wait(struct sb_part_wait *w, const struct task_struct *task, const struct sb_task *st,
				     __u16 flags, __u64 out_ns, __u64 period, __u64 sum)
{
	w->part.size = sizeof(*w);
	w->part.type = SB_PART_WAIT;
	w->part.flags = flags;
	w->id = st->id;
	w->out_ns = out_ns;
	w->waking_ns = st->waking_ns;
	w->period_ns = period;
	w->call = st->call;
	w->state = st->state;
	w->context = st->context;
	w->prio = (__u16)(task->prio + SB_PRIO);
	w->to_cpu = bpf_get_smp_processor_id();
	w->to_node = bpf_get_numa_node_id();
	w->waker_pid = st->waker_pid;
	w->waker_tid = st->waker_tid;
	w->waker_start_ns = st->waker_start_ns;
	__builtin_memcpy(w->waker_comm, st->waker_comm, sizeof(w->waker_comm));
	w->sum = sum;
}

/* How a wait that has ended is told. */
struct telling {
	__u64 out_ns;
	__u64 period;            /* that decided whether to */
	__u64 sum;               /* sb_part_wait.sum */
	__u16 kind;              /* SB_REC_* */
	bool stack;              /* the kernel's stack of it can still be read */
};

/* Tells the wait of TASK that is kept in SLOT. False when it was lost, which has been counted. */
static __always_inline bool tell_slot(struct sb_cpu *c, struct sb_slot *slot, struct task_struct *task,
				      const struct sb_task *st, __u64 now, const struct telling *how)
{
	struct sb_hdr *h = (void *)slot->rec;
	__u32 size = slot->size;
	struct sb_part_wait *w = (void *)(slot->rec + sizeof(struct sb_hdr) + sizeof(struct sb_part_task));

	w->inside = st->inside;
	put_wait((void *)(slot->rec + sizeof(struct sb_hdr) + sizeof(struct sb_part_task)), task, st, st->flags,
		 how->out_ns, how->period, how->sum);
	if (how->stack && kernel_frames && size <= slot_bytes - SLOT_HEAD_BYTES - ADDRS_BYTES) {
		struct sb_part_addrs *a = (void *)(slot->rec + size);

		size += finish_addrs(a, bpf_get_task_stack(task, a + 1, SB_KSTACK_MAX * 8, 0), SB_PART_KSTACK);
	}
	/* What was mapped then says little of now. */
	if (now - how->out_ns > STRANGE_NS)
		h->flags &= ~SB_F_STRANGER;
	h->kind = how->kind;
	h->time_ns = now;
	h->size = size;
	if (!send(c, slot->rec, size, slot_bytes - SLOT_HEAD_BYTES, SB_LOST_RING_FULL))
		return false;
	if (how->kind == SB_REC_WAIT && !how->sum)
		c->waits++;
	return true;
}

/*
 * Tells a wait whose stack is elsewhere, or nowhere; what it was inside of is told with the stack. That would
 * not fit on the stack of this program beside what a walk needs.
 */
static __always_inline void tell_bare(struct sb_cpu *c, struct task_struct *task, const struct sb_task *st,
				      __u64 now, __u64 out_ns, __u64 period)
{
	struct {
		struct sb_hdr h;
		struct sb_part_task t;
		__u64 w[SB_WAIT_BARE_BYTES / 8];
	} rec = { 0 };
	struct sb_part_wait *w = (void *)rec.w;

	put_head(&rec, SB_REC_WAIT, task, now);
	__builtin_memcpy(rec.t.comm, task->comm, sizeof(rec.t.comm));
	rec.h.cpu = st->cpu;
	rec.h.node = st->node;
	rec.h.size = sizeof(rec);
	put_wait(w, task, st, st->flags | SB_WAIT_NO_STACK, out_ns, period, 0);
	w->part.size = SB_WAIT_BARE_BYTES;
	if (send(c, &rec, sizeof(rec), sizeof(rec), SB_LOST_RING_FULL))
		c->waits++;
}

/*
 * TASK, whose wait is over, is on another node than it left: counted always, in the total of its
 * running time. Whether the stack it left is worth a record of its own, when its wait is not told:
 * as long as this CPU has not told more than its share. New tasks were never anywhere else.
 */
static __always_inline bool has_moved(struct sb_cpu *c, struct task_struct *task, const struct sb_task *st, __u64 now)
{
	struct sb_total *t;

	if (!many_nodes || st->state == SB_STATE_NEW || st->node == bpf_get_numa_node_id())
		return false;
	t = total_of(c, task, SB_TOTAL_RUN);
	if (t)
		__sync_fetch_and_add(&t->moves, 1);
	if (now - c->moves_ns >= MOVES_WINDOW_NS) {
		c->moves_ns = now;
		c->moves_told = 0;
	}
	return c->moves_told < MOVES_TOLD;
}

/* What the wait of TASK in SLOT is known by, but for the thread; 0 = nothing. */
static __always_inline __u64 sum_id(const struct sb_slot *slot, struct task_struct *task, const struct sb_task *st)
{
	__u64 id = slot->stack;
	__u32 which = WALK_OF_SWITCH(bpf_get_smp_processor_id());
	struct walk *w = bpf_map_lookup_elem(&walks, &which);

	if (!id || !w)
		return 0;
	id = sum_fold(id, (__u64)(__u32)st->call << 32 | st->state << 16 | st->flags);
	id = sum_fold(id, st->node);
	if (insides)
		id = sum_fold(id, st->inside.call[0]);
	if (kernel_frames)
		id = fold_kstack(which, w, task, id);
	return id ? id | 1 : 0;
}

/* Adds the wait of TASK to its sum. *RET has what the first one is told with. */
static __always_inline enum summing sum_wait(struct sb_cpu *c, const struct sb_slot *slot, struct task_struct *task,
					     const struct sb_task *st, __u64 now, __u64 blocked, __u64 runnable,
					     struct sb_sum_key *ret)
{
	struct sb_sum *sum;

	*ret = (struct sb_sum_key){ .start_ns = task->start_time, .id = sum_id(slot, task, st), .tid = task->pid };
	if (!ret->id)
		return SUM_NONE;
	sum = find_sum(ret);
	if (sum) {
		add_to_sum(sum, task, st, now, blocked, runnable);
		c->summed++;
		return SUM_ADDED;
	}
	if (make_sum(ret))
		return SUM_FIRST;
	c->sums_full++;
	return SUM_NONE;
}

/*
 * Can a wait of LENGTH, kept in SLOT, be one of many? Longer ones are told with their time, so are those for locks that
 * may go from hand to hand meanwhile; with wakers each is told with its own, and inside calls of probes with how long
 * these took.
 */
static __always_inline bool is_summed(const struct sb_task *st, struct sb_slot *slot, __u64 length, __u64 period)
{
	return sum_waits && !wakers && length < period && length < SB_SUM_LONGEST && length >= min_wait_ns &&
	       !(length >= SB_TURN_LEAST && lock_of(slot)->address) && !(st->flags & SB_WAIT_SEEDED) &&
	       !(insides && st->inside.call[0] && st->inside.call[0] != SB_INSIDE_UNKNOWN);
}

/*
 * The wait of TASK was over at NOW. STACK: what the kernel did for it meanwhile can still be read,
 * since it does not run yet.
 */
static __always_inline void end_wait(struct sb_cpu *c, struct task_struct *task, struct sb_task *st,
				     __u64 now, bool stack)
{
	struct telling how = { .out_ns = st->since_ns, .period = wait_period_ns, .kind = SB_REC_WAIT, .stack = stack };
	__u64 out_ns = st->since_ns, length, blocked;
	/* Nobody could have taken the stack of a task that was not seen to leave, or has not run yet. */
	bool had_slot = st->slot || st->flags & SB_WAIT_SEEDED || st->state == SB_STATE_NEW, is_long, told;
	bool moved = has_moved(c, task, st, now);
	struct sb_slot *slot = end_slot(st);
	enum summing summing = SUM_NONE;
	struct sb_sum_key key;

	/* Who wakes reads the clock on another CPU, perhaps just before this task has left. */
	if (st->waking_ns && st->waking_ns < out_ns && out_ns - st->waking_ns < CLOCK_SLACK_NS)
		st->waking_ns = out_ns;
	if (st->waking_ns > now && st->waking_ns - now < CLOCK_SLACK_NS)
		st->waking_ns = now;
	if (now < out_ns || (st->waking_ns && (st->waking_ns < out_ns || st->waking_ns > now))) {
		c->lost[SB_LOST_CLOCK]++;
		return;
	}
	length = now - out_ns;
	blocked = st->waking_ns ? st->waking_ns - out_ns : length;
	if (runnable_only(st))
		blocked = 0;
	if (quota_kept(st, task, length - blocked))
		st->flags |= SB_WAIT_THROTTLED;
	if (stack && slot && is_summed(st, slot, length, how.period))
		summing = sum_wait(c, slot, task, st, now, blocked, length - blocked, &key);
	if (summing == SUM_FIRST) {
		how.sum = key.id;
		how.period = 1;          /* it stands for itself */
	}
	is_long = length >= how.period;
	/* What was summed is counted by who reads the sum. */
	if (summing != SUM_ADDED)
		total_waited(c, task, total_key_of(st), blocked, length - blocked, how.period);
	told = summing != SUM_ADDED && is_told(st, length, how.period);
	if (insides && told)
		tell_inside(task, &st->inside);
	if (slot && moved && !told)
		c->moves_told++;
	if (!told)
		how.kind = SB_REC_MOVE;
	if (slot && (told || moved)) {
		if (!tell_slot(c, slot, task, st, now, &how) && how.sum)
			drop_sum(&key);
	} else if (told && is_long) {
		tell_bare(c, task, st, now, out_ns, how.period);
	}
	if (told && is_long && !had_slot)
		c->lost[SB_LOST_SLOT]++;
}

/* NEXT is about to run. */
static __always_inline void enter(struct sb_cpu *c, struct task_struct *next, __u64 now)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, next, NULL, 0);

	if (!st || !st->ready)
		return;
	st->updating = 1;
	if (st->on)
		c->lost[SB_LOST_SWITCH]++;
	else
		end_wait(c, next, st, now, true);
	st->since_ns = now;
	st->on = 1;
	st->flags = 0;
	st->updating = 0;
}

/*
 * TASK leaves but was never seen to come. Some kernels do not tell when certain tasks leave (those
 * of a hypervisor's agent, for one), so who comes after them comes unseen. It cannot have been
 * before the last switch of this CPU, or before it was woken.
 */
static __always_inline void infer_enter(struct sb_cpu *c, struct task_struct *task, struct sb_task *st, __u64 now)
{
	__u64 at = c->switched_ns > st->waking_ns ? c->switched_ns : st->waking_ns;

	/*
	 * Nobody had to wake one that could run all along, as a new thread that is put on a CPU
	 * where nothing was told since.
	 */
	if (at < st->since_ns && runnable_only(st))
		at = st->since_ns;
	if (at >= st->since_ns && at <= now) {
		c->inferred++;
		end_wait(c, task, st, at, false);
		st->since_ns = at;
	} else {
		/* One that was found waiting when the capture began may just have gone on. */
		if (!(st->flags & SB_WAIT_SEEDED))
			c->lost[SB_LOST_SWITCH]++;
		end_slot(st);            /* else it would be nobody's when the next wait cannot take it */
		st->since_ns = now;
	}
}

static __always_inline void leave(struct sb_cpu *c, struct task_struct *task, bool preempt, unsigned int state,
				  __u64 now, bool walk)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, task, NULL, 0);
	__u32 cpu = bpf_get_smp_processor_id();
	struct sb_total *ran;

	if (!st || !st->ready)
		return;
	st->updating = 1;
	c->switches++;
	if (!st->on)
		infer_enter(c, task, st, now);
	ran = total_ran(c, task, st, now);
	st->on = 0;
	st->context = 0;
	st->waking_ns = 0;
	begin_wait(st, task, decode_state(task, preempt, state), 0, now, cpu, cpu, bpf_get_numa_node_id());
	quota_begin(st, task);
	if (insides && calls_began)
		sb_look_inside(&st->inside, false);
	if (st->state == SB_STATE_EXITING) {
		__u32 index = st->slot - 1;

		if (ran)
			ran->gone = 1;
		if (st->slot)
			bpf_map_push_elem(&free_slots, &index, BPF_ANY);
		st->slot = 0;
		st->ready = 0;
	} else {
		set_call(st, task);
		keep_stack(st, task, now, walk);
	}
	st->updating = 0;
}

/*
 * A switch is looked at by two programs, one after the other: who leaves, and who comes. In one
 * program each way through the first half would be verified with each way through the second, which
 * took the verifier five times as long. Both go by the time of the first, and begin and end to look
 * at the same moment (following).
 */
static __always_inline int on_leave(__u64 *ctx, bool walk)
{
	bool preempt = ctx[0];
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u64 now = bpf_ktime_get_ns();
	struct sb_cpu *c = this_cpu();
	unsigned int state;

	if (!c || !following)
		return 0;
	if (prev_state_arg)
		state = (unsigned int)ctx[3];
	else
		state = prev->__state;
	if (prev->pid)
		leave(c, prev, preempt, state, now, walk);
	c->switched_ns = now;
	c->switching = SWITCHING(next);
	return 0;
}

SEC("tp_btf/sched_switch")
int sb_leave(__u64 *ctx)
{
	return on_leave(ctx, false);
}

/* The same, with stacks walked by learnt rules where these do. */
SEC("tp_btf/sched_switch")
int sb_leave_walk(__u64 *ctx)
{
	return on_leave(ctx, true);
}

/* Attached behind one of those, so it runs behind it: tracepoint_probe_register(), kernel/tracepoint.c. */
SEC("tp_btf/sched_switch")
int sb_enter(__u64 *ctx)
{
	struct task_struct *next = (void *)ctx[2];
	struct sb_cpu *c = this_cpu();
	__u64 now;

	if (!c || !following)
		return 0;
	now = c->switching == SWITCHING(next) ? c->switched_ns : bpf_ktime_get_ns();
	c->switching = 0;
	c->switched_ns = now;
	if (next->pid)
		enter(c, next, now);
	return 0;
}

/* Tells that the current task wakes P, with its stacks. */
static __always_inline void tell_wake(struct sb_cpu *c, struct scratch *s, struct task_struct *p,
				      const struct sb_task *st,
				      struct task_struct *task, void *ctx, __u64 now, bool walk)
{
	struct sb_part_wake *w = put_head(s->rec, SB_REC_WAKE, task, now);
	struct sb_hdr *h = (void *)s->rec;
	__u32 off = WAKE_HEAD_BYTES;

	bpf_get_current_comm(((struct sb_part_task *)(h + 1))->comm, 16);
	w->part.size = sizeof(*w);
	w->part.type = SB_PART_WAKE;
	w->part.flags = 0;
	w->wait_id = st->id;
	w->start_ns = p->start_time;
	w->tid = p->pid;
	w->pad = 0;
	h->flags |= SB_F_KERNEL;
	if (has_user(h, task))
		off = put_entered(s, bpf_get_smp_processor_id(), off, task, now, walk);
	/* Always: they tell whether it is this task that wakes, or an interrupt on top of it. */
	off = put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	if (!send_scratch(c, s, off))
		c->lost[SB_LOST_WAKE]++;
}

static __always_inline int on_waking(__u64 *ctx, bool walk)
{
	struct task_struct *p = (void *)ctx[0];
	struct sb_task *st = bpf_task_storage_get(&tasks, p, NULL, 0);
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	struct sb_cpu *c = this_cpu();
	struct scratch *s;

	/* One that is woken before it slept runs on; the first waking counts. */
	if (!c || !st || !st->ready || st->on || st->waking_ns || runnable_only(st))
		return 0;
	st->waking_ns = now;
	quota_begin(st, p);
	c->not_handed += st->lock && !may_hand_over(c, now);
	if (st->lock && may_hand_over(c, now))
		sb_hand_over(st->lock, st->id, st->slot - 1, (__u64)p->tgid << 32 | woken_tid(p), p->start_time);
	if (!wakers)
		return 0;
	st->context = SB_WAKER_TASK;
	st->waker_pid = task->tgid;
	st->waker_tid = task->pid;
	st->waker_start_ns = task->start_time;
	bpf_get_current_comm(st->waker_comm, sizeof(st->waker_comm));
	if (!is_told(st, now - st->since_ns, wait_period_ns))
		return 0;        /* will hardly be told */
	s = take_scratch(c, SB_LOST_WAKE);
	if (!s)
		return 0;
	tell_wake(c, s, p, st, task, ctx, now, walk);
	give_scratch(s);
	return 0;
}

SEC("tp_btf/sched_waking")
int sb_waking(__u64 *ctx)
{
	return on_waking(ctx, false);
}

/* The same, with the waker's stack walked by learnt rules where these do. */
SEC("tp_btf/sched_waking")
int sb_waking_walk(__u64 *ctx)
{
	return on_waking(ctx, true);
}

#endif
