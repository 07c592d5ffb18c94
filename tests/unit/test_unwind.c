/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_unwind.c - the walk on tests/fixtures/tiny.raw and on stacks made by hand: what is found,
 * and what each way of being incomplete is called.
 */
#include "config.h"

#include "bpf/wire.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/madedump.h"
#include "tests/unwind/fixture.h"
#include "unwind/image_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JIT 0x100000u            /* made-up anonymous code, and a made-up stack */
#define STACK 0x7ff000u
#define REG_FP 6
#define REG_SP 7
#define REG_PC 16
#define NR_REGS 17u
#define MACHINE 62u
#define HANDLER_FRAMES 4u        /* spin, handler, sigreturn code, and the frame that was interrupted */

static struct chain chain;

static struct fixture load(void)
{
	AUTO_FILE FILE *f = NULL;
	char path[4096];
	struct fixture fx;

	snprintf(path, sizeof(path), "%s/tests/fixtures/tiny.raw", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "re");
	assert_non_null(f);
	assert_true(fixture_read(f, &fx));
	assert_non_null(fx.expect);
	return fx;
}

static void walk(struct fixture *fx)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct unwind_space space = fixture_space(fx);

	assert_non_null(u);
	unwind_sample(u, &space, &fx->input, &chain);
}

static void assert_frames(const struct chain *want, uint32_t n)
{
	assert_int_equal(chain.n, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(chain.frame[i].module, want->frame[i].module);
		assert_int_equal(chain.frame[i].offset, want->frame[i].offset);
	}
}

static void test_whole(void **state)
{
	struct fixture fx = load();

	walk(&fx);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_int_equal(chain.cut_module, ID_NONE);
	assert_int_equal(chain.method, METHOD_CFI);
	assert_false(chain.loading);
	assert_frames(fx.expect, fx.expect->n);
	assert_true(chain.bytes_used > 0 && chain.bytes_used < fx.input.segment[0].len);
	fixture_free(&fx);
}

/* However few bytes there are, the chain is a beginning of the true one and says how many would have been needed. */
static void cut_segment(unsigned int which, bool unreadable)
{
	struct fixture fx = load();
	uint32_t full = fx.input.segment[which].len;
	unsigned int cuts = 0;

	for (uint32_t len = 128; len < full; len += 8) {
		uint64_t base = which == 0 ? fx.input.regs[REG_SP] : fx.input.segment[1].addr + 128;

		fx.input.segment[which].len = len;
		fx.input.segment[which].unreadable = unreadable;
		walk(&fx);
		assert_frames(fx.expect, chain.n);
		if (chain.cut == CUT_COMPLETE)
			break;
		cuts++;
		assert_int_equal(chain.cut, unreadable ? CUT_STACK_UNREADABLE : CUT_STACK_SIZE);
		if (!unreadable)
			assert_true(base + chain.bytes_used > fx.input.segment[which].addr + len);
	}
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_true(cuts > 3);
	fixture_free(&fx);
}

static void test_cut(void **state)
{
	for (unsigned int which = 0; which < 2; which++) {
		cut_segment(which, false);
		cut_segment(which, true);
	}
}

/* What was copied in pieces is walked as if it were one. */
static void test_pieces(void **state)
{
	struct fixture fx = load();
	const struct raw_segment whole = fx.input.segment[0], under = fx.input.segment[1];

	assert_int_equal(fx.input.nr_segments, 2);
	fx.input.nr_segments = 3;
	fx.input.segment[1] = under;
	for (uint32_t len = 128; len < whole.len; len += 8) {
		fx.input.segment[0].len = len;
		fx.input.segment[2] = whole;
		fx.input.segment[2].addr += len;
		fx.input.segment[2].bytes += len;
		fx.input.segment[2].len -= len;
		walk(&fx);
		assert_int_equal(chain.cut, CUT_COMPLETE);
		assert_frames(fx.expect, fx.expect->n);
	}
	fixture_free(&fx);
}

static void test_no_interrupted_stack(void **state)
{
	struct fixture fx = load();

	fx.input.nr_segments = 1;
	walk(&fx);
	assert_frames(fx.expect, HANDLER_FRAMES);
	assert_int_equal(chain.cut, CUT_STACK_UNREADABLE);
	fx.input.nr_segments = 0;
	walk(&fx);
	assert_frames(fx.expect, 1);
	assert_int_equal(chain.cut, CUT_STACK_UNREADABLE);
	fixture_free(&fx);
}

static void assert_state(enum map_state state, enum cut_reason cut, bool loading)
{
	struct fixture fx = load();

	fx.maps.v[0].map.state = state;
	walk(&fx);
	assert_frames(fx.expect, 1);
	assert_int_equal(chain.cut, cut);
	assert_int_equal(chain.cut_module, 0);
	assert_int_equal(chain.loading, loading);
	fixture_free(&fx);
}

static void test_states(void **state)
{
	assert_state(MAP_LOADING, CUT_NOT_LOADED, true);
	assert_state(MAP_NO_FILE, CUT_NO_FILE, false);
	assert_state(MAP_SPECIAL, CUT_NO_CFI, false);
}

/*
 * Whether a word is a return address is known when what it points to has been loaded: until then
 * the walk is to be made again.
 */
static void test_return_to_what_is_loading(void **state)
{
	struct fixture fx = load();
	const uint64_t ra = 0x10001000;
	struct fixture_map *m = vec_push(&fx.maps);

	assert_non_null(m);
	*m = (struct fixture_map){ .map = { .start = 0x10000000, .end = 0x10010000, .state = MAP_LOADING } };
	fx.maps.v[0].map.state = MAP_SPECIAL;
	memcpy(fx.seg[0] + (fx.input.regs[REG_SP] - fx.input.segment[0].addr), &ra, sizeof(ra));
	walk(&fx);
	assert_int_equal(chain.cut, CUT_NO_CFI);
	assert_true(chain.loading);
	fixture_free(&fx);
}

static void test_no_mapping(void **state)
{
	struct fixture fx = load();

	fx.maps.n = 0;
	walk(&fx);
	assert_int_equal(chain.n, 0);
	assert_int_equal(chain.cut, CUT_NO_MAPPING);
	assert_int_equal(chain.cut_module, ID_NONE);
	fixture_free(&fx);
}

static void test_no_user_side(void **state)
{
	struct fixture fx = load();

	fx.input.kthread = true;
	walk(&fx);
	assert_int_equal(chain.n, 0);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_int_equal(chain.method, METHOD_NONE);
	fx.input.kthread = false;
	fx.input.compat = true;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_COMPAT);
	fx.input.compat = false;
	fx.input.nr_regs = 0;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_NO_REGS);
	fx.input.nr_regs = NR_REGS;
	fx.input.machine = 183;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_NO_REGS);
	fixture_free(&fx);
}

/* What the kernel walked: the chain's own places, as the return addresses that the kernel would have given. */
static void test_walked(void **state)
{
	struct fixture fx = load();
	uint64_t walked[16];

	for (uint32_t i = 0; i < fx.expect->n; i++)
		walked[i] = fixture_address(&fx, &fx.expect->frame[i]) + (i > 0);
	fx.input.walked = walked;
	fx.input.nr_walked = fx.expect->n;
	walk(&fx);
	assert_int_equal(chain.method, METHOD_KERNEL);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_frames(fx.expect, fx.expect->n);
	fx.input.nr_walked--;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_FP_END);
	assert_frames(fx.expect, fx.expect->n - 1);
	walked[2] = 1;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_NO_MAPPING);
	assert_frames(fx.expect, 2);
	fixture_free(&fx);
}

/*
 * The same walked by rules: what follows a signal's frame is exact, what a signal returns to was
 * left by no call, and the places that rules were taken for have to be those that are mapped.
 */
static void test_ruled(void **state)
{
	struct fixture fx = load();
	uint64_t walked[16], check = 0;

	for (uint32_t i = 0; i < fx.expect->n; i++) {
		const struct frame *f = &fx.expect->frame[i];
		const bool sigreturn = i == HANDLER_FRAMES - 2, interrupted = i == HANDLER_FRAMES - 1;

		walked[i] = fixture_address(&fx, f) + (i > 0 && !sigreturn && !interrupted);
		check = sb_check(check, f->module, f->offset - sigreturn);
	}
	fx.input.walked = walked;
	fx.input.nr_walked = fx.expect->n;
	fx.input.ruled = fx.input.placed = true;
	fx.input.walk_check = check;
	walk(&fx);
	assert_int_equal(chain.method, METHOD_RULES);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_frames(fx.expect, fx.expect->n);
	fx.input.walked_full = true;            /* there were more frames than it had room for: these are the nearest */
	walk(&fx);
	assert_int_equal(chain.cut, CUT_FRAME_LIMIT);
	assert_frames(fx.expect, fx.expect->n);
	fx.input.walked_full = false;
	fx.input.walk_check++;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STALE);
	assert_int_equal(chain.n, 0);
	fx.input.walk_check--;
	/* A file that is not loaded may turn out to be the one that it was taken for. */
	fx.maps.v[0].map.state = MAP_LOADING;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_NOT_LOADED);
	assert_true(chain.loading);
	assert_int_equal(chain.n, 0);
	fx.maps.v[0].map.state = MAP_READY;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	walked[2] = 1;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STALE);
	assert_int_equal(chain.n, 0);
	fixture_free(&fx);
}

/* Where calls left all return addresses, no rule is looked up. */
static void test_ruled_by_calls(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct fixture fx = load();
	struct unwind_space space = fixture_space(&fx);
	struct unwind_stats stats;
	uint64_t walked[2];

	fx.input.walked = walked;
	fx.input.nr_walked = 2;
	fx.input.ruled = true;
	for (uint32_t i = 0; i < 2; i++) {
		const struct frame *f = &fx.expect->frame[i];

		walked[i] = fixture_address(&fx, f) + (i > 0);
		fx.input.walk_check = sb_check(fx.input.walk_check, f->module, f->offset);
	}
	unwind_sample(u, &space, &fx.input, &chain);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_frames(fx.expect, 2);
	unwinder_stats(u, &stats);
	assert_int_equal(stats.rule_misses + stats.rule_hits, 0);
	fixture_free(&fx);
}

static void rows_are_asked_for_once(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct fixture fx = load();
	struct unwind_space space = fixture_space(&fx);
	struct unwind_stats one, two;

	unwind_sample(u, &space, &fx.input, &chain);
	unwinder_stats(u, &one);
	assert_int_equal(one.rule_misses, fx.expect->n);
	assert_int_equal(one.rule_hits, 0);
	unwind_sample(u, &space, &fx.input, &chain);
	unwinder_stats(u, &two);
	assert_int_equal(two.rule_misses, one.rule_misses);
	assert_int_equal(two.rule_hits, fx.expect->n);
	assert_int_equal(two.frames, 2 * fx.expect->n);
	assert_frames(fx.expect, fx.expect->n);
	fixture_free(&fx);
}

/* N frames of SIZE bytes in JIT code, each with a saved frame pointer; the outermost one's is END. */
static struct fixture jit_stack(uint32_t n, uint32_t size, uint64_t end)
{
	struct fixture fx = { .input = { .machine = MACHINE, .nr_regs = NR_REGS, .nr_segments = 1 } };
	struct fixture_map *m = vec_push(&fx.maps);
	uint64_t *words;

	assert_non_null(m);
	*m = (struct fixture_map){ .map = { .start = JIT, .end = JIT + 4096, .pgoff = JIT, .module = 7,
					    .state = MAP_ANON } };
	fx.seg[0] = calloc(n, size);
	assert_non_null(fx.seg[0]);
	words = (uint64_t *)fx.seg[0];
	for (uint32_t i = 0; i < n; i++) {
		words[i * size / 8] = i + 1 < n ? STACK + (uint64_t)(i + 1) * size : end;
		words[i * size / 8 + 1] = i + 1 < n ? JIT + 16 + i % 100 : 0;
	}
	fx.input.segment[0] = (struct raw_segment){ .addr = STACK, .len = n * size, .bytes = fx.seg[0] };
	fx.input.regs[REG_SP] = fx.input.regs[REG_FP] = STACK;
	fx.input.regs[REG_PC] = JIT + 5;
	return fx;
}

static void test_frame_pointers(void **state)
{
	struct fixture fx = jit_stack(10, 32, 0);

	walk(&fx);
	assert_int_equal(chain.n, 10);
	assert_int_equal(chain.cut, CUT_FP_END);
	assert_int_equal(chain.cut_module, 7);
	assert_int_equal(chain.method, METHOD_MIXED);
	assert_int_equal(chain.frame[0].offset, JIT + 5);
	assert_int_equal(chain.frame[1].offset, JIT + 15);
	assert_int_equal(chain.bytes_used, 320 - 16);
	fixture_free(&fx);
}

/*
 * Branch records of 8, 16 and 32 calls that have not returned: a frame for each, where it calls; behind the last one
 * there may be more, unless it is known that nothing is. Records of what is mapped no more end the stack; so do empty
 * ones between others, of which the kernel half makes address 1, and those of the kernel, of what takes the sample.
 */
static void test_branch_records(void **state)
{
	static const uint32_t sizes[] = { 8, 16, 32 };
	struct fixture fx = jit_stack(1, 32, 0);
	static const uint64_t strange[] = { 0x10, 1, 0xffffffff81000001ull };
	uint64_t walked[33];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		walked[0] = JIT + 5;
		for (uint32_t k = 1; k <= sizes[i]; k++)
			walked[k] = JIT + 16 + k + 1;
		fx.input.walked = walked;
		fx.input.nr_walked = sizes[i] + 1;
		fx.input.recorded = fx.input.walked_full = true;
		walk(&fx);
		assert_int_equal(chain.method, METHOD_RECORDS);
		assert_int_equal(chain.cut, CUT_RECORDS_END);
		assert_int_equal(chain.n, sizes[i] + 1);
		assert_int_equal(chain.frame[0].offset, JIT + 5);
		assert_int_equal(chain.frame[sizes[i]].offset, JIT + 16 + sizes[i]);
	}
	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
		walked[4] = strange[i];
		walk(&fx);
		assert_int_equal(chain.n, 4);
		assert_int_equal(chain.cut, CUT_NO_MAPPING);
	}
	fixture_free(&fx);
}

/*
 * Each frame that was left by its frame pointer is marked, also when the kernel half says so; those
 * that have a table are not.
 */
static void test_no_table(void **state)
{
	struct fixture fx = jit_stack(3, 32, 0);
	const uint64_t walked[] = { JIT + 5, JIT + 16 };

	walk(&fx);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(chain.frame[i].flags, FRAME_F_NO_TABLE);
	fx.input.walked = walked;
	fx.input.nr_walked = 2;
	fx.input.ruled = true;
	fx.input.walk_check = sb_check(sb_check(0, 7, JIT + 5), 7, JIT + 15);
	walk(&fx);
	assert_int_equal(chain.method, METHOD_RULES);
	assert_int_equal(chain.n, 2);
	assert_int_equal(chain.frame[1].flags, FRAME_F_NO_TABLE);
	fixture_free(&fx);
	fx = load();
	walk(&fx);
	for (uint32_t i = 0; i < chain.n; i++)
		assert_int_equal(chain.frame[i].flags, 0);
	fixture_free(&fx);
}

/* No callers: the innermost frame is the whole stack, and no byte of it is looked at. */
static void test_no_callers(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct fixture fx = jit_stack(10, 32, 0);
	struct unwind_space space = fixture_space(&fx);

	unwinder_use_no_callers(u);
	fx.input.nr_segments = 0;
	unwind_sample(u, &space, &fx.input, &chain);
	assert_int_equal(chain.n, 1);
	assert_int_equal(chain.cut, CUT_COMPLETE);
	assert_int_equal(chain.frame[0].offset, JIT + 5);
	fx.input.regs[REG_PC] = JIT + 8192;
	unwind_sample(u, &space, &fx.input, &chain);
	assert_int_equal(chain.n, 0);
	assert_int_equal(chain.cut, CUT_NO_MAPPING);
	fx.input.regs[REG_PC] = JIT + 5;
	fx.maps.v[0].map.state = MAP_LOADING;
	unwind_sample(u, &space, &fx.input, &chain);
	assert_true(chain.loading);
	fixture_free(&fx);
}

/*
 * What a run-time compiler says of its code counts more than frame pointers, which lead astray
 * there. A walk of the kernel half that followed them is not believed.
 */
static void test_made_code(void **state)
{
	const struct dump_eh eh = dump_table();
	AUTO(made_code_free) struct made_code *made = NULL;
	struct fixture fx = jit_stack(4, 32, 0);
	uint64_t *words = (uint64_t *)fx.seg[0];
	const uint64_t walked[] = { JIT + 4, JIT + 16 };
	dump_bytes dump;

	dump_begin(&dump, EM_X86_64);
	dump_put_unwinding(&dump, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&dump, JIT, DUMP_CODE_SIZE, 1);
	assert_int_equal(made_code_parse(dump.v, dump.n, &made, NULL), 0);
	assert_non_null(made);
	vec_free(&dump);
	fx.maps.v[0].map.made = made;
	/* 64 bytes and a return address on the stack, which nobody's frame pointer knows of */
	fx.input.regs[REG_PC] = JIT + 4;
	/* of something of which nothing is told: by the frame pointer from there */
	words[8] = JIT + 0x100;
	fx.input.regs[REG_FP] = STACK + 96;
	words[12] = 0;
	words[13] = JIT + 0x200;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_FP_END);
	assert_int_equal(chain.n, 3);
	assert_int_equal(chain.frame[0].flags, 0);
	assert_int_equal(chain.frame[1].offset, JIT + 0xff);
	assert_int_equal(chain.frame[1].flags, FRAME_F_NO_TABLE);
	assert_int_equal(chain.frame[2].offset, JIT + 0x1ff);
	fx.input.walked = walked;
	fx.input.nr_walked = 2;
	fx.input.ruled = true;
	fx.input.walk_check = sb_check(sb_check(0, 7, JIT + 4), 7, JIT + 15);
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STALE);
	assert_true(chain.stale);
	fixture_free(&fx);
}

/* Tables alone: memory without a file has none. */
static void test_tables_only(void **state)
{
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct fixture fx = jit_stack(10, 32, 0);
	struct unwind_space space = fixture_space(&fx);

	assert_non_null(u);
	unwinder_use_tables_only(u);
	unwind_sample(u, &space, &fx.input, &chain);
	assert_int_equal(chain.n, 1);
	assert_int_equal(chain.cut, CUT_NO_CFI);
	assert_int_equal(chain.cut_module, 7);
	assert_int_equal(chain.method, METHOD_CFI);
	fixture_free(&fx);
}

/* Frames [FROM, TO) of SIZE bytes of the stack of FX, of which more was to be copied, as segment I. */
static void only(struct fixture *fx, unsigned int i, uint32_t from, uint32_t to, uint32_t size)
{
	fx->input.segment[i] = (struct raw_segment){ .addr = STACK + (uint64_t)from * size, .len = (to - from) * size,
						      .bytes = fx->seg[0] + (size_t)from * size };
	fx->input.nr_segments = i + 1;
}

/* A large frame that nobody has touched inside: what lies behind the pages that cannot be read has been copied too. */
static void test_hole(void **state)
{
	struct fixture fx = jit_stack(40, 32, 0);
	uint64_t *fp = (uint64_t *)(fx.seg[0] + 9 * 32);

	*fp = STACK + 20 * 32;
	only(&fx, 0, 0, 10, 32);
	only(&fx, 1, 20, 40, 32);
	fx.input.segment[0].unreadable = true;
	fx.input.segment[0].want = 40 * 32;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_FP_END);
	assert_int_equal(chain.n, 30);
	*fp = STACK + 15 * 32;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_UNREADABLE);
	assert_int_equal(chain.fault, STACK + 15 * 32);
	assert_int_equal(chain.n, 11);
	/* Nothing can be read up to the end of what was to be copied: a longer copy may have more. */
	only(&fx, 0, 0, 10, 32);
	fx.input.segment[0].unreadable = true;
	fx.input.segment[0].want = 15 * 32;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_SIZE);
	assert_true(chain.bytes_used > 15 * 32);
	fixture_free(&fx);
}

/*
 * The kernel half came to frame 20 and stopped there; what was copied from the beginning ends
 * before, so the copy goes on there.
 */
static void test_stopped(void **state)
{
	struct fixture fx = jit_stack(40, 32, 0);
	uint64_t walked[20], check = 0;

	only(&fx, 0, 0, 10, 32);
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_SIZE);
	assert_int_equal(chain.n, 11);
	for (uint32_t i = 0; i < 20; i++) {
		walked[i] = i ? JIT + 16 + (i - 1) : JIT + 5;
		check = sb_check(check, 7u, walked[i] - (i > 0));
	}
	fx.input.stopped = true;
	fx.input.stop = (struct raw_stop){ .pc = JIT + 16 + 19, .sp = STACK + 20 * 32, .bp = STACK + 20 * 32 };
	fx.input.walked = walked;
	fx.input.nr_walked = 20;
	fx.input.walk_check = check;
	only(&fx, 1, 20, 40, 32);
	walk(&fx);
	assert_int_equal(chain.cut, CUT_FP_END);
	assert_int_equal(chain.n, 40);
	assert_int_equal(chain.method, METHOD_MIXED);
	assert_false(chain.stale);
	for (uint32_t i = 1; i < 40; i++)
		assert_int_equal(chain.frame[i].offset, JIT + 15 + (i - 1) % 100);
	/* It cannot be gone on from there: the copy from the beginning came further. */
	fx.input.nr_walked = 5;
	fx.input.walk_check = 0;
	for (uint32_t i = 0; i < 5; i++)
		fx.input.walk_check = sb_check(fx.input.walk_check, 7u, walked[i] - (i > 0));
	fx.input.stop.bp = 0;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_SIZE);
	assert_int_equal(chain.n, 11);
	assert_false(chain.stale);
	fx.input.nr_walked = 20;
	fx.input.walk_check = check;
	/* It says itself that it came by something else: what was copied from the beginning is all there is. */
	fx.input.walk_check++;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_SIZE);
	assert_int_equal(chain.n, 11);
	assert_true(chain.stale);
	/* There was no room for the frames. */
	fx.input.nr_walked = 0;
	walk(&fx);
	assert_int_equal(chain.cut, CUT_STACK_SIZE);
	assert_int_equal(chain.n, 11);
	fixture_free(&fx);
}

static void test_frame_limit(void **state)
{
	struct fixture fx = jit_stack(CHAIN_MAX + 10, 16, 0);

	walk(&fx);
	assert_int_equal(chain.n, CHAIN_MAX);
	assert_int_equal(chain.cut, CUT_FRAME_LIMIT);
	fixture_free(&fx);
}

static void assert_nonsense(uint64_t fp, enum cut_reason cut)
{
	struct fixture fx = jit_stack(10, 32, 0);

	((uint64_t *)fx.seg[0])[12] = fp;        /* of the fourth frame */
	walk(&fx);
	assert_int_equal(chain.n, 5);
	assert_int_equal(chain.cut, cut);
	fixture_free(&fx);
}

static void test_nonsense(void **state)
{
	assert_nonsense(STACK + 96, CUT_BAD_FRAME);      /* itself */
	assert_nonsense(STACK, CUT_BAD_FRAME);           /* back */
	assert_nonsense(STACK + 129, CUT_BAD_FRAME);     /* odd */
	assert_nonsense(1ull << 46, CUT_BAD_FRAME);      /* far away */
	assert_nonsense(STACK + 100000, CUT_STACK_SIZE); /* beyond the copy */
	assert_nonsense(0, CUT_FP_END);
}

/* Return probes of another tool: the return address is the start of their page, alone or right behind other code. */
static void test_return_probe(void **state)
{
	for (uint64_t at = JIT + 4096; at <= JIT + 8192; at += 4096) {
		struct fixture fx = jit_stack(10, 32, 0);
		struct fixture_map *m = vec_push(&fx.maps);

		assert_non_null(m);
		*m = (struct fixture_map){ .map = { .start = at, .end = at + 4096, .module = 8, .state = MAP_PROBES } };
		((uint64_t *)fx.seg[0])[13] = at;        /* where the fourth frame returns to */
		walk(&fx);
		assert_int_equal(chain.n, 4);
		assert_int_equal(chain.cut, CUT_URETPROBE);
		assert_int_equal(chain.cut_module, ID_NONE);
		fixture_free(&fx);
	}
}

static void test_image_refuses(void **state)
{
	struct image *im = (void *)1;
	struct err e = ERR_INIT;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), p[2];
	uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	assert_int_equal(image_open(fd, &im, &e), -EINVAL);
	assert_string_equal(e.text, "not a regular file");
	close(fd);
	assert_int_equal(pipe(p), 0);
	assert_int_equal(image_open(p[0], &im, &e), -EINVAL);
	close(p[0]);
	close(p[1]);
	assert_int_equal(image_from_memory("", 0, &im, &e), -ENOEXEC);
	assert_int_equal(image_from_memory("#!/bin/sh\n", 10, &im, &e), -ENOEXEC);
	assert_int_equal(image_from_memory(elf, sizeof(elf), &im, NULL), -ENOEXEC);
	elf[4] = 1;
	assert_int_equal(image_from_memory(elf, sizeof(elf), &im, &e), -ENOEXEC);
	assert_ptr_equal(im, (void *)1);
	image_free(NULL);
	unwinder_free(NULL);
}

static void test_image(void **state)
{
	static const uint8_t want[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	struct fixture fx = load();
	uint8_t id[BUILD_ID_MAX];
	uint64_t vaddr = 0;

	assert_int_equal(image_build_id(fx.images.v[0], id), sizeof(want));
	assert_memory_equal(id, want, sizeof(want));
	assert_true(image_vaddr(fx.images.v[0], 0x154, &vaddr));
	assert_int_equal(vaddr, 0x400154);
	assert_false(image_vaddr(fx.images.v[0], 1 << 30, &vaddr));
	assert_int_equal(vaddr, 0x400154);
	assert_true(image_bytes(fx.images.v[0]) < 8192);
	fixture_free(&fx);
}

/* A libc is 2 MB; what is held of it is its call-frame information. */
static void test_image_is_small(void **state)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(image_open(fd, &im, &e), 0);
	assert_true(image_bytes(im) < (size_t)lseek(fd, 0, SEEK_END));
}

/* A small shared library: its .eh_frame_hdr, by offset and address. */
static uint8_t *small_library(size_t *ret_size, Elf64_Phdr *ret_hdr)
{
	AUTO_FILE FILE *f = NULL;
	uint8_t *p = malloc(65536);
	char path[4096];
	Elf64_Ehdr eh;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/image/shared",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "re");
	assert_non_null(f);
	*ret_size = fread(p, 1, 65536, f);
	memcpy(&eh, p, sizeof(eh));
	for (int i = 0; i < eh.e_phnum && ret_hdr->p_type != PT_GNU_EH_FRAME; i++)
		memcpy(ret_hdr, p + eh.e_phoff + (size_t)i * sizeof(*ret_hdr), sizeof(*ret_hdr));
	assert_int_equal(ret_hdr->p_type, PT_GNU_EH_FRAME);
	return p;
}

static bool has_row(const uint8_t *elf, size_t size, uint64_t vaddr)
{
	AUTO(image_free) struct image *im = NULL;
	AUTO_FREE Dwarf_Frame *row = NULL;

	assert_int_equal(image_from_memory(elf, size, &im, NULL), 0);
	row = image_row(im, vaddr);
	return row;
}

/* At OFFSET of ELF: a function that keeps its frame pointer, of 16 bytes. */
static void put_function(uint8_t *elf, size_t offset)
{
	memcpy(elf + offset, "\x55\x48\x89\xe5\x31\xc0\x5d\xc3\x90\x90\x90\x90\x90\x90\x90\x90", 16);
}

/* At *AT of ELF: an entry of .eh_frame for the code from START to END. Moves *AT behind it. */
static void put_entry(uint8_t *elf, size_t *at, uint32_t start, uint32_t end)
{
	const uint32_t fde[5] = { 16, 4, start - (uint32_t)(*at + 8), end - start };

	memcpy(elf + *at, fde, sizeof(fde));
	*at += sizeof(fde);
}

static void assert_has_frames(const uint8_t *elf, const uint64_t *at, size_t n, uint64_t none)
{
	AUTO(image_free) struct image *im = NULL;
	uint64_t next;

	assert_int_equal(image_from_memory(elf, 0xa000, &im, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const struct frames *fr = image_frames(im, at[i] + 4, &next);

		assert_non_null(fr);
		assert_int_equal(fr->range.start, at[i] + 4);
		assert_int_equal(fr->rule.kind, RULE_FP);
	}
	assert_null(image_frames(im, none + 4, &next));
}

/*
 * Functions without call-frame information are found wherever they stand between others, near or far; what is no code
 * is not looked at, though it is in the same segment, as long as section headers say so.
 */
static void test_gaps(void **state)
{
	AUTO_FREE uint8_t *elf = calloc(1, 0xa000);
	const uint64_t far[] = { 0x1000, 0x1100, 0x1200, 0x9000 }, all[] = { 0x1000, 0x1100, 0x1200, 0x9000, 0x9010 };
	const Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x1000, .p_vaddr = 0x1000,
				.p_filesz = 0x8020, .p_memsz = 0x8020 };
	Elf64_Shdr sh[] = {
		{ 0 }, { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			 .sh_addr = 0x1000, .sh_offset = 0x1000, .sh_size = 0x8010 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x9010,
		  .sh_offset = 0x9010, .sh_size = 16 },
		{ .sh_name = 7, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x9400,
		  .sh_offset = 0x9400 },
		{ .sh_type = SHT_STRTAB, .sh_offset = 0x9800, .sh_size = 17 },
	};
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			  .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof(eh),
			  .e_phoff = sizeof(eh), .e_phentsize = sizeof(ph), .e_phnum = 1, .e_shoff = 0x9c00,
			  .e_shentsize = sizeof(*sh), .e_shnum = 5, .e_shstrndx = 4 };
	size_t at = 0x9400;

	assert_non_null(elf);
	put_entry(elf, &at, 0x1010, 0x1100);
	put_entry(elf, &at, 0x1110, 0x1200);
	put_entry(elf, &at, 0x1210, 0x9000);
	sh[3].sh_size = at + 4 - 0x9400;
	memset(elf + 0x1000, 0xcc, 0x8020);
	for (size_t i = 0; i < 4; i++)
		put_function(elf, far[i]);
	put_function(elf, 0x9010);
	memcpy(elf + 0x9800, "\0.code\0.eh_frame", 17);
	memcpy(elf, &eh, sizeof(eh));
	memcpy(elf + sizeof(eh), &ph, sizeof(ph));
	memcpy(elf + 0x9c00, sh, sizeof(sh));
	assert_has_frames(elf, far, 4, 0x9010);
	/* Without sections nothing is known of entries either. */
	memset(elf + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(eh.e_shoff));
	assert_has_frames(elf, all, 5, 0x1180);
}

/*
 * A search table that points into an entry is not used, and the rows are found all the same; a huge
 * entry is refused.
 */
static void test_hostile_cfi(void **state)
{
	Elf64_Phdr hdr = { 0 };
	size_t size = 0;
	AUTO_FREE uint8_t *elf = small_library(&size, &hdr);
	uint8_t *table = elf + hdr.p_offset;
	uint32_t huge = 1 << 20;
	int32_t word[5];         /* encodings, .eh_frame, count, first start, its FDE */
	uint64_t code;

	memcpy(word, table, sizeof(word));
	code = hdr.p_vaddr + (uint64_t)(int64_t)word[3];
	assert_true(has_row(elf, size, code));
	word[4] += 4;
	memcpy(table, word, sizeof(word));
	assert_true(has_row(elf, size, code));
	memcpy(table + 4 + word[1], &huge, sizeof(huge));
	assert_false(has_row(elf, size, code));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_no_interrupted_stack),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_return_to_what_is_loading),
		cmocka_unit_test(test_no_mapping),
		cmocka_unit_test(test_no_user_side),
		cmocka_unit_test(test_walked),
		cmocka_unit_test(test_ruled),
		cmocka_unit_test(test_ruled_by_calls),
		cmocka_unit_test(rows_are_asked_for_once),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_branch_records),
		cmocka_unit_test(test_frame_limit),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_no_callers),
		cmocka_unit_test(test_made_code),
		cmocka_unit_test(test_tables_only),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_return_probe),
		cmocka_unit_test(test_image_refuses),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_image_is_small),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_hostile_cfi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
