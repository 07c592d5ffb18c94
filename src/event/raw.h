/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * raw.h - what a capture source hands on: decoded, ordered by time, not yet unwound.
 *
 * A raw event is a view: its pointers reach into the source's buffers and live until the callback returns. Process-wide
 * events (mmap, comm, fork, exit) come for every process, also outside the target; samples only for the target.
 */
#ifndef SBERF_EVENT_RAW_H
#define SBERF_EVENT_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_MAX 20u
#define RAW_SEGMENTS_MAX 2u
#define RAW_REGS_MAX 34u         /* aarch64 has 33 */

enum raw_kind {
	RAW_SAMPLE,
	RAW_MMAP,
	RAW_COMM,                /* a thread changed its name; with exec set: a new program */
	RAW_FORK,                /* a new thread (pid == ppid) or process */
	RAW_EXIT,                /* a thread ended */
};

struct raw_segment {
	uint64_t addr;           /* user address of bytes[0] */
	uint32_t len;            /* bytes copied */
	bool unreadable;         /* it ended because a page could not be read, not at the cap */
	bool interrupted;        /* the main stack under a handler that runs on an alternate stack */
	const uint8_t *bytes;
};

struct raw_sample {
	uint64_t period;         /* ns for cpu-clock, cycles for cycles */
	uint64_t weight_ns;      /* what it stands for, filled in by the source */
	uint64_t since_ns;       /* since the sampler last ran on this CPU, whatever the task then; 0 = it had not */
	uint64_t ip;             /* where it landed: user or kernel address */
	bool in_kernel;          /* landed in kernel mode */
	bool kthread;            /* there is no user side */
	bool compat;             /* 32-bit: no registers, no stack */
	bool no_user;            /* a user task that has no user side now: exiting, in the middle of exec, an io_uring worker */
	bool kernel_full;        /* the kernel walk filled its array */
	int32_t kernel_error;    /* negative errno of the kernel walk, 0 = fine */
	uint64_t start_ns;       /* task start time */
	uint64_t cgroup_id;
	uint64_t exe_id;         /* wire.h sb_part_task */
	char comm[17];           /* raw bytes, NUL-terminated */
	uint32_t machine;        /* ELF e_machine of the registers; 0 = no registers */
	uint32_t nr_regs;        /* values in regs, DWARF order, pc last; 0 = none */
	uint64_t regs[RAW_REGS_MAX];
	uint32_t nr_segments;
	struct raw_segment segment[RAW_SEGMENTS_MAX];
	uint32_t nr_kernel;      /* kernel addresses, innermost first */
	const uint64_t *kernel;
	uint32_t nr_walked;      /* user addresses that the kernel half walked, innermost first */
	const uint64_t *walked;
	bool walked_full;        /* the kernel walk of the user side filled its array */
	int32_t walked_error;
};

struct raw_mmap {
	uint64_t start, len, pgoff;      /* bytes */
	uint32_t prot, flags;            /* PROT_*, MAP_* */
	uint32_t maj, min;               /* of the file's device; 0 when build_id is given instead */
	uint64_t ino, ino_generation;
	uint8_t build_id_len;            /* 0 = the kernel gave none */
	uint8_t build_id[BUILD_ID_MAX];
	const char *path;                /* as the target saw it; "//anon", "[heap]", ...; raw bytes */
};

struct raw_comm {
	bool exec;
	const char *comm;                /* raw bytes */
};

struct raw_fork {
	pid_t ppid, ptid;                /* parent process and thread; the child is in raw_event.pid/tid */
};

struct raw_event {
	enum raw_kind kind;
	uint32_t cpu, node;
	uint64_t time_ns;                /* CLOCK_MONOTONIC */
	pid_t pid, tid;                  /* in the initial pid namespace */
	union {
		struct raw_sample sample;
		struct raw_mmap mmap;
		struct raw_comm comm;
		struct raw_fork fork;
	};
};

typedef void raw_fn(void *ctx, const struct raw_event *ev);

#endif
