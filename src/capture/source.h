/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - where raw events come from, and what may be said to it while it runs.
 *
 * The interface between what is privileged and what is not: bytes and events one way, commands the other. Events arrive
 * ordered by time within the watermark (late ones are delivered all the same, and counted).
 *
 * There are several kinds of source, each a table of operations (source_ops.h), and whoever has one cannot tell which: the running kernel
 * (live_source.h), and a replay of what was captured before (replay.h).
 */
#ifndef SBERF_CAPTURE_SOURCE_H
#define SBERF_CAPTURE_SOURCE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/parse.h"
#include "model/raw.h"
#include "model/reasons.h"

struct source;
struct link_places;

enum capture_event {
	EVENT_AUTO,              /* cycles where there is a PMU, else cpu-clock */
	EVENT_CYCLES,
	EVENT_CPU_CLOCK,
};

enum target_kind {
	TARGET_ALL,              /* every task but sberf's own threads */
	TARGET_PIDS,             /* processes, their later threads and children */
	TARGET_TIDS,             /* threads, and threads and children that they start */
	TARGET_CGROUP,           /* a cgroup v2 directory and what is below it */
};

/* Whether to sample where accesses and page faults go. */
enum numa_wish {
	NUMA_AUTO,               /* where the machine has more than one node; else it can be begun later */
	NUMA_ON,
	NUMA_OFF,                /* never: nothing is prepared for it */
};

/* What to capture. Borrowed by source_open() only while it runs. */
struct capture_plan {
	enum target_kind target;
	u32_vec ids;             /* pids or tids of the target, initial pid namespace of sberf */
	const char *name;        /* for TARGET_PIDS: processes that get this name later are of the target, too; NULL = none are */
	bool stay;               /* with it: the target has not ended when all of them have */
	const char *cgroup;      /* for TARGET_CGROUP: a name for cgroup_open() (system/cgroup.h) */
	enum capture_event event;
	uint32_t freq_hz;        /* asked rate per CPU, 1 to 100000 */
	u32_vec cpus;            /* empty = all */
	bool kernel;             /* kernel frames and samples' kernel side */
	bool frame_pointers;     /* --call-graph fp: no stack bytes, the kernel walks frame pointers */
	bool no_callers;         /* --call-graph off: of each stack the innermost frame alone */
	bool tables_only;        /* --call-graph force: what has no unwind table is not walked by frame pointers */
	bool walk_rules;         /* stacks are walked by learnt rules in the kernel, and copied where these do not do */
	bool walk_or_copy;       /* with it: all of them are copied where the kernel does not take the program that walks; else -ENOTSUP */
	uint32_t verify_every;   /* with it, one stack of so many is copied all the same, and one of the kernel unwound, to be compared; 0 = none */
	uint32_t stack_bytes;    /* first cap of a copy, SB_STACK_MIN to SB_STACK_MAX */
	bool stack_fixed;        /* the user set it: do not learn */
	uint64_t ring_bytes;     /* of all rings together; 0 = default */
	bool off_cpu;            /* follow waits; running time is then exact */
	bool wakers;             /* and tell who ends them: source_set_wakers() */
	uint64_t min_block_ns;   /* shorter waits are only counted */
	bool to_come;            /* for TARGET_PIDS: what its processes will run is not running yet, as a command that is to be started */
	uint32_t nr_threads;     /* for which sizes are chosen; 0 = as many, and as much code, as the target has now */
	uint32_t kinds;          /* of events that are counted only when asked for, by programs of their own: mask of 1 << enum event_kind */
	const struct link_places *places;        /* places in the code of programs to be probed (capture/link.h), of several files; NULL = none */
	uint32_t nr_places;
	void (*place_failed)(void *ctx, uint32_t place, const struct err *e);    /* told of each that cannot be had; NULL = nobody is */
	void *place_ctx;
	const char *raw_capture; /* write what the source gives into this file, too; NULL = do not */
	const char *replay;      /* nothing is captured: all that is in this raw capture is given again; NULL = capture. No waits, no nodes, no rules */
	enum numa_wish numa;     /* not NUMA_OFF: page faults can be sampled, source_set_faults(), and homes listed, source_homes() */
};

/* Whether stacks are walked by learnt rules: not where frame pointers are followed, or nothing is. */
static inline bool capture_walks(const struct capture_plan *p)
{
	return p->walk_rules && !p->frame_pointers && !p->no_callers;
}

/*
 * What one thread has spent in one way since the capture began: exact, whatever is sampled or lost. Running time stands under
 * CALL_NONE with kind EVENT_SAMPLE, waits under their call with kind EVENT_BLOCKED. Figures only grow.
 */
struct source_total {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	uint8_t kind;            /* EVENT_SAMPLE: running_ns and count; EVENT_BLOCKED: the others */
	uint32_t call;           /* CALL_* */
	bool last;               /* the thread is gone: this is told for the last time */
	uint64_t running_ns;
	uint64_t count;          /* waits shorter than their period, stretches of running */
	uint64_t blocked_ns, runnable_ns;        /* of those waits */
	uint64_t long_count, long_blocked_ns, long_runnable_ns;          /* waits of a period and more: all of them are told */
	uint64_t short_count, short_ns;          /* waits below plan.min_block_ns */
	uint64_t moves, kernel_moves;            /* EVENT_SAMPLE: came back on another node; was put to one by the scheduler */
};

/* A wait that has not ended. */
struct source_open {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	uint64_t cgroup_id, exe_id;
	char comm[17];           /* raw bytes */
	uint64_t id;             /* as raw_wait.id */
	uint64_t since_ns;       /* CLOCK_MONOTONIC; when seeded: when the capture saw it first */
	uint64_t woken_ns;       /* 0 = not yet */
	uint32_t call;
	uint8_t state;
	bool seeded;
	bool has_stack;          /* source_open_stack() can give it */
	uint32_t cpu, node;      /* that it left */
	uint32_t machine, nr_regs;       /* its user registers when has_stack is false: to read its stack from outside; 0 = none */
	uint64_t regs[RAW_REGS_MAX];
	uint32_t nr_kernel;              /* addresses of the kernel's stack, innermost first; 0 = not known, or told by a look before */
	const uint64_t *kernel;          /* valid as long as the source */
};

/* On which nodes a thread is at home. */
#define SOURCE_POLICY_NODES 128u
struct source_home {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	int32_t home;            /* node that the kernel's balancing prefers; -1 = none */
	uint32_t node;           /* where it is, or was last */
	uint16_t policy;         /* MPOL_* of set_mempolicy(2); 0 = the default */
	uint64_t nodes[SOURCE_POLICY_NODES / 64];        /* of the policy, lowest first; higher ones are not told */
};

/* Figures that change while it runs; monotonic since source_open() unless said otherwise. */
struct source_stats {
	struct losses lost;
	uint64_t late;           /* events that came after the watermark had passed them */
	uint64_t samples;        /* samples delivered */
	uint64_t waits;          /* told by the kernel half */
	uint64_t switches;       /* of threads of the target, seen */
	uint64_t summed;         /* waits that were summed (source_sums()) */
	uint64_t unsummed;       /* waits that found no room for that: told by chance, as longer ones are without sums */
	uint64_t inferred;       /* switches that the kernel did not tell, and whose time follows from others' within microseconds */
	uint64_t kstacks_checked, kstacks_different;     /* kernel stacks that were walked by what was learnt and compared (verify_every) */
	uint64_t gaps, gaps_ns;  /* distances between samples of one CPU that was busy meanwhile, and their sum: the rate got */
	uint64_t ring_used, ring_size;   /* bytes now */
	uint32_t cpus_sampled;   /* now */
	uint32_t freq_hz;        /* rate asked of the kernel now, after its limits */
	const char *event;       /* "cycles" or "cpu-clock" */
	const struct features *features;         /* what the kernel half works with; valid as long as the source */
};

/* Opens rings, programs and side band for PLAN, switched off. On success *RET is owned by the caller. */
int source_open(const struct capture_plan *plan, struct source **ret, struct err *e);

/*
 * Starts the side band, without samples, and then follows the target: of a child that belongs to it, all that it maps is told. The
 * existing processes are the caller's to read from /proc afterwards, and before source_start(): then every change after the reading is
 * told by an event, and no sample is older than it.
 */
int source_prepare(struct source *s, struct err *e);
/* Starts sampling. */
int source_start(struct source *s, struct err *e);
/* Stops sampling; what is buffered can still be read. */
void source_stop(struct source *s);

/*
 * Waits for TIMEOUT_MS, less when buffers fill or somebody calls (source_wake()), then delivers what the watermark allows, in order. With
 * FLUSH nothing is waited for, the watermark is ignored and everything is delivered (used after source_stop()). Returns how many events
 * were delivered, or a negative errno.
 */
int source_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e);
/*
 * FN is told of an event in memory of which the kernel half knew nothing (raw_sample.space_id), as soon as that is seen: during
 * source_read(), before the event itself is delivered. What is mapped there can be taught at once (rulebook.h). Returns up to when, by
 * CLOCK_MONOTONIC, nobody need be woken for that.
 */
typedef uint64_t source_stranger_fn(void *ctx, const struct raw_event *ev);
void source_on_stranger(struct source *s, source_stranger_fn *fn, void *ctx);
/* Whether there will be no more events, ever. */
bool source_ended(const struct source *s);
/* Whether /proc shows the processes that its events are of: else what they have mapped is known by events alone. */
bool source_of_now(const struct source *s);
/* CLOCK_MONOTONIC up to which all that happened has been delivered; 0 before the first reading. */
uint64_t source_seen_ns(const struct source *s);

void source_stats(const struct source *s, struct source_stats *ret);

/* CPU time of the BPF programs of S so far, in ns; UINT64_MAX = the kernel does not tell. A system call for each program: not for every turn of a loop. */
uint64_t source_bpf_ns(const struct source *s);
/* Of source_stats().lost.n[LOST_SIDE_BAND]; costs nothing. */
uint64_t source_side_lost(const struct source *s);

/* Commands: effective on the running source. */
int source_set_stack_cap(struct source *s, uint64_t exe_id, uint32_t bytes);      /* learnt size for an executable */
/*
 * Bytes of a stack that are copied of an executable not seen before. Few are where they are walked by rules, and what is cut
 * before its executable is known stays cut: so then it is all that can be, unless the user set it.
 */
uint32_t source_first_copy(const struct source *s);

/* What the kernel half is taught, for the thread that reads; NULL without walks. Valid as long as S. */
struct rulebook;
struct rulebook *source_rulebook(const struct source *s);
/*
 * Samples at FREQ_HZ from now on, as far as the kernel allows. Each sample keeps the weight of its time; of what ran in between, each CPU
 * loses less than a period. A negative errno with a sentence: the rate is what it was.
 */
int source_set_rate(struct source *s, uint32_t freq_hz, struct err *e);

/*
 * Off the CPU, all of them for the thread that reads; with plan.off_cpu only, else nothing happens and 0 is returned.
 *
 * source_totals() gives the totals of every thread of the target as they stand, one call of EACH per entry; *RET_NS is the moment up
 * to which they are whole: events up to then, and no later ones, belong to them. Returns the entries or a negative errno.
 */
typedef void source_total_fn(void *ctx, const struct source_total *t);
int source_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);

/*
 * Short waits of one thread that were summed: in N parts by length, each with the time of COUNT waits. Their longest is in one of them,
 * too. The first of them, with the same ID and what they have in common, was told as a RAW_WAIT since source_turn_sums() was called
 * the time before last.
 */
struct source_sum_part {
	uint64_t blocked_ns, runnable_ns;
	uint32_t count;
};
#define SOURCE_SUM_PARTS 16u
struct source_sum {
	pid_t pid, tid;
	uint64_t start_ns, id;
	uint64_t last_ns;        /* end of the last one */
	uint64_t longest_ns, longest_blocked_ns, longest_runnable_ns;    /* end and parts of the longest */
	uint32_t cpu, node;      /* that they left */
	uint32_t call;           /* CALL_* */
	uint8_t state;           /* enum wait_state */
	uint32_t n;
	struct source_sum_part part[SOURCE_SUM_PARTS];
};

/*
 * Sums go elsewhere from now on: those up to here can be read when every event up to *RET_NS has been. False when nothing is summed:
 * without walks.
 */
bool source_turn_sums(struct source *s, uint64_t *ret_ns);
/* Reads those before the last turn, once. Returns how many or a negative errno. */
typedef void source_sum_fn(void *ctx, const struct source_sum *sum);
int source_sums(struct source *s, source_sum_fn *each, void *ctx, struct err *e);

/*
 * Waits under way for MIN_NS and longer. Kernel stacks are told of those that EACH keeps: that began at UP_TO_NS or earlier, or before the
 * capture. *RET_NS: the moment of this look. Returns how many, or a negative errno.
 */
typedef void source_open_fn(void *ctx, const struct source_open *w);
int source_open_waits(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx, uint64_t *ret_ns,
		      struct err *e);

/*
 * The stack of the wait W, which the latest source_open_waits() listed, taken out of the kernel half's keeping, as a RAW_WAIT_STACK that
 * is valid until the next call that takes S. False when the wait has ended meanwhile. From then on the kernel half tells its end without
 * stack.
 */
bool source_open_stack(struct source *s, const struct source_open *w, struct raw_event *ret);

/* Waits of this length and more are told one by one, shorter ones with probability length / period; 1 us to 10 s. */
void source_set_wait_period(struct source *s, uint64_t ns);
uint64_t source_wait_period(const struct source *s);
void source_set_wakers(struct source *s, bool on);

/* Page faults are sampled, or not any more: RAW_FAULT. When it fails they are not sampled. */
int source_set_faults(struct source *s, bool on, struct err *e);
/*
 * Faults of the target so far by which automatic balancing saw who uses a page, estimated from those that were sampled. Where
 * the kernel lets them be told apart they are none of the RAW_FAULTs.
 */
uint64_t source_balancing_faults(const struct source *s);
/* Every thread of the target, by one call of EACH. Returns how many, or a negative errno. */
typedef void source_home_fn(void *ctx, const struct source_home *h);
int source_homes(struct source *s, source_home_fn *each, void *ctx, struct err *e);
/* How many NUMA nodes the machine has CPUs on; moves between them are counted, by waits that are followed. */
uint32_t source_nodes(const struct source *s);

/* A source_read() that waits returns when FD, which outlives the source or is closed before a read, becomes readable. */
int source_call_on(struct source *s, int fd, struct err *e);
/* Wakes a source_read() that waits, from any thread or a signal handler. */
void source_wake(struct source *s);

void source_free(struct source *s);      /* NULL is fine */

DEFINE_AUTO(source_free, struct source);

#endif
