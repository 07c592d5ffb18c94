/* SPDX-License-Identifier: BSD-2-Clause */
/* remote_stacks.c - requests to the helper, each with the wait that it is for. */
#include "config.h"

#include "capture/remote_stacks.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "capture/peek.h"
#include "collector/ask.h"
#include "model/machine.h"
#include "model/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_NS (5 * NSEC_PER_MSEC)
#define FURTHER 16u                      /* times as much is read where a stack goes on ... */
/* ... as long as it is not more than that in all: a process may make it look so ... */
#define FURTHER_BYTES_S (64ull << 20)
#define FURTHER_BYTES_MAX (512ull << 20) /* ... or so much at once */

struct asked {
	struct source_open w;
	uint64_t kernel[SB_KSTACK_MAX];  /* w.kernel: of a wait that is asked for again it does not live as long */
	uint32_t bytes;
	bool used;
	bool wants_lock;         /* first the memory around the futex that it waits for */
	struct lock_futex lock;  /* address 0 = it waits for none */
	bool by_thread;          /* the process had no memory any more: its first thread has ended */
};

struct remote_stacks {
	struct peek *peek;       /* NULL: there is no helper to be had */
	uint32_t first, most;            /* bytes */
	const struct source_open *walking;       /* whose stack is being handed on; NULL = nobody's */
	VEC(struct asked) asked;         /* by cookie */
	uint64_t locks_read;             /* answers that were no stacks */
	uint64_t further_bytes, further_ns;      /* used up of what may be read further, at that moment */
};

struct remote_stacks *remote_stacks_new(uint32_t first, uint32_t most)
{
	struct remote_stacks *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->first = first;
	o->most = most < PEEK_BYTES_MAX ? most : PEEK_BYTES_MAX;
	(void)peek_new(&o->peek, NULL);
	return o;
}

void remote_stacks_free(struct remote_stacks *o)
{
	if (!o)
		return;
	peek_free(o->peek);
	vec_free(&o->asked);
	free(o);
}

/* What the source lists of W, with SEG as its stack (NULL = none). */
static struct raw_event remote_stacks_event(const struct source_open *w, const struct lock_futex *lock,
					    uint64_t time_ns, const struct raw_segment *seg)
{
	struct raw_event raw = {
		.kind = RAW_WAIT_STACK, .cpu = w->cpu, .node = w->node, .time_ns = time_ns,
			.pid = w->pid, .tid = w->tid,
		.sample = { .start_ns = w->start_ns, .cgroup_id = w->cgroup_id, .exe_id = w->exe_id,
			    .user.machine = w->machine,
			    .user.nr_regs = w->nr_regs, .user.kthread = w->call == CALL_KERNEL, .kernel = w->kernel,
			    .nr_kernel = w->nr_kernel },
		.wait = { .id = w->id, .call = w->call, .state = w->state, .seeded = w->seeded },
	};

	if (lock)
		raw.wait.lock = *lock;
	if (seg) {
		raw.sample.user.segment[raw.sample.user.nr_segments++] = *seg;
		raw.sample.outside = true;
	}
	memcpy(raw.sample.comm, w->comm, sizeof(raw.sample.comm));
	memcpy(raw.sample.user.regs, w->regs, sizeof(raw.sample.user.regs));
	return raw;
}

static struct raw_event remote_stacks_unread(const struct source_open *w)
{
	return remote_stacks_event(w, NULL, w->since_ns, NULL);
}

static struct asked *free_place(struct remote_stacks *o)
{
	struct asked *fresh;

	for (size_t i = 0; i < o->asked.n; i++)
		if (!o->asked.v[i].used)
			return &o->asked.v[i];
	fresh = o->asked.n < PEEK_QUEUE_MAX ? vec_push(&o->asked) : NULL;
	if (fresh)
		*fresh = (struct asked){ 0 };
	return fresh;
}

/* 0, or a negative errno of peek_ask(). */
static int remote_stacks_ask_helper(struct remote_stacks *o, struct asked *a)
{
	const uint64_t sp = machine_sp(a->w.machine, a->w.nr_regs, a->w.regs);
	/* The collector wants to know who waits. */
	const pid_t pid = a->by_thread || collector_is_there() ? a->w.tid : a->w.pid;
	const uint64_t cookie = (uint64_t)(a - o->asked.v);

	if (a->wants_lock)
		return peek_ask(o->peek, cookie, pid, a->lock.address - LOCK_BYTES_BEFORE + machine_host_red_zone(),
				LOCK_BYTES + 8);
	return peek_ask(o->peek, cookie, pid, sp, a->bytes);
}

/* The futex that W waits for, of which nothing is known yet, or its lock of the kernel; address 0 = there is none. */
static struct lock_futex remote_stacks_futex(const struct source_open *w)
{
	const struct machine *m = machine_of(w->machine);
	struct lock_futex lock = { .address = 0 };

	if (w->lock.address)
		return w->lock;
	if (!m || w->nr_regs < m->nr_regs || !call_is_futex(w->call, NULL) ||
	    !lock_op_waits((uint32_t)w->regs[m->call_args[1]]))
		return lock;
	lock.address = w->regs[m->call_args[0]];
	lock.op = (uint32_t)w->regs[m->call_args[1]];
	lock.value = (uint32_t)w->regs[m->call_args[2]];
	return lock;
}

/*
 * Asks for BYTES of the stack of W, and first for what is around its futex, unless that is KNOWN. 0, or a negative
 * errno: -EAGAIN when there is no room now.
 */
static int remote_stacks_ask_for(struct remote_stacks *o, const struct source_open *w, const struct lock_futex *known,
				 uint32_t bytes)
{
	struct asked *a = free_place(o);
	int r;

	if (!a)
		return -EAGAIN;
	*a = (struct asked){ .w = *w, .bytes = bytes, .lock = known ? *known : remote_stacks_futex(w) };
	a->wants_lock = !known && a->lock.address && !a->lock.of_kernel;
	if (a->w.nr_kernel > SB_KSTACK_MAX)
		a->w.nr_kernel = SB_KSTACK_MAX;
	if (a->w.nr_kernel)
		memcpy(a->kernel, w->kernel, a->w.nr_kernel * sizeof(*a->kernel));
	r = remote_stacks_ask_helper(o, a);
	a->used = r == 0;
	return r;
}

enum source_stack remote_stacks_ask(struct remote_stacks *o, const struct source_open *w, struct raw_event *ret)
{
	const bool readable = o->peek && machine_sp(w->machine, w->nr_regs, w->regs);
	const int r = readable ? remote_stacks_ask_for(o, w, NULL, o->first) : -ENOTSUP;

	if (!r)
		return SOURCE_STACK_COMES;
	if (r == -EAGAIN)
		return SOURCE_STACK_NOT_NOW;
	*ret = remote_stacks_unread(w);
	return SOURCE_STACK_HERE;
}

/* May BYTES be read further? Then they are used up until remote_stacks_take() knows how many they were. */
static bool remote_stacks_use_up(struct remote_stacks *o, uint32_t bytes)
{
	const uint64_t now = clock_mono_ns(), ns = now - o->further_ns;
	const uint64_t back = ns < NSEC_PER_SEC * 16 ? FURTHER_BYTES_S * ns / NSEC_PER_SEC : FURTHER_BYTES_MAX;

	o->further_bytes -= back < o->further_bytes ? back : o->further_bytes;
	o->further_ns = now;
	if (o->further_bytes + bytes > FURTHER_BYTES_MAX)
		return false;
	o->further_bytes += bytes;
	return true;
}

/* As the source would list the wait RAW. */
static struct source_open remote_stacks_listed(const struct raw_event *raw)
{
	const struct raw_sample *s = &raw->sample;
	struct source_open w = {
		.pid = raw->pid, .tid = raw->tid, .start_ns = s->start_ns, .cgroup_id = s->cgroup_id,
			.exe_id = s->exe_id,
		.id = raw->wait.id, .since_ns = raw->time_ns, .call = raw->wait.call, .state = raw->wait.state,
		.seeded = raw->wait.seeded, .cpu = raw->cpu, .node = raw->node, .machine = s->user.machine,
		.nr_regs = s->user.nr_regs, .nr_kernel = s->nr_kernel, .kernel = s->kernel,
	};

	memcpy(w.comm, s->comm, sizeof(w.comm));
	memcpy(w.regs, s->user.regs, sizeof(w.regs));
	return w;
}

bool remote_stacks_further(struct remote_stacks *o, const struct raw_event *raw)
{
	const struct raw_sample *s = &raw->sample;
	const uint32_t had = s->outside && s->user.nr_segments ? s->user.segment[0].len : 0;
	const uint32_t bytes = had < o->most / FURTHER ? had * FURTHER : o->most;
	struct source_open w;

	if (!o->peek || !had || had >= o->most || !remote_stacks_use_up(o, bytes))
		return false;
	w = remote_stacks_listed(raw);
	if (o->walking && o->walking->id == w.id && o->walking->tid == w.tid) {
		w.trampoline = o->walking->trampoline;
		w.nr_returns = o->walking->nr_returns;
		memcpy(w.returns, o->walking->returns, sizeof(w.returns));
	}
	return !remote_stacks_ask_for(o, &w, &raw->wait.lock, bytes);
}

/*
 * Puts true addresses into what SEG has of the stack of W, where return probes are pending: they were
 * when it was read if the trampoline stands in their slots. Returns the bytes of SEG then, which are
 * the caller's; NULL: they are as they were.
 */
static uint8_t *remote_stacks_mend(const struct source_open *w, struct raw_segment *seg)
{
	uint8_t *mended = w->nr_returns && seg->len ? malloc(seg->len) : NULL;

	if (!mended)
		return NULL;
	memcpy(mended, seg->bytes, seg->len);
	seg->bytes = mended;
	for (uint32_t i = 0; i < w->nr_returns; i++) {
		const uint64_t at = w->returns[i].slot - seg->addr;
		uint8_t *word = at < seg->len && seg->len - at >= sizeof(uint64_t) ? mended + at : NULL;

		if (word && !memcmp(word, &w->trampoline, sizeof(w->trampoline)))
			memcpy(word, &w->returns[i].address, sizeof(w->returns[i].address));
	}
	return mended;
}

static void remote_stacks_take(struct remote_stacks *o, const struct peek_answer *answer, raw_fn *each, void *ctx)
{
	struct asked *a = &o->asked.v[answer->cookie];
	struct raw_segment seg = { .addr = answer->addr, .len = answer->len, .unreadable = answer->unreadable,
					 .bytes = answer->bytes };
	struct source_open w = a->w;
	bool ok = answer->status == PEEK_OK;
	struct lock_futex lock;
	struct raw_event raw;
	AUTO_FREE uint8_t *mended = NULL;
	const uint32_t spared = a->bytes > answer->len ? a->bytes - answer->len : 0;
	uint64_t kernel[SB_KSTACK_MAX];

	if (a->bytes > o->first)
		o->further_bytes -= spared < o->further_bytes ? spared : o->further_bytes;
	memcpy(kernel, a->kernel, sizeof(kernel));
	w.kernel = kernel;
	if (answer->status == PEEK_GONE && !a->by_thread && w.tid != w.pid) {
		a->by_thread = true;
		if (!remote_stacks_ask_helper(o, a))
			return;
	}
	if (a->wants_lock && answer->status == PEEK_OK) {
		lock_fill(&a->lock, answer->addr, answer->bytes, answer->len);
		o->locks_read++;
		a->wants_lock = false;
		if (!remote_stacks_ask_helper(o, a))
			return;
		ok = false;      /* that was no stack */
	}
	a->used = false;
	lock = a->lock;
	mended = ok ? remote_stacks_mend(&w, &seg) : NULL;
	raw = ok ? remote_stacks_event(&w, &lock, clock_mono_ns(), &seg) : remote_stacks_unread(&w);
	o->walking = &w;
	each(ctx, &raw);
	o->walking = NULL;
}

/* The helper answers within microseconds, one request after the other; it is worth waiting for a little. */
static bool wait_for_answer(const struct remote_stacks *o, uint64_t until_ns)
{
	struct pollfd pfd = { .fd = peek_fd(o->peek), .events = POLLIN };

	return peek_pending(o->peek) && clock_mono_ns() < until_ns && poll(&pfd, 1, 1) > 0;
}

int remote_stacks_poll(struct remote_stacks *o, raw_fn *each, void *ctx)
{
	const uint64_t until = clock_mono_ns() + WAIT_NS;
	struct peek_answer answer;
	int n = 0;

	if (!o->peek)
		return 0;
	do {
		while (peek_take(o->peek, &answer)) {
			if (answer.cookie < o->asked.n)
				remote_stacks_take(o, &answer, each, ctx);
			n++;
		}
	} while (wait_for_answer(o, until));
	return n;
}

bool remote_stacks_pending(const struct remote_stacks *o)
{
	return o->peek && peek_pending(o->peek) > 0;
}

void remote_stacks_stats(const struct remote_stacks *o, struct source_stats *ret)
{
	struct peek_stats st = { 0 };

	if (o->peek)
		peek_stats(o->peek, &st);
	ret->stacks_read = st.answered[PEEK_OK] - o->locks_read;
	ret->stacks_hung = st.answered[PEEK_HUNG];
	ret->stacks_denied = st.answered[PEEK_DENIED];
}
