/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record.bpf.h - building records of wire.h and sending them.
 *
 * Records are larger than the BPF stack and of variable length. They are built in one of two
 * places: the scratch buffer of the CPU (samples, wakers), to be sent at once, or the slot of a
 * task (waits), to be sent when the wait is over. The functions that copy stacks take a *place*:
 * the number of a CPU's scratch buffer, or PLACE_SLOT + the index of a slot.
 *
 * Every record that cannot be sent is counted (struct sb_cpu).
 */
#ifndef SBERF_BPF_RECORD_H
#define SBERF_BPF_RECORD_H

#include "maps.bpf.h"
#include "returns.bpf.h"

#define CALL_NS 10000000ull              /* on each CPU one stranger in this time wakes who reads ... */
#define CALLS 8                          /* ... or so many at once, after as much time without */

/* What the wait of SLOT, which has a record, is for. */
static __always_inline struct sb_lock *lock_of(struct sb_slot *slot)
{
	return &((struct sb_part_wait *)(slot->rec + sizeof(struct sb_hdr) + sizeof(struct sb_part_task)))->lock;
}

static __always_inline __u64 exe_id(struct task_struct *task)
{
	struct mm_struct *mm = plain(task)->mm;
	struct file *file = mm ? mm->exe_file : NULL;
	struct inode *inode = file ? file->f_inode : NULL;
	struct super_block *sb = inode ? inode->i_sb : NULL;

	return sb ? (__u64)sb->s_dev << 32 ^ inode->i_ino : 0;
}

/*
 * Has TASK, a user task, memory and registers that belong together? In the middle of exec the old
 * memory is gone, but the registers that entry to the kernel left are still those of the old
 * program. Where the new one has its code is set when all of it is in place, just before its first
 * registers: load_elf_binary(), fs/binfmt_elf.c.
 */
static __always_inline bool has_user_side(struct task_struct *task)
{
	struct mm_struct *mm = plain(task)->mm;

	return mm && mm->end_code;
}

static __always_inline __u64 cgroup_id(struct task_struct *task)
{
	struct css_set *css = plain(task)->cgroups;
	struct cgroup *cgrp = css ? css->dfl_cgrp : NULL;
	struct kernfs_node *kn = cgrp ? cgrp->kn : NULL;

	return kn ? kn->id : 0;
}

static __always_inline __u32 cap_of(__u64 exe)
{
	__u32 *learnt = bpf_map_lookup_elem(&caps, &exe);
	__u32 cap = learnt ? *learnt : stack_cap;

	if (cap < SB_STACK_MIN)
		cap = SB_STACK_MIN;
	if (cap > SB_STACK_MAX)
		cap = SB_STACK_MAX;
	return cap & ~7u;
}

/*
 * The first two parts of every record about TASK; its comm is put by the caller, its executable by
 * who copies its stack: that is a chain of three structures that are in no cache. Returns where the
 * next part goes.
 */
static __always_inline void *put_head(void *rec, __u16 kind, struct task_struct *task, __u64 now)
{
	struct sb_hdr *h = rec;
	struct sb_part_task *t = (void *)(h + 1);

	h->kind = kind;
	h->flags = 0;
	h->time_ns = now;
	h->cpu = bpf_get_smp_processor_id();
	h->node = bpf_get_numa_node_id();

	t->part.size = sizeof(*t);
	t->part.type = SB_PART_TASK;
	t->part.flags = 0;
	t->pid = task->tgid;
	t->tid = task->pid;
	t->start_ns = task->start_time;
	t->cgroup_id = cgroup_id(task);
	t->exe_id = 0;
	return t + 1;
}

/* Makes A, with GOT bytes of addresses behind it or a negative errno, a part of TYPE. Returns its size. */
static __always_inline __u32 finish_addrs(struct sb_part_addrs *a, long got, __u16 type)
{
	__u32 nr = got < 0 ? 0 : (__u32)got / 8;

	if (nr > SB_KSTACK_MAX)
		nr = SB_KSTACK_MAX;
	a->error = got < 0 ? (__s32)got : 0;
	a->nr = nr;
	a->part.size = sizeof(*a) + nr * 8;
	a->part.type = type;
	a->part.flags = nr >= walk_max ? SB_ADDRS_FULL : 0;
	return sizeof(*a) + nr * 8;
}

/*
 * The addresses of the kernel's side (FLAGS 0) or, by frame pointers, of the user's
 * (BPF_F_USER_STACK), of the current task, as a part of TYPE at OFF. Returns the offset behind it.
 */
static __always_inline __u32 put_addrs(struct scratch *s, __u32 off, void *ctx, __u16 type, __u64 flags)
{
	struct sb_part_addrs *a;

	barrier_var(off);
	if (off > RECORD_MAX - ADDRS_BYTES)
		return off;
	a = (void *)(s->rec + off);
	return off + finish_addrs(a, bpf_get_stack(ctx, a + 1, SB_KSTACK_MAX * 8, flags), type);
}

/*
 * What lies at user address ADDR, up to the end of its page and at most ROOM bytes, to AT of REC of
 * RECORD bytes and a page.
 */
static __always_inline __u32 copy_page(__u8 *rec, __u32 record, __u32 at, __u32 room, __u64 addr)
{
	__u32 n = PAGE_BYTES - (addr & (PAGE_BYTES - 1));

	if (n > room)
		n = room;
	barrier_var(at);
	barrier_var(n);
	if (at > record || n > PAGE_BYTES)
		return 0;
	return bpf_probe_read_user(rec + at, n, (void *)addr) ? 0 : n;
}

/*
 * The functions from here to sb_interrupted_sp() are global: the verifier looks at each of them once and alone, for any
 * arguments. Inlined, their branches and loops multiply with each other and with all that follows.
 */

/* copy_page() to offset AT of the record in PLACE. Returns the bytes copied, 0 when the page cannot be read. */
__noinline int sb_copy(__u32 place, __u32 at, __u32 room, __u64 addr)
{
	__u32 index = place & ~PLACE_SLOT;

	if (place & PLACE_SLOT) {
		struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);

		return slot ? copy_page(slot->rec, slot_bytes - SLOT_HEAD_BYTES - PAGE_BYTES, at, room, addr) : 0;
	}
	struct scratch *s = bpf_map_lookup_elem(&scratches, &index);

	return s ? copy_page(s->rec, RECORD_MAX, at, room, addr) : 0;
}

/*
 * The head of a segment at OFF of the record in PLACE; NULL where there is no room for it. OFF is
 * checked here and not by callers: the verifier of 6.1 forgets what it knew about a value that was
 * spilled to the stack. The second barrier keeps clang from adding before it compares.
 */
static __always_inline struct sb_part_segment *segment_at(__u32 place, __u32 off)
{
	__u32 index = place & ~PLACE_SLOT;

	if (place & PLACE_SLOT) {
		struct sb_slot *slot = bpf_map_lookup_elem(&slots, &index);

		barrier_var(off);
		if (!slot || off > slot_bytes - SLOT_HEAD_BYTES - sizeof(struct sb_part_segment))
			return NULL;
		barrier_var(off);
		return (void *)(slot->rec + off);
	}
	struct scratch *s = bpf_map_lookup_elem(&scratches, &index);

	barrier_var(off);
	if (!s || off > RECORD_MAX - sizeof(struct sb_part_segment))
		return NULL;
	barrier_var(off);
	return (void *)(s->rec + off);
}

/*
 * Copies up to WANT bytes at ADDR as a segment part at OFF of the record in PLACE, page by page: a
 * read that crosses into a page which cannot be read fails as a whole. Returns the bytes copied.
 */
__noinline int sb_put_segment(__u32 place, __u32 off, __u64 addr, __u32 want, __u32 flags)
{
	struct sb_part_segment *seg;
	__u32 got, n;

	n = got = sb_copy(place, off + sizeof(*seg), want, addr);
	for (int i = 1; i < PIECES && n && got < want; i++) {
		n = sb_copy(place, off + sizeof(*seg) + got, want - got, addr + got);
		got += n;
	}
	if (got && pending_return((void *)bpf_get_current_task_btf()))
		sb_mend(place, off + sizeof(*seg), addr, got);
	seg = segment_at(place, off);
	if (!seg)
		return 0;
	seg->part.size = sizeof(*seg) + got;
	seg->part.type = SB_PART_SEGMENT;
	seg->part.flags = flags;
	seg->addr = addr;
	seg->want = want;
	seg->got = got;
	return got;
}

/*
 * The first address from ADDR on that can be read: ADDR, or where a page begins. END: there is none
 * before, or not within HOLE_PAGES, or ADDR is above the first stack of the process, which ends
 * with the page in which its environment does. There are no frames, and each page that cannot be
 * read costs an exception, 4 us.
 */
__noinline __u64 sb_readable(__u64 addr, __u64 end)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct mm_struct *mm = plain(task)->mm;
	__u64 ignored;

	if (!mm || addr > (mm->env_end | (page_bytes - 1)))
		return end;
	for (int i = 0; i < HOLE_PAGES && addr < end; i++) {
		if (!bpf_probe_read_user(&ignored, sizeof(ignored), (void *)addr))
			return addr;
		addr = (addr | (page_bytes - 1)) + 1;
	}
	return end;
}

/*
 * Copies what can be read of the WANT bytes of the stack whose pointer is SP to OFF of the record
 * in PLACE. What lies between pages that cannot be read is a segment, and there is at least one.
 * Returns the offset behind them.
 */
__noinline int sb_put_stack(__u32 place, __u32 off, __u64 sp, __u32 want, __u32 flags)
{
	__u64 addr = (sp - SB_RED_ZONE) & ~7ull, end = addr + want;
	__u32 got = sb_put_segment(place, off, addr, want, flags);

	if (!got && addr < (sp & ~(__u64)(page_bytes - 1))) {
		/* The page below sp need not exist yet; without it only the red zone is short. */
		addr = sp & ~(__u64)(page_bytes - 1);
		got = sb_put_segment(place, off, addr, end - addr, flags);
	}
#pragma unroll
	for (int i = 1; i < (int)SB_RUNS_MAX; i++) {
		off += sizeof(struct sb_part_segment) + got;
		addr += got;
		if (addr >= end)
			return off;
		addr = sb_readable(addr, end);
		if (addr >= end)
			return off;
		got = sb_put_segment(place, off, addr, end - addr, flags);
	}
	return off + sizeof(struct sb_part_segment) + got;
}

/*
 * Looks through SCAN_BYTES of the alternate stack SS, SS + SIZE, from the top down, for the copy of
 * these two numbers that a signal's frame carries. Returns its address, 0 = none.
 */
__noinline __u64 sb_scan(__u32 chunk, __u64 low, __u64 ss, __u64 size)
{
	struct chunk *c = bpf_map_lookup_elem(&chunks, &chunk);

	if (!c || bpf_probe_read_user(c->word, sizeof(c->word), (void *)low))
		return 0;
	for (int at = SCAN_BYTES / 8; at >= 0; at -= SB_SIGFRAME_ALIGN / 8)
		if (c->word[at] == ss && c->word[at + SB_SS_SIZE_AT / 8] == size)
			return low + at * 8;
	return 0;
}

/*
 * The stack pointer that a signal handler on the alternate stack SS, SS + SIZE interrupted, 0 = not
 * found. The first frame from the top is that of the signal which entered this stack; those below
 * it came later.
 */
__noinline __u64 sb_interrupted_sp(__u32 chunk, __u64 ss, __u64 size)
{
	__u64 low = ((ss + size) & ~(__u64)(SB_SIGFRAME_ALIGN - 1)) - 2 * SB_SIGFRAME_ALIGN;

	for (int step = 0; step < SCAN_STEPS && low > ss; step++) {
		__u64 frame, sp = 0;

		low -= SCAN_BYTES;
		frame = sb_scan(chunk, low, ss, size);
		if (!frame)
			continue;
		if (bpf_probe_read_user(&sp, sizeof(sp), (void *)(frame + SB_SS_RSP_AT)) || sp - ss <= size)
			return 0;
		return sp;
	}
	return 0;
}

/* What is to be copied of a stack. */
struct copying {
	__u64 sp;
	__u64 stop;              /* the stack pointer where a walk stopped; 0 = none did */
	/*
	 * where earlier copies found that nothing can be read any more: not tried again, which
	 * costs exceptions; 0 = none
	 */
	__u64 known_end;
	__u32 room;              /* bytes for it, heads of segments included */
	bool end;                /* afterwards: no page could be read behind the first segment, and there is one */
};

/*
 * What to copy from so that a walk can go on which stopped at STOP, beside the WANT bytes from
 * START on: if not much is left of these, what is behind them. 0 = nothing.
 */
static __always_inline __u64 second_copy(__u64 stop, __u64 start, __u32 want)
{
	if (!stop || (stop >= start && stop - start < want / 2))
		return 0;
	return stop >= start && stop - start < want ? start + want + SB_RED_ZONE : stop;
}

/*
 * Which chunk or walk the record in PLACE may use: that of the probe's scratch buffer, or one of the
 * two of this CPU.
 */
static __always_inline __u32 own_context(__u32 place, __u32 which)
{
	if (!(place & PLACE_SLOT) && place >= probe_first)
		return place + probe_first;
	return bpf_get_smp_processor_id() * 2 + which;
}

/*
 * The stack bytes for C at OFF of the record in PLACE: the stack from its pointer on, what it
 * interrupted when that lies on the alternate signal stack, and from where the walk stopped.
 * Returns the offset behind the segments.
 */
static __always_inline __u32 put_stacks(__u32 place, __u32 off, struct sb_hdr *h, struct task_struct *task,
					struct copying *c)
{
	__u64 exe = ((struct sb_part_task *)(h + 1))->exe_id = exe_id(task);
	__u32 chunk = own_context(place, !!(place & PLACE_SLOT)), cap = cap_of(exe), first, want, at = off,
		 room = c->room;
	__u64 ss = task->sas_ss_sp, ss_size = task->sas_ss_size, below, start = (c->sp - SB_RED_ZONE) & ~7ull, sp;
	/*
	 * on_sig_stack() of the kernel: the stack grows down, so its top belongs to it and its
	 * lowest address does not.
	 */
	bool alt = ss_size && c->sp > ss && c->sp - ss <= ss_size;
	struct sb_part_segment *seg;

	room -= STACK_HEADS;
	if (cap > room)
		cap = room & ~7u;
	/* Where there is no room for two copies, each gets half of it. */
	if (cap > room / 2 && second_copy(c->stop, start, cap))
		cap = (room / 2) & ~7u;
	first = cap;
	if (alt) {
		h->flags |= SB_F_ALTSTACK;
		below = ss + ss_size - start;
		if (below < first)
			first = (__u32)below & ~7u;
	}
	want = c->known_end > start && c->known_end - start < first ? (__u32)(c->known_end - start) : first;
	off = sb_put_stack(place, at, c->sp, want, 0);
	seg = segment_at(place, at);
	if (!seg)
		return at;
	c->end = seg->got && off == at + sizeof(*seg) + seg->got && (seg->got < seg->want || want < first);
	if (want < first)
		seg->want += first - want;       /* ended early, as if it had been tried */
	sp = alt ? sb_interrupted_sp(chunk, ss, ss_size) : 0;
	if (sp && off - at < room)
		off = sb_put_stack(place, off, sp, cap < room - (off - at) ? cap : (room - (off - at)) & ~7u,
				   SB_SEG_INTERRUPTED);
	sp = second_copy(c->stop, start, first);
	if (sp && off - at < room)
		off = sb_put_stack(place, off, sp, cap < room - (off - at) ? cap : (room - (off - at)) & ~7u,
				   alt ? SB_SEG_INTERRUPTED : 0);
	return off;
}

/* Has TASK a user side to look at? If not, H says why. */
static __always_inline bool has_user(struct sb_hdr *h, struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		h->flags |= SB_F_KTHREAD;
	else if (!has_user_side(task))
		h->flags |= SB_F_NO_USER;
	else
		return true;
	return false;
}

/*
 * Has the head of R done, whose values, of TASK, which is current, are in place. False when there is
 * no user side to speak of: H says why.
 */
static __always_inline bool finish_regs(struct sb_part_regs *r, struct sb_hdr *h, struct task_struct *task, __u16 flags)
{
	__u64 *v = (void *)(r + 1);

	if (h->flags & SB_F_COMPAT)
		return false;
	if (!v[SB_DWARF_SP]) {
		/* Workers of io_uring and vhost have an mm but never came from user mode: their frame is zeroed. */
		h->flags |= SB_F_NO_USER;
		return false;
	}
	leave_trampoline(v, task);
	r->part.size = REGS_BYTES;
	r->part.type = SB_PART_REGS;
	r->part.flags = flags;
	r->machine = SB_EM_MACHINE;
	r->nr = SB_NR_REGS;
	return true;
}

/* The registers with which TASK, which is current, came into the kernel. False as above. */
static __always_inline bool put_entry_regs(struct sb_part_regs *r, struct sb_hdr *h, struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	if (sb_regs_compat(regs))
		h->flags |= SB_F_COMPAT;
	sb_regs_to_dwarf(regs, (__u64 *)(r + 1));
	if (sb_regs_call(regs) < 0)
		before_breakpoint((__u64 *)(r + 1), task);
	return finish_regs(r, h, task, SB_REGS_FULL | SB_REGS_SYSCALL);
}

/*
 * Should who reads be woken for H? A short-lived process is gone before a sample of it has been
 * looked at in its turn, so a stranger is made known at once. A program that starts is one twice,
 * before and after its libraries are mapped; those who come too fast wait.
 */
static __always_inline bool is_urgent(struct sb_cpu *c, const struct sb_hdr *h)
{
	__u64 at = c->called_ns;

	if (!(h->flags & SB_F_STRANGER) || h->time_ns < deaf_until_ns)
		return false;
	if (h->time_ns > at + CALLS * CALL_NS)
		at = h->time_ns - CALLS * CALL_NS;
	at += CALL_NS;
	if (at > h->time_ns)
		return false;
	c->called_ns = at;
	return true;
}

/*
 * Sends the SIZE bytes at REC, at most MAX. False when there was no room, which has been counted
 * under FULL, or no ring, which has been, too. The size is checked at the last moment: the verifier of
 * 6.1 forgets what it knew about a value that was spilled to the stack.
 */
static __always_inline bool send(struct sb_cpu *c, void *rec, __u32 size, __u32 max, __u32 full)
{
	__u32 cpu = bpf_get_smp_processor_id(), *index;
	__u64 flags = BPF_RB_NO_WAKEUP;
	void *ring;
	long r;

	index = bpf_map_lookup_elem(&cpu_ring, &cpu);
	ring = index ? bpf_map_lookup_elem(&rings, index) : NULL;
	if (!ring) {
		c->lost[SB_LOST_NO_RING]++;
		return false;
	}
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + size >= wake_bytes || is_urgent(c, rec))
		flags = BPF_RB_FORCE_WAKEUP;
	barrier_var(size);
	if (size > max) {
		c->lost[full]++;
		return false;
	}
	*(volatile __u64 *)&c->sending += 1;
	r = bpf_ringbuf_output(ring, rec, size, flags);
	*(volatile __u64 *)&c->sending -= 1;
	if (r) {
		c->lost[full]++;
		return false;
	}
	return true;
}

/* The scratch buffer of this CPU, to be given back; NULL when it is in use, which is counted under WHY. */
static __always_inline struct scratch *take_scratch(struct sb_cpu *c, __u32 why)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);

	if (!s)
		return NULL;
	if (s->busy) {
		c->lost[why]++;
		return NULL;
	}
	s->busy = 1;
	return s;
}

/* The same of those for probes, and its place. */
static __always_inline struct scratch *take_probe_scratch(struct sb_cpu *c, __u32 *place)
{
	const __u32 cpu = bpf_get_smp_processor_id();

#pragma unroll
	for (unsigned int turn = 0; turn < PROBE_PLACES; turn++) {
		__u32 key = probe_first + PROBE_PLACES * cpu + turn;
		struct scratch *s = bpf_map_lookup_elem(&scratches, &key);

		if (s && !__sync_lock_test_and_set(&s->busy, 1)) {
			*place = key;
			return s;
		}
	}
	__sync_fetch_and_add(&c->lost[SB_LOST_NESTED], 1);
	return NULL;
}

static __always_inline void give_scratch(struct scratch *s)
{
	s->busy = 0;
}

/* Sends the record of SIZE bytes in S. */
static __always_inline bool send_scratch(struct sb_cpu *c, struct scratch *s, __u32 size)
{
	((struct sb_hdr *)s->rec)->size = size;
	return send(c, s->rec, size, RECORD_MAX, SB_LOST_RING_FULL);
}

#endif
