/* SPDX-License-Identifier: BSD-2-Clause */
/* madesession.c - see madesession.h. */
#include "config.h"

#include "tests/unit/madesession.h"

#include "base/clock.h"
#include "base/octave.h"
#include "model/allocation.h"
#include "model/memory.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#define SAMPLE_NS (10 * NSEC_PER_MSEC)
#define KB 1024u
#define MEMORY_SECONDS 30u

static struct snapshot *session_snapshot(void *ctx)
{
	struct made_session *f = ctx;
	struct snapshot *s;

	pthread_mutex_lock(&f->lock);
	s = f->silent ? NULL : profile_snapshot(f->m.p);
	pthread_mutex_unlock(&f->lock);
	return s;
}

static uint64_t session_published(void *ctx)
{
	struct made_session *f = ctx;
	uint64_t n;

	pthread_mutex_lock(&f->lock);
	n = f->published;
	pthread_mutex_unlock(&f->lock);
	return n;
}

static void session_status(void *ctx, struct profile_meta *ret)
{
	struct made_session *f = ctx;

	pthread_mutex_lock(&f->lock);
	*ret = f->meta;
	pthread_mutex_unlock(&f->lock);
}

static void session_prefer(void *ctx, const frame_id *frames, size_t n)
{
	struct made_session *f = ctx;

	f->n_preferred = n < 256 ? n : 256;
	memcpy(f->preferred, frames, f->n_preferred * sizeof(*frames));
}

static void session_reset(void *ctx)
{
	struct made_session *f = ctx;

	pthread_mutex_lock(&f->lock);
	profile_clear(f->m.p);
	f->meta.samples = 0;
	f->meta.user_samples = 0;
	f->meta.oncpu_ns = 0;
	memset(f->meta.cut, 0, sizeof(f->meta.cut));
	f->published++;
	f->resets++;
	pthread_mutex_unlock(&f->lock);
}

static void session_wakers(void *ctx, bool on)
{
	struct made_session *f = ctx;

	f->wakers = on;
}

static void session_numa(void *ctx, bool on)
{
	struct made_session *f = ctx;

	f->numa = on;
	f->numa_calls++;
}

static bool session_ended(void *ctx)
{
	struct made_session *f = ctx;
	bool ended;

	pthread_mutex_lock(&f->lock);
	ended = f->ended;
	pthread_mutex_unlock(&f->lock);
	return ended;
}

void madesession_init(struct made_session *f)
{
	memset(f, 0, sizeof(*f));
	pthread_mutex_init(&f->lock, NULL);
	made_init(&f->m, NULL);
	f->session = (struct session){ .ctx = f, .names = f->m.names, .snapshot = session_snapshot,
				       .published = session_published,
				       .status = session_status, .prefer = session_prefer, .reset = session_reset,
				       .wakers = session_wakers, .numa = session_numa, .ended = session_ended };
	f->meta = (struct profile_meta){ .target = "app 7", .event = "cpu-clock", .freq_asked = 99,
					 .freq_got = 99, .cpus = 2,
					 .start_mono_ns = MADE_START_NS, .target_state = TARGET_RUNNING,
					 .bpf_cpu_ns = 0, .file_bytes = META_UNKNOWN,
					 .rss_bytes = 21 << 20 };
	f->published = 1;
}

void madesession_free(struct made_session *f)
{
	made_free(&f->m);
	pthread_mutex_destroy(&f->lock);
}

static void add(struct made_session *f, unsigned int second, thread_id thread, const char *stack, unsigned int n)
{
	const bool cut = stack[0] == '!';

	for (unsigned int i = 0; i < n; i++)
		made_add(&f->m, MADE_START_NS + second * NSEC_PER_SEC + i * NSEC_PER_MSEC, thread, stack, SAMPLE_NS);
	f->meta.samples += n;
	f->meta.user_samples += n;
	f->meta.cut[cut ? CUT_STACK_SIZE : CUT_COMPLETE] += n;
	f->meta.oncpu_ns += n * SAMPLE_NS;
	f->published++;
}

void madesession_add(struct made_session *f, unsigned int second, const char *stack, unsigned int n)
{
	pthread_mutex_lock(&f->lock);
	add(f, second, made_thread(&f->m, 7, 7, "app"), stack, n);
	pthread_mutex_unlock(&f->lock);
}

void madesession_server(struct made_session *f)
{
	static const struct {
		const char *stack;
		unsigned int n;          /* in 60 seconds */
	} stacks[] = {
		{ "main;aeMain;readQueryFromClient;processCommand;call;lrangeCommand;addReplyBulk>prepareClient", 240 },
		{ "main;aeMain;readQueryFromClient;processCommand;call;lrangeCommand;quicklistNext", 180 },
		{ "main;aeMain;readQueryFromClient;processCommand;call;setCommand;dictFind>dictHashKey", 90 },
		{ "main;aeMain;readQueryFromClient;processCommand;call;getCommand;lookupKey", 60 },
		{ "main;aeMain;readQueryFromClient;processCommand;call", 12 },
		{ "main;aeMain;readQueryFromClient;readLine;@1f0", 48 },
		{ "main;aeMain;writeToClient;@2c40;ksys_write_[k];tcp_sendmsg_[k]", 150 },
		{ "main;aeMain;writeToClient;memcpy", 60 },
		{ "main;aeMain;epoll_wait;do_epoll_wait_[k]", 30 },
		{ "main;serverCron;activeExpireCycle", 18 },
		{ "main;lua_call;@j77;jit_loop_[j]", 12 },
		{ "!1;deep;deep;deep;leaf", 6 },
	};
	const thread_id app = made_thread(&f->m, 1234, 1234, "redis-server"),
		bio = made_thread(&f->m, 1234, 1236, "bio_aof");
	const thread_id other = made_thread(&f->m, 99, 99, "redis-cli");

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		for (unsigned int s = 0; s < 6; s++)
			add(f, s * 10, app, stacks[i].stack, stacks[i].n / 6);
	}
	add(f, 30, bio, "start_thread;bioProcessBackgroundJobs;fsync;vfs_fsync_[k]", 60);
	add(f, 59, other, "main;cliReadReply;redisGetReply", 34);
	snprintf(f->meta.target, sizeof(f->meta.target), "redis-server 1234");
	f->meta.duration_ns = 60 * NSEC_PER_SEC;
	f->meta.user_cpu_ns = 240 * NSEC_PER_MSEC;
}

void madesession_grow(struct made_session *f, unsigned int second, unsigned int n)
{
	pthread_mutex_lock(&f->lock);
	add(f, second, made_thread(&f->m, 1234, 1234, "redis-server"),
	    "main;aeMain;readQueryFromClient;processCommand;call", n);
	pthread_mutex_unlock(&f->lock);
}

/* Time off the CPU */

struct made_wait {
	const char *stack, *call;
	char state;
	unsigned int n;          /* how many, spread over 60 seconds */
	uint64_t ns;             /* each */
	bool sampled;            /* each has one in front that stands for nine more */
	const char *waker;       /* the waker's stack; NULL = nobody asked */
};

static void count_wait(struct made_session *f, enum event_kind kind, uint64_t n, uint64_t ns, uint64_t own_ns)
{
	if (kind == EVENT_BLOCKED) {
		f->meta.waits += n;
		f->meta.wait_stacks += own_ns / (ns / n);
		f->meta.wait_cut[CUT_COMPLETE] += own_ns / (ns / n);
	}
	*(kind == EVENT_BLOCKED ? &f->meta.blocked_ns : &f->meta.runnable_ns) += ns;
	f->meta.wait_own_ns += own_ns;
}

/* The last moment of second N: waits that end then were in it, as far as they are not longer. */
static uint64_t end_of_second(unsigned int n)
{
	return MADE_START_NS + (n + 1ull) * NSEC_PER_SEC - 1;
}

/* In each tenth of the minute a tenth of them, and one time in the run queue for all of these. */
static void add_waits(struct made_session *f, thread_id thread, thread_id waker, const struct made_wait *w)
{
	for (unsigned int i = 0; i < 10; i++) {
		const uint64_t at = end_of_second(i * 6 + 3), own_ns = w->sampled ? w->ns : w->n / 10 * w->ns;

		made_wait(&f->m, at, thread, w->stack, EVENT_BLOCKED, w->call, w->state, w->ns);
		profile_advance(f->m.p, at);
		f->m.ev.weight = w->n / 10 * w->ns - w->ns;
		f->m.ev.count = w->n / 10 - 1;
		if (w->sampled)
			f->m.ev.flags |= EVENT_F_EXTRAPOLATED;
		if (w->waker) {
			f->m.ev.wait.context = WAKER_TASK;
			f->m.ev.wait.waker = waker;
			f->m.ev.wait.waker_stack = made_stack(&f->m, w->waker);
		}
		if (f->m.ev.count)
			made_again(&f->m);
		count_wait(f, EVENT_BLOCKED, w->n / 10, w->n / 10 * w->ns, own_ns);
	}
}

/* SECONDS in the run queue, in stretches of 2 ms. */
static void add_runnable(struct made_session *f, thread_id thread, const char *stack, double seconds)
{
	for (unsigned int i = 0; i < (unsigned int)(seconds * 500); i++)
		made_wait(&f->m, end_of_second(i % 60), thread, stack, EVENT_RUNNABLE, "preempted", 'R',
			  2 * NSEC_PER_MSEC);
	f->meta.runnable_ns += (uint64_t)(seconds * (double)NSEC_PER_SEC);
	f->meta.wait_own_ns += (uint64_t)(seconds * (double)NSEC_PER_SEC);
}

struct made_open {
	struct fact fact[32];
	size_t n;
};

/* A wait that has not ended after SECONDS up to the end of the capture, for L; NULL = nothing is known of a lock. */
static void add_open(struct made_session *f, struct made_open *o, thread_id thread, const char *stack, const char *call,
		     char state, unsigned int seconds, const struct held_lock *l)
{
	const uint64_t ns = seconds * NSEC_PER_SEC;
	const struct wait w = { .lock = l ? dict_lock(f->m.d, l) : 0, .call = call_find(call, MADE_ARCH),
				.state = wait_state_find((char[]){ state, 0 }),
				.bucket = (uint8_t)wait_bucket(ns), .flags = EVENT_F_OPEN, .waker = ID_NONE };

	assert_true(o->n < sizeof(o->fact) / sizeof(o->fact[0]));
	o->fact[o->n++] = (struct fact){ .stack = made_stack(&f->m, stack), .thread = thread,
					 .kind = EVENT_BLOCKED, .count = 1,
					 .weight = ns, .wait = dict_wait(f->m.d, &w), .longest_ns = (float)ns };
	f->meta.wait_open++;
	f->meta.wait_open_ns += ns;
	count_wait(f, EVENT_BLOCKED, 1, ns, ns);
}

static void commit_open(struct made_session *f, const struct made_open *o)
{
	const uint64_t end = MADE_START_NS + f->meta.duration_ns;

	assert_int_equal(profile_provisional(f->m.p, MADE_START_NS, end, o->fact, o->n), 0);
	f->published++;
}

static void follow_waits(struct made_session *f, unsigned int seconds)
{
	f->meta.off_cpu = true;
	f->meta.duration_ns = seconds * NSEC_PER_SEC;
	f->meta.user_cpu_ns = seconds * 4 * NSEC_PER_MSEC;
	snprintf(f->meta.arch, sizeof(f->meta.arch), MADE_ARCH);
}

void madesession_off_cpu(struct made_session *f)
{
	static const struct made_wait loop[] = {
		{ "main;aeMain;epoll_wait;do_epoll_wait_[k]", "epoll_wait", 'S', 12000,
		  1500 * NSEC_PER_USEC, true, NULL },
		{ "main;aeMain;writeToClient;@2c40;ksys_write_[k];tcp_sendmsg_[k]", "write", 'S', 20000,
		  300 * NSEC_PER_USEC, true, NULL },
	};
	static const struct made_wait aof[] = {
		{ "start_thread;bioProcessBackgroundJobs;fsync;vfs_fsync_[k]", "fsync", 'D', 900,
		  24 * NSEC_PER_MSEC, false, NULL },
		{ "start_thread;bioProcessBackgroundJobs;pthread_cond_wait;futex_wait_[k]", "futex", 'S', 890,
		  42 * NSEC_PER_MSEC, false, NULL },
	};
	static const struct made_wait client[] = {
		{ "main;cliReadReply;redisGetReply;read;sock_read_iter_[k]", "read", 'S', 2900,
		  10 * NSEC_PER_MSEC, false, "main;aeMain;writeToClient;tcp_sendmsg_[k]" },
		{ "main;cliReadReply;redisGetReply;read;sock_read_iter_[k]", "read", 'S', 300,
		  90 * NSEC_PER_MSEC, false, "main;aeMain;writeToClient;tcp_sendmsg_[k]" },
	};
	const thread_id app = made_thread(&f->m, 1234, 1234, "redis-server"),
		bio = made_thread(&f->m, 1234, 1236, "bio_aof");
	const thread_id cli = made_thread(&f->m, 99, 99, "redis-cli");
	struct made_open open = { .n = 0 };

	follow_waits(f, 60);
	snprintf(f->meta.target, sizeof(f->meta.target), "redis-server 1234");
	for (unsigned int s = 0; s < 60; s++) {
		add(f, s, app,
		    "main;aeMain;readQueryFromClient;processCommand;call;lrangeCommand;addReplyBulk>prepareClient", 30);
		add(f, s, app, "main;aeMain;readQueryFromClient;processCommand;call;setCommand;dictFind>dictHashKey",
		    16);
		add(f, s, app, "main;aeMain;writeToClient;memcpy", 11);
		add(f, s, bio, "start_thread;bioProcessBackgroundJobs;fsync;vfs_fsync_[k]", s % 2);
		add(f, s, cli, "main;cliReadReply;redisGetReply;sdscatlen", 3);
	}
	add_runnable(f, app, "main;aeMain;readQueryFromClient;processCommand;call;lrangeCommand", 1.4);
	add_runnable(f, bio, "start_thread;bioProcessBackgroundJobs;fsync;vfs_fsync_[k]", 0.4);
	for (size_t i = 0; i < sizeof(loop) / sizeof(loop[0]); i++)
		add_waits(f, app, cli, &loop[i]);
	for (size_t i = 0; i < sizeof(aof) / sizeof(aof[0]); i++)
		add_waits(f, bio, app, &aof[i]);
	for (size_t i = 0; i < sizeof(client) / sizeof(client[0]); i++)
		add_waits(f, cli, app, &client[i]);
	for (pid_t tid = 1237; tid < 1241; tid++)
		add_open(f, &open, made_thread(&f->m, 1234, tid, "worker"),
			 "start_thread;workerMain;pthread_cond_wait;futex_wait_[k]", "futex", 'S', 60, NULL);
	commit_open(f, &open);
}

void madesession_deadlock(struct made_session *f, unsigned int seconds)
{
	struct made_open open = { .n = 0 };

	follow_waits(f, seconds);
	add_open(f, &open, made_thread(&f->m, 7, 7, "app"), "main;pthread_join;futex_wait_[k]", "futex", 'S', seconds,
		 NULL);
	add_open(f, &open, made_thread(&f->m, 7, 8, "left"),
		 "start_thread;left_hand;take_right;pthread_mutex_lock;futex_wait_[k]", "futex", 'S', seconds, NULL);
	add_open(f, &open, made_thread(&f->m, 7, 9, "right"),
		 "start_thread;right_hand;take_left;pthread_mutex_lock;futex_wait_[k]", "futex", 'S', seconds, NULL);
	commit_open(f, &open);
}

/* COUNT waits of MS each, of THREAD for the lock L, and as many times in the run queue. */
static void add_locked(struct made_session *f, thread_id thread, const char *stack, const struct held_lock *l,
		       unsigned int ms, unsigned int count)
{
	struct made *m = &f->m;

	for (unsigned int i = 0; i < count; i++) {
		m->ev = (struct event){ .kind = EVENT_BLOCKED, .flags = EVENT_F_USER, .cut_module = ID_NONE,
					.time_ns = MADE_START_NS + 2 * NSEC_PER_SEC, .weight = ms * NSEC_PER_MSEC,
					.thread = thread, .stack = made_stack(m, stack) };
		m->ev.wait = (struct event_wait){ .call = call_find("futex", MADE_ARCH), .state = WAIT_INTERRUPTIBLE,
						  .waker = ID_NONE, .own_ns = m->ev.weight,
						  .lock = dict_lock(m->d, l) };
		assert_int_not_equal(m->ev.wait.lock, ID_NONE);
		made_again(m);
		m->ev.kind = EVENT_RUNNABLE;
		m->ev.weight = m->ev.wait.own_ns = 50 * NSEC_PER_USEC;
		made_again(m);
	}
}

static const struct held_lock *made_held(struct held_lock *l, uint64_t address, thread_id holder, enum lock_kind guess,
					  stack_id place)
{
	*l = (struct held_lock){ .address = address, .holder = holder, .guess = guess, .place = place };
	return l;
}

void madesession_locks(struct made_session *f)
{
	static const char take[] = "start_thread;serve;take_index;pthread_mutex_lock;__lll_lock_wait;futex_wait_[k]";
	static const char cross[] = "start_thread;cross;take_other;pthread_mutex_lock;futex_wait_[k]";
	static const char write[] = "start_thread;serve;put;pthread_rwlock_wrlock;futex_wait_[k]";
	static const char work[] = "start_thread;serve;pthread_cond_wait;futex_wait_[k]";
	const stack_id index = made_variable(&f->m, "index_lock", 0);
	const stack_id pool = made_stack(&f->m, "main;pool_new;malloc");
	struct made_open open = { .n = 0 };
	struct held_lock l;
	thread_id t[5];

	if (!f->meta.off_cpu)
		follow_waits(f, 60);
	for (pid_t i = 0; i < 5; i++)
		t[i] = made_thread(&f->m, 1234, 1301 + i, i < 3 ? "index" : i == 3 ? "left" : "right");
	made_add(&f->m, MADE_START_NS + 1900 * NSEC_PER_MSEC, t[1], "start_thread;serve;take_index;rebuild;sort",
		 800 * NSEC_PER_MSEC);
	for (unsigned int i = 0; i < 3; i++) {
		add_locked(f, t[i], take, made_held(&l, 0x55d0c8a01040, t[(i + 1) % 3], LOCK_MUTEX, index), 20,
			   20 + 10 * i);
		add_locked(f, t[i], work, made_held(&l, 0x7f1200002080, ID_NONE, LOCK_FUTEX, pool), 3, 5);
	}
	add_locked(f, t[2], write, made_held(&l, 0x7f1200000940, t[1], LOCK_RWLOCK_WRITE, STACK_ROOT), 90, 3);
	add_open(f, &open, t[1], take, "futex", 'S', 1, made_held(&l, 0x55d0c8a01040, t[0], LOCK_MUTEX, index));
	add_open(f, &open, t[3], cross, "futex", 'S', 40, made_held(&l, 0x55d0c8a010c0, t[4], LOCK_MUTEX, STACK_ROOT));
	add_open(f, &open, t[4], cross, "futex", 'S', 39, made_held(&l, 0x55d0c8a01100, t[3], LOCK_MUTEX, STACK_ROOT));
	commit_open(f, &open);
}

void madesession_sleeper(struct made_session *f, unsigned int seconds)
{
	struct made_open open = { .n = 0 };

	follow_waits(f, seconds);
	add_open(f, &open, made_thread(&f->m, 7, 7, "app"), "main;take_a_nap;sleep;hrtimer_nanosleep_[k]",
		 "clock_nanosleep", 'S', seconds, NULL);
	commit_open(f, &open);
}

void madesession_limits(struct made_session *f, unsigned int seconds)
{
	static const struct {
		const char *stack, *call;
		enum event_kind kind;
		char state;
		uint64_t ms;
	} parts[] = {
		{ "main;serve;nap;clock_nanosleep;hrtimer_nanosleep_[k]", "clock_nanosleep", EVENT_BLOCKED, 'S', 7 },
		{ "main;serve;nap;clock_nanosleep;hrtimer_nanosleep_[k]", "clock_nanosleep", EVENT_RUNNABLE, 'Q', 83 },
		{ "main;serve;encode", "preempted", EVENT_RUNNABLE, 'Q', 76 },
		{ "main;serve;encode", "preempted", EVENT_RUNNABLE, 'R', 2 },
		{ "main;serve;fill;exc_page_fault_[k];mem_cgroup_handle_over_high_[k]", "page fault", EVENT_BLOCKED,
		  'K', 240 },
	};
	struct thread t = { .pid = 4711, .tid = 4711, .start_ns = 4711 };
	thread_id web;

	follow_waits(f, seconds);
	t.comm = t.exe = strtab_adds(dict_strings(f->m.d), "web");
	t.cgroup = strtab_adds(dict_strings(f->m.d), "/docker/4f1c22aa90d3");
	t.container = strtab_adds(dict_strings(f->m.d), "shop/api-7f/api");
	web = dict_thread(f->m.d, &t);
	for (unsigned int i = 0; i < seconds; i++)
		for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
			const uint64_t ns = parts[p].ms * NSEC_PER_MSEC, at = end_of_second(i);

			made_wait(&f->m, at, web, parts[p].stack, parts[p].kind, parts[p].call, parts[p].state, ns);
			count_wait(f, parts[p].kind, 1, ns, ns);
			profile_advance(f->m.p, at);
		}
}

void madesession_hostile(struct made_session *f)
{
	static const char *const stacks[] = {
		"main;\033[2J\033[31mred;\033]0;title\007x",
		"main;two\nlines\r\n;tab\tbell\a\b\b",
		"main;\xE2\x80\xAEtfel-ot-thgir\xE2\x80\xAC;\xE2\x81\xA6isolated\xE2\x81\xA9",
		"main;broken\xFF\xC3(\xE2\x82;\xC0\xAF\xED\xA0\x80",
		"main;\xF0\x9F\x94\xA5hot\xF0\x9F\x94\xA5;\xF0\x9D\x95\x8Fmath",
		"main;\xE6\xBC\xA2\xE5\xAD\x97\xE9\x96\xA2\xE6\x95\xB0;e\xCC\x81"
		"a\xCC\x80\xCC\x81\xCC\x82\xCC\x83\xCC\x84o",
		"main;std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> "
		">::__grow_by_and_replace(unsigned "
		"long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long, char const*)",
	};

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		madesession_add(f, (unsigned int)i, stacks[i], 20 - (unsigned int)i);
	snprintf(f->meta.target, sizeof(f->meta.target), "ev\033[31mil\n\xE2\x80\xAE 7");
	f->meta.duration_ns = 8 * NSEC_PER_SEC;
}

/* BLOCKS of SIZE bytes, at second S. */
static void add_blocks(struct made *m, uint8_t kind, unsigned int s, uint32_t blocks, unsigned int size,
		       unsigned int age_ms, const char *stack)
{
	const struct allocation a = { .size = (uint8_t)octave_class(size), .age = (uint8_t)octave_class(age_ms),
				      .interval = 64 * KB };

	m->ev = (struct event){ .kind = kind, .cut_module = ID_NONE, .weight = (uint64_t)blocks * size, .count = blocks,
				.time_ns = MADE_START_NS + s * NSEC_PER_SEC + NSEC_PER_SEC / 2,
				.thread = made_thread(m, 1234, 1234, "redis-server"), .stack = made_stack(m, stack),
				.argument = allocation_argument(&a), .wait.waker = ID_NONE, .place.file = ID_NONE };
	made_again(m);
}

void madesession_memory(struct made_session *f)
{
	static const char leak[] = "main;aeMain;readQueryFromClient;processCommand;call;setCommand;createObject";
	static const char cache[] = "main;aeMain;readQueryFromClient;processCommand;lookupKey;cachePut";
	static const char reply[] = "main;aeMain;readQueryFromClient;addReplyBulk";
	struct made *m = &f->m;

	f->meta.duration_ns = MEMORY_SECONDS * NSEC_PER_SEC;
	for (unsigned int s = 0; s < MEMORY_SECONDS; s++) {
		add_blocks(m, EVENT_ALLOC, s, 8 * KB, 128, 0, leak);
		add_blocks(m, EVENT_IN_USE, MEMORY_SECONDS - 1, 8 * KB, 128, (MEMORY_SECONDS - s) * 1000 - 500, leak);
		add_blocks(m, EVENT_ALLOC, s, 2 * KB, 1000, 0, cache);
		if (s)
			add_blocks(m, EVENT_FREE, s, 2 * KB, 1000, 900, cache);
		add_blocks(m, EVENT_ALLOC, s, 16 * KB, 512, 0, reply);
		add_blocks(m, EVENT_FREE, s, 15 * KB, 512, 0, reply);
		add_blocks(m, EVENT_FREE, s, KB, 512, 5, reply);
	}
	add_blocks(m, EVENT_IN_USE, MEMORY_SECONDS - 1, 2 * KB, 1000, 500, cache);
}

/* SIZE of the process was BYTES at second S. */
static void add_size(struct made *m, unsigned int s, unsigned int size, uint64_t bytes)
{
	m->ev = (struct event){ .kind = EVENT_SIZE, .cut_module = ID_NONE, .weight = bytes, .count = 1,
				.time_ns = MADE_START_NS + s * NSEC_PER_SEC + NSEC_PER_SEC / 2,
				.thread = made_thread(m, 1234, 1234, "redis-server"), .stack = STACK_ROOT,
				.argument = size, .wait.waker = ID_NONE, .place.file = ID_NONE };
	made_again(m);
}

void madesession_growth(struct made_session *f)
{
	static const char table[] = "main;aeMain;readQueryFromClient;processCommand;call;setCommand;dictExpand";
	static const char buffer[] = "main;aeMain;readQueryFromClient;growBuffer";
	static const char trim[] = "main;serverCron;freeBuffer";
	struct made *m = &f->m;

	f->meta.duration_ns = MEMORY_SECONDS * NSEC_PER_SEC;
	for (unsigned int s = 0; s < MEMORY_SECONDS; s++) {
		add_size(m, s, SIZE_ANON, (8 + 3ull * (s < 8 ? s : 8)) * KB * KB);
		add_size(m, s, SIZE_FILE, 4ull * KB * KB);
		if (s < 8)
			add_blocks(m, EVENT_GROWN, s, 768, 4 * KB, 0, table);
		add_blocks(m, EVENT_GROWN, s, 256, 4 * KB, 0, buffer);
		add_blocks(m, EVENT_RETURNED, s, 1, 1024 * KB, 0, trim);
	}
}
