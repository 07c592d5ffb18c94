/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maps.bpf.h - knobs, maps and counters that the programs share with each other and with user
 * space.
 */
#ifndef SBERF_BPF_MAPS_H
#define SBERF_BPF_MAPS_H

/* no page is smaller, and no piece of this size is in two; a page may be more of them (page_bytes) */
#define PAGE_BYTES 4096u
#define PIECES (SB_STACK_MAX / PAGE_BYTES + 2)           /* page-bounded pieces of a copy: both ends may be partial */
#define HOLE_PAGES 4                     /* that cannot be read, behind which a copy still goes on */
#define ADDRS_BYTES (sizeof(struct sb_part_addrs) + SB_KSTACK_MAX * 8)
#define REGS_BYTES (sizeof(struct sb_part_regs) + SB_NR_REGS * 8)
#define HEAD_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + sizeof(struct sb_part_sample))
#define STACK_HEADS (SB_SEGMENTS_MAX * sizeof(struct sb_part_segment))
#define STACK_ROOM (2 * SB_STACK_MAX + STACK_HEADS)      /* of all copies in one record */
#define WALK_HEAD_BYTES (sizeof(struct sb_part_walk) + sizeof(struct sb_part_stop) + sizeof(struct sb_part_addrs))
#define EVENT_BYTES (sizeof(struct sb_part_event) + 8 * SB_ARGS_MAX)
#define EVENT_HEAD_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + EVENT_BYTES)
#define TEXT_BYTES (sizeof(struct sb_part_text) + SB_TEXT_MAX)
/* The longest is that of a system call, with its texts. */
#define RECORD_MAX (EVENT_HEAD_BYTES + REGS_BYTES + 2 * ADDRS_BYTES + STACK_ROOM + WALK_HEAD_BYTES + \
		    8 * SB_WALK_MAX + sizeof(struct sb_part_taken) + SB_PLAN_BYTES + SB_CALL_TEXTS * TEXT_BYTES)
/* What may follow a stack and what is read with it. */
#define BEHIND_BYTES (ADDRS_BYTES + SB_CALL_TEXTS * TEXT_BYTES + sizeof(struct sb_part_sum))

#define WAIT_HEAD_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + sizeof(struct sb_part_wait))
#define WAKE_HEAD_BYTES (sizeof(struct sb_hdr) + sizeof(struct sb_part_task) + sizeof(struct sb_part_wake))
#define SLOT_HEAD_BYTES sizeof(struct sb_slot)

/* For stack bytes and their heads; one page is spare, because pieces are checked as if they were whole pages. */
#define SLOT_STACK_ROOM (slot_bytes - SLOT_HEAD_BYTES - WAIT_HEAD_BYTES - REGS_BYTES - ADDRS_BYTES - PAGE_BYTES)
/* Frames of a walk that fit into a slot. */
#define SLOT_FRAME_BYTES (slot_bytes - SLOT_HEAD_BYTES - WAIT_HEAD_BYTES - REGS_BYTES - ADDRS_BYTES - WALK_HEAD_BYTES)
#define SLOT_FRAMES (SLOT_FRAME_BYTES / 8 < SB_WALK_MAX ? SLOT_FRAME_BYTES / 8 : SB_WALK_MAX)
#define CHANCE_PERIOD_MASK 0xffffffffffull               /* of a period; times CHANCE_BITS it fits into 64 bits */

#define SCAN_BYTES 1024u                                 /* of a signal stack, looked through at a time */
#define SCAN_STEPS (SB_SIGFRAME_REACH / SCAN_BYTES)

#define PLACE_SLOT 0x80000000u                           /* record.bpf.h */

#define TARGETS_MAX 32768u
#define MIX 0x9e3779b97f4a7c15ull        /* 2^64 by the golden ratio */

/* What is fixed for a run; user space sets it before loading. The values of target are those of enum target_kind. */
#define TARGET_ALL 0
#define TARGET_PIDS 1
#define TARGET_TIDS 2
#define TARGET_CGROUP 3
const volatile __u32 page_bytes = PAGE_BYTES;    /* of this machine */
const volatile __u32 target = TARGET_ALL;
const volatile bool kernel_frames = true;
const volatile bool frame_pointers = false;
/* --call-graph lbr: the callers of user code are branch records of the CPU, which has so many; 0 = they are not */
const volatile __u32 call_records = 0;
/* registers, and of a sample in the kernel its address: no stacks; kernel_frames is off */
const volatile bool no_callers = false;
/* with it: samples in the kernel are told by that address, not by the user's registers */
const volatile bool kernel_leaf = false;
/* who reads is woken when a process of the target forks another one */
const volatile bool births_wake = false;
/* of so many stacks walked by rules one is copied too, or unwound; 0 = none */
const volatile __u32 verify_every = 0;
/* there is bpf_loop() to walk with, since Linux 5.17 (e6f2dd0f8067) */
const volatile bool loops = false;
/* what return probes replaced on stacks is put back: returns.bpf.h */
const volatile bool true_returns = false;
/* frames that the kernel walks at most, kernel.perf_event_max_stack */
const volatile __u32 walk_max = SB_KSTACK_MAX;

/*
 * Scratch buffers from this one on, PROBE_PLACES for each CPU, are for hits of probes: what samples
 * may interrupt them, and so may other tasks that hit one. 0xffffffff: there are none
 */
const volatile __u32 probe_first = 0xffffffff;
#define PROBE_PLACES 2u
const volatile bool looking = false;                     /* at arguments of some hits: take_look() of thin.bpf.h */
const volatile bool tracing = false;                     /* each system call is told with what call_wishes says */
const volatile bool off_cpu = false;                     /* follow waits */
/* sched_switch tells the state itself, since Linux 5.18 (fa2c3254d7cf) */
const volatile bool prev_state_arg = false;
/* where the handler of page faults returns to (capture/faultentry.h); 0 = unknown */
const volatile __u64 fault_return = 0;
const volatile __u32 slot_bytes = 32768;                 /* of one slot: struct sb_slot and the record behind it */
const volatile __u64 min_wait_ns = 0;                    /* shorter waits are counted apart and never told */
/* those that are short and were seen before; by stacks that are walked */
const volatile bool sum_waits = false;
const volatile bool kernel_locks = false;                /* waits for locks of the kernel are told with these */
const volatile bool many_nodes = false;                  /* the machine has more than one NUMA node */
#define NAME_WORDS 16u                                   /* with its end: of longer names the first 127 bytes count */
const volatile __u64 target_name[NAME_WORDS] = { 0 };    /* processes that get this name are of the target, too */
const volatile bool by_name = false;                     /* there is one */
const volatile __u64 target_cgroup = 0;                  /* id of the cgroup, for tasks that are not current */

/* What may change while it runs. */
__u64 wait_period_ns = 10 * 1000 * 1000;                 /* waits of this length are all told, shorter ones by chance */
bool following = false;                                  /* switches are looked at */
bool wakers = false;                                     /* tell who wakes, with which stacks */
__u32 sums_turn = 0;                                     /* even or odd: where sums go */
__u64 deaf_until_ns = 0;                                 /* strangers wake nobody before */
__u64 open_min_ns = 0;                                   /* the task iterator leaves shorter waits out */
/* and tells kernel stacks of waits that began until then, or before the capture */
__u64 open_kstack_ns = 0;
/* bytes of a stack copied when nothing is learnt for the executable */
__u32 stack_cap = SB_STACK_MIN;
__u64 wake_bytes = 0;                                    /* bytes in a ring at which its reader is woken */
__u32 own_tgid = 0;                                      /* sberf itself, as the kernel numbers it */

struct scratch {
	__u64 busy;
	__u8 rec[RECORD_MAX + PAGE_BYTES];
};

/* Element counts of those indexed by CPU or ring are set by user space before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Two for each CPU: an interrupt may sample while a switch is under way. And one for each scratch buffer of probes. */
struct chunk {
	__u64 word[(SCAN_BYTES + 2 * SB_SIGFRAME_ALIGN) / 8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct chunk);
} chunks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cpu_ring SEC(".maps");

/* The NUMA node of each CPU: what a program can ask for is only that of its own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cpu_node SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} rings SEC(".maps");

/* tgid or tid -> start time of that task, 0 = not known yet. Preallocated: samplers run where memory cannot be had. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TARGETS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* exe_id -> bytes of stack worth copying, learnt from how deep its stacks turned out to be. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, __u32);
} caps SEC(".maps");

/* What is known of a task of the target; goes when the task does. Made where memory may be had, never in a switch. */
struct sb_task {
	__u64 since_ns;          /* when it came onto its CPU, or left it */
	__u64 waking_ns;         /* 0 = not woken yet */
	__u64 id;                /* of the wait under way */
	__u64 stack_end;         /* where the last copy of its stack met a page that cannot be read; 0 = it did not */
	__u64 kstack_id;         /* of the wait whose kernel stack the iterator has told */
	__u64 regs;              /* where those of its user side are, when it came by no system call */
	/* sb_lock.address of the wait under way, of a lock of the kernel as in CONTENDED; 0 = none */
	__u64 lock;
	__u64 contended;         /* the lock of the kernel that it asks for, plus SB_KLOCK_*; 0 = none */
	/* the struct cfs_rq in which it waits to run, and for how long that had been throttled when it came there */
	__u64 queue, queue_off_ns;
	__u64 waker_start_ns;
	__u32 waker_pid, waker_tid;
	__u64 waker_comm[2];
	struct sb_inside inside; /* calls that it was in when the wait began */
	__u16 ready;             /* all of this is set up */
	__u16 updating;          /* a switch is at it: the sampler keeps off */
	__u32 left;              /* how often it had left a CPU when the wait began */
	__u32 slot;              /* index + 1; 0 = none */
	__u32 chance;            /* of the wait under way, drawn when it began */
	__u32 cpu, node;         /* that it left */
	__s32 call;
	__u8 on;                 /* it runs */
	__u8 state;              /* SB_STATE_* of the wait under way */
	__u8 flags;              /* SB_WAIT_* */
	__u8 context;            /* SB_WAKER_* */
};

/* tgid -> what is read of the process with each stack: plan.bpf.h. Preallocated, as samplers look here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SB_PLANS);
	__type(key, __u32);
	__type(value, struct sb_plan);
} plans SEC(".maps");

__u32 planned = 0;                                       /* some process has one */

/* A plan that is carried out; as many as there are chunks. */
#define PLAN_WINDOW 2048u                                /* bytes: a power of two */
struct plan_run {
	struct sb_plan plan;                             /* the last one: plans are copied when they are others */
	__u64 at, turn_at, fold;
	__u64 again_at;                                  /* from where it is done once more; 0 = it is not */
	__u64 reg[SB_NR_REGS];
	__u32 place, off;                                /* where the next record goes */
	__u32 words, turn_words;                         /* of this turn so far; of each that is whole */
	__u32 step, loop_step, again_step;
	__u32 turns, turns_max;                          /* whole ones */
	__u64 word[SB_PLAN_RECORD / 8];                  /* the record in the making */
	__u64 window_at, near;                           /* of the bytes in window; where a turn has read first */
	__u32 window_bytes;
	__u8 read[PLAN_WINDOW + SB_PICK_BYTES];          /* window, and what was read by itself */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct plan_run);
} plan_runs SEC(".maps");

/* Unwinding by rules: sizes are set by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);                              /* SB_PAGE_KEY() */
	__type(value, __u32);                            /* index in pages */
} page_of SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_page);
} pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);                              /* tgid */
	__type(value, __u32);                            /* index in spaces */
} space_of SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_space);
} spaces SEC(".maps");

/*
 * Rules that walks found lately, by place: see find_rule(). Two entries for each hash, next to each
 * other: with one, a compiler had half as many looked up again.
 */
#define RECENT_BITS 14u
#define RECENT_NS_SHIFT 35u                               /* of the time for which one is kept: 34 s */
struct recent {
	__u64 place, rule;
};
static struct recent recent[1u << RECENT_BITS][2] __attribute__((aligned(64)));

/* Where the page of a key may be, for find_page(): an index, which the key in the page confirms. */
#define HINT_BITS 14u
static __u32 page_hint[1u << HINT_BITS];

/*
 * The space that one of a family has, for those who have none: see know_memory(). Samplers write
 * here, in the midst of whatever a CPU does, so no lock may be needed, as a hash would that
 * forgets: each family has one place, which it may lose to another.
 */
#define KIN_BITS 11u
struct kin {
	/* KIN_TAG(): an entry of which two wrote a half each is of no family */
	__u64 tag;
	__u64 id;                                        /* of that space */
	__u64 index;
};
#define KIN_TAG(kin, id, index) ((kin) ^ ((id) ^ (index)) * MIX)
static struct kin kins[1u << KIN_BITS];

/*
 * Where on the kernel's stack the return addresses of a wait stand that is known by all else
 * (kstack.bpf.h). Written without locks: an entry of which two wrote a half each fits no stack.
 */
#define CHAINS_BITS 11u
#define KSTACK_WORDS 128u
#define CHAIN_FRAMES 16u
struct chain {
	__u64 tag;                                       /* all else, folded */
	__u64 fold;                                      /* of the addresses */
	__u32 seen;                                      /* times that they were found there */
	__u8 nr;                                         /* addresses */
	__u8 words;                                      /* of the stack that hold all of them */
	__u8 pad[2];
	__u8 at[CHAIN_FRAMES];                           /* words from the end of the stack */
};
static struct chain chains[1u << CHAINS_BITS];

/*
 * How far it is on a kernel stack from one address to the next: see hops.bpf.h. Two places for
 * each, next to each other. Written without locks: an entry of which two wrote a half each is of no
 * use.
 */
#define HOPS_BITS 13u
struct hop {
	__u64 tag;                                       /* its key ^ to * MIX */
	__u64 to;                                        /* HOP_* */
};
static struct hop hops[1u << HOPS_BITS][2] __attribute__((aligned(64)));
#define HOP_WORDS 512u                                   /* of a stack of which hops can be learnt */
#define HOP_FRAMES 32u                                   /* at most, of that */

#define WINDOW_WORDS 64u                                 /* of the stack, read at a time */

#define AHEAD_MAX 64u                                    /* rules of a walk that the next one asks for at once */

/* The state of a walk. */
struct walk {
	__u64 mm, mapped_nr, stamp;                      /* of the last memory: see stamp_again() */
	__u64 id, kin;                                   /* of the memory, and of its family; 0 = it has none */
	__u64 pc, sp, bp;
	/* the frame of cgocallback() of Go to go on from; 0 = of the last one (sb_walk_switch()) */
	__u64 back_sp;
	__u64 low;                                       /* nothing below it is read: a copy would not have it */
	__u64 check, now;
	__u64 trampoline;                                /* of return probes that are pending, or NO_TRAMPOLINE */
	/* of a function that has returned: where its return address was, and what; 0 = there is none */
	__u64 returned_slot, returned_to;
	__u64 window_at;                                 /* address of window[0] */
	__u32 window_nr;                                 /* words that it holds */
	__u32 space;                                     /* an index */
	/* the mappings that the last frames were in, perhaps of a walk before: indices */
	__u32 map, map_before;
	__u32 exact, nr;
	/* sb_rule.arg of all rules: SB_RULE_PLACED, SB_RULE_NO_TABLE */
	__u32 args, pad;
	struct sb_rule rule;                             /* of a step that sb_walk_switch() is to take ... */
	__u64 switch_check;                              /* ... and what CHECK is behind it */
	__u64 window[WINDOW_WORDS];
	__u64 frame[SB_WALK_MAX];
	__u32 ahead_nr;
	/* where in recent[] the rules of the last walk were, or would be */
	__u32 ahead[AHEAD_MAX];
	__u64 top;                                       /* of the kernel's stack ... */
	__u64 folded;                                    /* ... what it is known by ... */
	__u64 kstack[HOP_WORDS];                         /* ... its words ... */
	__u64 found;
	/* ... and where in them frames were found, from both ends */
	__u64 lowest[HOP_FRAMES], highest[HOP_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct sb_task);
} tasks SEC(".maps");

/* What the task iterator says of one of them; only one looks at a time. */
struct opening {
	struct sb_open o;
	__u64 reg[SB_NR_REGS];
	__u64 kernel[SB_KSTACK_MAX];
	__u64 back[2 * SB_OPEN_RETURNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct opening);
} opening SEC(".maps");

/* Preallocated: switches happen where memory cannot be had. User space removes what belongs to tasks that are gone. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct sb_total_key);
	__type(value, struct sb_total);
} totals SEC(".maps");

/* Preallocated, too. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct sb_sum_key);
	__type(value, struct sb_sum);
} even_sums SEC(".maps"), odd_sums SEC(".maps");

/* User space sets size and number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 32768);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__uint(key_size, 0);
	__uint(value_size, 4);
} free_slots SEC(".maps");

static __always_inline struct sb_cpu *this_cpu(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

#ifdef SBERF_PLAIN_READS
/* Since Linux 6.2 (a35b9af4ec2c, "bpf: Add a kfunc for generic type cast"). */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;
#endif

/*
 * TASK, to follow its pointers only to read, not to hand them to helpers. Of each pointer that is
 * loaded through a trusted one the verifier asks whether it is trusted, too, by looking for types
 * of certain names among all that the kernel has (btf_nested_type_is_trusted(), since Linux 6.3):
 * some tenths of a millisecond each time, a third of all the time that loading took.
 */
static __always_inline struct task_struct *plain(struct task_struct *task)
{
#ifdef SBERF_PLAIN_READS
	return bpf_rdonly_cast(task, bpf_core_type_id_kernel(struct task_struct));
#else
	return task;
#endif
}

#endif
