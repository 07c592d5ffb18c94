/* SPDX-License-Identifier: BSD-2-Clause */
/* test_wire_decode.c - a whole wire record becomes a raw event; every way of being cut or wrong is refused. */
#include "config.h"

#include "capture/wire_decode.h"

#include "bpf/wire.h"
#include "model/wait.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdalign.h>
#include <string.h>

#define NR_REGS 17               /* of x86-64 */

/* A record being written. */
struct rec {
	alignas(8) uint8_t b[8192];
	size_t n;
};

static void *more(struct rec *r, size_t n)
{
	void *p = r->b + r->n;

	assert_true(n % 8 == 0 && r->n + n <= sizeof(r->b));
	memset(p, 0, n);
	r->n += n;
	((struct sb_hdr *)r->b)->size = (uint32_t)r->n;
	return p;
}

static void *part(struct rec *r, uint16_t type, size_t n)
{
	struct sb_part *p = more(r, n);

	p->size = (uint32_t)n;
	p->type = type;
	return p;
}

static void start(struct rec *r, uint16_t flags)
{
	struct sb_part_task *t;
	struct sb_hdr *h;

	r->n = 0;
	h = more(r, sizeof(*h));
	h->kind = SB_REC_SAMPLE;
	h->flags = flags;
	h->time_ns = 1000;
	h->cpu = 3;
	h->node = 1;
	t = part(r, SB_PART_TASK, sizeof(*t));
	t->pid = 10;
	t->tid = 11;
	t->start_ns = 12;
	t->cgroup_id = 13;
	t->exe_id = 14;
	memset(t->comm, 'c', sizeof(t->comm));
}

static void add_sample(struct rec *r)
{
	struct sb_part_sample *p = part(r, SB_PART_SAMPLE, sizeof(*p));

	p->period = 20;
	p->ip = 21;
	p->since_ns = 22;
	p->part.flags = SB_SAMPLE_BUSY;
}

static struct sb_part_regs *add_regs(struct rec *r, uint32_t nr)
{
	struct sb_part_regs *p = part(r, SB_PART_REGS, sizeof(*p) + nr * 8);
	uint64_t *v = (uint64_t *)(p + 1);

	p->machine = 62;
	p->nr = nr;
	for (uint32_t i = 0; i < nr; i++)
		v[i] = 100 + i;
	return p;
}

static struct sb_part_addrs *add_addrs(struct rec *r, uint16_t type, uint32_t nr)
{
	struct sb_part_addrs *p = part(r, type, sizeof(*p) + nr * 8);
	uint64_t *v = (uint64_t *)(p + 1);

	p->nr = nr;
	for (uint32_t i = 0; i < nr; i++)
		v[i] = 200 + i;
	return p;
}

static struct sb_part_segment *add_segment(struct rec *r, uint64_t addr, uint32_t want, uint32_t got)
{
	struct sb_part_segment *p = part(r, SB_PART_SEGMENT, sizeof(*p) + got);

	p->addr = addr;
	p->want = want;
	p->got = got;
	memset(p + 1, 0x5a, got);
	return p;
}

static void whole_record(void **state)
{
	struct raw_event ev;
	struct rec r;

	start(&r, SB_F_KERNEL | SB_F_ALTSTACK);
	add_sample(&r);
	add_regs(&r, NR_REGS);
	add_segment(&r, 0x7000, 64, 64);
	add_segment(&r, 0x9000, 128, 56)->part.flags = SB_SEG_INTERRUPTED;
	add_addrs(&r, SB_PART_KSTACK, 3)->part.flags = SB_ADDRS_FULL;
	add_addrs(&r, SB_PART_WALKED, 2)->error = -EFAULT;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_SAMPLE);
	assert_int_equal(ev.time_ns, 1000);
	assert_int_equal(ev.cpu, 3);
	assert_int_equal(ev.node, 1);
	assert_int_equal(ev.pid, 10);
	assert_int_equal(ev.tid, 11);
	assert_int_equal(ev.sample.start_ns, 12);
	assert_int_equal(ev.sample.cgroup_id, 13);
	assert_int_equal(ev.sample.exe_id, 14);
	assert_string_equal(ev.sample.comm, "cccccccccccccccc");
	assert_int_equal(ev.sample.period, 20);
	assert_int_equal(ev.sample.ip, 21);
	assert_int_equal(ev.sample.since_ns, 22);
	assert_true(ev.sample.busy);
	assert_true(ev.sample.in_kernel && !ev.sample.user.kthread && !ev.sample.user.compat && !ev.sample.no_user);
	assert_int_equal(ev.sample.user.nr_regs, NR_REGS);
	assert_int_equal(ev.sample.user.machine, 62);
	assert_int_equal(ev.sample.user.regs[16], 116);
	assert_int_equal(ev.sample.user.nr_segments, 2);
	assert_int_equal(ev.sample.user.segment[0].addr, 0x7000);
	assert_int_equal(ev.sample.user.segment[0].len, 64);
	assert_false(ev.sample.user.segment[0].unreadable || ev.sample.user.segment[0].interrupted);
	assert_int_equal(ev.sample.user.segment[1].len, 56);
	assert_true(ev.sample.user.segment[1].unreadable && ev.sample.user.segment[1].interrupted);
	assert_int_equal(ev.sample.user.segment[1].bytes[55], 0x5a);
	assert_int_equal(ev.sample.nr_kernel, 3);
	assert_int_equal(ev.sample.kernel[2], 202);
	assert_true(ev.sample.kernel_full && !ev.sample.user.walked_full);
	assert_int_equal(ev.sample.user.nr_walked, 2);
	assert_int_equal(ev.sample.walked_error, -EFAULT);
}

static void flags(void **state)
{
	static const struct {
		uint16_t flag;
		size_t at;
	} each[] = {
		{ SB_F_KERNEL, offsetof(struct raw_sample, in_kernel) },
		{ SB_F_KTHREAD, offsetof(struct raw_sample, user.kthread) },
		{ SB_F_COMPAT, offsetof(struct raw_sample, user.compat) },
		{ SB_F_NO_USER, offsetof(struct raw_sample, no_user) },
	};
	struct raw_event ev;
	struct rec r;

	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
		start(&r, each[i].flag);
		assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
		for (size_t k = 0; k < sizeof(each) / sizeof(*each); k++)
			assert_int_equal(*((const bool *)&ev.sample + each[k].at), k == i);
	}
}

static void walked_by_rules(void **state)
{
	struct sb_part_addrs *a;
	struct sb_part_walk *w;
	struct raw_event ev;
	struct rec r;

	start(&r, 0);
	w = part(&r, SB_PART_WALK, sizeof(*w));
	w->space = 7;
	w->check = 8;
	a = part(&r, SB_PART_WALKED, sizeof(*a) + 8);
	a->part.flags = SB_ADDRS_RULES;
	a->nr = 1;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.sample.user.ruled);
	assert_false(ev.sample.user.placed);
	a->part.flags |= SB_ADDRS_PLACED;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.sample.user.ruled && ev.sample.user.placed);
	assert_int_equal(ev.sample.space_id, 7);
	assert_int_equal(ev.sample.user.walk_check, 8);
	w->part.flags = SB_WALK_NO_PAGE;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.sample.walk_why, SB_WALK_NO_PAGE);
	w->part.flags = SB_WALK_NR;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), -EBADMSG);
	w->part.flags = 0;
	w->space = 0;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), -EBADMSG);
}

/* A task part alone is a record; unknown parts are passed over. */
static void refuse(struct rec *r)
{
	struct raw_event ev = { .pid = 77 };

	assert_int_equal(wire_decode_record(r->b, r->n, &ev), -EBADMSG);
	assert_int_equal(ev.pid, 77);
}

/* A walk that did not come to its root says where it stopped, and which frames come before. */
static void stopped(void **state)
{
	struct sb_part_stop *stop;
	struct sb_part_addrs *a;
	struct sb_part_walk *w;
	struct raw_event ev;
	struct rec r;

	start(&r, 0);
	w = part(&r, SB_PART_WALK, sizeof(*w));
	w->space = 7;
	w->part.flags = SB_WALK_NO_PAGE;
	stop = part(&r, SB_PART_STOP, sizeof(*stop));
	stop->pc = 1;
	stop->sp = 2;
	stop->bp = 3;
	a = part(&r, SB_PART_WALKED, sizeof(*a) + 8);
	a->part.flags = SB_ADDRS_STOPPED | SB_ADDRS_PLACED;
	a->nr = 1;
	add_segment(&r, 0x7000, 128, 56);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.sample.user.stopped && ev.sample.user.placed && !ev.sample.user.ruled &&
		    !ev.sample.user.stop.exact);
	assert_int_equal(ev.sample.user.nr_walked, 1);
	assert_int_equal(ev.sample.user.stop.pc, 1);
	assert_int_equal(ev.sample.user.stop.sp, 2);
	assert_int_equal(ev.sample.user.stop.bp, 3);
	assert_int_equal(ev.sample.user.segment[0].want, 128);
	stop->part.flags = SB_STOP_EXACT;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.sample.user.stop.exact);
	/* It cannot have come to its root as well. */
	a->part.flags |= SB_ADDRS_RULES;
	refuse(&r);
	/* Without it nobody knows up to where these are. */
	a->part.flags = SB_ADDRS_STOPPED;
	stop->part.type = 99;
	refuse(&r);
}

static void parts_may_be_absent_or_new(void **state)
{
	struct raw_event ev;
	struct rec r;

	start(&r, SB_F_KTHREAD);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.sample.user.nr_regs, 0);
	assert_int_equal(ev.sample.user.nr_segments, 0);
	part(&r, 999, 40);
	add_sample(&r);
	part(&r, 1000, 8);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.sample.period, 20);
}

/* A segment without bytes still says that the stack could not be read. */
static void empty_segment(void **state)
{
	struct raw_event ev;
	struct rec r;

	start(&r, 0);
	add_segment(&r, 0x7000, 64, 0);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.sample.user.nr_segments, 1);
	assert_int_equal(ev.sample.user.segment[0].len, 0);
	assert_true(ev.sample.user.segment[0].unreadable);
}

static void unknown_kind(void **state)
{
	struct raw_event ev = { .pid = 77 };
	struct rec r;

	start(&r, 0);
	((struct sb_hdr *)r.b)->kind = 999;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 0);
	assert_int_equal(ev.pid, 77);
}

static void wrong_sizes(void **state)
{
	struct rec r;

	start(&r, 0);
	((struct sb_hdr *)r.b)->size -= 8;
	refuse(&r);
	start(&r, 0);
	((struct sb_part *)(r.b + sizeof(struct sb_hdr)))->size = 0;
	refuse(&r);
	start(&r, 0);
	((struct sb_part *)part(&r, 999, 16))->size = 24;
	refuse(&r);
	start(&r, 0);
	((struct sb_part *)part(&r, 999, 16))->size = 12;
	refuse(&r);
	start(&r, 0);
	part(&r, SB_PART_SAMPLE, sizeof(struct sb_part_sample) - 8);
	refuse(&r);
}

static void wrong_counts(void **state)
{
	struct rec r;

	start(&r, 0);
	add_regs(&r, 4)->nr = 5;
	refuse(&r);
	start(&r, 0);
	add_regs(&r, RAW_REGS_MAX + 1);
	refuse(&r);
	start(&r, 0);
	add_regs(&r, 4)->machine = 0;
	refuse(&r);
	start(&r, 0);
	add_addrs(&r, SB_PART_KSTACK, 4)->nr = UINT32_MAX;
	refuse(&r);
	start(&r, 0);
	add_segment(&r, 0x7000, 4096, 64)->got = 72;
	refuse(&r);
	start(&r, 0);
	add_segment(&r, 0x7000, 64, 64)->want = 32;
	refuse(&r);
	start(&r, 0);
	for (unsigned int i = 0; i < RAW_SEGMENTS_MAX + 1; i++)
		add_segment(&r, 0x7000, 64, 64);
	refuse(&r);
}

static void task_comes_first(void **state)
{
	struct rec r;

	start(&r, 0);
	((struct sb_part *)(r.b + sizeof(struct sb_hdr)))->type = SB_PART_SAMPLE;
	refuse(&r);
}

/*
 * Cut anywhere, with the header's size made to agree, a record is refused or complete; nothing is
 * read behind the cut.
 */
/* Whatever of R is left, with a size that says so: taken or refused, never read beyond. */
static void assert_cut_anywhere(const struct rec *r)
{
	struct raw_event ev;

	for (size_t n = 0; n < r->n; n++) {
		uint8_t *copy = test_malloc(n + 1);
		int got;

		memcpy(copy, r->b, n);
		if (n >= 4)
			memcpy(copy, &(uint32_t){ (uint32_t)n }, 4);
		got = wire_decode_record(copy, n, &ev);
		assert_true(got == 1 || got == -EBADMSG);
		test_free(copy);
	}
}

static void cut_anywhere(void **state)
{
	struct rec r;

	start(&r, 0);
	add_sample(&r);
	add_regs(&r, NR_REGS);
	add_segment(&r, 0x7000, 64, 64);
	assert_cut_anywhere(&r);
}

static struct sb_part_wait *start_wait(struct rec *r)
{
	struct sb_part_wait *w;

	start(r, 0);
	((struct sb_hdr *)r->b)->kind = SB_REC_WAIT;
	w = part(r, SB_PART_WAIT, sizeof(*w));
	w->id = 7;
	w->out_ns = 400;
	w->waking_ns = 900;
	w->period_ns = 50;
	w->call = 202;
	w->state = SB_STATE_INTERRUPTIBLE;
	w->to_cpu = 5;
	w->to_node = 2;
	return w;
}

static void waits(void **state)
{
	struct raw_event ev;
	struct sb_part_wait *w;
	struct rec r;

	w = start_wait(&r);
	w->context = SB_WAKER_TASK;
	w->waker_pid = 20;
	w->waker_tid = 21;
	w->waker_start_ns = 22;
	memset(w->waker_comm, 'w', sizeof(w->waker_comm));
	add_regs(&r, NR_REGS);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_WAIT);
	assert_int_equal(ev.time_ns, 1000);
	assert_int_equal(ev.tid, 11);
	assert_int_equal(ev.wait.id, 7);
	assert_int_equal(ev.wait.blocked_ns, 500);
	assert_int_equal(ev.wait.runnable_ns, 100);
	assert_int_equal(ev.wait.period_ns, 50);
	assert_int_equal(ev.wait.call, CALL_SYSCALL + 202);
	assert_int_equal(ev.wait.state, WAIT_INTERRUPTIBLE);
	assert_int_equal(ev.wait.to_cpu, 5);
	assert_int_equal(ev.wait.to_node, 2);
	assert_int_equal(ev.wait.waker_tid, 21);
	assert_string_equal(ev.wait.waker_comm, "wwwwwwwwwwwwwwww");
	assert_int_equal(ev.sample.user.nr_regs, NR_REGS);
	assert_false(ev.wait.no_stack || ev.wait.seeded);
	assert_cut_anywhere(&r);
}

/* Preempted: never blocked, whatever else is said. Not woken yet: blocked all the time. */
static void parts_of_waits(void **state)
{
	static const struct { int32_t call; uint8_t state; uint32_t want; } held[] = {
		{ SB_CALL_STOPPED, SB_STATE_STOPPED, CALL_STOPPED },
		{ SB_CALL_TRACED, SB_STATE_TRACED, CALL_TRACED },
		{ SB_CALL_FROZEN, SB_STATE_FROZEN, CALL_FROZEN },
		{ SB_CALL_RETURN, SB_STATE_INTERRUPTIBLE, CALL_RETURN },
		{ SB_CALL_UNKNOWN, SB_STATE_INTERRUPTIBLE, CALL_NONE },
		{ -100, SB_STATE_INTERRUPTIBLE, CALL_NONE },
		{ INT32_MIN, SB_STATE_INTERRUPTIBLE, CALL_NONE },
	};
	struct raw_event ev;
	struct sb_part_wait *w;
	struct rec r;

	w = start_wait(&r);
	w->state = SB_STATE_PREEMPTED;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.wait.blocked_ns, 0);
	assert_int_equal(ev.wait.runnable_ns, 600);
	assert_int_equal(ev.wait.call, CALL_PREEMPTED);
	w->state = SB_STATE_NEW;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.wait.runnable_ns, 600);
	assert_int_equal(ev.wait.call, CALL_NEW);
	w->state = SB_STATE_UNINTERRUPTIBLE;
	w->waking_ns = 0;
	w->call = SB_CALL_FAULT;
	w->part.flags = SB_WAIT_SEEDED | SB_WAIT_NO_STACK;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.wait.blocked_ns, 600);
	assert_int_equal(ev.wait.runnable_ns, 0);
	assert_int_equal(ev.wait.call, CALL_FAULT);
	assert_true(ev.wait.seeded && ev.wait.no_stack);
	assert_false(ev.wait.throttled);
	w->part.flags |= SB_WAIT_THROTTLED;
	w->call = SB_CALL_KERNEL;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.wait.throttled && ev.wait.seeded);
	assert_int_equal(ev.wait.call, CALL_KERNEL);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		w->call = held[i].call;
		w->state = held[i].state;
		assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
		assert_int_equal(ev.wait.call, held[i].want);
		assert_int_equal(ev.wait.state, held[i].state);
	}
	w->state = SB_STATE_UNINTERRUPTIBLE;
	w->call = 4;
	w->part.flags = SB_WAIT_COMPAT;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.wait.call, CALL_COMPAT + 4);
	w->call = 0x7fffffff;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.wait.call, CALL_NONE);
}

static void waits_that_make_no_sense(void **state)
{
	struct sb_part_wait *w;
	struct rec r;

	w = start_wait(&r);
	w->out_ns = 1001;
	refuse(&r);
	w->out_ns = 950;
	refuse(&r);
	w->out_ns = 400;
	w->waking_ns = 1001;
	refuse(&r);
	w->waking_ns = 900;
	w->period_ns = 0;
	refuse(&r);
	w->period_ns = 50;
	((struct sb_hdr *)r.b)->kind = SB_REC_SAMPLE;
	refuse(&r);
	w = start_wait(&r);
	memcpy(part(&r, SB_PART_WAIT, sizeof(*w)), w, sizeof(*w));
	refuse(&r);
	start(&r, 0);
	((struct sb_hdr *)r.b)->kind = SB_REC_WAIT;
	refuse(&r);
	((struct sb_hdr *)r.b)->kind = SB_REC_WAKE;
	refuse(&r);
}

static void wakes(void **state)
{
	struct sb_part_wake *w;
	struct raw_event ev;
	struct rec r;

	start(&r, SB_F_KERNEL);
	((struct sb_hdr *)r.b)->kind = SB_REC_WAKE;
	w = part(&r, SB_PART_WAKE, sizeof(*w));
	w->wait_id = 7;
	w->tid = 30;
	w->start_ns = 31;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_WAKE);
	assert_int_equal(ev.tid, 11);
	assert_int_equal(ev.wake.tid, 30);
	assert_int_equal(ev.wake.start_ns, 31);
	assert_int_equal(ev.wake.wait_id, 7);
	assert_cut_anywhere(&r);
}

static void handovers(void **state)
{
	struct sb_lock_owner owner = { .pid = 40, .tid = 41, .start_ns = 42, .readers = 2 };
	struct sb_part_handover *p;
	struct raw_event ev;
	struct rec r;

	start(&r, 0);
	((struct sb_hdr *)r.b)->kind = SB_REC_HANDOVER;
	memcpy(owner.comm, "0123456789abcdef", sizeof(owner.comm));
	p = part(&r, SB_PART_HANDOVER, sizeof(*p));
	p->pid = 29;
	p->tid = 30;
	p->start_ns = 31;
	p->out_ns = 900;
	p->holder = 7;
	p->lock = (struct sb_lock){ .address = 0x1000, .flags = SB_LOCK_OF_INTERPRETER, .holder = 8, .from = 99 };
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_HANDOVER);
	assert_int_equal(ev.tid, 11);
	assert_int_equal(ev.handover.pid, 29);
	assert_int_equal(ev.handover.tid, 30);
	assert_int_equal(ev.handover.start_ns, 31);
	assert_int_equal(ev.handover.since_ns, 900);
	assert_int_equal(ev.handover.holder, 7);
	assert_int_equal(ev.handover.lock.address, 0x1000);
	assert_int_equal(ev.handover.lock.holder, 8);
	assert_int_equal(ev.handover.lock.from, SB_LOCK_BYTES);
	assert_true(ev.handover.lock.of_interpreter);
	assert_cut_anywhere(&r);
	p->lock = (struct sb_lock){ .address = ~0xfffull, .flags = SB_LOCK_OF_KERNEL, .op = SB_KLOCK_RWSEM_WRITE };
	memcpy(p->lock.bytes, &owner, sizeof(owner));
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.handover.lock.of_kernel);
	assert_int_equal(ev.handover.lock.kind, LOCK_KERNEL_WRITE);
	assert_int_equal(ev.handover.lock.owner.pid, 40);
	assert_int_equal(ev.handover.lock.owner.tid, 41);
	assert_int_equal(ev.handover.lock.owner.start_ns, 42);
	assert_int_equal(ev.handover.lock.owner.readers, 2);
	assert_string_equal(ev.handover.lock.owner.comm, "0123456789abcdef");
	p->lock.op = SB_CHANNEL_SOCKET + 1;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.handover.lock.kind, LOCK_SOCKET_WRITE);
	p->lock.op = 99;         /* of a newer kernel half */
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.handover.lock.kind, LOCK_KERNEL_OTHER);
	p->out_ns = 1001;
	refuse(&r);
	p->out_ns = 900;
	p->lock.address = 0;
	refuse(&r);
	p->lock.address = 0x1000;
	((struct sb_hdr *)r.b)->kind = SB_REC_WAKE;
	refuse(&r);
}

static void faults(void **state)
{
	struct sb_part_sample *p;
	struct sb_part_addr *a;
	struct raw_event ev;
	struct rec r;

	start(&r, 0);
	((struct sb_hdr *)r.b)->kind = SB_REC_FAULT;
	p = part(&r, SB_PART_SAMPLE, sizeof(*p));
	p->period = 12;
	p->ip = 0x401000;
	a = part(&r, SB_PART_ADDR, sizeof(*a));
	a->addr = 0x7f0000001008;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_FAULT);
	assert_int_equal(ev.sample.addr, 0x7f0000001008);
	assert_int_equal(ev.sample.period, 12);
	assert_cut_anywhere(&r);
	/* Without the faults that it stands for it says nothing, and an address is nothing to a sample. */
	p->period = 0;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), -EBADMSG);
	p->period = 12;
	((struct sb_hdr *)r.b)->kind = SB_REC_SAMPLE;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), -EBADMSG);
}

static void moves(void **state)
{
	struct raw_event ev;
	struct rec r;

	start_wait(&r);
	((struct sb_hdr *)r.b)->kind = SB_REC_MOVE;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_MOVE);
	assert_true(ev.wait.period_ns > 0);
	assert_cut_anywhere(&r);
}

/* A hit of probe 70 with NR arguments: 300, 301, ... and room for two more. */
static struct sb_part_event *start_event(struct rec *r, uint16_t nr)
{
	struct sb_part_event *p;

	start(r, 0);
	((struct sb_hdr *)r->b)->kind = SB_REC_EVENT;
	p = part(r, SB_PART_EVENT, sizeof(*p) + (nr + 2u) * 8);
	p->probe = 70;
	p->nr = nr;
	p->unread = 2;
	p->value = 4096;
	p->count = 3;
	p->begun_ns = 600;
	for (uint16_t i = 0; i < nr; i++)
		((uint64_t *)(p + 1))[i] = 300u + i;
	return p;
}

static struct sb_part_text *add_text(struct rec *r, uint16_t arg, const char *text)
{
	const size_t n = strlen(text);
	struct sb_part_text *p = part(r, SB_PART_TEXT, sizeof(*p) + ((n + 7) & ~7ul));

	p->arg = arg;
	p->got = (uint16_t)n;
	memcpy(p + 1, text, n);
	return p;
}

static void hits_of_probes(void **state)
{
	struct sb_part_event *p;
	struct raw_event ev;
	struct rec r;

	p = start_event(&r, SB_ARGS_MAX);
	add_regs(&r, NR_REGS);
	add_segment(&r, 0x7000, 64, 64);
	add_text(&r, 0, "");
	add_text(&r, 3, "/etc/passwd")->part.flags = SB_TEXT_CUT;
	((struct sb_part_sum *)part(&r, SB_PART_SUM, sizeof(struct sb_part_sum)))->id = 77;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_EVENT);
	assert_int_equal(ev.sample.user.nr_segments, 1);
	assert_int_equal(ev.hit.probe, 70);
	assert_int_equal(ev.hit.value, 4096);
	assert_int_equal(ev.hit.count, 3);
	assert_int_equal(ev.hit.begun_ns, 600);
	assert_int_equal(ev.hit.unread, 2);
	assert_int_equal(ev.hit.sum, 77);
	assert_false(ev.hit.open);
	assert_int_equal(ev.hit.nr_args, SB_ARGS_MAX);
	assert_int_equal(ev.hit.arg[11], 311);
	assert_int_equal(ev.hit.nr_texts, 2);
	assert_int_equal(ev.hit.text[0].len, 0);
	assert_int_equal(ev.hit.text[1].arg, 3);
	assert_int_equal(ev.hit.text[1].len, 11);
	assert_memory_equal(ev.hit.text[1].bytes, "/etc/passwd", 11);
	assert_true(ev.hit.text[1].cut && !ev.hit.text[0].cut);
	p->part.flags = SB_EVENT_OPEN;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.hit.open);
	assert_cut_anywhere(&r);
}

static struct sb_part_inside *start_inside(struct rec *r)
{
	struct sb_part_inside *p;

	start(r, 0);
	((struct sb_hdr *)r->b)->kind = SB_REC_INSIDE;
	p = part(r, SB_PART_INSIDE, sizeof(*p));
	p->call = SB_INSIDE(5, 400);
	p->took_ns = 550;
	return p;
}

static void ends_of_calls(void **state)
{
	struct sb_part_inside *p;
	struct raw_event ev;
	struct rec r;

	p = start_inside(&r);
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_int_equal(ev.kind, RAW_INSIDE);
	assert_int_equal(ev.tid, 11);
	assert_int_equal(raw_inside_probe(ev.inside.call), 5);
	assert_int_equal(raw_inside_begun_ns(ev.inside.call), 400);
	assert_int_equal(ev.inside.took_ns, 550);
	assert_false(ev.inside.unwanted);
	p->part.flags = SB_INSIDE_UNWANTED;
	assert_int_equal(wire_decode_record(r.b, r.n, &ev), 1);
	assert_true(ev.inside.unwanted);
	assert_cut_anywhere(&r);
	/* It begins after its end; there is none; it stands in a sample. */
	start_inside(&r)->call = SB_INSIDE(5, 1001);
	refuse(&r);
	start_inside(&r)->call = 0;
	refuse(&r);
	start_inside(&r);
	((struct sb_hdr *)r.b)->kind = SB_REC_SAMPLE;
	refuse(&r);
}

static void hits_that_make_no_sense(void **state)
{
	struct sb_part_event *p;
	struct sb_part_text *t;
	struct rec r;

	/*
	 * More arguments than there is room for, or than there may be; none that it stands for;
	 * begun after its end; no probe.
	 */
	start_event(&r, 3)->nr = 6;
	refuse(&r);
	p = start_event(&r, SB_ARGS_MAX);
	p->nr = SB_ARGS_MAX + 1;
	refuse(&r);
	start_event(&r, 1)->count = 0;
	refuse(&r);
	start_event(&r, 1)->begun_ns = 1001;
	refuse(&r);
	start_event(&r, 1)->probe = 0;
	refuse(&r);
	/* Twice, or in a sample. */
	start_event(&r, 1);
	memcpy(part(&r, SB_PART_EVENT, sizeof(*p)),
	       r.b + sizeof(struct sb_hdr) + sizeof(struct sb_part_task), sizeof(*p));
	refuse(&r);
	start_event(&r, 1);
	((struct sb_hdr *)r.b)->kind = SB_REC_SAMPLE;
	refuse(&r);
	start(&r, 0);
	((struct sb_hdr *)r.b)->kind = SB_REC_EVENT;
	refuse(&r);
	/* Texts: longer than their part, of no argument, too many, without an event. */
	start_event(&r, 1);
	t = add_text(&r, 0, "12345678");
	t->got = 9;
	refuse(&r);
	start_event(&r, 1);
	add_text(&r, 1, "x");
	refuse(&r);
	start_event(&r, 1);
	for (unsigned int i = 0; i < SB_TEXTS_MAX + 1; i++)
		add_text(&r, 0, "x");
	refuse(&r);
	start(&r, 0);
	add_text(&r, 0, "x");
	refuse(&r);
	/* A sum in a sample. */
	start(&r, 0);
	part(&r, SB_PART_SUM, sizeof(struct sb_part_sum));
	refuse(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_of_probes),
		cmocka_unit_test(hits_that_make_no_sense),
		cmocka_unit_test(ends_of_calls),
		cmocka_unit_test(whole_record),
		cmocka_unit_test(flags),
		cmocka_unit_test(walked_by_rules),
		cmocka_unit_test(stopped),
		cmocka_unit_test(parts_may_be_absent_or_new),
		cmocka_unit_test(empty_segment),
		cmocka_unit_test(unknown_kind),
		cmocka_unit_test(wrong_sizes),
		cmocka_unit_test(wrong_counts),
		cmocka_unit_test(task_comes_first),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(waits),
		cmocka_unit_test(parts_of_waits),
		cmocka_unit_test(waits_that_make_no_sense),
		cmocka_unit_test(wakes),
		cmocka_unit_test(handovers),
		cmocka_unit_test(faults),
		cmocka_unit_test(moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
