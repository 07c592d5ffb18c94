/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * klocks.bpf.h - which lock of the kernel a task waits for, and which task has it.
 *
 * The kernel tells when a task begins to ask for a lock that another one has, and when it got it (contention_begin and
 * contention_end, since Linux 5.19). In between the task may sleep, once or several times. So the lock is noted
 * with the task, and where it goes to sleep the note is put into the record of its wait, with the owner that the lock
 * names at that moment. Locks that nobody waits for never come by here.
 *
 * A spin lock is waited for on the CPU. How long that took is told by itself, when it is over (sb_contended()).
 *
 * Whoever wakes the sleeper lets the lock go: mutexes and semaphores are handed over by the task that had them
 * (kernel/locking/mutex.c and rwsem.c). A signal may wake it, too: then another task still has the lock. And one who
 * got a semaphore to read wakes others who want to.
 */
#ifndef SBERF_BPF_KLOCKS_H
#define SBERF_BPF_KLOCKS_H

#include "event.bpf.h"
#include "maps.bpf.h"
#include "record.bpf.h"
#include "sums.bpf.h"
#include "target.bpf.h"

/* include/trace/events/lock.h */
#define LCB_F_SPIN (1u << 0)
#define LCB_F_READ (1u << 1)
#define LCB_F_WRITE (1u << 2)
#define LCB_F_PERCPU (1u << 4)
#define LCB_F_MUTEX (1u << 5)

/* include/linux/hung_task.h: low bits of task_struct.blocker, beside which a mutex has none */
#define BLOCKER_TYPE_MASK 3ull
#define BLOCKER_TYPE_SEM 1u
#define BLOCKER_TYPE_RWSEM_READER 2u
#define BLOCKER_TYPE_RWSEM_WRITER 3u

#define KLOCK_TYPE 7ull                  /* mask of the bits of an address that are SB_KLOCK_* */
/* the low bits of owners are flags: MUTEX_FLAGS of kernel/locking/mutex.h, RWSEM_* of kernel/locking/rwsem.c */
#define KLOCK_OWNER_FLAGS 7ll
#define MUTEX_WAITERS 1ll
#define RWSEM_WAITERS 2ll                /* in the count */
#define RWSEM_READER_OWNED 1u
#define RWSEM_READER_SHIFT 8
#define RWSEM_READERS_MAX 0xffffffu
/* Spins of this length are all told, shorter ones by chance, for so much time: 10,000 records for a second of it */
#define SPIN_PERIOD_NS 100000ull
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

/*
 * Locks whose contention_end was not noted with the task, each folded with it. Before Linux 6.2 the storage of a task
 * cannot be had while the same CPU is inside that of any task; then the lock would stay with a task that has got it.
 */
#define MISSED_BITS 10u
static __u64 missed_ends[1u << MISSED_BITS];

static __always_inline __u64 *missed_end(__u32 tid)
{
	return &missed_ends[tid & ((1u << MISSED_BITS) - 1)];
}

static __always_inline __u64 missed_fold(__u64 lock, __u32 tid)
{
	return (lock & ~KLOCK_TYPE) ^ (__u64)tid * MIX;
}

/* Where C notes that LOCK is spun for: an interrupt may spin for another one meanwhile. */
static __always_inline struct sb_spin *spin_of(struct sb_cpu *c, __u64 lock)
{
	return &c->spin[(lock >> 3 ^ lock >> 6) & (SB_SPINS - 1)];
}

/* The current task begins to spin for LOCK. */
static __always_inline void begin_spin(__u64 lock)
{
	struct sb_cpu *c = this_cpu();
	struct sb_spin *spin;

	/* What is told of it takes the lock of the ring. */
	if (!c || c->sending)
		return;
	spin = spin_of(c, lock);
	spin->lock = lock;
	spin->since_ns = bpf_ktime_get_ns();
}

/* The current task asks for a lock that it does not get at once. */
SEC("tp_btf/contention_begin")
int sb_contend(__u64 *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 lock = ctx[0];
	const __u32 flags = ctx[1];
	struct sb_task *st;

	/* A mutex may be waited for asleep before and after it is spun for; other locks that spin never sleep. */
	if (flags & LCB_F_SPIN && !(flags & LCB_F_MUTEX)) {
		begin_spin(lock);
		return 0;
	}
	if (lock & KLOCK_TYPE)
		return 0;
	st = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!st)
		return 0;
	st->contended = lock | klock_type(flags);
	if (*missed_end(task->pid) == missed_fold(lock, task->pid))
		*missed_end(task->pid) = 0;
	return 0;
}

/* TASK, which is current, has spun for LOCK until now, if that was noted. */
static __always_inline void end_spin(__u64 *ctx, struct sb_cpu *c, struct task_struct *task, __u64 lock, bool walk)
{
	struct sb_spin *spin = spin_of(c, lock);
	struct hit hit = { .probe = SB_PROBE_SPIN, .nr = 2, .arg = { lock } };
	const __u64 now = bpf_ktime_get_ns(), length = now - spin->since_ns;

	if (spin->lock != lock)
		return;
	spin->lock = 0;
	if (!task->pid || !wanted(task, task->tgid, task->pid))
		return;
	hit.arg[1] = length;
	hit.value = length;
	if (length < SPIN_PERIOD_NS) {
		if (bpf_get_prandom_u32() % SPIN_PERIOD_NS >= length)
			return;
		hit.value = SPIN_PERIOD_NS;
	}
	hit.now_ns = now;
	tell_hit(ctx, &hit, NULL, walk);
}

/* It has it, or gives up. */
static __always_inline int on_contended(__u64 *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct sb_cpu *c = this_cpu();
	const __u64 lock = ctx[0];
	struct sb_task *st;

	if (!c)
		return 0;
	if (spin_of(c, lock)->lock == lock) {
		end_spin(ctx, c, task, lock, walk);
		return 0;
	}
	st = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!st)
		*missed_end(task->pid) = missed_fold(lock, task->pid);
	else if ((st->contended & ~KLOCK_TYPE) == lock)
		st->contended = 0;
	return 0;
}

PROBE_PROGRAMS("tp_btf/contention_end", sb_contended, on_contended)

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

/*
 * The lock, as in sb_task.contended, for which TASK waited before anybody told that it began to: 0 where the kernel
 * does not say.
 */
static __always_inline __u64 klock_before(struct task_struct *task)
{
	__u64 blocker = 0;

	_Static_assert(BLOCKER_TYPE_RWSEM_READER == SB_KLOCK_RWSEM_READ &&
		       BLOCKER_TYPE_RWSEM_WRITER == SB_KLOCK_RWSEM_WRITE, "both have these numbers");

	if (bpf_core_field_exists(task->blocker))
		blocker = task->blocker;
	if (blocker)
		return (blocker & ~BLOCKER_TYPE_MASK) | ((blocker & BLOCKER_TYPE_MASK) >= BLOCKER_TYPE_RWSEM_READER ?
							 blocker & BLOCKER_TYPE_MASK :
							 blocker & BLOCKER_TYPE_SEM ? SB_KLOCK_OTHER : SB_KLOCK_MUTEX);
	if (!bpf_core_field_exists(task->blocker) && bpf_core_field_exists(task->blocked_on))
		blocker = (__u64)task->blocked_on;
	return is_kernel_lock(blocker) && !(blocker & KLOCK_TYPE) ? blocker | SB_KLOCK_MUTEX : 0;
}

/* Does nobody wait for LOCK, which was noted with a task? Then it was not told that this one has got it, or gave up. */
static __always_inline bool klock_is_free(__u64 lock, __s64 count, __s64 owner)
{
	const __u32 type = lock & KLOCK_TYPE;
	struct rw_semaphore *sem = NULL;
	struct mutex *mutex = NULL;

	if (type == SB_KLOCK_MUTEX)
		return bpf_core_field_exists(mutex->owner) && !(owner & MUTEX_WAITERS);
	return (type == SB_KLOCK_RWSEM_READ || type == SB_KLOCK_RWSEM_WRITE) && bpf_core_field_exists(sem->owner) &&
		!(count & RWSEM_WAITERS);
}

/* Has the current task, which noted LOCK, got it since, or does it not wait for it any more? */
static __always_inline bool has_klock(__u64 lock)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__s64 count, owner;

	if (*missed_end(task->pid) == missed_fold(lock, task->pid))
		return true;
	klock_words(lock, &count, &owner);
	if (klock_is_free(lock, count, owner))
		return true;
	/* Who had it last to read may be named still. */
	return (owner & ~KLOCK_OWNER_FLAGS) == (__s64)task &&
		((lock & KLOCK_TYPE) == SB_KLOCK_MUTEX || !(owner & RWSEM_READER_OWNED));
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
	if (has_klock(st->contended)) {
		st->contended = 0;
		return 0;
	}
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
