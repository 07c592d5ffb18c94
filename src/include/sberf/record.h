/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf/record.h - what a BPF program that uses sberf/bpf.h tells libsberf, and what libsberf puts into
 * the program's maps.
 *
 * For both sides: nothing here needs another header. Fields never move and new ones come at the end; a
 * reader takes what it knows.
 */
#ifndef SBERF_RECORD_H
#define SBERF_RECORD_H

#define SBERF_RECORD_VERSION 1u

/* Registers of a record, in the order of DWARF. */
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
#define SBERF_RECORD_REGS 17u
#define SBERF_RECORD_MACHINE 62u         /* EM_X86_64 */
#else
#define SBERF_RECORD_REGS 33u
#define SBERF_RECORD_MACHINE 183u        /* EM_AARCH64 */
#endif

/* Frames that are walked in the kernel; deeper stacks are copied. */
#define SBERF_WALK_MAX 127u

/* Why a stack was copied and not walked in the kernel. */
enum sberf_copied {
	SBERF_WALKED = 0,        /* it was walked */
	SBERF_COPY_NO_SPACE = 1, /* no rules are there for the process, or for what it has mapped now */
	SBERF_COPY_NO_MAP = 2,   /* an address is in nothing that rules are there for */
	SBERF_COPY_NO_RULE = 3,  /* a place needs more than a rule can say */
	SBERF_COPY_NO_READ = 4,  /* the stack could not be read */
	SBERF_COPY_BAD = 5,      /* the next frame made no sense */
	SBERF_COPY_DEEP = 6,     /* more than SBERF_WALK_MAX frames */
};

/*
 * One stack of one thread. Behind it are nr_walked user addresses of 8 bytes, innermost first, or
 * nr_bytes bytes that were copied from stack_at on.
 */
struct sberf_record {
	unsigned int size;       /* of this structure and what is behind it */
	unsigned int version;
	unsigned long long token;
	unsigned long long cookie;       /* what the program gave */
	unsigned long long time_ns;      /* CLOCK_MONOTONIC */
	unsigned long long memory;       /* what the process has mapped is known by this: rules are for one of it */
	unsigned int pid, tid;   /* in the first pid namespace */
	unsigned int machine;    /* EM_* */
	unsigned int nr_regs;
	unsigned int copied;     /* enum sberf_copied */
	unsigned int nr_walked;
	unsigned int nr_bytes;
	unsigned int unreadable; /* 1: the copy ended at a page that could not be read */
	unsigned long long stack_at;
	unsigned long long regs[SBERF_RECORD_REGS];
};

/* A rule: how to get from a frame to its caller. What the kinds mean stands in sberf/bpf.h. */
struct sberf_rule {
	unsigned char kind;
	unsigned char arg;
	short bp;                /* the caller's frame pointer is at CFA + 8 * bp; SBERF_RULE_BP_SAME = unchanged */
	int cfa;
};

#define SBERF_RULE_SP 0          /* CFA = sp + cfa */
#define SBERF_RULE_BP 1          /* CFA = bp + cfa */
#define SBERF_RULE_PLT 2         /* CFA = sp + cfa, and 8 more when (pc & 15) >= arg */
#define SBERF_RULE_DRAP 3        /* CFA = [bp + cfa], the caller's bp = [bp] */
#define SBERF_RULE_END 4         /* there is no caller */
#define SBERF_RULE_SIGNAL 5      /* all registers are in the ucontext at sp */
#define SBERF_RULE_FP 7          /* by the frame pointer */
#define SBERF_RULE_NONE 8        /* the stack is copied */
#define SBERF_RULE_BP_SAME 0x7fff

/* The rules of a file, by place: each holds from its place up to the next one's. */
struct sberf_row {
	unsigned int place;      /* bytes behind the begin of the mapping */
	unsigned int spare;
	struct sberf_rule rule;
};

/* Code that a process has mapped. */
struct sberf_mapping {
	unsigned long long start, end;
	unsigned int row, nr_rows;       /* where its rules are; none = by frame pointers */
};

#define SBERF_MAPPINGS 256u      /* that rules are put in for, of one process; a power of two */

/* What a process has mapped, by address. */
struct sberf_space {
	unsigned long long memory;       /* as in struct sberf_record */
	unsigned int nr, spare;
	struct sberf_mapping mapping[SBERF_MAPPINGS];
};

#endif
