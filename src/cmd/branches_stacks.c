/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches_stacks.c - by whom a BPF program was called: a capture of its own, beside what follows the calls.
 *
 * Where calls are followed (fentry) the traced program has no frame yet, and the kernel cannot unwind past it. So a
 * breakpoint of each CPU stands behind the instructions that make the frame, and each hit of it is a sample of a
 * capture of the whole machine, with its stacks in the kernel and in the program. A sample is of the call of the same
 * thread within whose time it is: a BPF program does not leave its CPU. Calls wait until the capture has seen their
 * time.
 */
#include "config.h"

#include "cmd/branches_private.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "capture/sampler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES_MAX 65536u               /* that wait for their calls */
#define HELD_MAX 65536u                  /* calls that wait for their stacks */
#define KEEP_NS (2 * NSEC_PER_SEC)       /* samples may come before their calls are read */
#define BEGUN_NS (100 * NSEC_PER_MSEC)   /* how long after its begin is told a call comes to the breakpoint, at most */
#define WAIT_NS (10 * NSEC_PER_SEC)      /* for the last ones */
#define LOOK_NS (20 * NSEC_PER_MSEC)
#define PRICE_NS (200 * NSEC_PER_MSEC)   /* between two looks at what stacks cost */
#define REST_NS (5 * NSEC_PER_SEC)       /* the longest rest */
#define ALL_HITS 2u                      /* any rate but SAMPLER_RESTS */

struct stack_sample {
	uint64_t time_ns;
	pid_t tid;
	struct event event;
};

struct branches_stacks {
	pthread_mutex_t lock;            /* of what the engine's thread writes: */
	VEC(struct stack_sample) sample; /* in order of time */
	uint64_t seen_ns;
	VEC(struct branch_call) held;
	bool rests;                      /* no stacks are taken now */
	uint64_t look_ns, look_cost_ns;  /* when it was last looked at what stacks cost, and what they had until then */
	uint64_t rests_until_ns;         /* as they have cost more than the budget */
};

/* ---- the engine's thread ---- */

static void stacks_sample(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct branches_stacks *s = ((struct branches *)ctx)->stacks;
	size_t at;

	pthread_mutex_lock(&s->lock);
	/* A call that misses its own is counted. */
	if (s->sample.n < SAMPLES_MAX && vec_reserve(&s->sample, 1)) {
		s->sample.n++;
		for (at = s->sample.n - 1; at && s->sample.v[at - 1].time_ns > raw->time_ns; at--)
			s->sample.v[at] = s->sample.v[at - 1];
		s->sample.v[at] = (struct stack_sample){ raw->time_ns, raw->tid, *ev };
	}
	pthread_mutex_unlock(&s->lock);
}

static void stacks_seen(void *ctx, uint64_t ns)
{
	struct branches_stacks *s = ((struct branches *)ctx)->stacks;

	pthread_mutex_lock(&s->lock);
	s->seen_ns = ns;
	pthread_mutex_unlock(&s->lock);
}

/* ---- calls ---- */

/* Up to when CALL comes to the breakpoint. */
static uint64_t stacks_until(const struct branch_call *call)
{
	return call->end == BRANCH_BEGUN ? call->begun_ns + BEGUN_NS : call->ended_ns;
}

/* The same, but no later than when the next call of its thread began, if it is told as it begins. */
static uint64_t stacks_no_later(const struct branches_stacks *s, const struct branch_call *call)
{
	uint64_t until_ns = stacks_until(call);

	for (size_t i = 0; call->end == BRANCH_BEGUN && i < s->held.n; i++) {
		const struct branch_call *next = &s->held.v[i];

		if (next->tid == call->tid && next->begun_ns > call->begun_ns && next->begun_ns < until_ns)
			until_ns = next->begun_ns;
	}
	return until_ns;
}

/* Has the stack of CALL at *RET, and forgets it. */
static bool stacks_find(struct branches_stacks *s, const struct branch_call *call, struct event *ret)
{
	const uint64_t until_ns = stacks_no_later(s, call);
	size_t i;

	pthread_mutex_lock(&s->lock);
	i = call->begun_ns ? count_upto(s->sample.v, s->sample.n, time_ns, call->begun_ns - 1) : 0;
	while (i < s->sample.n && s->sample.v[i].time_ns <= until_ns && s->sample.v[i].tid != call->tid)
		i++;
	if (i < s->sample.n && s->sample.v[i].time_ns <= until_ns) {
		*ret = s->sample.v[i].event;
		/* A later call of the thread has another one. */
		s->sample.v[i].tid = 0;
	} else {
		i = SIZE_MAX;
	}
	pthread_mutex_unlock(&s->lock);
	return i != SIZE_MAX;
}

static void stacks_tell(struct branches *b, struct branch_call *call)
{
	struct event ev;
	struct hit h = { .tid = call->tid, .time_ns = call->begun_ns, .event = &ev };

	call->stack = ID_NONE;
	if (stacks_find(b->stacks, call, &ev)) {
		call->stack = ev.stack;
		ev.kind = EVENT_HIT;
		ev.argument = call->probe;
		ev.time_ns = call->begun_ns;
		branch_record_take(b->record, &h);
	} else {
		b->loss[LOSS_STACKS]++;
	}
	branches_ended(b, call);
	vec_free(&call->branch);
}

void branches_stacks_ended(void *ctx, const struct branch_call *call)
{
	struct branches *b = ctx;
	struct branch_call copy, *at = NULL;

	if (!branches_copy(call, &copy)) {
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	if (b->stacks->held.n < HELD_MAX)
		at = vec_push(&b->stacks->held);
	if (at) {
		*at = copy;
		return;
	}
	vec_free(&copy.branch);
	b->loss[LOSS_UNTOLD]++;
}

/* Tells of the calls that came to the breakpoint before NS. */
static void stacks_tell_until(struct branches *b, uint64_t ns)
{
	struct branches_stacks *s = b->stacks;
	size_t kept = 0, old = 0;

	for (size_t i = 0; i < s->held.n; i++)
		if (stacks_until(&s->held.v[i]) < ns)
			stacks_tell(b, &s->held.v[i]);
		else
			s->held.v[kept++] = s->held.v[i];
	s->held.n = kept;
	pthread_mutex_lock(&s->lock);
	while (old < s->sample.n && s->sample.v[old].time_ns + KEEP_NS < s->seen_ns)
		old++;
	s->sample.n -= old;
	if (old)
		memmove(s->sample.v, s->sample.v + old, s->sample.n * sizeof(*s->sample.v));
	pthread_mutex_unlock(&s->lock);
}

static uint64_t stacks_seen_ns(struct branches_stacks *s)
{
	uint64_t ns;

	pthread_mutex_lock(&s->lock);
	ns = s->seen_ns;
	pthread_mutex_unlock(&s->lock);
	return ns;
}

/* When stacks have cost more than the budget, none are taken for so long that it fits. */
static void stacks_keep_budget(struct branches *b, uint64_t now_ns)
{
	struct branches_stacks *s = b->stacks;
	const double share = b->o->budget / 100;
	struct profile_meta m;
	uint64_t wanted_ns;

	if (share <= 0 || now_ns < s->rests_until_ns || now_ns - s->look_ns < PRICE_NS)
		return;
	engine_status(b->launch.engine, &m);
	if (m.bpf_cpu_ns == META_UNKNOWN)
		return;
	wanted_ns = (uint64_t)((double)(m.bpf_cpu_ns - s->look_cost_ns) / share);
	if (s->look_ns && wanted_ns > now_ns - s->look_ns) {
		wanted_ns -= now_ns - s->look_ns;
		s->rests_until_ns = now_ns + (wanted_ns < REST_NS ? wanted_ns : REST_NS);
	}
	s->look_ns = now_ns > s->rests_until_ns ? now_ns : s->rests_until_ns;
	s->look_cost_ns = m.bpf_cpu_ns;
}

void branches_stacks_turn(struct branches *b)
{
	const uint64_t now_ns = clock_mono_ns();
	bool rests;

	if (!b->stacks)
		return;
	stacks_keep_budget(b, now_ns);
	rests = branch_programs_are_off(b->programs) || now_ns < b->stacks->rests_until_ns;
	if (rests != b->stacks->rests)
		engine_set_rate(b->launch.engine, rests ? SAMPLER_RESTS : ALL_HITS);
	b->stacks->rests = rests;
	stacks_tell_until(b, stacks_seen_ns(b->stacks));
}

/* ---- begin and end ---- */

int branches_stacks_begin(struct branches *b, struct err *e)
{
	struct options asked;
	uint64_t address;
	int r = branch_programs_framed(b->programs, &address, e);

	if (r)
		return r;
	b->stacks = calloc(1, sizeof(*b->stacks));
	if (!b->stacks)
		return err_nomem(e, "stacks");
	pthread_mutex_init(&b->stacks->lock, NULL);
	branches_capture_options(b, &asked);
	asked.target = OPT_TARGET_ALL;
	asked.freq_hz = ALL_HITS;
	asked.event = EVENT_BREAKPOINT;
	asked.duration_ns = 0;
	/* No probe is placed. */
	b->tracer = (struct engine_tracer){ .sample = stacks_sample, .seen = stacks_seen, .ctx = b, .stacks = true };
	b->launch.config.tracer = &b->tracer;
	b->launch.config.plan.breakpoint = address;
	r = launch_open(&b->launch, &asked, false, e);
	if (r >= 0 && b->o->branch_record)
		r = branch_record_open(b->launch.engine, b->o->branch_record, &b->record, e);
	return r < 0 ? r : launch_start(&b->launch, e);
}

void branches_stacks_end(struct branches *b)
{
	const uint64_t until_ns = clock_mono_ns() + WAIT_NS;
	uint64_t last_ns = 0;

	if (!b->stacks)
		return;
	for (size_t i = 0; i < b->stacks->held.n; i++)
		if (stacks_until(&b->stacks->held.v[i]) > last_ns)
			last_ns = stacks_until(&b->stacks->held.v[i]);
	while (stacks_seen_ns(b->stacks) <= last_ns && clock_mono_ns() < until_ns)
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	stacks_tell_until(b, UINT64_MAX);
	engine_stop(b->launch.engine);
	engine_wait(b->launch.engine, 0);
}

void branches_stacks_free(struct branches *b)
{
	struct recorder_saved saved;

	if (!b->stacks)
		return;
	if (b->record)
		(void)branch_record_end(b->record, &saved, NULL);
	launch_close(&b->launch);
	for (size_t i = 0; i < b->stacks->held.n; i++)
		vec_free(&b->stacks->held.v[i].branch);
	vec_free(&b->stacks->held);
	vec_free(&b->stacks->sample);
	pthread_mutex_destroy(&b->stacks->lock);
	free(b->stacks);
}
