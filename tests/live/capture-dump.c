/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capture-dump.c - opens a source on a target, reads it to the target's end and prints what came as
 * `name: value` lines.
 *
 *	capture-dump [-a | -c CGROUP | -t] [-e cycles] [-F HZ] [-R HZ] [-r RING_BYTES] [-s STACK_BYTES] [-C
 *	CPU] [-f] [-n COMM] [-w MS]
 *		[-N] [-o [-W] [-P] [-H] [-p PERIOD_US] [-l MS] [-v]] -- COMMAND [ARGS...]
 *
 * The command is started in any case; -a and -c decide whether it alone is the target, -t targets
 * its first thread. -f walks frame pointers, -w does not read for MS milliseconds after the start,
 * -n counts samples of that comm. CPU time and samples of the command include its children. -o
 * follows waits, -W wakers too, -p sets the period, -v prints each wait. -l stops after MS milliseconds, and
 * looks at what is open 100 ms later: late_open counts these waits, late_stacks what is told of where they are.
 * -P takes the kernel for one from before 5.18, whose sched_switch does not tell the state in which a thread leaves. -H
 * makes helpers (capture/peek.h), one before and one after the start, which must not be seen. -R
 * changes the rate after 20 samples: old_rate counts those, old_rate_ms is what they stand for. -N
 * samples page faults and asks where threads are at home.
 */
#include "config.h"

#include "base/clock.h"
#include "bpf/wire.h"
#include "capture/peek.h"
#include "capture/source.h"
#include "model/event.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_REGS 17               /* of x86-64 */
#define RED_ZONE 128u            /* the same */
#define IDS_MAX 4096u

struct ids {
	pid_t v[IDS_MAX];
	size_t n;
};

struct counts {
	uint64_t samples, weight, in_kernel, kernel_regs, kernel_frames, kthread, compat, no_user, regs,
		segments, bytes;
	uint64_t interrupted, interrupted_far, walked, own, other_pids, unordered, cgroup, exe;
	uint64_t stack_pointer_inside, comm_match;
	uint64_t mmaps, build_ids, comms, execs, forks, threads_forked, exits, unreadable;
	uint64_t last_ns, cpu_ms;
	uint64_t sampled_ns, longest_gap_ns, after_gap;  /* between samples, and how many came behind it */
	uint64_t rate_hz, old_rate, old_rate_ns;         /* that -R asks for; samples before that, and their weight */
	uint64_t waits, long_waits, wait_stacks, no_stack, seeded, wakes, wake_stacks, irq_wakes, wait_kernel;
	double blocked_ns, runnable_ns, waited;          /* what the waits told stand for */
	uint64_t running_total, blocked_total, runnable_total, waits_total, short_total, gone;
	uint64_t open, open_stacks, open_regs, open_ns, late_open, late_stacks, stop_after_ns;
	uint64_t faults, fault_samples, fault_stacks, moves, kernel_moves, told_moves, homes, homes_most,
		policies, wrong_nodes;
	struct source *source;
	bool verbose, numa;
	struct ids pids, tids, children;
	pid_t child, self, helper[2];
	const char *comm;
	char own_comm[16];
};

static bool has_id(const struct ids *l, pid_t id)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i] == id)
			return true;
	return false;
}

static void add_id(struct ids *l, pid_t id)
{
	if (!has_id(l, id) && l->n < IDS_MAX)
		l->v[l->n++] = id;
}

static bool apart(const struct raw_segment *a, const struct raw_segment *b)
{
	return a->addr > b->addr + b->len || a->addr + a->len < b->addr;
}

static void count_segments(struct counts *c, const struct raw_sample *s)
{
	for (uint32_t i = 0; i < s->user.nr_segments; i++) {
		const struct raw_segment *g = &s->user.segment[i];

		c->segments++;
		c->bytes += g->len;
		c->unreadable += g->unreadable;
		c->interrupted += g->interrupted;
		c->interrupted_far += g->interrupted && g->len > RED_ZONE && apart(g, &s->user.segment[0]);
		c->stack_pointer_inside += !i && s->user.regs[7] >= g->addr && s->user.regs[7] < g->addr + g->len;
	}
}

static void count_gap(struct counts *c, uint64_t now)
{
	c->after_gap++;
	if (c->sampled_ns && now > c->sampled_ns + c->longest_gap_ns) {
		c->longest_gap_ns = now - c->sampled_ns;
		c->after_gap = 1;
	}
	c->sampled_ns = now;
}

static bool is_own(const struct counts *c, pid_t pid)
{
	return pid == c->self || (pid && (pid == c->helper[0] || pid == c->helper[1]));
}

/* Until it executes the command, which may take long where the disk is slow, the child is called as this program is. */
static bool is_named(const struct counts *c, const char *comm)
{
	return c->comm && (!strcmp(comm, c->comm) || (!c->execs && !strcmp(comm, c->own_comm)));
}

static void count_sample(struct counts *c, const struct raw_event *ev)
{
	const struct raw_sample *s = &ev->sample;

	count_gap(c, ev->time_ns);
	c->samples++;
	c->weight += s->weight;
	c->in_kernel += s->in_kernel;
	c->kernel_regs += s->in_kernel && s->user.nr_regs;
	c->kernel_frames += s->in_kernel && s->nr_kernel;
	c->kthread += s->user.kthread;
	c->compat += s->user.compat;
	c->no_user += s->no_user;
	c->regs += s->user.nr_regs == NR_REGS && s->user.machine == 62;
	c->walked += s->user.nr_walked > 0;
	c->own += is_own(c, ev->pid);
	c->other_pids += !has_id(&c->children, ev->pid);
	c->cgroup += s->cgroup_id != 0;
	c->exe += s->exe_id != 0;
	c->comm_match += is_named(c, s->comm);
	count_segments(c, s);
	add_id(&c->pids, ev->pid);
	add_id(&c->tids, ev->tid);
}

static void count_wait(struct counts *c, const struct raw_event *ev)
{
	const struct raw_wait *w = &ev->wait;
	const double length = (double)(w->blocked_ns + w->runnable_ns);
	const double each = length < (double)w->period_ns ? (double)w->period_ns / (length > 0 ? length : 1) : 1;
	char name[CALL_NAME_MAX];

	c->waits++;
	c->own += is_own(c, ev->pid);
	c->long_waits += length >= (double)w->period_ns;
	c->wait_stacks += ev->sample.user.nr_regs && ev->sample.user.nr_segments &&
		ev->sample.user.segment[0].len > RED_ZONE;
	c->wait_kernel += ev->sample.nr_kernel > 0;
	c->no_stack += w->no_stack;
	c->seeded += w->seeded;
	c->blocked_ns += each * (double)w->blocked_ns;
	c->runnable_ns += each * (double)w->runnable_ns;
	c->waited += each;
	count_segments(c, &ev->sample);
	if (c->verbose)
		printf("wait %d %s: %s, %s, blocked %" PRIu64 " runnable %" PRIu64
		       " us, woken by %s %d, %u bytes%s\n", (int)ev->tid,
		       ev->sample.comm, call_name(w->call, NULL, name), wait_state_name(w->state), w->blocked_ns / 1000,
		       w->runnable_ns / 1000, w->context == WAKER_TASK ? w->waker_comm : waker_context_name(w->context),
		       (int)w->waker_tid, ev->sample.user.segment[0].len, w->seeded ? ", seeded" : "");
}

static void count_fault(struct counts *c, const struct raw_event *ev)
{
	c->fault_samples++;
	c->faults += ev->sample.period;
	c->fault_stacks += ev->sample.user.nr_regs && ev->sample.user.nr_segments &&
		ev->sample.user.segment[0].len > RED_ZONE;
	c->own += is_own(c, ev->pid);
	c->other_pids += !has_id(&c->children, ev->pid);
}

static void count_home(void *ctx, const struct source_home *h)
{
	struct counts *c = ctx;

	c->homes++;
	c->policies += h->policy != 0;
	c->wrong_nodes += h->node >= source_nodes(c->source);
	c->own += is_own(c, h->pid);
}

static void count_total(void *ctx, const struct source_total *t)
{
	struct counts *c = ctx;

	c->gone += t->last;
	c->running_total += t->running_ns;
	c->moves += t->moves;
	c->kernel_moves += t->kernel_moves;
	if (t->kind == EVENT_SAMPLE)
		return;
	c->blocked_total += t->blocked_ns + t->long_blocked_ns;
	c->runnable_total += t->runnable_ns + t->long_runnable_ns;
	c->waits_total += t->count + t->long_count;
	c->short_total += t->short_count;
}

static void count_open(void *ctx, const struct source_open *w)
{
	struct counts *c = ctx;

	c->open++;
	c->own += is_own(c, w->pid);
	c->open_regs += w->nr_regs > 0;
	c->open_ns += clock_mono_ns() - w->since_ns;
}

static void count_late(void *ctx, const struct source_open *w)
{
	struct counts *c = ctx;

	c->late_open++;
	c->late_stacks += w->nr_kernel > 0 || w->nr_regs > 0;
}

static void take_open(void *ctx, const struct source_open *w)
{
	struct counts *c = ctx;
	struct raw_event ev;

	if (w->has_stack && source_open_stack(c->source, w, &ev) == SOURCE_STACK_HERE)
		c->open_stacks += ev.kind == RAW_WAIT_STACK && ev.sample.user.nr_segments > 0;
}

static void count(void *ctx, const struct raw_event *ev)
{
	struct counts *c = ctx;

	c->unordered += ev->time_ns < c->last_ns;
	c->last_ns = ev->time_ns;
	if (ev->kind == RAW_SAMPLE) {
		count_sample(c, ev);
		return;
	}
	if (ev->kind == RAW_WAIT)
		count_wait(c, ev);
	if (ev->kind == RAW_FAULT)
		count_fault(c, ev);
	if (ev->kind == RAW_WAIT || ev->kind == RAW_MOVE)
		c->told_moves += ev->wait.to_node != ev->node && ev->wait.state != WAIT_NEW;
	c->wakes += ev->kind == RAW_WAKE;
	c->irq_wakes += ev->kind == RAW_WAKE && (ev->wake.context == WAKER_HARDIRQ ||
						 ev->wake.context == WAKER_SOFTIRQ);
	if (ev->kind == RAW_WAKE && c->verbose)
		printf("wake %d by %s %d %s: %s\n", (int)ev->wake.tid, ev->sample.comm, (int)ev->tid,
		       ev->sample.user.nr_segments ? "with stack" : "", waker_context_name(ev->wake.context));
	c->wake_stacks += ev->kind == RAW_WAKE && (ev->sample.user.nr_regs || ev->sample.nr_kernel);
	if (ev->kind == RAW_WAIT || ev->kind == RAW_WAKE || ev->kind == RAW_MOVE || ev->kind == RAW_FAULT)
		return;
	if (ev->kind == RAW_FORK && has_id(&c->children, ev->fork.ppid)) {
		add_id(&c->children, ev->pid);
		c->threads_forked += ev->pid == ev->fork.ppid;
		c->forks += ev->pid != ev->fork.ppid;
	}
	if (!has_id(&c->children, ev->pid))
		return;
	c->mmaps += ev->kind == RAW_MMAP;
	c->build_ids += ev->kind == RAW_MMAP && ev->mmap.build_id_len;
	c->comms += ev->kind == RAW_COMM;
	c->execs += ev->kind == RAW_COMM && ev->comm.exec;
	c->exits += ev->kind == RAW_EXIT;
}

/* The command, stopped before exec until *RET_GO is closed. */
static pid_t start_command(char **argv, int *ret_go)
{
	int go[2];
	pid_t pid;
	char c;

	if (pipe(go))
		return -1;
	pid = fork();
	if (pid) {
		close(go[0]);
		*ret_go = go[1];
		return pid;
	}
	close(go[1]);
	while (read(go[0], &c, 1) < 0 && errno == EINTR)
		;
	execvp(argv[0], argv);
	_exit(127);
}

static void print(const char *name, uint64_t v)
{
	printf("%s: %" PRIu64 "\n", name, v);
}

static void print_losses(const struct source_stats *st)
{
	for (unsigned int i = 0; i < LOST_NR; i++)
		printf("lost_%s: %" PRIu64 "\n", lost_info(i)->name, st->lost.n[i]);
	print("lost", losses_total(&st->lost));
}

static void print_counts(const struct counts *c, const struct source_stats *st, uint64_t ns)
{
	printf("event: %s\n", st->event);
	print("freq_hz", st->freq_hz);
	print("cpus_sampled", st->cpus_sampled);
	print("samples", c->samples);
	print("weight_ms", c->weight / NSEC_PER_MSEC);
	print("old_rate", c->old_rate);
	print("old_rate_ms", c->old_rate_ns / NSEC_PER_MSEC);
	print("elapsed_ms", ns / NSEC_PER_MSEC);
	print("cpu_ms", c->cpu_ms);
	print("longest_gap_ms", c->longest_gap_ns / NSEC_PER_MSEC);
	print("after_gap", c->after_gap);
	print("in_kernel", c->in_kernel);
	print("kernel_regs", c->kernel_regs);
	print("kernel_frames", c->kernel_frames);
	print("kthread", c->kthread);
	print("compat", c->compat);
	print("no_user", c->no_user);
	print("regs", c->regs);
	print("segments", c->segments);
	print("segment_bytes", c->bytes);
	print("unreadable", c->unreadable);
	print("sp_inside", c->stack_pointer_inside);
	print("interrupted", c->interrupted);
	print("interrupted_far", c->interrupted_far);
	print("walked", c->walked);
	print("own", c->own);
	print("other_pids", c->other_pids);
	print("with_cgroup", c->cgroup);
	print("with_exe", c->exe);
	print("comm_match", c->comm_match);
	print("pids", c->pids.n);
	print("tids", c->tids.n);
	print("mmaps", c->mmaps);
	print("build_ids", c->build_ids);
	print("comms", c->comms);
	print("execs", c->execs);
	print("forks", c->forks);
	print("threads_forked", c->threads_forked);
	print("exits", c->exits);
	print("waits", c->waits);
	print("long_waits", c->long_waits);
	print("wait_stacks", c->wait_stacks);
	print("wait_kernel", c->wait_kernel);
	print("no_stack", c->no_stack);
	print("seeded", c->seeded);
	print("wakes", c->wakes);
	print("wake_stacks", c->wake_stacks);
	print("irq_wakes", c->irq_wakes);
	print("blocked_us", (uint64_t)(c->blocked_ns / 1000));
	print("runnable_us", (uint64_t)(c->runnable_ns / 1000));
	print("waited", (uint64_t)c->waited);
	print("running_total_us", c->running_total / 1000);
	print("blocked_total_us", c->blocked_total / 1000);
	print("runnable_total_us", c->runnable_total / 1000);
	print("waits_total", c->waits_total);
	print("short_total", c->short_total);
	print("gone", c->gone);
	print("open", c->open);
	print("open_stacks", c->open_stacks);
	print("open_regs", c->open_regs);
	print("late_open", c->late_open);
	print("late_stacks", c->late_stacks);
	print("open_us", c->open_ns / 1000);
	print("faults", c->faults);
	print("fault_samples", c->fault_samples);
	print("fault_stacks", c->fault_stacks);
	print("moves", c->moves);
	print("kernel_moves", c->kernel_moves);
	print("told_moves", c->told_moves);
	print("homes", c->homes_most);
	print("policies", c->policies);
	print("wrong_nodes", c->wrong_nodes);
	print("inferred", st->inferred);
	print("late", st->late);
	print("unordered", c->unordered);
	print("ring_size", st->ring_size);
	print("ring_used", st->ring_used);
	print_losses(st);
}

struct dump {
	struct capture_plan plan;
	const char *cgroup;
	uint64_t stall_ms, period_us;
	bool helpers;
};

static int parse_args(int argc, char **argv, struct dump *d, struct counts *c, struct err *e)
{
	uint64_t v = 0;
	uint32_t *cpu;
	int opt, r = 0;

	while (!r && (opt = getopt(argc, argv, "+atfovWPHNc:e:F:R:r:s:C:w:n:p:l:")) != -1) {
		switch (opt) {
		case 'a': d->plan.target = TARGET_ALL; break;
		case 't': d->plan.target = TARGET_TIDS; break;
		case 'o': d->plan.off_cpu = true; break;
		case 'W': d->plan.wakers = true; break;
		case 'H': d->helpers = true; break;
		case 'N': d->plan.numa = NUMA_ON; break;
		case 'P': setenv("SBERF_WITHOUT", "prev_state", 1); break;
		case 'v': c->verbose = true; break;
		case 'e': d->plan.event = strcmp(optarg, "cycles") ? EVENT_CPU_CLOCK : EVENT_CYCLES; break;
		case 'p': r = parse_u64(optarg, "period", 1, 10000000, &d->period_us, e); break;
		case 'l':
			r = parse_u64(optarg, "time", 1, 60000, &v, e);
			c->stop_after_ns = v * NSEC_PER_MSEC;
			break;
		case 'f': d->plan.frame_pointers = true; break;
		case 'c': d->plan.target = TARGET_CGROUP; d->plan.cgroup = optarg; break;
		case 'n': c->comm = optarg; break;
		case 'F': r = parse_u64(optarg, "rate", 1, 1000000, &v, e); d->plan.freq_hz = (uint32_t)v; break;
		case 'R': r = parse_u64(optarg, "rate", 1, 1000000, &c->rate_hz, e); break;
		case 's': r = parse_size(optarg, "stack", 0, UINT32_MAX, &v, e);
			d->plan.stack_bytes = (uint32_t)v; break;
		case 'r': r = parse_size(optarg, "ring", 0, UINT64_MAX, &d->plan.ring_bytes, e); break;
		case 'w': r = parse_u64(optarg, "stall", 0, 60000, &d->stall_ms, e); break;
		case 'C':
			r = parse_u64(optarg, "CPU", 0, 65535, &v, e);
			cpu = vec_push(&d->plan.cpus);
			if (cpu)
				*cpu = (uint32_t)v;
			break;
		default: return err_set(e, EINVAL, "unknown option");
		}
	}
	if (!r && optind == argc)
		return err_set(e, EINVAL, "no command");
	return r;
}

static uint64_t to_ms(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000 + (uint64_t)tv->tv_usec / 1000;
}

#define OLD_RATE 20u             /* samples before the rate is changed */

static int change_rate(struct source *s, struct counts *c, struct err *e)
{
	if (!c->rate_hz || c->old_rate || c->samples < OLD_RATE)
		return 0;
	c->old_rate = c->samples;
	c->old_rate_ns = c->weight;
	return source_set_rate(s, (uint32_t)c->rate_hz, e);
}

/* Stops while the command goes on, looks at what was open then, and ends the command. */
static int end_early(struct source *s, struct counts *c, struct err *e)
{
	uint64_t ns;
	int r;

	source_stop(s);
	poll(NULL, 0, 100);
	r = source_open_waits(s, 0, UINT64_MAX, count_late, c, &ns, e);
	kill(c->child, SIGKILL);
	return r;
}

/* Reads until CHILD has ended, then the rest. */
static int read_all(struct source *s, struct counts *c, struct err *e)
{
	const uint64_t start = clock_mono_ns();
	struct rusage used;
	unsigned int turn = 0;
	int status, r;
	uint64_t ns;

	c->source = s;
	c->homes_most = 0;
	do {
		r = source_read(s, 50, false, count, c, e);
		if (r >= 0)
			r = change_rate(s, c, e);
		if (r >= 0 && c->stop_after_ns && !c->late_open && clock_mono_ns() - start >= c->stop_after_ns)
			r = end_early(s, c, e);
		c->open = c->open_regs = c->open_ns = c->homes = c->policies = 0;
		if (r >= 0 && c->numa)
			r = source_homes(s, count_home, c, e);
		if (c->homes > c->homes_most)
			c->homes_most = c->homes;
		if (r >= 0)
			r = source_open_waits(s, 0, UINT64_MAX, count_open, c, &ns, e);
		if (r >= 0 && ++turn % 4 == 0)
			r = source_open_waits(s, 100 * NSEC_PER_MSEC, UINT64_MAX, take_open, c, &ns, e);
		if (r < 0)
			return r;
	} while (wait4(c->child, &status, WNOHANG, &used) == 0);
	c->cpu_ms = to_ms(&used.ru_utime) + to_ms(&used.ru_stime);
	source_stop(s);
	r = source_read(s, 0, true, count, c, e);
	if (r >= 0)
		r = source_totals(s, count_total, c, &ns, e);
	return r < 0 ? r : 0;
}

/* Has the helper of P do something, after the first has died when it is to be the second. */
static int use_helper(struct peek *p, struct counts *c, bool second)
{
	struct peek_answer a;

	if (!p)
		return 0;
	if (second)
		kill(c->helper[0], SIGKILL);
	for (int i = 0; i < 2; i++) {
		if (peek_ask(p, 0, c->self, (uint64_t)(uintptr_t)&a, 4096))
			return -EIO;
		while (!peek_take(p, &a)) {
			struct pollfd fd = { .fd = peek_fd(p), .events = POLLIN };

			poll(&fd, 1, 1000);
		}
	}
	c->helper[second] = peek_pid(p);
	return a.status != PEEK_OK || (second && c->helper[0] == c->helper[1]) ? -EIO : 0;
}

static int run(struct dump *d, struct counts *c, char **argv, struct err *e)
{
	AUTO(peek_free) struct peek *p = NULL;
	AUTO(source_free) struct source *s = NULL;
	struct source_stats st;
	uint64_t start;
	int go = -1, r;
	uint32_t *id;

	c->self = getpid();
	prctl(PR_GET_NAME, c->own_comm);
	c->child = start_command(argv, &go);
	if (c->child < 0)
		return err_set(e, errno, "cannot start %s", argv[0]);
	add_id(&c->children, c->child);
	id = vec_push(&d->plan.ids);
	if (!id)
		return err_nomem(e, "the target");
	*id = (uint32_t)c->child;
	r = d->helpers ? peek_new(&p, e) : 0;
	r = r ? r : use_helper(p, c, false);
	r = r ? r : source_open(&d->plan, &s, e);
	r = r ? r : source_start(s, e);
	c->numa = d->plan.numa == NUMA_ON;
	r = r || !c->numa ? r : source_set_faults(s, true, e);
	r = r ? r : use_helper(p, c, true);
	if (r) {
		kill(c->child, SIGKILL);
		return r;
	}
	if (d->period_us)
		source_set_wait_period(s, d->period_us * NSEC_PER_USEC);
	start = clock_mono_ns();
	close(go);
	if (d->stall_ms)
		poll(NULL, 0, (int)d->stall_ms);
	r = read_all(s, c, e);
	if (r)
		return r;
	source_stats(s, &st);
	print_counts(c, &st, clock_mono_ns() - start);
	print("bpf_ns", source_bpf_ns(s));
	return 0;
}

int main(int argc, char **argv)
{
	struct dump d = { .plan = { .target = TARGET_PIDS, .event = EVENT_CPU_CLOCK, .freq_hz = 997, .kernel = true,
				   .stack_bytes = 32768, .numa = NUMA_OFF } };
	static struct counts c;
	struct err e = ERR_INIT;
	int r = parse_args(argc, argv, &d, &c, &e);

	r = r ? r : run(&d, &c, argv + optind, &e);
	if (r)
		fprintf(stderr, "capture-dump: %s\n", e.text);
	vec_free(&d.plan.cpus);
	vec_free(&d.plan.ids);
	return r ? 1 : 0;
}
