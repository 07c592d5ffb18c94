/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf/bpf.h - whole user stacks for BPF programs, also of code that keeps no frame pointers.
 *
 *	#include "vmlinux.h"             // or <linux/bpf.h>
 *	#include <bpf/bpf_helpers.h>
 *	#define SBERF_RING_BYTES (4 << 20)
 *	#include <sberf/bpf.h>
 *
 *	SEC("uprobe")
 *	int on_malloc(void *ctx)
 *	{
 *		long long token = sberf_capture(0);
 *		...
 *
 * sberf_capture() takes the place of bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK): it returns a
 * token, which can be a key of maps, and which libsberf turns into frames and names (sberf/unwind.h,
 * sberf_take() and sberf_stack()). It may be called in every kind of program that runs in the context of
 * a task: uprobe, kprobe, tracepoint, raw_tp, tp_btf, fentry, perf_event.
 *
 * Where libsberf has put the rules of a process into the maps below (sberf_bpf_use()), its stacks are
 * walked here, and equal stacks have equal tokens; each is told once. Else registers and stack bytes are
 * copied into the ring, libsberf unwinds them, and a token is of this one event.
 *
 * Needs Linux 5.15, clang 13 and libbpf 0.8, and a licence for GPL-only helpers. x86-64 and aarch64;
 * on aarch64 stacks are always copied. Macros that may be defined before, with their defaults:
 *	SBERF_RING_BYTES (1 << 20)       of the ring, a power of two
 *	SBERF_STACK_BYTES 16384          copied of a stack at most, a multiple of 4096
 *	SBERF_PROCESSES 64               whose rules are kept
 *	SBERF_ROWS (1 << 19)             rules in all: 8 MB; a program with its libraries has 20,000 to 200,000
 *	SBERF_STACKS 16384               tokens that are known to have been told
 *	SBERF_SLOTS 64                   captures at a time: two for each CPU are best; a power of two
 */
#ifndef SBERF_BPF_H
#define SBERF_BPF_H

#include <sberf/record.h>

#ifndef SBERF_RING_BYTES
#define SBERF_RING_BYTES (1 << 20)
#endif
#ifndef SBERF_STACK_BYTES
#define SBERF_STACK_BYTES 16384
#endif
#ifndef SBERF_PROCESSES
#define SBERF_PROCESSES 64
#endif
#ifndef SBERF_ROWS
#define SBERF_ROWS (1 << 19)
#endif
#ifndef SBERF_STACKS
#define SBERF_STACKS 16384
#endif
#ifndef SBERF_SLOTS
#define SBERF_SLOTS 64
#endif

#define SBERF_PAGE_ 4096u
#define SBERF_MIX_ 0x9e3779b97f4a7c15ull
#define SBERF_GAP_MAX_ (1ull << 30)              /* a frame larger than that is nonsense */
#define SBERF_RETURNS_MAX_ 64                    /* return probes that may be pending in a thread */
#define SBERF_TOKEN_COPY_ (1ull << 62)
/* The compiler shall not know of X what the verifier forgets. */
#define sberf_opaque_(x) __asm__ volatile("" : "+r"(x))

/* What is not in a token: the counts of what could not be told, by the reason. sberf_lost of the object's .bss. */
enum sberf_loss {
	SBERF_LOST_BUSY,         /* all slots of the CPU were in use */
	SBERF_LOST_RING,         /* the ring was full */
	SBERF_LOST_USER,         /* there was no user side: a kernel thread, or in the middle of exec */
	SBERF_LOST_NR,
};
unsigned long long sberf_lost[SBERF_LOST_NR];
unsigned long long sberf_walked_stacks, sberf_copied_stacks;

struct sberf_slot_ {
	unsigned int busy;
	unsigned int at;         /* of the mapping that the last frame was in */
	unsigned long long pc, sp, bp, low, hash, trampoline;
	unsigned int nr, exact;
	struct sberf_record rec;
	union {
		unsigned long long frame[SBERF_WALK_MAX + 1];
		unsigned char bytes[SBERF_STACK_BYTES + SBERF_PAGE_];
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, SBERF_RING_BYTES);
} sberf_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SBERF_SLOTS);
	__type(key, unsigned int);
	__type(value, struct sberf_slot_);
} sberf_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SBERF_PROCESSES);
	__type(key, unsigned int);
	__type(value, struct sberf_space);
} sberf_spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SBERF_ROWS);
	__type(key, unsigned int);
	__type(value, struct sberf_row);
} sberf_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SBERF_STACKS);
	__type(key, unsigned long long);
	__type(value, unsigned char);
} sberf_told SEC(".maps");

/* What is read of the kernel's own structures; libbpf finds the members (the names behind ___ are ours). */
struct xol_area___sberf {
	unsigned long vaddr;
} __attribute__((preserve_access_index));

struct uprobes_state___sberf {
	struct xol_area___sberf *xol_area;
} __attribute__((preserve_access_index));

struct mm_struct___sberf {
	unsigned long start_stack, end_code, exec_vm;
	struct uprobes_state___sberf uprobes_state;
} __attribute__((preserve_access_index));

struct return_instance___sberf {
	unsigned long orig_ret_vaddr, stack;
	struct return_instance___sberf *next;
} __attribute__((preserve_access_index));

struct uprobe_task___sberf {
	struct return_instance___sberf *return_instances;
} __attribute__((preserve_access_index));

struct task_struct___sberf {
	struct mm_struct___sberf *mm;
	struct uprobe_task___sberf *utask;
} __attribute__((preserve_access_index));

/* struct pt_regs of the kernel, as far as it is the same everywhere. */
struct sberf_regs_ {
#if defined(__TARGET_ARCH_x86) || !defined(__TARGET_ARCH_arm64)
	unsigned long long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp;
#else
	unsigned long long x[31], sp, pc;
#endif
};

static __always_inline struct task_struct___sberf *sberf_task_(void)
{
	return (struct task_struct___sberf *)bpf_get_current_task_btf();
}

/*
 * The functions from here on are global: the verifier looks at each of them once and alone. Weak, as several
 * objects of one program may have them.
 */

/* The true return address for SLOT, where a return probe has put that of its trampoline; 0 = it is not known. */
__noinline __attribute__((weak)) unsigned long long sberf_true_return_(unsigned long long slot)
{
	struct uprobe_task___sberf *watched = sberf_task_()->utask;
	struct return_instance___sberf *at = watched ? watched->return_instances : 0;

	for (int i = 0; i < SBERF_RETURNS_MAX_ && at; i++) {
		if (at->stack == slot)
			return at->orig_ret_vaddr;
		at = at->next;
	}
	return 0;
}

/* The trampoline of the current task's return probes, if any are pending; else no address. */
static __always_inline unsigned long long sberf_trampoline_(void)
{
	struct task_struct___sberf *task = sberf_task_();
	struct uprobe_task___sberf *watched = task->utask;
	struct mm_struct___sberf *mm = task->mm;
	struct xol_area___sberf *area;

	if (!watched || !watched->return_instances || !mm)
		return ~0ull;
	area = mm->uprobes_state.xol_area;
	return area ? area->vaddr : ~0ull;
}

/* Copies the page of the stack at ADDR to offset AT of slot WHICH. Returns the bytes, 0 = it cannot be read. */
__noinline __attribute__((weak)) int sberf_copy_(unsigned int which, unsigned int at, unsigned long long addr)
{
	struct sberf_slot_ *w = bpf_map_lookup_elem(&sberf_slots, &which);
	/* Of 64 bits: a smaller one is cut by shifts, behind which the verifier knows nothing of it. */
	unsigned long long n = SBERF_PAGE_ - (addr & (SBERF_PAGE_ - 1)), off = at;

	sberf_opaque_(off);
	sberf_opaque_(n);
	if (!w || off > SBERF_STACK_BYTES || n > SBERF_PAGE_)
		return 0;
	return bpf_probe_read_user(w->bytes + off, n, (void *)addr) ? 0 : n;
}

/* Puts true return addresses into what slot WHICH has copied of the stack. */
__noinline __attribute__((weak)) int sberf_mend_(unsigned int which)
{
	struct sberf_slot_ *w = bpf_map_lookup_elem(&sberf_slots, &which);
	struct uprobe_task___sberf *watched = sberf_task_()->utask;
	struct return_instance___sberf *at = watched ? watched->return_instances : 0;

	for (int i = 0; w && i < SBERF_RETURNS_MAX_ && at; i++) {
		unsigned long long behind = at->stack - w->rec.stack_at;
		unsigned long long true_return = at->orig_ret_vaddr;

		if (behind < w->rec.nr_bytes) {
			sberf_opaque_(behind);
			if (behind <= SBERF_STACK_BYTES - 8 &&
			    *(unsigned long long *)(w->bytes + (behind & ~7ull)) == w->trampoline)
				*(unsigned long long *)(w->bytes + (behind & ~7ull)) = true_return;
		}
		at = at->next;
	}
	return 0;
}

/* Fills slot WHICH with a copy of the stack from the red zone below its stack pointer on. */
static __always_inline void sberf_copy_stack_(struct sberf_slot_ *w, unsigned int which, unsigned long long sp)
{
	unsigned long long addr = (sp - 128) & ~7ull;
	unsigned int got = sberf_copy_(which, 0, addr), n = got;

	if (!got && addr < (sp & ~(SBERF_PAGE_ - 1ull))) {
		/* The page below the stack pointer need not exist yet. */
		addr = sp & ~(SBERF_PAGE_ - 1ull);
		n = got = sberf_copy_(which, 0, addr);
	}
	for (int i = 0; i < SBERF_STACK_BYTES / (int)SBERF_PAGE_ && n && got < SBERF_STACK_BYTES; i++) {
		n = sberf_copy_(which, got, addr + got);
		got += n;
	}
	w->rec.stack_at = addr;
	w->rec.nr_bytes = got < SBERF_STACK_BYTES ? got : SBERF_STACK_BYTES;
	w->rec.unreadable = !n;
	if (w->trampoline != ~0ull)
		sberf_mend_(which);
}

/* The mapping of process PID that begins last at or below ADDR. An index. */
__noinline __attribute__((weak)) int sberf_find_mapping_(unsigned int pid, unsigned long long addr)
{
	struct sberf_space *sp = bpf_map_lookup_elem(&sberf_spaces, &pid);
	unsigned long long at = 0;

	if (!sp)
		return 0;
	for (unsigned long long step = SBERF_MAPPINGS / 2; step; step >>= 1) {
		/* Without a branch, which would be as many paths for the verifier. Behind the last all are above. */
		unsigned long long start = sp->mapping[(at + step) & (SBERF_MAPPINGS - 1)].start & ~(1ull << 63);

		at += step * (~(addr - start) >> 63);
		sberf_opaque_(at);
	}
	return at & (SBERF_MAPPINGS - 1);
}

/* The row of the N from FIRST on that holds for PLACE. An index. */
__noinline __attribute__((weak)) int sberf_find_row_(unsigned int first, unsigned int n, unsigned int place)
{
	unsigned int low = 0;

	for (unsigned int step = 1u << 21; step; step >>= 1) {
		unsigned int at = first + low + step;
		struct sberf_row *r = low + step < n ? bpf_map_lookup_elem(&sberf_rows, &at) : 0;

		if (r && r->place <= place)
			low += step;
		sberf_opaque_(low);
	}
	return first + low;
}

static __always_inline int sberf_read_(unsigned long long addr, unsigned long long *ret)
{
	return bpf_probe_read_user(ret, sizeof(*ret), (void *)addr) ? SBERF_COPY_NO_READ : 0;
}

/* Answers of a step beside enum sberf_copied. */
#define SBERF_ROOT_ 100

/* To the caller by its return address below CFA; BP is the caller's. */
static __always_inline int sberf_to_caller_(struct sberf_slot_ *w, unsigned long long cfa, unsigned long long bp)
{
	unsigned long long ra, true_return;

	if (cfa <= w->sp || (cfa & 7) || cfa - w->sp > SBERF_GAP_MAX_)
		return SBERF_COPY_BAD;
	if (sberf_read_(cfa - 8, &ra))
		return SBERF_COPY_NO_READ;
	if (ra == w->trampoline) {
		true_return = sberf_true_return_(cfa - 8);
		ra = true_return ? true_return : ra;
	}
	w->pc = ra;
	w->sp = cfa;
	w->bp = bp;
	w->exact = 0;
	return ra ? 0 : SBERF_ROOT_;
}

static __always_inline int sberf_by_signal_(struct sberf_slot_ *w)
{
	/* struct ucontext: uc_mcontext is at 40; rbp, rsp and rip are its 11th, 16th and 17th word */
	unsigned long long old = w->sp, sp, bp, pc;

	if (sberf_read_(old + 40 + 80, &bp) || sberf_read_(old + 40 + 120, &sp) || sberf_read_(old + 40 + 128, &pc))
		return SBERF_COPY_NO_READ;
	if (sp <= old && old - sp < SBERF_STACK_BYTES)
		return SBERF_COPY_BAD;
	w->pc = pc;
	w->sp = sp;
	w->bp = bp;
	w->low = sp - 128;
	w->exact = 1;
	return 0;
}

static __always_inline int sberf_by_frame_pointer_(struct sberf_slot_ *w)
{
	unsigned long long at = w->bp, bp;
	int why;

	if (at < w->sp || (at & 7))
		return SBERF_COPY_BAD;
	if (sberf_read_(at, &bp))
		return SBERF_COPY_NO_READ;
	why = sberf_to_caller_(w, at + 16, bp);
	/* Nothing marks the root of a chain of frame pointers. */
	return why == SBERF_ROOT_ ? SBERF_COPY_BAD : why;
}

static __always_inline int sberf_by_rule_(struct sberf_slot_ *w, const struct sberf_rule *r)
{
	unsigned long long cfa = w->sp + (long long)r->cfa, bp = w->bp, slot;

	switch (r->kind) {
	case SBERF_RULE_SP:
		break;
	case SBERF_RULE_BP:
		cfa = w->bp + (long long)r->cfa;
		break;
	case SBERF_RULE_PLT:
		cfa += (w->pc & 15) >= r->arg ? 8 : 0;
		break;
	case SBERF_RULE_DRAP:
		if (sberf_read_(w->bp + (long long)r->cfa, &cfa) || sberf_read_(w->bp, &bp))
			return SBERF_COPY_NO_READ;
		return sberf_to_caller_(w, cfa, bp);
	case SBERF_RULE_END:
		return SBERF_ROOT_;
	case SBERF_RULE_SIGNAL:
		return sberf_by_signal_(w);
	case SBERF_RULE_FP:
		return sberf_by_frame_pointer_(w);
	default:
		return SBERF_COPY_NO_RULE;
	}
	slot = cfa + (long long)r->bp * 8;
	/* A slot that was given up may lie below the stack; then the register has its old value back already. */
	if (r->bp != SBERF_RULE_BP_SAME && slot >= w->low && sberf_read_(slot, &bp)) {
		if (slot >= w->sp)
			return SBERF_COPY_NO_READ;
		bp = w->bp;
	}
	return sberf_to_caller_(w, cfa, bp);
}

/* Notes the frame at which slot WHICH stands and goes to its caller. 0, SBERF_ROOT_ or enum sberf_copied. */
__noinline __attribute__((weak)) int sberf_step_(unsigned int which)
{
	struct sberf_slot_ *w = bpf_map_lookup_elem(&sberf_slots, &which);
	struct sberf_rule rule = { .kind = SBERF_RULE_FP };
	unsigned long long lookup, start, end, nr, at;
	struct sberf_space *sp;
	unsigned int pid, row;
	struct sberf_row *r;
	int why;

	if (!w)
		return SBERF_COPY_BAD;
	pid = w->rec.pid;
	sp = bpf_map_lookup_elem(&sberf_spaces, &pid);
	if (!sp)
		return SBERF_COPY_NO_SPACE;
	lookup = w->pc - !w->exact;
	at = w->at & (SBERF_MAPPINGS - 1);
	if (lookup < sp->mapping[at].start || lookup >= sp->mapping[at].end)
		at = sberf_find_mapping_(pid, lookup);
	w->at = at;
	sberf_opaque_(at);
	at &= SBERF_MAPPINGS - 1;
	start = sp->mapping[at].start;
	end = sp->mapping[at].end;
	if (lookup < start || lookup >= end)
		return SBERF_COPY_NO_MAP;
	if (sp->mapping[at].nr_rows) {
		row = sberf_find_row_(sp->mapping[at].row, sp->mapping[at].nr_rows, lookup - start);
		r = bpf_map_lookup_elem(&sberf_rows, &row);
		if (!r)
			return SBERF_COPY_NO_RULE;
		rule = r->rule;
	}
	nr = w->nr;
	sberf_opaque_(nr);
	if (nr >= SBERF_WALK_MAX)
		return SBERF_COPY_DEEP;
	w->frame[nr] = w->pc;
	w->hash = (w->hash ^ w->pc) * SBERF_MIX_;
	w->hash ^= w->hash >> 32;
	why = sberf_by_rule_(w, &rule);
	if (!why || why == SBERF_ROOT_)
		w->nr = nr + 1;
	return why;
}

/* Walks the stack of slot WHICH, whose registers are set, by rules. SBERF_WALKED, or why not. */
__noinline __attribute__((weak)) int sberf_walk_(unsigned int which)
{
	struct sberf_slot_ *w = bpf_map_lookup_elem(&sberf_slots, &which);
	struct sberf_space *sp;
	unsigned int pid;
	int why = 0;

	if (!w)
		return SBERF_COPY_BAD;
	pid = w->rec.pid;
	sp = bpf_map_lookup_elem(&sberf_spaces, &pid);
	if (!sp || sp->memory != w->rec.memory)
		return SBERF_COPY_NO_SPACE;
	for (unsigned int i = 0; i <= SBERF_WALK_MAX && !why; i++)
		why = sberf_step_(which);
	return why == SBERF_ROOT_ ? SBERF_WALKED : why ? why : SBERF_COPY_DEEP;
}

/* The registers with which the current task entered the kernel, to W. */
static __always_inline int sberf_registers_(struct sberf_slot_ *w)
{
	struct sberf_regs_ r;

	if (bpf_probe_read_kernel(&r, sizeof(r), (void *)bpf_task_pt_regs(bpf_get_current_task_btf())))
		return -1;
#if defined(__TARGET_ARCH_x86) || !defined(__TARGET_ARCH_arm64)
	w->rec.regs[0] = r.ax;
	w->rec.regs[1] = r.dx;
	w->rec.regs[2] = r.cx;
	w->rec.regs[3] = r.bx;
	w->rec.regs[4] = r.si;
	w->rec.regs[5] = r.di;
	w->rec.regs[6] = w->bp = r.bp;
	w->rec.regs[7] = w->sp = r.sp;
	w->rec.regs[8] = r.r8;
	w->rec.regs[9] = r.r9;
	w->rec.regs[10] = r.r10;
	w->rec.regs[11] = r.r11;
	w->rec.regs[12] = r.r12;
	w->rec.regs[13] = r.r13;
	w->rec.regs[14] = r.r14;
	w->rec.regs[15] = r.r15;
	w->rec.regs[16] = w->pc = r.ip;
#else
	for (int i = 0; i < 31; i++)
		w->rec.regs[i] = r.x[i];
	w->rec.regs[31] = w->sp = r.sp;
	w->rec.regs[32] = w->pc = r.pc;
	w->bp = r.x[29];
#endif
	return 0;
}

/* Sends what slot W has. The token, or a negative errno. */
static __always_inline long long sberf_send_(struct sberf_slot_ *w)
{
	unsigned long long size = sizeof(w->rec) + (w->rec.copied ? w->rec.nr_bytes : w->rec.nr_walked * 8);
	const unsigned char told = 1;
	unsigned long long token = w->rec.token;

	if (!w->rec.copied && bpf_map_lookup_elem(&sberf_told, &token))
		return token;
	w->rec.size = size;
	sberf_opaque_(size);
	if (size > sizeof(w->rec) + SBERF_STACK_BYTES)
		return -7;               /* E2BIG: never */
	if (bpf_ringbuf_output(&sberf_ring, &w->rec, size, 0)) {
		__sync_fetch_and_add(&sberf_lost[SBERF_LOST_RING], 1);
		/* It will be told the next time. */
		return w->rec.copied ? -28 : (long long)token;   /* ENOSPC */
	}
	if (!w->rec.copied)
		bpf_map_update_elem(&sberf_told, &token, &told, 0 /* BPF_ANY */);
	return token;
}

/* Fills W, which is number WHICH and ours, with the stack of the current task, and sends it. */
static __always_inline long long sberf_fill_(struct sberf_slot_ *w, unsigned int which, unsigned long long cookie)
{
	struct mm_struct___sberf *mm = sberf_task_()->mm;
	unsigned long long id = bpf_get_current_pid_tgid(), sp;

	if (!mm || !mm->end_code || sberf_registers_(w)) {
		__sync_fetch_and_add(&sberf_lost[SBERF_LOST_USER], 1);
		return -3;               /* ESRCH */
	}
	sp = w->sp;
	w->rec.version = SBERF_RECORD_VERSION;
	w->rec.cookie = cookie;
	w->rec.time_ns = bpf_ktime_get_ns();
	w->rec.memory = ((mm->start_stack * SBERF_MIX_ ^ mm->end_code) * SBERF_MIX_ ^ mm->exec_vm) | 1;
	w->rec.pid = id >> 32;
	w->rec.tid = (unsigned int)id;
	w->rec.machine = SBERF_RECORD_MACHINE;
	w->rec.nr_regs = SBERF_RECORD_REGS;
	w->rec.nr_walked = w->rec.nr_bytes = w->rec.unreadable = 0;
	w->trampoline = sberf_trampoline_();
	w->hash = w->rec.pid;
	w->low = sp - 128;
	w->nr = 0;
	w->exact = 1;
#if defined(__TARGET_ARCH_x86) || !defined(__TARGET_ARCH_arm64)
	w->rec.copied = sberf_walk_(which);
#else
	w->rec.copied = SBERF_COPY_NO_SPACE;
#endif
	if (!w->rec.copied) {
		w->rec.nr_walked = w->nr;
		w->rec.token = (w->hash & (SBERF_TOKEN_COPY_ - 1)) | 1;
		__sync_fetch_and_add(&sberf_walked_stacks, 1);
	} else {
		sberf_copy_stack_(w, which, sp);
		w->rec.token = (((w->rec.time_ns * SBERF_MIX_) ^ id) & (SBERF_TOKEN_COPY_ - 1)) | SBERF_TOKEN_COPY_;
		__sync_fetch_and_add(&sberf_copied_stacks, 1);
	}
	return sberf_send_(w);
}

/*
 * The user stack of the current task. COOKIE goes with the record. A token above 0 that
 * sb_stack() of libsberf knows; or -EBUSY, -ENOSPC (the ring was full) or -ESRCH (there is no user
 * side), all of which sberf_lost[] counts.
 */
__noinline __attribute__((weak)) long long sberf_capture(unsigned long long cookie)
{
	unsigned int which = bpf_get_smp_processor_id() * 2;
	long long token = -16;           /* EBUSY */

	/* Whoever else runs on this CPU meanwhile, as programs may interrupt each other, takes the other one. */
	for (int i = 0; i < 2; i++) {
		unsigned int at = (which + i) & (SBERF_SLOTS - 1);
		struct sberf_slot_ *w = bpf_map_lookup_elem(&sberf_slots, &at);

		if (!w)
			continue;
		__sync_fetch_and_add(&w->busy, 1);
		if (*(volatile unsigned int *)&w->busy == 1) {
			token = sberf_fill_(w, at, cookie);
			__sync_fetch_and_add(&w->busy, -1);
			return token;
		}
		__sync_fetch_and_add(&w->busy, -1);
	}
	__sync_fetch_and_add(&sberf_lost[SBERF_LOST_BUSY], 1);
	return token;
}

#endif
