/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handover.bpf.h - tells when a lock goes from hand to hand, while others wait for it.
 *
 * Who waits for a lock has read, when the wait began, who holds it (sb_lock). A wait that lasts sees holders come and
 * go. Whoever lets a contended lock go wakes one who waits for it, by futex(2) with the address of that lock: so at
 * that moment the task that wakes is the one that held it until now, and the one that is woken is the one that will.
 * The address tells apart who is woken otherwise, by a timer or a signal that interrupted the current task. Locks of
 * the kernel need no call: whoever wakes has them (klocks.bpf.h). Waits that are divided by these moments are some
 * milliseconds long, so a bounded number of them does.
 */
#ifndef SBERF_BPF_HANDOVER_H
#define SBERF_BPF_HANDOVER_H

#include "klocks.bpf.h"
#include "maps.bpf.h"
#include "record.bpf.h"

#define HANDOVER_NS 250000ull            /* to each record on average, */
#define HANDOVERS_AT_ONCE 64ull          /* of which so many may come at once */
/* futex(2), as a mask: FUTEX_WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET, CMP_REQUEUE_PI */
#define SB_FUTEX_WAKES (1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 10 | 1u << 12)
#define SB_FUTEX_COMMAND 0x7fu

/*
 * The thread that has the interpreter of P, as the process numbers it; 0 = that is not known, or it is the one whose
 * thread pointer is NOBODY.
 */
static __always_inline __u32 interpreter_holder(const struct sb_plan *p, __u64 nobody)
{
	__u64 state, thread;
	__u32 holder;

	if (!p->holder || bpf_probe_read_user(&state, sizeof(state), (void *)p->holder) ||
	    bpf_probe_read_user(&thread, sizeof(thread), (void *)(state + p->holder_thread)) || thread == nobody ||
	    bpf_probe_read_user(&holder, sizeof(holder), (void *)(thread + p->holder_id)))
		return 0;
	return holder;
}

/*
 * LOCK, for which a task of the current process waits, or the lock of its interpreter when it is part of that, if the
 * futex at ADDRESS is of it; else 0. *RET_HOLDER: who has the interpreter.
 */
static __always_inline __u64 lock_with(__u64 lock, __u64 address, __u32 *ret_holder)
{
	const __u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct sb_plan *p = *(volatile __u32 *)&planned ? bpf_map_lookup_elem(&plans, &tgid) : NULL;

	if (!p || lock - p->lock_start >= p->lock_bytes)
		return lock == address ? lock : 0;
	*ret_holder = interpreter_holder(p, 0);
	return address - p->lock_start < p->lock_bytes ? p->lock_start : 0;
}

/* May one more be told NOW? In a storm that is all that is asked. */
static __always_inline bool may_hand_over(struct sb_cpu *c, __u64 now)
{
	return c->handover_ns <= now;
}

/* One more is told NOW. */
static __always_inline void count_handover(struct sb_cpu *c, __u64 now)
{
	if (c->handover_ns + HANDOVERS_AT_ONCE * HANDOVER_NS < now)
		c->handover_ns = now - HANDOVERS_AT_ONCE * HANDOVER_NS;
	c->handover_ns += HANDOVER_NS;
}

/* Does the current task, which wakes WHO (as sb_hand_over()), let LOCK of the kernel go? */
static __always_inline bool lets_go(__u64 lock, __u64 who)
{
	__s64 count, owner;
	__u64 task;
	__u32 pid = 0;

	if (asks_for(lock))
		return false;
	if (!(who & MAY_BE_SIGNAL))
		return true;
	klock_words(lock, &count, &owner);
	task = owner & ~KLOCK_OWNER_FLAGS;
	if (task && task != (__u64)bpf_get_current_task())
		bpf_core_read(&pid, sizeof(pid), &((struct task_struct *)task)->pid);
	return !pid || pid == ((__u32)who & ~MAY_BE_SIGNAL);
}

/*
 * The current task wakes the task WHO (tgid << 32 | woken_tid()), which began at START_NS, from the wait ID for LOCK
 * (sb_task.lock), which is kept in slot INDEX unless that was taken from it. Global, so that the verifier looks at it
 * alone.
 */
__noinline int sb_hand_over(__u64 lock, __u64 id, __u32 index, __u64 who, __u64 start_ns)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);
	struct {
		struct sb_hdr h;
		struct sb_part_task t;
		struct sb_part_handover o;
	} rec = { 0 };
	const __u64 now = bpf_ktime_get_ns();
	struct sb_cpu *c = this_cpu();

	if (!c)
		return 0;
	if (is_kernel_lock(lock)) {
		if (!lets_go(lock, who))
			return 0;
	} else {
		if (task->flags & PF_KTHREAD || sb_regs_call(regs) != SB_CALL_FUTEX || sb_regs_compat(regs) ||
		    !(SB_FUTEX_WAKES >> (regs->si & SB_FUTEX_COMMAND & 31) & 1))
			return 0;
		lock = lock_with(lock, regs->di, &rec.o.holder);
	}
	if (!lock)
		return 0;
	count_handover(c, now);
	put_head(&rec, SB_REC_HANDOVER, task, now);
	bpf_get_current_comm(rec.t.comm, sizeof(rec.t.comm));
	rec.h.size = sizeof(rec);
	rec.o.part.size = sizeof(rec.o);
	rec.o.part.type = SB_PART_HANDOVER;
	rec.o.start_ns = start_ns;
	rec.o.out_ns = id >> 8;
	rec.o.pid = who >> 32;
	rec.o.tid = (__u32)who & ~MAY_BE_SIGNAL;
	if (slot && slot->state == id)
		__builtin_memcpy(&rec.o.lock, lock_of(slot), sizeof(rec.o.lock));
	if (!slot || slot->state != id) {
		const __u32 of_kernel = is_kernel_lock(lock);

		rec.o.lock.op = of_kernel ? lock & KLOCK_TYPE : 0;
		rec.o.lock.flags = of_kernel ? SB_LOCK_OF_KERNEL : 0;
		rec.o.lock.address = lock - rec.o.lock.op;
		rec.o.lock.from = SB_LOCK_BYTES;
	}
	send(c, &rec, sizeof(rec), sizeof(rec), SB_LOST_RING_FULL);
	return 0;
}

#endif
