/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - where raw events come from, and the commands that a running source takes.
 *
 * This is the interface between the privileged part and the rest: bytes and events one way,
 * commands the other. Events arrive ordered by time within the watermark; late ones are delivered
 * too, and counted.
 *
 * There are several kinds of source, each a table of operations (source_ops.h): the running kernel
 * (live_source.h), and a replay of an earlier capture (replay.h). Users cannot tell which one they
 * have.
 */
#ifndef SBERF_CAPTURE_SOURCE_H
#define SBERF_CAPTURE_SOURCE_H

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "bpf/wire.h"
#include "capture/link.h"
#include "model/raw.h"
#include "model/reasons.h"

struct hold;
struct sb_call_wish;
struct source;

enum capture_event {
	EVENT_AUTO,              /* cycles where there is a PMU, else cpu-clock */
	EVENT_CYCLES,
	EVENT_CPU_CLOCK,
	/* whenever an address in the kernel is come to (capture_plan.breakpoint), at any rate but 1: then not at all */
	EVENT_BREAKPOINT,
};

enum target_kind {
	TARGET_ALL,              /* every task but sberf's own threads */
	TARGET_PIDS,             /* processes, their later threads and children */
	TARGET_TIDS,             /* threads, and the threads and children that they start */
	TARGET_CGROUP,           /* a cgroup v2 directory and everything below it */
};

/* Whether to sample the nodes of memory accesses and page faults. */
enum numa_wish {
	NUMA_AUTO,               /* if the machine has more than one node; else it can be begun later */
	NUMA_ON,
	NUMA_OFF,                /* never: nothing is prepared for it */
};

#define CAPTURE_TRACE_NAME_MAX 256u

/* A system call that is probed from its entry to its return. */
struct capture_call {
	uint32_t nr;             /* of the native ABI; those above the kernel half's table (SB_CALLS_MAX) are refused */
	uint32_t probe;          /* its number (model/probes.h) */
	uint32_t loads;          /* which of capture_plan.loads says where its named values are; 0 = it has none */
};

/* How a place in the kernel is probed. */
enum capture_trace_how {
	CAPTURE_TRACE_FORMATTED,         /* a tracepoint, by its number */
	CAPTURE_TRACE_RAW,               /* a tracepoint, by its name, with what the kernel passes to it */
	CAPTURE_TRACE_FUNCTION,          /* where a function begins (a kprobe) */
	CAPTURE_TRACE_RETURN,            /* where it returns (a kretprobe) */
	CAPTURE_TRACE_FAULT,             /* page faults, on each CPU that there is when the capture starts */
	CAPTURE_TRACE_SIGNAL,            /* signals: of one probe only */
	CAPTURE_TRACE_FOLLOWED,          /* anywhere in a function whose calls are followed (a kprobe) */
	CAPTURE_TRACE_FOLLOWED_RETURN,   /* where such a function returns (a kretprobe) */
	CAPTURE_TRACE_CALLED,            /* where a function begins that is called within one that is followed */
	CAPTURE_TRACE_CALLED_RETURN,     /* where it returns; many of both at once where the kernel can do it */
	CAPTURE_TRACE_POINTER,           /* where one calls another by a pointer (a kprobe) */
	CAPTURE_TRACE_HOWS
};

/* A place in the kernel that is probed. */
struct capture_trace {
	/* of a tracepoint CATEGORY:NAME, for sentences, but raw as the kernel knows it; of a function its symbol */
	char name[CAPTURE_TRACE_NAME_MAX];
	enum capture_trace_how how;
	/*
	 * of a tracepoint its number, as tracefs has it, raw none; of a function its address, 0 = by its
	 * name; of faults 1 = major ones, 0 = the others
	 */
	uint64_t id;
	uint32_t probe;          /* its number (model/probes.h) */
	uint32_t span;           /* SB_SPAN_* of bpf/wire.h */
	uint32_t loads;          /* which of the plan's says where named values are; 0 = there are none */
	uint64_t more;           /* of what is followed: the number and flags of its cookie (SB_COOKIE_*); else 0 */
};

/* Conditions and sums of a placed probe, for the kernel half (bpf/wire.h). */
struct capture_filter {
	uint32_t probe;          /* its number (model/probes.h); of the begin of a span SB_BEGIN_FILTER() of it */
	struct sb_filter filter;
};

/* The largest values of what a plan has of these. */
#define CAPTURE_FREQ_MAX 1000000u
#define CAPTURE_VERIFY_MAX 1000000u
#define CAPTURE_BLOCK_MAX_NS (3600 * NSEC_PER_SEC)

/* What to capture. Borrowed by source_open() only while it runs. */
struct capture_plan {
	enum target_kind target;
	u32_vec ids;             /* pids or tids of the target, in the pid namespace of sberf */
	/* for TARGET_PIDS: processes that take this name later join the target; NULL = none do */
	const char *name;
	bool stay;               /* with name: the target goes on after all of its processes have ended */
	const char *cgroup;      /* for TARGET_CGROUP: a name for cgroup_open() (system/cgroup.h) */
	uint64_t breakpoint;     /* of EVENT_BREAKPOINT: an instruction of the kernel, or of a BPF program */
	enum capture_event event;
	uint32_t freq_hz;        /* asked rate per CPU, 1 to CAPTURE_FREQ_MAX */
	u32_vec cpus;            /* empty = all */
	bool kernel;             /* kernel frames and samples' kernel side */
	bool frame_pointers;     /* --call-graph fp: no stack bytes, the kernel walks frame pointers */
	/* --call-graph lbr: no stack bytes of samples, but branch records of the CPU, so many; 0 = not asked */
	uint32_t call_records;
	bool no_callers;         /* --call-graph off: only the innermost frame of each stack */
	/* --call-graph force: code without unwind tables is not walked by frame pointers */
	bool tables_only;
	/* the kernel half unwinds by learned rules, and copies stacks where these do not suffice */
	bool walk_rules;
	/*
	 * with it: when the kernel refuses the program that walks, copy all stacks instead of
	 * failing with -ENOTSUP
	 */
	bool walk_or_copy;
	/*
	 * with it: one in so many user stacks is copied as well, and one in so many kernel stacks
	 * unwound by the kernel, to compare; 0 = none, up to CAPTURE_VERIFY_MAX
	 */
	uint32_t verify_every;
	uint32_t stack_bytes;    /* first limit of a copy, SB_STACK_MIN to SB_STACK_MAX */
	bool stack_fixed;        /* the user set stack_bytes: do not adapt it */
	uint64_t ring_bytes;     /* of all rings together, up to RING_MAX (system/cpus.h); 0 = default, ... */
	uint64_t ring_least;     /* ... which is no less than this, up to RING_DEFAULT_MAX */
	bool off_cpu;            /* follow waits; running time is then exact */
	bool wakers;             /* report who ends waits: source_set_wakers() */
	bool kernel_locks;       /* waits for locks of the kernel say for which, where the kernel tells that */
	bool every_wait;         /* the wait period stays the shortest that there is: source_set_wait_period() */
	uint64_t min_block_ns;   /* shorter waits are only counted; up to CAPTURE_BLOCK_MAX_NS */
	/* for TARGET_PIDS: its processes do not run their program yet (a command to be started) */
	bool to_come;
	uint32_t nr_threads;     /* expected number, for map sizes; 0 = the target's present threads and code */
	/* optional kinds of events, each counted by a program of its own: mask of 1 << enum event_kind */
	uint32_t kinds;
	/* system calls to probe; NULL = none */
	const struct capture_call *calls;
	uint32_t nr_calls;
	/*
	 * by number, SB_CALLS_MAX of them, what is told of a call beside its arguments (bpf/wire.h);
	 * NULL = nothing
	 */
	const struct sb_call_wish *call_wishes;
	const struct capture_trace *traces;      /* places in the kernel to probe; NULL = none */
	uint32_t nr_traces;
	bool more_traces;        /* they are of probes that are placed already, and stay so if these cannot be */
	const struct capture_filter *filters;    /* of those probes that have any; NULL = none */
	uint32_t nr_filters;
	/* by number, where named values of filters are (bpf/wire.h): at places in the kernel; NULL = there are none */
	const struct sb_loads *loads;
	uint32_t nr_loads;       /* up to SB_LOAD_SETS */
	/* of hits of placed probes one in so many is told, and so many a second of one probe; 0 = all */
	uint32_t hits_every, hits_rate;
	bool prints;             /* some sets of LOADS say what is told with a hit */
	bool hits_bounded;       /* and source_thin_hits() may be called */
	bool spans;              /* some probes are begins and ends of spans */
	/* arguments of some hits are told, raw_hit.look; call_wishes are about these then, and nobody traces */
	bool look;
	bool sum_hits;           /* hits of placed probes that are alike may be summed: source_hits() */
	bool places_to_come;     /* source_place() will be called */
	bool probes_may_come;    /* source_add_probes() and source_set_growth() may be called */
	bool functions_to_come;  /* and with functions that are followed to their return */
	/*
	 * functions that allocate memory are placed, too: blocks are sampled by so many bytes
	 * (model/allocation.h); 0 = they are not
	 */
	uint32_t alloc_interval;
	bool alloc_frees;        /* with it: and frees of those are told */
	/*
	 * changes of resident and of mapped memory are told, sampled by so many bytes in the same way;
	 * 0 = they are not
	 */
	uint32_t growth_interval;
	/* with it: the tracepoints at which system calls return that map or unmap; NULL = these are not told */
	const struct capture_trace *mapping_calls;
	uint32_t nr_mapping_calls;
	/* places where programs tell of blocks that they sample are placed instead of these functions */
	bool allocs_told;
	/* code places to probe (capture/link.h), in several files; NULL = none */
	const struct link_places *places;
	uint32_t nr_places;
	/* called for each place that cannot be probed; NULL = no call */
	void (*place_failed)(void *ctx, uint32_t place, const struct err *e);
	void *place_ctx;
	const char *raw_capture; /* also write the source's output to this file; NULL = do not */
	/* replay this raw capture instead of capturing (capture/replay.h); NULL = capture */
	const char *replay;
	/* who has loaded what this says and holds it (capture/hold_ask.h); NULL = source_open() loads it */
	struct hold *hold;
	enum numa_wish numa;     /* not NUMA_OFF: source_set_faults() and source_homes() work */
};

/* Whether samples and waits say inside of which calls of probes they were (raw_sample.inside); not for a trace. */
static inline bool capture_tells_insides(const struct capture_plan *p)
{
	return (!p->call_wishes || p->look) &&
		(p->probes_may_come || p->functions_to_come || p->nr_calls || p->spans);
}

/*
 * Whether the kernel half unwinds by learned rules: not with frame pointers, nor with innermost
 * frames only.
 */
static inline bool capture_walks(const struct capture_plan *p)
{
	return p->walk_rules && !p->frame_pointers && !p->call_records && !p->no_callers;
}

/*
 * What one thread has spent in one way since the capture began: exact, whatever was sampled or
 * lost. Running time has kind EVENT_SAMPLE and CALL_NONE; waits have kind EVENT_BLOCKED and their
 * call. Figures only grow.
 */
struct source_total {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	uint8_t kind;            /* EVENT_SAMPLE: running_ns and count; EVENT_BLOCKED: the others */
	uint32_t call;           /* CALL_* */
	bool last;               /* the thread has ended: this is its last report */
	uint64_t running_ns;
	uint64_t count;          /* waits shorter than the wait period, or stretches of running */
	uint64_t blocked_ns, runnable_ns;        /* of those waits */
	/* waits of a period or more, each of them reported */
	uint64_t long_count, long_blocked_ns, long_runnable_ns;
	uint64_t short_count, short_ns;          /* waits below plan.min_block_ns */
	/* EVENT_SAMPLE: arrivals on another node; moves to another node by the scheduler */
	uint64_t moves, kernel_moves;
};

/* A return address that is not on the stack now, and where it was. */
struct source_return {
	uint64_t slot, address;
};

#define SOURCE_RETURNS_MAX 16u

/* A wait that has not ended. */
struct source_open {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	uint64_t cgroup_id, exe_id;
	char comm[17];           /* raw bytes */
	uint64_t id;             /* as raw_wait.id */
	uint64_t since_ns;       /* CLOCK_MONOTONIC; when seeded: when the capture first saw it */
	uint64_t woken_ns;       /* 0 = not yet */
	uint32_t call;
	uint8_t state;
	bool seeded;
	bool throttled;          /* it could run, but its cgroup has no CPU time now */
	bool has_stack;          /* source_open_stack() can return it */
	uint32_t cpu, node;      /* that it left */
	/*
	 * of its stack, when that is to be read from outside: return addresses that return probes
	 * replaced by that of the trampoline, each with its slot
	 */
	uint64_t trampoline;
	uint32_t nr_returns;
	struct source_return returns[SOURCE_RETURNS_MAX];
	/* user registers when has_stack is false, to read its stack from outside; 0 = none */
	uint32_t machine, nr_regs;
	uint64_t regs[RAW_REGS_MAX];
	struct lock_futex lock;  /* of the kernel, for which it has waited since before the capture; address 0 = none */
	/* kernel addresses, innermost first; 0 = unknown, or reported by an earlier look */
	uint32_t nr_kernel;
	const uint64_t *kernel;          /* valid as long as the source */
};

/* The home node of a thread, and its memory policy. */
#define SOURCE_POLICY_NODES 128u
struct source_home {
	pid_t pid, tid;
	uint64_t start_ns;       /* of the thread */
	int32_t home;            /* preferred node of automatic NUMA balancing; -1 = none */
	uint32_t node;           /* where it is, or was last */
	uint16_t policy;         /* MPOL_* of set_mempolicy(2); 0 = the default */
	/* of the policy, lowest first; higher nodes are left out */
	uint64_t nodes[SOURCE_POLICY_NODES / 64];
};

/* Figures of a running source; they only grow since source_open() unless said otherwise. */
struct source_stats {
	struct losses lost;
	uint64_t late;           /* events that came after the watermark had passed them */
	uint64_t samples;        /* samples delivered */
	uint64_t waits;          /* reported by the kernel half */
	uint64_t switches;       /* of threads of the target */
	uint64_t summed;         /* waits that were summed (source_sums()) */
	/* waits that found no room to be summed: sampled instead, as when nothing is summed */
	uint64_t unsummed;
	/* threads woken that waited for locks, when no more handovers could be told (RAW_HANDOVER) */
	uint64_t not_handed;
	/* switches that the kernel did not report; other switches give their time within microseconds */
	uint64_t inferred;
	/* stacks that were read from outside; could not be, since that took too long; since it is not allowed */
	uint64_t stacks_read, stacks_hung, stacks_denied;
	/* kernel stacks unwound by learned rules and compared (verify_every) */
	uint64_t kstacks_checked, kstacks_different;
	uint64_t left;           /* calls of probed functions that ended without a return; of no replay */
	/* intervals between samples of one busy CPU, and their sum: the effective rate */
	uint64_t gaps, gaps_ns;
	uint64_t ring_used, ring_size;   /* bytes now */
	uint32_t cpus_sampled;   /* now */
	uint32_t freq_hz;        /* rate requested from the kernel now, within its limits */
	const char *event;       /* "cycles" or "cpu-clock" */
	/* features that the kernel half uses; valid as long as the source */
	const struct features *features;
};

/*
 * Opens rings, programs and side band for PLAN, all disabled. On success *RET is the caller's; else
 * a negative errno with a sentence.
 */
int source_open(const struct capture_plan *plan, struct source **ret, struct err *e);

/*
 * Starts the side band, without samples, and then follows the target: every mapping of a child that
 * joins it is reported. Afterwards, and before source_start(), the caller reads the existing
 * processes from /proc. Then every later change comes as an event, and no sample is older than that
 * reading.
 */
int source_prepare(struct source *s, struct err *e);
/* Starts sampling. 0 or a negative errno with a sentence. */
int source_start(struct source *s, struct err *e);
/*
 * Places probes in a program of the target while the source runs, which was opened with
 * places_to_come; as links_attach(), whose result is the caller's. Their cookies are SB_COOKIE()s of
 * wire.h. Any thread may call. -ENOTSUP when this source cannot.
 */
int source_place(struct source *s, const struct link_places *places, link_failed_fn *failed, void *ctx,
		 struct links **ret, struct err *e);
/*
 * Takes on the probes of PLAN, of which nothing else is looked at, while the source runs, which was
 * opened with probes_may_come: loads the programs that they are the first to need, which takes some
 * tenths of a second, and places those in the kernel; for those in programs source_place() is called
 * afterwards. What PLAN points to need not outlive the call, but for its loads. 0, or a negative errno
 * with a sentence: then none of them is placed. -ENOTSUP when this source cannot. One thread at a time
 * may call this or the next.
 */
int source_add_probes(struct source *s, const struct capture_plan *plan, struct err *e);
/*
 * Follows changes of memory from now on, as growth_interval and mapping_calls of PLAN say, of which nothing else
 * is looked at; an interval of 0: no more. As source_add_probes() in all else.
 */
int source_set_growth(struct source *s, const struct capture_plan *plan, struct err *e);
/*
 * Tells EACH where calls by pointers led, which are places CAPTURE_TRACE_POINTER: the NUMBER of the call, as the cookie
 * has it, to TARGET, COUNT times so far. Returns how many more calls found no room there. Any thread.
 */
typedef void source_pointed_fn(void *ctx, uint32_t number, uint64_t target, uint64_t count);
uint64_t source_pointed(const struct source *s, source_pointed_fn *each, void *ctx);
/* PROBE, by its number, is not in the kernel any more: what was counted of it stays. */
void source_remove_probe(struct source *s, uint32_t probe);
/* Stops sampling; buffered events can still be read. */
void source_stop(struct source *s);
/* Call when nothing more will be read or asked, on the thread that did: ends what is that thread's. */
void source_finish(struct source *s);

/*
 * Waits up to TIMEOUT_MS, less when buffers fill or source_wake() is called, then delivers the
 * events that the watermark allows to EACH, in order. With FLUSH it does not wait, ignores the
 * watermark and delivers everything (used after source_stop()). Returns the number of events
 * delivered, or a negative errno with a sentence.
 */
int source_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e);
/*
 * Sets FN, which is called as soon as an event is seen in memory that the kernel half knows nothing
 * of (raw_sample.space_id): during source_read(), before the event itself is delivered. FN can
 * teach its mappings at once (rulebook.h). It returns the time (CLOCK_MONOTONIC) until which no
 * such event need wake the reader.
 */
typedef uint64_t source_stranger_fn(void *ctx, const struct raw_event *ev);
void source_on_stranger(struct source *s, source_stranger_fn *fn, void *ctx);
/*
 * Sets FN, which is called as soon as a process is known to have been forked, by whomever: during source_read(),
 * before the event itself, RAW_FORK, is delivered. Where places are to come (capture_plan.places_to_come), a fork by
 * the target wakes the reader. Never called by sources of another time.
 */
typedef void source_birth_fn(void *ctx, const struct raw_event *ev);
void source_on_birth(struct source *s, source_birth_fn *fn, void *ctx);
/* Whether no more events will ever come. */
bool source_ended(const struct source *s);
/*
 * Whether /proc shows the processes that its events are about; if not, their mappings are known
 * from events only.
 */
bool source_of_now(const struct source *s);
/*
 * The time (CLOCK_MONOTONIC) up to which all events have been delivered; 0 before the first
 * reading.
 */
uint64_t source_seen_ns(const struct source *s);
/*
 * The clock of the source (CLOCK_MONOTONIC), by which it is asked for what is due: when the last
 * source_read() began and ended, or source_start() or source_stop() after it. In a replay these are
 * moments of the capture.
 */
uint64_t source_from_ns(const struct source *s);
uint64_t source_now_ns(const struct source *s);

void source_stats(const struct source *s, struct source_stats *ret);

/*
 * CPU time of the BPF programs so far, in ns; UINT64_MAX = unknown. Takes a system call for each
 * program: do not call it in every turn of a loop.
 */
uint64_t source_bpf_ns(const struct source *s);
/* source_stats().lost.n[LOST_SIDE_BAND], at no cost. */
uint64_t source_side_lost(const struct source *s);

/* Commands: they act on the running source. */
/*
 * From now on PLAN (bpf/wire.h) is carried out with each stack of process PID; NULL: none is. Any thread. 0;
 * -E2BIG: too many processes have one (SB_PLANS); -ENOTSUP when this source cannot.
 */
int source_set_plan(struct source *s, pid_t pid, const struct sb_plan *plan);
/* learned stack size of an executable; 0 or a negative errno */
int source_set_stack_cap(struct source *s, uint64_t exe_id, uint32_t bytes);
/*
 * Bytes of stack that are copied for an executable not seen before. Where stacks are walked by
 * rules, few are copied, and a stack that is truncated before its executable is known stays
 * truncated: so this is the maximum then, unless the user set a size.
 */
uint32_t source_first_copy(const struct source *s);

/*
 * The kernel half's rules and mappings, for the thread that reads; NULL when it does not unwind.
 * Valid as long as S.
 */
struct rulebook;
struct rulebook *source_rulebook(const struct source *s);
/*
 * Samples at FREQ_HZ from now on, within the kernel's limits. Each sample keeps the weight of its
 * time; each CPU loses less than one period of samples in between. On a negative errno, with a
 * sentence, the old rate stays.
 */
int source_set_rate(struct source *s, uint32_t freq_hz, struct err *e);

/*
 * Off-CPU functions, all for the thread that reads. Without plan.off_cpu they do nothing and return
 * 0.
 *
 * source_totals() calls EACH for each entry of the totals of every thread of the target. *RET_NS is
 * the moment they are complete up to: they include the events up to then and no later ones. Returns
 * the number of entries or a negative errno.
 */
typedef void source_total_fn(void *ctx, const struct source_total *t);
int source_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);

/*
 * Short waits of one thread, summed in N parts by length; a part holds the time of COUNT waits, part I
 * those of the power of two I of length. Their longest wait is included. The first of them, which has
 * the same ID and tells what they have in common, came as a RAW_WAIT after the last call but one of
 * source_turn_sums().
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
	uint64_t longest_ns, longest_blocked_ns, longest_runnable_ns;    /* end and parts of the longest wait */
	uint32_t cpu, node;      /* which they left */
	uint32_t call;           /* CALL_* */
	uint8_t state;           /* enum wait_state */
	uint32_t n;
	struct source_sum_part part[SOURCE_SUM_PARTS];
};

/*
 * Begins a new set of sums. The set so far can be read when every event up to *RET_NS has been.
 * False when nothing is summed (without walks).
 */
bool source_turn_sums(struct source *s, uint64_t *ret_ns);
/* Reads the sums before the last turn, once. Returns their number or a negative errno. */
typedef void source_sum_fn(void *ctx, const struct source_sum *sum);
int source_sums(struct source *s, source_sum_fn *each, void *ctx, struct err *e);
/*
 * The same of hits of placed probes: call is the probe, and blocked_ns what they weigh. What they have
 * in common came as a RAW_EVENT. Part I has those of wait_bucket() I, but for hits that were not told
 * one by one, for which others of the part stand: runnable_ns is their number.
 */
bool source_turn_hits(struct source *s, uint64_t *ret_ns);
int source_hits(struct source *s, source_sum_fn *each, void *ctx, struct err *e);
/*
 * Calls of probes that have begun and not ended: PROBE since BEGUN_NS, CLOCK_MONOTONIC. One that was
 * left by an exception or longjmp() is among them until its place on the stack is used again. Returns
 * their number, or a negative errno with a sentence.
 */
typedef void source_open_call_fn(void *ctx, uint32_t probe, uint64_t begun_ns);
int source_open_calls(struct source *s, source_open_call_fn *each, void *ctx, struct err *e);

/*
 * After source_stop(): what is left of hits that were not told one by one (plan.hits_every): for each
 * probe how many, and their weight.
 */
typedef void source_untold_fn(void *ctx, uint32_t probe, uint64_t count, uint64_t weight);
void source_untold(struct source *s, source_untold_fn *each, void *ctx);

/* Spans of one probe since the source was opened. */
struct source_span {
	uint64_t begun, ended;   /* those that are open, or will never end, have begun only */
	uint64_t unbegun;        /* ends without a begin */
};

/* Tells of each probe that is a span. */
typedef void source_span_fn(void *ctx, uint32_t probe, const struct source_span *span);
void source_spans(struct source *s, source_span_fn *each, void *ctx);

/* How often functions that allocate or free memory were called so far (plan.alloc_interval). Any thread. */
uint64_t source_allocs_seen(const struct source *s);
/* What the kernel half has lost of hits of PROBE so far, SB_HIT_LOST_* (bpf/wire.h). Any thread. */
void source_hits_lost(const struct source *s, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR]);
/*
 * What hits of PROBE have cost so far. Of some it was measured how long the kernel half was busy with them, from
 * the moment of the hit on: apart of those that were told, or summed, and of the others.
 */
struct source_timed {
	uint64_t n, ns;
};
struct source_hits_cost {
	uint64_t seen;           /* how often it was hit, whatever its condition says and however few are told */
	struct source_timed untold, told;
	uint32_t call_way_ns;    /* what any system call takes longer while some are probed; 0 = not known */
	/* how long it takes to get to a program at a place in the kernel, and back; 0 = not known, or it is none */
	uint32_t trace_way_ns;
};

/* Any thread may ask. Zeroes where nothing is known, as of a replay. */
void source_hits_cost(const struct source *s, uint32_t probe, struct source_hits_cost *ret);
/*
 * From now on one of EVERY hits of PROBE is told, with what those before it weigh; 0 = all. Only where the plan has
 * hits_bounded. Any thread.
 */
void source_thin_hits(struct source *s, uint32_t probe, uint32_t every);
/* From now on each hit of a probe in a program stands for SCALE of them; 0 = none is counted. Any thread. */
void source_scale_hits(struct source *s, uint32_t scale);

/*
 * Lists waits that have lasted MIN_NS or longer. Kernel stacks come with waits that EACH will keep:
 * those that began at UP_TO_NS or earlier, or before the capture. *RET_NS is the moment of this
 * look. Returns the number of waits, or a negative errno.
 */
typedef void source_open_fn(void *ctx, const struct source_open *w);
int source_open_waits(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
		      uint64_t *ret_ns, struct err *e);

/*
 * Asks for the stack of the wait W, which source_open_waits() has listed: a RAW_WAIT_STACK. The
 * kernel half has it when W.has_stack, and the end of the wait is reported without a stack after
 * this. Else it is read from outside, while the wait lasts: raw_event.time_ns says when.
 */
enum source_stack {
	SOURCE_STACK_HERE,       /* in *RET, valid until the next call that takes S */
	SOURCE_STACK_COMES,      /* as an event of source_read() */
	SOURCE_STACK_NOT_NOW,    /* there is no room, or the wait has just ended: ask again if it has not */
};
enum source_stack source_open_stack(struct source *s, const struct source_open *w, struct raw_event *ret);
/*
 * Asks for more of the stack of RAW, a RAW_WAIT_STACK read from outside (raw_sample.outside), which
 * continues beyond what was read. True: RAW comes again, with more. False: no more can be read.
 */
bool source_read_further(struct source *s, const struct raw_event *raw);
/* Whether such stacks are about to come, so that a source_read() should not wait long. */
bool source_stacks_pending(const struct source *s);

/*
 * Sets the wait period, 1 us to 10 s: waits of this length or more are reported one by one, shorter
 * ones with probability length / period.
 */
void source_set_wait_period(struct source *s, uint64_t ns);
uint64_t source_wait_period(const struct source *s);
void source_set_wakers(struct source *s, bool on);

/*
 * Begins or ends sampling page faults (RAW_FAULT). 0, or a negative errno when they are not
 * sampled.
 */
int source_set_faults(struct source *s, bool on, struct err *e);
/*
 * Page faults by which automatic NUMA balancing observed the target so far, estimated from sampled
 * ones. Where the kernel can tell them apart, they are not among the RAW_FAULTs.
 */
uint64_t source_balancing_faults(const struct source *s);
/* Calls EACH for every thread of the target. Returns their number, or a negative errno. */
typedef void source_home_fn(void *ctx, const struct source_home *h);
int source_homes(struct source *s, source_home_fn *each, void *ctx, struct err *e);
/* Number of NUMA nodes that have CPUs. Moves between them are counted when waits are followed. */
uint32_t source_nodes(const struct source *s);

/*
 * Makes a waiting source_read() return when FD becomes readable. FD must outlive the source, or be
 * closed before a read.
 */
int source_call_on(struct source *s, int fd, struct err *e);
/* Wakes a waiting source_read(), from any thread or a signal handler. */
void source_wake(struct source *s);

void source_free(struct source *s);      /* NULL is fine */

DEFINE_AUTO(source_free, struct source);

#endif
