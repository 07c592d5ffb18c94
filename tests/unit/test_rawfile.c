/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rawfile.c - events go into a raw capture and come out the same; cut or damaged, it is read
 * up to there, and never believed.
 */
#include "config.h"

#include "capture/rawfile.h"

#include "bpf/wire.h"
#include "capture/wire_decode.h"
#include "model/event.h"
#include "model/wait.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t kernel[] = { 0xffffffff81000000, 0xffffffff81000100 },
		      walked[] = { 0x401000, 0x402000, 0x403000 };
static const uint64_t args[] = { 11, 12, 13 };
static const uint8_t stack[24] = "twenty-three characters";

static struct raw_event whole_sample(enum raw_kind kind)
{
	struct raw_event ev = {
		.kind = kind, .cpu = 3, .node = 1, .time_ns = 5000, .pid = 10, .tid = 11,
		.sample = {
			.period = 20, .weight = 21, .since_ns = 22, .busy = true, .ip = 0x401000, .in_kernel = true,
			.kernel_full = true, .inside = { (uint64_t)3 << RAW_INSIDE_AT | 7 }, .start_ns = 12,
			.cgroup_id = 13, .exe_id = 14, .comm = "0123456789abcdef",
			.nr_kernel = 2, .kernel = kernel, .space_id = 7, .walk_why = SB_WALK_NO_PAGE,
			.user = {
				.machine = 62, .nr_regs = 17, .nr_walked = 3, .walked = walked,
				.placed = true, .no_table = true, .stopped = true,
				.stop = { .pc = 1, .sp = 2, .bp = 3, .exact = true },
				.walk_check = 99, .nr_segments = 2,
				.segment = {
					{ .addr = 0x7000, .len = 24, .want = 24, .bytes = stack },
					{ .addr = 0x9000, .len = 16, .want = 64, .unreadable = true,
					  .interrupted = true, .bytes = stack },
				},
			},
		},
	};

	for (uint32_t i = 0; i < ev.sample.user.nr_regs; i++)
		ev.sample.user.regs[i] = 100 + i;
	return ev;
}

static void assert_same_sample(const struct raw_event *a, const struct raw_event *b)
{
	const struct raw_sample *x = &a->sample, *y = &b->sample;

	assert_int_equal(a->kind, b->kind);
	assert_true(a->cpu == b->cpu && a->node == b->node && a->time_ns == b->time_ns && a->pid == b->pid &&
		    a->tid == b->tid);
	assert_true(x->period == y->period && x->weight == y->weight && x->since_ns == y->since_ns &&
		    x->busy == y->busy && x->ip == y->ip);
	assert_true(x->in_kernel == y->in_kernel && x->user.kthread == y->user.kthread &&
		    x->user.compat == y->user.compat && x->no_user == y->no_user);
	assert_memory_equal(x->inside, y->inside, sizeof(x->inside));
	assert_true(x->start_ns == y->start_ns && x->cgroup_id == y->cgroup_id && x->exe_id == y->exe_id);
	assert_string_equal(x->comm, y->comm);
	assert_true(x->user.machine == y->user.machine && x->user.nr_regs == y->user.nr_regs &&
		    !memcmp(x->user.regs, y->user.regs, sizeof(x->user.regs)));
	assert_true(x->nr_kernel == y->nr_kernel && x->kernel_full == y->kernel_full &&
		    x->kernel_error == y->kernel_error);
	assert_memory_equal(x->kernel, y->kernel, x->nr_kernel * 8);
	assert_true(x->user.nr_walked == y->user.nr_walked && x->user.walked_full == y->user.walked_full &&
		    x->walked_error == y->walked_error);
	assert_memory_equal(x->user.walked, y->user.walked, x->user.nr_walked * 8);
	assert_true(x->user.ruled == y->user.ruled && x->user.placed == y->user.placed &&
		    x->user.no_table == y->user.no_table && x->user.stopped == y->user.stopped);
	assert_true(x->user.stop.pc == y->user.stop.pc && x->user.stop.sp == y->user.stop.sp &&
		    x->user.stop.bp == y->user.stop.bp && x->user.stop.exact == y->user.stop.exact);
	assert_true(x->user.walk_check == y->user.walk_check && x->space_id == y->space_id &&
		    x->walk_why == y->walk_why);
	assert_int_equal(x->user.nr_segments, y->user.nr_segments);
	for (uint32_t i = 0; i < x->user.nr_segments; i++) {
		const struct raw_segment *s = &x->user.segment[i], *t = &y->user.segment[i];

		assert_true(s->addr == t->addr && s->len == t->len && s->want == t->want &&
			    s->unreadable == t->unreadable && s->interrupted == t->interrupted);
		assert_memory_equal(s->bytes, t->bytes, s->len);
	}
}

static struct raw_event whole_wait(void)
{
	struct raw_event ev = whole_sample(RAW_WAIT);

	ev.wait = (struct raw_wait){
		.id = 77,
		.blocked_ns = 1000,
		.runnable_ns = 200,
		.period_ns = 9,
		.call = CALL_SYSCALL + 202,
		.state = WAIT_INTERRUPTIBLE,
		.context = WAKER_TASK,
		.seeded = true,
		.throttled = true,
		.sum = 5,
		.to_cpu = 1,
		.to_node = 2,
		.waker_pid = 20,
		.waker_tid = 21,
		.waker_start_ns = 22,
		.waker_comm = "waker",
		.lock = { .address = 0x4008, .op = 9, .value = 3, .from = 8, .len = LOCK_BYTES,
			  .of_interpreter = true, .holder = 4711,
			  .bytes = { [9] = 7, [47] = 8 } },
	};
	return ev;
}

static void assert_same_wait(const struct raw_wait *a, const struct raw_wait *b)
{
	assert_true(a->id == b->id && a->blocked_ns == b->blocked_ns && a->runnable_ns == b->runnable_ns &&
		    a->period_ns == b->period_ns);
	assert_true(a->call == b->call && a->state == b->state && a->context == b->context && a->seeded == b->seeded);
	assert_int_equal(a->throttled, b->throttled);
	assert_true(a->no_stack == b->no_stack && a->sum == b->sum && a->to_cpu == b->to_cpu &&
		    a->to_node == b->to_node);
	assert_true(a->waker_pid == b->waker_pid && a->waker_tid == b->waker_tid &&
		    a->waker_start_ns == b->waker_start_ns);
	assert_string_equal(a->waker_comm, b->waker_comm);
	assert_memory_equal(&a->lock, &b->lock, sizeof(a->lock));
}

static struct raw_event whole_hit(void)
{
	struct raw_event ev = whole_sample(RAW_EVENT);

	ev.hit = (struct raw_hit){
		.probe = 70,
		.value = 4096,
		.count = 2,
		.begun_ns = 4000,
		.unread = 4,
		.open = true,
		.nr_args = 3,
		.arg = args,
		.nr_texts = 2,
		.text = { { .arg = 1, .len = 23, .cut = true, .bytes = (const char *)stack },
			  { .arg = 0, .len = 0, .bytes = "" } },
	};
	return ev;
}

static void assert_same_hit(const struct raw_hit *a, const struct raw_hit *b)
{
	assert_true(a->probe == b->probe && a->value == b->value && a->count == b->count && a->begun_ns == b->begun_ns);
	assert_true(a->unread == b->unread && a->open == b->open && a->nr_args == b->nr_args &&
		    a->nr_texts == b->nr_texts);
	assert_memory_equal(a->arg, b->arg, a->nr_args * 8);
	for (unsigned int i = 0; i < a->nr_texts; i++) {
		assert_true(a->text[i].arg == b->text[i].arg && a->text[i].len == b->text[i].len &&
			    a->text[i].cut == b->text[i].cut);
		assert_memory_equal(a->text[i].bytes, b->text[i].bytes, a->text[i].len);
	}
}

/* Every call that a wait can have is the same afterwards. */
static void calls_come_back(void **state)
{
	static const uint32_t calls[] = { CALL_NONE,          CALL_FAULT,  CALL_KERNEL,      CALL_STOPPED,
					  CALL_TRACED,        CALL_FROZEN, CALL_RETURN,      CALL_SYSCALL,
					  CALL_SYSCALL + 202, CALL_COMPAT, CALL_COMPAT + 240 };
	bool compat;

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const int32_t call = wire_encode_call(calls[i], &compat);

		assert_int_equal(wire_decode_call(call, WAIT_INTERRUPTIBLE, compat), calls[i]);
	}
}

/* The stack of a wait under way, read from outside; it goes on. */
static struct raw_event whole_stack(void)
{
	struct raw_event ev = whole_sample(RAW_WAIT_STACK);

	ev.sample.outside = true;
	ev.sample.user.segment[0].want = 0;      /* nobody says how much was wanted */
	ev.wait = (struct raw_wait){ .id = 78, .call = CALL_SYSCALL + 202, .state = WAIT_INTERRUPTIBLE,
				     .seeded = true };
	return ev;
}

static void assert_same_stack(const struct raw_event *a, const struct raw_event *b)
{
	struct raw_event with_want = *b;

	with_want.sample.user.segment[0].want = b->sample.user.segment[0].len;
	assert_same_sample(a, &with_want);
	assert_same_wait(&a->wait, &b->wait);
	assert_true(a->sample.outside == b->sample.outside);
}

/* Structures without padding, or all zero where they have some. */
#define assert_same(a, b)                                                                                           \
	do {                                                                                                        \
		assert_int_equal(sizeof(a), sizeof(b));                                                             \
		assert_memory_equal(&(a), &(b), sizeof(a));                                                         \
	} while (0)

static const struct source_total total = {
	.pid = 1, .tid = 2, .start_ns = 3, .kind = EVENT_BLOCKED, .call = CALL_SYSCALL + 7, .last = true,
	.running_ns = 4, .count = 5, .blocked_ns = 6, .runnable_ns = 7, .long_count = 8, .long_blocked_ns = 9,
	.long_runnable_ns = 10, .short_count = 11, .short_ns = 12, .moves = 13, .kernel_moves = 14,
};

static void assert_same_total(const struct source_total *a, const struct source_total *b)
{
	assert_true(a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns && a->kind == b->kind &&
		    a->call == b->call && a->last == b->last);
	assert_true(a->running_ns == b->running_ns && a->count == b->count && a->blocked_ns == b->blocked_ns &&
		    a->runnable_ns == b->runnable_ns && a->long_count == b->long_count);
	assert_true(a->long_blocked_ns == b->long_blocked_ns && a->long_runnable_ns == b->long_runnable_ns &&
		    a->short_count == b->short_count && a->short_ns == b->short_ns);
	assert_true(a->moves == b->moves && a->kernel_moves == b->kernel_moves);
}

static const struct source_sum sum = {
	.pid = 1, .tid = 2, .start_ns = 3, .id = 4, .last_ns = 5, .longest_ns = 6, .longest_blocked_ns = 7,
	.longest_runnable_ns = 8, .cpu = 9, .node = 1, .call = CALL_FAULT, .state = WAIT_UNINTERRUPTIBLE, .n = 2,
	.part = { { 10, 11, 12 }, { 13, 14, 15 } },
};

static void assert_same_sum(const struct source_sum *a, const struct source_sum *b)
{
	assert_true(a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns && a->id == b->id &&
		    a->last_ns == b->last_ns && a->longest_ns == b->longest_ns);
	assert_true(a->longest_blocked_ns == b->longest_blocked_ns &&
		    a->longest_runnable_ns == b->longest_runnable_ns && a->cpu == b->cpu &&
		    a->node == b->node && a->call == b->call && a->state == b->state);
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++)
		assert_true(a->part[i].blocked_ns == b->part[i].blocked_ns &&
			    a->part[i].runnable_ns == b->part[i].runnable_ns && a->part[i].count == b->part[i].count);
}

static struct source_open whole_open(void)
{
	return (struct source_open){
		.pid = 1, .tid = 2, .start_ns = 3, .cgroup_id = 4, .exe_id = 5, .comm = "0123456789abcdef", .id = 6,
		.since_ns = 7, .woken_ns = 8, .call = CALL_STOPPED, .state = WAIT_STOPPED, .seeded = true,
		.throttled = true, .has_stack = true, .cpu = 9, .node = 1, .machine = 62,
		.nr_regs = 3, .regs = { 10, 11, 12 }, .nr_kernel = 2, .kernel = kernel,
	};
}

static void assert_same_open(const struct source_open *a, const struct source_open *b)
{
	assert_true(a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns &&
		    a->cgroup_id == b->cgroup_id && a->exe_id == b->exe_id && a->id == b->id);
	assert_string_equal(a->comm, b->comm);
	assert_true(a->since_ns == b->since_ns && a->woken_ns == b->woken_ns && a->call == b->call &&
		    a->state == b->state && a->seeded == b->seeded && a->throttled == b->throttled &&
		    a->has_stack == b->has_stack);
	assert_true(a->cpu == b->cpu && a->node == b->node && a->machine == b->machine && a->nr_regs == b->nr_regs &&
		    a->nr_kernel == b->nr_kernel);
	assert_memory_equal(a->regs, b->regs, sizeof(a->regs));
	assert_memory_equal(a->kernel, b->kernel, a->nr_kernel * 8);
}

static const struct source_home home = { .pid = 1, .tid = 2, .start_ns = 3, .home = -1, .node = 1, .policy = 2,
					 .nodes = { 3, 4 } };

/* A capture of one of each kind. */
struct made_file {
	char *bytes;
	size_t n;
};

static const struct rawfile_head head = { .begun_ns = 1, .freq_hz = 99, .stack_bytes = 32768, .nodes = 2, .features = 5,
					  .off_cpu = true, .wakers = true, .event = "cpu-clock" };

static const struct rawfile_turn turn = {
	.seen_ns = 5000, .from_ns = 5001, .now_ns = 5002, .wait_period_ns = 7, .balancing_faults = 8,
	.stats = {
		.lost = { .n = { [LOST_RING_FULL] = 5, [LOST_SIDE_BAND] = 6 } },
		.late = 1, .waits = 2, .switches = 3, .summed = 4, .unsummed = 5, .inferred = 6, .not_handed = 16,
		.stacks_read = 7, .stacks_hung = 8,
		.stacks_denied = 9, .kstacks_checked = 10, .kstacks_different = 11, .gaps = 12,
		.gaps_ns = 13, .cpus_sampled = 14, .freq_hz = 15,
	},
};

static const struct raw_inside ended = { .call = (uint64_t)3 << RAW_INSIDE_AT | 7, .took_ns = 5, .unwanted = true };

static struct made_file make_file(void)
{
	struct raw_event events[] = {
		{ .kind = RAW_COMM, .time_ns = 1, .pid = 10, .tid = 10, .comm = { .exec = true, .comm = "name" } },
		{ .kind = RAW_MMAP,
		  .time_ns = 2,
		  .cpu = 1,
		  .node = 1,
		  .pid = 10,
		  .tid = 10,
		  .mmap = { .start = 0x1000,
			    .len = 0x2000,
			    .pgoff = 0x3000,
			    .prot = 5,
			    .flags = 2,
			    .maj = 8,
			    .min = 1,
			    .ino = 77,
			    .ino_generation = 3,
			    .build_id_len = 3,
			    .build_id = "abc",
			    .path = "/lib/libc.so.6" } },
		{ .kind = RAW_FORK, .time_ns = 3, .pid = 12, .tid = 12, .fork = { .ppid = 10, .ptid = 11 } },
		{ .kind = RAW_EXIT, .time_ns = 4, .pid = 12, .tid = 12 },
		whole_sample(RAW_SAMPLE),
		whole_wait(),
		whole_sample(RAW_WAKE),
		whole_sample(RAW_FAULT),
		whole_hit(),
		whole_sample(RAW_MOVE),
		whole_stack(),
		whole_sample(RAW_INSIDE),
	};
	const struct rawfile_item answers[] = {
		{ .what = RAWFILE_PROBE, .probe = { .number = 3, .unit = UNIT_TIME, .text = "sys:openat" } },
		{ .what = RAWFILE_TOTAL, .total = total },
		{ .what = RAWFILE_TOTALS, .ns = 20 },
		{ .what = RAWFILE_SUMS_TURN, .ns = 21 },
		{ .what = RAWFILE_SUM, .sum = sum },
		{ .what = RAWFILE_OPEN, .open = whole_open() },
		{ .what = RAWFILE_LOOK, .ns = 22 },
		{ .what = RAWFILE_STACK, .event = whole_stack() },
		{ .what = RAWFILE_COMES, .asked = { .tid = 2, .start_ns = 3, .id = 4 } },
		{ .what = RAWFILE_HOME, .home = home },
		{ .what = RAWFILE_HOMES },
		{ .what = RAWFILE_STOP, .ns = 23 },
	};
	struct rawfile_item item = { .what = RAWFILE_TURN, .turn = turn };
	struct made_file m = { 0 };
	void *buf = malloc(RAWFILE_RECORD_MAX);
	FILE *f = open_memstream(&m.bytes, &m.n);

	assert_true(f && buf);
	events[6].wake = (struct raw_wake){ .tid = 5, .start_ns = 6, .wait_id = 7, .context = WAKER_SOFTIRQ };
	events[7].sample.addr = 0x7f0000000000;
	events[9].wait = whole_wait().wait;
	events[11].inside = ended;
	assert_int_equal(rawfile_begin(f, &head), 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		item = (struct rawfile_item){ .what = RAWFILE_EVENT, .told = i == 1, .further = i == 10,
					      .event = events[i] };
		assert_int_equal(rawfile_put(f, &item, buf), 0);
		item = (struct rawfile_item){ .what = RAWFILE_TURN, .turn = { .seen_ns = 4 } };
		if (i == 3)
			assert_int_equal(rawfile_put(f, &item, buf), 0);
	}
	item = (struct rawfile_item){ .what = RAWFILE_TURN, .turn = turn };
	assert_int_equal(rawfile_put(f, &item, buf), 0);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		assert_int_equal(rawfile_put(f, &answers[i], buf), 0);
	fclose(f);
	free(buf);
	return m;
}

static struct rawfile *open_bytes(char *bytes, size_t n)
{
	struct rawfile_head got;
	struct rawfile *r = NULL;
	struct err e = ERR_INIT;
	FILE *f = fmemopen(bytes, n, "r");

	assert_non_null(f);
	assert_int_equal(rawfile_open(f, &got, &r, &e), 0);
	assert_true(got.begun_ns == 1 && got.freq_hz == 99 && got.stack_bytes == 32768 &&
		    got.nodes == 2 && got.features == 5 &&
		    got.off_cpu && got.wakers && !strcmp(got.event, "cpu-clock"));
	return r;
}

static struct rawfile_item next_item(struct rawfile *r, enum rawfile_what what)
{
	struct rawfile_item item;
	struct err e = ERR_INIT;

	assert_int_equal(rawfile_next(r, &item, &e), what);
	assert_int_equal(item.what, what);
	return item;
}

static struct raw_event next_event(struct rawfile *r)
{
	return next_item(r, RAWFILE_EVENT).event;
}

static void answers_come_back(struct rawfile *r)
{
	const struct source_open open = whole_open();
	const struct raw_event under_way = whole_stack();
	struct rawfile_item item = next_item(r, RAWFILE_PROBE);
	struct raw_event kept;
	size_t bytes;
	void *copy;

	assert_true(item.probe.number == 3 && item.probe.unit == UNIT_TIME);
	assert_string_equal(item.probe.text, "sys:openat");
	item = next_item(r, RAWFILE_TOTAL);
	assert_same_total(&item.total, &total);
	assert_int_equal(next_item(r, RAWFILE_TOTALS).ns, 20);
	assert_int_equal(next_item(r, RAWFILE_SUMS_TURN).ns, 21);
	item = next_item(r, RAWFILE_SUM);
	assert_same_sum(&item.sum, &sum);
	item = next_item(r, RAWFILE_OPEN);
	assert_same_open(&item.open, &open);
	rawfile_unread(r);
	item = next_item(r, RAWFILE_OPEN);
	assert_same_open(&item.open, &open);
	assert_int_equal(next_item(r, RAWFILE_LOOK).ns, 22);
	item = next_item(r, RAWFILE_STACK);
	assert_same_stack(&item.event, &under_way);
	copy = rawfile_keep(r, &bytes);
	assert_true(copy && bytes && rawfile_kept(copy, &kept));
	assert_same_stack(&kept, &under_way);
	free(copy);
	item = next_item(r, RAWFILE_COMES);
	assert_true(item.asked.tid == 2 && item.asked.start_ns == 3 && item.asked.id == 4);
	item = next_item(r, RAWFILE_HOME);
	assert_true(item.home.pid == 1 && item.home.tid == 2 && item.home.start_ns == 3 && item.home.home == -1 &&
		    item.home.node == 1 && item.home.policy == 2 && item.home.nodes[0] == 3 && item.home.nodes[1] == 4);
	next_item(r, RAWFILE_HOMES);
	assert_int_equal(next_item(r, RAWFILE_STOP).ns, 23);
}

static void all_kinds_come_back(void **state)
{
	struct made_file m = make_file();
	struct rawfile *r = open_bytes(m.bytes, m.n);
	struct raw_event ev = next_event(r), want;
	struct rawfile_item item;

	(void)state;
	assert_true(ev.kind == RAW_COMM && ev.comm.exec && !strcmp(ev.comm.comm, "name") && ev.time_ns == 1 &&
		    ev.pid == 10);
	item = next_item(r, RAWFILE_EVENT);
	assert_true(item.told && !item.further);
	ev = item.event;
	assert_true(ev.kind == RAW_MMAP && ev.cpu == 1 && ev.node == 1 && ev.mmap.start == 0x1000 &&
		    ev.mmap.len == 0x2000);
	assert_true(ev.mmap.pgoff == 0x3000 && ev.mmap.prot == 5 && ev.mmap.flags == 2 && ev.mmap.maj == 8 &&
		    ev.mmap.min == 1);
	assert_true(ev.mmap.ino == 77 && ev.mmap.ino_generation == 3 && ev.mmap.build_id_len == 3 &&
		    !memcmp(ev.mmap.build_id, "abc", 3));
	assert_string_equal(ev.mmap.path, "/lib/libc.so.6");
	ev = next_event(r);
	assert_true(ev.kind == RAW_FORK && ev.pid == 12 && ev.fork.ppid == 10 && ev.fork.ptid == 11);
	ev = next_event(r);
	assert_true(ev.kind == RAW_EXIT && ev.time_ns == 4 && ev.tid == 12);
	assert_int_equal(next_item(r, RAWFILE_TURN).turn.seen_ns, 4);
	ev = next_event(r);
	want = whole_sample(RAW_SAMPLE);
	assert_same_sample(&ev, &want);
	ev = next_event(r);
	want = whole_wait();
	assert_same_sample(&ev, &want);
	assert_same_wait(&ev.wait, &want.wait);
	ev = next_event(r);
	assert_true(ev.kind == RAW_WAKE && ev.wake.tid == 5 && ev.wake.start_ns == 6 && ev.wake.wait_id == 7 &&
		    ev.wake.context == WAKER_SOFTIRQ);
	ev = next_event(r);
	assert_true(ev.kind == RAW_FAULT && ev.sample.addr == 0x7f0000000000);
	ev = next_event(r);
	want = whole_hit();
	assert_same_sample(&ev, &want);
	assert_same_hit(&ev.hit, &want.hit);
	ev = next_event(r);
	assert_int_equal(ev.kind, RAW_MOVE);
	want = whole_wait();
	assert_same_wait(&ev.wait, &want.wait);
	item = next_item(r, RAWFILE_EVENT);
	want = whole_stack();
	assert_true(item.further && item.event.kind == RAW_WAIT_STACK);
	assert_same_stack(&item.event, &want);
	ev = next_event(r);
	assert_true(ev.kind == RAW_INSIDE && ev.inside.call == ended.call && ev.inside.took_ns == ended.took_ns &&
		    ev.inside.unwanted);
	item = next_item(r, RAWFILE_TURN);
	assert_same(item.turn, turn);
	answers_come_back(r);
	next_item(r, RAWFILE_END);
	assert_false(rawfile_cut(r));
	rawfile_close(r);
	free(m.bytes);
}

/* All that can be read of R; 0 at its end, a negative errno where that is. */
static int read_all(struct rawfile *r, struct err *e)
{
	struct rawfile_item item;
	int what;

	while ((what = rawfile_next(r, &item, e)) > 0)
		;
	return what;
}

static void cut_anywhere(void **state)
{
	struct made_file m = make_file();
	struct rawfile_head got;
	size_t heads = 0;

	(void)state;
	for (size_t n = 1; n < m.n; n++) {
		struct rawfile *r = NULL;
		FILE *f = fmemopen(m.bytes, n, "r");

		assert_non_null(f);
		if (rawfile_open(f, &got, &r, NULL)) {
			heads++;
			continue;
		}
		assert_int_equal(read_all(r, NULL), 0);
		rawfile_close(r);
	}
	assert_int_equal(heads, 63);
	free(m.bytes);
}

/* Each byte changed in turn: read to some end, or refused with a sentence. */
static void damaged_anywhere(void **state)
{
	struct made_file m = make_file();

	(void)state;
	for (size_t at = 64; at < m.n; at++) {
		struct err e = ERR_INIT;
		struct rawfile *r;
		int end;

		m.bytes[at] = (char)(m.bytes[at] ^ 0xff);
		r = open_bytes(m.bytes, m.n);
		end = read_all(r, &e);
		assert_true(end == 0 || (end == -EBADMSG && strstr(e.text, "is damaged")));
		rawfile_close(r);
		m.bytes[at] = (char)(m.bytes[at] ^ 0xff);
	}
	free(m.bytes);
}

static void others_are_refused(void **state)
{
	struct made_file m = make_file();
	static const struct {
		size_t at;
		const char *says;
	} heads[] = {
		{ 0, "no raw capture" }, { 8, "another version" }, { 12, "another version" }, { 16, "another version" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		struct rawfile_head got;
		struct rawfile *r = NULL;
		struct err e = ERR_INIT;

		m.bytes[heads[i].at] ^= 1;
		assert_int_equal(rawfile_open(fmemopen(m.bytes, m.n, "r"), &got, &r, &e), -EBADMSG);
		assert_non_null(strstr(e.text, heads[i].says));
		assert_null(r);
		m.bytes[heads[i].at] ^= 1;
	}
	free(m.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_come_back),
		cmocka_unit_test(all_kinds_come_back),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(damaged_anywhere),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
