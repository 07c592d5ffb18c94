/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpfcalls.bpf.c - follows calls of BPF programs: an object of its own, since its programs are loaded anew for each
 * function that is followed, and share their maps.
 *
 * A call begins with fentry and ends with fexit. What it came to in between is told by breakpoints of the CPU: no
 * probe of the kernel may stand in the code of BPF programs. A breakpoint stands at a jump on a condition, and the
 * flags say where it is going to lead. Which call a hit belongs to is known by its CPU and task: a BPF program does not
 * leave its CPU. Where stacks are taken of it, a breakpoint tells of its end as well: fexit would have the function
 * return to what it is attached by, past which the kernel cannot unwind.
 *
 * With records there are no breakpoints: the first thing that happens at the end of a call is to take the branch
 * records of the CPU. Whatever comes before, even a call of a helper, would replace the oldest of them.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "wire.h"

#if defined(__TARGET_ARCH_x86)
#include "arch_x86_64.h"
#else
#error "no registers are known for this architecture: write bpf/arch_NAME.h"
#endif

#include "behind.bpf.h"
#include "operate.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define OPEN 8u                  /* calls that may be under way on one CPU; a power of two */
#define SNAPSHOTS 256u           /* being taken at the same time; a power of two */
#define CALL_HEAD __builtin_offsetof(struct sb_bpf_call, jump)
/* What a packet is known by. */
#define PACKET_NONE 0u
#define PACKET_SKB 1u            /* the first argument is a struct sk_buff */
#define PACKET_XDP 2u            /* it is a struct xdp_buff */

/* Of the function that this copy of the programs is about; user space sets it before loading. */
const volatile __u32 function = 0;
const volatile __u32 nr_args = 0;        /* that fentry has, up to SB_BPF_ARGS */
const volatile __u32 packet_kind = PACKET_NONE;
const volatile bool conditional = false; /* it has a condition */
const volatile bool at_entry = false;    /* calls are told when they begin: then no program is at the end */
const volatile bool by_breakpoint = false;       /* its end is told by a breakpoint */
const volatile bool named = false;       /* its condition asks for what arguments lead to */
const volatile bool prints = false;      /* something of some function is to be shown: each call has it before it */
/* of arguments and the result behind them: bits that mean nothing, and whether the rest is signed */
const volatile __u8 unused_bits[SB_BPF_ARGS + 1] = { 0 };
const volatile bool is_signed[SB_BPF_ARGS + 1] = { 0 };

/* Which jumps are watched, counted from 1 on; 0 = they are being changed. User space sets it. */
__u32 set = 0;
__u32 off = 0;                   /* calls are not followed now */

/* A call that is under way, and what its condition is evaluated with. */
struct open_call {
	__u32 taken, set;
	__s64 stack[SB_DEPTH];
	__u32 depth;
	__u32 unread;            /* something that the condition asks for cannot be read: it is not met */
	__u64 input[SB_INPUTS];
	/* Both are told as one. */
	struct sb_bpf_prints prints;
	struct sb_bpf_call call;
};

/* OPEN of them for each CPU. User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OPEN);
	__type(key, __u32);
	__type(value, struct open_call);
} open_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1u << 22);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_bpf_lost);
} lost SEC(".maps");

/* By the number of a function. User space sets the size, and fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_filter);
} conditions SEC(".maps");

/* What is read of calls, the same. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sb_loads);
} call_loads SEC(".maps");

/* Where records are taken to. A number of its own is what makes each of them somebody's: no helper has to be asked. */
__u32 next_snapshot = 0;
struct sb_record snapshots[SNAPSHOTS][SB_RECORDS];

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sk_buff {
	unsigned int len;
};

struct xdp_buff {
	void *data, *data_end;
};

#pragma clang attribute pop

static __always_inline struct sb_bpf_lost *counts(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&lost, &zero);
}

#define COUNT(what) \
	do { \
		struct sb_bpf_lost *counts_ = counts(); \
\
		if (counts_) \
			counts_->what++; \
	} while (0)

/* ---- calls that are under way ---- */

/* A free place for a call on this CPU, taken; its number at *RET. An interrupt may take the next one meanwhile. */
static __always_inline struct open_call *open_take(__u32 *ret)
{
	const __u32 first = bpf_get_smp_processor_id() * OPEN;

	for (__u32 i = 0; i < OPEN; i++) {
		const __u32 key = first + i;
		struct open_call *o = bpf_map_lookup_elem(&open_calls, &key);

		if (o && !__sync_val_compare_and_swap(&o->taken, 0, 1)) {
			*ret = key;
			return o;
		}
	}
	return NULL;
}

/* The newest call of the function in the thread TID on this CPU; its number at *RET. */
static __always_inline struct open_call *open_find(__u32 tid, __u32 *ret)
{
	const __u32 first = bpf_get_smp_processor_id() * OPEN;
	struct open_call *found = NULL;
	__u64 begun = 0;

	for (__u32 i = 0; i < OPEN; i++) {
		const __u32 key = first + i;
		struct open_call *o = bpf_map_lookup_elem(&open_calls, &key);

		if (!o || o->taken != 2 || o->call.tid != tid || o->call.function != function ||
		    o->call.begun_ns < begun)
			continue;
		begun = o->call.begun_ns;
		found = o;
		*ret = key;
	}
	return found;
}

static __always_inline __u64 packet_bytes(__u64 context)
{
	if (packet_kind == PACKET_SKB) {
		struct sk_buff *skb = (void *)context;

		return BPF_CORE_READ(skb, len);
	}
	if (packet_kind == PACKET_XDP) {
		struct xdp_buff *xdp = (void *)context;

		return (__u64)BPF_CORE_READ(xdp, data_end) - (__u64)BPF_CORE_READ(xdp, data);
	}
	return SB_NO_PACKET;
}

/* The word AT of CTX, as one instruction: compilers make of several reads one of a sum, which the verifier refuses. */
#define CTX_WORD(ctx, at) \
	({ \
		__u64 word_; \
\
		asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(word_) : "r"(ctx), "i"(8 * (at))); \
		word_; \
	})

/* How many arguments there are is known when the program is loaded: what is not there is never read. */
static __always_inline void take_arguments(const __u64 *ctx, struct sb_bpf_call *call)
{
	call->arg[0] = nr_args > 0 ? CTX_WORD(ctx, 0) : 0;
	call->arg[1] = nr_args > 1 ? CTX_WORD(ctx, 1) : 0;
	call->arg[2] = nr_args > 2 ? CTX_WORD(ctx, 2) : 0;
	call->arg[3] = nr_args > 3 ? CTX_WORD(ctx, 3) : 0;
	call->arg[4] = nr_args > 4 ? CTX_WORD(ctx, 4) : 0;
	call->arg[5] = nr_args > 5 ? CTX_WORD(ctx, 5) : 0;
	call->packet = nr_args > 0 ? packet_bytes(CTX_WORD(ctx, 0)) : SB_NO_PACKET;
}

static __always_inline __u64 take_result(const __u64 *ctx)
{
	switch (nr_args) {
	case 0:
		return CTX_WORD(ctx, 0);
	case 1:
		return CTX_WORD(ctx, 1);
	case 2:
		return CTX_WORD(ctx, 2);
	case 3:
		return CTX_WORD(ctx, 3);
	case 4:
		return CTX_WORD(ctx, 4);
	case 5:
		return CTX_WORD(ctx, 5);
	default:
		return CTX_WORD(ctx, 6);
	}
}

/* Whose call O is, and what it is given. */
static __always_inline void describe(struct open_call *o, const __u64 *ctx)
{
	const __u64 who = bpf_get_current_pid_tgid();

	o->call.begun_ns = bpf_ktime_get_ns();
	o->call.pid = who >> 32;
	o->call.tid = (__u32)who;
	o->call.function = function;
	o->call.cpu = bpf_get_smp_processor_id();
	o->call.jumps = o->call.records = o->call.dropped = 0;
	o->call.set = set;
	bpf_get_current_comm(o->call.comm, sizeof(o->call.comm));
	take_arguments(ctx, &o->call);
}

/* ---- what arguments lead to ---- */

static __always_inline __u64 cut_to(__u64 v, __u32 unused, bool negative)
{
	unused &= 63;
	return negative ? (__u64)((__s64)(v << unused) >> unused) : v << unused >> unused;
}

/* Reads what load AT of FUNCTION_NR says, of the call KEY, whose result is known if RETURNED. Looked at alone. */
__noinline int sb_call_load(__u32 key, __u32 function_nr, __u32 at, __u32 returned)
{
	struct open_call *o = bpf_map_lookup_elem(&open_calls, &key);
	const struct sb_loads *all = bpf_map_lookup_elem(&call_loads, &function_nr);
	const struct sb_load *l;
	struct sb_bpf_print *p;
	const volatile __u64 *words;
	__u64 address, word = 0;
	__u32 bytes;

	if (!o || !all)
		return 0;
	l = &all->load[at & (SB_LOADS - 1)];
	if (!l->size || (l->from == SB_LOAD_RESULT) != (returned != 0))
		return 0;
	/* Behind the arguments stands the result. */
	words = (const void *)o->call.arg;
	address = words[(l->from - SB_LOAD_ARG) & 7];
	if (behind_address(l, address, &address))
		address = 0;
	if (at < SB_PRINTS) {
		p = &o->prints.print[at & (SB_PRINTS - 1)];
		p->got = behind_read(p->bytes, l->scale, address, false);
		return 0;
	}
	bytes = l->size;
	barrier_var(bytes);
	if (bytes > sizeof(word) || bpf_probe_read_kernel(&word, bytes, (void *)address))
		o->unread = 1;
	o->input[(SB_INPUT_LOAD + at - SB_PRINTS) & (SB_INPUTS - 1)] = cut_to(word, 64 - 8 * l->size, l->is_signed);
	return 0;
}

/* Reads all that is asked for of the call O, number KEY, when it begins, or has RETURNED. */
static __always_inline void read_behind(struct open_call *o, __u32 key, bool returned)
{
	o->unread = returned && o->unread;
	if (!prints && !named)
		return;
	for (__u32 i = 0; i < SB_LOADS; i++) {
		if (i < SB_PRINTS && !returned)
			o->prints.print[i].got = -1;
		sb_call_load(key, function, i, returned);
	}
}

/* ---- conditions ---- */

static __always_inline __u64 number(__u64 v, __u32 at)
{
	return cut_to(v, unused_bits[at], is_signed[at]);
}

/* Takes the step AT of the condition of FUNCTION_NR, of the call KEY. False behind the last one. */
__noinline int sb_condition_step(__u32 key, __u32 function_nr, __u32 at)
{
	struct open_call *o = bpf_map_lookup_elem(&open_calls, &key);
	const struct sb_filter *f = bpf_map_lookup_elem(&conditions, &function_nr);
	const struct sb_step *step;
	__u32 op, takes, depth;
	__s64 v;

	if (!o || !f)
		return 0;
	step = &f->when[at & (SB_STEPS - 1)];
	op = step->op;
	if (op == SB_OP_END)
		return 0;
	takes = op < SB_OP_NOT ? 0 : op < SB_OP_OR ? 1 : 2;
	depth = o->depth;
	if (op == SB_OP_NUMBER) {
		v = step->value;
	} else if (op == SB_OP_INPUT) {
		v = o->input[step->value & (SB_INPUTS - 1)];
	} else if (op == SB_OP_COMM) {
		const __u64 *name = f->comm[step->value & (SB_COMMS - 1)];
		const __u64 *own = (const void *)o->call.comm;

		v = own[0] == name[0] && own[1] == name[1];
	} else {
		v = operate(op, o->stack[(depth - 2) & (SB_DEPTH - 1)], o->stack[(depth - 1) & (SB_DEPTH - 1)]);
	}
	depth -= takes;
	o->stack[depth & (SB_DEPTH - 1)] = v;
	o->depth = depth + 1;
	return 1;
}

static __always_inline bool meets(struct open_call *o, __u32 key)
{
	const struct sb_bpf_call *call = &o->call;

	if (!conditional)
		return true;
	if (o->unread)
		return false;
#pragma unroll
	for (__u32 i = 0; i < SB_BPF_ARGS; i++)
		o->input[SB_INPUT_ARG + i] = number(call->arg[i], i);
	/* Behind the arguments stands how long the packet is. */
	if (call->packet != SB_NO_PACKET && nr_args < SB_BPF_ARGS)
		o->input[SB_INPUT_ARG + nr_args] = call->packet;
	o->input[SB_INPUT_RESULT] = number(call->result, SB_BPF_ARGS);
	o->input[SB_INPUT_LATENCY] = call->ended_ns - call->begun_ns;
	o->input[SB_INPUT_PID] = call->pid;
	o->input[SB_INPUT_TID] = call->tid;
	o->input[SB_INPUT_CPU] = call->cpu;
	o->depth = 0;
	for (__u32 i = 0; i < SB_STEPS; i++)
		if (!sb_condition_step(key, function, i))
			break;
	return *(volatile __s64 *)&o->stack[0];
}

/* Sends the call of O, with BYTES behind its head. */
static __always_inline void tell(struct open_call *o, __u32 bytes)
{
	long r;

	barrier_var(bytes);
	if (bytes > sizeof(o->call) - CALL_HEAD)
		return;
	r = prints ? bpf_ringbuf_output(&ring, &o->prints, sizeof(o->prints) + CALL_HEAD + bytes, 0) :
		bpf_ringbuf_output(&ring, &o->call, CALL_HEAD + bytes, 0);
	if (r)
		COUNT(full);
}

/* ---- programs ---- */

/* A place for the call that CTX is about, with what it is given; its number at *RET. NULL, counted: there is none. */
static __always_inline struct open_call *begin(const __u64 *ctx, __u32 *ret)
{
	struct open_call *o = open_take(ret);

	if (!o) {
		COUNT(crowded);
		return NULL;
	}
	describe(o, ctx);
	read_behind(o, *ret, false);
	COUNT(calls);
	return o;
}

SEC("fentry/")
int sb_call_in(const __u64 *ctx)
{
	struct open_call *o;
	__u32 key = 0;

	if (off) {
		COUNT(off);
		return 0;
	}
	/* A thread is in one call of it at a time. */
	o = by_breakpoint ? open_find((__u32)bpf_get_current_pid_tgid(), &key) : NULL;
	if (o) {
		COUNT(unended);
		o->taken = 0;
	}
	o = begin(ctx, &key);
	if (!o)
		return 0;
	if (!at_entry) {
		o->taken = 2;
		return 0;
	}
	o->call.ended_ns = o->call.begun_ns;
	o->call.result = 0;
	if (meets(o, key))
		tell(o, 0);
	else
		COUNT(unmet);
	o->taken = 0;
	return 0;
}

/* The call of O, number KEY, has ended with RESULT. */
static __always_inline void end(struct open_call *o, __u32 key, __u64 result)
{
	o->call.ended_ns = bpf_ktime_get_ns();
	o->call.result = result;
	read_behind(o, key, true);
	if (o->call.set != set)
		o->call.set = 0;
	if (meets(o, key))
		tell(o, (o->call.jumps < SB_CALL_JUMPS ? o->call.jumps : SB_CALL_JUMPS) * sizeof(__u64));
	else
		COUNT(unmet);
}

SEC("fexit/")
int sb_call_out(const __u64 *ctx)
{
	struct open_call *o;
	__u32 key = 0;

	o = open_find((__u32)bpf_get_current_pid_tgid(), &key);
	if (!o)
		return 0;
	end(o, key, take_result(ctx));
	o->taken = 0;
	return 0;
}

/* A breakpoint where the function leaves its frame, with its result. */
SEC("perf_event")
int sb_call_left(struct sb_perf_ctx *ctx)
{
	struct open_call *o;
	__u32 key = 0;

	COUNT(hits);
	o = open_find((__u32)bpf_get_current_pid_tgid(), &key);
	if (!o)
		return 0;
	end(o, key, ctx->regs.ax);
	o->taken = 0;
	return 0;
}

/* A breakpoint, whose number is its cookie: a jump on a condition is next. */
SEC("perf_event")
int sb_call_jump(struct sb_perf_ctx *ctx)
{
	const __u32 tid = (__u32)bpf_get_current_pid_tgid(), first = bpf_get_smp_processor_id() * OPEN;
	const __u64 hit = SB_JUMP(ctx->regs.bp, bpf_get_attach_cookie(ctx), ctx->regs.flags);
	bool found = false;

	COUNT(hits);
	/* A program and a sub-program of it may both be followed. */
	for (__u32 i = 0; i < OPEN; i++) {
		const __u32 key = first + i;
		struct open_call *o = bpf_map_lookup_elem(&open_calls, &key);
		__u32 at;

		if (!o || o->taken != 2 || o->call.tid != tid)
			continue;
		found = true;
		at = o->call.jumps;
		if (at >= SB_CALL_JUMPS) {
			o->call.dropped++;
			continue;
		}
		o->call.jump[at & (SB_CALL_JUMPS - 1)] = hit;
		o->call.jumps = at + 1;
	}
	if (!found)
		COUNT(strange);
	return 0;
}

/*
 * The end of a call, or where it is attached there its begin, with branch records. What is called before the snapshot
 * would be among them.
 */
SEC("fexit/")
int sb_call_records(const __u64 *ctx)
{
	const __u32 mine = __sync_fetch_and_add(&next_snapshot, 1) & (SNAPSHOTS - 1);
	const long bytes = bpf_get_branch_snapshot(snapshots[mine], sizeof(snapshots[mine]), 0);
	struct open_call *o;
	__u32 n, key = 0;

	o = begin(ctx, &key);
	if (!o)
		return 0;
	n = bytes > 0 ? (__u32)bytes / sizeof(struct sb_record) : 0;
	n = n < SB_RECORDS ? n : SB_RECORDS;
	if (!n)
		COUNT(no_records);
	o->call.ended_ns = o->call.begun_ns;
	o->call.result = at_entry ? 0 : take_result(ctx);
	o->call.records = n;
	if (!at_entry)
		read_behind(o, key, true);
	if (meets(o, key)) {
		bpf_probe_read_kernel(o->call.record, sizeof(o->call.record), snapshots[mine]);
		tell(o, n * sizeof(struct sb_record));
	} else {
		COUNT(unmet);
	}
	o->taken = 0;
	return 0;
}
