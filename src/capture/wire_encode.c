/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_encode.c - appends the parts of a record one by one; a part that does not fit makes the
 * record fail.
 */
#include "config.h"

#include "capture/wire_encode.h"

#include "bpf/wire.h"
#include "capture/peek.h"
#include "capture/wire_decode.h"
#include "model/wait.h"

#include <string.h>

_Static_assert(ENCODED_MAX > PEEK_BYTES_MAX + 4 * SB_STACK_MAX, "the longest stack fits, and what belongs to it");

/* A record in the making. */
struct making {
	uint8_t *at;
	size_t n, size;          /* bytes so far, and that there is room for */
	bool full;               /* there was not enough */
};

/* BYTES more, padded to 8 and zeroed; NULL when there is no room. */
static void *wire_encode_room(struct making *m, size_t bytes)
{
	const size_t padded = (bytes + 7) & ~(size_t)7;
	void *p = m->at + m->n;

	if (m->full || padded > m->size - m->n) {
		m->full = true;
		return NULL;
	}
	m->n += padded;
	return memset(p, 0, padded);
}

/* A part of TYPE: a head of BYTES, with MORE bytes behind it; NULL when there is no room. */
static void *wire_encode_part(struct making *m, uint16_t type, uint16_t flags, size_t bytes, size_t more)
{
	const size_t padded = (bytes + more + 7) & ~(size_t)7;
	struct sb_part *p = wire_encode_room(m, padded);

	if (!p)
		return NULL;
	p->size = (uint32_t)padded;
	p->type = type;
	p->flags = flags;
	return p;
}

static void copy_behind(void *head, size_t head_bytes, const void *src, size_t bytes)
{
	if (bytes)
		memcpy((uint8_t *)head + head_bytes, src, bytes);
}

static bool wire_encode_kind(enum raw_kind kind, uint16_t *ret)
{
	switch (kind) {
	case RAW_SAMPLE:
		*ret = SB_REC_SAMPLE;
		return true;
	case RAW_WAIT:
		*ret = SB_REC_WAIT;
		return true;
	case RAW_MOVE:
		*ret = SB_REC_MOVE;
		return true;
	case RAW_FAULT:
		*ret = SB_REC_FAULT;
		return true;
	case RAW_WAKE:
		*ret = SB_REC_WAKE;
		return true;
	case RAW_EVENT:
		*ret = SB_REC_EVENT;
		return true;
	case RAW_INSIDE:
		*ret = SB_REC_INSIDE;
		return true;
	case RAW_HANDOVER:
		*ret = SB_REC_HANDOVER;
		return true;
	default:
		return false;
	}
}

static void wire_encode_head(struct making *m, const struct raw_event *ev, uint16_t kind)
{
	const struct raw_sample *s = &ev->sample;
	struct sb_hdr *h = wire_encode_room(m, sizeof(*h));
	struct sb_part_task *t = wire_encode_part(m, SB_PART_TASK, 0, sizeof(*t), 0);

	if (!h || !t)
		return;
	h->kind = kind;
	h->flags = (uint16_t)((s->in_kernel ? SB_F_KERNEL : 0) | (s->user.kthread ? SB_F_KTHREAD : 0) |
			      (s->user.compat ? SB_F_COMPAT : 0) | (s->no_user ? SB_F_NO_USER : 0));
	h->time_ns = ev->time_ns;
	h->cpu = ev->cpu;
	h->node = ev->node;
	t->pid = (uint32_t)ev->pid;
	t->tid = (uint32_t)ev->tid;
	t->start_ns = s->start_ns;
	t->cgroup_id = s->cgroup_id;
	t->exe_id = s->exe_id;
	memcpy(t->comm, s->comm, sizeof(t->comm));
}

static void wire_encode_sample(struct making *m, const struct raw_sample *s)
{
	struct sb_part_sample *p = wire_encode_part(m, SB_PART_SAMPLE, s->busy ? SB_SAMPLE_BUSY : 0, sizeof(*p), 0);

	if (!p)
		return;
	p->period = s->period;
	p->ip = s->ip;
	p->since_ns = s->since_ns;
	memcpy(p->inside.call, s->inside, sizeof(s->inside));
}

static void wire_encode_regs(struct making *m, const struct raw_sample *s)
{
	struct sb_part_regs *p;

	if (!s->user.nr_regs)
		return;
	p = wire_encode_part(m, SB_PART_REGS, SB_REGS_FULL, sizeof(*p), s->user.nr_regs * sizeof(*s->user.regs));
	if (!p)
		return;
	p->machine = s->user.machine;
	p->nr = s->user.nr_regs;
	copy_behind(p, sizeof(*p), s->user.regs, s->user.nr_regs * sizeof(*s->user.regs));
}

static void wire_encode_addrs(struct making *m, uint16_t type, uint16_t flags, const uint64_t *addr, uint32_t nr,
			      int32_t error)
{
	struct sb_part_addrs *p;

	if (!nr && !error && !flags)
		return;
	p = wire_encode_part(m, type, flags, sizeof(*p), nr * sizeof(*addr));
	if (!p)
		return;
	p->nr = nr;
	p->error = error;
	copy_behind(p, sizeof(*p), addr, nr * sizeof(*addr));
}

/* What the kernel half walked of the user's side, and where it stopped: that first. */
static void wire_encode_walk(struct making *m, const struct raw_sample *s)
{
	const uint16_t flags =
		(uint16_t)((s->user.walked_full ? SB_ADDRS_FULL : 0) | (s->user.ruled ? SB_ADDRS_RULES : 0) |
			   (s->user.placed ? SB_ADDRS_PLACED : 0) | (s->user.no_table ? SB_ADDRS_NO_TABLE : 0) |
			   (s->user.stopped ? SB_ADDRS_STOPPED : 0) | (s->user.recorded ? SB_ADDRS_RECORDS : 0));
	struct sb_part_walk *w = s->space_id ? wire_encode_part(m, SB_PART_WALK, s->walk_why, sizeof(*w), 0) : NULL;
	struct sb_part_stop *stop =
		s->user.stopped
			? wire_encode_part(m, SB_PART_STOP, s->user.stop.exact ? SB_STOP_EXACT : 0, sizeof(*stop), 0)
			: NULL;

	if (w) {
		w->space = s->space_id;
		w->check = s->user.walk_check;
	}
	if (stop) {
		stop->pc = s->user.stop.pc;
		stop->sp = s->user.stop.sp;
		stop->bp = s->user.stop.bp;
	}
	wire_encode_addrs(m, SB_PART_WALKED, flags, s->user.walked, s->user.nr_walked, s->walked_error);
}

static void wire_encode_taken(struct making *m, const struct raw_taken *t)
{
	const size_t bytes = (size_t)t->nr * t->record;
	struct sb_part_taken *p = t->serial ? wire_encode_part(m, SB_PART_TAKEN, t->why, sizeof(*p), bytes) : NULL;

	if (!p)
		return;
	p->serial = t->serial;
	p->nr = t->nr;
	p->record = t->record;
	copy_behind(p, sizeof(*p), t->bytes, bytes);
}

static void wire_encode_segments(struct making *m, const struct raw_sample *s)
{
	for (uint32_t i = 0; i < s->user.nr_segments; i++) {
		const struct raw_segment *from = &s->user.segment[i];
		struct sb_part_segment *p = wire_encode_part(
			m, SB_PART_SEGMENT, from->interrupted ? SB_SEG_INTERRUPTED : 0, sizeof(*p), from->len);

		if (!p)
			return;
		p->addr = from->addr;
		p->want = from->want > from->len ? from->want : from->len + from->unreadable;
		p->got = from->len;
		copy_behind(p, sizeof(*p), from->bytes, from->len);
	}
}

int32_t wire_encode_call(uint32_t call, bool *ret_compat)
{
	*ret_compat = call >= CALL_COMPAT;
	if (call >= CALL_COMPAT)
		return (int32_t)(call - CALL_COMPAT);
	if (call >= CALL_SYSCALL)
		return (int32_t)(call - CALL_SYSCALL);
	switch (call) {
	case CALL_FAULT:
		return SB_CALL_FAULT;
	case CALL_KERNEL:
		return SB_CALL_KERNEL;
	case CALL_STOPPED:
		return SB_CALL_STOPPED;
	case CALL_TRACED:
		return SB_CALL_TRACED;
	case CALL_FROZEN:
		return SB_CALL_FROZEN;
	case CALL_RETURN:
		return SB_CALL_RETURN;
	default:
		return SB_CALL_UNKNOWN;
	}
}

static void wire_encode_kernel_lock(const struct lock_futex *l, struct sb_lock *ret)
{
	struct sb_lock_owner o = { .pid = l->owner.pid, .tid = l->owner.tid, .start_ns = l->owner.start_ns,
				   .readers = l->owner.readers };

	memcpy(o.comm, l->owner.comm, sizeof(o.comm));
	*ret = (struct sb_lock){ .address = l->address, .flags = SB_LOCK_OF_KERNEL };
	ret->op = SB_KLOCK_OTHER;
	for (uint32_t type = 0; type < SB_CHANNEL_NR; type++)
		if (wire_klock_kind(type) == l->kind)
			ret->op = type;
	memcpy(ret->bytes, &o, sizeof(o));
}

static void wire_encode_lock(const struct lock_futex *l, struct sb_lock *ret)
{
	if (l->of_kernel) {
		wire_encode_kernel_lock(l, ret);
		return;
	}
	*ret = (struct sb_lock){ .address = l->address, .op = l->op, .value = l->value, .from = (__u16)l->from,
				 .holder = l->holder, .flags = l->of_interpreter ? SB_LOCK_OF_INTERPRETER : 0 };
	memcpy(ret->bytes, l->bytes, sizeof(ret->bytes));
}

static void wire_encode_wait(struct making *m, const struct raw_event *ev)
{
	const struct raw_wait *w = &ev->wait;
	bool compat;
	const int32_t call = wire_encode_call(w->call, &compat);
	struct sb_part_wait *p =
		wire_encode_part(m, SB_PART_WAIT,
				 (uint16_t)((w->seeded ? SB_WAIT_SEEDED : 0) | (w->no_stack ? SB_WAIT_NO_STACK : 0) |
					    (compat ? SB_WAIT_COMPAT : 0) | (w->throttled ? SB_WAIT_THROTTLED : 0)),
				 sizeof(*p), 0);

	if (!p)
		return;
	p->id = w->id;
	p->out_ns = ev->time_ns - w->runnable_ns - w->blocked_ns;
	p->waking_ns = p->out_ns + w->blocked_ns;
	p->period_ns = w->period_ns;
	p->call = call;
	p->state = w->state;
	p->prio = w->prio;
	p->context = w->context;
	p->to_cpu = w->to_cpu;
	p->to_node = w->to_node;
	p->sum = w->sum;
	memcpy(p->inside.call, ev->sample.inside, sizeof(ev->sample.inside));
	wire_encode_lock(&w->lock, &p->lock);
	p->waker_pid = (uint32_t)w->waker_pid;
	p->waker_tid = (uint32_t)w->waker_tid;
	p->waker_start_ns = w->waker_start_ns;
	memcpy(p->waker_comm, w->waker_comm, sizeof(p->waker_comm));
}

static void wire_encode_wake(struct making *m, const struct raw_wake *w)
{
	struct sb_part_wake *p = wire_encode_part(m, SB_PART_WAKE, 0, sizeof(*p), 0);

	if (!p)
		return;
	p->wait_id = w->wait_id;
	p->start_ns = w->start_ns;
	p->tid = (uint32_t)w->tid;
}

static void wire_encode_inside(struct making *m, const struct raw_inside *inside)
{
	struct sb_part_inside *p =
		wire_encode_part(m, SB_PART_INSIDE, inside->unwanted ? SB_INSIDE_UNWANTED : 0, sizeof(*p), 0);

	if (!p)
		return;
	p->call = inside->call;
	p->took_ns = inside->took_ns;
}

static void wire_encode_handover(struct making *m, const struct raw_handover *h)
{
	struct sb_part_handover *p = wire_encode_part(m, SB_PART_HANDOVER, 0, sizeof(*p), 0);

	if (!p)
		return;
	p->start_ns = h->start_ns;
	p->out_ns = h->since_ns;
	p->pid = (uint32_t)h->pid;
	p->tid = (uint32_t)h->tid;
	p->holder = h->holder;
	wire_encode_lock(&h->lock, &p->lock);
}

static void wire_encode_addr(struct making *m, uint64_t addr)
{
	struct sb_part_addr *p = wire_encode_part(m, SB_PART_ADDR, 0, sizeof(*p), 0);

	if (p)
		p->addr = addr;
}

static void wire_encode_hit(struct making *m, const struct raw_hit *h)
{
	const unsigned int flags = (h->open ? SB_EVENT_OPEN : 0) | (h->told_only ? SB_EVENT_TOLD : 0);
	struct sb_part_event *p = wire_encode_part(m, SB_PART_EVENT, (uint16_t)flags, sizeof(*p),
						   h->nr_args * sizeof(*h->arg));

	if (!p)
		return;
	p->probe = h->probe;
	p->nr = h->nr_args;
	p->unread = h->unread;
	p->value = h->value;
	p->count = h->count;
	p->begun_ns = h->begun_ns;
	copy_behind(p, sizeof(*p), h->arg, h->nr_args * sizeof(*h->arg));
	for (unsigned int i = 0; i < h->nr_texts; i++) {
		const struct raw_text *from = &h->text[i];
		struct sb_part_text *t =
			wire_encode_part(m, SB_PART_TEXT, (from->cut ? SB_TEXT_CUT : 0) |
					 (from->unread ? SB_TEXT_UNREAD : 0), sizeof(*t), from->len);

		if (!t)
			return;
		t->arg = from->arg;
		t->got = from->len;
		copy_behind(t, sizeof(*t), from->bytes, from->len);
	}
	if (h->sum) {
		struct sb_part_sum *sum = wire_encode_part(m, SB_PART_SUM, 0, sizeof(*sum), 0);

		if (sum)
			sum->id = h->sum;
	}
}

size_t wire_encode_record(const struct raw_event *ev, void *dst, size_t size)
{
	struct making m = { .at = dst, .size = size & ~(size_t)7 };
	const struct raw_sample *s = &ev->sample;
	uint16_t kind;

	if (!wire_encode_kind(ev->kind, &kind))
		return 0;
	wire_encode_head(&m, ev, kind);
	wire_encode_sample(&m, s);
	if (ev->kind == RAW_WAIT || ev->kind == RAW_MOVE)
		wire_encode_wait(&m, ev);
	else if (ev->kind == RAW_WAKE)
		wire_encode_wake(&m, &ev->wake);
	else if (ev->kind == RAW_FAULT)
		wire_encode_addr(&m, s->addr);
	else if (ev->kind == RAW_EVENT)
		wire_encode_hit(&m, &ev->hit);
	else if (ev->kind == RAW_INSIDE)
		wire_encode_inside(&m, &ev->inside);
	else if (ev->kind == RAW_HANDOVER)
		wire_encode_handover(&m, &ev->handover);
	wire_encode_regs(&m, s);
	wire_encode_walk(&m, s);
	wire_encode_segments(&m, s);
	wire_encode_taken(&m, &s->taken);
	wire_encode_addrs(&m, SB_PART_KSTACK, s->kernel_full ? SB_ADDRS_FULL : 0, s->kernel, s->nr_kernel,
			  s->kernel_error);
	if (m.full)
		return 0;
	((struct sb_hdr *)dst)->size = (uint32_t)m.n;
	return m.n;
}
