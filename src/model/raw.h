/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * raw.h - defines what a capture source hands on: raw events, decoded, ordered by time, not yet
 * unwound.
 *
 * A raw event is a view: its pointers reach into the source's buffers and live until the callback
 * returns. Process-wide events (mmap, comm, fork, exit) come for every process, also outside the
 * target; samples only for the target.
 */
#ifndef SBERF_MODEL_RAW_H
#define SBERF_MODEL_RAW_H

#include "model/lock.h"
#include "model/unwind_input.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_MAX 20u

enum raw_kind {
	RAW_SAMPLE,
	RAW_MMAP,
	RAW_COMM,                /* a thread changed its name; with exec set: a new program */
	RAW_FORK,                /* a new thread (pid == ppid) or process */
	RAW_EXIT,                /* a thread ended */
	RAW_WAIT,                /* a wait ended: sample has the stack it had, if any, wait the rest */
	/* the stack of a wait under way, in sample: wait has its id, call, state and seeded, but no lengths */
	RAW_WAIT_STACK,
	/* a thread of the target is woken: sample has who does it, with which stacks; wake whom */
	RAW_WAKE,
	/* a wait that is not told otherwise ended on another node: sample and wait as of RAW_WAIT */
	RAW_MOVE,
	/*
	 * a page fault: sample has the stacks and sample.addr what was touched; period: how many it
	 * stands for
	 */
	RAW_FAULT,
	RAW_EVENT,               /* a probe was hit: sample has the stacks, hit the rest */
	RAW_INSIDE,              /* a call has ended that samples or waits were inside of: inside */
	/* a thread of the target waits for a lock, which the thread named lets go: handover */
	RAW_HANDOVER,
};

/*
 * Calls of probes that somebody placed, which a thread was in: of each probe the outermost one. Each is
 * known by the number of its probe and when it began (raw_inside_*()).
 */
#define RAW_INSIDE_MAX 4u
#define RAW_INSIDE_UNKNOWN UINT64_MAX    /* the first: nobody knows, as probes in programs were not in place */
#define RAW_INSIDE_AT 58u

static inline uint32_t raw_inside_probe(uint64_t call)
{
	return (uint32_t)(call >> RAW_INSIDE_AT);
}

/* CLOCK_MONOTONIC. */
static inline uint64_t raw_inside_begun_ns(uint64_t call)
{
	return call & (((uint64_t)1 << RAW_INSIDE_AT) - 1);
}

/* What a plan (capture/source.h) has read of the process with the stack. */
struct raw_taken {
	uint64_t serial;         /* of the plan; 0 = there was none */
	uint32_t nr, record;     /* records, and bytes of each */
	uint8_t why;             /* SB_TAKEN_* of bpf/wire.h: why there are no more */
	const uint8_t *bytes;    /* borrowed, 8-byte aligned */
};

struct raw_sample {
	uint64_t period;         /* ns for cpu-clock, cycles for cycles */
	uint64_t weight;         /* what it stands for, filled in by the source */
	uint64_t since_ns;       /* since the sampler last ran on this CPU, whatever the task then; 0 = it had not */
	bool busy;               /* its CPU was busy for all of since_ns, as far as the kernel tells */
	uint64_t ip;             /* where it landed: user or kernel address */
	uint64_t addr;           /* RAW_FAULT: user address */
	bool in_kernel;          /* landed in kernel mode */
	/* a user task that has no user side now: exiting, in the middle of exec, an io_uring worker */
	bool no_user;
	bool kernel_full;        /* the kernel walk filled its array */
	int32_t kernel_error;    /* negative errno of the kernel walk, 0 = fine */
	uint64_t start_ns;       /* task start time */
	uint64_t cgroup_id;
	uint64_t exe_id;         /* wire.h sb_part_task */
	char comm[17];           /* raw bytes, NUL-terminated */
	/* its user side: what is unwound. Nothing of it is borrowed longer than the event */
	struct unwind_input user;
	bool outside;            /* the segment was read from outside, by a helper process, while the thread waited */
	uint32_t nr_kernel;      /* kernel addresses, innermost first */
	const uint64_t *kernel;
	int32_t walked_error;
	uint64_t inside[RAW_INSIDE_MAX];         /* of RAW_SAMPLE, RAW_WAIT and RAW_WAIT_STACK; 0 = no more */
	/* of the memory, for rulebook_teach_maps(); 0 = the kernel half does not walk by rules */
	uint64_t space_id;
	uint8_t walk_why;        /* SB_WALK_* of wire.h */
	struct raw_taken taken;
};

/*
 * An off-CPU stretch of one thread, from switch to switch (model/wait.h). raw_event.time_ns is its
 * end; cpu and node those it left.
 */
struct raw_wait {
	uint64_t id;             /* of this wait: unlike any other of this thread */
	uint64_t blocked_ns;     /* until it was woken */
	uint64_t runnable_ns;    /* from then on, or all of it when preempted */
	uint64_t period_ns;      /* longer waits are all told, shorter ones with probability length / period */
	uint32_t call;           /* CALL_* */
	uint8_t state;           /* enum wait_state */
	uint8_t prio;            /* of the thread when it ended, as in struct held_lock; 0 = not known */
	/* WAKER_TASK when a waker is set. It may have been interrupted: believe it with its RAW_WAKE only */
	uint8_t context;
	bool seeded;             /* it had begun before the capture did: counted from there */
	bool throttled;          /* for most of runnable_ns its cgroup had used up its quota of CPU time */
	bool no_stack;           /* there is none in sample: it was taken while the wait lasted, or found no room */
	/* what waits like this are known by that are summed since (source_sums()); 0 = none are */
	uint64_t sum;
	uint32_t to_cpu, to_node;        /* where it ran next */
	struct lock_futex lock;          /* what it waited for; address 0 = nothing that is known */
	pid_t waker_pid, waker_tid;      /* with WAKER_TASK */
	uint64_t waker_start_ns;
	char waker_comm[17];
};

struct raw_wake {
	pid_t tid;               /* who is woken */
	uint64_t start_ns;       /* of that thread */
	uint64_t wait_id;        /* from what */
	uint8_t context;         /* enum waker_context, told by the kernel's stack */
};

#define RAW_PROBE_PLACED 64u     /* numbers of probes that somebody placed begin here */
#define RAW_ARGS_MAX 12u
#define RAW_TEXTS_MAX 6u

/* The string that an argument points to. */
struct raw_text {
	uint16_t arg;            /* which argument */
	uint16_t len;
	bool cut;                /* there is more */
	const char *bytes;       /* raw, LEN of them, without an end */
	bool unread;             /* it could not be read */
};

/* A hit of a probe: raw_event.time_ns is the moment, or the end of what has a length. */
struct raw_hit {
	/*
	 * an enum event_kind of probes that sberf has by itself; else RAW_PROBE_PLACED + its number
	 * (model/probes.h)
	 */
	uint32_t probe;
	uint16_t unread;         /* arguments that could not be read, as a mask: these are 0 */
	bool open;               /* what begun_ns began has not ended yet */
	uint8_t nr_args, nr_texts;
	uint64_t value;          /* in the unit of its probe, of all hits that it stands for together */
	uint64_t count;          /* of these, at least 1 */
	uint64_t begun_ns;       /* CLOCK_MONOTONIC; 0 = it is a moment */
	/* what hits like this are known by that are summed since (source_hits()); 0 = none are */
	uint64_t sum;
	/* its arguments stand for those of so many hits; 0 = they are not those that are counted */
	uint32_t look;
	bool args_only;          /* it is told for them alone: it counts elsewhere */
	bool told_only;          /* it is a part of a call that is followed, which counts by its begin */
	const uint64_t *arg;
	struct raw_text text[RAW_TEXTS_MAX];
};

/* raw_event.time_ns is the end of a call that samples or waits were told to be inside of. */
struct raw_inside {
	uint64_t call;           /* as in raw_sample.inside */
	uint64_t took_ns;        /* without what its probe added to it */
	bool unwanted;           /* the condition of its probe does not hold: it is no call that counts */
};

/* A thread wakes another one that waits on a futex, by futex(2) with its address. */
struct raw_handover {
	pid_t pid, tid;          /* who is woken */
	uint64_t start_ns;       /* of that thread */
	uint64_t since_ns;       /* since when it waits, */
	struct lock_futex lock;  /* for this, as it was then */
	/* of the lock of an interpreter: who has it, or had it last, as lock.holder; 0 = not known */
	uint32_t holder;
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
		struct {
			/*
			 * RAW_SAMPLE, RAW_WAIT, RAW_WAIT_STACK, RAW_WAKE, RAW_MOVE, RAW_FAULT, RAW_EVENT, RAW_INSIDE,
			 * RAW_HANDOVER
			 */
			struct raw_sample sample;
			union {
				struct raw_wait wait;
				struct raw_wake wake;
				struct raw_hit hit;
				struct raw_inside inside;
				struct raw_handover handover;
			};
		};
		struct raw_mmap mmap;
		struct raw_comm comm;
		struct raw_fork fork;
	};
};

typedef void raw_fn(void *ctx, const struct raw_event *ev);

#endif
