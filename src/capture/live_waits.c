/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_waits.c - reads waits from the kernel half: totals, and waits under way with their stacks.
 *
 * The map of totals is read as a whole, because it changes meanwhile: entries of a thread that has
 * ended are reported a last time and removed only after all of them were seen. Slots of waits under
 * way are shared memory; an atomic exchange with the kernel half decides who may touch one (struct
 * sb_slot).
 */
#include "config.h"

#include "capture/live_private.h"

#include "base/clock.h"
#include "base/order.h"
#include "bpf/wire.h"
#include "capture/waker.h"
#include "capture/wire_decode.h"
#include "model/event.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PERIOD_MIN NSEC_PER_USEC
#define PERIOD_MAX (10 * NSEC_PER_SEC)

struct totals {
	VEC(struct sb_total_key) key;
	VEC(struct sb_total) total;
	VEC(struct sb_total_key) gone;   /* of threads: tid and start are set */
};

static void totals_free(struct totals *t)
{
	vec_free(&t->key);
	vec_free(&t->total);
	vec_free(&t->gone);
}

static int live_waits_take_total(void *ctx, const void *key, const void *value)
{
	struct totals *t = ctx;

	if (!vec_reserve(&t->key, 1) || !vec_reserve(&t->total, 1))
		return -ENOMEM;
	memcpy(&t->key.v[t->key.n++], key, sizeof(*t->key.v));
	memcpy(&t->total.v[t->total.n++], value, sizeof(*t->total.v));
	return 0;
}

/* Threads come and go meanwhile: an entry may be missed, and is then read the next time. */
static int live_waits_read_totals(const struct mapway *from, struct totals *t, struct err *e)
{
	const int r = mapway_read(from, sizeof(*t->key.v), sizeof(*t->total.v), false, live_waits_take_total, t);

	return r < 0 ? err_set(e, -r, "cannot read the totals of threads: %s", strerror(-r)) : 0;
}

static int find_gone(struct totals *t, struct err *e)
{
	for (size_t i = 0; i < t->key.n; i++) {
		struct sb_total_key *gone;

		if (t->key.v[i].what != SB_TOTAL_RUN || !t->total.v[i].gone)
			continue;
		gone = vec_push(&t->gone);
		if (!gone)
			return err_nomem(e, "the totals of threads");
		*gone = t->key.v[i];
	}
	return 0;
}

static int live_waits_compare_threads(const void *va, const void *vb)
{
	const struct sb_total_key *a = va, *b = vb;

	return a->tid != b->tid ? compare_numbers(a->tid, b->tid) :
		compare_numbers(a->start_ns, b->start_ns);
}

static bool is_gone(const struct totals *t, const struct sb_total_key *key)
{
	return t->gone.n && bsearch(key, t->gone.v, t->gone.n, sizeof(*key), live_waits_compare_threads);
}

static struct source_total live_waits_tell(const struct sb_total_key *key, const struct sb_total *t, bool last)
{
	struct source_total ret = {
		.pid = (pid_t)t->pid, .tid = (pid_t)key->tid, .start_ns = key->start_ns, .last = last,
			.count = t->count,
	};

	if (key->what == SB_TOTAL_RUN) {
		ret.kind = EVENT_SAMPLE;
		ret.running_ns = t->ns;
		ret.moves = t->moves;
		ret.kernel_moves = t->kernel_moves;
		return ret;
	}
	ret.kind = EVENT_BLOCKED;
	if (key->what == SB_TOTAL_PREEMPTED)
		ret.call = CALL_PREEMPTED;
	else if (key->what == SB_TOTAL_NEW)
		ret.call = CALL_NEW;
	else if (key->what >= SB_TOTAL_COMPAT)
		ret.call = wire_decode_call(key->what - SB_TOTAL_COMPAT, WAIT_NONE, true);
	else
		ret.call = wire_decode_call(key->what, WAIT_NONE, false);
	ret.blocked_ns = t->ns;
	ret.runnable_ns = t->runnable_ns;
	ret.long_count = t->long_count;
	ret.long_blocked_ns = t->long_ns;
	ret.long_runnable_ns = t->long_runnable_ns;
	ret.short_count = t->short_count;
	ret.short_ns = t->short_ns;
	return ret;
}

int live_totals(struct source *base, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e)
{
	struct live_source *s = live_of(base);
	const struct mapway from = bpf_side_totals(s->kernel);
	const uint64_t now = clock_mono_ns();
	struct totals t = { 0 };
	int r;

	*ret_ns = now;
	if (from.fd < 0)
		return 0;
	r = live_waits_read_totals(&from, &t, e);
	if (!r)
		r = find_gone(&t, e);
	if (!r && t.gone.n > 1)
		qsort(t.gone.v, t.gone.n, sizeof(t.gone.v[0]), live_waits_compare_threads);
	for (size_t i = 0; !r && i < t.key.n; i++) {
		const bool last = is_gone(&t, &t.key.v[i]);
		const struct source_total one = live_waits_tell(&t.key.v[i], &t.total.v[i], last);

		each(ctx, &one);
		if (last)
			(void)mapway_delete(&from, &t.key.v[i], sizeof(t.key.v[i]));
	}
	r = r ? r : (int)t.key.n;
	totals_free(&t);
	return r;
}

static int note_slot(struct live_source *s, const struct sb_open *o, struct err *e)
{
	struct open_slot *slot;

	if (o->flags & SB_WAIT_NO_STACK)
		return 0;
	slot = vec_push(&s->open);
	if (!slot)
		return err_nomem(e, "the list of waits");
	*slot = (struct open_slot){ .tid = (pid_t)o->tid, .start_ns = o->start_ns, .id = o->id, .slot = o->slot };
	return 0;
}

/* The true return addresses of O, which are at AT. */
static void tell_returns(const struct sb_open *o, const uint64_t *at, struct source_open *w)
{
	_Static_assert(SOURCE_RETURNS_MAX == SB_OPEN_RETURNS, "there is room for all");
	w->trampoline = o->trampoline;
	w->nr_returns = o->nr_returns < SOURCE_RETURNS_MAX ? o->nr_returns : SOURCE_RETURNS_MAX;
	for (uint32_t i = 0; i < w->nr_returns; i++)
		w->returns[i] = (struct source_return){ at[2 * i], at[2 * i + 1] };
}

/*
 * O has the user's registers behind it, and the kernel's stack of its wait, or nothing of either; and
 * true return addresses.
 */
static void tell_open(struct live_source *s, const struct sb_open *o, source_open_fn *each, void *ctx)
{
	struct source_open w = {
		.pid = (pid_t)o->pid, .tid = (pid_t)o->tid, .start_ns = o->start_ns,
			.cgroup_id = o->cgroup_id, .id = o->id,
		.since_ns = o->out_ns, .woken_ns = o->waking_ns, .state = o->state, .seeded = o->flags & SB_WAIT_SEEDED,
		.throttled = o->flags & SB_WAIT_THROTTLED,
		.has_stack = !(o->flags & SB_WAIT_NO_STACK), .cpu = o->cpu, .node = o->node, .exe_id = o->exe_id,
		.call = wire_decode_call(o->call, o->state, o->flags & SB_WAIT_COMPAT),
	};

	const uint64_t *regs = (const uint64_t *)(o + 1);

	memcpy(w.comm, o->comm, sizeof(o->comm));
	if (o->lock.address)
		wire_decode_lock(&o->lock, &w.lock);
	if (o->nr_regs && o->nr_regs <= RAW_REGS_MAX) {
		w.machine = o->machine;
		w.nr_regs = o->nr_regs;
		memcpy(w.regs, regs, w.nr_regs * sizeof(w.regs[0]));
	}
	w.kernel = kstacks_keep(&s->kstacks, regs + o->nr_regs, o->nr_kernel);
	w.nr_kernel = w.kernel ? o->nr_kernel : 0;
	tell_returns(o, regs + o->nr_regs + o->nr_kernel, &w);
	each(ctx, &w);
}

/* The size of the item that HAVE bytes at ITEM begin with, if all of it is there; 0 = it is not. */
static size_t whole_item(const void *item, size_t have, size_t size, list_more_fn *more)
{
	if (have < size)
		return 0;
	size += more ? more(item) : 0;
	return have < size ? 0 : size;
}

int live_read_list(int fd, size_t size, list_more_fn *more, list_fn *each, void *ctx, struct err *e)
{
	uint64_t list[8 * LIST_ITEM_MAX / sizeof(uint64_t)];
	char *const bytes = (char *)list;
	size_t have = 0, done, next;
	int n = 0, r;

	for (;;) {
		const ssize_t got = read(fd, bytes + have, sizeof(list) - have);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return err_set(e, errno, "cannot list the tasks: %s", strerror(errno));
		if (!got)
			return n;
		have += (size_t)got;
		for (done = 0; (next = whole_item(bytes + done, have - done, size, more)) > 0; done += next, n++) {
			r = each(ctx, bytes + done, e);
			if (r < 0)
				return r;
		}
		have -= done;
		memmove(list, bytes + done, have);
	}
}

struct telling {
	struct live_source *s;
	source_open_fn *each;
	void *ctx;
};

static int take_open(void *ctx, const void *item, struct err *e)
{
	const struct telling *to = ctx;
	const int r = note_slot(to->s, item, e);

	if (!r)
		tell_open(to->s, item, to->each, to->ctx);
	return r;
}

static size_t live_waits_open_bytes(const void *item)
{
	const struct sb_open *o = item;

	return ((o->nr_regs < RAW_REGS_MAX ? o->nr_regs : RAW_REGS_MAX) +
		(o->nr_kernel < SB_KSTACK_MAX ? o->nr_kernel : SB_KSTACK_MAX) +
		(o->nr_returns ? 2 * SB_OPEN_RETURNS : 0)) * sizeof(uint64_t);
}

_Static_assert(sizeof(struct sb_open) + 8 * (RAW_REGS_MAX + SB_KSTACK_MAX + 2 * SB_OPEN_RETURNS) <= LIST_ITEM_MAX &&
	       sizeof(struct sb_home) <= LIST_ITEM_MAX, "room for a part of one is left");

int live_open_waits(struct source *base, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
		      uint64_t *ret_ns, struct err *e)
{
	struct live_source *s = live_of(base);
	struct telling to = { .s = s, .each = each, .ctx = ctx };
	int fd, r;

	*ret_ns = clock_mono_ns();
	s->open.n = 0;
	if (bpf_side_totals(s->kernel).fd < 0)
		return 0;
	fd = bpf_side_list(s->kernel, min_ns, up_to_ns, e);
	if (fd < 0)
		return fd;
	r = live_read_list(fd, sizeof(struct sb_open), live_waits_open_bytes, take_open, &to, e);
	close(fd);
	return r;
}

static const struct open_slot *find_open(const struct live_source *s, pid_t tid, uint64_t start_ns, uint64_t id)
{
	for (size_t i = 0; i < s->open.n; i++) {
		const struct open_slot *o = &s->open.v[i];

		if (o->tid == tid && o->start_ns == start_ns && o->id == id)
			return o;
	}
	return NULL;
}

/* Copies the record out of SLOT, which is ours as long as it is BUSY. 0: it is not whole. */
static uint32_t copy_record(struct live_source *s, const struct sb_slot *slot)
{
	const uint32_t max = bpf_side_slot_bytes(s->kernel) - (uint32_t)sizeof(*slot);
	const uint32_t size = *(const volatile uint32_t *)&slot->size;

	if (size > max || size % 8 || size < sizeof(struct sb_hdr) + sizeof(struct sb_part_task) +
	    sizeof(struct sb_part_wait))
		return 0;
	memcpy(s->taken, slot->rec, size);
	return size;
}

/* The head of the wait was to be filled in when it ends. */
static void live_waits_complete(struct live_source *s, uint32_t size, uint64_t id)
{
	struct sb_hdr *h = (void *)s->taken;
	struct sb_part_wait *w = (void *)((char *)s->taken + sizeof(*h) + sizeof(struct sb_part_task));

	h->size = size;
	*w = (struct sb_part_wait){
		.part = { .size = sizeof(*w), .type = SB_PART_WAIT }, .id = id, .out_ns = h->time_ns, .period_ns = 1,
		.inside = w->inside, .lock = w->lock,
	};
}

/* False when the wait W has ended, or its record is not whole. */
static bool live_take_stack(struct live_source *s, const struct source_open *w, struct raw_event *ret)
{
	const struct open_slot *o = find_open(s, w->tid, w->start_ns, w->id);
	struct sb_slot *slot = o ? bpf_side_slot(s->kernel, o->slot) : NULL;
	__u64 expected = w->id;
	uint32_t size;

	if (!s->taken)
		s->taken = malloc(bpf_side_slot_bytes(s->kernel));
	if (!slot || !s->taken ||
	    !__atomic_compare_exchange_n(&slot->state, &expected, SB_SLOT_BUSY, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	size = copy_record(s, slot);
	__atomic_store_n(&slot->state, SB_SLOT_IDLE, __ATOMIC_RELEASE);
	(void)bpf_side_free_slot(s->kernel, o->slot);
	if (!size)
		return false;
	live_waits_complete(s, size, w->id);
	if (wire_decode_record(s->taken, size, ret) <= 0)
		return false;
	ret->kind = RAW_WAIT_STACK;
	ret->wait = (struct raw_wait){ .id = w->id, .call = w->call, .state = w->state, .seeded = w->seeded,
				       .lock = ret->wait.lock };
	ret->sample.kernel = w->kernel;
	ret->sample.nr_kernel = w->nr_kernel;
	return true;
}

enum source_stack live_open_stack(struct source *base, const struct source_open *w, struct raw_event *ret)
{
	struct live_source *s = live_of(base);

	if (w->has_stack)
		return live_take_stack(s, w, ret) ? SOURCE_STACK_HERE : SOURCE_STACK_NOT_NOW;
	return s->remote ? remote_stacks_ask(s->remote, w, ret) : SOURCE_STACK_NOT_NOW;
}

bool live_read_further(struct source *base, const struct raw_event *raw)
{
	struct live_source *s = live_of(base);

	return s->remote && remote_stacks_further(s->remote, raw);
}

bool live_stacks_pending(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return s->remote && remote_stacks_pending(s->remote);
}

void live_set_wait_period(struct source *base, uint64_t ns)
{
	struct live_source *s = live_of(base);

	bpf_side_set_wait_period(s->kernel, ns < PERIOD_MIN ? PERIOD_MIN : ns > PERIOD_MAX ? PERIOD_MAX : ns);
}

uint64_t live_wait_period(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return bpf_side_wait_period(s->kernel);
}

void live_waits_prepare(struct live_source *s)
{
	if (!s->ksyms_tried)
		(void)ksyms_load(&s->ksyms, NULL);
	s->ksyms_tried = true;
}

void live_set_wakers(struct source *base, bool on)
{
	struct live_source *s = live_of(base);

	if (on)
		live_waits_prepare(s);
	bpf_side_set_wakers(s->kernel, on);
}

void live_waits_waker(struct live_source *s, struct raw_event *ev)
{
	ev->wake.context = (uint8_t)waker_context_of(s->ksyms, ev->sample.kernel, ev->sample.nr_kernel);
}

void live_hit(struct live_source *s, struct raw_event *ev)
{
	struct raw_sample *sample = &ev->sample;
	uint32_t n;

	if (!sample->nr_kernel)
		return;
	n = waker_looking_on(s->ksyms, sample->kernel, sample->nr_kernel);
	sample->kernel += n;
	sample->nr_kernel -= n;
}

void live_waits_close(struct live_source *s)
{
	ksyms_free(s->ksyms);
	vec_free(&s->open);
	kstacks_free(&s->kstacks);
	free(s->taken);
}
