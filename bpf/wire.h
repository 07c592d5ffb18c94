/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire.h - everything that crosses from the kernel half to user space, version 1.
 *
 * A record is a header followed by parts. Each part has a type and a size, so any part may be
 * absent and unknown ones are skipped; sizes are multiples of 8 and every part starts 8-byte
 * aligned. All fields are fixed-width and native-endian (a record never leaves the machine).
 * Numbers are never reused. This header is included by BPF programs and by user space; it needs
 * only __u16/__u32/__u64.
 *
 * Words: a *segment* is a run of copied stack bytes; *walked* addresses are return addresses that
 * the kernel half has already found; *registers* are in DWARF numbering of the architecture (for
 * x86-64: System V psABI 1.0, figure 3.36), so that the unwinder needs no table.
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
/* the same as SB_REC_WAIT of a wait that is not told otherwise, for its end on another node */
#define SB_REC_MOVE 3
/* a page fault: sb_part_sample, whose period is the faults it stands for, and sb_part_addr */
#define SB_REC_FAULT 4
#define SB_REC_WAKE 5        /* a task wakes one of the target: sb_part_wake */
#define SB_REC_EVENT 6       /* a probe was hit: sb_part_event, and sb_part_text for each argument that is a string */
#define SB_REC_INSIDE 7      /* a call has ended that samples or waits were inside of: sb_part_inside */
/* the current task wakes one of the target by the futex that this waits on: sb_part_handover */
#define SB_REC_HANDOVER 8

/* sb_hdr.flags */
#define SB_F_KERNEL 0x0001u      /* the sample landed in kernel mode */
#define SB_F_KTHREAD 0x0002u     /* kernel thread: there is no user side */
#define SB_F_COMPAT 0x0004u      /* 32-bit user code: registers and stack are not copied */
/* a user task without a user side now (io_uring worker, exiting, amid exec or its entry) */
#define SB_F_NO_USER 0x0008u
#define SB_F_ALTSTACK 0x0010u    /* sp was on the alternate signal stack */
#define SB_F_STRANGER 0x0020u    /* copied, as nothing was ever known of the memory: SB_WALK_NO_SPACE; a moment ago */

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
#define SB_PART_SEGMENT 5    /* struct sb_part_segment + got bytes, padded to 8; at most SB_SEGMENTS_MAX of them */
#define SB_PART_WALKED 6     /* struct sb_part_addrs + nr addresses: user pcs, innermost first */
#define SB_PART_WAIT 7       /* struct sb_part_wait */
#define SB_PART_WAKE 8       /* struct sb_part_wake */
#define SB_PART_ADDR 9       /* struct sb_part_addr */
#define SB_PART_WALK 10      /* struct sb_part_walk: the kernel half walks by learnt rules (see below) */
/* struct sb_part_stop: with it, where that walk stopped when it did not come to the root */
#define SB_PART_STOP 11
#define SB_PART_EVENT 12     /* struct sb_part_event + nr arguments */
/* struct sb_part_text + got bytes, padded to 8; at most SB_TEXTS_MAX of them, behind SB_PART_EVENT */
#define SB_PART_TEXT 13
#define SB_PART_SUM 14       /* struct sb_part_sum: hits that are like this one are summed */
#define SB_PART_INSIDE 15    /* struct sb_part_inside */
#define SB_PART_TAKEN 16     /* struct sb_part_taken + nr records of what the plan of its process reads */
#define SB_PART_HANDOVER 17  /* struct sb_part_handover */

struct sb_part_task {
	struct sb_part part;
	__u32 pid;               /* thread group id, in the initial pid namespace */
	__u32 tid;
	__u64 start_ns;          /* task->start_time: with tid, tells threads that share a number apart */
	__u64 cgroup_id;         /* cgroup v2 id, the inode of its directory; 0 = unknown */
	/* device << 32 ^ inode of the executable: key of the learnt stack size; 0 = unknown, or no copy */
	__u64 exe_id;
	char comm[16];           /* raw bytes of the kernel's comm, not necessarily NUL-terminated or UTF-8 */
};

/*
 * Which calls of placed probes a task was in: of each probe the outermost one, those that began first
 * before others; 0 = no more. What is named here has an SB_REC_INSIDE when it ends.
 */
#define SB_INSIDE_MAX 4u         /* a power of two */
#define SB_INSIDE_AT 58u         /* bits for the moment: nine years */
#define SB_INSIDE(probe, begun_ns) ((__u64)(probe) << SB_INSIDE_AT | ((begun_ns) & ((1ull << SB_INSIDE_AT) - 1)))
#define SB_INSIDE_PROBE(call) ((__u32)((call) >> SB_INSIDE_AT))
#define SB_INSIDE_BEGUN(call) ((call) & ((1ull << SB_INSIDE_AT) - 1))
#define SB_INSIDE_UNKNOWN (~0ull)        /* nobody knows: probes in programs were not in place */
struct sb_inside {
	__u64 call[SB_INSIDE_MAX];       /* SB_INSIDE(number of the placed probe, when it began) */
};
/* What calls are of, where anybody asks: a mask. */
#define SB_INSIDE_FUNCTIONS 0x1u
#define SB_INSIDE_CALLS 0x2u
#define SB_INSIDE_SPANS 0x4u

struct sb_part_inside {
	struct sb_part part;     /* flags: SB_INSIDE_UNWANTED */
	__u64 call;              /* as sb_inside.call; sb_hdr.time_ns is its end */
	__u64 took_ns;           /* without what the probe added to it */
};
#define SB_INSIDE_UNWANTED 0x1u  /* the condition of the probe does not hold: it does not count */

struct sb_part_sample {
	struct sb_part part;     /* flags: SB_SAMPLE_* */
	__u64 period;            /* perf's sample_period: ns for cpu-clock, cycles for cycles */
	__u64 ip;                /* where it landed: user or kernel address */
	__u64 since_ns;          /* since the sampler last ran on this CPU, whatever the task then; 0 = it had not */
	struct sb_inside inside;
};
#define SB_SAMPLE_BUSY 0x1u      /* the CPU was busy for all of since_ns */

struct sb_part_regs {
	struct sb_part part;     /* flags: SB_REGS_* */
	__u32 machine;           /* ELF e_machine: 62 = x86-64, 183 = aarch64 */
	__u32 nr;                /* values that follow, in DWARF register order, pc last */
	/* __u64 value[nr]; */
};
#define SB_REGS_FULL 0x1u        /* all of them are the task's user registers */
#define SB_REGS_SYSCALL 0x2u     /* taken inside a system call or fault: pc is exact, not a return address */

struct sb_part_addrs {
	struct sb_part part;     /* flags: SB_ADDRS_* */
	__u32 nr;                /* addresses that follow */
	__s32 error;             /* negative errno when the walk failed, else 0 */
	/* __u64 addr[nr]; */
};
#define SB_ADDRS_FULL 0x1u       /* the array was full: there may have been more */
/* SB_PART_WALKED: by learnt rules, not by frame pointers; to its root unless SB_ADDRS_FULL */
#define SB_ADDRS_RULES 0x2u
/* with SB_ADDRS_RULES: some return address was put there by no call (SB_RULE_PLACED) */
#define SB_ADDRS_PLACED 0x4u
/* with SB_ADDRS_RULES or SB_ADDRS_STOPPED: some rule is of no unwind table (SB_RULE_NO_TABLE) */
#define SB_ADDRS_NO_TABLE 0x10u
/* SB_PART_WALKED: by branch records of the CPU; behind the first one addresses are those of calls, + 1 */
#define SB_ADDRS_RECORDS 0x20u
#define SB_CALL_RECORDS 32u      /* such records: no processor has more of calls that have not returned */
/* SB_PART_WALKED: by learnt rules up to where SB_PART_STOP says, whose frame is not among them */
#define SB_ADDRS_STOPPED 0x8u

struct sb_part_segment {
	struct sb_part part;     /* flags: SB_SEG_* */
	__u64 addr;              /* user address of the first byte */
	__u32 want;              /* bytes that the cap allowed */
	/*
	 * Bytes that follow. got < want: the page behind them could not be read; what of want lies
	 * behind that page is in the next segments.
	 */
	__u32 got;
	/* __u8 byte[got], padded to 8; */
};
#define SB_SEG_INTERRUPTED 0x1u  /* the stack that a signal handler on an alternate stack interrupted */

struct sb_part_addr {
	struct sb_part part;
	__u64 addr;              /* user address that was touched */
};

/*
 * A hit of any probe, with whatever it tells: sb_hdr.time_ns is the moment, or the end of what has
 * a length; the other parts are those of a sample. What the value is of, and what each argument is,
 * knows whoever placed the probe.
 */
struct sb_part_event {
	struct sb_part part;     /* flags: SB_EVENT_* */
	__u32 probe;             /* which: SB_PROBE_*, or a number from SB_PROBE_PLACED on */
	__u16 nr;                /* arguments that follow, SB_ARGS_MAX at most */
	__u16 unread;            /* which of them could not be read, as a mask: these are 0 */
	__u64 value;             /* in the unit of its probe: 1, bytes, ns; of all hits that this one stands for */
	__u64 count;             /* so many, at least 1 */
	__u64 begun_ns;          /* CLOCK_MONOTONIC; 0 = it is a moment */
	/* __u64 arg[nr]; */
};
#define SB_EVENT_OPEN 0x1u       /* it has begun, and not ended yet: sb_hdr.time_ns is now */
#define SB_EVENT_LOOK 0x2u       /* its arguments stand for those of 1 << SB_EVENT_LOOK_SHIFT() hits */
#define SB_EVENT_ARGS 0x4u       /* with that: it is told for them alone, and counts elsewhere */
#define SB_EVENT_TOLD 0x8u       /* it is a part of a call that is followed, which counts by its begin */
#define SB_EVENT_LOOK_AT 8
#define SB_EVENT_LOOK_SHIFT(flags) ((flags) >> SB_EVENT_LOOK_AT & 31u)
#define SB_ARGS_MAX 12u          /* the most that a USDT note describes */

struct sb_part_text {
	struct sb_part part;     /* flags: SB_TEXT_* */
	__u16 arg;               /* which argument points to it */
	__u16 got;               /* bytes that follow, without the end of the string */
	__u32 pad;
	/* __u8 byte[got], padded to 8; */
};
#define SB_TEXT_RECORD 15u       /* in place of an argument: the begin of the record that a tracepoint has made */
#define SB_RECORD_BYTES 192u     /* of it; behind its end is something else */
#define SB_TEXT_PRINT 16u        /* and from here on: what is told with a hit (sb_loads.print) */
#define SB_TEXT_CUT 0x1u         /* there is more */
#define SB_TEXT_UNREAD 0x2u      /* it cannot be read */
#define SB_TEXT_MAX 256u         /* bytes, its end included */
#define SB_TEXTS_MAX 6u

struct sb_part_sum {
	struct sb_part part;
	__u64 id;                /* sb_sum_key.id */
};

/*
 * The probes that sberf has by itself are numbered as the kinds of events that come of them (enum
 * event_kind of src/model/event.h). From SB_PROBE_PLACED on they are those that somebody placed in
 * a program; such a number comes by the cookie of the link (SB_COOKIE_*).
 */
#define SB_PROBE_FORK 8          /* a task makes another one; arguments: 1 = a process, 0 = a thread; and its number */
/*
 * A sampled block was allocated; arguments: its address, its bytes, and 1 = its free will not be told. Where the
 * program itself samples, a fourth one: the bytes that it stands for, 0 = not told.
 */
#define SB_PROBE_ALLOC 10
/* such a block was freed; arguments: its address; and 1 = nothing was allocated there and by that thread since */
#define SB_PROBE_FREE 11
/*
 * Memory became resident, ceased to be, was mapped, unmapped, or given back by madvise(2); arguments: bytes; and of the
 * first two which of the kernel's counters says so (SB_RSS_*), of the last one the advice.
 */
#define SB_PROBE_GROWN 14
#define SB_PROBE_RETURNED 15
#define SB_PROBE_MAPPED 16
#define SB_PROBE_UNMAPPED 17
#define SB_PROBE_ADVISED 19
/* include/linux/mm_types_task.h: MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES */
#define SB_RSS_FILE 0u
#define SB_RSS_ANON 1u
#define SB_RSS_SWAPPED 2u
#define SB_RSS_SHARED 3u
#define SB_RSS_NR 4u
/* a task has spun for a lock of the kernel; arguments: its address; and for how long this one did */
#define SB_PROBE_SPIN 20
#define SB_PROBE_PLACED 64
#define SB_CALLS_MAX 1024u       /* numbers of system calls that can be probed are below */

/*
 * Arguments of the hit of a system call: up to SB_CALL_RESULT those that it was called with. From
 * SB_CALL_NUMBER on they are there only where somebody traces, or with SB_EVENT_LOOK.
 */
#define SB_CALL_RESULT 6u
#define SB_CALL_NUMBER 7u        /* of the native ABI */
/* what the descriptor of sb_call_wish.file stands for: inode; and device, generation and kind. 0 = not known */
#define SB_CALL_FILE 8u
#define SB_CALL_MADE 10u         /* the same of the descriptor that was returned */

/*
 * The argument of a page fault is its address; where somebody traces, its text is what was mapped there
 * by then: "heap", "stack", "anon", or the name of a file without its path.
 */
#define SB_FAULT_ADDRESS 0u
#define SB_MAPPED_MAX 64u        /* bytes of that text, its end included */

/* Arguments of the hit of a signal. The name of the thread that gets it is the text of SB_SIGNAL_PID. */
#define SB_SIGNAL_SIG 0u
#define SB_SIGNAL_PID 1u         /* of who gets it */
#define SB_SIGNAL_TID 2u
#define SB_SIGNAL_CODE 3u        /* si_code of sigaction(2) */
#define SB_SIGNAL_GROUP 4u       /* 1: for the process, not for that thread */
#define SB_SIGNAL_RESULT 5u      /* TRACE_SIGNAL_* of the kernel's include/trace/events/signal.h */
#define SB_SIGNAL_ARGS 6u

/* What somebody who traces wants to know of a system call. All zero: nothing else. */
#define SB_CALL_TEXTS 2u
struct sb_call_wish {
	__u8 text[SB_CALL_TEXTS];        /* bytes that arguments point to: SB_WISH_*; 0 = none */
	__u8 file;               /* which argument is a descriptor, + 1; 0 = none */
	__u8 more;               /* SB_WISH_MADE, SB_WISH_BEGUN */
};
#define SB_WISH_MADE 0x1u        /* what it returns is a descriptor */
#define SB_WISH_BEGUN 0x2u       /* it does not return: it is told when it begins, SB_EVENT_OPEN, without a stack */
#define SB_WISH_ARG 0x07u        /* which argument, + 1: of a string, unless ... */
#define SB_WISH_IN 0x08u         /* ... it is that of as many bytes as the argument behind it says */
#define SB_WISH_OUT 0x10u        /* ... or as the call has returned, which wrote them */
#define SB_DATA_MAX 64u          /* of these bytes, so many are told */

#define SB_COOKIE(probe, text) ((__u64)(text) << 32 | (probe))
#define SB_COOKIE_PROBE(cookie) ((__u32)(cookie) & 0xffffffu)
/*
 * How a thread leaves the kernel behind a place where something begins that is timed, and how it comes
 * into it where that ends: for what is taken off its time (bpf/owncost.bpf.h).
 */
#define SB_COOKIE_OF_BEGIN(begin) ((__u64)(begin) << 24)
#define SB_COOKIE_BEGIN(cookie) ((__u32)(cookie) >> 24 & 3u)
#define SB_BEGIN_NONE 0u         /* not known */
#define SB_BEGIN_EMULATED 1u     /* the instruction there is emulated */
#define SB_BEGIN_STEPPED 2u      /* it is run from a copy */
#define SB_BEGINS 4u             /* a power of two, as the next */
#define SB_END_NONE 0u
#define SB_END_PLACE 1u          /* at a place */
#define SB_END_RETURN 2u         /* by the trampoline of a return probe */
#define SB_ENDS 4u
/*
 * The same bits, of a function that allocates: which of its arguments, from 1 on, is the size, the number
 * of elements of that size, the block that it replaces, and where it puts the pointer; 0 = none.
 */
#define SB_ALLOC_HOW(size, times, old, out) ((size) | (times) << 3 | (old) << 6 | (out) << 9)
#define SB_ALLOC_OUTER 0x1000u   /* it may call another one, which is not counted then */
#define SB_ALLOC_SIZE(how) ((how) & 7u)
#define SB_ALLOC_TIMES(how) ((how) >> 3 & 7u)
#define SB_ALLOC_OLD(how) ((how) >> 6 & 7u)
#define SB_ALLOC_OUT(how) ((how) >> 9 & 7u)
/*
 * Sizes for which there are odds: numbers below SB_ALLOC_STEPS, then so many to each power of two up to
 * SB_ALLOC_TOP_MAX. Larger blocks are always sampled.
 */
#define SB_ALLOC_STEP_BITS 4u
#define SB_ALLOC_STEPS (1u << SB_ALLOC_STEP_BITS)
#define SB_ALLOC_TOP_MAX 31u
#define SB_ALLOC_CLASSES 512u
/* which argument is a string, + 1; 0 = none is */
#define SB_COOKIE_TEXT(cookie) ((__u32)((cookie) >> 32) & 0xffffu)
/* The same bits at the end of a function: which instruction of it the probe is at; 0 = it has returned. */
#define SB_COOKIE_LEAVES(cookie) SB_COOKIE_TEXT(cookie)
#define SB_LEAVES_RETURN 1u      /* one that returns */
#define SB_LEAVES_JUMP 2u        /* one that jumps to another function: there is no result yet */
/* For user space: the place is where a call was inlined. */
#define SB_COOKIE_INLINED (1ull << 26)
/*
 * The place is a basic block of a function whose branches are followed. Its number stands in place of the text; the
 * arguments of its hit are the six registers of a call, and from SB_BRANCH_RESULT on:
 */
#define SB_COOKIE_BRANCH (1ull << 27)
#define SB_BRANCH_RESULT 6u      /* the register of results */
#define SB_BRANCH_SP 7u          /* the stack pointer */
#define SB_BRANCH_PC 8u
#define SB_BRANCH_NUMBER 9u      /* of the block */
/* 1: the function that begins with the block has returned, and the registers are those of its caller */
#define SB_BRANCH_RETURNED 10u
#define SB_BRANCH_ARGS 11u
#define SB_COOKIE_RETURNED (1ull << 28)
/* Of a function of the kernel whose calls are followed: it begins there, and is left there by a return. */
#define SB_COOKIE_ROOT (1ull << 29)
#define SB_COOKIE_LEFT (1ull << 30)
/*
 * A call by a pointer within a function whose calls are followed: in place of the number its own number, and above that
 * the register (in DWARF order) that says where it leads.
 */
#define SB_COOKIE_POINTER(number, reg) SB_COOKIE(0, (number) | (reg) << 12)
#define SB_POINTERS 4096u                /* such numbers */
/* Where such calls led: key 0 = nothing is there. */
#define SB_POINTED 512u                  /* a power of two */
struct sb_pointed {
	__u64 key;               /* SB_POINTED_KEY */
	__u64 count;
};
#define SB_POINTED_KEY(target, number) ((__u64)(target) << 16 | (number))
#define SB_POINTED_NUMBER(key) ((__u32)(key) & (SB_POINTERS - 1))
#define SB_POINTED_TARGET(key) ((__u64)((__s64)(key) >> 16))     /* addresses have 48 bits */
/* What a hit is for a span: nothing, its begin or its end. */
#define SB_SPAN_NONE 0u
#define SB_SPAN_BEGIN 1u
#define SB_SPAN_END 2u
#define SB_COOKIE_OF_SPAN(probe, span) ((__u64)(span) << 60 | (probe))
#define SB_COOKIE_SPAN(cookie) ((__u32)((cookie) >> 60))
/* Which struct sb_loads says where the named values of its filter are; 0 = it has none. */
#define SB_COOKIE_OF_LOADS(loads) ((__u64)(loads) << 48)
#define SB_COOKIE_LOADS(cookie) ((__u32)((cookie) >> 48) & 0xfffu)
#define SB_PROBES 64u            /* that can be placed (PROBES_MAX of src/model/probes.h); a power of two */
/* The filter of the begin of a span is that of this number; that of its end, of its own. */
#define SB_BEGIN_FILTER(probe) ((probe) + SB_PROBES)

/*
 * What of the hits of one placed probe is told: expressions in postfix order, which the kernel half
 * evaluates before it copies anything. Operands are pushed, operators replace what they take. Values
 * are signed; whoever writes steps has checked that they never use more than SB_DEPTH values, take
 * none that is not there, and leave one.
 */
#define SB_STEPS 32u
#define SB_DEPTH 8u
#define SB_COMMS 4u
struct sb_step {
	__u32 op;                /* SB_OP_* */
	__u32 pad;
	__s64 value;
};
struct sb_filter {
	struct sb_step when[SB_STEPS];           /* 0: the hit is not told; without steps all are */
	struct sb_step sum[SB_STEPS];            /* what it weighs; without steps: as its kind says */
	__u64 comm[SB_COMMS][2];                 /* names of threads that steps compare with, padded with 0 */
};
#define SB_OP_END 0              /* behind the last step */
#define SB_OP_NUMBER 1           /* pushes value */
#define SB_OP_INPUT 2            /* pushes the input value, SB_INPUT_* */
#define SB_OP_COMM 3             /* pushes whether the thread is called comm[value] */
#define SB_OP_NOT 4
#define SB_OP_COMPLEMENT 5
#define SB_OP_NEGATE 6
#define SB_OP_OR 7               /* from here on two are taken */
#define SB_OP_AND 8
#define SB_OP_EQUAL 9
#define SB_OP_UNEQUAL 10
#define SB_OP_LESS 11
#define SB_OP_LESS_EQUAL 12
#define SB_OP_GREATER 13
#define SB_OP_GREATER_EQUAL 14
#define SB_OP_BIT_OR 15
#define SB_OP_BIT_XOR 16
#define SB_OP_BIT_AND 17
#define SB_OP_SHIFT_LEFT 18
#define SB_OP_SHIFT_RIGHT 19
#define SB_OP_ADD 20
#define SB_OP_SUBTRACT 21
#define SB_OP_MULTIPLY 22
#define SB_INPUT_ARG 0           /* the first of six arguments */
#define SB_INPUT_RESULT 6
#define SB_INPUT_LATENCY 7
#define SB_INPUT_PID 8
#define SB_INPUT_TID 9
#define SB_INPUT_CPU 10
#define SB_INPUT_LOAD 11         /* the first of SB_LOADS named values */
#define SB_INPUTS 32u            /* a power of two */

/*
 * Where a named value is at one place: it is read from something that is known when the place is hit,
 * through up to SB_HOPS pointers. ADDRESS is the value of FROM, and that of INDEX times SCALE. Each hop
 * reads at ADDRESS + OFFSET of that hop: 8 bytes, which are the next ADDRESS, the last hop SIZE bytes.
 * Without hops the value is ADDRESS + OFFSET[0], of which the low SIZE bytes count.
 */
#define SB_HOPS 4u
struct sb_load {
	__u8 size;               /* 1, 2, 4 or 8; 0 = behind the last value; from SB_LOAD_TEXT on it is about text */
	__u8 is_signed;
	__u8 hops;
	__u8 user;               /* mask of the hops that read memory of the program, not of the kernel */
	__u8 from, index;        /* SB_LOAD_* */
	__u16 scale;
	__s64 offset[SB_HOPS];
};
/*
 * In place of SIZE: the value is whether the string at the address of the last hop is text[size - SB_LOAD_TEXT]
 * of the set. SCALE is one of SB_STRING_*.
 */
#define SB_LOAD_TEXT 16u
#define SB_LOAD_TEXTS 4u
#define SB_LOAD_TEXT_BYTES 64u   /* of one, with its end, padded with 0 */
#define SB_STRING_HERE 0u        /* the string itself is there */
#define SB_STRING_AT 1u          /* there is, in 16 bits, where it is behind what FROM points to */
#define SB_STRING_BEHIND 2u      /* and where it is behind these 4 bytes */
#define SB_LOAD_NOTHING 0        /* which is 0 */
#define SB_LOAD_RECORD 1         /* address of the record that a tracepoint has made */
#define SB_LOAD_ARG 2            /* the first of six arguments, and behind them: */
#define SB_LOAD_RESULT 8         /* the result; of a function, it is looked at when that returns */
#define SB_LOAD_REG 16           /* the first of the registers at the place, by DWARF number */
#define SB_CALL_LOADS 4u         /* of a function that is followed to its return: they are read at its entry */
#define SB_LOADS 8u              /* of one probe; a power of two */
#define SB_LOAD_BASES 64u        /* above all SB_LOAD_*; a power of two */
struct sb_loads {
	struct sb_load load[SB_LOADS];
	__u64 text[SB_LOAD_TEXTS][SB_LOAD_TEXT_BYTES / 8];
	/* the set whose values are the arguments of the place, for who looks at them; 0 = they are those of a call */
	__u32 args;
	/*
	 * the set of what is told with a hit, up to SB_PRINTS: each is what is at the address of the last hop, SCALE
	 * bytes of it, or with 0 a string; without a size there is none at its place. 0 = nothing is
	 */
	__u32 print;
};
#define SB_PRINTS 4u
#define SB_PRINT_MAX 512u        /* bytes of one; of a string SB_TEXT_MAX */
#define SB_LOAD_SETS 256u        /* different ones; the first is not used */

/*
 * The futex that a thread waits for, and the memory around it when the wait began (src/model/lock.h). The arguments
 * are those of futex(2).
 */
#define SB_LOCK_BEFORE 16
#define SB_LOCK_BYTES 48
struct sb_lock {
	__u64 address;           /* 0 = it waits for none */
	__u32 op, value;
	__u16 from;              /* of the first FROM bytes nothing is known */
	__u16 flags;             /* SB_LOCK_* */
	__u32 holder;            /* with SB_LOCK_OF_INTERPRETER: a thread, as the process numbers it; 0 = unknown */
	__u8 bytes[SB_LOCK_BYTES];       /* from ADDRESS - SB_LOCK_BEFORE on */
};
#define SB_LOCK_OF_INTERPRETER 0x1u      /* ADDRESS is that of the lock of sb_plan, around which nothing is read */
/* it is one of the kernel: OP is SB_KLOCK_*, the first of the bytes a struct sb_lock_owner, and nothing else counts */
#define SB_LOCK_OF_KERNEL 0x2u

/* What kind of lock of the kernel; the numbers fit into the low bits of an address. enum lock_of_kernel of lock.h. */
#define SB_KLOCK_OTHER 0u
#define SB_KLOCK_MUTEX 1u
#define SB_KLOCK_RWSEM_READ 2u
#define SB_KLOCK_RWSEM_WRITE 3u
#define SB_KLOCK_PERCPU_READ 4u
#define SB_KLOCK_PERCPU_WRITE 5u
#define SB_KLOCK_NR 6u
/* In their place, of no lock: a pipe or a socket, whose address is the number of its inode; plus 1: it is to write */
#define SB_CHANNEL_PIPE 6u
#define SB_CHANNEL_SOCKET 8u
#define SB_CHANNEL_NR 10u

/* Who had such a lock when the wait began, as the kernel numbers it. */
struct sb_lock_owner {
	__u32 pid, tid;          /* 0 = that is not known */
	__u64 start_ns;
	__u32 readers;           /* of a semaphore that is read: so many have it */
	__u32 pad;
	char comm[16];
};
_Static_assert(sizeof(struct sb_lock_owner) <= SB_LOCK_BYTES, "it stands in sb_lock.bytes");

/*
 * A wait: sb_hdr.time_ns is its end, sb_hdr.cpu and .node where the task was before. With SB_WAIT_NO_STACK nothing else
 * follows.
 */
struct sb_part_wait {
	struct sb_part part;     /* flags: SB_WAIT_* */
	__u64 id;                /* of this wait: the stamp of its slot, or what stands for one */
	__u64 out_ns;            /* when it left the CPU; when the capture saw it first with SB_WAIT_SEEDED */
	__u64 waking_ns;         /* when it was woken; 0 = it was not blocked */
	__u64 period_ns;         /* that decided whether to tell it */
	__s32 call;              /* system call number, or SB_CALL_* */
	__u8 state;              /* enum wait_state of src/model/wait.h */
	/* SB_WAKER_TASK when the waker is set: the task that was current, perhaps interrupted */
	__u8 context;
	__u16 prio;              /* of the task when it ended, task_struct.prio + SB_PRIO; 0 = not known */
	__u32 to_cpu, to_node;   /* where it runs now */
	__u32 waker_pid, waker_tid;
	__u64 waker_start_ns;
	char waker_comm[16];
	/* sb_sum_key.id of waits that are not told, but summed, since this one was; 0 = none are */
	__u64 sum;
	/* these two not where there is no stack; older sides do not know the second */
	struct sb_inside inside;
	struct sb_lock lock;
};
#define SB_WAIT_BARE_BYTES (sizeof(struct sb_part_wait) - sizeof(struct sb_inside) - sizeof(struct sb_lock))
#define SB_PRIO 2
#define SB_WAIT_SEEDED 0x1u
#define SB_WAIT_NO_STACK 0x2u
#define SB_WAIT_COMPAT 0x4u      /* call is of the 32-bit ABI */
/* most of the time that it could run, its cgroup had no CPU time left; states that say so by themselves lack this */
#define SB_WAIT_THROTTLED 0x8u

/* enum wait_state and enum waker_context of src/model/wait.h, for the side that cannot include it. */
#define SB_STATE_PREEMPTED 1
#define SB_STATE_INTERRUPTIBLE 2
#define SB_STATE_UNINTERRUPTIBLE 3
#define SB_STATE_KILLABLE 4
#define SB_STATE_STOPPED 5
#define SB_STATE_TRACED 6
#define SB_STATE_EXITING 7
#define SB_STATE_IDLE 8
#define SB_STATE_NEW 9
#define SB_STATE_FROZEN 10
#define SB_STATE_THROTTLED 11
#define SB_WAKER_TASK 1
#define SB_WAKER_HARDIRQ 2
#define SB_WAKER_SOFTIRQ 3

/* What brought a task into the kernel when it was no system call. */
#define SB_CALL_FAULT (-1)       /* a page fault; of a task that is runnable an interrupt, too */
#define SB_CALL_KERNEL (-2)      /* no user side */
#define SB_CALL_STOPPED (-3)     /* it was in user mode when it was made to stop, ... */
#define SB_CALL_TRACED (-4)
#define SB_CALL_FROZEN (-5)
/* ... or sleeps on its way back there from an interrupt, or an exception that is no page fault */
#define SB_CALL_RETURN (-6)
#define SB_CALL_UNKNOWN (-7)     /* a page fault or that: this kernel does not let us see which */

struct sb_part_wake {
	struct sb_part part;
	__u64 wait_id;           /* sb_part_wait.id */
	__u64 start_ns;          /* of the task that is woken */
	__u32 tid;
	__u32 pad;
};

/*
 * The current task was told by futex(2) to wake who waits at LOCK. Waits of SB_TURN_LEAST and more are divided by it
 * among those who held the lock meanwhile, so they are not summed.
 */
struct sb_part_handover {
	struct sb_part part;
	__u64 start_ns;          /* of the task that is woken */
	__u64 out_ns;            /* since when it waits: LOCK is as it was then */
	__u32 pid, tid;
	struct sb_lock lock;     /* nothing around it is known when its stack was taken while it waited */
	__u32 holder;            /* of the lock of an interpreter: who has it now, or had it last, as LOCK.holder */
	__u32 pad;
};
#define SB_TURN_LEAST 1000000ull         /* ns */

/*
 * A slot keeps the stack of a task while it waits: a whole record of SB_REC_WAIT in the making.
 * STATE says whose turn it is; it only changes by atomic exchange.
 *
 *	SB_SLOT_IDLE   the task that owns it runs
 *	SB_SLOT_BUSY   its record is being written, or user space has it
 *	else           the id of the wait whose record is whole
 *
 * User space may take a slot from a waiting task (id -> SB_SLOT_BUSY), copy it, set it idle and put
 * its index back among the free ones. The task, when it runs again, finds that its slot does not
 * hold its id, and tells the end of the wait without a stack.
 */
#define SB_SLOT_IDLE 0ull
#define SB_SLOT_BUSY 1ull
struct sb_slot {
	__u64 state;
	__u32 size;              /* of the record */
	__u32 pad;
	__u64 stack;             /* what the user's side of the stack is known by; 0 = nothing */
	__u8 rec[];
};

/* Totals of one task, by what it did: kept exactly, by the scheduler's switches. */
struct sb_total_key {
	__u64 start_ns;
	__u32 tid;
	/* system call number, SB_CALL_* or SB_TOTAL_RUN; SB_TOTAL_COMPAT + number for the 32-bit ABI */
	__s32 what;
};
#define SB_TOTAL_RUN (-16)
#define SB_TOTAL_PREEMPTED (-17)
#define SB_TOTAL_NEW (-18)               /* before a thread runs for the first time */
#define SB_TOTAL_COMPAT 0x10000

struct sb_total {
	__u64 ns;                /* running, or blocked */
	__u64 runnable_ns;
	__u64 count;
	__u64 long_ns, long_runnable_ns, long_count;     /* waits of a period and more */
	__u64 short_ns, short_count;                     /* waits below min_wait_ns: in none of the above */
	__u32 pid;
	__u32 gone;              /* the task has left its CPU for the last time */
	__u64 moves;             /* with SB_TOTAL_RUN: came back on another node than it left */
	__u64 kernel_moves;      /* with SB_TOTAL_RUN: put to another node by the scheduler (sched_migrate_task) */
};

/*
 * Sums of short waits: all those of one thread that have the same stack, user's and kernel's,
 * state, call and node. The first one of each is told, with what the others share and the id; those
 * that follow are summed. There are two maps: sums go into one while user space reads and empties
 * the other, and then each first one is told again. So a storm of waits needs no room in a ring,
 * and each sum that is read belongs to a record that came before.
 *
 * Hits of a placed probe are summed in the same way, in two maps of their own: those of one thread
 * with the same user stack. Of these the value is in blocked_ns, and call is the probe. Parts begin at
 * 1,000 ns, and how long hits took is theirs; in runnable_ns is how many of the hits were not told, and
 * are stood for by others of their part (thin.bpf.h).
 */
struct sb_sum_key {
	__u64 start_ns;          /* of the task */
	__u64 id;                /* of stack, state, call and node */
	__u32 tid;
	__u32 pad;
};
#define SB_SUM_BUCKETS 16        /* by length: below 1024 ns, and then twice as long each */
#define SB_SUM_LONGEST 100000000ull      /* ns: longer waits are told; other eyes may have seen them under way */
struct sb_sum_part {
	__u64 blocked_ns, runnable_ns;
	__u64 count;
};
struct sb_sum {
	__u64 last_ns;           /* end of the last one */
	__u64 longest_ns;        /* end of the longest, and its parts, which are in a bucket, too */
	__u64 longest_blocked_ns, longest_runnable_ns;
	__u32 pid, node;
	__s32 call;              /* of these: as in sb_part_wait */
	__u8 state;
	__u8 flags;
	__u16 cpu;               /* the one that was left last */
	struct sb_sum_part part[SB_SUM_BUCKETS];
};

/* What the iterators say of a call of a placed probe that has begun and not ended. */
struct sb_open_call {
	__u64 begun_ns;
	__u32 probe;             /* SB_PROBE_* */
	__u32 pad;
};

/*
 * What the iterator says of one task that is off the CPU. Behind it are the user's registers, as in
 * sb_part_regs, the addresses of the kernel's stack, innermost first, and true return addresses.
 */
struct sb_open {
	__u64 id, out_ns, waking_ns;     /* as in sb_part_wait */
	__u64 start_ns, cgroup_id, exe_id;
	__u32 pid, tid;
	__u32 cpu, node;                 /* that it left */
	__s32 call;
	__u8 state;
	__u8 flags;                      /* SB_WAIT_SEEDED, _COMPAT, _THROTTLED, SB_WAIT_NO_STACK: it has no slot */
	__u16 nr_kernel;                 /* addresses; 0 = they were told before */
	__u32 slot;                      /* index when it has one */
	__u16 nr_regs;                   /* 0 = none */
	__u16 machine;                   /* as sb_part_regs.machine */
	char comm[16];
	/* of return probes that are pending (bpf/returns.bpf.h): what stands on the stack instead of true addresses */
	__u64 trampoline;
	/* pairs of a slot and its true address, innermost first; if there are any, SB_OPEN_RETURNS follow */
	__u32 nr_returns;
	__u32 pad;
	struct sb_lock lock;             /* of the kernel, for which it has waited since before the capture; else 0 */
};
#define SB_OPEN_RETURNS 16u

/* What the iterator says of the nodes of one task. */
#define SB_HOME_NODES 2u         /* words of 64 nodes of a memory policy that are told */
struct sb_home {
	__u64 start_ns;
	__u32 pid, tid;
	__s32 home;                      /* numa_preferred_nid; -1 = none, or the kernel does not balance */
	__u32 node;                      /* of the CPU it was last on */
	__u16 policy;                    /* MPOL_* of include/uapi/linux/mempolicy.h; 0 = the default */
	__u16 flags;                     /* MPOL_F_* */
	__u32 pad;
	__u64 nodes[SB_HOME_NODES];      /* of that policy, lowest first */
};

/*
 * What works for sberf, which is not to be watched either, has a comm that begins so: sberf-peek, sberf-worker,
 * sberf-collector.
 */
#define SB_HELPER_PREFIX "sberf-"
#define SB_HELPER_NAME SB_HELPER_PREFIX "peek"           /* src/capture/peek.h */

#define SB_STACK_MIN 4096u       /* smallest and largest copy of one segment */
#define SB_STACK_MAX 65536u
#define SB_RUNS_MAX 3u           /* segments of one copy: between pages that cannot be read ... */
/* ... of the stack, of the one that a signal interrupted, and from where a walk stopped */
#define SB_SEGMENTS_MAX (3 * SB_RUNS_MAX)
#define SB_KSTACK_MAX 127u       /* kernel frames at most; kernel.perf_event_max_stack's default */

/*
 * Unwinding in the kernel half. User space publishes *rules*: for a page of SB_TEXT_BYTES of a
 * module's file, rows that each hold from their place up to the next one. A row is 4 bytes: the
 * place within the page, and the index of a rule in a dictionary that all modules share, since
 * there are few different ones. What is mapped where stands in a *space* of each process: mappings
 * of files that are known. Rules of rules.h (src/unwind) cross as they are.
 *
 * A space is believed as long as its id is that of the memory at hand (sb_part_walk.space). What
 * that cannot tell, user space finds out afterwards: it looks every address up in the mappings of
 * that moment, and believes the stack only when CHECK comes out the same.
 */
#define SB_WALK_MAX 1024u        /* frames at most */
#define SB_TEXT_SHIFT 11u
#define SB_TEXT_BYTES (1u << SB_TEXT_SHIFT)
#define SB_ROWS 256u             /* of a page at most; a power of two */
#define SB_GROUP 16u             /* of them that fill a cache line; both counts are powers of two */
#define SB_GROUPS (SB_ROWS / SB_GROUP)
#define SB_RULES 65536u          /* different ones */
#define SB_SPACE_MAPS 256u       /* mappings of a space; a power of two */
#define SB_ROW(place, rule) ((__u32)(place) << 16 | (rule))

struct sb_rule {
	__u8 kind;               /* SB_RULE_* */
	__u8 arg;                /* of SB_RULE_SP and SB_RULE_BP: SB_RULE_RA_* */
	__s16 bp;
	__s32 cfa;
};

/* enum rule_kind of src/unwind/rules.h; all others are for user space. */
#define SB_RULE_SP 0
#define SB_RULE_BP 1
#define SB_RULE_PLT 2
#define SB_RULE_DRAP 3
#define SB_RULE_END 4
#define SB_RULE_SIGNAL 5
#define SB_RULE_FP 7
#define SB_RULE_SWITCH 11
#define SB_RULE_BP_SAME 0x7fff
#define SB_RULE_PLACED 0x80      /* in arg, but of SB_RULE_SWITCH and SB_RULE_PLT, where neither of the two is set */
#define SB_RULE_NO_TABLE 0x40
#define SB_RULE_RA 0x30          /* where the return address is */
#define SB_RULE_RA_PUSHED 0x00   /* at CFA - 8 */
#define SB_RULE_RA_BESIDE 0x10   /* above the caller's bp */
#define SB_RULE_RA_SLOT 0x20     /* where the caller's bp would be, which is not saved */
#define SB_RULE_RA_LINK 0x30     /* in a register: no architecture of the kernel half has it there */

/*
 * In arg of SB_RULE_SWITCH: where Go's runtime changes stacks, and what it keeps for the way back.
 * Slots and offsets are bytes; offsets in structures that have been the same since Go 1.5 are
 * SB_GO_*.
 *
 *	value            function      bp                          cfa
 *	SB_SWITCH_UP     systemstack   offset of m.curg            of g from the thread pointer
 *	SB_SWITCH_MORE   morestack     offset of m.curg            of g from the thread pointer
 *	SB_SWITCH_PARK   mcall         offset of m.curg
 *	SB_SWITCH_CALL   asmcgocall    slot of g, 0 = none was left
 *	                               slot of the distance from g's stack's end, without g of sp
 *	SB_SWITCH_BACK   cgocallback   bytes of its frame          of g from the thread pointer
 *	SB_SWITCH_BP     time.now ...: rbp, which is not changed with the stack, lies below the return address
 *
 * Framed: the function, systemstack or asmcgocall, has pushed rbp below its return address.
 */
#define SB_SWITCH_UNKNOWN 0      /* another instruction of these functions, or another version of them */
#define SB_SWITCH_UP 1
#define SB_SWITCH_MORE 2
#define SB_SWITCH_PARK 3
#define SB_SWITCH_CALL 4
#define SB_SWITCH_BACK 5
#define SB_SWITCH_UP_FRAMED 6
#define SB_SWITCH_CALL_FRAMED 7
#define SB_SWITCH_BP 8           /* the only one that holds where something runs, too */
#define SB_GO_STACK_END 0x8      /* in g: stack.hi */
#define SB_GO_M 0x30             /* in g: m */
#define SB_GO_SP 0x38            /* in g: sched.sp */
#define SB_GO_PC 0x40            /* in g: sched.pc */
#define SB_GO_G0 0x0             /* in m: g0 */

/* Whole cache lines, of which a search reads two: the head, and the group of rows that it tells. */
struct sb_page {
	/*
	 * SB_PAGE_KEY(); 0 = its rows, or all rules, are being written: to be looked at once more
	 * behind the rule
	 */
	__u64 key;
	__u64 used_ns;           /* when a walk last came by; written by the kernel half */
	__u32 nr;
	__u32 pad[3];
	__u16 first[SB_GROUPS];  /* place of the first row of each group; all ones behind the last */
	__u32 row[SB_ROWS];      /* by place, the first at 0; all ones behind the last */
};
#define SB_OFFSET_BITS 40u       /* of an offset in a file */
#define SB_PAGE_KEY(module, offset) \
	(((__u64)(module) << (SB_OFFSET_BITS - SB_TEXT_SHIFT) | (offset) >> SB_TEXT_SHIFT) + 1)

struct sb_map {
	__u64 start, end;
	__u64 pgoff;             /* file offset of start; with SB_MAP_FP: start */
	__u64 module;            /* and SB_MAP_* */
};
#define SB_MAP_FP (1ull << 63)   /* code that was made at run time, which keeps frame pointers: no rules, and no file */

struct sb_space {
	__u32 seq;               /* odd while it is being written */
	__u32 nr;
	__u64 id;                /* 0 = nobody's */
	__u64 used_ns;           /* as in sb_page */
	/* under which relatives of the process find it; 0 = they do not; written by the kernel half */
	__u64 kin;
	struct sb_map map[SB_SPACE_MAPS];        /* by address; all ones behind the last */
};

struct sb_part_walk {
	struct sb_part part;     /* flags: SB_WALK_*, why there is no stack by rules, or not all of it; 0 = there is */
	/* id of the memory: another one after exec, and when the size of what is executable changes */
	__u64 space;
	__u64 check;             /* sb_check() over the places looked up, frame by frame */
};

/*
 * The frame at which a walk stopped: SB_PART_WALK says why, SB_PART_WALKED has those before. It is
 * there when there is at least one of these; what is copied goes on from there when it would not
 * have come that far.
 */
struct sb_part_stop {
	struct sb_part part;     /* flags: SB_STOP_* */
	__u64 pc, sp, bp;
};
#define SB_STOP_EXACT 0x1u       /* pc is where a signal interrupted it, not a return address */

#define SB_WALK_NO_SPACE 1       /* nothing is published for the process, or for other memory of it */
#define SB_WALK_NO_MAP 2         /* an address lies in no published mapping */
#define SB_WALK_NO_PAGE 3        /* no rows are published for a place */
#define SB_WALK_NO_RULE 4        /* the place needs what only user space can do */
#define SB_WALK_NO_READ 5        /* a stack page could not be read */
#define SB_WALK_BAD 6            /* the next frame made no sense */
/* more than SB_WALK_MAX frames: the nearest are there, SB_ADDRS_FULL; or no room for them */
#define SB_WALK_DEEP 7
#define SB_WALK_RACE 8           /* it was being published meanwhile */
#define SB_WALK_NR 9

/* Folds the place OFFSET of the file of MODULE into CHECK. */
#define sb_check(check, module, offset) (((check) ^ (offset) ^ (__u64)(module) << SB_OFFSET_BITS) * \
					 0x9e3779b97f4a7c15ull)

/*
 * A *plan* of a process: what is read of it with each stack, as a program of a machine with one number, AT. It is
 * what a plug-in has planned (sberf/plugin.h), with as few reads as that can be done by (engine/script_plan.h). A
 * read that fails, and an AT of 0, end it.
 */
struct sb_plan_step {
	__u8 op;                 /* SB_STEP_* */
	__u8 from;               /* SB_STEP_HERE, or before all else AT = this word of what this turn has copied ... */
	__u8 tag;                /* ... without these bits */
	__u8 words;              /* of SB_STEP_OWN: how many more follow; of SB_STEP_PICK: how many are copied ... */
	__u32 count;             /* ... and which of those at AT + value, the first one in the lowest bits */
	__s64 value;
};
#define SB_STEP_HERE 0xff
#define SB_PICK_BITS 4
#define SB_PICK_BYTES (8u << SB_PICK_BITS)       /* from the first to the last word that can be told */
#define SB_STEP_STOP 0           /* behind the last step */
#define SB_STEP_ADDRESS 1        /* AT = value */
#define SB_STEP_REGISTER 2       /* AT = the register with the DWARF number count, of the innermost user frame */
#define SB_STEP_THREAD 3         /* AT = the thread pointer */
#define SB_STEP_ADD 4            /* AT += value */
#define SB_STEP_DEREF 5          /* AT = the 8 bytes at AT + value; 0 ends the plan */
#define SB_STEP_PICK 6           /* copies words, the last one the farthest, behind what is in the record */
#define SB_STEP_LOOP 7           /* the steps up to SB_STEP_END are done count times; each turn makes a record */
#define SB_STEP_END 8            /* with value 1: AT is again what it was when the turn began */
/* AT = the 8 bytes at value, if they are of this thread: what AT was comes afterwards (sberf/plugin.h) */
#define SB_STEP_OWN 10
#define SB_STEP_THEN 11          /* value comes afterwards, if it is of this thread */
#define SB_PLAN_STEPS 32u        /* a power of two */
#define SB_PLAN_TURNS 1024u
#define SB_PLAN_RECORD 64u       /* bytes of one record at most */
#define SB_PLAN_BYTES 57344u      /* of all records of one event */
#define SB_PLANS 1024u           /* processes that have one */
struct sb_plan {
	__u64 serial;            /* of this plan: no other has it */
	/* the lock of the interpreter; none = it has no bytes. Who has it: sberf_plan.holder of sberf/plugin.h */
	__u64 lock_start, holder;
	__u32 lock_bytes;
	__u32 holder_thread, holder_id;
	__u32 pad;
	struct sb_plan_step step[SB_PLAN_STEPS];
};

struct sb_part_taken {
	struct sb_part part;     /* flags: SB_TAKEN_*, why there is no more */
	__u64 serial;            /* of the plan */
	__u32 nr;                /* whole records, in order of their turns */
	__u32 record;            /* bytes of each, a multiple of 8 */
	/* __u8 byte[nr * record]; */
};
#define SB_TAKEN_WHOLE 0         /* the plan came to its end */
#define SB_TAKEN_UNREAD 1        /* something could not be read */
#define SB_TAKEN_DEEP 2          /* there were more turns than it does */
#define SB_TAKEN_ROOM 3          /* no room for more records */
#define SB_TAKEN_BAD 4           /* the plan makes no sense, or was replaced meanwhile */
#define SB_TAKEN_NR 5

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
#define SB_LOST_HIT_STACK 9      /* the ring had no room for a hit: it counts with the next one of its probe */
#define SB_LOST_VALUE 10         /* a named value of a condition or a sum could not be read: the hit is not told */
/* arguments of a hit that is told otherwise: nobody misses them; or SB_REC_INSIDE: how long it took is not known */
#define SB_LOST_ARGS 11
#define SB_LOST_OPEN 12          /* a task had no room for another call or span: that, or the oldest span, is lost */
#define SB_LOST_NR 13

/* What is lost of hits of one probe: struct untold of thin.bpf.h counts them by it. */
#define SB_HIT_LOST_STACK 0u     /* its record had no room: it counts with the next one's stack */
#define SB_HIT_LOST_VALUE 1u     /* SB_LOST_VALUE: it does not count */
#define SB_HIT_LOST_WHOLE 2u     /* it does not count: memory of its task, its record in a trace, a buffer in use */
#define SB_HIT_LOST_NR 3u

/* A lock of the kernel that is spun for. */
#define SB_SPINS 4u              /* a power of two */
struct sb_spin {
	__u64 lock;              /* 0 = none is */
	__u64 since_ns;
};

/*
 * The kernel half's figures for one CPU; counters only grow. One element per possible CPU, mapped
 * by user space; whole cache lines.
 */
struct sb_cpu {
	__u64 last_ns;           /* when the sampler last ran here, 0 = never */
	__u64 runs;              /* times it ran, also for tasks outside the target */
	__u64 idled;             /* times this CPU's idle task had left it by then, + 1; 0 = not known */
	__u64 samples;           /* records sent */
	__u64 lost[SB_LOST_NR];
	__u64 unfollowed;        /* new tasks of the target that did not fit into the table of targets */
	__u64 waits;             /* records of waits sent */
	__u64 switches;          /* of tasks of the target */
	__u64 switched_ns;       /* when the last switch was seen here */
	__u64 inferred;          /* switches that were not seen, and told from what was */
	__u64 moves_ns;          /* since when moves are counted against their bound ... */
	__u64 moves_told;        /* ... and how many were told since */
	__u64 faults_ns;         /* the same of page faults */
	__u64 faults_told;
	/* of the faults of which one is told: how many there are, are left, and are left behind that one */
	__u64 faults_block, faults_left, faults_pick;
	__u64 balanced_tid;      /* the task of which balancing had a fault here last ... */
	__u64 balanced_at;       /* ... and how many faults it had had before */
	__u64 balanced_addr;     /* ... and where */
	__u64 balancing_faults;  /* of the target, estimated: each stands for the period that the kernel lets pass */
	__u64 summed;            /* waits */
	__u64 sums_full;         /* waits that would have been, but there was no room */
	__u64 called_ns;         /* up to when calls for strangers are used up */
	__u64 kstacks_checked;   /* that were known, and unwound all the same to be compared ... */
	__u64 kstacks_different; /* ... and differed */
	__u64 target_key;        /* of the target, who was sampled here last: process or thread ... */
	__u64 target_start_ns;   /* ... and since when it is there; 0 = nobody yet */
	/* to whom, of a switch of which only the first half was looked at; 0 = there is none */
	__u64 switching;
	__u64 left;              /* calls of probed functions that never returned: longjmp(), exceptions */
	__u64 allocs;            /* calls of functions that allocate or free, sampled or not */
	/* the block that was sampled last here, until its thread allocates another one */
	__u64 alloc_tid, alloc_addr;
	__u64 own_variables;     /* what is added to a pointer to a variable of each CPU, for this one; 0 = not known */
	__u64 handover_ns;       /* up to when records of handovers are used up */
	__u64 not_handed;        /* threads that waited for a lock and were woken when they were */
	__u64 sending;           /* records that are being put into the ring here, whose lock is taken for that */
	struct sb_spin spin[SB_SPINS];
	__u64 unused[7];         /* to the end of the cache line */
};

/*
 * A call of a BPF program, or with records also of a function of the kernel, as bpf/bpfcalls.bpf.c tells it: what it
 * was given, what it returned, and of its branches either the jumps on a condition that it came to, of those at which
 * there are breakpoints, in their order; or the branch records of the CPU.
 */
#define SB_JUMPS 4u              /* breakpoints that a CPU has */
#define SB_BPF_ARGS 6u
#define SB_CALL_JUMPS 256u       /* hits of one call */
#define SB_RECORDS 64u           /* no processor has more */
struct sb_bpf_call {
	__u64 begun_ns, ended_ns;        /* CLOCK_MONOTONIC; with records both are the end */
	__u64 arg[SB_BPF_ARGS], result;  /* registers */
	__u64 packet;            /* bytes of the packet that it is about; SB_NO_PACKET */
	__u32 pid, tid;          /* in which it ran: programs that handle interrupts run in whichever thread there is */
	char comm[16];
	__u32 function;          /* number of the function, as user space gave it */
	__u32 set;               /* which jumps were watched from begin to end; 0 = none, or they changed */
	__u32 jumps, records;    /* hits or entries that follow */
	__u32 dropped;           /* further hits, for which there was no room */
	__u32 cpu;
	union {
		__u64 jump[SB_CALL_JUMPS];       /* SB_JUMP_* */
		struct sb_record {
			__u64 from, to, bits;    /* as struct perf_branch_entry has them */
		} record[SB_RECORDS];
	};
};
#define SB_NO_PACKET (~0ull)
/* What arguments and the result of a call lead to: stands before it where something is to be shown. */
struct sb_bpf_prints {
	struct sb_bpf_print {
		__s32 got;               /* bytes; < 0 = it cannot be read, or nothing is asked for */
		__u32 pad;
		char bytes[SB_PRINT_MAX];
	} print[SB_PRINTS];
};
/*
 * What is read of a call, of struct sb_loads: the first SB_PRINTS loads are what is shown, as of a set that is PRINT,
 * those behind them the named values of the condition, SB_INPUT_LOAD and so on.
 */
#define SB_BPF_NAMES (SB_LOADS - SB_PRINTS)
/*
 * A hit: the frame pointer of the function, which of the breakpoints, and the flags of the processor before the jump.
 */
#define SB_JUMP(frame, which, flags) ((__u64)(frame) << 16 | (__u64)((which) & 3u) << 12 | ((flags) & 0xfffu))
#define SB_JUMP_FRAME(hit) ((hit) >> 16)
#define SB_JUMP_WHICH(hit) ((__u32)((hit) >> 12) & 3u)
#define SB_JUMP_FLAGS(hit) ((__u32)(hit) & 0xfffu)
/* What is counted on the way. */
struct sb_bpf_lost {
	__u64 calls;             /* that were followed */
	__u64 unmet;             /* calls that do not meet their condition */
	__u64 off;               /* calls while breakpoints were taken off */
	__u64 full;              /* calls for which the ring had no room */
	__u64 crowded;           /* calls that had too many others around them */
	__u64 hits;              /* of breakpoints */
	__u64 strange;           /* of these in no call that is followed */
	__u64 no_records;        /* calls of which the processor gave no records */
	__u64 unended;           /* calls whose end no breakpoint told */
};

#ifndef __bpf__
_Static_assert(sizeof(struct sb_hdr) == 24, "sb_hdr is wire format");
_Static_assert(sizeof(struct sb_part) == 8, "sb_part is wire format");
_Static_assert(sizeof(struct sb_part_task) == 56, "sb_part_task is wire format");
_Static_assert(sizeof(struct sb_part_sample) == 64, "sb_part_sample is wire format");
_Static_assert(sizeof(struct sb_part_regs) == 16, "sb_part_regs is wire format");
_Static_assert(sizeof(struct sb_part_addrs) == 16, "sb_part_addrs is wire format");
_Static_assert(sizeof(struct sb_part_wait) == 200, "sb_part_wait is wire format");
_Static_assert(sizeof(struct sb_part_inside) == 24, "sb_part_inside is wire format");
_Static_assert(sizeof(struct sb_part_wake) == 32, "sb_part_wake is wire format");
_Static_assert(sizeof(struct sb_slot) == 24, "sb_slot is shared with user space");
_Static_assert(sizeof(struct sb_part_addr) == 16, "sb_part_addr is wire format");
_Static_assert(sizeof(struct sb_part_event) == 40, "sb_part_event is wire format");
_Static_assert(sizeof(struct sb_part_text) == 16, "sb_part_text is wire format");
_Static_assert(sizeof(struct sb_call_wish) == 4, "sb_call_wish is shared with user space");
_Static_assert(sizeof(struct sb_home) == 48, "sb_home is what the iterator writes");
_Static_assert(sizeof(struct sb_open_call) == 16, "sb_open_call is shared with user space");
_Static_assert(sizeof(struct sb_sum) == 48 + 24 * SB_SUM_BUCKETS, "sb_sum is shared with user space");
_Static_assert(sizeof(struct sb_total) == 88, "sb_total is shared with user space");
_Static_assert(sizeof(struct sb_open) == 184, "sb_open is what the iterator writes");
_Static_assert(sizeof(struct sb_part_walk) == 24, "sb_part_walk is wire format");
_Static_assert(sizeof(struct sb_part_stop) == 32, "sb_part_stop is wire format");
_Static_assert(sizeof(struct sb_part_taken) == 24, "sb_part_taken is wire format");
_Static_assert(sizeof(struct sb_plan) == 40 + 16 * SB_PLAN_STEPS, "sb_plan is shared with user space");
_Static_assert(sizeof(struct sb_page) == 64 + 4 * SB_ROWS, "sb_page is shared with user space");
_Static_assert(sizeof(struct sb_space) == 32 + 32 * SB_SPACE_MAPS, "sb_space is shared with user space");
_Static_assert(sizeof(struct sb_cpu) == 512, "sb_cpu is shared with user space");
_Static_assert(sizeof(struct sb_part_handover) == 112, "sb_part_handover is wire format");
_Static_assert(sizeof(struct sb_part_segment) == 24, "sb_part_segment is wire format");
_Static_assert(sizeof(struct sb_bpf_call) == 128 + 8 * SB_CALL_JUMPS, "sb_bpf_call is wire format");
_Static_assert(sizeof(struct sb_bpf_prints) == SB_PRINTS * (8 + SB_PRINT_MAX), "sb_bpf_prints is wire format");
#endif

#endif
