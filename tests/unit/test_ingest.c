/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ingest.c - what becomes of raw events beside their stacks: who hears of them, who ended a
 * wait, what is learnt from a cut. The process is made up and has no mappings, so every walk ends
 * at once.
 */
#include "config.h"

#include "base/clock.h"
#include "bpf/wire.h"
#include "capture/source_ops.h"
#include "engine/ingest.h"
#include "process/process_private.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_REGS 17               /* of x86-64 */
#define P1 10000001

struct world {
	struct source source;    /* the first member: see world_of() */
	struct dict *dict;
	struct processes *ps;
	struct ingest *in;
	struct event_sink sink;
	unsigned int samples, waits, stacks;
	struct event last;
	uint32_t cap;
	unsigned int further;    /* how often more of a stack was asked for */
	bool no_more;            /* there is none */
};

static void take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	/* What nobody settles is told once more, as it goes into the profile. */
	if (!raw)
		return;
	w->samples += raw->kind == RAW_SAMPLE;
	w->waits += raw->kind == RAW_WAIT;
	w->stacks += raw->kind == RAW_WAIT_STACK;
	w->last = *ev;
}

static struct world *world_of(struct source *s)
{
	return (struct world *)s;
}

static int set_cap(struct source *s, uint64_t exe_id, uint32_t bytes)
{
	world_of(s)->cap = bytes;
	return 0;
}

/* Only tells that waits are followed. */
static int no_totals(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e)
{
	return 0;
}

static bool read_further(struct source *s, const struct raw_event *raw)
{
	struct world *w = world_of(s);

	assert_true(raw->sample.outside);
	w->further++;
	return !w->no_more;
}

static const struct source_ops fake = {
	.set_stack_cap = set_cap, .totals = no_totals, .read_further = read_further, .of_now = true,
};

static int load(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	return err_set(e, ENOENT, "there are no files here");
}

static int make(void **state, bool waits)
{
	struct world *w = calloc(1, sizeof(*w));
	struct ingest_config c = { .waits = waits, .stack_bytes = 32768 };

	assert_non_null(w);
	w->source.ops = &fake;
	c.source = &w->source;
	w->sink = (struct event_sink){ .observer = take, .observer_ctx = w };
	c.sink = &w->sink;
	*state = w;
	c.dict = w->dict = dict_new();
	assert_int_equal(processes_new_with(w->dict, load, NULL, NSEC_PER_SEC, &w->ps, NULL), 0);
	c.ps = w->ps;
	return ingest_new(&c, &w->in, NULL);
}

static int set_up(void **state)
{
	return make(state, true);
}

static int set_up_without(void **state)
{
	return make(state, false);
}

static int tear_down(void **state)
{
	struct world *w = *state;

	ingest_free(w->in);
	processes_free(w->ps);
	dict_free(w->dict);
	free(w);
	return 0;
}

static struct raw_event raw(enum raw_kind kind, pid_t tid)
{
	struct raw_event ev = { .kind = kind, .time_ns = 1000, .pid = P1, .tid = tid, .node = 1, .cpu = 3 };

	ev.sample.start_ns = (uint64_t)tid;
	ev.sample.user.machine = EM_X86_64;
	ev.sample.user.nr_regs = NR_REGS;
	ev.sample.user.regs[NR_REGS - 1] = 0x1234;
	memcpy(ev.sample.comm, "worker", 7);
	return ev;
}

/* The wait ID of thread P1 is over. */
static struct raw_event wait_of(uint64_t id)
{
	struct raw_event ev = raw(RAW_WAIT, P1);

	ev.wait = (struct raw_wait){ .id = id, .blocked_ns = 5, .period_ns = 1, .call = CALL_SYSCALL + 202,
				     .state = WAIT_INTERRUPTIBLE, .context = WAKER_TASK };
	return ev;
}

/* Thread P1 + 1 wakes P1 out of the wait ID. */
static void wakes(struct world *w, uint64_t id, enum waker_context context)
{
	struct raw_event ev = raw(RAW_WAKE, P1 + 1);

	ev.wake = (struct raw_wake){ .tid = P1, .start_ns = P1, .wait_id = id, .context = (uint8_t)context };
	ingest_raw(w->in, &ev);
}

static void a_sample_weighs_what_it_says(void **state)
{
	struct world *w = *state;
	struct raw_event ev = raw(RAW_SAMPLE, P1);
	struct ingest_figures f;

	ev.sample.weight = 77;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->samples, 1);
	assert_int_equal(w->last.kind, EVENT_SAMPLE);
	assert_int_equal(w->last.weight, 77);
	ingest_figures(w->in, &f);
	assert_int_equal(f.samples, 1);
	assert_int_equal(f.user_samples, 1);
	assert_int_equal(f.wait_stacks, 0);
	assert_int_equal(f.unwound.way[WAY_COPY], 1);
	assert_int_equal(f.unwound.walk[WALK_NOT_ASKED], 1);
}

static void a_wait_has_its_stack_and_call(void **state)
{
	struct world *w = *state;
	struct raw_event ev = wait_of(7);
	struct ingest_figures f;

	ev.wait.seeded = true;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->waits, 1);
	assert_int_not_equal(w->last.stack, ID_NONE);
	assert_int_equal(w->last.wait.call, CALL_SYSCALL + 202);
	assert_int_equal(w->last.wait.state, WAIT_INTERRUPTIBLE);
	assert_int_equal(w->last.flags, EVENT_F_USER | EVENT_F_EARLIER);
	assert_int_equal(w->last.node, 1);
	assert_string_equal(strtab_get(dict_strings(w->dict), dict_get_thread(w->dict, w->last.thread)->comm),
			    "worker");
	ingest_figures(w->in, &f);
	assert_int_equal(f.samples, 0);
	assert_int_equal(f.wait_stacks, 1);

	/* One whose stack is elsewhere. */
	ev.wait.no_stack = true;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->waits, 2);
	assert_int_equal(w->last.stack, ID_NONE);
	ingest_figures(w->in, &f);
	assert_int_equal(f.wait_stacks, 1);
}

static void without_waits_they_are_ignored(void **state)
{
	struct world *w = *state;
	const struct raw_event ev = wait_of(7);

	wakes(w, 7, WAKER_TASK);
	ingest_raw(w->in, &ev);
	assert_int_equal(dict_threads(w->dict), 0);
}

static void who_ended_a_wait(void **state)
{
	struct world *w = *state;
	struct raw_event ev = wait_of(7);

	wakes(w, 7, WAKER_TASK);
	/* A look at it while it lasts leaves its waker for the end. */
	ev.kind = RAW_WAIT_STACK;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->stacks, 1);
	assert_int_equal(w->last.wait.waker, ID_NONE);
	ev.kind = RAW_WAIT;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.wait.context, WAKER_TASK);
	assert_int_equal(dict_get_thread(w->dict, w->last.wait.waker)->tid, P1 + 1);
	assert_int_not_equal(w->last.wait.waker_stack, STACK_ROOT);
	/* Only once, and only of that wait. */
	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.wait.waker, ID_NONE);
	wakes(w, 8, WAKER_TASK);
	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.wait.context, WAKER_UNKNOWN);
}

/* What the kernel half says of the waker is believed only with what the stack of the waking says. */
static void an_interrupt_is_nobody(void **state)
{
	struct world *w = *state;
	const struct raw_event ev = wait_of(7);

	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.wait.context, WAKER_UNKNOWN);
	wakes(w, 7, WAKER_HARDIRQ);
	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.wait.context, WAKER_HARDIRQ);
	assert_int_equal(w->last.wait.waker, ID_NONE);
	assert_int_equal(w->last.wait.waker_stack, STACK_ROOT);
}

/*
 * Makes pc executable memory without code that is known, so that the walk goes by frame pointers
 * and reads the stack.
 */
static void map_code(struct world *w)
{
	struct raw_event ev = { .kind = RAW_COMM, .pid = P1, .tid = P1, .time_ns = 1, .comm = { true, "prog" } };

	processes_apply(w->ps, &ev);
	ev = (struct raw_event){ .kind = RAW_MMAP, .pid = P1, .tid = P1, .time_ns = 2,
				 .mmap = { .start = 0x1000, .len = 0x1000, .prot = 4, .path = "//anon" } };
	processes_apply(w->ps, &ev);
}

/* EV with a stack of LEN bytes that goes on where they end. */
static void cut_off_of(struct world *w, struct raw_event ev, uint32_t len)
{
	static uint64_t stack[65536 / 8];

	/* Frames of 16 bytes: the caller's frame pointer and an address in the same code. */
	for (uint32_t i = 0; i < len / 8; i += 2) {
		stack[i] = 0x700000 + 8 * (i + 2);
		stack[i + 1] = 0x1300;
	}
	ev.sample.exe_id = 5;
	ev.sample.user.regs[6] = ev.sample.user.regs[7] = 0x700000;
	ev.sample.user.nr_segments = 1;
	ev.sample.user.segment[0] = (struct raw_segment){ .addr = 0x700000, .len = len,
							  .bytes = (const uint8_t *)stack };
	ingest_raw(w->in, &ev);
}

static void cut_off(struct world *w, uint32_t len)
{
	cut_off_of(w, raw(RAW_SAMPLE, P1), len);
}

/* Only of a thread that waits more can be had; it is no event before, and none is lost if there is no more. */
static void a_stack_from_outside_is_read_further(void **state)
{
	struct world *w = *state;
	struct raw_event ev = raw(RAW_WAIT_STACK, P1);

	map_code(w);
	ev.wait = (struct raw_wait){ .id = 7, .call = CALL_SYSCALL + 202, .state = WAIT_INTERRUPTIBLE };
	cut_off(w, 4096);
	cut_off_of(w, ev, 4096);
	assert_int_equal(w->further, 0);
	assert_int_equal(w->stacks, 1);
	ev.sample.outside = true;
	cut_off_of(w, ev, 4096);
	assert_int_equal(w->further, 1);
	assert_int_equal(w->stacks, 1);
	w->no_more = true;
	cut_off_of(w, ev, 4096);
	assert_int_equal(w->further, 2);
	assert_int_equal(w->stacks, 2);
	assert_int_equal(w->last.cut, CUT_STACK_SIZE);
}

/*
 * A copy that is shorter than what is asked for by now was under way when that was learnt, or found
 * no room for more.
 */
static void a_lesson_is_learnt_once(void **state)
{
	struct world *w = *state;
	struct ingest_figures f;

	map_code(w);
	cut_off(w, 32768);
	ingest_figures(w->in, &f);
	assert_int_equal(f.cut[CUT_STACK_SIZE], 1);
	assert_int_equal(w->cap, 65536);
	w->cap = 0;
	cut_off(w, 32768);
	assert_int_equal(w->cap, 0);
	ingest_figures(w->in, &f);
	assert_int_equal(f.cut[CUT_STACK_SIZE], 2);
}

/* Why the kernel half left a stack to a copy is in its event, and counted. */
static void a_copy_says_why(void **state)
{
	struct world *w = *state;
	struct raw_event ev = raw(RAW_SAMPLE, P1);
	struct ingest_figures f;

	ev.sample.space_id = 1;
	ev.sample.walk_why = SB_WALK_NO_RULE;
	ingest_raw(w->in, &ev);
	assert_int_equal(w->last.walk, WALK_NO_RULE);
	assert_int_equal(w->last.flags, EVENT_F_USER);
	ingest_figures(w->in, &f);
	assert_int_equal(f.unwound.way[WAY_COPY], 1);
	assert_int_equal(f.unwound.walk[WALK_NO_RULE], 1);
	assert_int_equal(f.unwound.learned, 0);
	assert_int_equal(unwound_total(&f.wait_unwound), 0);
	ev = raw(RAW_WAIT, P1);
	ev.sample.space_id = 1;
	ev.sample.walk_why = SB_WALK_NO_MAP;
	ingest_raw(w->in, &ev);
	ingest_figures(w->in, &f);
	assert_int_equal(f.unwound.way[WAY_COPY], 2);
	assert_int_equal(f.wait_unwound.way[WAY_COPY], 1);
	assert_int_equal(f.wait_unwound.walk[WALK_NO_MAP], 1);
	assert_int_equal(f.wait_unwound.walk[WALK_NO_RULE], 0);
}

static void a_small_copy_teaches_nothing(void **state)
{
	struct world *w = *state;

	map_code(w);
	cut_off(w, 16384);
	assert_int_equal(w->cap, 0);
}

static struct world *short_of_memory;

static void three_samples(void)
{
	for (pid_t tid = P1; tid < P1 + 3; tid++) {
		struct raw_event ev = raw(RAW_SAMPLE, tid);

		ev.pid = tid;
		ingest_raw(short_of_memory->in, &ev);
	}
}

static void settle(void)
{
	ingest_settle(short_of_memory->in);
}

/* Whichever allocation fails: what is not delivered is counted. */
static void without_memory_samples_are_counted(void **state)
{
	struct ingest_figures f;
	bool failed = true, lost = false;

	(void)state;
	for (long n = 0; failed; n++) {
		struct world *w;
		void *made;

		assert_int_equal(set_up(&made), 0);
		w = short_of_memory = made;
		failed = fail_alloc_try(n, three_samples);
		ingest_figures(w->in, &f);
		assert_int_equal(w->samples + f.no_memory, 3);
		lost |= f.no_memory > 0;
		tear_down(&made);
	}
	assert_true(lost);
}

/* A sample waits for its file to be loaded, its process is forgotten meanwhile, and cannot be made known again. */
static void what_waits_is_counted_too(void **state)
{
	struct world *w = short_of_memory = *state;
	struct raw_event ev = { .kind = RAW_MMAP, .pid = P1, .tid = P1, .time_ns = 2,
				.mmap = { .start = 0x1000, .len = 0x1000, .prot = 4, .ino = 1,
					  .path = "/nowhere/at/all" } };
	struct ingest_figures f;

	processes_apply(w->ps, &ev);
	ev = raw(RAW_SAMPLE, P1);
	ingest_raw(w->in, &ev);
	ingest_figures(w->in, &f);
	assert_int_equal(f.parked, 1);
	assert_int_equal(w->ps->v.n, 1);
	ev = (struct raw_event){ .kind = RAW_EXIT, .pid = P1, .tid = P1, .time_ns = 2000 };
	processes_apply(w->ps, &ev);
	w->ps->v.v[0]->used_ns = w->ps->swept_ns = 0;
	processes_apply(w->ps, &ev);
	assert_int_equal(w->ps->v.n, 0);
	assert_true(fail_alloc_try(0, settle));
	ingest_figures(w->in, &f);
	assert_int_equal(f.parked, 0);
	assert_int_equal(w->samples + f.no_memory, 1);
	assert_int_equal(f.no_memory, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(a_sample_weighs_what_it_says),
		TEST(a_wait_has_its_stack_and_call),
		cmocka_unit_test_setup_teardown(without_waits_they_are_ignored, set_up_without, tear_down),
		TEST(who_ended_a_wait),
		TEST(an_interrupt_is_nobody),
		TEST(a_stack_from_outside_is_read_further),
		TEST(a_lesson_is_learnt_once),
		TEST(a_copy_says_why),
		TEST(a_small_copy_teaches_nothing),
		cmocka_unit_test(without_memory_samples_are_counted),
		TEST(what_waits_is_counted_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
