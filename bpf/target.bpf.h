/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.bpf.h - which tasks are of the target.
 *
 * Processes and threads stand in a table that the fork tracepoint extends before a child can run,
 * so no child is missed, and each entry is bound to the start time of its task, so a reused number
 * does not match.
 */
#ifndef SBERF_BPF_TARGET_H
#define SBERF_BPF_TARGET_H

#include "maps.bpf.h"

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

/*
 * Is TASK of sberf, or of what sberf has started to work for it, or which that has forked in turn? Watching these would
 * make work for them: who opens files would be asked for its own. The helper has its name from birth: its parent took
 * it on for the moment.
 */
static __always_inline bool is_own(struct task_struct *task)
{
	const char prefix[] = SB_HELPER_PREFIX;
	struct task_struct *leader = plain(task)->group_leader, *parent = leader->real_parent;

	if (task->tgid == own_tgid)
		return true;
	if (parent->tgid != own_tgid && parent->group_leader->real_parent->tgid != own_tgid)
		return false;
	for (unsigned int i = 0; i < sizeof(prefix) - 1; i++)
		if (leader->comm[i] != prefix[i])
			return false;
	return true;
}

static __always_inline bool wanted(struct task_struct *task, __u32 tgid, __u32 tid)
{
	switch (target) {
	case TARGET_PIDS:
		return is_target(tgid, plain(task)->group_leader->start_time);
	case TARGET_TIDS:
		return is_target(tid, task->start_time);
	case TARGET_CGROUP:
		return bpf_current_task_under_cgroup(&cgroups, 0) == 1 && !is_own(task);
	default:
		return !is_own(task);
	}
}

/*
 * The same as wanted() for the sampler on C: who was wanted the last time is not looked up again.
 * Its entry stays as long as it does.
 */
static __always_inline bool wanted_again(struct sb_cpu *c, struct task_struct *task, __u32 tid)
{
	__u32 key = target == TARGET_PIDS ? task->tgid : tid;
	__u64 start_ns;

	if (target != TARGET_PIDS && target != TARGET_TIDS)
		return wanted(task, key, tid);
	start_ns = target == TARGET_PIDS ? plain(task)->group_leader->start_time : task->start_time;
	if (c->target_key == key && c->target_start_ns == start_ns)
		return true;
	if (!is_target(key, start_ns))
		return false;
	c->target_key = key;
	c->target_start_ns = start_ns;
	return true;
}

#define CGROUP_LEVELS 32

/* Is TASK, which need not be current, in the target's cgroup or below it? */
static __always_inline bool in_cgroup(struct task_struct *task)
{
	struct css_set *css = plain(task)->cgroups;
	struct cgroup *cgrp = css ? css->dfl_cgrp : NULL;

	for (int i = 0; i < CGROUP_LEVELS && cgrp; i++) {
		struct kernfs_node *kn = cgrp->kn;
		struct cgroup_subsys_state *up = cgrp->self.parent;

		if (kn && kn->id == target_cgroup)
			return true;
		cgrp = up ? up->cgroup : NULL;
	}
	return false;
}

/* The same as wanted() for a task that is not current. */
static __always_inline bool wanted_other(struct task_struct *task)
{
	if (target == TARGET_CGROUP)
		return in_cgroup(task) && !is_own(task);
	return wanted(task, task->tgid, task->pid);
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

static __always_inline void start_child(struct task_struct *child);
static __always_inline void start_running(struct task_struct *task);

/*
 * Is the text at NAME, in the kernel's memory, cut to BYTES with its end, the name of the target?
 * bpf_snprintf() reads it because a kernel that is locked down to confidentiality has this one
 * still, and not bpf_probe_read_kernel_str().
 */
static __always_inline bool is_target_name(const void *name, __u32 bytes)
{
	static const char as_text[] = "%s";
	__u64 text[NAME_WORDS] = { 0 }, arg = (__u64)name, differs = 0;

	if (bpf_snprintf((char *)text, bytes, as_text, &arg, sizeof(arg)) <= 0)
		return false;
	for (int i = 0; i < NAME_WORDS; i++)
		differs |= text[i] ^ target_name[i];
	return !differs;
}

/* The base name of the file that TASK executes, or NULL. */
static __always_inline const void *exe_name(struct task_struct *task)
{
	struct mm_struct *mm = plain(task)->mm;
	struct file *file = mm ? mm->exe_file : NULL;
	struct dentry *dentry = file ? file->f_path.dentry : NULL;

	return dentry ? dentry->d_name.name : NULL;
}

/*
 * TASK, a first thread, has got the target's name: its process belongs to the target from here on,
 * which is before it has done anything under that name.
 */
static __always_inline void take_named(struct task_struct *task)
{
	if (is_own(task) || is_target(task->tgid, task->start_time))
		return;
	follow(task->tgid, task->start_time);
	if (off_cpu && following)
		start_running(task);
}

/*
 * A thread is given a name: by itself, by somebody else, or by exec, as which it is told before the
 * new program begins.
 */
SEC("tp_btf/task_rename")
int BPF_PROG(sb_rename, struct task_struct *task, const char *comm)
{
	if (task->pid == task->tgid && is_target_name(comm, sizeof(task->comm)))
		take_named(task);
	return 0;
}

/* Wakes who reads the ring of this CPU, by a record that is given up. */
static __always_inline void wake_reader(void)
{
	__u32 cpu = bpf_get_smp_processor_id(), *index = bpf_map_lookup_elem(&cpu_ring, &cpu);
	void *ring = index ? bpf_map_lookup_elem(&rings, index) : NULL;
	struct sb_cpu *c = this_cpu();
	__u64 *rec;

	if (!ring || !c)
		return;
	*(volatile __u64 *)&c->sending += 1;
	rec = bpf_ringbuf_reserve(ring, sizeof(*rec), 0);
	if (rec)
		bpf_ringbuf_discard(rec, BPF_RB_FORCE_WAKEUP);
	*(volatile __u64 *)&c->sending -= 1;
}

static __always_inline void follow_child(struct task_struct *parent, struct task_struct *child)
{
	if (target == TARGET_TIDS) {
		if (is_target(parent->pid, parent->start_time))
			follow(child->pid, child->start_time);
	} else if (child->tgid != parent->tgid && is_target(parent->tgid, parent->group_leader->start_time)) {
		follow(child->tgid, child->start_time);
		/* What the side band tells of it is there already. */
		if (births_wake)
			wake_reader();
	}
}

/* Runs before the child can. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(sb_fork, struct task_struct *parent, struct task_struct *child)
{
	if (target == TARGET_PIDS || target == TARGET_TIDS)
		follow_child(parent, child);
	/* Who is born before switches are looked at is found by the iterator, as all others that are there. */
	if (off_cpu && following && wanted_other(child))
		start_child(child);
	return 0;
}

/* A thread that is not the leader takes the leader's number, and its start time, when it executes a program. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(sb_exec, struct task_struct *task, int old_tid)
{
	__u32 key = old_tid;

	if (by_name) {
		const void *name = exe_name(task);

		if (name && is_target_name(name, NAME_WORDS * sizeof(__u64)))
			take_named(task);
		return 0;
	}
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

#endif
