/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel.h - the few kernel types that the BPF programs read, kept by hand.
 *
 * Only the fields used stand here, in any order: with preserve_access_index each access is
 * relocated to the running kernel's layout when the program is loaded (BPF CO-RE). Types of the
 * kernel's user API have fixed layouts and are spelled out; so are the constants, so that no kernel
 * header of the build machine takes part.
 */
#ifndef SBERF_BPF_KERNEL_H
#define SBERF_BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

/* include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_STACK = 23,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_F_NO_PREALLOC (1u << 0)
#define BPF_LOCAL_STORAGE_GET_F_CREATE (1ull << 0)
#define BPF_F_MMAPABLE (1u << 10)
#define BPF_F_USER_STACK (1ull << 8)
#define BPF_RB_NO_WAKEUP (1ull << 0)
#define BPF_RB_FORCE_WAKEUP (1ull << 1)
#define BPF_RB_AVAIL_DATA 0

/* include/uapi/asm-generic/errno-base.h */
#define SB_EFAULT 14

/* Bits of the state that sched_switch tells: include/linux/sched.h, stable since 4.14 as far as named here. */
#define TASK_INTERRUPTIBLE 0x0001u
#define TASK_UNINTERRUPTIBLE 0x0002u
#define TASK_STOPPED_BIT 0x0004u
#define TASK_TRACED_BIT 0x0008u
#define TASK_PARKED 0x0040u
#define TASK_DEAD 0x0080u
#define TASK_WAKEKILL 0x0100u
#define TASK_NOLOAD 0x0400u
#define TASK_NEW 0x0800u
#define TASK_FROZEN 0x8000u      /* since 6.1 */

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000u
#define PF_FROZEN 0x00010000u            /* up to 6.0; later the bit is one of kernel threads only */

/* include/linux/sched/jobctl.h, since 5.2: the freezer of cgroup v2 asks the task to stop. */
#define JOBCTL_TRAP_FREEZE (1ul << 23)

/* include/uapi/asm-generic/mman-common.h */
#define SB_PROT_EXEC 0x4
#define SB_MAP_ANONYMOUS 0x20

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	__u32 i_generation;
	struct super_block *i_sb;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file_operations;

struct file {
	void *private_data;             /* of a socket: a struct socket */
	const struct file_operations *f_op;
	struct inode *f_inode;
	struct path f_path;
};

/* include/linux/pid.h: one number for each namespace, from the outermost on */
struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

/* include/net/sock.h, include/linux/net.h */
struct sock_common {
	unsigned short skc_family;
};

struct sock {
	struct sock_common __sk_common;
	struct pid *sk_peer_pid;
};

struct socket {
	struct sock *sk;
};

/* include/linux/fdtable.h */
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

/* kernel/events/uprobes.c: the page of a process that probes need, where functions that are watched return to */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

typedef struct {
	int counter;
} atomic_t;

/* include/linux/types.h of machines of 64 bits: atomic_long_t */
typedef struct {
	__s64 counter;
} atomic64_t;

/* include/linux/mutex_types.h, but for kernels with PREEMPT_RT */
struct mutex {
	atomic64_t owner;               /* a task, but for its low bits */
};

/* include/linux/rwsem.h, the same */
struct rw_semaphore {
	atomic64_t count, owner;
};

struct mm_struct {
	atomic_t mm_users;
	struct uprobes_state uprobes_state;     /* with CONFIG_UPROBES */
	struct file *exe_file;
	unsigned long end_code, start_stack, start_brk, brk;
	unsigned long env_end;          /* behind the environment, the last but one thing on the first stack */
	unsigned long exec_vm;          /* pages that are executable and not writable */
};

/* include/linux/percpu_counter.h */
struct percpu_counter {
	__s64 count;
	__s32 *counters;                /* one for each CPU */
};

#define SB_RSS_COUNTERS 4        /* NR_MM_COUNTERS of include/linux/mm_types_task.h */

/* Since 6.2, ... */
struct mm_struct___percpu {
	struct percpu_counter rss_stat[SB_RSS_COUNTERS];
};

struct mm_rss_stat {
	long count[SB_RSS_COUNTERS];
};

/* ... and before. */
struct mm_struct___passed {
	struct mm_rss_stat rss_stat;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	struct file *vm_file;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

/* include/linux/sched.h of x86 and others: where the task is, or was last */
struct thread_info {
	__u32 cpu;
};

typedef struct {
	/* as many as the kernel has nodes for: ask before reading more than the first */
	unsigned long bits[16];
} nodemask_t;

struct mempolicy {
	unsigned short mode;
	unsigned short flags;
	nodemask_t nodes;
};

/* kernel/sched/sched.h: the run queue of a CPU, and the part of it that one group's tasks are in */
struct rq {
	struct task_struct *idle;
};

struct cfs_rq {
	struct rq *rq;                  /* with CONFIG_FAIR_GROUP_SCHED */
	int throttle_count;             /* with CONFIG_CFS_BANDWIDTH: it, or a group that it is in, has no time left */
	/* for how long that was so: until 5.18, then, and since 6.6 also by the clock itself */
	__u64 throttled_clock_task_time, throttled_clock_pelt_time, throttled_clock_self_time;
};

struct task_group {
	struct cfs_rq **cfs_rq;         /* of each CPU, with CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;          /* the same */
};

/* arch/x86/include/asm/processor.h */
struct thread_struct {
	unsigned long fsbase;
};

/* include/linux/uprobes.h: a function that is watched has not returned yet */
struct return_instance {
	unsigned long stack;            /* where its return address was ... */
	unsigned long orig_ret_vaddr;   /* ... and what it was */
	struct return_instance *next;   /* called before it */
};

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr;            /* of the probed instruction ... */
	unsigned long xol_vaddr;        /* ... of which a copy is run here; 0 = none is */
};

struct task_struct {
	void *stack;                    /* in the kernel: its lowest address */
	struct uprobe_task *utask;      /* with CONFIG_UPROBES */
	struct thread_info thread_info;
	struct thread_struct thread;
	int numa_preferred_nid;         /* with CONFIG_NUMA_BALANCING */
	int prio;                       /* -1 deadline, 0 to 98 real-time, 100 to 139 by nice; lower ones run first */
	struct mempolicy *mempolicy;    /* with CONFIG_NUMA */
	int pid;                        /* what user space calls tid */
	int tgid;                       /* what user space calls pid */
	unsigned int __state;
	unsigned int flags;
	unsigned long jobctl;
	int on_cpu;
	int exit_state;
	unsigned long min_flt, maj_flt; /* page faults that were handled */
	unsigned long nvcsw, nivcsw;    /* times it left its CPU */
	struct sched_entity se;
	struct task_group *sched_task_group;     /* with CONFIG_CGROUP_SCHED */
	bool throttled;                 /* since 6.18: it is kept from running until its group has time again */
	char comm[16];
	__u64 start_time;
	__u64 self_exec_id;             /* grows with every exec */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct mm_struct *mm;
	struct files_struct *files;
	struct css_set *cgroups;
	unsigned long blocker;          /* since 6.16, with CONFIG_DETECT_HUNG_TASK_BLOCKER */
	struct mutex *blocked_on;       /* since 6.17; before, with CONFIG_DEBUG_MUTEXES, of another type */
	unsigned long sas_ss_sp;        /* the alternate signal stack: lowest address, and size (0 = none) */
	unsigned long sas_ss_size;
};

/* include/linux/signal_types.h */
struct kernel_siginfo {
	int si_code;
};

struct pt_regs;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
