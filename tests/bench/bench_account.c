/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_account.c - what it costs to fit events to totals, with 2,000 threads that wait in three
 * calls each:
 *
 *	bench_account [THREADS [RECORDS_PER_S]]
 *
 * A second is four settlements, a thousand records of waits and 200 samples. Each figure is the
 * mean of a minute. Walking the stack of a record is not in it (bench_unwind), nor is reading
 * totals and waits from the kernel (offcpu.sh).
 */
#include "config.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/parse.h"
#include "engine/openwaits.h"
#include "engine/reconcile.h"
#include "process/process.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS 3u
#define STACKS 1000u
#define SECONDS 60u
#define TURN_NS (NSEC_PER_SEC / 4)

struct bench {
	struct event_sink sink;
	struct profile *p;
	struct processes *ps;
	struct reconcile *a;
	struct openwaits *o;
	uint32_t threads, records;
	thread_id *thread;
	stack_id stack[STACKS];
	struct source_total *total;      /* CALLS + 1 for each thread */
	uint64_t events, facts;
	uint64_t total_ns, settle_ns, hold_ns, rest_ns, look_ns;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_account: %s\n", what);
	exit(1);
}

static void take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct bench *b = ctx;

	b->events++;
}

static void take_rest(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct bench *b = ctx;
	struct fact f;

	if (profile_fact(b->p, ev, &f) < 0)
		die("a fact was refused");
	b->facts++;
}

static void give_stacks(struct bench *b)
{
	const struct source_open *w;
	size_t at = 0;

	while ((w = openwaits_wanted(b->o, &at))) {
		const struct reconcile_task task = { .pid = w->pid, .tid = w->tid, .start_ns = w->start_ns };
		const struct event ev = { .stack = b->stack[w->tid % STACKS], .thread = b->thread[w->tid - 1],
					  .cut_module = ID_NONE };

		openwaits_stack(b->o, &task, w->id, &ev);
	}
}

static void make(struct bench *b)
{
	struct reconcile_config account = { .sink = &b->sink, .dict = profile_dict(b->p) };
	struct openwaits_config waits = { .sink = &b->sink };
	const struct module m = { .kind = MODULE_FILE };
	struct err e = ERR_INIT;

	b->sink = (struct event_sink){ .profile = b->p, .observer = take, .observer_ctx = b };
	account.ps = waits.ps = b->ps = processes_new(account.dict, &e);
	if (!b->ps)
		die(e.text);
	processes_recorded(b->ps);
	if (reconcile_new(&account, &b->a, &e) < 0)
		die(e.text);
	waits.account = b->a;
	if (openwaits_new(&waits, &b->o, &e) < 0)
		die(e.text);
	for (uint32_t i = 0; i < STACKS; i++)
		b->stack[i] = dict_stack(account.dict, STACK_ROOT,
					 dict_frame(account.dict, dict_module(account.dict, &m), i));
	for (uint32_t i = 0; i < b->threads; i++) {
		const struct reconcile_task t = { .pid = 1, .tid = (pid_t)i + 1, .start_ns = 1 };

		b->thread[i] = reconcile_thread(b->a, &t);
		for (uint32_t c = 0; c <= CALLS; c++)
			b->total[i * (CALLS + 1) + c] = (struct source_total){
				.pid = 1, .tid = t.tid, .start_ns = 1, .kind = c ? EVENT_BLOCKED : EVENT_SAMPLE,
				.call = c ? CALL_SYSCALL + c : CALL_NONE,
			};
	}
}

/* What is told in a quarter of a second up to NOW. */
static void hold(struct bench *b, uint64_t now_ns, uint64_t *n)
{
	const uint64_t from = clock_mono_ns();

	for (uint32_t i = 0; i < (b->records + 200) / 4; i++, ++*n) {
		const uint32_t t = (uint32_t)(hash_u64(*n) % b->threads);
		const struct reconcile_task task = { .pid = 1, .tid = (pid_t)t + 1, .start_ns = 1 };
		const struct reconcile_wait w = { .blocked_ns = 400000, .runnable_ns = 5000, .period_ns = 10000000 };
		const bool sample = i >= b->records / 4;
		const struct event ev = { .kind = EVENT_SAMPLE, .time_ns = now_ns, .thread = b->thread[t],
					  .weight = 10000000, .stack = b->stack[*n % STACKS], .flags = EVENT_F_USER,
					  .cut_module = ID_NONE,
					  .wait = { .call = CALL_SYSCALL + 1 + (uint32_t)*n % CALLS,
						    .waker = ID_NONE } };

		if (!(sample ? reconcile_sample(b->a, &task, &ev) : reconcile_wait(b->a, &task, &ev, &w)))
			die("out of memory");
	}
	b->hold_ns += clock_mono_ns() - from;
}

static void read_totals(struct bench *b)
{
	const uint64_t from = clock_mono_ns();

	for (uint32_t i = 0; i < b->threads * (CALLS + 1); i++) {
		struct source_total *t = &b->total[i];

		t->running_ns += 50000;
		t->blocked_ns += 1000000;
		t->runnable_ns += 10000;
		t->count += 2;
		reconcile_total(b->a, t);
	}
	b->total_ns += clock_mono_ns() - from;
}

/* Half of the threads wait for something that does not come. */
static void look(struct bench *b, uint64_t now_ns)
{
	const uint64_t from = clock_mono_ns();

	openwaits_begin(b->o, UINT64_MAX);
	for (uint32_t i = 0; i < b->threads; i += 2) {
		const struct source_open w = { .pid = 1, .tid = (pid_t)i + 1, .start_ns = 1, .id = 1, .since_ns = 1,
					       .call = CALL_SYSCALL, .has_stack = true };

		openwaits_see(b->o, &w);
	}
	openwaits_end(b->o, now_ns);
	give_stacks(b);
	openwaits_pieces(b->o);
	b->look_ns += clock_mono_ns() - from;
}

static void rest(struct bench *b, uint64_t now_ns)
{
	struct event_sink to = { .observer = take_rest, .observer_ctx = b };
	const uint64_t from = clock_mono_ns();

	reconcile_rest(b->a, now_ns, &to);
	openwaits_rest(b->o, now_ns, &to);
	b->rest_ns += clock_mono_ns() - from;
}

int main(int argc, char **argv)
{
	struct bench b = { .p = profile_new(NULL) };
	uint64_t threads = 2000, records = 1000, n = 0;
	const double turns = 4 * SECONDS;
	struct err e = ERR_INIT;

	if ((argc > 1 && parse_u64(argv[1], "threads", 1, 1000000, &threads, &e) < 0) ||
	    (argc > 2 && parse_u64(argv[2], "records", 4, 1000000, &records, &e) < 0))
		die(e.text);
	b.threads = (uint32_t)threads;
	b.records = (uint32_t)records;
	b.thread = calloc(b.threads, sizeof(*b.thread));
	b.total = calloc(b.threads * (CALLS + 1), sizeof(*b.total));
	if (!b.p || !b.thread || !b.total)
		die("out of memory");
	make(&b);
	for (uint64_t now = TURN_NS; now <= SECONDS * NSEC_PER_SEC; now += TURN_NS) {
		uint64_t from;

		hold(&b, now, &n);
		read_totals(&b);
		from = clock_mono_ns();
		reconcile_settle(b.a, now);
		b.settle_ns += clock_mono_ns() - from;
		if (now % NSEC_PER_SEC)
			continue;
		look(&b, now);
		rest(&b, now);
	}
	printf("account: %u threads, %u keys, %u records and 200 samples a second\n", b.threads,
	       b.threads * (CALLS + 1), b.records);
	printf("reconcile_total %.0f ns a total, reconcile_sample and _wait %.0f ns each\n",
	       (double)b.total_ns / turns / (b.threads * (CALLS + 1)), (double)b.hold_ns / (double)n);
	printf("reconcile_settle %.0f us, with %.0f events and profile_add; provisional facts %.0f us a "
	       "second, %.0f facts\n",
	       (double)b.settle_ns / turns / 1e3, (double)b.events / turns, (double)b.rest_ns / SECONDS / 1e3,
	       (double)b.facts / SECONDS);
	printf("a look at %u waits under way %.0f us; all together %.2f %% of a CPU\n", b.threads / 2,
	       (double)b.look_ns / SECONDS / 1e3,
	       (double)(b.total_ns + b.hold_ns + b.settle_ns + b.rest_ns + b.look_ns) / SECONDS / 1e7);
	openwaits_free(b.o);
	reconcile_free(b.a);
	processes_free(b.ps);
	profile_free(b.p);
	free(b.thread);
	free(b.total);
	return 0;
}
