/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wire_decode.c - reads the record with one cursor; each part is taken whole and then decoded.
 *
 * The cursor hands out 8-byte aligned pieces only: every size in the format is a multiple of 8, and
 * one that is not makes the record bad.
 */
#include "config.h"

#include "capture/wire_decode.h"

#include "bpf/wire.h"
#include "model/event.h"
#include "model/wait.h"

#include <errno.h>
#include <string.h>

_Static_assert(SB_STATE_PREEMPTED == WAIT_PREEMPTED && SB_STATE_INTERRUPTIBLE == WAIT_INTERRUPTIBLE &&
	       SB_STATE_UNINTERRUPTIBLE == WAIT_UNINTERRUPTIBLE && SB_STATE_KILLABLE == WAIT_KILLABLE &&
	       SB_STATE_STOPPED == WAIT_STOPPED && SB_STATE_TRACED == WAIT_TRACED && SB_STATE_EXITING == WAIT_EXITING &&
	       SB_STATE_IDLE == WAIT_IDLE && SB_STATE_NEW == WAIT_NEW && SB_STATE_FROZEN == WAIT_FROZEN &&
	       SB_STATE_THROTTLED == WAIT_THROTTLED,
	       "states cross by number");
_Static_assert(SB_WAKER_TASK == WAKER_TASK && SB_WAKER_HARDIRQ == WAKER_HARDIRQ && SB_WAKER_SOFTIRQ == WAKER_SOFTIRQ,
	       "contexts cross by number");

_Static_assert(SB_ARGS_MAX == RAW_ARGS_MAX && SB_TEXTS_MAX == RAW_TEXTS_MAX, "a hit has room for what crosses");
_Static_assert(SB_PROBE_PLACED == RAW_PROBE_PLACED, "and so are those that somebody placed");
_Static_assert((int)SB_PROBE_FORK == (int)EVENT_FORK && (int)SB_PROBE_SPIN == (int)EVENT_SPIN,
	       "probes of ours are numbered as the kinds of their events");

_Static_assert(SB_INSIDE_MAX == RAW_INSIDE_MAX && SB_INSIDE_AT == RAW_INSIDE_AT &&
	       SB_INSIDE_UNKNOWN == RAW_INSIDE_UNKNOWN, "calls cross by number and moment");

struct cursor {
	const uint8_t *at;
	size_t left;
};

static const void *wire_decode_take(struct cursor *in, size_t n)
{
	const void *p = in->at;

	if (n % 8 || n > in->left)
		return NULL;
	in->at += n;
	in->left -= n;
	return p;
}

/* The next part, cut out of IN into *RET; NULL at the end or when it is bad (then something is left). */
static const struct sb_part *take_part(struct cursor *in, struct cursor *ret)
{
	const struct sb_part *part = (const void *)in->at;

	if (in->left < sizeof(*part) || part->size < sizeof(*part))
		return NULL;
	ret->at = in->at;
	ret->left = part->size;
	return wire_decode_take(in, part->size);
}

static void copy_comm(char dst[17], const char src[16])
{
	memcpy(dst, src, 16);
	dst[16] = '\0';
}

static bool wire_decode_read_task(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_task *t = wire_decode_take(in, sizeof(*t));

	if (!t)
		return false;
	ev->pid = (pid_t)t->pid;
	ev->tid = (pid_t)t->tid;
	ev->sample.start_ns = t->start_ns;
	ev->sample.cgroup_id = t->cgroup_id;
	ev->sample.exe_id = t->exe_id;
	copy_comm(ev->sample.comm, t->comm);
	return true;
}

static bool read_sample(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_sample *p = wire_decode_take(in, sizeof(*p));

	if (!p)
		return false;
	s->period = p->period;
	s->ip = p->ip;
	s->since_ns = p->since_ns;
	s->busy = p->part.flags & SB_SAMPLE_BUSY;
	memcpy(s->inside, p->inside.call, sizeof(s->inside));
	return true;
}

static bool read_regs(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_regs *r = wire_decode_take(in, sizeof(*r));
	const uint64_t *v;

	if (!r || !r->machine || !r->nr || r->nr > RAW_REGS_MAX)
		return false;
	v = wire_decode_take(in, r->nr * sizeof(*v));
	if (!v)
		return false;
	s->user.machine = r->machine;
	s->user.nr_regs = r->nr;
	memcpy(s->user.regs, v, r->nr * sizeof(*v));
	return true;
}

static bool read_addrs(struct cursor *in, const uint64_t **ret, uint32_t *ret_nr, int32_t *ret_error, bool *ret_full)
{
	const struct sb_part_addrs *a = wire_decode_take(in, sizeof(*a));
	const uint64_t *v;

	if (!a || a->nr > in->left / sizeof(*v))
		return false;
	*ret = wire_decode_take(in, a->nr * sizeof(*v));
	*ret_nr = a->nr;
	*ret_error = a->error;
	*ret_full = a->part.flags & SB_ADDRS_FULL;
	return true;
}

static bool wire_decode_read_segment(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_segment *g = wire_decode_take(in, sizeof(*g));
	struct raw_segment *seg;

	if (!g || g->got > in->left || g->got > g->want || s->user.nr_segments == RAW_SEGMENTS_MAX)
		return false;
	seg = &s->user.segment[s->user.nr_segments++];
	seg->addr = g->addr;
	seg->len = g->got;
	seg->want = g->want;
	seg->unreadable = g->got < g->want;
	seg->interrupted = g->part.flags & SB_SEG_INTERRUPTED;
	seg->bytes = in->at;
	return true;
}

/* What the kernel half says of a call, as model/wait.h does. */
uint32_t wire_decode_call(int32_t call, unsigned int state, bool compat)
{
	static const uint32_t ways[] = {
		[-SB_CALL_FAULT] = CALL_FAULT, [-SB_CALL_KERNEL] = CALL_KERNEL, [-SB_CALL_STOPPED] = CALL_STOPPED,
		[-SB_CALL_TRACED] = CALL_TRACED, [-SB_CALL_FROZEN] = CALL_FROZEN, [-SB_CALL_RETURN] = CALL_RETURN,
	};

	if (state == WAIT_PREEMPTED || state == WAIT_THROTTLED)
		return CALL_PREEMPTED;
	if (state == WAIT_NEW)
		return CALL_NEW;
	if (call < 0)
		return call >= SB_CALL_RETURN ? ways[-call] : CALL_NONE;
	if ((uint32_t)call > CALL_SYSCALL_MAX)
		return CALL_NONE;
	return (compat ? CALL_COMPAT : CALL_SYSCALL) + (uint32_t)call;
}

/* The two parts of a wait, which must add up to the time between its ends. */
static bool read_lengths(const struct sb_part_wait *p, uint64_t end_ns, struct raw_wait *w)
{
	const bool never_blocked = wait_state_runnable(p->state);
	const uint64_t until = never_blocked ? p->out_ns : p->waking_ns ? p->waking_ns : end_ns;

	if (p->out_ns > end_ns || until < p->out_ns || until > end_ns)
		return false;
	w->blocked_ns = until - p->out_ns;
	w->runnable_ns = end_ns - until;
	return true;
}

enum lock_kind wire_klock_kind(uint32_t type)
{
	static const enum lock_kind kinds[SB_CHANNEL_NR] = {
		[SB_KLOCK_OTHER] = LOCK_KERNEL_OTHER, [SB_KLOCK_MUTEX] = LOCK_KERNEL_MUTEX,
		[SB_KLOCK_RWSEM_READ] = LOCK_KERNEL_READ, [SB_KLOCK_RWSEM_WRITE] = LOCK_KERNEL_WRITE,
		[SB_KLOCK_PERCPU_READ] = LOCK_KERNEL_PERCPU_READ, [SB_KLOCK_PERCPU_WRITE] = LOCK_KERNEL_PERCPU_WRITE,
		[SB_CHANNEL_PIPE] = LOCK_PIPE_READ, [SB_CHANNEL_PIPE + 1] = LOCK_PIPE_WRITE,
		[SB_CHANNEL_SOCKET] = LOCK_SOCKET_READ, [SB_CHANNEL_SOCKET + 1] = LOCK_SOCKET_WRITE,
	};

	return type < SB_CHANNEL_NR ? kinds[type] : LOCK_KERNEL_OTHER;
}

static void wire_decode_kernel_lock(const struct sb_lock *l, struct lock_futex *ret)
{
	struct sb_lock_owner o;

	memcpy(&o, l->bytes, sizeof(o));
	*ret = (struct lock_futex){ .address = l->address, .of_kernel = true,
				    .kind = wire_klock_kind(l->op),
				    .owner = { .pid = o.pid, .tid = o.tid, .start_ns = o.start_ns,
					       .readers = o.readers } };
	copy_comm(ret->owner.comm, o.comm);
}

void wire_decode_lock(const struct sb_lock *l, struct lock_futex *ret)
{
	if (l->flags & SB_LOCK_OF_KERNEL) {
		wire_decode_kernel_lock(l, ret);
		return;
	}
	_Static_assert(SB_PRIO == LOCK_PRIO, "both sides mean the same");
	_Static_assert(SB_LOCK_BYTES == LOCK_BYTES && SB_LOCK_BEFORE == LOCK_BYTES_BEFORE, "both sides mean the same");
	*ret = (struct lock_futex){ .address = l->address, .op = l->op, .value = l->value,
				    .from = l->from < LOCK_BYTES ? l->from : LOCK_BYTES, .len = LOCK_BYTES,
				    .of_interpreter = l->flags & SB_LOCK_OF_INTERPRETER, .holder = l->holder };
	memcpy(ret->bytes, l->bytes, sizeof(ret->bytes));
}

static bool wire_decode_read_wait(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_wait *p = wire_decode_take(in, SB_WAIT_BARE_BYTES);
	const struct sb_inside *inside = p && in->left ? wire_decode_take(in, sizeof(*inside)) : NULL;
	const struct sb_lock *lock = inside && in->left ? wire_decode_take(in, sizeof(*lock)) : NULL;
	struct raw_wait *w = &ev->wait;

	/* Not twice: what the second leaves out would be of the first. */
	if (!p || !(ev->kind == RAW_WAIT || ev->kind == RAW_MOVE) || w->period_ns || !p->period_ns ||
	    !read_lengths(p, ev->time_ns, w))
		return false;
	w->id = p->id;
	w->period_ns = p->period_ns;
	w->state = p->state;
	w->prio = p->prio <= LOCK_PRIO_MAX ? (uint8_t)p->prio : 0;
	w->call = wire_decode_call(p->call, p->state, p->part.flags & SB_WAIT_COMPAT);
	w->seeded = p->part.flags & SB_WAIT_SEEDED;
	w->throttled = p->part.flags & SB_WAIT_THROTTLED;
	w->no_stack = p->part.flags & SB_WAIT_NO_STACK;
	w->to_cpu = p->to_cpu;
	w->to_node = p->to_node;
	w->sum = p->sum;
	if (inside)
		memcpy(ev->sample.inside, inside->call, sizeof(ev->sample.inside));
	if (lock && lock->address)
		wire_decode_lock(lock, &w->lock);
	w->context = p->context;
	if (w->context == WAKER_TASK) {
		w->waker_pid = (pid_t)p->waker_pid;
		w->waker_tid = (pid_t)p->waker_tid;
		w->waker_start_ns = p->waker_start_ns;
		copy_comm(w->waker_comm, p->waker_comm);
	}
	return true;
}

static bool read_wake(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_wake *p = wire_decode_take(in, sizeof(*p));

	if (!p || ev->kind != RAW_WAKE)
		return false;
	ev->wake = (struct raw_wake){ .tid = (pid_t)p->tid, .start_ns = p->start_ns, .wait_id = p->wait_id };
	return true;
}

static bool read_addr(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_addr *p = wire_decode_take(in, sizeof(*p));

	if (!p || ev->kind != RAW_FAULT)
		return false;
	ev->sample.addr = p->addr;
	return true;
}

static bool read_hit(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_event *p = wire_decode_take(in, sizeof(*p));
	const uint64_t *arg;

	/* Not twice, as a wait. */
	if (!p || ev->kind != RAW_EVENT || ev->hit.count || !p->probe || !p->count || p->begun_ns > ev->time_ns ||
	    p->nr > SB_ARGS_MAX)
		return false;
	arg = wire_decode_take(in, p->nr * sizeof(*arg));
	if (!arg)
		return false;
	ev->hit = (struct raw_hit){
		.probe = p->probe, .unread = p->unread, .open = p->part.flags & SB_EVENT_OPEN,
			.nr_args = (uint8_t)p->nr,
		.look = p->part.flags & SB_EVENT_LOOK ? 1u << SB_EVENT_LOOK_SHIFT(p->part.flags) : 0,
		.args_only = p->part.flags & SB_EVENT_ARGS, .told_only = p->part.flags & SB_EVENT_TOLD,
		.value = p->value, .count = p->count, .begun_ns = p->begun_ns, .arg = arg,
	};
	return true;
}

static bool read_hit_text(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_text *p = wire_decode_take(in, sizeof(*p));
	struct raw_hit *hit = &ev->hit;

	if (!p || ev->kind != RAW_EVENT ||
	    (p->arg >= hit->nr_args && p->arg != SB_TEXT_RECORD && p->arg - SB_TEXT_PRINT >= SB_PRINTS) ||
	    p->got > in->left || hit->nr_texts == SB_TEXTS_MAX)
		return false;
	hit->text[hit->nr_texts++] = (struct raw_text){
		.arg = p->arg, .len = p->got, .cut = p->part.flags & SB_TEXT_CUT, .bytes = (const char *)in->at,
		.unread = p->part.flags & SB_TEXT_UNREAD,
	};
	return true;
}

static bool read_sum(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_sum *p = wire_decode_take(in, sizeof(*p));

	if (!p || ev->kind != RAW_EVENT)
		return false;
	ev->hit.sum = p->id;
	return true;
}

static bool read_inside(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_inside *p = wire_decode_take(in, sizeof(*p));

	if (!p || ev->kind != RAW_INSIDE || SB_INSIDE_BEGUN(p->call) > ev->time_ns)
		return false;
	ev->inside = (struct raw_inside){ .call = p->call, .took_ns = p->took_ns,
					  .unwanted = p->part.flags & SB_INSIDE_UNWANTED };
	return true;
}

static bool read_handover(struct cursor *in, struct raw_event *ev)
{
	const struct sb_part_handover *p = wire_decode_take(in, sizeof(*p));

	if (!p || ev->kind != RAW_HANDOVER || p->out_ns > ev->time_ns)
		return false;
	ev->handover = (struct raw_handover){ .pid = (pid_t)p->pid, .tid = (pid_t)p->tid, .start_ns = p->start_ns,
					      .since_ns = p->out_ns, .holder = p->holder };
	wire_decode_lock(&p->lock, &ev->handover.lock);
	return true;
}

static bool read_walk(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_walk *p = wire_decode_take(in, sizeof(*p));

	if (!p || !p->space || p->part.flags >= SB_WALK_NR)
		return false;
	s->space_id = p->space;
	s->user.walk_check = p->check;
	s->walk_why = (uint8_t)p->part.flags;
	return true;
}

static bool read_taken(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_taken *p = wire_decode_take(in, sizeof(*p));

	if (!p || !p->serial || p->part.flags >= SB_TAKEN_NR || p->record > SB_PLAN_RECORD || p->record % 8 ||
	    p->nr > SB_PLAN_TURNS || (uint64_t)p->nr * p->record != in->left)
		return false;
	s->taken = (struct raw_taken){ .serial = p->serial, .nr = p->nr, .record = p->record,
				       .why = (uint8_t)p->part.flags, .bytes = in->at };
	return true;
}

static bool read_stop(struct cursor *in, struct raw_sample *s)
{
	const struct sb_part_stop *p = wire_decode_take(in, sizeof(*p));

	if (!p)
		return false;
	s->user.stopped = true;
	s->user.stop = (struct raw_stop){ .pc = p->pc, .sp = p->sp, .bp = p->bp,
					  .exact = p->part.flags & SB_STOP_EXACT };
	return true;
}

/* Frames up to a stop tell nothing without it. */
static bool read_walked(const struct sb_part *part, struct cursor *in, struct raw_sample *s)
{
	const bool stopped = part->flags & SB_ADDRS_STOPPED;

	s->user.ruled = part->flags & SB_ADDRS_RULES;
	s->user.recorded = part->flags & SB_ADDRS_RECORDS;
	s->user.placed = part->flags & SB_ADDRS_PLACED;
	s->user.no_table = part->flags & SB_ADDRS_NO_TABLE;
	return stopped == s->user.stopped && !(stopped && s->user.ruled) &&
	       !(s->user.recorded && (stopped || s->user.ruled)) &&
	       read_addrs(in, &s->user.walked, &s->user.nr_walked, &s->walked_error, &s->user.walked_full);
}

static bool read_part(const struct sb_part *part, struct cursor *in, struct raw_event *ev)
{
	struct raw_sample *s = &ev->sample;

	switch (part->type) {
	case SB_PART_SAMPLE:
		return read_sample(in, s);
	case SB_PART_REGS:
		return read_regs(in, s);
	case SB_PART_KSTACK:
		return read_addrs(in, &s->kernel, &s->nr_kernel, &s->kernel_error, &s->kernel_full);
	case SB_PART_WALKED:
		return read_walked(part, in, s);
	case SB_PART_WALK:
		return read_walk(in, s);
	case SB_PART_STOP:
		return read_stop(in, s);
	case SB_PART_TAKEN:
		return read_taken(in, s);
	case SB_PART_SEGMENT:
		return wire_decode_read_segment(in, s);
	case SB_PART_WAIT:
		return wire_decode_read_wait(in, ev);
	case SB_PART_WAKE:
		return read_wake(in, ev);
	case SB_PART_ADDR:
		return read_addr(in, ev);
	case SB_PART_EVENT:
		return read_hit(in, ev);
	case SB_PART_TEXT:
		return read_hit_text(in, ev);
	case SB_PART_SUM:
		return read_sum(in, ev);
	case SB_PART_INSIDE:
		return read_inside(in, ev);
	case SB_PART_HANDOVER:
		return read_handover(in, ev);
	default:
		return true;
	}
}

static void read_flags(uint16_t flags, struct raw_sample *s)
{
	s->in_kernel = flags & SB_F_KERNEL;
	s->user.kthread = flags & SB_F_KTHREAD;
	s->user.compat = flags & SB_F_COMPAT;
	s->no_user = flags & SB_F_NO_USER;
}

static bool wire_decode_kind_of(unsigned int kind, enum raw_kind *ret)
{
	switch (kind) {
	case SB_REC_SAMPLE:
		*ret = RAW_SAMPLE;
		return true;
	case SB_REC_WAIT:
		*ret = RAW_WAIT;
		return true;
	case SB_REC_WAKE:
		*ret = RAW_WAKE;
		return true;
	case SB_REC_MOVE:
		*ret = RAW_MOVE;
		return true;
	case SB_REC_FAULT:
		*ret = RAW_FAULT;
		return true;
	case SB_REC_EVENT:
		*ret = RAW_EVENT;
		return true;
	case SB_REC_INSIDE:
		*ret = RAW_INSIDE;
		return true;
	case SB_REC_HANDOVER:
		*ret = RAW_HANDOVER;
		return true;
	default:
		return false;
	}
}

/* Without the part that makes it what it is, a wait, wake, fault or hit says nothing. */
static bool is_whole(const struct raw_event *ev)
{
	switch (ev->kind) {
	case RAW_WAIT:
	case RAW_MOVE:
		return ev->wait.period_ns;
	case RAW_WAKE:
		return ev->wake.wait_id;
	case RAW_FAULT:
		return ev->sample.addr && ev->sample.period;
	case RAW_EVENT:
		return ev->hit.count;
	case RAW_INSIDE:
		return ev->inside.call;
	case RAW_HANDOVER:
		return ev->handover.lock.address;
	default:
		return true;
	}
}

int wire_decode_record(const void *data, size_t len, struct raw_event *ret)
{
	struct cursor in = { data, len }, body;
	const struct sb_hdr *h = wire_decode_take(&in, sizeof(*h));
	const struct sb_part *part;
	struct raw_event ev;

	if (!h || h->size != len)
		return -EBADMSG;
	memset(&ev, 0, sizeof(ev));
	if (!wire_decode_kind_of(h->kind, &ev.kind))
		return 0;
	ev.cpu = h->cpu;
	ev.node = h->node;
	ev.time_ns = h->time_ns;
	read_flags(h->flags, &ev.sample);
	part = take_part(&in, &body);
	if (!part || part->type != SB_PART_TASK || !wire_decode_read_task(&body, &ev))
		return -EBADMSG;
	while ((part = take_part(&in, &body)))
		if (!read_part(part, &body, &ev))
			return -EBADMSG;
	if (in.left || !is_whole(&ev))
		return -EBADMSG;
	*ret = ev;
	return 1;
}
