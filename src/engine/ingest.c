/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest.c - a sample or wait becomes an event: find the process, walk its user stack, intern what
 * was found, hand it over.
 *
 * A sample belongs to the moment it was taken. One that has to wait for a module keeps the mappings
 * and the identity of then: its process may map another file in the same place meanwhile, or
 * execute another program.
 */
#include "config.h"

#include "engine/ingest.h"


#include "base/clock.h"
#include "engine/alloc_facts.h"
#include "engine/insides.h"
#include "engine/lock_turns.h"
#include "engine/intern.h"
#include "engine/learn.h"
#include "engine/parked.h"
#include "engine/lock_regions.h"
#include "engine/prios.h"
#include "engine/stack_completion.h"
#include "engine/stacksize.h"
#include "engine/verify.h"
#include "engine/wakers.h"
#include "model/kind.h"
#include "model/probes.h"
#include "symbol/kernel.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ingest {
	struct ingest_config config;
	struct processes *ps;
	struct unwinder *unwinder;
	struct parked parked;
	struct ingest_figures figures;
	uint64_t now_ns;         /* of the current ingest_retry() */
	bool give_up;            /* parked samples must be finished now */
	struct stacksize sizes;
	struct intern intern;
	struct wakers wakers;
	struct prios prios;
	struct lock_regions regions;
	struct learn *learn;     /* NULL: the kernel half walks by no rules */
	struct completion *upper;     /* NULL: every page of a stack can be read that is there */
	struct unwind_input more;  /* the sample at hand with more of its stack, or only what was copied of it */
	struct chain chain;      /* of the sample at hand; large */
	struct chain other;      /* of its copy, where it was walked by rules and copied */
};

int ingest_new(const struct ingest_config *c, struct ingest **ret, struct err *e)
{
	AUTO(ingest_free) struct ingest *in = calloc(1, sizeof(*in));

	if (!in)
		return err_nomem(e, "the engine");
	parked_init(&in->parked);
	stacksize_init(&in->sizes, c->stack_bytes);
	in->config = *c;
	in->ps = c->ps;
	in->unwinder = unwinder_new();
	if (!in->unwinder || !intern_init(&in->intern, c->dict, kernel_text_base()))
		return err_nomem(e, "the engine");
	if (c->book && !(in->learn = learn_new(c->book)))
		return err_nomem(e, "the engine");
	if (c->tables_only)
		unwinder_use_tables_only(in->unwinder);
	if (c->no_callers)
		unwinder_use_no_callers(in->unwinder);
	in->intern.no_callers = c->no_callers;
	if (c->tables_only && in->learn)
		learn_tables_only(in->learn);
	*ret = take_ptr(in);
	return 0;
}

static bool drop_one(void *ctx, const struct parked_sample *s)
{
	struct ingest *in = ctx;

	process_release(in->ps, s->hold);
	return true;
}

void ingest_free(struct ingest *in)
{
	if (!in)
		return;
	parked_each(&in->parked, drop_one, in);
	ingest_end(in);
	unwinder_free(in->unwinder);
	learn_free(in->learn);
	prios_free(&in->prios);
	lock_regions_free(&in->regions);
	free(in);
}

void ingest_begin(struct ingest *in)
{
	/* What the kernel half could not read of the stacks of another time can no longer be read. */
	if (completion_needed() && !(in->config.source && !source_of_now(in->config.source)))
		in->upper = completion_new();
}

void ingest_end(struct ingest *in)
{
	completion_free(in->upper);
	in->upper = NULL;
}

static bool has_user_side(const struct raw_sample *s)
{
	return !s->user.kthread && !s->no_user;
}

static void ingest_count(struct ingest *in, const struct raw_event *raw, const struct event *ev)
{
	const bool wait = raw->kind == RAW_WAIT || raw->kind == RAW_WAIT_STACK;

	if (!wait && raw->kind != RAW_SAMPLE)
		return;
	in->figures.samples += !wait;
	if (!(ev->flags & EVENT_F_USER))
		return;
	unwound_count(&in->figures.unwound, ev, 1);
	if (wait)
		unwound_count(&in->figures.wait_unwound, ev, 1);
	(*(wait ? &in->figures.wait_stacks : &in->figures.user_samples))++;
	(wait ? in->figures.wait_cut : in->figures.cut)[ev->cut < CUT_NR ? ev->cut : CUT_BAD_FRAME]++;
}

/* How far a copy went that S begins. */
static uint32_t ingest_copied(const struct raw_segment *s)
{
	return s->want > s->len ? s->want : s->len;
}

/*
 * A copy that did not do because it ended is a reason to copy more, unless it was smaller than what
 * is copied by now: it was under way when that was learnt, or there was no room for more.
 */
static bool is_lesson(struct ingest *in, const struct raw_sample *s)
{
	uint32_t longest = 0;

	if (in->chain.cut == CUT_COMPLETE)
		return true;
	for (uint32_t i = 0; i < s->user.nr_segments; i++)
		longest = ingest_copied(&s->user.segment[i]) > longest ? ingest_copied(&s->user.segment[i]) : longest;
	return in->chain.cut == CUT_STACK_SIZE && longest >= stacksize_cap(&in->sizes, s->exe_id);
}

static void learn_stack_size(struct ingest *in, const struct raw_sample *s)
{
	const struct chain *c = &in->chain;
	uint32_t cap;

	if (!in->config.source || in->config.stack_fixed || !s->user.nr_segments || s->user.ruled || !is_lesson(in, s))
		return;
	cap = stacksize_learn(&in->sizes, s->exe_id, c->bytes_used, c->cut == CUT_STACK_SIZE);
	if (cap)
		(void)source_set_stack_cap(in->config.source, s->exe_id, cap);
}

/* An interrupt has no thread and no stack of its own: what lies under it only happened to be there. */
static void remember_waker(struct ingest *in, const struct raw_event *raw, const struct event *ev)
{
	const bool task = raw->wake.context == WAKER_TASK;
	const struct waker w = { .wait_id = raw->wake.wait_id, .tid = raw->wake.tid, .context = raw->wake.context,
				 .thread = task ? ev->thread : ID_NONE, .stack = task ? ev->stack : STACK_ROOT };

	wakers_put(&in->wakers, &w);
}

struct holder_asked {
	struct processes *ps;
	struct process *p;
	bool shared;             /* the lock may be one of several processes */
};

/* The number here of the thread that the process asked about calls TID, and whose it is; 0 = there is none. */
static pid_t holder_find(const struct holder_asked *h, uint32_t tid, struct process **ret)
{
	const pid_t own = process_thread_inside(h->ps, h->p, (pid_t)tid);

	*ret = own || !h->shared ? h->p : process_of_thread(h->ps, (pid_t)tid);
	return own ? own : h->shared && *ret ? (pid_t)tid : 0;
}

static bool holder_exists(void *ctx, uint32_t tid)
{
	struct process *of;

	return holder_find(ctx, tid, &of) != 0;
}

/* The place of the data at ADDRESS of P, as a stack of one frame; STACK_ROOT when it is none of a file. */
static stack_id ingest_data_place(struct ingest *in, struct process *p, uint64_t address)
{
	uint64_t vaddr = 0;
	const module_id module = process_data_at(in->ps, p, address, &vaddr);
	const frame_id frame = module == ID_NONE ? ID_NONE : dict_frame(in->config.dict, module, FRAME_DATA | vaddr);
	const stack_id place = frame == ID_NONE ? ID_NONE : dict_stack(in->config.dict, STACK_ROOT, frame);

	return place == ID_NONE ? STACK_ROOT : place;
}

/* What memory of the process of RAW is at ADDRESS, as a note; STACK_ROOT when it is not known. */
static stack_id ingest_region(struct ingest *in, const struct raw_event *raw, uint64_t address)
{
	const uint64_t note = lock_regions_at(&in->regions, raw->pid, address, raw->time_ns);
	const frame_id frame = note ? dict_note(in->config.dict, note) : ID_NONE;
	const stack_id place = frame == ID_NONE ? ID_NONE : dict_stack(in->config.dict, STACK_ROOT, frame);

	return place == ID_NONE ? STACK_ROOT : place;
}

/* The thread that the process P calls NUMBER; ID_NONE when there is none. */
static thread_id ingest_holder(struct ingest *in, struct process *p, uint32_t number)
{
	const pid_t holder = number ? process_thread_inside(in->ps, p, (pid_t)number) : 0;

	return holder ? process_thread(in->ps, p, holder, 0, 0, NULL) : ID_NONE;
}

/* The same of data at ADDRESS of the kernel: what is not allocated lies behind its code. */
static stack_id ingest_kernel_place(struct ingest *in, uint64_t address)
{
	const uint64_t base = in->intern.text_base;
	const frame_id frame = !base || address < base ? ID_NONE :
		dict_frame(in->config.dict, in->intern.kernel, FRAME_DATA | (address - base));
	const stack_id place = frame == ID_NONE ? ID_NONE : dict_stack(in->config.dict, STACK_ROOT, frame);

	return place == ID_NONE ? STACK_ROOT : place;
}

/* The lock F of the kernel, whose owner may be any thread of the machine. */
static struct held_lock ingest_kernel_lock(struct ingest *in, const struct lock_futex *f)
{
	const struct lock_owner *o = &f->owner;
	struct process *of = o->tid ? processes_get(in->ps, (pid_t)o->pid) : NULL;
	struct held_lock l = { .address = f->address, .guess = f->kind, .holder = ID_NONE, .readers = o->readers,
			       .place = ingest_kernel_place(in, f->address) };

	if (of)
		l.holder = process_thread(in->ps, of, (pid_t)o->tid, o->start_ns, 0, o->comm);
	return l;
}

/* The lock F of P, and who held it, but for the memory that it is in. */
static struct held_lock ingest_held(struct ingest *in, struct process *p, const struct lock_futex *f)
{
	struct holder_asked asked = { .ps = in->ps, .p = p, .shared = !lock_op_private(f->op) };
	struct held_lock l = { .holder = ID_NONE };
	struct lock_state state;
	struct process *of;
	pid_t holder;

	if (f->of_kernel)
		return ingest_kernel_lock(in, f);
	l.guess = lock_guess(f, holder_exists, &asked, &state);
	l.address = state.address;
	l.readers = state.readers;
	holder = state.holder ? holder_find(&asked, state.holder, &of) : 0;
	if (holder)
		l.holder = process_thread(in->ps, of, holder, 0, 0, NULL);
	return l;
}

/*
 * What RAW waited for, by the thread WAITER, since SINCE_NS (0 = not known), as long as the process is known. What kind
 * of lock that is names say, later.
 */
static lock_id ingest_lock(struct ingest *in, const struct raw_event *raw, thread_id waiter, uint64_t since_ns)
{
	const struct lock_futex *f = &raw->wait.lock;
	struct process *p = f->address ? processes_get(in->ps, raw->pid) : NULL;
	struct held_lock l;
	lock_id id;

	if (!p || (!f->of_kernel && !lock_op_waits(f->op)))
		return LOCK_ID_NONE;
	l = ingest_held(in, p, f);
	if (!f->of_kernel)
		l.place = ingest_data_place(in, p, l.address);
	if (!f->of_kernel && l.place == STACK_ROOT)
		(void)alloc_facts_at(in->config.sink->allocs, raw->pid, l.address, &l.place, &l.offset);
	if (!f->of_kernel && l.place == STACK_ROOT && !in->config.sink->allocs && in->config.of_now)
		l.place = ingest_region(in, raw, l.address);
	if (in->config.sink->turns && since_ns)
		lock_turns_held(in->config.sink->turns, raw->pid, &l, since_ns);
	prios_compare(&in->prios, waiter, f->op, &l);
	id = dict_lock(in->config.dict, &l);
	return id == ID_NONE ? LOCK_ID_NONE : id;
}

/* RAW is told by the thread that wakes: it held the lock until now, unless its memory says that another one did. */
static void ingest_handover(struct ingest *in, const struct raw_event *raw)
{
	const struct raw_handover *h = &raw->handover;
	struct process *p = processes_get(in->ps, h->pid), *by = processes_get(in->ps, raw->pid);
	struct lock_turn turn = { .ns = raw->time_ns, .holder = ID_NONE, .next = ID_NONE };
	struct held_lock l;
	thread_id waker;

	if (!p || !by || !in->config.sink->turns)
		return;
	l = ingest_held(in, p, &h->lock);
	lock_turns_held(in->config.sink->turns, h->pid, &l, h->since_ns);
	waker = process_thread(in->ps, by, raw->tid, raw->sample.start_ns, raw->sample.cgroup_id, raw->sample.comm);
	turn.holder = h->lock.of_interpreter || h->holder ? ingest_holder(in, p, h->holder) : waker;
	if (turn.holder == ID_NONE)
		return;
	/* Who let the interpreter go may wait until another thread has it: that thread tells so. */
	if (turn.holder == waker)
		turn.next = h->lock.of_interpreter && !h->lock.holder ? waker :
			process_thread(in->ps, p, h->tid, h->start_ns, 0, NULL);
	lock_turns_over(in->config.sink->turns, h->pid, &l, &turn);
}

static void describe_wait(struct ingest *in, const struct raw_event *raw, struct event *ev)
{
	const struct raw_wait *w = &raw->wait;
	const bool ended = raw->kind == RAW_WAIT;

	prios_put(&in->prios, ev->thread, w->prio);
	ev->wait.call = w->call;
	ev->wait.state = w->state;
	ev->wait.throttled = w->throttled;
	ev->wait.lock = ingest_lock(in, raw, ev->thread, ended ? raw->time_ns - w->runnable_ns - w->blocked_ns : 0);
	ev->flags |= w->seeded ? EVENT_F_EARLIER : 0;
}

/* H has spun for a lock: where that was short, it stands for others. */
static void ingest_spin(struct ingest *in, const struct raw_hit *h, struct event *ev)
{
	const uint64_t own_ns = h->arg[1] ? h->arg[1] : 1, count = h->value / own_ns;
	struct held_lock l = { .address = h->arg[0], .guess = LOCK_KERNEL_SPIN, .holder = ID_NONE };
	lock_id id;

	l.place = ingest_kernel_place(in, l.address);
	id = dict_lock(in->config.dict, &l);
	ev->wait.lock = id == ID_NONE ? LOCK_ID_NONE : id;
	ev->wait.own_ns = own_ns;
	ev->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* What H, of a probe that somebody placed, weighs: of one that only counts, how long it took does not matter. */
static uint64_t hit_weight(const struct raw_hit *h)
{
	const struct measure *m = probes_measure(h->probe - RAW_PROBE_PLACED);

	return m && m->unit == UNIT_COUNT && h->begun_ns ? h->count : h->value;
}

/* What the hit H of a probe of ours says, to EV, which has its count; but for its weight. */
static void ingest_describe_hit(struct ingest *in, const struct raw_hit *h, struct event *ev)
{
	ev->kind = (uint8_t)h->probe;
	if (ev->kind == EVENT_SPIN && h->nr_args > 1)
		ingest_spin(in, h, ev);
	else if (h->nr_args && kind_carries(ev->kind) == CARRIES_ARGUMENT)
		ev->argument = h->arg[0];
}

/* EV has its stack, and gets what else its kind has. */
static void ingest_hand_over(struct ingest *in, const struct raw_event *raw, struct event *ev)
{
	switch (raw->kind) {
	case RAW_WAKE:
		remember_waker(in, raw, ev);
		return;
	case RAW_WAIT:
		wakers_take(&in->wakers, raw->tid, raw->wait.id, &ev->wait);
		describe_wait(in, raw, ev);
		break;
	case RAW_WAIT_STACK:
		/* Who ends it is told with its end. */
		describe_wait(in, raw, ev);
		break;
	case RAW_FAULT:
		ev->kind = EVENT_FAULT;
		ev->weight = raw->sample.period;
		ev->count = 1;
		break;
	case RAW_EVENT:
		ev->count = raw->hit.count < UINT32_MAX ? (uint32_t)raw->hit.count : UINT32_MAX;
		if (raw->hit.probe >= RAW_PROBE_PLACED) {
			ev->kind = EVENT_HIT;
			ev->argument = raw->hit.probe - RAW_PROBE_PLACED;
		} else {
			ingest_describe_hit(in, &raw->hit, ev);
		}
		ev->weight = ev->kind == EVENT_HIT ? hit_weight(&raw->hit) : raw->hit.value;
		break;
	case RAW_MOVE:
		ev->kind = EVENT_MIGRATION;
		ev->weight = ev->count = 1;
		ev->place.node = raw->wait.to_node < NODES_MAX ? (uint16_t)raw->wait.to_node : NODE_UNKNOWN;
		break;
	default:
		ev->kind = EVENT_SAMPLE;
		ev->weight = raw->sample.weight;
		break;
	}
	if (in->config.sink->insides &&
	    (raw->kind == RAW_SAMPLE || raw->kind == RAW_WAIT || raw->kind == RAW_WAIT_STACK))
		insides_name(in->config.sink->insides, raw, ev);
	event_sink_walked(in->config.sink, raw, ev);
}

static void ingest_scripts(struct ingest *in, const struct raw_event *raw)
{
	struct process *p = processes_get(in->ps, raw->pid);

	if (p)
		scripts_merge(in->config.scripts, p, raw, &in->chain);
}

static void ingest_finish(struct ingest *in, thread_id thread, const struct raw_event *raw)
{
	const struct raw_sample *s = &raw->sample;
	const bool user = has_user_side(s);
	struct event ev = {
		.cut = (uint8_t)(user ? in->chain.cut : CUT_COMPLETE),
		.method = (uint8_t)in->chain.method,
		.flags = (uint8_t)((user ? EVENT_F_USER : 0) | (s->in_kernel ? EVENT_F_KERNEL : 0)),
		.walk = s->user.ruled ? 0 : s->walk_why,
		.node = (uint16_t)raw->node,
		.cpu = raw->cpu,
		.time_ns = raw->time_ns,
		.thread = thread,
		.cut_module = !user || in->chain.cut == CUT_COMPLETE ? ID_NONE : in->chain.cut_module,
		.wait = { .waker = ID_NONE },
		.place = { .node = NODE_UNKNOWN, .file = ID_NONE },
	};

	learn_stack_size(in, s);
	if (in->learn && learn_from(in->learn, raw, &in->chain))
		ev.flags |= EVENT_F_LEARNT;
	if (in->config.scripts && user)
		ingest_scripts(in, raw);
	in->figures.scripts_left += !in->config.scripts && s->taken.nr;
	ev.stack = intern_stack(&in->intern, &in->chain, s, user);
	if (ev.thread == ID_NONE || ev.stack == ID_NONE) {
		in->figures.no_memory++;
		return;
	}
	if (raw->kind != RAW_WAKE)
		ingest_count(in, raw, &ev);
	ingest_hand_over(in, raw, &ev);
}

/* Its stack was taken while it lasted, or there is none. */
static void finish_bare(struct ingest *in, thread_id thread, const struct raw_event *raw)
{
	struct event ev = { .node = (uint16_t)raw->node, .cpu = raw->cpu, .time_ns = raw->time_ns, .thread = thread,
			    .stack = ID_NONE, .cut_module = ID_NONE };

	if (thread == ID_NONE)
		in->figures.no_memory++;
	else
		ingest_hand_over(in, raw, &ev);
}

/* A walk that left every known mapping, or never entered one: reading /proc/PID/maps again may help. */
static bool ingest_missed(const struct chain *c)
{
	return c->cut == CUT_NO_MAPPING;
}

/*
 * Walks again, with more of the stack, what was cut where a page could not be read, as long as it
 * comes further by that. False when it has to wait for that.
 */
static bool walk_further(struct ingest *in, const struct unwind_space *space, const struct raw_event *raw)
{
	uint64_t before;

	if (!in->upper || in->chain.cut != CUT_STACK_UNREADABLE)
		return true;
	do {
		before = in->chain.fault;
		switch (completion_extend(in->upper, raw, before, &in->more)) {
		case COMPLETION_READY:
			break;
		case COMPLETION_ASKED:
			return false;
		default:
			return true;
		}
		unwind_sample(in->unwinder, space, &in->more, &in->chain);
		if (in->chain.loading)
			return false;
	} while (in->chain.cut == CUT_STACK_UNREADABLE && in->chain.fault > before);
	in->figures.extended++;
	return true;
}

/* Does RAW, which was walked, come again, with more of its stack? */
static bool comes_again(struct ingest *in, const struct raw_event *raw)
{
	return in->config.source && !in->give_up && raw->sample.outside && in->chain.cut == CUT_STACK_SIZE &&
	       source_read_further(in->config.source, raw);
}

static struct unwind_space ingest_watched(struct ingest *in, struct unwind_space space)
{
	return in->learn ? learn_watch(in->learn, &space) : space;
}

/*
 * USER came both ways: do they lead to the same? What the copy was too short for, or has too many
 * frames, cannot be said.
 */
static void ingest_verify(struct ingest *in, const struct unwind_space *space, const struct unwind_input *user)
{
	const struct chain *a = &in->chain, *b = &in->other;
	enum verify_cause cause;

	if (!user->ruled || !user->nr_segments || (a->cut != CUT_COMPLETE && a->cut != CUT_FRAME_LIMIT))
		return;
	if (a->cut == CUT_FRAME_LIMIT) {
		in->figures.unverified++;
		return;
	}
	in->more = *user;
	in->more.nr_walked = 0;
	unwind_sample(in->unwinder, space, &in->more, &in->other);
	if (b->cut != CUT_COMPLETE) {
		in->figures.unverified++;
		return;
	}
	in->figures.verified++;
	cause = verify_compare(a, b);
	if (cause < VERIFY_NR)
		in->figures.different[cause]++;
}

/* Walks the user side into in->chain; false when it has to wait, for a module or for more of the stack. */
static bool ingest_walk(struct ingest *in, struct process *p, const struct raw_event *raw)
{
	struct unwind_space space = ingest_watched(in, process_space(in->ps, p));
	const struct unwind_input *user = &raw->sample.user;

	unwind_sample(in->unwinder, &space, user, &in->chain);
	if (ingest_missed(&in->chain) && process_reread(in->ps, p)) {
		space = ingest_watched(in, process_space(in->ps, p));
		unwind_sample(in->unwinder, &space, user, &in->chain);
	}
	if (ingest_missed(&in->chain) && process_gone(p))
		in->chain.cut = CUT_GONE;
	ingest_verify(in, &space, user);
	return !in->chain.loading && walk_further(in, &space, raw);
}

static bool ingest_park(struct ingest *in, struct process *p, thread_id thread, const struct raw_event *raw)
{
	struct process_hold *hold = process_hold(in->ps, p);

	if (hold && parked_add(&in->parked, raw, clock_mono_ns(), thread, hold))
		return true;
	process_release(in->ps, hold);
	return false;
}

static void ingest_sample(struct ingest *in, const struct raw_event *raw)
{
	const struct raw_sample *s = &raw->sample;
	struct process *p = processes_get(in->ps, raw->pid);
	thread_id thread;

	if (!p) {
		in->figures.no_memory++;
		return;
	}
	thread = process_thread(in->ps, p, raw->tid, s->start_ns, s->cgroup_id, s->comm);
	if ((raw->kind == RAW_WAIT || raw->kind == RAW_MOVE) && raw->wait.no_stack)
		finish_bare(in, thread, raw);
	else if ((ingest_walk(in, p, raw) || !ingest_park(in, p, thread, raw)) && !comes_again(in, raw))
		ingest_finish(in, thread, raw);
}

static bool retry_one(void *ctx, const struct parked_sample *s)
{
	struct ingest *in = ctx;
	const bool may_wait = !in->give_up && in->now_ns - s->since_ns < PARKED_TIME_NS;
	struct process *p = processes_get(in->ps, s->ev.pid);
	struct unwind_space space;

	if (p) {
		space = ingest_watched(in, process_held_space(in->ps, p, s->hold));
		unwind_sample(in->unwinder, &space, &s->ev.sample.user, &in->chain);
		if ((in->chain.loading || !walk_further(in, &space, &s->ev)) && may_wait)
			return false;
		if (!comes_again(in, &s->ev))
			ingest_finish(in, s->thread, &s->ev);
	} else {
		if (may_wait)
			return false;
		in->figures.no_memory++;
	}
	process_release(in->ps, s->hold);
	return true;
}

void ingest_raw(void *ctx, const struct raw_event *ev)
{
	struct ingest *in = ctx;

	if (in->config.sink->insides)
		insides_see(in->config.sink->insides, ev);
	switch (ev->kind) {
	case RAW_INSIDE:
		break;
	case RAW_HANDOVER:
		ingest_handover(in, ev);
		break;
	case RAW_SAMPLE:
		ingest_sample(in, ev);
		break;
	case RAW_WAIT:
	case RAW_WAIT_STACK:
	case RAW_WAKE:
		if (in->config.waits)
			ingest_sample(in, ev);
		break;
	case RAW_FAULT:
	case RAW_MOVE:
		if (in->config.numa)
			ingest_sample(in, ev);
		break;
	case RAW_EVENT:
		/* Others are of no kind that anything counts. */
		if (ev->hit.probe >= RAW_PROBE_PLACED ? probes_measure(ev->hit.probe - RAW_PROBE_PLACED) != NULL :
		    kind_is_known(ev->hit.probe))
			ingest_sample(in, ev);
		break;
	default:
		processes_apply(in->ps, ev);
		break;
	}
}

uint64_t ingest_stranger(void *ctx, const struct raw_event *ev)
{
	struct ingest *in = ctx;

	return in->learn ? learn_early(in->learn, in->ps, ev) : 0;
}

void ingest_retry(struct ingest *in, uint64_t now_ns)
{
	in->now_ns = now_ns;
	if (in->upper)
		completion_poll(in->upper);
	parked_each(&in->parked, retry_one, in);
}

void ingest_settle(struct ingest *in)
{
	in->give_up = true;
	parked_each(&in->parked, retry_one, in);
	in->give_up = false;
}

uint32_t ingest_lessons(struct ingest *in)
{
	return in->learn ? learn_lessons(in->learn) : 0;
}

void ingest_figures(const struct ingest *in, struct ingest_figures *ret)
{
	struct unwind_stats stats;

	unwinder_stats(in->unwinder, &stats);
	*ret = in->figures;
	ret->rule_bytes = stats.bytes;
	ret->parked = in->parked.n;
}
