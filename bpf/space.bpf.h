/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.bpf.h - identifies the memory of a process, so that what was learnt of it is used for
 * nothing else.
 *
 * When a file is mapped executable, the memory gets a stamp: what was learnt before is void. The
 * stamp is given when the lock of the mappings is released, in the system call that asked for the
 * mapping: by then perf's event has been written, and what is learnt under the new id is about the
 * new code. A child begins with the stamp of its parent from when its mappings were copied, so
 * processes of one stamp have the same code in the same places. Mappings made by the kernel belong
 * to exec, which is counted. Code that is unmapped leaves less executable memory; code without a
 * file is walked by frame pointers anyway.
 */
#ifndef SBERF_BPF_SPACE_H
#define SBERF_BPF_SPACE_H

#include "maps.bpf.h"

/*
 * struct mm_struct * -> its stamp, which no other memory has but of children. What falls out is 0
 * again: another id, learnt anew.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);                          /* user space sets it */
	__type(key, __u64);
	__type(value, __u64);
} mapped SEC(".maps");

/* Goes up after each change of that: as long as it does not, a stamp is what it was. */
__u64 mapped_nr = 1;

static __always_inline __u64 stamp_of(struct mm_struct *mm)
{
	__u64 key = (__u64)mm, *stamp = bpf_map_lookup_elem(&mapped, &key);

	return stamp ? *stamp : 0;
}

/* The stamp of MM, most often that of the last walk. */
static __always_inline __u64 stamp_again(struct walk *w, struct mm_struct *mm)
{
	const __u64 nr = *(volatile __u64 *)&mapped_nr;

	barrier();
	if (w->mm != (__u64)mm || w->mapped_nr != nr) {
		w->stamp = stamp_of(mm);
		w->mm = (__u64)mm;
		w->mapped_nr = nr;
	}
	return w->stamp;
}

/*
 * Notes for W by what the memory of TASK is known: a process, which its start tells from others of
 * the same number; the program that it executes, and where that has its stack and its code; and how
 * much memory is executable, and which code, by its stamp. Without the process that is what it has
 * in common with who forked it, and with all others of that family: none has mapped code since they
 * were one.
 */
static __always_inline void know_memory(struct walk *w, struct task_struct *task)
{
	struct mm_struct *mm = plain(task)->mm;
	__u64 id;

	w->id = 1;
	w->kin = 0;
	if (!mm)
		return;
	id = task->self_exec_id * MIX ^ (__u64)mm->start_stack << 16 ^ (__u64)mm->end_code << 1;
	id = id * MIX ^ stamp_again(w, mm);
	id = (id * MIX ^ mm->exec_vm) * MIX;
	w->kin = id | 1;
	w->id = (id ^ plain(task)->group_leader->start_time) * MIX | 1;
}

/*
 * MM, which TASK is making, has been given its mappings: by fork() those of TASK, whose lock is
 * still held, or by exec() its first.
 */
static __always_inline void begin_memory(struct mm_struct *mm, struct task_struct *task, struct pt_regs *regs)
{
	__u64 key = (__u64)mm, stamp;

	if (!sb_regs_forks(regs) && !sb_regs_executes(regs))
		return;
	stamp = sb_regs_forks(regs) ? stamp_of(task->mm) : 0;
	if (stamp)
		bpf_map_update_elem(&mapped, &key, &stamp, BPF_ANY);
	else
		bpf_map_delete_elem(&mapped, &key);      /* of who had this memory before */
	__sync_fetch_and_add(&mapped_nr, 1);
}

/* The lock of the mappings of MM is given back by who may have changed them, WRITE, or not. */
SEC("tp_btf/mmap_lock_released")
int BPF_PROG(sb_mapped, struct mm_struct *mm, bool write)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 key = (__u64)mm, stamp;
	struct pt_regs *regs;

	if (!write || task->flags & PF_KTHREAD || !task->mm)
		return 0;
	regs = (void *)bpf_task_pt_regs(task);
	if (task->mm != mm) {
		begin_memory(mm, task, regs);
	} else if (sb_regs_map_code(regs)) {
		stamp = (bpf_ktime_get_ns() * MIX ^ bpf_get_current_pid_tgid()) | 1;
		bpf_map_update_elem(&mapped, &key, &stamp, BPF_ANY);
		__sync_fetch_and_add(&mapped_nr, 1);
	}
	return 0;
}

#endif
