/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * klocks.bpf.h - which lock of the kernel a task waits for, and which task has it.
 *
 * The kernel tells when a task begins to ask for a lock that another one has, and when it got it (contention_begin and
 * contention_end, since Linux 5.19). In between the task may sleep, once or several times. So the lock is noted
 * with the task, and where it goes to sleep the note is put into the record of its wait, with the owner that the lock
 * names at that moment. Locks that nobody waits for never come by here.
 *
 * Whoever wakes the sleeper lets the lock go: mutexes and semaphores are handed over by the task that had them
 * (kernel/locking/mutex.c and rwsem.c). A signal may wake it, too: then another task still has the lock. And one who
 * got a semaphore to read wakes others who want to.
 */
#ifndef SBERF_BPF_KLOCKS_H
#define SBERF_BPF_KLOCKS_H

#include "maps.bpf.h"
#include "record.bpf.h"
#include "sums.bpf.h"

/* include/trace/events/lock.h */
#define LCB_F_SPIN (1u << 0)
#define LCB_F_READ (1u << 1)
#define LCB_F_WRITE (1u << 2)
#define LCB_F_PERCPU (1u << 4)
#define LCB_F_MUTEX (1u << 5)

#define KLOCK_TYPE 7ull                  /* mask of the bits of an address that are SB_KLOCK_* */
/* the low bits of owners are flags: MUTEX_FLAGS of kernel/locking/mutex.h, RWSEM_* of kernel/locking/rwsem.c */
#define KLOCK_OWNER_FLAGS 7ll
#define RWSEM_READER_OWNED 1u
#define RWSEM_READER_SHIFT 8
#define RWSEM_READERS_MAX 0xffffffu
#define MAY_BE_SIGNAL (1u << 31)         /* where no number of a thread has a bit */

/* The number of the thread P, which is being woken, with MAY_BE_SIGNAL when it sleeps so that a signal may do that. */
static __always_inline __u32 woken_tid(const struct task_struct *p)
{
	const __u32 state = p->__state;

	_Static_assert(TASK_INTERRUPTIBLE == 1 && TASK_WAKEKILL == 1 << 8, "of both the lowest bit remains");
	return (__u32)p->pid | (state | state >> 8) << 31;
}

static __always_inline bool is_kernel_lock(__u64 lock)
{
	return (__s64)lock < 0;
}

static __always_inline __u32 klock_type(__u32 flags)
{
	if (flags & LCB_F_MUTEX)
		return SB_KLOCK_MUTEX;
	if (flags & LCB_F_PERCPU)
		return flags & LCB_F_READ ? SB_KLOCK_PERCPU_READ : SB_KLOCK_PERCPU_WRITE;
	if (flags & (LCB_F_READ | LCB_F_WRITE))
		return flags & LCB_F_READ ? SB_KLOCK_RWSEM_READ : SB_KLOCK_RWSEM_WRITE;
	return SB_KLOCK_OTHER;
}

/* The current task asks for a lock that it does not get at once. */
SEC("tp_btf/contention_begin")
int sb_contend(__u64 *ctx)
{
	const __u64 lock = ctx[0];
	const __u32 flags = ctx[1];
	struct sb_task *st;

	/* A mutex may be waited for asleep before and after it is spun for; other locks that spin never sleep. */
	if ((flags & LCB_F_SPIN && !(flags & LCB_F_MUTEX)) || lock & KLOCK_TYPE)
		return 0;
	st = bpf_task_storage_get(&tasks, (struct task_struct *)bpf_get_current_task_btf(), NULL, 0);
	if (st)
		st->contended = lock | klock_type(flags);
	return 0;
}

/* It has it, or gives up. */
SEC("tp_btf/contention_end")
int sb_contended(__u64 *ctx)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, (struct task_struct *)bpf_get_current_task_btf(), NULL, 0);

	if (st && (st->contended & ~KLOCK_TYPE) == ctx[0])
		st->contended = 0;
	return 0;
}

/* The words of LOCK, as in sb_task.contended, that say who has it: 0 where they do not. */
static __always_inline void klock_words(__u64 lock, __s64 *ret_count, __s64 *ret_owner)
{
	const __u32 type = lock & KLOCK_TYPE;
	struct rw_semaphore *sem = (void *)(lock & ~KLOCK_TYPE);
	struct mutex *mutex = (void *)sem;

	*ret_count = *ret_owner = 0;
	if (type == SB_KLOCK_MUTEX && bpf_core_field_exists(mutex->owner))
		bpf_core_read(ret_owner, sizeof(*ret_owner), &mutex->owner.counter);
	if ((type == SB_KLOCK_RWSEM_READ || type == SB_KLOCK_RWSEM_WRITE) && bpf_core_field_exists(sem->owner)) {
		bpf_core_read(ret_owner, sizeof(*ret_owner), &sem->owner.counter);
		bpf_core_read(ret_count, sizeof(*ret_count), &sem->count.counter);
	}
}

/* Puts into L what LOCK is, and who has it. */
static __always_inline void put_klock(struct sb_lock *l, __u64 lock)
{
	struct sb_lock_owner *o = (void *)l->bytes;
	struct task_struct *task;
	__s64 count, owner;

	__builtin_memset(l, 0, sizeof(*l));
	l->address = lock & ~KLOCK_TYPE;
	l->op = lock & KLOCK_TYPE;
	l->flags = SB_LOCK_OF_KERNEL;
	klock_words(lock, &count, &owner);
	if (l->op != SB_KLOCK_MUTEX && owner & RWSEM_READER_OWNED) {
		o->readers = count >> RWSEM_READER_SHIFT & RWSEM_READERS_MAX;
		return;
	}
	task = (void *)(owner & ~KLOCK_OWNER_FLAGS);
	if (!task || bpf_core_read(&o->pid, sizeof(o->pid), &task->tgid) ||
	    bpf_core_read(&o->tid, sizeof(o->tid), &task->pid) ||
	    bpf_core_read(&o->start_ns, sizeof(o->start_ns), &task->start_time) ||
	    bpf_core_read(o->comm, sizeof(o->comm), &task->comm))
		o->pid = o->tid = 0;
}

/*
 * Does the current task, which goes to sleep in STATE, wait for a lock of the kernel? Then that is what the record in
 * its slot INDEX says. Global, so that the verifier looks at it alone.
 */
__noinline int sb_put_klock(__u32 index, __u32 state)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, (struct task_struct *)bpf_get_current_task_btf(), NULL, 0);
	struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);
	struct sb_lock *l;

	if (!st || !slot || !st->contended || state == SB_STATE_PREEMPTED || state == SB_STATE_THROTTLED)
		return 0;
	l = lock_of(slot);
	put_klock(l, st->contended);
	st->lock = st->contended;
	/* As those for locks of programs: a sum for each lock and holder. */
	if (slot->stack)
		slot->stack = sum_fold(slot->stack,
				       l->address + ((__u64)((struct sb_lock_owner *)l->bytes)->tid << 32)) | 1;
	return 0;
}

/* Does the current task itself ask for LOCK? */
static __always_inline bool asks_for(__u64 lock)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, (struct task_struct *)bpf_get_current_task_btf(), NULL, 0);

	return st && ((st->contended ^ lock) & ~KLOCK_TYPE) == 0;
}

#endif
