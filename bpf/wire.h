/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire.h - everything that crosses from the kernel half to user space, version 1.
 *
 * A record is a header followed by parts. Each part has a type and a size, so any part may be absent and unknown ones are
 * skipped; sizes are multiples of 8 and every part starts 8-byte aligned. All fields are fixed-width and native-endian (a
 * record never leaves the machine). Numbers are never reused. This header is included by BPF programs and by user space; it
 * needs only __u16/__u32/__u64.
 *
 * Words: a *segment* is a run of copied stack bytes; *walked* addresses are return addresses that the kernel half has already
 * found; *registers* are in DWARF numbering of the architecture (for x86-64: System V psABI 1.0, figure 3.36), so that the
 * unwinder needs no table.
 */
#ifndef SBERF_BPF_WIRE_H
#define SBERF_BPF_WIRE_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SB_WIRE_VERSION 1

/* Kinds of record. */
#define SB_REC_SAMPLE 1      /* a task was running */
#define SB_REC_WAIT 2        /* a task is back on a CPU: sb_part_wait; its stack is that of when it left */
#define SB_REC_MIGRATE 3     /* reserved */
#define SB_REC_FAULT 4       /* reserved */
#define SB_REC_WAKE 5        /* a task wakes one of the target: sb_part_wake */

/* sb_hdr.flags */
#define SB_F_KERNEL 0x0001u      /* the sample landed in kernel mode */
#define SB_F_KTHREAD 0x0002u     /* kernel thread: there is no user side */
#define SB_F_COMPAT 0x0004u      /* 32-bit user code: registers and stack are not copied */
#define SB_F_NO_USER 0x0008u     /* a user task that has no user side now (io_uring worker, exiting, in the middle of exec) */
#define SB_F_ALTSTACK 0x0010u    /* sp was on the alternate signal stack */

struct sb_hdr {
	__u32 size;          /* of the record, this header included; multiple of 8 */
	__u16 kind;          /* SB_REC_* */
	__u16 flags;         /* SB_F_* */
	__u64 time_ns;       /* CLOCK_MONOTONIC, bpf_ktime_get_ns() */
	__u32 cpu;
	__u32 node;          /* NUMA node of that CPU */
};

struct sb_part {
	__u32 size;          /* of the part, this header included; multiple of 8, at least 8 */
	__u16 type;          /* SB_PART_* */
	__u16 flags;         /* by type */
};

/* Types of part. */
#define SB_PART_TASK 1       /* struct sb_part_task: always present, always first */
#define SB_PART_SAMPLE 2     /* struct sb_part_sample */
#define SB_PART_REGS 3       /* struct sb_part_regs + nr values */
#define SB_PART_KSTACK 4     /* struct sb_part_addrs + nr addresses, innermost first */
#define SB_PART_SEGMENT 5    /* struct sb_part_segment + got bytes, padded to 8 */
#define SB_PART_WALKED 6     /* struct sb_part_addrs + nr addresses: user pcs, innermost first */
#define SB_PART_WAIT 7       /* struct sb_part_wait */
#define SB_PART_WAKE 8       /* struct sb_part_wake */

struct sb_part_task {
	struct sb_part part;
	__u32 pid;               /* thread group id, in the initial pid namespace */
	__u32 tid;
	__u64 start_ns;          /* task->start_time: with tid, tells threads that share a number apart */
	__u64 cgroup_id;         /* cgroup v2 id, the inode of its directory; 0 = unknown */
	__u64 exe_id;            /* device << 32 ^ inode of the executable: key of the learnt stack size; 0 = none */
	char comm[16];           /* raw bytes of the kernel's comm, not necessarily NUL-terminated or UTF-8 */
};

struct sb_part_sample {
	struct sb_part part;
	__u64 period;            /* perf's sample_period: ns for cpu-clock, cycles for cycles */
	__u64 ip;                /* where it landed: user or kernel address */
	__u64 since_ns;          /* since the sampler last ran on this CPU, whatever the task then; 0 = it had not */
};

struct sb_part_regs {
	struct sb_part part;     /* flags: SB_REGS_* */
	__u32 machine;           /* ELF e_machine: 62 = x86-64, 183 = aarch64 */
	__u32 nr;                /* values that follow, in DWARF register order, pc last */
	/* __u64 value[nr]; */
};
#define SB_REGS_FULL 0x1u        /* all of them are the task's user registers */
#define SB_REGS_SYSCALL 0x2u     /* taken inside a system call or fault: pc is exact, not a return address */

#define SB_X86_64_NR_REGS 17     /* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */

struct sb_part_addrs {
	struct sb_part part;     /* flags: SB_ADDRS_* */
	__u32 nr;                /* addresses that follow */
	__s32 error;             /* negative errno when the walk failed, else 0 */
	/* __u64 addr[nr]; */
};
#define SB_ADDRS_FULL 0x1u       /* the array was full: there may have been more */

struct sb_part_segment {
	struct sb_part part;     /* flags: SB_SEG_* */
	__u64 addr;              /* user address of the first byte */
	__u32 want;              /* bytes that the cap allowed */
	__u32 got;               /* bytes that follow; got < want: the page behind them could not be read */
	/* __u8 byte[got], padded to 8; */
};
#define SB_SEG_INTERRUPTED 0x1u  /* the stack that a signal handler on an alternate stack interrupted */

/*
 * A wait: sb_hdr.time_ns is its end, sb_hdr.cpu and .node where the task was before. With SB_WAIT_NO_STACK nothing else follows.
 */
struct sb_part_wait {
	struct sb_part part;     /* flags: SB_WAIT_* */
	__u64 id;                /* of this wait: the stamp of its slot, or what stands for one */
	__u64 out_ns;            /* when it left the CPU; when the capture saw it first with SB_WAIT_SEEDED */
	__u64 waking_ns;         /* when it was woken; 0 = it was not blocked */
	__u64 period_ns;         /* that decided whether to tell it */
	__s32 call;              /* system call number, or SB_CALL_* */
	__u8 state;              /* enum wait_state of src/event/wait.h */
	__u8 context;            /* SB_WAKER_TASK when the waker is set: the task that was current, perhaps interrupted */
	__u16 pad;
	__u32 to_cpu, to_node;   /* where it runs now */
	__u32 waker_pid, waker_tid;
	__u64 waker_start_ns;
	char waker_comm[16];
};
#define SB_WAIT_SEEDED 0x1u
#define SB_WAIT_NO_STACK 0x2u
#define SB_WAIT_COMPAT 0x4u      /* call is of the 32-bit ABI */

/* enum wait_state and enum waker_context of src/event/wait.h, for the side that cannot include it. */
#define SB_STATE_PREEMPTED 1
#define SB_STATE_INTERRUPTIBLE 2
#define SB_STATE_UNINTERRUPTIBLE 3
#define SB_STATE_KILLABLE 4
#define SB_STATE_STOPPED 5
#define SB_STATE_TRACED 6
#define SB_STATE_EXITING 7
#define SB_STATE_IDLE 8
#define SB_STATE_NEW 9
#define SB_WAKER_TASK 1
#define SB_WAKER_HARDIRQ 2
#define SB_WAKER_SOFTIRQ 3

#define SB_CALL_FAULT (-1)       /* came through an exception or interrupt; preempted or a fault is told by the state */
#define SB_CALL_KERNEL (-2)      /* no user side */

struct sb_part_wake {
	struct sb_part part;
	__u64 wait_id;           /* sb_part_wait.id */
	__u64 start_ns;          /* of the task that is woken */
	__u32 tid;
	__u32 pad;
};

/*
 * A slot keeps the stack of a task while it waits: a whole record of SB_REC_WAIT in the making. STATE says whose turn it is; it only
 * changes by atomic exchange.
 *
 *	SB_SLOT_IDLE   the task that owns it runs
 *	SB_SLOT_BUSY   its record is being written, or user space has it
 *	else           the id of the wait whose record is whole
 *
 * User space may take a slot from a waiting task (id -> SB_SLOT_BUSY), copy it, set it idle and put its index back among the free
 * ones. The task, when it runs again, finds that its slot does not hold its id, and tells the end of the wait without a stack.
 */
#define SB_SLOT_IDLE 0ull
#define SB_SLOT_BUSY 1ull
struct sb_slot {
	__u64 state;
	__u32 size;              /* of the record */
	__u32 pad;
	__u8 rec[];
};

/* Totals of one task, by what it did: kept exactly, by the scheduler's switches. */
struct sb_total_key {
	__u64 start_ns;
	__u32 tid;
	__s32 what;              /* system call number, SB_CALL_* or SB_TOTAL_RUN; SB_TOTAL_COMPAT + number for the 32-bit ABI */
};
#define SB_TOTAL_RUN (-16)
#define SB_TOTAL_PREEMPTED (-17)
#define SB_TOTAL_COMPAT 0x10000

struct sb_total {
	__u64 ns;                /* running, or blocked */
	__u64 runnable_ns;
	__u64 count;
	__u64 long_ns, long_runnable_ns, long_count;     /* waits of a period and more */
	__u64 short_ns, short_count;                     /* waits below min_wait_ns: in none of the above */
	__u32 pid;
	__u32 gone;              /* the task has left its CPU for the last time */
};

/* What the iterator says of one task that is off the CPU. */
struct sb_open {
	__u64 id, out_ns, waking_ns;     /* as in sb_part_wait */
	__u64 start_ns, cgroup_id, exe_id;
	__u32 pid, tid;
	__u32 cpu, node;                 /* that it left */
	__s32 call;
	__u8 state;
	__u8 flags;                      /* SB_WAIT_SEEDED, SB_WAIT_COMPAT, SB_WAIT_NO_STACK: it has no slot */
	__u16 pad;
	__u32 slot;                      /* index when it has one */
	__u16 nr_regs;                   /* 0 = none, else SB_NR_REGS */
	__u16 machine;                   /* as sb_part_regs.machine */
	char comm[16];
	__u64 reg[17];
};

#define SB_HELPER_NAME "sberf-peek"      /* comm of a process of sberf that is not to be watched (src/capture/peek.h) */

#define SB_STACK_MIN 4096u       /* smallest and largest copy of one segment */
#define SB_STACK_MAX 65536u
#define SB_RED_ZONE 128u         /* copies start this far below sp (psABI 1.0 section 3.2.2; epilogues read there too) */
#define SB_KSTACK_MAX 127u       /* kernel frames at most; kernel.perf_event_max_stack's default */

/* Why a record was lost: indices of the per-CPU counters that the kernel half keeps. */
#define SB_LOST_RING_FULL 0      /* the ring had no room */
#define SB_LOST_NESTED 1         /* the scratch buffer of this CPU was in use */
#define SB_LOST_NO_RING 2        /* the CPU has no ring */
#define SB_LOST_SLOT 3           /* a wait of a period or more had no slot for its stack */
#define SB_LOST_TOTALS 4         /* the table of totals was full */
#define SB_LOST_TASK_STATE 5     /* a task's own state could not be made */
#define SB_LOST_CLOCK 6          /* a wait seemed to end before it began */
#define SB_LOST_SWITCH 7         /* a task came or left twice: one of its switches was not seen */
#define SB_LOST_WAKE 8           /* a waker's record was lost */
#define SB_LOST_NR 12

/* The kernel half's figures for one CPU; counters only grow. One element per possible CPU, mapped by user space. */
struct sb_cpu {
	__u64 last_ns;           /* when the sampler last ran here, 0 = never */
	__u64 runs;              /* times it ran, also for tasks outside the target */
	__u64 samples;           /* records sent */
	__u64 lost[SB_LOST_NR];
	__u64 unfollowed;        /* new tasks of the target that did not fit into the table of targets */
	__u64 waits;             /* records of waits sent */
	__u64 switches;          /* of tasks of the target */
	__u64 switched_ns;       /* when the last switch was seen here */
	__u64 inferred;          /* switches that were not seen, and told from what was */
	__u64 pad[4];            /* whole cache lines: CPUs do not share one */
};

#ifndef __bpf__
_Static_assert(sizeof(struct sb_hdr) == 24, "sb_hdr is wire format");
_Static_assert(sizeof(struct sb_part) == 8, "sb_part is wire format");
_Static_assert(sizeof(struct sb_part_task) == 56, "sb_part_task is wire format");
_Static_assert(sizeof(struct sb_part_sample) == 32, "sb_part_sample is wire format");
_Static_assert(sizeof(struct sb_part_regs) == 16, "sb_part_regs is wire format");
_Static_assert(sizeof(struct sb_part_addrs) == 16, "sb_part_addrs is wire format");
_Static_assert(sizeof(struct sb_part_wait) == 88, "sb_part_wait is wire format");
_Static_assert(sizeof(struct sb_part_wake) == 32, "sb_part_wake is wire format");
_Static_assert(sizeof(struct sb_slot) == 16, "sb_slot is shared with user space");
_Static_assert(sizeof(struct sb_total) == 72, "sb_total is shared with user space");
_Static_assert(sizeof(struct sb_open) == 232, "sb_open is what the iterator writes");
_Static_assert(sizeof(struct sb_cpu) == 192, "sb_cpu is shared with user space");
_Static_assert(sizeof(struct sb_part_segment) == 24, "sb_part_segment is wire format");
#endif

#endif
