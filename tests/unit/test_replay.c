/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_replay.c - a long capture in bounded memory: 2 or 4 million samples of 1 million different
 * stacks over 8 hours, while somebody always holds the latest snapshot. What the process takes
 * stays under 256 MB, though all limits are reached, and totals are exact.
 *
 * Stacks are 20 frames deep and share their upper parts: stack I has, D frames above its innermost,
 * the node I >> D (or, when they share less, (I >> D) + D * I). Run in three ways: as they share
 * much, 2 nodes a stack; so that there are 20 million nodes, for which no memory would do; and with
 * two in three of the events being parts of waits, of all lengths, each woken by one of the
 * threads.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "profile/profile.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer)
#define SAMPLES 500000u                  /* slow, and what the process takes says nothing */
#define STACKS 50000u
#define RSS_MAX UINT64_MAX
#else
#define SAMPLES 4000000u
#define STACKS 1000000u
#define RSS_MAX 256000000ull
#endif
#define COARSER_MIN 8u                   /* times that slices of time were made longer for want of room */
#define DEPTH 20u
#define THREADS 64u
#define FRAMES 200000u
#define SPAN_NS (8ull * 3600 * NSEC_PER_SEC)

struct replay {
	struct made m;
	stack_id *stack;         /* by number of the stack; 0 = not interned yet */
	thread_id thread[THREADS];
	frame_id *frame;
	bool share_little, waits;
	uint32_t samples;        /* as many as it takes to reach all limits */
	uint64_t ns[THREADS];
};

static stack_id intern(struct replay *r, uint32_t i)
{
	stack_id s = STACK_ROOT;

	for (uint32_t up = DEPTH; up-- > 0;) {
		const uint64_t place = hash_2u64(up, r->share_little && up < 18 ? i : i >> up) % FRAMES;

		s = dict_stack(r->m.d, s, r->frame[place]);
		assert_int_not_equal(s, ID_NONE);
	}
	return s;
}

static void setup(struct replay *r, bool share_little, bool waits)
{
	const struct module mod = { .kind = MODULE_FILE };
	module_id id;

	made_init(&r->m, NULL);
	r->share_little = share_little;
	r->waits = waits;
	r->samples = share_little ? SAMPLES : SAMPLES / 2;
	r->stack = calloc(STACKS, sizeof(*r->stack));
	r->frame = calloc(FRAMES, sizeof(*r->frame));
	assert_non_null(r->stack);
	assert_non_null(r->frame);
	id = dict_module(r->m.d, &mod);
	for (uint32_t f = 0; f < FRAMES; f++)
		r->frame[f] = dict_frame(r->m.d, id, f * 16);
	for (uint32_t t = 0; t < THREADS; t++)
		r->thread[t] = made_thread(&r->m, 100, 100 + (pid_t)t, "worker");
}

/* Half of the samples visit all stacks in turn, half fall on few of them, as in real programs. */
static uint32_t which_stack(uint32_t n)
{
	const uint64_t h = hash_u64(n);

	return n % 2 ? (uint32_t)((uint64_t)n * 7919 % STACKS) :
		(uint32_t)((h >> 20 & 0xfff) * (h >> 40 & 0xff) % STACKS);
}

/* Makes EV, the event number N, a sample or a part of a wait. */
static void choose_kind(const struct replay *r, struct event *ev, uint32_t n)
{
	const uint64_t h = hash_u64(~(uint64_t)n);

	ev->kind = r->waits ? EVENT_SAMPLE + n % 3 : EVENT_SAMPLE;
	if (!EVENT_IS_WAIT(ev->kind))
		return;
	ev->wait = (struct event_wait){ .call = CALL_SYSCALL + h % 16, .state = WAIT_INTERRUPTIBLE,
					.context = WAKER_TASK };
	ev->wait.waker = r->thread[h >> 8 & 0x3f];
	ev->wait.own_ns = 1000ull << (h >> 20) % 20;
	ev->weight = ev->wait.own_ns;
}

static void replay(struct replay *r)
{
	struct snapshot *held = NULL;
	struct event ev = { .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE };

	for (uint32_t n = 0; n < r->samples; n++) {
		const uint32_t i = which_stack(n), t = i % THREADS;

		if (!r->stack[i])
			r->stack[i] = intern(r, i);
		ev.time_ns = n * (SPAN_NS / r->samples);
		ev.weight = 10101010 + n % 1000;
		ev.stack = r->stack[i];
		ev.thread = r->thread[t];
		choose_kind(r, &ev, n);
		if (profile_add(r->m.p, &ev) < 0)
			fail_msg("sample %u was refused", n);
		r->ns[t] += ev.weight;
		if (n % (r->samples / 1000) == 0) {
			snapshot_unref(held);
			held = profile_snapshot(r->m.p);
			assert_non_null(held);
		}
	}
	snapshot_unref(held);
}

static void check(struct replay *r)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(r->m.p);
	uint64_t count = 0;
	struct slice_view v;

	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++) {
			assert_true(v.fact[k].thread >= r->thread[0] && v.fact[k].thread < r->thread[0] + THREADS);
			r->ns[v.fact[k].thread - r->thread[0]] -= v.fact[k].weight;
			count += v.fact[k].count;
		}
	}
	assert_int_equal(count, r->samples);
	for (uint32_t t = 0; t < THREADS; t++)
		assert_int_equal(r->ns[t], 0);
}

static void figures(const char *what, struct replay *r, uint64_t took_ns)
{
	const struct made_sums sums = made_sums(&r->m);
	struct profile_stats st;
	struct rusage ru;

	profile_stats(r->m.p, &st);
	getrusage(RUSAGE_SELF, &ru);
	printf("# %s: %.1f s, process %.1f MB, facts %.1f MB (%zu in %zu slices), dictionaries %.1f MB (%u nodes), "
	       "folded %llu, refused %llu, coarser %u\n",
	       what, (double)took_ns / 1e9, (double)ru.ru_maxrss * 1024 / 1e6, (double)st.fact_bytes / 1e6, sums.facts,
	       sums.slices, (double)st.dict_bytes / 1e6, dict_stacks(r->m.d), (unsigned long long)st.facts_folded,
	       (unsigned long long)st.refused, st.coarser);
	assert_true((uint64_t)ru.ru_maxrss * 1024 < RSS_MAX);
	assert_true(RSS_MAX == UINT64_MAX || (st.coarser >= COARSER_MIN && st.facts_folded));
	assert_true(st.fact_bytes + st.dict_bytes <= (size_t)160 << 20);
}

static void run(const char *what, bool share_little, bool waits)
{
	struct replay r = { 0 };
	uint64_t from = clock_mono_ns();

	setup(&r, share_little, waits);
	replay(&r);
	figures(what, &r, clock_mono_ns() - from);
	check(&r);
	free(r.stack);
	free(r.frame);
	made_free(&r.m);
}

/* Each way in a process of its own, because the peak of a process never falls. */
static void in_child(const char *what, bool share_little, bool waits)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		run(what, share_little, waits);
		fflush(stdout);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_stacks_that_share(void **state)
{
	in_child("2 nodes a stack", false, false);
}

static void test_stacks_that_share_little(void **state)
{
	in_child("18 nodes a stack", true, false);
}

static void test_waits(void **state)
{
	in_child("waits", false, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_that_share),
		cmocka_unit_test(test_stacks_that_share_little),
		cmocka_unit_test(test_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
