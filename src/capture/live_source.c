/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_source.c - a running kernel as a source: rings and side band in, ordered events out.
 *
 * One read: wait; look whether CPUs came or went; note the time; collect what all streams hold;
 * deliver what is older than that time by SLACK_NS, in order. Whatever happened before that is then
 * known to have been collected, since nothing takes SLACK_NS from reading the clock to being
 * visible.
 *
 * Samples wait in the kernel's ring itself (ring.h), side-band records in copies of bounded total
 * size.
 */
#include "config.h"

#include "capture/live_source.h"

#include "base/clock.h"
#include "capture/hold_ask.h"
#include "capture/live_private.h"
#include "capture/peek.h"
#include "capture/perf_record.h"
#include "capture/probe.h"
#include "capture/wire_decode.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#define SLACK_NS (5 * NSEC_PER_MSEC)
#define TICK_NS (10 * NSEC_PER_MSEC)             /* the longest that kernels are built with, CONFIG_HZ=100 */
#define COPIES_MAX (64u * 1024 * 1024)           /* bytes of side-band records that may wait */

/*
 * As far as the hard limit goes; -EMFILE when that is not enough: somebody would run out of
 * descriptors later. With another target, two captures run for a moment, which is nice to have, and
 * told as an error of the second if it cannot be had.
 */
static int raise_nofile(uint32_t nr_cpus, uint32_t nr_rings)
{
	const rlim_t need = cpus_nofile(nr_cpus, nr_rings), wanted = 2 * need;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= wanted)
		return 0;
	lim.rlim_cur = lim.rlim_max < wanted ? lim.rlim_max : wanted;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
	return lim.rlim_cur < need ? -EMFILE : 0;
}

/* What a descriptor that is waited for tells: there is something to collect, or somebody wants a read to return. */
enum told { TOLD_DATA, TOLD_CALL };

static int live_watch_fd(struct live_source *s, int fd, enum told what, struct err *e)
{
	/* Edge-triggered: what waits for the watermark stays in its buffer and must not wake us again. */
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = what };

	if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return err_set(e, errno, "cannot wait for what is captured: %s", strerror(errno));
	return 0;
}

int live_watch(struct live_source *s, int fd, struct err *e)
{
	return live_watch_fd(s, fd, TOLD_DATA, e);
}

static int live_call_on(struct source *base, int fd, struct err *e)
{
	struct live_source *s = live_of(base);

	return live_watch_fd(s, fd, TOLD_CALL, e);
}

static int open_wait(struct live_source *s, struct err *e)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->wake_fd < 0)
		return err_set(e, errno, "cannot make an epoll or event descriptor: %s", strerror(errno));
	return live_watch_fd(s, s->wake_fd, TOLD_CALL, e);
}

static int open_rings(struct live_source *s, struct err *e)
{
	int r = 0;

	s->rings = calloc(s->layout.nr_rings, sizeof(*s->rings));
	if (!s->rings)
		return err_nomem(e, "ring buffers");
	for (uint32_t i = 0; i < s->layout.nr_rings && !r; i++) {
		int fd = bpf_side_ring_fd(s->kernel, i);

		r = ring_open(fd, bpf_side_ring_bytes(s->kernel, i), &s->rings[i], e);
		if (!r)
			r = live_watch(s, fd, e);
	}
	return r;
}

static int open_kernel(struct live_source *s, const struct capture_plan *plan, struct err *e)
{
	uint32_t max = sampler_max_rate();
	int r = cpu_layout_read(SYSTEM_DIR, &s->layout, e);

	if (r)
		return r;
	s->rate.hz = plan->freq_hz < max ? plan->freq_hz : max;
	r = raise_nofile(s->layout.nr_cpus, s->layout.nr_rings);
	if (r)
		return r;
	r = plan->hold ? bpf_side_adopt(plan, &s->kernel, e) :
			 bpf_side_open(plan, &s->layout, s->rate.hz, &s->kernel, e);
	if (!r)
		s->cpus = bpf_side_cpus(s->kernel);
	return r;
}

static int check_plan(const struct capture_plan *p, struct err *e)
{
	if (!p->freq_hz || p->stack_bytes < SB_STACK_MIN || p->stack_bytes > SB_STACK_MAX)
		return err_set(e, EINVAL, "a rate of %u Hz with %u bytes of stack cannot be captured", p->freq_hz,
			       p->stack_bytes);
	return 0;
}

/* Instead of the sentence of whatever came to be the one file too many. */
static int explain_nofile(const struct live_source *s, int code, struct err *e)
{
	const uint32_t nr_cpus = s->layout.nr_cpus ? s->layout.nr_cpus : 1;
	struct rlimit lim = { 0 };

	(void)getrlimit(RLIMIT_NOFILE, &lim);
	return probe_nofile(code, lim.rlim_cur, nr_cpus, cpus_nofile(nr_cpus, s->layout.nr_rings), e);
}

static uint32_t live_first_copy(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return bpf_side_first_copy(s->kernel);
}

static int live_prepare(struct source *base, struct err *e)
{
	struct live_source *s = live_of(base);
	const int r = live_cpus_watch(s, e);

	return r ? r : bpf_side_aim(s->kernel, e);
}

static int live_start(struct source *base, struct err *e)
{
	struct live_source *s = live_of(base);
	int r = bpf_side_aim(s->kernel, e);

	r = r ? r : bpf_side_start(s->kernel, e);
	if (r)
		return r;
	s->running = true;
	s->checked_ns = clock_mono_ns();
	return live_cpus_enable(s, true, e);
}

static void live_stop(struct source *base)
{
	struct live_source *s = live_of(base);

	s->running = false;
	bpf_side_stop(s->kernel);
	(void)live_cpus_enable(s, false, NULL);
}

/* What one collection of a stream needs to know. */
struct collecting {
	struct live_source *s;
	uint32_t stream;         /* ring, or nr_rings for copies */
};

static void live_lose(struct live_source *s, enum lost_reason why, uint64_t n)
{
	s->lost.n[why] += n;
}

static void live_on_stranger(struct source *base, source_stranger_fn *fn, void *ctx)
{
	struct live_source *s = live_of(base);

	s->stranger = fn;
	s->stranger_ctx = ctx;
}

static void live_on_birth(struct source *base, source_birth_fn *fn, void *ctx)
{
	struct live_source *s = live_of(base);

	s->birth = fn;
	s->birth_ctx = ctx;
}

static void tell_stranger(struct live_source *s, const void *data, uint32_t len)
{
	struct raw_event ev;

	/* At the end there is nobody to be taught. */
	if (s->stranger && s->running && wire_decode_record(data, len, &ev) > 0)
		bpf_side_deaf(s->kernel, s->stranger(s->stranger_ctx, &ev));
}

static void collect_record(void *ctx, const void *data, uint32_t len, uint64_t tag)
{
	struct collecting *c = ctx;
	const struct sb_hdr *h = data;
	struct reorder_item it = { .data = data, .len = len, .stream = c->stream, .tag = tag };

	if (len < sizeof(*h)) {
		live_lose(c->s, LOST_BAD_RECORD, 1);
	} else {
		it.time_ns = h->time_ns;
		if (h->flags & SB_F_STRANGER)
			tell_stranger(c->s, data, len);
		if (reorder_put(&c->s->order, &it))
			return;
		live_lose(c->s, LOST_NO_MEMORY, 1);
	}
	ring_done(c->s->rings[c->stream], tag);
}

static void keep_copy(struct live_source *s, const void *data, size_t len, uint64_t time_ns)
{
	struct reorder_item it = { .time_ns = time_ns, .len = (uint32_t)len, .stream = s->layout.nr_rings };
	void *copy;

	if (s->copied_bytes + len > COPIES_MAX) {
		live_lose(s, LOST_BACKLOG, 1);
		return;
	}
	copy = malloc(len);
	if (!copy) {
		live_lose(s, LOST_NO_MEMORY, 1);
		return;
	}
	memcpy(copy, data, len);
	it.data = copy;
	if (!reorder_put(&s->order, &it)) {
		free(copy);
		live_lose(s, LOST_NO_MEMORY, 1);
		return;
	}
	s->copied_bytes += len;
}

/* Samples that a pause of NS on one CPU has cost. */
uint64_t live_missed(const struct live_source *s, uint64_t ns)
{
	return ns / (NSEC_PER_SEC / s->rate.hz);
}

/*
 * A throttled event resumes at the next tick of its CPU. A CPU that idles has no ticks and may stay
 * throttled for seconds, but has nothing to sample either: what was lost is a tick at most.
 */
static uint64_t throttled_ns(uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t ns = to_ns > from_ns ? to_ns - from_ns : 0;

	return ns < TICK_NS ? ns : TICK_NS;
}

static void collect_throttle(struct live_source *s, const struct perf_record *rec)
{
	uint64_t *since;

	if (rec->ev.cpu >= s->layout.nr_cpus)
		return;
	since = &s->slot[rec->ev.cpu].throttled_ns;
	if (rec->what == PERF_REC_THROTTLE) {
		*since = rec->ev.time_ns;
	} else if (*since) {
		live_lose(s, LOST_THROTTLED, live_missed(s, throttled_ns(*since, rec->ev.time_ns)));
		*since = 0;
	}
}

static void collect_side(void *ctx, const void *data, size_t len)
{
	struct live_source *s = ctx;
	struct perf_record rec;

	if (perf_record_read(data, len, &rec)) {
		live_lose(s, LOST_BAD_RECORD, 1);
		return;
	}
	switch (rec.what) {
	case PERF_REC_EVENT:
		if (rec.ev.kind == RAW_FORK && rec.ev.pid != rec.ev.fork.ppid && s->birth && s->running)
			s->birth(s->birth_ctx, &rec.ev);
		keep_copy(s, data, len, rec.ev.time_ns);
		break;
	case PERF_REC_LOST:
		live_lose(s, LOST_SIDE_BAND, rec.lost);
		break;
	case PERF_REC_THROTTLE:
	case PERF_REC_UNTHROTTLE:
		collect_throttle(s, &rec);
		break;
	case PERF_REC_OTHER:
		break;
	}
}

void live_collect_side(struct live_source *s, struct sideband *b)
{
	if (sideband_read(b, collect_side, s) < 0)
		live_lose(s, LOST_SIDE_BAND, 1);
}

/* Takes in what all streams hold and moves the watermark. */
static void live_collect(struct live_source *s)
{
	uint64_t now = clock_mono_ns();
	bool whole = true;

	for (uint32_t i = 0; i < s->layout.nr_rings; i++) {
		struct collecting c = { s, i };

		whole &= ring_collect(s->rings[i], collect_record, &c);
	}
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
		live_collect_side(s, &s->slot[cpu].side);
	if (whole)
		s->watermark_ns = now - SLACK_NS;
}

/* How long the task ran for what PERIOD stands for. Between two samples a CPU may have idled, so cycles are bounded. */
static uint64_t live_weight(const struct live_source *s, const struct raw_sample *sample, uint64_t time_ns)
{
	const uint64_t each = rate_period_ns(&s->rate, time_ns);

	if (s->event == EVENT_CPU_CLOCK || s->event == EVENT_BREAKPOINT)
		return sample->period;
	if (!sample->since_ns)
		return each;
	return sample->since_ns < 2 * each ? sample->since_ns : 2 * each;
}

/*
 * Idle CPUs are not sampled, so the distance of two samples tells of the rate only where the CPU
 * was busy in between.
 */
static void count_gap(struct live_source *s, const struct raw_sample *sample)
{
	if (!sample->since_ns || !sample->busy)
		return;
	s->gaps++;
	s->gaps_ns += sample->since_ns;
}

static int deliver_record(struct live_source *s, const struct reorder_item *it, raw_fn *each, void *ctx)
{
	struct raw_event ev;
	int r = wire_decode_record(it->data, it->len, &ev);

	if (r > 0) {
		if (ev.kind == RAW_SAMPLE) {
			ev.sample.weight = live_weight(s, &ev.sample, ev.time_ns);
			s->delivered++;
			count_gap(s, &ev.sample);
		} else if (ev.kind == RAW_WAKE) {
			live_waits_waker(s, &ev);
		} else if (ev.kind == RAW_EVENT) {
			live_hit(s, &ev);
		}
		each(ctx, &ev);
	} else {
		live_lose(s, LOST_BAD_RECORD, 1);
	}
	ring_done(s->rings[it->stream], it->tag);
	return r > 0;
}

static int deliver_copy(struct live_source *s, const struct reorder_item *it, raw_fn *each, void *ctx)
{
	struct perf_record rec;
	int r = perf_record_read(it->data, it->len, &rec);

	if (!r) {
		if (rec.ev.cpu < s->layout.nr_cpus)
			rec.ev.node = s->layout.node[rec.ev.cpu];
		each(ctx, &rec.ev);
	}
	s->copied_bytes -= it->len;
	free((void *)(uintptr_t)it->data);
	return !r;
}

static int live_deliver(struct live_source *s, uint64_t watermark_ns, raw_fn *each, void *ctx)
{
	struct reorder_item it;
	int n = 0;

	while (reorder_take(&s->order, watermark_ns, &it)) {
		if (it.stream < s->layout.nr_rings)
			n += deliver_record(s, &it, each, ctx);
		else
			n += deliver_copy(s, &it, each, ctx);
	}
	return n;
}

/* Waits until UNTIL_NS at most. 1: there is something to collect, 0: it is time, or somebody called. */
static int wait_for_data(struct live_source *s, uint64_t until_ns, struct err *e)
{
	const uint64_t now = clock_mono_ns(), left = until_ns > now ? until_ns - now : 0;
	struct epoll_event ev[8];
	uint64_t wakes;
	bool called = false;
	int n = epoll_wait(s->epoll_fd, ev, 8, (int)((left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));

	if (n < 0)
		return errno == EINTR ? 0 : err_set(e, errno, "cannot wait for samples: %s", strerror(errno));
	for (int i = 0; i < n; i++)
		called |= ev[i].data.u32 == TOLD_CALL;
	/* Only to make it silent again; nothing to read is fine. */
	if (called && read(s->wake_fd, &wakes, sizeof(wakes)) < 0 && errno != EAGAIN && errno != EINTR)
		return err_set(e, errno, "cannot read an event descriptor: %s", strerror(errno));
	return n && !called && left;
}

/* Is so much in a ring that who fills it asks for a reader? */
static bool live_crowded(const struct live_source *s)
{
	const uint64_t much = bpf_side_wake_bytes(s->kernel);

	for (uint32_t i = 0; i < s->layout.nr_rings; i++)
		if (ring_used(s->rings[i]) >= much)
			return true;
	return false;
}

/*
 * A stranger who wakes us is told of at once, and so are buffers emptied that have no room for
 * long; what they hold has its turn later, with all that comes by then: many events one after the
 * other find in the caches what a few at a time would not.
 */
static int live_wait_for_turn(struct live_source *s, int timeout_ms, struct err *e)
{
	const uint64_t until = clock_mono_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
	int r;

	while ((r = wait_for_data(s, until, e)) > 0 && !live_crowded(s))
		live_collect(s);
	return r < 0 ? r : 0;
}

/* The helper that reads stacks from outside is a child of the thread that reads events, and ends with it. */
static void live_begin_remote(struct live_source *s)
{
	if (s->follows_waits && !s->remote)
		s->remote = remote_stacks_new(s->remote_first, s->remote_most);
}

static int live_read(struct source *base, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	struct live_source *s = live_of(base);
	int r, n;

	live_begin_remote(s);
	r = flush ? 0 : live_wait_for_turn(s, timeout_ms, e);
	if (r)
		return r;
	if (s->running && bpf_side_hold(s->kernel))
		r = hold_look(bpf_side_hold(s->kernel), e);
	if (r)
		return r;
	if (s->running)
		live_cpus_check(s);
	bpf_side_turn(s->kernel);
	live_collect(s);
	n = live_deliver(s, flush ? UINT64_MAX : s->watermark_ns, each, ctx);
	return s->remote ? n + remote_stacks_poll(s->remote, each, ctx) : n;
}

static void live_finish(struct source *base)
{
	struct live_source *s = live_of(base);

	if (s->remote)
		remote_stacks_stats(s->remote, &s->remote_stats);
	remote_stacks_free(s->remote);
	s->remote = NULL;
	s->follows_waits = false;
}

/* The counters of the kernel half, over all CPUs. */
static void add_kernel_losses(const struct live_source *s, struct losses *l)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		l->n[LOST_RING_FULL] += s->cpus[cpu].lost[SB_LOST_RING_FULL];
		l->n[LOST_NESTED] += s->cpus[cpu].lost[SB_LOST_NESTED];
		l->n[LOST_NO_RING] += s->cpus[cpu].lost[SB_LOST_NO_RING];
		l->n[LOST_NO_SLOT] += s->cpus[cpu].lost[SB_LOST_SLOT];
		l->n[LOST_TOTALS] += s->cpus[cpu].lost[SB_LOST_TOTALS];
		l->n[LOST_TASK_STATE] += s->cpus[cpu].lost[SB_LOST_TASK_STATE];
		l->n[LOST_CLOCK] += s->cpus[cpu].lost[SB_LOST_CLOCK];
		l->n[LOST_SWITCH] += s->cpus[cpu].lost[SB_LOST_SWITCH];
		l->n[LOST_WAKE] += s->cpus[cpu].lost[SB_LOST_WAKE];
		l->n[LOST_HIT_STACK] += s->cpus[cpu].lost[SB_LOST_HIT_STACK];
		l->n[LOST_VALUE] += s->cpus[cpu].lost[SB_LOST_VALUE];
		l->n[LOST_OPEN_CALLS] += s->cpus[cpu].lost[SB_LOST_OPEN];
		l->n[LOST_TARGETS] += s->cpus[cpu].unfollowed;
	}
}

static void live_stats(const struct source *base, struct source_stats *ret)
{
	const struct live_source *s = live_of(base);
	struct source_stats st = {
		.lost = s->lost,
		.late = s->order.late,
		.samples = s->delivered,
		.freq_hz = s->rate.hz,
		.gaps = s->gaps,
		.gaps_ns = s->gaps_ns,
		.event = sampler_event_name(s->event),
		.features = bpf_side_features(s->kernel),
	};

	st.stacks_read = s->remote_stats.stacks_read;
	st.stacks_hung = s->remote_stats.stacks_hung;
	st.stacks_denied = s->remote_stats.stacks_denied;
	if (s->remote)
		remote_stacks_stats(s->remote, &st);
	add_kernel_losses(s, &st.lost);
	for (uint32_t i = 0; i < s->layout.nr_rings; i++) {
		st.ring_used += ring_used(s->rings[i]);
		st.ring_size += bpf_side_ring_bytes(s->kernel, i);
		st.lost.n[LOST_BAD_RECORD] += ring_bad(s->rings[i]);
	}
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		st.cpus_sampled += s->slot[cpu].fd >= 0;
		st.waits += s->cpus[cpu].waits;
		st.switches += s->cpus[cpu].switches;
		st.inferred += s->cpus[cpu].inferred;
		st.summed += s->cpus[cpu].summed;
		st.unsummed += s->cpus[cpu].sums_full;
		st.not_handed += s->cpus[cpu].not_handed;
		st.kstacks_checked += s->cpus[cpu].kstacks_checked;
		st.kstacks_different += s->cpus[cpu].kstacks_different;
		st.left += s->cpus[cpu].left;
	}
	*ret = st;
}

static uint64_t live_bpf_ns(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return bpf_side_cpu_ns(s->kernel);
}

static uint64_t live_seen_ns(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return s->watermark_ns;
}

static uint64_t live_side_lost(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return s->lost.n[LOST_SIDE_BAND];
}

static int live_set_plan(struct source *base, pid_t pid, const struct sb_plan *plan)
{
	return bpf_side_set_plan(live_of(base)->kernel, (uint32_t)pid, plan);
}

static int live_set_stack_cap(struct source *base, uint64_t exe_id, uint32_t bytes)
{
	struct live_source *s = live_of(base);

	if (bytes < SB_STACK_MIN || bytes > SB_STACK_MAX)
		return -EINVAL;
	return bpf_side_set_cap(s->kernel, exe_id, bytes);
}

static struct rulebook *live_rulebook(const struct source *base)
{
	const struct live_source *s = live_of(base);

	return bpf_side_rulebook(s->kernel);
}

static int live_set_rate(struct source *base, uint32_t freq_hz, struct err *e)
{
	struct live_source *s = live_of(base);
	const uint32_t max = sampler_max_rate(), hz = freq_hz < max ? freq_hz : max;
	int r;

	if (!freq_hz)
		return err_set(e, EINVAL, "a rate of 0 Hz cannot be sampled");
	r = live_cpus_set_rate(s, hz, e);
	if (!r)
		rate_change(&s->rate, hz, clock_mono_ns());
	return r;
}

static void live_wake(struct source *base)
{
	struct live_source *s = live_of(base);
	uint64_t one = 1;
	int saved = errno;

	/* It can fail only when it is awake already. */
	if (write(s->wake_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

static void live_free(struct source *base)
{
	struct live_source *s = live_of(base);
	struct reorder_item it;

	while (reorder_take(&s->order, UINT64_MAX, &it))
		if (it.stream == s->layout.nr_rings)
			free((void *)(uintptr_t)it.data);
	reorder_free(&s->order);
	remote_stacks_free(s->remote);
	live_cpus_close(s);
	live_waits_close(s);
	for (uint32_t i = 0; s->rings && i < s->layout.nr_rings; i++)
		ring_free(s->rings[i]);
	free(s->rings);
	bpf_side_free(s->kernel);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	cpu_layout_free(&s->layout);
	free(s);
}

static int live_place(struct source *base, const struct link_places *places, link_failed_fn *failed, void *ctx,
		      struct links **ret, struct err *e)
{
	return bpf_side_place(live_of(base)->kernel, places, failed, ctx, ret, e);
}

static int live_set_growth(struct source *base, const struct capture_plan *plan, struct err *e)
{
	return bpf_side_set_growth(live_of(base)->kernel, plan, e);
}

static int live_add_probes(struct source *base, const struct capture_plan *plan, struct err *e)
{
	return bpf_side_add_probes(live_of(base)->kernel, plan, e);
}

static void live_remove_probe(struct source *base, uint32_t probe)
{
	bpf_side_remove_probe(live_of(base)->kernel, probe);
}

static uint64_t live_pointed(const struct source *base, source_pointed_fn *each, void *ctx)
{
	return bpf_side_pointed(live_of((struct source *)(uintptr_t)base)->kernel, each, ctx);
}

static const struct source_ops live_ops = {
	.prepare = live_prepare,
	.start = live_start,
	.stop = live_stop,
	.finish = live_finish,
	.free = live_free,
	.read = live_read,
	.seen_ns = live_seen_ns,
	.stats = live_stats,
	.side_lost = live_side_lost,
	.bpf_ns = live_bpf_ns,
	.call_on = live_call_on,
	.wake = live_wake,
	.place = live_place,
	.add_probes = live_add_probes,
	.set_growth = live_set_growth,
	.remove_probe = live_remove_probe,
	.pointed = live_pointed,
	.set_rate = live_set_rate,
	.set_stack_cap = live_set_stack_cap,
	.set_plan = live_set_plan,
	.first_copy = live_first_copy,
	.rulebook = live_rulebook,
	.on_stranger = live_on_stranger,
	.on_birth = live_on_birth,
	.totals = live_totals,
	.turn_sums = live_turn_sums,
	.sums = live_sums,
	.turn_hits = live_turn_hits,
	.hits = live_hits,
	.untold = live_untold,
	.spans = live_spans,
	.allocs_seen = live_allocs_seen,
	.hits_lost = live_hits_lost,
	.hits_cost = live_hits_cost,
	.thin_hits = live_thin_hits,
	.scale_hits = live_scale_hits,
	.open_calls = live_open_calls,
	.open_waits = live_open_waits,
	.open_stack = live_open_stack,
	.read_further = live_read_further,
	.stacks_pending = live_stacks_pending,
	.set_wait_period = live_set_wait_period,
	.wait_period = live_wait_period,
	.set_wakers = live_set_wakers,
	.set_faults = live_set_faults,
	.balancing_faults = live_balancing_faults,
	.homes = live_homes,
	.nodes = live_nodes,
	.of_now = true,
};

int live_open(const struct capture_plan *plan, struct source **ret, struct err *e)
{
	AUTO(source_free) struct source *base = calloc(1, sizeof(struct live_source));
	struct live_source *s = base ? live_of(base) : NULL;
	int r;

	if (!s)
		return err_nomem(e, "the capture");
	base->ops = &live_ops;
	s->epoll_fd = s->wake_fd = s->online_fd = -1;
	s->follows_waits = plan->off_cpu;
	s->remote_first = plan->stack_bytes;
	s->remote_most = plan->stack_fixed ? plan->stack_bytes : PEEK_BYTES_MAX;
	r = check_plan(plan, e);
	r = r ? r : open_kernel(s, plan, e);
	r = r ? r : open_wait(s, e);
	r = r ? r : open_rings(s, e);
	r = r ? r : live_cpus_open(s, plan, e);
	if (r == -EMFILE || r == -ENFILE)
		return explain_nofile(s, -r, e);
	if (r)
		return r;
	if (plan->wakers || plan->kinds || plan->kernel_locks)
		live_waits_prepare(s);
	*ret = take_ptr(base);
	return 0;
}
